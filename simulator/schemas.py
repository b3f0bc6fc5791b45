"""Schemas to pick from by name, and how a schema that somebody gives becomes JSON text."""

from __future__ import annotations

import json
from typing import Any

import traitlets

# of lesson 00: every value can be spelled with the 28 toy tokens
PERSON = {
    "type": "object",
    "properties": {
        "name": {"enum": ["Ada", "Lin", "Kim", "Rey"]},
        "age": {"enum": [0, 7, 9, 12, 19, 27, 31, 37, 72, 93]},
        "active": {"type": "boolean"},
    },
    "required": ["name", "age", "active"],
    "additionalProperties": False,
}

SCHEMAS: dict[str, Any] = {
    "person": PERSON,
    "list of names": {
        "type": "array",
        "items": {"enum": ["Ada", "Lin", "Kim", "Rey"]},
        "minItems": 1,
        "maxItems": 3,
    },
    "person or null": {"anyOf": [PERSON, {"type": "null"}]},
    "city (real model)": {
        "type": "object",
        "properties": {
            "city": {"type": "string", "maxLength": 30},
            "country": {"type": "string", "maxLength": 30},
            "population": {"type": "integer", "minimum": 0},
        },
        "required": ["city", "country", "population"],
        "additionalProperties": False,
    },
    "city or an error (real model)": {
        "anyOf": [
            {
                "type": "object",
                "properties": {
                    "city": {"type": "string", "maxLength": 30},
                    "country": {"type": "string", "maxLength": 30},
                    "population": {"type": "integer", "minimum": 0},
                },
                "required": ["city", "country", "population"],
                "additionalProperties": False,
            },
            {
                "type": "object",
                "properties": {"error": {"type": "string", "maxLength": 60}},
                "required": ["error"],
                "additionalProperties": False,
            },
        ]
    },
}


def schema_text(schema: Any) -> str:
    """A schema as JSON text: a name from SCHEMAS, a dict or bool, or text, which stays as it is.

    >>> schema_text({"type": "null"})
    '{\\n  "type": "null"\\n}'
    """
    if isinstance(schema, str):
        return schema_text(SCHEMAS[schema]) if schema in SCHEMAS else schema
    if hasattr(schema, "model_json_schema"):  # a Pydantic model class
        schema = schema.model_json_schema()
    return json.dumps(schema, indent=2, ensure_ascii=False)


class SchemaText(traitlets.Unicode):
    """A trait that holds JSON text and takes whatever `schema_text` takes."""

    def validate(self, obj: Any, value: Any) -> str:
        """Turn a dict, a name or a model class into text before it is stored."""
        return super().validate(obj, schema_text(value))
