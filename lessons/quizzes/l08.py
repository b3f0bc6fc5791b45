"""Quiz of lesson 08."""

from lessons.quiz import Question

QUESTIONS = [
    Question(
        "Every token of a run was legal, and the output is not valid JSON. How can that be?",
        right=(
            "The run hit `max_tokens` before the text was complete",
            "The mask keeps the text a beginning of something valid. It never makes it an end.",
        ),
        wrong=(
            (
                "The mask has a bug",
                "It may have, but it need not: a legal beginning, cut off, looks exactly like this.",
            ),
            (
                "Sampling at temperature 1 may pick a masked token",
                "A masked token has probability 0 at every temperature.",
            ),
            (
                "The model does not know JSON",
                "Then the text is silly, but with the mask it is still JSON, once it ends.",
            ),
        ),
    ),
    Question(
        "In which states is the end-of-sequence token legal?",
        right=(
            "Exactly in the accepting ones",
            "There the text is complete. Whether more could follow does not matter.",
        ),
        wrong=(
            (
                "Where no other token is legal",
                "After `12` another digit may follow, and the number may end as well.",
            ),
            (
                "Everywhere: the model decides when it is done",
                "Then `{` followed by the end would pass, and that is not valid.",
            ),
            (
                "Inside a string, where all characters are legal",
                "It is not made of characters. A string that stops before its quote is not complete.",
            ),
        ),
    ),
    Question(
        "`remaining` is 3 and a comma leads to a state that costs 2. Does the comma stay in the mask?",
        right=(
            "Yes",
            "One for the comma and two for the rest make 3: just enough.",
        ),
        wrong=(
            ("No, it must be below 3", "At most `remaining` is the rule: tokens may all be used up."),
            (
                "No, a comma never brings the end nearer",
                "It does not, but there is room for what it brings. The budget asks only that.",
            ),
            (
                "Only if it is the likeliest token",
                "Masks know nothing of probabilities. They say what is possible.",
            ),
        ),
    ),
    Question(
        "Why is the budgeted mask never empty, once the run began with enough tokens?",
        right=(
            "A state that costs n has a token that leads to one that costs n - 1",
            "That token passes the test, so the next state is affordable as well, and so on to the end.",
        ),
        wrong=(
            (
                "An empty mask is replaced by the legal one",
                "That would give up the promise at the very moment when it counts.",
            ),
            (
                "The closing brace is always legal",
                "After a comma, or with required keys missing, it is not.",
            ),
            (
                "The engine stops as soon as it could be empty",
                "Then the text would be cut off, which is the problem that we set out to solve.",
            ),
        ),
    ),
    Question(
        "What does the budget change in the first half of a long run?",
        right=(
            "Usually nothing",
            "As long as every legal token leaves room for the end, both masks are the same.",
        ),
        wrong=(
            (
                "It makes closing tokens likelier",
                "It takes tokens away, and only those that would cost too much. It raises nothing.",
            ),
            (
                "It forbids long strings",
                "Strings may grow until there is just room for the rest. How long that is, no schema says.",
            ),
            (
                "It adds tokens that the schema forbids",
                "A budgeted mask is always a subset of the legal one.",
            ),
        ),
    ),
    Question(
        "Top-p was applied first and the mask second, and nothing was left. Why?",
        right=(
            "All tokens that top-p kept were illegal",
            "A chat model likes to begin with a word such as `Sure`. The brace was in the tail.",
        ),
        wrong=(
            (
                "The schema cannot be satisfied",
                "It can: with the mask first, the same step has legal tokens to choose from.",
            ),
            (
                "p was below 0.5",
                "No p below 1 is safe: what is legal may hold less than 1 - p of the probability.",
            ),
            (
                "The logits were not normalized",
                "Softmax takes care of that. The order of the two cuts is what went wrong.",
            ),
        ),
    ),
    Question(
        "And temperature: before or after the mask?",
        right=(
            "It makes no difference",
            "Dividing minus infinity by a positive number leaves minus infinity, and the legal logits "
            "are the same either way.",
        ),
        wrong=(
            ("It must come first", "Try it: the probabilities agree to the last digit."),
            (
                "It must come last",
                "That rule holds for cuts such as top-k and top-p. Temperature cuts nothing off.",
            ),
        ),
    ),
]
