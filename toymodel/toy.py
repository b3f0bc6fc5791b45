"""Two models small enough to know by heart, over a vocabulary of 28 tokens (lessons 00 and 01).

They follow the same protocol as the real model (`toymodel.small`), so that `tokenmask.generate`
cannot tell them apart: `reset`, `extend(ids) -> logits`, `truncate(n)`, `encode`, `prompt_ids`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any, Protocol

import numpy as np

from tokenmask.vocabulary import Vocabulary

TOY_TOKENS: tuple[str, ...] = (
    *("{", "}", '"', ":", ",", " "),
    *("name", "age", "active", "true", "false", "null"),
    *("0", "1", "2", "3", "7", "9"),
    *("Ada", "Lin", "Kim", "Rey", "the", "cat", "sat"),
    *("[", "]", "-"),
)


@cache
def toy_vocabulary() -> Vocabulary:
    """The 28 toy tokens. None of them ends a sequence: a run ends when its text is complete."""
    return Vocabulary([token.encode() for token in TOY_TOKENS], eos_ids=())


class UniformModel:
    """Every token is equally likely, always: logits are 0, probabilities 1/28.

    `seed` only breaks the ties (by 0.000001), so that the greedy choice is not always token 0.

    >>> UniformModel(seed=1).extend([]).shape
    (28,)
    """

    def __init__(self, seed: int = 0, *, vocabulary: Vocabulary | None = None) -> None:
        self.vocabulary = vocabulary or toy_vocabulary()
        self.seed = seed
        self.context: list[int] = []

    def reset(self) -> None:
        """Forget everything."""
        self.context = []

    def extend(self, ids: Iterable[int]) -> np.ndarray:
        """Append `ids` to the context; float32 logits [vocabulary size] of the token after it."""
        self.context.extend(ids)
        return self._logits() + self._ties()

    def truncate(self, n: int) -> None:
        """Keep only the first `n` tokens of the context."""
        del self.context[n:]

    def encode(self, text: str) -> list[int]:
        """Spell `text` with the longest token at each place; ValueError where none fits.

        >>> UniformModel().encode('{"')
        [0, 2]
        """
        return greedy_encode(self.vocabulary.tokens, text)

    def prompt_ids(self, prompt: str, system: str | None = None) -> list[int]:
        """Nothing: a toy model does not read its prompt."""
        return []

    def _logits(self) -> np.ndarray:
        return np.zeros(self.vocabulary.size, dtype=np.float32)

    def _ties(self) -> np.ndarray:
        random = np.random.default_rng((self.seed, len(self.context)))
        return random.uniform(0, 1e-6, self.vocabulary.size).astype(np.float32)


class Followable(Protocol):
    """What a model can follow: a `tokenmask.CompiledGrammar`, which makes its own matchers."""

    def matcher(self) -> Any: ...


class MostlyLegalModel(UniformModel):
    """Puts probability `p` on the tokens that the schema allows and 1 - `p` on all others.

    Both shares are spread evenly. It stands for a model that was trained well: right at nearly
    every step. It learns the schema by `follow`; before that, and once it has left the schema, it
    is the uniform model.
    """

    def __init__(self, p: float, seed: int = 0, *, vocabulary: Vocabulary | None = None) -> None:
        if not 0 <= p <= 1:
            raise ValueError(f"p is a probability, from 0 to 1: it cannot be {p}")
        super().__init__(seed, vocabulary=vocabulary)
        self.p = p
        self._matcher = None
        self._astray = False

    def follow(self, compiled: Followable) -> None:
        """Learn which tokens are legal from `compiled` and forget the context."""
        self._matcher = compiled.matcher()
        self.reset()

    def reset(self) -> None:
        """Forget the context, but not the schema."""
        super().reset()
        self._astray = False
        if self._matcher is not None:
            self._matcher.reset()

    def extend(self, ids: Iterable[int]) -> np.ndarray:
        """Append `ids` to the context; float32 logits [vocabulary size] of the token after it."""
        ids = list(ids)
        self._advance(ids)
        return super().extend(ids)

    def truncate(self, n: int) -> None:
        """Keep only the first `n` tokens of the context."""
        kept = self.context[:n]
        self.reset()
        self.extend(kept)

    def _advance(self, ids: Sequence[int]) -> None:
        for token in ids:
            if self._matcher is not None and not self._astray:
                self._astray = not self._matcher.accept_token(token)

    def _logits(self) -> np.ndarray:
        size = self.vocabulary.size
        legal = np.zeros(size, dtype=bool)
        if self._matcher is not None and not self._astray and not self._matcher.is_terminated():
            legal[self._matcher.legal_tokens()] = True
        count = int(legal.sum())
        if count in (0, size):
            return np.zeros(size, dtype=np.float32)
        # a share of 0 stays a (negligible) number: minus infinity is the mask's business
        shares = np.where(legal, self.p / count, (1 - self.p) / (size - count))
        return np.log(np.maximum(shares, 1e-30)).astype(np.float32)


def greedy_encode(tokens: Sequence[bytes], text: str) -> list[int]:
    """Spell `text` with the longest token at each place; ValueError where none fits."""
    ids = {token: i for i, token in reversed(list(enumerate(tokens))) if token}
    longest = max(map(len, ids), default=0)
    data, place, spelled = text.encode(), 0, []
    while place < len(data):
        ends = range(min(place + longest, len(data)), place, -1)
        end = next((end for end in ends if data[place:end] in ids), None)
        if end is None:
            rest = data[place:].decode(errors="replace")
            raise ValueError(f"no token of this vocabulary begins {rest!r}")
        spelled.append(ids[data[place:end]])
        place = end
    return spelled
