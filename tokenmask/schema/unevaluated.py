"""`unevaluatedProperties` and `unevaluatedItems`: what no other keyword of the schema has looked at."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ..characters import ANY_CONTENT
from ..expression import both, either, negate
from .keys import matches, meet_contents
from .meet import element, fit_length
from .pieces import NOTHING, ArrayOf, Leaf, Node, ObjectOf, Pieces

if TYPE_CHECKING:
    from .compile import Compiler


def restrict_properties(compiler: Compiler, leaf: Leaf, pieces: Pieces) -> Pieces:
    """Each object piece with the schema applied to the names and classes not yet seen."""
    node = compiler.leaf(
        leaf.schema["unevaluatedProperties"], f"{leaf.pointer}/unevaluatedProperties", leaf.base
    )
    found = []
    for piece in pieces:
        if piece.type == "object":
            piece = _object(compiler, piece, node)
            if any(piece.names[name] is NOTHING for name in piece.required):
                continue
        found.append(piece)
    return tuple(found)


def _object(compiler: Compiler, piece: ObjectOf, node: Node) -> ObjectOf:
    if piece.seen is None:
        return piece
    seen_keys = either(*piece.seen_keys) if piece.seen_keys else None
    names = {
        name: value
        if name in piece.seen or (seen_keys is not None and matches(seen_keys, name))
        else compiler.pool.both(value, node)
        for name, value in piece.names.items()
    }
    for name in piece.seen:  # seen, but only as one of the free keys
        if name not in names:
            names[name] = next((n for keys, n in piece.free if matches(keys, name)), NOTHING)
    free = []
    for keys, value in piece.free:
        if seen_keys is None:
            free.append((keys, compiler.pool.both(value, node)))
        else:
            free.append((meet_contents(keys, seen_keys), value))
            unseen = meet_contents(keys, both(ANY_CONTENT, negate(seen_keys)))
            free.append((unseen, compiler.pool.both(value, node)))
    kept = tuple(
        (keys, value) for keys, value in free
        if value is not NOTHING and not compiler.pool.hollow_keys(keys)
    )
    return replace(piece, names=names, free=kept, seen=None)


def restrict_items(compiler: Compiler, leaf: Leaf, pieces: Pieces) -> Pieces:
    """Each array piece with the schema applied to the elements not yet seen."""
    node = compiler.leaf(
        leaf.schema["unevaluatedItems"], f"{leaf.pointer}/unevaluatedItems", leaf.base
    )
    found = []
    for piece in pieces:
        if piece.type == "array" and piece.seen is not None:
            piece = _array(compiler, piece, node)
            if not fit_length(piece):
                continue
        found.append(piece)
    return tuple(found)


def _array(compiler: Compiler, piece: ArrayOf, node: Node) -> ArrayOf:
    allowed = compiler.pool.either(node, *piece.seen_nodes)
    length = max(len(piece.prefix), piece.seen)
    prefix = tuple(
        element(piece, i) if i < piece.seen else compiler.pool.both(element(piece, i), allowed)
        for i in range(length)
    )
    return replace(piece, prefix=prefix, rest=compiler.pool.both(piece.rest, allowed), seen=None)


