"""Numbers between bounds, as expressions over the bytes of their JSON spelling."""

from __future__ import annotations

from .expression import Expression, TooComplex, byte_ranges, concat, either, literal, repeat

_DIGIT = byte_ranges(((48, 57),))
_MINUS = literal(b"-")
_WHOLE = either(literal(b"0"), concat(byte_ranges(((49, 57),)), repeat(_DIGIT)))


def decimals(low=None, high=None, exclusive_low=None, exclusive_high=None, multiple_of=None) -> Expression:
    """A JSON number."""
    if not low is high is exclusive_low is exclusive_high is multiple_of is None:
        raise TooComplex("bounds on numbers are not built yet")
    exponent = concat(byte_ranges(((69, 69), (101, 101))), repeat(byte_ranges(((43, 43), (45, 45))), 0, 1), repeat(_DIGIT, 1))
    fraction = concat(literal(b"."), repeat(_DIGIT, 1))
    return concat(repeat(_MINUS, 0, 1), _WHOLE, repeat(fraction, 0, 1), repeat(exponent, 0, 1))


def integers(low=None, high=None, multiple_of=None) -> Expression:
    """A whole number."""
    if not low is high is multiple_of is None:
        raise TooComplex("bounds on numbers are not built yet")
    return concat(repeat(_MINUS, 0, 1), _WHOLE, repeat(concat(literal(b".0")), 0, 1))
