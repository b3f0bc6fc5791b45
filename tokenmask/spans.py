"""How many characters the strings of a content have, where that is seen at a glance.

Most patterns and lengths do not contradict each other, and then no states need to be walked to know
that some string has both.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from .characters import JSON
from .nodes import EMPTY, Concat, Either, Expression, Leaf, Repeat


class Span(NamedTuple):
    """Fewest and most characters; `whole`: every number in between is some string's, surely."""

    least: int
    most: float
    whole: bool = True


@lru_cache(maxsize=1024)
def span(e: Expression) -> Span | None:
    """The lengths of the strings of `e`; None: not seen.

    >>> from tokenmask.regex import content
    >>> span(content("^(ab|c)$"))
    Span(least=1, most=2, whole=True)
    """
    if e is EMPTY:
        return Span(0, 0)
    if e.unsure or not e.alphabet & JSON:
        return None
    if isinstance(e, Leaf):
        return Span(1, 1)
    if isinstance(e, Concat):
        return _sum(e)
    if isinstance(e, Either):
        return _union([span(item) for item in e.items])
    if isinstance(e, Repeat):
        return _times(span(e.body), e.lo, float("inf") if e.hi is None else e.hi)
    return None


def _sum(e: Expression) -> Span | None:
    least, most, whole = 0, 0, True
    while e is not EMPTY:
        head, e = (e.head, e.tail) if isinstance(e, Concat) else (e, EMPTY)
        found = span(head)
        if found is None:
            return None
        least, most, whole = least + found.least, most + found.most, whole and found.whole
    return Span(least, most, whole)


def _union(spans: list[Span | None]) -> Span | None:
    known = sorted(each for each in spans if each is not None)
    if len(known) < len(spans):
        return None
    least, most, whole = known[0]
    for each in known[1:]:
        whole = whole and each.whole and each.least <= most + 1
        most = max(most, each.most)
    return Span(least, most, whole)


def _times(body: Span | None, lo: int, hi: float) -> Span | None:
    """The spans of n and of n + 1 times the body must touch, from `lo` on, for there to be no gap."""
    if body is None:
        return None
    reach = lo * body.most + 1 if lo else 1
    whole = body.whole and (lo >= hi or (lo + 1) * body.least <= reach)
    return Span(lo * body.least, hi * body.most if body.most else 0, whole)


def no_length_fits(lengths: Span, least: int, most: int | None) -> bool | None:
    """Whether none of the lengths is from `least` to `most` (None: no bound); None: not seen."""
    if lengths.most < least or (most is not None and lengths.least > most):
        return True
    if lengths.whole or lengths.least >= least or most is None or lengths.most <= most:
        return False  # the shortest string fits, or the longest, or one of any length between
    return None


def own_bounds(e: Expression, least: int, most: int | None) -> tuple[int, int | None]:
    """The bounds without those that every string of `e` keeps anyway.

    >>> from tokenmask.regex import content
    >>> own_bounds(content("^[a-z]{4}$"), 1, 4)
    (0, None)
    """
    known = span(e)
    if known is None:
        return least, most
    return (
        0 if known.least >= least else least,
        None if most is not None and known.most <= most else most,
    )
