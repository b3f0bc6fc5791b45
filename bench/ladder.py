"""What each step from replay to the cached mask saves: all methods on the same fresh states.

    python -m bench.ladder DATA.jsonl --states 50

A fresh state is one that its grammar has not met before: for every rung the schema is compiled
anew and the text is read up to the same place. What hangs on the vocabulary (masks of lexemes)
stays, except on the rung that says otherwise. All rungs must give the same mask, bit for bit.
The walk needs the decoder as one table. Where keys are free and may not repeat, every beginning of
a key is a row of its own: such states are left out of the walk's rungs, and column n says how many
were measured. Lessons 02 and 03 build the rungs.
"""

from __future__ import annotations

import argparse
import gc
import json
import math
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from time import monotonic, perf_counter_ns
from typing import Any

import numpy as np

from tokenmask import GrammarCompiler, Vocabulary
from tokenmask.compiled import CompiledGrammar
from tokenmask.errors import SchemaError
from tokenmask.masks import descend_mask, mask_of, replay_mask, split_mask
from tokenmask.pushdown import Pushdown, State
from tokenmask.walk import walk_vocabulary

from .maskbench import read_schemas
from .measure import CLOCKS
from .report import table
from .vocabularies import BenchVocabulary, open_vocabulary

Clock = Callable[[], int]
PER_SCHEMA = 4
MOST_ROWS = 20_000  # of 2 kB each


@dataclass(frozen=True)
class Place:
    """A schema and the tokens read: a state that can be reached afresh as often as needed."""

    schema: Any
    tokens: tuple[int, ...]

    def reach(self, vocabulary: Vocabulary) -> tuple[CompiledGrammar, State] | None:
        """The state in a grammar that knows nothing yet; None if a token is refused."""
        compiled = GrammarCompiler(vocabulary).compile_json_schema(self.schema)
        state: State | None = compiled.pushdown.start
        for token in self.tokens:
            state = compiled.pushdown.read(state, vocabulary.tokens[token])
            if state is None:
                return None
        return compiled, state


class TooManyRows(Exception):
    """The decoder is too large for one table."""


class _Row:
    """A decoder state as a row of the table; `step` is what the walk's plain-Python tail calls."""

    def __init__(self, grammar: WholeGrammar, state: State, index: int) -> None:
        self.grammar, self.state, self.index = grammar, state, index
        self.after: dict[int, _Row] | None = None

    def step(self, byte: int) -> _Row | None:
        self.grammar.fill_once(self)
        return self.after.get(byte)


class WholeGrammar:
    """The whole decoder as one automaton, rows made when the walk meets them.

    It has the names that `tokenmask.walk` needs: states, table, unfilled, fill, fill_once.
    """

    def __init__(self, pushdown: Pushdown) -> None:
        self.pushdown = pushdown
        self.states: list[_Row] = []
        self.numbers: dict[int, _Row] = {}
        self.table = np.full((64, 256), -1, np.intp)
        self.table[0] = 0
        self.unfilled = 0

    def row_of(self, state: State) -> _Row:
        found = self.numbers.get(state.number)
        if found is None:
            if len(self.states) >= MOST_ROWS:
                raise TooManyRows
            found = self.numbers[state.number] = _Row(self, state, len(self.states) + 1)
            self.states.append(found)
            self.unfilled += 1
            if found.index >= len(self.table):
                self.table = np.concatenate([self.table, np.full_like(self.table, -1)])
        return found

    def fill(self, row: _Row) -> None:
        row.after = {}
        numbers = np.zeros(256, np.intp)
        for byte in {b for stack in row.state.stacks for b in stack.item.allowed()}:
            state = self.pushdown.step(row.state, byte)
            if state is not None:
                row.after[byte] = after = self.row_of(state)
                numbers[byte] = after.index << 8
        self.table[row.index] = numbers
        self.unfilled -= 1

    def fill_once(self, row: _Row) -> None:
        if row.after is None:
            self.fill(row)

    def mask(self, vocabulary: Vocabulary, state: State) -> np.ndarray:
        """All tokens at once, level by level."""
        nodes, _ = walk_vocabulary(vocabulary.trie, self, self.row_of(state))
        tokens = vocabulary.trie.token[nodes]
        return vocabulary.pack(tokens[tokens >= 0])


def measure_place(
    place: Place, vocabulary: Vocabulary, clock: Clock = perf_counter_ns
) -> dict[str, float] | None:
    """Microseconds of every rung at one place (nan: not done); ValueError if two rungs differ."""
    if place.reach(vocabulary) is None:
        return None
    times: dict[str, float] = {}
    masks: dict[str, np.ndarray] = {}

    def rung(name: str, again: str, work: Callable[[Pushdown, State], np.ndarray]) -> None:
        compiled, state = place.reach(vocabulary)
        try:
            times[name], masks[name] = _timed(lambda: work(compiled.pushdown, state), clock)
        except TooManyRows:
            times[name] = times[again] = math.nan
            return
        if again:
            times[again], masks[again] = _timed(lambda: work(compiled.pushdown, state), clock)

    rung("replay", "replay, steps known", lambda p, s: replay_mask(vocabulary, p, s))
    rung("trie descent", "trie descent, steps known", lambda p, s: descend_mask(vocabulary, p, s))
    whole: dict[Pushdown, WholeGrammar] = {}
    rung(
        "NumPy walk",
        "NumPy walk, table known",
        lambda p, s: whole.setdefault(p, WholeGrammar(p)).mask(vocabulary, s),
    )
    rung("split", "", lambda p, s: split_mask(vocabulary, p, s))
    compiled, state = place.reach(vocabulary)
    mask_of(vocabulary, compiled.pushdown, state)
    again = _timed(lambda: mask_of(vocabulary, compiled.pushdown, state), clock)
    times["the same state again"], _ = again
    for name, mask in masks.items():
        if not np.array_equal(mask, masks["replay"]):
            raise ValueError(f"{name} differs from replay: {place}")
    return times


