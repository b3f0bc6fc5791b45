"""The quiz of lesson 00."""

from lessons.quiz import Question

QUESTIONS = [
    Question(
        "`json.loads(reply)` raised nothing. What do you know?",
        right=(
            "The reply is some JSON text",
            "That is all. Fields may be missing, extra, or of the wrong type.",
        ),
        wrong=(
            (
                "The reply has the fields you asked for",
                "`json.loads` never heard of your fields. The first cells of this lesson lost one.",
            ),
            (
                "The reply fits the schema",
                "No schema was involved. That takes a validator, such as `jsonschema`.",
            ),
            (
                "The model understood the request",
                "A random model can produce JSON, given a mask. Understanding is another matter.",
            ),
        ),
    ),
    Question(
        "A model is legal at 99 % of its steps. A reply takes 100 steps. About how many replies are valid?",
        right=("37 %", "0.99 to the power of 100 is about 0.37: every step has to go well."),
        wrong=(
            ("99 %", "That is the share of legal *steps*. A reply needs 100 of them in a row."),
            ("1 %", "That is the share of illegal steps, not of valid replies."),
            ("0 %", "100 times 1 % would be 100 %, but risks are not added: some runs get lucky."),
        ),
    ),
    Question(
        "When has an unconstrained run become invalid for good?",
        right=(
            "At its first illegal token",
            "Text is only ever appended, so what is wrong stays wrong. Everything before that token "
            "could still have become valid.",
        ),
        wrong=(
            (
                "When the text ends",
                "Then you notice. But no continuation could have saved it since the first illegal token.",
            ),
            (
                "When `json.loads` fails",
                "It fails only on the whole text, and a schema may be broken without it failing.",
            ),
            (
                "After several illegal tokens",
                "One is enough: a later token cannot take it back.",
            ),
        ),
    ),
    Question(
        "`accept_token` gives `False`. Where is the matcher now?",
        right=(
            "Where it was before",
            "A refused token changes nothing, so you may try another one.",
        ),
        wrong=(
            ("One step further", "It moves on only by tokens that it accepts."),
            ("At the beginning", "That would be `reset`. Refusing forgets nothing."),
            (
                "Broken: it needs a reset",
                "Refusing is an ordinary answer. The matcher can go on at once.",
            ),
        ),
    ),
    Question(
        "The random model was valid in all 200 constrained runs. Why?",
        right=(
            "Illegal tokens could not be drawn",
            "At each step only tokens remained after which the text could still become valid.",
        ),
        wrong=(
            (
                "The seed was well chosen",
                "Every seed works. Try some in the simulator.",
            ),
            (
                "Invalid runs were thrown away and repeated",
                "Then they would have cost more. Each of the 200 was drawn once.",
            ),
            (
                "The model learned the schema",
                "It has no memory at all: every token is equally likely to it, always.",
            ),
        ),
    ),
    Question(
        "A constrained reply says that Ada is 93 and active. What is guaranteed?",
        right=(
            "That 93 is an age the schema allows",
            "The shape is guaranteed, never the truth. Lesson 05 is about that.",
        ),
        wrong=(
            (
                "That Ada is 93",
                "The mask knows the schema. It does not know Ada.",
            ),
            (
                "That the prompt mentioned 93",
                "The toy model does not even read its prompt.",
            ),
            (
                "Nothing",
                "The shape is: three fields, of the agreed types, with allowed values.",
            ),
        ),
    ),
    Question(
        "Retrying until the reply is valid: what is wrong with it, even if it ends?",
        right=(
            "Cost and waiting grow with length, without a bound",
            "The expected number of tries is 1 divided by p to the power of n, and there is no "
            "number after which you can be sure.",
        ),
        wrong=(
            (
                "The valid replies are worse",
                "They are ordinary replies of the model. They were only expensive.",
            ),
            (
                "Validators are too slow",
                "Validating takes microseconds. Generating again takes seconds.",
            ),
            (
                "It needs a second model",
                "It needs the same model, again and again.",
            ),
        ),
    ),
]
