"""The JSON-Schema-Test-Suite, draft 2020-12, keyword by keyword, for the engine and its peers.

    python -m bench.suite FOLDER --peers llguidance xgrammar

FOLDER: `.../draft2020-12` of the suite. Each instance is written by `json.dumps` as it stands
there, and accepted if all its tokens and then end-of-sequence are legal; ours runs with
`key_order="any"`, since the suite's instances follow no order. The file format.json takes `format`
for an annotation, so ours runs it with `annotations=("format",)`; the files of `optional/format`
(with `--optional`) take it for an assertion, and so does ours, refusing formats that it only notes
(`formats="error"`).
"""

from __future__ import annotations

import argparse
import contextlib
import json
import sys
from array import array
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from . import apart, report
from .engines import Engine, Refused, TokenMask, open_engine
from .measure import (
    CRASHED,
    INVALID_ACCEPTED,
    REFUSED,
    RIGHT,
    TIMED_OUT,
    VALID_REFUSED,
    Instance,
    Result,
    Stopwatch,
    TimeUp,
    instances,
    run_instance,
    time_limit,
)
from .vocabularies import BenchVocabulary, open_vocabulary

COLUMNS = (RIGHT, REFUSED, VALID_REFUSED, INVALID_ACCEPTED, TIMED_OUT, CRASHED)


@dataclass(frozen=True)
class Group:
    """A schema of the suite with its tests; `keyword` is the file it is in."""

    keyword: str
    description: str
    schema: Any
    tests: list[dict[str, Any]]


@dataclass(frozen=True)
class Outcome:
    """What an engine said of one test, and why if it is not right."""

    keyword: str
    test: str
    verdict: str
    reason: str = ""


def read_suite(folder: Path, optional: bool = False) -> Iterator[Group]:
    """All groups of the folder, by keyword; with `optional`, those of `optional/` as well."""
    pattern = "**/*.json" if optional else "*.json"
    for path in sorted(folder.glob(pattern)):
        keyword = path.relative_to(folder).with_suffix("").as_posix()
        for group in json.loads(path.read_text(encoding="utf-8")):
            yield Group(keyword, group["description"], group["schema"], group["tests"])


def judge(engine: Engine, group: Group, vocabulary: BenchVocabulary, seconds: float) -> list[Outcome]:
    """One outcome per test of the group; what goes wrong with the schema goes wrong for each."""
    tests = instances(group.tests, vocabulary)
    names = [f"{group.description}: {test['description']}" for test in group.tests]

    def work() -> list[tuple[str, str]]:
        with time_limit(seconds + 1):
            return _judge_all(engine, group.schema, tests, vocabulary)

    try:
        run_apart = engine.apart and apart.AVAILABLE
        found = apart.call_apart(work, seconds) if run_apart else work()
    except Refused as error:
        found = [(REFUSED, str(error))] * len(tests)
    except (TimeUp, TimeoutError):
        found = [(TIMED_OUT, f"not done after {seconds:g} s")] * len(tests)
    except Exception as error:
        found = [(CRASHED, f"{type(error).__name__}: {error}")] * len(tests)
    return [Outcome(group.keyword, name, *pair) for name, pair in zip(names, found)]


def _judge_all(
    engine: Engine, schema: Any, tests: list[Instance], vocabulary: BenchVocabulary
) -> list[tuple[str, str]]:
    try:
        compiled = engine.compile(engine.source(schema))
        found = [_judge_one(engine, compiled, test, vocabulary) for test in tests]
        compiled.close()
        return found
    except Refused as error:
        return [(REFUSED, str(error))] * len(tests)


