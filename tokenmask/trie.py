"""A vocabulary as a prefix tree, in NumPy arrays: lesson 02 builds one by hand.

Tokens that begin alike are walked once. The nodes are numbered level by level (all of depth 1,
then all of depth 2, ...) and the children of a node stand side by side, sorted by byte, so a whole
level is a slice and a wide walk is a few array operations. A narrow walk wants objects instead:
`Node` is one, made only where somebody looks.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

# the arrays from which all the others follow, in the order in which they are stored
STORED = ("byte", "child_count", "token", "alias_first", "alias_duplicate")

DEEP = 8
"""Runs of one byte are looked for from here on, in levels of few nodes: see `TokenTrie.runs`."""


class Node:
    """Where one walk through the tree stands: what has been read, and what may come next.

    A merged node stands for several array nodes at once: the union of the trees below them.
    There is only one `Node` per set of indices, so `is` compares.

    >>> trie = TokenTrie.build([b"a", b"ab"], range(2))
    >>> trie.root.child(97).tokens, trie.root.child(97).letters
    ((0,), b'b')
    """

    # no reference upwards or downwards: what nobody walks through is never made
    __slots__ = ("trie", "tokens", "letters", "_place", "_below")

    trie: TokenTrie
    tokens: tuple[int, ...]  # ids of the tokens that end here, duplicates included
    letters: bytes  # the bytes that lead on; ascending in a plain node
    _place: int | tuple[int, ...]  # array node, or of a merged node all of them, ascending
    _below: int | dict[int, Node]  # array node of the first child, or of a merged node all children

    def __init__(self, trie: TokenTrie, place: int | tuple[int, ...]) -> None:
        self.trie, self._place = trie, place
        self.tokens = trie.tokens_at(self.indices)
        if type(place) is int:
            start, end = trie.children_range(place)
            self._below, self.letters = start, trie.byte_at[start:end]

    def __getattr__(self, name: str) -> object:
        # only called while a slot is empty: what is below a merged node is merged when asked for
        if name not in ("letters", "_below"):
            raise AttributeError(f"Node has no attribute {name!r}")
        self._below = below = self.trie.merged_children(self._place)
        self.letters = bytes(below)
        return getattr(self, name)

    def child(self, byte: int) -> Node | None:
        """The node after one more byte; None if no token goes on with it."""
        below = self._below
        if type(below) is dict:
            return below.get(byte)
        at = self.letters.find(byte)
        if at < 0:
            return None
        return self.trie._nodes.get(below + at) or self.trie.node(below + at)

    def after(self, text: bytes) -> Node | None:
        """The node after some more bytes; makes none on the way."""
        trie, place = self.trie, self._place
        if type(place) is not int:
            node: Node | None = self
            for byte in text:
                node = node.child(byte)
                if node is None:
                    return None
            return node
        first, counts, find = trie._first, trie._counts, trie.byte_at.find
        for byte in text:
            start = first[place]
            place = find(byte, start, start + counts[place])
            if place < 0:
                return None
        return trie.node(place)

    def along(self, text: bytes) -> tuple[list[int], Node | None]:
        """Ids of the tokens that end on the way along `text`, and where it leads (None: not so far)."""
        trie, place = self.trie, self._place
        found: list[int] = []
        if type(place) is not int:
            node: Node | None = self
            for byte in text:
                node = node.child(byte)
                if node is None:
                    return found, None
                found += node.tokens
            return found, node
        first, counts, find = trie._first, trie._counts, trie.byte_at.find
        ids, duplicates = trie._ids, trie._duplicates
        for byte in text:
            start = first[place]
            place = find(byte, start, start + counts[place])
            if place < 0:
                return found, None
            token = ids[place]
            if token >= 0:
                found.append(token)
                if token in duplicates:
                    found += duplicates[token]
        return found, trie.node(place)

    @property
    def children(self) -> dict[int, Node]:
        """By byte, all of them: where only some are wanted, `child` makes no others."""
        return {byte: self.child(byte) for byte in self.letters}

    @property
    def indices(self) -> tuple[int, ...]:
        """The array nodes, ascending; one unless merged."""
        place = self._place
        return (place,) if type(place) is int else place

    @property
    def size(self) -> int:
        """Nodes below, this one included, as an estimate of what a walk costs."""
        return sum(self.trie._sizes[index] for index in self.indices)

    def __repr__(self) -> str:
        paths = ", ".join(repr(self.trie.path(i)) for i in self.indices[:3])
        more = ", ..." if len(self.indices) > 3 else ""
        return f"<Node {paths}{more}: {len(self.tokens)} tokens end here, {self.size} nodes>"


class TokenTrie:
    """The tree. All arrays have one entry per node, the root is node 0.

    byte         intp   the byte that leads to the node (root: 0)
    parent       intp   (root: 0)
    depth        int32  bytes read so far
    first_child  intp   children are first_child .. first_child + child_count - 1, sorted by byte
    child_count  intp
    token        int32  the lowest id whose bytes end here, -1 if there is none
    subtree      int32  nodes below, this one included
    levels       list of (start, end): level d is the slice of the nodes at depth d
    byte_at      bytes  `byte` once more, for Python: byte_at[i] is an int
    numbers      intp   0, 1, 2, ...: what index arithmetic starts from
    aliases      (first ids, duplicate ids), int32: tokens with the same bytes as an earlier one
    """

    def __init__(
        self,
        byte: np.ndarray,
        child_count: np.ndarray,
        token: np.ndarray,
        alias_first: np.ndarray,
        alias_duplicate: np.ndarray,
    ) -> None:
        self.byte = byte.astype(np.intp)
        self.child_count = child_count.astype(np.intp)
        self.token = token.astype(np.int32)
        self.aliases = (alias_first.astype(np.int32), alias_duplicate.astype(np.int32))
        self._derive()
        self._duplicates: dict[int, list[int]] = {}
        for first, other in zip(alias_first.tolist(), alias_duplicate.tolist(), strict=True):
            self._duplicates.setdefault(first, []).append(other)
        # indexing a memoryview gives a Python int, three times as fast as an array does
        self.byte_at = byte.astype(np.uint8).tobytes()
        self.numbers = np.arange(byte.size, dtype=np.intp)
        self._first, self._counts = memoryview(self.first_child), memoryview(self.child_count)
        self._ids, self._sizes = memoryview(self.token), memoryview(self.subtree)
        self._nodes: dict[int | tuple[int, ...], Node] = {}
        self._heights: dict[Node, int] = {}
        self._runs: dict[int, list[int]] | None = None

    @property
    def runs(self) -> dict[int, list[int]]:
        """Of the deepest nodes above one byte repeated, and nothing else: all nodes below, topmost first.

        The longest tokens are mostly lines of blanks, dashes and the like.
        """
        if self._runs is None:
            runs = self._runs = {}
            deep = next((low for low, high in self.levels[DEEP:] if high - low < 100), self.size)
            for index in range(self.size - 1, deep - 1, -1):
                start, end = self.children_range(index)
                if start == end:
                    runs[index] = []
                elif end == start + 1 and start in runs:
                    below = runs[start]
                    if not below or self.byte_at[start] == self.byte_at[below[0]]:
                        runs[index] = [start, *below]
        return self._runs

    def _derive(self) -> None:
        """Everything that follows from how many children each node has."""
        size = self.byte.size
        ends = np.cumsum(self.child_count)
        if size == 0 or ends[-1] != size - 1 or self.token.size != size:
            raise ValueError("these arrays are not a tree: every node but the root needs a parent")
        # in level order the children of node 0 come first, then those of node 1, ...
        self.first_child = 1 + ends - self.child_count
        self.parent = np.zeros(size, np.intp)
        self.parent[1:] = np.repeat(np.arange(size), self.child_count)
        self.depth = np.zeros(size, np.int32)
        self.levels: list[tuple[int, int]] = []
        start, end = 0, 1
        while start < end:
            self.depth[start:end] = len(self.levels)
            self.levels.append((start, end))
            start, end = end, int(1 + ends[end - 1])
        if self.levels[-1][1] != size:
            raise ValueError("these arrays are not a tree: some nodes hang below themselves")
        self.subtree = np.ones(size, np.int32)
        for start, end in reversed(self.levels[1:]):
            np.add.at(self.subtree, self.parent[start:end], self.subtree[start:end])

    @classmethod
    def build(cls, tokens: Sequence[bytes], ids: Iterable[int]) -> TokenTrie:
        """The tree of `tokens[i]` for i in ids. Empty tokens are left out: they lead nowhere."""
        # equal tokens stay in the order of their ids, so the first of them is the lowest
        order = sorted((i for i in sorted(ids) if tokens[i]), key=tokens.__getitem__)
        texts = [tokens[i] for i in order]
        lengths = np.fromiter(map(len, texts), np.intp, len(texts))
        starts = np.cumsum(lengths) - lengths
        data = np.frombuffer(b"".join(texts), np.uint8)
        same = [k for k in range(1, len(texts)) if texts[k] == texts[k - 1]]
        return cls(*_level_order(data, starts, lengths, np.array(order, np.int32), same))

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, np.ndarray]) -> TokenTrie:
        """The tree that `to_arrays` described; a ValueError or KeyError if they describe none."""
        return cls(*(arrays[name] for name in STORED))

    def to_arrays(self) -> dict[str, np.ndarray]:
        """The few arrays that are worth keeping on disk, in small types."""
        first, duplicate = self.aliases
        kept = (self.byte.astype(np.uint8), self.child_count.astype(np.uint16), self.token)
        return dict(zip(STORED, (*kept, first, duplicate), strict=True))

    @property
    def size(self) -> int:
        """Number of nodes, the root included."""
        return self.byte.size

    @property
    def root(self) -> Node:
        return self.node(0)

    def node(self, index: int) -> Node:
        """The one object for array node `index`."""
        found = self._nodes.get(index)
        # setdefault: two threads may come here at once, and only one object may win
        return found or self._nodes.setdefault(index, Node(self, index))

    def merge(self, nodes: Iterable[Node]) -> Node:
        """The union of the trees below some nodes: what may follow in any of these places."""
        return self.merged({i for node in nodes for i in node.indices})

    def merged(self, indices: Iterable[int]) -> Node:
        """The same by array nodes, each once: no object is made for each of them."""
        key = tuple(sorted(indices))
        if not key:
            raise ValueError("merge needs at least one node")
        if len(key) == 1:
            return self.node(key[0])
        return self._nodes.get(key) or self._nodes.setdefault(key, Node(self, key))

    def merged_children(self, indices: Iterable[int]) -> dict[int, Node]:
        """What is below several array nodes, by byte."""
        below: dict[int, list[int]] = {}
        for index in indices:
            for child in range(*self.children_range(index)):
                below.setdefault(self.byte_at[child], []).append(child)
        return {byte: self.merged(group) for byte, group in below.items()}

    def children_range(self, index: int) -> tuple[int, int]:
        """(first, one past the last) child of array node `index`; their bytes are in `byte_at`."""
        start = self._first[index]
        return start, start + self._counts[index]

    def height(self, node: Node) -> int:
        """Bytes of the longest way on below a node."""
        height = self._heights.get(node)
        if height is None:
            height = self._heights[node] = max(map(self._height, node.indices))
        return height

    def _height(self, index: int) -> int:
        height, low, high = -1, index, index + 1
        while low < high:  # what is below a node is one slice of each level
            height += 1
            low, high = self.children_range(low)[0], self.children_range(high - 1)[1]
        return height

    def tokens_at(self, indices: tuple[int, ...]) -> tuple[int, ...]:
        """Ids of all tokens that end at one of these array nodes."""
        found: list[int] = []
        for index in indices:
            first = self._ids[index]
            if first >= 0:
                found.append(first)
                found += self._duplicates.get(first, ())
        return tuple(found)

    def tokens_below(self, indices: Iterable[int]) -> list[int]:
        """Ids of all tokens that end at these array nodes or below, duplicates included."""
        found: list[int] = []
        for index in indices:
            low, high = index, index + 1
            while low < high:  # what is below a node is one slice of each level
                found += [token for token in self.token[low:high].tolist() if token >= 0]
                low, high = self.children_range(low)[0], self.children_range(high - 1)[1]
        return found + [other for first in found for other in self._duplicates.get(first, ())]

    def path(self, index: int) -> bytes:
        """The bytes from the root to array node `index`."""
        read = bytearray()
        while index:
            read.append(self.byte_at[index])
            index = int(self.parent[index])
        return bytes(reversed(read))

    def find(self, data: bytes) -> Node | None:
        """The node where `data` leads, or None if no token begins so."""
        return self.root.after(data)


def _level_order(
    data: np.ndarray, starts: np.ndarray, lengths: np.ndarray, ids: np.ndarray, same: list[int]
) -> tuple[np.ndarray, ...]:
    """The arrays of `STORED` for sorted tokens: `data[starts[k] : starts[k] + lengths[k]]`."""
    bytes_, counts, tokens = [np.zeros(1, np.uint8)], [], [np.full(1, -1, np.int32)]
    alive = np.arange(lengths.size)  # the tokens that reach this level
    parents = np.zeros(lengths.size, np.intp)  # for each of them its node one level above
    width, depth = 1, 0  # width: nodes one level above
    while alive.size:
        letters = data[starts[alive] + depth]
        new = np.empty(alive.size, bool)  # a token opens a node if it differs from the one before
        new[0] = True
        new[1:] = (parents[1:] != parents[:-1]) | (letters[1:] != letters[:-1])
        nodes = np.cumsum(new) - 1
        counts.append(np.bincount(parents[new], minlength=width))
        bytes_.append(letters[new])
        depth, width = depth + 1, int(nodes[-1]) + 1
        ends = lengths[alive] == depth
        token = np.full(width, -1, np.int32)
        # backwards, so that of equal tokens the one with the lowest id is written last
        token[nodes[ends][::-1]] = ids[alive[ends]][::-1]
        tokens.append(token)
        alive, parents = alive[~ends], nodes[~ends]
    counts.append(np.zeros(width, np.intp))
    first, duplicate = _aliases(ids, same)
    return np.concatenate(bytes_), np.concatenate(counts), np.concatenate(tokens), first, duplicate


def _aliases(ids: np.ndarray, same: list[int]) -> tuple[np.ndarray, np.ndarray]:
    """(first ids, duplicate ids); `same` are the positions of tokens that equal the one before."""
    first_of: dict[int, int] = {}
    for k in same:
        first_of[k] = first_of.get(k - 1, int(ids[k - 1]))
    return np.array(list(first_of.values()), np.int32), ids[np.array(same, np.intp)]
