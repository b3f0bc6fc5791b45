"""Function definitions to the schema of a call: three ways to write them, and every way to be wrong."""

import json

import jsonschema
import pytest

from tokenmask import (
    GrammarCompiler,
    GrammarMatcher,
    InvalidSchema,
    UnsatisfiableSchema,
    Vocabulary,
)
from tokenmask.functions import functions_to_schema

BYTES = Vocabulary([bytes([b]) for b in range(256)] + [b"<end>"], eos_ids=[256])
ADD = {
    "name": "fn_add_numbers",
    "description": "Add two numbers",
    "parameters": {"a": {"type": "number"}, "b": {"type": "number"}},
}
GREET = {"name": "fn_greet", "parameters": {"name": {"type": "string"}}}
SEARCH = {
    "name": "search",
    "parameters": {
        "type": "object",
        "properties": {"query": {"type": "string"}, "limit": {"type": "integer", "minimum": 1}},
        "required": ["query"],
    },
}
NOW = {"name": "now"}


def accepts(definitions, call) -> bool:
    """Whether engine and jsonschema take the call; they have to agree."""
    schema = functions_to_schema(definitions)
    jsonschema.Draft202012Validator.check_schema(schema)
    valid = jsonschema.Draft202012Validator(schema).is_valid(call)
    matcher = GrammarMatcher(GrammarCompiler(BYTES).compile_functions(definitions))
    assert (matcher.accept_string(json.dumps(call)) and matcher.is_accepting()) == valid
    return valid


def call(name, /, **parameters):
    return {"name": name, "parameters": parameters}


def test_short_parameters_are_all_required_and_no_others_may_come():
    assert accepts([ADD, GREET], call("fn_add_numbers", a=2, b=3.5))
    assert accepts([ADD, GREET], call("fn_greet", name="john"))
    assert not accepts([ADD, GREET], call("fn_add_numbers", a=2))
    assert not accepts([ADD, GREET], call("fn_add_numbers", a=2, b=3, c=4))
    assert not accepts([ADD, GREET], call("fn_add_numbers", a="2", b=3))


def test_the_name_decides_which_parameters_may_follow():
    assert not accepts([ADD, GREET], call("fn_add_numbers", name="john"))
    assert not accepts([ADD, GREET], call("fn_greet", a=1, b=2))
    assert not accepts([ADD, GREET], call("fn_other"))


def test_a_full_schema_says_what_is_required():
    assert accepts([SEARCH], call("search", query="x"))
    assert accepts([SEARCH], call("search", query="x", limit=3))
    assert not accepts([SEARCH], call("search", query="x", limit=0))
    assert not accepts([SEARCH], call("search", limit=3))
    assert not accepts([SEARCH], call("search", query="x", page=2))


def test_a_full_schema_may_allow_other_parameters():
    open_search = {**SEARCH, "parameters": {**SEARCH["parameters"], "additionalProperties": True}}
    assert accepts([open_search], call("search", query="x", page=2))


@pytest.mark.parametrize("parameters", [{}, None, {"type": "object", "properties": {}}])
def test_a_function_without_parameters(parameters):
    definitions = [{"name": "now", "parameters": parameters}]
    assert accepts(definitions, call("now"))
    assert not accepts(definitions, call("now", a=1))
    assert accepts([NOW], call("now"))


def test_openais_way_of_writing_is_the_same():
    wrapped = [{"type": "function", "function": {**SEARCH, "strict": True}}]
    assert functions_to_schema(wrapped) == functions_to_schema([SEARCH])


def test_json_text_is_the_same():
    assert functions_to_schema(json.dumps([ADD, SEARCH])) == functions_to_schema([ADD, SEARCH])


def test_parameters_may_be_called_like_keywords():
    parameters = {"type": {"type": "string"}, "properties": {"type": "integer"}}
    definitions = [{"name": "f", "parameters": {**parameters, "required": {"type": "boolean"}}}]
    assert accepts(definitions, call("f", type="a", properties=1, required=True))
    assert not accepts(definitions, call("f", type="a", properties=1))


def test_references_point_into_their_own_function():
    def definition(name, kind):
        return {
            "name": name,
            "parameters": {
                "type": "object",
                "properties": {"x": {"$ref": "#/$defs/it"}, "const": {"$ref": "#/$defs/it"}},
                "required": ["x"],
                "$defs": {"it": {"type": kind}},
            },
        }

    definitions = [definition("f", "string"), definition("g", "integer")]
    assert accepts(definitions, call("f", x="a", const="b"))
    assert accepts(definitions, call("g", x=1, const=2))
    assert not accepts(definitions, call("g", x="a"))
    assert not accepts(definitions, call("f", x=1))


def test_a_recursive_parameter():
    tree = {
        "type": "object",
        "properties": {"children": {"type": "array", "items": {"$ref": "#"}}},
        "required": ["children"],
    }
    definitions = [ADD, {"name": "plant", "parameters": tree}]
    assert accepts(definitions, call("plant", children=[{"children": []}]))
    assert not accepts(definitions, call("plant", children=[{"children": 1}]))


def test_a_reference_inside_data_is_data():
    parameters = {"x": {"const": {"$ref": "#/a"}}}
    schema = functions_to_schema([{"name": "f", "parameters": parameters}])
    found = schema["anyOf"][0]["properties"]["parameters"]["properties"]["x"]
    assert found == {"const": {"$ref": "#/a"}}


def test_the_definitions_are_not_changed():
    before = json.dumps([SEARCH, ADD])
    definitions = json.loads(before)
    functions_to_schema(definitions)
    assert json.dumps(definitions) == before


@pytest.mark.parametrize(
    ("definitions", "words"),
    [
        ([], "at least one"),
        ({"name": "f"}, "a list"),
        (None, "a list"),
        ("[{", "not JSON"),
        ([1], "function 0: 'name' must be an object with a name, not 1"),
        ([NOW, {}], "function 1: 'name' is missing"),
        ([{"name": ""}], "function 0: 'name' must be text, not ''"),
        ([{"name": 3}], "function 0: 'name' must be text, not 3"),
        ([NOW, ADD, NOW], "function 2 ('now'): 'name' is the same as that of function 0"),
        ([{"name": "f", "paramters": {}}], "function 0 ('f'): 'paramters' is unknown"),
        ([{"name": "f", "description": 1}], "function 0 ('f'): 'description' must be text"),
        ([{"name": "f", "parameters": []}], "function 0 ('f'): 'parameters' must be an object"),
        (
            [NOW, {"name": "f", "parameters": {"x": 1}}],
            "function 1 ('f'): 'parameters/x' must be a schema, not 1",
        ),
        (
            [{"name": "f", "parameters": {"type": "array"}}],
            "function 0 ('f'): 'parameters' has type 'array'",
        ),
        ([{"type": "function", "function": {}}], "function 0: 'name' is missing"),
    ],
)
def test_a_bad_definition_is_named_with_its_field(definitions, words):
    with pytest.raises(InvalidSchema) as caught:
        functions_to_schema(definitions)
    assert words in str(caught.value)


def test_a_function_that_cannot_be_called_is_named():
    fine = {"name": "add", "parameters": {"a": {"type": "number"}}}
    empty = {"name": "lost", "parameters": {"a": {"type": "integer", "minimum": 3, "maximum": 2}}}
    with pytest.raises(UnsatisfiableSchema, match=r"function 1 \('lost'\): nothing can be passed"):
        GrammarCompiler(BYTES).compile_functions([fine, empty])
