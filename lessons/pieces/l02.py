"""Lesson 02's finished pieces: tokens as bytes, four ways to a mask, bitsets, cache keys.

Automata run on bytes here and are tables of 256 columns, so that NumPy can step thousands of trie
nodes at once. State 0 is dead in every table.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache

import numpy as np

from tokenmask.trie import Node, TokenTrie

DEAD = 0
DIGITS = "0123456789"


@cache
def byte_letters() -> dict[str, int]:
    """The alphabet of byte-level tokenizers: 256 printable characters, one for each byte.

    Bytes that print stand for themselves. The other 68 take characters 256, 257, ... in order, so
    that a space (the 33rd of them) is written Ġ.

    >>> byte_letters()["a"], byte_letters()["Ġ"]
    (97, 32)
    """
    printing = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [byte for byte in range(256) if byte not in printing]
    return {chr(b): b for b in printing} | {chr(256 + i): b for i, b in enumerate(others)}


def token_bytes(piece: str, letters: dict[str, int]) -> bytes:
    """The bytes that a token stands for, from how a byte-level tokenizer writes it.

    >>> token_bytes("Ġcat", byte_letters())
    b' cat'
    """
    return bytes(letters[char] for char in piece)


@dataclass(eq=False)
class Machine:
    """A deterministic automaton over bytes.

    table: int32 [states, 256], the next state; 0 is dead. rows: the same as lists, for Python loops.
    """

    table: np.ndarray
    start: int = 1
    accepting: frozenset[int] = frozenset()
    name: str = "machine"
    rows: list[list[int]] = field(init=False)

    def __post_init__(self) -> None:
        self.rows = self.table.tolist()

    @property
    def states(self) -> int:
        """How many states there are, the dead one not counted; they are numbered from 1."""
        return len(self.rows) - 1

    def __repr__(self) -> str:
        return self.name


def walk(machine: Machine, state: int, data: bytes) -> int:
    """The state after all of `data`, 0 if it is illegal."""
    rows = machine.rows
    for byte in data:
        state = rows[state][byte]
        if not state:
            return DEAD
    return state


def replay(machine: Machine, state: int, tokens: Sequence[bytes]) -> list[int]:
    """Legal token ids, ascending: feed every token, byte by byte. The specification."""
    return [i for i, token in enumerate(tokens) if token and walk(machine, state, token)]


def descend(machine: Machine, state: int, node: Node) -> list[int]:
    """Legal token ids below `node`, ascending: trie and automaton are walked together."""
    legal, work = [], [(state, node)]
    while work:
        state, node = work.pop()
        for byte, child in node.children.items():
            after = machine.rows[state][byte]
            if after:
                legal += child.tokens
                work.append((after, child))
    return sorted(legal)


def steps_of(machine: Machine, state: int, node: Node) -> int:
    """How many transitions `descend` looks up."""
    looked_up, work = 0, [(state, node)]
    while work:
        state, node = work.pop()
        looked_up += len(node.children)
        for byte, child in node.children.items():
            if machine.rows[state][byte]:
                work.append((machine.rows[state][byte], child))
    return looked_up


def level_walk(machine: Machine, state: int, trie: TokenTrie) -> np.ndarray:
    """Legal token ids, ascending: all nodes of one depth at once. Dead stays dead."""
    states = np.zeros(trie.size, np.int32)
    states[0] = state
    for low, high in trie.levels[1:]:
        before = states[trie.parent[low:high]]
        states[low:high] = machine.table[before, trie.byte[low:high]]
    ids = trie.token[states > 0]  # -1 where no token ends
    legal = np.zeros(trie.token.max() + 1, bool)
    legal[ids[ids >= 0]] = True
    return np.flatnonzero(legal)


def pack(ids: Iterable[int], size: int) -> np.ndarray:
    """Token ids to a bitset, uint32 [words]: bit i of word w is token 32 w + i.

    >>> pack([0, 2, 33], 40)
    array([5, 2], dtype=uint32)
    """
    words = np.zeros(-(-size // 32), np.uint32)
    for i in ids:
        words[i // 32] |= np.uint32(1 << (i % 32))
    return words


def unpack(words: np.ndarray) -> list[int]:
    """The ids in a bitset, ascending."""
    bits = np.unpackbits(words.astype("<u4").view(np.uint8), bitorder="little")
    return np.flatnonzero(bits).tolist()


# this thread's own time, whatever else the machine does; on Windows that clock is too coarse
CLOCK = time.perf_counter if sys.platform == "win32" else time.thread_time


def seconds(function: Callable[[], object], repeat: int = 3) -> float:
    """Seconds that one call takes: the fastest of a few, since disturbances only ever add time."""
    times = []
    for _ in range(repeat):
        start = CLOCK()
        function()
        times.append(CLOCK() - start)
    return min(times)


# counted states: (place, count). Each function tests the count against a threshold


def array_step(state: tuple, char: str, max_items: int) -> tuple | None:
    """One character further in an array of digits, after its `[`. Start: ("value", 0).

    >>> array_step(("value", 0), "7", 3), array_step(("after", 3), ",", 3)
    (('after', 1), None)
    """
    place, count = state
    if place == "value" and char in DIGITS:
        return "after", count + 1
    if place == "after" and char == "," and count < max_items:
        return "value", count
    if place == "after" and char == "]":
        return "done", count
    return None


def exponent_step(state: tuple, char: str, cap: int) -> tuple | None:
    """One character further in a number, after `1e`: 1 to `cap` digits, then `,`. Start: ("e", 0).

    >>> exponent_step(("e", 0), "5", 3), exponent_step(("e", 0), ",", 3)
    (('e', 1), None)
    """
    place, count = state
    if place == "e" and char in DIGITS and count < cap:
        return "e", count + 1
    if place == "e" and char == "," and count >= 1:
        return "done", count
    return None


def counted_mask(step: Callable, state: tuple, limit: int, tokens: Sequence[str]) -> tuple[str, ...]:
    """The legal tokens of a counted state, by replay.

    >>> counted_mask(array_step, ("after", 2), 3, [",", ",7", ",7,7", "]"])
    (',', ',7', ']')
    """

    def survives(token: str) -> bool:
        here = state
        for char in token:
            here = step(here, char, limit)
            if here is None:
                return False
        return True

    return tuple(token for token in tokens if survives(token))


def array_states(max_items: int) -> list[tuple]:
    """Every state that an array of at most `max_items` digits can be in, but the last."""
    places = [("value", n) for n in range(max_items)] + [("after", n + 1) for n in range(max_items)]
    return sorted(places, key=lambda state: (state[1], state[0]))


def exponent_states(cap: int) -> list[tuple]:
    """Every state that an exponent of at most `cap` digits can be in, but the last."""
    return [("e", n) for n in range(cap + 1)]


def confused(key: Callable, states: Sequence, mask: Callable) -> tuple | None:
    """Two states with equal keys and different masks; None if there are none."""
    kept: dict[Hashable, tuple] = {}
    for state in states:
        first = kept.setdefault(key(state), state)
        if mask(first) != mask(state):
            return first, state
    return None


def array_key(state: tuple, max_items: int, tokens: Sequence[str]) -> Hashable:
    """A sound cache key for a state of `array_step`.

    A token with k commas tests the count k times: from "after" it needs max_items - count >= k,
    from "value", where an element comes first, max_items - count >= k + 1. No token has more than
    `most` commas, so whatever exceeds most + 1 passes every test.
    """
    place, count = state
    most = max(token.count(",") for token in tokens)
    return place, min(max_items - count, most + 1)


def exponent_key(state: tuple, cap: int, tokens: Sequence[str]) -> Hashable:
    """A sound cache key for a state of `exponent_step`.

    Two thresholds: `count < cap`, tested once per digit of a token, and `count >= 1`.
    """
    place, count = state
    return place, count >= 1, min(cap - count, max(map(len, tokens)))
