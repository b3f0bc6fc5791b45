"""The engine and its peers on the same schemas, alternately, in one process.

    python -m bench.maskbench DATA.jsonl --peers llguidance xgrammar outlines-core

DATA.jsonl: a line per schema, `{"name", "schema", "tests": [{"data", "valid"}, ...]}`, the form of
MaskBench. "Cold": a schema's caches are empty when it starts and its instances run in order;
"first instance" is the first of them only; "warm" is the same instances again. What belongs to the
vocabulary (our lexeme masks, the peers' token tables) stays. Garbage collection stays on;
what was loaded before the first schema is frozen once (`gc.freeze`), as a server would do it.
"""

from __future__ import annotations

import argparse
import gc
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from . import peak, report
from .engines import Engine, open_engine
from .measure import CLOCKS, Result, instances, measure
from .vocabularies import BenchVocabulary, open_vocabulary

JUDGE = "accepted = all tokens of json.dumps(data, ensure_ascii=False), then end-of-sequence, legal"


def read_schemas(path: Path, limit: int | None = None) -> Iterator[dict[str, Any]]:
    """The lines of a MaskBench file, one at a time, so that nothing piles up for the collector."""
    with path.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines):
            if limit is not None and number >= limit:
                return
            if line.strip():
                yield json.loads(line)


def run(
    data: Path,
    engines: list[Engine],
    vocabulary: BenchVocabulary,
    *,
    limit: int | None = None,
    seconds: float = 10.0,
    forget: bool = False,
    names: list[str] | None = None,
    progress: bool = False,
    clock: str = "wall",
) -> dict[str, dict[str, Result]]:
    """Measure every engine on every schema, alternating who goes first.

    forget: also empty what our engine keeps on the vocabulary before each schema.
    """
    results: dict[str, dict[str, Result]] = {engine.name: {} for engine in engines}
    gc.collect()
    gc.freeze()
    for number, entry in enumerate(read_schemas(data, limit)):
        if names and not any(part in entry["name"] for part in names):
            continue
        tests = instances(entry["tests"], vocabulary)
        turn = number % len(engines)
        for engine in engines[turn:] + engines[:turn]:
            if forget:
                engine.forget()
            results[engine.name][entry["name"]] = measure(
                engine, entry["schema"], tests, vocabulary.eos, vocabulary.size, seconds, clock
            )
        if progress and number % 50 == 0:
            print(f"schema {number}: {entry['name']}", file=sys.stderr, flush=True)
    return results


def mistakes(results: dict[str, Result]) -> str:
    """Every schema that is not right, with the reason; the worst kind first."""
    wrong = [(r.verdict, name, r.reason) for name, r in results.items() if r.verdict != "right"]
    wrong.sort(key=lambda entry: (report.VERDICTS.index(entry[0]) * -1, entry[1]))
    return "\n".join(f"{verdict}: {name}: {reason}" for verdict, name, reason in wrong)


