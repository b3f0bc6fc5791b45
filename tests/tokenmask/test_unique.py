"""`uniqueItems` of strings: no string twice, in any spelling, and never a dead end."""

import itertools
import json

import numpy as np
import pytest

from tokenmask import GrammarCompiler, GrammarMatcher, UnsatisfiableSchema, Vocabulary
from tokenmask.masks import replay_mask, split_mask

VOCABULARY = Vocabulary(
    [bytes((b,)) for b in range(256)]
    + [b'", "', b'","', b'a", "a', b'"a", "b', b'["', b'"]', b'a", "a"]', b'ab", "ab", "b'],
    (),
)
SCHEMA = {"type": "array", "items": {"type": "string"}, "uniqueItems": True}


def matcher(schema: dict) -> GrammarMatcher:
    return GrammarMatcher(GrammarCompiler(VOCABULARY).compile_json_schema(schema))


@pytest.mark.parametrize("size", [0, 1, 2, 3])
def test_exactly_the_lists_without_doubles(size: int) -> None:
    for words in itertools.product(["", "a", "ab", 'q"', "é"], repeat=size):
        here = matcher(SCHEMA)
        read = here.accept_string(json.dumps(list(words), ensure_ascii=False))
        assert (read and here.is_accepting()) == (len(set(words)) == len(words)), words


def test_another_spelling_is_the_same_string() -> None:
    here = matcher(SCHEMA)
    assert here.accept_string('["é", "')
    assert not here.accept_string('\\u00e9"')
    assert here.accept_string('\\u00e8"')


@pytest.mark.parametrize("text", ["", '["', '["a", "', '["a", "a', '["ab", "a', '["b", "a", "ab'])
def test_masks_equal_replay(text: str) -> None:
    here = matcher(SCHEMA | {"maxItems": 4})
    assert here.accept_string(text)
    pushdown = here.compiled.pushdown
    assert np.array_equal(
        split_mask(VOCABULARY, pushdown, here.state), replay_mask(VOCABULARY, pushdown, here.state)
    )


def test_bounds_and_patterns() -> None:
    items = {"type": "string", "pattern": "^[ab]+$", "minLength": 2}
    here = matcher({"type": "array", "items": items, "uniqueItems": True, "minItems": 2, "maxItems": 3})
    assert here.accept_string('["ab"') and not here.accept_string("]")
    assert not here.fork().accept_string(', "ab"')
    assert here.accept_string(', "aba", "bb"') and not here.fork().accept_string(",")
    assert here.accept_string("]") and here.is_accepting()


@pytest.mark.parametrize(
    "schema",
    [
        # an integer among null and a boolean: no value is left for that element
        {"prefixItems": [{"type": "null"}], "items": {"type": "boolean"}, "contains": {"type": "integer"},
         "maxItems": 2},
        {"prefixItems": [{"enum": [1, 2]}] * 3, "items": False, "minItems": 3},
        {"prefixItems": [{"const": 1}] * 2, "items": False, "minItems": 2},
    ],
)
def test_lists_that_cannot_be_are_not_begun(schema: dict) -> None:
    schema = {"type": "array", "uniqueItems": True, **schema}
    with pytest.raises(UnsatisfiableSchema):
        matcher({"anyOf": [schema]})
    beside = matcher({"anyOf": [schema, {"const": "x"}]})
    assert not beside.accept_string("[")
    assert beside.accept_string('"x"')
