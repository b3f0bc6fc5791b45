"""Intersection of pieces: what `allOf`, siblings of `$ref`, and overlapping names come to."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from ..expression import Expression
from ..nodes import Both
from .keys import fits, matches, meet_contents
from .pieces import (
    ALL_PIECES,
    NOTHING,
    UNIVERSAL,
    ArrayOf,
    Inexact,
    Node,
    Number,
    ObjectOf,
    Piece,
    Pieces,
    Scalars,
    String,
)

if TYPE_CHECKING:
    from .pool import Pool

MOST_PIECES = 512  # a union larger than this is refused
MOST_MEETINGS = 20_000  # intersections of pieces in one schema; more would take seconds
MOST_PATTERNS = 40  # patterns that one string must match at once


def meet(pool: Pool, a: Pieces, b: Pieces) -> Pieces:
    """The values that are in both unions, piece by piece."""
    if a is b or b is ALL_PIECES:
        return a
    if a is ALL_PIECES:
        return b
    found: list[Piece] = []
    for p in a:
        for q in b:
            if p.type == q.type:
                r = meet_piece(pool, p, q)
                if r is not None:
                    found.append(r)
        if len(found) > MOST_PIECES:
            raise Inexact(f"more than {MOST_PIECES} combinations of alternatives")
    return tuple(found)


def meet_piece(pool: Pool, p: Piece, q: Piece) -> Piece | None:
    """The values that are in both pieces of one type; None where there are surely none."""
    universal = UNIVERSAL[p.type]
    if q is universal or p is q:
        return p
    if p is universal:
        return q
    _count(pool)
    if isinstance(p, Scalars):
        return _filtered(p, q, pool.document.draft)
    if isinstance(q, Scalars):
        return _filtered(q, p, pool.document.draft)
    if isinstance(p, Number):
        return meet_numbers(p, q)
    if isinstance(p, String):
        return meet_strings(p, q)
    if isinstance(p, ArrayOf):
        return meet_arrays(pool, p, q)
    return meet_objects(pool, p, q)


def _count(pool: Pool) -> None:
    pool.meetings += 1
    if pool.meetings > MOST_MEETINGS:
        raise Inexact(f"more than {MOST_MEETINGS} intersections of alternatives")


def _filtered(scalars: Scalars, other: Piece, draft: int) -> Scalars | None:
    if isinstance(other, Scalars):
        allowed = set(other.values)
        kept = tuple(value for value in scalars.values if value in allowed)
    elif isinstance(other, Number):
        kept = tuple(value for value in scalars.values if holds(other, value))
        if draft <= 4 and other.integer:  # there, 1.0 is no integer
            kept = tuple(value for value in kept if isinstance(value, int))
    else:
        kept = _fitting(scalars, other, other.content)
        if other.outer is not None and kept != _fitting(scalars, other, other.outer):
            raise Inexact("a listed value is a rare case of the format, which is not decided", "format")
    if len(kept) == len(scalars.values):
        return scalars
    return Scalars(scalars.type, kept) if kept else None


def _fitting(scalars: Scalars, piece: String, content: Expression | None) -> tuple:
    if content is None and not piece.least and piece.most is None:
        return tuple(value for value in scalars.values if value not in piece.excluded)
    return tuple(
        value for value in scalars.values
        if value not in piece.excluded and fits(content, piece.least, piece.most, value)
    )


def holds(piece: Number, value: int | float) -> bool:
    """Whether a number is in the piece."""
    if piece.low is not None and (value <= piece.low if piece.low_open else value < piece.low):
        return False
    if piece.high is not None and (value >= piece.high if piece.high_open else value > piece.high):
        return False
    if piece.integer is not None and (value == value // 1) is not piece.integer:
        return False
    return all(divides(m, value) for m in piece.multiples) and not any(
        divides(m, value) for m in piece.indivisible
    )


def divides(step: int | float, value: int | float) -> bool:
    """Whether `value` is a multiple of `step`, both as they are written.

    >>> divides(0.01, 19.99)
    True
    """
    return (Fraction(repr(value)) / Fraction(repr(step))).denominator == 1


def _higher(p: Number, q: Number) -> tuple[int | float | None, bool]:
    if p.low is None or (q.low is not None and q.low > p.low):
        return q.low, q.low_open
    if q.low is None or p.low > q.low:
        return p.low, p.low_open
    return p.low, p.low_open or q.low_open


def _lower(p: Number, q: Number) -> tuple[int | float | None, bool]:
    if p.high is None or (q.high is not None and q.high < p.high):
        return q.high, q.high_open
    if q.high is None or p.high < q.high:
        return p.high, p.high_open
    return p.high, p.high_open or q.high_open


def meet_numbers(p: Number, q: Number) -> Number | None:
    """Numbers that are in both."""
    low, low_open = _higher(p, q)
    high, high_open = _lower(p, q)
    if low is not None and high is not None and (
        low > high or (low == high and (low_open or high_open))
    ):
        return None
    if p.integer is not None and q.integer is not None and p.integer is not q.integer:
        return None
    integer = q.integer if p.integer is None else p.integer
    multiples = tuple(dict.fromkeys(p.multiples + q.multiples))
    indivisible = tuple(dict.fromkeys(p.indivisible + q.indivisible))
    if any(divides(bad, good) for good in multiples for bad in indivisible):
        return None
    met = Number(low, high, low_open, high_open, integer, multiples, indivisible)
    return None if integer and empty_range(met) else met


def empty_range(piece: Number) -> bool:
    """Whether there is no whole number between the bounds."""
    low, high = whole_bounds(piece)
    return low is not None and high is not None and low > high


def whole_bounds(piece: Number) -> tuple[int | None, int | None]:
    """The smallest and the largest whole number within the bounds.

    >>> whole_bounds(Number(0.5, 3, high_open=True))
    (1, 2)
    """
    low = high = None
    if piece.low is not None:
        low = -int(-piece.low // 1)
        if piece.low_open and low == piece.low:
            low += 1
    if piece.high is not None:
        high = int(piece.high // 1)
        if piece.high_open and high == piece.high:
            high -= 1
    return low, high


def meet_strings(p: String, q: String) -> String | None:
    """Strings that are in both."""
    least = max(p.least, q.least)
    most = fewer(p.most, q.most)
    if most is not None and least > most:
        return None
    content = meet_contents(p.content, q.content)
    if isinstance(content, Both) and len(content.items) > MOST_PATTERNS:
        raise Inexact(f"more than {MOST_PATTERNS} patterns and formats for one string", "pattern")
    label = q.label if p.label == "string" else p.label
    outer = None
    if p.outer is not None or q.outer is not None:
        outer = meet_contents(p.outer or p.content, q.outer or q.content)
    return String(content, least, most, outer, label, p.excluded | q.excluded)


def fewer(a: int | None, b: int | None) -> int | None:
    """The smaller of two upper bounds; None is no bound."""
    if a is None:
        return b
    return a if b is None else min(a, b)


def meet_arrays(pool: Pool, p: ArrayOf, q: ArrayOf) -> ArrayOf | None:
    """Arrays that are in both."""
    least, most = max(p.least, q.least), fewer(p.most, q.most)
    length = max(len(p.prefix), len(q.prefix))
    prefix = tuple(pool.both(element(p, i), element(q, i)) for i in range(length))
    rest = pool.both(p.rest, q.rest)
    seen = None if p.seen is None or q.seen is None else max(p.seen, q.seen)
    met = ArrayOf(
        prefix, rest, least, most, p.unique or q.unique,
        tuple(dict.fromkeys(p.contains + q.contains)),
        seen, tuple(dict.fromkeys(p.seen_nodes + q.seen_nodes)), p.pointer or q.pointer,
    )
    return met if fit_length(met) else None


def fit_length(piece: ArrayOf) -> bool:
    """Shorten an array to what its elements allow; False: no length is left. Changes the piece."""
    for i, node in enumerate(piece.prefix):
        if node is NOTHING:
            piece.most = fewer(piece.most, i)
            break
    if piece.rest is NOTHING:
        piece.most = fewer(piece.most, len(piece.prefix))
    if piece.most is not None and len(piece.prefix) > piece.most:
        piece.prefix = piece.prefix[: piece.most]
    return piece.most is None or piece.least <= piece.most


def element(piece: ArrayOf, index: int) -> Node:
    """The node of the element at a position."""
    return piece.prefix[index] if index < len(piece.prefix) else piece.rest


def value_of(piece: ObjectOf, name: str) -> Node:
    """The node of the value that a name may have; `NOTHING`: the name may not occur."""
    node = piece.names.get(name)
    if node is not None:
        return node
    for keys, node in piece.free:
        if matches(keys, name):
            return node
    return NOTHING


def may_have(pool: Pool, p: ObjectOf, q: ObjectOf, required: frozenset[str]) -> bool:
    """Whether objects in both may have all the `required` names, as far as their number is concerned."""
    _count(pool)
    most = fewer(p.most, q.most)
    return most is None or max(len(required), p.least, q.least) <= most


def meet_objects(pool: Pool, p: ObjectOf, q: ObjectOf) -> ObjectOf | None:
    """Objects that are in both."""
    names = {name: pool.both(node, value_of(q, name)) for name, node in p.names.items()}
    for name, node in q.names.items():
        if name not in names:
            names[name] = pool.both(value_of(p, name), node)
    required = p.required | q.required
    most = fewer(p.most, q.most)
    if any(names[name] is NOTHING for name in required):
        return None
    if most is not None and max(len(required), p.least, q.least) > most:
        return None
    dependents = p.dependents
    if q.dependents:
        dependents = dict(p.dependents)
        for name, needs in q.dependents.items():
            dependents[name] = tuple(dict.fromkeys(dependents.get(name, ()) + needs))
    return ObjectOf(
        names, _meet_free(pool, p.free, q.free), required, max(p.least, q.least), most, dependents,
        tuple(dict.fromkeys(p.some + q.some)),
        None if p.seen is None or q.seen is None else p.seen | q.seen,
        tuple(dict.fromkeys(p.seen_keys + q.seen_keys)), p.inexact or q.inexact,
        p.pointer or q.pointer,
    )


def _meet_free(pool: Pool, a: tuple, b: tuple) -> tuple:
    if len(a) == 1 and a[0][0] is None and len(b) == 1 and b[0][0] is None:
        node = pool.both(a[0][1], b[0][1])
        return () if node is NOTHING else ((None, node),)
    found = []
    for e, m in a:
        for f, n in b:
            node = pool.both(m, n)
            if node is NOTHING:
                continue
            keys = meet_contents(e, f)
            if keys is None or e is keys or f is keys or not pool.hollow_keys(keys):
                found.append((keys, node))
    return tuple(found)
