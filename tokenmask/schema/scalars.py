"""Numbers, strings, `enum` and `const`: from keywords to pieces."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..characters import ANY_CONTENT
from ..errors import InvalidSchema, UnsupportedSchema
from ..expression import Expression, TooComplex
from ..formats import FORMATS
from ..regex import InvalidPattern, UnsupportedPattern, content, counted
from . import values as read
from .keys import meet_contents
from .meet import empty_range, fewer
from .pieces import (
    BOOLEAN,
    NOTHING,
    NULL,
    ArrayOf,
    Leaf,
    Number,
    ObjectOf,
    Pieces,
    Scalars,
    String,
    json_type,
)

if TYPE_CHECKING:
    from .compile import Compiler

# what every string of a format surely matches; date and ipv4 are exact, and of formats that are
# not listed nothing is sure
OUTER_FORMATS = {
    "date-time": r"^\d{4}-\d\d-\d\d[Tt ]",
    "time": r"^\d\d:\d\d:\d\d",
    "duration": r"^P",
    "email": r"@",
    "idn-email": r"@",
    "hostname": r"^[^ @/:]*$",
    "ipv6": r":.*:",
    "uri": r"^[A-Za-z][^ ]*:[^ ]*$|^[A-Za-z]:[^ ]*$",
    "iri": r"^[A-Za-z][^ ]*:[^ ]*$|^[A-Za-z]:[^ ]*$",
    "uri-reference": r"^[^ ]*$",
    "iri-reference": r"^[^ ]*$",
    "uuid": r"^[0-9a-fA-F-]{36,}$",
    "json-pointer": r"^(/|$)",
    "relative-json-pointer": r"^\d",
}
EXACT_FORMATS = frozenset(("date", "ipv4"))

MOST_COMPOSITES = 1_000  # arrays and objects in one enum: each is a branch of its own


def number_piece(leaf: Leaf, integer: bool | None) -> Number | None:
    """The numbers that the keywords of a schema allow; None: none."""
    schema = leaf.schema
    low, high = _bound(leaf, "minimum"), _bound(leaf, "maximum")
    low_open = high_open = False
    above, below = schema.get("exclusiveMinimum"), schema.get("exclusiveMaximum")
    if isinstance(above, bool):  # draft-04: it only says how `minimum` is meant
        low_open = above and low is not None
    elif above is not None or "exclusiveMinimum" in schema:
        above = read.number(leaf, "exclusiveMinimum")
        if low is None or above >= low:
            low, low_open = above, True
    if isinstance(below, bool):
        high_open = below and high is not None
    elif below is not None or "exclusiveMaximum" in schema:
        below = read.number(leaf, "exclusiveMaximum")
        if high is None or below <= high:
            high, high_open = below, True
    multiples: tuple = ()
    if "multipleOf" in schema:
        step = read.number(leaf, "multipleOf")
        if step <= 0:
            raise read.wrong(leaf, "multipleOf", "a number above 0")
        multiples = (step,)
    piece = Number(low, high, low_open, high_open, integer, multiples)
    if low is not None and high is not None:
        if low > high or (low == high and (low_open or high_open)):
            return None
        if integer and empty_range(piece):
            return None
    return piece


def _bound(leaf: Leaf, keyword: str) -> int | float | None:
    return read.number(leaf, keyword) if keyword in leaf.schema else None


def string_piece(compiler: Compiler, leaf: Leaf) -> String | None:
    """The strings that the keywords of a schema allow; None: none."""
    schema = leaf.schema
    least = read.count(leaf, "minLength", 0)
    most = read.count(leaf, "maxLength", None)
    found: Expression | None = None
    outer: Expression | None = None
    label = "string"
    if "pattern" in schema:
        found, shortest, longest = pattern(read.text(leaf, "pattern"), "pattern", leaf.pointer)
        least, most = max(least, shortest), fewer(most, longest)
        label = "pattern"
    if "format" in schema:
        name = read.text(leaf, "format")
        known = compiler.format(name, leaf)
        if known is not None:
            if name not in EXACT_FORMATS:
                outer = meet_contents(found, outer_content(name))
            found = meet_contents(found, known)
            most = fewer(most, longest_of(name))
            label = name
    if most is not None and least > most:
        return None
    return String(found, least, most, outer, label)


_patterns: dict[str, tuple[Expression | None, int, int | None]] = {}


def pattern(source: str, keyword: str, pointer: str) -> tuple[Expression | None, int, int | None]:
    """A pattern as (content, least, most code points); remembered."""
    found = _patterns.get(source)
    if found is not None:
        return found
    try:
        found = counted(source) or (content(source), 0, None)
    except InvalidPattern as error:
        raise InvalidSchema(f"the pattern {source[:80]!r} is wrong: {error}", keyword=keyword,
                            pointer=pointer) from None
    except (UnsupportedPattern, TooComplex) as error:
        raise UnsupportedSchema(
            f"the pattern {source[:80]!r} cannot be enforced: {error}", keyword=keyword,
            pointer=pointer,
        ) from None
    if len(_patterns) > 2000:
        _patterns.clear()
    _patterns[source] = found
    return found


def format_content(name: str) -> Expression | None:
    """The strings of a format that is enforced; None for others."""
    return FORMATS.get(name)


def longest_of(name: str) -> int | None:
    """Most code points of a format's strings; None: no limit of its own."""
    from ..formats import LONGEST
    return LONGEST.get(name)


