"""What the simulator sends stays under its bars: times depend on the machine, sizes do not."""

import os

import pytest

from bench import widget
from toymodel import folders


@pytest.fixture(scope="module")
def sizes():
    pytest.importorskip("torch")
    trouble = folders.problem(folders.model_folder())
    if trouble is not None and os.environ.get("CI"):
        pytest.fail(f"the small model is missing ({trouble}), and under CI no test may be skipped")
    if trouble is not None:
        pytest.skip(f"the small model is missing: {trouble}")
    return widget.sizes(steps=12)


def test_at_49k_tokens_at_most_300_kb_are_sent_once_with_all_masks_of_a_run(sizes):
    assert sizes["once_kb"] + sizes["masks_of_run_kb"] < 300


def test_a_step_of_both_sides_takes_at_most_70_kb(sizes):
    assert 0 < sizes["step_mean_kb"] <= sizes["step_max_kb"] < 70


def test_a_message_is_its_json_and_what_goes_beside_it():
    assert widget.message_size({"a": 1}) == len('{"a": 1}')
    assert widget.message_size({"a": 1, "tokens": b"xyz"}) == len('{"a": 1}') + 3
    assert widget.message_size({}, [b"12345"]) == 2 + 5
