"""`workbook.py` under fault, for real: each ends in one sentence, and the next start heals.

`bare` is a workbook that was never started, `toy` one after its first `lab --toy` (`conftest.py`).
"""

from __future__ import annotations

import ctypes
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

CLOSED_PORT = "http://127.0.0.1:9/simple"


def test_from_nothing_to_lab_and_then_again_within_seconds(bare, index):
    first = bare.start("lab", "--no-browser")
    assert first.stderr == ""
    assert first.stdout.splitlines()[-1] == "started lab --no-browser with tiny_core tiny_torch"
    for number in range(1, 6):
        assert f"[{number}/5]" in first.stdout
    asked, began = index.asked, time.monotonic()
    bare.environment["PIP_INDEX_URL"] = CLOSED_PORT
    again = bare.start("lab")
    assert again.stdout == "started lab with tiny_core tiny_torch\n"
    assert index.asked == asked
    assert time.monotonic() - began < 10


def test_toy_leaves_torch_out_and_test_brings_the_rest(toy):
    assert toy.start("lab", "--toy").stdout == "started lab with tiny_core\n"
    assert not (toy.folder / "model").exists()
    assert toy.start("check", "01").stdout == "started check 01 with tiny_core\n"
    full = toy.start("test", "-k", "masks")
    assert (
        full.stdout.splitlines()[-1] == "started test -k masks with tiny_core tiny_torch tiny_test"
    )
    assert (toy.folder / "model").exists()


def test_killed_while_the_environment_is_made(bare):
    cfg = bare.venv / "pyvenv.cfg"
    bare.kill_when(bare.begin("lab", "--toy"), cfg.exists)
    healed = bare.start("lab", "--toy")
    assert "anew: the last start was ended while making it" in healed.stdout
    assert healed.stdout.splitlines()[-1] == "started lab with tiny_core"


def test_killed_while_pip_downloads(toy, index):
    index.stall = "tiny-torch"
    process = toy.begin("lab")
    toy.kill_when(process, index.stalled.is_set)
    index.stall = None
    healed = toy.start("lab")
    assert healed.stderr == ""
    assert healed.stdout.splitlines()[-1] == "started lab with tiny_core tiny_torch"


def test_killed_while_the_workbook_is_installed(toy):
    forget(toy, "project")
    (toy.folder / "stall-project").touch()
    toy.kill_when(toy.begin("lab", "--toy"), (toy.folder / "stalled").exists)
    (toy.folder / "stall-project").unlink()
    assert toy.start("lab", "--toy").stdout.splitlines()[-1] == "started lab with tiny_core"


def test_killed_while_the_model_is_fetched(toy):
    (toy.folder / "stall-model").touch()
    toy.kill_when(toy.begin("lab"), (toy.folder / "stalled").exists)
    (toy.folder / "stall-model").unlink()
    healed = toy.start("lab")
    assert "[4/5]" not in healed.stdout, "torch was installed already"
    assert "[5/5]" in healed.stdout
    assert (toy.folder / "model").exists()


def test_a_killed_start_leaves_no_pip_behind(toy, index):
    index.stall = "tiny-torch"
    process = toy.begin("lab")
    toy.wait_until(index.stalled.is_set)
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    if not children.exists():
        process.kill()
        process.communicate()
        pytest.skip("processes cannot be listed on this system")
    pip = Path(f"/proc/{children.read_text().split()[0]}")
    toy.kill_when(process, lambda: True)
    toy.wait_until(lambda: not pip.exists() or "State:\tZ" in (pip / "status").read_text())


def test_a_package_that_is_half_there_is_installed_again(toy):
    """What a kill in the midst of unpacking leaves: files and metadata, no record."""
    site = next(toy.venv.glob("lib/python*/site-packages"))
    info = site / "tiny_torch-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: tiny-torch\nVersion: 1.0\n")
    note(toy, "unfinished", "small-model")
    healed = toy.start("lab")
    assert "tiny_torch-1.0 was half installed" in healed.stdout
    assert healed.stdout.splitlines()[-1] == "started lab with tiny_core tiny_torch"


