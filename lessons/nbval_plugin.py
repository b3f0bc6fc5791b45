"""What pytest needs on top of nbval, so that a check is fair and its result has a name.

- A check cell takes its text and its expected output from solutions/, by cell id. nbval alone would
  compare a notebook with itself, and a wrong answer that was run and saved would pass.
- A deleted check cell is an error, not a silent pass.
- Each exercise is printed at the end: right, wrong or not attempted; junitxml has it by name.

The root conftest.py loads this for `pytest --nbval notebooks/NAME.ipynb`.
"""

from __future__ import annotations

import json
import os
from collections import defaultdict
from pathlib import Path

import nbformat
import pytest

from lessons.build import kernel_environment
from lessons.places import SOLUTIONS, lesson_title
from lessons.registry import find_exercise

RESULTS = pytest.StashKey[list]()
NOTES = pytest.StashKey[list]()
CELLS = pytest.StashKey[list]()


def pytest_addoption(parser):
    group = parser.getgroup("workbook")
    group.addoption("--workbook-report", help="write the exercises' results to this JSON file")
    group.addoption(
        "--workbook-cells", action="store_true", help="every cell's result in that file as well"
    )


def pytest_configure(config):
    config.stash[RESULTS], config.stash[NOTES], config.stash[CELLS] = [], [], []
    if config.getoption("nbval", False) or config.getoption("nbval_lax", False):
        # the kernel of this environment, and a limit that a learner would wait for
        os.environ.update(kernel_environment())
        config.option.nbval_current_env = not config.option.nbval_kernel_name
        if config.option.nbval_cell_timeout == 2000:
            config.option.nbval_cell_timeout = 300


def pytest_collection_modifyitems(config, items):
    notebooks = defaultdict(list)
    for item in items:
        if hasattr(item, "cell"):
            notebooks[item.path].append(item)
    for path, cells in notebooks.items():
        reference = SOLUTIONS / path.name
        if reference.exists():
            use_reference(config, path, cells, reference)


def use_reference(config, path: Path, items: list, reference: Path) -> None:
    """Give every check cell of one notebook its text and outputs from the solved notebook."""
    solved = nbformat.read(reference, 4)
    by_number = {}
    for item in items:
        if number := check_number(item.cell):
            by_number[number] = item
    asked = solved.metadata.workbook.exercises
    known = items[0].parent.nb.metadata.get("workbook", {}).get("exercises", asked)
    for cell in solved.cells:
        if "check" not in cell.metadata.get("tags", []):
            continue
        number = cell.metadata.exercise
        if number in by_number:
            fix(by_number[number], cell)
        elif number in known:
            raise pytest.UsageError(deleted(path, number))
    config.stash[NOTES] += release_notes(path.stem, known, asked)


def check_number(cell) -> str | None:
    """The exercise that a cell checks, by its id or else by its first line ("# check 1.1")."""
    if cell.get("id", "").startswith("check-"):
        return cell["id"].removeprefix("check-").replace("-", ".")
    first = cell.source.split("\n", 1)[0].split()
    return first[2] if first[:2] == ["#", "check"] and len(first) == 3 else None


def fix(item, cell) -> None:
    """Make `item` run and compare exactly what the solved notebook has."""
    exercise = find_exercise(cell.metadata.exercise)
    item.cell.source, item.cell.outputs = cell.source, cell.outputs
    item.cell.execution_count = cell.execution_count
    item.options = defaultdict(bool, check=True)
    item.exercise = exercise
    item.user_properties += [
        ("lesson", item.path.stem),
        ("exercise", exercise.number),
        ("title", exercise.title),
    ]


def deleted(path: Path, number: str) -> str:
    """What to do when a check cell is gone."""
    return (
        f"{path.name}: the check cell of exercise {number} was deleted. Put it back: a code cell "
        f"whose first line is `# check {number}`; or run `workbook reset {path.stem[:2]} "
        "--keep-answers`, which makes a fresh notebook, carries your answers over and keeps your "
        "notebook as .bak."
    )


