"""Regular expressions over bytes, with intersection and complement, read byte by byte.

An expression is never compiled ahead of time. `transitions(e)` says what is left of `e` after one
byte (its Brzozowski derivative), for all 256 bytes at once, as a few disjoint ranges. Expressions
are hash-consed: two that are built alike are one object, so an expression *is* the state of an
automaton that comes into being where somebody walks. Lesson 01 builds such an automaton by hand.

`nodes` has the kinds of node, `combine` builds and simplifies, `derivative` reads, `search` finds
words. Use them through here.

>>> e = concat(literal(b"a"), repeat(byte_ranges(((48, 57),))))
>>> [(lo, hi) for lo, hi, rest in transitions(e)]
[(97, 97)]
"""

from .combine import both, concat, either, literal, loop, negate, repeat
from .derivative import is_nothing, join_row, transitions, union_rows
from .nodes import (
    ALL,
    EMPTY,
    NOTHING,
    Bytes,
    Expression,
    Family,
    Leaf,
    Repeat,
    Row,
    TooComplex,
    byte_ranges,
    leaf,
)
from .search import after, matches, shortest, words

__all__ = [
    "ALL",
    "EMPTY",
    "NOTHING",
    "Bytes",
    "Expression",
    "Family",
    "Leaf",
    "Repeat",
    "Row",
    "TooComplex",
    "after",
    "both",
    "byte_ranges",
    "concat",
    "either",
    "is_nothing",
    "join_row",
    "leaf",
    "literal",
    "loop",
    "matches",
    "negate",
    "repeat",
    "shortest",
    "transitions",
    "union_rows",
    "words",
]
