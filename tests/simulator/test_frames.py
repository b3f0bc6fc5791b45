"""What the view gets of a run: masks, tints, facts, and the whole of it packed."""

import json
import zlib

import numpy as np
import pytest

from simulator.frames import (
    Frame,
    Side,
    count_bits,
    first_frame,
    judge,
    mask_bytes,
    pack_replay,
    pack_vocabulary,
    step_frame,
    tint,
)
from tokenmask import Step


def a_step(**changes) -> Step:
    given = {
        "token": 2,
        "mask": np.array([0b110], np.uint32),
        "removed": 0.25,
        "top_before": [(2, 0.5), (0, 0.25)],
        "top_after": [(2, 2 / 3)],
        "probabilities": np.array([0.25, 0.25, 0.5], np.float32),
        "describe": "in a string",
        "stack": ["string", "object"],
    }
    return Step(**given | changes)


def test_tints_are_even_steps_of_the_logarithm_and_never_leave_their_range():
    p = np.array([1.0, 0.1, 0.01, 1e-30, 0.0], np.float32)
    assert list(tint(p)) == [63, 55, 47, 0, 0]


def test_a_tint_is_within_a_sixth_of_its_probability():
    p = np.geomspace(1e-7, 1, 500, dtype=np.float32)
    back = 10 ** ((np.frombuffer(tint(p), np.uint8) - 63.0) / 8)
    assert np.all(np.abs(back / p - 1) < 1 / 6)


def test_mask_bytes_hold_token_i_in_bit_i():
    words = np.array([1 << 31, 0b10], np.uint32)
    bits = np.unpackbits(np.frombuffer(mask_bytes(words), np.uint8), bitorder="little")
    assert np.flatnonzero(bits).tolist() == [31, 33]
    assert count_bits(mask_bytes(words)) == 2
    assert mask_bytes(words.view(np.int32)) == mask_bytes(words)
    assert mask_bytes(None) == b""


def test_a_step_becomes_a_frame_with_plain_facts():
    frame = step_frame(a_step(), {"parses": False})
    assert json.loads(json.dumps(frame.facts)) == frame.facts
    assert frame.facts["allowed"] == 2
    assert frame.facts["stack"] == ["string", "object"]
    assert (frame.facts["token"], frame.facts["removed"]) == (2, 0.25)
    assert len(frame.tints) == 3


def test_of_a_small_vocabulary_every_exact_probability_is_kept():
    assert step_frame(a_step(), {}).facts["before"] == [[2, 0.5], [0, 0.25], [1, 0.25]]


def test_of_a_large_vocabulary_the_token_taken_has_its_exact_probability_too():
    p = np.full(100, 0.01, np.float32)
    step = a_step(token=99, mask=np.zeros(4, np.uint32), probabilities=p, top_before=[(0, 0.01)])
    assert step_frame(step, {}).facts["before"] == [[0, 0.01], [99, 0.01]]


def test_without_the_constraint_removed_is_what_lies_on_forbidden_tokens():
    frame = step_frame(a_step(removed=0.0), {})
    assert frame.facts["removed"] == pytest.approx(0.25)


def test_a_forced_step_removes_nothing_and_has_no_tints():
    frame = step_frame(a_step(forced=True, removed=0.0), {})
    assert (frame.facts["removed"], frame.tints) == (0.0, b"")


def test_a_step_outside_the_schema_has_no_mask():
    frame = step_frame(a_step(mask=None, legal=False), {})
    assert frame.mask == b"" and frame.facts["allowed"] is None


@pytest.mark.parametrize(
    ("text", "parses", "validates", "why"),
    [
        (b"1", True, True, ""),
        (b"2", True, False, "too big"),
        (b"{", False, False, "Expecting property name"),
        (b'"\xe2\x82', False, False, "middle of a character"),
        (b"NaN", False, False, "NaN is not JSON"),
        (b"[" * 100_000, False, False, ""),
    ],
)
def test_judge_tells_parsing_from_validating(text, parses, validates, why):
    said = judge(text, lambda document: None if document == 1 else "too big")
    assert (said["parses"], said["validates"]) == (parses, validates)
    assert why in said["why"]


def test_a_packed_vocabulary_holds_count_lengths_and_bytes():
    tokens = [b"a", b"", b"\x00\xff", b"x" * 70_000]
    raw = zlib.decompress(pack_vocabulary(tokens))
    n = int.from_bytes(raw[:4], "little")
    planes = np.frombuffer(raw[4 : 4 + 3 * n], np.uint8).reshape(3, n).astype(int)
    assert (planes[0] + 256 * planes[1] + 65536 * planes[2]).tolist() == [1, 0, 2, 70_000]
    assert raw[4 + 3 * n :] == b"".join(tokens)


def test_a_packed_replay_can_be_cut_into_its_frames_again():
    start = first_frame(np.array([1], np.int32), "at the start", ["object"])
    side = Side([start, step_frame(a_step(), {})], "eos")
    packed = pack_replay({"constrained": side, "free": Side([start, Frame({})])}, run=7)
    facts = json.loads(zlib.decompress(packed["replay_facts"]))
    assert (facts["run"], facts["sides"]["constrained"]["finished"]) == (7, "eos")
    frames = [f for side in facts["sides"].values() for f in side["frames"]]
    assert [f["mask"] for f in frames] == [0, 1, 0, -1]
    assert zlib.decompress(packed["replay_masks"]) == start.mask + side.frames[1].mask
    sizes = [f["tint_size"] for f in frames]
    assert sizes[0] == sizes[2] == sizes[3] == 0 and sizes[1] == len(packed["replay_tints"])
    assert zlib.decompress(packed["replay_tints"]) == side.frames[1].tints


def test_a_page_without_kernel_is_given_the_reasons():
    side = Side([step_frame(a_step(), {})])
    packed = pack_replay({"free": side}, 1, why=lambda name, i: {0: f"{name} {i}"})
    facts = json.loads(zlib.decompress(packed["replay_facts"]))
    assert facts["sides"]["free"]["frames"][0]["why"] == {"0": "free 0"}
