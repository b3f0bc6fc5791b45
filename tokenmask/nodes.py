"""The nodes of expressions, and how equal nodes become one object (see `tokenmask.expression`)."""

from __future__ import annotations

from itertools import count
from typing import Any, Protocol, TypeAlias
from weakref import ref

from .rows import Ranges, join_ranges

MOST_LEVELS = 120  # nesting; keeps the recursion over an expression far from Python's limit

Row: TypeAlias = "tuple[tuple[int, int, Expression], ...]"


class TooComplex(ValueError):
    """The expression is well formed, but reading it would take too long or too much memory."""


class Family(Protocol):
    """Leaves whose transitions are computed on demand, such as 'one of these 100,000 characters'.

    A leaf is (family, state). No leaf is the empty language.
    """

    partial: bool  # a leaf of this family begins in the middle of a character
    alphabet: int  # bits: its words are whole characters of these encodings

    def nullable(self, state: Any) -> bool: ...

    def row(self, state: Any) -> Row: ...

    def union(self, one: Any, other: Any) -> Any | None:
        """The state of both languages together; None: cannot say."""

    def intersection(self, one: Any, other: Any) -> Any | None:
        """The state of the common language; None: cannot say; an empty state: nothing."""


class Expression:
    """A node. Equal expressions are the same object; build them with functions only."""

    __slots__ = (
        "nullable",  # bool: the empty word is in the language
        "partial",  # bool: some but not all bytes of a character have been read
        "alphabet",  # int: bits of the encodings of which all words are whole characters
        "absorbs",  # int: bits of the encodings of which this is *every* text
        "unsure",  # 0; 1: has an intersection or complement inside, may be empty; 2: has a Loop too
        "levels",  # int: how deep a recursion may go
        "serial",  # int: order of creation, to sort branches
        "_row",  # memo of transitions(), packed
        "_raw",  # memo of the same before dead ends are left out
        "_empty",  # memo of is_nothing(); None: not known
        "__weakref__",
    )

    def forget_row(self) -> None:
        """Drop the memo of `transitions`; small nodes keep theirs, since many others ask for it."""
        if isinstance(self, Concat | Either | Both):
            self._row = self._raw = None

    def __repr__(self) -> str:
        return _NAMES.get(self.serial, f"<{type(self).__name__.lower()} {self.serial}>")


class Bytes(Expression):
    """One byte out of `ranges`."""

    __slots__ = ("ranges",)


class Leaf(Expression):
    """A leaf of a family (see `Family`)."""

    __slots__ = ("family", "state")


class Concat(Expression):
    """`head`, which is no Concat, and then `tail`."""

    __slots__ = ("head", "tail")


class Either(Expression):
    """At least one of `items`."""

    __slots__ = ("items",)


class Both(Expression):
    """All of `items` at once."""

    __slots__ = ("items",)


class Negate(Expression):
    """Every word that is not in `inner`."""

    __slots__ = ("inner",)


class Repeat(Expression):
    """`body`, at least `lo` and at most `hi` times (None: without end)."""

    __slots__ = ("body", "lo", "hi")


class Loop(Expression):
    """Means `meaning`, in which this node occurs again (behind at least one byte)."""

    __slots__ = ("meaning",)


# hash-consing. keys hold the ids of children, not the children: a node keeps its own children
# alive, and a key that did so would keep every loop of the automaton alive for ever. a kind is
# written as a word: of words and numbers, the garbage collector need not see the tuple.
_table: dict[tuple, _Entry] = {}
_serial = count()


class _Entry(ref):
    __slots__ = ("key",)


def _forget(dead: _Entry, table: dict = _table) -> None:
    if table.get(dead.key) is dead:
        del table[dead.key]


def known(key: tuple) -> Expression | None:
    """The living node of this key."""
    entry = _table.get(key)
    return None if entry is None else entry()


def new_node(kind: type, key: tuple, nullable: bool, partial: bool, alphabet: int, unsure: int,
             levels: int) -> Any:
    """A node that `known(key)` finds as long as somebody holds it; the caller sets its own slots."""
    if levels > MOST_LEVELS:
        raise TooComplex(f"expression nested more than {MOST_LEVELS} levels deep")
    node = kind.__new__(kind)
    node.nullable, node.partial, node.alphabet, node.unsure = nullable, partial, alphabet, unsure
    node.levels, node.serial, node.absorbs = levels, next(_serial), 0
    node._row = node._raw = node._empty = None
    entry = _table[key] = _Entry(node, _forget)
    entry.key = key
    return node


_NAMES = {0: "NOTHING", 1: "EMPTY", 2: "ALL"}
ANY_ALPHABET = -1
NOTHING: Expression = new_node(Bytes, ("nothing",), False, False, ANY_ALPHABET, 0, 0)
NOTHING.ranges = NOTHING._row = NOTHING._raw = ()
EMPTY: Expression = new_node(Leaf, ("empty",), True, False, ANY_ALPHABET, 0, 0)
EMPTY.family, EMPTY.state = None, None
EMPTY._row = EMPTY._raw = ()
ALL: Expression = new_node(Negate, ("all",), True, False, 0, 0, 0)
ALL.inner = NOTHING
ALL._row = ALL._raw = (0, 255, ALL)


def byte_ranges(ranges: Ranges, partial: bool = False) -> Expression:
    """One byte. `partial`: it continues a character that has begun.

    >>> transitions(byte_ranges(((48, 57), (97, 102))))
    ((48, 57, EMPTY), (97, 102, EMPTY))
    """
    ranges = join_ranges(ranges)
    if not ranges:
        return NOTHING
    key = ("bytes", partial, ranges)
    node = known(key)
    if node is None:
        node = new_node(Bytes, key, False, partial, 0, 0, 0)
        node.ranges = ranges
    return node


BYTES = [byte_ranges(((byte, byte),)) for byte in range(256)]


def leaf(family: Family, state: Any) -> Expression:
    """The leaf of `family` in `state` (hashable)."""
    key = (family, state)
    node = known(key)
    if node is None:
        node = new_node(Leaf, key, family.nullable(state), family.partial, family.alphabet, 0, 0)
        node.family, node.state = family, state
    return node
