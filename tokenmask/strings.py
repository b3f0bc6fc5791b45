"""Strings with a length: `minLength` and `maxLength` count characters, tokens are bytes.

A counted string is the pair of its content's automaton state and the characters still owed and
still allowed. Its mask is computed from one walk of the vocabulary that is shared by all counts:
tokens that fit the content, filtered by how many characters they complete.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from .automaton import MANY, Automaton, AutomatonState, pack_nodes
from .characters import ANY_CONTENT
from .items import Bytes, Split, TerminalItem, descend, try_descend
from .lengths import ENDLESS, Lengths, Shortest, lengths_of
from .trie import Node, TokenTrie
from .vocabulary import Vocabulary
from .walk import distinct, walk_vocabulary

QUOTE = ord('"')
AnyLengths = Lengths | Shortest | None
CLOSED = Bytes(b"")
"""What a string is after its closing quote: nothing more to read."""


class CountedString(TerminalItem):
    """Content and closing quote of a string, with `least` to `most` further characters (most None: any)."""

    __slots__ = ("content", "least", "most", "lengths", "splits")
    follow = None
    open = True

    def __init__(
        self, content: AutomatonState, least: int, most: int | None, lengths: AnyLengths
    ) -> None:
        self.content, self.least, self.most, self.lengths = content, least, most, lengths
        self.splits = None

    @property
    def label(self) -> str:  # type: ignore[override]
        bound = "any number of" if self.most is None else f"at most {self.most}"
        owed = f", at least {self.least}" if self.least else ""
        return f"{self.content.label}: {bound} characters more{owed}"

    def describe(self) -> str:
        return self.label

    def step(self, byte: int) -> TerminalItem | None:
        content = self.content
        if not content.partial:
            if byte == QUOTE:
                return CLOSED if self.least <= 0 and content.accepting else None
            if self.most == 0:
                return None
        after = content.step(byte)
        if after is None:
            return None
        least, most = self.least, self.most
        if not after.partial:
            least = least - 1 if least > 0 else 0
            most = most if most is None else most - 1
        if self.lengths is not None and not self.lengths.possible(after, least, most):
            return None
        return counted(after, least, most, self.lengths)

    def allowed(self) -> Iterable[int]:
        return [*self.content.allowed(), QUOTE]

    def _split(self, node: Node) -> Split:
        if node is not node.trie.root:
            alike = self._alike(node.trie.height(node))
            return descend(self, node) if alike is self else alike.split(node)
        content = self.content
        wide = not content.partial and len(content.allowed()) > 3
        found = None if wide else try_descend(self, node, MANY)
        return _split_wide(self, node) if found is None else found

    def _alike(self, longest: int) -> CountedString:
        """The one item for all counts that tokens of at most `longest` characters cannot tell apart."""
        if self.lengths is not None:
            return self
        most = self.most if self.most is not None and self.most < longest else None
        return counted(self.content, min(self.least, longest), most, None)


def counted(
    content: AutomatonState, least: int, most: int | None, lengths: AnyLengths
) -> CountedString:
    """The one item for these counts."""
    memo = content.automaton.extra
    key = (content.index, least, most, type(lengths))
    found = memo.get(key)
    if found is None:
        found = memo[key] = CountedString(content, least, most, lengths)
    return found


def counted_string(automaton: Automaton, least: int, most: int | None) -> CountedString:
    """What comes after the opening quote. `automaton` is the content's, without quotes.

    Raises `lengths.TooManyStates` where content and counts are too much to be kept apart.
    """
    lengths = None
    if automaton.start.expression is not ANY_CONTENT:
        lengths = lengths_of(automaton, least, most)
    return counted(automaton.start, least, most, lengths)


class CharacterCounts:
    """Per trie node: characters completed since the root (int32), and the node after a quote (0: none)."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        trie = vocabulary.trie
        content = Automaton(ANY_CONTENT, vocabulary)
        nodes, states = walk_vocabulary(trie, content, content.start)
        self.completed = completed_at(trie, nodes, _partial(content.states)[states])
        self.after_quote = np.zeros(trie.size, np.intp)
        quotes = np.flatnonzero(trie.byte == QUOTE)
        quotes = quotes[quotes > 0]
        self.after_quote[trie.parent[quotes]] = quotes


def completed_at(trie: TokenTrie, nodes: np.ndarray, partial: np.ndarray) -> np.ndarray:
    """Per trie node the characters completed on the way there: int32 (size of the trie,).

    `nodes` are those that a walk reached, `partial` says of each if it is in mid-character.
    """
    complete = np.zeros(trie.size, bool)
    complete[nodes] = ~partial
    completed = np.zeros(trie.size, np.int32)
    for low, high in trie.levels[1:]:
        completed[low:high] = completed[trie.parent[low:high]] + complete[low:high]
    return completed


def character_counts(vocabulary: Vocabulary) -> CharacterCounts:
    """The vocabulary's counts, computed once."""
    found = vocabulary.shared.get("character counts")
    if found is None:
        found = vocabulary.shared["character counts"] = CharacterCounts(vocabulary)
    return found


