"""Multiples of a number, as leaves that compute: what is read so far decides what may follow.

A small whole step is a classic automaton: its state is the remainder. Anything else keeps the
digits read so far, and asks whether a multiple between the bounds begins with them. Such a leaf has
more states than anybody could list; it only ever has the ones that somebody visits.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from .digits import MINUS
from .expression import EMPTY, NOTHING, Expression, Row, TooComplex, both, concat, either, leaf, literal

EXACT = 10**15 - 1  # whole numbers up to here have an exact float, and so have their neighbours
FEW_REMAINDERS = 200  # with bounds: these are compared at the same time
MOST_REMAINDERS = 10_000
LONGEST = 15  # digits of a number that a float holds exactly
MOST_TRIES = 64  # multiples looked at for one that a division of floats confirms
MOST_PLACES = 15


class Remainders:
    """Numbers without sign that are multiples of `step`, counted in units of 10**-places.

    State: None at the start; (-digits, remainder) before the point, (digits, remainder) after it.
    Whole numbers (`places` 0) may end in `.0` if a float holds them exactly, so their digits count.
    """

    partial = False
    alphabet = 0

    def __init__(self, step: int, places: int) -> None:
        self.step = step
        self.places = places

    def nullable(self, state: tuple[int, int] | None) -> bool:
        return state is not None and state[1] == 0 and state[0] != 0

    def union(self, one: object, other: object) -> None:
        return None

    intersection = union

    def row(self, state: tuple[int, int] | None) -> Row:
        if state is None:
            # 0 is followed by a point or by nothing
            zero = either(EMPTY, concat(literal(b"."), leaf(self, (0, 0))))
            return ((48, 48, zero), *((48 + d, 48 + d, self.whole(0, 0, d)) for d in range(1, 10)))
        after, rest = state
        return self.before_point(-after, rest) if after < 0 else self.after_point(after, rest)

    def before_point(self, digits: int, rest: int) -> Row:
        row = [(48 + d, 48 + d, self.whole(digits, rest, d)) for d in range(10)]
        if self.can_end(0, rest) and (self.places or digits <= LONGEST):
            row.insert(0, (46, 46, leaf(self, (0, rest))))
        return tuple(row)

    def whole(self, digits: int, rest: int, digit: int) -> Expression:
        digits = 1 if self.places else min(digits + 1, LONGEST + 1)
        return leaf(self, (-digits, (10 * rest + digit * 10**self.places) % self.step))

    def after_point(self, digits: int, rest: int) -> Row:
        if digits >= max(self.places, 1):
            return ()
        worth = 10 ** max(self.places - digits - 1, 0)
        row = []
        for d in range(10) if self.places else (0,):
            left = (rest + d * worth) % self.step
            if self.can_end(digits + 1, left):
                row.append((48 + d, 48 + d, leaf(self, (digits + 1, left))))
        return tuple(row)

    def can_end(self, digits: int, rest: int) -> bool:
        """Do the places that are left suffice to reach a multiple?"""
        return -rest % self.step < 10 ** max(self.places - digits, 0)


class Wanted(NamedTuple):
    """Multiples of `step` from `low` to `high` (both at least 0), with up to `places` decimals.

    `low`, `high` and the step are in units of 10**-places. `divisor`: what jsonschema divides by;
    it is a float where the schema says so, and then some multiples fail the division.
    """

    step: int
    low: int
    high: int | None
    places: int
    divisor: int | float


class Prefixes:
    """Numbers without sign as `wanted` says. State: the digits so far, as text."""

    partial = False
    alphabet = 0

    def __init__(self, wanted: Wanted) -> None:
        self.wanted = wanted
        self.longest = LONGEST - wanted.places
        if isinstance(wanted.divisor, int):
            self.longest = max(self.longest, len(str(wanted.high or wanted.step)) + 2)

    def nullable(self, text: str) -> bool:
        return bool(text) and text[-1] != "." and self.is_wanted(*self.units(text))

    def union(self, one: object, other: object) -> None:
        return None

    intersection = union

    def row(self, text: str) -> Row:
        following = []
        if "." not in text:
            if text and (self.wanted.places or self.may_end_in_zero(text)):
                following.append(".")
            if text != "0" and len(text) < self.longest:
                following.extend("0123456789")
        else:
            after = len(text) - text.index(".") - 1
            if after < max(self.wanted.places, 1):
                following.extend("0123456789" if self.wanted.places else "0")
        return tuple(
            (ord(c), ord(c), leaf(self, text + c)) for c in following if self.can_end(text + c)
        )

    def may_end_in_zero(self, text: str) -> bool:
        return len(text) <= LONGEST and self.nullable(text)

    def units(self, text: str) -> tuple[int, int]:
        """What is read so far is a number from the first to the last result, once it is complete."""
        before, _, after = text.partition(".")
        left = self.wanted.places - len(after)
        number = int((before + after) or "0")
        if left < 0:
            return number // 10**-left, number // 10**-left
        return number * 10**left, number * 10**left

    def can_end(self, text: str) -> bool:
        """Does a wanted number begin with `text`?"""
        if text[-1] != "." and self.nullable(text):
            return True
        low, _ = self.units(text)
        before, point, after = text.partition(".")
        if point:
            return self.is_wanted(low, low + 10 ** (self.wanted.places - len(after)) - 1) if (
                self.wanted.places
            ) else self.is_wanted(low, low)
        size = 10**self.wanted.places
        if self.is_wanted(low, low + size - 1):
            return True
        if before == "0":
            return False
        start, width = int(before), 1
        for _ in range(self.longest - len(before)):
            start, width = start * 10, width * 10
            if self.is_wanted(start * size, (start + width) * size - 1):
                return True
        return False

    def is_wanted(self, low: int, high: int) -> bool:
        """Is there a wanted multiple from `low` to `high`, among the first few?"""
        wanted = self.wanted
        low = max(low, wanted.low)
        if wanted.high is not None:
            high = min(high, wanted.high)
        first, last = -(-low // wanted.step), high // wanted.step
        if isinstance(wanted.divisor, int):
            return first <= last
        for k in range(first, min(last, first + MOST_TRIES) + 1):
            number = k * wanted.step
            if _confirmed(number, 10**wanted.places, wanted.divisor):
                return True
        return False


def _confirmed(number: int, unit: int, divisor: float) -> bool:
    """Does a division of floats say too that number/unit is a multiple, whole or not?"""
    quotient = number / unit / divisor
    if not math.isfinite(quotient) or quotient != int(quotient):
        return False
    return number % unit != 0 or (number // unit) / divisor == quotient


@lru_cache(maxsize=64)
def _remainders(step: int, places: int) -> Expression:
    """With either sign."""
    return concat(either(EMPTY, MINUS), leaf(Remainders(step, places), None))


def multiples_of(low: int | None, high: int | None, step: int | float,
                 integers: Callable[[int | None, int | None], Expression]) -> Expression:
    """Whole multiples of `step`, spelled as `integers(low, high)` spells whole numbers."""
    if step == 1:
        return integers(low, high)
    if isinstance(step, float):
        if not step.is_integer():
            return _both_signs(low, high, step, 0)
        # floats divide exactly as far as they hold all whole numbers
        low = -EXACT if low is None else max(low, -EXACT)
        high = EXACT if high is None else min(high, EXACT)
        step = int(step)
    if step >= 10**300:
        raise TooComplex("a step of more than 300 digits")
    if low is None and high is None and step <= MOST_REMAINDERS:
        return _remainders(step, 0)
    if step <= FEW_REMAINDERS:
        return both(integers(low, high), _remainders(step, 0))
    return _both_signs(low, high, step, 0)


def multiples(low: Decimal | None, high: Decimal | None, step: float,
              decimals: Callable[[], Expression]) -> Expression:
    """Multiples of a step that has decimals; `decimals()` spells the numbers between the bounds."""
    places = max(0, -int(Decimal(repr(step)).normalize().as_tuple().exponent))
    if _is_half_of_half(step) and int(step * 10**places) <= MOST_REMAINDERS:
        # every float is such a multiple or can be one: rounding does no harm
        return both(decimals(), _remainders(int(step * 10**places), places))
    return _both_signs(low, high, step, places)


def _is_half_of_half(step: float) -> bool:
    """Is it 1/2, 1/4, 1/8, ...?"""
    return step < 1 and Fraction(step).numerator == 1


def _both_signs(low: int | Decimal | None, high: int | Decimal | None, step: int | float,
                places: int) -> Expression:
    if places > MOST_PLACES - 2:
        raise TooComplex(f"a step with more than {MOST_PLACES - 2} decimals")
    unit = 10**places
    exact = Fraction(step) if isinstance(step, int) else Fraction(repr(step))
    size = (exact * unit).numerator  # for whole numbers only the numerator counts
    least = None if low is None else math.ceil(Fraction(low) * unit)
    most = None if high is None else math.floor(Fraction(high) * unit)
    parts = []
    if most is None or most >= 0:
        parts.append(_prefixes(Wanted(size, max(least or 0, 0), most, places, step)))
    if least is None or least <= 0:
        smallest = 0 if most is None or most >= 0 else -most
        largest = None if least is None else -least
        parts.append(concat(MINUS, _prefixes(Wanted(size, smallest, largest, places, step))))
    return either(*parts)


@lru_cache(maxsize=16)
def _prefixes(wanted: Wanted) -> Expression:
    family = Prefixes(wanted)
    return leaf(family, "") if family.row("") else NOTHING
