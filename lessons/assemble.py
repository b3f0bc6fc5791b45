"""From the text of a lesson to one notebook that holds everything: stubs, solutions and checks.

The author writes MyST text with tagged cells (see AUTHORING.md). This module adds what follows from
it: the line under an exercise's heading, hints, the folded solution, links, ids for the cells.
"""

from __future__ import annotations

import hashlib
import re
from html import escape

import jupytext
import nbformat
from nbformat import NotebookNode

from lessons.exercise import Exercise
from lessons.places import PAGES, SOURCES, TITLES, lesson_title
from lessons.registry import exercises_of

HEADING = re.compile(r"^### Exercise (\d+\.\d+)[ \t]*$", re.MULTILINE)
# tag in a source -> what nbval calls it
NBVAL_TAGS = {"check": "nbval-check-output", "machine": "nbval-ignore-output"}


def assemble(name: str) -> NotebookNode:
    """The whole notebook of lesson `name`, not executed."""
    notebook = jupytext.read(SOURCES / f"{name}.md")
    exercises = {exercise.number: exercise for exercise in exercises_of(name)}
    solutions = {
        cell.metadata["exercise"]: cell.source for cell in notebook.cells if "solution" in tags(cell)
    }
    cells: list[NotebookNode] = []
    for cell in notebook.cells:
        cell.metadata.pop("lines_to_next_cell", None)
        if cell.cell_type == "markdown":
            cell.source = with_headlines(cell.source, exercises)
        cells.append(cell)
        if "check" in tags(cell):
            exercise = exercises[cell.metadata["exercise"]]
            cells += below_check(exercise, solutions[exercise.number], name)
    cells.append(nbformat.v4.new_markdown_cell(links(name)))
    for cell in cells:
        add_nbval_tag(cell)
    name_cells(cells, name[:2])
    notebook.cells = cells
    notebook.nbformat, notebook.nbformat_minor = 4, 5
    notebook.metadata = nbformat.from_dict(notebook_metadata(name, cells))
    return notebook


def tags(cell: NotebookNode) -> list[str]:
    """The tags of a cell."""
    return cell.metadata.get("tags", [])


def with_headlines(text: str, exercises: dict[str, Exercise]) -> str:
    """Put title, minutes and difficulty under each exercise's heading."""

    def headline(match: re.Match) -> str:
        exercise = exercises[match[1]]
        dots = "●" * exercise.difficulty + "○" * (5 - exercise.difficulty)
        return (
            f"### Exercise {exercise.number}: {exercise.title}\n\n"
            f"*{exercise.minutes} minutes · difficulty {exercise.difficulty} of 5 {dots}*"
        )

    return HEADING.sub(headline, text)


def below_check(exercise: Exercise, solution: str, name: str) -> list[NotebookNode]:
    """The cells under a check: hints that open one at a time, then the solution as text."""
    hints = nbformat.v4.new_markdown_cell(nested_hints(exercise.hints))
    folded = nbformat.v4.new_markdown_cell(
        f"<details><summary>Solution {exercise.number}</summary>\n\n"
        f"```python\n{solution}\n```\n\n"
        f"The whole lesson, solved and run: [{name}](../solutions/{name}.ipynb)\n\n</details>"
    )
    hints.metadata["part"], folded.metadata["part"] = "hints", "folded"
    hints.metadata["exercise"] = folded.metadata["exercise"] = exercise.number
    return [hints, folded]


def nested_hints(hints: tuple[str, ...]) -> str:
    """Each hint inside the one before it, so that the next can only be opened after it."""
    opened, closed = [], []
    for i, hint in enumerate(hints, 1):
        opened.append(f"<details><summary>Hint {i} of {len(hints)}</summary>\n\n{hint}\n")
        closed.append("</details>")
    return "\n".join(opened + closed)


def links(name: str) -> str:
    """The last line of a lesson: to the one before and the one after."""
    names = list(TITLES)
    if name in PAGES:
        return f"---\n\n[All lessons and your progress]({names[0]}.ipynb)"
    place = names.index(name)
    parts = []
    if place > 0:
        before = names[place - 1]
        parts.append(f"← [{escape(lesson_title(before))}]({before}.ipynb)")
    if name != names[0]:
        parts.append(f"[All lessons and your progress]({names[0]}.ipynb)")
    if place + 1 < len(names):
        after = names[place + 1]
        parts.append(f"[{escape(lesson_title(after))}]({after}.ipynb) →")
    return "---\n\n" + " · ".join(parts)


def add_nbval_tag(cell: NotebookNode) -> None:
    """Say in nbval's words what our own tags mean."""
    for tag, nbval_tag in NBVAL_TAGS.items():
        if tag in tags(cell) and nbval_tag not in tags(cell):
            cell.metadata["tags"].append(nbval_tag)


def name_cells(cells: list[NotebookNode], lesson: str) -> None:
    """Ids that stay: an exercise's cells by its number, any other cell by a hash of its text."""
    seen: dict[str, int] = {}
    for cell in cells:
        part = cell.metadata.get("part") or next(
            (tag for tag in ("exercise", "solution", "check") if tag in tags(cell)), None
        )
        if part:
            wanted = f"{part}-{cell.metadata['exercise'].replace('.', '-')}"
        else:
            digest = hashlib.sha256(f"{cell.cell_type}\n{cell.source}".encode()).hexdigest()
            wanted = f"{lesson}-{digest[:10]}"
        seen[wanted] = seen.get(wanted, 0) + 1
        cell.id = wanted if seen[wanted] == 1 else f"{wanted}-{seen[wanted]}"


def notebook_metadata(name: str, cells: list[NotebookNode]) -> dict:
    """Kernel, and a fingerprint of each exercise: it tells a notebook of an older release."""
    return {
        "kernelspec": {
            "display_name": "Python 3 (ipykernel)",
            "language": "python",
            "name": "python3",
        },
        "language_info": {"name": "python"},
        "workbook": {"lesson": name, "exercises": fingerprints(cells)},
    }


def fingerprints(cells: list[NotebookNode]) -> dict[str, str]:
    """Exercise number -> hash of what the learner is asked: heading, text, stub, check cell."""
    asked: dict[str, list[str]] = {}
    current = None
    for cell in cells:
        match = re.search(r"^### Exercise (\d+\.\d+)", cell.source, re.MULTILINE)
        if cell.cell_type == "markdown" and match:
            current = match[1]
        if current and "solution" not in tags(cell):
            asked.setdefault(current, []).append(cell.source)
        if "check" in tags(cell):
            current = None
    return {
        number: hashlib.sha256("\n".join(texts).encode()).hexdigest()[:12] for number, texts in asked.items()
    }
