"""JSON files that people write: read with the line of every field, for errors that can be found."""

from __future__ import annotations

import json
from dataclasses import dataclass
from json.decoder import scanstring
from pathlib import Path
from typing import Any

BLANK = " \t\n\r"


class FileError(ValueError):
    """A file cannot be used. The message names the file and, where there is one, line and field."""


@dataclass(frozen=True)
class Located:
    """The content of a JSON file, and the line (from 1) of each field by its path.

    >>> read_text('[{"name":\\n 3}]', "f.json").lines[0, "name"]
    2
    """

    file: str
    value: Any
    lines: dict[tuple, int]

    def line(self, path: tuple) -> int:
        """The line of the field at `path`, or of the nearest one around it."""
        return next(self.lines[path[:n]] for n in range(len(path), -1, -1) if path[:n] in self.lines)

    def error(self, path: tuple, what: str) -> FileError:
        """For example "f.json, line 2, field 'name': must be text, not 3"."""
        field = "/".join(str(step) for step in path[1:])
        named = f", field {field!r}" if field else ""
        return FileError(f"{self.file}, line {self.line(path)}{named}: {what}")


def read_json(path: Path) -> Located:
    """Read a JSON file; FileError says what is wrong with it and where."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise FileError(f"{path}, line {line}: not UTF-8 text: save the file as UTF-8") from None
    except OSError as error:
        raise FileError(f"{path}: cannot be read ({error.strerror})") from None
    return read_text(text, str(path))


def read_text(text: str, file: str) -> Located:
    """Read JSON text that came from `file`."""
    reader = _Reader(text)
    try:
        value, end = reader.read(reader.skip(0), ())
        if reader.skip(end) != len(text):
            raise json.JSONDecodeError("more text after the end", text, reader.skip(end))
    except json.JSONDecodeError as error:
        place = f"{file}, line {error.lineno}, column {error.colno}"
        raise FileError(f"{place}: not JSON: {error.msg}") from None
    except (RecursionError, ValueError) as error:
        what = "nested too deeply" if isinstance(error, RecursionError) else str(error)
        raise FileError(f"{file}, line {reader.now}: {what}") from None
    return Located(file, value, reader.lines)


class _Reader:
    """Reads values by recursion and notes where each one's field begins."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.lines: dict[tuple, int] = {}
        self.now, self._counted = 1, 0
        self.decoder = json.JSONDecoder(parse_constant=self._no_constant)

    def _no_constant(self, name: str) -> None:
        raise ValueError(f"not JSON: {name} is no number there")

    def skip(self, at: int) -> int:
        """The place of the next character that is not blank."""
        while at < len(self.text) and self.text[at] in BLANK:
            at += 1
        return at

    def come(self, to: int) -> None:
        """Count the lines up to the place `to`, so that `now` is right for an error there."""
        self.now += self.text.count("\n", self._counted, to)
        self._counted = to

    def note(self, at: int, path: tuple) -> None:
        """Remember the line of `path`, which begins at `at`."""
        self.come(at)
        self.lines[path] = self.now

    def read(self, at: int, path: tuple) -> tuple[Any, int]:
        """The value that begins at `at`, and where it ends."""
        if path not in self.lines:
            self.note(at, path)
        if self.text.startswith("[", at):
            return self._array(at, path)
        if self.text.startswith("{", at):
            return self._object(at, path)
        self.come(at)
        return self.decoder.raw_decode(self.text, at)

    def _array(self, at: int, path: tuple) -> tuple[list, int]:
        values: list = []
        at = self.skip(at + 1)
        while not self.text.startswith("]", at):
            if values:
                at = self._expect(",", at)
            value, at = self.read(at, (*path, len(values)))
            values.append(value)
            at = self.skip(at)
        return values, at + 1

    def _object(self, at: int, path: tuple) -> tuple[dict, int]:
        values: dict = {}
        at = self.skip(at + 1)
        while not self.text.startswith("}", at):
            if values:
                at = self._expect(",", at)
            self._at(at, '"', "a field's name between quotes is missing")
            self.come(at)
            name, end = scanstring(self.text, at + 1, True)
            if name in values:
                raise json.JSONDecodeError(f"field {name!r} is given twice", self.text, at)
            self.note(at, (*path, name))
            values[name], at = self.read(self._expect(":", self.skip(end)), (*path, name))
            at = self.skip(at)
        return values, at + 1

    def _expect(self, char: str, at: int) -> int:
        """Past `char` and the blanks after it."""
        self._at(at, char, f"{char!r} is missing")
        return self.skip(at + 1)

    def _at(self, at: int, char: str, what: str) -> None:
        if not self.text.startswith(char, at):
            raise json.JSONDecodeError(what, self.text, at)
