"""Valid of N: the same question asked with many seeds, with and without the constraint."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

SIDES = ("constrained", "free")

# (constrained, seed, should_stop) -> Trace
Generate = Callable[[bool, int, Callable[[], bool]], Any]


class SeedCounter:
    """Counts in a thread of its own, and can be stopped.

    tell(counts): called after each seed and at the end, with {"done", "total", "constrained",
    "free", "running"}.
    """

    def __init__(self, tell: Callable[[dict[str, Any]], None]) -> None:
        self._tell = tell
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None

    def count(self, generate: Generate, schema: Any, total: int) -> dict[str, Any]:
        """Run seeds 0 to total - 1 on both sides and wait; what `tell` was told last."""
        self.stop()
        self._stopping.clear()
        return self._count(generate, schema, total)

    def start(self, generate: Generate, schema: Any, total: int) -> None:
        """The same without waiting."""
        self.stop()
        self._stopping.clear()
        self._thread = threading.Thread(target=self._count, args=(generate, schema, total), daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """End a count after the token that is being made."""
        self._stopping.set()
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join()

    def _count(self, generate: Generate, schema: Any, total: int) -> dict[str, Any]:
        counts = {"done": 0, "total": total, **dict.fromkeys(SIDES, 0), "running": True}
        for seed in range(total):
            traces = {side: generate(side == "constrained", seed, self._stopping.is_set) for side in SIDES}
            if self._stopping.is_set():
                break
            for side, trace in traces.items():
                counts[side] += trace.is_valid(schema)
            counts["done"] += 1
            self._tell(dict(counts))
        counts["running"] = False
        self._tell(dict(counts))
        return counts
