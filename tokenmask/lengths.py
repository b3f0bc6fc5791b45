r"""How many characters a string can still have, from each state of its content's automaton.

`minLength: 5` beside `pattern: ^(ab)*$` allows "ababab" but must never let a decoder get to a
place from which no length fits. So for every state between two characters the possible numbers of
further characters are found, once, by a fixed point. States inside a character (a UTF-8 tail, an
escape such as `\u00e9`) are looked at only when a decoder gets there.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from .automaton import Automaton, AutomatonState
from .expression import TooComplex
from .spans import span
from .walk import distinct

ENDLESS = 1 << 40
"""Stands for "as many as you like" in arrays of lengths."""
MOST_PLACES = 1500
MOST_WORK = 40_000
LONGEST_EXACT = 4096
BACKSLASH = ord("\\")
SHORT_ESCAPES = b'"\\/bfnrt'


class TooManyStates(ValueError):
    """The content's automaton is too large to be explored as a whole."""


class Lengths:
    """Possible numbers of further characters, per state.

    `gapless`: from every place all numbers between the shortest and the longest are possible. A
    state in the middle of a character counts that character too.
    """

    def __init__(self, automaton: Automaton) -> None:
        self.automaton = automaton
        self.after: dict[AutomatonState, tuple[AutomatonState, ...]] = {}  # one character further
        self.work = 0  # alternatives followed so far
        self._ends: dict[AutomatonState, tuple[AutomatonState, ...]] = {}
        self._know(automaton.start)

    def _know(self, start: AutomatonState) -> None:
        """Explore from a place between two characters, and settle all lengths anew."""
        work = [start]
        while work:
            place = work.pop()
            if place in self.after:
                continue
            if len(self.after) >= MOST_PLACES:
                raise TooManyStates("a pattern or format beside a length has too many states to count")
            # a character passes some twenty states, each with all the alternatives
            self.work += 20 * len(getattr(place.expression, "items", ())) + 1
            if self.work > MOST_WORK:
                raise TooComplex("a pattern beside a length has too many ways to match")
            self.after[place] = found = tuple(dict.fromkeys(_characters(place)))
            work.extend(found)
        self._settle()

    def _settle(self) -> None:
        places = self.after
        self._shortest = {place: 0 if place.accepting else ENDLESS for place in places}
        self._longest = dict.fromkeys(places, ENDLESS)
        before: dict[AutomatonState, list[AutomatonState]] = {place: [] for place in places}
        for place, found in places.items():
            for after in found:
                before[after].append(place)
        self._find_shortest(before)
        self._find_longest(before)
        self.gapless = all(
            longest == 0 or (longest == ENDLESS and place.accepting)
            for place, longest in self._longest.items()
        )
        self._exact: dict[int, dict[AutomatonState, int]] = {}

    def _find_shortest(self, before: dict[AutomatonState, list[AutomatonState]]) -> None:
        """Breadth first, backwards from the accepting places."""
        level = [place for place in self.after if place.accepting]
        length = 0
        while level:
            length += 1
            following = []
            for place in level:
                for earlier in before[place]:
                    if self._shortest[earlier] > length:
                        self._shortest[earlier] = length
                        following.append(earlier)
            level = following

    def _find_longest(self, before: dict[AutomatonState, list[AutomatonState]]) -> None:
        """Longest path: remove places whose successors are all settled; what is left is in a cycle."""
        waiting = {place: len(found) for place, found in self.after.items()}
        ready = [place for place, count in waiting.items() if not count]
        while ready:
            place = ready.pop()
            lengths = [self._longest[after] + 1 for after in self.after[place]]
            self._longest[place] = max(lengths, default=0)
            for earlier in before[place]:
                waiting[earlier] -= 1
                if not waiting[earlier]:
                    ready.append(earlier)

    def _finish(self, state: AutomatonState) -> tuple[AutomatonState, ...]:
        """The places where the character that `state` is in the middle of may end."""
        found = self._ends.get(state)
        if found is None:
            found = self._ends[state] = tuple(_ends(state))
        for place in found:
            if place not in self.after:
                self._know(place)  # reached by an escape only
        return found

    def shortest_from(self, state: AutomatonState) -> int:
        """Fewest further characters."""
        if state.partial:
            return 1 + min((self._shortest[end] for end in self._finish(state)), default=ENDLESS)
        if state not in self.after:
            self._know(state)
        return self._shortest[state]

    def longest_from(self, state: AutomatonState) -> int:
        """Most further characters; `ENDLESS` if there is no limit."""
        if state.partial:
            return 1 + max((self._longest[end] for end in self._finish(state)), default=0)
        if state not in self.after:
            self._know(state)
        return self._longest[state]

    def arrays(self, states: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Shortest and longest for an array of state numbers: two int64 arrays of its shape."""
        shortest = of_states(self.automaton, states, self.shortest_from)
        return shortest[states], of_states(self.automaton, states, self.longest_from)[states]

    def check(self, least: int, most: int | None) -> None:
        """Raise `TooManyStates` where `possible` would have to count too far."""
        if not self.gapless and least > 0 and most is not None and most > LONGEST_EXACT:
            raise TooManyStates(f"a pattern beside a maxLength of {most} is too much to count")

    def possible(self, state: AutomatonState, least: int, most: int | None) -> bool:
        """Some word from `state` has `least` to `most` further characters."""
        if most is not None and self.shortest_from(state) > most:
            return False
        if self.longest_from(state) < least:
            return False
        if self.gapless or least <= 0 or most is None:
            return True
        if state.partial:
            return any(self.possible(end, least - 1, most - 1) for end in self._finish(state))
        return bool(self._counts(most)[state] >> least & ((1 << (most - least + 1)) - 1))

    def _counts(self, most: int) -> dict[AutomatonState, int]:
        """Per place the set of possible lengths up to `most`, as bits of an integer."""
        found = self._exact.get(most)
        if found is None:
            found = self._exact[most] = self._count(most)
        return found

    def _count(self, most: int) -> dict[AutomatonState, int]:
        window = (1 << (most + 1)) - 1
        sets = {place: int(place.accepting) for place in self.after}
        changed = True
        while changed:
            changed = False
            for place, found in self.after.items():
                bits = sets[place]
                for after in found:
                    bits |= sets[after] << 1 & window
                if bits != sets[place]:
                    sets[place] = bits
                    changed = True
        return sets


def of_states(
    automaton: Automaton, states: np.ndarray, answer: Callable[[AutomatonState], int]
) -> np.ndarray:
    """The answer for every state number that occurs in `states`: int64, by state number."""
    found = np.zeros(len(automaton.states) + 1, np.int64)
    for number in distinct(states):
        found[number] = answer(automaton.states[number - 1])
    return found


def _ends(state: AutomatonState) -> list[AutomatonState]:
    """The places where the character that `state` is in the middle of may end."""
    ends: dict[AutomatonState, None] = {}
    work, seen = [state], {state}
    while work:
        for after in work.pop().successors:
            if not after.partial:
                ends[after] = None
            elif after not in seen:
                seen.add(after)
                work.append(after)
    return list(ends)


def _characters(place: AutomatonState) -> list[AutomatonState]:
    r"""The places one character further: raw or by a short escape.

    `\u0041` leads where `A` leads. The few characters that have no other spelling are control
    characters; where one of them leads elsewhere, that place is explored when it is met.
    """
    escape = place.step(BACKSLASH)
    found: list[AutomatonState] = []
    work = [after for after in place.successors if after is not escape]
    if escape is not None:
        work += [after for byte in SHORT_ESCAPES if (after := escape.step(byte)) is not None]
    seen = set(work)
    while work:
        state = work.pop()
        if not state.partial:
            found.append(state)
            continue
        for after in state.successors:
            if after not in seen:
                seen.add(after)
                work.append(after)
    return found


class Shortest:
    """The same where only `maxLength` is given: the shortest lengths, found place by place.

    Nothing is explored ahead of the decoder, so a long format costs nothing when compiling.
    """

    gapless = True

    def __init__(self, automaton: Automaton) -> None:
        self.automaton = automaton
        self._known: dict[AutomatonState, int] = {}

    def shortest_from(self, state: AutomatonState) -> int:
        """Fewest further characters; breadth first from the state."""
        found = self._known.get(state)
        if found is None:
            found = self._known[state] = self._search(state)
        return found

    def _search(self, state: AutomatonState) -> int:
        length = int(state.partial)
        level = _ends(state) if state.partial else [state]
        known = [span(place.expression) for place in level]
        if level and None not in known:  # of most patterns, a glance tells
            return length + min(each.least for each in known)
        seen = set(level)
        while level:
            if any(place.accepting for place in level):
                return length
            length += 1
            level = [after for place in level for after in _characters(place)]
            level = [place for place in dict.fromkeys(level) if place not in seen]
            seen.update(level)
            if len(seen) > MOST_PLACES:
                raise TooManyStates("a pattern or format beside a length has too many states")
        return ENDLESS

    def arrays(self, states: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """As `Lengths.arrays`; there is no `minLength`, so nothing is ever too short."""
        shortest = of_states(self.automaton, states, self.shortest_from)
        return shortest[states], np.full(states.size, ENDLESS, np.int64)

    def possible(self, state: AutomatonState, least: int, most: int | None) -> bool:
        """As `Lengths.possible`; `least` is 0."""
        return most is None or self.shortest_from(state) <= most


def lengths_of(automaton: Automaton, least: int, most: int | None) -> Lengths | Shortest:
    """What is needed for these bounds, computed once per automaton; may raise `TooManyStates`."""
    kind: type = Lengths if least > 0 else Shortest
    found = automaton.extra.get(kind)
    if found is None:
        found = automaton.extra[kind] = kind(automaton)
    if kind is Lengths:
        found.check(least, most)
    elif not found.possible(automaton.start, 0, most):
        raise TooComplex("no string has this content and this length")
    return found
