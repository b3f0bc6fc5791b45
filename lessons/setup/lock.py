"""One setup at a time in one folder.

The operating system holds the lock, so that a killed run leaves none behind. The pip that a run has
started inherits it: were the run killed and its pip not, a second start would still be kept apart.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from .errors import SetupError, from_os_error


@contextlib.contextmanager
def only_one(path: Path) -> Iterator[int]:
    """Hold the lock file `path` for the block, give its descriptor; SetupError if it is held."""
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
    except OSError as error:
        raise from_os_error(error, path.parent) from error
    try:
        if not _take(descriptor):
            raise SetupError(
                f"Another workbook.py ({_holder(descriptor)}) is setting up {path.parent} at this "
                "moment. Wait until it is done, then run the same command again.",
                "busy",
            )
        _sign(descriptor)
        yield descriptor
    finally:
        os.close(descriptor)


def _take(descriptor: int) -> bool:
    """Whether the lock is ours now. Where a file system knows no locks, everybody gets it."""
    try:
        if os.name == "nt":
            import msvcrt

            # a byte far behind the text, so that the text stays readable for others
            os.lseek(descriptor, 4096, os.SEEK_SET)
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False
    except OSError:
        return True
    return True


def _sign(descriptor: int) -> None:
    with contextlib.suppress(OSError):  # the text is a courtesy: a full disk must not end us here
        os.ftruncate(descriptor, 0)
        os.lseek(descriptor, 0, os.SEEK_SET)
        os.write(descriptor, f"process {os.getpid()}".encode())


def _holder(descriptor: int) -> str:
    os.lseek(descriptor, 0, os.SEEK_SET)
    return os.read(descriptor, 100).decode("utf-8", "replace") or "of unknown process number"
