"""`workbook call`: ask the small model in plain words, get a function call. Lesson 07 explains it.

    workbook call --functions functions.json --prompts prompts.json --out calls.json

functions.json: a list of `{"name", "description", "parameters"}`, parameters short or as a full JSON
Schema. prompts.json: a list of texts, or of `{"prompt": text}`. The result is a list of
`{"prompt", "name", "parameters"}` in the order of the prompts. It is written when all are done, or
not at all.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import Any

from lessons import calling
from lessons.located import FileError, Located, read_json
from lessons.pieces.prefix import Remembers
from tokenmask import GrammarCompiler
from toymodel import ModelError, SmallModel, toy_vocabulary

MAX_TOKENS = 128


def main(argv: list[str] | None = None) -> int:
    """Carry out `workbook call argv`: 0 done, 1 a file or the model cannot be used, 130 stopped."""
    options = _options(argv)
    try:
        calls = _calls(options)
        _write(options.out, "[\n" + ",\n".join(calls) + "\n]\n" if calls else "[]\n")
    except (FileError, ModelError) as error:
        print(f"workbook call: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nworkbook call: stopped; nothing was written", file=sys.stderr)
        return 130
    print(f"{len(calls)} calls written to {options.out}")
    return 0


def _options(argv: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="workbook call", description="Requests in plain words in, function calls out."
    )
    parser.add_argument("--functions", type=Path, required=True, help="JSON file of definitions")
    parser.add_argument("--prompts", type=Path, required=True, help="JSON file of prompts")
    parser.add_argument("--out", type=Path, required=True, help="file for the calls, as JSON")
    parser.add_argument(
        "--max-tokens", type=int, default=MAX_TOKENS, help=f"limit of one call ({MAX_TOKENS})"
    )
    return parser.parse_args(argv)


def _calls(options: argparse.Namespace) -> list[str]:
    """One line of JSON per prompt. All files are looked at before the model is loaded."""
    _check_out(options)
    functions = read_json(options.functions)
    # what is wrong with a definition does not depend on the vocabulary
    calling.compile_file(functions, GrammarCompiler(toy_vocabulary()))
    prompts = calling.read_prompts(options.prompts)
    if not prompts:
        return []
    model = SmallModel.load()
    compiled = calling.compile_file(functions, GrammarCompiler(model.vocabulary))
    system = calling.system_prompt(functions.value)
    keeping = Remembers(model)  # the functions are read once, not once per prompt
    for prompt, file, where in prompts:
        _check_room(model, prompt, system, options.max_tokens, file, where)
    lines = []
    for prompt, file, where in prompts:
        lines.append(_line(keeping, prompt, compiled, system, options.max_tokens, file, where))
        print(f"{len(lines)} of {len(prompts)}: {lines[-1]}", file=sys.stderr, flush=True)
    return lines


def _line(
    model: Any, prompt: str, compiled: Any, system: str, limit: int, file: Located, where: tuple
) -> str:
    try:
        trace = calling.call(model, prompt, compiled, system, limit)
    except ValueError as error:
        raise file.error(where, f"no call can be written: {error}") from None
    return calling.as_text(prompt, trace)


def _check_room(
    model: Any, prompt: str, system: str, limit: int, file: Located, where: tuple
) -> None:
    room = calling.room(model)
    used = len(model.prompt_ids(calling.user_prompt(prompt), system)) + limit
    if room is not None and used > room:
        raise file.error(
            where,
            f"too long: functions, prompt and answer take up to {used:,} tokens, and the model "
            f"has room for {room:,}",
        )


def _check_out(options: argparse.Namespace) -> None:
    out = options.out
    if out.is_dir():
        raise FileError(f"{out}: is a folder; name a file for the calls")
    if not out.absolute().parent.is_dir():
        raise FileError(f"{out}: the folder {out.parent} is not there; make it first")
    if not os.access(out.absolute().parent, os.W_OK):
        raise FileError(f"{out}: the folder {out.parent} cannot be written to")
    for given in (options.functions, options.prompts):
        if out.exists() and given.exists() and out.samefile(given):
            raise FileError(f"{out}: is one of the files to be read; name another one")


def _write(out: Path, text: str) -> None:
    """All of `text`, or nothing: first beside the file, then in its place."""
    half = out.with_name(f".{out.name}.{os.getpid()}")
    try:
        half.write_text(text, encoding="utf-8", newline="\n")
        half.replace(out)
    except OSError as error:
        raise FileError(f"{out}: cannot be written ({error.strerror})") from None
    finally:
        half.unlink(missing_ok=True)


if __name__ == "__main__":
    sys.exit(main())
