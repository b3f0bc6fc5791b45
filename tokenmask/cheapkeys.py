"""Which keys the cheapest ending of an object writes; for `completion.py`.

Most objects may be closed, or owe a certain name. An object with too few members may take any key,
in any order, and trying all would try all their sets. But nothing is lost by taking the cheapest
member now: had an ending done without it, it could stand in for another one.
"""

from __future__ import annotations

import heapq
from bisect import insort
from collections.abc import Generator, Iterator
from typing import TYPE_CHECKING

from .expression import Expression, transitions
from .freekeys import FreeKey, _decode
from .items import Follow, Item
from .objects import KeySpelling, Members, Objects, _closure, key_spelling

if TYPE_CHECKING:
    from .completion import Prices

Way = tuple[bytes, Follow]
"""Text to write, then the items that take the place of the one that offered it."""

NEVER = 1 << 50
"""The price of what cannot be written."""
MOST_STATES = 30_000
FEW_NAMES = 8


def is_short(place: Members) -> bool:
    """No name is owed, more members must come, and which one comes first does not matter."""
    spec = place.spec
    if place.owed() or place.count >= spec.least or _in_circle(spec):
        return False
    return not spec.in_order or place.position == len(spec.numbers)


def _in_circle(spec: Objects) -> bool:
    """Some name needs, through others, itself."""
    needs = spec.needs.items()
    return any((needed | _closure(spec, needed)) >> number & 1 for number, needed in needs)


def leading_keys(
    prices: Prices, place: Members, limit: int
) -> Generator[tuple[Item, int], None, tuple[list[Way], bool]]:
    """The keys worth trying first where an object `is_short`. Yields (item, limit) like a search.

    The cheapest member that needs no other is one. Any ending as long as it is needed has a member
    that no other one needs, and the cheapest can take its place. Members that cost less but need
    others are tried as well. The second answer is False if a key is dearer than `limit`: with more it
    would have to be tried again.
    """
    best, alone = limit + 1, None
    with_needs: list[tuple[int, Way]] = []
    hopeless = True
    for lead, key, needy in _next_keys(prices, place):
        for text, (colon, value, *_) in prices.ways(key):
            way: Way = (b"", (*lead, key))
            total = prices.measure(text)
            for item in (*lead, colon, value):
                if total >= best:
                    break
                if item not in prices.known:
                    yield item, best - 1 - total
                total += prices.known.get(item, best)
            if total >= best:
                hopeless = hopeless and (alone is not None or total >= NEVER)
            elif needy:
                with_needs.append((total, way))
            else:
                best, alone = total, way
    found = [] if alone is None else [alone]
    return [*found, *(way for total, way in with_needs if total < best)], hopeless


def _next_keys(prices: Prices, place: Members) -> Iterator[tuple[Follow, Item, bool]]:
    """What comes before the key, the key (of a known name: that name alone), whether it needs others."""
    spec = place.spec
    for *lead, key in place.expand():
        if isinstance(key, FreeKey):
            yield tuple(lead), key, False
        elif isinstance(key, KeySpelling):
            for number in few_names(prices, key):
                needy = bool(_closure(spec, 1 << number) & ~place.present)
                yield tuple(lead), key_spelling(spec, place, key.node, 1 << number), needy


def name_ways(prices: Prices, item: KeySpelling) -> list[Way]:
    """A name that is owed, if it can be this one; else every name that it can be."""
    owed = item.place.owed() & item.names
    if owed:
        item = key_spelling(item.spec, item.place, item.node, owed & -owed)
    found = few_names(prices, item)
    return [(rest, item.place.after_name(number)) for number, rest in found.items()]


