"""`contains` and `uniqueItems`: brought into the form that the automaton can count."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING

from .meet import element, fewer, fit_length, holds, whole_bounds
from .pieces import EVERYTHING, NOTHING, ArrayOf, Node, Number, Scalars

if TYPE_CHECKING:
    from .compile import Compiler

MOST_CASES = 512  # ways to choose which of the first elements match
MOST_RANGE = 256  # whole numbers that uniqueItems lists out of a range


def _is_cut(piece: ArrayOf) -> bool:
    """Its elements or its length leave less of it than it says, or nothing."""
    if piece.rest is NOTHING or NOTHING in piece.prefix:
        return True
    return piece.most is not None and max(piece.least, len(piece.prefix)) > piece.most


def resolve_contains(compiler: Compiler, piece: ArrayOf) -> list[ArrayOf]:
    """The same arrays, with at most one `contains`, and none where there is a prefix."""
    if not piece.contains and not _is_cut(piece):
        return [piece]
    pool = compiler.pool
    left = []
    for node, least, most in piece.contains:
        if node is EVERYTHING:
            piece = replace(piece, least=max(piece.least, least), most=fewer(piece.most, most))
        elif most == 0:
            piece = _every(compiler, piece, pool.negate(node))
        elif least or most is not None:
            left.append((node, least, most))
    piece = replace(piece, contains=())
    if not fit_length(piece) or any(least and node is NOTHING for node, least, _ in left):
        return []
    if not left:
        return [piece]
    if len(left) == 1 and not piece.prefix:
        return [replace(piece, contains=tuple(left))]
    return _cases(compiler, piece, left)


def _every(compiler: Compiler, piece: ArrayOf, node: Node) -> ArrayOf:
    both = compiler.pool.both
    return replace(
        piece, prefix=tuple(both(n, node) for n in piece.prefix), rest=both(piece.rest, node)
    )


def _cases(compiler: Compiler, piece: ArrayOf, contains: list) -> list[ArrayOf]:
    """Short arrays: every way in which the elements can match."""
    if piece.most is None or 2 ** (len(contains) * piece.most) > MOST_CASES:
        raise compiler.unsupported(
            "contains beside prefixItems, or several of them, can only be enforced for short "
            "arrays; set maxItems or use items", "contains", piece.pointer,
        )
    pool = compiler.pool
    found = []
    for length in range(piece.least, piece.most + 1):
        nodes = [element(piece, i) for i in range(length)]
        for choice in product((True, False), repeat=len(contains) * length):
            rows = [choice[k * length : (k + 1) * length] for k in range(len(contains))]
            counts = [sum(row) for row in rows]
            if any(
                n < least or (most is not None and n > most)
                for n, (_, least, most) in zip(counts, contains)
            ):
                continue
            chosen = tuple(
                pool.both(node, *(
                    each[0] if row[i] else pool.negate(each[0])
                    for row, each in zip(rows, contains)
                ))
                for i, node in enumerate(nodes)
            )
            if NOTHING not in chosen:
                found.append(ArrayOf(chosen, NOTHING, length, length, piece.unique,
                                     pointer=piece.pointer))
    return found


def finite_values(compiler: Compiler, piece: ArrayOf, node: Node) -> tuple:
    """All values of an element of a `uniqueItems` array, or the error that they are too many."""
    values: list = []
    for each in compiler.expand(node):
        if isinstance(each, Scalars):
            values.extend(each.values)
        elif isinstance(each, Number) and each.integer:
            low, high = whole_bounds(each)
            if low is None or high is None or high - low >= MOST_RANGE:
                raise _too_many(compiler, piece)
            values.extend(value for value in range(low, high + 1) if holds(each, value))
        else:
            raise _too_many(compiler, piece)
    return tuple({(type(value) is bool, value): value for value in values}.values())


def _too_many(compiler: Compiler, piece: ArrayOf):
    return compiler.unsupported(
        "uniqueItems is only enforced where every element is a string, or one of finitely many "
        "scalars; give the items an enum, or downgrade it with annotations=('uniqueItems',)", "uniqueItems",
        piece.pointer,
    )
