"""Reading keyword values: each reader checks the type and names the place when it is wrong."""

from __future__ import annotations

import math
from typing import Any

from ..errors import InvalidSchema, UnsupportedSchema
from .keys import encoded
from .pieces import Leaf

# keywords by the draft that brought them; before it they are annotations
SINCE = {
    "const": 6, "contains": 6, "propertyNames": 6, "if": 7, "then": 7, "else": 7,
    "dependentRequired": 2019, "dependentSchemas": 2019, "minContains": 2019,
    "maxContains": 2019, "unevaluatedItems": 2019, "unevaluatedProperties": 2019,
    "$recursiveRef": 2019, "prefixItems": 2020, "$dynamicRef": 2020,
}

NUMBER_KEYWORDS = frozenset(
    ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf")
)
STRING_KEYWORDS = frozenset(("minLength", "maxLength", "pattern", "format"))
ARRAY_KEYWORDS = frozenset(
    ("items", "prefixItems", "minItems", "maxItems", "uniqueItems", "contains")
)
OBJECT_KEYWORDS = frozenset(
    ("properties", "required", "additionalProperties", "patternProperties", "propertyNames",
     "minProperties", "maxProperties", "dependentRequired", "dependencies")
)
APPLICATORS = frozenset(
    ("$ref", "$dynamicRef", "$recursiveRef", "allOf", "anyOf", "oneOf", "not", "if",
     "dependentSchemas", "dependencies", "unevaluatedItems", "unevaluatedProperties")
)
KEYWORDS = (
    NUMBER_KEYWORDS | STRING_KEYWORDS | ARRAY_KEYWORDS | OBJECT_KEYWORDS | APPLICATORS
    | {"type", "enum", "const"}
)


def wrong(leaf: Leaf, keyword: str, should: str) -> InvalidSchema:
    """The error for a keyword whose value is of the wrong kind."""
    found = repr(leaf.schema[keyword])
    found = found if len(found) < 60 else found[:57] + "..."
    return InvalidSchema(f"{keyword} should be {should}, not {found}", keyword=keyword,
                         pointer=leaf.pointer)


def count(leaf: Leaf, keyword: str, default: int | None) -> int | None:
    """A number of things: a whole number from 0 on."""
    value = leaf.schema.get(keyword, default)
    if (type(value) is int and value >= 0) or (value is None and keyword not in leaf.schema):
        return value
    if type(value) is float and value >= 0 and value.is_integer():
        return int(value)
    raise wrong(leaf, keyword, "a whole number from 0 on")


def number(leaf: Leaf, keyword: str) -> int | float | None:
    """A finite number, or None where the keyword is absent."""
    value = leaf.schema.get(keyword)
    if type(value) is int or (type(value) is float and math.isfinite(value)):
        return value
    if keyword not in leaf.schema:
        return None
    raise wrong(leaf, keyword, "a finite number")


def schemas(leaf: Leaf, keyword: str, least: int = 1) -> list:
    """A list of schemas."""
    value = leaf.schema[keyword]
    if not isinstance(value, list) or len(value) < least:
        raise wrong(leaf, keyword, "a list of schemas that is not empty")
    return value


def mapping(leaf: Leaf, keyword: str) -> dict:
    """An object, {} where the keyword is absent."""
    value = leaf.schema.get(keyword, {})
    if not isinstance(value, dict):
        raise wrong(leaf, keyword, "an object")
    return value


def names(leaf: Leaf, keyword: str, value: Any) -> list[str]:
    """A list of property names."""
    if not isinstance(value, list) or not all(isinstance(name, str) for name in value):
        raise wrong(leaf, keyword, "a list of names")
    return value


def text(leaf: Leaf, keyword: str) -> str:
    """A string."""
    value = leaf.schema[keyword]
    if not isinstance(value, str):
        raise wrong(leaf, keyword, "a string")
    return value


def check_text(value: str, keyword: str, pointer: str) -> None:
    """Refuse what is no string, and a string with an unpaired surrogate: UTF-8 has no form of it."""
    if not isinstance(value, str):
        raise InvalidSchema(
            f"the name {value!r} is not a string; JSON has no other names", keyword=keyword,
            pointer=pointer,
        )
    if not value.isascii() and encoded(value) is None:
        raise UnsupportedSchema(
            f"the text {value!r} has an unpaired surrogate, which UTF-8 cannot spell",
            keyword=keyword, pointer=pointer,
        )
