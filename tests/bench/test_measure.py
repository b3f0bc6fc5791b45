"""The stopwatch judges rightly, counts rightly, and its tables say what was measured."""

from __future__ import annotations

import json
import time
from array import array
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bench import apart, maskbench, peak, report
from bench.engines import Matcher, Refused, open_engine
from bench.measure import (
    CRASHED,
    INVALID_ACCEPTED,
    REFUSED,
    RIGHT,
    TIMED_OUT,
    VALID_REFUSED,
    Result,
    TimeUp,
    instances,
    measure,
    time_limit,
)
from bench.vocabularies import open_vocabulary

SCHEMA = {"type": "object", "properties": {"a": {"type": "integer"}}, "additionalProperties": False}
TESTS = [
    {"data": {"a": 12}, "valid": True},
    {"data": {"a": "x"}, "valid": False},
    {"data": {"b": 1}, "valid": False},
]


@pytest.fixture(scope="module")
def vocabulary() -> Any:
    return open_vocabulary("bytes")


class Fake:
    """An engine that allows every token but those in `forbidden`, and the end if `ends`."""

    name, version, masks, apart = "fake", "0", True, False

    def __init__(self, forbidden: bytes = b"", ends: bool = True, trouble: Exception | None = None) -> None:
        self.forbidden, self.ends, self.trouble = forbidden, ends, trouble

    def source(self, schema: Any) -> Any:
        return schema

    def compile(self, source: Any) -> Any:
        if self.trouble is not None:
            raise self.trouble
        return self

    def fill(self, bitmask: np.ndarray, index: int) -> None:
        bitmask[index] = -1
        row = bitmask[index].view(np.uint32)
        for byte in self.forbidden:
            row[byte >> 5] &= ~np.uint32(1 << (byte & 31))
        if not self.ends:
            row[8] = 0

    def fill_first(self, bitmask: np.ndarray) -> None:
        self.fill(bitmask, 0)

    def matcher(self) -> Matcher:
        return Matcher(self.fill, lambda token: token not in self.forbidden)

    def close(self) -> None:
        pass

    def forget(self) -> None:
        pass


def judged(engine: Any, vocabulary: Any) -> Result:
    tests = instances(TESTS, vocabulary)
    return measure(engine, SCHEMA, tests, vocabulary.eos, vocabulary.size, 5.0)


@pytest.mark.parametrize(
    "engine, verdict",
    [
        (Fake(), INVALID_ACCEPTED),
        (Fake(forbidden=b'"'), VALID_REFUSED),
        (Fake(ends=False), VALID_REFUSED),
        (Fake(forbidden=b"xb"), RIGHT),
        (Fake(trouble=Refused("no")), REFUSED),
        (Fake(trouble=KeyError("oops")), CRASHED),
        (Fake(trouble=TimeUp()), TIMED_OUT),
    ],
)
def test_verdicts(engine: Any, verdict: str, vocabulary: Any) -> None:
    result = judged(engine, vocabulary)
    assert result.verdict == verdict
    assert (result.reason == "") == (verdict == RIGHT)


def test_ours_is_right_and_every_token_is_timed(vocabulary: Any) -> None:
    result = judged(open_engine("tokenmask", vocabulary), vocabulary)
    assert result.verdict == RIGHT, result.reason
    first = len(json.dumps(TESTS[0]["data"]))
    # of the invalid ones, the masks up to and with the one that forbids
    assert result.first == first and len(result.cold) == first + len('{"a": "') + len('{"b')
    assert len(result.warm) == len(result.cold) and len(result.commit) == len(result.cold) - 2
    assert result.first_mask > 0 and result.disagreements == 0


def test_a_mask_that_disagrees_with_accept_is_counted(vocabulary: Any) -> None:
    engine = Fake(forbidden=b"x")
    engine.matcher = lambda: Matcher(engine.fill, lambda token: True)  # type: ignore[method-assign]
    assert judged(engine, vocabulary).disagreements == 2  # the x, in both passes


