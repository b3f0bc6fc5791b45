"""Numbers as bytes: which spellings a set of numbers has."""

from __future__ import annotations

import math
from functools import lru_cache

from ..errors import UnsupportedSchema
from ..expression import (
    NOTHING,
    Expression,
    TooComplex,
    both,
    byte_ranges,
    concat,
    either,
    literal,
    negate,
    repeat,
)
from ..multiples import FEW_REMAINDERS
from ..numbers import decimals, integers
from ..search import is_nothing
from ..shapes import Terminal
from .meet import whole_bounds
from .pieces import Number

_DIGIT = byte_ranges(((48, 57),))
_MINUS = repeat(literal(b"-"), 0, 1)
_DIGITS_ONLY = concat(_MINUS, repeat(_DIGIT, 1))
_PLAIN = 10**25
_LARGEST = 2**53  # up to here a float is exactly the whole number that it shows


def spelled(values: tuple, draft: int) -> list:
    """Scalars as `Literals` takes them: 1 also as 1.0, which is the same number.

    >>> spelled((1, "a"), 2020)
    [1, 1.0, 'a']
    """
    if draft <= 4:
        return list(values)
    found: list = []
    for value in values:
        found.append(value)
        if type(value) is int and abs(value) <= _LARGEST:
            found.append(float(value))
        elif isinstance(value, float) and value.is_integer() and abs(value) <= _LARGEST:
            found.append(int(value))
    return found


def number_terminal(piece: Number, draft: int) -> Terminal | None:
    """The shape of a numeric piece, shared by all schemas; None: there is no such number."""
    try:
        return _terminal(
            piece.low, piece.high, type(piece.low), type(piece.high), piece.low_open,
            piece.high_open, piece.integer, piece.multiples, piece.indivisible, draft <= 4,
        )
    except TooComplex as error:
        raise UnsupportedSchema(
            f"these bounds on a number are too complex: {error}",
            keyword="multipleOf" if piece.multiples or piece.indivisible else "minimum",
        ) from None


@lru_cache(maxsize=4096)
def _terminal(low, high, _low_type, _high_type, low_open, high_open, integer, multiples,
              indivisible, strict) -> Terminal | None:
    piece = Number(low, high, low_open, high_open, integer, multiples, indivisible)
    label = "integer" if integer else "number"
    if _has_room(piece):
        return Terminal(lambda: _expression(piece, strict), label)
    expression = _expression(piece, strict)
    risky = multiples or indivisible or integer is False
    if expression is NOTHING or (risky and is_nothing(expression)):
        return None
    return Terminal(expression, label)


def _has_room(piece: Number) -> bool:
    """A number between the bounds is seen at once, and its expression is never too complex."""
    low, high = piece.low, piece.high
    if piece.indivisible or piece.integer is False or not all(map(_is_short, piece.multiples)):
        return False
    if any(bound is not None and abs(bound) > _PLAIN for bound in (low, high)):
        return False
    if _may_be_zero(piece):  # which is a multiple of everything
        return True
    if piece.multiples:
        return _has_multiple(piece)
    # a whole number lies between, whatever rounding does
    return low is None or high is None or low + max(2, abs(low) / 1000) < high


def _is_short(step: int | float) -> bool:
    return 1e-4 <= step <= 1e6 and len(repr(step)) < 12


def _may_be_zero(piece: Number) -> bool:
    low, high = piece.low, piece.high
    above = low is None or low < 0 or (low == 0 and not piece.low_open)
    return above and (high is None or high > 0 or (high == 0 and not piece.high_open))


def _has_multiple(piece: Number) -> bool:
    """Arithmetic tells it of whole numbers and few remainders."""
    if piece.integer is not True or not all(type(step) is int for step in piece.multiples):
        return False
    step = math.lcm(*piece.multiples)
    low, high = whole_bounds(piece)
    return step <= FEW_REMAINDERS and (
        low is None or high is None or -(-low // step) * step <= high
    )


def _expression(piece: Number, strict: bool) -> Expression:
    expression = _integers(piece) if piece.integer else _decimals(piece)
    if piece.integer is False:
        expression = both(expression, _fractions())
    if strict and piece.integer:  # draft-04: 1.0 is no integer
        expression = both(expression, _DIGITS_ONLY)
    return expression


def _integers(piece: Number) -> Expression:
    low, high = whole_bounds(piece)
    parts = [integers(low, high, step) for step in piece.multiples] or [integers(low, high)]
    parts += [negate(integers(multiple_of=step)) for step in piece.indivisible]
    return both(*parts)


def _decimals(piece: Number) -> Expression:
    parts = [
        decimals(piece.low, piece.high, piece.low_open, piece.high_open, step)
        for step in piece.multiples or (None,)
    ]
    return both(*parts)


@lru_cache(maxsize=1)
def _fractions() -> Expression:
    """Spellings of numbers that are surely not whole, also after rounding to a float.

    With k digits before the point, one of the first 15 - k digits behind it is neither all 0 nor
    all 9, or all are 9 and it ends there: so the number is at least 10**(k - 15) from a whole one,
    more than a float rounds.
    """
    middle = byte_ranges(((49, 56),))
    zeros, nines = repeat(literal(b"0"), 1), repeat(literal(b"9"), 1)
    forms = []
    for k in range(1, 14):
        places = 15 - k
        whole = _DIGIT if k == 1 else concat(byte_ranges(((49, 57),)), repeat(_DIGIT, k - 1, k - 1))
        uneven = either(
            concat(repeat(_DIGIT, 0, places - 1), middle),
            both(
                concat(repeat(_DIGIT, 2, places)),
                negate(either(zeros, nines)),
            ),
        )
        forms.append(concat(whole, literal(b"."), uneven, repeat(_DIGIT)))
        forms.append(concat(whole, literal(b"."), repeat(literal(b"9"), 1, places)))
    mantissa = concat(byte_ranges(((49, 57),)), repeat(concat(literal(b"."), repeat(_DIGIT, 1)), 0, 1))
    exponent = either(
        concat(literal(b"0"), byte_ranges(((50, 57),))),
        concat(byte_ranges(((49, 57),)), _DIGIT),
        concat(byte_ranges(((49, 50),)), _DIGIT, _DIGIT),
    )
    forms.append(concat(mantissa, literal(b"e-"), exponent))
    return concat(_MINUS, either(*forms))
