"""Tokens grouped by where they lead: all that end inside one item, by the item they leave there.

The stack below stays as it is, so whatever is asked of the state after a token (how far is it to
the end?) has one answer per group. For wide items the groups come from the same NumPy walks of the
vocabulary as the masks.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from .automaton import WIDE, AutomatonState
from .cheapkeys import name_closed_by
from .completion import Prices
from .freekeys import FreeKey, key_spellings
from .items import Follow, Item, TerminalItem
from .objects import KeySpelling
from .strings import CLOSED, CountedString, content_walk, counted
from .trie import Node
from .walk import walk_vocabulary

FEW_NODES = 100
"""Trie nodes up to which a key is spelled out token by token."""

Groups = list[tuple[Item, "np.ndarray | list[int]"]]
"""(the item after the token, ids of the tokens that lead to it); of equal tokens one is enough."""


def token_groups(item: TerminalItem, node: Node, prices: Prices) -> Groups:
    """All tokens below `node` that end inside `item` or exactly at its end.

    `prices` know which keys the cheapest ending of an object will use.
    """
    if isinstance(item, FreeKey) and node.size > FEW_NODES:
        return _free_key_groups(item, node, prices)
    if node is node.trie.root:
        if isinstance(item, AutomatonState) and len(item.allowed()) > WIDE:
            return _automaton_groups(item, node)
        if isinstance(item, CountedString) and not item.content.partial:
            return _counted_groups(item, node)
    return _descend_groups(item, node)


def _descend_groups(item: TerminalItem, node: Node) -> Groups:
    """By joint descent of trie and item."""
    groups: dict[Item, list[int]] = {}
    work = [(node, item)]
    while work:
        here, current = work.pop()
        letters, allowed = here.letters, current.allowed()
        for byte in allowed if len(allowed) < len(letters) else letters:
            after = current.step(byte) if byte in letters else None
            if after is None:
                continue
            child = here.child(byte)
            if child.tokens:
                groups.setdefault(after, []).extend(child.tokens)
            if child.letters and after.open:
                work.append((child, after))
    return list(groups.items())


def _by_number(numbers: np.ndarray, ids: np.ndarray) -> list[tuple[int, np.ndarray]]:
    """`ids` split by the number beside each: (number, its ids)."""
    if not ids.size:
        return []
    order = np.argsort(numbers, kind="stable")
    numbers, ids = numbers[order], ids[order]
    starts = np.flatnonzero(np.concatenate([[True], numbers[1:] != numbers[:-1]]))
    return list(zip(numbers[starts].tolist(), np.split(ids, starts[1:]), strict=True))


def _walked(state: AutomatonState, node: Node) -> list[tuple[AutomatonState, np.ndarray]]:
    """One walk of the tokens below `node`: ids per state."""
    starts = None if node is node.trie.root else np.array(node.indices, np.intp)
    nodes, states = walk_vocabulary(node.trie, state.automaton, state, starts)
    ids = node.trie.token[nodes]
    known = state.automaton.states
    return [(known[number - 1], group) for number, group in _by_number(states[ids >= 0], ids[ids >= 0])]


def _automaton_groups(item: AutomatonState, node: Node) -> Groups:
    return list(_walked(item, node))


def _counted_groups(item: CountedString, node: Node) -> Groups:
    """By content state and characters completed; and those that end at the closing quote."""
    content, trie = item.content, node.trie
    walk = content_walk(item)
    fits = walk.fits(item.least, item.most, item.lengths)
    done, width = walk.completed[fits], int(walk.completed.max(initial=0)) + 1
    pairs = walk.states[fits] * width + done
    groups: Groups = []
    for pair, ids in _by_number(pairs, trie.token[walk.nodes[fits]]):
        number, completed = divmod(pair, width)
        after = content.automaton.states[number - 1]
        most = None if item.most is None else item.most - completed
        groups.append((counted(after, max(item.least - completed, 0), most, item.lengths), ids))
    closing = walk.quote_counts >= item.least
    if item.most is not None:
        closing &= walk.quote_counts <= item.most
    ids = trie.token[walk.quotes[closing]]
    groups.append((CLOSED, ids[ids >= 0]))
    return groups


def _free_key_groups(item: FreeKey, node: Node, prices: Prices) -> Groups:
    """By the automaton's state; keys that are or may become a special name stand alone.

    What a free key costs to end does not depend on its name, unless the cheapest ending would give
    it a forbidden name, or a name that the rest of the cheapest ending uses.
    """
    depth, *others = {int(node.trie.depth[index]) for index in node.indices}
    if others:
        return _descend_groups(item, node)  # a merged node whose tokens were begun unequally far
    alone: dict[Item, list[int]] = {}
    for place, after in _near(item, node, prices):
        alone.setdefault(after, []).extend(place.tokens)
    taken = {token for ids in alone.values() for token in ids}
    vocabulary = item.state.automaton.vocabulary
    taken.update(_refused(item, node))
    out = np.array(sorted(taken), np.intp)
    groups: Groups = list(alone.items())
    for _, ids in _shared_walk(item.state, node):
        if out.size:
            at = np.searchsorted(ids, out)
            at = at[(at < ids.size) & (ids[np.minimum(at, ids.size - 1)] == out)]
            ids = np.delete(ids, at) if at.size else ids
        if ids.size:
            text = vocabulary.tokens[int(ids[0])][depth:]
            groups.append((_after(item, text), ids))
    return groups


def _refused(item: FreeKey, node: Node) -> set[int]:
    """Tokens that the key's automaton allows and the key does not."""
    free, bound = item.state.split(node), item.split(node)
    refused = set(free.ids) - set(bound.ids)
    if free.mask is not bound.mask:
        vocabulary = item.state.automaton.vocabulary
        refused.update(vocabulary.unpack(free.mask & ~bound.mask).tolist())
    return refused


