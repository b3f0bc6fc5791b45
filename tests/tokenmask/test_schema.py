"""What each keyword means as a shape: what is accepted, what is refused, what is an error."""

from __future__ import annotations

import json

import pytest
from shape_judge import has_shape

from tokenmask.errors import InvalidSchema, UnsatisfiableSchema, UnsupportedSchema
from tokenmask.schema import shapes_from_schema
from tokenmask.schema.pieces import json_type
from tokenmask.shapes import ANY, Array, Literals, Object, Reference, Text, Union

OPEN = {"type": "object"}

CASES = [
    # (schema, accepted, refused)
    ({"type": ["integer", "null"]}, [1, None, 1.0], [1.5, "1", True]),
    ({"type": "boolean"}, [True, False], [0, 1, None]),
    ({"minLength": 3}, ["abc", 1, None, []], ["ab"]),
    ({"type": "string", "maxLength": 2}, ["", "ab", "éé", "🙂🙂"], ["abc"]),
    ({"enum": [1, "a", None, [1, {}]]}, [1, 1.0, "a", None, [1, {}]], [True, "b", [1], {}]),
    ({"const": {"a": [False]}}, [{"a": [False]}], [{"a": [0]}, {}, {"a": [False], "b": 1}]),
    ({"const": 1}, [1, 1.0], [True, "1"]),
    ({"enum": ["abc", "x", 7], "maxLength": 1}, ["x", 7], ["abc"]),
    ({"type": "object", "properties": {"a": {"type": "null"}}, "required": ["a", "z"]},
     [{"a": None, "z": 5}], [{"a": None}, {"z": 1}, {"a": 1, "z": 1}]),
    ({"properties": {"a": {"type": "null"}}, "additionalProperties": {"type": "string"}},
     [{}, {"a": None, "b": "x"}, 3], [{"b": 1}, {"a": "x"}]),
    ({"type": "object", "properties": {"ab": {}}, "patternProperties": {
        "^a": {"type": "string"}, "b$": {"maxLength": 1}}, "additionalProperties": False},
     [{"ab": "x"}, {"ac": "long"}, {"xb": 5}], [{"ab": "xx"}, {"ab": 1}, {"c": 1}, {"a1b": "xx"}]),
    ({"type": "object", "propertyNames": {"enum": ["p", "q"]}}, [{"p": 1}, {}], [{"r": 1}]),
    ({"type": "object", "propertyNames": {"maxLength": 2}}, [{"ab": 1}], [{"abc": 1}]),
    ({"type": "object", "minProperties": 1, "maxProperties": 2},
     [{"a": 1}, {"a": 1, "b": 1}], [{}, {"a": 1, "b": 1, "c": 1}]),
    # a reference inside an embedded resource is read from there
    ({"$id": "http://x.test/outer", "$defs": {"n": {"type": "string"}}, "required": ["w"], "type": "object",
      "properties": {"w": {"$id": "inner", "$defs": {"n": {"type": "integer"}},
                           "properties": {"v": {"$ref": "#/$defs/n"}}}}},
     [{"w": {"v": 1}}], [{"w": {"v": "a"}}]),
    ({"type": "object", "dependentRequired": {"a": ["b"]}}, [{"b": 1}, {"a": 1, "b": 1}], [{"a": 1}]),
    ({"type": "object", "properties": {"a": {}, "b": {}, "z": False}, "dependentRequired": {"a": ["z"]}},
     [{}, {"b": 1}, {"b": 1, "c": 2}], [{"a": 1}, {"a": 1, "z": 1}, {"b": 1, "z": 2}]),
    ({"type": "object", "dependentSchemas": {"a": {"properties": {"b": {"type": "null"}}}}},
     [{"b": 1}, {"a": 1, "b": None}], [{"a": 1, "b": 1}]),
    ({"dependencies": {"a": ["b"], "c": {"minProperties": 2}}},
     [{"a": 1, "b": 1}, {"c": 1, "d": 1}], [{"a": 1}, {"c": 1}]),
    ({"type": "array", "prefixItems": [{"type": "null"}], "items": {"type": "string"}},
     [[], [None], [None, "a"]], [["a"], [None, 1]]),
    ({"type": "array", "items": [{"type": "null"}], "additionalItems": False},
     [[], [None]], [[1], [None, None]]),
    ({"type": "array", "minItems": 1, "maxItems": 2}, [[1], [1, 2]], [[], [1, 2, 3]]),
    ({"type": "array", "contains": {"type": "null"}, "maxContains": 2},
     [[None], [1, None, 2, None]], [[], [1], [None] * 3]),
    ({"type": "array", "prefixItems": [{}, {}], "items": False, "contains": {"const": 1}},
     [[1], [0, 1], [1, 1]], [[], [0, 0], [0]]),
    ({"type": "array", "contains": {"const": 1}, "minContains": 0, "maxContains": 0}, [[], [2]], [[1]]),
    ({"type": "array", "items": {"enum": ["a", "b"]}, "uniqueItems": True},
     [[], ["a"], ["b", "a"]], [["a", "a"], ["a", "b", "a"]]),
    ({"type": "array", "items": {"type": "integer", "minimum": 1, "maximum": 3}, "uniqueItems": True},
     [[1, 2, 3], [3.0]], [[1, 1.0], [4], [1, 2, 3, 3]]),
    ({"type": "array", "uniqueItems": True, "maxItems": 1}, [[], ["a"]], [[1, 2]]),
    ({"allOf": [{"minLength": 2}, {"maxLength": 3}], "type": "string"}, ["ab"], ["a", "abcd", 1]),
    ({"anyOf": [{"type": "null"}, {"type": "string"}], "maxLength": 1}, [None, "a"], ["ab", 1]),
    ({"oneOf": [{"type": "integer"}, {"type": ["integer", "null"]}]}, [None], [1, "a"]),
    ({"oneOf": [{"required": ["a"]}, {"required": ["b"]}], "type": "object"},
     [{"a": 1}, {"b": 1}], [{}, {"a": 1, "b": 1}]),
    ({"not": {"type": ["string", "integer"]}}, [None, 1.5, {}, []], ["a", 1, 1.0]),
    ({"type": "string", "not": {"enum": ["a", "b"]}}, ["", "c", "aa"], ["a", "b"]),
    ({"type": "object", "not": {"required": ["a"]}}, [{}, {"b": 1}], [{"a": 1}]),
    ({"type": "object", "not": {"properties": {"a": {"const": 1}}, "required": ["a"]}},
     [{}, {"a": 2}], [{"a": 1}]),
    ({"type": "string", "not": {"pattern": "b"}}, ["", "a"], ["b", "abc"]),
    ({"type": "array", "not": {"items": {"type": "null"}}}, [[1], [None, 1]], [[], [None]]),
    ({"type": "object", "properties": {"k": {"enum": ["x", "y"]}, "n": {}}, "required": ["k"],
      "if": {"properties": {"k": {"const": "x"}}}, "then": {"required": ["n"]},
      "else": {"properties": {"n": False}}},
     [{"k": "x", "n": 1}, {"k": "y"}], [{"k": "x"}, {"k": "y", "n": 1}]),
    ({"$ref": "#/$defs/a~1b", "$defs": {"a/b": {"type": "null"}}}, [None], [1]),
    ({"$ref": "#/$defs/s", "maxLength": 1, "$defs": {"s": {"type": "string"}}}, ["a"], ["ab", 1]),
    ({"$ref": "#here", "$defs": {"x": {"$anchor": "here", "type": "null"}}}, [None], [1]),
    ({"$ref": "#/definitions/p%25", "definitions": {"p%": {"type": "null"}}}, [None], [1]),
    ({"type": "object", "properties": {"next": {"$ref": "#"}}, "additionalProperties": False},
     [{}, {"next": {"next": {}}}], [{"next": 1}, {"next": {"x": 1}}]),
    ({"allOf": [{"properties": {"a": True}}], "properties": {"b": True}, "type": "object",
      "unevaluatedProperties": False}, [{"a": 1, "b": 1}], [{"c": 1}]),
    ({"type": "array", "prefixItems": [True], "unevaluatedItems": {"type": "null"}},
     [[1], [1, None]], [[1, 2]]),
    ({"type": "string", "format": "date", "maxLength": 10}, ["2024-02-29"], ["2023-02-29", "x"]),
    ({"type": "string", "not": {"format": "email"}}, ["", "someone"], ["a@b.org", "a@b"]),
    ({"oneOf": [{"type": "string", "format": "ipv4"}, {"type": "string", "format": "date"}]},
     ["1.2.3.4", "2024-01-01"], ["1.2.3", "x"]),
    ({"oneOf": [{"type": "string", "format": "uri"}, {"type": "string"}]},
     ["no uri", "x"], ["http://example.com"]),
    ({"description": "anything", "x-unknown": 1}, [1, None, {"a": []}], []),
]


