"""Schemas to pieces: one schema's own keywords, and the keywords that combine whole schemas."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from ..errors import InvalidSchema, UnsupportedSchema
from ..expression import Expression
from . import values as read
from .combine import combine, merge
from .containers import array_piece, object_piece
from .document import Document
from .keys import without
from .meet import MOST_PIECES, may_have, meet, meet_piece, value_of
from .negate import complement, complement_piece
from .pieces import (
    ALL_PIECES,
    ARRAY,
    BOOLEAN,
    INTEGER,
    NULL,
    NUMBER,
    OBJECT,
    STRING,
    ArrayOf,
    Both,
    Either,
    Inexact,
    Leaf,
    Node,
    Not,
    Number,
    ObjectOf,
    Piece,
    Pieces,
    Scalars,
    String,
    Value,
)
from .pool import MOST_STATES, Pool
from .scalars import format_content, listed, number_piece, string_piece, values_pieces

DEEPEST = 50  # schemas that apply to the same value, one inside the other

PLAIN: dict[str, Pieces] = {
    "null": (NULL,), "boolean": (BOOLEAN,), "integer": (INTEGER,), "number": (NUMBER,),
    "string": (STRING,), "array": (ARRAY,), "object": (OBJECT,),
}
OF_TYPE: dict[str, tuple[frozenset[str], Callable[[Compiler, Leaf], Piece | None]]] = {
    "null": (frozenset(), lambda compiler, leaf: NULL),
    "boolean": (frozenset(), lambda compiler, leaf: BOOLEAN),
    "integer": (read.NUMBER_KEYWORDS, lambda compiler, leaf: number_piece(leaf, True)),
    "number": (read.NUMBER_KEYWORDS, lambda compiler, leaf: number_piece(leaf, None)),
    "string": (read.STRING_KEYWORDS, string_piece),
    "array": (read.ARRAY_KEYWORDS, array_piece),
    "object": (read.OBJECT_KEYWORDS, object_piece),
}
"""The keywords of each type, and what makes a piece of them."""
_ALL_TYPES = ("null", "boolean", "number", "string", "array", "object")


@lru_cache
def _newer_than(draft: int) -> frozenset[str]:
    """The keywords that a draft does not know."""
    return frozenset(keyword for keyword, since in read.SINCE.items() if since > draft)


class Circular(Exception):
    """A schema that applies to the same value as itself, without ever getting to a part of it."""


class Compiler:
    """Cuts the schemas of one document into pieces, each once."""

    def __init__(self, document: Document, formats: str, annotations: frozenset[str]) -> None:
        self.document = document
        self.pool = Pool(document, {} if "type" in annotations else PLAIN)
        self.leaf = self.pool.leaf
        self.formats = formats
        self.annotations = annotations
        self.notes: dict[str, None] = {}
        self.depth = 0
        self._telling: str | None = None  # the name that told the last two objects apart
        self._inactive = annotations | _newer_than(document.draft)

    def meet(self, a: Pieces, b: Pieces) -> Pieces:
        """The values in both."""
        return meet(self.pool, a, b)

    def unsupported(self, reason: str, keyword: str, pointer: str = "") -> UnsupportedSchema:
        """The error for what cannot be enforced."""
        return UnsupportedSchema(reason, keyword=keyword, pointer=pointer)

    def expand(self, node: Node) -> Pieces:
        """The pieces of a node. `Circular` where they depend on themselves."""
        if node.pieces is not None:
            return node.pieces
        if node.busy:
            raise Circular(node)
        if self.depth > DEEPEST:
            raise UnsupportedSchema(
                f"more than {DEEPEST} schemas inside each other apply to the same value; "
                "write fewer levels of allOf, anyOf, oneOf, not and $ref",
                keyword="allOf", pointer=getattr(node, "pointer", ""),
            )
        node.busy = True
        self.depth += 1
        try:
            pieces = self._leaf_pieces(node) if isinstance(node, Leaf) else self._expand(node)
        except Inexact as error:
            if not isinstance(node, Leaf):
                raise
            raise UnsupportedSchema(
                f"this cannot be enforced exactly: {error.reason}",
                keyword=error.keyword or "not", pointer=node.pointer,
            ) from None
        finally:
            node.busy = False
            self.depth -= 1
        node.pieces = pieces
        return pieces

    def _expand(self, node: Node) -> Pieces:
        """The pieces of a node that is made of others."""
        if isinstance(node, Both):
            parts = sorted(node.parts, key=lambda part: isinstance(part, Not))
            pieces = ALL_PIECES
            for part in parts:
                if isinstance(part, Not):
                    pieces = self.subtract(pieces, self.expand(part.part))
                else:
                    pieces = self.meet(pieces, self.expand(part))
            return pieces
        if isinstance(node, Either):
            return merge(*(self.expand(part) for part in node.parts))
        if isinstance(node, Not):
            return complement(self.pool, self.expand(node.part))
        assert isinstance(node, Value)
        return values_pieces(self, [node.value], "", "const")

    def subtract(self, pieces: Pieces, unwanted: Pieces) -> Pieces:
        """The values of `pieces` that are not in `unwanted`.

        Only what overlaps is cut: a piece that is seen to be disjoint stays whole, which keeps the
        number of pieces small (the branches of a `oneOf` mostly differ in one property).
        """
        for piece in unwanted:
            if any(each.type == piece.type for each in pieces):
                pieces = self._subtract_piece(pieces, piece)
        return pieces

    def _subtract_piece(self, pieces: Pieces, unwanted: Piece) -> Pieces:
        others: Pieces | None = None
        found = []
        for piece in pieces:
            if piece.type != unwanted.type or self.disjoint(piece, unwanted):
                found.append(piece)
                continue
            if isinstance(piece, Number) and isinstance(unwanted, Number):
                # p - q is p - (p and q): of whole numbers only whole numbers are taken away
                here = complement_piece(self.pool, meet_piece(self.pool, piece, unwanted))
            else:
                here = others = others or complement_piece(self.pool, unwanted)
            met = [meet_piece(self.pool, piece, q) for q in here if not self.disjoint(piece, q)]
            found.extend(each for each in met if each is not None)
            if len(found) > MOST_PIECES:
                raise Inexact(f"more than {MOST_PIECES} combinations of alternatives")
        return tuple(found)

    def disjoint(self, p: Piece, q: Piece) -> bool:
        """Whether two pieces of one type are seen to have no value in common."""
        if isinstance(p, ObjectOf) and isinstance(q, ObjectOf):
            return self._objects_disjoint(p, q)
        met = meet_piece(self.pool, p, q)
        return met is None or self.hollow_piece(met)

    def _objects_disjoint(self, p: ObjectOf, q: ObjectOf) -> bool:
        """What must be there decides; all the other names need not be looked at.

        Of many branches mostly one name ("kind") tells each two apart: it is looked at first.
        """
        required = p.required | q.required
        if not may_have(self.pool, p, q, required):
            return True
        for name in (self._telling, *required):
            if name in required:
                value = self.pool.both(value_of(p, name), value_of(q, name))
                if self.surely_hollow(value, 3):
                    self._telling = name
                    return True
        return False

    def _leaf_pieces(self, leaf: Leaf) -> Pieces:
        schema = leaf.schema
        if self._inactive and not self._inactive.isdisjoint(schema):
            leaf = self._without_inactive(leaf)
            schema = leaf.schema
        if self.document.legacy and "$ref" in schema:
            return self.expand(self.target(leaf, "$ref"))
        own = self.own_pieces(leaf)
        if read.APPLICATORS.isdisjoint(schema):
            return own
        return combine(self, leaf, own)

    def _without_inactive(self, leaf: Leaf) -> Leaf:
        for keyword in leaf.schema:
            if keyword in self.annotations:
                self.notes[f"{keyword}: only an annotation, as asked for"] = None
            elif keyword in self._inactive:
                self.notes[f"{keyword}: no keyword of draft-0{self.document.draft}"
                           if self.document.legacy else
                           f"{keyword}: no keyword of draft {self.document.draft}"] = None
        kept = {k: v for k, v in leaf.schema.items() if k not in self._inactive}
        return Leaf(kept, leaf.pointer, leaf.base)

    def target(self, leaf: Leaf, keyword: str) -> Node:
        """The node that a reference leads to."""
        reference = read.text(leaf, keyword)
        schema, pointer, base = self.document.resolve(
            reference, leaf.base, leaf.pointer, dynamic=keyword == "$dynamicRef"
        )
        return self.leaf(schema, pointer, base)

    def own_pieces(self, leaf: Leaf) -> Pieces:
        """The pieces that `type`, `enum`, `const` and the keywords of each type ask for."""
        schema = leaf.schema
        named = schema.get("type")
        if type(named) is str and named in PLAIN:
            piece = self._of_type(leaf, named)
            pieces: Pieces = () if piece is None else (piece,)
        else:
            types = self._types(leaf) if "type" in schema else _ALL_TYPES
            found = [self._of_type(leaf, name) for name in types]
            pieces = tuple([piece for piece in found if piece is not None])
            if len(pieces) == 6 and all(a is b for a, b in zip(pieces, ALL_PIECES)):
                pieces = ALL_PIECES
        if "enum" in schema or "const" in schema:
            return self.meet(listed(self, leaf), pieces)
        return pieces

    def _types(self, leaf: Leaf) -> list[str]:
        named = leaf.schema["type"]
        names = [named] if isinstance(named, str) else named
        if not isinstance(names, list) or not names or any(
            not isinstance(name, str) or name not in PLAIN for name in names
        ):
            raise read.wrong(leaf, "type", f"one or a list of {', '.join(PLAIN)}")
        if len(names) > 1:
            names = list(dict.fromkeys(names))
            if "number" in names and "integer" in names:
                names.remove("integer")
        return names

    def _of_type(self, leaf: Leaf, name: str) -> Piece | None:
        keywords, make = OF_TYPE[name]
        if keywords.isdisjoint(leaf.schema):
            return PLAIN[name][0]
        return make(self, leaf)

    def format(self, name: str, leaf: Leaf) -> Expression | None:
        """The strings of a format; None: it is not one we enforce, and that is noted."""
        known = format_content(name)
        if known is None:
            if self.formats == "error":
                raise UnsupportedSchema(
                    f"the format {name!r} is not enforced; compile with formats='annotation' to "
                    "ignore it", keyword="format", pointer=leaf.pointer,
                )
            self.notes[f"format {name!r}: only an annotation"] = None
        return known

    def surely_hollow(self, node: Node, steps: int = 4) -> bool:
        """Whether a node is seen to have no value at all, looking a few levels deep. Never wrong
        when True; False may mean "not seen"."""
        pieces = node.pieces
        if pieces is None:
            try:
                pieces = self.expand(node)
            except (Circular, UnsupportedSchema, InvalidSchema, Inexact):
                return False
        return all(self.hollow_piece(piece, steps) for piece in pieces)

    def hollow_piece(self, piece: Piece, steps: int = 4) -> bool:
        """The same for one piece."""
        kind = type(piece)
        if kind is Scalars or kind is Number:
            return False
        if kind is String:
            content = piece.outer or piece.content
            if content is None and piece.most != 0:
                return False  # there are always more strings than are excluded
            content = without(content, piece.excluded)
            return bool(self.pool.hollow(content, piece.least, piece.most, MOST_STATES))
        if not steps:
            return False
        if kind is ObjectOf:
            return any(self.surely_hollow(piece.names[name], steps - 1) for name in piece.required)
        if kind is ArrayOf:
            if any(self.surely_hollow(node, steps - 1) for node in piece.prefix[: piece.least]):
                return True
            for node, least, _ in piece.contains:
                if least and not piece.prefix and self.surely_hollow(
                    self.pool.both(piece.rest, node), steps - 1
                ):
                    return True
            return piece.least > len(piece.prefix) and self.surely_hollow(piece.rest, steps - 1)
        return False

