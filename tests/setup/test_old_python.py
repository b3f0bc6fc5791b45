"""`workbook.py` on a Python that cannot run the workbook: one clear sentence, or a newer Python."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

REPO = Path(__file__).resolve().parents[2]
WORKBOOK = REPO / "workbook.py"
# where a version manager keeps its Pythons side by side, the others are next to ours
NEIGHBOURS = Path(sys.base_prefix).parent
PRETEND = """
import runpy, sys
sys.version_info = ({version}, 'final', 0)
sys.argv = ['workbook.py', 'lab', '--toy']
runpy.run_path({path!r}, run_name='__main__')
"""


def other_pythons() -> list[Path]:
    """Real Pythons on this machine that are too old, at most one of each minor version."""
    found = {}
    for path in sorted(NEIGHBOURS.glob("*/bin/python[23].*")):
        version = re.fullmatch(r"python(\d)\.(\d+)", path.name)
        if version and (int(version[1]), int(version[2])) < (3, 11):
            found[path.name] = path
    return list(found.values())


def run_as(version: str, path: Path) -> subprocess.CompletedProcess:
    """Run workbook.py in this Python, which says that it is another; `path` is the only PATH."""
    code = PRETEND.format(version=version, path=str(WORKBOOK))
    environment = os.environ | {"PATH": str(path)}
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=environment, timeout=60
    )


@pytest.mark.parametrize("version", ["2, 7, 18", "3, 6, 15", "3, 10, 13", "3, 14, 0"])
def test_one_sentence_where_no_other_python_is(version: str, tmp_path: Path):
    result = run_as(version, tmp_path)
    assert result.returncode == 1
    assert result.stdout == ""
    said = result.stderr.strip()
    assert "\n" not in said
    assert "needs Python 3.11, 3.12 or 3.13, this is Python " + version.replace(", ", ".") in said
    assert "python3.13 workbook.py lab --toy" in said


def test_goes_on_with_a_newer_python_from_the_path(tmp_path: Path):
    newer = tmp_path / "python{}.{}".format(*sys.version_info)
    # it proves itself by answering the probe, and then says what it was asked to run
    newer.write_text(
        f'#!/bin/sh\ncase "$1" in -c) exec "{sys.executable}" "$@";; *) echo "going on: $@";; esac\n'
    )
    newer.chmod(0o755)
    result = run_as("3, 9, 18", tmp_path)
    assert result.stdout == f"going on: {WORKBOOK} lab --toy\n"
    assert result.stderr == f"workbook: this is Python 3.9.18; going on with {newer}\n"
    assert result.returncode == 0


def test_a_stand_in_that_only_complains_is_not_taken(tmp_path: Path):
    stand_in = tmp_path / "python3.13"
    stand_in.write_text("#!/bin/sh\necho 'python3.13: command not found' >&2\nexit 127\n")
    stand_in.chmod(0o755)
    assert "no other is on the PATH" in run_as("3, 8, 0", tmp_path).stderr


@pytest.mark.parametrize("minor", [6, 8, 10])
def test_an_old_python_can_read_the_file(minor: int):
    ast.parse(WORKBOOK.read_text(encoding="utf-8"), feature_version=(3, minor))


@pytest.mark.parametrize("python", other_pythons() or [None], ids=lambda path: path and path.name)
def test_a_real_old_python(python: Path | None, tmp_path: Path):
    if python is None:
        pytest.skip("another Python, an old one, would be needed")
    environment = os.environ | {"PATH": str(tmp_path)}
    result = subprocess.run(
        [str(python), str(WORKBOOK), "lab"],
        capture_output=True,
        text=True,
        env=environment,
        timeout=60,
    )
    assert result.returncode == 1
    assert len(result.stderr.strip().splitlines()) == 1
    assert "The workbook needs Python 3.11, 3.12 or 3.13" in result.stderr


def test_the_setup_needs_the_standard_library_only():
    """It runs before anything is installed: -S leaves out site-packages, -I the surroundings."""
    code = f"import sys; sys.path.insert(0, {str(REPO)!r}); import lessons.setup.main"
    result = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True
    )
    assert result.returncode == 0, result.stderr


def test_usage_without_setting_anything_up(tmp_path: Path):
    environment = os.environ | {"WORKBOOK_VENV": str(tmp_path / "venv")}
    for arguments, code in ((["--help"], 0), ([], 2)):
        command = [sys.executable, str(WORKBOOK), *arguments]
        result = subprocess.run(command, capture_output=True, text=True, env=environment)
        assert result.returncode == code
        assert "python3 workbook.py lab [--toy]" in result.stdout
    assert list(tmp_path.iterdir()) == []
