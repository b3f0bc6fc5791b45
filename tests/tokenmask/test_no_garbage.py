"""A grammar that is dropped is freed at once: it leaves nothing to the garbage collector.

A full collection stops everything for tens of milliseconds, in the middle of somebody's mask.
"""

from __future__ import annotations

import gc
import json

import pytest

from tokenmask import GrammarCompiler, GrammarMatcher, Vocabulary, allocate_token_bitmask

TOKENS = [bytes([byte]) for byte in range(256)] + [b'{"', b'": ', b", ", b'"a', b"12", b"<end>"]
CASES = {
    "names": ({"properties": {"a": {"type": "integer"}, "ab": {"enum": ["x", "xy"]}}}, {"a": 1, "ab": "xy"}),
    "free keys": (
        {"properties": {"a": {}}, "patternProperties": {"^x": {"type": "null"}}, "minProperties": 2},
        {"a": [1, {"b": 2}], "xa": None},
    ),
    "arrays": (
        {"prefixItems": [{"type": "string", "maxLength": 3}], "items": {"type": "boolean"}, "minItems": 1},
        ["ab", True, False],
    ),
    "unique words": ({"type": "array", "items": {"type": "string"}, "uniqueItems": True}, ["a", "ab"]),
    "any order": ({"properties": {"a": {}, "b": {}}, "required": ["b"]}, {"b": 1, "a": "12"}),
}


@pytest.mark.parametrize("name", CASES)
def test_nothing_is_left(name: str) -> None:
    schema, value = CASES[name]
    vocabulary = Vocabulary(TOKENS, [len(TOKENS) - 1])
    bitmask = allocate_token_bitmask(1, vocabulary.size)
    order = "any" if name == "any order" else "schema"

    def decode() -> None:
        matcher = GrammarMatcher(GrammarCompiler(vocabulary).compile_json_schema(schema, key_order=order))
        for character in json.dumps(value):
            matcher.fill_next_token_bitmask(bitmask)
            assert matcher.accept_string(character)

    decode()  # what the vocabulary keeps is made now
    gc.collect()
    gc.disable()
    try:
        decode()
        assert gc.collect() < 10
    finally:
        gc.enable()
