"""Greedy or sampled decoding of many prompts at once, for measurements of lesson 07.

All prompts share their beginning (the system prompt), so that is read once. Then every step is one
pass of the model over the whole batch; each sequence has a matcher and a row of the bitmask of its
own. Lesson 09 does the same with transformers' own loop.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import takewhile
from typing import Any

import numpy as np

from tokenmask import GrammarMatcher, allocate_token_bitmask, apply_token_bitmask

BATCH = 32


def complete(
    model: Any, prompts: list[str], system: str, compiled: Any = None, max_tokens: int = 40, **sampling: Any
) -> list[str]:
    """One answer per prompt, under the grammar if there is one.

    temperature: 0 (the default) takes the likeliest token. seed: makes sampling repeatable.
    """
    answers = []
    for start in range(0, len(prompts), BATCH):
        ids = [model.prompt_ids(prompt, system) for prompt in prompts[start : start + BATCH]]
        batch = _Batch(model, ids, compiled, max_tokens, **sampling)
        answers += batch.run()
    return answers


def common(sequences: list[list[int]]) -> int:
    """How many tokens all sequences begin with; at least one of each is left over."""
    same = sum(1 for _ in takewhile(lambda column: len(set(column)) == 1, zip(*sequences)))
    return min(same, min(map(len, sequences)) - 1)


class _Batch:
    """Sequences that are decoded side by side."""

    def __init__(
        self,
        model: Any,
        ids: list[list[int]],
        compiled: Any,
        limit: int,
        temperature: float = 0,
        seed: int = 0,
    ) -> None:
        self.model, self.ids, self.limit = model, ids, limit
        self.vocabulary = model.vocabulary
        self.matchers = [GrammarMatcher(compiled) for _ in ids] if compiled else None
        self.temperature, self.random = temperature, np.random.default_rng(seed)
        self.written: list[list[int]] = [[] for _ in ids]
        self.rows = list(range(len(ids)))  # those that are still being written, in the batch's order

    def run(self) -> list[str]:
        """Decode until every sequence has ended or is at the limit; their texts."""
        import torch

        with torch.inference_mode():
            passes = self._passes(torch)
            logits = next(passes)
            for _ in range(self.limit):
                chosen = [self._one(row, scores) for row, scores in zip(self.rows, self._masked(logits))]
                if all(self._ended(row, token) for row, token in zip(self.rows, chosen)):
                    break
                logits = passes.send(chosen)
        return [self._text(row) for row in self.written]

    def _passes(self, torch: Any) -> Iterator[np.ndarray]:
        """Logits [batch, vocabulary]; send the chosen tokens to get the next ones."""
        from transformers import DynamicCache

        net, rows, same = self.model.model, len(self.ids), common(self.ids)
        cache = DynamicCache(config=net.config)
        net(torch.tensor([self.ids[0][:same]]), cache=cache, use_cache=True, logits_to_keep=1)
        cache.batch_repeat_interleave(rows)
        rest = [ids[same:] for ids in self.ids]
        width = max(map(len, rest))
        # the shorter ones are filled up on the left, where the attention mask hides it
        tokens = torch.tensor([[0] * (width - len(r)) + r for r in rest])
        seen = torch.tensor([[1] * same + [0] * (width - len(r)) + [1] * len(r) for r in rest])
        places = (seen.cumsum(1) - 1).clamp(min=0)[:, same:]
        while True:
            known = {"attention_mask": seen, "position_ids": places, "cache": cache}
            out = net(tokens, **known, use_cache=True, logits_to_keep=1)
            chosen = yield out.logits[:, -1].float().numpy().copy()
            # what has ended leaves the batch, and its part of the cache goes too
            kept = [i for i, row in enumerate(self.rows) if not self._ended(row, chosen[i])]
            if len(kept) < len(self.rows):
                cache.batch_select_indices(torch.tensor(kept))
            self.rows = [self.rows[i] for i in kept]
            tokens = torch.tensor([[chosen[i]] for i in kept])
            seen = torch.cat([seen[kept], torch.ones(len(kept), 1, dtype=seen.dtype)], 1)
            places = places[kept, -1:] + 1

    def _masked(self, logits: np.ndarray) -> np.ndarray:
        """The logits [batch, vocabulary], each row under its own matcher's mask."""
        if self.matchers is not None:
            bitmask = allocate_token_bitmask(len(self.rows), self.vocabulary.size)
            for i, row in enumerate(self.rows):
                self.matchers[row].fill_next_token_bitmask(bitmask, i)
            apply_token_bitmask(logits, bitmask)
        return logits

    def _one(self, row: int, logits: np.ndarray) -> int:
        """The next token of one sequence, written down."""
        token = int(logits.argmax()) if self.temperature == 0 else self._draw(logits)
        if self.matchers is not None:
            self.matchers[row].accept_token(token)
        self.written[row].append(token)
        return token

    def _ended(self, row: int, token: int) -> bool:
        if token in self.vocabulary.eos_ids:
            return True
        return self.matchers is not None and self.matchers[row].is_finished()

    def _draw(self, logits: np.ndarray) -> int:
        weights = np.exp((logits - logits.max()) / self.temperature, dtype=np.float64)
        return int(self.random.choice(len(weights), p=weights / weights.sum()))

    def _text(self, row: list[int]) -> str:
        tokens, silent = self.vocabulary.tokens, {*self.vocabulary.eos_ids, *self.vocabulary.special_ids}
        return b"".join(tokens[i] for i in row if i not in silent).decode("utf-8", errors="replace")