def token_exits(item: TerminalItem, node: Node, prices: Prices) -> list[tuple[Node, Follow]]:
    """Where tokens below `node` leave the item and go on: as in its split, special names apart."""
    exits = item.split(node).exits
    if not isinstance(item, FreeKey) or not item.place.spec.least:
        return exits
    closed = [(place, after) for place, after in _near(item, node, prices) if not after.open]
    apart = {index for place, _ in closed for index in place.indices}
    unnamed = item.place.after_free(item.branch, None)
    found: list[tuple[Node, Follow]] = [(place, after.follow) for place, after in closed]
    for place, follow in exits:
        if follow == unnamed and not apart.isdisjoint(place.indices):
            left = [index for index in place.indices if index not in apart]
            if left:
                found.append((node.trie.merged(left), follow))
        else:
            found.append((place, follow))
    return found


def _shared_walk(state: AutomatonState, node: Node) -> list[tuple[AutomatonState, np.ndarray]]:
    """The walk from a key's state, ids ascending; the same for all keys."""
    memo = state.automaton.extra
    key = ("groups", state.index, node.indices)
    found = memo.get(key)
    if found is None:
        found = memo[key] = [(after, np.sort(ids)) for after, ids in _walked(state, node)]
    return found


def _after(item: TerminalItem, text: bytes) -> TerminalItem:
    for byte in text:
        item = item.step(byte)
    return item


def _planned_names(item: FreeKey, prices: Prices) -> set[str]:
    """The free keys that the cheapest ending writes after this one."""
    names: set[str] = set()
    rest = item.place.after_free(item.branch, None)[-1]
    while (way := prices.way(rest)) is not None:
        key = way[1][-1]
        if not isinstance(key, (FreeKey, KeySpelling)):
            break  # the closing brace
        way = prices.way(key)
        if way is None:
            break
        if isinstance(key, FreeKey):
            names.add(name_closed_by(key, way[0]))
        rest = way[1][-1]
    return names


def _near(item: FreeKey, node: Node, prices: Prices) -> list[tuple[Node, TerminalItem]]:
    """Places in the trie where the key is a special name, or the beginning of one; and the item there.

    Special are the forbidden names, and those that the rest of the cheapest ending uses.
    """
    following: dict[str, set[bytes]] = {}
    for name in {*item._candidates(), *_planned_names(item, prices)}:
        if name.startswith(item.name):
            for length in range(len(item.name), len(name)):
                following.setdefault(name[:length], set()).update(key_spellings(name[length]))
            following.setdefault(name, set())
    found: list[tuple[Node, TerminalItem]] = []
    work: list[tuple[Node, TerminalItem]] = [(node, item)] if following else []
    while work:
        here, key = work.pop()
        for byte in here.letters:
            if not _leads_on(key, byte, following[key.name]):
                continue
            after = key.step(byte)
            if after is None:
                continue
            child = here.child(byte)
            found.append((child, after))
            if isinstance(after, FreeKey):
                work.append((child, after))
    return found


def _leads_on(key: FreeKey, byte: int, spellings: Iterable[bytes]) -> bool:
    """The byte closes a key at a special place, or spells on towards a special name."""
    begun = key.pending + bytes((byte,))
    return begun == b'"' or any(spelling.startswith(begun) for spelling in spellings)
