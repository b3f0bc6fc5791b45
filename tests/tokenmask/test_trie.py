"""The prefix tree says exactly what the plain list of tokens says."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokenmask.trie import Node, TokenTrie

# few letters and short words, so that prefixes, duplicates and empty tokens are common
WORDS = st.lists(st.binary(max_size=5).map(lambda b: bytes(x % 3 + 97 for x in b)), max_size=25)
ANY_WORDS = st.lists(st.binary(max_size=6), max_size=25)
REAL = ["toy", "smol", "spm", "tekken", "dashscope151k"]


def trie_of(words: list[bytes]) -> TokenTrie:
    return TokenTrie.build(words, range(len(words)))


def endings(node: Node, read: bytes = b"") -> dict[bytes, set[int]]:
    """Every text below a node, with the ids of the tokens that end there."""
    found = {read: set(node.tokens)} if node.tokens else {}
    for byte, child in node.children.items():
        found |= endings(child, read + bytes([byte]))
    return found


def expected_endings(words: list[bytes], prefixes: set[bytes]) -> dict[bytes, set[int]]:
    """The same, from the list."""
    found: dict[bytes, set[int]] = {}
    for prefix in prefixes:
        for i, word in enumerate(words):
            if word and word.startswith(prefix):
                found.setdefault(word[len(prefix) :], set()).add(i)
    return found


def prefixes_of(words: list[bytes]) -> set[bytes]:
    return {word[:k] for word in words for k in range(len(word) + 1)} | {b""}


@given(WORDS | ANY_WORDS)
def test_tree_holds_all_tokens_and_nothing_else(words: list[bytes]) -> None:
    trie = trie_of(words)
    assert endings(trie.root) == expected_endings(words, {b""})
    paths = [trie.path(i) for i in range(trie.size)]
    assert len(paths) == len(set(paths))
    assert set(paths) == prefixes_of(words)


@given(WORDS)
def test_arrays_are_in_level_order(words: list[bytes]) -> None:
    trie = trie_of(words)
    paths = [trie.path(i) for i in range(trie.size)]
    assert paths == sorted(paths, key=lambda path: (len(path), path))
    assert trie.depth.tolist() == [len(path) for path in paths]
    for depth, (start, end) in enumerate(trie.levels):
        assert (trie.depth[start:end] == depth).all()
    assert trie.levels[0] == (0, 1)
    assert trie.levels[-1][1] == trie.size
    for i in range(trie.size):
        start, end = trie.children_range(i)
        assert (start, end - start) == (trie.first_child[i], trie.child_count[i])
        assert trie.byte[start:end].tolist() == list(trie.byte_at[start:end])
        assert (trie.parent[start:end] == i).all()
        assert trie.subtree[i] == sum(path.startswith(paths[i]) for path in paths)
        assert list(trie.node(i).children) == sorted(trie.node(i).children)


@given(WORDS)
def test_token_is_the_lowest_id_and_aliases_are_the_others(words: list[bytes]) -> None:
    trie = trie_of(words)
    for i, path in enumerate(trie.path(k) for k in range(trie.size)):
        ids = [k for k, word in enumerate(words) if word == path and word]
        assert trie.token[i] == (ids[0] if ids else -1)
        assert trie.node(i).tokens == tuple(ids)
    first, duplicate = trie.aliases
    expected = {i: words.index(w) for i, w in enumerate(words) if w and words.index(w) != i}
    assert dict(zip(duplicate.tolist(), first.tolist())) == expected


@given(WORDS, st.data())
def test_merged_node_is_the_union_of_the_trees_below(words: list[bytes], data) -> None:
    trie = trie_of(words)
    chosen = data.draw(st.lists(st.integers(0, trie.size - 1), min_size=1, max_size=4))
    merged = trie.merge([trie.node(i) for i in chosen])
    assert endings(merged) == expected_endings(words, {trie.path(i) for i in chosen})
    assert merged.indices == tuple(sorted(set(chosen)))
    assert merged.size == sum(trie.subtree[i] for i in set(chosen))


def test_one_object_per_set_of_indices() -> None:
    trie = trie_of([b"ab", b"cb", b"c"])
    a, c = trie.root.children[ord("a")], trie.root.children[ord("c")]
    assert a is trie.node(a.indices[0])
    assert a is trie.find(b"a")
    assert trie.root is trie.node(0)
    assert trie.merge([a, c]) is trie.merge([c, a, a])
    assert trie.merge([a]) is a and trie.merged(a.indices) is a
    assert trie.merged([*c.indices, *a.indices]) is trie.merge([a, c])
    assert trie.merge([trie.merge([a, c]), c]) is trie.merge([a, c])
    assert a.child(ord("b")) is a.child(ord("b"))


def test_children_are_made_only_when_asked_for() -> None:
    trie = trie_of([b"abc", b"xyz"])
    assert len(trie._nodes) == 0
    assert set(trie.root.children) == set(b"ax")
    assert len(trie._nodes) == 3


def test_find_follows_bytes_or_says_none() -> None:
    trie = trie_of([b"abc", b"abd"])
    assert set(trie.find(b"ab").children) == set(b"cd")
    assert trie.find(b"b") is None
    assert trie.find(b"abcd") is None


def test_empty_tree_is_a_root_alone() -> None:
    trie = TokenTrie.build([b"", b"a"], [0])
    assert (trie.size, trie.root.children, trie.root.tokens) == (1, {}, ())


def test_merge_of_nothing_is_an_error() -> None:
    with pytest.raises(ValueError, match="at least one"):
        trie_of([b"a"]).merge([])


@given(WORDS | ANY_WORDS)
def test_arrays_survive_storing(words: list[bytes]) -> None:
    trie = trie_of(words)
    again = TokenTrie.from_arrays(trie.to_arrays())
    for name in ("byte", "parent", "depth", "first_child", "child_count", "token", "subtree"):
        assert np.array_equal(getattr(trie, name), getattr(again, name))
        assert getattr(trie, name).dtype == getattr(again, name).dtype
    assert trie.levels == again.levels
    assert endings(trie.root) == endings(again.root)


@pytest.mark.parametrize(
    "counts",
    [[], [1, 1], [0, 0], [3, 0, 0], [0, 1]],
    ids=["nothing", "endless", "orphan", "too many", "below itself"],
)
def test_arrays_that_are_no_tree_are_refused(counts: list[int]) -> None:
    arrays = trie_of([b"a"]).to_arrays()
    arrays["child_count"] = np.array(counts, np.uint16)
    arrays["byte"] = np.zeros(len(counts), np.uint8)
    arrays["token"] = np.full(len(counts), -1, np.int32)
    with pytest.raises(ValueError, match="not a tree"):
        TokenTrie.from_arrays(arrays)


def test_long_tokens_cost_levels_not_squares() -> None:
    trie = trie_of([b"a" * 5000, b"a" * 4999 + b"b"])
    assert len(trie.levels) == 5001
    assert trie.find(b"a" * 5000).tokens == (0,)


@pytest.mark.parametrize("name", REAL)
def test_real_vocabulary_is_spelled_by_its_tree(name: str, request) -> None:
    vocabulary = request.getfixturevalue(name)
    trie = vocabulary.trie
    ends = np.flatnonzero(trie.token >= 0)
    spelled = {int(i): b"" for i in trie.token[ends]}
    nodes = {int(trie.token[k]): int(k) for k in ends}
    parent = trie.parent.tolist()
    for token, node in nodes.items():
        read = bytearray()
        while node:
            read.append(trie.byte_at[node])
            node = parent[node]
        spelled[token] = bytes(reversed(read))
    first, duplicate = trie.aliases
    spelled |= {int(d): spelled[int(f)] for f, d in zip(first, duplicate)}
    assert spelled == {i: vocabulary.tokens[i] for i in vocabulary.text_ids()}


@given(st.lists(st.binary(min_size=1, max_size=6), min_size=1, max_size=20))
def test_height_is_the_longest_way_on(words: list[bytes]) -> None:
    trie = trie_of(words)
    for index in range(trie.size):
        path = trie.path(index)
        ways = [len(word) - len(path) for word in words if word.startswith(path)]
        assert trie.height(trie.node(index)) == max(ways)
    some = [trie.node(index) for index in range(1, trie.size)]
    assert trie.height(trie.merge(some)) == max(map(trie.height, some))


@given(st.lists(st.binary(min_size=1, max_size=4), min_size=1, max_size=20), st.binary(max_size=5), st.data())
def test_along_is_child_after_child(words: list[bytes], text: bytes, data) -> None:
    trie = trie_of(words + words[:3])  # some tokens twice
    chosen = data.draw(st.sets(st.integers(0, trie.size - 1), min_size=1, max_size=4))
    for start in (trie.root, trie.merge([trie.node(i) for i in chosen])):
        node, ids = start, []
        for byte in text:
            node = node.child(byte)
            if node is None:
                break
            ids += node.tokens
        assert start.along(text) == (ids, node)
        assert start.after(text) is node
