"""Lesson 01's finished pieces: automata over characters, masks over tokens, one sampled object.

Everything is small enough to read at once, and slow on purpose: lesson 02 makes it fast.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

DIGITS = "0123456789"
# what may stand in a string here: printable ASCII without `"` and `\` (escapes wait for lesson 06)
PLAIN = "".join(chr(code) for code in range(32, 127) if chr(code) not in '"\\')

# what `object_dfa` accepts, as a JSON Schema
SCHEMA = {
    "type": "object",
    "properties": {
        "name": {"type": "string"},
        "age": {"type": "number"},
        "active": {"type": "boolean"},
    },
    "required": ["name", "age", "active"],
    "additionalProperties": False,
}


@dataclass
class DFA:
    """A deterministic finite automaton over characters.

    edges: (state, character) -> next state. States are whole numbers. What has no edge is illegal.
    """

    start: int = 0
    accepting: set[int] = field(default_factory=set)
    edges: dict[tuple[int, str], int] = field(default_factory=dict)
    name: str = "dfa"

    @property
    def states(self) -> int:
        """How many states there are; they are numbered 0 to states - 1."""
        return 1 + max([self.start, *self.edges.values()])

    def __repr__(self) -> str:
        return self.name


def date_dfa() -> DFA:
    """YYYY-MM-DD by its digits only: 11 states in one line."""
    edges = {}
    for i, kind in enumerate("dddd-dd-dd"):
        for char in DIGITS if kind == "d" else "-":
            edges[i, char] = i + 1
    return DFA(start=0, accepting={10}, edges=edges, name="date")


def enum_dfa(words: Iterable[str]) -> DFA:
    """Exactly these words: a tree in which common beginnings share their states."""
    dfa = DFA(name="enum")
    for word in words:
        state = dfa.start
        for char in word:
            state = dfa.edges.setdefault((state, char), dfa.states)
        dfa.accepting.add(state)
    return dfa


class Builder:
    """Builds a DFA from left to right; `ends` are the states in which the next part may begin."""

    def __init__(self, name: str) -> None:
        self.edges: dict[tuple[int, str], int] = {}
        self.ends = {0}
        self.count = 1
        self.name = name

    def new(self) -> int:
        """A state that nothing leads to yet."""
        self.count += 1
        return self.count - 1

    def join(self, froms: Iterable[int], chars: str, to: int) -> None:
        """An edge for each of `chars` from each of `froms` to `to`."""
        for state in froms:
            for char in chars:
                self.edges[state, char] = to

    def literal(self, text: str) -> Builder:
        """Exactly this text."""
        for char in text:
            state = self.new()
            self.join(self.ends, char, state)
            self.ends = {state}
        return self

    def string(self) -> Builder:
        """A quote, any plain characters, a quote."""
        self.literal('"')
        (inside,) = self.ends
        self.join({inside}, PLAIN, inside)
        return self.literal('"')

    def number(self) -> Builder:
        """-?(0|[1-9][0-9]*)(.[0-9]+)? as JSON has it, without the exponent."""
        minus, zero, whole, dot, part = (self.new() for _ in range(5))
        self.join(self.ends, "-", minus)
        self.join({*self.ends, minus}, "0", zero)
        self.join({*self.ends, minus}, DIGITS[1:], whole)
        self.join({whole}, DIGITS, whole)
        self.join({zero, whole}, ".", dot)
        self.join({dot, part}, DIGITS, part)
        self.ends = {zero, whole, part}
        return self

    def either(self, *words: str) -> Builder:
        """One of these words; no two of them begin alike."""
        before, after = self.ends, set()
        for word in words:
            self.ends = before
            after |= self.literal(word).ends
        self.ends = after
        return self

    def dfa(self) -> DFA:
        """What was built so far; it accepts where the next part would begin."""
        return DFA(start=0, accepting=set(self.ends), edges=dict(self.edges), name=self.name)


def object_dfa() -> DFA:
    """{"name": STRING, "age": NUMBER, "active": BOOLEAN}, keys in this order."""
    builder = Builder("person")
    builder.literal('{"name": ').string()
    builder.literal(', "age": ').number()
    builder.literal(', "active": ').either("true", "false")
    return builder.literal("}").dfa()


def step(dfa: DFA, state: int | None, char: str) -> int | None:
    """The state after `char`; None if it is illegal here, or if we are lost already.

    >>> step(date_dfa(), 0, "2"), step(date_dfa(), 0, "-"), step(date_dfa(), None, "2")
    (1, None, None)
    """
    return dfa.edges.get((state, char))


def walk(dfa: DFA, state: int | None, text: str) -> int | None:
    """The state after all of `text`, or None.

    >>> walk(date_dfa(), 0, "2023-")
    5
    """
    for char in text:
        state = step(dfa, state, char)
    return state


def allowed_token_ids(dfa: DFA, state: int, tokens: list[str]) -> list[int]:
    """The ids of the tokens that are legal in `state`, by replay: feed each one, see if it lives.

    >>> allowed_token_ids(date_dfa(), 3, ["7", "-", "7-", "7-7", "77"])
    [0, 2, 3]
    """
    return [i for i, token in enumerate(tokens) if walk(dfa, state, token) is not None]


def compile_masks(dfa: DFA, tokens: list[str]) -> np.ndarray:
    """The mask of every state: bool [states, tokens], True where the token is legal."""
    masks = np.zeros((dfa.states, len(tokens)), dtype=bool)
    for state in range(dfa.states):
        masks[state, allowed_token_ids(dfa, state, tokens)] = True
    return masks


def softmax(logits: np.ndarray) -> np.ndarray:
    """Logits [n] -> probabilities [n]. A logit of minus infinity becomes exactly 0."""
    weights = np.exp(logits - logits.max())
    return weights / weights.sum()


def constrained_sample(logits: np.ndarray, mask: np.ndarray, rng: np.random.Generator) -> int:
    """Draw a token id from softmax(logits), with the tokens where `mask` is False ruled out.

    Raises ValueError if the mask allows nothing. The logits given are not changed.
    """
    if not mask.any():
        raise ValueError("no token is legal here")
    masked = np.where(mask, logits, -np.inf)
    return int(rng.choice(len(logits), p=softmax(masked)))


def sample_object(dfa: DFA, masks: np.ndarray, tokens: list[str], rng) -> str:
    """Sample tokens, every logit 0, until the automaton accepts; the text."""
    state, text = dfa.start, ""
    while state not in dfa.accepting:
        token = tokens[constrained_sample(np.zeros(len(tokens)), masks[state], rng)]
        state, text = walk(dfa, state, token), text + token
    return text


def first_character_mask(dfa: DFA, state: int, tokens: list[str]) -> np.ndarray:
    """A tempting mask, bool [tokens]: a token counts as legal if its first character is.

    Wrong: the rest of the token is never looked at.
    """
    return np.array([step(dfa, state, token[0]) is not None for token in tokens])
