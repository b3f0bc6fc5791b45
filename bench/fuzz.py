"""Random schemas, models and vocabularies: decode with a budget, judge with jsonschema.

    python -m bench.fuzz --runs 100000 --seed 0 --jobs 2

A run is one drawn schema with options, a model and a vocabulary, decoded and judged. It
1. compiles it (a refusal must be one of the engine's own errors),
2. lets an adversarial model write a document within a budget: it must end in time, be JSON without
   duplicate keys, and fit the schema; at every step the mask equals replay bit for bit, and the
   budget's mask is part of it,
3. changes that document and others a little, and asks whether the engine accepts just what
   jsonschema calls valid.

Some vocabularies have all bytes, others lack many, as the toy's 28 tokens do: what those cannot
spell must be said at once. Runs come in batches with a seed each. A failure is shrunk by Hypothesis
and printed, with the command that repeats its batch.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from tokenmask import GrammarCompiler, GrammarMatcher, Vocabulary, allocate_token_bitmask, generate
from tokenmask.errors import InvalidSchema, SchemaError, UnsatisfiableSchema, UnsupportedSchema
from tokenmask.masks import replay_mask
from toymodel import UniformModel

from . import strategies
from .adversaries import POOR, RICH, PickyModel, has_all_bytes, vocabulary
from .judge import DuplicateKey, Judge, comes_back, read
from .measure import TimeUp, time_limit

BATCH = 250
SECONDS = 20.0
"""A run that takes longer is a failure: nothing here is large."""
SHOWN = 10
"""Batches between two lines of progress."""


@dataclass(frozen=True)
class Options:
    """What is drawn beside the schema."""

    whitespace: str
    key_order: str
    vocabulary: int
    model: str
    seed: int
    slack: int
    jump: bool


options = st.builds(
    Options,
    whitespace=st.sampled_from(["compact", "spaced", "free"]),
    key_order=st.sampled_from(["schema", "any"]),
    vocabulary=st.integers(0, RICH + POOR),
    model=st.sampled_from(["uniform", "longest", "shortest", "unlikely"]),
    seed=st.integers(0, 1000),
    slack=st.integers(0, 40),
    jump=st.booleans(),
)


class Fuzz:
    """Counts of what happened, and the property that Hypothesis tests."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.slow: list[str] = []  # the runs that took too long, in words

    def check(self, schema: Any, chosen: Options, draw: Callable[[st.SearchStrategy], Any]) -> None:
        """One run; AssertionError if something wrong got through."""
        tokens = vocabulary(chosen.vocabulary)
        try:
            compiled = GrammarCompiler(tokens).compile_json_schema(
                schema, chosen.whitespace, chosen.key_order
            )
        except SchemaError as error:
            self.counts[type(error).__name__] += 1
            self._refusal(schema, error)
            return
        self.counts["compiled"] += 1
        if comes_back(schema):
            self.counts["without a judge"] += 1
            return
        judge = Judge(schema)
        document = self._decode(compiled, chosen, judge)
        accepting = GrammarCompiler(vocabulary(1)).compile_json_schema(schema, "spaced", "any")
        value = document if document is not NOTHING else draw(strategies.values)
        for _ in range(4):
            value = draw(strategies.changed(value))
            self._compare(accepting, judge, schema, value)

    def _refusal(self, schema: Any, error: SchemaError) -> None:
        """An error names its keyword and place; 'unsatisfiable' means that nothing simple fits."""
        message = str(error)
        assert message and len(message) < 1000, message
        if type(error).__name__ == "UnsatisfiableSchema" and not comes_back(schema):
            judge = Judge(schema)
            fitting = [value for value in SIMPLE if judge.allows(value)]
            assert not fitting, f"called unsatisfiable, but {fitting[0]!r} fits"

    def _decode(self, compiled: Any, chosen: Options, judge: Judge) -> Any:
        """Let the model write a document; the value, or NOTHING if the tokens cannot spell one."""
        tokens = compiled.vocabulary
        try:
            needed = len(GrammarMatcher(compiled).shortest_completion())
        except ValueError as error:
            assert "cannot spell" in str(error), error
            self.counts["cannot be spelled"] += 1
            assert not has_all_bytes(chosen.vocabulary), "all bytes can spell everything"
            self._unspellable(compiled, judge)
            return NOTHING
        limit = max(1, needed + chosen.slack)
        if chosen.model == "uniform":
            model: UniformModel = UniformModel(chosen.seed, vocabulary=tokens)
        else:
            model = PickyModel(chosen.model, chosen.seed, tokens)
        trace = generate(
            model,
            "",
            compiled,
            limit,
            temperature=1.0 if chosen.model == "uniform" else 0.0,
            seed=chosen.seed,
            jump_forward=chosen.jump,
            budget=True,
            record="none",
        )
        assert trace.finished in ("accepted", "eos"), f"{trace.finished} after {trace.text!r}"
        ends = sum(token in tokens.eos_ids for token in trace.token_ids)
        assert len(trace.token_ids) - ends <= limit, "longer than its budget"
        self._masks(compiled, trace.token_ids, limit, chosen.seed)
        try:
            value = read(trace.text)
        except DuplicateKey as error:
            raise AssertionError(f"{error} in {trace.text!r}") from None
        if not _is_finite(value):
            self.counts["numbers beyond floats"] += 1  # 1e999: nothing that Python could judge
            return NOTHING
        assert judge.allows(value), f"invalid document: {trace.text!r}"
        self.counts["documents"] += 1
        return value

    def _unspellable(self, compiled: Any, judge: Judge) -> None:
        """Nothing simple fits the schema, is accepted, and can be cut into tokens."""
        for value in SIMPLE:
            text = json.dumps(value, ensure_ascii=False)
            matcher = GrammarMatcher(compiled)
            if matcher.accept_string(text) and matcher.is_accepting() and judge.allows(value):
                cut = _can_be_cut(compiled.vocabulary, text.encode())
                assert not cut, f"called impossible to spell: {text}"

    def _masks(self, compiled: Any, ids: list[int], limit: int, start: int) -> None:
        """At some steps: mask = replay, and the budget's mask is part of it."""
        tokens = compiled.vocabulary
        matcher = GrammarMatcher(compiled)
        bitmask = allocate_token_bitmask(2, tokens.size)
        chosen = set(random.Random(start).sample(range(len(ids)), min(6, len(ids))))
        for step, token in enumerate(ids):
            if step in chosen:
                matcher.fill_next_token_bitmask(bitmask, 0)
                mask = bitmask[0].view(np.uint32)
                wanted = replay_mask(tokens, compiled.pushdown, matcher.state)
                if matcher.is_accepting():
                    wanted = wanted | tokens.pack(tokens.eos_ids)
                assert np.array_equal(mask, wanted), f"mask is not replay: {_where(tokens, ids, step)}"
                if step < limit:
                    matcher.fill_budget_bitmask(bitmask, limit - step, 1)
                    narrow = bitmask[1].view(np.uint32)
                    assert not (narrow & ~mask).any(), f"budget: {_where(tokens, ids, step)}"
                self.counts["masks"] += 1
            assert matcher.accept_token(token), f"not accepted again: {_where(tokens, ids, step)}"

    def _compare(self, compiled: Any, judge: Judge, schema: Any, value: Any) -> None:
        """The engine accepts what jsonschema allows, and nothing else."""
        text = json.dumps(value, ensure_ascii=False)
        matcher = GrammarMatcher(compiled)
        accepted = matcher.accept_string(text) and matcher.is_accepting()
        allowed = judge.allows(value)
        if accepted and not allowed:
            raise AssertionError(f"invalid accepted: {text}")
        # formats may be stricter here than jsonschema's checks: only what is let through counts.
        # -0.0 is a spelling of a listed 0 that is not among ours
        strict = '"format"' in json.dumps(schema) or _is_large(schema, value) or "-0.0" in text
        if allowed and not accepted and not strict:
            raise AssertionError(f"valid refused: {text}")
        self.counts["values accepted" if accepted else "values refused"] += 1


