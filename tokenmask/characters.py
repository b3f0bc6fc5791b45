"""Sets of characters, and one character as bytes: as UTF-8, or in every spelling JSON allows.

Inside a JSON string, `A` may be written `A`, `\\u0041` or, for some characters, as a short escape;
all of them are the same character. So `json_content(set)` reads all spellings, and a pattern that
is built of such leaves means the same on encoded text as on decoded text, complement included.

A leaf only says what its next byte may be. The set of all characters costs no more than one range,
and a set such as `\\p{L}` (hundreds of ranges) is cut up only where somebody walks.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import lru_cache
from typing import Any

from .expression import (
    EMPTY,
    NOTHING,
    Expression,
    Row,
    both,
    concat,
    either,
    leaf,
    negate,
    repeat,
    union_rows,
)
from .nodes import Both, Concat, Either, Leaf, Negate, Repeat
from .rows import Ranges, gaps, join_ranges, meet_ranges

JSON, UTF8, KEY = 1, 2, 4  # bits of Expression.alphabet; a key's characters are JSON's, spelled one way
LAST = 0x10FFFF
SHORT_ESCAPES = {0x22: '"', 0x5C: "\\", 0x2F: "/", 8: "b", 12: "f", 10: "n", 13: "r", 9: "t"}


class CharacterSet:
    """Code points without the surrogates, as sorted disjoint ranges.

    >>> CharacterSet.of("a-z").ranges
    ((45, 45), (97, 97), (122, 122))
    """

    __slots__ = ("ranges", "_hash")

    def __init__(self, ranges: Iterable[tuple[int, int]]) -> None:
        self.ranges: Ranges = meet_ranges(join_ranges(ranges), ((0, 0xD7FF), (0xE000, LAST)))
        self._hash = hash(self.ranges)

    @classmethod
    def of(cls, text: str) -> CharacterSet:
        """The characters of `text`."""
        return cls((ord(c), ord(c)) for c in text)

    def union(self, other: CharacterSet) -> CharacterSet:
        return CharacterSet(self.ranges + other.ranges)

    def intersection(self, other: CharacterSet) -> CharacterSet:
        return CharacterSet(meet_ranges(self.ranges, other.ranges))

    def complement(self) -> CharacterSet:
        return CharacterSet(gaps(self.ranges, 0, LAST))

    def __contains__(self, character: str) -> bool:
        return any(lo <= ord(character) <= hi for lo, hi in self.ranges)

    def __bool__(self) -> bool:
        return bool(self.ranges)

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        return isinstance(other, CharacterSet) and self.ranges == other.ranges

    def __repr__(self) -> str:
        return f"CharacterSet({self.ranges!r})"


class Digits:
    """A number written in digits, most significant first; each digit has its own bytes.

    UTF-8 and `\\uXXXX` are both of this kind: the continuation bytes are digits in base 64, hex
    digits are digits in base 16, and fixed letters are digits in base 1. The state of a leaf is the
    ranges of numbers allowed.
    `pieces`: (first digit, last digit, byte of the first digit).
    """

    partial = True
    alphabet = 0

    def __init__(self, pieces: tuple[tuple[int, int, int], ...], then: Digits | None) -> None:
        self.pieces = pieces
        self.then = then
        self.radix = 1 + max(last for _, last, _ in pieces)
        self.below = then.below * then.radix if then else 1  # numbers that the later digits write

    def nullable(self, state: Ranges) -> bool:
        return False

    def union(self, one: Ranges, other: Ranges) -> Ranges:
        return join_ranges(one, other)

    def intersection(self, one: Ranges, other: Ranges) -> Ranges:
        return meet_ranges(one, other)

    def row(self, state: Ranges) -> Row:
        entries = []
        for first, last, rest in self._split(state):
            target = leaf(self.then, rest) if self.then else EMPTY
            for lo, hi, byte in self.pieces:
                if lo <= last and first <= hi:
                    entries.append((max(first, lo) - lo + byte, min(last, hi) - lo + byte, target))
        entries.sort(key=lambda entry: entry[0])
        return union_rows([entries])

    def _split(self, ranges: Ranges) -> list[tuple[int, int, Ranges]]:
        """By first digit: (first, last, ranges of what follows)."""
        size = self.below
        parts: list[tuple[int, int, Ranges]] = []

        def add(first: int, last: int, rest: Ranges) -> None:
            if parts and parts[-1][0] == first == last:
                parts[-1] = (first, first, parts[-1][2] + rest)
            else:
                parts.append((first, last, rest))

        for lo, hi in ranges:
            first, last = lo // size, hi // size
            if first == last:
                add(first, last, ((lo % size, hi % size),))
                continue
            if lo % size:
                add(first, first, ((lo % size, size - 1),))
                first += 1
            whole = last if hi % size == size - 1 else last - 1
            if first <= whole:
                add(first, whole, ((0, size - 1),))
            if whole < last:
                add(last, last, ((0, hi % size),))
        return parts


def _hex(first: int, last: int, upper: bool = True) -> tuple[tuple[int, int, int], ...]:
    """Pieces for the hex digits first..last, counted from 0."""
    pieces = []
    if first < 10:
        pieces.append((0, min(last, 9) - first, 48 + first))
    if last >= 10:
        start = max(first, 10)
        for letter in (65, 97) if upper else (97,):
            pieces.append((start - first, last - first, letter + start - 10))
    return tuple(pieces)


def _hexadecimal(upper: bool) -> tuple[Digits, Digits]:
    """`XXXX` of the basic plane and `dXXX\\udXXX` of the others, less 0x10000."""
    d = _hex(13, 13, upper)
    one = Digits(_hex(0, 15, upper), None)
    two = Digits(_hex(0, 15, upper), one)
    three = Digits(_hex(0, 15, upper), two)
    low = Digits(_hex(12, 15, upper), two)
    escape = Digits(((0, 0, 0x5C),), Digits(((0, 0, 0x75),), Digits(d, low)))
    high = Digits(_hex(8, 11, upper), Digits(_hex(0, 15, upper), Digits(_hex(0, 15, upper), escape)))
    return Digits(_hex(0, 15, upper), three), Digits(d, high)


_ONE_MORE = Digits(((0, 63, 0x80),), None)
_TWO_MORE = Digits(((0, 63, 0x80),), _ONE_MORE)
_THREE_MORE = Digits(((0, 63, 0x80),), _TWO_MORE)
_LEADS = (
    (0x80, 0x7FF, Digits(((0, 31, 0xC0),), _ONE_MORE)),
    (0x800, 0xFFFF, Digits(((0, 15, 0xE0),), _TWO_MORE)),
    (0x10000, LAST, Digits(((0, 4, 0xF0),), _THREE_MORE)),
)


def _raw_row(ranges: Ranges, plain: Ranges) -> list[tuple[int, int, Expression]]:
    """Transitions of a character written as itself; `plain`: the ASCII characters that may be."""
    row = [(lo, hi, EMPTY) for lo, hi in meet_ranges(ranges, plain)]
    if ranges[-1][1] >= 0x80:
        for lo, hi, lead in _LEADS:
            row.extend(lead.row(meet_ranges(ranges, ((lo, hi),))))
    return row


class _Characters:
    """Common to the families whose state is a CharacterSet."""

    partial = False
    alphabet = 0

    def nullable(self, state: CharacterSet) -> bool:
        return False

    def union(self, one: CharacterSet, other: CharacterSet) -> CharacterSet:
        return one.union(other)

    def intersection(self, one: CharacterSet, other: CharacterSet) -> CharacterSet:
        return one.intersection(other)


class _Utf8(_Characters):
    alphabet = UTF8

    def row(self, state: CharacterSet) -> Row:
        return union_rows([_raw_row(state.ranges, ((0, 0x7F),))])


class _Content(_Characters):
    """One character of a JSON string: as itself, or after a backslash."""

    def __init__(self, after: _AfterBackslash, alphabet: int) -> None:
        self.after, self.alphabet = after, alphabet

    def row(self, state: CharacterSet) -> Row:
        row = _raw_row(state.ranges, ((0x20, 0x21), (0x23, 0x5B), (0x5D, 0x7F)))
        if self.after.escaped(state):
            row.append((0x5C, 0x5C, leaf(self.after, state)))
            row.sort(key=lambda entry: entry[0])
        return union_rows([row])


class _AfterBackslash(_Characters):
    """What follows a backslash. `short`: code points with a one-letter escape."""

    partial = True

    def __init__(self, short: Iterable[int], upper: bool, numbered: Ranges | None) -> None:
        self.short = {code: ord(SHORT_ESCAPES[code]) for code in short}
        self.basic, self.astral = _hexadecimal(upper)
        self.numbered = numbered  # the code points that may be written \\uXXXX; None: all

    def _numbered(self, state: CharacterSet) -> Ranges:
        return state.ranges if self.numbered is None else meet_ranges(state.ranges, self.numbered)

    def escaped(self, state: CharacterSet) -> bool:
        return bool(self._numbered(state)) or any(chr(code) in state for code in self.short)

    def row(self, state: CharacterSet) -> Row:
        row: list[Any] = [
            (byte, byte, EMPTY) for code, byte in self.short.items() if chr(code) in state
        ]
        ranges = self._numbered(state)
        if ranges:
            row.append((0x75, 0x75, self._after_u(ranges)))
        row.sort(key=lambda entry: entry[0])
        return union_rows([row])

    def _after_u(self, ranges: Ranges) -> Expression:
        basic = meet_ranges(ranges, ((0, 0xFFFF),))
        astral = tuple((lo - 0x10000, hi - 0x10000) for lo, hi in meet_ranges(ranges, ((0x10000, LAST),)))
        parts = [leaf(self.basic, basic) if basic else NOTHING]
        parts.append(leaf(self.astral, astral) if astral else NOTHING)
        return either(*parts)


_UTF8 = _Utf8()
_CONTENT = _Content(_AfterBackslash(SHORT_ESCAPES, True, None), JSON)
_NO_SLASH = tuple(code for code in SHORT_ESCAPES if code != 0x2F)
_KEY = _Content(
    _AfterBackslash(
        _NO_SLASH, False, ((0, 7), (11, 11), (14, 31), (0x7F, 0xD7FF), (0xE000, LAST))
    ),
    JSON | KEY,
)


def utf8(characters: CharacterSet) -> Expression:
    """One character, as UTF-8 (control characters included).

    >>> shortest(utf8(CharacterSet.of("é")))
    b'\\xc3\\xa9'
    """
    return leaf(_UTF8, characters) if characters else NOTHING


def json_content(characters: CharacterSet) -> Expression:
    """One character, in every spelling that it has inside a JSON string.

    >>> words(json_content(CharacterSet.of("/")), 2)
    [b'/', b'\\\\/']
    """
    return leaf(_CONTENT, characters) if characters else NOTHING


def key_content(characters: CharacterSet) -> Expression:
    """One character of a free key: as `json.dumps` writes it, with or without `ensure_ascii`."""
    return leaf(_KEY, characters) if characters else NOTHING


EVERY = CharacterSet(((0, LAST),))
ANY_CHARACTER = json_content(EVERY)
ANY_CONTENT = repeat(ANY_CHARACTER)
ANY_CONTENT.absorbs = JSON
ANY_UTF8 = repeat(utf8(EVERY))
ANY_UTF8.absorbs = UTF8
KEY_CHARACTER = key_content(EVERY)
ANY_KEY = repeat(KEY_CHARACTER)
ANY_KEY.absorbs = KEY
"""The content of a key that may be anything."""


@lru_cache(maxsize=1024)
def as_key(content: Expression) -> Expression | None:
    """The texts of a JSON string's content, spelled as free keys are; None: not seen how.

    The same as `both(ANY_KEY, content)`, since every byte string spells one text; but there is nothing
    to intersect, as long as `content` is made of whole characters.
    """
    if isinstance(content, Leaf):
        if content is EMPTY:
            return EMPTY
        return key_content(content.state) if content.family is _CONTENT else None
    if isinstance(content, Concat):
        heads = []
        while isinstance(content, Concat):
            heads.append(as_key(content.head))
            content = content.tail
        parts = [*heads, as_key(content)]
        return None if None in parts else concat(*parts)
    if isinstance(content, Repeat):
        body = as_key(content.body)
        return None if body is None else repeat(body, content.lo, content.hi)
    if isinstance(content, Either | Both):
        items = [as_key(item) for item in content.items]
        join = either if isinstance(content, Either) else both
        return None if None in items else join(*items)
    if isinstance(content, Negate):
        inner = as_key(content.inner)
        return None if inner is None else both(ANY_KEY, negate(inner))
    return None


@lru_cache(maxsize=4096)
def spellings(text: str) -> list[str]:
    """How `text` may be written as a literal or a known key, without quotes; canonical first.

    >>> spellings("é\\n")
    ['é\\\\n', '\\\\u00e9\\\\n']
    """
    if text.isalnum() and text.isascii():
        return [text]
    written = [json.dumps(text, ensure_ascii=False)[1:-1]]
    plain = json.dumps(text)[1:-1]
    return written if plain == written[0] else [*written, plain]
