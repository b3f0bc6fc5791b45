"""`workbook doctor`: what is there, what is not, and what to do about it.

One line per thing: OK, FAIL with the remedy, or `--` for what only some lessons or the tests need.
Standard library only, so that it runs in the most broken environment.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from lessons.places import ROOT

BROWSERS = (
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
    "msedge",
)
KERNEL_CODE = "import sys; print(6 * 7, sys.prefix)"
START_KERNEL = f"""
from jupyter_client.manager import start_new_kernel
manager, client = start_new_kernel(startup_timeout=60)
try:
    said = []
    client.execute_interactive({KERNEL_CODE!r}, timeout=60, output_hook=said.append)
    texts = [m["content"].get("text", "") for m in said if m["msg_type"] == "stream"]
    print("".join(texts).strip())
finally:
    client.stop_channels()
    manager.shutdown_kernel(now=True)
"""


@dataclass(frozen=True)
class Finding:
    """One line of the report; `state` is "OK", "FAIL" or "--" (missing, and not needed by all)."""

    state: str
    what: str
    detail: str
    remedy: str = ""

    def __str__(self) -> str:
        line = f"{self.state:<5} {self.what:<24} {self.detail}"
        return f"{line}\n{'':<6}-> {self.remedy}" if self.remedy else line


def pins(root: Path = ROOT) -> dict[str, str]:
    """Package -> version, as constraints.txt has it."""
    lines = (root / "constraints.txt").read_text(encoding="utf-8").splitlines()
    return dict(line.split("==") for line in lines if "==" in line and not line.startswith("#"))


def check_python() -> Iterator[Finding]:
    """The Python that runs, and where."""
    version = ".".join(map(str, sys.version_info[:3]))
    good = (3, 11) <= sys.version_info[:2] <= (3, 13)
    remedy = "" if good else "install Python 3.11, 3.12 or 3.13, then: python3 workbook.py lab"
    yield Finding("OK" if good else "FAIL", "Python", f"{version} in {sys.prefix}", remedy)


def check_packages(root: Path = ROOT) -> Iterator[Finding]:
    """Every package that pyproject.toml names: there, and in the pinned version."""
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = pins(root)
    extras = project["optional-dependencies"]
    groups = [("", project["dependencies"], "python3 workbook.py lab --toy")]
    groups += [("the small model", extras["small-model"], "python3 workbook.py lab")]
    groups += [("the tests", extras["test"] + extras["peers"], "python3 workbook.py test")]
    for purpose, names, remedy in groups:
        for name in names:
            yield _package(name, wanted[name], purpose, remedy)


def _package(name: str, wanted: str, purpose: str, remedy: str) -> Finding:
    try:
        found = metadata.version(name)
    except metadata.PackageNotFoundError:
        detail = f"not installed; needed for {purpose}" if purpose else "not installed"
        return Finding("--" if purpose else "FAIL", name, detail, remedy)
    if found.split("+")[0] != wanted:
        detail = f"{found}, the workbook was tested with {wanted}"
        fix = f"python -m pip install -c constraints.txt {name}=={wanted}"
        return Finding("FAIL", name, detail, fix)
    return Finding("OK", name, found)


def check_kernel() -> Iterator[Finding]:
    """Start the kernel that the notebooks name, and let it compute something."""
    remedy = "python -m pip install -c constraints.txt --force-reinstall ipykernel"
    environment = os.environ | {"JUPYTER_PREFER_ENV_PATH": "1"}
    command = [sys.executable, "-c", START_KERNEL]
    try:
        result = subprocess.run(
            command, capture_output=True, text=True, timeout=150, env=environment
        )
    except subprocess.TimeoutExpired:
        yield Finding("FAIL", "kernel", "did not answer within 150 s", remedy)
        return
    said = (result.stdout + result.stderr).strip().splitlines() or ["no answer"]
    answer, _, prefix = result.stdout.strip().partition(" ")
    if result.returncode != 0 or answer != "42":
        yield Finding("FAIL", "kernel", said[-1], remedy)
    elif Path(prefix) != Path(sys.prefix):
        remedy = "jupyter kernelspec remove python3, then: python3 workbook.py lab"
        yield Finding("FAIL", "kernel", f"python3 is the kernel of {prefix}", remedy)
    else:
        yield Finding("OK", "kernel", "python3 starts and computes")


def check_model() -> Iterator[Finding]:
    """The small model's files, checksums included."""
    try:
        from toymodel.folders import model_folder, problem
    except ImportError as error:
        yield Finding("--", "small model", f"cannot look: {error}", "python3 workbook.py lab")
        return
    trouble = problem(model_folder(), thorough=True)
    if trouble is None:
        yield Finding("OK", "small model", str(model_folder()))
    elif model_folder().exists():
        yield Finding("FAIL", "small model", f"damaged: {trouble}", "workbook get-model")
    else:
        detail = f"not in {model_folder()}; needed for lessons 04 to 09"
        yield Finding("--", "small model", detail, "workbook get-model")


def check_browser() -> Iterator[Finding]:
    """A browser to read in, and Chromium for the browser tests."""
    import webbrowser

    try:
        yield Finding("OK", "browser", f"JupyterLab opens in {webbrowser.get().name}")
    except webbrowser.Error:
        remedy = "open the address that `lab` prints in a browser that reaches this machine"
        yield Finding("--", "browser", "none opens by itself here", remedy)
    found = next(filter(None, map(shutil.which, BROWSERS)), None)
    if found:
        yield Finding("OK", "browser for tests", found)
    else:
        detail = "no Chromium; needed for the browser tests"
        yield Finding(
            "--", "browser for tests", detail, "Debian, Ubuntu: sudo apt install chromium"
        )


def check_folders(root: Path = ROOT) -> Iterator[Finding]:
    """Whether notebooks can be saved, and whether there is room."""
    folder = root / "notebooks"
    try:
        with tempfile.TemporaryFile(dir=folder):
            pass
        yield Finding("OK", "notebooks", f"can be saved in {folder}")
    except OSError as error:
        remedy = "copy the workbook's folder to a place where you may write, and start it there"
        yield Finding("FAIL", "notebooks", f"cannot be saved in {folder}: {error.strerror}", remedy)
    free = shutil.disk_usage(root).free / 1e9
    state = "OK" if free > 0.5 else "FAIL"
    remedy = "" if free > 0.5 else "free some: notebooks that cannot be saved are lost"
    yield Finding(state, "disk", f"{free:.1f} GB free", remedy)


CHECKS = (check_python, check_packages, check_kernel, check_model, check_browser, check_folders)


def main(argv: list[str] | None = None) -> int:
    """Print the report; 0 if nothing FAILs, 1 otherwise."""
    argparse.ArgumentParser(prog="workbook doctor", description=main.__doc__).parse_args(argv)
    failed = missing = 0
    for check in CHECKS:
        for finding in check():
            print(finding, flush=True)
            failed += finding.state == "FAIL"
            missing += finding.state == "--"
    verdict = "all is well" if not failed else f"{failed} to mend: do what the arrows say"
    more = f" ({missing} missing that not everything needs)" if missing else ""
    print(f"\nworkbook doctor: {verdict}{more}")
    return 1 if failed else 0