@pytest.mark.parametrize(("schema", "accepted", "refused"), CASES, ids=lambda v: json.dumps(v)[:60])
def test_keyword(schema, accepted, refused):
    shape = shapes_from_schema(schema).root
    assert [v for v in accepted if not has_shape(shape, v)] == []
    assert [v for v in refused if has_shape(shape, v)] == []


NUMBERS = [
    ({"type": "integer", "minimum": 3, "exclusiveMaximum": 6}, [3, 5, 5.0], [2, 6, 4.5]),
    ({"type": "integer", "multipleOf": 4}, [0, 8, -12], [6, 2, -3]),
    ({"type": "number", "minimum": -3, "maximum": 3}, [-0.25, 3, -3.0, 0], [3.1, -3.01, 4]),
    ({"type": "number", "minimum": 0, "exclusiveMinimum": True}, [0.1, 1], [0, -1]),
    ({"type": "integer", "not": {"multipleOf": 3}}, [1, 2, 4], [0, 3, -6]),
    ({"type": "number", "not": {"const": 1}}, [0.9, 1.1, 2], [1, 1.0]),
    ({"type": "number", "not": {"type": "integer"}}, [0.5, -2.25, 1e-07], [1, 1.0, 10.0]),
    ({"oneOf": [{"type": "integer"}, {"type": "number", "minimum": 10}]}, [3, 10.5], [12, 2.5]),
    ({"enum": [1, 5, 9], "minimum": 4}, [5, 9], [1]),
]


