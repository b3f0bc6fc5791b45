"""All names that the free keys of an object may have, where they are few: a pattern like `^[ab]$`.

Then `minProperties` can ask for more keys than there are names, and a decoder that did not count
them would open an object that cannot be closed.
"""

from __future__ import annotations

from collections.abc import Iterable

from .characters import ANY_KEY
from .freekeys import _decode
from .nodes import Expression, TooComplex
from .search import words

MOST_STATES = 2000
SPELLINGS = 16
"""Words looked at per name; a name has two spellings per character beyond ASCII."""


def few_names(
    contents: Iterable[Expression], taken: Iterable[str], least: int
) -> frozenset[str] | None:
    """The names in `contents` (key contents) that are not `taken`; None: `least` or more, or not seen.

    >>> sorted(few_names([literal(b"a"), literal(b"b")], ["b"], 3))
    ['a']
    """
    if not least:
        return None
    taken = frozenset(taken)
    wanted = SPELLINGS * (least + len(taken))
    found: set[str] = set()
    for content in contents:
        if content is ANY_KEY or wanted > MOST_STATES:
            return None
        try:
            some = words(content, wanted, MOST_STATES)
        except TooComplex:
            return None
        found.update(_decode(word) for word in some)
        if len(some) == wanted or len(found - taken) >= least:
            return None
    return frozenset(found - taken)
