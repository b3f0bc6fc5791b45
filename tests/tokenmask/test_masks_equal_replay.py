"""Every fast mask equals replay, bit for bit, over states drawn from real and from random schemas.

The small vocabulary sees every step of a document; a real one sees some states of each schema.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from feeding import data_file, full_replay, greedy, small_vocabulary

from tokenmask import GrammarCompiler, GrammarMatcher, SchemaError, Vocabulary, allocate_token_bitmask
from tokenmask.masks import descend_mask, mask_of, replay_mask

PARTS = 12
STEPS = 16
"""States looked at in one document."""


def entries(part: int) -> Iterator[dict[str, Any]]:
    """Every twelfth schema of the measuring data."""
    with data_file("maskbench-dev.jsonl").open(encoding="utf-8") as lines:
        for number, line in enumerate(lines):
            if number % PARTS == part:
                yield json.loads(line)


def check(matcher: GrammarMatcher, bitmask: np.ndarray, where: str) -> None:
    matcher.fill_next_token_bitmask(bitmask)
    assert np.array_equal(bitmask[0].view(np.uint32), full_replay(matcher)), where


def walk(compiled: Any, tokens: list[int], rng: random.Random, name: str) -> int:
    """Feed the tokens, looking at some states on the way; how many were looked at."""
    matcher, looked = GrammarMatcher(compiled), 0
    bitmask = allocate_token_bitmask(1, compiled.vocabulary.size)
    chosen = set(rng.sample(range(len(tokens) + 1), min(STEPS, len(tokens) + 1)))
    for step, token in enumerate([*tokens, None]):
        if step in chosen:
            check(matcher, bitmask, f"{name}, step {step}")
            looked += 1
        if token is None or not matcher.accept_token(token):
            break
    return looked


@pytest.mark.parametrize("key_order", ["schema", "any"])
@pytest.mark.parametrize("part", range(PARTS))
def test_along_real_documents(part: int, key_order: str) -> None:
    vocabulary, looked, rng = small_vocabulary(), 0, random.Random(part)
    for entry in entries(part):
        try:
            compiled = GrammarCompiler(vocabulary).compile_json_schema(
                entry["schema"], key_order=key_order
            )
        except SchemaError:
            continue
        for test in entry["tests"][:2]:
            text = json.dumps(test["data"], ensure_ascii=False)[:600]
            looked += walk(compiled, greedy(vocabulary, text.encode()), rng, entry["name"])
    assert looked > 150


@pytest.mark.parametrize("part", range(PARTS))
def test_off_the_beaten_track(part: int) -> None:
    """Random legal tokens lead to states that no document of the data visits."""
    vocabulary, looked, rng = small_vocabulary(), 0, random.Random(100 + part)
    for entry in list(entries(part))[::3]:
        try:
            compiled = GrammarCompiler(vocabulary).compile_json_schema(entry["schema"], "free")
        except SchemaError:
            continue
        matcher, bitmask = GrammarMatcher(compiled), allocate_token_bitmask(1, vocabulary.size)
        for _ in range(STEPS):
            check(matcher, bitmask, entry["name"])
            looked += 1
            legal = matcher.legal_tokens()
            assert legal.size, f"{entry['name']}: no way on"
            matcher.accept_token(int(rng.choice(legal)))
            if matcher.is_terminated():
                break
    assert looked > 150


@pytest.mark.parametrize("kind", ["smol", "tekken", "dashscope151k"])
def test_real_vocabularies(kind: str, request: pytest.FixtureRequest) -> None:
    """Replay takes a while here, so the Python descent, itself checked above, stands in for most."""
    vocabulary: Vocabulary = request.getfixturevalue(kind)
    rng, looked = random.Random(7), 0
    for entry in list(entries(5))[::4]:
        try:
            compiled = GrammarCompiler(vocabulary).compile_json_schema(entry["schema"])
        except SchemaError:
            continue
        text = json.dumps(entry["tests"][0]["data"], ensure_ascii=False).encode()
        state = compiled.pushdown.start
        stops = set(rng.sample(range(len(text)), min(4, len(text))))
        for place, byte in enumerate(text):
            if place in stops:
                mask = mask_of(vocabulary, compiled.pushdown, state)
                wanted = descend_mask(vocabulary, compiled.pushdown, state)
                if state.accepting:
                    wanted = wanted | vocabulary.pack(vocabulary.eos_ids)
                assert np.array_equal(mask, wanted), f"{entry['name']} after {text[:place]!r}"
                looked += 1
            after = compiled.pushdown.step(state, byte)
            if after is None:
                break
            state = after
    assert looked > 15


def test_the_descent_is_replay() -> None:
    """What stands in for replay above equals it."""
    vocabulary, rng = small_vocabulary(), random.Random(3)
    for entry in list(entries(1))[:12]:
        try:
            compiled = GrammarCompiler(vocabulary).compile_json_schema(entry["schema"])
        except SchemaError:
            continue
        matcher = GrammarMatcher(compiled)
        for _ in range(10):
            pair = vocabulary, compiled.pushdown, matcher.state
            assert np.array_equal(descend_mask(*pair), replay_mask(*pair)), entry["name"]
            matcher.accept_token(int(rng.choice(matcher.legal_tokens())))
            if matcher.is_terminated():
                break
