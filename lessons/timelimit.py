"""A limit on how long a learner's function may run, so that an endless loop ends with a sentence.

Where the system has a timer signal (Linux, macOS) the limit uses it; elsewhere, or outside the main
thread, a helper thread raises the same exception in the thread that is too slow.
"""

from __future__ import annotations

import ctypes
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager


class TimeIsUp(BaseException):
    """Raised in code that runs too long. A BaseException: `except Exception` cannot swallow it."""


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raise `TimeIsUp` inside the block once it has run for `seconds`."""
    in_main_thread = threading.current_thread() is threading.main_thread()
    limit = by_signal if hasattr(signal, "setitimer") and in_main_thread else by_thread
    with limit(seconds):
        yield


@contextmanager
def by_signal(seconds: float) -> Iterator[None]:
    """The limit by a timer signal; it also ends a wait inside a system call."""

    def stop(_signal, _frame):
        raise TimeIsUp

    before = signal.signal(signal.SIGALRM, stop)
    # repeated: a loop with a bare `except:` swallows the first one
    signal.setitimer(signal.ITIMER_REAL, seconds, 0.5)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@contextmanager
def by_thread(seconds: float) -> Iterator[None]:
    """The limit by a second thread; it ends Python code, but not a wait inside a system call."""
    slow = ctypes.c_ulong(threading.get_ident())
    done = threading.Event()
    lock = threading.Lock()

    def stop():
        wait = seconds
        while not done.wait(wait):
            with lock:
                if not done.is_set():
                    ctypes.pythonapi.PyThreadState_SetAsyncExc(slow, ctypes.py_object(TimeIsUp))
            wait = 0.5

    thread = threading.Thread(target=stop, daemon=True)
    thread.start()
    try:
        yield
    finally:
        with lock:
            done.set()
            # take back an exception that was sent but not yet raised
            ctypes.pythonapi.PyThreadState_SetAsyncExc(slow, None)
        thread.join()
