"""A workbook in small: the real `workbook.py` and `lessons/setup`, with three tiny packages to install.

The packages come from a server on this machine that can be told to stall, to lie about a checksum or
not to be there. The model's download is a script that can be told to stall or to fail.
"""

from __future__ import annotations

import base64
import contextlib
import hashlib
import http.server
import io
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

REPO = Path(__file__).resolve().parents[2]
PATIENCE = 120  # seconds: a slow machine must not fail these tests

PYPROJECT = """
[build-system]
requires = []
build-backend = "small_backend"
backend-path = ["."]
[project]
name = "small-workbook"
version = "0.1"
dependencies = ["tiny-core"]
[project.optional-dependencies]
small-model = ["tiny-torch"]
test = ["tiny-test"]
peers = []
"""
# an editable install, as setuptools would make it, without setuptools
BACKEND = """
import zipfile
from pathlib import Path

def build_editable(folder, config_settings=None, metadata_directory=None):
    wait_if("stall-project")
    name = "small_workbook-0.1-py3-none-any.whl"
    info = "small_workbook-0.1.dist-info"
    with zipfile.ZipFile(Path(folder) / name, "w") as wheel:
        wheel.writestr("small_workbook.pth", str(Path.cwd()))
        wheel.writestr(f"{info}/METADATA", "Metadata-Version: 2.1\\nName: small-workbook\\nVersion: 0.1\\n")
        wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
        wheel.writestr(f"{info}/RECORD", "")
    return name

def wait_if(name):
    import time
    while Path(name).exists():
        Path("stalled").touch()
        time.sleep(0.05)
"""
CLI = """
import importlib.util, sys
found = [name for name in ("tiny_core", "tiny_torch", "tiny_test") if importlib.util.find_spec(name)]
print("started", *sys.argv[1:], "with", *found)
"""
FOLDERS = """
from pathlib import Path
def model_folder(): return Path(__file__).parents[1] / "model"
def problem(folder): return None if folder.exists() else "missing"
"""
DOWNLOAD = """
import sys
from pathlib import Path
from small_backend import wait_if
from .folders import model_folder
wait_if("stall-model")
if Path("no-model").exists():
    sys.exit("No model today.")
model_folder().mkdir()
"""


