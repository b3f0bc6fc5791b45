"""What a grammar is made of, before it becomes a pushdown automaton.

A front end (JSON Schema, EBNF, regex, function definitions) turns its source into shapes; the
pushdown automaton (`tokenmask.pushdown`) turns shapes into items on a stack. So every front end
shares one engine, and the engine knows nothing of JSON Schema's keywords.

Lesson 06 builds these shapes from a schema by hand.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeAlias

from .expression import Expression


class Terminal:
    """Bytes that match an expression: a number, a date, a keyword.

    The expression, or what makes it when it is first asked for.
    """

    __slots__ = ("label", "_expression")

    def __init__(self, expression: Expression | Callable[[], Expression], label: str = "text") -> None:
        self._expression, self.label = expression, label

    @property
    def expression(self) -> Expression:
        """What the bytes match."""
        if not isinstance(self._expression, Expression):
            self._expression = self._expression()
        return self._expression


@dataclass(slots=True, eq=False)
class Literals:
    """One of finitely many scalars, written as JSON: an `enum` or `const` of str, int, float, bool, None.

    >>> Literals(("red", 1, None))
    """

    values: tuple[str | int | float | bool | None, ...]


@dataclass(slots=True, eq=False)
class Text:
    """A JSON string: its content matches `content` and has `shortest` to `longest` code points.

    `content` is an expression over the *encoded* content (escapes and UTF-8), without the quotes.
    Bounds are kept apart from it so that strings of every length share their masks.
    """

    content: Expression
    shortest: int = 0
    longest: int | None = None
    label: str = "string"


@dataclass(slots=True, eq=False)
class Object:
    """A JSON object.

    `properties` are the known names in schema order. `free` are the other keys: disjoint
    expressions over encoded key content, each with the shape of its value; known names are never
    free keys, and nor are `forbidden` ones. `dependent_required[a] = (b, c)`: an object with `a`
    has `b` and `c` as well.
    """

    properties: dict[str, Shape]
    required: frozenset[str] = frozenset()
    free: tuple[tuple[Expression, Shape], ...] = ()
    min_properties: int = 0
    max_properties: int | None = None
    dependent_required: dict[str, tuple[str, ...]] = field(default_factory=dict)
    forbidden: frozenset[str] = frozenset()


@dataclass(slots=True, eq=False)
class Contains:
    """At least `least` and at most `most` elements of an array are `match`; the rest are `other`.

    No value has both shapes, so each element counts exactly once.
    """

    match: Shape
    other: Shape
    least: int = 1
    most: int | None = None


@dataclass(slots=True, eq=False)
class Array:
    """A JSON array: `prefix` shapes by position, then `rest` (None: no further element).

    `unique` is only set where every element is one of finitely many `Literals`, or where there is
    no prefix and `rest` is a `Text` of which there are more than anybody can list.
    `contains` is only set where `prefix` is empty; it replaces `rest`.
    """

    prefix: tuple[Shape, ...] = ()
    rest: Shape | None = None
    min_items: int = 0
    max_items: int | None = None
    unique: bool = False
    contains: Contains | None = None


@dataclass(slots=True, eq=False)
class Union:
    """Any one of the branches. A value may match several of them."""

    branches: tuple[Shape, ...]


@dataclass(slots=True, eq=False)
class Sequence:
    """All parts, one after the other (EBNF)."""

    parts: tuple[Shape, ...]


@dataclass(slots=True, eq=False)
class Repeat:
    """`body` at least `least` and at most `most` times (EBNF); `most` None: without end."""

    body: Shape
    least: int = 0
    most: int | None = None


@dataclass(slots=True, eq=False)
class Reference:
    """A named shape, filled in once it is known: this is what makes recursion possible."""

    name: str
    target: Shape | None = None


class AnyValue:
    """Any JSON value at all: the schema `{}` or `true`. Use the one instance `ANY`."""

    __slots__ = ()


ANY = AnyValue()

Shape: TypeAlias = (
    Terminal | Literals | Text | Object | Array | Union | Sequence | Repeat | Reference | AnyValue
)
