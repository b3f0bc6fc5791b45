"""The pushdown automaton: stacks of what is still owed, interned, expanded lazily.

A decoder's state is a *set* of stacks, since a grammar may leave open which branch it is in. Equal
stacks are one object, equal sets of stacks are one state with one number, and every transition is
remembered: so `maxItems: 1000`, recursion or 300 optional keys cost only what is visited.
Lesson 03 builds it by hand.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from .items import End, Follow, Item

DEEPEST = 400
"""Rules expanded into rules without a byte read between; a grammar beyond that is refused."""


MANY = 8
"""From so many stacks on, doubles are looked for after every byte."""


class Stack:
    """`item` on top of `below` (None only at the bottom).

    Equal stacks are one object: a stack keeps what was pushed on it, `first` and, where there is
    more than one, `others`. (One dict of all stacks would need a tuple as key for each of them, and
    the garbage collector would visit them all.)
    """

    __slots__ = ("item", "below", "depth", "tops", "leaving", "first", "others")

    def __init__(self, item: Item, below: Stack | None) -> None:
        self.item, self.below = item, below
        self.depth: int = 0 if below is None else below.depth + 1
        self.tops: tuple[Stack, ...] | None = None
        self.leaving: dict[object, object] | None = None  # of masks.py
        self.first: Stack | None = None
        self.others: dict[Item, Stack] | None = None

    def items(self) -> list[Item]:
        """From the top down, without the end marker."""
        found: list[Item] = []
        stack: Stack | None = self
        while stack is not None and stack.below is not None:
            found.append(stack.item)
            stack = stack.below
        return found


class State:
    """A set of stacks whose tops are all terminal. `mask` is filled by `tokenmask.masks`."""

    __slots__ = ("stacks", "number", "accepting", "steps", "mask", "_memo")

    def __init__(self, stacks: tuple[Stack, ...], number: int, accepting: bool) -> None:
        self.stacks, self.number, self.accepting = stacks, number, accepting
        self.steps: dict[int, State | None] | None = None
        self.mask = None
        self._memo: dict[object, object] | None = None


    @property
    def memo(self) -> dict[object, object]:
        """What others keep about this state (the budget's plans); made when first asked for."""
        if self._memo is None:
            self._memo = {}
        return self._memo


class GrammarTooDeep(ValueError):
    """Rules that expand into rules without end: a grammar that never reads a byte."""


class Pushdown:
    """All stacks and states of one compiled grammar.

    `after` keeps the state after a token, under the number of the state before, shifted by 32 bits,
    plus the token. `stacks` are all stacks but the bottom.
    """

    __slots__ = ("stacks", "states", "after", "bottom", "start", "_release")

    def __init__(self, root: Item, release: Callable[[], None] | None = None) -> None:
        """`release` is called when the automaton is dropped: see `__del__`."""
        self._release = release
        self.stacks: list[Stack] = []
        self.states: dict[Stack | frozenset[Stack], State] = {}
        self.after: dict[int, State | None] = {}
        self.bottom = Stack(End(), None)
        self.start = self.state(self.tops(self.push((root,), self.bottom)))

    def __del__(self) -> None:
        """States, stacks and rules refer to each other in circles: cut them.

        Then a grammar that is dropped is freed at once, and not by a full run of the garbage
        collector, which stops everything for a tenth of a second.
        """
        for state in self.states.values():
            state.steps = state._memo = None
        for stack in (self.bottom, *self.stacks):
            stack.tops = stack.leaving = stack.first = stack.others = None
        if self._release is not None:
            self._release()

    def push(self, items: Follow, below: Stack) -> Stack:
        """`items` on top of `below`, the first one topmost."""
        for item in reversed(items):
            found = below.first
            if found is None:
                found = below.first = self._new(item, below)
            elif found.item is not item:
                others = below.others
                if others is None:
                    others = below.others = {}
                found = others.get(item)
                if found is None:
                    found = others[item] = self._new(item, below)
            below = found
        return below

    def _new(self, item: Item, below: Stack) -> Stack:
        stack = Stack(item, below)
        self.stacks.append(stack)
        return stack

    def tops(self, stack: Stack) -> tuple[Stack, ...]:
        """The stacks that `stack` becomes once every rule on top is replaced by its alternatives."""
        if stack.item.terminal:
            return (stack,)  # not kept: a stack that holds itself is work for the garbage collector
        if stack.tops is None:
            stack.tops = self._expand(stack)
        return stack.tops

    def _expand(self, stack: Stack) -> tuple[Stack, ...]:
        first, sequences = stack, stack.item.expand()
        for _ in range(DEEPEST):  # as long as there is nothing to choose
            if len(sequences) != 1:
                break
            after = self.push(sequences[0], first.below)
            if after.item.terminal:
                return (after,)
            if after.tops is not None:
                return after.tops
            first, sequences = after, after.item.expand()
        found: dict[Stack, None] = {}  # a dict keeps the order and drops doubles
        seen = {first}
        work = [first]
        while work:
            top = work.pop()
            if top.item.terminal:
                found[top] = None
                continue
            if top.tops is not None:
                found.update(dict.fromkeys(top.tops))
                continue
            for sequence in reversed(sequences if top is first else top.item.expand()):
                after = self.push(sequence, top.below)
                if after not in seen:
                    if after.depth > stack.depth + DEEPEST:
                        raise GrammarTooDeep(
                            f"{top.item.describe()} expands into itself without reading anything"
                        )
                    seen.add(after)
                    work.append(after)
        return tuple(found)

    def state(self, stacks: Sequence[Stack]) -> State:
        """The one state of a set of stacks."""
        # most states have one stack, which is its own key
        key = stacks[0] if len(stacks) == 1 else frozenset(stacks)
        found = self.states.get(key)
        if found is None:
            alone = len(stacks) == 1
            members = (key,) if alone else tuple(dict.fromkeys(stacks))
            found = State(members, len(self.states), self.bottom in members)
            self.states[key] = found
        return found

    def step(self, state: State, byte: int) -> State | None:
        """The state after one byte, or None if that byte is not allowed. Kept by the state."""
        steps = state.steps
        if steps is None:
            steps = state.steps = {}
        if byte in steps:
            return steps[byte]
        after = steps[byte] = self.read(state, (byte,))
        return after

    def read(self, state: State, text: Iterable[int]) -> State | None:
        """The state after several bytes, or None.

        In between, a stack is just (item, below): only where the text ends are they interned.
        """
        places = [(stack.item, stack.below) for stack in state.stacks]
        for byte in text:
            after: list[tuple[Item, Stack]] = []
            for item, below in places:
                following = item.step(byte)
                if following is None:
                    continue
                if following.open:
                    after.append((following, below))
                if following.follow is not None:
                    ended = self.push(following.follow, below)
                    after += [(top.item, top.below) for top in self.tops(ended)]
            if not after:
                return None
            places = after if len(after) < MANY else list(dict.fromkeys(after))
        return self.state([self.bottom if b is None else self.push((i,), b) for i, b in places])

    def token(self, state: State, token: int, text: bytes) -> State | None:
        """The state after one token; remembered in `after`."""
        key = state.number << 32 | token
        if key in self.after:
            return self.after[key]
        after = self.after[key] = self.read(state, text) if text else None
        return after

    def allowed_bytes(self, state: State) -> list[int]:
        """The bytes that may come next, ascending."""
        candidates: set[int] = set()
        for stack in state.stacks:
            candidates.update(stack.item.allowed())
        return [byte for byte in sorted(candidates) if self.step(state, byte) is not None]