@pytest.mark.parametrize("peer", ["llguidance", "xgrammar", "xgrammar-dynamic", "outlines-core"])
def test_peers_run_behind_the_same_face(peer: str, vocabulary: Any) -> None:
    pytest.importorskip(peer.split("-dynamic")[0].replace("-", "_"))
    result = judged(open_engine(peer, vocabulary), vocabulary)
    assert result.verdict == RIGHT, result.reason


def test_statistics_and_ratios() -> None:
    fast, slow = Result(first_mask=1000), Result(first_mask=4000)
    fast.cold, slow.cold = array("q", [1000, 3000]), array("q", [2000, 6000])
    fast.first = slow.first = 1
    found = report.ratios({"s": fast, "t": Result(REFUSED)}, {"s": slow, "t": slow})
    assert found["schemas"]["n"] == 1
    assert found["time to first mask"]["mean"] == 0.25
    assert found["mask, cold"] == {"mean": 0.5, "p50": 0.5, "p99": 0.5, "max": 0.5}
    assert report.summary({"s": fast})["times"]["mask, first instance"]["mean"] == 1.0


def test_time_limit_interrupts_python() -> None:
    with pytest.raises(TimeUp), time_limit(0.05):
        while True:
            pass


@pytest.mark.skipif(not apart.AVAILABLE, reason="needs fork")
def test_a_peer_whose_compile_takes_too_long_is_cut_off_and_shown(vocabulary: Any, tmp_path: Path) -> None:
    class Slow(Fake):
        name, apart = "slow", True

        def compile(self, source: Any) -> Any:
            if "slow" in source:
                time.sleep(60)  # as a call into native code: no signal handler of ours ends it
            return self

    data = tmp_path / "data.jsonl"
    schemas = {"quick": SCHEMA, "slow": {**SCHEMA, "slow": True}}
    lines = [json.dumps({"name": n, "schema": s, "tests": TESTS}) for n, s in schemas.items()]
    data.write_text("\n".join(lines))
    start = time.monotonic()
    found = maskbench.run(data, [Slow(forbidden=b"xb")], vocabulary, seconds=1.0)["slow"]
    assert time.monotonic() - start < 30
    assert found["quick"].verdict == RIGHT and found["slow"].verdict == TIMED_OUT
    assert found["slow"].reason == "not done after 1 s"
    summary = report.summary(found)
    assert summary["counts"][TIMED_OUT] == 1 and summary["right share"] == 0.5
    assert summary["times"]["time to first mask"]["n"] == 1
    header, _, row = report.show_counts({"slow": summary}, {}).splitlines()
    shown = dict(zip(*([cell.strip() for cell in line.split("|")] for line in (header, row)), strict=True))
    assert shown["timed out"] == "1" and shown["right (n)"] == "1"


@pytest.mark.skipif(not apart.AVAILABLE, reason="needs fork")
def test_a_fork_is_cut_off_and_tells_its_errors() -> None:
    assert apart.call_apart(lambda: [1, "a"], 5) == [1, "a"]
    with pytest.raises(TimeoutError):
        apart.call_apart(lambda: time.sleep(30), 0.2)
    with pytest.raises(RuntimeError, match="KeyError: 'lost'"):
        apart.call_apart(lambda: {}["lost"], 5)


def test_the_command_prints_and_writes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data, out = tmp_path / "data.jsonl", tmp_path / "out.json"
    lines = [{"name": f"s{i}", "schema": SCHEMA, "tests": TESTS} for i in range(2)]
    lines.append({"name": "no", "schema": {"$ref": "http://example.com/x"}, "tests": TESTS})
    data.write_text("\n".join(map(json.dumps, lines)))
    command = [str(data), "--vocabulary", "bytes", "--peers", "--mistakes", "--json", str(out)]
    maskbench.main(command)
    said = capsys.readouterr().out
    assert "timed out = compile and all instances, twice, take over" in said
    assert "66.7 %" in said and "refused at compile: no: UnsupportedSchema" in said
    document = json.loads(out.read_text())
    assert document["summary"]["tokenmask"]["counts"][RIGHT] == 2
    assert document["peak MB"]["tokenmask"] >= 0
    assert set(document["schemas"]) == {"s0", "s1", "no"}


def test_memory_is_told_in_megabytes() -> None:
    now, highest = peak.resident()
    assert 5 < now <= highest < 100_000
