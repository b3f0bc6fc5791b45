"""Text of a grammar -> its rules, in the GBNF dialect that XGrammar and llama.cpp read.

    root  ::= "[" (value ("," value)*)? "]"   # a comment
    value ::= [0-9]+ | "\\"" [^"\\\\\\x00-\\x1F]{0,20} "\\"" | root

A rule ends where the next `name ::=` begins, so it may go over several lines. `.` is any character.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TypeAlias

from .characters import EVERY, CharacterSet
from .errors import InvalidSchema

MOST_NESTING = 100  # parentheses inside parentheses


class InvalidGrammar(InvalidSchema):
    """The EBNF text is wrong; `line` and `column` (from 1) say where."""

    def __init__(self, message: str, line: int, column: int) -> None:
        self.line = line
        self.column = column
        super().__init__(f"line {line}, column {column}: {message}")


@dataclass(frozen=True, slots=True)
class Text:
    """A literal."""

    text: str


@dataclass(frozen=True, slots=True)
class Characters:
    """One character of a class."""

    characters: CharacterSet


@dataclass(frozen=True, slots=True)
class Use:
    """A rule by its name, used at `place` (offset in the grammar's text)."""

    name: str
    place: int


@dataclass(frozen=True, slots=True)
class All:
    """All parts in sequence; no parts: the empty text."""

    parts: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class AnyOf:
    """One of the branches."""

    branches: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Times:
    """`body` at least `least` and at most `most` times (None: without end)."""

    body: Node
    least: int
    most: int | None


Node: TypeAlias = Text | Characters | Use | All | AnyOf | Times


@dataclass(frozen=True, slots=True)
class Rule:
    """`name ::= body`, defined at `place`."""

    name: str
    body: Node
    place: int


def parse(source: str) -> dict[str, Rule]:
    """The rules of a grammar by name, in order; InvalidGrammar says what is wrong and where."""
    return _Parser(source).rules()


def position(source: str, place: int) -> tuple[int, int]:
    """Line and column of an offset, both from 1.

    >>> position("ab\\ncd", 4)
    (2, 2)
    """
    return source.count("\n", 0, place) + 1, place - source.rfind("\n", 0, place)


SPACE = re.compile(r"(?:\s+|#[^\n]*)*")
NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_-]*")
DEFINES = re.compile(r"([A-Za-z0-9_][A-Za-z0-9_-]*)(?:\s+|#[^\n]*)*::=")
BOUNDS = re.compile(r"\{\s*(\d+)\s*(?:(,)\s*(\d+)?\s*)?\}")
PLAIN = re.compile(r'[^"\\\n]*')
DIGITS = {"x": 2, "u": 4, "U": 8}
ESCAPES = {"n": "\n", "r": "\r", "t": "\t", **{c: c for c in "\\\"'[]^-"}}


