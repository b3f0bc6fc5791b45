"""Lesson 00's finished pieces: the schema of the first lessons, and its two exercises."""

from __future__ import annotations

from tokenmask import GrammarCompiler, GrammarMatcher
from toymodel import toy_vocabulary

# the schema of the first lessons: every value can be spelled with toy tokens
SCHEMA = {
    "type": "object",
    "properties": {
        "name": {"enum": ["Ada", "Lin", "Kim", "Rey"]},
        "age": {"enum": [0, 7, 9, 12, 19, 27, 31, 37, 72, 93]},
        "active": {"type": "boolean"},
    },
    "required": ["name", "age", "active"],
    "additionalProperties": False,
}

# one run that never leaves it, piece by piece
LEGAL_RUN = [
    *("{", '"', "name", '"', ":", " ", '"', "Ada", '"', ",", " "),
    *('"', "age", '"', ":", " ", "3", "7", ",", " "),
    *('"', "active", '"', ":", " ", "true", "}"),
]


def new_matcher() -> GrammarMatcher:
    """A matcher for SCHEMA over the toy vocabulary, at the start of the text."""
    return GrammarMatcher(GrammarCompiler(toy_vocabulary()).compile_json_schema(SCHEMA))


def token_ids(pieces: list[str]) -> list[int]:
    """The ids of toy tokens written out as text.

    >>> token_ids(["{", "name"])
    [0, 6]
    """
    return [toy_vocabulary().tokens.index(piece.encode()) for piece in pieces]


def valid_share(p: float, n: int) -> float:
    """How often a run is valid when each of its n steps is legal with probability p.

    >>> valid_share(0.5, 3)
    0.125
    """
    return p**n


def first_illegal(matcher: GrammarMatcher, ids: list[int]) -> int | None:
    """The first step (from 0) whose token the matcher refuses; None if it takes them all."""
    for i, token in enumerate(ids):
        if not matcher.accept_token(token):
            return i
    return None