NOTHING = object()
REFUSALS = {kind.__name__ for kind in (InvalidSchema, UnsatisfiableSchema, UnsupportedSchema)}
SIMPLE = (None, True, 0, 1, -1, 0.5, "", "a", "ab", [], [0], {}, {"a": 0}, {"a": "a", "b": 1})


def _is_large(schema: Any, value: Any) -> bool:
    """Large floats may be integers to jsonschema; this engine wants integers written plainly.

    And whether a large number is a multiple of 0.01 is a question that floats answer by chance.
    """
    numbers = list(_numbers(value))
    steps = any(isinstance(step, float) for step in _steps(schema))
    return any(abs(n) >= 1e13 for n in numbers if steps or isinstance(n, float))


def _is_finite(value: Any) -> bool:
    return all(math.isfinite(n) for n in _numbers(value) if isinstance(n, float))


def _numbers(value: Any) -> Iterator[int | float]:
    if isinstance(value, (dict, list)):
        for part in value.values() if isinstance(value, dict) else value:
            yield from _numbers(part)
    elif isinstance(value, (int, float)):
        yield value


def _steps(schema: Any) -> Iterator[int | float]:
    """The values of `multipleOf`, wherever they stand."""
    if isinstance(schema, dict) and "multipleOf" in schema:
        yield schema["multipleOf"]
    if isinstance(schema, (dict, list)):
        for part in schema.values() if isinstance(schema, dict) else schema:
            yield from _steps(part)


def _can_be_cut(tokens: Vocabulary, text: bytes) -> bool:
    """Some tokens joined are the text."""
    words = {tokens.tokens[i] for i in tokens.text_ids()}
    reached = [True] + [False] * len(text)
    for end in range(1, len(text) + 1):
        reached[end] = any(reached[start] and text[start:end] in words for start in range(end))
    return reached[-1]


