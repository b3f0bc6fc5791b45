"""Warming up changes how soon things are ready, and nothing else."""

from __future__ import annotations

import numpy as np
import pytest

from tokenmask import GrammarCompiler, GrammarMatcher, Vocabulary, allocate_token_bitmask, compiler
from tokenmask.formats import Formats

TOKENS = [bytes([byte]) for byte in range(256)] + [b'"a', b'": ', b", ", b"true", b"\\n", b"12", b"<end>"]
SCHEMA = {"properties": {"text": {"type": "string", "maxLength": 3}, "n": {"type": "integer"}}}
TEXT = '{"text": "a\\n", "n": 12}'


def masks(compiler: GrammarCompiler, **styles: str) -> list[np.ndarray]:
    matcher = GrammarMatcher(compiler.compile_json_schema(SCHEMA, **styles))
    found = []
    for character in TEXT:
        bitmask = allocate_token_bitmask(1, compiler.vocabulary.size)
        matcher.fill_next_token_bitmask(bitmask)
        found.append(bitmask)
        assert matcher.accept_string(character)
    return found


@pytest.mark.parametrize("whitespace", ["spaced", "free"])
@pytest.mark.parametrize("key_order", ["schema", "any"])
def test_masks_are_the_same_as_without(whitespace: str, key_order: str) -> None:
    styles = {"whitespace": whitespace, "key_order": key_order}
    cold, warm = (GrammarCompiler(Vocabulary(TOKENS, [len(TOKENS) - 1])) for _ in range(2))
    warm.warm_up(**styles)
    for one, other in zip(masks(cold, **styles), masks(warm, **styles), strict=True):
        assert np.array_equal(one, other)


@pytest.mark.parametrize("whitespace", ["compact", "spaced", "free"])
def test_what_is_common_is_there_afterwards(whitespace: str) -> None:
    vocabulary = Vocabulary(TOKENS, [len(TOKENS) - 1])
    assert not vocabulary.shared
    GrammarCompiler(vocabulary).warm_up(whitespace)
    assert {"character counts", "automata", ("any value", whitespace, "schema")} <= set(vocabulary.shared)


def test_formats_are_there_afterwards(monkeypatch: pytest.MonkeyPatch) -> None:
    fresh = Formats()
    monkeypatch.setattr(compiler, "FORMATS", fresh)
    GrammarCompiler(Vocabulary(TOKENS, [len(TOKENS) - 1])).warm_up()
    assert set(fresh._built) == set(fresh)