def wheel_of(name: str) -> bytes:
    """A wheel with one module, whose record is in order."""
    module = name.replace("-", "_")
    info = f"{module}-1.0.dist-info"
    files = {
        f"{module}.py": "value = 1\n",
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    record = ""
    for path, text in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=")
        record += f"{path},sha256={digest.decode()},{len(text)}\n"
    files[f"{info}/RECORD"] = record + f"{info}/RECORD,,\n"
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as wheel:
        for path, text in files.items():
            wheel.writestr(path, text)
    return buffer.getvalue()


class Index(http.server.ThreadingHTTPServer):
    """A package index on this machine: `stall` names a package whose download never ends."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Answer)
        self.wheels = {name: wheel_of(name) for name in ("tiny-core", "tiny-torch", "tiny-test")}
        self.stall: str | None = None
        self.stalled = threading.Event()
        self.lie = False
        self.asked = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/simple"


class Answer(http.server.BaseHTTPRequestHandler):
    """`/simple/NAME/` is the page of a package, `/files/NAME` its wheel."""

    server: Index

    def do_GET(self) -> None:
        self.server.asked += 1
        _, kind, name, *_ = self.path.split("/")
        name = name.split("-1.0")[0].replace("_", "-")
        if name not in self.server.wheels:
            self.send_error(404)
        elif kind == "simple":
            self._send(self._page(name).encode(), "text/html")
        else:
            self._wheel(name)

    def _page(self, name: str) -> str:
        digest = hashlib.sha256(self.server.wheels[name]).hexdigest()
        digest = "0" * 64 if self.server.lie else digest
        file = f"{name.replace('-', '_')}-1.0-py3-none-any.whl"
        return f'<!DOCTYPE html><a href="/files/{file}#sha256={digest}">{file}</a>'

    def _wheel(self, name: str) -> None:
        while self.server.stall == name:
            self.server.stalled.set()
            time.sleep(0.05)
        self._send(self.server.wheels[name], "application/octet-stream")

    def _send(self, body: bytes, kind: str) -> None:
        with contextlib.suppress(OSError):  # whoever asked may have been killed
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Keep the test's output clean."""


class SmallWorkbook:
    """The workbook in `folder`, started as a person starts it."""

    def __init__(self, folder: Path, index: Index):
        self.folder = folder
        self.index = index
        self.environment: dict[str, str] = {}
        shutil.copytree(REPO / "lessons" / "setup", folder / "lessons" / "setup")
        shutil.copy(REPO / "workbook.py", folder)
        (folder / "toymodel").mkdir()
        texts = {
            "pyproject.toml": PYPROJECT,
            "constraints.txt": "tiny-core==1.0\ntiny-test==1.0\ntiny-torch==1.0\n",
            "small_backend.py": BACKEND,
            "lessons/cli.py": CLI,
            "toymodel/__init__.py": "",
            "toymodel/folders.py": FOLDERS,
            "toymodel/download.py": DOWNLOAD,
        }
        for name, text in texts.items():
            (folder / name).write_text(text, encoding="utf-8")

    @property
    def venv(self) -> Path:
        return self.folder / ".venv"

    def begin(
        self,
        *arguments: str,
        preexec: Callable[[], None] | None = None,
        python: str = sys.executable,
    ) -> subprocess.Popen:
        """Start `workbook.py arguments` and come back at once."""
        foreign = ("PIP_", "PYTHON", "WORKBOOK", "HTTP", "ALL_PROXY")
        inherited = {k: v for k, v in os.environ.items() if not k.upper().startswith(foreign)}
        settings = {
            "PIP_CONFIG_FILE": os.devnull,
            "PIP_INDEX_URL": self.index.url,
            "PIP_NO_CACHE_DIR": "1",
            "PYTHONIOENCODING": "utf-8",
        }

        def prepare() -> None:
            # tests that run in the background of a shell would hand on that Ctrl-C is ignored
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            if preexec is not None:
                preexec()

        return subprocess.Popen(
            [python, str(self.folder / "workbook.py"), *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            env=inherited | settings | self.environment,
            preexec_fn=prepare,
        )

    def start(self, *arguments: str, **options) -> subprocess.CompletedProcess:
        """Start `workbook.py arguments` and wait for its end."""
        return self.end(self.begin(*arguments, **options))

    def end(self, process: subprocess.Popen) -> subprocess.CompletedProcess:
        """What the process said, and its exit code."""
        out, err = process.communicate(timeout=PATIENCE)
        return subprocess.CompletedProcess(process.args, process.returncode, out, err)

    @staticmethod
    def wait_until(happened: Callable[[], bool]) -> None:
        """Look every 20 ms; a test that waits for ever is a failed test."""
        deadline = time.monotonic() + PATIENCE
        while not happened():
            assert time.monotonic() < deadline, "nothing happened"
            time.sleep(0.02)

    @staticmethod
    def sentence(result: subprocess.CompletedProcess) -> str:
        """The error of a start that failed as it should: one line, no traceback."""
        assert result.returncode == 1, (result.stdout, result.stderr)
        lines = result.stderr.strip().splitlines()
        assert len(lines) == 1, result.stderr
        assert lines[0].startswith("workbook: "), lines
        return lines[0]

    def kill_when(self, process: subprocess.Popen, happened: Callable[[], bool]) -> None:
        """End the process, and with no warning, as soon as something has happened."""
        self.wait_until(lambda: happened() or process.poll() is not None)
        assert process.poll() is None, process.communicate()
        process.send_signal(signal.SIGKILL)
        process.communicate(timeout=PATIENCE)


@pytest.fixture(scope="session")
def one_index() -> Iterator[Index]:
    """The package index."""
    server = Index()
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield server
    server.stall = None
    server.shutdown()
    server.server_close()


@pytest.fixture
def index(one_index: Index) -> Iterator[Index]:
    """The package index, in good order until a test changes that."""
    yield one_index
    one_index.stall, one_index.lie = None, False
    one_index.stalled.clear()


@pytest.fixture
def bare(tmp_path: Path, index: Index) -> SmallWorkbook:
    """A workbook that was never started, in a folder with a name that is hard on scripts."""
    folder = tmp_path / "Mein Übungs-Ordner 练习本 'a' $b"
    folder.mkdir()
    return SmallWorkbook(folder, index)


@pytest.fixture(scope="session")
def toy_once(tmp_path_factory: pytest.TempPathFactory, one_index: Index) -> SmallWorkbook:
    """A workbook after its first `lab --toy`, with a copy of it all in `../kept`."""
    folder = tmp_path_factory.mktemp("ready") / "the workbook"
    folder.mkdir()
    small = SmallWorkbook(folder, one_index)
    result = small.start("lab", "--toy")
    assert result.returncode == 0, (result.stdout, result.stderr)
    shutil.copytree(folder, folder.parent / "kept", symlinks=True)
    return small


def link(source: str, target: str) -> None:
    """A copy that costs nothing, but for the few files that are written to in their place."""
    if Path(source).suffix in (".json", ".txt", ".log", ".py"):
        shutil.copy2(source, target)
    else:
        os.link(source, target)


@pytest.fixture
def toy(toy_once: SmallWorkbook, index: Index) -> SmallWorkbook:
    """A workbook as it is after its first `lab --toy`."""
    kept = toy_once.folder.parent / "kept"
    shutil.rmtree(toy_once.folder)
    shutil.copytree(kept, toy_once.folder, symlinks=True, copy_function=link)
    toy_once.environment = {}
    return toy_once
