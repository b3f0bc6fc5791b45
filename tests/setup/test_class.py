"""A class: what repo2docker runs for JupyterHub and Binder, and one read-only model for all."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

REPO = Path(__file__).resolve().parents[2]
ROOMS = ("tokenmask", "toymodel", "simulator", "lessons", "bench")


@pytest.fixture
def image(tmp_path: Path) -> Path:
    """A stand-in for the image's environment: its commands only note how they were called."""
    scripts = tmp_path / "bin"
    scripts.mkdir()
    note = (
        f'echo "$(basename "$0") $* [${{TOKENMASK_MODEL_DIR:-own cache}}]" >> "{tmp_path}/calls"\n'
    )
    answer = f'if [ "$1" = -c ]; then echo "{tmp_path}"; exit; fi\n'
    for name in ("python", "workbook"):
        path = scripts / name
        path.write_text(f"#!/bin/sh\n{answer}{note}")
        path.chmod(0o755)
    return tmp_path


def run(script: str, image: Path, *arguments: str, **variables: str) -> subprocess.CompletedProcess:
    environment = {k: v for k, v in os.environ.items() if k != "TOKENMASK_MODEL_DIR"}
    environment |= {"PATH": f"{image / 'bin'}{os.pathsep}{os.environ['PATH']}"} | variables
    return subprocess.run(
        ["bash", str(REPO / script), *arguments],
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
    )


def test_post_build_puts_the_model_into_the_image(image: Path):
    result = run("postBuild", image, NB_PYTHON_PREFIX=str(image))
    assert result.returncode == 0, result.stderr
    install, model = (image / "calls").read_text().splitlines()
    assert install.startswith("python -m pip install --no-deps --no-build-isolation .")
    assert model == f"workbook get-model [{image}/share/tokenmask/models]"
    settings = image / "etc" / "jupyter" / "labconfig" / "default_setting_overrides.json"
    news = json.loads(settings.read_text())["@jupyterlab/apputils-extension:notification"]
    assert news == {"fetchNews": "false", "checkForUpdates": False}


def test_post_build_by_hand_uses_the_own_cache(image: Path):
    result = run("postBuild", image, NB_PYTHON_PREFIX="")
    assert result.returncode == 0, result.stderr
    assert (image / "calls").read_text().splitlines()[1] == "workbook get-model [own cache]"


def test_a_failed_download_fails_the_image(image: Path):
    (image / "bin" / "workbook").write_text("#!/bin/sh\nexit 1\n")
    assert run("postBuild", image, NB_PYTHON_PREFIX=str(image)).returncode == 1


def test_start_names_the_shared_model_and_goes_on(image: Path):
    say = ("sh", "-c", "echo $TOKENMASK_MODEL_DIR")
    started = run("start", image, *say, NB_PYTHON_PREFIX="/srv/conda/envs/notebook")
    assert started.stdout == "/srv/conda/envs/notebook/share/tokenmask/models\n"
    teachers = run("start", image, *say, NB_PYTHON_PREFIX="/x", TOKENMASK_MODEL_DIR="/shared")
    assert teachers.stdout == "/shared\n"


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The workbook's packages, installed once for everybody, not in anybody's folder."""
    site = tmp_path_factory.mktemp("shared") / "site"
    source = site.parent / "source"
    for room in ROOMS:
        shutil.copytree(
            REPO / room, source / room, ignore=shutil.ignore_patterns("__pycache__", "*.egg-info")
        )
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(REPO / name, source)
    command = [sys.executable, "-m", "pip", "install", "--no-deps", "--no-build-isolation"]
    command += ["--no-index", "--quiet", "--target", str(site), str(source)]
    subprocess.run(command, check=True, timeout=120)
    return site


def test_an_installed_copy_has_everything(shared: Path):
    for room in ROOMS:
        wanted = {
            path.relative_to(shared.parent / "source")
            for pattern in ("*.py", "*.md", "*.js", "*.css", "*.json")
            for path in (shared.parent / "source" / room).rglob(pattern)
        }
        missing = [str(path) for path in sorted(wanted) if not (shared / path).exists()]
        assert not missing


def test_each_learner_has_notebooks_of_their_own(shared: Path, tmp_path: Path):
    """`reset` and `check`, given in a learner's folder, touch that folder and nothing else."""
    learner = tmp_path / "learner"
    for name in ("notebooks", "solutions"):
        shutil.copytree(REPO / name, learner / name)
    for name in ("workbook.py", "pyproject.toml", "conftest.py"):
        shutil.copy(REPO / name, learner)
    before = listing(shared)
    notebook = learner / "notebooks" / "01_fsm_masking.ipynb"
    notebook.write_text(notebook.read_text().replace("NotImplementedError", "ValueError", 1))
    mine = notebook.read_text()
    environment = os.environ | {"PYTHONPATH": str(shared), "PYTHONDONTWRITEBYTECODE": "1"}
    for arguments, code in ((["check", "01"], 1), (["reset", "01"], 0)):
        command = [sys.executable, "-P", "-m", "lessons.cli", *arguments]
        result = subprocess.run(
            command, cwd=learner / "notebooks", env=environment, capture_output=True, text=True
        )
        assert result.returncode == code, result.stdout + result.stderr
    assert notebook.read_text() == (REPO / "notebooks" / "01_fsm_masking.ipynb").read_text()
    assert [path.read_text() for path in notebook.parent.glob("01*.bak*")] == [mine]
    assert listing(shared) == before


def listing(folder: Path) -> dict[str, int]:
    """Every file below `folder`, with the time of its last change."""
    return {str(path): path.stat().st_mtime_ns for path in folder.rglob("*") if path.is_file()}


@pytest.mark.model
@pytest.mark.slow
def test_memory_of_one_learner_is_what_the_readme_says():
    """`python -m bench.memory`; a class of two hundred is planned with these figures."""
    command = [sys.executable, "-m", "bench.memory", "--json"]
    result = subprocess.run(command, cwd=REPO, capture_output=True, text=True, timeout=300)
    assert result.returncode == 0, result.stderr
    server, empty, toy, figures, small = json.loads(result.stdout.splitlines()[-1]).values()
    assert empty < toy < figures < small
    assert server + figures < 250, "the README says less than 250 MB without the small model"
    assert server + small < 1500, "the README says less than 1.5 GB with the small model"
