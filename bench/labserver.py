"""A JupyterLab of its own for measurements: every folder temporary, ended with its kernels."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

REPO = Path(__file__).resolve().parents[1]
_FOLDERS = ("CONFIG_DIR", "DATA_DIR", "RUNTIME_DIR")


@contextmanager
def jupyterlab(folder: Path, root: Path) -> Iterator[str]:
    """Start JupyterLab on `root`, its own files under `folder`; the URL it answers at."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port = listener.getsockname()[1]
    places = {f"JUPYTER_{name}": str(folder / name) for name in _FOLDERS}
    places |= {"JUPYTERLAB_SETTINGS_DIR": str(folder / "settings"), "IPYTHONDIR": str(folder / "ipython")}
    places |= {"JUPYTERLAB_WORKSPACES_DIR": str(folder / "workspaces"), "PYTHONPATH": str(REPO)}
    command = [
        *(sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", "--expose-app-in-browser"),
        *("--ServerApp.ip=127.0.0.1", f"--ServerApp.port={port}", "--ServerApp.port_retries=0"),
        *("--IdentityProvider.token=", f"--ServerApp.root_dir={root}"),
    ]
    with (folder / "lab.log").open("w") as log:
        process = subprocess.Popen(
            command, env=os.environ | places, stdout=log, stderr=log, start_new_session=True
        )
    try:
        _wait(f"http://127.0.0.1:{port}", process, folder / "lab.log")
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        try:
            process.wait(15)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)


def _wait(url: str, process: subprocess.Popen, log: Path, seconds: float = 90) -> None:
    until = time.monotonic() + seconds
    while time.monotonic() < until and process.poll() is None:
        try:
            urllib.request.urlopen(url + "/api/status", timeout=2).close()
            return
        except OSError:
            time.sleep(0.1)
    raise RuntimeError("JupyterLab did not start:\n" + log.read_text())
