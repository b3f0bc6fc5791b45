"""A slice of the fuzz for every change, and proof that the fuzz can fail."""

from __future__ import annotations

import os
import re
from concurrent.futures.process import BrokenProcessPool

import pytest

from bench import fuzz, judge, strategies


@pytest.mark.parametrize("number", range(3))
def test_a_slice_finds_nothing(number: int) -> None:
    found = fuzz.Fuzz()
    fuzz.run_batch(found, 60, 1000 + number)
    assert found.counts["documents"] > 5 and found.counts["masks"] > 20


def test_a_wrong_mask_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fuzz, "replay_mask", lambda tokens, *_: tokens.pack([0]))
    with pytest.raises(AssertionError, match="mask is not replay"):
        fuzz.run_batch(fuzz.Fuzz(), 60, 0)


def test_an_invalid_document_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judge.Judge, "allows", lambda self, value: False)
    with pytest.raises(AssertionError, match="invalid"):
        fuzz.run_batch(fuzz.Fuzz(), 60, 0)


def test_the_command_prints_the_seed_of_a_failure(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(judge.Judge, "allows", lambda self, value: False)
    with pytest.raises(SystemExit) as ended:
        fuzz.main(["--runs", "40", "--seed", "7"])
    assert ended.value.code == 1
    assert "python -m bench.fuzz --runs 40 --seed 7" in capsys.readouterr().out


def test_batches_cover_all_runs_and_jobs_change_nothing() -> None:
    todo = fuzz.batches(600, 40)
    assert [(batch.runs, batch.seed) for batch in todo] == [(250, 40), (250, 41), (100, 42)]
    few = [fuzz.Batch(20, 3), fuzz.Batch(20, 4)]
    alone = {batch.seed: batch.counts for batch in fuzz.results(few, 1)}
    assert alone == {batch.seed: batch.counts for batch in fuzz.results(few, 2)}
    assert all(counts["runs"] == 20 for counts in alone.values())


def test_patterns_for_the_judge() -> None:
    pattern = judge.python_pattern("^a.$")
    assert re.search(pattern, "ab") and not re.search(pattern, "ab\n")
    assert not re.search(pattern, "a\u2028")


def test_the_judge_mends_python() -> None:
    assert judge.Judge({"multipleOf": 0.01}).allows(0.29)
    assert not judge.Judge({"pattern": "a$"}).allows("a\n")
    assert not judge.Judge({"format": "date"}).allows("2023-02-29")
    assert judge.Judge({"format": "time"}).allows("00:39:23-20:07")
    hosts = judge.Judge({"format": "hostname"})
    assert hosts.allows("a-b.example") and not hosts.allows("a_b") and not hosts.allows("a-.b")
    links = judge.Judge({"format": "uri"})
    assert links.allows("http://a@[::1]:80/b?c#d") and not links.allows("//a") and not links.allows("a:%z")
    with pytest.raises(judge.DuplicateKey):
        judge.read('{"a": 1, "a": 2}')
    assert strategies.PIECES[0] == '{"'


LOOPS = [
    {"if": {"if": {"type": "null"}, "then": {"type": "null"}, "else": {"$ref": "#/$defs/two"}}},
    {"prefixItems": [{"$ref": "#/$defs/one"}]},
    {"properties": {"if": {"dependentSchemas": {"a": {"$ref": "#/$defs/one"}}}}},
]


@pytest.mark.parametrize("schema", LOOPS)
def test_what_jsonschema_cannot_judge_is_left_out(schema) -> None:
    loops = {"one": {"if": {"anyOf": [{"$ref": "#/$defs/one"}]}}, "two": {"$ref": "#/$defs/two"}}
    assert judge.comes_back({**schema, "$defs": loops})
    found = fuzz.Fuzz()
    found.check({**schema, "$defs": loops}, fuzz.Options("compact", "any", 1, "uniform", 0, 0, False), None)
    assert sum(found.counts.values()) == found.counts["compiled"] + 1


def test_recursion_into_the_value_can_be_judged() -> None:
    tree = {"properties": {"a": {"$ref": "#"}, "b": {"items": {"anyOf": [{"$ref": "#/$defs/leaf"}]}}}}
    assert not judge.comes_back({**tree, "$defs": {"leaf": {"type": "null"}}})
    assert not judge.comes_back({"dependentRequired": {"$ref": []}, "properties": {"$ref": {}, "not": {}}})
    assert not judge.comes_back({"const": {"$ref": "#"}}) and not judge.comes_back(True)


def test_a_process_that_dies_is_noticed(monkeypatch) -> None:
    monkeypatch.setattr(fuzz, "try_batch", os._exit)
    with pytest.raises(BrokenProcessPool):
        list(fuzz.results([3, 3], 2))


def test_a_run_that_takes_too_long_is_told_and_the_others_count(monkeypatch, capsys):
    def check(self, schema, chosen, draw):
        self.runs_begun = getattr(self, "runs_begun", 0) + 1
        if self.runs_begun == 3:
            raise fuzz.TimeUp

    monkeypatch.setattr(fuzz.Fuzz, "check", check)
    with pytest.raises(SystemExit) as ended:
        fuzz.main(["--runs", "20", "--keep-going"])
    said = capsys.readouterr().out
    assert ended.value.code == 1
    assert said.count("TOOK TOO LONG") == 1
    assert "FAILED" not in said
    assert "1 failing batches" in said and "\n0 runs" not in said
