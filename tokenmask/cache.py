"""Arrays kept on disk between runs, so that a big vocabulary is sorted once and not at every start.

Nothing here may ever be needed: a file that is missing, broken or of another version is the same as
no file, and a folder that cannot be written to is no error.
"""

from __future__ import annotations

import os
import secrets
import zipfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

import numpy as np


def folder() -> Path | None:
    """Where files are kept: `TOKENMASK_CACHE`, else the user's cache folder. None: nowhere."""
    chosen = os.environ.get("TOKENMASK_CACHE")
    if not chosen:
        try:
            from platformdirs import user_cache_dir
        except ImportError:
            return None  # the engine runs with NumPy alone, only starts more slowly
        chosen = user_cache_dir("tokenmask")
    return Path(chosen).expanduser() / "arrays"


def load(name: str) -> dict[str, np.ndarray] | None:
    """The arrays stored under `name`, or None if there are none that can be read."""
    place = folder()
    if place is None:
        return None
    try:
        with (
            open(place / f"{name}.npz", "rb") as file,
            np.load(file, allow_pickle=False) as stored,
        ):
            return {key: stored[key] for key in stored.files}
    # what a truncated or overwritten archive raises depends on where it breaks
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
        return None


def store(name: str, arrays: Mapping[str, np.ndarray]) -> bool:
    """Keep arrays under `name`; readers see the old file or the new one, never half of it."""
    place = folder()
    if place is None:
        return False
    # not tempfile: its files are for their owner only, and a class may share the folder
    draft = place / f"{name}.{secrets.token_hex(8)}.draft"
    try:
        place.mkdir(parents=True, exist_ok=True)
        with open(draft, "xb") as file:
            np.savez(file, **arrays)
        os.replace(draft, place / f"{name}.npz")
        return True
    except OSError:
        return False
    finally:
        with suppress(OSError):
            draft.unlink(missing_ok=True)
