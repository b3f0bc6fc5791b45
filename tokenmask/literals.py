"""One of finitely many scalars (`enum`, `const`) as one item: a place in a trie of their spellings."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable

from .characters import spellings
from .items import Bytes, Follow, TerminalItem
from .words import WordNode, WordTrie

Scalar = str | int | float | bool | None
MOST_SHOWN = 4


class LiteralPlace(TerminalItem):
    """A place among the spellings; `node` is shared by all that begin alike."""

    __slots__ = ("node", "follow", "open", "splits", "_children")
    label = "one of the listed values"

    def __init__(self, node: WordNode) -> None:
        self.node = node
        self.follow: Follow | None = () if node.ends else None
        self.open = bool(node.children)
        self.splits = None
        self._children: dict[int, TerminalItem] = {}

    def step(self, byte: int) -> TerminalItem | None:
        found = self._children.get(byte)
        if found is None:
            child = self.node.children.get(byte)
            if child is None:
                return None
            alone = child.alone()
            found = LiteralPlace(child) if alone is None else Bytes(alone)
            self._children[byte] = found
        return found

    def allowed(self) -> Iterable[int]:
        return self.node.children

    def describe(self) -> str:
        node, shown = self.node, {}
        for at in range(node.low, node.high):  # a value is shown once, by its first spelling
            shown.setdefault(node.trie.numbers[at], node.trie.words[at].decode())
            if len(shown) > MOST_SHOWN:
                break
        words = list(shown.values())
        more = ", ..." if len(words) > MOST_SHOWN else ""
        return "one of " + ", ".join(words[:MOST_SHOWN]) + more


PLAIN = re.compile(r"[ !#-\[\]-~]*\Z")
"""Text that is written in one way: printable ASCII without quote and backslash."""


def scalar_spellings(value: Scalar) -> list[bytes]:
    r"""Every way in which a listed value may be written.

    Text: as UTF-8, and as json.dumps writes it. A whole number also with ".0", since JSON Schema
    holds 1 and 1.0 for equal; a float as Python writes it.

    >>> scalar_spellings("é"), scalar_spellings(1), scalar_spellings(2.0)
    ([b'"\xc3\xa9"', b'"\\u00e9"'], [b'1', b'1.0'], [b'2', b'2.0'])
    """
    if isinstance(value, str):
        if PLAIN.match(value):
            return [b'"%b"' % value.encode()]
        return [f'"{word}"'.encode() for word in spellings(value) if _is_text(word)]
    if value is None or isinstance(value, bool):
        return [json.dumps(value).encode()]
    words = [json.dumps(value)]
    if value == int(value):
        words.append(str(int(value)) if abs(value) < 10**21 else words[0])
        if abs(value) < 10**16:
            words.append(f"{int(value)}.0")
    return [word.encode() for word in dict.fromkeys(sorted(words, key=len))]


def _is_text(word: str) -> bool:
    """No half surrogate pair: those have no UTF-8 form."""
    try:
        word.encode()
    except UnicodeEncodeError:
        return False
    return True


def canonical(value: Scalar) -> tuple:
    """Equal for values that JSON Schema holds for equal: 1 and 1.0, but not 1 and true.

    >>> canonical(1) == canonical(1.0), canonical(1) == canonical(True)
    (True, False)
    """
    return isinstance(value, bool), value


def literals(values: Iterable[Scalar]) -> LiteralPlace:
    """The item at the start of all spellings; equal values have one number."""
    numbers: dict[tuple, int] = {}
    numbered = {
        (word, numbers.setdefault(canonical(value), len(numbers)))
        for value in values
        for word in scalar_spellings(value)
    }
    return LiteralPlace(WordTrie(numbered).root)
