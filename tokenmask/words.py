"""A finite set of byte strings as a lazy trie: the names of an object, the values of an `enum`.

The words are kept in one sorted list; a node is a range of that list and a depth. So 100,000 words
cost one sort and no node objects, until a decoder walks there. Lesson 02 builds a trie by hand.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable


class WordNode:
    """All words that share their first `depth` bytes: `words[low:high]` of the trie's sorted list."""

    __slots__ = ("trie", "low", "high", "depth", "_children", "_members")

    def __init__(self, trie: WordTrie, low: int, high: int, depth: int) -> None:
        self.trie, self.low, self.high, self.depth = trie, low, high, depth
        self._children: dict[int, WordNode] | None = None
        self._members: int | None = None

    @property
    def children(self) -> dict[int, WordNode]:
        """Next byte -> node, in ascending order of the byte."""
        found = self._children
        if found is None:
            found = self._children = self._split()
        return found

    def _split(self) -> dict[int, WordNode]:
        words, depth = self.trie.words, self.depth
        at = self.low
        while at < self.high and len(words[at]) == depth:
            at += 1  # these words end here; equal words stand next to each other
        children: dict[int, WordNode] = {}
        while at < self.high:
            byte, end = words[at][depth], at + 1
            if end < self.high and words[end][depth] == byte:
                # the first word whose byte at this depth is larger; a range search keeps big sets cheap
                end = bisect_right(words, byte, end, self.high, key=lambda word: word[depth])
            children[byte] = WordNode(self.trie, at, end, depth + 1)
            at = end
        return children

    def alone(self) -> bytes | None:
        """What is left of the word, if only one is below."""
        if self.high - self.low != 1:
            return None
        return self.trie.words[self.low][self.depth :]

    @property
    def ends(self) -> tuple[int, ...]:
        """The numbers of the words that end exactly here, usually none or one."""
        words, found, at = self.trie.words, [], self.low
        while at < self.high and len(words[at]) == self.depth:
            found.append(self.trie.numbers[at])
            at += 1
        return tuple(found)

    @property
    def members(self) -> int:
        """The numbers of all words below, as bits of one integer."""
        bits = self._members
        if bits is None:
            bits = 0
            for number in self.trie.numbers[self.low : self.high]:
                bits |= 1 << number
            self._members = bits
        return bits


class WordTrie:
    """Numbered words. Two spellings of one name carry the same number.

    >>> WordTrie([(b"on", 0), (b"once", 1)]).root.children[ord("o")].members
    3
    """

    __slots__ = ("words", "numbers")

    def __init__(self, numbered: Iterable[tuple[bytes, int]]) -> None:
        pairs = sorted(numbered)
        self.words = [word for word, _ in pairs]
        self.numbers = [number for _, number in pairs]

    @property
    def root(self) -> WordNode:
        """A new root. The trie keeps none, so that trie and nodes do not hold each other."""
        return WordNode(self, 0, len(self.words), 0)

    def find(self, word: bytes) -> int | None:
        """The number of a word, or None."""
        at = bisect_left(self.words, word)
        return self.numbers[at] if at < len(self.words) and self.words[at] == word else None
