"""`workbook check [NN]`: run a learner's notebooks and say per exercise right, wrong or not tried.

It is `pytest --nbval notebooks/NAME.ipynb` with a friendlier face.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from lessons.build import kernel_environment
from lessons.nbval_plugin import summary
from lessons.places import NOTEBOOKS, ROOT, chosen_lessons


def run_pytest(paths: list[Path], report: Path, extra: list[str]) -> subprocess.Popen:
    """Start nbval on the notebooks; its own report goes to a pipe, ours to the file `report`."""
    command = [
        *(sys.executable, "-m", "pytest", "-c", str(ROOT / "pyproject.toml")),
        *("--rootdir", str(ROOT), "-p", "lessons.nbval_plugin", "-p", "no:cacheprovider"),
        *("-q", "--tb=short", f"--workbook-report={report}", "--nbval", *extra),
        *map(str, paths),
    ]
    return subprocess.Popen(
        command,
        cwd=ROOT,
        env=kernel_environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
        errors="replace",
    )


def check_notebooks(paths: list[Path], extra: list[str]) -> tuple[int, dict, str]:
    """Check `paths`; (pytest's exit code, results and notes, pytest's own text)."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        process = run_pytest(paths, report, extra)
        try:
            text = wait_with_clock(process)
        except BaseException:
            process.kill()
            process.wait()
            raise
        found = json.loads(report.read_text(encoding="utf-8")) if report.exists() else {}
    return process.returncode, found, text


def wait_with_clock(process: subprocess.Popen) -> str:
    """Wait for the end, showing the seconds on a terminal; what the process printed."""
    start = time.monotonic()
    while True:
        try:
            text, _ = process.communicate(timeout=1)
            break
        except subprocess.TimeoutExpired:
            if sys.stderr.isatty():
                print(f"\r  {time.monotonic() - start:.0f} s", end="", file=sys.stderr, flush=True)
    if sys.stderr.isatty():
        print("\r" + " " * 12 + "\r", end="", file=sys.stderr, flush=True)
    return text


def main(argv: list[str]) -> int:
    """`workbook check [NN ...] [--junitxml FILE]`; 0 if all is right."""
    parser = argparse.ArgumentParser(prog="workbook check", description=__doc__)
    parser.add_argument("lesson", nargs="*", help="01, 1 or 01_fsm_masking; none means all")
    parser.add_argument("--junitxml", metavar="FILE", help="results for a teacher, by exercise")
    parser.add_argument("--verbose", action="store_true", help="pytest's own report too")
    options = parser.parse_args(argv)
    try:
        names = chosen_lessons(options.lesson)
    except ValueError as error:
        print(f"workbook check: {error}", file=sys.stderr)
        return 2
    paths = [NOTEBOOKS / f"{name}.ipynb" for name in names]
    for path in paths:
        if not path.exists():
            print(f"{path.name} is missing: `workbook reset {path.stem[:2]}` makes a fresh one")
            return 2
    print(f"checking {', '.join(name[:2] for name in names)} (each notebook is run from the top)")
    extra = [f"--junitxml={Path(options.junitxml).resolve()}"] if options.junitxml else []
    code, found, text = check_notebooks(paths, extra)
    results = found.get("results", [])
    if options.verbose or not results:
        print(text)
    print("\n".join(summary(results, found.get("notes", []))))
    if results and all(result["status"] == "right" for result in results) and code:
        print("A cell outside the exercises failed or shows something else than before:")
        print("`workbook check --verbose` says which.")
    return 0 if code == 0 else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
