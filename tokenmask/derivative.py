"""Reading an expression byte by byte: Brzozowski derivatives for all 256 bytes at once.

A row says what is left after one byte, as disjoint ranges of bytes. The row of a node comes from
the rows of its parts: cut at all their ends, and combine piece by piece.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator

from .combine import both, concat, either_of, negate, repeat
from .nodes import (
    ALL,
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
    Row,
    TooComplex,
)


def transitions(e: Expression) -> Row:
    """What is left of `e` after one byte: disjoint (lo, hi, rest), sorted, dead ends left out.

    >>> transitions(literal(b"a"))
    ((97, 97, EMPTY),)
    """
    if e._row is not None:
        return _unpacked(e._row)
    row = raw_transitions(e)
    if not e.unsure:
        e._row = e._raw
        return row
    row = join_row(entry for entry in row if not is_nothing(entry[2]))
    e._row = _packed(row)
    return row


def _inner(e: Expression) -> Row:
    """For the parts of an expression. Leaving out dead ends inside a loop would ask for itself."""
    return raw_transitions(e) if e.unsure == 2 else transitions(e)


def raw_transitions(e: Expression) -> Row:
    """The same, perhaps with dead ends."""
    if e._raw is not None:
        return _unpacked(e._raw)
    row = _COMPUTE[type(e)](e)
    e._raw = _packed(row)
    return row


def _packed(row: Row) -> tuple:
    """A row as it is kept: one tuple, not one per entry, for the garbage collector to visit."""
    return tuple(part for entry in row for part in entry)


def _unpacked(kept: tuple) -> Row:
    parts = iter(kept)
    return tuple(zip(parts, parts, parts, strict=True))


def _bytes(e: Bytes) -> Row:
    return tuple((lo, hi, EMPTY) for lo, hi in e.ranges)


def _leaf(e: Leaf) -> Row:
    return e.family.row(e.state)


def _concat(e: Concat) -> Row:
    rows = []
    rest = e
    # a loop, not a recursion: a?b?c?... may be thousands of nullable heads long
    while type(rest) is Concat:
        tail = rest.tail
        rows.append([(lo, hi, concat(d, tail)) for lo, hi, d in _inner(rest.head)])
        if not rest.head.nullable:
            return join_row(rows[0]) if len(rows) == 1 else union_rows(rows)
        rest = tail
    rows.append(_inner(rest))
    return union_rows(rows)


def _either_of(e: Either) -> Row:
    return union_rows([_inner(item) for item in e.items])


def _both_of(e: Both) -> Row:
    return meet_rows([_inner(item) for item in e.items])


def _negate(e: Negate) -> Row:
    row, start = [], 0
    for lo, hi, d in _inner(e.inner):
        if start < lo:
            row.append((start, lo - 1, ALL))
        row.append((lo, hi, negate(d)))
        start = hi + 1
    if start < 256:
        row.append((start, 255, ALL))
    return join_row(row)


def _repeat(e: Repeat) -> Row:
    less = repeat(e.body, max(e.lo - 1, 0), None if e.hi is None else e.hi - 1)
    return join_row([(lo, hi, concat(d, less)) for lo, hi, d in _inner(e.body)])


def _loop(e: Loop) -> Row:
    return raw_transitions(e.meaning)


_COMPUTE = {
    Bytes: _bytes,
    Leaf: _leaf,
    Concat: _concat,
    Either: _either_of,
    Both: _both_of,
    Negate: _negate,
    Repeat: _repeat,
    Loop: _loop,
}


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
                target = known[key] = either_of(targets)
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


def is_nothing(e: Expression, limit: int = 20_000) -> bool:
    """No word at all is in `e`. Exact; `TooComplex` when more than `limit` states had to be seen.

    >>> is_nothing(both(literal(b"a"), literal(b"b")))
    True
    """
    if e.nullable or not e.unsure:
        return e is NOTHING
    if e._empty is None:
        e._empty = _search(e, limit)
    return e._empty


def _search(e: Expression, limit: int) -> bool:
    kind = type(e)
    if e.unsure == 2:
        return _walk(e, limit)
    if kind is Concat:
        # a loop: thousands of parts may follow each other
        while type(e) is Concat:
            if is_nothing(e.head, limit):
                return True
            e = e.tail
        return is_nothing(e, limit)
    if kind is Either:
        return all(is_nothing(item, limit) for item in e.items)
    if kind is Repeat:
        return is_nothing(e.body, limit)  # lo > 0, else nullable
    return _walk(e, limit)


def _walk(e: Expression, limit: int) -> bool:
    """Over the derivatives of an intersection, a complement or a loop, until one has a word.

    By turns the newest and the oldest: a long word is near for the one, a short one for the other.
    """
    came_from: dict[Expression, Expression | None] = {e: None}
    waiting = deque((e,))
    work, newest = 0, False
    while waiting:
        newest = not newest
        here = waiting.pop() if newest else waiting.popleft()
        # a state costs as much as it has alternatives, and those of its parts
        work += sum(len(getattr(item, "items", ())) for item in getattr(here, "items", ()))
        later = []
        for _, _, rest in raw_transitions(here):
            if rest in came_from:
                continue
            parts = rest.unsure == 1 and type(rest) not in (Both, Negate)
            if rest.nullable or not rest.unsure or rest._empty is False or (
                parts and not is_nothing(rest, limit)
            ):
                # everything on the way here has a word
                step: Expression | None = here
                while step is not None:
                    step._empty = False
                    step = came_from[step]
                return False
            if parts or rest._empty:
                continue
            came_from[rest] = here
            later.append(rest)
        if len(came_from) > limit or work > 2 * limit:
            raise TooComplex(f"no word found among the first {limit} states of an expression")
        waiting.extend(reversed(later))
    for state in came_from:
        state._empty = True
    return True
