"""The quiz of lesson 03."""

from lessons.quiz import Question

QUESTIONS = [
    Question(
        "Why can no finite automaton check brackets of any depth?",
        right=(
            "Each way of having brackets open needs its own state, and there are infinitely many",
            "For any two ways some closing text is right after one and wrong after the other.",
        ),
        wrong=(
            (
                "It cannot count at all",
                "It can, up to any limit that is built in: one state per number. Not without limit.",
            ),
            (
                "It reads characters, and tokens hold several brackets",
                "Tokens are read character by character. That is no obstacle, as lesson 01 showed.",
            ),
            (
                "It would be too slow",
                "A finite automaton is as fast as a table. It is its size that explodes.",
            ),
        ),
    ),
    Question(
        "The stack is `}`, `]` (topmost first). Which closing bracket may come?",
        right=("Only `}`", "Only what is on top may come. The innermost bracket is closed first."),
        wrong=(
            ("Only `]`", "That one was opened first, so it is closed last: it lies at the bottom."),
            ("Either", "Then `[{]` would be legal. An automaton that only counts makes this mistake."),
            ("None", "Something is owed, so something may be closed: what is on top."),
        ),
    ),
    Question(
        "A rule says: `more keys` on top, `,` comes, owed now: `key`, `more keys`. Why not `first key`?",
        right=(
            "`first key` may also end the object, so a trailing comma would pass",
            "The exhaustive test finds the hole in a text of a few tokens.",
        ),
        wrong=(
            (
                "`first key` may be used only once per text",
                "Every object has one. But it also allows the brace, and that is the trouble here.",
            ),
            (
                "Keys after the first have another syntax",
                "A key is a string wherever it stands. What differs is whether the object may end instead.",
            ),
            (
                "It would forget the colon",
                "Both owe a colon after the string. The difference is the closing brace.",
            ),
        ),
    ),
    Question(
        "When has the pushdown automaton accepted a text?",
        right=(
            "When nothing is owed any more",
            "An empty stack: every opening has been closed, every key has its value.",
        ),
        wrong=(
            (
                "When every character was legal",
                "Then the text may still go on: `[1,` is legal so far, and incomplete.",
            ),
            ("When the last character was a closing bracket", "`[[]` ends with one, and one is still owed."),
            (
                "When the stack is as high as at the beginning",
                "It begins with one value owed. At the end that has come too.",
            ),
        ),
    ),
    Question(
        "All texts of up to 8 brackets were tried, without a disagreement. What is proved?",
        right=(
            "That automaton and judge agree on exactly these texts",
            "Longer texts were not tried. But the rules are few, and a wrong one shows in short texts.",
        ),
        wrong=(
            ("Nothing: tests cannot prove anything", "Exhausting a finite set is a proof, for that set."),
            (
                "That the automaton is right for all texts",
                "For that one needs an argument about the rules, not only about short texts.",
            ),
            (
                "That the judge is right",
                "Both could share a mistake. That is why the judge knows nothing of stacks.",
            ),
        ),
    ),
    Question(
        "Inside a string, the token `Ada` is legal. What must be known about the rest of the stack?",
        right=(
            "Nothing",
            "The token stays inside the item on top, so the rest is not touched. One mask serves all stacks.",
        ),
        wrong=(
            (
                "Whether an object or an array is open",
                "That matters once the string is closed. `Ada` does not close it.",
            ),
            ("How deep the stack is", "Depth plays no part as long as the top stays where it is."),
            (
                "Whether the string is a key",
                "A key may contain `Ada` as well. (A schema with fixed keys has another item on top.)",
            ),
        ),
    ),
    Question(
        'Inside a string, which of these tokens leaves it: `\\"`, `",`, `a b`?',
        right=('`",`', "It closes the string; the comma that remains is for the rest of the stack to judge."),
        wrong=(
            ('`\\"`', "An escaped quote is a character of the string. Ask the automaton, not the byte."),
            ("`a b`", "Letters and a space stay inside."),
            ("All that contain a quote", "The escaped one contains a quote as well, and closes nothing."),
        ),
    ),
    Question(
        "Why are equal stacks made one object?",
        right=(
            "So that a state can be looked up, with its mask, at the same cost at any depth",
            "Comparing is one look at the identity, and a step shares everything below the top.",
        ),
        wrong=(
            (
                "So that a text can be read back from it",
                "It cannot: different texts lead to the same stack. That is the point.",
            ),
            (
                "So that the stack can be changed in place",
                "Never: others share it. A step makes a new top and leaves the old one.",
            ),
            ("So that fewer rules are needed", "Rules are rules. Sharing is about memory and time."),
        ),
    ),
]
