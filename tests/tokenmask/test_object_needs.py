"""required, dependentRequired and the number of members together: no key leads to a dead end.

Compared with all sequences of keys, written out.
"""

from __future__ import annotations

import itertools
import random

import pytest
from jsonschema import Draft202012Validator

from tokenmask import GrammarCompiler, GrammarMatcher, UnsatisfiableSchema, UnsupportedSchema, Vocabulary

NAMES, FREE = "abc", "xyz"  # as many free keys as minProperties may ask for
VOCABULARY = Vocabulary([bytes((byte,)) for byte in range(256)] + [b"<end>"], [256])


def draw(rng: random.Random) -> dict:
    some = lambda: rng.sample(NAMES, rng.choice((0, 1, 1, 2)))  # noqa: E731
    schema: dict = {
        "properties": dict.fromkeys(rng.sample(NAMES, 3), True),
        "required": some(),
        "dependentRequired": {name: some() for name in some() + some()},
        "additionalProperties": rng.choice((False, True)),
        "type": "object",
    }
    if rng.random() < 0.5:
        schema["maxProperties"] = rng.choice((1, 2, 3, 4))
    if rng.random() < 0.4:
        schema["minProperties"] = rng.choice((1, 2, 3))
    if rng.random() < 0.1:
        one, other = rng.sample(NAMES, 2)
        schema["dependentRequired"] |= {one: [other], other: [one]}
    return schema


def sequences(schema: dict, order: str) -> list[tuple[str, ...]]:
    """All ways to write keys, known ones in their order if that matters, with up to three free keys."""
    known = list(schema["properties"])
    free = FREE if schema["additionalProperties"] else ""
    found: list[tuple[str, ...]] = []
    for many in range(len(known) + 1):
        names = itertools.permutations(known, many) if order == "any" else itertools.combinations(known, many)
        for chosen, others in itertools.product(names, range(len(free) + 1)):
            if order == "any":
                found += {s for s in itertools.permutations((*chosen, *free[:others]))
                          if [k for k in s if k in NAMES] == list(chosen)}
            else:
                found.append((*chosen, *free[:others]))
    return found


@pytest.mark.parametrize("order", ["schema", "any"])
@pytest.mark.parametrize("seed", range(4))
def test_a_key_may_come_if_the_object_can_end(seed: int, order: str) -> None:
    rng = random.Random(seed)
    compared, refused = 0, 0
    for _ in range(40):
        schema = draw(rng)
        allowed = Draft202012Validator(schema).is_valid
        all_ways = sequences(schema, order)
        whole = {way for way in all_ways if allowed(dict.fromkeys(way, 1))}
        alive = {way[:length] for way in whole for length in range(len(way) + 1)}
        try:
            compiled = GrammarCompiler(VOCABULARY).compile_json_schema(schema, "compact", order)
        except UnsatisfiableSchema:
            assert not whole, schema
            continue
        except UnsupportedSchema:
            window = schema["maxProperties"] - schema["minProperties"] + 1
            assert window < 3 and not schema["additionalProperties"]
            refused += 1
            continue
        for way in all_ways:
            text = "{" + ",".join(f'"{key}":1' for key in way)
            matcher = GrammarMatcher(compiled)
            assert matcher.accept_string(text) == (way in alive), (schema, way)
            if way in alive:
                assert matcher.shortest_completion() is not None
                ended = matcher.accept_string("}") and matcher.is_accepting()
                assert ended == (way in whole), (schema, way)
                compared += 1
    assert compared > 100 and refused < 4


@pytest.mark.parametrize("order", ["schema", "any"])
def test_names_that_need_each_other_beside_close_bounds(order: str) -> None:
    """After "c", one more member is a dead end: such leaps are refused, and where others fill them, not."""
    schema = {
        "properties": {"a": {}, "b": {}, "c": {}},
        "dependentRequired": {"a": ["b"], "b": ["a"]},
        "additionalProperties": False,
        "minProperties": 2,
        "maxProperties": 2,
        "type": "object",
    }
    compiler = GrammarCompiler(VOCABULARY)
    with pytest.raises(UnsupportedSchema, match=r"2 names that need each other.*dependentRequired"):
        compiler.compile_json_schema(schema, key_order=order)
    for wider in ({"maxProperties": 3}, {"minProperties": 0}, {"additionalProperties": True}):
        compiler.compile_json_schema({**schema, **wider}, key_order=order)


def may_begin(schema: dict, text: str) -> bool:
    compiled = GrammarCompiler(VOCABULARY).compile_json_schema(schema, "compact")
    return GrammarMatcher(compiled).accept_string(text)


def test_a_name_whose_need_was_passed_is_not_counted_on() -> None:
    schema = {
        "properties": {"a": {}, "b": {}, "c": {}},
        "dependentRequired": {"c": ["a"]},
        "additionalProperties": False,
        "minProperties": 2,
        "type": "object",
    }
    assert not may_begin(schema, '{"b":1')  # only c would be left, and it needs a
    assert may_begin(schema, '{"a":1,"b":1') and may_begin(schema, '{"a":1,"c":1}')


def test_a_name_that_needs_what_may_not_come_is_cut_off() -> None:
    schema = {
        "properties": {"a": {}, "b": {}, "z": False},
        "dependentRequired": {"a": ["z"]},
        "type": "object",
    }
    assert may_begin(schema, '{"b":1,"c":2}')
    assert not any(may_begin(schema, text) for text in ('{"a"', '{"z"', '{"b":1,"a"'))
