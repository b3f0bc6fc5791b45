"""Lesson 06: wrong documents and the automata that let them through, optional keys, recursion."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import combinations

from lessons.exercise import Case, Exercise, Words, calls
from lessons.pieces import l06
from tokenmask import GrammarCompiler, GrammarMatcher, Vocabulary

# exhibit -> alphabet, longest text, documents that the repaired machine must accept, why
TRIALS = {
    1: (
        '{}",:abc1',
        25,
        ['{"a":1,"b":1}', '{"a":1,"b":1,"c":1}'],
        "`required` means that the object may not close before these keys are there",
    ),
    2: (
        "-+.e0159",
        4,
        ["0", "-0", "5", "-10", "1005", "90", "-1"],
        "a number in JSON is 0, or begins with 1 to 9; the sign comes before that",
    ),
    3: ("[],1", 8, ["[]", "[1]", "[1,1]", "[1,1,1]"], "a comma announces another element"),
    4: (
        "-+.e0159",
        5,
        ["0", "-0", "5", "-10", "1005", "90", "-1"],
        "1e-1 is 0.1: with an exponent the value need not be whole",
    ),
}


def hunt_cases(hunt: Callable) -> Iterator[Case]:
    """Wrong from the first run on, from a later one, never; and not one run too many."""
    machines = [*l06.MUSEUM.values(), l06.repaired(1), l06.repaired(4)]
    because = "a text is wrong if l06.is_valid(text, machine.schema) says no, whether it parses or not"
    yield from calls(hunt, [(machine, 40) for machine in machines], l06.hunt, because, "hunt")
    for number in (2, 3, 5):
        machine = l06.MUSEUM[number]
        first = next(s for s in range(99) if not l06.is_valid(l06.run(machine, s), machine.schema))
        because = "the seeds are 0, 1, ... runs - 1, and the first wrong text ends the hunt"
        yield from calls(hunt, [(machine, first), (machine, first + 1)], l06.hunt, because, "hunt")


def intruder(number: int, answer: Callable) -> Case:
    """The document that the learner caught."""
    machine = l06.MUSEUM[number]

    def caught(_: object, got: object) -> bool:
        return isinstance(got, str) and l06.accepts(machine, got) and not l06.is_valid(got, machine.schema)

    hint = f"the uniform model finds one for you: l06.hunt(l06.MUSEUM[{number}], 50)"
    if number == 4:
        hint = "only the value counts, not how it is written: 1e5 is 100000, and whole; " + hint
    return Case(
        f"wrong_document_{number}()",
        Words(f"a text that exhibit {number} accepts and {machine.schema} refuses"),
        answer,
        caught,
        because=hint,
    )


def repair_cases(number: int) -> Callable[..., Iterator[Case]]:
    """The caught document, then everything short that the repaired machine says."""
    alphabet, longest, fine, because = TRIALS[number]

    def cases(answer: Callable, step: Callable) -> Iterator[Case]:
        yield intruder(number, answer)
        machine = replace(l06.MUSEUM[number].fresh(), step=step)

        def let_through() -> list[str]:
            found = l06.documents(machine, alphabet, longest)
            return [text for text in found if not l06.is_valid(text, machine.schema)][:3]

        yield Case(
            f"wrong documents of up to {longest} characters that your machine accepts",
            Words("none"),
            let_through,
            lambda _, got: got == [],
            because=because,
        )
        for text in fine:
            yield Case(
                f"does your machine accept {text}",
                True,
                lambda text=text: l06.accepts(machine, text),
                because="this document is valid, so the mask must leave a way to it",
            )
        for seed in range(20):
            yield Case(
                f"a run of the uniform model on your machine, seed {seed}",
                Words("a valid document"),
                lambda seed=seed: l06.run(machine, seed),
                lambda _, got: l06.is_valid(got, machine.schema),
                because="where something is legal there must be a way on, up to a whole document",
            )

    return cases


def states(low: int, high: int | None) -> list[tuple[str, int]]:
    """Every state (place, ones so far) that such a list can be in; without `high` the first ones."""
    top = 8 if high is None else high
    following = [("next", count) for count in range(1, top)]
    following += [("after", count) for count in range(1, top + 1)]
    ends = [("end", count) for count in range(low, top + 1)]
    return [("start", 0), ("first", 0), *following, *ends]


def continuations(state: tuple[str, int], low: int, high: int | None) -> list[str]:
    """The texts that complete the list from here, shortest first: all that can tell states apart."""
    place, count = state
    if place == "end":
        return [""]
    if place == "start":
        return ["[" + text for text in continuations(("first", 0), low, high)]
    comma = "," if place == "after" else ""
    numbers = range(1 if place == "next" else 0, 20)
    fine = [n for n in numbers if low <= count + n <= (999 if high is None else high)]
    return [(comma if n else "") + ",".join("1" * n) + "]" for n in fine]


def confused(key: Callable, low: int, high: int | None) -> list[tuple]:
    """(state, state, text): one key, and the text completes the list after only one of the two."""
    found = []
    for a, b in combinations(states(low, high), 2):
        one, two = continuations(a, low, high), continuations(b, low, high)
        texts = [text for text in one + two if (text in one) != (text in two)]
        if texts and key(a, low, high) == key(b, low, high):
            found.append((a, b, min(texts, key=len)))
    return found


def key_cases(answer: Callable, count_key: Callable) -> Iterator[Case]:
    """Sound for several bounds, and finite where the list is not."""
    yield intruder(5, answer)
    for low, high in [(1, 3), (0, 2), (2, 5), (4, 4), (0, None), (3, None)]:
        yield Case(
            f"states (place, count) that count_key(state, {low}, {high}) confuses",
            Words("none"),
            lambda low=low, high=high: confused(count_key, low, high)[:2],
            lambda _, got: got == [],
            because="the third is a text that completes the list after one of the two, not after the other",
        )
    for low in (0, 3):
        yield Case(
            f"number of keys of ('after', 0), ('after', 1) ... ('after', 500) with bounds {low}, None",
            Words("at most ten"),
            lambda low=low: len({count_key(("after", n), low, None) for n in range(501)}),
            lambda _, got: got <= 10,
            because="from `low` on, without an upper bound, one element more changes nothing",
        )


def keys_cases(next_keys: Callable) -> Iterator[Case]:
    """Required keys at the beginning, in the middle, at the end, everywhere and nowhere."""
    abc = ["a", "b", "c"]
    inputs = [
        (abc, {"b"}, None), (abc, {"b"}, "a"), (abc, {"b"}, "b"), (abc, {"b"}, "c"),
        (abc, set(), None), (abc, set(), "b"), (abc, {"a", "b", "c"}, None),
        (abc, {"a", "b", "c"}, "a"), (abc, {"c"}, None), (abc, {"a"}, "a"),
        (["z", "m", "a", "k"], {"a"}, "z"), ([], set(), None), (["only"], {"only"}, "only"),
    ]  # fmt: skip
    because = "a key may come if no required key is passed over; the object may close if none is left"
    yield from calls(next_keys, inputs, l06.next_keys, because, "next_keys")


NO_OTHER = 'other keys are allowed unless the schema says "additionalProperties": False'
INSIDE = "every kid is a tree itself, with the same rules: that is what $ref is for"
MISSING = "`n` must be there: that is what `required` says"
TREES = [
    ('{"n": 1}', True, "`kids` may be left out"),
    ('{"n": 1, "kids": []}', True, "a list may be empty"),
    ('{"n": 1, "kids": [{"n": 2}, {"n": 3}]}', True, INSIDE),
    ('{"n": 1, "kids": [{"n": 2, "kids": [{"n": 3, "kids": [{"n": 4}]}]}]}', True, INSIDE),
    ("{}", False, MISSING),
    ('{"kids": []}', False, MISSING),
    ('{"n": "1"}', False, "`n` is an integer"),
    ('{"n": 1.5}', False, "`n` is an integer"),
    ('{"n": 1, "kids": [2]}', False, INSIDE),
    ('{"n": 1, "kids": {"n": 2}}', False, "`kids` is a list"),
    ('{"n": 1, "name": 2}', False, NO_OTHER),
    ('{"n": 1, "kids": [{"kids": []}]}', False, INSIDE),
    ('{"n": 1, "kids": [{"n": 2, "kids": [{"n": 3, "kids": [{"m": 4}]}]}]}', False, INSIDE),
    ("[]", False, 'a tree is an object: say "type": "object"'),
]


def verdict(schema: object, text: str) -> bool:
    """Whether the engine accepts `text` under `schema`; jsonschema must be of the same opinion."""
    compiler = GrammarCompiler(Vocabulary([bytes([b]) for b in range(128)], eos_ids=()))
    matcher = GrammarMatcher(compiler.compile_json_schema(schema))
    engine = matcher.accept_string(text) and matcher.is_accepting()
    return engine and l06.is_valid(text, schema)


def tree_cases(tree_schema: Callable) -> Iterator[Case]:
    """Trees and near-trees."""
    for text, expected, because in TREES:
        yield Case(
            f"is {text} allowed by your schema",
            expected,
            lambda text=text: verdict(tree_schema(), text),
            because=because,
        )


EXERCISES = [
    Exercise(
        number="6.1",
        title="The hunter",
        minutes=5,
        difficulty=2,
        names=("hunt",),
        cases=hunt_cases,
        hints=(
            "A loop over `range(runs)`, one text per seed.",
            "`l06.is_valid(text, machine.schema)` says no to what does not parse, and to what parses "
            "and breaks the schema.",
            "Return the first wrong text from inside the loop, and `None` after the loop.",
        ),
    ),
    Exercise(
        number="6.2",
        title="Exhibit 1, the object",
        minutes=6,
        difficulty=2,
        names=("wrong_document_1", "object_step"),
        cases=repair_cases(1),
        hints=(
            "Let it run: `[l06.run(l06.MUSEUM[1], seed) for seed in range(10)]`. Which of these "
            "texts should not be there?",
            "When may the closing brace come, according to the schema? And in the code?",
            "Copy the function. The brace is legal only if `keys >= 2`.",
        ),
    ),
    Exercise(
        number="6.3",
        title="Exhibit 2, the integer",
        minutes=6,
        difficulty=2,
        names=("wrong_document_2", "integer_step"),
        cases=repair_cases(2),
        hints=(
            "`l06.hunt(l06.MUSEUM[2], 50)` gives a text. Ask `json.loads` what it dislikes.",
            "`0` is fine, `10` is fine, and something else with a zero is not.",
            'A zero in front needs a state of its own, say `"zero"`: the text may end there, and '
            "nothing may follow.",
        ),
    ),
    Exercise(
        number="6.4",
        title="Exhibit 3, the list",
        minutes=5,
        difficulty=2,
        names=("wrong_document_3", "list_step"),
        cases=repair_cases(3),
        hints=(
            "Hunt first. The text ends in a way that some languages allow and JSON does not.",
            'State `"value"` is used at two places. Is the same legal at both?',
            'After a comma go to a new state, say `"next"`, from which only `1` leads on.',
        ),
    ),
    Exercise(
        number="6.5",
        title="Exhibit 4, the integer again",
        minutes=6,
        difficulty=3,
        names=("wrong_document_4", "whole_step"),
        cases=repair_cases(4),
        hints=(
            "The text that you caught parses. What is its value, `json.loads(text)`?",
            "`1e2` is 100, and whole. Which exponents can make a fraction of a whole number?",
            "Leave out the moves on `e`; then `power`, `e` and `sign` are not needed any more.",
        ),
    ),
    Exercise(
        number="6.6",
        title="Exhibit 5, the key",
        minutes=9,
        difficulty=4,
        names=("wrong_document_5", "count_key"),
        cases=key_cases,
        hints=(
            "How long is the list that you caught, and how long may it be? At which count does the "
            "engine stop counting?",
            "`step` asks whether the count is below `high`. So the counts `high - 1` and `high` must "
            "have different keys. And the lower bound tells `low - 1` from `low`.",
            "`min(count, top)`: with an upper bound `top` is `high`; without one nothing is asked "
            "beyond `low`.",
        ),
    ),
    Exercise(
        number="6.7",
        title="Optional keys",
        minutes=8,
        difficulty=3,
        names=("next_keys",),
        cases=keys_cases,
        hints=(
            "Only keys after `last` can come: `keys[keys.index(last) + 1 :]`.",
            "Go through them in order. Each may come, until you have passed a required one.",
            'If the loop ends without a required key, nothing is missing: add `"}"`.',
        ),
    ),
    Exercise(
        number="6.8",
        title="A schema that contains itself",
        minutes=6,
        difficulty=2,
        names=("tree_schema",),
        cases=tree_cases,
        hints=(
            '`{"$ref": "#"}` means: the whole schema, once more.',
            "`kids` is an array whose `items` are trees.",
            'Two things are easy to forget: `"required": ["n"]` and `"additionalProperties": False`.',
        ),
    ),
]
