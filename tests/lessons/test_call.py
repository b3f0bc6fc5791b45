"""`workbook call`: calls that fit their definitions, errors with file, line and field, all or nothing."""

import json

import pytest

from lessons import call, calling
from lessons.located import FileError, read_json, read_text
from lessons.models import is_real, small_model
from tokenmask import Vocabulary
from tokenmask.functions import functions_to_schema
from toymodel import ModelMissing, UniformModel

FUNCTIONS = """[
  {"name": "add",
   "description": "Add two numbers.",
   "parameters": {"a": {"type": "integer"}, "b": {"type": "integer"}}},
  {"type": "function", "function": {
    "name": "light",
    "parameters": {
      "type": "object",
      "properties": {"on": {"type": "boolean"}, "room": {"enum": ["hall", "attic"]}},
      "required": ["on"]}}},
  {"name": "stop"}
]"""
PROMPTS = '[\n  "stop it",\n  {"prompt": "Add 2 and 3", "call": null},\n  "gr\\u00fcn \\ud83d\\ude00"\n]'


def byte_model():
    """The uniform model over single ASCII bytes: it can spell every definition."""
    return UniformModel(vocabulary=Vocabulary([bytes([b]) for b in range(128)], eos_ids=()))


@pytest.fixture
def workplace(tmp_path, monkeypatch):
    """A folder with two good files; the model is a toy that spells with single bytes."""
    (tmp_path / "f.json").write_text(FUNCTIONS)
    (tmp_path / "p.json").write_text(PROMPTS)
    monkeypatch.setattr(call.SmallModel, "load", byte_model)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*more):
    return call.main(["--functions", "f.json", "--prompts", "p.json", "--out", "out.json", *more])


def fails(workplace, capsys):
    """The error of a run; nothing may be left behind but the files that were there."""
    before = {path: path.read_bytes() for path in workplace.iterdir() if path.is_file()}
    assert run() == 1
    after = {path: path.read_bytes() for path in workplace.iterdir() if path.is_file()}
    assert after == before
    said = capsys.readouterr().err.strip().split("\n")[-1]
    assert said.startswith("workbook call: ")
    return said.removeprefix("workbook call: ")


def test_calls_are_written_in_order_and_fit_their_definitions(workplace, capsys):
    import jsonschema

    assert run() == 0
    calls = json.loads((workplace / "out.json").read_text("utf-8"))
    assert [c["prompt"] for c in calls] == ["stop it", "Add 2 and 3", "grün 😀"]
    schema = functions_to_schema(json.loads(FUNCTIONS))
    for found in calls:
        assert list(found) == ["prompt", "name", "parameters"]
        del found["prompt"]
        jsonschema.validate(found, schema)
    assert "3 calls written to out.json" in capsys.readouterr().out
    assert sorted(path.name for path in workplace.iterdir()) == ["f.json", "out.json", "p.json"]


def test_no_prompts_no_calls(workplace):
    (workplace / "p.json").write_text("[]")
    assert run() == 0
    assert json.loads((workplace / "out.json").read_text()) == []


def test_an_old_result_is_replaced_whole(workplace):
    (workplace / "out.json").write_text("old")
    assert run() == 0
    assert len(json.loads((workplace / "out.json").read_text("utf-8"))) == 3


