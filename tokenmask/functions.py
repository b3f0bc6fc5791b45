"""Function definitions -> the JSON Schema of one call, `{"name": ..., "parameters": {...}}`.

One branch of the union per function, so that a name decides which parameters may follow. Names come
from the definitions and from nowhere else. Lesson 07 writes this by hand.
"""

from __future__ import annotations

import json
from typing import Any

from .errors import InvalidSchema, UnsatisfiableSchema
from .schema import shapes_from_schema

KNOWN = frozenset({"name", "description", "parameters", "strict", "returns", "type"})
# keywords whose values are data, not schemas: a "$ref" in there is no reference
DATA = frozenset({"const", "enum", "default", "examples"})
# keywords whose values are schemas by name
NAMED = frozenset(
    {"properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies"}
)
# what only a full JSON Schema says: in the short form these would be parameters, and schemas
MARKS = {
    **dict.fromkeys(("type", "$ref", "$schema", "$id", "title", "description"), (str, list)),
    **dict.fromkeys(("required", "anyOf", "oneOf", "allOf"), list),
    **dict.fromkeys(("additionalProperties", "unevaluatedProperties"), bool),
    **dict.fromkeys(("minProperties", "maxProperties"), int),
}


def functions_to_schema(definitions: Any) -> dict[str, Any]:
    """The schema of a call of any one of `definitions`.

    definitions: a list (or its JSON text) of `{"name", "description", "parameters"}`, bare or as
    OpenAI writes them, `{"type": "function", "function": {...}}`. `parameters` is either short,
    `{"a": {"type": "number"}}`, all of them required, or a full JSON Schema of an object, where
    `required` says which. Parameters that are not named cannot be passed.

    InvalidSchema names the function and the field that is wrong.

    >>> functions_to_schema([{"name": "add", "parameters": {"a": {"type": "number"}}}])["anyOf"][0]
    {'type': 'object', 'properties': {'name': {'const': 'add'}, 'parameters': ...
    """
    if isinstance(definitions, str):
        definitions = _parsed(definitions)
    if not isinstance(definitions, list | tuple) or not definitions:
        raise InvalidSchema(
            "function definitions are a list of at least one {'name', 'parameters'}, not "
            f"{definitions if definitions == [] else type(definitions).__name__}"
        )
    seen: dict[str, int] = {}
    branches = []
    for index, definition in enumerate(definitions):
        definition = _unwrapped(definition, index)
        name = _name(definition, index, seen)
        parameters = _parameters(definition, index, name)
        branches.append(_call(name, _rebased(parameters, f"#/anyOf/{index}/properties/parameters")))
    return {"anyOf": branches}


def check_callable(definitions: Any) -> None:
    """Raise `UnsatisfiableSchema` where nothing can be passed to one of `definitions`.

    In the union of all of them such a function would be left out without a word.
    """
    if isinstance(definitions, str):
        definitions = _parsed(definitions)
    for index, definition in enumerate(definitions):
        schema = functions_to_schema([definition])
        try:
            shapes_from_schema(schema)
        except UnsatisfiableSchema as error:
            name = schema["anyOf"][0]["properties"]["name"]["const"]
            raise UnsatisfiableSchema(
                f"function {index} ({name!r}): nothing can be passed to it; {error}"
            ) from None


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError as error:
        raise InvalidSchema(f"these function definitions are not JSON: {error}") from None


def _call(name: str, parameters: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {"name": {"const": name}, "parameters": parameters},
        "required": ["name", "parameters"],
        "additionalProperties": False,
    }


def _unwrapped(definition: Any, index: int) -> dict[str, Any]:
    """The definition itself, out of OpenAI's `{"type": "function", "function": ...}`."""
    inner = definition
    if isinstance(definition, dict) and isinstance(definition.get("function"), dict):
        inner = definition["function"]
    if not isinstance(inner, dict):
        raise _error(index, None, "name", f"must be an object with a name, not {inner!r}")
    unknown = sorted(set(map(str, inner)) - KNOWN)
    if unknown:
        known = "name, description and parameters"
        raise _error(index, inner.get("name"), unknown[0], f"is unknown: a function has {known}")
    if not isinstance(inner.get("description", ""), str):
        raise _error(index, inner.get("name"), "description", "must be text")
    return inner


def _name(definition: dict[str, Any], index: int, seen: dict[str, int]) -> str:
    name = definition.get("name")
    if not isinstance(name, str) or not name:
        found = "is missing" if name is None else f"must be text, not {name!r}"
        raise _error(index, None, "name", found)
    if name in seen:
        raise _error(index, name, "name", f"is the same as that of function {seen[name]}")
    seen[name] = index
    return name


def _parameters(definition: dict[str, Any], index: int, name: str) -> dict[str, Any]:
    given = definition.get("parameters")
    given = {} if given is None else given
    if not isinstance(given, dict):
        raise _error(index, name, "parameters", f"must be an object, not {given!r}")
    if _is_schema(given):
        return _full(given, index, name)
    for parameter, schema in given.items():
        if not isinstance(schema, dict | bool):
            field = f"parameters/{parameter}"
            raise _error(index, name, field, f"must be a schema, not {schema!r}")
    return {
        "type": "object",
        "properties": given,
        "required": list(given),
        "additionalProperties": False,
    }


def _is_schema(given: dict[str, Any]) -> bool:
    """A JSON Schema, not the short form: in the short form every value is itself a schema."""
    if any(isinstance(given.get(keyword), kinds) for keyword, kinds in MARKS.items()):
        return True
    inner = given.get("properties")
    # a parameter may be called "properties": then its value looks like a schema
    return isinstance(inner, dict) and all(isinstance(v, dict | bool) for v in inner.values())


def _full(given: dict[str, Any], index: int, name: str) -> dict[str, Any]:
    kind = given.get("type", "object")
    if kind != "object" and kind != ["object"]:
        raise _error(
            index, name, "parameters", f'has type {kind!r}; parameters are of type "object"'
        )
    schema = {"type": "object", **{k: v for k, v in given.items() if k not in ("$schema", "type")}}
    if not {"additionalProperties", "unevaluatedProperties", "$ref", "allOf"} & set(schema):
        schema["additionalProperties"] = False
    return schema


def _rebased(schema: Any, base: str) -> Any:
    """The same schema with its local references (`#/...`) pointing to where it stands now."""
    if isinstance(schema, list):
        return [_rebased(item, base) for item in schema]
    if not isinstance(schema, dict) or "$id" in schema:
        return schema
    return {key: _moved(key, value, base) for key, value in schema.items()}


def _moved(keyword: str, value: Any, base: str) -> Any:
    if keyword in DATA:
        return value
    if keyword in NAMED and isinstance(value, dict):
        return {name: _rebased(schema, base) for name, schema in value.items()}
    if keyword == "$ref" and isinstance(value, str) and (value == "#" or value.startswith("#/")):
        return base + value[1:]
    return _rebased(value, base)


def _error(index: int, name: Any, field: str, what: str) -> InvalidSchema:
    which = f"function {index}" + (f" ({name!r})" if isinstance(name, str) else "")
    return InvalidSchema(f"{which}: {field!r} {what}", keyword=field, pointer=f"/{index}/{field}")
