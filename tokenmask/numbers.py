"""Numbers between bounds, as expressions over the bytes of their JSON spelling.

A spelling without point and exponent is read as a whole number, exactly; any other is rounded to
the nearest float. Rounding keeps order: a spelling at or above `repr(x)` is read as x or more. So
a bound on a spelling is the `repr` of the smallest float allowed.
"""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from typing import TypeAlias

from .digits import DIGIT, MINUS, POINT, WHOLE, at_least, at_most, between, signed, span, whole
from .expression import NOTHING, Expression, byte_ranges, concat, either, literal, repeat, transitions
from .multiples import EXACT, multiples, multiples_of

Bound: TypeAlias = int | float | Decimal | None

FEWEST_ZEROS = 20  # 0 < x as 0.000...1 needs a digit among so many places; or an exponent
_POINT_ZERO = repeat(literal(b".0"), 0, 1)
_E = byte_ranges(((69, 69), (101, 101)))
_SIGN = byte_ranges(((43, 43), (45, 45)))


def integers(low: Bound = None, high: Bound = None, multiple_of: Bound = None) -> Expression:
    """Whole numbers from `low` to `high`: `7`, `-0`, and `7.0`, which JSON Schema calls whole too.

    >>> words(integers(9, 10), 9)
    [b'9', b'10', b'9.0', b'10.0']
    """
    first = None if low is None else math.ceil(_exact(low))
    last = None if high is None else math.floor(_exact(high))
    if multiple_of is None:
        return _integers(first, last)
    return multiples_of(first, last, _step(multiple_of), _integers)


@lru_cache(maxsize=500)
def _integers(low: int | None, high: int | None) -> Expression:
    if low is not None and high is not None and low > high:
        return NOTHING
    first = -EXACT if low is None else max(low, -EXACT)
    last = EXACT if high is None else min(high, EXACT)
    if (first, last) == (low, high):
        return concat(signed(low, high), _POINT_ZERO)
    return either(signed(low, high), concat(signed(first, last), _POINT_ZERO))


def decimals(
    low: Bound = None,
    high: Bound = None,
    exclusive_low: bool | None = None,
    exclusive_high: bool | None = None,
    multiple_of: Bound = None,
) -> Expression:
    """Numbers from `low` to `high`; `exclusive_low` and `exclusive_high` leave the bound out.

    Without bounds this is all of JSON's grammar. With bounds: plain decimals of any length, and
    one digit before the point with an exponent, which is what `json.dumps` writes.

    >>> matches(decimals(0, 1, exclusive_high=True), b"0.999")
    True
    """
    least = None if low is None else _exact(low)
    most = None if high is None else _exact(high)
    bounds = (least, most, bool(exclusive_low), bool(exclusive_high))
    if multiple_of is None:
        return _decimals(*bounds)
    step = _step(multiple_of)
    if step == int(step):
        return multiples_of(*whole_bounds(*bounds), step, _integers)
    return multiples(
        _float_bound(least, bounds[2], 1),
        _float_bound(most, bounds[3], -1),
        step,
        lambda: _decimals(*bounds),
    )


@lru_cache(maxsize=500)
def _decimals(
    low: Fraction | None, high: Fraction | None, low_open: bool, high_open: bool
) -> Expression:
    first, last = whole_bounds(low, high, low_open, high_open)
    if low is None and high is None:
        return _any_number()
    if first is None or last is None or first <= last:
        exact = signed(first, last)
    else:
        exact = NOTHING
    least, most = _float_bound(low, low_open, 1), _float_bound(high, high_open, -1)
    if least is not None and most is not None and least > most:
        return exact
    parts = [exact]
    if most is None or most >= 0:
        parts.append(_positive(max(least or Decimal(0), Decimal(0)), most))
    if least is None or least <= 0:
        smallest = Decimal(0) if most is None or most >= 0 else -most
        parts.append(concat(MINUS, _positive(smallest, None if least is None else -least)))
    return either(*parts)


@lru_cache(maxsize=1)
def _any_number() -> Expression:
    """All of JSON's grammar for numbers."""
    exponent = concat(_E, repeat(_SIGN, 0, 1), repeat(DIGIT, 1))
    fraction = concat(POINT, repeat(DIGIT, 1))
    return concat(repeat(MINUS, 0, 1), WHOLE, repeat(fraction, 0, 1), repeat(exponent, 0, 1))


def whole_bounds(low: Fraction | None, high: Fraction | None, low_open: bool,
                 high_open: bool) -> tuple[int | None, int | None]:
    """The first and the last whole number between the bounds."""
    first = last = None
    if low is not None:
        first = math.floor(low) + 1 if low_open else math.ceil(low)
    if high is not None:
        last = math.ceil(high) - 1 if high_open else math.floor(high)
    return first, last


def _exact(number: int | float | Decimal) -> Fraction:
    if isinstance(number, float) and not math.isfinite(number):
        raise ValueError(f"a bound must be a finite number, not {number}")
    return Fraction(number)


def _step(number: int | float | Decimal) -> int | float:
    if isinstance(number, Decimal):
        number = int(number) if number == int(number) else float(number)
    if number <= 0 or (isinstance(number, float) and not math.isfinite(number)):
        raise ValueError(f"a number can only be a multiple of a number above 0, not of {number}")
    return number


