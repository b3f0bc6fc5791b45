"""Hostile schemas: an answer or an error within seconds, never a crash."""

from __future__ import annotations

import contextlib
import json
import time

import pytest

from tokenmask.errors import SchemaError, UnsupportedSchema
from tokenmask.schema import shapes_from_schema


def nested(depth: int, wrap) -> dict:
    schema: dict = {"type": "null"}
    for _ in range(depth):
        schema = wrap(schema)
    return schema


DEEP = {
    "properties": lambda inner: {"properties": {"a": inner}},
    "items": lambda inner: {"items": inner},
    "allOf": lambda inner: {"allOf": [inner]},
    "anyOf": lambda inner: {"anyOf": [inner, {"type": "string"}]},
    "not": lambda inner: {"not": inner},
    "unknown": lambda inner: {"x-deep": inner},
    "if": lambda inner: {"if": inner, "then": inner, "else": False},
}


@pytest.mark.parametrize("depth", [30, 300, 10_000])
@pytest.mark.parametrize("keyword", DEEP)
def test_deep(keyword, depth):
    start = time.process_time()
    try:
        shapes_from_schema(nested(depth, DEEP[keyword]))
    except UnsupportedSchema:
        assert depth > 30
    assert time.process_time() - start < 2


def test_deep_in_both_ways():
    for wrap in (DEEP["properties"], DEEP["items"], lambda s: {"oneOf": [s, {"type": "string"}]}):
        inner = nested(30, wrap)
        schema = {"type": "object", "properties": {"x": nested(39, DEEP["allOf"]), "y": inner}}
        for _ in range(35):
            schema = {"type": "object", "properties": {"a": schema}, "required": ["a"]}
        shapes_from_schema(schema)


def test_deep_text():
    with pytest.raises(UnsupportedSchema):
        shapes_from_schema('{"items":' * 100_000 + "{}" + "}" * 100_000)


def test_deep_const():
    value: list = []
    for _ in range(300):
        value = [value]
    shapes_from_schema({"const": value})


def quick(schema) -> None:
    start = time.process_time()
    with contextlib.suppress(SchemaError):
        shapes_from_schema(schema)
    assert time.process_time() - start < 2


BIG = {
    "enum of strings": {"enum": [f"value {i}" for i in range(100_000)]},
    "enum of numbers": {"type": "integer", "enum": list(range(100_000))},
    "enum with siblings": {"enum": [f"v{i}" for i in range(100_000)], "maxLength": 4},
    "not an enum": {"type": "string", "not": {"enum": [f"value {i}" for i in range(5_000)]}},
    "properties": {"type": "object", "properties": {f"p{i}": {"type": "null"} for i in range(20_000)}},
    "required": {"type": "object", "required": [f"p{i}" for i in range(20_000)]},
    "maxItems": {"type": "array", "items": {"type": "null"}, "minItems": 10**9, "maxItems": 10**9},
    "maxLength": {"type": "string", "pattern": "^a", "minLength": 10**6, "maxLength": 10**9},
    "anyOf": {"anyOf": [{"type": "object", "properties": {f"p{i}": {}}} for i in range(1000)]},
    "allOf of anyOf": {"allOf": [
        {"anyOf": [{"required": [f"a{i}{j}"]} for j in range(10)]} for i in range(20)]},
    "oneOf": {"oneOf": [{"type": "object", "properties": {f"p{i}": {"type": "null"}}}
                        for i in range(60)]},
    "oneOf of constants": {"oneOf": [
        {"type": "object", "properties": {"kind": {"const": f"k{i}"}}, "required": ["kind"]}
        for i in range(200)]},
    "patterns": {"patternProperties": {f"{c}.*x": {"minLength": i} for i, c in enumerate("abcdefgh")}},
    "dependentSchemas": {"dependentSchemas": {f"p{i}": {"required": [f"q{i}"]} for i in range(30)}},
    "counted counts": {"type": "string", "pattern": "((a{1,100}){1,100}){1,100}"},
    "backtracking": {"type": "string", "pattern": "^(a|a)*b$"},
    "huge bounds": {"type": "integer", "minimum": -(10**400), "maximum": 10**400},
    "tiny steps": {"type": "number", "multipleOf": 1e-300},
    "big steps": {"type": "integer", "multipleOf": 10**30 + 7},
    "references": {"$ref": "#/$defs/d0", "$defs": {
        **{f"d{i}": {"$ref": f"#/$defs/d{i + 1}"} for i in range(5000)}, "d5000": {}}},
    "wide recursion": {"$defs": {f"d{i}": {"type": "object", "properties": {
        f"p{j}": {"$ref": f"#/$defs/d{j}"} for j in range(60)}} for i in range(60)}, "$ref": "#/$defs/d0"},
}


@pytest.mark.parametrize("name", BIG)
def test_big(name):
    quick(BIG[name])


def test_ten_megabytes():
    schema = {"$defs": {f"d{i}": {"type": "object", "properties": {
        f"property {j}": {"type": "string", "description": "x" * 300, "maxLength": j}
        for j in range(20)}} for i in range(1400)},
        "anyOf": [{"$ref": f"#/$defs/d{i}"} for i in range(1400)]}
    text = json.dumps(schema)
    assert len(text) > 10_000_000
    start = time.process_time()
    shapes_from_schema(text)
    assert time.process_time() - start < 4


@pytest.mark.parametrize("schema", [
    {"enum": ["\ud800"]}, {"const": {"\udfff": 1}}, {"properties": {"\ud800": {}}},
    {"required": ["\ud800"]},
])
def test_lone_surrogates_are_refused(schema):
    with pytest.raises(UnsupportedSchema):
        shapes_from_schema(schema)


def test_a_dict_inside_itself():
    schema: dict = {"type": "array"}
    schema["items"] = schema
    shapes_from_schema(schema)
    wrong: dict = {}
    wrong["allOf"] = [wrong]
    quick(wrong)


def test_a_part_that_hangs_in_many_places_beside_an_identity() -> None:
    part: dict = {"type": "null"}
    for _ in range(60):
        part = {"properties": {"id": part, "b": part}}
    started = time.monotonic()
    shapes_from_schema({"$schema": "http://json-schema.org/draft-04/schema#", "id": "urn:x", **part})
    assert time.monotonic() - started < 2


@pytest.mark.parametrize("inner", [{"$id": "urn:b"}, {"$id": "#name"}])
def test_an_identity_inside_is_seen_although_the_root_has_one(inner: dict) -> None:
    target = {**inner, "type": "integer"}
    reference = "urn:b" if inner["$id"] == "urn:b" else "#name"
    draft = "http://json-schema.org/draft-07/schema#"
    made = {"$schema": draft, "$id": "urn:a", "$ref": reference, "definitions": {"x": target}}
    assert shapes_from_schema(made).root.label == "integer"
