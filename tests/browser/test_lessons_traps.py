"""The two traps of nbval, in a real JupyterLab: a wrong answer that was run and saved must fail.

nbval compares a notebook with its own stored outputs. So (1) a wrong answer's saved report would be
the expected one, and (2) Run All on an unsolved notebook that stops or clears outputs would leave
nothing to compare. Here a learner does both, and the checks still say wrong, or not attempted.
"""

import shutil

import nbformat
import pytest
from playwright.sync_api import expect

from lessons.check import check_notebooks
from lessons.places import NOTEBOOKS
from lessons.registry import exercises_of, wrong_answers

pytestmark = pytest.mark.browser
LESSON = "00_start_here"
SOURCE = NOTEBOOKS / f"{LESSON}.ipynb"


def statuses(path):
    """Exercise number -> status, as `workbook check` has it, for a saved notebook."""
    code, found, text = check_notebooks([path], [])
    assert found.get("results"), text
    return code, {result["exercise"]: result for result in found["results"]}


def own_copy(saved, tmp_path):
    """The saved notebook under its lesson's name, as in a learner's own folder."""
    return shutil.copy(saved, tmp_path / f"{LESSON}.ipynb")


def stored(path, cell_id):
    return next(cell for cell in nbformat.read(path, 4).cells if cell.id == cell_id)


def test_a_wrong_answer_that_was_run_and_saved_fails(open_notebook, tmp_path):
    first, second = exercises_of(LESSON)
    notebook = open_notebook(SOURCE, "wrong.ipynb")
    notebook.set_source(f"exercise-{first.key}", wrong_answers(first)[0].source)
    notebook.set_source(f"exercise-{second.key}", wrong_answers(second)[0].source)
    notebook.run_all()
    report = notebook.cell(f"check-{first.key}").locator(".jp-OutputArea-output")
    expect(report).to_contain_text("exercise 0.1 How often a reply is valid: wrong")
    notebook.save()
    saved = own_copy(notebook.path, tmp_path)
    output = stored(saved, f"check-{first.key}").outputs[0]
    assert output.metadata.workbook.status == "wrong", "the trap is not set"
    code, found = statuses(saved)
    assert code == 1
    assert [found[n]["status"] for n in ("0.1", "0.2")] == ["wrong", "wrong"]
    assert wrong_answers(first)[0].says in found["0.1"]["text"]


def test_run_all_on_an_unsolved_notebook_reaches_the_end_and_still_fails(open_notebook, tmp_path):
    notebook = open_notebook(SOURCE, "unsolved.ipynb")
    notebook.run_all()
    notebook.save()
    saved = own_copy(notebook.path, tmp_path)
    cells = [c for c in nbformat.read(saved, 4).cells if c.cell_type == "code"]
    assert all(cell.execution_count for cell in cells), "Run All stopped before the end"
    assert not [o for c in cells for o in c.outputs if o.output_type == "error"]
    code, found = statuses(saved)
    assert code == 1
    assert {result["status"] for result in found.values()} == {"not attempted"}


def test_a_notebook_whose_outputs_were_cleared_still_fails(open_notebook, tmp_path):
    first, _ = exercises_of(LESSON)
    notebook = open_notebook(SOURCE, "cleared.ipynb")
    notebook.set_source(f"exercise-{first.key}", wrong_answers(first)[0].source)
    notebook.command("editmenu:clear-all")
    notebook.save()
    saved = own_copy(notebook.path, tmp_path)
    assert not any(c.get("outputs") for c in nbformat.read(saved, 4).cells), "nothing was cleared"
    code, found = statuses(saved)
    assert code == 1
    assert found["0.1"]["status"] == "wrong"


def test_a_right_answer_passes(open_notebook, tmp_path):
    notebook = open_notebook(SOURCE, "right.ipynb")
    notebook.set_source("exercise-0-1", "def valid_share(p, n):\n    return p ** n")
    notebook.run_all()
    report = notebook.cell("check-0-1").locator(".jp-OutputArea-output")
    expect(report).to_contain_text("exercise 0.1 How often a reply is valid: right")
    notebook.save()
    _, found = statuses(own_copy(notebook.path, tmp_path))
    assert found["0.1"]["status"] == "right"
    assert found["0.2"]["status"] == "not attempted"
