"""The automaton that lesson 02 measures: an array of records, byte by byte.

`[{"name": STRING, "age": NUMBER, "active": BOOLEAN}, ...]`, keys in this order, spaced as
`json.dumps` writes it.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from lessons.pieces.l02 import Machine

DIGITS = b"0123456789"
PLAIN = bytes(b for b in range(0x20, 0x80) if b not in b'"\\')
REST = range(0x80, 0xC0)  # the second, third and fourth byte of a character

# first byte of a character, what the second may be, how many follow that
LONG_CHARACTERS = (
    (range(0xC2, 0xE0), REST, 0),
    (range(0xE0, 0xE1), range(0xA0, 0xC0), 1),
    ((*range(0xE1, 0xED), 0xEE, 0xEF), REST, 1),
    (range(0xED, 0xEE), range(0x80, 0xA0), 1),
    (range(0xF0, 0xF1), range(0x90, 0xC0), 2),
    (range(0xF1, 0xF4), REST, 2),
    (range(0xF4, 0xF5), range(0x80, 0x90), 2),
)


class ByteBuilder:
    """Builds a `Machine` from left to right; `ends` are the states where the next part begins."""

    def __init__(self) -> None:
        self.rows = [[0] * 256, [0] * 256]  # dead, start
        self.ends = {1}

    def new(self) -> int:
        """A state that nothing leads to yet."""
        self.rows.append([0] * 256)
        return len(self.rows) - 1

    def join(self, froms: Iterable[int], data: Iterable[int], to: int) -> None:
        """A transition for each byte of `data` from each of `froms` to `to`."""
        data = list(data)
        for state in froms:
            for byte in data:
                self.rows[state][byte] = to

    def literal(self, data: bytes) -> ByteBuilder:
        """Exactly these bytes."""
        for byte in data:
            state = self.new()
            self.join(self.ends, [byte], state)
            self.ends = {state}
        return self

    def string(self) -> ByteBuilder:
        """A quote, any characters and escapes, a quote."""
        self.literal(b'"')
        (inside,) = self.ends
        self.join([inside], PLAIN, inside)
        self._escapes(inside)
        waits = [inside, self.new(), self.new()]  # so many bytes of a character are owed
        self.join([waits[1]], REST, inside)
        self.join([waits[2]], REST, waits[1])
        for first, second, more in LONG_CHARACTERS:
            state = self.new()
            self.join([inside], first, state)
            self.join([state], second, waits[more])
        return self.literal(b'"')

    def _escapes(self, inside: int) -> None:
        escape, *hexes = (self.new() for _ in range(5))
        self.join([inside], b"\\", escape)
        self.join([escape], b'"\\/bfnrt', inside)
        self.join([escape], b"u", hexes[0])
        for here, after in zip(hexes, [*hexes[1:], inside], strict=True):
            self.join([here], b"0123456789abcdefABCDEF", after)

    def number(self) -> ByteBuilder:
        """-?(0|[1-9][0-9]*)(.[0-9]+)?"""
        minus, zero, whole, dot, part = (self.new() for _ in range(5))
        self.join(self.ends, b"-", minus)
        self.join({*self.ends, minus}, b"0", zero)
        self.join({*self.ends, minus}, DIGITS[1:], whole)
        self.join([whole], DIGITS, whole)
        self.join([zero, whole], b".", dot)
        self.join([dot, part], DIGITS, part)
        self.ends = {zero, whole, part}
        return self

    def either(self, *words: bytes) -> ByteBuilder:
        """One of these words; no two begin alike."""
        before, after = self.ends, set()
        for word in words:
            self.ends = before
            after |= self.literal(word).ends
        self.ends = after
        return self


def records_machine() -> Machine:
    """The whole array, any number of records from one on."""
    builder = ByteBuilder().literal(b"[").literal(b"{")
    opened = builder.ends
    builder.literal(b'"name": ').string().literal(b', "age": ').number()
    builder.literal(b', "active": ').either(b"true", b"false").literal(b"}")
    closed = builder.ends
    builder.literal(b", ")
    builder.join(builder.ends, b"{", *opened)
    end = builder.new()
    builder.join(closed, b"]", end)
    table = np.array(builder.rows, np.int32)
    return Machine(table, accepting=frozenset([end]), name="records")
