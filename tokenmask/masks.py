"""From a state to the set of legal tokens: a packed bitset over the vocabulary.

`replay_mask` is the specification: feed every token byte by byte. `descend_mask` walks the
vocabulary as a trie, `split_mask` is what is used: the tokens inside the item on top (one mask,
shared) and those that leave it (a few places in the trie, walked with the rest of the stack). All
three are equal bit for bit; tests prove it. Lessons 02 and 03 build them.
"""

from __future__ import annotations

import numpy as np

from .pushdown import Pushdown, Stack, State
from .trie import Node
from .vocabulary import Vocabulary


def replay_mask(vocabulary: Vocabulary, pushdown: Pushdown, state: State) -> np.ndarray:
    """The specification: uint32 (words,). Some 50 ms where much is allowed; end tokens not included."""
    legal = [
        token
        for token in vocabulary.text_ids()
        if pushdown.read(state, vocabulary.tokens[token]) is not None
    ]
    return vocabulary.pack(np.array(legal, np.intp))


def descend_mask(vocabulary: Vocabulary, pushdown: Pushdown, state: State) -> np.ndarray:
    """The same by joint descent of trie and automaton: tokens that begin alike share their steps."""
    legal: list[int] = []
    work = [(vocabulary.trie.root, state)]
    while work:
        node, here = work.pop()
        for byte, child in node.children.items():
            after = pushdown.step(here, byte)
            if after is not None:
                legal.extend(child.tokens)
                work.append((child, after))
    return vocabulary.pack(np.array(legal, np.intp))


def join(words: int, masks: list[np.ndarray], ids: list[int]) -> np.ndarray:
    """One mask of many masks and token ids: uint32 (words,). May be one of `masks` itself."""
    if not masks:
        mask = np.zeros(words, np.uint32)
    else:
        mask = masks[0]
        for other in masks[1:]:
            mask = mask | other
    if not ids:
        return mask
    mask = mask.copy() if len(masks) == 1 else mask
    bits = memoryview(mask).cast("B")  # writing bytes one by one beats NumPy up to some 1,000 ids
    for token in ids:
        bits[token >> 3] |= 1 << (token & 7)
    return mask


def split_mask(vocabulary: Vocabulary, pushdown: Pushdown, state: State) -> np.ndarray:
    """Inside + leaving: uint32 (words,), without end tokens. May be shared: do not write into it."""
    root = vocabulary.trie.root
    masks: list[np.ndarray] = []
    ids: list[int] = []
    for stack in state.stacks:
        _gather(pushdown, root, stack, masks, ids)
    return join(vocabulary.words, masks, ids)


def _gather(
    pushdown: Pushdown, node: Node, stack: Stack, masks: list[np.ndarray], ids: list[int]
) -> None:
    """The tokens below `node` that `stack` allows, its top being a terminal item."""
    split = stack.item.split(node)
    if split.mask is not None:
        masks.append(split.mask)
    ids += split.ids
    for after, follow in split.exits:
        below = pushdown.push(follow, stack.below) if follow else stack.below
        _leave(pushdown, after, below, masks, ids)


def _leave(
    pushdown: Pushdown, node: Node, stack: Stack, masks: list[np.ndarray], ids: list[int]
) -> None:
    """Tokens that go on below `node` with `stack`. Kept per (node, stack): many states leave alike."""
    leaving = stack.leaving
    if leaving is None:
        leaving = stack.leaving = {}
    found = leaving.get(node)
    if found is None:
        here_masks: list[np.ndarray] = []
        here_ids: list[int] = []
        for top in pushdown.tops(stack):
            _gather(pushdown, node, top, here_masks, here_ids)
        found = leaving[node] = (tuple(here_masks), tuple(here_ids))
    masks += found[0]
    ids += found[1]


def mask_of(vocabulary: Vocabulary, pushdown: Pushdown, state: State) -> np.ndarray:
    """The full mask of a state, end tokens included where it may end; computed once per state."""
    mask = state.mask
    if mask is None:
        mask = split_mask(vocabulary, pushdown, state)
        if state.accepting and vocabulary.eos_ids:
            mask = mask | vocabulary.pack(np.array(vocabulary.eos_ids, np.intp))
        state.mask = mask
    return mask
