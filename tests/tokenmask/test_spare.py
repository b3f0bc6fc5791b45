"""Free keys of which there are few: as many as `minProperties` asks for, or no such object."""

from __future__ import annotations

import itertools
import json
from typing import Any

import jsonschema
import pytest

from tokenmask import GrammarCompiler, GrammarMatcher, UnsatisfiableSchema, Vocabulary

NAMES = ["a", "b", "c", "é"]
BYTES = Vocabulary([bytes([i]) for i in range(256)] + [b"<end>"], [256])


def compiled(schema: dict[str, Any], order: str) -> Any:
    return GrammarCompiler(BYTES).compile_json_schema({"type": "object", **schema}, "compact", order)


@pytest.mark.parametrize("order", ["schema", "any"])
@pytest.mark.parametrize(
    "schema",
    [
        {"propertyNames": {"pattern": "^a$"}, "minProperties": 2},
        {"propertyNames": {"pattern": "^[aé]$"}, "minProperties": 3},
        {"patternProperties": {"^[ab]$": {}}, "additionalProperties": False, "minProperties": 3},
        {
            "properties": {"a": {}, "c": False},
            "patternProperties": {"^[abc]$": {}},
            "additionalProperties": False,
            "minProperties": 3,
        },
    ],
)
def test_fewer_names_than_keys_asked_for(schema: dict[str, Any], order: str) -> None:
    with pytest.raises(UnsatisfiableSchema):
        compiled(schema, order)


@pytest.mark.parametrize("order", ["schema", "any"])
@pytest.mark.parametrize("least", [0, 1, 2, 3])
@pytest.mark.parametrize(
    "schema",
    [
        {"propertyNames": {"pattern": "^[abcé]$"}},
        {"properties": {"c": {}}, "patternProperties": {"^[ab]$": {}}, "additionalProperties": False},
        {
            "properties": {"b": {}, "a": {}},
            "required": ["a"],
            "patternProperties": {"^[é]$": {}},
            "additionalProperties": False,
        },
    ],
)
def test_every_way_in_has_a_way_out(schema: dict[str, Any], least: int, order: str) -> None:
    """No object that is begun legally lacks a name in the end: against jsonschema."""
    schema = {"type": "object", **schema, "minProperties": least}
    grammar = compiled(schema, order)
    accepted = 0
    for length in range(5):
        for keys in itertools.permutations(NAMES, length):
            text = json.dumps(dict.fromkeys(keys, 0), separators=(",", ":"), ensure_ascii=False)
            matcher = GrammarMatcher(grammar)
            whole = matcher.accept_string(text)
            valid = jsonschema.Draft202012Validator(schema).is_valid(json.loads(text))
            assert not whole or valid
            assert whole or not valid or order == "schema"
            accepted += whole
            begun = GrammarMatcher(grammar)
            if begun.accept_string(text[:-1]):
                begun.shortest_completion()  # ValueError if there is none
    assert accepted


def test_keys_that_a_deep_search_alone_would_not_find() -> None:
    """Host names without an "a" are many and lead nowhere; one with an "a" is near."""
    grammar = compiled(
        {
            "propertyNames": {"format": "hostname"},
            "patternProperties": {"a": {"type": "null"}, "(a)*": {"type": ["null", "integer"]}},
        },
        "schema",
    )
    matcher = GrammarMatcher(grammar)
    assert matcher.accept_string('{"x":1,"xay":null}') and matcher.is_accepting()
    assert not GrammarMatcher(grammar).accept_string('{"xay":1')
