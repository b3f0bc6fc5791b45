"""Hostile input: a clear error or a right mask, within two seconds and one gigabyte, never a crash.

Every case runs in a fork with its memory limited, so that a hang or a blow-up fails one test only.
"""

from __future__ import annotations

import json
import os
import random
import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from feeding import full_replay, small_vocabulary

from bench.apart import AVAILABLE, call_apart
from tokenmask import GrammarCompiler, GrammarMatcher, SchemaError, allocate_token_bitmask

pytestmark = pytest.mark.skipif(not AVAILABLE, reason="needs fork to limit time and memory")

SECONDS = 2.0
"""Of processor time, so that a busy machine fails nothing."""
GIGABYTE = 1 << 30
WAIT = 30.0


def counts_in_counts(depth: int) -> str:
    """((a|b{2,3}){1,2}|b{2,3}) and so on."""
    pattern = "a"
    for level in range(depth):
        pattern = f"({pattern}|b{{2,3}})" if level % 3 else f"({pattern}){{1,2}}"
    return pattern


def nested(depth: int, wrap: Callable[[Any], Any], inner: Any) -> Any:
    for _ in range(depth):
        inner = wrap(inner)
    return inner


def text_of_depth(depth: int) -> str:
    return '{"items":' * depth + "true" + "}" * depth


def wide_properties(count: int, filler: int) -> dict[str, Any]:
    notes = {"type": "string", "description": "x" * filler}
    return {"type": "object", "properties": {f"name{i}": dict(notes) for i in range(count)}}


def any_of_products(factors: int, branches: int) -> dict[str, Any]:
    """allOf of anyOf: branches ** factors combinations if multiplied out."""
    return {
        "allOf": [
            {"anyOf": [{"required": [f"k{f}_{b}"]} for b in range(branches)]} for f in range(factors)
        ]
    }