def release_notes(name: str, known: dict, asked: dict) -> list[str]:
    """What differs between the release a notebook is from and this one."""
    changed = [n for n in known if n in asked and known[n] != asked[n]]
    new = [n for n in asked if n not in known]
    gone = [n for n in known if n not in asked]
    notes = []
    for numbers, what in ((changed, "changed"), (new, "are new"), (gone, "are gone")):
        if numbers:
            notes.append(f"{name}: since your notebook was made, these {what}: {', '.join(numbers)}")
    if notes:
        notes.append(
            f"your work is untouched; `workbook reset {name[:2]} --keep-answers` gives the new "
            "text with your answers in it"
        )
    return notes


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    report = yield
    if hasattr(item, "exercise"):
        # the exercise's name instead of "Cell 4", on screen and in junitxml
        name = f"exercise {item.exercise.number} {item.exercise.title}"
        report.nodeid = f"{item.parent.nodeid}::{name}"
        if call.when == "call":
            result = outcome(item, report)
            item.config.stash[RESULTS].append(result)
            item.user_properties.append(("status", result["status"]))
    if call.when == "call" and hasattr(item, "cell"):
        item.config.stash[CELLS].append(cell_result(item, report))
    return report


def cell_result(item, report) -> dict:
    """What became of one cell of one notebook; the tests of the notebooks read it."""
    return {
        "notebook": str(item.path),
        "id": item.cell.get("id"),
        "passed": report.passed,
        "outputs": item.test_outputs or [],
        "message": "" if report.passed else str(report.longrepr),
    }


def outcome(item, report) -> dict:
    """Status and details of one exercise, from what its check cell has just shown."""
    result = {
        "lesson": item.path.stem,
        "exercise": item.exercise.number,
        "title": item.exercise.title,
        "status": "cannot check",
        "text": "",
    }
    for output in item.test_outputs or []:
        about = output.get("metadata", {}).get("workbook")
        if about and about["exercise"] == item.exercise.number:
            result["status"] = about["status"]
            result["text"] = output["data"]["text/plain"]
    if result["status"] == "right" and not report.passed:
        # the report says right, the comparison does not: something else printed in the check
        result["status"] = "wrong"
        result["text"] += "\n  the check cell shows something else than the solved notebook's"
    return result


def pytest_sessionfinish(session):
    target = session.config.getoption("workbook_report")
    if target:
        report = {
            "results": session.config.stash[RESULTS],
            "notes": session.config.stash[NOTES],
        }
        if session.config.getoption("workbook_cells"):
            report["cells"] = session.config.stash[CELLS]
        Path(target).write_text(json.dumps(report, indent=1), encoding="utf-8")


def pytest_terminal_summary(terminalreporter, config):
    results, notes = config.stash[RESULTS], config.stash[NOTES]
    if not results and not notes:
        return
    terminalreporter.section("exercises")
    for line in summary(results, notes):
        terminalreporter.write_line(line)


def summary(results: list[dict], notes: list[str]) -> list[str]:
    """The lines printed for a learner: per lesson, per exercise, and how many are right."""
    lines: list[str] = []
    for name in dict.fromkeys(result["lesson"] for result in results):
        lines.append(lesson_title(name))
        for result in results:
            if result["lesson"] == name:
                label = f"{result['exercise']} {result['title']}"
                lines.append(f"  {label:<52} {result['status']}")
                lines += details(result)
    if results:
        right = sum(result["status"] == "right" for result in results)
        lines.append(f"{right} of {len(results)} right")
    return lines + notes


def details(result: dict) -> list[str]:
    """The input on which an answer failed, what was expected and what came."""
    if result["status"] in ("right", "not attempted"):
        return []
    return ["    " + line for line in result["text"].split("\n")[1:]]
