"""constraints.txt, pyproject.toml and environment.yml say the same, and say everything."""

from __future__ import annotations

import itertools
import re
import tomllib
from importlib import metadata
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name
from packaging.version import Version
from rattler import MatchSpec
from rattler.exceptions import InvalidMatchSpecError

REPO = Path(__file__).resolve().parents[2]
CONDA_NAMES = {"pytorch": "torch", "matplotlib-base": "matplotlib"}
CONDA_ONLY = {"python", "pip"}
SYSTEMS = [
    ("linux", "Linux", "posix", "x86_64"),
    ("linux", "Linux", "posix", "aarch64"),
    ("darwin", "Darwin", "posix", "arm64"),
    ("win32", "Windows", "nt", "AMD64"),
]
PYTHONS = ["3.11", "3.12", "3.13"]
PATCHES = ["0", "99"]  # the first of each Python is promised too, and what a late one asks for


def project() -> dict:
    return tomllib.loads((REPO / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def pins() -> dict[str, str]:
    lines = (REPO / "constraints.txt").read_text(encoding="utf-8").splitlines()
    return dict(line.split("==") for line in lines if line and not line.startswith("#"))


def direct() -> list[str]:
    extras = project()["optional-dependencies"].values()
    return list(itertools.chain(project()["dependencies"], *extras))


def environment() -> dict:
    return yaml.safe_load((REPO / "environment.yml").read_text(encoding="utf-8"))


def conda_specs() -> list[str]:
    return [entry for entry in environment()["dependencies"] if isinstance(entry, str)]


def pip_specs() -> list[str]:
    entries = environment()["dependencies"]
    return [spec for entry in entries if isinstance(entry, dict) for spec in entry["pip"]]


def everywhere() -> list[dict[str, str]]:
    """Marker environments of every supported system and Python."""
    return [
        {
            "sys_platform": sys_platform,
            "platform_system": system,
            "os_name": os_name,
            "platform_machine": machine,
            "python_version": python,
            "python_full_version": f"{python}.{patch}",
            "implementation_name": "cpython",
            "platform_python_implementation": "CPython",
        }
        for (sys_platform, system, os_name, machine), python, patch in itertools.product(
            SYSTEMS, PYTHONS, PATCHES
        )
    ]


def wanted_by(name: str, extra: str) -> list[Requirement]:
    """What the installed package `name` asks for on any supported system."""
    try:
        texts = metadata.requires(name) or []
    except metadata.PackageNotFoundError:  # a package of another system: it is pinned, that is all
        return []
    wanted = map(Requirement, texts)
    environments = everywhere()
    return [
        need
        for need in wanted
        if need.marker is None
        or any(need.marker.evaluate(each | {"extra": extra}) for each in environments)
    ]


def test_every_pin_is_exact_sorted_and_there_once():
    names = list(pins())
    lines = (REPO / "constraints.txt").read_text(encoding="utf-8").splitlines()
    assert len(names) == sum(not line.startswith("#") for line in lines)
    assert names == sorted(names)
    for name, version in pins().items():
        assert name == canonicalize_name(name)
        assert Version(version).local is None, f"{name}: a local version exists on one index only"


def test_pyproject_names_no_versions():
    for text in direct():
        assert not Requirement(text).specifier, f"{text}: the version belongs in constraints.txt"


def test_all_that_gets_installed_is_pinned_on_every_system():
    todo = [Requirement(text) for text in direct()]
    seen: set[tuple[str, str]] = set()
    wrong = []
    while todo:
        need = todo.pop()
        name = canonicalize_name(need.name)
        if name not in pins():
            wrong.append(f"{name} is not pinned")
        elif not need.specifier.contains(pins()[name], prereleases=True):
            wrong.append(f"{name}: {need.specifier} is asked for, {pins()[name]} is pinned")
        for extra in ["", *need.extras]:
            if (name, extra) not in seen:
                seen.add((name, extra))
                todo += wanted_by(name, extra)
    assert not wrong
    assert set(pins()) == {name for name, _ in seen}, "pinned, but nothing asks for it"


def test_what_is_installed_here_is_what_is_pinned():
    for name, version in pins().items():
        try:
            installed = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
        assert Version(installed).public == version, name


def refused_by(text: str | None) -> list[str]:
    """The oldest promised Pythons that a Requires-Python leaves out."""
    oldest = [f"{python}.0" for python in PYTHONS]
    return [python for python in oldest if not SpecifierSet(text or "").contains(python)]


def test_every_pin_runs_on_the_first_release_of_each_python():
    wrong = {}
    for name in pins():
        try:
            wanted = metadata.metadata(name)["Requires-Python"]
        except metadata.PackageNotFoundError:  # of another system
            continue
        if refused_by(wanted):
            wrong[name] = wanted
    assert not wrong
    assert refused_by(">=3.11.5") == ["3.11.0"]


@pytest.mark.parametrize("spec", conda_specs())
def test_conda_reads_the_spec(spec: str):
    assert f'"{name_and_version(spec)[0]}"' in str(MatchSpec(spec, strict=True).name)


@pytest.mark.parametrize("spec", ["numpy==", "torch>=,", "jupyterlab=4=6=1=2", "num py=1.0"])
def test_a_wrong_spec_would_be_noticed(spec: str):
    with pytest.raises(InvalidMatchSpecError):
        MatchSpec(spec, strict=True)


def name_and_version(spec: str) -> tuple[str, str]:
    """`numpy=2.3.5`, or with a build `pytorch 2.13.0.* cpu_*`, or a bare name."""
    match = MatchSpec(spec, strict=True)
    name = re.split(r"[ =]", spec)[0]
    return name, str(match.version or "").removesuffix(".*")


def test_environment_has_the_pinned_versions():
    seen = set()
    for name, version in map(name_and_version, conda_specs()):
        if name in CONDA_ONLY:
            continue
        name = CONDA_NAMES.get(name, name)
        seen.add(name)
        assert version == pins()[name], name
    for spec in pip_specs():
        name, version = spec.split("==")
        seen.add(name)
        assert version == pins()[name], spec
    lessons = project()["dependencies"] + project()["optional-dependencies"]["small-model"]
    assert seen == set(lessons)


def test_environment_is_conda_forge_only_with_the_cpu_build():
    assert environment()["channels"] == ["conda-forge", "nodefaults"]
    torch = next(spec for spec in conda_specs() if spec.startswith("pytorch"))
    assert str(MatchSpec(torch, strict=True).build).startswith("cpu_")
    python = dict(map(name_and_version, conda_specs()))["python"]
    assert python in PYTHONS
    assert project()["requires-python"] == ">=3.11,<3.14"


@pytest.mark.parametrize("name", ["postBuild", "start", ".ci/run"])
def test_scripts_can_be_started(name: str):
    path = REPO / name
    assert path.stat().st_mode & 0o111, f"{name} is not executable"
    assert path.read_text(encoding="utf-8").startswith("#!/usr/bin/env bash\n")
