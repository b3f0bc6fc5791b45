"""A real JupyterLab and a real Chromium for the browser tests.

Fixtures, all offline:

- ``lab``            one JupyterLab for the whole session, every Jupyter folder temporary
- ``browser``        one Chromium for the whole session
- ``new_page``       ``new_page(width=1200, height=1000, dark=False)`` -> a Playwright page that
                     records page errors and every request that leaves this machine
- ``open_notebook``  ``open_notebook(path)`` -> a ``NotebookPage`` in JupyterLab

Every page is judged at the end of its test: a script error or an external request fails it.
"""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from dataclasses import dataclass
from pathlib import Path

import pytest

REPO = Path(__file__).resolve().parents[2]
UNDER_CI = bool(os.environ.get("CI"))
CHROMIUM_NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
CHROMIUM_FLAGS = [
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
]
# no news toast, and every cell in the page so that a test can find it without scrolling
LAB_SETTINGS = {
    "@jupyterlab/apputils-extension:notification": {
        "fetchNews": "false",
        "checkForUpdates": False,
        "doNotDisturbMode": True,
    },
    "@jupyterlab/notebook-extension:tracker": {"windowingMode": "none"},
}


def missing(what: str) -> None:
    """Skip on a laptop; under CI nothing may be skipped for want of a browser."""
    if UNDER_CI:
        pytest.fail(f"{what} is missing, and under CI no browser test may be skipped")
    pytest.skip(f"{what} is missing")


@dataclass(frozen=True)
class Lab:
    """A running JupyterLab: where it listens and which folder it serves."""

    url: str
    root: Path
    log: Path


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def lab_environment(folder: Path) -> dict[str, str]:
    """Every Jupyter folder inside `folder`: a test never reads or writes the user's own."""
    places = {
        "JUPYTER_CONFIG_DIR": "config",
        "JUPYTER_DATA_DIR": "data",
        "JUPYTER_RUNTIME_DIR": "runtime",
        "JUPYTERLAB_SETTINGS_DIR": "settings",
        "JUPYTERLAB_WORKSPACES_DIR": "workspaces",
        "IPYTHONDIR": "ipython",
    }
    path = os.pathsep.join(filter(None, [str(REPO), os.environ.get("PYTHONPATH")]))
    return {**os.environ, **{k: str(folder / v) for k, v in places.items()}, "PYTHONPATH": path}


def wait_until_up(lab: Lab, process: subprocess.Popen, seconds: float = 90.0) -> None:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if process.poll() is not None:
            break
        try:
            urllib.request.urlopen(lab.url + "/api/status", timeout=2).close()
            return
        except OSError:
            time.sleep(0.1)
    process.kill()
    pytest.fail("JupyterLab did not start:\n" + lab.log.read_text())


