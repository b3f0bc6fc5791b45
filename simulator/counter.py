"""Valid of N: the same question asked with many seeds, with and without the constraint."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

SIDES = ("constrained", "free")


def count_valid(
    generate: Callable[[bool, int], Any],
    schema: Any,
    total: int,
    tell: Callable[[dict[str, Any]], None],
    should_stop: Callable[[], bool],
) -> dict[str, Any]:
    """Run seeds 0 to total - 1 on both sides; {"done", "total", "constrained", "free"} in the end.

    generate(constrained, seed) -> Trace; tell(counts) is called after each seed.
    """
    counts = {"done": 0, "total": total, **dict.fromkeys(SIDES, 0)}
    for seed in range(total):
        if should_stop():
            break
        for side in SIDES:
            counts[side] += generate(side == "constrained", seed).is_valid(schema)
        counts["done"] += 1
        tell(counts)
    return counts
