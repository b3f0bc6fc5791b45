"""A reference that never gets to a part of the value is told wherever it stands."""

from __future__ import annotations

import pytest

from tokenmask.errors import InvalidSchema
from tokenmask.schema import shapes_from_schema

LOOP = {"one": {"allOf": [{"type": "string"}, {"$ref": "#/$defs/one"}]}}


@pytest.mark.parametrize(
    "schema",
    [
        {"$ref": "#/$defs/one"},
        {"type": "array", "contains": {"$ref": "#/$defs/one"}, "maxItems": 2},
        {
            "type": "array",
            "prefixItems": [{"const": 1}, {"enum": ["a"]}],
            "contains": {"$ref": "#/$defs/one"},
            "maxContains": 1,
            "uniqueItems": True,
            "minItems": 2,
            "maxItems": 2,
        },
    ],
)
def test_a_loop_is_invalid(schema: dict) -> None:
    with pytest.raises(InvalidSchema, match="refers to itself"):
        shapes_from_schema({**schema, "$defs": LOOP})