@pytest.mark.parametrize(
    "before, after, said",
    [
        ('"name": "stop"', '"nmae": "stop"', "f.json, line 11, field 'nmae': function 2"),
        ('"name": "stop"', '"name": 7', "f.json, line 11, field 'name': function 2"),
        ('{"name": "stop"}', '{\n"description": "x"}', "f.json, line 11, field 'name': function 2"),
        ('"name": "stop"', '"name": "add"', "f.json, line 11, field 'name': function 2"),
        ('{"a": {"type": "integer"}', '{"a": 3', "f.json, line 4, field 'parameters/a'"),
        ('"integer"}}', '"whole"}}', "f.json, line 4, field 'parameters/b/type'"),
        ('"boolean"', '"bool"', "f.json, line 9, field 'function/parameters/properties/on/type'"),
        ('"required"', '"$dynamicRef": "#x", "required"', "line 7, field 'function/parameters'"),
        ('"add",', '"add"', "f.json, line 3, column 4: not JSON: ',' is missing"),
        ('"add",', '"add", "name": "sub",', "line 2, column 19: not JSON: field 'name' is given twice"),
        ("]}}}", "]}}", "f.json, line 11"),
        # nothing can be passed to one function of several: it must not vanish from the union
        (
            '"a": {"type": "integer"}',
            '"a": {"type": "integer", "minimum": 2, "maximum": 1}',
            "f.json, line 4, field 'parameters/a': function 0 ('add'): nothing can be passed",
        ),
        (
            '"boolean"',
            '"boolean", "enum": [3]',
            "f.json, line 9, field 'function/parameters/properties/on': function 1 ('light')",
        ),
        ('["on"]', '["off"]', "f.json, line 7, field 'function/parameters': function 1 ('light')"),
        # a reference is quoted as it stands in the file
        ('{"type": "boolean"}', '{"$ref": "#/no"}', "on/$ref': the reference '#/no' leads to nothing"),
        ('"integer"}, "b"', '"integer", "maximum": NaN}, "b"', "line 4: not JSON: NaN is no number"),
    ],
)
def test_a_bad_definition_is_named_with_file_line_and_field(workplace, capsys, before, after, said):
    assert before in FUNCTIONS
    (workplace / "f.json").write_text(FUNCTIONS.replace(before, after))
    assert said in fails(workplace, capsys)


@pytest.mark.parametrize(
    "text, said",
    [
        ('{"name": "stop"}', "f.json, line 1: function definitions are a list"),
        ("[]", "f.json, line 1: function definitions are a list of at least one"),
        ('"[{\\"name\\": \\"a\\"}]"', "f.json, line 1: must be a list of function definitions, not a text"),
        ("", "f.json, line 1, column 1: not JSON"),
        ("[" * 100_000, "f.json, line 1: nested too deeply"),
        ('[{"name": "a"}] x', "f.json, line 1, column 17: not JSON: more text after the end"),
        ("[{'name': 'a'}]", "column 3: not JSON: a field's name between quotes is missing"),
    ],
)
def test_a_file_that_is_no_list_of_definitions(workplace, capsys, text, said):
    (workplace / "f.json").write_text(text)
    assert said in fails(workplace, capsys)


@pytest.mark.parametrize(
    "text, said",
    [
        ('{"prompt": "x"}', "p.json, line 1: must be a list of prompts"),
        ('["x",\n {"promt": "y"}]', "p.json, line 2, field 'prompt': is missing"),
        ('["x",\n\n {"prompt":\n 3}]', "p.json, line 3, field 'prompt': must be text, not 3"),
        ('["x",\nnull]', "p.json, line 2, field 'prompt': must be text, not null"),
        ('["x",\n"\\ud800"]', "p.json, line 2"),
        ('["x"', "p.json, line 1, column 5: not JSON: ',' is missing"),
    ],
)
def test_a_bad_prompt_is_named_with_file_line_and_field(workplace, capsys, text, said):
    (workplace / "p.json").write_text(text)
    assert said in fails(workplace, capsys)


def test_a_file_in_another_encoding(workplace, capsys):
    (workplace / "p.json").write_bytes('["a",\n"grün"]'.encode("latin-1"))
    assert "p.json, line 2: not UTF-8 text" in fails(workplace, capsys)


def test_a_byte_order_mark_is_no_trouble(workplace):
    (workplace / "p.json").write_bytes(b"\xef\xbb\xbf" + PROMPTS.encode())
    assert run() == 0


def test_a_missing_file(workplace, capsys):
    (workplace / "p.json").unlink()
    assert "p.json: cannot be read (No such file or directory)" in fails(workplace, capsys)


@pytest.mark.parametrize(
    "out, said",
    [
        ("no/such/out.json", "the folder no/such is not there"),
        (".", "is a folder"),
        ("p.json", "is one of the files to be read"),
    ],
)
def test_a_place_that_cannot_be_written_is_said_before_the_model_runs(
    workplace, capsys, monkeypatch, out, said
):
    monkeypatch.setattr(call.SmallModel, "load", lambda: pytest.fail("the model was loaded"))
    command = ["--functions", "f.json", "--prompts", "p.json", "--out", out]
    assert call.main(command) == 1
    assert said in capsys.readouterr().err


def test_an_optional_parameter_that_takes_no_value_is_left_out(workplace):
    optional = FUNCTIONS.replace('"enum": ["hall", "attic"]', '"enum": [3], "type": "string"')
    assert optional != FUNCTIONS
    (workplace / "f.json").write_text(optional)
    assert run() == 0


