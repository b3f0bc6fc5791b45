"""`workbook build`: lessons/NAME.md -> solutions/NAME.ipynb (solved, run) and notebooks/NAME.ipynb.

jupytext reads the text, nbclient runs the solved notebook, nbconvert takes solutions or stubs out.
A second build changes no byte: what depends on the machine is kept while its cell is unchanged.
"""

from __future__ import annotations

import argparse
import copy
import os
import sys
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError
from nbconvert.preprocessors import TagRemovePreprocessor
from nbformat import NotebookNode
from tqdm import tqdm

from lessons.assemble import assemble, tags
from lessons.places import NOTEBOOKS, PAGES, ROOT, SOLUTIONS, chosen_sources

WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"
CELL_SECONDS = 300


def without(notebook: NotebookNode, tag: str) -> NotebookNode:
    """A copy of `notebook` without the cells that carry `tag`."""
    remover = TagRemovePreprocessor(remove_cell_tags={tag})
    return remover.preprocess(copy.deepcopy(notebook), {})[0]


def execute(notebook: NotebookNode, folder: Path, title: str) -> None:
    """Run every cell in a fresh kernel of this environment, with a progress bar."""
    count = sum(cell.cell_type == "code" for cell in notebook.cells)
    with tqdm(total=count, desc=title, unit="cell", file=sys.stderr) as bar:
        client = NotebookClient(
            notebook,
            kernel_name="python3",
            timeout=CELL_SECONDS,
            record_timing=False,
            store_widget_state=False,
            resources={"metadata": {"path": str(folder)}},
            on_cell_executed=lambda **_: bar.update(),
        )
        client.execute(env=kernel_environment())


def kernel_environment() -> dict[str, str]:
    """The kernel imports this checkout's own packages, installed or not."""
    path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    return os.environ | {"PYTHONPATH": path, "JUPYTER_PREFER_ENV_PATH": "1"}


def tidy(notebook: NotebookNode) -> None:
    """Take out what differs from run to run: widget models, the interpreter's version."""
    notebook.metadata.pop("widgets", None)
    notebook.metadata["language_info"] = {"name": "python"}
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            output.get("data", {}).pop(WIDGET_VIEW, None)
            output.get("metadata", {}).pop(WIDGET_VIEW, None)
        if "outputs" in cell:
            cell.outputs = joined([o for o in cell.outputs if o.get("data", True)])


def joined(outputs: list[NotebookNode]) -> list[NotebookNode]:
    """Streams that follow one another as one: where they are cut depends on timing."""
    whole: list[NotebookNode] = []
    for output in outputs:
        last = whole[-1] if whole else {}
        if output.output_type == "stream" and last.get("name") == output.name:
            last["text"] += output.text
        else:
            whole.append(output)
    return whole


def keep_machine_outputs(notebook: NotebookNode, before: NotebookNode | None) -> None:
    """Outputs of cells tagged `machine` stay as they were; the id changes with the cell's text."""
    old = {cell.id: cell for cell in before.cells} if before else {}
    for cell in notebook.cells:
        if "machine" in tags(cell) and cell.id in old:
            cell.outputs = old[cell.id].outputs


def number_executions(notebook: NotebookNode) -> None:
    """Count the executed cells 1, 2, 3 ... in order; a cell without its number was not run."""
    number = 0
    for cell in notebook.cells:
        if cell.cell_type != "code" or cell.execution_count is None:
            continue
        number += 1
        cell.execution_count = number
        for output in cell.outputs:
            if "execution_count" in output:
                output.execution_count = number


def learner_version(whole: NotebookNode, solved: NotebookNode) -> NotebookNode:
    """What a learner opens: stubs for solutions, no output in checks, real output elsewhere."""
    learner = without(whole, "solution")
    done = {cell.id: cell for cell in solved.cells}
    for cell in learner.cells:
        ran = done.get(cell.id)
        shown = ran is not None and cell.cell_type == "code" and "check" not in tags(cell)
        if shown:
            cell.outputs, cell.execution_count = copy.deepcopy(ran.outputs), 1
    number_executions(learner)
    return learner


def read(path: Path) -> NotebookNode | None:
    """The notebook at `path`, or None."""
    return nbformat.read(path, 4) if path.exists() else None


def write(notebook: NotebookNode, path: Path) -> bool:
    """Write atomically, only if something changed; True if it did."""
    text = nbformat.writes(notebook) + "\n"
    if path.exists() and path.read_text(encoding="utf-8") == text:
        return False
    path.parent.mkdir(parents=True, exist_ok=True)
    half = path.with_name(f".{path.name}.{os.getpid()}.part")
    half.write_text(text, encoding="utf-8", newline="\n")
    os.replace(half, path)
    return True


def solve(name: str, refresh: bool = False, before: Path = SOLUTIONS) -> NotebookNode:
    """Lesson `name`, solved and run; machine-dependent outputs come from folder `before`."""
    solved = without(assemble(name), "exercise")
    execute(solved, SOLUTIONS if SOLUTIONS.exists() else ROOT, name)
    tidy(solved)
    if not refresh:
        keep_machine_outputs(solved, read(before / f"{name}.ipynb"))
    number_executions(solved)
    return solved


def build(
    name: str, refresh: bool = False, notebooks: Path = NOTEBOOKS, solutions: Path = SOLUTIONS
) -> list[Path]:
    """Build both notebooks of a lesson, or the one of a page; the paths that changed."""
    if name in PAGES:
        return build_page(name, notebooks)
    solved = solve(name, refresh)
    learner = learner_version(assemble(name), solved)
    keep_work(notebooks / f"{name}.ipynb")
    made = {solutions / f"{name}.ipynb": solved, notebooks / f"{name}.ipynb": learner}
    return [path for path, notebook in made.items() if write(notebook, path)]


def build_page(name: str, notebooks: Path = NOTEBOOKS) -> list[Path]:
    """Build a notebook without exercises: there is nothing to solve, so there is only one."""
    page = assemble(name)
    execute(page, NOTEBOOKS if NOTEBOOKS.exists() else ROOT, name)
    tidy(page)
    number_executions(page)
    path = notebooks / f"{name}.ipynb"
    return [path] if write(page, path) else []


def keep_work(path: Path) -> Path | None:
    """Copy a notebook in which somebody has answered to .bak before it is built anew."""
    from lessons.reset import has_answers, keep_copy

    notebook = read(path)
    return keep_copy(path) if notebook is not None and has_answers(notebook) else None


def main(argv: list[str]) -> int:
    """`workbook build [NN ...] [--refresh]`."""
    parser = argparse.ArgumentParser(prog="workbook build", description=__doc__)
    parser.add_argument("lesson", nargs="*", help="01, 1 or 01_fsm_masking; none means all")
    parser.add_argument("--refresh", action="store_true", help="renew the outputs that depend on the machine")
    options = parser.parse_args(argv)
    try:
        names = chosen_sources(options.lesson)
    except ValueError as error:
        print(f"workbook build: {error}", file=sys.stderr)
        return 2
    for name in names:
        try:
            changed = build(name, options.refresh)
        except CellExecutionError as error:
            print(f"workbook build: {name}: a cell failed:\n{error}", file=sys.stderr)
            return 1
        print(f"{name}: " + (", ".join(str(p.relative_to(ROOT)) for p in changed) or "unchanged"))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
