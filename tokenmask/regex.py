"""ECMA-262 patterns as expressions over the bytes of JSON string content, or of plain UTF-8.

An assertion looks at its surroundings. Backwards it needs only one thing: is the place the start
of the text, or behind a word character, or behind another one (`Behind`). Forwards it may need
everything, but an expression has everything: `(?=x)` is an intersection with the rest of the text,
`(?!x)` one with a complement, and `$` asks whether the rest may be empty. So a pattern is built
from its end to its start, each part with the rest that follows it.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from functools import lru_cache

from .character_classes import WORDS
from .characters import EVERY, json_content, utf8
from .expression import (
    EMPTY,
    NOTHING,
    Expression,
    Leaf,
    Repeat,
    both,
    concat,
    either,
    loop,
    negate,
    repeat,
)
from .regex_parser import (
    Assertion,
    Choice,
    Encode,
    InvalidPattern,
    Look,
    Node,
    Parser,
    Sequence,
    Times,
    UnsupportedPattern,
)

LONGEST_KEPT = 2000  # characters of a pattern that is remembered
MOST_COPIES = 60  # of a repeated body with assertions in it

__all__ = ["InvalidPattern", "UnsupportedPattern", "content", "counted", "json_content", "utf8"]


class Behind(Enum):
    """What stands right before a place in the text."""

    START = "the start of the text"
    WORD = "a word character"
    OTHER = "another character"


class Rest:
    """What may follow a place. `fixed`: the same whatever stands behind."""

    __slots__ = ("of", "fixed")

    def __init__(self, of: Callable[[Behind], Expression], fixed: bool) -> None:
        self.of = of
        self.fixed = fixed


@lru_cache(maxsize=16)
def _alphabet(encode: Encode) -> tuple[Expression, Expression, Expression, Expression]:
    """A word character, any other, any at all, and any number of these."""
    every = encode(EVERY)
    return encode(WORDS), encode(WORDS.complement()), every, repeat(every)


def always(e: Expression) -> Rest:
    return Rest(lambda behind: e, True)


class Builder:
    """Builds one pattern for one encoding."""

    def __init__(self, pattern: str, encode: Encode) -> None:
        self.pattern = pattern
        self.word, self.other, self.character, self.any = _alphabet(encode)

    def whole(self, node: Node) -> Expression:
        """The node matches the text from end to end."""
        return self.then(node, always(EMPTY)).of(Behind.START)

    def found(self, node: Node) -> Expression:
        """The node matches somewhere in the text."""
        rest = self.then(node, always(self.any))
        first = rest.of(Behind.START)
        if rest.fixed:
            return concat(self.any, first)
        after_word, after_other = rest.of(Behind.WORD), rest.of(Behind.OTHER)
        if after_word is after_other:
            return either(first, concat(repeat(self.character, 1), after_word))
        return either(
            first, concat(self.any, self.word, after_word), concat(self.any, self.other, after_other)
        )

    def then(self, node: Node, rest: Rest) -> Rest:
        """`node`, and then `rest`."""
        match node:
            case Expression():
                return self.plain(node, rest)
            case Sequence(parts):
                end = len(parts)
                while end:  # many parts at once, where the rest does not ask what stands before it
                    start = _first_of_run(parts, end) if rest.fixed else end - 1
                    if end - start > 1:
                        rest = always(concat(*parts[start:end], rest.of(Behind.START)))
                    else:
                        rest = self.then(parts[start], rest)
                    end = start
                return rest
            case Choice(options):
                return _either([self.then(option, rest) for option in options])
            case Assertion(sign):
                return self.assertion(sign, rest)
            case Look(body, wanted):
                ahead = self.then(body, always(self.any))
                if wanted:
                    of = lambda b: both(ahead.of(b), rest.of(b))  # noqa: E731
                else:
                    of = lambda b: both(negate(ahead.of(b)), rest.of(b))  # noqa: E731
                return Rest(of, ahead.fixed and rest.fixed)
            case Times(body, lo, hi):
                return self.times(body, lo, hi, rest)

    def plain(self, e: Expression, rest: Rest) -> Rest:
        """No assertion in `e`; but the rest may want to know its last character."""
        if rest.fixed:
            return always(concat(e, rest.of(Behind.START)))
        if e is EMPTY:
            return rest
        after = either(
            concat(self.ending(e, self.word), rest.of(Behind.WORD)),
            concat(self.ending(e, self.other), rest.of(Behind.OTHER)),
        )
        if not e.nullable:
            return always(after)
        return Rest(lambda behind: either(after, rest.of(behind)), False)

    def ending(self, e: Expression, last: Expression) -> Expression:
        return both(e, last if type(e) is Leaf else concat(self.any, last))

    def assertion(self, sign: str, rest: Rest) -> Rest:
        if sign == "^":
            return Rest(lambda b: rest.of(b) if b is Behind.START else NOTHING, False)
        if sign == "$":
            return Rest(lambda b: EMPTY if rest.of(b).nullable else NOTHING, rest.fixed)
        before_word = concat(self.word, self.any)

        def boundary(behind: Behind) -> Expression:
            # \b: a word character on exactly one side
            wanted = (behind is Behind.WORD) != (sign == "\\b")
            return both(rest.of(behind), before_word if wanted else negate(before_word))

        return Rest(boundary, False)

    def times(self, body: Node, lo: int, hi: int | None, rest: Rest) -> Rest:
        """A repeated body that has assertions in it: copies, and a loop if it has no end."""
        if never_consumes(body):
            lo, hi = min(lo, 1), min(lo, 1)
        if (hi or lo) > MOST_COPIES:
            raise UnsupportedPattern(
                f"an assertion is repeated more than {MOST_COPIES} times", self.pattern, 0
            )
        result = rest
        if hi is None:
            result = self.loop(body, rest)
        else:
            for _ in range(hi - lo):
                result = _either([self.then(body, result), rest])
        for _ in range(lo):
            result = self.then(body, result)
        return result

    def loop(self, body: Node, rest: Rest) -> Rest:
        """`body`, as often as it likes, and then `rest`: X = body X | rest, for each `Behind`."""
        if can_be_empty(body):
            raise UnsupportedPattern(
                "an assertion is repeated without end in a group that can be empty", self.pattern, 0
            )
        nodes = {b: loop(rest.of(b).nullable, self.character.alphabet) for b in Behind}
        again = self.then(body, Rest(nodes.__getitem__, False))
        for behind, node in nodes.items():
            node.meaning = either(again.of(behind), rest.of(behind))
        return Rest(nodes.__getitem__, False)


def _first_of_run(parts: tuple[Node, ...], end: int) -> int:
    """Where the expressions that end before `end` begin; at least one part."""
    start = end - 1
    while start and isinstance(parts[start], Expression) and isinstance(parts[start - 1], Expression):
        start -= 1
    return start


def _either(rests: list[Rest]) -> Rest:
    return Rest(lambda b: either(*(r.of(b) for r in rests)), all(r.fixed for r in rests))


def can_be_empty(node: Node) -> bool:
    """May `node` match without consuming a character?"""
    match node:
        case Expression():
            return node.nullable
        case Sequence(parts):
            return all(can_be_empty(part) for part in parts)
        case Choice(options):
            return any(can_be_empty(option) for option in options)
        case Times(body, lo, _):
            return lo == 0 or can_be_empty(body)
    return True


def never_consumes(node: Node) -> bool:
    """Is `node` only a question about its place?"""
    match node:
        case Expression():
            return node is EMPTY
        case Sequence(parts) | Choice(parts):
            return all(never_consumes(part) for part in parts)
        case Times(body, _, _):
            return never_consumes(body)
    return True


def content(pattern: str, *, encode: Encode = json_content, search: bool = True) -> Expression:
    """The texts in which `pattern` is found (`search`), or that match it from end to end.

    >>> words(content("^[ab]$", encode=utf8), 3)
    [b'a', b'b']
    """
    if len(pattern) > LONGEST_KEPT:
        return _build(pattern, encode, search)
    return _kept(pattern, encode, search)


@lru_cache(maxsize=2000)
def _kept(pattern: str, encode: Encode, search: bool) -> Expression:
    return _build(pattern, encode, search)


def _build(pattern: str, encode: Encode, search: bool) -> Expression:
    node = Parser(pattern, encode).parse()
    builder = Builder(pattern, encode)
    try:
        return builder.found(node) if search else builder.whole(node)
    except RecursionError:
        raise UnsupportedPattern("too many assertions in one another", pattern, 0) from None


def counted(pattern: str) -> tuple[Expression, int, int | None] | None:
    """`^C{lo,hi}$` with one class C of characters: C without end, lo and hi. Else None.

    >>> counted("^[0-9]{2,}$")[1:]
    (2, None)
    """
    e = content(pattern)
    if e is EMPTY:
        return None
    bare = e
    if not isinstance(e, (Leaf, Repeat)):
        # C{0,1} is kept as an alternative with the empty word
        parts = [part for part in getattr(e, "items", ()) if part is not EMPTY]
        if len(parts) != 1 or not e.nullable:
            return None
        bare = parts[0]
        if isinstance(bare, Repeat) and bare.lo > 1:
            return None  # none or several, but not one: a gap
    if isinstance(bare, Leaf):
        return (repeat(bare), 0 if e.nullable else 1, 1) if bare.alphabet else None
    if isinstance(bare, Repeat) and isinstance(bare.body, Leaf) and bare.body.alphabet:
        return repeat(bare.body), 0 if e.nullable else bare.lo, bare.hi
    return None
