"""The built notebooks: solved ones are right, learners' ones fail in their checks only, no drift."""

import copy

import nbformat

from lessons.assemble import assemble, tags
from lessons.build import keep_machine_outputs, learner_version, number_executions, tidy, without
from lessons.places import NOTEBOOKS, SOLUTIONS
from lessons.registry import exercises_of


def test_every_cell_of_the_solved_notebook_shows_what_is_stored(lesson, solved_run):
    broken = [cell["message"] for cell in solved_run.cells if not cell["passed"]]
    assert not broken and solved_run.cells, solved_run.text[-3000:]


def test_every_exercise_is_right_in_the_solved_notebook(lesson, solved_run):
    statuses = {result["exercise"]: result["status"] for result in solved_run.results}
    assert statuses == {exercise.number: "right" for exercise in exercises_of(lesson)}


def test_a_learners_notebook_fails_in_its_own_checks_and_nowhere_else(lesson, learner_run):
    checks = {f"check-{exercise.key}" for exercise in exercises_of(lesson)}
    assert learner_run.failed == checks, learner_run.text[-3000:]


def test_every_exercise_is_not_attempted_in_a_fresh_notebook(lesson, learner_run):
    statuses = {result["exercise"]: result["status"] for result in learner_run.results}
    assert statuses == {exercise.number: "not attempted" for exercise in exercises_of(lesson)}


def test_a_rebuild_changes_no_byte(lesson, solved_run):
    """The source, with what its cells have just printed, gives the files that are stored."""
    stored = nbformat.read(SOLUTIONS / f"{lesson}.ipynb", 4)
    solved = without(assemble(lesson), "exercise")
    outputs = {cell["id"]: cell["outputs"] for cell in solved_run.cells}
    for cell in solved.cells:
        if cell.cell_type == "code":
            cell.outputs = nbformat.from_dict(copy.deepcopy(outputs[cell.id]))
            cell.execution_count = 1
    tidy(solved)
    keep_machine_outputs(solved, stored)
    number_executions(solved)
    learner = learner_version(assemble(lesson), solved)
    for built, folder in ((solved, SOLUTIONS), (learner, NOTEBOOKS)):
        text = (folder / f"{lesson}.ipynb").read_text(encoding="utf-8")
        assert nbformat.writes(built) + "\n" == text, f"run `workbook build {lesson[:2]}`"


def test_checks_of_a_fresh_notebook_show_nothing_and_all_else_shows_its_output(lesson):
    learner = nbformat.read(NOTEBOOKS / f"{lesson}.ipynb", 4)
    solved = {cell.id: cell for cell in nbformat.read(SOLUTIONS / f"{lesson}.ipynb", 4).cells}
    for cell in learner.cells:
        if cell.cell_type != "code":
            continue
        if {"check", "exercise"} & set(tags(cell)):
            assert cell.outputs == [] and cell.execution_count is None
        else:
            assert shown(cell) == shown(solved[cell.id])


def shown(cell):
    """Outputs without the number of the execution: the two notebooks count their own cells."""
    return [{k: v for k, v in output.items() if k != "execution_count"} for output in cell.outputs]


def test_no_solution_is_a_cell_of_a_learners_notebook(lesson):
    learner = nbformat.read(NOTEBOOKS / f"{lesson}.ipynb", 4)
    assert not any("solution" in tags(cell) for cell in learner.cells)


def test_nothing_is_stored_that_changes_from_run_to_run(lesson):
    for folder in (SOLUTIONS, NOTEBOOKS):
        text = (folder / f"{lesson}.ipynb").read_text(encoding="utf-8")
        assert "widget-view" not in text
        assert '"widgets"' not in text
        assert " at 0x" not in text
