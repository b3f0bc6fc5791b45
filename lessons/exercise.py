"""What an exercise is, and how one of its inputs is checked.

A lesson's module `lessons.exercises.lNN` holds a list `EXERCISES`. Each has a function that takes
what the learner defined and yields `Case`s: one call, what it should give, and how to run it.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np


class Words(str):
    """An expected value put in words: it is quoted without quotation marks."""


def same(expected: Any, got: Any) -> bool:
    """Equal in value: lists, tuples and arrays are alike; floats may differ in the tenth digit.

    >>> same([0.1 + 0.2], np.array([0.3]))
    True
    >>> same(True, 1), same({1}, [1])
    (False, False)
    """
    if isinstance(expected, dict) and isinstance(got, dict):
        return expected.keys() == got.keys() and all(same(v, got[k]) for k, v in expected.items())
    if isinstance(expected, np.ndarray):
        expected = expected.tolist()
    if isinstance(got, np.ndarray | np.generic):
        got = got.tolist()
    if isinstance(expected, list | tuple):
        alike = isinstance(got, list | tuple) and len(expected) == len(got)
        return alike and all(map(same, expected, got))
    if isinstance(expected, bool) or isinstance(got, bool):
        return expected is got
    if isinstance(expected, float) and isinstance(got, int | float):
        return bool(np.isclose(expected, got, rtol=1e-9, atol=1e-12, equal_nan=True))
    return type(expected) is type(got) and expected == got


def is_like_int(value: Any) -> bool:
    """True for an integer, Python's or NumPy's, but not for a truth value."""
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


@dataclass(frozen=True)
class Case:
    """One input of a check.

    call: the call in words, as a learner would type it. expected: what it should give.
    got: runs the learner's code. same: decides whether `got` is right. because: one sentence for a
    learner whose answer fails exactly here.
    """

    call: str
    expected: Any
    got: Callable[[], Any]
    same: Callable[[Any, Any], bool] = same
    because: str = ""


def calls(
    function: Callable,
    inputs: Iterable[tuple],
    reference: Callable,
    because: str = "",
    name: str | None = None,
) -> Iterator[Case]:
    """Compare `function` with `reference` on each tuple of arguments.

    The learner's function gets copies, so that one that changes its arguments spoils nothing.
    """
    name = name or getattr(function, "__name__", "your answer")
    for arguments in inputs:
        call = f"{name}({', '.join(map(quote, arguments))})"
        expected = reference(*copy.deepcopy(arguments))
        given = copy.deepcopy(arguments)
        yield Case(call, expected, lambda given=given: function(*given), because=because)


def quote(value: Any, limit: int = 160) -> str:
    """`repr`, but the same on every run and short: sets sorted, NumPy numbers plain.

    >>> quote({"b", "a"}), quote(np.float64(0.5)), quote(Words("a token"))
    ("{'a', 'b'}", '0.5', 'a token')
    """
    text = plain(value)
    return text if len(text) <= limit else f"{text[: limit - 20]} ... {text[-12:]}"


def plain(value: Any) -> str:
    """The text of `quote` before it is shortened."""
    if isinstance(value, Words):
        return str(value)
    if isinstance(value, np.ndarray):
        return f"array({plain(value.tolist())})"
    if isinstance(value, np.generic):
        return plain(value.item())
    if isinstance(value, float):
        return f"{value:.6g}" if value == value else "nan"
    if isinstance(value, set | frozenset):
        inside = sorted(map(plain, value)) if not all_numbers(value) else map(plain, sorted(value))
        return "{" + ", ".join(inside) + "}" if value else "set()"
    if isinstance(value, list):
        return "[" + ", ".join(map(plain, value)) + "]"
    if isinstance(value, tuple):
        return "(" + ", ".join(map(plain, value)) + ("," if len(value) == 1 else "") + ")"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{plain(k)}: {plain(v)}" for k, v in value.items()) + "}"
    if callable(value) and hasattr(value, "__name__"):
        return value.__name__
    text = repr(value)
    # an address differs from run to run, and a check's text is compared
    return f"a {type(value).__name__}" if " at 0x" in text else text


def all_numbers(values: Iterable) -> bool:
    """True if `values` can be sorted as numbers."""
    return all(isinstance(value, int | float | np.number) for value in values)


@dataclass(frozen=True)
class Exercise:
    """One numbered exercise.

    number "1.2" is the second of lesson 01. names: what the learner defines. cases: takes these
    objects in the same order and yields the inputs. hints: opened one at a time, none empty.
    seconds: how long one call may take before it is stopped.
    """

    number: str
    title: str
    minutes: int
    difficulty: int
    names: tuple[str, ...]
    cases: Callable[..., Iterator[Case]]
    hints: tuple[str, ...]
    seconds: float = 5.0

    @property
    def lesson(self) -> str:
        """Two digits: '01' for exercise 1.2."""
        return self.number.split(".")[0].zfill(2)

    @property
    def key(self) -> str:
        """The number as part of a cell id: '1-2'."""
        return self.number.replace(".", "-")


@dataclass(frozen=True)
class Wrong:
    """A wrong answer that people really write. Tests run it against the exercise's check.

    name: what is wrong with it. source: what the learner would type. says: a piece of the message
    that the check must then give.
    """

    name: str
    source: str
    says: str
