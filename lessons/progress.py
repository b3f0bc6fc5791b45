"""`workbook progress`, and the same table at the top of lesson 00.

It reads what the check cells of the saved notebooks last said, and runs nothing.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from html import escape
from pathlib import Path

from lessons.build import read
from lessons.places import NOTEBOOKS, lesson_names, lesson_title
from lessons.registry import exercises_of


@dataclass(frozen=True)
class LessonProgress:
    """One lesson: its name, its title, exercise number -> status as last saved."""

    name: str
    title: str
    statuses: dict[str, str]

    @property
    def right(self) -> int:
        """How many exercises are right."""
        return sum(status == "right" for status in self.statuses.values())


def lesson_progress(name: str, folder: Path = NOTEBOOKS) -> LessonProgress:
    """What folder/NAME.ipynb says; an exercise never checked counts as not attempted."""
    statuses = {exercise.number: "not attempted" for exercise in exercises_of(name)}
    notebook = read(folder / f"{name}.ipynb")
    for cell in notebook.cells if notebook else []:
        for output in cell.get("outputs", []):
            about = output.get("metadata", {}).get("workbook")
            if about and about["exercise"] in statuses:
                statuses[about["exercise"]] = about["status"]
    return LessonProgress(name, lesson_title(name), statuses)


class Progress:
    """All lessons; a table in a notebook, lines of text elsewhere."""

    def __init__(self, folder: Path = NOTEBOOKS) -> None:
        self.lessons = [lesson_progress(name, folder) for name in lesson_names()]

    def __repr__(self) -> str:
        lines = []
        for lesson in self.lessons:
            total = len(lesson.statuses)
            bar = "■" * lesson.right + "□" * (total - lesson.right)
            lines.append(f"{lesson.title:<34} {lesson.right} of {total}  {bar}")
            wrong = [n for n, status in lesson.statuses.items() if status == "wrong"]
            if wrong:
                lines.append(f"{'':<34} wrong: {', '.join(wrong)}")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        rows = "".join(map(html_row, self.lessons))
        head = "<tr><th style='text-align:left'>lesson</th><th>right</th><th></th></tr>"
        return f"<table>{head}{rows}</table><p><a href='glossary.ipynb'>Glossary of all lessons</a></p>"


def html_row(lesson: LessonProgress) -> str:
    """One line of the table: a link, a count, a bar."""
    total = len(lesson.statuses)
    return (
        f"<tr><td style='text-align:left'><a href='{lesson.name}.ipynb'>{escape(lesson.title)}</a>"
        f"</td><td>{lesson.right} of {total}</td><td><progress value='{lesson.right}' "
        f"max='{max(total, 1)}' aria-label='exercises right'></progress></td></tr>"
    )


def main(argv: list[str]) -> int:
    """`workbook progress`."""
    argparse.ArgumentParser(prog="workbook progress", description=__doc__).parse_args(argv)
    print(Progress())
    print("\nas last run and saved in your notebooks; `workbook check` runs them anew")
    return 0
