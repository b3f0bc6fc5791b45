"""Pieces to shapes: what the pushdown automaton runs on."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from ..automaton import Automaton
from ..endless import endless
from ..errors import InvalidSchema, UnsupportedSchema
from ..expression import Expression
from ..nodes import Leaf, Repeat
from ..shapes import ANY, Array, Contains, Literals, Object, Reference, Shape, Text, Union
from ..spans import own_bounds
from .compile import PLAIN, Circular
from .elements import finite_values, resolve_contains
from .keys import ANY_CONTENT, ANY_KEY, key_class, without
from .numerals import number_terminal, spelled
from .pieces import (
    ALL_PIECES,
    BOOLEAN,
    EVERYTHING,
    NOTHING,
    NULL,
    STRING,
    ArrayOf,
    Inexact,
    Node,
    Number,
    ObjectOf,
    Piece,
    Pieces,
    Scalars,
    String,
)
from .prune import closure_of
from .some import resolve_some

if TYPE_CHECKING:
    from .compile import Compiler

DEEPEST = 40  # shapes built inside each other before the rest is put off
MOST_STATES = 20_000  # states of a string's content that are looked at, to see if it is empty
ANY_FREE = ((ANY_KEY, ANY),)
EVERYTHING.shape = ANY
PLAIN_SHAPES: dict[int, tuple[Pieces, Shape]] = {
    id(PLAIN["string"]): (PLAIN["string"], Text(ANY_CONTENT, 0, None, STRING.label)),
    id(PLAIN["boolean"]): (PLAIN["boolean"], Literals(BOOLEAN.values)),
    id(PLAIN["null"]): (PLAIN["null"], Literals(NULL.values)),
}
"""What looks the same in every schema: id of the pieces -> (the pieces, their shape)."""


def _endless(error: Circular) -> InvalidSchema:
    return InvalidSchema(
        "this schema refers to itself without ever getting to a part of the value",
        keyword="$ref", pointer=getattr(error.args[0], "pointer", ""),
    )


class Emitter:
    """Builds the shapes of nodes, each once. `doubtful`: some shape may turn out to have no value."""

    def __init__(self, compiler: Compiler) -> None:
        self.compiler = compiler
        self.doubtful = False
        self._shapes: dict[int, tuple[Pieces, Shape]] = dict(PLAIN_SHAPES)
        self._building: dict[int, Reference | None] = {}
        self._put_off: list[tuple[Reference, Node]] = []
        self._pieces: dict[int, tuple[Piece, list[Shape]]] = {}
        self._depth = 0
        self._node: Node | None = None
        self.bounded: list[tuple[Text, str]] = []

    def emit(self, root: Node) -> Shape:
        """The shape of a node with everything in it."""
        try:
            shape = self.shape(root)
            while self._put_off:
                reference, node = self._put_off.pop()
                reference.target = self.shape(node)
        except Circular as error:  # not where a value begins, but in what an array contains
            raise _endless(error) from None
        return shape

    def shape(self, node: Node) -> Shape:
        """The shape of a node; a `Reference` where it is being built just now."""
        if node.shape is not None:
            return node.shape
        pieces = node.pieces
        if pieces is None:
            pieces = self._expand(node)
        if pieces is ALL_PIECES:
            return ANY
        key = id(pieces)
        found = self._shapes.get(key)
        if found is not None:
            node.shape = found[1]
            return node.shape
        if key in self._building:
            reference = self._building[key]
            if reference is None:
                reference = self._building[key] = Reference(getattr(node, "pointer", "") or "/")
                self.doubtful = True
            return reference
        if self._depth > DEEPEST:
            node.reference = node.reference or Reference(getattr(node, "pointer", "") or "/")
            self._put_off.append((node.reference, node))
            self.doubtful = True
            return node.reference
        self._building[key] = None
        self._depth += 1
        outside, self._node = self._node, node
        shape = self._union(pieces)
        self._node = outside
        self._depth -= 1
        reference = self._building.pop(key)
        if reference is not None:
            reference.target = shape
        node.shape = shape
        self._shapes[key] = pieces, shape  # the pieces are kept, so that their id stays theirs
        return shape

    def _expand(self, node: Node) -> Pieces:
        try:
            return self.compiler.expand(node)
        except Circular as error:
            raise _endless(error) from None
        except Inexact as error:
            raise UnsupportedSchema(
                f"this cannot be enforced exactly: {error.reason}", keyword=error.keyword or "not",
                pointer=_place(node),
            ) from None

    def _union(self, pieces: Pieces) -> Shape:
        if len(pieces) == 1 and not isinstance(pieces[0], Scalars):
            shapes = self._piece(pieces[0])
            if len(shapes) == 1:
                return shapes[0]
        literals: list = []
        branches: list[Shape] = []
        for piece in pieces:
            if isinstance(piece, Scalars):
                if piece.type == "number":
                    literals.extend(spelled(piece.values, self.compiler.document.draft))
                else:
                    literals.extend(piece.values)
            else:
                branches.extend(self._piece(piece))
        if literals:
            branches.insert(0, Literals(tuple(literals)))
        if len(branches) == 1:
            return branches[0]
        if not branches:
            self.doubtful = True
        return Union(tuple(branches))

    def _piece(self, piece: Piece) -> list[Shape]:
        known = self._pieces.get(id(piece))
        if known is not None:
            return known[1]
        shapes = SHAPES_OF[type(piece)](self, piece)
        self._pieces[id(piece)] = (piece, shapes)
        return shapes

    def _number(self, piece: Number) -> list[Shape]:
        shape = number_terminal(piece, self.compiler.document.draft)
        return [] if shape is None else [shape]

    def _arrays(self, piece: ArrayOf) -> list[Shape]:
        return [self._array(each) for each in resolve_contains(self.compiler, piece)]

    def _objects(self, piece: ObjectOf) -> list[Shape]:
        if not piece.some:
            return [self._object(piece)]
        return [self._object(each) for each in resolve_some(self.compiler, piece)]

    def _string(self, piece: String) -> list[Shape]:
        if piece.content is None and not piece.excluded and (piece.most is None or piece.least <= piece.most):
            return [Text(ANY_CONTENT, piece.least, piece.most, piece.label)]
        content = without(piece.content, piece.excluded)
        hollow = self.compiler.pool.hollow(content, piece.least, piece.most, MOST_STATES)
        if hollow is None:
            raise self.compiler.unsupported(
                "this pattern and these lengths are too complex to see whether any string has both",
                "pattern",
            )
        if hollow:
            return []
        content = ANY_CONTENT if content is None else content
        least, most = own_bounds(content, piece.least, piece.most)
        text = Text(content, least, most, piece.label)
        if least and not _is_loop(content):
            self.bounded.append((text, _place(self._node)))
        return [text]

    def _object(self, piece: ObjectOf) -> Object:
        properties = {
            name: node.shape or self.shape(node)
            for name, node in piece.names.items()
            if node is not NOTHING
        }
        free: tuple = ()
        if piece.free:
            if len(piece.free) == 1 and piece.free[0] == (None, EVERYTHING):
                free = ANY_FREE
            else:
                free = tuple(
                    (key_class(keys), self.shape(node)) for keys, node in piece.free
                )
        least = 0 if piece.least <= len(piece.required) else piece.least
        if least or piece.most is not None or piece.dependents or len(properties) < len(piece.names):
            self.doubtful = True
        if least and piece.most is not None and piece.dependents and free is not ANY_FREE:
            self._refuse_leaps(piece, piece.most - least + 1)
        forbidden: frozenset[str] = frozenset()
        if free and len(properties) < len(piece.names):
            forbidden = frozenset(piece.names.keys() - properties.keys())
        return Object(
            properties, piece.required, free, least, piece.most, piece.dependents, forbidden
        )

    def _refuse_leaps(self, piece: ObjectOf, window: int) -> None:
        """Names that need each other come together, which may leap over all the numbers allowed.

        Names that do not, and keys without a name, fill every number in between.
        """
        closure = {name: closure_of(piece.dependents, (name,)) for name in piece.dependents}
        for name, needs in closure.items():
            circle = [other for other in needs if name in closure.get(other, ())]
            if len(circle) > window:
                raise self.compiler.unsupported(
                    f"{len(circle)} names that need each other, beside minProperties and maxProperties "
                    "so close together, are not enforced", "dependentRequired", piece.pointer,
                )

    def _array(self, piece: ArrayOf) -> Array:
        if piece.unique and (piece.most is None or piece.most > 1):
            return self._unique(piece)
        prefix = tuple(self.shape(node) for node in piece.prefix)
        if piece.contains:
            node, least, most = piece.contains[0]
            pool = self.compiler.pool
            contains = Contains(
                self.shape(pool.both(piece.rest, node)),
                self.shape(pool.both(piece.rest, pool.negate(node))), least, most,
            )
            self.doubtful = True
            return Array((), None, piece.least, piece.most, False, contains)
        rest = None if piece.rest is NOTHING else self.shape(piece.rest)
        return Array(prefix, rest, piece.least, piece.most)

    def _unique(self, piece: ArrayOf) -> Array:
        """Elements are listed values; 1 and 1.0 are the same one."""
        if piece.contains:
            raise self.compiler.unsupported(
                "uniqueItems together with contains", "uniqueItems", piece.pointer)
        word = None if piece.prefix else self._many_words(piece.rest)
        if word is not None:
            return Array((), word, piece.least, piece.most, True)
        elements = [*piece.prefix] if piece.rest is NOTHING else [*piece.prefix, piece.rest]
        values = [finite_values(self.compiler, piece, node) for node in elements]
        different = {(type(value) is bool, value) for each in values for value in each}
        draft = self.compiler.document.draft
        shapes = tuple(Literals(tuple(spelled(each, draft))) for each in values)
        prefix = shapes[: len(piece.prefix)]
        rest = shapes[-1] if len(shapes) > len(prefix) else None
        most = len(different) if piece.most is None else min(piece.most, len(different))
        self.doubtful = True
        return Array(prefix, rest, piece.least, most, True)

    def _many_words(self, node: Node) -> Text | None:
        """The shape of an element that is any of very many strings; else None."""
        if node is NOTHING:
            return None
        pieces = self._expand(node)
        if pieces is ALL_PIECES or len(pieces) != 1 or not isinstance(pieces[0], String):
            return None
        text = self.shape(node)
        if not isinstance(text, Text):
            return None
        # without a pattern there are more than a million strings of each length; with one, endlessly
        # many are asked for, so that a list can always go on
        plain = text.content is ANY_CONTENT and (text.longest is None or text.longest > 0)
        endlessly = text.longest is None and _has_endless_words(text.content)
        return text if plain or endlessly else None


def _is_loop(content: Expression) -> bool:
    """Any number of characters of one class: counting them is surely possible."""
    if not isinstance(content, Repeat) or not isinstance(content.body, Leaf):
        return False
    return content.lo == 0 and content.hi is None


SHAPES_OF: dict[type, Callable[[Emitter, Any], list[Shape]]] = {
    Number: Emitter._number,
    String: Emitter._string,
    ArrayOf: Emitter._arrays,
    ObjectOf: Emitter._objects,
}


@lru_cache(maxsize=256)
def _has_endless_words(content: Expression) -> bool:
    return endless(Automaton(content, None).start)


def _place(node: Node) -> str:
    """A pointer into the schema that is near to a node."""
    seen = 0
    while not hasattr(node, "pointer") and seen < 20:
        parts = getattr(node, "parts", None)
        node = parts[0] if parts else getattr(node, "part", node)
        seen += 1
    return getattr(node, "pointer", "")
