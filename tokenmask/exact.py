"""The exact fewest tokens to an end, for small vocabularies that cannot spell every text.

They may have "Ada" but no "A", so the cheapest bytes are no guide. This is a search for the nearest
end, best first. It is A*: the price of the bytes still owed, where a byte costs its share of the
longest token that holds it, is never more than the tokens that will be needed, so the first end
that is found is the nearest one. Its work is bounded: where that is not enough, a greedy search
looks for any end, and what is not found in time counts as out of reach.
"""

from __future__ import annotations

import heapq

from .completion import NEVER, Prices
from .freekeys import FreeKey
from .pushdown import Pushdown, Stack, State
from .vocabulary import Vocabulary

SMALL = 1000
"""Trie nodes up to which a vocabulary is searched."""
UNIT = 720_720
"""The price of one token; divisible by every token length up to 16."""
MOST_REACHED = 20_000
"""Places reached in the search for a first way to the end; some half a second. A price that is
looked for on the way counts like a place."""
PER_MASK = 4_000
"""Places reached for all the tokens of one mask together."""
FEW_VISITED = 400
NONE = 1 << 40


class ExactSearch:
    """Fewest tokens from any state of one grammar; what was found once is kept."""

    def __init__(self, vocabulary: Vocabulary, pushdown: Pushdown) -> None:
        self.vocabulary, self.pushdown = vocabulary, pushdown
        weights = byte_shares(vocabulary)
        self.prices = Prices(
            vocabulary, weights, lambda text: sum(weights[byte] for byte in text), UNIT
        )
        self.text_ids = vocabulary.text_ids()
        self.purse = 0  # places that may still be reached
        self.toll = len(self.text_ids) // 20  # what trying all tokens of a place costs
        self._bounds: dict[Stack, int] = {pushdown.bottom: 0}
        self._cost: dict[State, int] = {}
        self._step: dict[State, tuple[int, State]] = {}
        self._vain: dict[State, int] = {}  # no way of so many tokens or fewer was found

    def first_cost(self, state: State, known: int) -> int:
        """Like `cost`, with more work: a whole run depends on it. Where all else fails, any way at all."""
        self.purse = MOST_REACHED
        found = self.cost(state, known)
        if found >= NONE and self.purse <= 0:
            self.purse = MOST_REACHED
            self._search(state, NONE, greedy=True)
        return min(found, self._cost.get(state, NONE))

    def cost(self, state: State, known: int, within: int = NONE) -> int:
        """Fewest tokens to an accepting state, given a way of `known` tokens (or `NONE`).

        `known` itself if no shorter way is found; ways of more than `within` tokens are not looked
        for. Where there is a way already, the search for a shorter one is given up after
        `FEW_VISITED` states, and at free keys; any search is when `purse` is empty. Answers never
        grow, so what a mask once let through keeps its room.
        """
        if state.accepting:
            return 0
        most = min(known - 1, within)  # a way that takes more is of no use
        if state not in self._cost and self._vain.get(state, -1) < most and self.purse > 0:
            self._search(state, most, known < NONE)
        return min(known, self._cost.get(state, NONE))

    def completion(self, state: State) -> list[int] | None:
        """The tokens of the way that was found, if it was found here."""
        if state not in self._cost:
            return None
        found = []
        while not state.accepting:
            token, state = self._step[state]
            found.append(token)
        return found

    def _search(self, start: State, most: int, improve: bool = False, greedy: bool = False) -> None:
        """Look for a way of at most `most` tokens. `improve`: there is one, a short look will do."""
        came_from: dict[State, tuple[State, int]] = {}
        best = {start: 0}
        done: set[State] = set()
        heap = [(self._bound(start), 0, 0, start)]
        limit, share = most * UNIT, 0 if greedy else UNIT
        all_seen = True
        serial, searches = 0, self.prices.searches
        while heap:
            if self.purse <= 0:
                all_seen = False
                break
            total, negated, _, here = heapq.heappop(heap)
            if here in done or total > limit:
                continue
            done.add(here)
            self.purse -= self.toll
            if improve and len(done) > FEW_VISITED:
                all_seen = False
                break
            if improve and _in_free_key(here):
                all_seen = False  # every name is a state of its own: far too many to try
                continue
            if here.accepting or here in self._cost:
                # a known cost was its exact bound
                self._remember(start, here, came_from)
                return
            for token in self.text_ids:
                after = self.pushdown.token(here, token, self.vocabulary.tokens[token])
                if after is None or best.get(after, NONE) <= 1 - negated:
                    continue
                bound = (1 - negated) * share + self._bound(after)
                self.purse -= 1 + self.prices.searches - searches
                searches = self.prices.searches
                if self.purse <= 0:
                    all_seen = False
                    break
                if bound > limit or bound >= NEVER:
                    continue
                best[after], came_from[after] = 1 - negated, (here, token)
                serial -= 1
                heapq.heappush(heap, (bound, negated - 1, serial, after))
        self._vain[start] = most  # not tried again for fewer
        if all_seen and most >= NONE:
            self._vain.update(dict.fromkeys(done, NONE))  # from none of them is there an end

    def _remember(
        self, start: State, end: State, came_from: dict[State, tuple[State, int]]
    ) -> None:
        """Everything on a shortest way is on its own shortest way."""
        here, cost = end, self._cost.get(end, 0)
        while here is not start:
            before, token = came_from[here]
            cost += 1
            self._cost[before], self._step[before] = cost, (token, here)
            here = before

    def _bound(self, state: State) -> int:
        """Never more than the tokens still needed, in `UNIT`s."""
        known = self._cost.get(state)
        if known is not None:
            return known * UNIT
        return min(self._stack_bound(stack) for stack in state.stacks)

    def _stack_bound(self, stack: Stack) -> int:
        path = []
        while stack not in self._bounds:
            path.append(stack)
            stack = stack.below
        total = self._bounds[stack]
        for stack in reversed(path):
            total = min(NEVER, total + self.prices.price(stack.item))
            self._bounds[stack] = total
        return total


def _in_free_key(state: State) -> bool:
    return any(isinstance(stack.item, FreeKey) for stack in state.stacks)


def byte_shares(vocabulary: Vocabulary) -> list[int]:
    """Per byte: `UNIT` divided by the length of the longest token that holds it; `NEVER` if none does."""
    longest = [0] * 256
    for token in (vocabulary.tokens[i] for i in vocabulary.text_ids()):
        for byte in set(token):
            longest[byte] = max(longest[byte], len(token))
    return [UNIT // length if length else NEVER for length in longest]
