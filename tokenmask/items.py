"""What can lie on the stack. An item says which bytes may come while it is on top.

Two kinds:

* a *terminal* item reads bytes: literal text, a lexeme's automaton state, a key being spelled;
* a *rule* reads nothing: it is replaced by one of its alternatives, each a sequence of items
  (a value, the members of an object, the elements of an array).

An item never changes. What changes is which item lies on top. Lesson 03 builds this by hand.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from .trie import Node

Follow = tuple["Item", ...]
"""Items to push when a terminal item ends, topmost first."""


class Split:
    """What a terminal item allows below one node of the vocabulary trie.

    Either `mask` (packed, shape (words,)) or `ids` holds the tokens that end inside the item or
    exactly at its end. `exits` are the places in the trie where the item ends and a token goes on:
    the rest of the stack decides about those.
    """

    __slots__ = ("mask", "ids", "exits")

    def __init__(
        self,
        mask: np.ndarray | None,
        ids: Iterable[int],
        exits: Iterable[tuple[Node, Follow]],
    ) -> None:
        # tuples of numbers are no business of the garbage collector, lists are
        self.mask, self.ids, self.exits = mask, tuple(ids), tuple(exits)


class Item:
    """Common base. `label` is what people read: "string", "number", "key"."""

    __slots__ = ()
    terminal = False
    label = "value"

    def describe(self) -> str:
        """A few words for people."""
        return self.label


class Rule(Item):
    """Replaced by one of its alternatives as soon as it is on top."""

    __slots__ = ()

    def expand(self) -> tuple[Follow, ...]:
        """All alternatives, each a sequence of items; an empty sequence is allowed."""
        raise NotImplementedError


class TerminalItem(Item):
    """Reads bytes. `follow`: what comes when it may end here (None: it may not); `open`: it may go on."""

    __slots__ = ()
    terminal = True
    follow: Follow | None
    open: bool
    splits: dict[Node, Split] | None

    def step(self, byte: int) -> TerminalItem | None:
        """The item after one more byte, or None if that byte is not allowed."""
        raise NotImplementedError

    def allowed(self) -> Iterable[int]:
        """The bytes that `step` may accept (a superset is allowed, a subset is not)."""
        raise NotImplementedError

    def split(self, node: Node) -> Split:
        """Inside + leaving, for the tokens below `node`. Computed once, kept by the item."""
        splits = self.splits
        if splits is None:  # most items are only passed through and never asked
            splits = self.splits = {}
        found = splits.get(node)
        if found is None:
            found = splits[node] = self._split(node)
        return found

    def _split(self, node: Node) -> Split:
        return descend(self, node)


NOTHING_HERE = Split(None, (), ())


def descend(item: TerminalItem, node: Node) -> Split:
    """The split by joint descent of vocabulary trie and item: fast where few bytes are allowed."""
    found = try_descend(item, node, None)
    assert found is not None
    return found


def try_descend(item: TerminalItem, node: Node, most: int | None) -> Split | None:
    """The same; None where more than `most` tokens fit (None: no limit), for which a walk is faster."""
    ids: list[int] = []
    leaving: dict[Follow, list[Node]] = {}
    work = [(node, item)]
    while work:
        if most is not None and len(ids) > most:
            return None
        here, current = work.pop()
        letters, allowed = here.letters, current.allowed()
        for byte in allowed if len(allowed) < len(letters) else letters:
            if byte not in letters:
                continue
            after = current.step(byte)
            if after is None:
                continue
            child = here.child(byte)
            if child.tokens:
                ids.extend(child.tokens)
            if child.letters:
                if after.follow is not None:
                    leaving.setdefault(after.follow, []).append(child)
                if after.open:
                    work.append((child, after))
    return Split(None, ids, [(node.trie.merge(nodes), follow) for follow, nodes in leaving.items()])


class Bytes(TerminalItem):
    """Literal bytes still to come: `": `, `null`, `}`; then the items of `after`."""

    __slots__ = ("text", "after", "follow", "open", "_next", "splits")

    def __init__(self, text: bytes, after: Follow = ()) -> None:
        self.text, self.after = text, after
        self.follow: Follow | None = None if text else after
        self.open = bool(text)
        self._next: Bytes | None = None
        self.splits = None

    def step(self, byte: int) -> Bytes | None:
        if not self.text or byte != self.text[0]:
            return None
        if self._next is None:
            self._next = Bytes(self.text[1:], self.after)
        return self._next

    def allowed(self) -> bytes:
        return self.text[:1]

    def _split(self, node: Node) -> Split:
        """There is one way to walk."""
        if not self.text:
            return NOTHING_HERE
        ids, end = node.along(self.text)
        return Split(None, ids, ((end, self.after),) if end is not None and end.letters else ())

    def describe(self) -> str:
        return self.text.decode("utf-8", "replace")


class End(TerminalItem):
    """The bottom of every stack: the text is complete, nothing may follow."""

    __slots__ = ()
    follow = None
    open = False
    label = "end"
    splits = None

    def step(self, byte: int) -> None:
        return None

    def allowed(self) -> bytes:
        return b""

    def split(self, node: Node) -> Split:
        return NOTHING_HERE


class Choice(Rule):
    """One of several sequences; also how a front end ties a recursive knot (`alternatives` set later)."""

    __slots__ = ("alternatives", "label")

    def __init__(self, alternatives: tuple[Follow, ...] = (), label: str = "value") -> None:
        self.alternatives, self.label = alternatives, label

    def expand(self) -> tuple[Follow, ...]:
        return self.alternatives
