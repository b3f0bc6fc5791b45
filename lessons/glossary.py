"""The glossary of the whole workbook: the tables at the end of the lessons, in one.

Each lesson keeps its own words. Here they are read, sorted by their production name and linked back,
so that nothing has to be kept in two places.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from lessons.places import SOURCES, lesson_names

ROW = re.compile(r"^\| (?P<here>.+?) \| (?P<production>.+?) \| (?P<meaning>.+?) \|$", re.MULTILINE)
HEAD = "| here | in production | is |\n| --- | --- | --- |\n"


@dataclass(frozen=True)
class Entry:
    """One row: the name in production, the name in the workbook, what it is, and the lesson."""

    production: str
    here: str
    meaning: str
    lesson: str

    @property
    def plain(self) -> str:
        """The production name without markup, in small letters: what rows are sorted by."""
        return re.sub(r"[*`]", "", self.production).lower()


def entries() -> list[Entry]:
    """All rows of all lessons' glossaries, by production name, then by lesson."""
    found = []
    for name in lesson_names():
        text = (SOURCES / f"{name}.md").read_text(encoding="utf-8")
        table = text.partition("\n## Glossary\n")[2].partition(HEAD)[2]
        for row in ROW.finditer(table):
            found.append(Entry(row["production"], row["here"], row["meaning"], name))
    return sorted(found, key=lambda entry: (entry.plain, entry.lesson, entry.here))


class Glossary:
    """The words that contain `wanted` (all of them if empty): a table in a notebook, else lines.

    >>> Glossary("rollback")
    """

    def __init__(self, wanted: str = "") -> None:
        needle = wanted.lower()
        self.entries = [
            entry
            for entry in entries()
            if needle in entry.plain or needle in f"{entry.here} {entry.meaning}".lower()
        ]

    def __repr__(self) -> str:
        lines = [f"{e.plain} (lesson {e.lesson[:2]}: {e.here}): {e.meaning}" for e in self.entries]
        return "\n".join(lines) or "No such word. Glossary() shows all of them."

    def _repr_markdown_(self) -> str:
        if not self.entries:
            return repr(self)
        rows = ["| in production | here | is | lesson |", "| --- | --- | --- | --- |"]
        for e in self.entries:
            link = f"[{e.lesson[:2]}]({e.lesson}.ipynb)"
            rows.append(f"| {e.production} | {e.here} | {e.meaning} | {link} |")
        return "\n".join(rows)
