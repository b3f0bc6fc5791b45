"""Helpers: feed a text token by token, with the mask checked against replay at every step."""

from __future__ import annotations

import functools
import os
from pathlib import Path

import numpy as np
import pytest

from tokenmask import CompiledGrammar, GrammarMatcher, Vocabulary, allocate_token_bitmask
from tokenmask.masks import replay_mask

PIECES = (
    '{"', '"}', '":', '": ', ", ", ', "', '", "', '":"', "[]", "{}", "[[", "}}", "]}", '"}}', '"]',
    "null", "true", "false", "nul", "\\u", "\\\\", '\\"', "\\n", "\\ud83d", "00", "u00", "10", "12",
    "0.", ".5", "-1", "1e", "E+", "e-", "  ", "\n  ", "ab", "abc", "na", "name", 'a"', "é", "ß",
    "東", "京", "🙂", "x_", "on", "once", "ya", "foo", "2024-", "-01-", "T10", ":00", "@", ".com",
)  # fmt: skip


@functools.cache
def small_vocabulary() -> Vocabulary:
    """All bytes, pieces of JSON, halves of characters, a token that exists twice, one that is special."""
    tokens = [bytes([i]) for i in range(256)]
    tokens += [piece.encode() for piece in PIECES]
    tokens += ["🙂".encode()[:2], "🙂".encode()[2:], "é".encode()[1:] + b'"', b'{"', b"<special>", b"<end>"]
    return Vocabulary(tokens, eos_ids=[len(tokens) - 1], special_ids=[len(tokens) - 2])


def data_file(name: str) -> Path:
    """A file of the measuring data, which is no part of the repository; skips where it is absent."""
    folder = os.environ.get("TOKENMASK_DATA")
    path = Path(folder) if folder else Path(__file__).parents[2].parent / "shared" / "data"
    if not (path / name).exists():
        pytest.skip(f"{name} is not in {path}; set TOKENMASK_DATA")
    return path / name


def greedy(vocabulary: Vocabulary, data: bytes) -> list[int]:
    """The text as tokens, the longest that fits at each place."""
    ids = {token: i for i, token in reversed(list(enumerate(vocabulary.tokens)))}
    text = set(vocabulary.text_ids())
    longest = max(len(vocabulary.tokens[i]) for i in text)
    found, place = [], 0
    while place < len(data):
        for size in range(min(longest, len(data) - place), 0, -1):
            token = ids.get(data[place : place + size])
            if token is not None and token in text:
                found.append(token)
                place += size
                break
        else:
            raise ValueError(f"no token begins {data[place:]!r}")
    return found


def full_replay(matcher: GrammarMatcher) -> np.ndarray:
    """The specification's mask with the end tokens: uint32 (words,)."""
    compiled = matcher.compiled
    mask = replay_mask(compiled.vocabulary, compiled.pushdown, matcher.state)
    if matcher.is_accepting():
        mask = mask | compiled.vocabulary.pack(compiled.vocabulary.eos_ids)
    return mask


def accepts(compiled: CompiledGrammar, text: str, *, single_bytes: bool = False) -> bool:
    """All tokens of the text and then the end are legal; mask, replay and accept_token agree."""
    vocabulary = compiled.vocabulary
    data = text.encode("utf-8", "surrogatepass")
    tokens = list(data) if single_bytes else greedy(vocabulary, data)
    matcher = GrammarMatcher(compiled)
    bitmask = allocate_token_bitmask(1, vocabulary.size)
    for token in [*tokens, vocabulary.eos_ids[0]]:
        matcher.fill_next_token_bitmask(bitmask)
        row = bitmask[0].view(np.uint32)
        assert np.array_equal(row, full_replay(matcher)), f"mask is not replay in {text!r}"
        legal = bool(int(row[token >> 5]) >> (token & 31) & 1)
        assert matcher.accept_token(token) == legal, f"mask and accept_token differ in {text!r}"
        if not legal:
            return False
    assert matcher.is_terminated()
    return True
