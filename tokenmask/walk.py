"""The vocabulary trie walked level by level with NumPy: every token against one automaton at once.

All nodes of one depth that are still alive are kept as two arrays, the node numbers and the
automaton's states; one gather in the automaton's table moves all of them one byte on. Lesson 02
measures this against replaying each token and against walking the trie in Python.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from .automaton import Automaton, AutomatonState
    from .trie import TokenTrie

FEW = 48
"""Below this many live nodes plain Python is faster than NumPy calls."""
MANY = 1200
"""Above this many live nodes whole levels are gathered, dead nodes included: no index arithmetic."""


def walk_vocabulary(
    trie: TokenTrie, automaton: Automaton, state: AutomatonState, starts: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """All trie nodes that are reached alive, and the state index at each: two intp arrays (n,).

    `starts` are the nodes to begin below (default: the root); they are not part of the result.
    """
    automaton.fill_once(state)
    nodes = np.zeros(1, np.intp) if starts is None else starts
    states = np.full(nodes.size, state.index << 8, np.intp)
    found_nodes: list[np.ndarray] = []
    found_states: list[np.ndarray] = []
    depth = 0
    while nodes.size:
        if starts is None and depth == 2 and nodes.size > MANY:
            nodes, states = _whole_levels(trie, automaton, nodes, states, depth)
            found_nodes.append(nodes)
            found_states.append(states)
            break
        if depth > 2 and nodes.size < FEW:
            nodes, states = _tail(trie, automaton, nodes, states)
            found_nodes.append(nodes)
            found_states.append(states)
            break
        counts = trie.child_count[nodes]
        ends = counts.cumsum()
        total = int(ends[-1])
        if not total:
            break
        children = np.repeat(trie.first_child[nodes] - ends + counts, counts)
        children += trie.numbers[:total]
        before = np.repeat(states, counts)
        after = _advance(automaton, before, trie.byte[children])
        alive = np.flatnonzero(after)
        nodes, states = children[alive], after[alive]
        found_nodes.append(nodes)
        found_states.append(states)
        depth += 1
    if not found_nodes:
        nothing = np.zeros(0, np.intp)
        return nothing, nothing
    return np.concatenate(found_nodes), np.concatenate(found_states) >> 8


def _advance(automaton: Automaton, states: np.ndarray, bytes_: np.ndarray) -> np.ndarray:
    """One byte further, for many (state, byte) pairs; fills rows that are met for the first time."""
    index = states + bytes_
    after = automaton.table.ravel().take(index, mode="clip")
    if automaton.unfilled:
        while after.min(initial=0) < 0:
            for number in np.unique(states[after < 0]).tolist():
                automaton.fill(automaton.states[(number >> 8) - 1])
            after = automaton.table.ravel().take(index, mode="clip")
    return after


def _whole_levels(
    trie: TokenTrie, automaton: Automaton, nodes: np.ndarray, states: np.ndarray, depth: int
) -> tuple[np.ndarray, np.ndarray]:
    """Everything below `depth`: each level takes its parents' states by one gather."""
    full = np.zeros(trie.byte.size, np.intp)
    full[nodes] = states
    for low, high in trie.levels[depth + 1 :]:
        before = full[trie.parent[low:high]]
        after = _advance(automaton, before, trie.byte[low:high])
        full[low:high] = after
        if high - low < 300 and not after.any():
            break
    below = trie.levels[depth + 1][0] if depth + 1 < len(trie.levels) else full.size
    alive = np.flatnonzero(full[below:]) + below
    return alive, full[alive]


def _tail(
    trie: TokenTrie, automaton: Automaton, nodes: np.ndarray, states: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The last few branches, in plain Python."""
    found_nodes: list[int] = []
    found_states: list[int] = []
    known = automaton.states
    work = list(zip(nodes.tolist(), states.tolist(), strict=True))
    while work:
        number, state = work.pop()
        low, high = trie.children_range(number)
        if low == high:
            continue
        step = known[(state >> 8) - 1].step
        for child in range(low, high):
            after = step(trie.byte_at[child])
            if after is not None:
                found_nodes.append(child)
                found_states.append(after.index << 8)
                work.append((child, after.index << 8))
    return np.array(found_nodes, np.intp), np.array(found_states, np.intp)


def leaving_nodes(trie: TokenTrie, nodes: np.ndarray) -> np.ndarray:
    """Those of `nodes` below which tokens go on."""
    return nodes[trie.child_count[nodes] > 0]
