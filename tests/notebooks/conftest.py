"""Runs both notebooks of a lesson under nbval, once per lesson, for all tests of the notebooks."""

import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from lessons.check import check_notebooks
from lessons.places import NOTEBOOKS, SOLUTIONS, lesson_names


@dataclass
class Run:
    """One notebook under nbval: each cell's id, outcome and outputs, and the exercises' results."""

    path: Path
    cells: list[dict]
    results: list[dict]
    text: str

    @property
    def failed(self) -> set[str]:
        """Ids of the cells that failed."""
        return {cell["id"] for cell in self.cells if not cell["passed"]}


@cache
def nbval_run(path: Path) -> Run:
    """`pytest --nbval path`, in a process of its own."""
    _, found, text = check_notebooks([path], ["--workbook-cells"])
    return Run(path, found.get("cells", []), found.get("results", []), text)


@pytest.fixture
def solved_run(lesson) -> Run:
    """The solved notebook of a lesson under nbval."""
    return nbval_run(SOLUTIONS / f"{lesson}.ipynb")


@pytest.fixture
def learner_run(lesson) -> Run:
    """The learner's notebook of a lesson, untouched, under nbval."""
    return nbval_run(NOTEBOOKS / f"{lesson}.ipynb")


@pytest.fixture
def run_nbval():
    """`run_nbval(path, *options)` -> what the learner's own command prints, and its exit code."""

    def run(path, *options):
        command = [
            *(sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-p"),
            *("lessons.nbval_plugin", "-c", str(NOTEBOOKS.parent / "pyproject.toml")),
            *("--rootdir", str(NOTEBOOKS.parent), "--nbval", str(path), *options),
        ]
        done = subprocess.run(
            command, cwd=NOTEBOOKS.parent, capture_output=True, text=True, timeout=300
        )
        return done.returncode, done.stdout + done.stderr

    return run


def pytest_generate_tests(metafunc):
    if "lesson" in metafunc.fixturenames:
        metafunc.parametrize("lesson", lesson_names())
