"""Arrays and objects: from keywords to pieces."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..characters import ANY_CONTENT
from ..expression import Expression, both, either, negate
from . import values as read
from .document import escape
from .keys import lengths, matches, meet_contents, one_of, without
from .meet import fit_length, value_of
from .pieces import EVERYTHING, NOTHING, ArrayOf, Leaf, Node, ObjectOf, Scalars
from .scalars import pattern

if TYPE_CHECKING:
    from .compile import Compiler

MOST_CLASSES = 200  # disjoint classes of keys; overlapping patterns may double them each time


def array_piece(compiler: Compiler, leaf: Leaf) -> ArrayOf | None:
    """The arrays that the keywords of a schema allow; None: none."""
    schema = leaf.schema
    prefix, rest, seen = _elements(compiler, leaf)
    contains: tuple = ()
    if "contains" in schema:
        node = compiler.leaf(schema["contains"], f"{leaf.pointer}/contains", leaf.base)
        least = read.count(leaf, "minContains", 1)
        most = read.count(leaf, "maxContains", None)
        contains = ((node, least, most),)
        if most is not None and least > most:
            return None
    unique = schema.get("uniqueItems", False)
    if not isinstance(unique, bool):
        raise read.wrong(leaf, "uniqueItems", "true or false")
    by_contains = tuple(node for node, _, _ in contains) if compiler.document.draft >= 2020 else ()
    piece = ArrayOf(
        prefix, rest, read.count(leaf, "minItems", 0), read.count(leaf, "maxItems", None),
        unique, contains, seen, by_contains, leaf.pointer,
    )
    return piece if fit_length(piece) else None


def _elements(compiler: Compiler, leaf: Leaf) -> tuple[tuple[Node, ...], Node, int | None]:
    """(first elements, the rest, how many of them count as evaluated)."""
    schema, pointer, base = leaf.schema, leaf.pointer, leaf.base
    items = schema.get("items")
    if isinstance(items, list):  # before 2020-12, a list was what prefixItems is now
        prefix = tuple(
            compiler.leaf(sub, f"{pointer}/items/{i}", base) for i, sub in enumerate(items)
        )
        if "additionalItems" in schema:
            rest = compiler.leaf(schema["additionalItems"], f"{pointer}/additionalItems", base)
            return prefix, rest, None
        return prefix, EVERYTHING, len(prefix)
    prefix = ()
    if "prefixItems" in schema:
        prefix = tuple(
            compiler.leaf(sub, f"{pointer}/prefixItems/{i}", base)
            for i, sub in enumerate(read.schemas(leaf, "prefixItems", 0))
        )
    if "items" in schema:
        return prefix, compiler.leaf(items, f"{pointer}/items", base), None
    return prefix, EVERYTHING, len(prefix)


def object_piece(compiler: Compiler, leaf: Leaf) -> ObjectOf | None:
    """The objects that the keywords of a schema allow; None: none."""
    schema, pointer, base = leaf.schema, leaf.pointer, leaf.base
    names: dict[str, Node] = {}
    if "properties" in schema:
        place = f"{pointer}/properties/"
        for name, sub in read.mapping(leaf, "properties").items():
            if not (type(name) is str and name.isidentifier() and name.isascii()):
                read.check_text(name, "properties", pointer)
                names[name] = compiler.leaf(sub, place + escape(name), base)
            else:  # most names: nothing to look at
                names[name] = compiler.leaf(sub, place + name, base)
    patterns = _patterns(compiler, leaf) if "patternProperties" in schema else ()
    for keys, node in patterns:
        for name in names:
            if matches(keys, name):
                names[name] = compiler.pool.both(names[name], node)
    additional = EVERYTHING
    seen = frozenset(names) if compiler.document.tracks_properties else None
    if "additionalProperties" in schema:
        additional = compiler.leaf(
            schema["additionalProperties"], f"{pointer}/additionalProperties", base
        )
        seen = None
    piece = ObjectOf(names, _classes(compiler, patterns, additional, pointer), seen=seen,
                     seen_keys=tuple(keys for keys, _ in patterns) if patterns else (), pointer=pointer)
    if "propertyNames" in schema:
        _restrict_names(compiler, leaf, piece)
    return piece if _demands(leaf, piece) else None


def _demands(leaf: Leaf, piece: ObjectOf) -> bool:
    """What must be there, and how much; False: it cannot be. Changes the piece."""
    schema = leaf.schema
    if "required" in schema:
        piece.required = frozenset(read.names(leaf, "required", schema["required"]))
        for name in schema["required"]:
            if name not in piece.names:
                _make_known(piece, name, leaf)
    for keyword in ("dependentRequired", "dependencies"):
        if keyword in schema:
            for name, needs in read.mapping(leaf, keyword).items():
                if keyword == "dependencies" and not isinstance(needs, list):
                    if not isinstance(needs, str):
                        continue  # a schema: the compiler splits the cases
                    needs = [needs]
                needs = read.names(leaf, keyword, needs)
                for each in (name, *needs):
                    _make_known(piece, each, leaf)
                piece.dependents[name] = piece.dependents.get(name, ()) + tuple(needs)
    if "minProperties" in schema:
        piece.least = read.count(leaf, "minProperties", 0)
    if "maxProperties" in schema:
        piece.most = read.count(leaf, "maxProperties", None)
    for name in piece.required:
        if piece.names[name] is NOTHING:
            return False
    return piece.most is None or max(piece.least, len(piece.required)) <= piece.most


def _make_known(piece: ObjectOf, name: str, leaf: Leaf) -> None:
    if name not in piece.names:
        read.check_text(name, "required", leaf.pointer)
        piece.names[name] = value_of(piece, name)


def _patterns(compiler: Compiler, leaf: Leaf) -> tuple[tuple[Expression, Node], ...]:
    found = []
    for source, sub in read.mapping(leaf, "patternProperties").items():
        place = f"{leaf.pointer}/patternProperties/{escape(source)}"
        keys, least, most = pattern(source, "patternProperties", leaf.pointer)
        if least or most is not None:
            keys = meet_contents(keys, lengths(least, most))
        found.append((ANY_CONTENT if keys is None else keys, compiler.leaf(sub, place, leaf.base)))
    return tuple(found)


def _classes(
    compiler: Compiler, patterns: tuple[tuple[Expression, Node], ...], additional: Node, pointer: str
) -> tuple[tuple[Expression | None, Node], ...]:
    """Disjoint classes of keys: a key that matches several patterns has to obey all of them."""
    if not patterns:
        return () if additional is NOTHING else ((None, additional),)
    hollow = compiler.pool.hollow_keys
    classes: list[tuple[Expression | None, tuple[Node, ...]]] = []
    earlier: list[Expression] = []
    for keys, node in patterns:
        # patterns with no key in common leave each other whole
        met: list[Expression] = []
        if not hollow(both(either(*earlier), keys)):
            met = [other for other in earlier if not hollow(both(other, keys))]
        earlier.append(keys)
        split: list[tuple[Expression | None, tuple[Node, ...]]] = []
        for others, nodes in classes:
            inside = both(others, keys)
            if not met or hollow(inside):
                split.append((others, nodes))
            else:
                split += [(inside, (*nodes, node)), (_without(others, [keys]), nodes)]
        classes = [*split, (_without(keys, met), (node,))]
        if len(classes) > MOST_CLASSES:
            raise compiler.unsupported(
                f"the key patterns overlap in more than {MOST_CLASSES} ways", "patternProperties",
                pointer,
            )
    classes.append((_without(ANY_CONTENT, earlier), ()))
    found = []
    for keys, nodes in classes:
        node = compiler.pool.both(*nodes) if nodes else additional
        if node is not NOTHING and not compiler.pool.hollow_keys(keys):
            found.append((keys, node))
    return tuple(found)


def _without(keys: Expression, others: list[Expression]) -> Expression:
    return both(keys, *map(negate, others))


def _restrict_names(compiler: Compiler, leaf: Leaf, piece: ObjectOf) -> None:
    """`propertyNames`: a finite list makes the names known, anything else narrows the classes."""
    schema = compiler.leaf(leaf.schema["propertyNames"], f"{leaf.pointer}/propertyNames", leaf.base)
    strings = [p for p in compiler.expand(schema) if p.type == "string"]
    listed: dict[str, None] = {}
    patterns: list[Expression] = []
    for each in strings:
        if isinstance(each, Scalars):
            listed.update(dict.fromkeys(each.values))
            continue
        keys = without(each.content, each.excluded)
        piece.inexact = piece.inexact or each.outer is not None
        if each.least or each.most is not None:
            keys = meet_contents(keys, lengths(each.least, each.most))
        if keys is None:
            return
        patterns.append(keys)
    names = {name: value_of(piece, name) for name in listed if name not in piece.names}
    if not patterns:
        allowed = listed
        piece.names = {
            name: node if name in allowed else NOTHING for name, node in piece.names.items()
        } | names
        piece.free = ()
        return
    every = either(*patterns, one_of(tuple(listed))) if listed else either(*patterns)
    piece.names = {
        name: node if matches(every, name) else NOTHING for name, node in piece.names.items()
    }
    free = ((meet_contents(keys, every), node) for keys, node in piece.free)
    piece.free = tuple((keys, node) for keys, node in free if not compiler.pool.hollow_keys(keys))
