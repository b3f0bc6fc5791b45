"""Complements of pieces: what `not`, `oneOf` and `else` need. Exact, or `Inexact` is raised."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from ..expression import Expression, both
from ..expression import negate as not_expression
from .keys import ANY_CONTENT
from .meet import meet, meet_contents
from .pieces import (
    EVERYTHING,
    NOTHING,
    TYPES,
    UNIVERSAL,
    ArrayOf,
    Inexact,
    Number,
    ObjectOf,
    Piece,
    Pieces,
    Scalars,
    String,
)

if TYPE_CHECKING:
    from .pool import Pool


def complement(pool: Pool, pieces: Pieces) -> Pieces:
    """All values that are in none of the pieces."""
    found: list[Piece] = []
    for type_name in TYPES:
        left: Pieces = (UNIVERSAL[type_name],)
        for piece in pieces:
            if piece.type == type_name:
                left = meet(pool, left, complement_piece(pool, piece))
        found.extend(left)
    return tuple(found)


def complement_piece(pool: Pool, piece: Piece) -> Pieces:
    """All values of the piece's type that are not in it."""
    if piece is UNIVERSAL[piece.type]:
        return ()
    if isinstance(piece, Scalars):
        return _not_scalars(pool, piece)
    if isinstance(piece, Number):
        return _not_number(piece)
    if isinstance(piece, String):
        return _not_string(piece)
    if isinstance(piece, ArrayOf):
        return _not_array(pool, piece)
    return _not_object(pool, piece)


def _not_scalars(pool: Pool, piece: Scalars) -> Pieces:
    if piece.type == "string":
        return (String(excluded=frozenset(piece.values)),)
    if piece.type == "number":
        values = sorted(piece.values)
        bounds = [None, *values, None]
        return tuple(
            Number(low, high, low is not None, high is not None)
            for low, high in pairwise(bounds)
            if low is None or high is None or low < high
        )
    rest = tuple(value for value in UNIVERSAL[piece.type].values if value not in piece.values)
    return (Scalars(piece.type, rest),) if rest else ()


def _not_number(piece: Number) -> Pieces:
    found = []
    if piece.low is not None:
        found.append(Number(high=piece.low, high_open=not piece.low_open))
    if piece.high is not None:
        found.append(Number(low=piece.high, low_open=not piece.high_open))
    if piece.integer is not None:
        found.append(Number(integer=not piece.integer))
    if piece.integer is not True and (piece.multiples or piece.indivisible):
        # of a fraction's spellings only some are known to be multiples, so "not" would be too wide
        raise Inexact("numbers that are not a multiple are only supported for integers", "multipleOf")
    for step in piece.multiples:
        found.append(Number(integer=True, indivisible=(step,)))
    for step in piece.indivisible:
        found.append(Number(integer=True, multiples=(step,)))
    return tuple(found)


def _not_string(piece: String) -> Pieces:
    found = []
    if piece.least:
        found.append(String(most=piece.least - 1))
    if piece.most is not None:
        found.append(String(least=piece.most + 1))
    if piece.outer is not None:
        if piece.outer is ANY_CONTENT:
            raise Inexact("which strings do not have this format is not known", "format")
        found.append(String(opposite(piece.outer), outer=opposite(piece.content)))
    elif piece.content is not None:
        found.append(String(opposite(piece.content)))
    if piece.excluded:
        found.append(Scalars("string", tuple(sorted(piece.excluded))))
    return tuple(found)


def opposite(content: Expression) -> Expression:
    """All strings that do not have this content."""
    return both(ANY_CONTENT, not_expression(content))


def _not_array(pool: Pool, piece: ArrayOf) -> Pieces:
    if piece.unique:
        raise Inexact("arrays with a repeated element cannot be asked for", "uniqueItems")
    found = []
    for i, node in enumerate(piece.prefix):
        wrong = pool.negate(node)
        if wrong is not NOTHING:
            found.append(ArrayOf((EVERYTHING,) * i + (wrong,), EVERYTHING, least=i + 1))
    wrong = pool.negate(piece.rest)
    if wrong is EVERYTHING:
        found.append(ArrayOf((), EVERYTHING, least=len(piece.prefix) + 1))
    elif wrong is not NOTHING:
        if piece.prefix:
            raise Inexact("a wrong element somewhere after the first ones cannot be asked for", "items")
        found.append(ArrayOf((), EVERYTHING, least=1, contains=((wrong, 1, None),)))
    if piece.least:
        found.append(ArrayOf((), EVERYTHING, most=piece.least - 1))
    if piece.most is not None:
        found.append(ArrayOf((), EVERYTHING, least=piece.most + 1))
    for node, least, most in piece.contains:
        if least:
            found.append(ArrayOf((), EVERYTHING, contains=((node, 0, least - 1),)))
        if most is not None:
            found.append(ArrayOf((), EVERYTHING, least=most + 1, contains=((node, most + 1, None),)))
    return tuple(found)


def _not_object(pool: Pool, piece: ObjectOf) -> Pieces:
    if piece.some or piece.inexact:
        raise Inexact("the complement of this object cannot be asked for", "not")
    anything = ((None, EVERYTHING),)
    found = []
    for name in piece.required:
        found.append(ObjectOf({name: NOTHING}, anything))
    for name, node in piece.names.items():
        wrong = pool.negate(node)
        if wrong is not NOTHING:
            found.append(ObjectOf({name: wrong}, anything, frozenset((name,)), 1))
    found.extend(_not_free(pool, piece))
    if piece.least:
        found.append(ObjectOf({}, anything, most=piece.least - 1))
    if piece.most is not None:
        found.append(ObjectOf({}, anything, least=piece.most + 1))
    for name, needs in piece.dependents.items():
        for need in needs:
            if need != name:
                found.append(
                    ObjectOf({name: EVERYTHING, need: NOTHING}, anything, frozenset((name,)), 1)
                )
    return tuple(found)


def _not_free(pool: Pool, piece: ObjectOf) -> Pieces:
    """Objects with some other key whose value (or which itself) is not allowed."""
    anything = ((None, EVERYTHING),)
    known = frozenset(piece.names)
    found = []
    outside = None  # the keys that are in no class
    for keys, node in piece.free:
        if keys is None:
            outside = NOTHING
        elif outside is not NOTHING:
            outside = meet_contents(outside, opposite(keys))
        wrong = pool.negate(node)
        if wrong is not NOTHING:
            found.append(ObjectOf({}, anything, least=1, some=((keys, known, wrong),)))
    if outside is not NOTHING and (outside is None or not pool.hollow_keys(outside)):
        found.append(ObjectOf({}, anything, least=1, some=((outside, known, EVERYTHING),)))
    return tuple(found)


