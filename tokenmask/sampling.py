"""From logits to one token: temperature, top-k and top-p, all of them *after* the mask.

Before the mask they would be a bug: the few tokens that top-k keeps may all be illegal ones
(lesson 08 shows it).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, slots=True)
class Sampling:
    """How to choose a token.

    temperature: 1 samples as the model would, 0 always takes the likeliest (greedy).
    top_k: only the k likeliest tokens. top_p: only the likeliest tokens that together reach p.
    """

    temperature: float = 1.0
    top_k: int | None = None
    top_p: float | None = None

    def __post_init__(self) -> None:
        if not 0 <= self.temperature < float("inf"):
            raise ValueError(f"temperature must be 0 (greedy) or above, not {self.temperature}")
        if self.top_k is not None and self.top_k < 1:
            raise ValueError(f"top_k must be at least 1, or None for all, not {self.top_k}")
        if self.top_p is not None and not 0 < self.top_p <= 1:
            raise ValueError(f"top_p must be above 0 and at most 1, not {self.top_p}")

    def probabilities(self, logits: np.ndarray) -> np.ndarray:
        """Softmax at this temperature (at 1 if greedy): float64 [vocab], -inf becomes 0."""
        return softmax(logits, self.temperature or 1.0)

    def choose(self, probabilities: np.ndarray, random: np.random.Generator) -> int:
        """One token id, drawn from `probabilities` ([vocab], sum 1; masked tokens have 0)."""
        if self.temperature == 0:
            return int(probabilities.argmax())
        ids = np.flatnonzero(probabilities)
        weights = probabilities[ids]
        if self.top_k is not None and self.top_k < len(ids):
            ids, weights = _best(ids, weights, self.top_k)
        if self.top_p is not None and self.top_p < 1:
            ids, weights = _nucleus(ids, weights, self.top_p)
        edges = weights.cumsum()
        # random() is below 1, but the product can round up to the last edge
        place = int(np.searchsorted(edges, random.random() * edges[-1], side="right"))
        return int(ids[min(place, len(ids) - 1)])


def softmax(logits: np.ndarray, temperature: float = 1.0) -> np.ndarray:
    """Logits [vocab] to probabilities, float64; a logit of -inf becomes exactly 0.

    >>> softmax(np.array([0.0, -np.inf, 0.0]))
    array([0.5, 0. , 0.5])
    """
    top = logits.max()
    if not np.isfinite(top):
        raise ValueError(
            "no token is left to choose from: every logit is -inf (or the model gave NaN or inf)"
        )
    # subtracting first keeps a tiny temperature from overflowing
    weights = np.exp((logits.astype(np.float64) - top) / temperature)
    return weights / weights.sum()


def top(probabilities: np.ndarray, k: int = 10) -> list[tuple[int, float]]:
    """The k likeliest tokens with their probabilities, likeliest first; none with probability 0.

    >>> top(np.array([0.2, 0.8, 0.0]))
    [(1, 0.8), (0, 0.2)]
    """
    ids = np.flatnonzero(probabilities)
    return [(int(i), float(p)) for i, p in zip(*_best(ids, probabilities[ids], k))]


def _best(ids: np.ndarray, weights: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    if k < len(ids):
        # sorting all of 49,152 tokens takes 6 ms, finding the k-th best one half a millisecond
        kept = weights >= np.partition(weights, len(ids) - k)[len(ids) - k]
        ids, weights = ids[kept], weights[kept]
    # of equals the lower id comes first, so that a seed always gives the same text
    order = np.lexsort((ids, -weights))[:k]
    return ids[order], weights[order]


def _nucleus(ids: np.ndarray, weights: np.ndarray, p: float) -> tuple[np.ndarray, np.ndarray]:
    whole = weights.sum()  # after top-k the rest counts as the whole
    # a few hundred tokens nearly always reach p: sort all only where they do not
    for k in (500, len(ids)):
        best, sorted_weights = _best(ids, weights, k)
        count = int(np.searchsorted(sorted_weights.cumsum() / whole, p)) + 1
        if count <= len(best):
            break
    return best[:count], sorted_weights[:count]