def test_ctrl_c_is_one_line(toy, index):
    index.stall = "tiny-torch"
    process = toy.begin("lab")
    toy.wait_until(index.stalled.is_set)
    process.send_signal(signal.SIGINT)
    result = toy.end(process)
    assert result.returncode == 130
    assert result.stderr.strip() == "workbook: stopped. The same command goes on from here."


def test_no_network_and_nothing_installed(toy):
    forget(toy, "core")
    uninstall(toy, "tiny_core")
    toy.environment["PIP_INDEX_URL"] = CLOSED_PORT
    said = toy.sentence(toy.start("lab", "--toy"))
    assert "the package server cannot be reached" in said
    assert "Run the same command again" in said
    del toy.environment["PIP_INDEX_URL"]
    assert toy.start("lab", "--toy").returncode == 0


def test_no_network_and_the_toy_part_installed(toy):
    toy.environment["PIP_INDEX_URL"] = CLOSED_PORT
    (toy.folder / "no-model").touch()
    result = toy.start("lab")
    assert result.returncode == 0
    assert "'torch and transformers' is not installed yet" in result.stdout
    assert "Going on without." in result.stdout
    assert result.stdout.splitlines()[-1] == "started lab with tiny_core"


def test_no_network_after_an_update_of_the_pins(toy):
    pins = toy.folder / "constraints.txt"
    pins.write_text(pins.read_text().replace("tiny-core==1.0", "tiny-core==1.1"))
    toy.environment["PIP_INDEX_URL"] = CLOSED_PORT
    result = toy.start("lab", "--toy")
    assert "Going on without." in result.stdout
    assert result.stdout.splitlines()[-1] == "started lab with tiny_core"


def test_no_network_and_tests_wanted(toy):
    toy.environment["PIP_INDEX_URL"] = CLOSED_PORT
    assert "cannot be reached" in toy.sentence(toy.start("test"))


def test_no_model_to_be_had(toy):
    (toy.folder / "no-model").touch()
    result = toy.start("lab")
    assert "The small model is not ready. No model today. Going on without." in result.stdout
    assert "No model today." in toy.sentence(toy.start("test"))


def test_wrong_checksum(toy, index):
    index.lie = True
    said = toy.sentence(toy.start("lab"))
    assert "wrong checksum" in said
    assert "pip cache purge" in said
    index.lie = False
    assert toy.start("lab").stdout.splitlines()[-1] == "started lab with tiny_core tiny_torch"


def test_two_starts_at_once(toy, index):
    index.stall = "tiny-torch"
    first = toy.begin("lab")
    toy.wait_until(index.stalled.is_set)
    said = toy.sentence(toy.start("lab"))
    assert f"Another workbook.py (process {first.pid})" in said
    assert "Wait until it is done" in said
    index.stall = None
    assert toy.end(first).stdout.splitlines()[-1] == "started lab with tiny_core tiny_torch"
    assert toy.start("lab").returncode == 0


def test_venv_from_another_machine_in_a_moved_folder(toy, tmp_path):
    """As it comes over in a copied folder: another name, another machine, a Python that is not there."""
    moved = tmp_path / "copied"
    shutil.copytree(toy.folder, moved, symlinks=True)
    state = json.loads((moved / ".venv" / "workbook.json").read_text())
    state["made"]["machine"] = "Plan9 on vax"
    (moved / ".venv" / "workbook.json").write_text(json.dumps(state))
    (moved / ".venv" / "bin" / "python").unlink()
    (moved / ".venv" / "bin" / "python").symlink_to("/nowhere/python3.12")
    toy.folder, home = moved, toy.folder
    try:
        result = toy.start("lab", "--toy")
    finally:
        toy.folder = home
    assert "anew: it was made for Plan9 on vax, and this is " in result.stdout
    assert result.stdout.splitlines()[-1] == "started lab with tiny_core"


