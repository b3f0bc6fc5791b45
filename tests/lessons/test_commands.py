"""`workbook check`, `progress` and `reset`, in a folder that stands for a learner's own."""

import nbformat
import pytest

from lessons import check as check_module
from lessons import progress as progress_module
from lessons import reset as reset_module
from lessons.places import NOTEBOOKS, find_lesson
from lessons.progress import Progress
from lessons.reset import answers_of, fresh_notebook, reset

LESSON = "00_start_here"
RIGHT = "def valid_share(p, n):\n    return p**n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A learner's folder with lesson 00 in it."""
    for module in (check_module, progress_module, reset_module):
        monkeypatch.setattr(module, "NOTEBOOKS", tmp_path)
    (tmp_path / f"{LESSON}.ipynb").write_bytes((NOTEBOOKS / f"{LESSON}.ipynb").read_bytes())
    return tmp_path


def edit(folder, change):
    path = folder / f"{LESSON}.ipynb"
    notebook = nbformat.read(path, 4)
    change(notebook)
    nbformat.write(notebook, path)
    return path


def answered(notebook):
    for cell in notebook.cells:
        if cell.id == "exercise-0-1":
            cell.source = RIGHT


@pytest.mark.parametrize("word", ["1", "01", "01_fsm_masking", "notebooks/01_fsm_masking.ipynb"])
def test_a_lesson_may_be_named_in_many_ways(word):
    assert find_lesson(word) == "01_fsm_masking"


def test_check_prints_one_line_per_exercise(folder, capsys):
    edit(folder, answered)
    assert check_module.main(["00"]) == 1
    text = capsys.readouterr().out
    assert "0.1 How often a reply is valid                       right" in text
    assert "0.2 Where a run leaves the schema                    not attempted" in text
    assert "1 of 2 right" in text


def test_check_of_a_missing_notebook_says_what_to_do(folder, capsys):
    assert check_module.main(["01"]) == 2
    assert "`workbook reset 01` makes a fresh one" in capsys.readouterr().out


def test_check_of_an_unknown_lesson_lists_them(capsys):
    assert check_module.main(["42"]) == 2
    assert "there is no lesson '42'; there are 00, 01" in capsys.readouterr().err


def test_a_fresh_notebook_is_the_built_one(lesson):
    built = (NOTEBOOKS / f"{lesson}.ipynb").read_text(encoding="utf-8")
    assert nbformat.writes(fresh_notebook(lesson)) + "\n" == built, f"workbook build {lesson[:2]}"


def test_reset_keeps_the_learners_copy(folder):
    path = edit(folder, answered)
    mine = path.read_bytes()
    said = reset(LESSON, keep_answers=False, folder=folder)
    assert f"your notebook is kept as {LESSON}.ipynb.bak" in said
    assert (folder / f"{LESSON}.ipynb.bak").read_bytes() == mine
    assert path.read_bytes() == (NOTEBOOKS / f"{LESSON}.ipynb").read_bytes()


def test_reset_can_carry_the_answers_over(folder):
    path = edit(folder, answered)
    said = reset(LESSON, keep_answers=True, folder=folder)
    assert "answers carried over: 0.1" in said
    answers = answers_of(nbformat.read(path, 4))
    assert answers["0.1"] == RIGHT
    assert "NotImplementedError" in answers["0.2"]


def test_reset_makes_a_notebook_that_is_not_there(folder):
    (folder / f"{LESSON}.ipynb").unlink()
    reset(LESSON, keep_answers=False, folder=folder)
    assert (folder / f"{LESSON}.ipynb").exists()
    assert not list(folder.glob("*.bak*"))


def status_output(number, status):
    data = {"text/plain": status}
    about = {"workbook": {"exercise": number, "status": status}}
    return nbformat.v4.new_output("execute_result", data, execution_count=1, metadata=about)


def test_progress_reads_what_the_saved_checks_said(folder):
    def checked(notebook):
        for cell in notebook.cells:
            if cell.id == "check-0-1":
                cell.outputs = [status_output("0.1", "right")]
            if cell.id == "check-0-2":
                cell.outputs = [status_output("0.2", "wrong")]

    assert Progress(folder).lessons[0].right == 0
    edit(folder, checked)
    progress = Progress(folder)
    assert progress.lessons[0].statuses == {"0.1": "right", "0.2": "wrong"}
    assert "00 Start here                      1 of 2  ■□" in repr(progress)
    assert "wrong: 0.2" in repr(progress)
    assert "<td>1 of 2</td>" in progress._repr_html_()


def test_progress_lists_every_lesson_even_if_its_notebook_is_gone(folder):
    (folder / f"{LESSON}.ipynb").unlink()
    assert [lesson.name for lesson in Progress(folder).lessons][:2] == [LESSON, "01_fsm_masking"]
