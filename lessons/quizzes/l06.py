"""The quiz of lesson 06."""

from lessons.quiz import Question

QUESTIONS = [
    Question(
        "A vendor says: 99.8 % of our replies are correct JSON. What do you know about your schema?",
        right=(
            "Nothing yet",
            "JSON that parses may lack required keys, hold a wrong type or be out of bounds. Ask for "
            "the share that validates.",
        ),
        wrong=(
            (
                "99.8 % of the replies match it",
                "That is the figure of what parses. What validates is a part of it, perhaps a small one.",
            ),
            (
                "At least 99.8 % match it",
                "The other way round: a reply that validates parses, so validity is at most 99.8 %.",
            ),
        ),
    ),
    Question(
        "A compiler meets a keyword that it cannot enforce. What should it do?",
        right=(
            "Raise an error that names keyword and place",
            "Then you can change the schema, or decide yourself to check that keyword afterwards.",
        ),
        wrong=(
            (
                "Ignore the keyword and go on",
                "Then the mask is weaker than the schema, and nobody is told: wrong documents get through.",
            ),
            (
                "Forbid every value at that place",
                "Then valid documents become impossible, and a run may get stuck there.",
            ),
        ),
    ),
    Question(
        "Why is the uniform model a better tester of masks than a good language model?",
        right=(
            "It has no habits, so it also goes where no sensible text would go",
            "A good model writes `[1, 2]` and hardly ever tries `[1,]`, although the mask would let it.",
        ),
        wrong=(
            (
                "It is faster",
                "It is, but that is not the point: a hundred polite documents test little.",
            ),
            (
                "It writes only valid documents",
                "Under a right mask every model does. Under a faulty one it is the first to leave.",
            ),
        ),
    ),
    Question(
        'Is `1e2` an integer under `{"type": "integer"}`?',
        right=(
            "Yes, its value is 100",
            "JSON Schema looks at the value, not at how it is written. `1.0` is one too, `1e-1` is not.",
        ),
        wrong=(
            ("No, it has an exponent", "The exponent is only a way of writing. The value 100 is whole."),
            ("It does not parse", "It does: JSON numbers may have an exponent."),
        ),
    ),
    Question(
        "Keys `a`, `b`, `c` in this order; `c` is required. What may come after `{`?",
        right=(
            "Any of the three keys, but not the brace",
            "`a` and `b` may be left out. The object cannot close before `c` is there.",
        ),
        wrong=(
            ("Only `c`", "`c` must come, but `a` and `b` may come before it."),
            ("Only `a`", "`a` is optional: the object may begin with `b` or `c`."),
            ("The three keys or the brace", "With the brace the required `c` would be missing."),
        ),
    ),
    Question(
        "An engine's cache key clamps the number of elements at 4. For which schema is that sound?",
        right=(
            "`minItems: 4`, no upper bound",
            "From four elements on, nothing that may follow depends on their number.",
        ),
        wrong=(
            (
                "`maxItems: 5`",
                "4 and 5 elements get the same key. After 4 a comma is legal, after 5 it is not.",
            ),
            (
                "`minItems: 5`",
                "4 and 5 elements get the same key. After 5 the list may close, after 4 it may not.",
            ),
        ),
    ),
    Question(
        "Why is a recursive schema no trouble for an engine with a stack?",
        right=(
            "A reference is expanded only when the text gets there",
            "What is owed grows with the depth of the text. The schema itself is never unrolled.",
        ),
        wrong=(
            (
                "It unrolls the reference to a fixed depth",
                "Then deeper documents, which are valid, could not be written.",
            ),
            (
                "It treats the inner part as any JSON",
                "Then wrong inner parts would get through: this is how a mask is silently weakened.",
            ),
        ),
    ),
]
