"""Reads ECMA-262 regular expressions, as JSON Schema uses them (nearest to the `u` flag).

What has no assertion in it becomes an `Expression` at once. Only the parts around `^`, `$`, `\\b`
and lookahead stay a small tree, because their meaning depends on what stands before and after.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

from .character_classes import DIGITS, DOT, SPACES, WORDS, unicode_property
from .characters import CharacterSet
from .expression import Expression, TooComplex, concat, either, repeat

MOST_CHARACTERS = 40_000  # of a pattern
MOST_GROUPS = 40  # inside one another: each may double the ways to read a text
Encode: TypeAlias = Callable[[CharacterSet], Expression]


class PatternError(ValueError):
    """Common base: `position` is the index into the pattern."""

    def __init__(self, message: str, pattern: str, position: int) -> None:
        self.position = position
        super().__init__(f"{message}, at position {position} of the pattern {pattern[:80]!r}")


class InvalidPattern(PatternError):
    """Not a regular expression of ECMA-262."""


class UnsupportedPattern(PatternError):
    """A regular expression that is not enforced here, such as one with a backreference."""


@dataclass(frozen=True, slots=True)
class Assertion:
    """`^`, `$`, `\\b` or `\\B`: true or false of a place between two characters."""

    sign: str


@dataclass(frozen=True, slots=True, eq=False)
class Look:
    """`(?=body)`, or `(?!body)` if not `wanted`."""

    body: Node
    wanted: bool


@dataclass(frozen=True, slots=True, eq=False)
class Sequence:
    parts: tuple[Node, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Choice:
    options: tuple[Node, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Times:
    body: Node
    lo: int
    hi: int | None


Node: TypeAlias = Expression | Assertion | Look | Sequence | Choice | Times

_BARE = ("^", "$", "\\b", "\\B", "(?=", "(?!")  # what no quantifier may follow
_CONTROL = {"t": 9, "n": 10, "v": 11, "f": 12, "r": 13}
_SHORTHAND = {"d": DIGITS, "w": WORDS, "s": SPACES}
_SHORTHAND |= {letter.upper(): chosen.complement() for letter, chosen in _SHORTHAND.items()}


LETTERS = re.compile(r"[A-Za-z0-9 _,:;/@%&#=<>!~'\"-]+(?![*+?{])")
"""Characters that stand for themselves, each of them once."""


@lru_cache(maxsize=1024)
def letter(encode: Encode, code: int) -> Expression:
    """One character, encoded."""
    return encode(single(code))


@lru_cache(maxsize=4096)
def single(code: int) -> CharacterSet:
    return CharacterSet(((code, code),))


class Parser:
    """One pass over `pattern`; `encode` turns a set of characters into one encoded character."""

    def __init__(self, pattern: str, encode: Encode) -> None:
        if len(pattern) > MOST_CHARACTERS:
            raise TooComplex(f"pattern of more than {MOST_CHARACTERS} characters")
        self.pattern = pattern
        self.encode = encode
        self.at = 0
        self.depth = 0

    def parse(self) -> Node:
        node = self.choice()
        if self.at < len(self.pattern):
            raise self.invalid("unmatched ')'")
        return node

    def invalid(self, message: str, position: int | None = None) -> InvalidPattern:
        return InvalidPattern(message, self.pattern, self.at if position is None else position)

    def unsupported(self, message: str, position: int | None = None) -> UnsupportedPattern:
        return UnsupportedPattern(message, self.pattern, self.at if position is None else position)

    def peek(self) -> str:
        return self.pattern[self.at : self.at + 1]

    def take(self, text: str) -> bool:
        if self.pattern.startswith(text, self.at):
            self.at += len(text)
            return True
        return False

    def choice(self) -> Node:
        options = [self.sequence()]
        while self.take("|"):
            options.append(self.sequence())
        if len(options) == 1 and not self.depth:
            return options[0]  # not joined yet: its end comes first
        options = [_joined(option) for option in options]
        if len(options) == 1:
            return options[0]
        plain = [option for option in options if isinstance(option, Expression)]
        return either(*plain) if len(plain) == len(options) else Choice(tuple(options))

    def sequence(self) -> Node:
        parts: list[Node] = []
        while (sign := self.peek()) and sign != "|" and sign != ")":
            letters = LETTERS.match(self.pattern, self.at)
            if letters is None:
                parts.append(self.quantified())
            else:
                parts += [letter(self.encode, code) for code in letters[0].encode()]
                self.at = letters.end()
        return parts[0] if len(parts) == 1 else Sequence(tuple(parts))

    def quantified(self) -> Node:
        start = self.at
        body = self.atom()
        count = self.quantifier()
        if count is None:
            return body
        if isinstance(body, (Assertion, Look)) and self.pattern[start:].startswith(_BARE):
            raise self.invalid("nothing to repeat", start)
        after = self.at
        if self.quantifier() is not None:
            raise self.invalid("a quantifier cannot follow a quantifier", after)
        lo, hi = count
        return repeat(body, lo, hi) if isinstance(body, Expression) else Times(body, lo, hi)

    def quantifier(self) -> tuple[int, int | None] | None:
        sign = self.peek()
        if not sign or sign not in "*+?{":
            return None
        start = self.at
        if sign == "{":
            count = self.braces()
            if count is None:
                return None
        else:
            self.at += 1
            count = {"*": (0, None), "+": (1, None), "?": (0, 1)}[sign]
        lo, hi = count
        if hi is not None and hi < lo:
            raise self.invalid(f"numbers out of order in {self.pattern[start:self.at]}", start)
        self.take("?")  # lazy: the same words
        return lo, hi

    def braces(self) -> tuple[int, int | None] | None:
        """`{n}`, `{n,}`, `{n,m}`; None: a brace that stands for itself."""
        end = self.pattern.find("}", self.at)
        inside = self.pattern[self.at + 1 : end] if end >= 0 else ""
        first, comma, second = inside.partition(",")
        if not comma:
            second = first
        if not (_is_number(first) or (not first and comma)) or (second and not _is_number(second)):
            return None
        if not first:
            raise self.unsupported(f"write {{0,{second}}} instead of {{,{second}}}")
        if len(inside) > 40:
            raise TooComplex("a repetition count of more than 40 digits")
        self.at = end + 1
        return int(first), int(second) if second else None

    def atom(self) -> Node:
        sign = self.peek()
        if sign == "(":
            return self.group()
        if sign == "[":
            return self.encode(self.bracket())
        if sign == ".":
            self.at += 1
            return self.encode(DOT)
        if sign in "^$":
            self.at += 1
            return Assertion(sign)
        if sign == "\\":
            if self.pattern[self.at + 1 : self.at + 2] in ("b", "B"):
                self.at += 2
                return Assertion("\\" + self.pattern[self.at - 1])
            start = self.at
            found = self.escape()
            return self.encode(found if isinstance(found, CharacterSet) else self.whole(found, start))
        if sign in "*+?" or (sign == "{" and self.quantifier()):
            raise self.invalid("nothing to repeat")
        self.at += 1
        return self.encode(self.whole(ord(sign), self.at - 1))

    def whole(self, code: int, position: int) -> CharacterSet:
        if 0xD800 <= code <= 0xDFFF:
            raise self.unsupported("half of a surrogate pair stands for no character", position)
        return single(code)

    def group(self) -> Node:
        start = self.at
        self.at += 1
        wanted: bool | None = None
        if self.take("?"):
            if self.take("<=") or self.take("<!"):
                raise self.unsupported("lookbehind is not supported", start)
            if self.take("=") or self.take("!"):
                wanted = self.pattern[self.at - 1] == "="
            elif self.take("<") or self.take("P<"):
                name, closed, _ = self.pattern[self.at :].partition(">")
                if not closed or not name.isidentifier():
                    raise self.invalid("a group needs a name between < and >", start)
                self.at += len(name) + 1
            elif not self.take(":"):
                raise self.unsupported("groups of this kind are not supported", start)
        self.depth += 1
        if self.depth > MOST_GROUPS:
            raise TooComplex(f"pattern with more than {MOST_GROUPS} groups inside one another")
        body = self.choice()
        self.depth -= 1
        if not self.take(")"):
            raise self.invalid("this group is not closed", start)
        return body if wanted is None else Look(body, wanted)

    def bracket(self) -> CharacterSet:
        start = self.at
        self.at += 1
        inverted = self.take("^")
        ranges: list[tuple[int, int]] = []
        while not self.take("]"):
            if self.at >= len(self.pattern):
                raise self.invalid("this class is not closed", start)
            place = self.at
            first = self.member()
            if self.peek() == "-" and self.pattern[self.at + 1 : self.at + 2] not in ("]", ""):
                self.at += 1
                last = self.member()
                if isinstance(first, int) and isinstance(last, int):
                    if last < first:
                        raise self.invalid("range out of order in a class", place)
                    ranges.append((first, last))
                    continue
                # [\w-.]: the minus stands for itself
                ranges.append((45, 45))
                ranges.extend(_ranges(last))
            ranges.extend(_ranges(first))
        chosen = CharacterSet(ranges)
        if ranges and not chosen:
            raise self.unsupported("halves of surrogate pairs stand for no character", start)
        return chosen.complement() if inverted else chosen

    def member(self) -> int | CharacterSet:
        if self.peek() == "\\":
            if self.pattern.startswith("\\b", self.at):
                self.at += 2
                return 8
            if self.pattern.startswith("\\B", self.at):
                raise self.invalid("\\B has no meaning in a class")
            return self.escape()
        self.at += 1
        return ord(self.pattern[self.at - 1])

    def escape(self) -> int | CharacterSet:
        """A backslash and what belongs to it: a code point or a class."""
        start = self.at
        sign = self.pattern[start + 1 : start + 2]
        self.at += 2
        if sign in _CONTROL:
            return _CONTROL[sign]
        if sign in _SHORTHAND:
            return _SHORTHAND[sign]
        if not sign:
            raise self.invalid("a backslash with nothing after it", start)
        if sign == "x":
            return self.hexadecimal(2, start)
        if sign == "u":
            return self.unicode_escape(start)
        if sign == "c":
            letter = self.peek()
            if not (letter.isascii() and letter.isalpha()):
                raise self.invalid("\\c needs a letter", start)
            self.at += 1
            return ord(letter) % 32
        if sign == "0" and not self.peek().isdigit():
            return 0
        if sign in "pP":
            return self.property(start, sign == "P")
        if sign.isdigit() or sign == "k":
            raise self.unsupported("backreferences are not supported", start)
        if sign.isascii() and sign.isalpha():
            raise self.unsupported(f"\\{sign} has no agreed meaning; write {sign} or a class", start)
        return ord(sign)

    def hexadecimal(self, length: int, start: int) -> int:
        digits = self.pattern[self.at : self.at + length]
        if len(digits) < length or not all(c in "0123456789abcdefABCDEF" for c in digits):
            raise self.invalid(f"expected {length} hex digits", start)
        self.at += length
        return int(digits, 16)

    def unicode_escape(self, start: int) -> int:
        if self.take("{"):
            digits, closed, _ = self.pattern[self.at : self.at + 12].partition("}")
            if not closed or not digits or not all(c in "0123456789abcdefABCDEF" for c in digits):
                raise self.invalid("expected hex digits and }", start)
            self.at += len(digits) + 1
            code = int(digits, 16)
            if code > 0x10FFFF:
                raise self.invalid("there is no such character", start)
            return code
        code = self.hexadecimal(4, start)
        if 0xD800 <= code <= 0xDBFF and self.pattern.startswith("\\u", self.at):
            before = self.at
            self.at += 2
            low = self.hexadecimal(4, start)
            if 0xDC00 <= low <= 0xDFFF:
                return 0x10000 + (code - 0xD800 << 10) + low - 0xDC00
            self.at = before
        return code

    def property(self, start: int, inverted: bool) -> CharacterSet:
        name, closed, _ = self.pattern[self.at + 1 : self.at + 80].partition("}")
        if self.peek() != "{" or not closed:
            raise self.invalid("\\p needs a property in braces", start)
        self.at += len(name) + 2
        found = unicode_property(name)
        if found is None:
            raise self.unsupported(f"the Unicode property {name!r} is not supported", start)
        return found.complement() if inverted else found


def _joined(node: Node) -> Node:
    """One expression, if there is no assertion in it."""
    if isinstance(node, Sequence) and all(isinstance(part, Expression) for part in node.parts):
        return concat(*node.parts)  # type: ignore[arg-type]
    return node


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit()


def _ranges(member: int | CharacterSet) -> tuple[tuple[int, int], ...]:
    return ((member, member),) if isinstance(member, int) else member.ranges


