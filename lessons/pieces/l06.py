"""Lesson 06's finished pieces: hunting wrong documents, repaired automata, optional keys, a tree."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from decimal import Decimal
from functools import cache
from typing import Any

import jsonschema
import numpy as np

from lessons.pieces import l01
from lessons.pieces.museum import MUSEUM, Machine
from tokenmask import Vocabulary
from toymodel import MostlyLegalModel, UniformModel

__all__ = ["MUSEUM", "Machine"]

# single characters and a few longer tokens; the last one ends the text
TOKENS = (
    *'{}[],:"-+e',
    *("a", "b", "c", "0", "1", "5"),
    *('{"', '":1', '":1,', "1,", ",1", "10", "],", "1]"),
    "<end>",
)
END = len(TOKENS) - 1


@cache
def vocabulary() -> Vocabulary:
    """The museum's tokens."""
    return Vocabulary([token.encode() for token in TOKENS], eos_ids=[END])


def walk(machine: Machine, state: Any, text: str) -> Any:
    """The state after all of `text`, or None."""
    for char in text:
        state = machine.move(state, char)
        if state is None:
            return None
    return state


def accepts(machine: Machine, text: str) -> bool:
    """Whether the machine takes `text` as a whole document."""
    machine = machine.fresh()
    state = walk(machine, machine.start, text)
    return state is not None and machine.move(state, "") is not None


def mask(machine: Machine, state: Any) -> np.ndarray:
    """bool [tokens]: what may come in `state`, by replay; the end where the text may end."""
    legal = [walk(machine, state, token) is not None for token in TOKENS[:END]]
    return np.array([*legal, machine.move(state, "") is not None])


def run(machine: Machine, seed: int, limit: int = 60) -> str:
    """One text of the uniform model under the machine's mask; cut after `limit` tokens."""
    machine, model = machine.fresh(), UniformModel(vocabulary=vocabulary())
    rng, state, text = np.random.default_rng(seed), machine.start, ""
    logits = model.extend([])
    for _ in range(limit):
        legal = mask(machine, state)
        if not legal.any():
            raise ValueError(f"nothing is legal after {text!r}")
        token = l01.constrained_sample(logits, legal, rng)
        if token == END:
            return text
        state, text = walk(machine, state, TOKENS[token]), text + TOKENS[token]
        logits = model.extend([token])
    return text


def exact(text: str) -> int | float:
    """A number with a point or an exponent: whole ones as an int, however it is written.

    A float would make infinity of 1e999, which is whole all the same.
    """
    digits, _, power = text.lower().partition("e")
    if not digits.strip("-0."):
        return 0
    if len(power) > 5:
        return 0.5 if power[0] == "-" else 1  # too long to write out, and only wholeness matters
    value = Decimal(text)
    return int(value) if value == value.to_integral_value() else float(value)


