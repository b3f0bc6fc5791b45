"""The members of a JSON object: which keys may come next, and when the brace may close.

One trie holds all property names, so 300 optional keys are one item on the stack and not 300
stacks. A key that is not a known name is spelled by `FreeKey`, which knows what it has read, so
that neither a known name nor a repeated key can be closed. Lessons 03 and 06 teach it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from .automaton import Automaton
from .freekeys import Barred, FreeKey, nodes_before_a_key
from .items import Bytes, Follow, Item, Rule, Split, TerminalItem
from .punctuation import Punctuation
from .trie import Node
from .words import WordNode

if TYPE_CHECKING:
    from .build import ItemsOf


@dataclass(slots=True, eq=False)
class Objects:
    """What all members of one object schema share. Names are numbered in schema order."""

    numbers: dict[str, int]  # name -> its number, in order
    values: Sequence[Item] | ItemsOf
    required: int  # bits
    keys: WordNode  # the root of every spelling of every name, with both quotes
    free: list[tuple[Automaton, bool, Item]]  # key content and quote, "any key at all", value
    marks: Punctuation
    least: int = 0
    most: int | None = None
    needs: dict[int, int] = field(default_factory=dict)  # name number -> bits of the names it needs
    in_order: bool = True
    forbidden: frozenset[str] = frozenset()  # names that may not come at all
    spare: frozenset[str] | None = None  # all names of free keys, if `least` could ask for more
    shared: bool = False  # by all grammars of a vocabulary: it must not grow for ever
    members: dict[tuple, Members] = field(default_factory=dict)
    spellings: dict[tuple, KeySpelling] = field(default_factory=dict)
    paths: dict[tuple, KeyPaths] = field(default_factory=dict)
    free_keys: dict[tuple, FreeKey] = field(default_factory=dict)
    barred: dict[tuple, Barred] = field(default_factory=dict)  # of freekeys.py

    def release(self) -> None:
        """Let go of every place and item, since they hold on to this."""
        self.forget_places()
        self.values = ()
        self.free.clear()

    def forget_places(self) -> None:
        """Empty all memos: what is in use goes on, and is made anew where it is met again."""
        for memo in (self.members, self.spellings, self.paths, self.free_keys, self.barred):
            memo.clear()

    @property
    def counts(self) -> bool:
        """The number of members matters."""
        return self.least > 0 or self.most is not None


MOST_PLACES = 500
"""Places of the shared object that are remembered, so that decoders who meet there share them."""


def members(
    spec: Objects, position: int, present: int, extra: frozenset[str], count: int
) -> Members:
    """The one rule for this place in an object.

    `position`: names before it are gone (schema order; 0 in any order). `present`: bits of the names
    read, kept only as far as they matter later. `extra`: free keys read. `count`: members read, kept
    up to the largest bound (0 and "some" always differ, because of the comma).
    """
    if spec.in_order:
        # all that is asked of `present` is whether a needed name is there
        present &= _mentioned(spec)
    top = max(spec.least, (spec.most or 0) + 1, 1) if spec.counts else 1
    # counts are compared with 0, least and most; at `top` all three answers are final
    key = (position, present, extra, min(count, top))
    found = spec.members.get(key)
    if found is None:
        if spec.shared and len(spec.members) >= MOST_PLACES:
            spec.forget_places()
        found = spec.members[key] = Members(spec, *key)
    return found


def _mentioned(spec: Objects) -> int:
    bits = 0
    for number, needed in spec.needs.items():
        bits |= needed | 1 << number
    return bits


class Members(Rule):
    """The rest of an object, from before the comma (or the first key) to the closing brace."""

    __slots__ = ("spec", "position", "present", "extra", "count")
    label = "members"
    kind = "a key of its own"
    deep_nodes = staticmethod(nodes_before_a_key)

    def __init__(
        self, spec: Objects, position: int, present: int, extra: frozenset[str], count: int
    ) -> None:
        self.spec, self.position, self.present = spec, position, present
        self.extra, self.count = extra, count

    def describe(self) -> str:
        owed = self.owed()
        if owed:
            names = [name for i, name in enumerate(self.spec.numbers) if owed >> i & 1]
            return "members, still required: " + ", ".join(names)
        return "members, none required" if self.spec.numbers else "members"

    def owed(self) -> int:
        """Bits of the names that must still come."""
        spec = self.spec
        needed = spec.required
        if spec.needs:
            needed |= _closure(spec, needed | self.present)
        if spec.in_order:
            # a needed name before `position` was read: no later key could be reached otherwise
            needed &= ~((1 << self.position) - 1)
        return needed & ~self.present

    def expand(self) -> tuple[Follow, ...]:
        return tuple(self._expand())

    def _expand(self) -> Iterable[Follow]:
        spec, marks, first = self.spec, self.spec.marks, self.count == 0
        owed = self.owed()
        if not owed and self.count >= spec.least:
            yield (marks.close_empty_object if first else marks.close_object,)
        if spec.most is not None and self.count >= spec.most:
            return
        lead: Follow = () if first else (marks.comma,)
        names = self.next_names(owed)
        if names:
            yield (*lead, key_spelling(spec, self, spec.keys, names))
        if (spec.in_order and owed) or not self._room(owed) or not self._enough_after_free():
            return
        for number, (_automaton, anything, _value) in enumerate(spec.free):
            key = free_key(spec, self, number)
            if anything or key.alive():
                yield (*lead, marks.quote, key)

    def next_names(self, owed: int) -> int:
        """Bits of the names that may come next."""
        spec = self.spec
        total = len(spec.numbers)
        if not spec.in_order:
            names = ((1 << total) - 1) & ~self.present
        else:
            # up to and including the first name that must not be skipped
            stop = (owed & -owed).bit_length() if owed else total
            names = ((1 << stop) - 1) & ~((1 << self.position) - 1)
        if not (spec.needs or spec.counts) or not names:
            return names
        return self._without_dead_ends(names, owed)

    def _without_dead_ends(self, names: int, owed: int) -> int:
        """Leave out a name after which the object could not be completed."""
        kept, rest = 0, names
        while rest:
            bit = rest & -rest
            rest ^= bit
            if self._completable(bit, owed):
                kept |= bit
        return kept

    def _completable(self, bit: int, owed: int) -> bool:
        spec, number = self.spec, bit.bit_length() - 1
        needed = owed | _closure(spec, bit)
        present = self.present | bit
        missing = needed & ~present
        passed = ((1 << (number + 1)) - 1) & ~present if spec.in_order else 0
        if missing & passed:
            return False  # a name that it needs
        others = ((1 << len(spec.numbers)) - 1) & ~present & ~passed
        return self._counts_fit(missing.bit_count(), self._usable(others, passed))

    def _usable(self, names: int, passed: int) -> int:
        """How many of the names may still come: none that needs one of those passed."""
        spec = self.spec
        if not spec.least or not passed or not spec.needs:
            return names.bit_count()
        return sum(
            not _closure(spec, 1 << number) & passed
            for number in range(names.bit_length())
            if names >> number & 1
        )

    def _counts_fit(self, missing: int, left: int) -> bool:
        """After one more member: `missing` must come, `left` known names could."""
        spec, count = self.spec, self.count + 1
        if spec.most is not None and count + missing > spec.most:
            return False
        return count + left + self._spare() >= spec.least

    def _spare(self) -> int:
        """So many free keys may still come, as far as that matters."""
        spec = self.spec
        if spec.spare is None:
            return spec.least if spec.free else 0
        return len(spec.spare - self.extra)

    def _enough_after_free(self) -> bool:
        """After a free key there are still as many keys as must come."""
        spec = self.spec
        left = 0 if spec.in_order else len(spec.numbers) - self.present.bit_count()
        return self.count + left + self._spare() >= spec.least

    def _room(self, owed: int) -> bool:
        """There is room for a free key beside what is owed."""
        most = self.spec.most
        return most is None or self.count + 1 + owed.bit_count() <= most

    def after_name(self, number: int) -> Follow:
        """What comes after the key of name `number`."""
        spec = self.spec
        position = number + 1 if spec.in_order else 0
        rest = members(spec, position, self.present | 1 << number, self.extra, self.count + 1)
        return (spec.marks.colon, spec.values[number], rest)

    def after_free(self, branch: int, name: str | None) -> Follow:
        """What comes after a free key; `name` None where it cannot matter which."""
        spec = self.spec
        position = len(spec.numbers) if spec.in_order else 0
        extra = self.extra if name is None else self.extra | {name}
        rest = members(spec, position, self.present, extra, self.count + 1)
        return (spec.marks.colon, spec.free[branch][2], rest)


def _closure(spec: Objects, bits: int) -> int:
    """Everything that the names in `bits` need, directly or not."""
    found, work = 0, bits
    while work:
        bit = work & -work
        work ^= bit
        more = spec.needs.get(bit.bit_length() - 1, 0) & ~found & ~bits
        found |= more
        work |= more
    return found


def key_spelling(spec: Objects, place: Members, node: WordNode, names: int) -> KeySpelling:
    """The one item for a key that has been read as far as `node`, with `names` still possible."""
    names &= node.members
    if spec.in_order and not (spec.counts or spec.needs or place.extra):
        # without counts and needs, what follows depends on the name alone: places share the item
        key: tuple = (node.low, node.high, node.depth, names)
    else:
        key = (node.low, node.high, node.depth, names, place)
    found = spec.spellings.get(key)
    if found is None:
        found = spec.spellings[key] = KeySpelling(spec, place, node, names)
    return found


class KeySpelling(TerminalItem):
    """A known name being spelled, quotes included. `names`: bits of those that it may become."""

    __slots__ = ("spec", "place", "node", "names", "follow", "open", "splits")
    label = "key"

    def __init__(self, spec: Objects, place: Members, node: WordNode, names: int) -> None:
        self.spec, self.place, self.node, self.names = spec, place, node, names
        ends = [number for number in node.ends if names >> number & 1]
        self.follow: Follow | None = place.after_name(ends[0]) if ends else None
        self.open = not ends  # a closing quote ends a name: nothing goes on from there
        self.splits = None

    def describe(self) -> str:
        names = [name for i, name in enumerate(self.spec.numbers) if self.names >> i & 1]
        shown = ", ".join(names[:6]) + (", ..." if len(names) > 6 else "")
        return f"key: {shown}"

    def step(self, byte: int) -> TerminalItem | None:
        child = self.node.children.get(byte)
        if child is None or not child.members & self.names:
            return None
        alone = child.alone()
        if alone is not None:
            return Bytes(alone, self.place.after_name(child.trie.numbers[child.low]))
        return key_spelling(self.spec, self.place, child, self.names)

    def allowed(self) -> Iterable[int]:
        return self.node.children

    def _split(self, start: Node) -> Split:
        word, names = self.node, self.names
        key = (word.low, word.high, word.depth, start)
        paths = self.spec.paths.get(key)
        if paths is None:
            paths = self.spec.paths[key] = KeyPaths(start, word)
        ids: list[int] = []
        for members, tokens in paths.tokens:
            if members & names:
                ids += tokens
        after = self.place.after_name
        exits = [(node, after(number)) for number, node in paths.ends if names >> number & 1]
        return Split(None, ids, exits)


class KeyPaths:
    """Where the spellings of all names run through the vocabulary trie: the joint descent of both.

    `tokens`: (bits of the names, tokens) for every prefix that is a token. `ends`: (name, node)
    where a key is closed and tokens go on. Which names are possible is asked afterwards, so one
    descent serves every place of an object.
    """

    __slots__ = ("tokens", "ends")

    def __init__(self, start: Node, word: WordNode) -> None:
        self.tokens: list[tuple[int, tuple[int, ...]]] = []
        self.ends: list[tuple[int, Node]] = []
        work = [(start, word)]
        while work:
            here, word = work.pop()
            letters, words = here.letters, word.children
            for byte in words if len(words) < len(letters) else letters:
                letter = words.get(byte)
                if letter is None or byte not in letters:
                    continue
                if letter.high - letter.low == 1:
                    # one name is left, and equal spellings of two do not exist: a word ends alone
                    self._read_along(here, letter)
                    continue
                child = here.child(byte)
                if child.tokens:
                    self.tokens.append((letter.members, child.tokens))
                if child.letters:
                    work.append((child, letter))

    def _read_along(self, before: Node, word: WordNode) -> None:
        """The one name of `word`, from the byte that leads there: no more need for the trie of names."""
        trie = word.trie
        number = trie.numbers[word.low]
        ids, end = before.along(trie.words[word.low][word.depth - 1 :])
        if ids:
            self.tokens.append((1 << number, tuple(ids)))
        if end is not None and end.letters:
            self.ends.append((number, end))


def free_key(spec: Objects, place: Members, branch: int) -> FreeKey:
    """A free key, just after its opening quote."""
    key = (place, branch)
    found = spec.free_keys.get(key)
    if found is None:
        automaton, anything, _ = spec.free[branch]
        found = FreeKey(place, branch, automaton.start, ("", b""), anything)
        spec.free_keys[key] = found
    return found
