"""Random patterns, alone and beside lengths: the same strings fit as for Python's `re`.

Only what both dialects read alike is drawn. All short texts over a small alphabet are tried, so a
gap in a count (none or two, but not one) shows.
"""

from __future__ import annotations

import itertools
import random
import re
from typing import Any

import pytest

from bench.measure import TimeUp, time_limit
from tokenmask import GrammarCompiler, Vocabulary
from tokenmask.errors import SchemaError, UnsatisfiableSchema

TEXTS = ["".join(t) for n in range(6) for t in itertools.product("ab0" if n < 4 else "ab", repeat=n)]
ATOMS = ["a", "b", "[ab]", ".", "0", "[^a]", "\\d", "\\w"]
COUNTS = [*[""] * 5, "?", "*", "+", "{2}", "{3}", "{0,2}", "{2,}", "{1,3}", "{2,4}", "{0}", "??", "*?"]
BYTES = Vocabulary([*(bytes([i]) for i in range(256)), b"<end>"], [256])


def pattern(rng: random.Random, depth: int) -> str:
    """A sequence of one to three atoms, groups and assertions, with counts."""
    made = ""
    for _ in range(rng.choice([1, 1, 1, 2, 2, 3])):
        chance = rng.random()
        if depth == 0 or chance < 0.45:
            made += rng.choice(ATOMS) + rng.choice(COUNTS)
        elif chance < 0.75:
            made += f"({pattern(rng, depth - 1)}){rng.choice(COUNTS)}"
        elif chance < 0.85:
            both = pattern(rng, depth - 1), pattern(rng, depth - 1)
            made += f"(?:{both[0]}|{both[1]}){rng.choice(COUNTS)}"
        elif chance < 0.95:
            made += f"(?{rng.choice('=!')}{pattern(rng, depth - 1)})"
        else:
            made += rng.choice(["^", "$", "\\b"])
    return made


def schema(rng: random.Random) -> dict[str, Any]:
    """A pattern, often anchored and counted as a whole, often beside lengths."""
    text = pattern(rng, rng.choice([1, 2, 2]))
    if rng.random() < 0.7:
        text = f"^({text}){rng.choice(['', '?', '*', '{2}'])}$"
    made: dict[str, Any] = {"type": "string", "pattern": text}
    if rng.random() < 0.3:
        made["minLength"] = rng.randrange(4)
    if rng.random() < 0.3:
        made["maxLength"] = rng.randrange(6)
    return made


def fitting(made: dict[str, Any]) -> list[str]:
    """What `re` and the lengths let through."""
    found = re.compile(made["pattern"].replace("$", "\\Z"))
    least, most = made.get("minLength", 0), made.get("maxLength", 99)
    return [text for text in TEXTS if least <= len(text) <= most and found.search(text)]


def accepted(made: dict[str, Any]) -> list[str]:
    """What the engine lets through."""
    pushdown = GrammarCompiler(BYTES).compile_json_schema(made).pushdown
    after = ((text, pushdown.read(pushdown.start, f'"{text}"'.encode())) for text in TEXTS)
    return [text for text, state in after if state is not None and state.accepting]


@pytest.mark.parametrize("seed", range(8))
def test_the_same_strings_fit(seed: int) -> None:
    rng = random.Random(seed)
    compared = 0
    for _ in range(60):
        made = schema(rng)
        try:
            with time_limit(2):  # `re` may try a text in more ways than there is time for
                wanted = fitting(made)
        except (TimeUp, re.error):
            continue
        try:
            found = accepted(made)
        except UnsatisfiableSchema:
            found = []
        except SchemaError:
            continue  # refused aloud
        compared += 1
        assert found == wanted, made
    assert compared > 40


@pytest.mark.parametrize("text", ["^(a{2})?$", "^((a){2,4})?$", "^$|^[ab]{3}$", "^(|(0{2}))$"])
def test_none_or_several_is_not_one(text: str) -> None:
    made = {"type": "string", "pattern": text}
    assert accepted(made) == fitting(made)
