"""Lesson 09, exercise 9.2: one step of a batch, compared score by score."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache

import numpy as np

from lessons.exercise import Case, Words
from lessons.pieces import l09
from tokenmask import CompiledGrammar, GrammarCompiler, GrammarMatcher, Vocabulary

TOY = l09.toy_with_end()
# more tokens than one word has bits, so that the size of a bitmask matters; the spare ones are never legal
WIDE = Vocabulary([*TOY.tokens, *(b"<spare %d>" % i for i in range(11))], TOY.eos_ids, range(29, 40))
PERSON = {
    "type": "object",
    "properties": {"name": {"enum": ["Ada", "Kim"]}, "age": {"type": "integer"}},
    "required": ["name", "age"],
    "additionalProperties": False,
}
ACTIVE = {
    "type": "object",
    "properties": {"active": {"type": "boolean"}},
    "required": ["active"],
    "additionalProperties": False,
}
SCHEMAS = {"person": PERSON, "active": ACTIVE, "boolean": {"type": "boolean"}, "integer": {"type": "integer"}}
TRUE, CAT, END = 9, 23, 28


@cache
def grammar(name: str, vocabulary: Vocabulary = TOY) -> CompiledGrammar:
    """One of the schemas above, compiled for the toy tokens or for `vocabulary`."""
    return GrammarCompiler(vocabulary).compile_json_schema(SCHEMAS[name])


class Watched(GrammarMatcher):
    """A matcher that remembers what it was given to read, legal or not."""

    def __init__(self, compiled: CompiledGrammar) -> None:
        super().__init__(compiled)
        self.given: list[int] = []

    def accept_token(self, token_id: int) -> bool:
        """Read one token."""
        self.given.append(token_id)
        return super().accept_token(token_id)


# an error that names the class should name the one that the learner knows
Watched.__name__ = Watched.__qualname__ = GrammarMatcher.__name__


def scores_of(step: int, rows: int) -> np.ndarray:
    """Scores float32 (rows, 40) for a step: all different, none of them 0, the same on every run."""
    values = np.linspace(-3.1, 2.9, rows * WIDE.size).round(2).astype(np.float32)
    return np.random.default_rng(step).permutation(values).reshape(rows, WIDE.size)


def run(function: Callable, names: tuple[str, ...], chosen: list[list[int]]) -> tuple:
    """The last step's scores before and after the call, what came back, and the matchers.

    chosen[step][row] is what the loop picked.
    """
    matchers = [Watched(grammar(name, WIDE)) for name in names]
    for step, tokens in enumerate([None, *chosen]):
        scores = scores_of(step, len(names))
        masked = function(matchers, None if tokens is None else list(tokens), scores)
    return scores_of(len(chosen), len(names)), scores, masked, matchers


def kind(masked: object) -> Words:
    """What came back, in words."""
    if not isinstance(masked, np.ndarray):
        return Words("None" if masked is None else f"a {type(masked).__name__}")
    if not np.issubdtype(masked.dtype, np.floating):
        return Words(f"an array of {masked.dtype}, shape {masked.shape}")
    return Words(f"an array of floats, shape {masked.shape}")


def kept(function: Callable, names: tuple[str, ...], chosen: list[list[int]]) -> Words:
    """Whether every score that is still a number is the one that was given."""
    before, after, masked, _ = run(function, names, chosen)
    if not np.array_equal(before, after):
        return Words("the scores that it was given have changed")
    for row, token in np.argwhere((masked != before) & (masked != -np.inf)):
        now, had = masked[row, token], before[row, token]
        return Words(f"in row {row} {WIDE.text(token)!r} has {now:.6g}, and had {had:.6g}")
    return Words("as they were")


def row_in_words(function: Callable, names: tuple[str, ...], chosen: list[list[int]], row: int) -> Words:
    """What has become of one row: left as it is, or which tokens are legal."""
    left = run(function, names, chosen)[2][row] > -np.inf
    if left.all():
        return Words("left as it is")
    legal = [repr(WIDE.text(token)) for token in np.flatnonzero(left)]
    return Words(f"legal: {', '.join(legal) or 'nothing'}")


def reading(function: Callable, names: tuple[str, ...], chosen: list[list[int]]) -> list[list[str]]:
    """The tokens that each row's matcher was given."""
    matchers = run(function, names, chosen)[3]
    return [[WIDE.text(token) for token in matcher.given] for matcher in matchers]


def situation(names: tuple[str, ...], chosen: list[list[int]]) -> str:
    """The rows' schemas and the tokens that the loop has picked, in words."""
    schemas = f"the rows' schemas are {', '.join(map(repr, names))}"
    if len(names) == 1:
        schemas = f"the only row's schema is {names[0]!r}"
    steps = [f"[{', '.join(repr(WIDE.text(token)) for token in tokens)}]" for tokens in chosen]
    return f"{schemas}; tokens chosen, step by step: {', '.join(steps) or 'none yet'}"


