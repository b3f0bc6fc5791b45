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

FEW_REMAINDERS = 200
LONGEST = 15  # digits of a number that a float holds exactly
MOST_TRIES = 64  # multiples looked at for one that a division of floats confirms
MOST_PLACES = 15


class Remainders:
    """Whole numbers without sign that are multiples of `step`. State: None, then the remainder."""

    partial = False
    alphabet = 0

    def __init__(self, step: int) -> None:
        self.step = step

    def nullable(self, state: int | None) -> bool:
        return state == 0

    def union(self, one: object, other: object) -> None:
        return None

    intersection = union

    def row(self, state: int | None) -> Row:
        if state is None:
            zero = either(EMPTY, _POINT_ZERO)
            return ((48, 48, zero), *((48 + d, 48 + d, self.after(d)) for d in range(1, 10)))
        row = [(48 + d, 48 + d, self.after(10 * state + d)) for d in range(10)]
        if state == 0:
            row.insert(0, (46, 46, literal(b"0")))
        return tuple(row)

    def after(self, number: int) -> Expression:
        return leaf(self, number % self.step)


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


_POINT_ZERO = literal(b".0")


@lru_cache(maxsize=256)
def _remainders(step: int) -> Expression:
    return leaf(Remainders(step), None)


def multiples_of(low: int | None, high: int | None, step: int | float, places: int,
                 integers: Callable[[int | None, int | None], Expression]) -> Expression:
    """Whole multiples of `step`, spelled as `integers(low, high)` spells whole numbers."""
    if isinstance(step, float):
        return _both_signs(low, high, step, 0)
    if step == 1:
        return integers(low, high)
    if step <= FEW_REMAINDERS:
        any_sign = concat(either(EMPTY, MINUS), _remainders(step))
        return both(integers(low, high), any_sign)
    if step >= 10**300:
        raise TooComplex("a step of more than 300 digits")
    return _both_signs(low, high, step, 0)


def multiples(low: Decimal | None, high: Decimal | None, step: float) -> Expression:
    """Multiples of a step that may have decimals; numbers of at most 15 digits."""
    exponent = Decimal(repr(step)).normalize().as_tuple().exponent
    return _both_signs(low, high, step, max(0, -int(exponent)))


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


@lru_cache(maxsize=256)
def _prefixes(wanted: Wanted) -> Expression:
    family = Prefixes(wanted)
    return leaf(family, "") if family.row("") else NOTHING
