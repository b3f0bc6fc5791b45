"""The quiz of lesson 01."""

from lessons.quiz import Question

QUESTIONS = [
    Question(
        'A model wants to emit the token `": {`. How many transitions of a character automaton does '
        "that take?",
        right=(
            "Four",
            "One for each character: quote, colon, space, brace. All four have to exist, each from "
            "the state before it.",
        ),
        wrong=(
            ("One", "One token is one step of the *model*. The automaton reads characters."),
            ("Two", "That would be a quote and one more. Spaces and braces are characters too."),
            (
                "It depends on the vocabulary",
                "The vocabulary decides that these characters are one "
                "token. How many characters they are, it does not decide.",
            ),
        ),
    ),
    Question(
        "You set the logits of illegal tokens to 0 before the softmax. What happens?",
        right=(
            "Illegal tokens are still drawn",
            "exp(0) is 1, so each keeps a weight, often a large one: many legal tokens have negative logits.",
        ),
        wrong=(
            (
                "Illegal tokens get probability 0",
                "That needs minus infinity. A *probability* of 0 and a *logit* of 0 are different things.",
            ),
            (
                "The softmax raises an error",
                "0 is an ordinary logit. Nothing complains, which is why this mistake lives so long.",
            ),
            (
                "All tokens become equally likely",
                "Only the illegal ones get the same weight, 1. The legal ones keep their own.",
            ),
        ),
    ),
    Question(
        "Two tokens are legal; the model thinks the first is three times as likely. After masking "
        "the others out, the first is ...",
        right=(
            "three times as likely",
            "Both are divided by the same smaller sum. Their ratio stays.",
        ),
        wrong=(
            ("as likely as the second", "The mask takes others away. It does not level the rest."),
            ("more than three times as likely", "Both grow by the same factor, so the ratio stays."),
            (
                "impossible to say without the other logits",
                "The others only enter the sum that both are divided by, and that cancels out.",
            ),
        ),
    ),
    Question(
        'In the state after `{"`, the mask that looks at first characters also allows `null`. Why?',
        right=(
            "`name` is legal there, and both begin with `n`",
            "The short cut sees the `n` only. Replay reads on and fails at the `u`.",
        ),
        wrong=(
            (
                "`null` is a JSON value",
                "It is, but here a key is expected. And no rule of the short cut knows about values.",
            ),
            (
                "The automaton has an edge labelled `null`",
                "Edges are labelled with characters. There is an edge for `n`.",
            ),
            (
                "Strings may contain anything",
                "Inside the name's *value* they may. Here we are inside a key, and only one key is allowed.",
            ),
        ),
    ),
    Question(
        "The mask of the current state is empty. What should the sampler do?",
        right=(
            "Raise an error",
            "No continuation can ever be legal. The cause is earlier: a dead end, or a vocabulary "
            "that cannot spell what the grammar wants.",
        ),
        wrong=(
            (
                "Take the argmax of the masked logits",
                "All are minus infinity, so argmax gives token 0: an illegal token, silently.",
            ),
            (
                "Sample without the mask, just this once",
                "One illegal token and the output is invalid for good; every later mask is empty too.",
            ),
            ("Emit end-of-sequence", "The text is not complete, so ending it here makes it invalid."),
        ),
    ),
    Question(
        "Every one of 200 constrained samples from a random model was valid. What does that show "
        "about their *content*?",
        right=(
            "Nothing",
            'The mask guarantees the shape. `"name": "7]cat{"` has the right shape.',
        ),
        wrong=(
            (
                "The content is plausible",
                "Look at the names above. Plausibility comes from the model, and this one is random.",
            ),
            (
                "The content is correct for the prompt",
                "The random model never saw a prompt. Lesson 05 is about valid answers that are made up.",
            ),
            (
                "The content is at least spelled correctly",
                "Inside a string all plain characters are legal, in any order.",
            ),
        ),
    ),
    Question(
        "Why are masks computed per state and not per position in the text?",
        right=(
            "The state holds all that matters about what was read so far",
            "Two texts that lead to the same state have the same legal continuations. So the "
            "number of masks is bounded by the number of states.",
        ),
        wrong=(
            (
                "Positions are not known in advance",
                "True, but even at a known position the mask depends on what was read, not on how much.",
            ),
            (
                "It uses less energy on the GPU",
                "The masks are computed on the CPU. What matters is that they can be reused.",
            ),
            (
                "A token may be longer than one position",
                "It may, but that is about how far one "
                "token moves the state, not about what a mask depends on.",
            ),
        ),
    ),
]
