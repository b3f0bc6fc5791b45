"""The other commands, on a few lines of data of their own."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from bench import ladder, suite
from bench.vocabularies import open_vocabulary

GROUPS = [
    {
        "description": "a bound",
        "schema": {"type": "integer", "maximum": 5},
        "tests": [
            {"description": "below", "data": 4, "valid": True},
            {"description": "above", "data": 6, "valid": False},
        ],
    },
    {
        "description": "far away",
        "schema": {"$ref": "http://example.com/"},
        "tests": [{"description": "any", "data": 1, "valid": True}],
    },
]


def test_suite_counts_per_keyword(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "maximum.json").write_text(json.dumps(GROUPS))
    wrong = {**GROUPS[0], "tests": [{"description": "a lie", "data": 6, "valid": True}]}
    (tmp_path / "minimum.json").write_text(json.dumps([wrong]))
    suite.main([str(tmp_path), "--vocabulary", "bytes", "--mistakes"])
    said = capsys.readouterr().out
    rows = {line.split("|")[1].strip(): line for line in said.splitlines() if line.startswith("|")}
    assert "2 / 1 / 0 / 0" in rows["maximum"]
    assert "0 / 0 / 1 / 0" in rows["minimum"]
    assert "2 / 1 / 1 / 0" in rows["all"]
    assert "valid refused: minimum: a bound: a lie" in said


def test_suite_without_files_says_what_it_wants(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="draft2020-12"):
        suite.main([str(tmp_path), "--vocabulary", "bytes"])


def test_format_means_what_the_file_means(tmp_path: Path) -> None:
    schema = {"type": "string", "format": "date"}
    test = {"description": "no date", "data": "x", "valid": True}
    (tmp_path / "format.json").write_text(
        json.dumps([{"description": "note", "schema": schema, "tests": [test]}])
    )
    (tmp_path / "minimum.json").write_text(
        json.dumps([{"description": "check", "schema": schema, "tests": [{**test, "valid": False}]}])
    )
    vocabulary = open_vocabulary("bytes")
    engine = suite.open_engine("tokenmask", vocabulary, key_order="any")
    found = suite.run(tmp_path, [engine], vocabulary)["tokenmask"]
    assert [outcome.verdict for outcome in found] == ["right", "right"]


def test_ladder_measures_every_rung(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    schema = {
        "type": "object",
        "properties": {"name": {"type": "string"}, "size": {"type": "integer"}},
        "patternProperties": {"^x": {"type": "boolean"}},
    }
    tests = [{"data": {"name": "abc", "size": 3, "xa": True, "free": []}, "valid": True}]
    data = tmp_path / "data.jsonl"
    data.write_text(json.dumps({"name": "s", "schema": schema, "tests": tests}))
    ladder.main([str(data), "--vocabulary", "bytes", "--states", "4"])
    said = capsys.readouterr().out
    assert "4 fresh states" in said
    assert all(f"| {rung} " in said for rung in ladder.RUNGS)


FREE_KEYS = {"type": "object", "additionalProperties": {"type": "integer"}}


def jsonl(folder: Path, schema: Any, value: Any) -> Path:
    data = folder / "data.jsonl"
    tests = [{"data": value, "valid": True}]
    data.write_text(json.dumps({"name": "s", "schema": schema, "tests": tests}))
    return data


def test_ladder_leaves_out_the_walk_where_its_table_would_explode(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ladder, "MOST_ROWS", 20)
    data = jsonl(tmp_path, FREE_KEYS, {"abcdefgh": 1})
    ladder.main([str(data), "--vocabulary", "bytes", "--states", "4"])
    said = capsys.readouterr().out
    cells = {line.split("|")[1].strip(): line.split("|")[2:6] for line in said.splitlines() if "|" in line}
    assert cells["replay"][0].strip() == "4"
    walked = int(cells["NumPy walk"][0])
    assert walked == int(cells["NumPy walk, table known"][0]) < 4
    assert f"{4 - walked} without the NumPy walk: its table would have over 20 rows" in said
    assert "nan" not in said


def test_ladder_compares_a_rung_with_replay_of_the_same_states() -> None:
    times = dict.fromkeys(ladder.RUNGS, 10.0)
    measured = [times | {"replay": 100.0}, times | {"replay": 900.0, "NumPy walk": float("nan")}]
    shown = {line.split("|")[1].strip(): line.split() for line in ladder.show(measured).splitlines()}
    assert shown["split"][-2] == "50.0" and shown["NumPy walk"][-2] == "10.0"


def test_ladder_begins_no_state_when_its_time_is_up(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    data = jsonl(tmp_path, FREE_KEYS, {"abcdefgh": 1})
    arguments = [str(data), "--vocabulary", "bytes", "--states", "4", "--clock", "cpu"]
    with pytest.raises(SystemExit, match="no state was measured within --seconds 0"):
        ladder.main([*arguments, "--seconds", "0"])
    now = iter(range(100))
    monkeypatch.setattr(ladder, "monotonic", lambda: next(now))  # a second per state
    ladder.main([*arguments, "--seconds", "3.5"])
    said = capsys.readouterr().out
    assert "3 fresh states" in said and "cpu time" in said
    assert "1 more were left out: 3.5 s were over (--seconds)" in said


def test_unknown_names_are_told(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="smol, tekken, dashscope, bytes"):
        open_vocabulary("nothing-of-the-kind")
    with pytest.raises(SystemExit, match="llguidance, xgrammar"):
        suite.open_engine("nobody", open_vocabulary("bytes"))


@pytest.mark.parametrize("name, size", [("tekken", 131_072), ("dashscope", 151_851)])
def test_real_vocabularies_spell_and_read_back(name: str, size: int) -> None:
    pytest.importorskip("tiktoken")
    pytest.importorskip({"tekken": "mistral_common"}.get(name, name))
    vocabulary = open_vocabulary(name)
    assert vocabulary.size == size
    text = '{"name": "José 東京 🙂", "n": [1, 2.5]}'
    tokens = vocabulary.encode(text)
    assert vocabulary.decode(tokens) == text and len(tokens) < 40
    ours = vocabulary.build()
    assert b"".join(ours.tokens[i] for i in tokens) == text.encode()
    assert ours.size == size and ours.eos_ids == (vocabulary.eos,)
