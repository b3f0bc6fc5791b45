"""`python -m lessons.accuracy`: lesson 07's table over the whole labelled set, with the small model."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable

from lessons import calling
from lessons.pieces import l07
from tokenmask import GrammarCompiler
from toymodel import ModelError, SmallModel


def main(argv: list[str] | None = None) -> int:
    """Print how many calls are exact, have the right name, and parse, for three ways of asking."""
    parser = argparse.ArgumentParser(prog="python -m lessons.accuracy", description=__doc__)
    parser.add_argument("--every", type=int, default=1, help="take every Nth prompt only")
    every = parser.parse_args(argv).every
    try:
        model = SmallModel.load()
    except ModelError as error:
        print(error, file=sys.stderr)
        return 1
    cases, functions = l07.labelled()[::every], l07.definitions()
    prompts, calls = [case["prompt"] for case in cases], [case["call"] for case in cases]
    compiled = GrammarCompiler(model.vocabulary).compile_functions(functions)
    system = calling.system_prompt(functions)
    ways: dict[str, Callable[[], list[str]]] = {
        "masked": lambda: l07.answers(model, prompts, system, compiled),
        "masked, jumping": lambda: [t.text for t in l07.jumping(model, prompts, system, compiled)],
        "free, one retry": lambda: l07.with_retries(model, prompts, system)[0],
    }
    print(f"{model.name}, {len(cases)} prompts, {len(functions)} functions", flush=True)
    for way, ask in ways.items():
        texts = ask()
        judges = (l07.is_exact, l07.has_name)
        exact, named = (sum(map(judge, texts, calls)) for judge in judges)
        parsed = sum(map(l07.parses, texts))
        print(f"{way:16} {exact:3} exact, {named:3} right name, {parsed:3} parse", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
