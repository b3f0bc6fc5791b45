"""`workbook build` for real, on the shortest lesson: same bytes, kept outputs, kept work."""

import nbformat
import pytest

from lessons import build as builder
from lessons.build import build, keep_machine_outputs, write
from lessons.places import NOTEBOOKS, SOLUTIONS
from lessons.reset import keep_copy

LESSON = "00_start_here"


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    folder = tmp_path_factory.mktemp("built")
    changed = build(LESSON, notebooks=folder / "notebooks", solutions=folder / "solutions")
    return folder, changed


def test_a_build_gives_the_stored_bytes(built):
    folder, changed = built
    assert len(changed) == 2
    for place in (NOTEBOOKS, SOLUTIONS):
        made = folder / place.name / f"{LESSON}.ipynb"
        assert made.read_bytes() == (place / f"{LESSON}.ipynb").read_bytes()


def test_an_unchanged_file_is_not_written_again(built):
    path = built[0] / "solutions" / f"{LESSON}.ipynb"
    before = path.stat().st_mtime_ns
    assert write(nbformat.read(path, 4), path) is False
    assert path.stat().st_mtime_ns == before


def test_streams_are_one_however_they_were_cut():
    pieces = [("stdout", "a"), ("stdout", "b"), ("stderr", "c"), ("stdout", "d")]
    outputs = [nbformat.v4.new_output("stream", name=name, text=text) for name, text in pieces]
    whole = [(output.name, output.text) for output in builder.joined(outputs)]
    assert whole == [("stdout", "ab"), ("stderr", "c"), ("stdout", "d")]


def machine_cell(output, source="time()"):
    cell = nbformat.v4.new_code_cell(source, id=f"id-{len(source)}", metadata={"tags": ["machine"]})
    cell.outputs = [nbformat.v4.new_output("stream", name="stdout", text=output)]
    return nbformat.v4.new_notebook(cells=[cell])


def test_machine_outputs_are_kept_while_the_cell_is_unchanged():
    new = machine_cell("2 ms")
    keep_machine_outputs(new, machine_cell("1 ms"))
    assert new.cells[0].outputs[0].text == "1 ms"


def test_machine_outputs_are_renewed_when_the_cell_has_changed():
    new = machine_cell("2 ms", "other_time()")
    keep_machine_outputs(new, machine_cell("1 ms"))
    assert new.cells[0].outputs[0].text == "2 ms"


def test_refresh_renews_machine_outputs(monkeypatch, tmp_path):
    monkeypatch.setattr(builder, "assemble", lambda name: machine_cell("nothing yet"))
    monkeypatch.setattr(builder, "execute", lambda notebook, *_: say(notebook, "new"))
    write(machine_cell("old"), tmp_path / f"{LESSON}.ipynb")
    kept = builder.solve(LESSON, before=tmp_path)
    renewed = builder.solve(LESSON, refresh=True, before=tmp_path)
    assert kept.cells[0].outputs[0].text == "old"
    assert renewed.cells[0].outputs[0].text == "new"


def say(notebook, text):
    for cell in notebook.cells:
        cell.outputs = [nbformat.v4.new_output("stream", name="stdout", text=text)]


def test_a_build_keeps_a_copy_of_a_notebook_with_answers(tmp_path):
    path = tmp_path / f"{LESSON}.ipynb"
    notebook = nbformat.read(NOTEBOOKS / f"{LESSON}.ipynb", 4)
    assert builder.keep_work(path) is None
    write(notebook, path)
    assert builder.keep_work(path) is None, "an untouched notebook needs no copy"
    cell = next(c for c in notebook.cells if "exercise" in c.metadata.get("tags", []))
    cell.source = "def valid_share(p, n):\n    return p ** n"
    write(notebook, path)
    copy = builder.keep_work(path)
    assert copy.name == f"{LESSON}.ipynb.bak"
    assert copy.read_bytes() == path.read_bytes()


def test_copies_never_overwrite_each_other(tmp_path):
    path = tmp_path / "x.ipynb"
    path.write_text("first")
    keep_copy(path)
    path.write_text("second")
    assert keep_copy(path).name == "x.ipynb.bak2"
    assert (tmp_path / "x.ipynb.bak").read_text() == "first"


def test_an_unknown_lesson_is_a_sentence(capsys):
    assert builder.main(["77"]) == 2
    assert "there is no lesson '77'; there are 00, 01" in capsys.readouterr().err
