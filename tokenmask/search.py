"""Questions about a whole expression, answered by walking its derivatives: is it empty, what is short?"""

from __future__ import annotations

from .expression import (
    NOTHING,
    Both,
    Concat,
    Either,
    Expression,
    Negate,
    Repeat,
    TooComplex,
    raw_transitions,
    transitions,
)


def is_nothing(e: Expression, limit: int = 20_000) -> bool:
    """No word at all is in `e`. Exact; `TooComplex` when more than `limit` states had to be seen.

    >>> is_nothing(both(literal(b"a"), literal(b"b")))
    True
    """
    if e.nullable or not e.unsure:
        return e is NOTHING
    if e._empty is None:
        e._empty = _search(e, limit)
    return e._empty


def _search(e: Expression, limit: int) -> bool:
    kind = type(e)
    if e.unsure == 2:
        return _walk(e, limit)
    if kind is Concat:
        # a loop: thousands of parts may follow each other
        while type(e) is Concat:
            if is_nothing(e.head, limit):
                return True
            e = e.tail
        return is_nothing(e, limit)
    if kind is Either:
        return all(is_nothing(item, limit) for item in e.items)
    if kind is Repeat:
        return is_nothing(e.body, limit)  # lo > 0, else nullable
    return _walk(e, limit)


def _walk(e: Expression, limit: int) -> bool:
    """Depth first over the derivatives of an intersection, a complement or a loop."""
    came_from: dict[Expression, Expression | None] = {e: None}
    stack = [e]
    while stack:
        here = stack.pop()
        later = []
        for _, _, rest in raw_transitions(here):
            if rest in came_from:
                continue
            parts = rest.unsure == 1 and type(rest) not in (Both, Negate)
            if rest.nullable or not rest.unsure or rest._empty is False or (
                parts and not is_nothing(rest, limit)
            ):
                # everything on the way here has a word
                step: Expression | None = here
                while step is not None:
                    step._empty = False
                    step = came_from[step]
                return False
            if parts or rest._empty:
                continue
            came_from[rest] = here
            later.append(rest)
        if len(came_from) > limit:
            raise TooComplex(f"no word found among the first {limit} states of an expression")
        stack.extend(reversed(later))
    for state in came_from:
        state._empty = True
    return True


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
        seen += len(following)
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