def _float_bound(bound: Fraction | None, is_open: bool, direction: int) -> Decimal | None:
    """The shortest decimal of the first float that is allowed, going up (1) or down (-1)."""
    if bound is None:
        return None
    try:
        nearest = float(bound)
    except OverflowError:
        nearest = math.copysign(math.inf, bound)
    here = Fraction(nearest) if math.isfinite(nearest) else None
    if here is None:
        # beyond all floats: either every float is allowed, or none is
        if (nearest > 0) == (direction > 0):
            return Decimal("1e309") * direction
        return Decimal(repr(-math.copysign(math.nextafter(math.inf, 0), direction)))
    if (here - bound) * direction < 0 or (here == bound and is_open):
        nearest = math.nextafter(nearest, math.inf * direction)
        if not math.isfinite(nearest):
            return Decimal("1e309") * direction
    return Decimal(repr(nearest))


def _positive(low: Decimal, high: Decimal | None) -> Expression:
    """Spellings with a point or an exponent, from `low` (at least 0) to `high`, without sign."""
    return either(_plain(low, high), _scientific(low, high))


def _parts(number: Decimal) -> tuple[int, str]:
    """Whole part and digits of the fraction, without zeros at the end."""
    text = f"{number:f}"
    before, _, after = text.partition(".")
    return int(before), after.rstrip("0")


def _plain(low: Decimal, high: Decimal | None) -> Expression:
    if 0 < low < Decimal(1).scaleb(-FEWEST_ZEROS):
        low = Decimal(1).scaleb(-FEWEST_ZEROS)
    if high is not None and 0 < high < Decimal(1).scaleb(-FEWEST_ZEROS):
        high = Decimal(0)
    if high is not None and low > high:
        return NOTHING
    first, least = _parts(low)
    above = concat(whole(first, first), POINT, _some(at_least(least, False)))
    if high is None:
        return either(above, concat(whole(first + 1, None), POINT, repeat(DIGIT, 1)))
    last, most = _parts(high)
    if first == last:
        return concat(whole(first, first), POINT, _some(between(least, most, False)))
    return either(
        above,
        concat(whole(first + 1, last - 1), POINT, repeat(DIGIT, 1)),
        concat(whole(last, last), POINT, _some(at_most(most, False))),
    )


def _some(digits: Expression) -> Expression:
    """At least one digit."""
    if not digits.nullable:
        return digits
    return either(*(concat(span(b - 48, c - 48), rest) for b, c, rest in transitions(digits)))


def _scientific(low: Decimal, high: Decimal | None) -> Expression:
    """`d.ddde-07`: one digit that is not 0, perhaps a fraction, an exponent."""
    if high is not None and (low > high or high == 0):
        return NOTHING
    least, first = _mantissa(low) if low else ("1", None)
    most, last = _mantissa(high) if high is not None else ("9", None)
    if first is not None and first == last:
        return concat(_mantissas(least, most), _E, _exponents(first, last))
    parts = [concat(_mantissas("1", None), _E, _exponents(
        None if first is None else first + 1, None if last is None else last - 1))]
    if first is not None:
        parts.append(concat(_mantissas(least, None), _E, _exponents(first, first)))
    if last is not None:
        parts.append(concat(_mantissas("1", most), _E, _exponents(last, last)))
    return either(*parts)


def _mantissa(number: Decimal) -> tuple[str, int]:
    """Its digits without zeros at the end, and the exponent of the first digit."""
    _, digits, _ = number.as_tuple()
    return "".join(map(str, digits)).rstrip("0"), number.adjusted()


def _mantissas(low: str, high: str | None) -> Expression:
    """`d` or `d.ddd` from `low` to `high`, both given as digits without the point."""
    lowest = concat(span(int(low[0]), int(low[0])), _after_first(low[1:], None))
    if high is None:
        return either(lowest, concat(span(int(low[0]) + 1, 9), _after_first("", None)))
    if low[0] == high[0]:
        return concat(span(int(low[0]), int(low[0])), _after_first(low[1:], high[1:]))
    return either(
        lowest,
        concat(span(int(low[0]) + 1, int(high[0]) - 1), _after_first("", None)),
        concat(span(int(high[0]), int(high[0])), _after_first("", high[1:])),
    )


def _after_first(low: str, high: str | None) -> Expression:
    """Nothing (if `low` is 0) or a point and a fraction from `low` to `high`."""
    fraction = at_least(low, False) if high is None else between(low, high, False)
    some = concat(POINT, _some(fraction))
    return some if low else either(literal(b""), some)


def _exponents(first: int | None, last: int | None) -> Expression:
    """`e` is written; sign and digits of an exponent from `first` to `last`, zeros in front or not."""
    if first is not None and last is not None and first > last:
        return NOTHING
    zero = literal(b"0")
    parts = []
    if last is None or last >= 0:
        plus = repeat(literal(b"+"), 0, 1)
        parts.append(concat(plus, repeat(zero, 0, 1), whole(max(first or 0, 0), last)))
    if first is None or first < 0:
        least = 1 if last is None or last >= 0 else -last
        parts.append(concat(MINUS, repeat(zero, 0, 1), whole(least, None if first is None else -first)))
    return either(*parts)
