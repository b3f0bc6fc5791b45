"""The official test suite and MaskBench's schemas, judged on shapes (not yet on bytes and masks)."""

from __future__ import annotations

import json
from collections import Counter

import pytest
from shape_judge import data_folder, has_shape

from tokenmask.errors import SchemaError, UnsatisfiableSchema
from tokenmask.schema import shapes_from_schema

SUITE = data_folder() / "json-schema-test-suite" / "draft2020-12"
DEV = data_folder() / "maskbench-dev.jsonl"


def judge(schema, instances, **options) -> Counter:
    """How many (value, valid) pairs are right, refused at compile, or wrong in either way."""
    try:
        shape = shapes_from_schema(schema, **options).root
    except UnsatisfiableSchema:
        shape = None
    except SchemaError:
        return Counter({"not compiled": len(instances)})
    found: Counter = Counter()
    for value, valid in instances:
        accepted = shape is not None and has_shape(shape, value)
        found["right" if accepted == valid else
              "invalid accepted" if accepted else "valid refused"] += 1
    return found


def suite_files():
    return sorted(SUITE.glob("*.json")) if SUITE.is_dir() else []


def judge_file(path) -> Counter:
    """One file of the suite. In format.json, format is an annotation, as 2020-12 has it."""
    options = {"annotations": ("format",)} if path.stem == "format" else {}
    total: Counter = Counter()
    for group in json.loads(path.read_text()):
        instances = [(test["data"], test["valid"]) for test in group["tests"]]
        total += judge(group["schema"], instances, **options)
    return total


@pytest.mark.parametrize("path", suite_files(), ids=lambda path: path.stem)
def test_suite_is_never_wrong(path):
    found = judge_file(path)
    assert found["invalid accepted"] == found["valid refused"] == 0, found


@pytest.mark.skipif(not suite_files(), reason="the test suite is not here; set TOKENMASK_DATA")
def test_suite_is_mostly_supported():
    total = sum((judge_file(path) for path in suite_files()), Counter())
    assert total.total() == 1299
    assert total["right"] >= 1150, total


@pytest.mark.skipif(not DEV.is_file(), reason="MaskBench's schemas are not here; set TOKENMASK_DATA")
def test_maskbench():
    right = schemas = 0
    for line in DEV.read_text().splitlines():
        case = json.loads(line)
        instances = [(test["data"], test["valid"]) for test in case["tests"]]
        found = judge(case["schema"], instances)
        assert found["invalid accepted"] == 0, case["name"]
        schemas += 1
        right += found["right"] == len(instances)
    assert right >= 0.97 * schemas, (right, schemas)
