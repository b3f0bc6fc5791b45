"""How fast the simulator answers and how much it sends, in Chromium: `python -m bench.widget`.

Two paths are measured at the small model's 49,152 tokens: through the kernel, in a JupyterLab
started for it, where each key makes one new step of both sides; and in replay, in the page that
`Simulator.to_html` writes. Time is from the key's own time stamp to the task after the frame in
which the new state was painted.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from .labserver import jupyterlab

STEPS = 30
SEED = 1
SPREAD = 3.0  # standard deviation of the logits
# both sides write random tokens; strings keep the masks wide, so that they are the large ones
SCHEMA = {
    "type": "object",
    "properties": {"city": {"type": "string"}, "country": {"type": "string"}},
    "required": ["city", "country"],
    "additionalProperties": False,
}
CELL = """import json
from bench.widget import make
simulator = make()
simulator"""

# resolves with milliseconds from key to paint, once the view stands at position n
KEY_TO_PAINT = """n => new Promise((done) => {
  const root = document.querySelector(".sim");
  let pressed = null;
  root.addEventListener("keydown", (event) => { pressed = event.timeStamp; }, { capture: true, once: true });
  const watch = new MutationObserver(() => {
    if (pressed === null || Number(root.dataset.position) < n) return;
    watch.disconnect();
    requestAnimationFrame(() => {
      const after = new MessageChannel();
      after.port1.onmessage = () => done(performance.now() - pressed);
      after.port2.postMessage(0);
    });
  });
  watch.observe(root, { attributes: true });
})"""
# first display: from the script's start to the first map that was painted
FIRST_PAINT = """() => new Promise((done) => {
  const look = () => document.querySelector(".sim canvas[data-position]")
    ? requestAnimationFrame(() => done(performance.now())) : requestAnimationFrame(look);
  look();
})"""


def make() -> Any:
    """The simulator that is measured: no model to wait for, but probabilities as uneven as one's."""
    from simulator import Simulator
    from toymodel import UniformModel

    class Uneven(UniformModel):
        """Logits from a normal distribution, new at each step: no two are equal, unlike the toys'.

        Their spread makes a step larger to send than SmolLM2's own: times err on the safe side.
        """

        def _logits(self) -> np.ndarray:
            random = np.random.default_rng((SEED, len(self.context)))
            return random.normal(0, SPREAD, self.vocabulary.size).astype(np.float32)

    return Simulator(Uneven(vocabulary=real_vocabulary()), SCHEMA, seed=SEED, max_tokens=200)


@cache
def real_vocabulary() -> Any:
    """SmolLM2's 49,152 tokens, from the tokenizer alone; read once, it is no part of a display."""
    from transformers import AutoTokenizer

    from tokenmask import Vocabulary
    from toymodel import folders

    return Vocabulary.from_transformers(AutoTokenizer.from_pretrained(folders.model_folder()))


def sizes(steps: int = STEPS) -> dict[str, float]:
    """Kilobytes: what is sent once, and per step at most and on average, for both sides together.

    With the small model itself: how much its probabilities take deflated cannot be made up. Every
    token is sampled, for a forced one sends no probabilities.
    """
    from simulator import Simulator

    prompt = "Tell me about Paris."
    simulator = Simulator("small", SCHEMA, prompt=prompt, seed=SEED, jump_forward=False, max_tokens=steps)
    if simulator.errors:
        raise SystemExit(repr(simulator))
    state = {name: getattr(simulator, name) for name in simulator.keys}
    once = message_size({k: v for k, v in state.items() if not hasattr(v, "model_id")})
    sent: list[int] = []
    simulator.send = lambda content, buffers=None: sent.append(message_size(content, buffers or []))
    per_step = []
    while not simulator._session.finished:
        sent.clear()
        simulator.step()
        per_step.append(sum(sent))
    masks = len(simulator._state_for_page()["replay_masks"])
    simulator.close()
    return {
        "once_kb": once / 1000,
        "steps": len(per_step),
        "step_mean_kb": statistics.mean(per_step) / 1000,
        "step_max_kb": max(per_step) / 1000,
        "masks_of_run_kb": masks / 1000,
    }


def message_size(content: dict[str, Any], buffers: list[bytes] = ()) -> int:
    """Bytes of a message: its JSON, and what goes beside it as it is."""
    apart = sum(len(v) for v in content.values() if isinstance(v, bytes)) + sum(map(len, buffers))
    rest = {k: v for k, v in content.items() if not isinstance(v, bytes)}
    return apart + len(json.dumps(rest, default=str))


def key_times(page: Any, steps: int, first: int = 1) -> list[float]:
    """Milliseconds from the right arrow key to paint, for `steps` steps."""
    page.locator("[data-testid=sim-strip]").focus()
    times = []
    for n in range(first, first + steps):
        waiting = page.evaluate_handle(f"n => {{ window.painted = ({KEY_TO_PAINT})(n); }}", n)
        page.keyboard.press("ArrowRight")
        times.append(page.evaluate("() => window.painted"))
        waiting.dispose()
        page.wait_for_timeout(30)
    return times


