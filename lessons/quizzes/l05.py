"""The quiz of lesson 05."""

from lessons.quiz import Question

QUESTIONS = [
    Question(
        "The text is about a cat; the schema demands city, country and population. What can a "
        "perfect model write?",
        right=(
            "Only what looks like an answer",
            "No skill makes a refusal legal. At best a string says `unknown`, and a program takes "
            "that for a city.",
        ),
        wrong=(
            (
                "A refusal, if it is good enough",
                "The first token of a refusal is masked. The model's quality does not matter.",
            ),
            (
                "Nothing: the mask becomes empty",
                "There are legal tokens at every step. They just do not fit the text.",
            ),
            (
                "An object without the keys it does not know",
                "The keys are required, so the object cannot be closed without them.",
            ),
        ),
    ),
    Question(
        "Both alternatives begin with `{\"`. What does the engine know after these two characters?",
        right=(
            "Both are alive, each with its own debts",
            "The union is a set. Nothing is decided until one of them cannot take a character.",
        ),
        wrong=(
            (
                "It has taken the first alternative of the list",
                "Then a refusal would be illegal now. It keeps all that survive.",
            ),
            (
                "It must go back if the first one fails",
                "Nothing is undone: both run side by side, so there is no need to go back.",
            ),
            (
                "It waits for the model to say which one it means",
                "There is no such message. The model's tokens decide by killing one or the other.",
            ),
        ),
    ),
    Question(
        "Under the mask, the tokens that lead to the answer have probability 0.3, those to the "
        "refusal 0.1, illegal ones 0.6. How likely is the refusal?",
        right=(
            "0.25",
            "The mask takes the 0.6 away. What is left is 0.4, and 0.1 is a quarter of it.",
        ),
        wrong=(
            ("0.1", "That was before the mask. Legal tokens share what the illegal ones lose."),
            ("0.7", "The probability of illegal tokens does not go to the refusal."),
            ("0.5", "Two branches need not be equally likely. The model leans."),
        ),
    ),
    Question(
        "The schema allows a refusal, but no instruction mentions it. What did the small model do?",
        right=(
            "It made a city up",
            "The mask allowed the refusal; nothing told the model that one was wanted.",
        ),
        wrong=(
            (
                "It refused, since the schema was shown to it",
                "The model sees the prompt only. The schema lives in the mask.",
            ),
            (
                "It stopped with an error",
                "Legal tokens existed at every step, so the run went through.",
            ),
            (
                "It wrote both objects",
                "One document matches one run. After the branch only one shape is alive.",
            ),
        ),
    ),
    Question(
        "A system refuses every prompt. What are its rates?",
        right=(
            "Made up 0 %, wrongly refused 100 %",
            "It never invents and never helps. So one rate alone says little.",
        ),
        wrong=(
            (
                "Made up 0 %, wrongly refused 50 %",
                "Wrong refusals are counted among prompts that hold an answer: all were refused.",
            ),
            ("Both 0 %", "Refusing a question that the text answers is a mistake, and it is counted."),
            ("Both 100 %", "It answered nothing, so it made nothing up."),
        ),
    ),
    Question(
        "Why compare both schemas under the same system prompt?",
        right=(
            "Otherwise the difference could come from the prompt",
            "Two things changed at once cannot be told apart. Here only the schema changes.",
        ),
        wrong=(
            (
                "The mask is computed from the prompt",
                "The mask depends on schema and text so far, never on the prompt.",
            ),
            (
                "It makes the runs faster",
                "A common beginning is read once, which is handy. It is not why.",
            ),
            (
                "Otherwise the outputs would be invalid",
                "They are valid under any prompt. That is what the mask is for.",
            ),
        ),
    ),
    Question(
        "You look for the refusal threshold that gives the best rates on forty prompts, and report "
        "these rates. What is wrong?",
        right=(
            "They flatter: the threshold was fitted to the same prompts",
            "Choose on one set, report on another. That is why the instruction was chosen on "
            "other texts.",
        ),
        wrong=(
            (
                "Nothing, since the model was not trained on them",
                "The model was not, but the threshold was chosen with them.",
            ),
            (
                "Thresholds cannot be used with greedy decoding",
                "They can: read the probability, then take the branch by your own rule.",
            ),
            (
                "A threshold makes answers invalid",
                "Both branches are valid. It only says which one to take.",
            ),
        ),
    ),
]
