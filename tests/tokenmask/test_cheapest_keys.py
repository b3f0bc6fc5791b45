"""An object that is too short takes its cheapest member first: no ending is cheaper than that.

Compared with the search that tries every key in every order, on small random objects.
"""

from __future__ import annotations

import itertools
import random
from types import SimpleNamespace
from typing import Any

import pytest

from bench.adversaries import vocabulary
from tokenmask import GrammarCompiler, completion
from tokenmask.cheapkeys import FreeWords, _in_circle, is_short
from tokenmask.completion import NEVER, Prices
from tokenmask.exact import UNIT, byte_shares
from tokenmask.expression import byte_ranges, concat, either, literal, repeat
from tokenmask.pushdown import Pushdown

VALUES = [{"type": "null"}, {"const": 1}, {"const": "aaaaaa"}, {"enum": [True, 12345]}, {"type": "integer"}]


def random_object(rng: random.Random) -> dict[str, Any]:
    """A few names, free keys, needs; more members wanted than required."""
    names = rng.sample(["a", "b", "ab", "abc", "b b"], rng.randint(1, 4))
    made: dict[str, Any] = {"type": "object", "properties": {n: rng.choice(VALUES) for n in names}}
    made["minProperties"] = rng.randint(1, 4)
    if rng.random() < 0.4:
        made["maxProperties"] = made["minProperties"] + rng.randint(0, 2)
    if rng.random() < 0.5:
        made["patternProperties"] = {rng.choice(["^x", "^aa", "^[yz]{3}"]): rng.choice(VALUES)}
    made["additionalProperties"] = rng.choice([False, *VALUES])
    if rng.random() < 0.6:
        made["dependentRequired"] = {rng.choice(names): rng.sample(names, 1), "ab": rng.sample(names, 1)}
    if rng.random() < 0.3:
        made["required"] = [rng.choice(names)]
    return made


def prices_on_the_way(pushdown: Pushdown, number: int, text: bytes) -> list[int]:
    """The price of everything on the stacks, after each byte of `text`."""
    tokens = vocabulary(number)
    weights = byte_shares(tokens)
    prices = Prices(tokens, weights, lambda word: sum(weights[byte] for byte in word), UNIT)
    found, state = [], pushdown.start
    for byte in (*text, None):
        for stack in state.stacks:
            while stack.below is not None:
                found.append(prices.price(stack.item))
                stack = stack.below
        state = None if byte is None else pushdown.step(state, byte)
        if state is None:
            return found
    return found


@pytest.mark.parametrize("order", ["any", "schema"])
@pytest.mark.parametrize("seed", range(3))
def test_prices_are_those_of_the_whole_search(
    seed: int, order: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = random.Random(seed)
    used = 0

    def watched(place: Any) -> bool:
        nonlocal used
        used += is_short(place)
        return is_short(place)

    for _ in range(25):
        schema, number = random_object(rng), rng.choice([1, 2, 10, 11])
        text = rng.choice([b"", b'{"', b'{"x', b'{"a', b'{"b": '])
        try:
            compiled = GrammarCompiler(vocabulary(number)).compile_json_schema(schema, key_order=order)
        except ValueError:
            continue
        monkeypatch.setattr(completion, "is_short", watched)
        quick = prices_on_the_way(compiled.pushdown, number, text)
        monkeypatch.setattr(completion, "is_short", lambda place: False)
        assert quick == prices_on_the_way(compiled.pushdown, number, text), schema
    assert used > 20


def test_circles_of_needs() -> None:
    def circle(needs: dict[int, int]) -> bool:
        return _in_circle(SimpleNamespace(needs=needs))

    assert not circle({0: 0b110, 1: 0b100}) and not circle({})
    assert circle({0: 0b10, 1: 0b100, 2: 0b1}) and circle({3: 0b1000})


def test_cheapest_words_are_the_cheapest_in_order() -> None:
    rng = random.Random(3)
    letters = byte_ranges(((97, 100),))
    for _ in range(20):
        weights = [NEVER] * 256
        for byte in b"abcd":
            weights[byte] = rng.choice([1, 2, 5, NEVER])
        e = concat(either(literal(b"ab"), literal(b"c"), repeat(letters, 1, 2)), repeat(letters, 0, 2))
        words = ["".join(t).encode() for n in range(5) for t in itertools.product("abcd", repeat=n)]
        fitting = [w for w in words if 0 < len(w) <= 4 and all(weights[b] < NEVER for b in w)]
        costs = sorted(sum(weights[b] for b in w) for w in fitting)
        rank = list(range(256))
        found = FreeWords(weights, rank).cheapest(e, 12)
        assert [sum(weights[b] for b in w) for w in found] == costs[: len(found)]
        assert len(found) >= min(12, len(fitting)) and len(set(found)) == len(found)


@pytest.mark.parametrize(
    ("costs", "needs", "least"),
    [
        ({"a": 1, "b": 3, "c": 2}, {"a": ["b"]}, 2),  # a, then the b that it needs
        ({"a": 2, "b": 2, "e": 1, "z": 50}, {"a": ["b"], "b": ["a"]}, 2),  # two that need each other
        ({"a": 1, "b": 40, "c": 5, "d": 6}, {"a": ["b"]}, 2),  # cheap, but what it needs is not
    ],
)
def test_needs_that_decide(
    costs: dict[str, int], needs: dict[str, list[str]], least: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    schema = {
        "type": "object",
        "properties": {name: {"const": "x" * cost} for name, cost in costs.items()},
        "dependentRequired": needs,
        "minProperties": least,
        "additionalProperties": False,
    }
    compiled = GrammarCompiler(vocabulary(1)).compile_json_schema(schema, key_order="any")
    quick = prices_on_the_way(compiled.pushdown, 1, b"{")
    monkeypatch.setattr(completion, "is_short", lambda place: False)
    assert quick == prices_on_the_way(compiled.pushdown, 1, b"{")


def test_a_cheaper_way_found_late_takes_the_place_of_a_dear_one() -> None:
    weights = [5] * 256
    weights[ord("a")] = 1
    e = concat(either(byte_ranges(((98, 110),)), literal(b"aa")), literal(b"x"))
    assert FreeWords(weights, list(range(256))).cheapest(e, 1)[0] == b"aax"