def measure_replay(new_page: Callable[[], Any], folder: Path, steps: int) -> dict[str, Any]:
    """Stepping through the offline page, and how soon it shows its first map."""
    page = new_page()
    page.goto(make().to_html(folder / "replay.html").as_uri())
    first = page.evaluate(FIRST_PAINT)
    return {"times": key_times(page, steps), "first_ms": first, "external": page.external}


def measure_kernel(new_page: Callable[[], Any], folder: Path, steps: int) -> dict[str, Any]:
    """Stepping through the kernel of a JupyterLab, and how soon the cell's output shows its map."""
    notebook = folder / "root" / "widget.ipynb"
    notebook.parent.mkdir()
    notebook.write_text(json.dumps(notebook_of(CELL)))
    with jupyterlab(folder, notebook.parent) as url:
        page = new_page()
        page.goto(f"{url}/lab/tree/widget.ipynb?reset")
        page.wait_for_function("() => window.jupyterapp?.shell.currentWidget?.sessionContext", timeout=60_000)
        page.evaluate(
            "async () => { const w = window.jupyterapp.shell.currentWidget; await w.context.ready;"
            " await w.sessionContext.ready; await w.sessionContext.session.kernel.info; }"
        )
        page.evaluate("() => window.jupyterapp.commands.execute('notebook:run-all-cells')")
        page.wait_for_selector(".sim canvas[data-position]", timeout=120_000)
        # again, now that the kernel has everything: what a reader waits for
        page.evaluate("() => { document.querySelector('.sim').remove(); window.began = performance.now(); }")
        page.evaluate("() => window.jupyterapp.commands.execute('notebook:run-all-cells')")
        first = page.evaluate(FIRST_PAINT) - page.evaluate("window.began")
        times = key_times(page, steps)
        return {"times": times, "first_ms": first, "external": page.external}


def notebook_of(source: str) -> dict[str, Any]:
    """A notebook with one code cell."""
    cell = {"cell_type": "code", "id": "c0", "source": source, "metadata": {}, "outputs": []}
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    return {
        "cells": [cell | {"execution_count": None}],
        "metadata": {"kernelspec": kernel},
        "nbformat": 4,
        "nbformat_minor": 5,
    }


def open_browser(playwright: Any) -> tuple[Any, Callable[[], Any]]:
    """Chromium, and a function that opens a page which notes the requests that leave the machine."""
    names = ("chromium", "chromium-browser", "google-chrome", "chrome")
    program = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, names)), None)
    if program is None:
        raise SystemExit("Chromium was not found: install it, or name it in $CHROMIUM")
    flags = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run"]
    browser = playwright.chromium.launch(executable_path=program, args=flags)

    def new_page() -> Any:
        page = browser.new_page(viewport={"width": 1200, "height": 1200})
        page.external = []
        inside = ("http://127.0.0.1:", "ws://127.0.0.1:", "data:", "blob:", "file:", "about:")
        page.on("request", lambda r: page.external.append(r.url) if not r.url.startswith(inside) else None)
        return page

    return browser, new_page


def report(name: str, value: float, bar: float, unit: str) -> bool:
    """Print one line; whether the bar is met."""
    good = value <= bar
    print(f"{'ok  ' if good else 'OVER'}  {name:<52}{value:8.1f} {unit:<3} (bar {bar:g} {unit})")
    return good


def main() -> int:
    """Measure everything, print it beside its bar; 1 if a bar is not met."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=STEPS)
    steps = parser.parse_args().steps
    from playwright.sync_api import sync_playwright

    size = sizes(200)
    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        browser, new_page = open_browser(playwright)
        replay = measure_replay(new_page, Path(name), steps)
        kernel = measure_kernel(new_page, Path(name), steps)
        browser.close()
    print(f"{real_vocabulary().size:,} tokens, {steps} steps each; load {os.getloadavg()[0]:.1f}")
    median = statistics.median
    results = [
        report("key to paint through the kernel, median", median(kernel["times"]), 50, "ms"),
        report("key to paint in replay, median", median(replay["times"]), 16, "ms"),
        report("first display in a page, from its start", replay["first_ms"], 1500, "ms"),
        report("first display in JupyterLab, from Run", kernel["first_ms"], 1500, "ms"),
        report("sent once", size["once_kb"], 300, "kB"),
        report("sent per step at most, both sides", size["step_max_kb"], 70, "kB"),
        report("sent per step on average, both sides", size["step_mean_kb"], 70, "kB"),
        report("requests that leave the page", len(kernel["external"] + replay["external"]), 0, ""),
    ]
    print(f"      worst step: kernel {max(kernel['times']):.0f} ms, replay {max(replay['times']):.0f} ms")
    print(f"      all masks of a run of {size['steps']} tokens: {size['masks_of_run_kb']:.1f} kB")
    return 0 if all(results) else 1


if __name__ == "__main__":
    raise SystemExit(main())