@pytest.mark.parametrize(("schema", "accepted", "refused"), NUMBERS, ids=lambda v: json.dumps(v)[:60])
def test_numbers(schema, accepted, refused):
    test_keyword(schema, accepted, refused)


def test_everything_is_one_shape():
    assert shapes_from_schema({}).root is ANY
    assert shapes_from_schema(True).root is ANY
    assert shapes_from_schema({"items": {}, "properties": {}}).root is ANY or has_shape(
        shapes_from_schema({"items": {}, "properties": {}}).root, [1, {"a": 2}])
    shape = shapes_from_schema(OPEN).root
    assert isinstance(shape, Object) and shape.free[0][1] is ANY


def test_lengths_stay_out_of_the_content():
    short = shapes_from_schema({"type": "string", "maxLength": 5}).root
    long = shapes_from_schema({"type": "string", "minLength": 2, "maxLength": 500}).root
    assert isinstance(short, Text) and isinstance(long, Text)
    assert short.content is long.content and (long.shortest, long.longest) == (2, 500)
    counted = shapes_from_schema({"type": "string", "pattern": "^[ab]{2,9}$", "maxLength": 4}).root
    assert (counted.shortest, counted.longest) == (2, 4)


def test_order_of_properties_is_the_schemas():
    shape = shapes_from_schema(
        {"properties": {"z": {}, "a": {}}, "required": ["m", "a"], "type": "object"}
    ).root
    assert list(shape.properties) == ["z", "a", "m"]


def test_order_of_properties_follows_the_document():
    base, own = {"properties": {"b": {}, "c": {}}}, {"z": {}, "a": {}}
    first = shapes_from_schema({"type": "object", "allOf": [base], "properties": own}).root
    last = shapes_from_schema({"type": "object", "properties": own, "allOf": [base]}).root
    assert list(first.properties) == ["b", "c", "z", "a"]
    assert list(last.properties) == ["z", "a", "b", "c"]


def test_equal_subschemas_share_a_shape():
    point = {"$ref": "#/$defs/point"}
    shape = shapes_from_schema({
        "type": "object", "properties": {"a": point, "b": {**point, "description": "the other"}},
        "$defs": {"point": {"type": "object", "properties": {"x": {"type": "null"}}}},
    }).root
    assert shape.properties["a"] is shape.properties["b"]


def test_recursion_ends_in_a_reference():
    shape = shapes_from_schema({"$ref": "#/$defs/t", "$defs": {
        "t": {"type": "array", "items": {"$ref": "#/$defs/t"}}}}).root
    assert isinstance(shape, Array) and isinstance(shape.rest, Reference)
    assert shape.rest.target is shape


