"""Tokens grouped by where they lead: all that end inside one item, by the item they leave there.

The stack below stays as it is, so whatever is asked of the state after a token (how far is it to
the end?) has one answer per group. For wide items the groups come from the same NumPy walks of the
vocabulary as the masks.
"""

from __future__ import annotations

import numpy as np

from .automaton import WIDE, AutomatonState
from .freekeys import FreeKey, key_spellings
from .items import Item, TerminalItem
from .strings import CLOSED, ContentWalk, CountedString, counted
from .trie import Node
from .walk import walk_vocabulary

Groups = list[tuple[Item, "np.ndarray | list[int]"]]
"""(the item after the token, ids of the tokens that lead to it); of equal tokens one is enough."""


def token_groups(item: TerminalItem, node: Node) -> Groups:
    """All tokens below `node` that end inside `item` or exactly at its end."""
    if node is node.trie.root:
        if isinstance(item, AutomatonState) and len(item.allowed()) > WIDE:
            return _automaton_groups(item, node)
        if isinstance(item, CountedString) and not item.content.partial:
            return _counted_groups(item, node)
        if isinstance(item, FreeKey) and not item.place.spec.least and len(item.allowed()) > WIDE:
            return _free_key_groups(item, node)
    return _descend_groups(item, node)


def _descend_groups(item: TerminalItem, node: Node) -> Groups:
    """By joint descent of trie and item."""
    groups: dict[Item, list[int]] = {}
    work = [(node, item)]
    while work:
        here, current = work.pop()
        children = here.children
        allowed = current.allowed()
        for byte in allowed if len(allowed) < len(children) else children:
            child = children.get(byte)
            after = None if child is None else current.step(byte)
            if after is None:
                continue
            if child.tokens:
                groups.setdefault(after, []).extend(child.tokens)
            if child.children and after.open:
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
    """One walk of the vocabulary: token ids per state."""
    nodes, states = walk_vocabulary(node.trie, state.automaton, state)
    ids = node.trie.token[nodes]
    known = state.automaton.states
    return [(known[number - 1], group) for number, group in _by_number(states[ids >= 0], ids[ids >= 0])]


def _automaton_groups(item: AutomatonState, node: Node) -> Groups:
    return list(_walked(item, node))


def _counted_groups(item: CountedString, node: Node) -> Groups:
    """By content state and characters completed; and those that end at the closing quote."""
    content, trie = item.content, node.trie
    memo = content.automaton.extra
    walk = memo.get(("walk", content.index))
    if walk is None:
        walk = memo["walk", content.index] = ContentWalk(content, item.lengths)
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


def _free_key_groups(item: FreeKey, node: Node) -> Groups:
    """By the automaton's state; keys that may yet become a forbidden name stand alone.

    What a free key costs to end does not depend on its name, as long as the shortest ending is not
    that of a forbidden name.
    """
    alone = _near_forbidden(item, node)
    split = item.split(node)
    legal = [np.array(split.ids, np.intp)]
    if split.mask is not None:
        legal.append(item.state.automaton.vocabulary.unpack(split.mask))
    allowed = np.setdiff1d(np.concatenate(legal), [i for _, ids in alone for i in ids])
    tokens = item.state.automaton.vocabulary.tokens
    groups: Groups = list(alone)
    for _, found in _walked(item.state, node):
        ids = found[np.isin(found, allowed)]
        if ids.size:
            groups.append((_after(item, tokens[int(ids[0])]), ids))
    return groups


def _after(item: TerminalItem, text: bytes) -> TerminalItem:
    for byte in text:
        item = item.step(byte)
    return item


def _near_forbidden(item: FreeKey, node: Node) -> list[tuple[Item, list[int]]]:
    """Tokens after which the key is still the beginning of a forbidden name."""
    following: dict[str, set[bytes]] = {}
    for name in item._candidates():
        for length in range(len(item.name), len(name)):
            following.setdefault(name[:length], set()).update(key_spellings(name[length]))
        following.setdefault(name, set())
    found: list[tuple[Item, list[int]]] = []
    work: list[tuple[Node, TerminalItem]] = [(node, item)] if following else []
    while work:
        here, key = work.pop()
        for byte, child in here.children.items():
            after = key.step(byte)
            if not isinstance(after, FreeKey) or after.name not in following:
                continue
            if after.pending and not any(s.startswith(after.pending) for s in following[after.name]):
                continue
            if child.tokens:
                found.append((after, list(child.tokens)))
            work.append((child, after))
    return found
