"""Where the small model's files live, and how nothing half-written is ever used.

Every write goes to a temporary neighbour and is renamed when it is complete; a manifest with sizes
and checksums says what complete means. A lock keeps two starts from working on the same folder.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import platformdirs
from tqdm import tqdm

MANIFEST = "manifest.json"
MODEL_NAME = "SmolLM2-135M-Instruct"
BLOCK = 1 << 20


class ModelError(RuntimeError):
    """The small model cannot be got or used. The message says why and what to do."""


class ModelMissing(ModelError):
    """The small model is not there yet, or its files are damaged: `workbook get-model`."""


def models_folder() -> Path:
    """The folder of all models: `TOKENMASK_MODEL_DIR`, else `models` in the cache folder.

    `TOKENMASK_MODEL_DIR` may be read-only, so that a class shares one copy.
    """
    shared = os.environ.get("TOKENMASK_MODEL_DIR")
    if shared:
        return Path(shared).expanduser()
    cache = os.environ.get("TOKENMASK_CACHE") or platformdirs.user_cache_dir("tokenmask")
    return Path(cache).expanduser() / "models"


def model_folder() -> Path:
    """The folder of the workbook's own small model, there or not."""
    return models_folder() / MODEL_NAME


def sha256(path: Path, progress: bool = False) -> str:
    """Checksum of a file as 64 hex digits."""
    digest = hashlib.sha256()
    with open(path, "rb") as file, bar(f"checking {path.name}", path.stat().st_size, progress) as b:
        while block := file.read(BLOCK):
            digest.update(block)
            b.update(len(block))
    return digest.hexdigest()


def bar(label: str, total: int, shown: bool) -> tqdm:
    """A progress bar over `total` bytes."""
    return tqdm(total=total, unit="B", unit_scale=True, desc=label, disable=not shown)


def write_manifest(folder: Path, about: dict) -> None:
    """Describe every file in `folder` (size in bytes, checksum) in its manifest."""
    files = {
        path.name: {"bytes": path.stat().st_size, "sha256": sha256(path)}
        for path in sorted(folder.iterdir())
        if path.name != MANIFEST
    }
    text = json.dumps({**about, "files": files}, indent=2) + "\n"
    (folder / MANIFEST).write_text(text, encoding="utf-8")


def problem(folder: Path, thorough: bool = False) -> str | None:
    """What is wrong with the model in `folder`, as half a sentence; None if it is complete.

    Sizes are compared always, checksums (about a second) only if `thorough`.
    """
    try:
        manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
        files = manifest["files"].items()
        entries = [(folder / name, entry["bytes"], entry["sha256"]) for name, entry in files]
    except FileNotFoundError:
        return "it is not there yet" if not folder.exists() else f"{MANIFEST} is missing"
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        return f"{MANIFEST} cannot be read ({error})"
    if not entries:
        return f"{MANIFEST} names no files"
    for path, size, checksum in entries:
        if not path.is_file():
            return f"{path.name} is missing"
        if path.stat().st_size != size:
            return f"{path.name} has {path.stat().st_size:,} bytes instead of {size:,}"
        if thorough and sha256(path) != checksum:
            return f"{path.name} has a wrong checksum"
    return None


def make_folder(folder: Path) -> None:
    """Make `folder` and check that it can be written to; a clear error otherwise."""
    with clear_errors(folder):
        folder.mkdir(parents=True, exist_ok=True)
        probe = folder / f".write-test-{os.getpid()}"
        probe.touch()
        probe.unlink()


def need_space(folder: Path, needed: int) -> None:
    """Refuse to start what would fill the disk. `needed` is in bytes."""
    free = shutil.disk_usage(folder).free
    if free < needed:
        raise ModelError(
            f"The disk is too full: the small model needs {needed / 1e9:.1f} GB in {folder}, and "
            f"{free / 1e9:.1f} GB are free. Free some, or name another folder with TOKENMASK_CACHE."
        )


@contextlib.contextmanager
def clear_errors(folder: Path) -> Iterator[None]:
    """Turn the operating system's errors about `folder` into one sentence and a remedy."""
    try:
        yield
    except OSError as error:
        raise ModelError(_sentence(error, error.errno, folder)) from error
    except Exception as error:
        # safetensors has errors of its own: "I/O error: No space left on device (os error 28)"
        code = re.search(r"os error (\d+)", str(error))
        if code is None:
            raise
        raise ModelError(_sentence(error, int(code[1]), folder)) from error


def _sentence(error: Exception, code: int | None, folder: Path) -> str:
    if code in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        return (
            f"The disk is full: the small model could not be written to {folder}. Free about "
            "1 GB and run `workbook get-model` again; it starts afresh by itself."
        )
    if code in (errno.EACCES, errno.EPERM, errno.EROFS):
        return (
            f"{folder} cannot be written to ({os.strerror(code)}). Name a folder that can be, with "
            "the environment variable TOKENMASK_CACHE (TOKENMASK_MODEL_DIR, if set, comes first)."
        )
    return (
        f"Writing the small model to {folder} failed ({error}). Run `workbook get-model` again, or "
        "name another folder with the environment variable TOKENMASK_CACHE."
    )


@contextlib.contextmanager
def lock(folder: Path, progress: bool = False) -> Iterator[None]:
    """One process at a time works in `folder`; a killed one leaves no lock behind."""
    import filelock

    guard = filelock.FileLock(folder / ".lock")
    with clear_errors(folder):
        try:
            guard.acquire(timeout=0)
        except filelock.Timeout:
            if progress:
                print(f"another process is at work in {folder}; waiting for it", flush=True)
            guard.acquire()
    try:
        yield
    finally:
        guard.release()


@contextlib.contextmanager
def scratch(parent: Path) -> Iterator[Path]:
    """A temporary folder in `parent`, gone afterwards; what killed runs left goes first.

    To be used under `lock(parent)`: then every other scratch folder is a dead one.
    """
    for dead in parent.glob(".scratch-*"):
        shutil.rmtree(dead, ignore_errors=True)
    folder = parent / f".scratch-{os.getpid()}"
    try:
        with clear_errors(parent):
            folder.mkdir()
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def replace(source: Path, target: Path) -> None:
    """Put the complete folder `source` in the place of `target`."""
    old = source.parent / "old"
    if target.exists():
        target.rename(old)
    source.rename(target)