class _Parser:
    def __init__(self, source: str) -> None:
        self.source = source
        self.place = 0
        self.depth = 0

    def error(self, message: str, place: int | None = None) -> InvalidGrammar:
        place = self.place if place is None else place
        return InvalidGrammar(message, *position(self.source, place))

    def rules(self) -> dict[str, Rule]:
        found: dict[str, Rule] = {}
        self._space()
        while self.place < len(self.source):
            rule = self._rule()
            if rule.name in found:
                line, _ = position(self.source, found[rule.name].place)
                raise self.error(f"rule {rule.name!r} is defined twice (first in line {line})", rule.place)
            found[rule.name] = rule
        return found

    def _rule(self) -> Rule:
        start = self.place
        defines = DEFINES.match(self.source, start)
        if defines is None:
            name = NAME.match(self.source, start)
            if name is None:
                raise self.error(f"expected a rule (name ::= ...), found {self._here()}")
            self.place = name.end()
            raise self.error(f"expected ::= after the rule name {name[0]!r}")
        self.place = defines.end()
        self._space()
        body = self._branches()
        if self.place < len(self.source) and not DEFINES.match(self.source, self.place):
            raise self.error(f"unexpected {self._here()}")
        return Rule(defines[1], body, start)

    def _branches(self) -> Node:
        branches = [self._sequence()]
        while self._take("|"):
            branches.append(self._sequence())
        return branches[0] if len(branches) == 1 else AnyOf(tuple(branches))

    def _sequence(self) -> Node:
        parts: list[Node] = []
        while (part := self._element()) is not None:
            parts.append(self._repeated(part))
        return parts[0] if len(parts) == 1 else All(tuple(parts))

    def _element(self) -> Node | None:
        start = self.place
        head = self.source[start : start + 1]
        if head == '"':
            return Text(self._literal())
        if head == "[":
            return Characters(self._class())
        if head == "(":
            return self._group()
        if self._take("."):
            return Characters(EVERY)
        name = NAME.match(self.source, start)
        if name is None or DEFINES.match(self.source, start):
            return None
        self.place = name.end()
        self._space()
        return Use(name[0], start)

    def _group(self) -> Node:
        start = self.place
        self._take("(")
        if self.source[self.place : self.place + 1] in ("=", "!"):
            raise self.error("lookahead is not part of this dialect", start)
        self.depth += 1
        if self.depth > MOST_NESTING:
            raise self.error(f"more than {MOST_NESTING} parentheses inside each other", start)
        body = self._branches()
        self.depth -= 1
        if not self._take(")"):
            raise self.error("this ( is never closed", start)
        return body

    def _repeated(self, part: Node) -> Node:
        start = self.place
        for _ in range(MOST_NESTING):
            if self._take("*"):
                part = Times(part, 0, None)
            elif self._take("+"):
                part = Times(part, 1, None)
            elif self._take("?"):
                part = Times(part, 0, 1)
            elif self.source[self.place : self.place + 1] == "{":
                part = Times(part, *self._bounds())
            else:
                return part
        raise self.error(f"more than {MOST_NESTING} repetitions of one thing", start)

    def _bounds(self) -> tuple[int, int | None]:
        match = BOUNDS.match(self.source, self.place)
        if match is None or max(len(match[1]), len(match[3] or "")) > 9:
            raise self.error("a repetition is {n}, {n,} or {n,m}, with numbers below 10^9")
        least = int(match[1])
        most = least if match[2] is None else None if match[3] is None else int(match[3])
        if most is not None and most < least:
            raise self.error(f"{{{least},{most}}}: the upper bound is below the lower one")
        self.place = match.end()
        self._space()
        return least, most

    def _literal(self) -> str:
        start = self.place
        self.place += 1
        text = []
        while True:
            plain = PLAIN.match(self.source, self.place)[0]
            self.place += len(plain)
            character = self._character(start, '"')
            if character is None:
                text.append(plain)
                break
            text += (plain, character)
        self._space()
        return "".join(text)

    def _class(self) -> CharacterSet:
        start = self.place
        self.place += 1
        negated = self.source.startswith("^", self.place)
        self.place += negated
        ranges = []
        while (first := self._character(start, "]")) is not None:
            ranges.append((ord(first), ord(self._range_end(start, first))))
        characters = CharacterSet(ranges)
        characters = characters.complement() if negated else characters
        if not characters:
            raise self.error("no character is in this class", start)
        self._space()
        return characters

    def _range_end(self, start: int, first: str) -> str:
        dash = self.source[self.place : self.place + 2]
        if not dash.startswith("-") or dash == "-]":
            return first
        self.place += 1
        last = self._character(start, "]")
        if last is None or last < first:
            raise self.error(f"the range {first}-{last or ''} ends before it begins", start)
        return last

    def _character(self, start: int, end: str) -> str | None:
        """The next character of a literal or class, escapes undone; None at its end."""
        character = self.source[self.place : self.place + 1]
        if character in ("", "\n"):
            kind = "literal" if end == '"' else "class"
            raise self.error(f"this {kind} is not closed on its line (a line break is \\n)", start)
        self.place += 1
        if character == end:
            return None
        return self._escape() if character == "\\" else character

    def _escape(self) -> str:
        start = self.place - 1
        letter = self.source[self.place : self.place + 1]
        self.place += 1
        if letter in ESCAPES:
            return ESCAPES[letter]
        if letter not in DIGITS:
            raise self.error(
                rf"unknown escape \{letter}; known are \n \r \t \\ \" \' \[ \] \^ \- and "
                r"\x41 \u0041 \U00000041",
                start,
            )
        code = self._hexadecimal(DIGITS[letter], start)
        if 0xD800 <= code <= 0xDBFF and self.source.startswith("\\u", self.place):
            self.place += 2
            low = self._hexadecimal(4, start)
            code = 0x10000 + (code - 0xD800 << 10) + (low - 0xDC00) if low >> 10 == 0x37 else -1
        if not 0 <= code <= 0x10FFFF or 0xD800 <= code <= 0xDFFF:
            raise self.error("this escape is no Unicode character", start)
        return chr(code)

    def _hexadecimal(self, digits: int, start: int) -> int:
        text = self.source[self.place : self.place + digits]
        if not re.fullmatch(f"[0-9A-Fa-f]{{{digits}}}", text):
            raise self.error(f"this escape needs {digits} hexadecimal digits", start)
        self.place += digits
        return int(text, 16)

    def _take(self, symbol: str) -> bool:
        if not self.source.startswith(symbol, self.place):
            return False
        self.place += len(symbol)
        self._space()
        return True

    def _space(self) -> None:
        self.place = SPACE.match(self.source, self.place).end()

    def _here(self) -> str:
        rest = self.source[self.place :].split("\n")[0][:20]
        return repr(rest) if rest else "the end"
