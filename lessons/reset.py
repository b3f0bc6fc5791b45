"""`workbook reset NN`: a fresh notebook; the learner's own copy is kept as .bak.

A fresh notebook is made from the lesson's text and the outputs of the solved one: nothing is run.
"""

from __future__ import annotations

import argparse
import shutil
import sys
from pathlib import Path

from nbformat import NotebookNode

from lessons.assemble import assemble, tags
from lessons.build import learner_version, read, write
from lessons.places import NOTEBOOKS, SOLUTIONS, find_lesson


def fresh_notebook(name: str) -> NotebookNode:
    """The notebook of lesson `name` as nobody has touched it."""
    solved = read(SOLUTIONS / f"{name}.ipynb")
    if solved is None:
        raise ValueError(f"solutions/{name}.ipynb is missing: `workbook build {name[:2]}` makes it")
    return learner_version(assemble(name), solved)


def answers_of(notebook: NotebookNode) -> dict[str, str]:
    """Exercise number -> what stands in its cell."""
    return {
        cell.metadata["exercise"]: cell.source
        for cell in notebook.cells
        if "exercise" in tags(cell) and "exercise" in cell.metadata
    }


def has_answers(notebook: NotebookNode) -> bool:
    """True if the learner has written in an exercise cell."""
    return any("raise NotImplementedError" not in text for text in answers_of(notebook).values())


def keep_copy(path: Path) -> Path:
    """Copy `path` to path.bak, or .bak2, .bak3 ...: an older copy is never overwritten."""
    number = 1
    while (copy := path.with_name(f"{path.name}.bak{'' if number == 1 else number}")).exists():
        if copy.read_bytes() == path.read_bytes():
            return copy
        number += 1
    shutil.copy2(path, copy)
    return copy


def carry_answers(old: NotebookNode, fresh: NotebookNode) -> list[str]:
    """Put the learner's answers into a fresh notebook; the numbers carried over."""
    answers = answers_of(old)
    stubs = answers_of(fresh)
    carried = []
    for cell in fresh.cells:
        number = cell.metadata.get("exercise")
        if "exercise" in tags(cell) and answers.get(number, stubs[number]) != stubs[number]:
            if "raise NotImplementedError" in answers[number]:
                continue  # an older stub, not an answer
            cell.source = answers[number]
            carried.append(number)
    return carried


def reset(name: str, keep_answers: bool, folder: Path = NOTEBOOKS) -> list[str]:
    """Make folder/NAME.ipynb fresh; sentences that say what was done."""
    path = folder / f"{name}.ipynb"
    fresh = fresh_notebook(name)
    said = []
    if path.exists():
        kept = keep_copy(path)
        said.append(f"your notebook is kept as {kept.name}")
        if keep_answers:
            carried = carry_answers(read(path), fresh)
            said.append(f"answers carried over: {', '.join(carried) or 'none'}")
    write(fresh, path)
    return [*said, f"{path.name} is fresh: reload it if it is open in JupyterLab"]


def main(argv: list[str]) -> int:
    """`workbook reset NN [--keep-answers]`."""
    parser = argparse.ArgumentParser(prog="workbook reset", description=__doc__)
    parser.add_argument("lesson", help="01, 1 or 01_fsm_masking")
    parser.add_argument(
        "--keep-answers",
        action="store_true",
        help="put your answers into the fresh notebook (after an update of the workbook)",
    )
    options = parser.parse_args(argv)
    try:
        for sentence in reset(find_lesson(options.lesson), options.keep_answers):
            print(f"workbook reset: {sentence}")
    except ValueError as error:
        print(f"workbook reset: {error}", file=sys.stderr)
        return 2
    return 0