def few_names(prices: Prices, item: KeySpelling) -> dict[int, bytes]:
    """The numbers of the names that it can be, each with the cheapest rest of its spellings.

    In any order just a few, the cheapest ones: elsewhere their sets would be too many.
    """
    node, names, measure = item.node, item.names, prices.measure
    found: dict[int, bytes] = {}
    for at in range(node.low, node.high):
        number = node.trie.numbers[at]
        if names >> number & 1:
            rest = node.trie.words[at][node.depth :]
            if number not in found or measure(rest) < measure(found[number]):
                found[number] = rest
    if item.spec.in_order or prices.unit > 1 or len(found) <= FEW_NAMES:
        return found
    few = heapq.nsmallest(FEW_NAMES, found, key=lambda number: measure(found[number]))
    return {number: found[number] for number in few}


def free_ways(prices: Prices, item: FreeKey) -> list[Way]:
    """The cheapest key that is allowed here."""
    wanted = 2 * len(item._candidates()) + 1
    while True:
        found = prices.free_words.cheapest(item.state.expression, wanted)
        for rest in found:
            name = name_closed_by(item, rest)
            if not item._forbidden(name):
                return [(rest, item.place.after_free(item.branch, name))]
        if len(found) < wanted:
            return []
        wanted *= 4  # a forbidden name may have many spellings


def name_closed_by(key: FreeKey, rest: bytes) -> str:
    """The whole name of a key that ends with `rest`, the closing quote included."""
    return key.name + _decode(key.pending + rest[:-1])


class FreeWords:
    """The cheapest words of expressions; those found are kept.

    `weights[b]`: price of byte b, `rank[b]` decides where prices are equal.
    """

    def __init__(self, weights: list[int], rank: list[int]) -> None:
        self.weights, self.rank = weights, rank
        self._found: dict[Expression, tuple[int, list[bytes]]] = {}  # how many were asked for
        self._next: dict[Expression, list[tuple[Expression, list[int]]]] = {}

    def cheapest(self, expression: Expression, at_most: int) -> list[bytes]:
        """At least `at_most` words, cheapest first; all, if there are fewer or the rest is out of reach."""
        asked, found = self._found.get(expression, (0, []))
        if asked < at_most:
            asked = 2 * at_most + 2  # some more, since a long object asks for one more each time
            found = self._search(expression, asked)
            self._found[expression] = asked, found
        return found

    def _search(self, expression: Expression, at_most: int) -> list[bytes]:
        """Best first. Of all the ways to an expression only the `at_most` cheapest can matter."""
        start = (0, (), b"")  # price; ranks, which decide between equal prices; word
        heap: list[tuple[tuple[int, tuple[int, ...], bytes], Expression]] = [(start, expression)]
        ways: dict[Expression, list[tuple[int, tuple[int, ...], bytes]]] = {expression: [start]}
        found: list[bytes] = []
        while heap and len(found) < at_most and len(ways) <= MOST_STATES:
            (price, ranks, word), here = heapq.heappop(heap)
            if (price, ranks, word) > ways[here][-1]:
                continue  # cheaper ones were found since
            if here.nullable:
                found.append(word)
            for rest, letters in self._steps(here):
                known = ways.setdefault(rest, [])
                for byte in letters[:at_most]:
                    way = (price + self.weights[byte], (*ranks, self.rank[byte]), word + bytes((byte,)))
                    if len(known) == at_most:
                        if way >= known[-1]:
                            break
                        known.pop()
                    insort(known, way)
                    heapq.heappush(heap, (way, rest))
        return found

    def _steps(self, here: Expression) -> list[tuple[Expression, list[int]]]:
        """What each byte leaves, with the bytes that leave it, cheapest first."""
        steps = self._next.get(here)
        if steps is None:
            by_rest: dict[Expression, list[int]] = {}
            for low, high, rest in transitions(here):
                letters = [byte for byte in range(low, high + 1) if self.weights[byte] < NEVER]
                if letters:
                    by_rest.setdefault(rest, []).extend(letters)
            for letters in by_rest.values():
                letters.sort(key=lambda byte: (self.weights[byte], self.rank[byte]))
            steps = self._next[here] = list(by_rest.items())
        return steps
