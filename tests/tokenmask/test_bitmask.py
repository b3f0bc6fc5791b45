"""Masks as bits: the layout, and what they do to logits of every kind."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokenmask.bitmask import (
    allocate_token_bitmask,
    apply_token_bitmask,
    pack_bits,
    unpack_bits,
    words_for,
)

LEGAL = st.lists(st.booleans(), min_size=1, max_size=100)


def bit(words: np.ndarray, i: int) -> bool:
    """The definition: bit i of word w is token 32 w + i."""
    return bool(int(words[i // 32]) >> (i % 32) & 1)


def mask_of(legal: list[bool]) -> np.ndarray:
    return pack_bits(np.array(legal)).view(np.int32)


@given(LEGAL)
def test_packed_bits_follow_the_definition(legal: list[bool]) -> None:
    words = pack_bits(np.array(legal))
    assert words.dtype == np.uint32
    assert words.shape == (words_for(len(legal)),)
    assert [bit(words, i) for i in range(len(legal))] == legal
    assert not any(bit(words, i) for i in range(len(legal), words.size * 32))


@given(LEGAL, st.integers(0, 200))
def test_unpacking_undoes_packing_at_any_width(legal: list[bool], width: int) -> None:
    expected = (legal + [False] * 200)[:width]
    words = pack_bits(np.array(legal))
    assert unpack_bits(words, width).tolist() == expected
    assert unpack_bits(words.view(np.int32), width).tolist() == expected


@pytest.mark.parametrize("size", [1, 28, 31, 32, 33, 49152, 151851])
def test_allocated_mask_allows_every_token_and_no_more(size: int) -> None:
    mask = allocate_token_bitmask(3, size)
    assert (mask.shape, mask.dtype) == ((3, -(-size // 32)), np.int32)
    assert unpack_bits(mask, words_for(size) * 32).sum(axis=1).tolist() == [size] * 3
    mask[0] = 0
    assert unpack_bits(mask[1], size).all()


def test_impossible_sizes_are_refused() -> None:
    with pytest.raises(ValueError, match="-1 rows"):
        allocate_token_bitmask(-1, 5)


@given(LEGAL, st.sampled_from([np.float16, np.float32, np.float64]), st.integers(0, 40))
def test_numpy_logits_are_masked_in_place(legal: list[bool], dtype, wider: int) -> None:
    logits = np.arange(len(legal) + wider).astype(dtype)
    assert apply_token_bitmask(logits, mask_of(legal)) is None
    for i, value in enumerate(logits):
        assert value == (i if i < len(legal) and legal[i] else -np.inf)


def test_rows_have_their_own_masks() -> None:
    logits = np.zeros((2, 3))
    apply_token_bitmask(logits, np.array([[0b001], [0b110]], np.int32))
    assert np.isfinite(logits).tolist() == [[True, False, False], [False, True, True]]


@pytest.mark.parametrize("shape", [(40,), (1, 40)])
@pytest.mark.parametrize("mask_shape", [(2,), (1, 2)])
def test_one_row_may_be_written_either_way(shape, mask_shape) -> None:
    logits = np.zeros(shape)
    apply_token_bitmask(logits, np.array([2, 1], np.int32).reshape(mask_shape))
    assert np.flatnonzero(np.isfinite(logits)).tolist() == [1, 32]


def test_a_view_is_changed_where_it_lies() -> None:
    whole = np.zeros((4, 8))
    apply_token_bitmask(whole[1:3, ::2], np.array([[1], [8]], np.int32))
    assert np.argwhere(np.isinf(whole)).tolist() == [
        *([1, 2], [1, 4], [1, 6]),
        *([2, 0], [2, 2], [2, 4]),
    ]


@pytest.mark.parametrize(
    ("logits", "mask", "error", "says"),
    [
        ([0.0, 1.0], np.array([1], np.int32), TypeError, "not list"),
        (np.zeros(4, int), np.array([1], np.int32), TypeError, "no -inf"),
        (np.zeros(4), np.array([1], np.int64), TypeError, "not int64"),
        (np.zeros(4), np.array([True] * 4), TypeError, "not bool"),
        (np.zeros((2, 4)), np.array([1], np.int32), ValueError, "2 rows of logits"),
        (np.zeros((2, 4)), np.ones((3, 1), np.int32), ValueError, "not 3"),
        (np.zeros((1, 2, 4)), np.ones((1, 1), np.int32), ValueError, "not (1, 2, 4)"),
        (np.zeros(32), np.ones(2, np.int32), ValueError, "more tokens than the 32"),
        (np.zeros(()), np.ones(1, np.int32), ValueError, "not ()"),
    ],
)
def test_what_does_not_fit_is_refused_and_changes_nothing(logits, mask, error, says) -> None:
    before = np.array(logits)
    with pytest.raises(error) as caught:
        apply_token_bitmask(logits, mask)
    assert says in str(caught.value)
    assert np.array_equal(before, np.array(logits))


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16", "float64"])
@pytest.mark.parametrize("mask_kind", ["numpy", "torch"])
def test_torch_logits_are_masked_in_place(dtype: str, mask_kind: str) -> None:
    torch = pytest.importorskip("torch")
    logits = torch.zeros((2, 70), dtype=getattr(torch, dtype))
    mask = np.array([[5, 0, 0], [0, -1, 0]], np.int32)
    apply_token_bitmask(logits, mask if mask_kind == "numpy" else torch.from_numpy(mask))
    legal = [torch.isfinite(row).nonzero().flatten().tolist() for row in logits]
    assert legal == [[0, 2], list(range(32, 64))]
    assert torch.isneginf(logits).sum() == 140 - 34


def test_torch_logits_in_a_gradient_graph_and_in_a_view() -> None:
    torch = pytest.importorskip("torch")
    leaf = torch.zeros(3, requires_grad=True)
    apply_token_bitmask(leaf, np.array([2], np.int32))
    assert leaf.tolist() == [-np.inf, 0.0, -np.inf]
    whole = torch.zeros(2, 3, 4)
    apply_token_bitmask(whole[:, -1, :], np.array([[1], [2]], np.int32))
    assert torch.isinf(whole).sum(dim=(0, 2)).tolist() == [0, 0, 6]


def test_torch_integers_are_refused() -> None:
    torch = pytest.importorskip("torch")
    with pytest.raises(TypeError, match="no -inf"):
        apply_token_bitmask(torch.zeros(3, dtype=torch.int64), np.array([2], np.int32))


def test_masking_numpy_logits_does_not_import_torch() -> None:
    program = (
        "import sys, numpy as np\n"
        "from tokenmask.bitmask import apply_token_bitmask\n"
        "apply_token_bitmask(np.zeros(3), np.array([1], np.int32))\n"
        "sys.exit('torch' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
