"""Run a command of the setup: its output into the log, one moving line for the person who waits."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

from .errors import SetupError, disk_full, from_os_error, not_writable

# what pip and what it stands on say, and what that means; the first that fits counts
SIGNS = {
    "disk": r"No space left on device|Disk quota exceeded|Errno 28|Errno 27|File too large",
    "checksum": r"DO NOT MATCH THE HASHES|invalid hash",
    "read-only": r"Permission denied|Read-only file system|Errno 13|Errno 30",
    "network": r"NewConnectionError|ConnectTimeout|ReadTimeout|ProxyError|name resolution"
    r"|getaddrinfo|Name or service not known|nodename nor servname|Network is unreachable"
    r"|Connection refused"
    r"|Connection reset|Connection aborted|Failed to establish|Max retries|No route to host"
    r"|IncompleteRead|ProtocolError|SSLError|from versions: none",
}
ROOM_FOR_NOTHING = 20_000_000  # bytes
# a person's own pip settings may not lead the packages out of the environment
SETTINGS = {"PYTHONUNBUFFERED": "1", "PIP_NO_INPUT": "1", "PIP_USER": "0", "PIP_TARGET": ""}
SHOWN = re.compile(r"^\s*(Collecting|Downloading|Installing|Building|Using cached|Preparing)\b")

# said once, as soon as pip prints what is on the left
REMARKS = {
    "Collecting nvidia-": "this torch brings CUDA libraries of several GB. For the small build: "
    "Ctrl-C now, and see 'Linux without a GPU' in README.md.",
}


class Runner:
    """Carries out commands for the setup, with `log` as the place for what they print."""

    def __init__(self, log: Path, lock: int | None = None):
        self.log = log
        self.inherited = () if lock is None or os.name == "nt" else (lock,)
        self.live = sys.stdout.isatty()
        self.remarks = dict(REMARKS)

    def run(self, command: list[str], title: str) -> None:
        """Run `command` under the heading `title`; SetupError with one sentence if it fails."""
        started = time.monotonic()
        try:
            with open(self.log, "a", encoding="utf-8") as log:
                begin = log.tell()
                log.write(f"\n$ {' '.join(command)}\n")
                log.flush()
                code = self._follow(command, log, title, started)
        except OSError as error:
            raise from_os_error(error, self.log.parent) from error
        if code != 0:
            self._line(f"{title}: failed", started, end=True)
            raise explain(self._tail(begin), code, title, self.log)
        self._line(title, started, end=True)

    def _follow(self, command: list[str], log, title: str, started: float) -> int:
        """Start, copy every line into the log, show the latest one; the exit code."""
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            encoding="utf-8",
            errors="replace",
            pass_fds=self.inherited,
            preexec_fn=DIE_WITH_PARENT,
            env=os.environ | SETTINGS,
        )
        latest = [""]
        failures: list[OSError] = []

        def copy() -> None:
            for line in process.stdout:
                try:
                    log.write(line)
                    log.flush()
                except OSError as error:
                    failures.append(error)
                if SHOWN.match(line):
                    latest[0] = line.strip()
                self._remark(line)

        reader = threading.Thread(target=copy, daemon=True)
        reader.start()
        try:
            while reader.is_alive():
                reader.join(0.5 if self.live else 10)
                if reader.is_alive():
                    self._line(title, started, latest[0])
            code = process.wait()
        except BaseException:
            _end(process)
            raise
        if failures and code != 0:
            raise failures[0]
        return code

    def _remark(self, line: str) -> None:
        for sign, remark in list(self.remarks.items()):
            if sign in line:
                del self.remarks[sign]
                print(f"\nworkbook: {remark}", flush=True)

    def _line(self, title: str, started: float, detail: str = "", end: bool = False) -> None:
        """One line of progress: on a terminal it is written over, elsewhere it is added."""
        text = f"{title:<46} {time.monotonic() - started:4.0f} s"
        detail = re.sub(r"\(from .*|(?<=packages):.*|-py?\d.*|-cp\d.*", "", detail)
        text = f"{text}  {detail}"[:78].rstrip()
        if self.live:
            print(f"\r\033[K{text}", end="\n" if end else "", flush=True)
        else:
            print(text, flush=True)

    def _tail(self, begin: int) -> str:
        with open(self.log, encoding="utf-8", errors="replace") as log:
            log.seek(begin)
            return log.read()


def explain(output: str, code: int, title: str, log: Path) -> SetupError:
    """One sentence for the failure of a command that printed `output` and ended with `code`."""
    kind = next((kind for kind, sign in SIGNS.items() if re.search(sign, output)), "other")
    if kind == "other" and shutil.disk_usage(log.parent).free < ROOM_FOR_NOTHING:
        kind = "disk"  # not every program says what stopped it
    what = title.split("] ")[-1]
    again = "Run the same command again: what is installed is kept."
    if kind == "disk":
        return disk_full(log.parent)
    if kind == "read-only":
        found = re.search(r"(?:Permission denied|Read-only file system): ['\"](.+?)['\"]", output)
        return not_writable(found.group(1) if found else log.parent)
    if kind == "checksum":
        return SetupError(
            f"A download for '{what}' arrived damaged (wrong checksum) and was not installed. "
            f"{again} If it is wrong again, empty pip's own copies first: "
            "python3 -m pip cache purge",
            kind,
        )
    if kind == "network":
        return SetupError(
            f"'{what}' is not installed yet, and the package server cannot be reached. Connect to "
            f"the network (behind a proxy: set HTTPS_PROXY). {again}",
            kind,
        )
    if code < 0 or code in (137, 143):
        signal_number = abs(code) % 128
        return SetupError(f"'{what}' was ended by signal {signal_number}. {again}", kind)
    errors = re.findall(r"^\s*(?:ERROR:|error:|\w*Error:).*", output, re.MULTILINE)
    # the first says what happened, the later ones what followed from it
    meant = [line for line in errors if "subprocess-exited" not in line] or output.splitlines()[-1:]
    reason = meant[0].strip() if meant else "it said nothing"
    return SetupError(f"'{what}' failed: {reason} (all of it: {log}). {again}", kind)


def _die_with_parent() -> None:
    """In the child: be killed when the parent is, so that a killed setup leaves no pip behind."""
    with contextlib.suppress(Exception):
        import ctypes

        ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG


DIE_WITH_PARENT = _die_with_parent if sys.platform == "linux" else None


def _end(process: subprocess.Popen) -> None:
    process.terminate()
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(10)
        return
    process.kill()
    process.wait()
