"""How many characters the strings of a content have, where that is seen at a glance.

Most patterns and lengths do not contradict each other, and then no states need to be walked to know
that some string has both.
"""

from __future__ import annotations

from functools import lru_cache

from ..characters import JSON
from ..nodes import EMPTY, Concat, Either, Expression, Leaf, Repeat

Span = tuple[int, float]
"""Fewest and most characters; every number in between is some string's."""


@lru_cache(maxsize=1024)
def span(e: Expression) -> Span | None:
    """The lengths of the strings of `e`, if they are a range without gaps; None: not seen.

    >>> from tokenmask.regex import content
    >>> span(content("^(ab|c)$")), span(content("x"))
    ((1, 2), (1, inf))
    """
    if e is EMPTY:
        return 0, 0
    if e.unsure or not e.alphabet & JSON:
        return None
    if isinstance(e, Leaf):
        return 1, 1
    if isinstance(e, Concat):
        return _sum(e)
    if isinstance(e, Either):
        return _union([span(item) for item in e.items])
    if isinstance(e, Repeat):
        return _times(span(e.body), e.lo, float("inf") if e.hi is None else e.hi)
    return None


def _sum(e: Expression) -> Span | None:
    least, most = 0, 0
    while e is not EMPTY:
        head, e = (e.head, e.tail) if isinstance(e, Concat) else (e, EMPTY)
        found = span(head)
        if found is None:
            return None
        least, most = least + found[0], most + found[1]
    return least, most


def _union(spans: list[Span | None]) -> Span | None:
    found: Span | None = None
    for each in sorted(spans, key=lambda s: s or (-1, 0)):
        if each is None or (found is not None and each[0] > found[1] + 1):
            return None
        found = each if found is None else (found[0], max(found[1], each[1]))
    return found


def _times(body: Span | None, lo: int, hi: float) -> Span | None:
    """The spans of n and of n + 1 times the body must touch, from `lo` on, for there to be no gap."""
    if body is None:
        return None
    least, most = body
    reach = lo * most + 1 if lo else 1
    if lo < hi and (lo + 1) * least > reach:
        return None
    return lo * least, hi * most if most else 0