def test_too_few_tokens_for_any_call(workplace, capsys):
    assert run("--max-tokens", "3") == 1
    assert "p.json, line 2: no call can be written" in capsys.readouterr().err
    assert not (workplace / "out.json").exists()


def test_a_prompt_that_the_model_has_no_room_for(workplace, capsys, monkeypatch):
    monkeypatch.setattr(calling, "room", lambda model: 100)
    monkeypatch.setattr(calling, "call", lambda *_: pytest.fail("asked before all were looked at"))
    assert "p.json, line 2, field" not in (said := fails(workplace, capsys))
    assert "p.json, line 2: too long" in said


def test_a_failure_on_the_last_prompt_leaves_nothing(workplace, capsys, monkeypatch):
    real, seen = calling.call, []

    def breaks(model, prompt, *rest):
        seen.append(prompt)
        if len(seen) == 3:
            raise ValueError("no token can come after this")
        return real(model, prompt, *rest)

    monkeypatch.setattr(calling, "call", breaks)
    (workplace / "out.json").write_text("old")
    assert "p.json, line 4: no call can be written: no token" in fails(workplace, capsys)
    assert len(seen) == 3


def test_an_interruption_leaves_nothing(workplace, capsys, monkeypatch):
    def stops(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(calling, "call", stops)
    assert run() == 130
    assert capsys.readouterr().err.endswith("workbook call: stopped; nothing was written\n")
    assert sorted(path.name for path in workplace.iterdir()) == ["f.json", "p.json"]


def test_a_full_disk_leaves_nothing(workplace, capsys, monkeypatch):
    import errno
    import os
    from pathlib import Path

    def full(self, text, **_):
        self.touch()
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(Path, "write_text", full)
    assert "out.json: cannot be written (No space left on device)" in fails(workplace, capsys)


def test_a_missing_model_says_what_to_do(workplace, capsys, monkeypatch):
    def missing():
        raise ModelMissing("Run `workbook get-model`")

    monkeypatch.setattr(call.SmallModel, "load", missing)
    assert fails(workplace, capsys) == "Run `workbook get-model`"


def test_huge_numbers_stay_json():
    from types import SimpleNamespace

    line = calling.as_text("x", SimpleNamespace(text='{"name": "a", "parameters": {"n": 1e400}}'))
    assert "Infinity" not in line and json.loads(line)["name"] == "a"


def test_located_lines():
    file = read_text('[\n {"a": [1,\n  {"b": 2}]}\n]', "f")
    assert file.value == [{"a": [1, {"b": 2}]}]
    assert file.line((0, "a")) == 2 and file.line((0, "a", 1, "b")) == 3
    assert file.line((0, "a", 1, "no", "such")) == 3


@pytest.mark.parametrize(
    "text", ['{"a": [], "b": {}, "c": [1, -2.5e3, "\\n", true, null]}', "3", ' "x" ', "[[],[[]]]"]
)
def test_located_reads_what_json_reads(text):
    assert read_text(text, "f").value == json.loads(text)


@pytest.mark.parametrize("text", ["[1,]", '{"a":1,}', "[1 2]", "{1:2}", '["\t"]', "tru", "[,1]", '"x'])
def test_located_refuses_what_json_refuses(text):
    with pytest.raises(FileError):
        read_text(text, "f")


def test_the_lines_of_a_real_file(tmp_path):
    (tmp_path / "f.json").write_text(FUNCTIONS)
    file = read_json(tmp_path / "f.json")
    assert file.line((1, "function", "parameters", "required")) == 10


@pytest.mark.model
def test_greet_john_with_the_small_model(tmp_path):
    if not is_real(small_model()):
        pytest.skip("the small model is not here")
    functions = [
        {"name": "add", "parameters": {"a": {"type": "number"}, "b": {"type": "number"}}},
        {"name": "greet", "description": "Greet a person.", "parameters": {"who": {"type": "string"}}},
    ]
    (tmp_path / "f.json").write_text(json.dumps(functions))
    (tmp_path / "p.json").write_text('["Greet john"]')
    files = [f"{tmp_path}/{name}.json" for name in ("f", "p", "out")]
    options = [text for pair in zip(("--functions", "--prompts", "--out"), files) for text in pair]
    assert call.main(options) == 0
    (found,) = json.loads((tmp_path / "out.json").read_text("utf-8"))
    assert (found["prompt"], found["name"]) == ("Greet john", "greet")
    assert "john" in found["parameters"]["who"].lower()
