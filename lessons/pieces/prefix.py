"""A common beginning is read once: what servers call prefix caching. Lessons 07 and 08 use it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from lessons.pieces import l04


class Remembers:
    """A model that keeps what it has read when it is reset, for runs that begin alike.

    It is lesson 04's `reread`: cut where two runs begin to differ, read the rest. It changes no
    answer, only the time.
    """

    def __init__(self, model: Any) -> None:
        self.model = model
        self.vocabulary, self.encode, self.prompt_ids = model.vocabulary, model.encode, model.prompt_ids
        self.have: list[int] = []
        self.want: list[int] = []
        model.reset()

    def reset(self) -> None:
        """Begin anew; the cache stays."""
        self.want = []

    def truncate(self, n: int) -> None:
        """Keep only the first `n` tokens of the context."""
        del self.want[n:]

    def extend(self, ids: Iterable[int]) -> np.ndarray:
        """Logits after `ids` were appended."""
        self.want += list(ids)
        if not self.want:
            self.model.reset()
            self.have = []
            return self.model.extend([])
        logits = l04.reread(self.model, self.have, self.want)
        self.have = list(self.want)
        return logits