def first_cases(masked_batch: Callable) -> Iterator[Case]:
    """The first step of one row: the kind of the result, and what becomes of the scores."""
    one = ("boolean",)
    before = scores_of(0, 1)
    yield Case(
        f"what comes back; {situation(('boolean', 'active'), [])}",
        kind(scores_of(0, 2)),
        lambda: kind(run(masked_batch, ("boolean", "active"), [])[2]),
        because="one array comes back, of the shape of `scores`, and the bitmask is for as many rows and "
        "tokens; at the first step `tokens` is None",
    )
    yield Case(
        f"the scores that it was given, after the call; {situation(one, [])}",
        Words("as they were"),
        lambda: Words("as they were" if np.array_equal(*run(masked_batch, one, [])[:2]) else "changed"),
        because="work on a copy, `scores.copy()`: `apply_token_bitmask` writes in place",
    )
    yield Case(
        f"the score of 'cat', which is illegal and had {before[0, CAT]:.6g}; {situation(one, [])}",
        -np.inf,
        lambda: run(masked_batch, one, [])[2][0, CAT],
        because="in the array that comes back, illegal tokens have the score -inf; `scores[rows]` is a "
        "copy of some rows: once masked it must be written back",
    )
    yield Case(
        f"the score of 'true', which is legal; {situation(one, [])}",
        float(before[0, TRUE]),
        lambda: run(masked_batch, one, [])[2][0, TRUE],
        because="what is legal keeps its score",
    )


RUNS = [
    (("boolean", "active"), [], "each row has its own grammar, so its own mask: mind the index"),
    (
        ("integer", "integer"),
        [[12, 27]],
        "one schema, two places: each row reads its own token; and a number that is complete has not "
        "ended before its end token is read (is_terminated)",
    ),
    (("active", "person", "boolean"), [[0, 0, TRUE]], "each row reads the token that was chosen for it"),
    (
        ("boolean", "integer"),
        [[TRUE, 13], [END, 14], [END, END]],
        "a row that has ended is left as it is: a row of minus infinities has no softmax",
    ),
    (
        ("boolean", "active"),
        [[10, 0], [END, 2], [3, 8], [3, 2]],
        "an ended row gets padding, which is not for its matcher",
    ),
    (("boolean",), [[TRUE], [END]], "all rows have ended: nothing to mask"),
]


def step_cases(masked_batch: Callable, names: tuple, past: list, because: str) -> Iterator[Case]:
    """What comes back after the steps `past`: the shape, the scores, then row by row what is legal."""
    where = situation(names, past)
    yield Case(
        f"what comes back; {where}",
        kind(scores_of(0, len(names))),
        lambda: kind(run(masked_batch, names, past)[2]),
        because="every row comes back, also one that has ended",
    )
    yield Case(
        f"the scores that are not -inf; {where}",
        Words("as they were"),
        lambda: kept(masked_batch, names, past),
        because="what is legal keeps its score, and so does all of a row that has ended",
    )
    matchers = run(l09.masked_batch, names, past)[3]
    for row, matcher in enumerate(matchers):
        if matcher.is_terminated():
            yield Case(
                f"tokens that row {row}'s matcher was given to read; {where}",
                reading(l09.masked_batch, names, past)[row],
                lambda row=row: reading(masked_batch, names, past)[row],
                because=f"row {row} has ended: it reads its end token once and is then left alone; "
                "what comes after it is padding",
            )
        yield Case(
            f"row {row} of what comes back; {where}",
            row_in_words(l09.masked_batch, names, past, row),
            lambda row=row: row_in_words(masked_batch, names, past, row),
            because=why_masked(matchers, row) or because,
        )


def why_masked(matchers: list[GrammarMatcher], row: int) -> str | None:
    """Why a row is masked that could be taken for one to leave alone; None if none could."""
    ended = [other for other, matcher in enumerate(matchers) if matcher.is_terminated()]
    if row in ended:
        return None
    if ended:
        return f"row {row} is still open: it needs its mask although row {ended[0]} has ended"
    if matchers[row].is_finished():
        return f"row {row} is complete, but it has ended only when its end token is read (is_terminated)"
    return None


def batch_cases(masked_batch: Callable) -> Iterator[Case]:
    """Different schemas, the same schema at different places, rows that end early."""
    yield from first_cases(masked_batch)
    for names, chosen, because in RUNS:
        for steps in range(len(chosen) + 1):
            yield from step_cases(masked_batch, names, chosen[:steps], because)
    for names, chosen, _ in RUNS:
        yield Case(
            f"tokens that each row's matcher was given to read; {situation(names, chosen)}",
            reading(l09.masked_batch, names, chosen),
            lambda names=names, chosen=chosen: reading(masked_batch, names, chosen),
            because="a matcher reads each token of its row once, and nothing after its end token: what "
            "comes then is padding",
        )
