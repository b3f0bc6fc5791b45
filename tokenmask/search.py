"""Words of an expression, read or found by walking its derivatives."""

from __future__ import annotations

from .derivative import is_nothing, transitions
from .nodes import NOTHING, Expression, TooComplex


def after(e: Expression, text: bytes) -> Expression:
    """What is left of `e` once `text` is read; `NOTHING` if it cannot be.

    >>> after(literal(b"null"), b"nu") is literal(b"ll")
    True
    """
    for byte in text:
        e = next((rest for lo, hi, rest in transitions(e) if lo <= byte <= hi), NOTHING)
    return e


def matches(e: Expression, text: bytes) -> bool:
    """Is `text`, as a whole, in `e`?

    >>> matches(repeat(literal(b"ab")), b"abab")
    True
    """
    return after(e, text).nullable


def shortest(e: Expression, limit: int = 20_000) -> bytes | None:
    """A shortest word (of those, the first in byte order); None if there is none.

    >>> shortest(either(literal(b"abc"), literal(b"z")))
    b'z'
    """
    found = words(e, 1, limit)
    return found[0] if found else None


def words(e: Expression, at_most: int, limit: int = 20_000) -> list[bytes]:
    """Up to `at_most` shortest words, sorted by length, then by bytes. All words, if there are fewer.

    >>> words(repeat(byte_ranges(((48, 57),)), 0, 1), 3)
    [b'', b'0', b'1']
    """
    if is_nothing(e, limit):
        return []
    layers = [{e}]  # layers[n]: expressions that some n bytes lead to
    found: list[bytes] = []
    seen = 1
    while len(found) < at_most and layers[-1]:
        length = len(layers) - 1
        if any(state.nullable for state in layers[-1]):
            found.extend(_of_length(e, layers, length, at_most - len(found)))
        following = {rest for state in layers[-1] for _, _, rest in transitions(state)}
        # a state with many alternatives costs as much as many states
        seen += sum(len(getattr(state, "items", ())) + 1 for state in following)
        if seen > limit:
            raise TooComplex(f"more than {limit} states on the way to {at_most} words")
        layers.append(following)
    return found


def _of_length(e: Expression, layers: list[set[Expression]], length: int, at_most: int) -> list[bytes]:
    """Words of exactly `length` bytes, in byte order."""
    # good[n]: states of layer n from which length - n more bytes end in acceptance
    good = [set() for _ in range(length + 1)]
    good[length] = {state for state in layers[length] if state.nullable}
    for n in range(length - 1, -1, -1):
        good[n] = {s for s in layers[n] if any(rest in good[n + 1] for _, _, rest in transitions(s))}
    found: list[bytes] = []
    stack = [(b"", e)]
    while stack and len(found) < at_most:
        word, state = stack.pop()
        if len(word) == length:
            found.append(word)
            continue
        ahead = good[len(word) + 1]
        for lo, hi, rest in reversed(transitions(state)):
            if rest in ahead:
                stack.extend((word + bytes((byte,)), rest) for byte in range(hi, lo - 1, -1))
    return found
