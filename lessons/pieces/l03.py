"""Lesson 03's finished pieces: stacks of what is still owed, and the vocabulary split in two.

A stack is a tuple, its top first. What is on it is owed: nothing may end before all of it has come.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from itertools import product

import numpy as np

from lessons.pieces.l01 import PLAIN
from lessons.pieces.l02 import Machine
from lessons.pieces.records import ByteBuilder

CLOSER = {"[": "]", "{": "}"}
# what is owed as long as a bracket is open
OPEN = {"]", "}", "first item", "more items", "first key", "more keys"}
Stack = tuple


def step(stack: Stack, char: str) -> Stack | None:
    """The stack after one bracket; None if it is illegal.

    >>> step((), "["), step(("]",), "{"), step(("}", "]"), "}"), step(("]",), "}")
    ((']',), ('}', ']'), (']',), None)
    """
    if char in CLOSER:
        return (CLOSER[char], *stack)
    if stack and stack[0] == char:
        return stack[1:]
    return None


def run(one_step: Callable, stack: Stack, text: Iterable) -> Stack | None:
    """The stack after all of `text`, or None.

    >>> run(step, (), "[{}")
    (']',)
    """
    for char in text:
        stack = one_step(stack, char)
        if stack is None:
            return None
    return stack


def is_balanced(text: str) -> bool:
    """The obvious definition: take `[]` and `{}` out until nothing changes.

    >>> is_balanced("[{}]"), is_balanced("[{]}")
    (True, False)
    """
    while True:
        shorter = text.replace("[]", "").replace("{}", "")
        if shorter == text:
            return text == ""
        text = shorter


# rules: (item on top, character) -> what is owed in its place, topmost first


def array_rules() -> dict[tuple[str, str], Stack]:
    """Values that are digits, strings or arrays: "value" is replaced by what the character opens."""
    rules: dict[tuple[str, str], Stack] = {("value", digit): () for digit in "0123456789"}
    rules["value", '"'] = ("string",)
    rules["value", "["] = ("first item",)
    rules |= {("string", char): ("string",) for char in PLAIN}
    rules["string", '"'] = ()
    rules["more items", ","] = ("value", "more items")
    rules["more items", "]"] = ()
    return rules


def object_rules() -> dict[tuple[str, str], Stack]:
    """What objects add to `array_rules`."""
    return {
        ("value", "{"): ("first key",),
        ("first key", "}"): (),
        ("first key", '"'): ("string", "colon", "value", "more keys"),
        ("more keys", ","): ("key", "more keys"),
        ("more keys", "}"): (),
        ("key", '"'): ("string", "colon", "value"),
        ("colon", ":"): (),
    }


def complete(rules: Mapping) -> dict[tuple[str, str], Stack]:
    """Adds the rules of "first item": the end of the array, or a value and more items."""
    first = {("first item", c): (*owed, "more items") for (i, c), owed in rules.items() if i == "value"}
    return {**rules, **first, ("first item", "]"): ()}


@cache
def json_rules() -> dict[tuple[str, str], Stack]:
    """Arrays, objects, strings, one-digit numbers, without spaces."""
    return complete({**array_rules(), **object_rules()})


def rule_step(rules: Mapping, stack: Stack, char: str) -> Stack | None:
    """Replace the top of the stack by what the rule for `char` owes; None if there is no rule.

    >>> rule_step(json_rules(), ("more items", "more keys"), ",")
    ('value', 'more items', 'more keys')
    """
    owed = rules.get((stack[0], char)) if stack else None
    return None if owed is None else (*owed, *stack[1:])


def json_step(stack: Stack, char: str) -> Stack | None:
    """`rule_step` with the rules of our small JSON."""
    return rule_step(json_rules(), stack, char)


def depth(stack: Stack) -> int:
    """How many brackets are open."""
    return sum(item in OPEN for item in stack)


def disagreements(
    one_step: Callable, start: Stack, tokens: Sequence[str], length: int, judge: Callable
) -> list[str]:
    """Every text of at most `length` tokens that the automaton and the judge see differently."""
    found = []
    for n in range(length + 1):
        for chosen in product(tokens, repeat=n):
            text = "".join(chosen)
            if (run(one_step, start, text) == ()) != judge(text):
                found.append(text)
    return found


# what a finite automaton would need


def flatten(one_step: Callable, start: Stack, alphabet: str, deepest: int) -> dict[Stack, dict]:
    """Every stack with at most `deepest` open brackets is a state: state -> {character: state}."""
    table: dict[Stack, dict] = {}
    work = [start]
    while work:
        stack = work.pop()
        if stack in table:
            continue
        row = table[stack] = {}
        for char in alphabet:
            after = one_step(stack, char)
            if after is not None and depth(after) <= deepest:
                row[char] = after
                work.append(after)
    return table


def fewest_states(table: Mapping[Stack, dict]) -> int:
    """How many states remain once all that behave alike are joined (Moore's algorithm)."""
    kind = {stack: int(stack == ()) for stack in table}
    count = len(set(kind.values()))
    while True:
        views = {s: (kind[s], *sorted((c, kind[t]) for c, t in row.items())) for s, row in table.items()}
        numbers = {view: i for i, view in enumerate(dict.fromkeys(views.values()))}
        kind = {stack: numbers[view] for stack, view in views.items()}
        if len(numbers) == count:
            return count
        count = len(numbers)


class Node:
    """A stack as a linked list: `item` on top of `below`. Made by `Stacks.push` only."""

    __slots__ = ("item", "below", "depth")

    def __init__(self, item: str, below: Node | None) -> None:
        self.item, self.below = item, below
        self.depth = 1 if below is None else below.depth + 1


class Stacks:
    """Interned stacks: equal ones are one object, so that `is` compares and a dictionary is quick."""

    def __init__(self) -> None:
        self.nodes: dict[tuple[str, Node | None], Node] = {}

    def push(self, item: str, below: Node | None) -> Node:
        """`item` on top of `below`: a new node only if there was none."""
        key = (item, below)
        found = self.nodes.get(key)
        if found is None:
            found = self.nodes[key] = Node(item, below)
        return found

    def read(self, rules: Mapping, stack: Node | None, text: str) -> Node | None:
        """The stack after `text`. None: everything has come. ValueError: illegal."""
        for char in text:
            owed = rules.get((stack.item, char)) if stack else None
            if owed is None:
                raise ValueError(f"{char!r} is illegal")
            stack = stack.below
            for item in reversed(owed):
                stack = self.push(item, stack)
        return stack


# the inside of a string as a small automaton over bytes, and the vocabulary split by it


@cache
def string_machine() -> tuple[Machine, int, int]:
    """The automaton of a string, its state inside the quotes, and its state after the closing one."""
    builder = ByteBuilder().string()
    (closed,) = builder.ends
    machine = Machine(np.array(builder.rows, np.int32), name="string")
    return machine, machine.rows[machine.start][ord('"')], closed


def split(
    machine: Machine, state: int, closed: int, tokens: Sequence[bytes]
) -> tuple[list[int], dict[int, bytes]]:
    """Tokens that stay inside the item on top, and those that leave it with what they add after it.

    A token that reaches `closed` leaves; its remainder is for the rest of the stack to judge.
    """
    inside, leaving = [], {}
    for i, token in enumerate(tokens):
        here = state
        for place, byte in enumerate(token):
            here = machine.rows[here][byte]
            if here == closed:
                leaving[i] = token[place + 1 :]
                break
            if not here:
                break
        else:
            if token:
                inside.append(i)
    return inside, leaving


def byte_step(stack: Stack, byte: int) -> Stack | None:
    """`json_step` on bytes. A number on the stack is a state of the string automaton."""
    machine, inside, closed = string_machine()
    if stack and isinstance(stack[0], int):
        after = machine.rows[stack[0]][byte]
        if after == closed:
            return stack[1:]
        return (after, *stack[1:]) if after else None
    after = json_step(stack, chr(byte))
    return None if after is None else tuple(inside if item == "string" else item for item in after)


def replay(stack: Stack, tokens: Sequence[bytes]) -> list[int]:
    """The specification: every token, byte by byte, with the whole stack."""
    return [i for i, token in enumerate(tokens) if token and run(byte_step, stack, token) is not None]


def legal_in_string(inside: list[int], leaving: Mapping[int, bytes], below: Stack) -> list[int]:
    """Legal tokens inside a string with `below` under it: one shared part, and a few remainders."""
    fits = {rest: run(byte_step, below, rest) is not None for rest in set(leaving.values())}
    return sorted(inside + [i for i, rest in leaving.items() if fits[rest]])
