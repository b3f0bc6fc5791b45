"""Many runs of the small model side by side: one pass of the model serves all of them.

Lessons 04 and 05 ask many short questions. `together` runs each as usual, with `generate` and its
jumps, but the runs wait for one another wherever they need the model: then it reads the new tokens
of all runs in one pass, as a server does. Only the time changes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Condition
from typing import Any, TypeVar

import numpy as np

from lessons import batch
from lessons.models import is_real
from lessons.pieces import l04

Result = TypeVar("Result")
ROWS = 20  # runs at a time


def together(model: Any, ask: Callable[..., Result], things: Sequence[Any], *more: Any) -> list[Result]:
    """`[ask(model, thing, *more) for thing in things]`, the small model's passes shared.

    ask: begins a run of its own with the model that it is given (`reset`, `extend`, ...). A toy
    model is asked one after the other.
    """
    if not is_real(model):
        return [ask(model, thing, *more) for thing in things]
    results: list[Result] = []
    for start in range(0, len(things), ROWS):
        some = things[start : start + ROWS]
        table = Table(model, len(some))
        jobs = [lambda seat, thing=thing: ask(seat, thing, *more) for thing in some]
        with ThreadPoolExecutor(len(some)) as pool:
            futures = [pool.submit(table.run, seat, job) for seat, job in zip(table.seats, jobs)]
            results += table.results(futures)
    return results


class Seat:
    """What one run takes for the model: its own context, and a place at the table."""

    def __init__(self, table: Table, row: int) -> None:
        self.table, self.row = table, row
        model = table.model
        self.vocabulary, self.encode, self.prompt_ids = model.vocabulary, model.encode, model.prompt_ids
        self.tokens: list[int] = []
        self.logits: np.ndarray | None = None

    def reset(self) -> None:
        """Begin anew."""
        self.tokens = []

    def truncate(self, n: int) -> None:
        """Keep only the first `n` tokens of the context."""
        del self.tokens[n:]

    def extend(self, ids: Iterable[int]) -> np.ndarray:
        """Logits after `ids` were appended, once every other run has asked as well."""
        self.tokens += list(ids)
        return self.table.ask(self)


class Table:
    """The runs and what the cache holds of each: `have[row][i]` is in the cache's column `columns[row][i]`.

    Rows grow by different numbers of tokens, so shorter ones are filled up on the left; fillings,
    and tokens that a jump took back, stay in the cache and are hidden by the attention mask.
    """

    def __init__(self, model: Any, count: int) -> None:
        self.model, self.cache = model, None
        self.seats = [Seat(self, row) for row in range(count)]
        self.have: list[list[int]] = [[] for _ in range(count)]
        self.columns: list[list[int]] = [[] for _ in range(count)]
        self.width = 0  # columns of the cache
        self.rows = list(range(count))  # those in the cache, in its order
        self.waiting: list[Seat] = []
        self.running = count
        self.failure: BaseException | None = None
        self.turn = Condition()  # one run at a time works; those that wait for the model let go

    def run(self, seat: Seat, job: Callable[[Seat], Result]) -> Result:
        """One run from start to end, in a thread of its own."""
        with self.turn:
            try:
                return job(seat)
            finally:
                self.running -= 1
                self._serve()

    def results(self, futures: list) -> list:
        """What the runs gave; if one fails or somebody interrupts, none waits for ever."""
        try:
            return [future.result() for future in futures]
        except BaseException as failure:
            with self.turn:
                self.failure = failure
                self.turn.notify_all()
            raise

    def ask(self, seat: Seat) -> np.ndarray:
        """The logits for `seat`; the last one to ask has the pass made for all."""
        seat.logits = None
        if self.failure is None:
            self.waiting.append(seat)
            self._serve()
        while seat.logits is None and self.failure is None:
            self.turn.wait()
        if seat.logits is None:
            raise RuntimeError("the passes of the model are shared, and one failed") from self.failure
        return seat.logits

    def _serve(self) -> None:
        if not self.waiting or len(self.waiting) < self.running or self.failure is not None:
            return
        try:
            self._pass(sorted(self.waiting, key=lambda seat: seat.row))
        except BaseException as failure:
            self.failure = failure
        self.waiting = []
        self.turn.notify_all()

    def _pass(self, seats: list[Seat]) -> None:
        import torch

        with torch.inference_mode():
            if self.cache is None:
                self._begin(torch, seats)
            self._leave(torch, seats)
            new = [self._new(seat) for seat in seats]
            longest = max(map(len, new))
            tokens = torch.tensor([[0] * (longest - len(ids)) + ids for ids in new])
            for seat, ids in zip(seats, new):
                end = self.width + longest
                self.columns[seat.row] += range(end - len(ids), end)
                self.have[seat.row] = list(seat.tokens)
            self.width += longest
            seen = torch.zeros(len(seats), self.width, dtype=torch.long)
            for i, seat in enumerate(seats):
                seen[i, self.columns[seat.row]] = 1
            last = torch.tensor([[len(seat.tokens)] for seat in seats])
            places = (last - longest + torch.arange(longest)).clamp(min=0)
            known = {"attention_mask": seen, "position_ids": places, "cache": self.cache}
            out = self.model.model(tokens, **known, use_cache=True, logits_to_keep=1)
            logits = out.logits[:, -1].float().numpy()
        for i, seat in enumerate(seats):
            seat.logits = logits[i].copy()

    def _begin(self, torch: Any, seats: list[Seat]) -> None:
        """Read what all runs begin with, once for all."""
        from transformers import DynamicCache

        net, shared = self.model.model, seats[0].tokens[: batch.common([seat.tokens for seat in seats])]
        self.cache = DynamicCache(config=net.config)
        net(torch.tensor([shared]), cache=self.cache, use_cache=True, logits_to_keep=1)
        self.cache.batch_repeat_interleave(len(seats))
        self.rows, self.width = [seat.row for seat in seats], len(shared)
        for seat in seats:
            self.have[seat.row], self.columns[seat.row] = list(shared), list(range(len(shared)))

    def _leave(self, torch: Any, seats: list[Seat]) -> None:
        """Runs that have ended leave the cache."""
        here = {seat.row for seat in seats}
        kept = [i for i, row in enumerate(self.rows) if row in here]
        if len(kept) < len(self.rows):
            self.cache.batch_select_indices(torch.tensor(kept))
            self.rows = [self.rows[i] for i in kept]

    def _new(self, seat: Seat) -> list[int]:
        """The tokens to read for `seat`; those that were taken back are hidden. One is read at least."""
        keep = min(l04.common(self.have[seat.row], seat.tokens), len(seat.tokens) - 1)
        del self.columns[seat.row][keep:]
        return seat.tokens[keep:]
