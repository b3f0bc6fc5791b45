"""The commands of `workbook.py`: set up as far as the command needs, then start it in `.venv`."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from . import stages
from .environment import Environment
from .errors import SetupError, from_os_error
from .lock import only_one
from .pip import Runner
from .stages import Setup

USAGE = """\
usage: python3 workbook.py lab [--toy] [options for JupyterLab]
       python3 workbook.py test [options for pytest]
       python3 workbook.py COMMAND ...      any command of `workbook`: check, progress, doctor, ...

lab    install what is missing and open the lessons in JupyterLab
       --toy: without torch and the small model; lessons 00 to 03 work without
test   install what is missing and run every test
"""
ROOT = Path(__file__).resolve().parents[2]


def main(argv: list[str], root: Path = ROOT) -> int:
    """Carry out `workbook.py argv`; the exit code."""
    for stream in (sys.stdout, sys.stderr):
        # a folder's name may have letters that an old terminal cannot show
        stream.reconfigure(errors="backslashreplace")
    if not argv or argv[0] in ("-h", "--help"):
        print(USAGE, end="")
        return 0 if argv else 2
    command, rest = argv[0], argv[1:]
    wanted, optional = stages.TOY, ()
    if command == "lab" and "--toy" in rest:
        rest.remove("--toy")
    elif command == "lab":
        wanted, optional = stages.LAB, ("small-model", "model")
    elif command == "test":
        wanted = stages.TEST
    try:
        environment = set_up(root, wanted, optional)
    except SetupError as error:
        print(f"workbook: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nworkbook: stopped. The same command goes on from here.", file=sys.stderr)
        return 130
    return start(environment, root, [command, *rest])


def set_up(root: Path, wanted: tuple[str, ...], optional: tuple[str, ...] = ()) -> Environment:
    """Bring the environment of `root` to where `wanted` is installed, or raise SetupError."""
    folder = Path(os.environ.get("WORKBOOK_VENV") or root / ".venv").expanduser().absolute()
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with only_one(folder.with_name(folder.name + ".lock")) as lock:
            environment = Environment(folder)
            runner = Runner(folder / "setup.log", lock)
            Setup(root, environment, runner).bring(wanted, optional)
    except OSError as error:
        raise from_os_error(error, folder) from error
    return environment


def start(environment: Environment, root: Path, arguments: list[str]) -> int:
    """Start `workbook arguments` in the environment, as if it had been activated."""
    path = os.pathsep.join([str(environment.scripts), os.environ.get("PATH", "")])
    variables = os.environ | {"VIRTUAL_ENV": str(environment.folder), "PATH": path}
    variables.pop("PYTHONHOME", None)
    # -P: the folder that the command is given in may have a `lessons` of its own
    command = [str(environment.python), "-P", "-m", "lessons.cli", *arguments]
    sys.stdout.flush()
    if os.name != "nt":
        os.execve(command[0], command, variables)
    return subprocess.call(command, env=variables)
