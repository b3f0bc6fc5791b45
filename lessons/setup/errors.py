"""The one error of the setup: a sentence for a person, and what kind of trouble it is."""

from __future__ import annotations

import errno
import shutil
from pathlib import Path

FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
CLOSED = (errno.EACCES, errno.EPERM, errno.EROFS)


class SetupError(Exception):
    """Setting up failed. The message says why and what to do; `kind` is a word like "network"."""

    def __init__(self, message: str, kind: str = "other"):
        super().__init__(message)
        self.kind = kind


def disk_full(folder: Path) -> SetupError:
    """The sentence for a full disk; names how much is free there."""
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    free = shutil.disk_usage(folder).free / 1e6
    return SetupError(
        f"The disk is full ({free:,.0f} MB free in {folder}): the lessons need about 0.5 GB, "
        "with the small model 2 GB. Free some, then run the same command again: what is "
        "installed is kept.",
        "disk",
    )


def not_writable(path: object) -> SetupError:
    """The sentence for a place where nothing can be written."""
    return SetupError(
        f"{path} cannot be written to. Copy the workbook's folder to a place of your own and start "
        "it there, or name a folder for its environment: WORKBOOK_VENV=FOLDER python3 workbook.py "
        "lab",
        "read-only",
    )


def from_os_error(error: OSError, folder: Path) -> SetupError:
    """Turn what the operating system said about `folder` into one sentence."""
    if error.errno in FULL:
        return disk_full(folder)
    if error.errno in CLOSED:
        return not_writable(error.filename or folder)
    return SetupError(
        f"{error.filename or folder}: {error.strerror or error}. Put that right, then run the same "
        "command again: what is installed is kept."
    )
