"""The fewest tokens that spell a text, found from its end: one cell per byte.

A cell knows the fewest tokens for the text from its byte on, since it knows the same of every
later cell. Texts with the same ending share their cells, so a stack with ten thousand elements
owed is spelled once, whatever lies on top of it.
"""

from __future__ import annotations

from .trie import TokenTrie

UNSPELLABLE = 1 << 40


class Cell:
    """One byte of a text, and the best way to cut the text from here on.

    cost: tokens from here to the end. token: the first of them; after: the cell behind it.
    """

    __slots__ = ("byte", "next", "cost", "token", "after")

    byte: int
    next: Cell | None
    cost: int
    token: int
    after: Cell | None

    def __init__(self, byte: int, following: Cell | None, cost: int) -> None:
        self.byte, self.next, self.cost = byte, following, cost
        self.token, self.after = -1, None

    def tokens(self) -> list[int]:
        """The token ids from here to the end."""
        found = []
        cell: Cell | None = self
        while cell is not None and cell.token >= 0:
            found.append(cell.token)
            cell = cell.after
        return found


END = Cell(-1, None, 0)
"""Behind the last byte."""
NOWHERE = Cell(-1, None, UNSPELLABLE)
"""There is no text at all."""


def prepend(trie: TokenTrie, text: bytes, cell: Cell) -> Cell:
    """The cells of `text` in front of `cell`: the first of them."""
    if cell is NOWHERE:
        return cell
    root = trie.root
    for byte in reversed(text):
        new = Cell(byte, cell, UNSPELLABLE)
        node = root.child(byte)
        place: Cell | None = cell
        while node is not None:
            if node.tokens and place.cost < new.cost:
                # of two equally short ways the one with the longer first token
                new.cost, new.token, new.after = place.cost + 1, node.tokens[0], place
            if place.next is None:
                break
            node, place = node.child(place.byte), place.next
        cell = new
    return cell


def fewest_tokens(trie: TokenTrie, text: bytes) -> int:
    """How many tokens `text` takes at least; `UNSPELLABLE` if it cannot be written.

    >>> fewest_tokens(TokenTrie.build([b"a", b"ab", b"b"], range(3)), b"aab")
    2
    """
    return prepend(trie, text, END).cost
