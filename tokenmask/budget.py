"""A budget: only those tokens after which the text can still be completed in time.

Every state has a *plan*, the tokens of one real completion; the cost of a state is the length of
its plan. With `remaining` tokens left a token is kept if 1 + (cost of the state after it) is at
most `remaining`. The first token of the plan always is: the state after it takes over the rest of
the plan, unless it has a shorter one. So a run that can end in time at its start can end in time at
every step, whatever is chosen. The comma is legal only if there is room for what it brings.
Lesson 08 builds this by hand.

Tokens are not tried one by one. Those that end inside the item on top leave the stack below as it
is, so they are grouped by the item that they lead to, and each group has one cost: a rung. The rest
leave the item at a few places of the vocabulary trie, where the stack below has its own rungs.
"""

from __future__ import annotations

import numpy as np

from .completion import NEVER, Prices
from .exact import PER_MASK, SMALL, ExactSearch
from .groups import token_exits, token_groups
from .items import Follow, Item
from .masks import mask_of
from .pushdown import Pushdown, Stack, State
from .spelling import END, NOWHERE, UNSPELLABLE, Cell, fewest_tokens, prepend
from .trie import Node
from .vocabulary import Vocabulary

Rungs = list[tuple[int, "np.ndarray | list[int]"]]
"""(cost after the token, ids of such tokens), in no order; an id may be on several rungs."""

PLAN, RUNGS = "plan", "rungs"  # keys of State.memo
UTF8_BYTES = (*range(0xC0), *range(0xC2, 0xF5))
UNLIKELY = 1000
"""Price of a byte that no token holds alone: to be avoided, but not impossible."""


