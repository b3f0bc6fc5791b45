"""One schema in one engine: is it right, and how long does each mask and each commit take?

How the end is judged: an instance is accepted when every token of its JSON text is legal in turn
and end-of-sequence is legal after the last. The text is `json.dumps(data, ensure_ascii=False)`.
"""

from __future__ import annotations

import contextlib
import json
import signal
import threading
import traceback
from array import array
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from time import perf_counter_ns, thread_time_ns
from typing import Any

import numpy as np

from . import apart
from .engines import Engine, Matcher, Refused
from .vocabularies import BenchVocabulary

RIGHT = "right"
REFUSED = "refused at compile"
VALID_REFUSED = "valid refused"
INVALID_ACCEPTED = "invalid accepted"
TIMED_OUT = "timed out"
CRASHED = "crashed"
CLOCKS = {"wall": perf_counter_ns, "cpu": thread_time_ns}
"""Nanoseconds: of the day, or of this thread's work (for a machine that does other things too)."""
VERDICTS = (RIGHT, REFUSED, VALID_REFUSED, INVALID_ACCEPTED, TIMED_OUT, CRASHED)


@dataclass(frozen=True)
class Instance:
    """A JSON text, its tokens, and whether the schema allows it."""

    text: str
    tokens: tuple[int, ...]
    valid: bool
    decode: Callable[[Sequence[int]], str]

    def refused_at(self, stop: int) -> str:
        """Where the token `stop` stands: what is before it, a mark, and what is refused."""
        before = self.decode(self.tokens[:stop])
        after = self.text[len(before) :] or "end-of-sequence"
        return f"{before[-160:]} >>> {after[:40]}"


@dataclass
class Result:
    """What one engine made of one schema. All times in nanoseconds."""

    verdict: str = RIGHT
    reason: str = ""
    first_mask: int = 0  # compile and the first mask
    cold: array = field(default_factory=lambda: array("q"))  # masks of all instances in order
    first: int = 0  # how many of `cold` belong to the first instance
    warm: array = field(default_factory=lambda: array("q"))  # the same masks again
    commit: array = field(default_factory=lambda: array("q"))  # accept_token in the first pass
    warm_commit: array = field(default_factory=lambda: array("q"))
    disagreements: int = 0  # tokens that the mask and accept_token judge differently


class TimeUp(Exception):
    """The schema's time is over."""


@contextlib.contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raise TimeUp in the block once it has used `seconds` of processor time.

    Only where signals exist and in the main thread; a call into native code is seen when it ends.
    """
    if not hasattr(signal, "SIGPROF") or threading.current_thread() is not threading.main_thread():
        yield
        return

    def over(*_: Any) -> None:
        raise TimeUp from None

    before = signal.signal(signal.SIGPROF, over)
    # again and again: an exception inside a __del__ is swallowed
    signal.setitimer(signal.ITIMER_PROF, seconds, 0.1)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def instances(tests: list[dict[str, Any]], vocabulary: BenchVocabulary) -> list[Instance]:
    """The tests `{"data": ..., "valid": bool}` of a schema, written and tokenised."""
    made = []
    for test in tests:
        text = json.dumps(test["data"], ensure_ascii=False)
        tokens = tuple(vocabulary.encode(text))
        made.append(Instance(text, tokens, test["valid"], vocabulary.decode))
    return made


def measure(
    engine: Engine,
    schema: Any,
    tests: list[Instance],
    eos: int,
    size: int,
    limit: float = 10.0,
    clock: str = "wall",
) -> Result:
    """Compile `schema` and run all `tests` twice: with cold caches, then again.

    eos, size: end-of-sequence id and number of tokens of the vocabulary; limit: seconds in all;
    clock: "wall" or "cpu".
    """
    watch = Stopwatch(eos, np.zeros((1, -(-size // 32)), np.int32), CLOCKS[clock])
    if not (engine.apart and apart.AVAILABLE):
        return _measure_here(engine, schema, tests, watch, limit)
    try:
        return apart.call_apart(lambda: _measure_here(engine, schema, tests, watch, limit + 1), limit)
    except TimeoutError:
        return Result(TIMED_OUT, f"not done after {limit:g} s")
    except RuntimeError as error:
        return Result(CRASHED, str(error))


@dataclass
class Stopwatch:
    """What a measurement needs: the end's token id, a bitmask (1, words) to fill, and a clock."""

    eos: int
    bitmask: np.ndarray
    clock: Callable[[], int] = perf_counter_ns


