"""Run a function in a copy of this process that can be ended when its time is up.

A native call cannot be interrupted from Python, and XGrammar compiles some schemas for a minute.
A fork keeps what the process has loaded, so the copy measures what the process would have measured.
"""

from __future__ import annotations

import os
import pickle
import select
import signal
import time
import traceback
from collections.abc import Callable
from typing import NoReturn, TypeVar

T = TypeVar("T")

AVAILABLE = hasattr(os, "fork")


def call_apart(work: Callable[[], T], seconds: float) -> T:
    """What `work` returns, out of a forked copy; TimeoutError after `seconds`.

    RuntimeError, with the reason, if it raises or the copy dies. The result must be picklable.
    """
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        _answer(work, writing)
    os.close(writing)
    try:
        data = _read_all(reading, time.monotonic() + seconds)
    finally:
        os.close(reading)
        _end(child)
    if not data:
        raise RuntimeError("the forked copy died")
    done, result = pickle.loads(data)
    if not done:
        raise RuntimeError(result)
    return result


def _answer(work: Callable[[], object], pipe: int) -> NoReturn:
    """In the copy: do the work, write (True, result) or (False, reason), and end."""
    try:
        try:
            answer = pickle.dumps((True, work()))
        except BaseException as error:
            frames = traceback.extract_tb(error.__traceback__)[:-5:-1]
            where = " < ".join(f"{os.path.basename(f.filename)}:{f.lineno}" for f in frames)
            answer = pickle.dumps((False, f"{type(error).__name__}: {str(error)[:500]} ({where})"))
        with os.fdopen(pipe, "wb") as out:
            out.write(answer)
    finally:
        os._exit(0)


def _read_all(pipe: int, deadline: float) -> bytes:
    """Everything until the other end closes."""
    parts = []
    while True:
        ready, _, _ = select.select([pipe], [], [], max(0.0, deadline - time.monotonic()))
        if not ready:
            raise TimeoutError
        part = os.read(pipe, 1 << 16)
        if not part:
            return b"".join(parts)
        parts.append(part)


def _end(child: int) -> None:
    """Nothing of the copy is left behind, whether it is done or not."""
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
