"""Lesson 05: alternatives side by side, the token that decides, its probability, honest rates."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from lessons.exercise import Case, Exercise, Words, calls
from lessons.pieces import l01, l05


def key_dfa(key: str) -> l01.DFA:
    """{"KEY": STRING}"""
    return l01.Builder(key).literal('{"' + key + '": ').string().literal("}").dfa()


ANSWER, ERROR = key_dfa("city"), key_dfa("error")
CAT, CAR, COW = (l01.enum_dfa([word]) for word in ("cat", "car", "cow"))
for dfa, name in ((CAT, "cat"), (CAR, "car"), (COW, "cow")):
    dfa.name = name
# it comes back to its state 0, a number that Python takes for false
LOOP = l01.DFA(start=0, accepting={0}, edges={(0, "a"): 1, (1, "b"): 0}, name="loop")


def step_cases(union_step: Callable) -> Iterator[Case]:
    """All go on, some die, all die; equal state numbers of different automata."""
    both = [ANSWER, ERROR]
    inputs = [
        (both, {(0, 0), (1, 0)}, "{"),
        ([CAT, CAR, COW], {(0, 0), (1, 0), (2, 0)}, "c"),
    ]
    because = "every alternative that is alive takes the character; the union is all that survive"
    yield from calls(union_step, inputs, l05.union_step, because, "union_step")
    inputs = [
        (both, {(0, 2), (1, 2)}, "c"),
        (both, {(0, 2), (1, 2)}, "e"),
        ([CAT, CAR, COW], {(0, 1), (1, 1), (2, 1)}, "a"),
        ([CAT, CAR, COW], {(0, 2), (1, 2)}, "r"),
    ]
    because = "an alternative that cannot take the character dies; the others go on without it"
    yield from calls(union_step, inputs, l05.union_step, because, "union_step")
    because = "if no alternative takes the character, it is illegal: nothing is left"
    inputs = [(both, {(0, 0), (1, 0)}, "x"), ([CAT, CAR], {(0, 2)}, "r"), (both, set(), "{")]
    yield from calls(union_step, inputs, l05.union_step, because, "union_step")
    because = "0 is the number of a state like any other"
    inputs = [([LOOP, CAT], {(0, 1)}, "b"), ([CAT, LOOP], {(1, 1), (0, 0)}, "b")]
    yield from calls(union_step, inputs, l05.union_step, because, "union_step")
    yield step_keeps_case(union_step, {(0, 2), (1, 2)})


def step_keeps_case(union_step: Callable, before: l05.Alive) -> Case:
    """The set that was handed over is as it was."""

    def after() -> l05.Alive:
        alive = set(before)
        union_step([ANSWER, ERROR], alive, "c")
        return alive

    return Case(
        f"`alive`, after union_step([city, error], alive, 'c') with alive = {sorted(before)}",
        before,
        after,
        because="give a new set and leave the old one: whoever tries a token must be able to go back",
    )


def decided_cases(decided_at: Callable) -> Iterator[Case]:
    """At once, late, within a token, never; and a document that is no document."""
    both = [ANSWER, ERROR]
    inputs = [
        (both, ["{", '"', "city", '"', ": ", '"', "Rome", '"', "}"]),
        (both, ['{"', "er", "ror", '": "', "no", '"}']),
        (both, ['{"city": "', "Rome", '"}']),
        ([CAT, CAR], ["c", "a", "r"]),
        ([CAT, CAR, COW], ["ca", "t"]),
        ([CAT, CAR, COW], ["co", "w"]),
        ([ERROR, ANSWER], ['{"c', "ity", '": "', '"}']),
    ]
    because = "count tokens, not characters, from 0: the first one after which one alternative is left"
    yield from calls(decided_at, inputs, l05.decided_at, because, "decided_at")
    because = "if more than one is left at the end, or none at all, nothing was decided: None"
    inputs = [
        ([CAT, CAT], ["cat"]),
        ([CAT, COW, COW], ["c", "ow"]),
        (both, ["{", "x", "y"]),
        ([CAT, CAR], ["c", "a"]),
        ([CAT, CAR], []),
    ]
    yield from calls(decided_at, inputs, l05.decided_at, because, "decided_at")


def shares_cases(branch_shares: Callable) -> Iterator[Case]:
    """Illegal mass, tokens that both allow, one way only, and order of the ids."""
    p = np.array([0.05, 0.2, 0.1, 0.05, 0.5, 0.1])
    inputs = [
        (p, [1], [2]),
        (p, [0, 1, 2], [3]),
        (np.array([0.1, 0.2, 0.1, 0.6]), [0, 1], [1, 2]),
        (p, [5, 4, 0], [0, 5, 1]),
        (p, [1, 2], [1, 2]),
        (p, [], [3, 4]),
        (np.array([0.5, 0.5]), [0], [1]),
        (np.array([1e-9, 3e-9, 1 - 4e-9]), [0], [1]),
    ]
    because = "the mask leaves only tokens of the two ways, and they share the whole probability; "
    because += "a token that both allow decides nothing"
    for arguments in inputs:
        expected = l05.branch_shares(*arguments)
        yield Case(
            f"branch_shares(np.{arguments[0]!r}, {arguments[1]}, {arguments[2]})",
            expected,
            lambda arguments=arguments: branch_shares(
                arguments[0].copy(), list(arguments[1]), list(arguments[2])
            ),
            because=because,
        )
    yield Case(
        "sum of branch_shares(p, [0, 3], [3, 5]) for p adding up to 1",
        1.0,
        lambda: float(sum(branch_shares(p.copy(), [0, 3], [3, 5]))),
        because="the three cases are all that can happen, so they add up to 1",
    )


ROME, OSLO = {"city": "Rome"}, {"city": "Oslo"}
NO = {"error": "not in the text"}


def rates_cases(rates: Callable) -> Iterator[Case]:
    """Each rate by itself, unequal numbers, and answers that only look like refusals."""
    inputs = [
        ([ROME, None], [ROME, NO]),
        ([ROME, None], [ROME, OSLO]),
        ([ROME, None], [NO, NO]),
        ([ROME, None], [OSLO, NO]),
        ([ROME, OSLO, ROME, None, None], [ROME, NO, OSLO, ROME, NO]),
        ([None, None, None, ROME], [OSLO, ROME, NO, ROME]),
        ([ROME] * 4 + [None], [NO, NO, NO, ROME, NO]),
        ([ROME, None, None], [ROME, {"city": "error"}, {"error": ""}]),
        ([{"city": "error"}, None], [{"city": "error"}, {"error": "city"}]),
    ]
    because = "made up: of those without an answer; refused and wrong: of those with one; "
    because += 'a refusal is an object with the key "error", whatever the values say'
    yield from calls(rates, inputs, l05.rates, because, "rates")
    yield Case(
        "rates([Rome] * 20 + [None] * 20, 20 right answers and 20 refusals)",
        (0.0, 0.0, 0.0),
        lambda: rates([ROME] * 20 + [None] * 20, [ROME] * 20 + [NO] * 20),
        because="a model that is always right makes nothing up and refuses nothing wrongly",
    )
    yield Case(
        "rates([Rome] * 20 + [None] * 20, 40 refusals)",
        Words("made up 0, refused 1, wrong 0"),
        lambda: rates([ROME] * 20 + [None] * 20, [NO] * 40),
        lambda _, got: list(got) == [0, 1, 0],
        because="who always refuses makes nothing up, and is useless: that is the cost",
    )


EXERCISES = [
    Exercise(
        number="5.1",
        title="The union of automata",
        minutes=6,
        difficulty=2,
        names=("union_step",),
        cases=step_cases,
        hints=(
            "Go through all pairs `(i, state)` of `alive`. Each automaton `dfas[i]` takes its own step.",
            "`l01.step(dfas[i], state, char)` is the next state, or None if this alternative dies.",
            "Collect `(i, next state)` in a set, leaving out None. Compare with `is not None`: 0 is a state.",
        ),
    ),
    Exercise(
        number="5.2",
        title="The token that decides",
        minutes=6,
        difficulty=2,
        names=("decided_at",),
        cases=decided_cases,
        hints=(
            "Start with `l05.union_start(dfas)`; take every character of a token with `l05.union_step`.",
            "After each *token*, look which automata are left: the set of the first numbers of the pairs.",
            "Exactly one number left: return the token's index (`enumerate`). After the loop: `None`.",
        ),
    ),
    Exercise(
        number="5.3",
        title="The probability of a branch",
        minutes=6,
        difficulty=2,
        names=("branch_shares",),
        cases=shares_cases,
        hints=(
            "As sets: `first - second`, `second - first`, and `first & second` for those that both allow.",
            "The mask leaves `first | second` only. Divide by the probability of all of these.",
            "`probabilities[sorted(way)].sum()` adds up the tokens of a set; an empty one gives 0.",
        ),
    ),
    Exercise(
        number="5.4",
        title="Both rates",
        minutes=6,
        difficulty=2,
        names=("rates",),
        cases=rates_cases,
        hints=(
            "Split the pairs first: those whose label is None, and the others. Each rate has its own "
            "denominator.",
            'A refusal: `"error" in output`, for a dict that asks for the key.',
            "Wrong is an answer (no refusal) that differs from the label. A refusal is not also wrong.",
        ),
    ),
]
