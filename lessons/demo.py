"""`workbook demo`: what constrained decoding does, in figures from runs made while you watch.

Beside each figure stands what the chapter that this workbook follows reports, and where they
differ, why.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Callable, Iterator
from typing import Any

from tokenmask import GrammarCompiler, Trace, generate
from toymodel import MostlyLegalModel, SmallModel, UniformModel, toy_vocabulary
from toymodel.folders import ModelError

RUNS = 200
MAX_TOKENS = 64
P = 0.99
PROMPT = "Lisbon is the capital of Portugal. About 550 thousand people live there."
SYSTEM = "You answer with one JSON object: city, country and population of the text."


def person(name: dict[str, Any]) -> dict[str, Any]:
    """The schema {name, age, active}, with `name` as given."""
    return {
        "type": "object",
        "properties": {
            "name": name,
            "age": {"type": "integer", "minimum": 0, "maximum": 99},
            "active": {"type": "boolean"},
        },
        "required": ["name", "age", "active"],
        "additionalProperties": False,
    }


NAMES = {
    "one of Ada, Lin, Kim, Rey": {"enum": ["Ada", "Lin", "Kim", "Rey"]},
    "a string of at most 10": {"type": "string", "maxLength": 10},
    "a string of any length": {"type": "string"},
}
PERSON = person(NAMES["a string of at most 10"])
CITY = {
    "type": "object",
    "properties": {
        "city": {"type": "string", "maxLength": 30},
        "country": {"type": "string", "maxLength": 30},
        "population": {"type": "integer", "minimum": 0, "maximum": 99_999_999},
    },
    "required": ["city", "country", "population"],
    "additionalProperties": False,
}


def main(argv: list[str] | None = None) -> int:
    """Print the figures. `--toy` leaves the small model out."""
    parser = argparse.ArgumentParser(prog="workbook demo", description=__doc__.split("\n")[0])
    parser.add_argument("--toy", action="store_true", help="leave the small model out")
    options = parser.parse_args(argv)
    for line in toy_lines():
        print(line, flush=True)
    if options.toy:
        return 0
    try:
        model = SmallModel.load()
    except ModelError as error:
        print(f"\n{error}", file=sys.stderr)
        return 1
    for line in small_lines(model):
        print(line, flush=True)
    return 0


def toy_lines() -> Iterator[str]:
    """Validity and jump-forward on the 28-token vocabulary."""
    compiler = GrammarCompiler(toy_vocabulary())
    compiled = compiler.compile_json_schema(PERSON)
    yield f"28 tokens, schema {{name, age, active}}, {RUNS} seeds, judged by jsonschema"
    uniform = [_run(UniformModel(), compiled, s) for s in range(RUNS)]
    yield _valid("uniform model, constrained", uniform, "200 of 200")
    yield _valid("uniform model, not constrained", _free(UniformModel(), compiled), "-")
    mostly = _free(MostlyLegalModel(P), compiled)
    yield _valid(f"{P:.0%} legal model, not constrained", mostly, "about 84%")
    yield from _why_validity(uniform, mostly)
    yield from _budget(compiler.compile_json_schema(person(NAMES["a string of any length"])))
    yield ""
    yield "decode steps that jump-forward skips, uniform model, constrained"
    for label, name in NAMES.items():
        yield _skipped(label, compiler.compile_json_schema(person(name)))
    yield "  The chapter reports about 62%. The share belongs to the schema, not to the method: keys,"
    yield "  quotes and punctuation are forced, what the schema leaves open is not. The freer the"
    yield "  name, the smaller the share."


def _run(model: Any, compiled: Any, seed: int, **options: Any) -> Trace:
    return generate(model, "", compiled, MAX_TOKENS, seed=seed, record="none", **options)


def _free(model: Any, compiled: Any) -> list[Trace]:
    runs = range(RUNS)
    return [_run(model, compiled, s, constrained=False) for s in runs]


def _valid(label: str, traces: list[Trace], chapter: str) -> str:
    valid = sum(trace.is_valid() for trace in traces)
    share = f"{valid:3} of {len(traces)} valid ({valid / len(traces):.0%})"
    return f"  {label:34} {share:24} chapter: {chapter}"


def _why_validity(constrained: list[Trace], mostly: list[Trace]) -> list[str]:
    steps = sum(len(trace.steps) for trace in constrained) / len(constrained)
    measured = sum(trace.is_valid() for trace in mostly) / len(mostly)
    theirs = math.log(0.84) / math.log(P)
    return [
        f"  A run is valid if all its steps are legal. Ours have {steps:.0f} on average, and "
        f"{P}^{steps:.0f} is {P**steps:.0%}",
        f"  (measured: {measured:.0%}). The chapter's 84% is {P}^{theirs:.0f}: its objects take "
        f"about {theirs:.0f} tokens.",
    ]


def _budget(compiled: Any) -> list[str]:
    counts = []
    for budget in (False, True):
        runs = (_run(UniformModel(), compiled, s, budget=budget) for s in range(RUNS))
        counts.append(sum(trace.is_valid() for trace in runs))
    return [
        "  A name of any length need not end: the mask says what may come, not what must. Within",
        f"  {MAX_TOKENS} tokens {counts[0]} of {RUNS} end; with a budget, which keeps to ways that "
        f"still end in time, {counts[1]} of {RUNS}.",
    ]


def _skipped(label: str, compiled: Any) -> str:
    traces = [_run(UniformModel(), compiled, s) for s in range(RUNS)]
    steps = sum(len(trace.steps) for trace in traces)
    forced = sum(step.forced for trace in traces for step in trace.steps)
    return f"  name is {label:28} {forced / steps:4.0%} of {steps / RUNS:.0f} tokens a run"


def small_lines(model: SmallModel) -> Iterator[str]:
    """One object from the real model, and what it cost."""
    compiled = GrammarCompiler(model.vocabulary).compile_json_schema(CITY)

    def run(**options: Any) -> Trace:
        return generate(model, PROMPT, compiled, 80, system=SYSTEM, temperature=0, record="none", **options)

    run()  # the first run also builds the masks and warms torch up
    yield ""
    yield f"{model.name}, {model.vocabulary.size:,} tokens, greedy"
    yield f"  system: {SYSTEM}"
    yield f"  prompt: {PROMPT}"
    yield from _run_lines("constrained", run)
    yield from _run_lines("constrained, no jump-forward", lambda: run(jump_forward=False))
    yield from _run_lines("not constrained", lambda: run(constrained=False))


def _run_lines(label: str, run: Callable[[], Trace]) -> Iterator[str]:
    trace = run()
    verdict = "valid" if trace.is_valid(CITY) else f"not valid ({trace.validation_error(CITY)})"
    yield f"  {label}: {trace.text!r}"
    cost = f"{len(trace.steps)} tokens in {trace.seconds:.1f} s, {trace.tokens_per_second:.1f} a second"
    if trace.constrained:
        cost += f", {trace.skipped_fraction:.0%} skipped, the mask takes {trace.mask_share:.1%}"
        cost += " of the step time"
    yield f"    {verdict}; {cost}"


if __name__ == "__main__":
    sys.exit(main())