@pytest.fixture(scope="session")
def lab(tmp_path_factory):
    """One JupyterLab without a token (tests only), stopped with its kernels at the end."""
    folder = tmp_path_factory.mktemp("lab")
    root = folder / "root"
    root.mkdir()
    (folder / "config" / "labconfig").mkdir(parents=True)
    overrides = folder / "config" / "labconfig" / "default_setting_overrides.json"
    overrides.write_text(json.dumps(LAB_SETTINGS))
    port = free_port()
    running = Lab(f"http://127.0.0.1:{port}", root, folder / "lab.log")
    command = [
        *(sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root"),
        *("--ServerApp.ip=127.0.0.1", f"--ServerApp.port={port}", "--ServerApp.port_retries=0"),
        *("--IdentityProvider.token=", f"--ServerApp.root_dir={root}", "--expose-app-in-browser"),
    ]
    with running.log.open("w") as log:
        process = subprocess.Popen(
            command,
            env=lab_environment(folder),
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    wait_until_up(running, process)
    yield running
    process.terminate()  # SIGTERM shuts the kernels down too
    try:
        process.wait(15)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


@pytest.fixture(scope="session")
def browser():
    """One headless Chromium: the system's own, named by $CHROMIUM or found on the path."""
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        missing("the playwright package")
    named = os.environ.get("CHROMIUM")
    program = named or next(filter(None, map(shutil.which, CHROMIUM_NAMES)), None)
    if not program:
        missing("Chromium")
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=program, args=CHROMIUM_FLAGS)
        yield chromium
        chromium.close()


def is_external(url: str) -> bool:
    """True for a request that leaves this machine."""
    inside = ("http://127.0.0.1:", "ws://127.0.0.1:", "data:", "blob:", "file:", "about:")
    return not url.startswith(inside)


@pytest.fixture
def new_page(browser):
    """`new_page(width, height, dark)` -> page, with `page.external` and `page.errors` lists."""
    opened = []

    def make(width: int = 1200, height: int = 1000, dark: bool = False):
        context = browser.new_context(
            viewport={"width": width, "height": height},
            color_scheme="dark" if dark else "light",
        )
        page = context.new_page()
        page.external, page.errors = [], []
        page.on("request", lambda r: page.external.append(r.url) if is_external(r.url) else None)
        page.on("pageerror", lambda error: page.errors.append(error.stack or str(error)))
        opened.append((context, page))
        return page

    yield make
    complaints = [(page.external, page.errors) for _, page in opened]
    for context, _ in opened:
        context.close()
    assert all(complaint == ([], []) for complaint in complaints), complaints


class NotebookPage:
    """One notebook open in JupyterLab, its kernel ready. `.page` is the Playwright page."""

    def __init__(self, page, lab: Lab, name: str):
        self.page = page
        self.path = lab.root / name
        page.goto(f"{lab.url}/lab/tree/{name}?reset")
        page.wait_for_selector(".jp-Notebook .jp-Cell", timeout=60_000)
        page.wait_for_function("() => window.jupyterapp?.shell.currentWidget?.sessionContext")
        self.within(
            60,
            "const w = window.jupyterapp.shell.currentWidget; await w.context.ready; "
            "await w.sessionContext.ready; await w.sessionContext.session.kernel.info;",
        )
        self.wait_for_splash()

    def wait_for_splash(self) -> None:
        """Wait until JupyterLab's splash screen, shown at start and by each theme, is gone."""
        self.page.wait_for_selector("#jupyterlab-splash", state="detached", timeout=60_000)

    def within(self, seconds: float, script: str, argument=None) -> None:
        """Run async JavaScript; unlike Playwright's `evaluate` it cannot wait for ever."""
        self.page.evaluate(
            f"(argument) => Promise.race([(async () => {{ {script} }})(), "
            "new Promise((_, reject) => setTimeout("
            f"() => reject(new Error('no answer in {seconds} s')), {seconds * 1000}))])",
            argument,
        )

    def command(self, name: str, *, seconds: float = 120, **arguments) -> None:
        """Run one of JupyterLab's own commands and wait for it."""
        script = "await window.jupyterapp.commands.execute(argument[0], argument[1]);"
        self.within(seconds, script, [name, arguments])

    def run_all(self) -> None:
        """Run All Cells, as the menu does; returns when the last cell has run."""
        self.command("notebook:run-all-cells")

    def save(self) -> None:
        """Save to `self.path`, as Ctrl+S does."""
        self.command("docmanager:save")

    def set_theme(self, dark: bool) -> None:
        """Switch JupyterLab's own theme; returns when the splash screen is gone again.

        JupyterLab removes the splash 200 ms after a change, and fails to remove it a second time
        if the next change began before that.
        """
        theme = "JupyterLab Dark" if dark else "JupyterLab Light"
        self.command("apputils:change-theme", theme=theme)
        light = "false" if dark else "true"
        self.page.wait_for_selector(f"body[data-jp-theme-light='{light}']", state="attached")
        self.wait_for_splash()

    def cell(self, cell_id: str):
        """Locator of the cell with this nbformat id."""
        index = self.page.evaluate(
            "id => window.jupyterapp.shell.currentWidget.content.widgets"
            ".findIndex(cell => cell.model.id === id)",
            cell_id,
        )
        if index < 0:
            raise LookupError(f"no cell with id {cell_id!r} in {self.path.name}")
        return self.page.locator(".jp-Notebook .jp-Cell").nth(index)

    def set_source(self, cell_id: str, source: str) -> None:
        """Replace a cell's text, as a learner who types an answer does."""
        self.page.evaluate(
            "([id, text]) => window.jupyterapp.shell.currentWidget.content.widgets"
            ".find(cell => cell.model.id === id).model.sharedModel.setSource(text)",
            [cell_id, source],
        )

    def shut_down(self) -> None:
        """End the kernel."""
        self.within(20, "await window.jupyterapp.shell.currentWidget.sessionContext.shutdown();")


@pytest.fixture
def open_notebook(lab, new_page):
    """`open_notebook(path, name=None, width=1200, height=1000)` -> NotebookPage on a copy."""
    opened = []

    def make(source: Path, name: str | None = None, width: int = 1200, height: int = 1000):
        name = name or Path(source).name
        shutil.copy(source, lab.root / name)
        notebook = NotebookPage(new_page(width, height), lab, name)
        opened.append(notebook)
        return notebook

    yield make
    for notebook in opened:
        notebook.shut_down()
