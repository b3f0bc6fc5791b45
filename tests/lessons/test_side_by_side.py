"""Lesson 09 with and without the peers, with and without the model: what its cells rely on."""

import os
import subprocess
import sys

import numpy as np
import pytest

from lessons.pieces import coverage, l09, side_by_side
from lessons.places import ROOT, SOLUTIONS
from tokenmask import allocate_token_bitmask
from toymodel import UniformModel

PEERS = ("xgrammar", "llguidance", "outlines_core")
PERSON = {
    "type": "object",
    "properties": {"name": {"type": "string", "maxLength": 9}, "age": {"type": "integer", "minimum": 0}},
    "required": ["name", "age"],
    "additionalProperties": False,
}
# runs a solved notebook's cells in one namespace, where some packages cannot be imported
RUNNER = """
import sys
for name in {blocked}:
    sys.modules[name] = None
import nbformat
space = {{"__name__": "notebook"}}
for cell in nbformat.read({path!r}, 4).cells:
    if cell.cell_type == "code":
        exec(compile(cell.source, "cell", "exec"), space)
print("REACHED THE END")
"""


@pytest.fixture(scope="module")
def vocabulary():
    return l09.big_vocabulary(UniformModel())


def test_without_peers_there_is_our_engine_and_a_sentence(vocabulary, monkeypatch, capsys):
    for name in PEERS:
        monkeypatch.setitem(sys.modules, name, None)
    assert list(side_by_side.engines(vocabulary)) == ["tokenmask"]
    assert "pip install -e .[peers]" in capsys.readouterr().out


@pytest.mark.parametrize("blocked", [(*PEERS, "torch", "transformers"), ("xgrammar",)], ids=len)
@pytest.mark.slow
def test_the_lesson_runs_whole_without(blocked, tmp_path):
    if len(blocked) == 1:
        pytest.importorskip("llguidance")
    source = RUNNER.format(blocked=blocked, path=str(SOLUTIONS / "09_in_production.ipynb"))
    env = os.environ | {"PYTHONPATH": str(ROOT), "TOKENMASK_MODEL_DIR": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", source], capture_output=True, text=True, env=env, timeout=300
    )
    assert "REACHED THE END" in done.stdout, done.stderr[-2000:]
    assert "Not installed: xgrammar" in done.stdout


def test_our_engine_enforces_every_case(vocabulary):
    engine = side_by_side.ours(vocabulary)
    for keyword, case in coverage.CASES.items():
        assert coverage.judge(engine, case, vocabulary)[0] == coverage.RIGHT, keyword


def test_an_engine_that_weakens_is_seen(vocabulary):
    class Weak:
        def start(self, schema):
            return side_by_side.ours(vocabulary).start({"type": ["integer", "string", "array", "object"]})

    class Refuses:
        def start(self, schema):
            raise ValueError("no")

    assert coverage.judge(Weak(), coverage.CASES["maximum"], vocabulary)[0] == coverage.LETS_IN
    assert coverage.judge(Refuses(), coverage.CASES["maximum"], vocabulary)[0] == coverage.REFUSED


@pytest.mark.parametrize("name", PEERS)
def test_a_peer_walks_along_a_valid_text(name, vocabulary):
    pytest.importorskip(name)
    make = {"xgrammar": side_by_side.xgrammar, "llguidance": side_by_side.llguidance}
    engine = make.get(name, side_by_side.outlines)(vocabulary)
    ids = l09.spell(vocabulary, '{"name": "Ada", "age": 7}')
    masks, seconds = l09.masks_along(engine.start(PERSON), ids, vocabulary.size)
    assert len(masks) == len(seconds) == len(ids)
    assert engine.version[0].isdigit()


def test_the_judge_tells_good_tokens_from_bad_ones(vocabulary):
    judge = l09.Judge(PERSON, vocabulary)
    ids = {token: i for i, token in reversed(list(enumerate(vocabulary.tokens)))}
    inside = b'{"name": "a'
    assert judge.is_right(inside, ids[b"b"])
    assert judge.is_right(inside, ids[b"\\"])  # an escape may follow
    assert not judge.is_right(inside, ids[b"\x01"])  # a control character must be escaped
    assert judge.is_right(b'{"name": "", "age":', ids[b"7"])  # another spacing is valid JSON
    assert not judge.is_right(b'{"name": "", "age": ', ids[b"]"])


def test_verdicts_say_who_errs(vocabulary):
    judge = l09.Judge(PERSON, vocabulary)
    ids = l09.spell(vocabulary, '{"name": "Ada", "age": 7}')
    ours, _ = l09.masks_along(side_by_side.ours(vocabulary).start(PERSON), ids, vocabulary.size)
    same = l09.verdicts(judge, ids, ours, ours)
    assert not any(same.values())
    narrow = ours.copy()
    narrow[0] = 0
    found = l09.verdicts(judge, ids, ours, narrow)
    assert found["peer refuses good text"] and not found["peer lets wrong text in"]
    wide = ours.copy()
    wide[0] = allocate_token_bitmask(1, vocabulary.size)[0]
    found = l09.verdicts(judge, ids, ours, wide)
    assert found["peer lets wrong text in"] and not found["ours lets wrong text in"]


def test_messages_of_compiled_code_are_swallowed(capfd):
    with coverage.native_messages_off():
        os.write(2, b"a warning with a clock in it")
    os.write(2, b"after")
    assert capfd.readouterr().err == "after"


def test_a_toy_answers_a_batch_row_by_row():
    model = UniformModel()
    from tokenmask import GrammarCompiler

    compiler = GrammarCompiler(model.vocabulary)
    grammars = [compiler.compile_json_schema(s) for s in ({"type": "boolean"}, {"type": "null"})]
    texts = l09.batch_texts(model, ["", ""], grammars, 4)
    assert texts[0] in ("true", "false") and texts[1] == "null"


def test_differ_on_random_masks():
    random = np.random.default_rng(4)
    for size in (1, 31, 32, 33, 100):
        a, b = random.random((2, size)) < 0.5
        words = [l09.np.packbits(np.pad(m, (0, -size % 32)), bitorder="little").view("<i4") for m in (a, b)]
        wanted = np.flatnonzero(a & ~b).tolist(), np.flatnonzero(b & ~a).tolist()
        assert l09.differ(words[0].astype(np.int32), words[1].astype(np.int32), size) == wanted
