"""Models and vocabularies that the fuzz decodes with: picky ones, and ones that lack bytes."""

from __future__ import annotations

import functools
import random

import numpy as np

from tokenmask import Vocabulary
from toymodel import UniformModel, toy_vocabulary

from .strategies import PIECES

RICH, POOR = 9, 4
"""Vocabularies numbered 1 to `RICH` have all bytes, the next `POOR` lack many; 0 is the toy's."""


class PickyModel(UniformModel):
    """Always the token that it likes best, whatever the text: the longest, the shortest, any order."""

    def __init__(self, taste: str, seed: int, vocabulary: Vocabulary) -> None:
        super().__init__(seed, vocabulary=vocabulary)
        ends = set(vocabulary.eos_ids)
        lengths = np.array([0 if i in ends else len(t) for i, t in enumerate(vocabulary.tokens)])
        if taste == "longest":
            self.likes = lengths.astype(np.float32)
        elif taste == "shortest":
            self.likes = np.where(lengths == 0, -99, -lengths).astype(np.float32)
        else:
            order = np.random.default_rng(seed).permutation(vocabulary.size)
            self.likes = order.astype(np.float32)
            self.likes[list(ends)] = -1

    def _logits(self) -> np.ndarray:
        return self.likes


@functools.cache
def vocabulary(number: int) -> Vocabulary:
    """All or a few bytes, pieces of JSON, and random joins of both: 50 to 450 tokens, once 2,000."""
    if number == 0:
        return toy_vocabulary()
    rng = random.Random(number)
    pieces = [piece.encode() for piece in PIECES]
    tokens = [bytes([i]) for i in range(256)]
    if number > RICH:
        needed = b'{}[]",: '[: 8 - number % 2]
        tokens = [bytes([i]) for i in {*needed, *rng.sample(range(32, 127), 20)}]
    tokens += rng.sample(pieces, len(pieces) * 2 // 3)
    for _ in range(len(tokens) // 3 if number != RICH else 1700):
        joined = rng.choice(tokens) + rng.choice(pieces)
        tokens.append(joined[rng.randrange(2) : 9] or b" ")
    rng.shuffle(tokens)
    ends = [b"<end>"] * rng.randint(1, 2)
    first = len(tokens)
    return Vocabulary([*tokens, *ends, b"<special>"], range(first, first + len(ends)), [first + len(ends)])


def has_all_bytes(number: int) -> bool:
    """Vocabulary `number` can spell every text."""
    return 1 <= number <= RICH