def test_dead_branches_are_cut():
    loop = {"type": "object", "properties": {"x": {"$ref": "#/$defs/loop"}}, "required": ["x"]}
    shape = shapes_from_schema({
        "$defs": {"loop": loop}, "type": "object",
        "properties": {"a": {"anyOf": [{"$ref": "#/$defs/loop"}, {"type": "null"}]},
                       "b": {"$ref": "#/$defs/loop"}},
    }).root
    assert list(shape.properties) == ["a"]
    assert has_shape(shape, {"a": None}) and not has_shape(shape, {"b": {}})
    branches = shape.properties["a"]
    assert isinstance(branches, Literals) or (
        isinstance(branches, Union) and len(branches.branches) == 1)


def test_forbidden_names_are_no_free_keys():
    shape = shapes_from_schema({"type": "object", "properties": {"é": False}}).root
    assert has_shape(shape, {"e": 1}) and not has_shape(shape, {"é": 1})


DEAD = [
    False,
    {"not": {}},
    {"enum": []},
    {"type": "string", "enum": [1]},
    {"type": "string", "minLength": 3, "maxLength": 2},
    {"type": "string", "pattern": "^a{5}$", "maxLength": 3},
    {"allOf": [{"type": "string"}, {"type": "null"}]},
    {"type": "object", "properties": {"a": False}, "required": ["a"]},
    {"type": "object", "required": ["a", "b"], "maxProperties": 1},
    {"type": "object", "additionalProperties": False, "minProperties": 1},
    {"type": "object", "required": ["a"], "dependentRequired": {"a": ["b"]},
     "additionalProperties": False, "properties": {"a": {}}},
    {"type": "array", "items": False, "minItems": 1},
    {"type": "array", "items": {"type": "null"}, "contains": {"type": "string"}},
    {"type": "array", "items": {"type": "boolean"}, "uniqueItems": True, "minItems": 3},
    {"type": "array", "items": {"$ref": "#"}, "minItems": 1},
    {"type": "object", "properties": {"n": {"$ref": "#"}}, "required": ["n"]},
]


@pytest.mark.parametrize("schema", DEAD, ids=lambda v: json.dumps(v)[:60])
def test_nothing_matches(schema):
    with pytest.raises(UnsatisfiableSchema):
        shapes_from_schema(schema)


