"""Function calling from files: definitions and prompts in, calls out. Lesson 07 builds it by hand."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from lessons.located import FileError, Located, read_json
from tokenmask import CompiledGrammar, GrammarCompiler, Trace, UnsatisfiableSchema, generate
from tokenmask.errors import SchemaError
from tokenmask.functions import functions_to_schema

# one example of a function that nobody has: it shows the shape and no value to copy
EXAMPLE = (
    'For example, with a function "sleep" and the request "Sleep for 9 seconds" the answer is '
    '{"name": "sleep", "parameters": {"seconds": 9}}.'
)


def compile_file(file: Located, compiler: GrammarCompiler) -> CompiledGrammar:
    """The grammar of one call of any function of `file`; FileError names line and field."""
    if isinstance(file.value, str):
        raise file.error((), "must be a list of function definitions, not a text that holds one")
    try:
        return compiler.compile_functions(file.value)
    except UnsatisfiableSchema:
        pass  # said below, with the place in the file
    except SchemaError as error:
        # where it stands in the combined schema, at the end of the message, helps nobody here
        what = str(error).partition(" (keyword ")[0]
        what = re.sub(r"#/anyOf/\d+/properties/parameters", "#", what)
        raise file.error(_path(file, error.pointer, error.keyword), what) from None
    for index, definition in enumerate(file.value):
        _check_callable(file, index, definition, compiler)
    raise AssertionError("each function can be called, and all together cannot")


def _check_callable(file: Located, index: int, definition: Any, compiler: GrammarCompiler) -> None:
    """FileError if no values can be passed to a function, with the first parameter to blame."""
    if _can_be_called(definition, compiler):
        return
    call = functions_to_schema([definition])["anyOf"][0]["properties"]
    name, schema, pointer = call["name"]["const"], call["parameters"], "/anyOf/0/properties/parameters"
    for parameter, inner in schema.get("properties", {}).items():
        alone = {**schema, "properties": {parameter: inner}, "required": [parameter]}
        if not _can_be_called({"name": name, "parameters": alone}, compiler):
            pointer += "/properties/" + parameter.replace("~", "~0").replace("/", "~1")
            break
    where = _path(file, pointer.replace("/0/", f"/{index}/", 1), None)
    what = "nothing can be passed: the demands contradict each other"
    raise file.error(where, f"function {index} ({name!r}): {what}")


def _can_be_called(definition: Any, compiler: GrammarCompiler) -> bool:
    try:
        compiler.compile_functions([definition])
    except UnsatisfiableSchema:
        return False
    except SchemaError:
        return True  # one parameter alone, without what its references lead to: nothing is known
    return True


def read_prompts(path: Path) -> list[tuple[str, Located, tuple]]:
    """Every prompt of a file, with where it stands: a list of texts or of `{"prompt": text}`.

    Other fields are left alone, so that a labelled set is a file of prompts as well.
    """
    file = read_json(path)
    if not isinstance(file.value, list):
        kind = type(file.value).__name__
        raise file.error((), f'must be a list of prompts, like [{{"prompt": "Greet john"}}], not a {kind}')
    return [_prompt(file, index, entry) for index, entry in enumerate(file.value)]


def _prompt(file: Located, index: int, entry: Any) -> tuple[str, Located, tuple]:
    where: tuple = (index,)
    if isinstance(entry, dict):
        if "prompt" not in entry:
            raise file.error((index, "prompt"), "is missing")
        where, entry = (index, "prompt"), entry["prompt"]
    if not isinstance(entry, str):
        raise file.error((index, "prompt"), f"must be text, not {json.dumps(entry)[:60]}")
    try:
        entry.encode()
    except UnicodeEncodeError:
        raise file.error((index, "prompt"), "holds half a character (a lone surrogate)") from None
    return entry, file, where


def system_prompt(definitions: list[dict[str, Any]]) -> str:
    """What the model is told: the functions, each as JSON on a line, and the shape of an answer."""
    lines = [json.dumps(definition, ensure_ascii=False) for definition in definitions]
    return "\n".join(
        [
            "You turn a request into one function call. The functions are:",
            *lines,
            'Answer with one JSON object: {"name": the function, "parameters": {its values}}.',
            EXAMPLE,
        ]
    )


def user_prompt(prompt: str) -> str:
    """The request as the model reads it. The last word tells a small model that a call is due."""
    return f"Request: {prompt}\nCall:"


def call(
    model: Any, prompt: str, compiled: CompiledGrammar, system: str, max_tokens: int, **options: Any
) -> Trace:
    """One call: greedy, jumping, and complete within `max_tokens`."""
    settings = {"temperature": 0, "budget": True, "record": "none", **options}
    return generate(model, user_prompt(prompt), compiled, max_tokens, system=system, **settings)


def room(model: Any) -> int | None:
    """How many tokens the model can read and write together; None if it does not say."""
    config = getattr(getattr(model, "model", None), "config", None)
    return getattr(config, "max_position_embeddings", None)


def as_text(prompt: str, trace: Trace) -> str:
    """One line of the result: the prompt, then the call exactly as the model wrote it.

    Parsing and writing it again would turn 1e400 into `Infinity`, which is not JSON.
    """
    return f'{{"prompt": {json.dumps(prompt, ensure_ascii=False)}, {trace.text.lstrip()[1:]}'


def _path(file: Located, pointer: str, keyword: str | None) -> tuple:
    """Where in the file of definitions an error of the compiler belongs."""
    steps = [s.replace("~1", "/").replace("~0", "~") for s in pointer.lstrip("#").split("/")[1:]]
    if steps[:1] == ["anyOf"] and len(steps) > 1:
        # /anyOf/2/properties/parameters/... is what is called parameters in the third definition
        steps = [steps[1], *steps[3:]]
    path = tuple(int(step) if step.isdigit() else step for step in steps)
    if len(path) > 1 and (path[0], "function") in file.lines:
        path = (path[0], "function", *path[1:])
    # the short style has no "properties" between the parameters and their names
    short = tuple(step for step in path if step != "properties")
    path = path if path in file.lines else short
    return (*path, keyword) if (*path, keyword) in file.lines else path


__all__ = [
    "FileError",
    "as_text",
    "call",
    "compile_file",
    "read_prompts",
    "room",
    "system_prompt",
    "user_prompt",
]
