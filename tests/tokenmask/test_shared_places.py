"""The object of any value is shared by all grammars of a vocabulary: what it remembers is bounded."""

from __future__ import annotations

import json
import string

import numpy as np
import pytest
from feeding import accepts, full_replay

from tokenmask import GrammarCompiler, GrammarMatcher, Vocabulary, objects

TOKENS = [bytes([byte]) for byte in range(256)] + [b'{"', b'": ', b', "', b'"a', b'a": 1, "a', b"<end>"]


def shared_object(vocabulary: Vocabulary) -> objects.Objects:
    value = vocabulary.shared["any value", "spaced", "schema"]
    return next(item.spec for follow in value.alternatives for item in follow if hasattr(item, "spec")
                and isinstance(item.spec, objects.Objects))


def test_many_documents_do_not_make_it_grow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(objects, "MOST_PLACES", 20)
    vocabulary = Vocabulary(TOKENS, [len(TOKENS) - 1])
    compiled = GrammarCompiler(vocabulary).compile_json_schema({})
    sizes = []
    for first in string.ascii_lowercase:
        for second in string.ascii_lowercase:
            matcher = GrammarMatcher(compiled)
            assert matcher.accept_string(json.dumps({first + second: 1, second: {first: [second]}}))
            assert matcher.is_accepting()
        spec = shared_object(vocabulary)
        sizes.append([len(memo) for memo in (spec.members, spec.free_keys, spec.barred, spec.spellings)])
    assert max(map(max, sizes)) <= 100 and max(size[0] for size in sizes) <= 20


def test_what_is_in_use_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """In the middle of an object all places are forgotten; an object of the schema's keeps its own."""
    monkeypatch.setattr(objects, "MOST_PLACES", 3)
    vocabulary = Vocabulary(TOKENS, [len(TOKENS) - 1])
    compiler = GrammarCompiler(vocabulary)
    keys = [a + b for a in "abc" for b in "abc"]
    names = {"properties": {"ab": {"type": "integer"}, "zz": {}}, "minProperties": 2}
    for schema in ({}, names, {"additionalProperties": names}):
        for order in ("schema", "any"):
            compiled = compiler.compile_json_schema(schema, key_order=order)
            document = {"ab": 5, **dict.fromkeys(keys[:1] + keys[2:], 1)}
            matcher = GrammarMatcher(compiled)
            bitmask = np.zeros((1, vocabulary.words), np.int32)
            for character in json.dumps(document):
                matcher.fill_next_token_bitmask(bitmask)
                assert np.array_equal(bitmask[0].view(np.uint32), full_replay(matcher))
                assert matcher.accept_string(character)
            assert matcher.is_accepting()
            twice = json.dumps(document)[:-1] + ', "cc": 1}'
            assert not accepts(compiled, twice)
            assert accepts(compiled, json.dumps(document))


def test_an_object_of_the_schema_keeps_its_own_places(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(objects, "MOST_PLACES", 3)
    vocabulary = Vocabulary(TOKENS, [len(TOKENS) - 1])
    schema = {"properties": {"ab": {}}, "minProperties": 2, "type": "object"}
    compiled = GrammarCompiler(vocabulary).compile_json_schema(schema)
    assert GrammarMatcher(compiled).accept_string('{"ab": 1, "b": 1, "c": 1, "d": 1, "e": 1}')
    places = {id(stack.item.spec): stack.item.spec for stack in compiled.pushdown.stacks
              if isinstance(stack.item, objects.Members) and stack.item.spec.numbers}
    assert [len(spec.members) > 3 for spec in places.values()] == [True]
