"""Jump-forward: what must come is written at once, in the tokens the model would have used.

The trap (lesson 04): the forced text is known, its tokens are not. Written naively, the tokens meet
the text before and after it in places where the model's own tokenizer never cuts, and a model that
reads such tokens answers worse. So the last tokens before the forced text are tokenized again
together with it and replaced where they differ; and a last token that could grow is held back: the
model writes it, together with what comes after.

Where the forced text cannot be spelled to its end (its last bytes are only in tokens that go on
after it, or the tokenizer would read a control token), the longest beginning is written that can,
and from which tokens still lead past the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from .vocabulary import Vocabulary

# so many tokens before the forced text are cut afresh together with it
WINDOW = 4
# so many shorter beginnings are tried where a forced text cannot be spelled
TRIES = 8


@dataclass(frozen=True, slots=True)
class Jump:
    """Take back the last `dropped` tokens and write `tokens` in their place."""

    dropped: int
    tokens: tuple[int, ...]


def plan(
    vocabulary: Vocabulary, encode: Callable[[str], list[int]], written: Sequence[int], forced: str
) -> Jump | None:
    """How to write the text `forced` after the tokens `written`; None if it cannot be spelled."""
    for window in range(min(WINDOW, len(written)), -1, -1):
        tail = list(written[len(written) - window :])
        spelled = _spell(vocabulary, encode, tail, forced)
        if spelled is not None:
            kept = _common(tail, spelled)
            return Jump(window - kept, tuple(spelled[kept:]))
    return None


def beginnings(vocabulary: Vocabulary, written: Sequence[int], forced: str) -> Iterator[str]:
    """`forced`, then the beginnings of it after which a token can end, longest first.

    >>> list(beginnings(Vocabulary([b"a", b"b", b"cd"], ()), [], "abc"))
    ['abc', 'ab', 'a']
    """
    yield forced
    tail = [vocabulary.tokens[i] for i in written[-WINDOW:]]
    starts = [sum(map(len, tail[:i])) for i in range(len(tail) + 1)]
    data = b"".join(tail) + forced.encode()
    possible = set(token_ends(vocabulary, data, starts))
    place, found = starts[-1], []
    control = _control_end(vocabulary, data, place)
    for count, character in enumerate(forced[:-1], start=1):
        place += len(character.encode())
        if place in possible and place < control:
            found.append(count)
    yield from (forced[:count] for count in islice(reversed(found), TRIES))


def _control_end(vocabulary: Vocabulary, data: bytes, after: int) -> int:
    """Where in `data`, behind the place `after`, the name of a control token first ends."""
    names = [vocabulary.tokens[i] for i in (*vocabulary.eos_ids, *vocabulary.special_ids)]
    begins = [(name, data.find(name, max(0, after + 1 - len(name)))) for name in names if name]
    return min((begin + len(name) for name, begin in begins if begin >= 0), default=len(data))


def token_ends(vocabulary: Vocabulary, data: bytes, starts: Iterable[int]) -> list[int]:
    """Places in `data`, ascending, where a token can begin or end, if one may begin at `starts`.

    >>> token_ends(Vocabulary([b"a", b"abc", b"d"], ()), b"abcd", [0])
    [0, 1, 3, 4]
    """
    reached = set(starts)
    for start in range(len(data)):
        if start not in reached:
            continue
        node, end = vocabulary.trie.root, start
        while end < len(data) and (node := node.child(data[end])) is not None:
            end += 1
            if node.tokens:
                reached.add(end)
    return sorted(reached)


def can_grow(vocabulary: Vocabulary, token: int, legal: Iterable[int]) -> bool:
    """Whether a longer token than `token` that starts with it is among the `legal` ones."""
    start = vocabulary.tokens[token]
    longer = (vocabulary.tokens[i] for i in legal)
    return any(len(other) > len(start) and other.startswith(start) for other in longer)


def length(vocabulary: Vocabulary, ids: Iterable[int]) -> int:
    """How many bytes these tokens spell."""
    return sum(len(vocabulary.tokens[i]) for i in ids)


def _spell(
    vocabulary: Vocabulary, encode: Callable[[str], list[int]], tail: list[int], forced: str
) -> list[int] | None:
    """The model's tokens for `tail` and `forced` together; None unless they say exactly that."""
    data = b"".join(vocabulary.tokens[i] for i in tail) + forced.encode()
    try:
        ids = encode(data.decode())
    except ValueError:  # half a character, or no token for one
        return None
    never = {*vocabulary.eos_ids, *vocabulary.special_ids}
    if never.intersection(ids) or b"".join(vocabulary.tokens[i] for i in ids) != data:
        return None  # a tokenizer that adds a space, or sees a control token in the text
    return ids


def _common(first: Sequence[int], second: Sequence[int]) -> int:
    same = 0
    while same < min(len(first), len(second)) and first[same] == second[same]:
        same += 1
    return same
