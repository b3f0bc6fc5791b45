"""Masks as bits: which tokens are legal, 32 to a word, and what that does to logits.

Bit i of word w stands for token 32 w + i; 1 means legal. This is XGrammar's layout, so a mask from
here can be handed to its kernels. Lesson 02 packs one by hand.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np


def words_for(vocab_size: int) -> int:
    """How many 32-bit words `vocab_size` bits take.

    >>> words_for(28), words_for(32), words_for(33)
    (1, 1, 2)
    """
    return -(-vocab_size // 32)


def allocate_token_bitmask(batch: int, vocab_size: int) -> np.ndarray:
    """An int32 array (batch, words) in which every token is legal.

    The bits past the last token are 0: no such token exists.

    >>> allocate_token_bitmask(1, 5)
    array([[31]], dtype=int32)
    """
    if batch < 0 or vocab_size < 0:
        raise ValueError(f"a bitmask cannot have {batch} rows for {vocab_size} tokens")
    row = pack_bits(np.ones(vocab_size, bool)).view(np.int32)
    return np.tile(row, (batch, 1))


def pack_bits(legal: np.ndarray) -> np.ndarray:
    """Booleans, one per token, to uint32 words.

    >>> pack_bits(np.array([True, False, True]))
    array([5], dtype=uint32)
    """
    if legal.size % 32:
        legal = np.concatenate([legal, np.zeros(-legal.size % 32, bool)])
    return np.packbits(legal, bitorder="little").view("<u4").astype(np.uint32, copy=False)


def unpack_bits(words: np.ndarray, width: int) -> np.ndarray:
    """Words (..., words) to booleans (..., width); what lies past the last word is False.

    >>> unpack_bits(np.array([5], np.uint32), 4)
    array([ True, False,  True, False])
    """
    octets = np.ascontiguousarray(words).astype("<i4", copy=False).view(np.uint8)
    bits = np.unpackbits(octets, axis=-1, bitorder="little", count=min(width, octets.shape[-1] * 8))
    legal = np.zeros((*bits.shape[:-1], width), bool)
    legal[..., : bits.shape[-1]] = bits
    return legal


def apply_token_bitmask(logits: Any, bitmask: Any) -> None:
    """Set the logits of illegal tokens to -inf, in place.

    logits: a NumPy array or torch tensor of floats, (vocab,) or (batch, vocab).
    bitmask: int32 (or uint32) words, (words,) or (batch, words), NumPy or torch.
    A model's logits are often wider than its vocabulary: what the mask does not cover is illegal.

    >>> logits = np.zeros(4)
    >>> apply_token_bitmask(logits, np.array([[5]], np.int32))
    >>> logits
    array([  0., -inf,   0., -inf])
    """
    torch = sys.modules.get("torch")  # who passes a tensor has imported it
    if torch is not None and isinstance(logits, torch.Tensor):
        _apply_torch(torch, logits, bitmask)
        return
    if not isinstance(logits, np.ndarray):
        raise TypeError(
            f"logits must be a NumPy array or a torch tensor, to be changed in place, "
            f"not {type(logits).__name__}"
        )
    if not np.issubdtype(logits.dtype, np.floating):
        raise TypeError(f"logits must be floats: {logits.dtype} has no -inf")
    words = _words(np.asarray(bitmask), logits.shape)
    np.copyto(logits, -np.inf, where=~unpack_bits(words, logits.shape[-1]))


def _apply_torch(torch: Any, logits: Any, bitmask: Any) -> None:
    if not logits.is_floating_point():
        raise TypeError(f"logits must be floats: {logits.dtype} has no -inf")
    if isinstance(bitmask, torch.Tensor):
        bitmask = bitmask.cpu().numpy()
    words = _words(np.asarray(bitmask), tuple(logits.shape))
    illegal = torch.from_numpy(~unpack_bits(words, logits.shape[-1])).to(logits.device)
    with torch.no_grad():
        logits.masked_fill_(illegal, float("-inf"))


def _words(bitmask: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """The mask with as many axes as the logits have, once both are known to fit."""
    if bitmask.dtype not in (np.int32, np.uint32):
        raise TypeError(f"a bitmask has int32 words, not {bitmask.dtype}")
    if len(shape) not in (1, 2) or bitmask.ndim not in (1, 2):
        raise ValueError(
            f"logits must be (vocab,) or (batch, vocab), not {shape}, "
            f"and the bitmask (words,) or (batch, words), not {bitmask.shape}"
        )
    rows = (1 if len(shape) == 1 else shape[0], 1 if bitmask.ndim == 1 else bitmask.shape[0])
    if rows[0] != rows[1]:
        raise ValueError(f"{rows[0]} rows of logits need {rows[0]} rows of mask, not {rows[1]}")
    if words_for(shape[-1]) < bitmask.shape[-1]:
        raise ValueError(
            f"a mask of {bitmask.shape[-1]} words is for more tokens than the {shape[-1]} that "
            f"the logits have: was it allocated for another vocabulary?"
        )
    return bitmask.reshape(*shape[:-1], bitmask.shape[-1])