SCHEMAS: dict[str, Callable[[], Any]] = {
    "10 MB of properties": lambda: wide_properties(80_000, 60),
    "10 MB of description": lambda: {"type": "integer", "description": "é" * 5_000_000},
    "10 MB of JSON text": lambda: json.dumps(wide_properties(80_000, 60)),
    "10 MB of enum": lambda: {"enum": ["x" * 10_000 + str(i) for i in range(1_000)]},
    "10 MB in one const": lambda: {"const": "ab\\\n" * 2_500_000},
    "depth 10,000, items": lambda: nested(10_000, lambda s: {"items": s}, {"type": "null"}),
    "depth 10,000, properties": lambda: nested(
        10_000, lambda s: {"type": "object", "properties": {"a": s}, "required": ["a"]}, {}
    ),
    "depth 10,000, anyOf": lambda: nested(10_000, lambda s: {"anyOf": [s, {"type": "null"}]}, {}),
    "depth 10,000, allOf": lambda: nested(10_000, lambda s: {"allOf": [s]}, {"type": "null"}),
    "depth 10,000, not": lambda: nested(10_000, lambda s: {"not": s}, {"type": "null"}),
    "depth 10,000, text": lambda: text_of_depth(10_000),
    "depth 100,000, text": lambda: text_of_depth(100_000),
    "depth 10,000, const": lambda: {"const": nested(10_000, lambda v: [v], 1)},
    "depth 10,000, unknown keyword": lambda: {"x": nested(10_000, lambda v: {"y": v}, 1)},
    "maxItems 10^9": lambda: {"type": "array", "items": {"type": "null"}, "maxItems": 10**9},
    "minItems 10^9": lambda: {"type": "array", "items": {"type": "null"}, "minItems": 10**9},
    "maxItems 10^100": lambda: {"type": "array", "maxItems": 10**100},
    "maxLength 10^9": lambda: {"type": "string", "maxLength": 10**9},
    "minLength 10^9": lambda: {"type": "string", "minLength": 10**9},
    "minLength 10^6 beside a pattern": lambda: {
        "type": "string", "pattern": "^(ab|cd)*$", "minLength": 10**6,
    },
    "counts in one another, beside lengths": lambda: {
        "type": "string", "pattern": f"^{counts_in_counts(38)}$", "minLength": 3, "maxLength": 9,
    },
    "60 counts in one another, beside lengths": lambda: {
        "type": "string", "pattern": f"^{counts_in_counts(60)}$", "minLength": 3, "maxLength": 9,
    },
    "names with counts in one another": lambda: {
        "type": "object", "patternProperties": {counts_in_counts(38): {}}, "minProperties": 2,
    },
    "150 patternProperties with no name in common": lambda: {
        "type": "object", "patternProperties": {f"^p{i:03}": {} for i in range(150)},
    },
    "maxProperties 10^9": lambda: {"type": "object", "maxProperties": 10**9},
    "minProperties 10^9": lambda: {"type": "object", "minProperties": 10**9},
    "enum of 10^5 strings": lambda: {"enum": [f"value number {i}" for i in range(100_000)]},
    "enum of 10^5 integers": lambda: {"enum": list(range(100_000))},
    "enum of 10^5 of every kind": lambda: {
        "enum": [v for i in range(25_000) for v in (i, str(i), [i], {"a": i})]
    },
    "10^5 required names": lambda: {"type": "object", "required": [f"r{i}" for i in range(100_000)]},
    "anyOf of 5,000 objects": lambda: {
        "anyOf": [
            {"type": "object", "properties": {f"k{i}": {"const": i}}, "required": [f"k{i}"]}
            for i in range(5_000)
        ]
    },
    "oneOf of 500 objects": lambda: {
        "oneOf": [
            {"type": "object", "properties": {"kind": {"const": i}, f"k{i}": {}}, "required": ["kind"]}
            for i in range(500)
        ]
    },
    "oneOf of 300 that overlap": lambda: {
        "oneOf": [{"type": "object", "properties": {f"k{i}": {"type": "null"}}} for i in range(300)]
    },
    "allOf of 12 anyOf of 10": lambda: any_of_products(12, 10),
    "allOf of 1,000 patterns": lambda: {
        "type": "string", "allOf": [{"pattern": f"[a-z]{{{i}}}x"} for i in range(1_000)],
    },
    "500 patternProperties": lambda: {
        "type": "object", "patternProperties": {f"a{i}|b": {"type": "string"} for i in range(500)},
    },
    "30 overlapping patternProperties": lambda: {
        "type": "object", "patternProperties": {f"[{chr(97 + i % 26)}-z]{i}": {} for i in range(30)},
    },
    "contains of 10^6": lambda: {"type": "array", "contains": {"const": 1}, "minContains": 10**6},
    "unique items of a large enum": lambda: {
        "type": "array", "items": {"enum": list(range(2_000))}, "uniqueItems": True,
    },
    "reference to itself": lambda: {"$ref": "#"},
    "references in a circle": lambda: {
        "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}, "$ref": "#/$defs/a",
    },
    "circle through allOf": lambda: {"allOf": [{"$ref": "#"}], "type": "object"},
    "circle through not": lambda: {"not": {"$ref": "#"}},
    "circle through oneOf": lambda: {"oneOf": [{"$ref": "#"}, {"type": "null"}]},
    "no finite document": lambda: {
        "type": "object", "properties": {"a": {"$ref": "#"}}, "required": ["a"],
    },
    "chain of 5,000 references": lambda: {
        "$defs": {f"d{i}": {"$ref": f"#/$defs/d{i + 1}"} for i in range(5_000)} | {"d5000": {}},
        "$ref": "#/$defs/d0",
    },
    "definitions that double": lambda: {
        "$defs": {
            f"d{i}": {"type": "array", "prefixItems": [{"$ref": f"#/$defs/d{i + 1}"}] * 2}
            for i in range(60)
        }
        | {"d60": {"type": "null"}},
        "$ref": "#/$defs/d0",
    },
    "lone surrogate in an enum": lambda: {"enum": ["\ud83d", "ok"]},
    "lone surrogate in a name": lambda: {"type": "object", "properties": {"\ud83d": {}}},
    "lone surrogate in a pattern": lambda: {"type": "string", "pattern": "\ud83d"},
    "lone surrogate in JSON text": lambda: '{"const": "\\ud83d"}',
    "NUL in a const": lambda: {"const": "a\0b"},
    "NUL in a name": lambda: {"type": "object", "properties": {"\0": {"const": 1}}, "required": ["\0"]},
    "NUL in a pattern": lambda: {"type": "string", "pattern": "^\0$"},
    "a name twice in the text": lambda: '{"type": "string", "type": "integer"}',
    "not JSON": lambda: '{"type": ',
    "empty text": lambda: "",
    "NaN in the text": lambda: '{"minimum": NaN, "type": "number"}',
    "infinite minimum": lambda: {"type": "number", "minimum": float("inf")},
    "minimum 10^400": lambda: {"type": "integer", "minimum": 10**400},
    "minimum of 10,000 digits as text": lambda: '{"type": "integer", "minimum": 1' + "0" * 10_000 + "}",
    "maximum 1e-320": lambda: {"type": "number", "minimum": 0, "maximum": 1e-320},
    "multipleOf 0": lambda: {"type": "integer", "multipleOf": 0},
    "multipleOf 10^9 + 7": lambda: {"type": "integer", "multipleOf": 10**9 + 7},
    "multipleOf 1e-300": lambda: {"type": "number", "multipleOf": 1e-300},
    "multipleOf 9,973 and 9,967": lambda: {
        "type": "integer", "allOf": [{"multipleOf": 9_973}, {"multipleOf": 9_967}],
    },
    "an object that is not JSON": lambda: {"enum": [object()]},
    "a set": lambda: {"required": {"a", "b"}},
    "a number as a schema": lambda: 5,
    "a list as a schema": lambda: [],
    "None": lambda: None,
    "names that are numbers": lambda: {"properties": {1: {}}, "type": "object"},
    "unknown type": lambda: {"type": "strin"},
    "properties as a list": lambda: {"properties": []},
    "required as text": lambda: {"required": "a"},
    "reference that is a number": lambda: {"$ref": 5},
    "negative minLength": lambda: {"type": "string", "minLength": -1},
    "minLength 1.5": lambda: {"type": "string", "minLength": 1.5},
    "crossed bounds": lambda: {"type": "string", "minLength": 5, "maxLength": 4},
    "unanchored loops beside a length": lambda: {
        "type": "string", "pattern": "(a|b)*c(d|e)*f", "minLength": 50, "maxLength": 5_000,
    },
}  # fmt: skip

