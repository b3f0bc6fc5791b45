"""CONTRIBUTING's worked examples are true: they are followed here, word for word, in a copy."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

REPO = Path(__file__).resolve().parents[1]
COMMANDS = {
    "workbook": ["-c", "import sys; from lessons.cli import main; sys.exit(main())"],
    "pytest": ["-m", "pytest", "-q", "-p", "no:cacheprovider"],
}


def section(title: str) -> str:
    """The text of one `## title` of CONTRIBUTING.md."""
    text = (REPO / "CONTRIBUTING.md").read_text(encoding="utf-8")
    return re.search(rf"^## {title}\n(.*?)(?=^## (?!Simulator)|\Z)", text, re.M | re.S)[1]


def blocks(title: str, language: str) -> list[str]:
    """The code blocks of a section, written in `language` ("" is a shell's)."""
    return re.findall(rf"^```{language}\n(.*?)^```$", section(title), re.M | re.S)


def edits(diff: str) -> list[tuple[str, str, str]]:
    """(file, lines as they are, lines as they become) of each part of a diff without numbers."""
    found = []
    for part in re.split(r"^--- ", diff, flags=re.M)[1:]:
        name, *lines = part.splitlines(keepends=True)
        before = "".join(line[1:] for line in lines if line[0] in " -")
        after = "".join(line[1:] for line in lines if line[0] in " +")
        found.append((name.strip(), before, after))
    return found


def apply(root: Path, title: str) -> None:
    """Make the edits of a section in the copy: each place must be there exactly once."""
    for diff in blocks(title, "diff"):
        for name, before, after in edits(diff):
            text = (root / name).read_text(encoding="utf-8")
            assert f"\n{text}".count(f"\n{before}") == 1, f"{name}: {before!r}"
            (root / name).write_text(f"\n{text}".replace(f"\n{before}", f"\n{after}")[1:], encoding="utf-8")


def copy_of(names: list[str], root: Path) -> Path:
    """A copy of some files and folders of the repository."""
    for name in names:
        source, target = REPO / name, root / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__", ".*"))
        else:
            shutil.copy(source, target)
    return root


def run(root: Path, command: str) -> subprocess.CompletedProcess:
    """Run a command of CONTRIBUTING in the copy, with the copy's packages."""
    name, *arguments = shlex.split(command)
    return subprocess.run(
        [sys.executable, *COMMANDS[name], *arguments],
        cwd=root, env=os.environ | {"PYTHONPATH": str(root)}, capture_output=True, text=True, timeout=600,
    )


def passed(done: subprocess.CompletedProcess) -> int:
    """How many tests passed."""
    found = re.search(r"(\d+) passed", done.stdout)
    return int(found[1]) if found else 0


@pytest.mark.slow
def test_the_exercise(tmp_path):
    title = "Add an exercise"
    rooms = ["lessons", "tokenmask", "toymodel", "simulator", "notebooks", "solutions", "tests/lessons"]
    files = ["tests/conftest.py", "conftest.py", "pyproject.toml", "workbook.py"]
    root = copy_of([*rooms, *files], tmp_path / "copy")
    apply(root, title)
    commands = blocks(title, "")[-1].splitlines()
    assert [command.split()[0] for command in commands] == ["workbook", "pytest"]
    for command in commands:
        done = run(root, command)
        assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-2000:]
    assert passed(done) >= 25 and "failed" not in done.stdout
    solved = nbformat.read(root / "solutions/01_fsm_masking.ipynb", 4).cells
    check = next(cell for cell in solved if cell.id == "check-1-6")
    assert "right" in str(check.outputs)
    learner = (root / "notebooks/01_fsm_masking.ipynb").read_text(encoding="utf-8")
    assert 'NotImplementedError(\\"exercise 1.6\\")' in learner
    assert "Exercise 1.6: The only way on" in learner


def test_the_keyword(tmp_path):
    title = "Add a schema keyword"
    root = copy_of(["tokenmask", "pyproject.toml"], tmp_path / "copy")
    (text,) = blocks(title, "python")
    name = text.splitlines()[0].removeprefix("# ")
    (root / name).parent.mkdir(parents=True)
    (root / name).write_text(text, encoding="utf-8")
    assert passed(run(root, f"pytest {name}")) < 10, "the test passes without the edits"
    apply(root, title)
    done = run(root, f"pytest {name}")
    assert done.returncode == 0 and passed(done) == 12, done.stdout[-3000:]


def test_the_named_commands_and_files_exist():
    text = (REPO / "CONTRIBUTING.md").read_text(encoding="utf-8")
    for module in re.findall(r"python -m ([a-z.]+)", text):
        assert (REPO / f"{module.replace('.', '/')}.py").exists(), module
    for path in re.findall(r"`?\b((?:tests|lessons|tokenmask|bench)/[\w/.]+\.(?:py|md))", text):
        assert (REPO / path).exists() or path.endswith("test_starts_with.py"), path
