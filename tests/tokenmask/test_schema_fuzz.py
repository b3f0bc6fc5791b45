"""Random schemas against `jsonschema`: what compiles means exactly what the judge says."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from shape_judge import has_shape

from tokenmask.errors import UnsatisfiableSchema, UnsupportedSchema
from tokenmask.schema import shapes_from_schema

jsonschema = pytest.importorskip("jsonschema")

NAMES = st.sampled_from(("a", "b", "ab", "é"))
SCALARS = st.sampled_from((None, True, False, 0, 1, 2, 5, -1, 1.0, 2.5, "", "a", "b", "ab", "é🙂"))
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=8,
)
TYPES = st.sampled_from(("null", "boolean", "integer", "number", "string", "array", "object"))
PATTERNS = st.sampled_from(("^a", "b$", "^[ab]*$", ".", "^.{2}$", "é|b"))
SMALL = st.integers(0, 3)


def keywords(inner: st.SearchStrategy) -> dict[str, st.SearchStrategy]:
    """For each keyword, the values to try."""
    several = st.lists(inner, min_size=1, max_size=3)
    named = st.dictionaries(NAMES, inner, max_size=3)
    return {
        "type": TYPES | st.lists(TYPES, min_size=1, max_size=3, unique=True),
        "enum": st.lists(VALUES, min_size=1, max_size=4),
        "const": VALUES,
        "minLength": SMALL, "maxLength": SMALL, "pattern": PATTERNS,
        "minimum": SMALL, "exclusiveMaximum": SMALL, "multipleOf": st.sampled_from((2, 3)),
        "properties": named, "required": st.lists(NAMES, max_size=2, unique=True),
        "additionalProperties": inner, "patternProperties": st.dictionaries(PATTERNS, inner, max_size=2),
        "propertyNames": inner, "minProperties": SMALL, "maxProperties": SMALL,
        "dependentRequired": st.dictionaries(NAMES, st.lists(NAMES, max_size=2, unique=True), max_size=2),
        "dependentSchemas": st.dictionaries(NAMES, inner, max_size=2),
        "items": inner, "prefixItems": several, "minItems": SMALL, "maxItems": SMALL,
        "uniqueItems": st.booleans(), "contains": inner, "minContains": SMALL, "maxContains": SMALL,
        "allOf": several, "anyOf": several, "oneOf": several, "not": inner,
        "if": inner, "then": inner, "else": inner,
        "unevaluatedProperties": inner, "unevaluatedItems": inner,
        "$ref": st.sampled_from(("#/$defs/x", "#/$defs/y")),
    }


def schemas(inner: st.SearchStrategy) -> st.SearchStrategy:
    """Schemas of one to four keywords."""
    choice = keywords(inner)
    names = st.lists(st.sampled_from(sorted(choice)), min_size=1, max_size=4, unique=True)
    return names.flatmap(lambda chosen: st.fixed_dictionaries({k: choice[k] for k in chosen}))


SCHEMAS = st.recursive(st.booleans() | st.builds(lambda t: {"type": t}, TYPES), schemas, max_leaves=6)


def _values_in(schema: Any) -> list:
    """The values that a schema itself mentions, which random values would rarely hit."""
    if isinstance(schema, list):
        return [value for each in schema for value in _values_in(each)]
    if not isinstance(schema, dict):
        return []
    found = [schema["const"]] if "const" in schema else []
    found += schema["enum"] if isinstance(schema.get("enum"), list) else []
    return found + [value for each in schema.values() for value in _values_in(each)]


@settings(max_examples=400, deadline=None, suppress_health_check=list(HealthCheck))
@given(SCHEMAS, SCHEMAS, SCHEMAS, st.lists(VALUES, min_size=15, max_size=15))
def test_compiled_schemas_are_exact(schema, x, y, values):
    whole = {"allOf": [schema], "$defs": {"x": x, "y": y}}
    try:
        shape = shapes_from_schema(whole).root
    except UnsatisfiableSchema:
        shape = None
    except (UnsupportedSchema, ValueError):
        return
    judge = jsonschema.Draft202012Validator(whole)
    for value in values + _values_in(whole):
        try:
            valid = judge.is_valid(value)
        except RecursionError:
            return
        assert (shape is not None and has_shape(shape, value)) == valid, value
