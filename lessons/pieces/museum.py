"""The bug museum of lesson 06: five automata, each lets a particular kind of wrong document through.

Do not read on before you have met them in the lesson.

Every automaton is one function, step(state, character) -> next state or None. The end of the text
is a character too, the empty one: a state may end the text if step(state, "") is not None.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any


def object_step(state, char):
    """{"a":1,"b":1} or {"a":1,"b":1,"c":1}. state: (text owed, keys written; -1: closed)."""
    owed, keys = state
    if owed:
        return (owed[1:], keys) if char == owed[0] else None
    if keys == -1:
        return state if char == "" else None
    if char == "}":
        return ("", -1)
    member = ("," if keys else "") + '"' + "abc"[keys % 3] + '":1'
    if keys < 3 and char == member[0]:
        return (member[1:], keys + 1)
    return None


def integer_step(state, char):
    """An integer. States: start, minus, digits."""
    if char == "":
        return state if state == "digits" else None
    if char == "-":
        return "minus" if state == "start" else None
    return "digits" if char in "0123456789" else None


def list_step(state, char):
    """A list of ones: [], [1], [1,1] ... States: start, value, after, end."""
    if char == "":
        return state if state == "end" else None
    moves = {
        ("start", "["): "value",
        ("value", "]"): "end",
        ("value", "1"): "after",
        ("after", ","): "value",
        ("after", "]"): "end",
    }
    return moves.get((state, char))


def whole_step(state, char):
    """An integer. States: start, minus, zero, digits, e, sign, power."""
    if char == "":
        return state if state in ("zero", "digits", "power") else None
    if char == "0" and state in ("start", "minus"):
        return "zero"
    if char in "0123456789":
        after = {"start": "digits", "minus": "digits", "digits": "digits"}
        after |= {"e": "power", "sign": "power", "power": "power"}
        return after.get(state)
    moves = {("start", "-"): "minus", ("zero", "e"): "e", ("digits", "e"): "e"}
    moves |= {("e", "+"): "sign", ("e", "-"): "sign"}
    return moves.get((state, char))


def counted_step(state, char):
    """A list of one to three ones. state: (place, ones so far). Nothing is wrong in here."""
    place, count = state
    if char == "":
        return state if place == "end" else None
    if char == "1" and place in ("first", "next"):
        return ("after", count + 1)
    if char == "," and place == "after" and count < 3:
        return ("next", count)
    if char == "]" and place == "after":
        return ("end", count)
    return ("first", 0) if char == "[" and place == "start" else None


def counted_key(state):
    """States with the same key share what the engine has learned about one of them."""
    place, count = state
    return (place, min(count, 2))


def itself(state: Any) -> Any:
    """The safe key: nothing is shared."""
    return state


@dataclass
class Machine:
    """An automaton and the schema it is meant to enforce.

    key: which states share what is known. What one of them taught is used for all of them, so a
    machine with a bad key goes wrong although its `step` is right.
    """

    name: str
    step: Callable[[Any, str], Any]
    start: Any
    schema: dict[str, Any]
    key: Callable[[Any], Any] = itself
    known: dict[tuple, Any] = field(default_factory=dict)

    def move(self, state: Any, char: str) -> Any:
        """The next state or None; asks `step` only where nothing is known yet."""
        place = (self.key(state), char)
        if place not in self.known:
            self.known[place] = self.step(state, char)
        return self.known[place]

    def fresh(self) -> Machine:
        """The same machine, with nothing learned."""
        return Machine(self.name, self.step, self.start, self.schema, self.key)

    def __repr__(self) -> str:
        return self.name


ONES = {"type": "array", "items": {"const": 1}}
OBJECT = {
    "type": "object",
    "properties": {"a": {"const": 1}, "b": {"const": 1}, "c": {"const": 1}},
    "required": ["a", "b"],
    "additionalProperties": False,
}

# numbered as in the lesson, from 1
MUSEUM = {
    1: Machine("exhibit 1, object", object_step, ("{", 0), OBJECT),
    2: Machine("exhibit 2, integer", integer_step, "start", {"type": "integer"}),
    3: Machine("exhibit 3, list", list_step, "start", ONES),
    4: Machine("exhibit 4, integer again", whole_step, "start", {"type": "integer"}),
    5: Machine(
        "exhibit 5, one to three ones",
        counted_step,
        ("start", 0),
        {**ONES, "minItems": 1, "maxItems": 3},
        counted_key,
    ),
}
