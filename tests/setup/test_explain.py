"""What pip says, in one sentence with a remedy."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from lessons.setup.environment import Environment
from lessons.setup.errors import SetupError
from lessons.setup.lock import only_one
from lessons.setup.pip import Runner, explain

CASES = [
    (
        "ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device",
        "disk",
    ),
    (
        "ERROR: Could not install packages: [Errno 13] Permission denied: '/opt/lib/x.py'",
        "read-only",
    ),
    ("ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE.", "checksum"),
    (
        "WARNING: Retrying ... NewConnectionError('<...>: Failed to establish a new connection: "
        "[Errno -3] Temporary failure in name resolution')\n"
        "ERROR: Could not find a version that satisfies the requirement numpy (from versions: none)\n"
        "ERROR: No matching distribution found for numpy==2.3.5",
        "network",
    ),
    (
        "pip._vendor.urllib3.exceptions.ReadTimeoutError: HTTPSConnectionPool: ReadTimeout",
        "network",
    ),
    ("error: package directory 'simulator' does not exist\nhint: See above for details.", "other"),
    ("", "other"),
]


@pytest.mark.parametrize(("output", "kind"), CASES)
def test_kind_and_remedy(output: str, kind: str, tmp_path: Path):
    error = explain(output, 1, "[2/4] packages of the lessons", tmp_path / "setup.log")
    assert error.kind == kind
    assert "\n" not in str(error)
    assert "again" in str(error) or "WORKBOOK_VENV" in str(error)


def test_the_reason_is_the_first_error_not_the_hint(tmp_path: Path):
    output = "error: subprocess-exited-with-error\n  error: package directory 'x' does not exist\nhint: y"
    said = str(explain(output, 1, "[3/4] the workbook itself", tmp_path / "setup.log"))
    assert "'the workbook itself' failed: error: package directory 'x' does not exist" in said
    assert str(tmp_path / "setup.log") in said


def test_cuda_libraries_are_announced_once(tmp_path: Path, capsys):
    runner = Runner(tmp_path / "log")
    say = "print('Collecting nvidia-cublas'); print('Collecting nvidia-nccl')"
    runner.run([sys.executable, "-c", say], "[4/5] torch and transformers")
    assert capsys.readouterr().out.count("see 'Linux without a GPU' in README.md") == 1


def test_ended_by_a_signal(tmp_path: Path):
    assert "ended by signal 9" in str(explain("", -9, "[2/4] x", tmp_path / "log"))


def test_the_place_that_is_closed_is_named(tmp_path: Path):
    output = "OSError: [Errno 30] Read-only file system: '/usr/lib/python3'"
    assert "/usr/lib/python3 cannot be written to" in str(explain(output, 1, "x", tmp_path / "log"))


@pytest.mark.parametrize(
    ("made", "phrase"),
    [
        (None, "the last start was ended while making it"),
        ({"machine": "Plan9 on vax"}, "it was made for Plan9 on vax, and this is"),
        ({"folder": "/elsewhere/.venv"}, "it was made for /elsewhere/.venv, and this is"),
        ({}, "its Python does not start"),
    ],
)
def test_why_an_environment_cannot_be_used(made: dict | None, phrase: str, tmp_path: Path):
    environment = Environment(tmp_path / ".venv")
    assert environment.problem() == "there is none yet"
    environment.folder.mkdir()
    if made is not None:
        environment.state = {"made": environment._here() | {"python": "3.11.0"} | made}
    assert phrase in environment.problem()


def test_a_damaged_record_counts_as_none(tmp_path: Path):
    (tmp_path / "workbook.json").write_text('{"made": {"mach')
    assert Environment(tmp_path).problem() == "the last start was ended while making it"


def test_the_lock_is_free_again_after_its_block(tmp_path: Path):
    path = tmp_path / ".venv.lock"
    with only_one(path):
        busy = pytest.raises(SetupError, match=r"Another workbook\.py \(process \d+\)")
        with busy as error, only_one(path):
            pass
        assert error.value.kind == "busy"
    with only_one(path):
        pass
