"""Jump-forward: what must come is written at once, in the tokens the model would have used.

The trap (lesson 04): the forced text is known, its tokens are not. Written naively, the tokens meet
the text before and after it in places where the model's own tokenizer never cuts, and a model that
reads such tokens answers worse. So the last tokens before the forced text are tokenized again
together with it and replaced where they differ; and a last token that could grow is held back: the
model writes it, together with what comes after.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from .vocabulary import Vocabulary

# so many tokens before the forced text are cut afresh together with it
WINDOW = 4


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