WRONG = [
    ({"type": "text"}, "type", ""),
    ({"properties": {"a": {"minLength": -1}}}, "minLength", "/properties/a"),
    ({"properties": {"a/b": {"required": "x"}}}, "required", "/properties/a~1b"),
    ({"enum": 1}, "enum", ""),
    ({"items": 5}, "items", "/items"),
    ({"multipleOf": 0}, "multipleOf", ""),
    ({"minimum": "1"}, "minimum", ""),
    ({"pattern": "("}, "pattern", ""),
    ({"$ref": "#/$defs/none"}, "$ref", ""),
    ({"$ref": "#nowhere"}, "$ref", ""),
    ({"$ref": "#"}, "$ref", ""),
    ({"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}},
     "$ref", "/$defs/b"),
    ({"allOf": [{"anyOf": [{"$ref": "#"}]}]}, "$ref", ""),
]


@pytest.mark.parametrize(("schema", "keyword", "pointer"), WRONG, ids=lambda v: json.dumps(v)[:60])
def test_wrong_schemas_name_the_place(schema, keyword, pointer):
    with pytest.raises(InvalidSchema) as caught:
        shapes_from_schema(schema)
    assert caught.value.keyword == keyword
    assert caught.value.pointer == pointer or keyword == "$ref"


UNSUPPORTED = [
    ({"properties": {"a": {"$ref": "http://example.com/x.json"}}}, "$ref", "/properties/a"),
    ({"properties": {"a": {"uniqueItems": True}}}, "uniqueItems", "/properties/a"),
    ({"type": "string", "not": {"format": "uri-template"}}, "format", ""),
    ({"pattern": "(a)\\1"}, "pattern", ""),
    ({"$schema": "http://example.com/my-dialect", "type": "null"}, "$schema", ""),
    ({"type": "number", "not": {"multipleOf": 0.1}}, "multipleOf", ""),
    ({"oneOf": [{"items": {"type": "null"}, "prefixItems": [{}]}, {"maxItems": 9}],
      "type": "array"}, "oneOf", ""),
]


@pytest.mark.parametrize(("schema", "keyword", "pointer"), UNSUPPORTED, ids=lambda v: json.dumps(v)[:60])
def test_unsupported_schemas_name_the_place(schema, keyword, pointer):
    with pytest.raises(UnsupportedSchema) as caught:
        shapes_from_schema(schema)
    assert (caught.value.keyword, caught.value.pointer) == (keyword, pointer)


def test_drafts_decide_what_a_reference_hides():
    schema = {"$ref": "#/definitions/s", "maxLength": 1, "definitions": {"s": {"type": "string"}}}
    assert not has_shape(shapes_from_schema(schema).root, "ab")
    old = {"$schema": "http://json-schema.org/draft-07/schema#", **schema}
    assert has_shape(shapes_from_schema(old).root, "ab")


def test_draft_four_has_its_own_integers_and_keywords():
    old = {"$schema": "http://json-schema.org/draft-04/schema#", "type": "integer", "const": 5}
    shapes = shapes_from_schema(old)
    assert has_shape(shapes.root, 7) and not has_shape(shapes.root, 7.0)
    assert any("const" in note for note in shapes.notes)
    listed = {**old, "enum": [1, 2.0]}
    assert has_shape(shapes_from_schema(listed).root, 1)
    assert not has_shape(shapes_from_schema(listed).root, 2.0)


def test_annotations_are_ignored_aloud():
    schema = {"type": "array", "items": {"type": "string"}, "uniqueItems": True}
    shapes = shapes_from_schema(schema, annotations=("uniqueItems",))
    assert has_shape(shapes.root, ["a", "a"]) and "uniqueItems" in shapes.notes[0]


def test_unknown_formats_are_noted_or_refused():
    schema = {"properties": {"a": {"type": "string", "format": "my-format"}}}
    assert "my-format" in shapes_from_schema(schema).notes[0]
    with pytest.raises(UnsupportedSchema) as caught:
        shapes_from_schema(schema, formats="error")
    assert (caught.value.keyword, caught.value.pointer) == ("format", "/properties/a")
    assert shapes_from_schema({"type": "integer", "format": "int32"}, formats="error").notes == []


def test_text_and_models():
    assert has_shape(shapes_from_schema('{"type": "null"}').root, None)
    pydantic = pytest.importorskip("pydantic")

    class Pet(pydantic.BaseModel):
        name: str
        age: int | None = None

    shape = shapes_from_schema(Pet).root
    assert has_shape(shape, {"name": "Rex"}) and not has_shape(shape, {"age": 3})


@pytest.mark.parametrize("text", ['{"a": 1, "a": 2}', '{"minimum": NaN}', "{", '"x"', "[1]"])
def test_bad_text(text):
    with pytest.raises(InvalidSchema):
        shapes_from_schema(text)


def test_a_type_may_be_an_annotation() -> None:
    found = shapes_from_schema({"items": {"type": "string"}, "type": "array"}, annotations=("type",))
    assert has_shape(found.root, [1, "a"]) and has_shape(found.root, {})
    assert any("type" in note for note in found.notes)
    assert not has_shape(shapes_from_schema({"items": {"type": "string"}}).root, [1])


@pytest.mark.parametrize(
    ("schema", "keyword"),
    [
        ({"$ref": "https://example.com/a.json"}, "$ref"),
        ({"type": "array", "items": {"type": "integer"}, "uniqueItems": True}, "uniqueItems"),
        ({"prefixItems": [{"const": 1}], "contains": {"const": 2}}, "contains"),
        ({"type": "number", "not": {"multipleOf": 0.3}}, "multipleOf"),
        ({"dependentRequired": {"a": ["b"], "b": ["a"]}, "additionalProperties": False,
          "properties": {"c": {}}, "minProperties": 2, "maxProperties": 2}, "dependentRequired"),
        ({"type": "string", "pattern": "(?<=a)b"}, "pattern"),
        ({"type": "string", "pattern": "(a)\\1"}, "pattern"),
        ({"type": "string", "pattern": "(" * 41 + "a" + ")" * 41}, "pattern"),
    ],
)
def test_the_limits_that_the_readme_names(schema, keyword):
    with pytest.raises(UnsupportedSchema) as caught:
        shapes_from_schema(schema)
    assert caught.value.keyword == keyword


def test_values_of_subclasses_are_of_their_json_type():
    class Text(str):
        pass

    class Whole(int):
        pass

    assert [json_type(value) for value in (Text("a"), Whole(1), True)] == ["string", "number", "boolean"]
    with pytest.raises(TypeError):
        json_type({1, 2})
