"""Takes the stub, the solution and the imports of an exercise out of its lesson, and judges answers.

For the tests and for `lessons.mutate`: an answer is run with what earlier cells import, no more.
"""

from __future__ import annotations

import ast
from functools import cache

from nbformat import NotebookNode

from lessons.assemble import assemble, tags
from lessons.checking import Report, check
from lessons.exercise import Exercise
from lessons.places import find_lesson


@cache
def assembled(lesson: str) -> NotebookNode:
    """The whole notebook of lesson "01", not executed."""
    return assemble(find_lesson(lesson))


def source_of(exercise: Exercise, tag: str) -> str:
    """The text of the cell tagged `tag` ("exercise", "solution", "check") of an exercise."""
    for cell in assembled(exercise.lesson).cells:
        if tag in tags(cell) and cell.metadata.get("exercise") == exercise.number:
            return cell.source
    raise LookupError(f"exercise {exercise.number} has no cell tagged `{tag}`")


@cache
def imports_before(exercise: Exercise) -> str:
    """Every import statement of the cells above the exercise."""
    found = []
    for cell in assembled(exercise.lesson).cells:
        if "exercise" in tags(cell) and cell.metadata["exercise"] == exercise.number:
            break
        if cell.cell_type == "code" and not {"exercise", "solution", "check"} & set(tags(cell)):
            nodes = ast.parse(cell.source).body
            found += [ast.unparse(n) for n in nodes if isinstance(n, ast.Import | ast.ImportFrom)]
    return "\n".join(dict.fromkeys(found))


def judge_answer(exercise: Exercise, source: str) -> Report:
    """What the check says to an answer that was typed as `source`."""
    namespace: dict = {"__name__": "__main__"}
    exec(imports_before(exercise), namespace)
    exec(compile(source, f"<exercise {exercise.number}>", "exec"), namespace)
    return check(exercise.number, namespace)
