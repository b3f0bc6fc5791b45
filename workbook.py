"""Start here: `python3 workbook.py lab` opens the lessons, `python3 workbook.py test` tests them.

Needs nothing but Python 3.11 to 3.13: it makes `.venv` beside this file, installs what is missing
and goes on from there (`lessons/setup` does the work). This file keeps to words that an old Python
reads too, so that an old Python can say what is wrong.
"""

import os
import shutil
import subprocess
import sys

OLDEST, NEWEST = (3, 11), (3, 13)
HERE = os.path.dirname(os.path.abspath(__file__))


def supported():
    """Whether this Python can run the workbook."""
    return OLDEST <= sys.version_info[:2] <= NEWEST


def find_python():
    """The command of a Python that can run the workbook, newest first, or None."""
    which = getattr(shutil, "which", lambda name: name)
    for minor in range(NEWEST[1], OLDEST[1] - 1, -1):
        path = which("python3.%d" % minor)
        if path and works(path, minor):
            return path
    return None


def works(path, minor):
    """Whether `path` really is that Python: a version manager's stand-in may only complain."""
    code = "import sys, venv, ensurepip; sys.exit(sys.version_info[:2] != (3, %d))" % minor
    try:
        with open(os.devnull, "w") as nothing:
            return subprocess.call([path, "-c", code], stdout=nothing, stderr=nothing) == 0
    except OSError:
        return False


def start_again():
    """Start this file with a Python that can run it; one clear sentence where there is none."""
    python = find_python()
    have = "%d.%d.%d" % sys.version_info[:3]
    if python is None:
        sys.stderr.write(
            "The workbook needs Python 3.11, 3.12 or 3.13, this is Python %s, and no other is on "
            "the PATH. Install Python 3.13 (from python.org, your system's packages or conda), "
            "then run: python3.13 workbook.py %s\n" % (have, " ".join(sys.argv[1:]) or "lab")
        )
        return 1
    sys.stderr.write("workbook: this is Python %s; going on with %s\n" % (have, python))
    return subprocess.call([python, os.path.abspath(__file__)] + sys.argv[1:])


if __name__ == "__main__":
    if not supported():
        sys.exit(start_again())
    sys.path.insert(0, HERE)
    from lessons.setup.main import main

    sys.exit(main(sys.argv[1:]))
