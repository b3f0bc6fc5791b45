"""Notebooks that learners have mistreated: deleted checks, older releases, broken answers."""

import nbformat
import pytest

from lessons.places import NOTEBOOKS
from lessons.registry import exercises_of, wrong_answers

LESSON = "00_start_here"


@pytest.fixture
def mine(tmp_path):
    """`mine(edit)` -> a copy of lesson 00 in a folder of its own, edited.

    Only its exercises and checks: the cells that measure something would cost seconds each time.
    """

    def make(edit):
        notebook = nbformat.read(NOTEBOOKS / f"{LESSON}.ipynb", 4)
        needed = ("exercise-", "check-")
        notebook.cells = [c for c in notebook.cells if c.id.startswith(needed)]
        edit(notebook)
        path = tmp_path / f"{LESSON}.ipynb"
        nbformat.write(notebook, path)
        return path

    return make


def cell(notebook, cell_id):
    return next(cell for cell in notebook.cells if cell.id == cell_id)


def answer(source, number="0-1"):
    def edit(notebook):
        cell(notebook, f"exercise-{number}").source = source

    return edit



def test_a_deleted_check_is_an_error_with_the_remedy(mine, run_nbval):
    def edit(notebook):
        notebook.cells = [c for c in notebook.cells if c.id != "check-0-1"]

    code, text = run_nbval(mine(edit))
    assert code == 4
    assert "the check cell of exercise 0.1 was deleted" in text
    assert "workbook reset 00 --keep-answers" in text


def test_a_check_put_back_by_hand_counts(mine, run_nbval):
    def edit(notebook):
        place = notebook.cells.index(cell(notebook, "check-0-1"))
        notebook.cells[place] = nbformat.v4.new_code_cell('# check 0.1\ncheck("0.1")')

    code, text = run_nbval(mine(edit), "--tb=no")
    assert code == 1
    assert "0.1 How often a reply is valid" in text and "was deleted" not in text


TRICKS = {
    "another text": lambda check: check.update(source="print('✓ exercise 0.1: right')"),
    "skip tag": lambda check: check.metadata.update(tags=["nbval-skip"]),
    "ignore tag": lambda check: check.metadata.update(tags=["nbval-ignore-output"]),
    "ignore comment": lambda check: check.update(source="# NBVAL_IGNORE_OUTPUT\n" + check.source),
}


def test_a_check_that_was_edited_is_restored(mine, run_nbval, tmp_path):
    wrong = wrong_answers(exercises_of(LESSON)[0])[0]
    for name, trick in TRICKS.items():

        def edit(notebook, trick=trick):
            answer(wrong.source)(notebook)
            trick(cell(notebook, "check-0-1"))

        folder = tmp_path / name
        folder.mkdir()
        mine(edit).rename(folder / f"{LESSON}.ipynb")
    code, text = run_nbval(tmp_path, "--tb=no")
    assert code == 1
    said = "0.1 How often a reply is valid                       wrong"
    assert text.count(said) == text.count(wrong.says) == len(TRICKS)


def test_a_syntax_error_costs_its_own_exercise_only(mine, run_nbval):
    code, text = run_nbval(mine(answer("def valid_share(p, n)\n    return")), "--tb=no", "-q")
    assert code == 1
    lines = [line.split() for line in text.split("\n") if line.startswith("  0.")]
    assert [line[0] for line in lines] == ["0.1", "0.2"]
    assert "2 failed" not in text and "3 failed" in text, "the exercise's cell and both checks"
    assert "`valid_share` is not defined yet" not in text or "not attempted" in text


def test_an_endless_loop_is_stopped_and_the_rest_goes_on(mine, run_nbval):
    endless = "def valid_share(p, n):\n    while True:\n        pass"
    code, text = run_nbval(mine(answer(endless)), "--tb=no", "-q")
    assert code == 1
    assert "is there a loop that never ends?" in text
    assert "0.2 Where a run leaves the schema                    not attempted" in text


def test_an_older_release_is_told_and_the_work_is_judged(mine, run_nbval):
    def edit(notebook):
        answer("def valid_share(p, n):\n    return p**n")(notebook)
        known = notebook.metadata.workbook.exercises
        known["0.1"] = "an older text"
        del known["0.2"]
        known["0.7"] = "taken out since"
        notebook.cells = [c for c in notebook.cells if c.id != "check-0-2"]

    path = mine(edit)
    before = path.read_bytes()
    _, text = run_nbval(path, "--tb=no")
    assert "since your notebook was made, these changed: 0.1" in text
    assert "since your notebook was made, these are new: 0.2" in text
    assert "since your notebook was made, these are gone: 0.7" in text
    assert "0.1 How often a reply is valid                       right" in text
    assert path.read_bytes() == before


def test_junitxml_has_the_exercises_by_name(mine, run_nbval, tmp_path):
    target = tmp_path / "results.xml"
    run_nbval(mine(lambda notebook: None), "--tb=no", f"--junitxml={target}")
    xml = target.read_text(encoding="utf-8")
    assert 'name="exercise 0.1 How often a reply is valid"' in xml
    assert '<property name="status" value="not attempted" />' in xml


def test_a_check_run_out_of_order_uses_what_is_defined(mine, run_nbval):
    def edit(notebook):
        check = cell(notebook, "check-0-1")
        notebook.cells.remove(check)
        notebook.cells.insert(0, check)

    code, text = run_nbval(mine(edit), "--tb=no")
    assert code == 1
    assert "0.1 How often a reply is valid                       not attempted" in text