class Budget:
    """Plans, costs and narrowed masks for one grammar; kept with its pushdown automaton."""

    def __init__(self, vocabulary: Vocabulary, pushdown: Pushdown) -> None:
        self.vocabulary, self.pushdown = vocabulary, pushdown
        self.exact = None
        if vocabulary.trie.size <= SMALL and not _spells_all(vocabulary):
            self.exact = ExactSearch(vocabulary, pushdown)
        self.weights = _byte_prices(vocabulary)
        self.prices = Prices(vocabulary, self.weights, self._measure)
        self._cells: dict[Stack, Cell] = {pushdown.bottom: END}
        self._rungs: dict[tuple[Stack, Node], Rungs] = {}
        self._groups: dict[tuple[Item, Node], list[tuple[Item, np.ndarray | list[int]]]] = {}
        self._measured: dict[bytes, int] = {}

    def _measure(self, text: bytes) -> int:
        """Price of a text: the tokens that it takes on its own."""
        if len(text) < 2:
            return self.weights[text[0]] if text else 0
        found = self._measured.get(text)
        if found is None:
            found = fewest_tokens(self.vocabulary.trie, text)
            if found >= UNSPELLABLE:
                found = min(NEVER, sum(self.weights[byte] for byte in text))
            self._measured[text] = found
        return found

    # --- plans

    def cost(self, state: State) -> int:
        """Tokens of the state's plan; `UNSPELLABLE` or more if there is none."""
        planned = self.plan(state).cost
        return self.exact.first_cost(state, planned) if self.exact else planned

    def completion(self, state: State) -> list[int]:
        """The state's plan; ValueError if there is none."""
        cost = self.cost(state)
        if cost >= UNSPELLABLE:
            raise ValueError(
                "no tokens of this vocabulary complete the text from here: the grammar asks for "
                "text that they cannot spell"
            )
        shorter = self.exact.completion(state) if self.exact else None
        plan = self.plan(state)
        return plan.tokens() if shorter is None or plan.cost == cost else shorter

    def plan(self, state: State) -> Cell:
        """The cheapest of its stacks' texts, or what was inherited if that is cheaper."""
        found = state.memo.get(PLAN)
        if found is None:
            found = min((self.cell(stack) for stack in state.stacks), key=lambda cell: cell.cost)
            state.memo[PLAN] = found
        return found

    def cell(self, stack: Stack) -> Cell:
        """The text that ends a stack, cut into the fewest tokens: its first cell."""
        cells, path = self._cells, []
        while stack not in cells:
            way = self.prices.way(stack.item)
            if way is None:
                cells[stack] = NOWHERE
                break
            text, follow = way
            path.append((stack, text))
            stack = self.pushdown.push(follow, stack.below)
        cell = cells[stack]
        for stack, text in reversed(path):
            cell = cells[stack] = prepend(self.vocabulary.trie, text, cell)
        return cell

    # --- masks

    def mask(self, state: State, remaining: int) -> np.ndarray:
        """The tokens that leave room to end within `remaining`, this one included: uint32 (words,).

        End tokens are not counted: they are in it exactly where the text may end. ValueError if
        `remaining` is too small.
        """
        needed = self.cost(state)
        if needed > remaining:
            self.completion(state)
            raise ValueError(
                f"{remaining} tokens are too few to complete the text: {needed} are needed"
            )
        if self.exact:
            return self._exact_mask(state, remaining)
        rungs, dearest = self._state_rungs(state)
        if dearest < remaining:
            return mask_of(self.vocabulary, self.pushdown, state)
        kept = [ids for cost, ids in rungs if cost < remaining]
        kept.append(self._hand_over(state))
        return self._with_end(state, np.concatenate([np.asarray(ids, np.intp) for ids in kept]))

    def _exact_mask(self, state: State, remaining: int) -> np.ndarray:
        vocabulary, pushdown, exact = self.vocabulary, self.pushdown, self.exact
        exact.purse = PER_MASK
        kept = self._hand_over(state) if self.plan(state).cost <= remaining else []
        legal = vocabulary.unpack(mask_of(vocabulary, pushdown, state)).tolist()
        for token in legal:
            after = None
            if token not in vocabulary.eos_ids:
                after = pushdown.token(state, token, vocabulary.tokens[token])
            if after is None:
                continue
            # what is planned is enough, if it fits: no need to know whether there is a shorter way
            planned = self.plan(after).cost
            if planned < remaining or exact.cost(after, planned, remaining - 1) < remaining:
                kept.append(token)
        return self._with_end(state, np.array(kept, np.intp))

    def _with_end(self, state: State, ids: np.ndarray) -> np.ndarray:
        if state.accepting:
            ids = np.concatenate([ids, np.array(self.vocabulary.eos_ids, np.intp)])
        return self.vocabulary.pack(ids)

    def _hand_over(self, state: State) -> list[int]:
        """The plan's first token; the state after it inherits the rest of the plan."""
        plan = self.plan(state)
        if plan.token < 0:
            return []
        text = self.vocabulary.tokens[plan.token]
        after = self.pushdown.token(state, plan.token, text)
        if self.plan(after).cost > plan.after.cost:
            after.memo[PLAN] = plan.after
        return [plan.token]

    def _state_rungs(self, state: State) -> tuple[Rungs, int]:
        """The rungs of all stacks, and the highest cost among them."""
        found = state.memo.get(RUNGS)
        if found is None:
            root = self.vocabulary.trie.root
            rungs = [rung for stack in state.stacks for rung in self.rungs(stack, root)]
            dearest = max((cost for cost, _ in rungs), default=-1)
            found = state.memo[RUNGS] = (rungs, dearest)
        return found

    def rungs(self, stack: Stack, node: Node) -> Rungs:
        """What the tokens below `node` of the trie cost from `stack`, whose top is a terminal."""
        key = (stack, node)
        found = self._rungs.get(key)
        if found is None:
            found = self._rungs[key] = []
            for after, ids in self._grouped(stack.item, node):
                cell = self.cell(self.pushdown.push((after,), stack.below))
                found.append((cell.cost, ids))
            for place, follow in token_exits(stack.item, node, self.prices):
                found += self._leave(stack, place, follow)
        return found

    def _leave(self, stack: Stack, place: Node, follow: Follow) -> Rungs:
        below = self.pushdown.push(follow, stack.below) if follow else stack.below
        return [rung for top in self.pushdown.tops(below) for rung in self.rungs(top, place)]

    def _grouped(self, item: Item, node: Node) -> list[tuple[Item, np.ndarray | list[int]]]:
        key = (item, node)
        found = self._groups.get(key)
        if found is None:
            found = self._groups[key] = token_groups(item, node, self.prices)
        return found


def _spells_all(vocabulary: Vocabulary) -> bool:
    """Every byte of UTF-8 is a token: whatever a grammar asks for, a plan is written and found."""
    root = vocabulary.trie.root
    return all((node := root.child(byte)) is not None and node.tokens for byte in UTF8_BYTES)


def _byte_prices(vocabulary: Vocabulary) -> list[int]:
    """Per byte: 1 if a token is just that byte, `UNLIKELY` if some token holds it, else `NEVER`."""
    prices = [NEVER] * 256
    trie = vocabulary.trie
    for byte in np.unique(trie.byte[1:]).tolist():
        prices[byte] = UNLIKELY
    for byte, child in trie.root.children.items():
        if child.tokens:
            prices[byte] = 1
    return prices


def budget_of(vocabulary: Vocabulary, pushdown: Pushdown) -> Budget:
    """The one budget of a grammar; it learns as the grammar is used."""
    found = pushdown.start.memo.get("budget")
    if found is None:
        found = pushdown.start.memo["budget"] = Budget(vocabulary, pushdown)
    return found