PATTERNS = [
    "(a|a)*b", "(a*)*b", "^(a+)+$", "(x+x+)+y", "((a{1,100}){1,100}){1,100}", ".*a.{50}",
    "^.*a.{200}$", "(.*a.{20}){5}", "a{1,1000000}", "(a?){500}a{500}", "[^]{0,65535}",
    "^(([a-z])+.)+[A-Z]([a-z])+$", "(" * 5_000 + "a" + ")" * 5_000, "a|" * 20_000 + "b",
    "(?=.*[a-z])(?=.*[A-Z])(?=.*[0-9])(?=.*[!-/]).{8,64}", "(?!.*aa)(?!.*bb)(?!.*cc).*",
    "(?:(?!ab)[a-c])*", "[\\u0000-\\uffff]{1000}", "\\p{L}{1,500}", "(\\w+\\s+){0,200}\\w+",
    "(", ")", "[", "a{2,1}", "*", "a**", "\\", "(?<n>a)\\k<n>", "(?<=a)b", "\\1", "[b-a]", "x{99999999999}",
    "^" * 10_000 + "a", "(^|$)*", "\\b" * 1_000, "(?:)" * 10_000, "\ud83d[\udc00-\udfff]",
]  # fmt: skip


PATTERN_NAMES = [ascii(pattern)[1:21] for pattern in PATTERNS]


