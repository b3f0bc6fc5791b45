"""Strings against expressions: does a name match, what do literal strings look like."""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Set as AbstractSet
from functools import lru_cache

from ..characters import ANY_CHARACTER, ANY_CONTENT, ANY_KEY, CharacterSet, as_key, json_content
from ..derivative import raw_transitions
from ..expression import (
    NOTHING,
    Expression,
    both,
    concat,
    either,
    negate,
    repeat,
)
from ..search import is_nothing, shortest
from ..spans import no_length_fits, span

NEARLY = 40  # code points


def encoded(text: str) -> bytes | None:
    """The content of `text` as `json.dumps(ensure_ascii=False)` spells it; None: not UTF-8.

    >>> encoded('a"')
    b'a\\\\"'
    """
    try:
        return json.dumps(text, ensure_ascii=False)[1:-1].encode()
    except UnicodeEncodeError:
        return None


def accepts(expression: Expression, data: bytes) -> bool:
    """Whether all of `data` matches."""
    here = expression
    for byte in data:
        row = raw_transitions(here)  # a dead end accepts nothing either
        at = bisect_right(row, byte, key=_low) - 1
        if at < 0 or row[at][1] < byte:
            return False
        here = row[at][2]
    return here.nullable


def _low(entry: tuple[int, int, Expression]) -> int:
    return entry[0]


def matches(expression: Expression | None, text: str) -> bool:
    """Whether a string is in an expression over encoded content (None: any string)."""
    if expression is None:
        return True
    data = encoded(text)
    return data is not None and accepts(expression, data)


def fits(content: Expression | None, least: int, most: int | None, text: str) -> bool:
    """Whether a string has the length and the content asked for."""
    return len(text) >= least and (most is None or len(text) <= most) and matches(content, text)


@lru_cache(maxsize=4096)
def exactly(text: str) -> Expression:
    """The one string, in all its spellings."""
    return concat(*(_character(c) for c in text))


@lru_cache(maxsize=4096)
def _character(character: str) -> Expression:
    return json_content(CharacterSet.of(character))


@lru_cache(maxsize=256)
def one_of(texts: tuple[str, ...]) -> Expression:
    """Any of the strings, in all their spellings."""
    return either(*(exactly(text) for text in texts))


def without(content: Expression | None, unwanted: AbstractSet[str]) -> Expression | None:
    """The strings of `content` without the unwanted ones."""
    if not unwanted:
        return content
    texts = tuple(sorted(text for text in unwanted if matches(content, text)))
    if not texts:
        return content
    return both(ANY_CONTENT if content is None else content, negate(one_of(texts)))


def meet_contents(a: Expression | None, b: Expression | None) -> Expression | None:
    """The strings that are in both; None is any string."""
    if a is None:
        return b
    if b is None or a is b:
        return a
    return both(a, b)


@lru_cache(maxsize=1024)
def lengths(least: int, most: int | None) -> Expression:
    """Strings of `least` to `most` code points."""
    return repeat(ANY_CHARACTER, least, most)


@lru_cache(maxsize=1024)
def is_hollow(content: Expression | None, least: int, most: int | None, limit: int) -> bool:
    """Whether no string at all has the content and the length. May raise `TooComplex`."""
    if most is not None and least > most:
        return True
    if content is None or content is ANY_CONTENT:
        return False
    if content is NOTHING:
        return True
    known = span(content)
    seen = None if known is None else no_length_fits(known, least, most)
    if seen is not None:
        return seen
    if not least and most is not None:
        # characters are never more than bytes
        word = shortest(content, limit)
        if word is None or len(word) <= most:
            return word is None
    if least or most is not None:
        # a word of nearly the least length is found sooner than one of any length
        soon = least + NEARLY if most is None else min(most, least + NEARLY)
        if not is_nothing(both(content, lengths(least, soon)), limit):
            return False
        return soon == most or is_nothing(both(content, lengths(least, most)), limit)
    return is_nothing(content, limit)


def key_class(content: Expression | None) -> Expression:
    """The keys that match, in the one spelling policy of free keys."""
    if content is None:
        return ANY_KEY
    made = as_key(content)
    return both(ANY_KEY, content) if made is None else made
