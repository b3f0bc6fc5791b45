"""Keys that the schema does not name: `additionalProperties` and `patternProperties`.

While such a key is spelled, the decoder must know what has been read: a known name may not be
closed here (its own schema applies), and no key may come twice. The mask is the shared mask of the
key's automaton, less the few tokens that would close a forbidden name.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from .automaton import AutomatonState
from .endless import NEAR, endless
from .expression import TooComplex
from .items import Bytes, Follow, Split, TerminalItem
from .literals import PLAIN
from .search import words
from .trie import Node, TokenTrie

if TYPE_CHECKING:
    from .objects import Members

QUOTE, COLON, COMMA = b'":,'
FEW_STATES = 300
"""Looked at for the shortest names."""
SHORT_ESCAPES = {'"': b'\\"', "\\": b"\\\\", "\b": b"\\b", "\f": b"\\f", "\n": b"\\n"}
SHORT_ESCAPES |= {"\r": b"\\r", "\t": b"\\t"}


@lru_cache(maxsize=4096)
def key_spellings(character: str) -> tuple[bytes, ...]:
    r"""Every way in which a free key may spell one character (`characters.KEY_CHARACTER`).

    >>> key_spellings("a"), key_spellings("\n"), key_spellings("é")
    ((b'a',), (b'\\n',), (b'\xc3\xa9', b'\\u00e9'))
    """
    if character in SHORT_ESCAPES:
        return (SHORT_ESCAPES[character],)
    escaped = json.dumps(character)[1:-1].encode()
    if character < " ":
        return (escaped,)
    if character == "\x7f":
        escaped = b"\\u007f"
    raw = character.encode()
    return (raw,) if raw == escaped else (raw, escaped)


class FreeKey(TerminalItem):
    """A free key of which `name` has been read, and `pending` bytes of its next character.

    `state` is the automaton of the key's content and closing quote. `anything`: every key at all is
    allowed, so no prefix is a dead end.
    """

    __slots__ = ("place", "branch", "state", "name", "pending", "anything", "splits")
    follow = None
    open = True
    label = "key"

    def __init__(
        self,
        place: Members,
        branch: int,
        state: AutomatonState,
        read: tuple[str, bytes],
        anything: bool,
    ) -> None:
        self.place, self.branch, self.state, self.anything = place, branch, state, anything
        self.name, self.pending = read
        self.splits = None

    def describe(self) -> str:
        return f"{self.place.kind}, so far {json.dumps(self.name, ensure_ascii=False)}"

    def allowed(self) -> Iterable[int]:
        return self.state.allowed()

    def step(self, byte: int) -> TerminalItem | None:
        after = self.state.step(byte)
        if after is None:
            return None
        if after.accepting:
            if self._forbidden(self.name):
                return None
            return Bytes(b"", self.place.after_free(self.branch, self.name))
        pending = self.pending + bytes((byte,))
        read = (self.name, pending) if after.partial else (self.name + _decode(pending), b"")
        key = FreeKey(self.place, self.branch, after, read, self.anything)
        return key if self.anything or key.alive() else None

    def _forbidden(self, name: str) -> bool:
        spec = self.place.spec
        return name in spec.numbers or name in self.place.extra or name in spec.forbidden

    def _candidates(self) -> list[str]:
        """Forbidden names that begin with what has been read."""
        spec, read = self.place.spec, self.name
        groups = (spec.numbers, self.place.extra, spec.forbidden)
        return [name for names in groups for name in names if name.startswith(read)]

    def alive(self) -> bool:
        """Some allowed key begins with what has been read.

        Only finitely many names are forbidden, so wherever the automaton allows infinitely many words
        the answer is yes. Mostly a cycle is near; else one of the shortest few words is allowed.
        """
        forbidden = () if self.anything else self._candidates()
        if not forbidden or endless(self.state, NEAR):
            return True
        wanted = 4 * len(forbidden) + 4  # a name may have several spellings
        try:
            if self._allows(self._words(wanted, FEW_STATES)):
                return True
        except TooComplex:
            pass  # the short ones are not near
        if endless(self.state):
            return True
        while True:
            found = self._words(wanted)
            if self._allows(found):
                return True
            if len(found) < wanted:
                return False
            wanted *= 4

    def _allows(self, endings: list[bytes]) -> bool:
        """One of these endings, closing quote included, makes an allowed name."""
        names = (self.name + _decode(self.pending + ending[:-1]) for ending in endings)
        return not all(map(self._forbidden, names))

    def _words(self, at_most: int, limit: int = 20_000) -> list[bytes]:
        """The shortest ways to end, kept for all keys with this state; TooComplex beyond `limit` states."""
        memo = self.state.automaton.extra.setdefault("words", {})
        key = (self.state.index, at_most)
        if key not in memo:
            memo[key] = words(self.state.expression, at_most, limit)
        return memo[key]

    def _split(self, node: Node) -> Split:
        spec = self.place.spec
        key = (self.branch, self.name, self.pending, node)
        part = spec.barred.get(key)
        if part is None:
            # the names of the schema are barred in every place of the object: shared
            part = spec.barred[key] = Barred(self, node, [*spec.numbers, *spec.forbidden], None)
        if any(name.startswith(self.name) for name in self.place.extra):
            part = Barred(self, node, self.place.extra, part)
        return Split(part.mask, part.ids, self._exits(part))

    def _exits(self, part: Barred) -> list[tuple[Node, Follow]]:
        """Where the key ends and tokens go on; which key it was matters for few of them."""
        after = self.place.after_free
        exits = [(node, after(self.branch, name)) for node, name in part.deep]
        if part.shallow is not None:
            exits.append((part.shallow, after(self.branch, None)))
        return exits


class Barred:
    """A free key's split without the tokens that close one of `names`, or lead to a dead end.

    `shallow`: where the key may end, one merged node; `deep`: (node, key) where tokens go on far
    enough for the key to matter. `base` is the result without some other names (None: the
    automaton's own split).
    """

    __slots__ = ("mask", "ids", "shut", "shallow", "deep")

    def __init__(
        self, key: FreeKey, node: Node, names: Iterable[str], base: Barred | None
    ) -> None:
        split = key.state.split(node)
        self.mask, self.ids = (split.mask, split.ids) if base is None else (base.mask, base.ids)
        closing: list[Node] = []
        banned: set[int] = set()
        for name in names:
            if name.startswith(key.name):
                _follow(key, node, name, closing, banned)
        if banned:
            if self.mask is not None:
                self.mask = self.mask.copy()
                for token in banned:
                    self.mask[token >> 5] &= ~np.uint32(1 << (token & 31))
            self.ids = tuple(token for token in self.ids if token not in banned)
        self.shut = frozenset(index for end in closing for index in end.indices)
        if base is not None:
            self.shut |= base.shut
        self.shallow, self.deep = self._places(key, node, split)

    def _places(
        self, key: FreeKey, node: Node, split: Split
    ) -> tuple[Node | None, list[tuple[Node, str]]]:
        if not split.exits:
            return None, []
        trie, (left, _) = node.trie, split.exits[0]
        deep = key.place.deep_nodes(key.state.automaton.vocabulary.shared, trie)
        shallow = [i for i in left.indices if i not in self.shut and not deep[i]]
        ends = [i for i in left.indices if deep[i] and i not in self.shut]
        texts = [key.pending + _between(trie, node, index)[:-1] for index in ends]
        named = [
            (trie.node(index), key.name + _decode(text))
            for index, text in zip(ends, texts, strict=True)
        ]
        if not shallow:
            return None, named
        same = len(shallow) == len(left.indices)
        return (left if same else trie.merged(shallow)), named


def _follow(
    key: FreeKey, start: Node, name: str, closing: list[Node], banned: set[int]
) -> None:
    """Walk the spellings of a forbidden name: no token may close it, or lead to a dead end."""
    rest = name[len(key.name) :]
    if not key.anything or key.pending:
        ends = _spelled_carefully(key, start, rest, banned)
    elif PLAIN.match(rest):
        end = start.after(rest.encode())
        ends = [] if end is None else [end]
    else:
        ends = _spelled(start, rest)
    for node in ends:
        quote = node.child(QUOTE)
        if quote is not None:
            closing.append(quote)
            banned.update(quote.tokens)


def _spelled(start: Node, text: str) -> list[Node]:
    """Where the spellings of `text` lead in the trie."""
    places = [start]
    for character in text:
        places = [
            end
            for node in places
            for spelling in key_spellings(character)
            if (end := node.after(spelling)) is not None
        ]
        if not places:
            break
    return places


def _spelled_carefully(key: FreeKey, start: Node, text: str, banned: set[int]) -> list[Node]:
    """The same where prefixes may be dead ends: the key goes along."""
    places: list[tuple[Node, FreeKey]] = [(start, key)]
    for character in text:
        places = [
            after
            for node, here in places
            for spelling in key_spellings(character)
            if spelling.startswith(here.pending)
            for after in _spell(node, here, spelling[len(here.pending) :], banned)
        ]
        if not places:
            break
    return [node for node, here in places if not here.pending]


def _decode(content: bytes) -> str:
    if b"\\" not in content:
        return content.decode()
    return json.loads(b'"' + content + b'"')


def _spell(
    node: Node, key: FreeKey, text: bytes, banned: set[int]
) -> list[tuple[Node, FreeKey]]:
    """Where `text` leads, in the trie and in the key: one place, or none."""
    for byte in text:
        child = node.child(byte)
        if child is None:
            return []
        after = key.step(byte)
        if after is None:
            if key.state.step(byte) is not None:
                # the automaton allows it, but it is a dead end
                banned.update(child.trie.tokens_below(child.indices))
            return []
        node, key = child, after
    return [(node, key)]


def _between(trie: TokenTrie, start: Node, index: int) -> bytes:
    """The bytes from `start` down to node `index`."""
    text = bytearray()
    tops = set(start.indices)
    while index not in tops:
        text.append(trie.byte_at[index])
        index = int(trie.parent[index])
    return bytes(reversed(text))


def nodes_before_a_key(shared: dict, trie: TokenTrie) -> np.ndarray:
    """Nodes below which some token has a colon and later a comma: bool (nodes,).

    After a key's closing quote only such a token reaches the next key, where it matters which
    names have been used. There are very few.
    """
    found = shared.get("deep nodes")
    if found is None:
        comma, deep = np.zeros(trie.size, bool), np.zeros(trie.size, bool)
        for low, high in reversed(trie.levels[1:]):
            parent, byte = trie.parent[low:high], trie.byte[low:high]
            deep_here = deep[low:high] | ((byte == COLON) & comma[low:high])
            np.logical_or.at(deep, parent, deep_here)
            np.logical_or.at(comma, parent, comma[low:high] | (byte == COMMA))
        found = shared["deep nodes"] = deep
    return found


def nodes_before_a_word(shared: dict, trie: TokenTrie) -> np.ndarray:
    """Nodes below which some token has a comma and later two quotes: bool (nodes,).

    After a string's closing quote only such a token gets to the end of the next string.
    """
    found = shared.get("nodes before a word")
    if found is None:
        quotes, deep = np.zeros(trie.size, np.int8), np.zeros(trie.size, bool)
        for low, high in reversed(trie.levels[1:]):
            parent, byte = trie.parent[low:high], trie.byte[low:high]
            below = np.minimum(quotes[low:high] + (byte == QUOTE), 2).astype(np.int8)
            np.maximum.at(quotes, parent, below)
            np.logical_or.at(deep, parent, deep[low:high] | ((byte == COMMA) & (quotes[low:high] == 2)))
        found = shared["nodes before a word"] = deep
    return found