def limit_memory() -> None:
    import resource

    statm = Path("/proc/self/statm")
    if statm.exists():
        held = int(statm.read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE")
        resource.setrlimit(resource.RLIMIT_AS, (held + GIGABYTE, held + GIGABYTE))


def attempt(compile_it: Callable[[GrammarCompiler], Any]) -> dict[str, Any]:
    """Compile and take masks along a random walk; what came out and the seconds it took."""
    limit_memory()
    spent = -time.process_time()
    try:
        compiled = compile_it(GrammarCompiler(small_vocabulary()))
        matcher = GrammarMatcher(compiled)
        bitmask = allocate_token_bitmask(1, small_vocabulary().size)
        matcher.fill_next_token_bitmask(bitmask)
    except (SchemaError, ValueError) as error:
        return {"error": f"{type(error).__name__}: {error}", "seconds": spent + time.process_time()}
    seconds = [spent + time.process_time()]
    rng = random.Random(0)
    for _ in range(12):
        start = time.process_time()
        matcher.fill_next_token_bitmask(bitmask)
        seconds.append(time.process_time() - start)
        row = bitmask[0].view(np.uint32)
        assert np.array_equal(row, full_replay(matcher)), "the mask is not replay"
        legal = matcher.legal_tokens()
        assert legal.size, f"no way on after {matcher.describe()}"
        if matcher.accept_token(int(rng.choice(legal))) and matcher.is_terminated():
            break
    return {"mask": True, "seconds": max(seconds)}


def check(outcome: dict[str, Any]) -> None:
    assert outcome["seconds"] < SECONDS
    if "error" in outcome:
        message = outcome["error"]
        assert len(message) < 2_000, "an error is a sentence, not the input"
        assert re.search(r"[a-z]{3}", message), "an error says what is wrong"
        message.encode()


@pytest.mark.parametrize("name", SCHEMAS)
def test_schema(name: str) -> None:
    def compile_it(compiler: GrammarCompiler) -> Any:
        return compiler.compile_json_schema(schema)

    schema = SCHEMAS[name]()
    check(call_apart(lambda: attempt(compile_it), WAIT))


@pytest.mark.parametrize("name", ["10 MB of properties", "enum of 10^5 strings", "no finite document"])
def test_schema_in_any_key_order(name: str) -> None:
    schema = SCHEMAS[name]()
    check(call_apart(lambda: attempt(lambda c: c.compile_json_schema(schema, key_order="any")), WAIT))


@pytest.mark.parametrize("number", range(len(PATTERNS)), ids=PATTERN_NAMES)
def test_pattern_in_a_schema(number: int) -> None:
    schema = {"type": "string", "pattern": PATTERNS[number]}
    check(call_apart(lambda: attempt(lambda c: c.compile_json_schema(schema)), WAIT))


@pytest.mark.parametrize("number", range(len(PATTERNS)), ids=PATTERN_NAMES)
@pytest.mark.parametrize("bounds", [{"minLength": 3, "maxLength": 3_000}, {"maxLength": 3_000}])
def test_pattern_beside_a_length(bounds: dict[str, int], number: int) -> None:
    schema = {"type": "string", "pattern": PATTERNS[number], **bounds}
    check(call_apart(lambda: attempt(lambda c: c.compile_json_schema(schema)), WAIT))


@pytest.mark.parametrize("number", range(len(PATTERNS)), ids=PATTERN_NAMES)
def test_regex(number: int) -> None:
    check(call_apart(lambda: attempt(lambda c: c.compile_regex(PATTERNS[number])), WAIT))


@pytest.mark.parametrize("text", ["[" * 10_000, '{"a":' * 10_000, '"' + "\\u0041" * 100_000, "1" * 100_000])
def test_long_and_deep_documents(text: str) -> None:
    def work() -> dict[str, Any]:
        limit_memory()
        matcher = GrammarMatcher(GrammarCompiler(small_vocabulary()).compile_json_schema({}, "compact"))
        start = time.process_time()
        accepted = matcher.accept_string(text)
        matcher.fill_next_token_bitmask(allocate_token_bitmask(1, small_vocabulary().size))
        return {"mask": accepted, "seconds": time.process_time() - start}

    check(call_apart(work, WAIT))
