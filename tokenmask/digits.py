"""Ranges of decimal digits as expressions: one node or two per digit of a bound, never more.

Comparing digit by digit needs no list of numbers. `005 <= ddd` is: a larger first digit and then
anything, or the same first digit and then `05 <= dd`.
"""

from __future__ import annotations

from .expression import (
    EMPTY,
    NOTHING,
    Expression,
    TooComplex,
    byte_ranges,
    concat,
    either,
    literal,
    repeat,
)

MOST_DIGITS = 1500  # of a bound
DIGIT = byte_ranges(((48, 57),))
DIGITS = repeat(DIGIT)
MINUS = literal(b"-")
POINT = literal(b".")
WHOLE = either(literal(b"0"), concat(byte_ranges(((49, 57),)), DIGITS))  # 0, 7, 42; not 042


_SPANS = [[byte_ranges(((48 + lo, 48 + hi),)) for hi in range(10)] for lo in range(10)]


def span(lo: int, hi: int) -> Expression:
    """One digit from `lo` to `hi`."""
    return _SPANS[lo][hi] if lo <= hi else NOTHING


def at_least(bound: str, fixed: bool) -> Expression:
    """Digits not below `bound`. `fixed`: as many digits; else a fraction of any length.

    >>> words(at_least("97", True), 9)
    [b'97', b'98', b'99']
    """
    if not fixed:
        bound = bound.rstrip("0")
    node = EMPTY if fixed else DIGITS
    for i in range(len(bound) - 1, -1, -1):
        digit = int(bound[i])
        more = repeat(DIGIT, len(bound) - 1 - i, len(bound) - 1 - i) if fixed else DIGITS
        node = either(concat(span(digit, digit), node), concat(span(digit + 1, 9), more))
    return node


def at_most(bound: str, fixed: bool) -> Expression:
    """Digits not above `bound`; a fraction may also end early, or go on with zeros."""
    node = EMPTY if fixed else repeat(literal(b"0"))
    for i in range(len(bound) - 1, -1, -1):
        digit = int(bound[i])
        more = repeat(DIGIT, len(bound) - 1 - i, len(bound) - 1 - i) if fixed else DIGITS
        node = either(concat(span(digit, digit), node), concat(span(0, digit - 1), more))
        if not fixed:
            node = either(EMPTY, node)
    return node


def between(low: str, high: str, fixed: bool) -> Expression:
    """Digits from `low` to `high`. `fixed`: all have the same length; else a fraction of any."""
    if not fixed:
        size = max(len(low), len(high))
        low, high = low.ljust(size, "0"), high.ljust(size, "0")
        start = low.rstrip("0")
        if high.startswith(start):
            # 0.2 is as good as 0.2000
            return concat(literal(start.encode()), at_most(high[len(start) :], False))
    if low > high:
        return NOTHING
    same = 0
    while same < len(low) and low[same] == high[same]:
        same += 1
    prefix = literal(low[:same].encode())
    if same == len(low):
        return prefix
    first, last = int(low[same]), int(high[same])
    rest = len(low) - same - 1
    more = repeat(DIGIT, rest, rest) if fixed else DIGITS
    return concat(
        prefix,
        either(
            concat(span(first, first), at_least(low[same + 1 :], fixed)),
            concat(span(first + 1, last - 1), more),
            concat(span(last, last), at_most(high[same + 1 :], fixed)),
        ),
    )


def decimal_text(number: int) -> str:
    """The digits of a whole number that is not negative."""
    if number >= 10**MOST_DIGITS:
        raise TooComplex(f"a bound of more than {MOST_DIGITS} digits")
    return str(number)


def whole(low: int, high: int | None) -> Expression:
    """Whole numbers from `low` (at least 0) to `high` (None: without end), without leading zeros.

    >>> words(whole(8, 11), 9)
    [b'8', b'9', b'10', b'11']
    """
    if high is None:
        if low == 0:
            return WHOLE
        bound = decimal_text(low)
        return either(at_least(bound, True), concat(span(1, 9), repeat(DIGIT, len(bound))))
    if low > high:
        return NOTHING
    first, last = decimal_text(low), decimal_text(high)
    if len(first) == len(last):
        return between(first, last, True)
    longer = range(len(first), len(last) - 1)  # digits after the first one
    middle = concat(span(1, 9), repeat(DIGIT, longer.start, longer.stop - 1)) if longer else NOTHING
    return either(between(first, "9" * len(first), True), middle,
                  between("1" + "0" * (len(last) - 1), last, True))


def signed(low: int | None, high: int | None) -> Expression:
    """Whole numbers from `low` to `high`; `-0` is 0.

    >>> words(signed(-1, 1), 9)
    [b'0', b'1', b'-0', b'-1']
    """
    parts = []
    if low is not None and high is not None and low > high:
        return NOTHING
    if high is None or high >= 0:
        parts.append(whole(max(low or 0, 0), high))
    if low is None or low <= 0:
        least = 0 if high is None or high >= 0 else -high
        parts.append(concat(MINUS, whole(least, None if low is None else -low)))
    return either(*parts)
