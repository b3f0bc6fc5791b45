"""Regular expressions over bytes, with intersection and complement, read byte by byte.

An expression is never compiled ahead of time. `transitions(e)` says what is left of `e` after one
byte (its Brzozowski derivative), for all 256 bytes at once, as a few disjoint ranges. Expressions
are hash-consed: two that are built alike are one object, so an expression *is* the state of an
automaton that comes into being where somebody walks. Lesson 01 builds such an automaton by hand.

>>> e = concat(literal(b"a"), repeat(byte_ranges(((48, 57),))))
>>> [(lo, hi) for lo, hi, rest in transitions(e)]
[(97, 97)]
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import count
from typing import Any, Protocol, TypeAlias
from weakref import ref

from .rows import Ranges, join_ranges, meet_ranges

MOST_BRANCHES = 10_000  # an alternative with more branches than this is too complex
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
    """A node. Equal expressions are the same object; build them with the functions below only."""

    __slots__ = (
        "nullable",  # bool: the empty word is in the language
        "partial",  # bool: some but not all bytes of a character have been read
        "alphabet",  # int: bits of the encodings of which all words are whole characters
        "absorbs",  # int: bits of the encodings of which this is *every* text
        "unsure",  # 0; 1: has an intersection or complement inside, may be empty; 2: has a Loop too
        "levels",  # int: how deep a recursion may go
        "serial",  # int: order of creation, to sort branches
        "_row",  # memo of transitions()
        "_raw",  # memo of the same before dead ends are left out
        "_empty",  # memo of is_nothing(); None: not known
        "__weakref__",
    )

    def _compute(self) -> Row:
        raise NotImplementedError

    def __repr__(self) -> str:
        return f"<{type(self).__name__.lower()} {self.serial}>"


class Bytes(Expression):
    """One byte out of `ranges`."""

    __slots__ = ("ranges",)

    def _compute(self) -> Row:
        return tuple((lo, hi, EMPTY) for lo, hi in self.ranges)


class Leaf(Expression):
    """A leaf of a family (see `Family`)."""

    __slots__ = ("family", "state")

    def _compute(self) -> Row:
        return self.family.row(self.state)


class Concat(Expression):
    """`head`, which is no Concat, and then `tail`."""

    __slots__ = ("head", "tail")

    def _compute(self) -> Row:
        rows = []
        rest = self
        # a loop, not a recursion: a?b?c?... may be thousands of nullable heads long
        while type(rest) is Concat:
            tail = rest.tail
            rows.append([(lo, hi, concat(d, tail)) for lo, hi, d in _inner(rest.head)])
            if not rest.head.nullable:
                return join_row(rows[0]) if len(rows) == 1 else union_rows(rows)
            rest = tail
        rows.append(_inner(rest))
        return union_rows(rows)


class Either(Expression):
    """At least one of `items`."""

    __slots__ = ("items",)

    def _compute(self) -> Row:
        return union_rows([_inner(item) for item in self.items])


class Both(Expression):
    """All of `items` at once."""

    __slots__ = ("items",)

    def _compute(self) -> Row:
        return meet_rows([_inner(item) for item in self.items])


class Negate(Expression):
    """Every word that is not in `inner`."""

    __slots__ = ("inner",)

    def _compute(self) -> Row:
        row, start = [], 0
        for lo, hi, d in _inner(self.inner):
            if start < lo:
                row.append((start, lo - 1, ALL))
            row.append((lo, hi, negate(d)))
            start = hi + 1
        if start < 256:
            row.append((start, 255, ALL))
        return join_row(row)


class Repeat(Expression):
    """`body`, at least `lo` and at most `hi` times (None: without end)."""

    __slots__ = ("body", "lo", "hi")

    def _compute(self) -> Row:
        less = repeat(self.body, max(self.lo - 1, 0), None if self.hi is None else self.hi - 1)
        return join_row([(lo, hi, concat(d, less)) for lo, hi, d in _inner(self.body)])


class Loop(Expression):
    """Means `meaning`, in which this node occurs again (behind at least one byte)."""

    __slots__ = ("meaning",)

    def _compute(self) -> Row:
        return raw_transitions(self.meaning)


# hash-consing. keys hold the ids of children, not the children: a node keeps its own children
# alive, and a key that did so would keep every loop of the automaton alive for ever.
_table: dict[tuple, "_Entry"] = {}
_serial = count()


class _Entry(ref):
    __slots__ = ("key",)


def _forget(dead: _Entry, table: dict = _table) -> None:
    if table.get(dead.key) is dead:
        del table[dead.key]


def _known(key: tuple) -> Expression | None:
    entry = _table.get(key)
    return None if entry is None else entry()


def _new(kind: type, key: tuple, nullable: bool, partial: bool, alphabet: int, unsure: int,
         levels: int) -> Any:
    if levels > MOST_LEVELS:
        raise TooComplex(f"expression nested more than {MOST_LEVELS} levels deep")
    node = kind.__new__(kind)
    node.nullable, node.partial, node.alphabet, node.unsure = nullable, partial, alphabet, unsure
    node.levels, node.serial, node.absorbs = levels, next(_serial), 0
    node._row = node._raw = node._empty = None

    entry = _table[key] = _Entry(node, _forget)
    entry.key = key
    return node


ANY_ALPHABET = -1
NOTHING: Expression = _new(Bytes, ("nothing",), False, False, ANY_ALPHABET, 0, 0)
NOTHING.ranges = NOTHING._row = NOTHING._raw = ()
EMPTY: Expression = _new(Leaf, ("empty",), True, False, ANY_ALPHABET, 0, 0)
EMPTY.family, EMPTY.state = None, None
EMPTY._row = EMPTY._raw = ()
ALL: Expression = _new(Negate, ("all",), True, False, 0, 0, 0)
ALL.inner, ALL._row = NOTHING, ((0, 255, ALL),)
ALL._raw = ALL._row


def byte_ranges(ranges: Ranges, partial: bool = False) -> Expression:
    """One byte. `partial`: it continues a character that has begun.

    >>> transitions(byte_ranges(((48, 57), (97, 102))))
    ((48, 57, EMPTY), (97, 102, EMPTY))
    """
    ranges = join_ranges(ranges)
    if not ranges:
        return NOTHING
    key = (Bytes, partial, ranges)
    node = _known(key)
    if node is None:
        node = _new(Bytes, key, False, partial, 0, 0, 0)
        node.ranges = ranges
    return node


_BYTES = [byte_ranges(((byte, byte),)) for byte in range(256)]


def leaf(family: Family, state: Any) -> Expression:
    """The leaf of `family` in `state` (hashable)."""
    key = (family, state)
    node = _known(key)
    if node is None:
        node = _new(Leaf, key, family.nullable(state), family.partial, family.alphabet, 0, 0)
        node.family, node.state = family, state
    return node


def literal(text: bytes) -> Expression:
    """Exactly these bytes.

    >>> shortest(literal(b"null"))
    b'null'
    """
    node = EMPTY
    for byte in reversed(text):
        node = _concat(_BYTES[byte], node)
    return node


def _concat(head: Expression, tail: Expression) -> Expression:
    if head is EMPTY:
        return tail
    if tail is EMPTY:
        return head
    if head is NOTHING or tail is NOTHING:
        return NOTHING
    if tail.absorbs & head.alphabet:
        # characters and then every text: x{2,9} and then .* is the same as xx.*
        if head.nullable:
            return tail
        if type(head) is Repeat and head.hi != head.lo:
            return _concat(repeat(head.body, head.lo, head.lo), tail)
    if type(head) is Repeat:
        after, rest = (tail.head, tail.tail) if type(tail) is Concat else (tail, EMPTY)
        if head.absorbs & after.alphabet:
            if after.nullable:
                return _concat(head, rest)
            if type(after) is Repeat and after.hi != after.lo:
                after = repeat(after.body, after.lo, after.lo)
                tail = _concat(after, rest)
        # x{a,b}x{c,d} = x{a+c,b+d}
        if type(after) is Repeat and after.body is head.body:
            hi = None if head.hi is None or after.hi is None else head.hi + after.hi
            return _concat(repeat(head.body, head.lo + after.lo, hi), rest)
    key = (Concat, id(head), id(tail))
    node = _known(key)
    if node is None:
        # the tail only counts where reading the first byte, or asking for emptiness, may enter it
        levels = head.levels + 1
        if (head.nullable or tail.unsure) and tail.levels > levels:
            levels = tail.levels
        node = _new(Concat, key, head.nullable and tail.nullable, head.partial,
                    head.alphabet & tail.alphabet, max(head.unsure, tail.unsure), levels)
        node.head, node.tail = head, tail
    return node


def concat(*parts: Expression) -> Expression:
    """One after the other.

    >>> concat(literal(b"a"), literal(b"b")) is literal(b"ab")
    True
    """
    node = EMPTY
    for part in reversed(parts):
        if node is EMPTY:
            node = part
        elif type(part) is Concat:
            heads = []
            while type(part) is Concat:
                heads.append(part.head)
                part = part.tail
            node = _concat(part, node)
            for head in reversed(heads):
                node = _concat(head, node)
        else:
            node = _concat(part, node)
    return node


def repeat(body: Expression, lo: int = 0, hi: int | None = None) -> Expression:
    """`body` from `lo` to `hi` times; `hi` None: without end.

    >>> [len(w) for w in words(repeat(literal(b"ab"), 1, 2), 5)]
    [2, 4]
    """
    if hi is not None and hi < lo:
        return NOTHING
    if hi == 0 or body is EMPTY:
        return EMPTY
    if body is NOTHING:
        return EMPTY if lo == 0 else NOTHING
    if type(body) is Either and EMPTY in body.items:
        body, lo = either(*(item for item in body.items if item is not EMPTY)), 0
    elif body.nullable:
        lo = 0
    if type(body) is Repeat and (lo == hi or _joins(body.lo, body.hi, lo)):
        hi = None if hi is None or body.hi is None else hi * body.hi
        body, lo = body.body, lo * body.lo
    if hi == 1:
        return body if lo == 1 else either(EMPTY, body)
    key = (Repeat, id(body), lo, hi)
    node = _known(key)
    if node is None:
        node = _new(Repeat, key, lo == 0, False, body.alphabet, body.unsure, body.levels + 1)
        node.body, node.lo, node.hi = body, lo, hi
    return node


def _joins(a: int, b: int | None, c: int) -> bool:
    """Is (x{a,b}){c,d} the same as x{ac,bd}, for every d > c: are there no gaps?"""
    if c == 0:
        return a <= 1
    return b is None or a - 1 <= c * (b - a)


def negate(e: Expression) -> Expression:
    """Every byte string that is not in `e`.

    >>> negate(negate(EMPTY)) is EMPTY
    True
    """
    if e is NOTHING:
        return ALL
    if type(e) is Negate:
        return e.inner
    key = (Negate, id(e))
    node = _known(key)
    if node is None:
        node = _new(Negate, key, not e.nullable, e.partial, 0, max(e.unsure, 1), e.levels + 1)
        node.inner = e
    return node


def loop(nullable: bool, alphabet: int) -> Expression:
    """A new node whose `meaning` the caller sets next; it may occur in its own meaning."""
    return _new(Loop, ("loop", next(_serial)), nullable, False, alphabet, 2, 1)


def _node_of(kind: type, items: list[Expression]) -> Expression:
    """The Either or Both of several simplified items, in canonical order."""
    if len(items) == 1:
        return items[0]
    if len(items) > MOST_BRANCHES:
        raise TooComplex(f"expression with more than {MOST_BRANCHES} branches at one place")
    items.sort(key=_by_serial)
    key = (kind, *map(id, items))
    node = _known(key)
    if node is not None:
        return node
    alphabet, partial, unsure, levels = items[0].alphabet, False, 0, 0
    for item in items:
        partial |= item.partial
        unsure = max(unsure, item.unsure)
        levels = max(levels, item.levels)
    if kind is Either:
        nullable = any(item.nullable for item in items)
        for item in items:
            alphabet &= item.alphabet
    else:
        nullable, unsure = all(item.nullable for item in items), max(unsure, 1)
        for item in items:
            alphabet |= item.alphabet
    node = _new(kind, key, nullable, partial, alphabet, unsure, levels + 1)
    node.items = tuple(items)
    return node


def _by_serial(e: Expression) -> int:
    return e.serial


def either(*parts: Expression) -> Expression:
    """At least one of them.

    >>> either(literal(b"a"), NOTHING, literal(b"a")) is literal(b"a")
    True
    """
    return _either(parts, 0)


def _either(parts: Iterable[Expression], depth: int) -> Expression:
    items: dict[Expression, None] = {}
    absorbed, classes, concats, repeats = 0, 0, 0, 0
    for part in parts:
        for item in part.items if type(part) is Either else (part,):
            if item is NOTHING or item in items:
                continue
            if item is ALL:
                return ALL
            items[item] = None
            absorbed |= item.absorbs
            kind = type(item)
            if kind is Concat:
                concats += 1
            elif kind is Bytes or kind is Leaf:
                classes += item is not EMPTY
            elif kind is Repeat:
                repeats += 1
            elif kind is Negate and item.inner in items:
                return ALL
    if len(items) < 2:
        return next(iter(items), NOTHING)
    found = list(items)
    if absorbed:
        found = [e for e in found if e.absorbs or not e.alphabet & absorbed]
    if classes > 1:
        found = _merge_leaves(found, join_ranges, "union")
    if concats > 1 or (concats and repeats) or repeats > 1:
        found = _merge_concats(found, depth)
    if EMPTY in items and any(e.nullable and e is not EMPTY for e in found):
        found = [e for e in found if e is not EMPTY]
    return _node_of(Either, found)


def _merge_leaves(items: list[Expression], ranges: Callable, method: str) -> list[Expression]:
    """Join byte classes into one class, and the leaves of one family into one leaf."""
    merged: dict[Any, Expression] = {}
    others = []
    for item in items:
        if type(item) is Bytes:
            key: Any = item.partial
        elif type(item) is Leaf and item is not EMPTY:
            key = item.family
        else:
            others.append(item)
            continue
        before = merged.get(key)
        if before is None:
            merged[key] = item
        elif type(item) is Bytes:
            merged[key] = byte_ranges(ranges(before.ranges, item.ranges), item.partial)
        else:
            state = getattr(item.family, method)(before.state, item.state)
            if state is None:
                others.append(item)
            else:
                merged[key] = leaf(item.family, state) if state else NOTHING
    return others + list(merged.values())


def _merge_concats(items: list[Expression], depth: int) -> list[Expression]:
    """x{a,b}t | x{c,d}t = x{min,max}t where the counts touch; then ht | hu = h(t|u)."""
    by_body: dict[tuple, list[Expression]] = {}
    by_head: dict[Expression, list[Expression]] = {}
    others = []
    for item in items:
        head, tail = (item.head, item.tail) if type(item) is Concat else (item, EMPTY)
        if type(head) is Repeat:
            by_body.setdefault((head.body, tail), []).append(head)
        elif type(item) is Concat and type(head) not in (Bytes, Leaf):
            by_head.setdefault(head, []).append(tail)
        else:
            others.append(item)  # one byte more tells these apart anyway
    for (_, tail), heads in by_body.items():
        for head in heads if len(heads) == 1 else _touching(heads):
            by_head.setdefault(head, []).append(tail)
    for head, tails in by_head.items():
        if len(tails) == 1 or depth > 40:
            others.extend(_concat(head, tail) for tail in tails)
        else:
            others.append(_concat(head, _either(tails, depth + 1)))
    return others


def _touching(heads: list[Expression]) -> list[Expression]:
    """Repeats of one body, those with touching counts made one."""
    spans = sorted((h.lo, float("inf") if h.hi is None else h.hi) for h in heads)
    merged = [spans[0]]
    for lo, hi in spans[1:]:
        if lo <= merged[-1][1] + 1:
            merged[-1] = (merged[-1][0], max(hi, merged[-1][1]))
        else:
            merged.append((lo, hi))
    body = heads[0].body
    return [repeat(body, lo, None if hi == float("inf") else hi) for lo, hi in merged]


def both(*parts: Expression) -> Expression:
    """All of them at once.

    >>> both(repeat(byte_ranges(((97, 122),))), literal(b"a")) is not NOTHING
    True
    """
    items: dict[Expression, None] = {}
    refused, absorbed, classes = [], 0, 0
    for part in parts:
        for item in part.items if type(part) is Both else (part,):
            if item is NOTHING:
                return NOTHING
            if item is ALL or item in items:
                continue
            if type(item) is Negate:
                refused.append(item.inner)
            else:
                items[item] = None
                absorbed |= item.absorbs
                classes += type(item) in (Bytes, Leaf)
    if refused:
        inner = either(*refused)
        if inner is ALL or any(item in items for item in refused):
            return NOTHING
        items[negate(inner)] = None
    if not items:
        return ALL
    if EMPTY in items:
        return EMPTY if all(item.nullable for item in items) else NOTHING
    found = list(items)
    if absorbed:
        # every text of an encoding, and something made of its characters: the latter
        narrow = 0
        for item in found:
            if not item.absorbs:
                narrow |= item.alphabet
        found = [e for e in found if not e.absorbs or not e.absorbs & narrow]
    if classes > 1:
        found = _merge_leaves(found, meet_ranges, "intersection")
        if NOTHING in found:
            return NOTHING
    return _node_of(Both, found)


def join_row(entries: Iterable[tuple[int, int, Expression]]) -> Row:
    """Sorted, disjoint entries: leave NOTHING out and join neighbours with one target."""
    row: list[tuple[int, int, Expression]] = []
    for lo, hi, target in entries:
        if target is NOTHING:
            continue
        if row and row[-1][2] is target and row[-1][1] == lo - 1:
            row[-1] = (row[-1][0], hi, target)
        else:
            row.append((lo, hi, target))
    return tuple(row)


def _sweep(rows: list) -> Iterator[tuple[int, int, list[Expression]]]:
    """Cut all ranges at all their ends; yield each piece with the targets that cover it."""
    starts: dict[int, list[Expression]] = {}
    ends: dict[int, list[Expression]] = {}
    for row in rows:
        for lo, hi, target in row:
            starts.setdefault(lo, []).append(target)
            ends.setdefault(hi + 1, []).append(target)
    active: list[Expression] = []
    points = sorted({*starts, *ends})
    for i, point in enumerate(points):
        gone = ends.get(point)
        if gone:
            if len(gone) == len(active):
                active = []
            else:
                for target in gone:
                    active.remove(target)
        active = active + starts.get(point, [])
        if active:
            yield point, points[i + 1] - 1, active


def union_rows(rows: list) -> Row:
    """The transitions of an alternative from those of its branches (each sorted, disjoint)."""
    rows = [row for row in rows if row]
    if len(rows) == 1:
        return join_row(rows[0])
    known: dict[tuple, Expression] = {}
    result = []
    for lo, hi, targets in _sweep(rows):
        if len(targets) == 1:
            target = targets[0]
        else:
            key = tuple(map(id, targets))
            target = known.get(key)
            if target is None:
                target = known[key] = _either(targets, 0)
        result.append((lo, hi, target))
    return join_row(result)


def meet_rows(rows: list) -> Row:
    """The transitions of an intersection from those of its members."""
    known: dict[tuple, Expression] = {}
    result = []
    for lo, hi, targets in _sweep(rows):
        if len(targets) == len(rows):
            key = tuple(map(id, targets))
            target = known.get(key)
            if target is None:
                target = known[key] = both(*targets)
            result.append((lo, hi, target))
    return join_row(result)


def transitions(e: Expression) -> Row:
    """What is left of `e` after one byte: disjoint (lo, hi, rest), sorted, dead ends left out.

    >>> transitions(literal(b"a"))
    ((97, 97, EMPTY),)
    """
    row = e._row
    if row is None:
        row = raw_transitions(e)
        if e.unsure:
            row = join_row(entry for entry in row if not is_nothing(entry[2]))
        e._row = row
    return row


def _inner(e: Expression) -> Row:
    """For the parts of an expression. Leaving out dead ends inside a loop would ask for itself."""
    return raw_transitions(e) if e.unsure == 2 else transitions(e)


def raw_transitions(e: Expression) -> Row:
    """The same, perhaps with dead ends."""
    row = e._raw
    if row is None:
        row = e._raw = e._compute()
    return row


from .search import is_nothing, shortest, words  # noqa: E402  (it needs the nodes above)

__all__ = [
    "ALL", "EMPTY", "NOTHING", "Expression", "Family", "Row", "TooComplex", "both", "byte_ranges",
    "concat", "either", "is_nothing", "leaf", "literal", "negate", "repeat", "shortest",
    "transitions", "words",
]
