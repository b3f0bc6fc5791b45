"""Lesson 08's finished pieces: when a text may end, how soon it can, and a mask that keeps to it.

Everything works on the automata of lesson 01, by trying every token. The engine does the same for
stacks and 49,152 tokens (`tokenmask.budget`).
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from lessons.pieces import l01
from toymodel import UniformModel


def with_end(dfa: l01.DFA, state: int, tokens: list[str], end: int) -> np.ndarray:
    """The mask of `state`, bool [tokens], where token `end` means: the text is over.

    >>> date = l01.date_dfa()
    >>> with_end(date, 10, ["7", "<end>"], 1), with_end(date, 3, ["7", "<end>"], 1)
    (array([False,  True]), array([ True, False]))
    """
    mask = np.zeros(len(tokens), dtype=bool)
    mask[l01.allowed_token_ids(dfa, state, tokens)] = True
    mask[end] = state in dfa.accepting
    return mask


def fewest_tokens(text: str, tokens: list[str]) -> list[int]:
    """The ids of the fewest tokens that spell `text`; ValueError if none do.

    >>> fewest_tokens("abcd", ["a", "abc", "bcd", "d", "ab", "c"])
    [0, 2]
    """
    best: list[list[int] | None] = [None] * len(text) + [[]]
    for place in reversed(range(len(text))):
        for i, token in enumerate(tokens):
            rest = best[place + len(token)] if text.startswith(token, place) else None
            if rest is not None and (best[place] is None or len(rest) + 1 < len(best[place])):
                best[place] = [i, *rest]
    if best[0] is None:
        raise ValueError(f"these tokens cannot spell {text!r}")
    return best[0]


def shortest_completion(stack: list[str], cheapest: dict[str, str], tokens: list[str]) -> list[int]:
    """The fewest tokens that pay everything on the stack, topmost first.

    cheapest: what is owed -> the shortest text that pays it. Nothing owed: no tokens.
    """
    return fewest_tokens("".join(cheapest[owed] for owed in stack), tokens)


def costs(dfa: l01.DFA, tokens: list[str]) -> list[float]:
    """For each state: the fewest tokens that lead to an accepting one; inf if none do.

    >>> costs(l01.enum_dfa(["cat"]), ["ca", "t"])
    [2, inf, 1, 0]
    """
    cost = [0 if state in dfa.accepting else math.inf for state in range(dfa.states)]
    targets = [token_targets(dfa, state, tokens) for state in range(dfa.states)]
    changed = True
    while changed:
        changed = False
        for state, after in enumerate(targets):
            found = 1 + min((cost[s] for s in after.values()), default=math.inf)
            if found < cost[state]:
                cost[state], changed = found, True
    return cost


def token_targets(dfa: l01.DFA, state: int, tokens: list[str]) -> dict[int, int]:
    """Legal token id -> the state after it."""
    return {i: l01.walk(dfa, state, tokens[i]) for i in l01.allowed_token_ids(dfa, state, tokens)}


def budgeted_mask(
    dfa: l01.DFA, state: int, tokens: list[str], cost: list[float], remaining: int
) -> np.ndarray:
    """The legal tokens after which the text can still end in time: bool [tokens].

    cost: from `costs`. remaining: tokens that may still be written, this one included.
    """
    mask = np.zeros(len(tokens), dtype=bool)
    for token, after in token_targets(dfa, state, tokens).items():
        mask[token] = 1 + cost[after] <= remaining
    return mask


def nucleus(logits: np.ndarray, mask: np.ndarray, p: float) -> list[int]:
    """Top-p done right: the fewest likeliest *legal* tokens that hold a share `p` of what is legal.

    Likeliest first; of equals the lower id. ValueError if nothing is legal.

    >>> nucleus(np.log([0.6, 0.3, 0.08, 0.02]), np.array([False, False, True, True]), 0.9)
    [2, 3]
    """
    if not mask.any():
        raise ValueError("no token is legal here")
    p_legal = l01.softmax(np.where(mask, logits, -np.inf))
    order = np.argsort(-p_legal, kind="stable")
    count = int(np.searchsorted(p_legal[order].cumsum(), p)) + 1
    return [int(i) for i in order[:count] if mask[i]]


def list_dfa() -> l01.DFA:
    """A list of digits, compact: `[]`, `[7]`, `[7,0,3]` ... State 3 comes after a comma."""
    edges = {(0, "["): 1, (1, "]"): 4, (2, ","): 3, (2, "]"): 4}
    for digit in l01.DIGITS:
        edges[1, digit] = edges[3, digit] = 2
    return l01.DFA(start=0, accepting={4}, edges=edges, name="digit list")


class Spacey(UniformModel):
    """A toy model in love with spaces: greedy, it writes one wherever it may."""

    def extend(self, ids: Iterable[int]) -> np.ndarray:
        """Append `ids`; logits that are 5 for a space and about 0 for all others."""
        logits = super().extend(ids)
        logits[self.vocabulary.tokens.index(b" ")] = 5.0
        return logits