def _measure_here(
    engine: Engine, schema: Any, tests: list[Instance], watch: Stopwatch, limit: float
) -> Result:
    result = Result()
    compiled = None
    try:
        source = engine.source(schema)
        with time_limit(limit):
            start = watch.clock()
            compiled = engine.compile(source)
            if engine.masks:
                compiled.fill_first(watch.bitmask)
            result.first_mask = watch.clock() - start
            if engine.masks:
                _run_masks(compiled, tests, watch, result)
            else:
                _run_texts(compiled, tests, result)
    except Refused as error:
        result.verdict, result.reason = REFUSED, str(error)
    except (TimeUp, TimeoutError) as error:
        reason = f"not done after {limit:g} s, {len(result.cold)} masks ({_where(error)})"
        result.verdict, result.reason = TIMED_OUT, reason
    except Exception as error:
        reason = f"{type(error).__name__}: {error} ({_where(error)})"
        result.verdict, result.reason = CRASHED, reason
    finally:
        if compiled is not None:
            compiled.close()
    return result


def _where(error: BaseException) -> str:
    """The last calls that led to an error, innermost first: `rows.py:12 < walk.py:40`."""
    calls = traceback.extract_tb(error.__traceback__)[:-6:-1]
    return " < ".join(f"{call.filename.rsplit('/', 1)[-1]}:{call.lineno}" for call in calls)


def _run_masks(compiled: Any, tests: list[Instance], watch: Stopwatch, result: Result) -> None:
    for number, test in enumerate(tests):
        stop = run_instance(compiled.matcher(), test.tokens, watch, result, result.cold, result.commit)
        if number == 0:
            result.first = len(result.cold)
        _judge(result, number, test, stop)
    for test in tests:
        run_instance(compiled.matcher(), test.tokens, watch, result, result.warm, result.warm_commit)


def run_instance(
    matcher: Matcher,
    tokens: tuple[int, ...],
    watch: Stopwatch,
    result: Result,
    masks: array,
    commits: array,
) -> int | None:
    """Feed `tokens`, appending nanoseconds to `masks` and `commits`.

    The index of the first illegal token (`len(tokens)` for end-of-sequence), or None if accepted.
    """
    fill, accept, clock = matcher.fill, matcher.accept, watch.clock
    bitmask, eos = watch.bitmask, watch.eos
    row = bitmask[0]
    for index, token in enumerate(tokens):
        start = clock()
        fill(bitmask, 0)
        stop = clock()
        masks.append(stop - start)
        legal = int(row[token >> 5]) >> (token & 31) & 1
        start = clock()
        accepted = accept(token)
        stop = clock()
        if bool(accepted) != bool(legal):
            result.disagreements += 1
        if not (legal and accepted):
            return index
        commits.append(stop - start)
    fill(bitmask, 0)
    return None if int(row[eos >> 5]) >> (eos & 31) & 1 else len(tokens)


def _run_texts(compiled: Any, tests: list[Instance], result: Result) -> None:
    for number, test in enumerate(tests):
        stop = None if compiled.accepts(test.text) else 0
        _judge(result, number, test, stop)


def _judge(result: Result, number: int, test: Instance, stop: int | None) -> None:
    """Note the first mistake; an accepted invalid instance outweighs a refused valid one."""
    if test.valid and stop is not None and result.verdict == RIGHT:
        result.verdict = VALID_REFUSED
        result.reason = f"instance {number} refused at token {stop}: {test.refused_at(stop)}"
    if not test.valid and stop is None and result.verdict != INVALID_ACCEPTED:
        result.verdict = INVALID_ACCEPTED
        result.reason = f"instance {number}: {test.text[:300]}"
