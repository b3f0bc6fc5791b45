"""The quiz of lesson 07."""

from lessons.quiz import Question

QUESTIONS = [
    Question(
        "Why is the schema of a call a union with one branch per function?",
        right=(
            "The name decides which parameters may follow",
            "With one object for all, `stop_music` could be called with the parameters of `light`.",
        ),
        wrong=(
            (
                "It makes the mask faster",
                "A union is a little more work. It is there because it is the only right description.",
            ),
            (
                "JSON Schema has no `enum` for names",
                "It has, and an `enum` of names is just what lets names and parameters get mixed up.",
            ),
        ),
    ),
    Question(
        "Every one of 60 masked calls is valid. How many are right?",
        right=(
            "That has to be measured",
            "The mask knows which calls exist. Which one the user wanted, only the model can tell.",
        ),
        wrong=(
            ("All of them", "Valid is a question of shape. A valid call may have the wrong name or value."),
            (
                "At least as many as without the mask",
                "Likely, but no law: the mask may force a model into a branch that it did not mean.",
            ),
        ),
    ),
    Question(
        "In the walk-through the text `{\"name\": \"` is forced. Why are several tokens legal at its start?",
        right=(
            "The same text can be cut into tokens in several ways",
            "`{` and `{\"` both begin it. Further on, `name` may come as one token, or as `n`, `na`, `nam`.",
        ),
        wrong=(
            (
                "The grammar is not sure yet",
                "It is quite sure of the text. The tokens are many because their lengths differ.",
            ),
            (
                "Because whitespace may come in between",
                "Not with this whitespace setting: exactly one text may come.",
            ),
        ),
    ),
    Question(
        "The model is told the functions in its prompt, and the mask knows them too. Why both?",
        right=(
            "The prompt helps it choose well, the mask keeps it from leaving",
            "Without the prompt the model would choose blindly among legal names.",
        ),
        wrong=(
            (
                "The mask reads the prompt",
                "The mask is made from the definitions alone and never sees the prompt.",
            ),
            (
                "The prompt alone would do",
                "Then nothing is guaranteed: look at the row without the mask.",
            ),
        ),
    ),
    Question(
        "Which function is called is decided at ...",
        right=(
            "the first token at which the names differ",
            "`get_time` and `get_weather` share their beginning; the choice comes after it.",
        ),
        wrong=(
            (
                "the first token of the name",
                "Only if no other name begins with that token. Assuming so is one of the six bugs.",
            ),
            ("the opening brace", "The opening brace is the same for all functions: nothing is decided yet."),
            (
                "the last token of the parameters",
                "By then only one branch is left, and it has been since the names parted.",
            ),
        ),
    ),
    Question(
        "Why must a program never find a token's id by its decoded text?",
        right=(
            "Different tokens can have the same text",
            "Every token that is half a character decodes to the same replacement sign.",
        ),
        wrong=(
            ("Dictionaries are slow", "They are fast. The trouble is that several ids share one key."),
            (
                "Decoding changes the ids",
                "Decoding changes nothing about ids, but it throws away what told the bytes apart.",
            ),
        ),
    ),
    Question(
        "A user adds a function to the JSON file. What must change in the code?",
        right=(
            "Nothing",
            "Names, parameters and types all come from the file, into the prompt and into the grammar.",
        ),
        wrong=(
            (
                "The list of names in the code",
                "There must be no such list: that is the bug of hard-coded names.",
            ),
            ("The vocabulary", "The vocabulary belongs to the model. Any name can be spelled with it."),
        ),
    ),
]