def main(arguments: list[str] | None = None) -> None:
    """The command."""
    parser = argparse.ArgumentParser(prog="bench.maskbench", description=__doc__.split("\n")[0])
    parser.add_argument("data", type=Path, metavar="DATA.jsonl")
    parser.add_argument("--peers", nargs="*", default=["llguidance"], metavar="PEER")
    parser.add_argument("--vocabulary", default="smol", help="smol, tekken, dashscope or a folder")
    parser.add_argument("--key-order", default="schema", choices=("schema", "any"))
    parser.add_argument("--whitespace", default="spaced", choices=("compact", "spaced", "free"))
    parser.add_argument("--limit", type=int, help="only the first N schemas")
    parser.add_argument("--only", nargs="*", help="only schemas whose name contains one of these")
    parser.add_argument("--seconds", type=float, default=5.0, help="limit per schema and engine")
    parser.add_argument("--clock", default="wall", choices=tuple(CLOCKS), help="cpu: of the thread")
    parser.add_argument("--forget", action="store_true", help="cold vocabulary before each schema")
    parser.add_argument("--no-memory", action="store_true", help="do not measure peak memory")
    parser.add_argument("--mistakes", action="store_true", help="list every schema not right")
    parser.add_argument("--json", type=Path, metavar="OUT", help="write everything as JSON")
    given = parser.parse_args(arguments)

    vocabulary = open_vocabulary(given.vocabulary)
    options = {"key_order": given.key_order, "whitespace": given.whitespace}
    engines = [open_engine("tokenmask", vocabulary, **options)]
    engines += [open_engine(name, vocabulary) for name in given.peers]
    results = run(
        given.data,
        engines,
        vocabulary,
        limit=given.limit,
        seconds=given.seconds,
        forget=given.forget,
        names=given.only,
        progress=sys.stderr.isatty(),
        clock=given.clock,
    )
    peaks = {} if given.no_memory else peak.peaks([e.name for e in engines], given)
    document = describe(given, vocabulary, engines, results, peaks)
    print(show(document))
    if given.mistakes:
        print("\n" + mistakes(results["tokenmask"]))
    if given.json:
        given.json.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")


def describe(
    given: argparse.Namespace,
    vocabulary: BenchVocabulary,
    engines: list[Engine],
    results: dict[str, dict[str, Result]],
    peaks: dict[str, float],
) -> dict[str, Any]:
    """All that was measured, as plain data."""
    ours = results["tokenmask"]
    return {
        "data": given.data.name,
        "judge": JUDGE,
        "vocabulary": {"name": vocabulary.name, "size": vocabulary.size},
        "key order": given.key_order,
        "whitespace": given.whitespace,
        "cold vocabulary": given.forget,
        "clock": given.clock,
        "seconds": given.seconds,
        "machine": report.machine(),
        "engines": {e.name: e.version for e in engines},
        "summary": {name: report.summary(found) for name, found in results.items()},
        "peak MB": peaks,
        "ratio": {
            e.name: report.ratios(ours, results[e.name]) for e in engines if e.masks and e.name != "tokenmask"
        },
        "schemas": {name: _per_schema(name, results) for name in ours},
    }


def _per_schema(name: str, results: dict[str, dict[str, Result]]) -> dict[str, Any]:
    found = {}
    for engine, schemas in results.items():
        r = schemas[name]
        found[engine] = {
            "verdict": r.verdict,
            "reason": r.reason[:400],
            "first mask us": r.first_mask / 1e3,
            "masks": len(r.cold),
            "mask mean us": sum(r.cold) / 1e3 / max(1, len(r.cold)),
            "mask max us": max(r.cold, default=0) / 1e3,
            "first instance mean us": sum(r.cold[: r.first]) / 1e3 / max(1, r.first),
            "commit mean us": sum(r.commit) / 1e3 / max(1, len(r.commit)),
        }
    return found


def show(document: dict[str, Any]) -> str:
    """The tables for a person."""
    engines = ", ".join(f"{name} {number}" for name, number in document["engines"].items())
    size = document["vocabulary"]["size"]
    head = (
        f"{document['data']}, vocabulary {document['vocabulary']['name']} ({size:,} tokens), "
        f"key order {document['key order']}, whitespace {document['whitespace']}\n"
        f"{engines}; Python {document['machine']['python']}, {document['machine']['machine']}\n"
        f"{document['judge']}; {document['clock']} time\n"
        f"timed out = compile and all instances, twice, take over {document['seconds']:g} s; counted as "
        "not right, and left out of all times, as is what is refused at compile"
    )
    summaries = document["summary"]
    parts = [head, report.show_counts(summaries, document["peak MB"]), report.show_times(summaries)]
    if document["ratio"]:
        parts.append(report.show_ratios(document["ratio"]))
    if "outlines-core" in document["engines"]:
        parts.append("outlines-core: judged by its regular expression; its token index is not used")
    return "\n\n".join(parts)


if __name__ == "__main__":
    main()