def outer_content(name: str) -> Expression:
    """What all strings of a format have, and maybe others too."""
    return content(OUTER_FORMATS[name]) if name in OUTER_FORMATS else ANY_CONTENT


def listed(compiler: Compiler, leaf: Leaf) -> Pieces:
    """The pieces of `enum` and `const`."""
    schema = leaf.schema
    if "const" in schema:
        values = [schema["const"]]
        if "enum" in schema:
            found = values_pieces(compiler, _enum(leaf), leaf.pointer, "enum")
            return compiler.meet(values_pieces(compiler, values, leaf.pointer, "const"), found)
        return values_pieces(compiler, values, leaf.pointer, "const")
    return values_pieces(compiler, _enum(leaf), leaf.pointer, "enum")


def _enum(leaf: Leaf) -> list:
    values = leaf.schema["enum"]
    if not isinstance(values, list):
        raise read.wrong(leaf, "enum", "a list")
    return values


def values_pieces(compiler: Compiler, values: list, pointer: str, keyword: str) -> Pieces:
    """The pieces of finitely many values, scalars of one type together."""
    if values and all(type(value) is str and value.isascii() for value in values):  # most lists
        return (Scalars("string", tuple(dict.fromkeys(values))),)
    scalars: dict[str, dict] = {}
    found: list = []
    if len(values) > MOST_COMPOSITES:
        composites = sum(isinstance(value, list | dict) for value in values)
        if composites > MOST_COMPOSITES:
            raise UnsupportedSchema(
                f"{composites} listed arrays and objects are more than {MOST_COMPOSITES}",
                keyword=keyword, pointer=pointer,
            )
    for value in values:
        try:
            kind = json_type(value)
        except TypeError as error:
            raise InvalidSchema(str(error), keyword=keyword, pointer=pointer) from None
        if kind == "array":
            nodes = tuple(compiler.pool.value(item) for item in value)
            found.append(ArrayOf(nodes, NOTHING, len(nodes), len(nodes), pointer=pointer))
        elif kind == "object":
            nodes = {name: compiler.pool.value(item) for name, item in value.items()}
            for name in nodes:
                read.check_text(name, keyword, pointer)
            found.append(ObjectOf(nodes, (), frozenset(nodes), len(nodes), pointer=pointer))
        else:
            if kind == "string":
                read.check_text(value, keyword, pointer)
            elif (kind == "number" and value != value) or value in (_INFINITE, -_INFINITE):
                raise InvalidSchema(f"{value} is not a JSON number", keyword=keyword, pointer=pointer)
            scalars.setdefault(kind, {})[value] = None
    for kind, members in scalars.items():
        if kind == "null":
            found.append(NULL)
        elif kind == "boolean" and len(members) == 2:
            found.append(BOOLEAN)
        else:
            found.append(Scalars(kind, tuple(members)))
    return tuple(found)


_INFINITE = float("inf")
