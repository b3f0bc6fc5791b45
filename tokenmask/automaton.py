"""A lazy deterministic automaton over bytes: the states of one lexeme (a string, a number, a pattern).

A state is an `Expression`; its successors are the derivatives. Rows are computed when a decoder
first gets there, and written into one dense table as well, so that NumPy can walk the whole
vocabulary at once. Derivatives as automaton states: Brzozowski (1964); Owens, Reppy, Turon (2009).
Lessons 01 (by hand) and 02 (the table walk) teach it.
"""

from __future__ import annotations

import numpy as np

from .bitmask import pack_bits
from .expression import EMPTY, Expression, transitions
from .items import Follow, Split, TerminalItem, descend, try_descend
from .trie import Node
from .vocabulary import Vocabulary
from .walk import walk

UNKNOWN = -1
ALL_BYTES = bytes(range(256))
WIDE = 12
"""States with more allowed bytes than this are split by the NumPy walk, at the root of the trie."""
MANY = 200
"""And so are states for which more tokens than this are found."""


class AutomatonState(TerminalItem):
    """One state; also a terminal item, so that it can lie on a stack."""

    __slots__ = (
        "automaton",
        "expression",
        "index",
        "follow",
        "open",
        "partial",
        "label",
        "_classes",
        "_successors",
        "_allowed",
        "splits",
    )

    def __init__(self, automaton: Automaton, expression: Expression, index: int) -> None:
        self.automaton, self.expression, self.index = automaton, expression, index
        self.follow: Follow | None = () if expression.nullable else None
        self.partial = expression.partial
        self.label = automaton.label
        self.open = expression is not EMPTY
        # the row: a class per byte, a successor per class (class 0: none). A list of 256 successors
        # would be simpler, and the garbage collector would walk through all of them
        self._classes: bytes | None = None
        self._successors: tuple[AutomatonState | None, ...] = (None,)
        self._allowed = b""
        self.splits = None

    @property
    def accepting(self) -> bool:
        """The lexeme may end here."""
        return self.follow is not None

    @property
    def successors(self) -> tuple[AutomatonState, ...]:
        """The states that one byte leads to, each once."""
        self.automaton.fill_once(self)
        return self._successors[1:]

    def step(self, byte: int) -> AutomatonState | None:
        classes = self._classes
        if classes is None:
            classes = self.automaton.fill(self)
        return self._successors[classes[byte]]

    def allowed(self) -> bytes:
        if self._classes is None:
            self.automaton.fill(self)
        return self._allowed

    def _split(self, node: Node) -> Split:
        if node is not node.trie.root:
            return descend(self, node)
        found = None if len(self.allowed()) > WIDE else try_descend(self, node, MANY)
        return split_wide(self, node) if found is None else found


class Automaton:
    """States of one expression, interned; `table[i, b]` is 256 * successor, 0 dead, -1 not yet known."""

    __slots__ = ("vocabulary", "label", "states", "index", "table", "start", "unfilled", "accepting", "extra")

    def __init__(
        self, expression: Expression, vocabulary: Vocabulary, label: str = "text"
    ) -> None:
        self.vocabulary = vocabulary
        self.label = label
        self.states: list[AutomatonState] = []
        self.index: dict[Expression, AutomatonState] = {}
        self.table = np.full((8, 256), UNKNOWN, np.intp)
        self.table[0] = 0  # row 0 is the dead state
        self.unfilled = 0  # states whose row is not known yet
        self.accepting = np.zeros(8, bool)
        self.extra: dict[object, object] = {}  # per-automaton memos of strings.py
        self.start = self.state(expression)

    def state(self, expression: Expression) -> AutomatonState:
        """The state of an expression (states are numbered from 1)."""
        found = self.index.get(expression)
        if found is None:
            found = AutomatonState(self, expression, len(self.states) + 1)
            self.index[expression] = found
            self.states.append(found)
            self.unfilled += 1
            if found.index >= len(self.table):
                self._grow()
            self.accepting[found.index] = found.follow is not None
        return found

    def _grow(self) -> None:
        self.table = np.concatenate([self.table, np.full_like(self.table, UNKNOWN)])
        self.accepting = np.concatenate([self.accepting, np.zeros_like(self.accepting)])

    def fill_once(self, state: AutomatonState) -> None:
        """Make sure that the state's row is in the table."""
        if state._classes is None:
            self.fill(state)

    def fill(self, state: AutomatonState) -> bytes:
        """Compute a state's row, in both forms; returns the class of each byte."""
        classes = bytearray(256)
        numbers = np.zeros(256, np.intp)
        known: dict[AutomatonState, int] = {}
        allowed: list[bytes] = []
        for low, high, expression in transitions(state.expression):
            after = self.state(expression)
            number = known.setdefault(after, len(known) + 1)
            classes[low : high + 1] = bytes((number,)) * (high + 1 - low)
            numbers[low : high + 1] = after.index << 8
            allowed.append(ALL_BYTES[low : high + 1])
        # the row is in the automaton now; kept twice, it would be work for the garbage collector
        state.expression.forget_row()
        self.table[state.index] = numbers
        self.unfilled -= 1
        state._classes, state._successors = bytes(classes), (None, *known)
        state._allowed = b"".join(allowed)
        state.open = bool(known)
        return state._classes


def split_wide(state: AutomatonState, root: Node) -> Split:
    """The split at the trie's root by one NumPy walk: under a millisecond, however much is allowed."""
    trie, automaton = root.trie, state.automaton
    reach = walk(trie, automaton, state)
    if reach.dense is None:
        mask = pack_nodes(automaton.vocabulary, reach.nodes)
        left = reach.nodes[automaton.accepting[reach.states]]
    else:
        mask = pack_bits(automaton.vocabulary.reached(reach.dense))
        left = _accepting_nodes(automaton, reach.dense)
    left = left[trie.child_count[left] > 0]
    exits = [(trie.merged(left.tolist()), ())] if left.size else []
    return Split(mask, (), exits)


def _accepting_nodes(automaton: Automaton, dense: np.ndarray) -> np.ndarray:
    """Trie nodes at which the lexeme may end, from the states of all nodes."""
    ends = [state.index << 8 for state in automaton.states if state.accepting]
    if len(ends) > 3:
        return np.flatnonzero(automaton.accepting[dense >> 8])
    # nearly always there is one such state: a closed string
    found = [np.flatnonzero(dense == end) for end in ends]
    return np.concatenate(found) if found else np.zeros(0, np.intp)


def pack_nodes(vocabulary: Vocabulary, nodes: np.ndarray) -> np.ndarray:
    """Mask of the tokens that end at trie nodes: uint32 (words,)."""
    return vocabulary.pack(vocabulary.trie.token[nodes])
