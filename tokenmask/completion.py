"""The cheapest way to end: for every item, what to write so that nothing more is owed.

An item offers *ways*: some text, and the items that then take its place. The price of a way is
the price of its text and of those items; the price of an item is that of its cheapest way. Items
may contain themselves (a tree of trees), so prices are searched for under a limit that grows, as
in iterative deepening: a way that is already too dear is left at once, and every turn of a
recursion costs something. Lesson 08 does this by hand for one stack.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Iterator

from .arrays import Elements
from .automaton import AutomatonState
from .build import RepetitionPlace
from .cheapkeys import MOST_STATES, NEVER, FreeWords, Way, free_ways, is_short, leading_keys, name_ways
from .expression import TooComplex
from .freekeys import FreeKey
from .items import Bytes, Item, Rule, TerminalItem
from .literals import LiteralPlace
from .objects import KeySpelling, Members
from .punctuation import Punctuation
from .strings import QUOTE, CountedString
from .vocabulary import Vocabulary

FIRST_LIMIT = 16
DEAREST = 1 << 18
MOST_TRIED = 400
"""States after which no longer all ways are followed, but the best `BEAM` of each length."""
BEAM = 40
MOST_OPEN = 300_000
FEW_WORDS = 32
LONGEST_FILLER = 64


class Prices:
    """Prices for one grammar. `weights[b]`: price of byte b; `measure`: price of a text."""

    def __init__(
        self,
        vocabulary: Vocabulary,
        weights: list[int],
        measure: Callable[[bytes], int],
        unit: int = 1,
    ) -> None:
        self.vocabulary, self.weights, self.measure, self.unit = vocabulary, weights, measure, unit
        # where two bytes cost the same, the one that a person would rather read
        letters = b"0aeinorst" + bytes(range(32, 127))
        order = dict.fromkeys([*letters, *range(256)])
        self.rank = [0] * 256
        for place, byte in enumerate(order):
            self.rank[byte] = place
        self.known: dict[Item, int] = {}
        self.chosen: dict[Item, Way] = {}
        self.searches = 0  # so far: what `exact.py` counts as work
        self._over: dict[Item, int] = {}  # dearer than this
        self.free_words = FreeWords(weights, self.rank)
        self._bytes: dict[AutomatonState, list[int]] = {}

    def price(self, item: Item) -> int:
        """The price of the cheapest way to end `item`; `NEVER` if there is none."""
        limit = FIRST_LIMIT * self.unit
        while item not in self.known:
            if limit > DEAREST * self.unit:
                self.known[item] = NEVER
                break
            self._search_all(item, limit)
            limit *= 4
        return self.known[item]

    def way(self, item: Item) -> Way | None:
        """The cheapest way to end `item`, None if there is none."""
        return None if self.price(item) >= NEVER else self.chosen[item]

    def _search_all(self, item: Item, limit: int) -> None:
        """Searches that wait for other searches, on a list of their own: chains may be long."""
        waiting = [self._search(item, limit)]
        while waiting:
            wanted = next(waiting[-1], None)
            if wanted is None:
                waiting.pop()
            else:
                waiting.append(self._search(*wanted))
            if len(waiting) > MOST_OPEN:
                raise TooComplex("what is owed here nests too deep to be completed")

    def _search(self, item: Item, limit: int) -> Iterator[tuple[Item, int]]:
        """Find the price of `item` if it is at most `limit`. Yields (item, limit) to be found first."""
        self.searches += 1
        best, chosen = limit + 1, None
        if isinstance(item, Members) and is_short(item):
            ways, hopeless = yield from leading_keys(self, item, limit)
        else:
            ways, hopeless = self.ways(item), True
        for text, follow in ways:
            if item in follow:
                continue  # one more turn is never cheaper, and an item without end turns long
            total = self.measure(text) + sum(self.known.get(after, 0) for after in follow)
            for after in follow:
                if total >= best:
                    break
                if after in self.known:
                    continue
                if self._over.get(after, -1) < best - 1 - total:
                    yield after, best - 1 - total
                total += self.known.get(after, best)
            if total < best:
                best, chosen = total, (text, follow)
            hopeless = hopeless and total >= NEVER
        if item in self.known:
            return
        if chosen is not None:
            self.known[item], self.chosen[item] = best, chosen
        elif hopeless:
            self.known[item] = NEVER
        else:
            self._over[item] = max(limit, self._over.get(item, -1))

    def ways(self, item: Item) -> Iterable[Way]:
        """The ways to try; what is never cheaper than another one is left out."""
        if not item.terminal:
            return self._rule_ways(item)
        if item.follow is not None and not isinstance(item, FreeKey):
            # it may end here; a key's name decides what comes then, anything else is just over
            return [(b"", item.follow)]
        if isinstance(item, Bytes):
            return [(item.text, item.after)]
        if isinstance(item, LiteralPlace):
            return self._literal_ways(item)
        if isinstance(item, KeySpelling):
            return name_ways(self, item)
        if isinstance(item, FreeKey):
            return free_ways(self, item)
        if isinstance(item, CountedString) and item.lengths is None:
            return self._counted_ways(item)
        return self._walk_ways(item)

    def _rule_ways(self, item: Rule) -> list[Way]:
        """All alternatives; where an object or array may be closed or a repetition left, only that."""
        sequences = item.expand()
        if isinstance(item, (Members, Elements)) and len(sequences) > 1:
            if len(sequences[0]) == 1 and sequences[0][0] in _closings(item.spec.marks):
                return [(b"", sequences[0])]
            if isinstance(item, Members) and item.owed():
                return [(b"", sequences[0])]  # a known key: free ones only make it longer
        if isinstance(item, RepetitionPlace) and () in sequences:
            return [(b"", ())]
        return [(b"", sequence) for sequence in sequences]

    # --- listed words

    def _literal_ways(self, item: LiteralPlace) -> list[Way]:
        node = item.node
        words = node.trie.words[node.low : node.high]
        # the shortest ones are measured, not all of a hundred thousand
        near = heapq.nsmallest(FEW_WORDS, words, key=len) if self.unit == 1 else words
        rest = min((word[node.depth :] for word in near), key=self.measure)
        return [(rest, ())]

    # --- strings and patterns

    def _counted_ways(self, item: CountedString) -> list[Way]:
        """Any characters: a long token again and again until enough are written."""
        if item.content.partial:
            return self._walk_ways(item, lambda after: isinstance(after, Bytes) or not after.content.partial)
        if item.least <= 0:
            return [(b'"', ())]
        if self.unit > 1:
            # a bound, not a text: nothing is cheaper than the cheapest byte
            byte = min(range(32, 127), key=lambda b: self.weights[b])
            return [(bytes((byte,)) * item.least + b'"', ())]
        chunk = self._filler(item.least)
        after: TerminalItem | None = item
        for byte in chunk:
            after = after.step(byte)
        return [(chunk, (after,))]

    def _filler(self, at_most: int) -> bytes:
        """Characters of one token, as many as possible up to `at_most`."""
        fillers = self.vocabulary.shared.get("fillers")
        if fillers is None:
            fillers = self.vocabulary.shared["fillers"] = _fillers(self.vocabulary)
        length = at_most if at_most < len(fillers) else len(fillers) - 1
        return (fillers[length] if fillers else b"") or b"a"

    def _walk_ways(
        self, item: TerminalItem, enough: Callable[[TerminalItem], bool] | None = None
    ) -> list[Way]:
        """The cheapest path of single bytes to where the item may end, or `enough` was read."""
        heap: list[tuple[int, int, int, TerminalItem]] = [(0, 0, 0, item)]
        came_from: dict[TerminalItem, tuple[TerminalItem, int]] = {}
        done: set[TerminalItem] = set()
        best: dict[TerminalItem, int] = {item: 0}
        serial = 0
        while heap:
            price, _, _, here = heapq.heappop(heap)
            if here in done:
                continue
            done.add(here)
            if here is not item and (here.follow is not None or (enough and enough(here))):
                return self._remember_path(item, here, came_from)
            if len(done) > MOST_TRIED:
                return self._beam_ways(item, enough)
            for byte, after in self._steps(here).items():
                total = price + self.weights[after]
                target = byte
                if total < best.get(target, NEVER):
                    best[target], came_from[target] = total, (here, after)
                    serial += 1
                    heapq.heappush(heap, (total, self.rank[after], serial, target))
        return []

    def _beam_ways(
        self, item: TerminalItem, enough: Callable[[TerminalItem], bool] | None
    ) -> list[Way]:
        """A path that is seldom far from the cheapest: where every number is a state of its own."""
        came_from: dict[TerminalItem, tuple[TerminalItem, int]] = {}
        level = [(0, 0, 0, item)]
        while level and len(came_from) < MOST_STATES:
            following = []
            for price, _, _, here in level:
                for after, byte in self._steps(here).items():
                    if after in came_from:
                        continue
                    came_from[after] = (here, byte)
                    if after.follow is not None or (enough and enough(after)):
                        return self._remember_path(item, after, came_from)
                    total = price + self.weights[byte]
                    following.append((total, self.rank[byte], len(came_from), after))
            level = heapq.nsmallest(BEAM, following)
        return []  # out of reach

    def _steps(self, item: TerminalItem) -> dict[TerminalItem, int]:
        """Each item that one byte leads to, with the cheapest such byte."""
        found: dict[TerminalItem, int] = {}
        weights, rank = self.weights, self.rank
        counted = isinstance(item, CountedString)
        for byte in self._few_bytes(item.content) if counted else item.allowed():
            weight = weights[byte]
            after = item.step(byte) if weight < NEVER else None
            if after is None:
                continue
            other = found.get(after)
            if other is None or (weight, rank[byte]) < (weights[other], rank[other]):
                found[after] = byte
        return found

    def _few_bytes(self, content: AutomatonState) -> list[int]:
        """The quote, and for every state after `content` the cheapest byte: whatever is counted."""
        found = self._bytes.get(content)
        if found is None:
            best: dict[AutomatonState, tuple[int, int, int]] = {}
            for byte in content.allowed():
                after, price = content.step(byte), (self.weights[byte], self.rank[byte], byte)
                if after is not None and (after not in best or price < best[after]):
                    best[after] = price
            found = self._bytes[content] = [*(byte for _, _, byte in best.values()), QUOTE]
        return found

    def _remember_path(
        self,
        start: TerminalItem,
        end: TerminalItem,
        came_from: dict[TerminalItem, tuple[TerminalItem, int]],
    ) -> list[Way]:
        """The way of `start`: one byte, then the next item of the path, whose own way is known too."""
        here, step = end, b""
        ways: list[tuple[TerminalItem, bytes, TerminalItem]] = []
        while here is not start:
            before, byte = came_from[here]
            ways.append((before, bytes((byte,)), here))
            here = before
        if end.follow == () and end not in self.known:
            self.known[end], self.chosen[end] = 0, (b"", ())
        if end in self.known:
            for before, step, after in ways[:-1]:
                if before not in self.known:
                    self.known[before] = self.weights[step[0]] + self.known[after]
                    self.chosen[before] = (step, (after,))
            _, step, after = ways[-1]
            return [(step, (after,))]
        return [(b"".join(step for _, step, _ in reversed(ways)), (end,))]


def _closings(marks: Punctuation) -> tuple[Item, ...]:
    return (
        marks.close_object,
        marks.close_empty_object,
        marks.close_array,
        marks.close_empty_array,
    )


def _fillers(vocabulary: Vocabulary) -> list[bytes]:
    """fillers[n]: the token of most plain characters, at most n of them (index 0: none of any length).

    Plain: letters, digits, blanks and the like, which need no escape in JSON.
    """
    exact: dict[int, bytes] = {}
    for token in (vocabulary.tokens[i] for i in vocabulary.text_ids()):
        if len(token) > LONGEST_FILLER or not all(32 <= b < 127 and b not in b'"\\' for b in token):
            continue
        # of equal length: letters before signs and blanks
        other = exact.get(len(token))
        if other is None or (_dull(token), token) < (_dull(other), other):
            exact[len(token)] = token
    found = [b""]
    for length in range(1, max(exact, default=0) + 1):
        found.append(exact.get(length, found[-1]))
    return found if len(found) > 1 else []


def _dull(token: bytes) -> bool:
    return not token.strip().isalnum()
