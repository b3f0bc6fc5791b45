"""How many characters a string can still have, from each state of its content's automaton.

`minLength: 5` beside `pattern: ^(ab)*$` allows "ababab" but must never let a decoder get to a
place from which no length fits. So for every state the possible numbers of further characters are
found, once, by a fixed point over the whole automaton.
"""

from __future__ import annotations

import numpy as np

from .automaton import Automaton, AutomatonState

ENDLESS = 1 << 40
"""Stands for "as many as you like" in arrays of lengths."""
MOST_STATES = 3000
LONGEST_EXACT = 4096


class TooManyStates(ValueError):
    """The content's automaton is too large to be explored as a whole."""


class Lengths:
    """Possible numbers of further characters per state: `shortest`, `longest`, and whether in between
    every number is possible (`gapless`). Arrays are indexed by state number, int64.

    A state in the middle of a character counts that character too.
    """

    def __init__(self, automaton: Automaton) -> None:
        self.automaton = automaton
        _explore(automaton)
        self.successors = [state.successors for state in automaton.states]
        self.shortest = self._shortest()
        self.longest = self._longest()
        self.gapless = self._gapless()
        self._exact: dict[int, list[int]] = {}

    def _cost(self, after: AutomatonState) -> int:
        """Entering a state between two characters completes one."""
        return 0 if after.partial else 1

    def _shortest(self) -> np.ndarray:
        best = [ENDLESS] * (len(self.successors) + 1)
        for state in self.automaton.states:
            if state.accepting:
                best[state.index] = 0
        changed = True
        while changed:
            changed = False
            for state, successors in zip(self.automaton.states, self.successors, strict=True):
                for after in successors:
                    length = best[after.index] + self._cost(after)
                    if length < best[state.index]:
                        best[state.index] = length
                        changed = True
        return np.array(best, np.int64)

    def _longest(self) -> np.ndarray:
        """Longest path, ENDLESS where a cycle is reachable: remove states in topological order."""
        count = len(self.successors)
        waiting = [len(successors) for successors in self.successors]
        before: list[list[int]] = [[] for _ in range(count + 1)]
        for number, successors in enumerate(self.successors, 1):
            for after in successors:
                before[after.index].append(number)
        longest = [ENDLESS] * (count + 1)
        ready = [number for number in range(1, count + 1) if not waiting[number - 1]]
        while ready:
            number = ready.pop()
            lengths = [longest[after.index] + self._cost(after) for after in self.successors[number - 1]]
            longest[number] = max(lengths, default=0)
            for earlier in before[number]:
                waiting[earlier - 1] -= 1
                if not waiting[earlier - 1]:
                    ready.append(earlier)
        return np.array(longest, np.int64)

    def _gapless(self) -> bool:
        """True if every state between characters that is not at its longest can take one more of any length.

        Sufficient, cheap: every reachable state has a successor with the same shortest length or
        accepts; then lengths grow one by one.
        """
        for state in self.automaton.states:
            if state.partial or self.longest[state.index] == 0:
                continue
            if self.longest[state.index] != ENDLESS or not state.accepting:
                return False
        return True

    def possible(self, state: AutomatonState, least: int, most: int | None) -> bool:
        """Some word from `state` has `least` to `most` further characters."""
        if most is not None and self.shortest[state.index] > most:
            return False
        if self.longest[state.index] < least:
            return False
        if self.gapless or least <= 0 or most is None:
            return True
        bits = self.exact(most)[state.index]
        return bool(bits >> least & ((1 << (most - least + 1)) - 1))

    def exact(self, most: int) -> list[int]:
        """Per state the set of possible lengths up to `most`, as bits of an integer."""
        if most > LONGEST_EXACT:
            raise TooManyStates(f"a pattern beside a maxLength of {most} is too much to count exactly")
        found = self._exact.get(most)
        if found is None:
            found = self._exact[most] = self._count(most)
        return found

    def _count(self, most: int) -> list[int]:
        window = (1 << (most + 1)) - 1
        sets = [0] * (len(self.successors) + 1)
        for state in self.automaton.states:
            sets[state.index] = int(state.accepting)
        changed = True
        while changed:
            changed = False
            for number, successors in enumerate(self.successors, 1):
                bits = sets[number]
                for after in successors:
                    bits |= (sets[after.index] << self._cost(after)) & window
                if bits != sets[number]:
                    sets[number] = bits
                    changed = True
        return sets


def _explore(automaton: Automaton) -> None:
    """Fill every reachable row."""
    number = 0
    while number < len(automaton.states):
        if number > MOST_STATES:
            raise TooManyStates("a pattern beside a length bound has too many states to count")
        automaton.fill_once(automaton.states[number])
        number += 1


def lengths_of(automaton: Automaton) -> Lengths:
    """The automaton's lengths, computed once."""
    found = automaton.extra.get("lengths")
    if found is None:
        found = automaton.extra["lengths"] = Lengths(automaton)
    return found
