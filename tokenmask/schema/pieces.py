"""The sets of values that a schema stands for, cut into pieces of one JSON type each.

A schema means a set of JSON values. We write it as a union of pieces: each piece is of one type
and says all that is demanded there ("an integer from 3 to 9", "an object with these names").
Pieces can be intersected (`meet`) and complemented (`negate`), which is all that `allOf`, `not`,
`oneOf`, `if` and siblings of `$ref` need. What is inside an array or object stays a `Node`: a set
that is only cut into pieces when somebody looks.

Lesson 06 builds a small version of this.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

from ..expression import Expression
from ..shapes import Reference, Shape


class Node:
    """A set of values, not yet cut into pieces. Equal nodes are the same object."""

    __slots__ = ("pieces", "opposite", "busy", "shape", "reference", "serial")

    def __init__(self, pieces: Pieces | None = None) -> None:
        self.pieces: Pieces | None = pieces
        self.opposite: Node | None = None
        self.busy = False
        self.shape: Shape | None = None
        self.reference: Reference | None = None
        self.serial = 0

class Leaf(Node):
    """The values of one schema at one place of the document."""

    __slots__ = ("schema", "pointer", "base")

    def __init__(self, schema: dict, pointer: str, base: object) -> None:
        super().__init__()
        self.schema = schema
        self.pointer = pointer
        self.base = base

class Both(Node):
    """The values that are in every part."""

    __slots__ = ("parts",)

    def __init__(self, parts: tuple[Node, ...]) -> None:
        super().__init__()
        self.parts = parts

class Either(Node):
    """The values that are in at least one part."""

    __slots__ = ("parts",)

    def __init__(self, parts: tuple[Node, ...]) -> None:
        super().__init__()
        self.parts = parts

class Not(Node):
    """All values that are not in `part`."""

    __slots__ = ("part",)

    def __init__(self, part: Node) -> None:
        super().__init__()
        self.part = part

class Value(Node):
    """Exactly one value, from `const` or `enum`."""

    __slots__ = ("value",)

    def __init__(self, value: object) -> None:
        super().__init__()
        self.value = value

@dataclass(slots=True, eq=False)
class Scalars:
    """Finitely many values of one type: null, booleans, or numbers or strings that are listed."""

    type: str
    values: tuple

@dataclass(slots=True, eq=False)
class Number:
    """Numbers from `low` to `high`; `low_open` leaves the bound itself out.

    `integer`: True only whole numbers, False only the others, None both. `multiples` must all
    divide it, none of `indivisible` may.
    """

    low: int | float | None = None
    high: int | float | None = None
    low_open: bool = False
    high_open: bool = False
    integer: bool | None = None
    multiples: tuple[int | float, ...] = ()
    indivisible: tuple[int | float, ...] = ()
    type: str = "number"

@dataclass(slots=True, eq=False)
class String:
    """Strings of `least` to `most` code points whose encoded content matches `content` (None: any).

    None of `excluded` is among them.

    `outer`: where `content` leaves out some strings that the schema allows (a `format` of which
    only the plain cases are offered), a wider content that surely has all of them; else None. The
    complement is taken of the wider one, so it never allows too much either.
    """

    content: Expression | None = None
    least: int = 0
    most: int | None = None
    outer: Expression | None = None
    label: str = "string"
    excluded: frozenset[str] = frozenset()
    type: str = "string"

@dataclass(slots=True, eq=False)
class ArrayOf:
    """Arrays: `prefix` by position, then `rest`. `contains`: (node, least, most or None) each.

    `seen` is what `unevaluatedItems` leaves alone: the first `seen` elements (None: all of them)
    and whatever is in one of `seen_nodes`.
    """

    prefix: tuple[Node, ...]
    rest: Node
    least: int = 0
    most: int | None = None
    unique: bool = False
    contains: tuple[tuple[Node, int, int | None], ...] = ()
    seen: int | None = 0
    seen_nodes: tuple[Node, ...] = ()
    pointer: str = ""
    type: str = "array"

@dataclass(slots=True, eq=False)
class ObjectOf:
    """Objects: `names` are known; `free` are disjoint classes of other keys (None: every key).

    A known name whose node is `NOTHING` may not occur. `some`: (class, but not these names, node)
    each: at least one such key has a value in the node. `seen` names and `seen_keys` classes are
    what `unevaluatedProperties` leaves alone (`seen` None: everything). `inexact`: some names that
    the schema allows are left out, so there is no complement.
    """

    names: dict[str, Node]
    free: tuple[tuple[Expression | None, Node], ...]
    required: frozenset[str] = frozenset()
    least: int = 0
    most: int | None = None
    dependents: dict[str, tuple[str, ...]] = field(default_factory=dict)
    some: tuple[tuple[Expression | None, frozenset[str], Node], ...] = ()
    seen: frozenset[str] | None = frozenset()
    seen_keys: tuple[Expression, ...] = ()
    inexact: bool = False
    pointer: str = ""
    type: str = "object"

Piece: TypeAlias = Scalars | Number | String | ArrayOf | ObjectOf
Pieces: TypeAlias = tuple[Piece, ...]

TYPES = ("null", "boolean", "number", "string", "array", "object")

EVERYTHING = Node()
NOTHING = Node(())
EVERYTHING.opposite, NOTHING.opposite = NOTHING, EVERYTHING

NULL = Scalars("null", (None,))
BOOLEAN = Scalars("boolean", (True, False))
NUMBER = Number()
INTEGER = Number(integer=True)
STRING = String()
ARRAY = ArrayOf((), EVERYTHING)
OBJECT = ObjectOf({}, ((None, EVERYTHING),))
UNIVERSAL: dict[str, Piece] = dict(zip(TYPES, (NULL, BOOLEAN, NUMBER, STRING, ARRAY, OBJECT)))
ALL_PIECES: Pieces = tuple(UNIVERSAL.values())
EVERYTHING.pieces = ALL_PIECES

class Inexact(Exception):
    """An operation on pieces that cannot be made exact; becomes `UnsupportedSchema` with a place."""

    def __init__(self, reason: str, keyword: str | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.keyword = keyword

_JSON_TYPES: dict[type, str] = {
    str: "string", bool: "boolean", int: "number", float: "number", type(None): "null",
    list: "array", tuple: "array", dict: "object",
}

def json_type(value: object) -> str:
    """The JSON type of a Python value; booleans are not numbers.

    >>> json_type(True), json_type(1.0)
    ('boolean', 'number')
    """
    known = _JSON_TYPES.get(type(value))
    if known is not None:
        return known
    for kind, name in _JSON_TYPES.items():  # a subclass
        if isinstance(value, kind):
            return name
    raise TypeError(f"{type(value).__name__} is not a JSON value")

__all__ = [name for name in dir() if not name.startswith("_")]
