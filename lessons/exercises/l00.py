"""Lesson 00: why asking nicely fails, in two small exercises."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from lessons.exercise import Case, Exercise, Words, calls, quote
from lessons.pieces import l00


def valid_share_cases(valid_share: Callable) -> Iterator[Case]:
    """Compare with the spec on sure, hopeless, short and long runs."""
    inputs = [(1.0, 50), (0.0, 1), (0.99, 1), (0.99, 17), (0.5, 3), (0.999, 2000), (0.9, 0)]
    because = "every one of the n steps has to go well, and each does so with probability p"
    yield from calls(valid_share, inputs, l00.valid_share, because, "valid_share")


def first_illegal_cases(first_illegal: Callable) -> Iterator[Case]:
    """Runs that leave the schema at the start, in the middle, at the end and not at all."""
    texts = [
        ['"', "Ada", '"'],
        ["{", '"', "name", '"', ":", " ", '"', "Ada", '"', "}"],
        ["{", '"', "age", '"'],
        [*l00.LEGAL_RUN[:-1], "null"],
        l00.LEGAL_RUN,
        ["{", "{", "{"],
    ]
    for pieces in texts:
        ids = l00.token_ids(pieces)
        expected = l00.first_illegal(l00.new_matcher(), ids)
        yield Case(
            f"first_illegal(matcher, {quote(Words('ids of ' + ' '.join(pieces)))})",
            expected,
            lambda ids=ids: first_illegal(l00.new_matcher(), list(ids)),
            because="steps are counted from 0, and a run that never leaves the schema gives None",
        )


EXERCISES = [
    Exercise(
        number="0.1",
        title="How often a reply is valid",
        minutes=3,
        difficulty=1,
        names=("valid_share",),
        cases=valid_share_cases,
        hints=(
            "The reply is valid only if step 1 is legal **and** step 2 is legal **and** step 3 ...",
            "The steps do not know of each other, so their probabilities are multiplied.",
            "Multiplying `p` by itself `n` times is one operator in Python: `**`.",
        ),
    ),
    Exercise(
        number="0.2",
        title="Where a run leaves the schema",
        minutes=5,
        difficulty=2,
        names=("first_illegal",),
        cases=first_illegal_cases,
        hints=(
            "Go through the tokens in order with `enumerate`, so that you have the number of the "
            "step and the token.",
            "`matcher.accept_token(token)` is `True` if the token is legal here, and then the "
            "matcher has moved on by it. If it is `False`, nothing has changed.",
            "Return the number of the step as soon as a token is refused. After the loop nothing "
            "was refused: return `None`.",
        ),
    ),
]
