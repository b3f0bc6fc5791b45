"""Where the lessons are, and how a learner may name one: `01`, `1`, `01_fsm_masking`."""

from __future__ import annotations

from pathlib import Path

PACKAGE = Path(__file__).resolve().parent
PARTS = ("workbook.py", "notebooks", "solutions")


def workbook_folder(here: Path) -> Path:
    """The workbook that `here` is in; where it is in none, the one that this package belongs to.

    So a class may share one installed copy, read-only, while each learner works in a folder of
    their own.
    """
    for folder in (here, *here.parents):
        if all((folder / part).exists() for part in PARTS):
            return folder
    return PACKAGE.parent


ROOT = workbook_folder(Path.cwd())
SOURCES = PACKAGE
NOTEBOOKS = ROOT / "notebooks"
SOLUTIONS = ROOT / "solutions"

# every lesson, in order; a table, so that links do not change while lessons are being written
TITLES = {
    "00_start_here": "00 Start here",
    "01_fsm_masking": "01 FSM masking",
    "02_fast_masks": "02 Fast masks",
    "03_the_stack": "03 The stack",
    "04_jump_forward": "04 Jump-forward",
    "05_a_legal_way_to_say_no": "05 A legal way to say no",
    "06_from_json_schema": "06 From JSON Schema",
    "07_function_calling": "07 Function calling",
    "08_ending_well": "08 Ending well",
    "09_in_production": "09 In production",
}

# notebooks without exercises: built from lessons/NAME.md like lessons, but not solved
PAGES = {"glossary": "Glossary"}


def lesson_names() -> list[str]:
    """All lessons that exist, in order.

    >>> lesson_names()[0]
    '00_start_here'
    """
    return sorted(path.stem for path in SOURCES.glob("[0-9][0-9]_*.md"))


def find_lesson(wanted: str) -> str:
    """The full name of the lesson that `wanted` means; ValueError, with the list, if there is none.

    >>> find_lesson("1")
    '01_fsm_masking'
    """
    names = lesson_names()
    stem = Path(wanted).name.removesuffix(".ipynb").removesuffix(".md")
    number = stem.zfill(2) if stem.isdigit() else stem
    for name in names:
        if stem == name or number == name[:2]:
            return name
    listed = ", ".join(name[:2] for name in names)
    raise ValueError(f"there is no lesson '{wanted}'; there are {listed}")


def chosen_lessons(wanted: list[str]) -> list[str]:
    """The lessons named on a command line; all of them if none is named."""
    return [find_lesson(word) for word in wanted] or lesson_names()


def chosen_sources(wanted: list[str]) -> list[str]:
    """What `workbook build` builds: lessons and pages named on a command line; all if none is."""
    return [word if word in PAGES else find_lesson(word) for word in wanted] or [*lesson_names(), *PAGES]


def lesson_title(name: str) -> str:
    """The heading of a lesson.

    >>> lesson_title("01_fsm_masking")
    '01 FSM masking'
    """
    return TITLES.get(name, name)