def _where(tokens: Vocabulary, ids: list[int], step: int) -> str:
    return repr(b"".join(tokens.tokens[i] for i in ids[:step]))


def run_batch(fuzz: Fuzz, runs: int, number: int) -> None:
    """`runs` examples from the seed `number`; raises what Hypothesis found, shrunk."""

    @seed(number)
    @settings(
        max_examples=runs,
        deadline=None,
        database=None,
        print_blob=False,
        suppress_health_check=list(HealthCheck),
        phases=(Phase.generate, Phase.shrink),
        report_multiple_bugs=False,
    )
    @given(strategies.schemas(), options, st.data())
    def property_holds(schema: Any, chosen: Options, data: st.DataObject) -> None:
        what = f"schema={schema!r}\nchosen={chosen!r}"
        if what in fuzz.slow:
            return  # Hypothesis wants the same again for the same
        try:
            with time_limit(SECONDS):
                fuzz.check(schema, chosen, data.draw)
        except TimeUp:  # told, not shrunk: that would take hours
            fuzz.slow.append(what)
            return
        fuzz.counts["runs"] += 1

    property_holds()


@dataclass(frozen=True)
class Batch:
    """Runs with one seed; later what came of them: counts, the failure, what took too long."""

    runs: int
    seed: int
    counts: Counter[str] = field(default_factory=Counter)
    failure: str = ""  # in words
    slow: str = ""  # likewise; the rest of the batch counts


def try_batch(batch: Batch) -> Batch:
    """Run it; whatever it raises is told in words."""
    fuzz, failure = Fuzz(), ""
    try:
        run_batch(fuzz, batch.runs, batch.seed)
    except Exception as error:
        lines = [f"FAILED: {type(error).__name__}: {error}", *getattr(error, "__notes__", [])]
        again = f"again: python -m bench.fuzz --runs {batch.runs} --seed {batch.seed}"
        failure = "\n".join([*lines, again])
    slow = "\n\n".join(f"TOOK TOO LONG: over {SECONDS:g} s\n{what}" for what in fuzz.slow)
    return Batch(batch.runs, batch.seed, fuzz.counts, failure, slow)


def batches(runs: int, first: int) -> list[Batch]:
    """So many runs, in batches with the seeds `first`, `first` + 1, ..."""
    starts = range(0, runs, BATCH)
    return [Batch(min(BATCH, runs - start), first + i) for i, start in enumerate(starts)]


def results(todo: list[Batch], jobs: int) -> Iterator[Batch]:
    """The batches done, as they end; with several jobs in processes of their own."""
    if jobs == 1:
        yield from map(try_batch, todo)
        return
    for start in range(0, len(todo), SHOWN * jobs):
        # processes of their own now and then, since what they remember takes room. Unlike a
        # multiprocessing.Pool this one notices if a process dies
        with ProcessPoolExecutor(jobs) as pool:
            tasks = [pool.submit(try_batch, batch) for batch in todo[start : start + SHOWN * jobs]]
            try:
                for task in as_completed(tasks):
                    yield task.result()
            finally:
                pool.shutdown(cancel_futures=True)


def main(arguments: list[str] | None = None) -> None:
    """The command."""
    parser = argparse.ArgumentParser(prog="bench.fuzz", description=__doc__.split("\n")[0])
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0, help="of the first batch")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--keep-going", action="store_true", help="report every failing batch")
    given_ = parser.parse_args(arguments)
    todo = batches(given_.runs, given_.seed)
    counts: Counter[str] = Counter()
    failures, start = 0, time.monotonic()
    for done, batch in enumerate(results(todo, given_.jobs), 1):
        if not batch.failure:
            counts += batch.counts  # of a failing batch most is the search for a smaller example
        if batch.failure or batch.slow:
            failures += 1
            print("\n\n".join(filter(None, (batch.slow, batch.failure))), end="\n\n", flush=True)
            if not given_.keep_going:
                break
        if done % SHOWN == 0:
            spent = time.monotonic() - start
            runs = f"{counts['runs']:,} of {given_.runs:,} runs"
            print(f"{runs}, {failures} failing batches, {spent:.0f} s", flush=True)
    report(counts, failures, todo, time.monotonic() - start)
    sys.exit(1 if failures else 0)


def report(counts: Counter[str], failures: int, todo: list[Batch], spent: float) -> None:
    """What was done; the last line says it all."""
    refused = sum(count for what, count in counts.items() if what in REFUSALS)
    print(", ".join(f"{count:,} {what}" for what, count in counts.most_common()))
    print(
        f"{counts['runs']:,} runs, {refused:,} schemas refused, {failures} failing batches, "
        f"{spent:.0f} s, seeds {todo[0].seed} to {todo[-1].seed}"
    )


if __name__ == "__main__":
    main()
