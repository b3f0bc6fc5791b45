"""Peak memory of one engine over all schemas, in a process of its own.

In the benchmark's process the engines share one heap, so nobody's peak could be told apart.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path


def peaks(names: list[str], given: argparse.Namespace) -> dict[str, float]:
    """MB above what the process held before the engine was opened, for each engine by name."""
    found = {}
    for name in names:
        with tempfile.TemporaryDirectory() as folder:
            out = Path(folder) / "peak.json"
            command = [sys.executable, "-m", "bench.peak", name, str(given.data), str(out)]
            command += ["--vocabulary", given.vocabulary, "--key-order", given.key_order]
            command += ["--whitespace", given.whitespace, "--seconds", str(given.seconds)]
            if given.limit is not None:
                command += ["--limit", str(given.limit)]
            done = subprocess.run(command, stdout=subprocess.DEVNULL, check=False)
            if done.returncode == 0:
                found[name] = json.loads(out.read_text())["peak MB"]
    return found


def resident() -> tuple[float, float]:
    """Resident memory now and at its highest so far, in MB. (0, 0) where the system cannot say."""
    try:
        lines = Path("/proc/self/status").read_text().splitlines()
    except OSError:
        return _resident_elsewhere()
    values = dict(line.split(":", 1) for line in lines if ":" in line)
    return _megabytes(values["VmRSS"]), _megabytes(values["VmHWM"])


def _megabytes(kilobytes: str) -> float:
    return int(kilobytes.split()[0]) / 1024


def _resident_elsewhere() -> tuple[float, float]:
    try:
        import resource

        import psutil
    except ImportError:
        return 0.0, 0.0
    now = psutil.Process().memory_info().rss / 2**20
    highest = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return now, highest / (2**20 if sys.platform == "darwin" else 1024)


def main() -> None:
    """Run one engine alone and write its peak."""
    from .engines import open_engine
    from .maskbench import run
    from .vocabularies import open_vocabulary

    parser = argparse.ArgumentParser(prog="bench.peak", description=__doc__.split("\n")[0])
    parser.add_argument("engine")
    parser.add_argument("data", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--vocabulary", default="smol")
    parser.add_argument("--key-order", default="schema")
    parser.add_argument("--whitespace", default="spaced")
    parser.add_argument("--limit", type=int)
    parser.add_argument("--seconds", type=float, default=10.0)
    given = parser.parse_args()
    vocabulary = open_vocabulary(given.vocabulary)
    vocabulary.encode("{}")
    before, _ = resident()
    options = {"key_order": given.key_order, "whitespace": given.whitespace}
    engine = open_engine(given.engine, vocabulary, **options)
    run(given.data, [engine], vocabulary, limit=given.limit, seconds=given.seconds)
    _, highest = resident()
    given.out.write_text(json.dumps({"engine": given.engine, "peak MB": highest - before}))


if __name__ == "__main__":
    main()
