"""A run in a thread of its own, which goes on only as far as it is allowed to.

`tokenmask.generate` is a loop that calls back after each step. Here the call-back waits at a gate:
Step opens it for one step, Run opens it for good, Stop ends the loop. So the kernel stays usable
while a model writes, and the loop that is watched is the one that everybody uses.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

Work = Callable[[Callable[[Any], None], Callable[[], bool]], Any]


class GatedRun:
    """One run. `work(on_step, should_stop)` makes it and returns its trace.

    tell(run, step): called in the run's thread after each step, and with None at the end.
    """

    def __init__(self, work: Work, tell: Callable[[GatedRun, Any], None]) -> None:
        self._work, self._tell = work, tell
        self._moved = threading.Condition()
        self._thread: threading.Thread | None = None
        self._allowed: float = 0
        self._stopping = False
        self.count = 0
        self.trace: Any = None
        self.error: Exception | None = None
        self.finished = False

    def allow(self, steps: float) -> None:
        """Let the run go on until it has made `steps` steps (infinity: to its end)."""
        with self._moved:
            self._allowed = max(self._allowed, steps)
            self._moved.notify_all()
            if self._thread is None:
                self._thread = threading.Thread(target=self._loop, name="simulator", daemon=True)
                self._thread.start()

    def hold(self) -> None:
        """Wait after the step that is being made; `allow` goes on from there."""
        with self._moved:
            self._allowed = self.count

    def stop(self) -> None:
        """End the run after the step that is being made."""
        with self._moved:
            self._stopping = True
            self._moved.notify_all()

    def wait(self, steps: float, timeout: float | None = None) -> bool:
        """Block until `steps` steps were made or the run is over; False if time ran out."""
        with self._moved:
            return self._moved.wait_for(lambda: self.finished or self.count >= steps, timeout)

    def join(self) -> None:
        """Block until the thread has ended. Not from within `tell`."""
        if self._thread is not None:
            self._thread.join()

    def _loop(self) -> None:
        try:
            self.trace = self._work(self._on_step, self._should_stop)
        except Exception as error:  # shown in the widget: a thread has nobody to raise to
            self.error = error
        self._tell(self, None)
        with self._moved:
            self.finished = True
            self._moved.notify_all()

    def _on_step(self, step: Any) -> None:
        self._tell(self, step)
        with self._moved:
            self.count += 1
            self._moved.notify_all()
            self._moved.wait_for(lambda: self._stopping or self._allowed > self.count)

    def _should_stop(self) -> bool:
        return self._stopping
