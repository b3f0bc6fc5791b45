"""Building expressions, simplified as they are built.

The simpler an expression, the fewer states its automaton has: `.*a.*|.*` is `.*`, and
`x{0,3}|x{2,7}` is `x{0,7}`. Every rule here keeps the language; none of them has to fire.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import count
from typing import Any

from .nodes import (
    ALL,
    BYTES,
    EMPTY,
    NOTHING,
    Both,
    Bytes,
    Concat,
    Either,
    Expression,
    Leaf,
    Loop,
    Negate,
    Repeat,
    TooComplex,
    byte_ranges,
    known,
    leaf,
    new_node,
)
from .rows import join_ranges, meet_ranges

MOST_BRANCHES = 10_000  # an alternative with more branches than this is too complex
_loops = count()

def literal(text: bytes) -> Expression:
    """Exactly these bytes.

    >>> shortest(literal(b"null"))
    b'null'
    """
    node = EMPTY
    for byte in reversed(text):
        node = _concat(BYTES[byte], node)
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
    key = ("concat", id(head), id(tail))
    node = known(key)
    if node is None:
        # the tail only counts where reading the first byte, or asking for emptiness, may enter it
        levels = head.levels + 1
        if (head.nullable or tail.unsure) and tail.levels > levels:
            levels = tail.levels
        node = new_node(Concat, key, head.nullable and tail.nullable, head.partial,
                        head.alphabet & tail.alphabet, max(head.unsure, tail.unsure), levels)
        node.head, node.tail = head, tail
    return node


def concat(*parts: Expression) -> Expression:
    """One after the other.

    >>> concat(literal(b"a"), literal(b"b")) is literal(b"ab")
    True
    """
    if len(parts) == 2 and type(parts[0]) is not Concat:
        return _concat(*parts)
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
    key = ("repeat", id(body), lo, hi)
    node = known(key)
    if node is None:
        node = new_node(Repeat, key, lo == 0, False, body.alphabet, body.unsure, body.levels + 1)
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
    key = ("negate", id(e))
    node = known(key)
    if node is None:
        node = new_node(Negate, key, not e.nullable, e.partial, 0, max(e.unsure, 1), e.levels + 1)
        node.inner = e
    return node


def loop(nullable: bool, alphabet: int) -> Expression:
    """A new node whose `meaning` the caller sets next; it may occur in its own meaning."""
    return new_node(Loop, ("loop", next(_loops)), nullable, False, alphabet, 2, 1)


def _node_of(kind: type, items: list[Expression]) -> Expression:
    """The Either or Both of several simplified items, in canonical order."""
    if len(items) == 1:
        return items[0]
    if len(items) > MOST_BRANCHES:
        raise TooComplex(f"expression with more than {MOST_BRANCHES} branches at one place")
    items.sort(key=_by_serial)
    key = (kind.__name__, *map(id, items))
    node = known(key)
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
    node = new_node(kind, key, nullable, partial, alphabet, unsure, levels + 1)
    node.items = tuple(items)
    return node


def _by_serial(e: Expression) -> int:
    return e.serial


def either(*parts: Expression) -> Expression:
    """At least one of them.

    >>> either(literal(b"a"), NOTHING, literal(b"a")) is literal(b"a")
    True
    """
    return either_of(parts)


def either_of(parts: Iterable[Expression], depth: int = 0) -> Expression:
    """The same of an iterable; `depth` counts how often common heads were taken out on the way."""
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
        # what is every text of one encoding may itself be absorbed by every text of another
        found = [e for e in found if not e.alphabet & absorbed & ~e.absorbs]
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
            others.append(_concat(head, either_of(tails, depth + 1)))
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
        every = 0  # encodings of which every text is refused
        for item in inner.items if type(inner) is Either else (inner,):
            every |= item.absorbs
        if any(item.alphabet & every for item in items):
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
            narrow |= item.alphabet & ~item.absorbs
        found = [e for e in found if not e.absorbs or not e.absorbs & narrow]
    if classes > 1:
        found = _merge_leaves(found, meet_ranges, "intersection")
        if NOTHING in found:
            return NOTHING
    return _node_of(Both, found)
