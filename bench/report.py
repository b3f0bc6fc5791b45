"""Tables of what `bench.measure` measured: counts, times, ratios."""

from __future__ import annotations

import platform
import sys
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from .measure import REFUSED, RIGHT, TIMED_OUT, VERDICTS, Result

STATISTICS = ("mean", "p50", "p99", "max")
MEASURES = ("time to first mask", "mask, cold", "mask, first instance", "mask, warm", "commit")

Results = Mapping[str, Result]  # schema name -> result


def samples(results: Iterable[Result], measure: str) -> np.ndarray:
    """All times of one kind, in microseconds, over the schemas that the engine compiled."""
    done = [r for r in results if r.verdict not in (REFUSED, TIMED_OUT) and r.first_mask]
    parts = {
        "time to first mask": lambda r: [r.first_mask],
        "mask, cold": lambda r: r.cold,
        "mask, first instance": lambda r: r.cold[: r.first],
        "mask, warm": lambda r: r.warm,
        "commit": lambda r: r.commit,
    }
    rows = [np.array(parts[measure](r), float) for r in done]
    return np.concatenate(rows) / 1e3 if rows else np.zeros(0)


def statistics(times: np.ndarray) -> dict[str, float]:
    """Mean, median, 99th percentile and maximum, and how many there were."""
    if not times.size:
        return {"n": 0}
    values = (times.mean(), np.median(times), np.percentile(times, 99), times.max())
    return {"n": int(times.size), **{k: float(v) for k, v in zip(STATISTICS, values)}}


def tokens_per_second(results: Iterable[Result]) -> float:
    """Masks and commits of the first pass in one thread, as if the model took no time."""
    done = list(results)
    spent = sum(sum(r.cold) + sum(r.commit) for r in done)
    return sum(len(r.cold) for r in done) / (spent / 1e9) if spent else 0.0


def summary(results: Results) -> dict[str, Any]:
    """Everything the table says of one engine."""
    counts = {v: sum(r.verdict == v for r in results.values()) for v in VERDICTS}
    return {
        "schemas": len(results),
        "counts": counts,
        "right share": counts[RIGHT] / max(1, len(results)),
        "mask and accept disagree": sum(r.disagreements for r in results.values()),
        "times": {m: statistics(samples(results.values(), m)) for m in MEASURES},
        "tokens per second": tokens_per_second(results.values()),
    }


def ratios(ours: Results, peer: Results) -> dict[str, dict[str, float]]:
    """Our times as multiples of the peer's, over the schemas that both compiled."""
    both = [
        name
        for name in ours
        if all(
            side[name].verdict not in (REFUSED, TIMED_OUT) and side[name].first_mask for side in (ours, peer)
        )
    ]
    found: dict[str, dict[str, float]] = {"schemas": {"n": len(both)}}
    for measure in MEASURES:
        left = statistics(samples((ours[n] for n in both), measure))
        right = statistics(samples((peer[n] for n in both), measure))
        if left["n"] and right["n"]:
            found[measure] = {k: left[k] / right[k] for k in STATISTICS}
    return found


def machine() -> dict[str, Any]:
    """What the numbers depend on."""
    import os

    return {
        "python": sys.version.split()[0],
        "numpy": np.__version__,
        "cores": os.cpu_count(),
        "machine": f"{platform.system()} {platform.machine()}",
    }


def table(header: list[str], rows: list[list[str]]) -> str:
    """A Markdown table, its columns aligned; all but the first to the right.

    >>> print(table(["a", "b"], [["x", "1"]]))
    | a   |   b |
    | --- | --: |
    | x   |   1 |
    """
    lines = [header, *rows]
    widths = [max(3, *(len(line[i]) for line in lines)) for i in range(len(header))]

    def show(cells: list[str]) -> str:
        rest = (cell.rjust(width) for cell, width in zip(cells[1:], widths[1:]))
        return f"| {' | '.join([cells[0].ljust(widths[0]), *rest])} |"

    rule = ["-" * widths[0], *("-" * (w - 1) + ":" for w in widths[1:])]
    return "\n".join([show(header), show(rule), *map(show, rows)])


def show_counts(summaries: Mapping[str, dict[str, Any]], peaks: Mapping[str, float]) -> str:
    """Who is right how often."""
    rows = []
    for name, s in summaries.items():
        counts = [str(s["counts"][v]) for v in VERDICTS]
        peak = f"{peaks[name]:.0f}" if name in peaks else "-"
        speed = f"{s['tokens per second']:,.0f}" if s["tokens per second"] else "-"
        share = f"{100 * s['right share']:.1f} %"
        rows.append([name, share, *counts, str(s["mask and accept disagree"]), speed, peak])
    header = ["engine", "right", *("right (n)", *VERDICTS[1:]), "mask/accept differ"]
    return table([*header, "tokens/s", "peak MB"], rows)


def show_times(summaries: Mapping[str, dict[str, Any]]) -> str:
    """Microseconds, each engine over the schemas it compiled."""
    rows = []
    for measure in MEASURES:
        for name, s in summaries.items():
            times = s["times"][measure]
            if times["n"]:
                cells = [f"{times[k]:,.1f}" for k in STATISTICS]
                rows.append([measure, name, *cells, f"{times['n']:,}"])
    return table(["us", "engine", *STATISTICS, "n"], rows)


def show_ratios(found: Mapping[str, dict[str, dict[str, float]]]) -> str:
    """Ours divided by each peer's; below 1 we are faster."""
    rows = []
    for peer, measures in found.items():
        for measure in MEASURES:
            if measure in measures:
                cells = [_ratio(measures[measure][k]) for k in STATISTICS]
                rows.append([f"{measure} / {peer}", *cells])
    return table(["tokenmask / peer, same schemas", *STATISTICS], rows)


def _ratio(value: float) -> str:
    return f"{value:.2f}" if value >= 0.1 else f"{value:.4f}"