def test_an_environment_of_somebody_else_is_left_alone(bare):
    (bare.venv / "bin").mkdir(parents=True)
    precious = bare.venv / "bin" / "activate"
    precious.write_text("mine")
    assert "was not made by workbook.py" in bare.sentence(bare.start("lab"))
    assert precious.read_text() == "mine"


def test_a_terminal_that_cannot_show_the_folders_name(bare):
    (bare.venv / "bin").mkdir(parents=True)
    bare.environment |= {"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    said = bare.sentence(bare.start("lab"))
    assert "\\xdcbungs-Ordner \\u7ec3" in said
    assert "was not made by workbook.py" in said


def test_disk_full_really(toy, small_disk):
    toy.environment["WORKBOOK_VENV"] = str(small_disk / "venv")
    said = toy.sentence(toy.start("lab", "--toy"))
    assert "The disk is full" in said
    assert "then run the same command again" in said
    subprocess.run(["mount", "-o", "remount,size=100m", str(small_disk)], check=True)
    assert toy.start("lab", "--toy").stdout.splitlines()[-1] == "started lab with tiny_core"


def test_no_file_may_grow(toy):
    """What a full disk or a quota looks like in the midst of a write, with no rights needed."""
    limit = (toy.venv / "setup.log").stat().st_size + 20
    said = toy.sentence(
        toy.start("lab", preexec=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
    )
    assert "The disk is full" in said
    assert toy.start("lab").returncode == 0


def test_folder_that_cannot_be_written_to(bare):
    drop = without_root_rights()
    bare.folder.chmod(0o555)
    try:
        said = bare.sentence(bare.start("lab", preexec=drop))
    finally:
        bare.folder.chmod(0o755)
    assert "cannot be written to" in said
    assert "WORKBOOK_VENV=FOLDER" in said


def test_read_only_pip_cache_changes_nothing(toy, tmp_path):
    cache = tmp_path / "cache"
    cache.mkdir()
    cache.chmod(0o555)
    toy.environment |= {"PIP_NO_CACHE_DIR": "0", "PIP_CACHE_DIR": str(cache)}
    result = toy.start("lab", preexec=without_root_rights())
    assert result.stdout.splitlines()[-1] == "started lab with tiny_core tiny_torch"


def note(workbook, stage: str, value: str) -> None:
    """Write into the environment's own record, as a start that was cut short would have left it."""
    path = workbook.venv / "workbook.json"
    state = json.loads(path.read_text())
    state["stages"][stage] = value
    path.write_text(json.dumps(state))


def forget(workbook, stage: str) -> None:
    path = workbook.venv / "workbook.json"
    state = json.loads(path.read_text())
    del state["stages"][stage]
    path.write_text(json.dumps(state))


def uninstall(workbook, module: str) -> None:
    site = next(workbook.venv.glob("lib/python*/site-packages"))
    for path in site.glob(f"{module}*"):
        shutil.rmtree(path) if path.is_dir() else path.unlink()


def without_root_rights() -> Callable[[], None]:
    """For the child: root keeps its name, but a folder's mode counts for it as for anybody."""

    def drop() -> None:
        if os.geteuid() == 0:
            ctypes.CDLL(None).prctl(24, 1, 0, 0, 0)  # PR_CAPBSET_DROP, CAP_DAC_OVERRIDE

    probe = "import os, tempfile; d = tempfile.mkdtemp(); os.chmod(d, 0o555); open(d + '/x', 'w')"
    refused = subprocess.run([sys.executable, "-c", probe], preexec_fn=drop, capture_output=True)
    if refused.returncode == 0:
        pytest.skip("root may write everywhere on this system")
    return drop


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of two megabytes."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(folder)]
    if not shutil.which("mount") or subprocess.run(mount, capture_output=True).returncode != 0:
        pytest.skip("no file system may be mounted on this system")
    yield folder
    subprocess.run(["umount", "--lazy", str(folder)], check=True)
