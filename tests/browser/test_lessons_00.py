"""A newcomer's first lesson in a real JupyterLab: run all, toggle the constraint, take the quiz."""

import pytest

from lessons.places import NOTEBOOKS
from lessons.registry import questions_of

expect = pytest.importorskip("playwright.sync_api").expect
pytestmark = pytest.mark.browser
LESSON = "00_start_here"


@pytest.fixture
def lesson(open_notebook):
    """Lesson 00, untouched, after Run All."""
    notebook = open_notebook(NOTEBOOKS / f"{LESSON}.ipynb", name="first_hour.ipynb")
    notebook.run_all()
    return notebook


def test_run_all_toggle_the_constraint_answer_the_quiz_open_the_hints(lesson):
    page = lesson.page
    assert page.locator(".jp-Notebook .jp-OutputArea-output[data-mime-type*=error]").count() == 0
    expect(lesson.cell("check-0-1")).to_contain_text("not attempted")
    toggle_the_constraint(page)
    answer_the_quiz(page)
    open_the_hints(lesson)


def toggle_the_constraint(page):
    """With the constraint on most tokens are masked; off, the grid changes and none is."""
    simulator = page.locator(".sim")
    masked = simulator.locator(".sim-chip[data-state=masked]")
    simulator.get_by_test_id("sim-step").click()
    expect(simulator).to_have_attribute("data-position", "1")
    assert masked.count() > 20
    simulator.get_by_test_id("sim-constrained").click()
    expect(masked).to_have_count(0)


def answer_the_quiz(page):
    """A wrong choice gives its reason, the right one another; the score counts it once."""
    question = questions_of(LESSON)[0]
    box = page.get_by_test_id("quiz").locator("fieldset").first
    score = page.get_by_test_id("quiz").get_by_role("status")
    wrong, why = question.wrong[0]
    box.get_by_label(wrong, exact=True).check()
    expect(box).to_contain_text(f"Not quite. {why.replace('`', '')}")
    expect(score).to_have_text(f"0 of {len(questions_of(LESSON))} right")
    box.get_by_label(question.right[0], exact=True).check()
    expect(box).to_contain_text(f"Right. {question.right[1]}")
    expect(score).to_have_text(f"1 of {len(questions_of(LESSON))} right")
    # the arrow keys move between answers: JupyterLab must not take them
    box.get_by_label(question.right[0], exact=True).press("ArrowUp")
    expect(score).to_have_text(f"0 of {len(questions_of(LESSON))} right")


def open_the_hints(lesson):
    """The second hint can be seen only once the first is open; the solution is text, not a cell."""
    hints = lesson.cell("hints-0-1").locator(".jp-RenderedMarkdown")
    second = hints.get_by_text("Hint 2 of 3")
    expect(second).to_be_hidden()
    hints.get_by_text("Hint 1 of 3").click()
    expect(second).to_be_visible()
    expect(hints.get_by_text("Hint 3 of 3")).to_be_hidden()
    solution = lesson.cell("folded-0-1").locator(".jp-RenderedMarkdown")
    expect(solution.locator("pre")).to_be_hidden()
    solution.get_by_text("Solution 0.1").click()
    expect(solution.locator("pre")).to_contain_text("return p**n")


def test_a_restarted_kernel_needs_no_more_than_the_cells_own_run(lesson):
    """After a restart a check says that its answer is gone; running the exercise brings it back."""
    lesson.set_source("exercise-0-1", "def valid_share(p, n):\n    return p ** n")
    lesson.within(
        60, "await window.jupyterapp.shell.currentWidget.sessionContext.session.kernel.restart();"
    )
    run_cell(lesson, "check-0-1")
    expect(lesson.cell("check-0-1")).to_contain_text("run the cell of the exercise first")
    run_cell(lesson, "exercise-0-1")
    run_cell(lesson, "check-0-1")
    expect(lesson.cell("check-0-1")).to_contain_text("How often a reply is valid: right")


def run_cell(notebook, cell_id):
    notebook.page.evaluate(
        "id => { const c = window.jupyterapp.shell.currentWidget.content;"
        " c.activeCellIndex = c.widgets.findIndex(cell => cell.model.id === id); }",
        cell_id,
    )
    notebook.command("notebook:run-cell")
