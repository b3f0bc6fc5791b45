"""`.venv`: is it there, is it whole, is it of this machine; and if not, make it anew.

`.venv/workbook.json` says who made it and which stages are done. It is there before anything else
is, so a half-made environment is known as one, and one that somebody else made is left alone.
"""

from __future__ import annotations

import json
import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from .errors import SetupError, from_os_error

STATE = "workbook.json"
PROBE = "import sys; print('%d.%d.%d' % sys.version_info[:3]); print(sys.prefix)"


class Environment:
    """The environment in `folder`, made or not."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.scripts = folder / ("Scripts" if os.name == "nt" else "bin")
        self.python = self.scripts / ("python.exe" if os.name == "nt" else "python")
        self.state: dict = self._read_state()

    def _read_state(self) -> dict:
        try:
            state = json.loads((self.folder / STATE).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        return state if isinstance(state, dict) else {}

    def _write_state(self) -> None:
        target = self.folder / STATE
        scratch = target.with_suffix(".new")
        scratch.write_text(json.dumps(self.state, indent=1) + "\n", encoding="utf-8")
        os.replace(scratch, target)

    def done(self, stage: str) -> str | None:
        """The key under which `stage` was last done, or None."""
        return self.state.get("stages", {}).get(stage)

    def record(self, stage: str, key: str | None) -> None:
        """Note that `stage` is done under `key`, or (None) that it is not."""
        stages = self.state.setdefault("stages", {})
        if key is None:
            stages.pop(stage, None)
        else:
            stages[stage] = key
        self._write_state()

    def problem(self) -> str | None:
        """Why this environment cannot be used as it is, in half a sentence; None if it can be."""
        if not self.folder.exists():
            return "there is none yet"
        if not self.state.get("made"):
            return "the last start was ended while making it"
        for name, now in self._here().items():
            if self.state["made"].get(name) != now:
                return f"it was made for {self.state['made'].get(name)}, and this is {now}"
        return self._probe()

    def _here(self) -> dict[str, str]:
        return {
            "machine": f"{platform.system()} on {platform.machine()}",
            "folder": str(self.folder),
        }

    def _probe(self) -> str | None:
        """Run its Python: a removed or upgraded base Python shows here."""
        command = [str(self.python), "-I", "-c", PROBE]
        try:
            result = subprocess.run(command, capture_output=True, text=True, timeout=60)
        except (OSError, subprocess.TimeoutExpired) as error:
            return f"its Python does not start ({error})"
        lines = result.stdout.splitlines()
        if result.returncode != 0 or len(lines) != 2:
            return f"its Python does not start (it ended with {result.returncode})"
        if lines[0] != self.state["made"].get("python"):
            made = self.state["made"].get("python")
            return f"it was made with Python {made}, now it is {lines[0]}"
        return None

    def make(self, run: Callable[[list[str]], None]) -> None:
        """Make it anew in place of whatever is left of an old one; `run` carries out a command."""
        foreign = self.folder.exists() and not (self.folder / STATE).exists()
        if foreign and any(self.folder.iterdir()):
            raise SetupError(
                f"{self.folder} is there but was not made by workbook.py, so it is left alone. "
                "Move it away or remove it, or name another folder: "
                "WORKBOOK_VENV=FOLDER python3 workbook.py lab",
                "foreign",
            )
        _need_venv()
        try:
            self._clear()
            self.folder.mkdir(parents=True, exist_ok=True)
            self.state = {}
            self._write_state()
        except OSError as error:
            raise from_os_error(error, self.folder) from error
        # not the Python of the environment that is being replaced
        base = getattr(sys, "_base_executable", None) or sys.executable
        run([base, "-m", "venv", str(self.folder)])
        made = self._here() | {"python": platform.python_version()}
        self.state = {"made": made, "stages": {}}
        self._write_state()

    def _clear(self) -> None:
        """Remove everything but the state file, and that one last: a kill in between is noticed."""
        if not self.folder.exists():
            return
        self.state = {}
        self._write_state()
        for path in self.folder.iterdir():
            if path.name == STATE:
                continue
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            else:
                path.unlink()

    def forget_half_installed(self) -> list[str]:
        """Remove the records of packages that were installed only in part: pip redoes them.

        pip writes INSTALLER and then RECORD last of a package's files; without, some are missing.
        """
        gone = []
        packages = "Lib/site-packages" if os.name == "nt" else "lib/python*/site-packages"
        for info in sorted(self.folder.glob(f"{packages}/*.dist-info")):
            record = info / "RECORD"
            text = record.read_text(encoding="utf-8", errors="replace") if record.exists() else ""
            if f"{info.name}/INSTALLER" not in text:
                shutil.rmtree(info)
                gone.append(info.name.removesuffix(".dist-info"))
        return gone


def _need_venv() -> None:
    try:
        import ensurepip  # noqa: F401
        import venv  # noqa: F401
    except ImportError:
        version = "{}.{}".format(*sys.version_info)
        raise SetupError(
            "This Python came without its venv module, which is needed to install anything. On "
            f"Debian and Ubuntu: sudo apt install python{version}-venv. Then run the same "
            "command again.",
            "python",
        ) from None
