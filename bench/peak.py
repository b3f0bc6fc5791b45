"""Memory of one learner: `python -m bench.peak` starts what a learner runs, and asks the system.

Every learner has a kernel for each open notebook, and a JupyterLab server (under JupyterHub one each,
too). Counted is the proportional set size where the system knows it (Linux): what several processes
share, such as one model file mapped by all, is divided among them. Elsewhere the resident set size.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator

import psutil

MB = 1e6
TOY = "import simulator, tokenmask, toymodel; toymodel.UniformModel()"
FIGURES = TOY + "; import matplotlib.pyplot"
SMALL = FIGURES + "; model = toymodel.SmallModel.load(); model.extend(model.encode('Hello'))"
KERNELS = {
    "a kernel with nothing in it": "pass",
    "... with the engine, the toy model, the simulator": TOY,
    "... and matplotlib": FIGURES,
    "... and the small model": SMALL,
}


def memory_of(process: psutil.Process) -> float:
    """MB of a process and its children."""
    total = 0
    for each in [process, *process.children(recursive=True)]:
        info = each.memory_full_info() if psutil.LINUX else each.memory_info()
        total += getattr(info, "pss", None) or info.rss
    return total / MB


def kernel_memory(code: str) -> float:
    """MB of a fresh kernel after it has run `code`."""
    from jupyter_client.manager import start_new_kernel

    manager, client = start_new_kernel(stderr=subprocess.DEVNULL)
    try:
        reply = client.execute_interactive(code, timeout=180, output_hook=lambda message: None)
        if reply["content"]["status"] != "ok":
            raise RuntimeError(f"{reply['content']['ename']}: {reply['content']['evalue']}")
        return memory_of(psutil.Process(manager.provisioner.process.pid))
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)


def server_memory() -> float:
    """MB of a JupyterLab server that has started and is asked nothing."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root"]
        command += ["--ServerApp.port=0", f"--ServerApp.root_dir={folder}"]
        process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        try:
            for line in process.stderr:
                if "is running at" in line:
                    return memory_of(psutil.Process(process.pid))
            raise RuntimeError("JupyterLab did not start")
        finally:
            process.terminate()
            process.communicate()


def measure() -> Iterator[tuple[str, float]]:
    """What is measured, and its MB, one after the other."""
    yield "a JupyterLab server", server_memory()
    for what, code in KERNELS.items():
        yield what, kernel_memory(code)


def main(argv: list[str] | None = None) -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m bench.peak", description=main.__doc__)
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    options = parser.parse_args(argv)
    found = {}
    for what, size in measure():
        found[what] = round(size)
        if not options.json:
            print(f"{what:<52} {size:6.0f} MB", flush=True)
    server, _, _, toy, small = found.values()
    if options.json:
        print(json.dumps(found))
    else:
        print(f"one learner, one notebook: {server + toy} MB, with the small model {server + small} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