def _timed(work: Callable[[], np.ndarray], clock: Clock) -> tuple[float, np.ndarray]:
    """Microseconds, and what came out."""
    start = clock()
    mask = work()
    return (clock() - start) / 1e3, mask


def split_cold(place: Place, vocabulary: Vocabulary, clock: Clock = perf_counter_ns) -> float:
    """Microseconds of the split when the vocabulary has met no lexeme before."""
    kept = dict(vocabulary.shared)
    vocabulary.shared.clear()
    compiled, state = place.reach(vocabulary)
    spent, _ = _timed(lambda: split_mask(vocabulary, compiled.pushdown, state), clock)
    vocabulary.shared.clear()
    vocabulary.shared.update(kept)
    return spent


def places(data: Path, vocabulary: BenchVocabulary, count: int, seed: int) -> Iterator[Place]:
    """`count` places, at most four from a schema, out of valid instances in random order."""
    rng = random.Random(seed)
    entries = list(read_schemas(data))
    rng.shuffle(entries)
    left = count
    for entry in entries:
        valid = [test for test in entry["tests"] if test["valid"]]
        if not valid or not left:
            continue
        text = json.dumps(valid[0]["data"], ensure_ascii=False)
        tokens = tuple(vocabulary.encode(text))
        for length in rng.sample(range(len(tokens)), min(PER_SCHEMA, len(tokens), left)):
            left -= 1
            yield Place(entry["schema"], tokens[:length])


def run(
    data: Path, vocabulary: BenchVocabulary, count: int, seed: int, seconds: float, clock: Clock
) -> tuple[list[dict[str, float]], int]:
    """The times of every rung at every place that the engine compiles and reaches.

    seconds: no further place is begun after so long. Also returned: how many were not begun.
    """
    ours = vocabulary.build()
    _ = ours.trie
    chosen = list(places(data, vocabulary, count, seed))
    gc.collect()
    gc.freeze()
    measured = []
    end = monotonic() + seconds
    for number, place in enumerate(chosen):
        if monotonic() >= end:
            return measured, len(chosen) - number
        try:
            times = measure_place(place, ours, clock)
        except SchemaError:
            continue
        if times is not None:
            times["split, vocabulary cold"] = split_cold(place, ours, clock)
            measured.append(times)
    return measured, 0


RUNGS = (
    "replay",
    "replay, steps known",
    "trie descent",
    "trie descent, steps known",
    "NumPy walk",
    "NumPy walk, table known",
    "split, vocabulary cold",
    "split",
    "the same state again",
)


def show(measured: list[dict[str, float]]) -> str:
    """A row per rung: microseconds per mask, and how many times its mean is in replay's mean.

    Both means are over the states that this rung could measure.
    """
    replay = np.array([times["replay"] for times in measured])
    rows = []
    for rung in RUNGS:
        values = np.array([times[rung] for times in measured])
        done = ~np.isnan(values)
        cells = ["-"] * 4
        if done.any():
            values = values[done]
            mean = values.mean()
            numbers = [mean, np.median(values), values.max(), replay[done].mean() / mean]
            cells = [f"{number:,.1f}" for number in numbers]
        rows.append([rung, str(done.sum()), *cells])
    return table(["us per mask", "n", "mean", "median", "max", "faster than replay"], rows)


def main(arguments: list[str] | None = None) -> None:
    """The command."""
    parser = argparse.ArgumentParser(prog="bench.ladder", description=__doc__.split("\n")[0])
    parser.add_argument("data", type=Path, metavar="DATA.jsonl")
    parser.add_argument("--vocabulary", default="smol", help="smol, tekken, dashscope or a folder")
    parser.add_argument("--states", type=int, default=50, help="how many states (default 50)")
    parser.add_argument(
        "--seconds", type=float, default=40.0, help="no further state is begun then (default 40)"
    )
    parser.add_argument("--clock", default="wall", choices=tuple(CLOCKS), help="cpu: of the thread")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args(arguments)
    vocabulary = open_vocabulary(given.vocabulary)
    measured, late = run(given.data, vocabulary, given.states, given.seed, given.seconds, CLOCKS[given.clock])
    if not measured:
        raise SystemExit(f"no state was measured within --seconds {given.seconds:g}")
    print(
        f"{len(measured)} fresh states of {given.data.name}, {vocabulary.name} "
        f"({vocabulary.size:,} tokens); {given.clock} time; all rungs gave equal masks"
    )
    if late:
        print(f"{late} more were left out: {given.seconds:g} s were over (--seconds)")
    walkless = sum(math.isnan(times["NumPy walk"]) for times in measured)
    if walkless:
        print(f"{walkless} without the NumPy walk: its table would have over {MOST_ROWS:,} rows")
    print("\n" + show(measured))


if __name__ == "__main__":
    main()
