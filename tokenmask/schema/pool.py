"""One object per set of values: nodes are interned, so work on equal ones is shared and recursion ends."""

from __future__ import annotations

from collections.abc import Mapping

from ..characters import ANY_CONTENT
from ..errors import InvalidSchema, UnsupportedSchema
from ..expression import Expression, TooComplex
from .document import Document, Scope
from .keys import is_hollow
from .pieces import EVERYTHING, NOTHING, Both, Either, Leaf, Node, Not, Pieces, Value
from .values import KEYWORDS

MOST_NODES = 60_000  # intersections, unions and complements made on the way; not the schema's own
MOST_STATES = 1_000  # states of an expression that are looked at, to see if a class of keys is empty
MOST_STEPS = 200  # references that lead to references


class Pool:
    """Makes and keeps the nodes of one schema."""

    def __init__(self, document: Document, plain: Mapping[str, Pieces]) -> None:
        """`plain`: the pieces of a type."""
        self.document, self.plain = document, plain
        self._leaves: dict[object, Node] = {}
        self._typed: dict[str, Node] = {}  # of the schemas that say a type and nothing else
        self._made: dict[tuple[type, frozenset[Node]], Node] = {}
        self._hollow: dict[tuple, bool] = {}
        self._serial = 0
        self.meetings = 0  # intersections of pieces so far; meet.py has the limit

    def leaf(self, schema: object, pointer: str, base: Scope, steps: int = 0) -> Node:
        """The node of a subschema at `pointer`; equal sets are one node where that is seen at once.

        `steps`: so many references have led here, one after the other.
        """
        if not isinstance(schema, dict):
            return _of_boolean(schema, pointer)
        relevant = KEYWORDS.intersection(schema)
        if len(relevant) == 1 and "type" in relevant and isinstance(schema["type"], str):
            # a type, and else only what is for people: most subschemas
            return self._typed.get(schema["type"]) or self._new_typed(schema, pointer, base)
        if not relevant:
            return EVERYTHING
        if self.document.owners:
            base = self.document.scope_of(schema, base)
        return self._leaf(schema, relevant, pointer, base, steps)

    def _new_typed(self, schema: dict, pointer: str, base: Scope) -> Node:
        node = self._typed[schema["type"]] = self._number(Leaf(schema, pointer, base))
        node.pieces = self.plain.get(schema["type"])
        return node

    def _leaf(
        self, schema: dict, relevant: frozenset[str], pointer: str, base: Scope, steps: int
    ) -> Node:
        another_name = len(relevant) == 1 or self.document.legacy
        if another_name and "$ref" in relevant and isinstance(schema["$ref"], str):
            return self._referred(schema["$ref"], pointer, base, steps)
        key = id(schema) if base is self.document.start else (id(schema), id(base))
        node = self._leaves.get(key)
        if node is None:
            node = self._leaves[key] = self._number(Leaf(schema, pointer, base))
        return node

    def _referred(self, reference: str, pointer: str, base: Scope, steps: int) -> Node:
        key = (reference, id(base))
        node = self._leaves.get(key)
        if node is None:
            if steps > MOST_STEPS:
                raise InvalidSchema(
                    "this reference leads in a circle, or through too many others",
                    keyword="$ref", pointer=pointer,
                )
            target = self.document.resolve(reference, base, pointer)
            node = self._leaves[key] = self.leaf(*target, steps + 1)
        return node

    def value(self, value: object) -> Value:
        """The node of exactly one value."""
        return self._number(Value(value))

    def both(self, *nodes: Node) -> Node:
        """The intersection."""
        if len(nodes) == 2:
            a, b = nodes
            if a is b or b is EVERYTHING:
                return a
            if a is EVERYTHING:
                return b
        parts: set[Node] = set()
        for node in nodes:
            parts.update(node.parts if isinstance(node, Both) else (node,))
        parts.discard(EVERYTHING)
        if NOTHING in parts or any(part.opposite in parts for part in parts):
            return NOTHING
        return self._made_of(Both, parts, EVERYTHING)

    def either(self, *nodes: Node) -> Node:
        """The union."""
        parts: set[Node] = set()
        for node in nodes:
            parts.update(node.parts if isinstance(node, Either) else (node,))
        parts.discard(NOTHING)
        if EVERYTHING in parts or any(part.opposite in parts for part in parts):
            return EVERYTHING
        return self._made_of(Either, parts, NOTHING)

    def negate(self, node: Node) -> Node:
        """The complement."""
        if node.opposite is None:
            node.opposite = self._number(Not(node))
            node.opposite.opposite = node
        return node.opposite

    def hollow_keys(self, content: Expression | None, least: int = 0, most: int | None = None) -> bool:
        """Whether no string has this content and length; remembered."""
        found = self.hollow(content, least, most, MOST_STATES)
        if found is None:
            raise UnsupportedSchema(
                "this combination of patterns, formats and lengths is too complex to see whether any "
                "string has it; simplify the patterns", keyword="pattern",
            )
        return found

    def hollow(
        self, content: Expression | None, least: int, most: int | None, states: int
    ) -> bool | None:
        """The same, looking at so many states of the expression; None: not seen."""
        if content is None or content is ANY_CONTENT:
            return most is not None and least > most
        key = (content, least, most)
        found = self._hollow.get(key)
        if found is None:
            try:
                found = self._hollow[key] = is_hollow(content, least, most, states)
            except TooComplex:
                return None
        return found

    def _made_of(self, kind: type, parts: set[Node], empty: Node) -> Node:
        if len(parts) < 2:
            return next(iter(parts), empty)
        key = (kind, frozenset(parts))
        node = self._made.get(key)
        if node is None:
            if len(self._made) > MOST_NODES:
                raise UnsupportedSchema(
                    "the schema's combinations of allOf, anyOf, oneOf and not are too many; "
                    "write the alternatives out or make them fewer",
                )
            ordered = tuple(sorted(parts, key=lambda part: part.serial))
            node = self._made[key] = self._number(kind(ordered))
        return node

    def _number(self, node):
        self._serial += 1
        node.serial = self._serial
        return node


def _of_boolean(schema: object, pointer: str) -> Node:
    if schema is True:
        return EVERYTHING
    if schema is False:
        return NOTHING
    raise InvalidSchema(
        f"a schema is an object or a boolean, not {type(schema).__name__}",
        keyword=pointer.rsplit("/", 1)[-1], pointer=pointer,
    )