class ContentWalk:
    """One walk of the vocabulary from a content state, for every count.

    `nodes`: trie nodes that stay inside the content; `needs`: characters a token that ends there has
    completed plus the fewest it then still owes; `reach`: the same with the most. `quotes`: nodes
    after a closing quote, `quote_counts`: characters completed before it.
    """

    def __init__(self, state: AutomatonState, lengths: AnyLengths) -> None:
        vocabulary = state.automaton.vocabulary
        trie, counts = vocabulary.trie, character_counts(vocabulary)
        nodes, states = walk_vocabulary(trie, state.automaton, state)
        known = state.automaton.states
        here = np.zeros(1, np.intp)
        partial = _partial(known)[states]
        # a walk that begins in mid-character completes that one too, so it counts for itself
        completed = completed_at(trie, nodes, partial) if state.partial else counts.completed
        accepting = state.automaton.accepting[states] & ~partial
        closing = nodes[accepting]
        if state.accepting and not state.partial:
            closing = np.concatenate([here, closing])
        quotes = counts.after_quote[closing]
        self.quotes = quotes[quotes > 0]
        self.quote_counts = completed[trie.parent[self.quotes]]
        ends = trie.token[nodes] >= 0
        self.nodes, self.states = nodes[ends], states[ends]
        self.completed = completed[self.nodes]
        if lengths is None:
            self.needs = self.completed + _partial(known)[self.states]
            self.endless = True
        else:
            shortest, longest = lengths.arrays(self.states)
            self.needs = self.completed + shortest
            self.reach = self.completed + longest
            self.endless = lengths.gapless and bool((self.reach >= ENDLESS).all())
        self.largest_need = int(self.needs.max(initial=0))
        self.largest_count = int(self.quote_counts.max(initial=0))
        self.splits: dict[tuple[int, int | None], Split] = {}

    def clamp(self, least: int, most: int | None) -> tuple[int, int | None]:
        """Counts between which no token of the vocabulary can tell the difference.

        `most` is compared with needs and quote counts only, so beyond the largest of both it is as
        good as none. `least` is compared with quote counts only, if every state is endless; beyond
        the largest of them no token may close, whatever its exact value.
        """
        if not self.endless:
            return least, most
        if most is not None and most >= max(self.largest_need, self.largest_count):
            most = None
        return min(least, self.largest_count + 1), most

    def fits(self, least: int, most: int | None, lengths: AnyLengths) -> np.ndarray:
        """Which of `nodes` leave a length that is possible: bool (n,)."""
        if most is None and self.endless:
            return np.ones(self.nodes.size, bool)
        fit = np.ones(self.nodes.size, bool) if most is None else self.needs <= most
        if not self.endless:
            fit &= self.reach >= least
            if lengths is not None and most is not None and least > 0 and not lengths.gapless:
                fit[fit] = self._exact(np.flatnonzero(fit), least, most, lengths)
        return fit

    def _exact(
        self, places: np.ndarray, least: int, most: int, lengths: Lengths | Shortest
    ) -> np.ndarray:
        """Lengths with gaps: one exact answer per distinct (state, characters completed)."""
        width = int(self.completed.max(initial=0)) + 1
        pairs = self.states[places] * width + self.completed[places]
        known = lengths.automaton.states
        possible = np.zeros(int(pairs.max(initial=0)) + 1, bool)
        for pair in distinct(pairs):
            state, done = divmod(pair, width)
            possible[pair] = lengths.possible(known[state - 1], max(least - done, 0), most - done)
        return possible[pairs]


def _partial(states: list[AutomatonState]) -> np.ndarray:
    return np.array([False, *(state.partial for state in states)])


def content_walk(item: CountedString) -> ContentWalk:
    """The walk from an item's content state, shared by all counts."""
    content = item.content
    memo = content.automaton.extra
    key = ("walk", content.index, type(item.lengths))
    found = memo.get(key)
    if found is None:
        found = memo[key] = ContentWalk(content, item.lengths)
    return found


def _split_wide(item: CountedString, root: Node) -> Split:
    walk = content_walk(item)
    key = walk.clamp(item.least, item.most)
    found = walk.splits.get(key)
    if found is None:
        found = walk.splits[key] = _select(walk, *key, item, root)
    return found


def _select(
    walk: ContentWalk, least: int, most: int | None, item: CountedString, root: Node
) -> Split:
    """The tokens of one walk that fit one pair of counts."""
    trie, vocabulary = root.trie, item.content.automaton.vocabulary
    inside = walk.nodes[walk.fits(least, most, item.lengths)]
    closing = walk.quote_counts >= least
    if most is not None:
        closing &= walk.quote_counts <= most
    quotes = walk.quotes[closing]
    mask = pack_nodes(vocabulary, np.concatenate([inside, quotes]))
    left = quotes[trie.child_count[quotes] > 0]
    return Split(mask, (), [(trie.merged(left.tolist()), ())] if left.size else ())
