"""The command `workbook`: what a learner, a teacher or CI does with the lessons.

Each command is imported when it is called, so that a missing package stops only what needs it, and
`workbook doctor` can always say what is missing.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from lessons.places import PACKAGE, ROOT

FIRST_LESSON = Path("notebooks") / "00_start_here.ipynb"

# command -> (module with main(argv) -> int, what it does)
ELSEWHERE = {
    "check": ("lessons.check", "check the exercises of one lesson, or of all: check 01"),
    "progress": ("lessons.progress", "how far you are in each lesson"),
    "reset": ("lessons.reset", "a fresh notebook; yours is kept as .bak: reset 01"),
    "doctor": ("lessons.doctor", "OK or FAIL: packages, kernel, model, browser, with the remedy"),
    "get-model": ("toymodel.download", "get the small model, or repair it"),
    "demo": ("lessons.demo", "what constrained decoding does, in figures from real runs"),
    "call": ("lessons.call", "ask the small model in plain words, get a function call"),
    "build": ("lessons.build", "make notebooks/ and solutions/ from the lessons' text"),
}


def lab(argv: list[str]) -> int:
    """Open the lessons in JupyterLab; the options are JupyterLab's own."""
    command = [sys.executable, "-m", "jupyterlab", f"--ServerApp.root_dir={ROOT}"]
    if getattr(os, "geteuid", lambda: 1)() == 0:
        # root in a container of one's own; Jupyter's token stays on all the same
        command.append("--allow-root")
    if kernels_can_whisper():
        command.append("--KernelManager.transport_encryption=auto")
    command += argv
    names_a_file = any(not option.startswith("-") for option in argv)
    if not names_a_file and (ROOT / FIRST_LESSON).exists():
        # the address that is printed leads there too, not only the browser that opens by itself
        command.append(f"--LabApp.default_url=/lab/tree/{FIRST_LESSON.as_posix()}")
    # lessons/jupyter turns the news pop-up off; the environment's own kernel comes first
    paths = [str(PACKAGE / "jupyter"), os.environ.get("JUPYTER_CONFIG_PATH", "")]
    variables = {
        "JUPYTER_CONFIG_PATH": os.pathsep.join(filter(None, paths)),
        "JUPYTER_PREFER_ENV_PATH": "1",
    }
    print("workbook: opening the lessons. Ctrl-C here ends JupyterLab.", flush=True)
    return replace_by(command, os.environ | variables)


def kernels_can_whisper() -> bool:
    """Whether what JupyterLab and its kernels tell each other can be encrypted on this machine."""
    try:
        import zmq
    except ImportError:
        return False
    return zmq.has("curve")


def test(argv: list[str]) -> int:
    """Run every test: ruff, then pytest with your options (for example -k masks, -x, a file)."""
    needed = ("hypothesis", "playwright", "ruff")
    missing = [name for name in needed if importlib.util.find_spec(name) is None]
    if missing:
        print(
            f"workbook: the tests need {', '.join(missing)}. In this environment: "
            "python -m pip install -c constraints.txt -e '.[small-model,test,peers]'",
            file=sys.stderr,
        )
        return 1
    print("workbook: ruff", flush=True)
    style = subprocess.call([sys.executable, "-m", "ruff", "check", "."], cwd=ROOT)
    command = [sys.executable, "-m", "pytest", *argv]
    if os.environ.get("CI"):
        command += ["-p", "lessons.no_skips"]
    print("workbook: pytest", flush=True)
    tests = subprocess.call(command, cwd=ROOT)
    return tests or style


HERE: dict[str, Callable[[list[str]], int]] = {"lab": lab, "test": test}


def replace_by(command: list[str], environment: dict[str, str]) -> int:
    """Go on as `command`, so that signals reach it; where that cannot be, wait for it."""
    if os.name != "nt":
        os.chdir(ROOT)
        os.execve(command[0], command, environment)
    try:
        return subprocess.call(command, cwd=ROOT, env=environment)
    except KeyboardInterrupt:
        return 130


def usage() -> str:
    """One line per command."""
    lines = ["usage: workbook COMMAND [options]", ""]
    for name, function in HERE.items():
        lines.append(f"  {name:<10} {(function.__doc__ or '').strip()}")
    for name, (_, what) in ELSEWHERE.items():
        lines.append(f"  {name:<10} {what}")
    return "\n".join(lines)


def main(argv: list[str] | None = None) -> int:
    """Carry out `workbook argv`; the exit code."""
    argv = sys.argv[1:] if argv is None else argv
    if not argv or argv[0] in ("-h", "--help"):
        print(usage())
        return 0 if argv else 2
    name, rest = argv[0], argv[1:]
    if name in HERE:
        return HERE[name](rest)
    if name not in ELSEWHERE:
        print(f"workbook: there is no command '{name}'.\n\n{usage()}", file=sys.stderr)
        return 2
    try:
        module = importlib.import_module(ELSEWHERE[name][0])
    except ModuleNotFoundError as error:
        print(
            f"workbook: '{name}' needs the package {error.name}, which is not installed here. "
            "`workbook doctor` lists what is missing and how to get it.",
            file=sys.stderr,
        )
        return 1
    try:
        return module.main(rest)
    except KeyboardInterrupt:
        print("\nworkbook: stopped.", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main())
