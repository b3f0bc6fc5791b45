"""Commas, colons and brackets, with the white space that a compile option allows around them.

compact: none, `{"a":1}`. spaced: as Python's json.dumps writes, `{"a": 1, "b": 2}`. free: up to
`MOST_WHITESPACE` blanks, tabs and line ends wherever JSON allows them. Never unbounded: a model
that likes blanks would write them for ever (lesson 08).
"""

from __future__ import annotations

from .automaton import Automaton, AutomatonState
from .expression import byte_ranges, concat, literal, repeat
from .items import Bytes, TerminalItem
from .vocabulary import Vocabulary

MOST_WHITESPACE = 32
STYLES = ("compact", "spaced", "free")


class Punctuation:
    """The terminal items between values, for one white space style."""

    def __init__(self, vocabulary: Vocabulary, style: str) -> None:
        if style not in STYLES:
            raise ValueError(f"whitespace must be one of {', '.join(STYLES)}, not {style!r}")
        self.style = style
        self.quote: TerminalItem = Bytes(b'"')
        if style == "free":
            self._free(vocabulary)
            return
        blank = b" " if style == "spaced" else b""
        self.comma: TerminalItem = Bytes(b"," + blank)
        self.colon: TerminalItem = Bytes(b":" + blank)
        self.open_object: TerminalItem = Bytes(b"{")
        self.open_array: TerminalItem = Bytes(b"[")
        self.close_object = self.close_empty_object = Bytes(b"}")
        self.close_array = self.close_empty_array = Bytes(b"]")

    def _free(self, vocabulary: Vocabulary) -> None:
        ends = ((9, 10), (13, 13), (32, 32))
        blanks = repeat(byte_ranges(ends), 0, MOST_WHITESPACE)

        def mark(text: bytes, before: bool, after: bool) -> AutomatonState:
            parts = [*([blanks] if before else []), literal(text), *([blanks] if after else [])]
            return Automaton(concat(*parts), vocabulary, text.decode()).start

        self.comma = mark(b",", True, True)
        self.colon = mark(b":", True, True)
        self.open_object = mark(b"{", False, True)
        self.open_array = mark(b"[", False, True)
        self.close_object, self.close_array = mark(b"}", True, False), mark(b"]", True, False)
        # blanks of an empty pair are read by the opening bracket already
        self.close_empty_object, self.close_empty_array = Bytes(b"}"), Bytes(b"]")


def punctuation(vocabulary: Vocabulary, style: str) -> Punctuation:
    """The one set of marks for a vocabulary and style; their masks are shared by all grammars."""
    key = ("punctuation", style)
    found = vocabulary.shared.get(key)
    if found is None:
        found = vocabulary.shared[key] = Punctuation(vocabulary, style)
    return found
