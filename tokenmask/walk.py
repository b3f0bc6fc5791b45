"""The vocabulary trie walked level by level with NumPy: every token against one automaton at once.

All nodes of one depth that are still alive are kept as two arrays, the node numbers and the
automaton's states; one gather in the automaton's table moves all of them one byte on. Where most
nodes are alive, whole levels are gathered instead: no index arithmetic, dead nodes included.
Lesson 02 measures this against replaying each token and against walking the trie in Python.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from .automaton import Automaton, AutomatonState
    from .trie import TokenTrie

FEW = 48
"""Below this many live nodes plain Python is faster than NumPy calls."""
MANY = 1200
"""Above this many live nodes at depth two, whole levels are gathered."""

_scratch = threading.local()


class Reach:
    """Where a walk got: `nodes` and `states`, or, after a wide one, `dense` for all nodes at once.

    `dense` (intp, one entry per trie node: 256 * state, 0 where nothing got) is scratch memory: the
    next walk of this thread overwrites it.
    """

    __slots__ = ("nodes", "states", "dense")

    def __init__(
        self,
        nodes: np.ndarray | None = None,
        states: np.ndarray | None = None,
        dense: np.ndarray | None = None,
    ) -> None:
        self.nodes, self.states, self.dense = nodes, states, dense


def walk_vocabulary(
    trie: TokenTrie, automaton: Automaton, state: AutomatonState, starts: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """All trie nodes that are reached alive, and the state index at each: two intp arrays (n,).

    `starts` are the nodes to begin below (default: the root); they are not part of the result.
    """
    found = walk(trie, automaton, state, starts)
    if found.dense is None:
        return found.nodes, found.states
    alive = np.flatnonzero(found.dense)
    return alive, found.dense[alive] >> 8


def walk(
    trie: TokenTrie, automaton: Automaton, state: AutomatonState, starts: np.ndarray | None = None
) -> Reach:
    """The same in whichever form the walk ended."""
    automaton.fill_once(state)
    nodes = np.zeros(1, np.intp) if starts is None else starts
    states = np.full(nodes.size, state.index << 8, np.intp)
    found: list[tuple[np.ndarray, np.ndarray]] = []
    depth = 0
    while nodes.size:
        if starts is None and depth == 2 and nodes.size > MANY:
            return Reach(dense=_whole_levels(trie, automaton, found))
        if depth > 2 and nodes.size < FEW:
            found.append(_tail(trie, automaton, nodes, states))
            break
        counts = trie.child_count[nodes]
        ends = counts.cumsum()
        total = int(ends[-1])
        if not total:
            break
        children = np.repeat(trie.first_child[nodes] - ends + counts, counts)
        children += trie.numbers[:total]
        index = np.repeat(states, counts)
        index += trie.byte[children]
        after = _advance(automaton, index, None)
        alive = np.flatnonzero(after)
        nodes, states = children[alive], after[alive]
        found.append((nodes, states))
        depth += 1
    if not found:
        nothing = np.zeros(0, np.intp)
        return Reach(nothing, nothing)
    return Reach(
        np.concatenate([nodes for nodes, _ in found]),
        np.concatenate([states for _, states in found]) >> 8,
    )


def _advance(automaton: Automaton, index: np.ndarray, out: np.ndarray | None) -> np.ndarray:
    """States after one byte, for many (256 * state + byte); fills rows that are met the first time."""
    after = automaton.table.ravel().take(index, out=out, mode="clip")
    if automaton.unfilled:
        while after.min(initial=0) < 0:
            for number in distinct(index[after < 0] >> 8):
                automaton.fill(automaton.states[number - 1])
            after = automaton.table.ravel().take(index, out=out, mode="clip")
    return after


def distinct(numbers: np.ndarray) -> list[int]:
    """Small numbers, each once, ascending: without the sort that `np.unique` makes."""
    return np.flatnonzero(np.bincount(numbers)).tolist()


def _buffers(trie: TokenTrie) -> tuple[np.ndarray, np.ndarray]:
    """Scratch memory of this thread: fresh memory for each walk would cost more than the walk."""
    kept = getattr(_scratch, "buffers", None)
    if kept is None or kept[0].size != trie.size:
        width = max(high - low for low, high in trie.levels)
        kept = _scratch.buffers = (np.zeros(trie.size, np.intp), np.empty(width, np.intp))
    return kept


def _whole_levels(
    trie: TokenTrie, automaton: Automaton, found: list[tuple[np.ndarray, np.ndarray]]
) -> np.ndarray:
    """Everything below depth two: each level takes its parents' states by one gather."""
    dense, index = _buffers(trie)
    dense[: trie.levels[len(found)][1]] = 0
    for nodes, states in found:
        dense[nodes] = states
    for depth in range(len(found) + 1, len(trie.levels)):
        low, high = trie.levels[depth]
        if high - low < FEW:
            _last_levels(trie, automaton, dense, depth)
            break
        here = index[: high - low]
        dense.take(trie.parent[low:high], out=here, mode="clip")
        here += trie.byte[low:high]
        # a dead parent has state 0, and row 0 of the table is all dead
        _advance(automaton, here, dense[low:high])
    return dense


def _last_levels(trie: TokenTrie, automaton: Automaton, dense: np.ndarray, depth: int) -> None:
    """The deepest levels, a few long tokens."""
    above, low = trie.levels[depth - 1][0], trie.levels[depth][0]
    dense[low:] = 0
    alive = np.flatnonzero(dense[above:low]) + above
    nodes, states = _tail(trie, automaton, alive, dense[alive])
    dense[nodes] = states


def _tail(
    trie: TokenTrie, automaton: Automaton, nodes: np.ndarray, states: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The last few branches, in plain Python."""
    found_nodes: list[int] = []
    found_states: list[int] = []
    known, byte_at, runs = automaton.states, trie.byte_at, trie.runs
    work = list(zip(nodes.tolist(), states.tolist(), strict=True))
    while work:
        number, state = work.pop()
        low, high = trie.children_range(number)
        if low == high:
            continue
        step = known[(state >> 8) - 1].step
        below = runs.get(number)
        if below and step(byte_at[low]) is known[(state >> 8) - 1]:
            # one byte again and again, and it changes nothing
            found_nodes += below
            found_states += [state] * len(below)
            continue
        for child in range(low, high):
            after = step(byte_at[child])
            if after is not None:
                found_nodes.append(child)
                found_states.append(after.index << 8)
                work.append((child, after.index << 8))
    return np.array(found_nodes, np.intp), np.array(found_states, np.intp)