def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object; ValueError if a key comes twice, which json.loads would pass over in silence."""
    if len({key for key, _ in pairs}) < len(pairs):
        raise ValueError("a key comes twice")
    return dict(pairs)


@cache
def judge(schema: str) -> jsonschema.Draft202012Validator:
    """The validator of a schema given as JSON text."""
    return jsonschema.Draft202012Validator(json.loads(schema))


def is_valid(text: str, schema: dict[str, Any]) -> bool:
    """Whether `text` is JSON, without a key that comes twice, and matches `schema`.

    >>> is_valid("3", {"type": "integer"}), is_valid("03", {"type": "integer"})
    (True, False)
    """
    try:
        value = json.loads(text, parse_float=exact, object_pairs_hook=once)
    except ValueError:
        return False
    return judge(json.dumps(schema)).is_valid(value)


def parses(text: str) -> bool:
    """Whether `text` is JSON."""
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def hunt(machine: Machine, runs: int) -> str | None:
    """The first text of `runs` runs (seeds 0, 1, ...) that the schema refuses, or None."""
    for seed in range(runs):
        text = run(machine, seed)
        if not is_valid(text, machine.schema):
            return text
    return None


def documents(machine: Machine, alphabet: str, longest: int, most: int = 3000) -> Iterator[str]:
    """Every text over `alphabet` that the machine accepts, up to a length; at most so many."""
    machine, found, level = machine.fresh(), 0, [("", machine.start)]
    for _ in range(longest + 1):
        following = []
        for text, state in level:
            if machine.move(state, "") is not None:
                found += 1
                yield text
            if found >= most:
                return
            steps = [(text + char, machine.move(state, char)) for char in alphabet]
            following += [(longer, after) for longer, after in steps if after is not None]
        level = following[:most]


def source(number: int) -> str:
    """The code of an exhibit, as in `lessons/pieces/museum.py`."""
    return inspect.getsource(MUSEUM[number].step).rstrip()


# the five repaired


def object_step(state, char):
    """Exhibit 1: the brace only once both required keys are there."""
    owed, keys = state
    if char == "}" and not owed and keys in (0, 1):
        return None
    return MUSEUM[1].step(state, char)


def integer_step(state, char):
    """Exhibit 2: a zero in front is a number of its own."""
    if char == "":
        return state if state in ("zero", "digits") else None
    if state == "zero":
        return None
    if char == "0" and state in ("start", "minus"):
        return "zero"
    return MUSEUM[2].step(state, char)


def list_step(state, char):
    """Exhibit 3: after a comma a value must come."""
    if state == "next":
        return "after" if char == "1" else None
    if (state, char) == ("after", ","):
        return "next"
    return MUSEUM[3].step(state, char)


def whole_step(state, char):
    """Exhibit 4: no exponent."""
    return None if char == "e" else MUSEUM[4].step(state, char)


def count_key(state, low, high):
    """Exhibit 5: counts from the last one that any test can tell from the next are the same.

    >>> count_key(("after", 7), 2, None), count_key(("after", 3), 2, 3)
    (('after', 2), ('after', 3))
    """
    place, count = state
    return (place, min(count, low if high is None else high))


def repaired(number: int) -> Machine:
    """An exhibit with its fault mended."""
    steps = {1: object_step, 2: integer_step, 3: list_step, 4: whole_step}
    if number in steps:
        return replace(MUSEUM[number].fresh(), step=steps[number])
    return replace(MUSEUM[number].fresh(), key=lambda state: count_key(state, 1, 3))


# objects


def next_keys(keys: list[str], required: set[str], last: str | None) -> list[str]:
    """What may come after the key `last` (None: at the start); "}" where the object may close.

    >>> next_keys(["a", "b", "c"], {"b"}, None), next_keys(["a", "b", "c"], {"b"}, "b")
    (['a', 'b'], ['c', '}'])
    """
    rest = keys if last is None else keys[keys.index(last) + 1 :]
    found = []
    for key in rest:
        found.append(key)
        if key in required:
            return found
    return [*found, "}"]


def key_lists(keys: list[str], required: set[str], choose: Callable = next_keys) -> Iterator[list]:
    """Every list of keys that an object may have, by following `choose`."""
    level: list[list[str]] = [[]]
    while level:
        following = []
        for written in level:
            for key in choose(keys, required, written[-1] if written else None):
                if key == "}":
                    yield written
                else:
                    following.append([*written, key])
        level = following


def tree_schema() -> dict[str, Any]:
    """A tree: a whole number `n`, and perhaps `kids`, a list of trees."""
    return {
        "type": "object",
        "properties": {
            "n": {"type": "integer"},
            "kids": {"type": "array", "items": {"$ref": "#"}},
        },
        "required": ["n"],
        "additionalProperties": False,
    }


class Trained(MostlyLegalModel):
    """A model that learned one schema and keeps to it, whatever mask is laid over it."""

    def __init__(self, p: float, compiled: Any) -> None:
        super().__init__(p, vocabulary=compiled.vocabulary)
        MostlyLegalModel.follow(self, compiled)

    def follow(self, compiled: Any) -> None:
        """Learn nothing more: the mask is no part of the model."""