def _judge_one(engine: Engine, compiled: Any, test: Instance, vocabulary: BenchVocabulary) -> tuple[str, str]:
    if engine.masks:
        watch = Stopwatch(vocabulary.eos, np.zeros((1, -(-vocabulary.size // 32)), np.int32))
        unused = Result()
        times = array("q"), array("q")
        stop = run_instance(compiled.matcher(), test.tokens, watch, unused, *times)
        accepted = stop is None
        if unused.disagreements and engine.name == "tokenmask":
            return CRASHED, f"mask and accept_token disagree on {test.text[:200]}"
    else:
        accepted = compiled.accepts(test.text)
    if accepted == test.valid:
        return RIGHT, ""
    return (VALID_REFUSED if test.valid else INVALID_ACCEPTED), test.text[:200]


def run(
    folder: Path,
    engines: list[Engine],
    vocabulary: BenchVocabulary,
    *,
    optional: bool = False,
    seconds: float = 5.0,
    only: list[str] | None = None,
) -> dict[str, list[Outcome]]:
    """Every engine on every group; `only`: just these keywords."""
    outcomes: dict[str, list[Outcome]] = {engine.name: [] for engine in engines}
    for group in read_suite(folder, optional):
        if only and group.keyword not in only:
            continue
        for engine in engines:
            with format_options(engine, group.keyword):
                outcomes[engine.name] += judge(engine, group, vocabulary, seconds)
    return outcomes


@contextlib.contextmanager
def format_options(engine: Engine, keyword: str) -> Iterator[None]:
    """Our engine with what the suite's file means by `format`; peers have no such choice."""
    if not isinstance(engine, TokenMask):
        yield
        return
    before = engine.options
    if keyword == "format":
        engine.options = {**before, "annotations": ("format",)}
    elif keyword.startswith("optional/format"):
        engine.options = {**before, "formats": "error"}
    try:
        yield
    finally:
        engine.options = before


def show(outcomes: dict[str, list[Outcome]]) -> str:
    """A table per keyword: per engine right/not compiled/valid refused/invalid accepted."""
    names = list(outcomes)
    keywords = list(dict.fromkeys(o.keyword for o in outcomes[names[0]]))
    rows = [_row(keyword, outcomes, keyword) for keyword in keywords]
    rows.append(_row("all", outcomes, None))
    header = ["keyword", "tests", *names]
    legend = "per engine: right / not compiled / valid refused / invalid accepted"
    troubles = [
        f"{name}: {verdict}: {count} tests"
        for name, found in outcomes.items()
        for verdict, count in Counter(o.verdict for o in found).items()
        if verdict in (TIMED_OUT, CRASHED)
    ]
    return "\n\n".join([legend, report.table(header, rows), *troubles])


def _row(label: str, outcomes: dict[str, list[Outcome]], keyword: str | None) -> list[str]:
    cells = [label]
    for found in outcomes.values():
        mine = Counter(o.verdict for o in found if keyword in (None, o.keyword))
        if len(cells) == 1:
            cells.append(str(mine.total()))
        failed = mine[REFUSED] + mine[TIMED_OUT] + mine[CRASHED]
        cells.append(f"{mine[RIGHT]} / {failed} / {mine[VALID_REFUSED]} / {mine[INVALID_ACCEPTED]}")
    return cells


def main(arguments: list[str] | None = None) -> None:
    """The command."""
    parser = argparse.ArgumentParser(prog="bench.suite", description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=Path, metavar="FOLDER")
    parser.add_argument("--peers", nargs="*", default=[], metavar="PEER")
    parser.add_argument("--vocabulary", default="smol", help="smol, tekken, dashscope, bytes or a folder")
    parser.add_argument("--key-order", default="any", choices=("schema", "any"))
    parser.add_argument("--optional", action="store_true", help="optional/ as well")
    parser.add_argument("--only", nargs="*", metavar="KEYWORD")
    parser.add_argument("--seconds", type=float, default=5.0, help="time limit per schema")
    parser.add_argument("--mistakes", action="store_true", help="list ours that are not right")
    parser.add_argument("--json", type=Path, metavar="OUT")
    given = parser.parse_args(arguments)
    vocabulary = open_vocabulary(given.vocabulary)
    engines = [open_engine("tokenmask", vocabulary, key_order=given.key_order)]
    engines += [open_engine(name, vocabulary) for name in given.peers]
    if not any(given.folder.glob("*.json")):
        sys.exit(f"{given.folder} has no *.json: give the suite's folder draft2020-12")
    outcomes = run(
        given.folder,
        engines,
        vocabulary,
        optional=given.optional,
        seconds=given.seconds,
        only=given.only,
    )
    print(show(outcomes))
    if given.mistakes:
        for o in outcomes["tokenmask"]:
            if o.verdict != RIGHT:
                print(f"{o.verdict}: {o.keyword}: {o.test}: {o.reason}")
    if given.json:
        plain = {name: [vars(o) for o in found] for name, found in outcomes.items()}
        given.json.write_text(json.dumps(plain, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
