"""Small schemas with one valid and one invalid document each: what an engine enforces (lesson 09)."""

from __future__ import annotations

import json
import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from lessons.pieces import l09
from tokenmask import Vocabulary, allocate_token_bitmask
from tokenmask.bitmask import unpack_bits

# keyword -> schema, a document that it allows, one that it forbids
CASES: dict[str, tuple[dict, Any, Any]] = {
    "required": (
        {"type": "object", "properties": {"a": {"type": "null"}}, "required": ["a"]},
        {"a": None},
        {},
    ),
    "enum": ({"enum": ["red", 7]}, 7, 8),
    "maximum": ({"type": "integer", "maximum": 12}, 12, 13),
    "multipleOf": ({"type": "integer", "multipleOf": 5}, 15, 16),
    "maxLength": ({"type": "string", "maxLength": 3}, "cat", "cats"),
    "pattern": ({"type": "string", "pattern": "^[a-c]+$"}, "abc", "abd"),
    "pattern and maxLength": ({"type": "string", "pattern": "^[a-c]+$", "maxLength": 2}, "ab", "abc"),
    "maxItems": ({"type": "array", "items": {"type": "boolean"}, "maxItems": 1}, [True], [True, True]),
    "uniqueItems": ({"type": "array", "items": {"enum": [1, 2]}, "uniqueItems": True}, [1, 2], [1, 1]),
    "contains": ({"type": "array", "items": {"enum": [1, 2]}, "contains": {"const": 2}}, [1, 2], [1, 1]),
    "not": ({"type": "integer", "not": {"const": 3}}, 4, 3),
    "allOf": ({"allOf": [{"type": "integer"}, {"minimum": 5}]}, 6, 4),
    "number": ({"type": "number"}, 1.5, True),
    "date": ({"type": "string", "format": "date"}, "2024-02-29", "2024-13-01"),
}
RIGHT, REFUSED = "right", "says no"
LETS_IN, KEEPS_OUT = "lets invalid in", "keeps valid out"


def reads(engine: Any, schema: dict, document: Any, vocabulary: Vocabulary) -> tuple[bool, float]:
    """Whether the engine takes the whole document and may end there; seconds to the first mask."""
    mask = allocate_token_bitmask(1, vocabulary.size)
    start = time.perf_counter()
    runner = engine.start(schema)
    runner.fill(mask)
    seconds = time.perf_counter() - start
    if not all(map(runner.accept, l09.spell(vocabulary, json.dumps(document)))):
        return False, seconds
    mask[:] = 0
    runner.fill(mask)
    ends = np.flatnonzero(unpack_bits(mask[0], vocabulary.size))
    return bool(set(ends.tolist()) & set(vocabulary.eos_ids)), seconds


@contextmanager
def native_messages_off() -> Iterator[None]:
    """Swallow what compiled code writes to the standard error: warnings with a clock in them."""
    kept = os.dup(2)
    with tempfile.TemporaryFile() as sink:
        os.dup2(sink.fileno(), 2)
        try:
            yield
        finally:
            os.dup2(kept, 2)
            os.close(kept)


def judge(engine: Any, case: tuple[dict, Any, Any], vocabulary: Vocabulary) -> tuple[str, float]:
    """One of the four words above, and the seconds to the first mask (nan if it says no)."""
    schema, good, bad = case
    try:
        with native_messages_off():
            takes_good, seconds = reads(engine, schema, good, vocabulary)
            takes_bad, _ = reads(engine, schema, bad, vocabulary)
    except KeyboardInterrupt:
        raise
    except BaseException:  # a panic in Rust is no Exception
        return REFUSED, float("nan")
    if takes_bad:
        return LETS_IN, seconds
    return (RIGHT if takes_good else KEEPS_OUT), seconds
