"""The JSON-Schema-Test-Suite, draft 2020-12: what compiles is exact, what does not says so.

Instances are written by `json.dumps` and fed as long tokens; at every step the mask equals replay.
The suite is not part of the repository; these tests skip where it is absent.
"""

from __future__ import annotations

import functools
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from feeding import accepts, data_file, small_vocabulary

from tokenmask import GrammarCompiler, UnsatisfiableSchema, UnsupportedSchema

RIGHT, WRONGLY_ACCEPTED, WRONGLY_REFUSED, NOT_COMPILED = "right", "accepted", "refused", "no"
AT_LEAST_RIGHT = 1000


def folder() -> Path:
    return data_file("json-schema-test-suite") / "draft2020-12"


def keywords() -> list[str]:
    try:
        paths = sorted(folder().glob("**/*.json"))
        return [path.relative_to(folder()).with_suffix("").as_posix() for path in paths]
    except pytest.skip.Exception:
        return []


def groups(keyword: str) -> list[dict[str, Any]]:
    return json.loads((folder() / f"{keyword}.json").read_text(encoding="utf-8"))


@functools.cache
def results(keyword: str) -> list[tuple[str, str]]:
    """(verdict, which test) for each test of a keyword."""
    options: dict[str, Any] = {}
    if keyword == "format":
        # this file takes format for an annotation, which this engine does on demand only
        options = {"annotations": ("format",)}
    elif keyword.startswith("optional/format"):
        # and these ask for checks: a format that is not checked must say so
        options = {"formats": "error"}
    return [result for group in groups(keyword) for result in judge(group, options)]


def judge(group: dict[str, Any], options: dict[str, Any]) -> list[tuple[str, str]]:
    names = [f"{group['description']}: {test['description']}" for test in group["tests"]]
    try:
        compiler = GrammarCompiler(small_vocabulary())
        compiled = compiler.compile_json_schema(group["schema"], key_order="any", **options)
    except UnsatisfiableSchema:
        # rightly so if no document is valid
        assert not any(test["valid"] for test in group["tests"]), group["description"]
        return [(NOT_COMPILED, name) for name in names]
    except UnsupportedSchema:
        return [(NOT_COMPILED, name) for name in names]
    return [(verdict(compiled, test), name) for test, name in zip(group["tests"], names)]


def verdict(compiled: Any, test: dict[str, Any]) -> str:
    accepted = accepts(compiled, json.dumps(test["data"], ensure_ascii=False))
    if accepted == test["valid"]:
        return RIGHT
    return WRONGLY_ACCEPTED if accepted else WRONGLY_REFUSED


def found(keyword: str, kind: str) -> list[str]:
    return [name for result, name in results(keyword) if result == kind]


@pytest.mark.parametrize("keyword", keywords())
def test_nothing_invalid_is_accepted(keyword: str) -> None:
    assert found(keyword, WRONGLY_ACCEPTED) == []


@pytest.mark.parametrize("keyword", [k for k in keywords() if "/" not in k])
def test_nothing_valid_is_refused_once_compiled(keyword: str) -> None:
    assert found(keyword, WRONGLY_REFUSED) == []


def test_most_of_the_suite_is_right() -> None:
    main = [k for k in keywords() if "/" not in k]
    if not main:
        folder()
    counts = Counter(result for k in main for result, _ in results(k))
    assert counts.total() == 1299
    assert counts[RIGHT] >= AT_LEAST_RIGHT, counts
