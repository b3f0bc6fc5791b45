"""Sorted, disjoint ranges of integers: of bytes, of code points, of anything."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

Ranges: TypeAlias = "tuple[tuple[int, int], ...]"


def join_ranges(*groups: Iterable[tuple[int, int]]) -> Ranges:
    """Union: sorted, overlapping and adjacent ranges joined.

    >>> join_ranges(((5, 9),), ((1, 4), (12, 12)))
    ((1, 9), (12, 12))
    """
    ranges = sorted(pair for group in groups for pair in group)
    joined: list[tuple[int, int]] = []
    for lo, hi in ranges:
        if lo > hi:
            continue
        if joined and lo <= joined[-1][1] + 1:
            if hi > joined[-1][1]:
                joined[-1] = (joined[-1][0], hi)
        else:
            joined.append((lo, hi))
    return tuple(joined)


def meet_ranges(one: Ranges, other: Ranges) -> Ranges:
    """Intersection of two sorted, disjoint groups.

    >>> meet_ranges(((1, 5), (8, 9)), ((4, 8),))
    ((4, 5), (8, 8))
    """
    met = []
    i = j = 0
    while i < len(one) and j < len(other):
        lo = max(one[i][0], other[j][0])
        hi = min(one[i][1], other[j][1])
        if lo <= hi:
            met.append((lo, hi))
        if one[i][1] < other[j][1]:
            i += 1
        else:
            j += 1
    return tuple(met)


def gaps(ranges: Ranges, lo: int, hi: int) -> Ranges:
    """Complement within lo..hi.

    >>> gaps(((2, 3),), 0, 9)
    ((0, 1), (4, 9))
    """
    missing = []
    for start, end in ranges:
        if lo < start:
            missing.append((lo, start - 1))
        lo = max(lo, end + 1)
    if lo <= hi:
        missing.append((lo, hi))
    return tuple(missing)
