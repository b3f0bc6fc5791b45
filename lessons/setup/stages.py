"""What is installed, in which order, and how a stage is known to be done.

A stage that is done is recorded in `.venv` under a key made of what it was done from, so a second
start has nothing to do, and a change in `pyproject.toml` or `constraints.txt` redoes what it
concerns.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from .environment import Environment
from .errors import SetupError
from .pip import DIE_WITH_PARENT, Runner

TITLES = {
    "core": "packages of the lessons",
    "project": "the workbook itself",
    "small-model": "torch and transformers",
    "test": "packages of the tests",
    "peers": "other engines, to measure against",
    "model": "the small model (93 MB)",
}
TOY = ("core", "project")
LAB = (*TOY, "small-model", "model")
TEST = (*TOY, "small-model", "test", "peers", "model")
HAVE_MODEL = (
    "import sys; from toymodel.folders import model_folder, problem;"
    "sys.exit(problem(model_folder()) is not None)"
)


@dataclass
class Setup:
    """Brings `environment` to where a command can start in it; `root` is the workbook's folder."""

    root: Path
    environment: Environment
    runner: Runner

    def __post_init__(self) -> None:
        self.constraints = self.root / "constraints.txt"
        text = (self.root / "pyproject.toml").read_text(encoding="utf-8")
        self.project = tomllib.loads(text)["project"]
        self.pins = self.constraints.read_text(encoding="utf-8")

    def requirements(self, stage: str) -> list[str]:
        """The packages of one stage, as pyproject.toml names them."""
        if stage == "core":
            return self.project["dependencies"]
        return self.project.get("optional-dependencies", {}).get(stage, [])

    def key(self, stage: str) -> str:
        """What `stage` is made from, as a short hash: done under the same key is still done."""
        parts = [self.requirements(stage), self.pins]
        if stage == "project":
            packages = sorted(path.parent.name for path in self.root.glob("*/__init__.py"))
            parts = [self.project["name"], self.project.get("scripts"), str(self.root), packages]
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:16]

    def is_done(self, stage: str) -> bool:
        """Whether nothing needs to be done for `stage`."""
        if stage == "model":
            return self.environment.done("core") is not None and self._have_model()
        return self.environment.done(stage) == self.key(stage)

    def _have_model(self) -> bool:
        command = [str(self.environment.python), "-c", HAVE_MODEL]
        return subprocess.run(command, cwd=self.root, capture_output=True).returncode == 0

    def bring(self, stages: Iterable[str], optional: Iterable[str] = ()) -> list[str]:
        """Do what is not done of `stages`; gives those left out, optional and without a network."""
        stages = list(stages)
        self._environment(f"[1/{len(stages) + 1}] ")
        left_out: list[str] = []
        for number, stage in enumerate(stages, 2):
            if self.is_done(stage):
                continue
            title = f"[{number}/{len(stages) + 1}] {TITLES[stage]}"
            try:
                self._do(stage, title)
            except SetupError as error:
                usable = stage in optional or self.environment.done(stage) is not None
                if error.kind != "network" or not usable:
                    raise
                print(f"workbook: {error} Going on without.", flush=True)
                left_out.append(stage)
        return left_out

    def _environment(self, prefix: str) -> None:
        trouble = self.environment.problem()
        if trouble is None:
            return
        if self.environment.folder.exists():
            print(f"workbook: making {self.environment.folder} anew: {trouble}", flush=True)
        title = f"{prefix}Python environment in {self.environment.folder.name}"
        self.environment.make(lambda command: self.runner.run(command, title))

    def _do(self, stage: str, title: str) -> None:
        if stage == "model":
            self._get_model(title)
            return
        if stage == "project":
            self._pip(title, "--no-deps", "--no-build-isolation", "--editable", str(self.root))
        elif self.requirements(stage):
            self._mend(stage)
            self._pip(title, "--constraint", str(self.constraints), *self.requirements(stage))
        self.environment.record(stage, self.key(stage))
        self.environment.record("unfinished", None)

    def _mend(self, stage: str) -> None:
        """After a start that was cut short: let pip redo the packages that are only half there."""
        if self.environment.done("unfinished"):
            for package in self.environment.forget_half_installed():
                print(f"workbook: {package} was half installed, doing it again", flush=True)
        self.environment.record("unfinished", stage)

    def _pip(self, title: str, *arguments: str) -> None:
        command = [str(self.environment.python), "-m", "pip", "install", "--retries", "3"]
        command += ["--disable-pip-version-check", "--progress-bar", "off", *arguments]
        self.runner.run(command, title)

    def _get_model(self, title: str) -> None:
        """Its own program shows its progress; a failure is one sentence on its last line."""
        print(title, flush=True)
        command = [str(self.environment.python), "-m", "toymodel.download"]
        result = subprocess.run(
            command, cwd=self.root, stderr=subprocess.PIPE, text=True, preexec_fn=DIE_WITH_PARENT
        )
        if result.returncode != 0:
            said = (result.stderr.strip().splitlines() or ["no reason given"])[-1]
            raise SetupError(f"The small model is not ready. {said}", "network")
