"""The keywords that apply whole schemas to the same value: references, allOf, anyOf, oneOf, not, if."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

from . import values as read
from .pieces import ALL_PIECES, EVERYTHING, NOTHING, Inexact, Leaf, Node, ObjectOf, Pieces
from .unevaluated import restrict_items, restrict_properties

if TYPE_CHECKING:
    from .compile import Compiler

MOST_TRACKED = 8  # branches of an anyOf beside unevaluated*: every subset of them is looked at


def combine(compiler: Compiler, leaf: Leaf, pieces: Pieces) -> Pieces:
    """What is left of a schema's own pieces when all that it combines is applied as well."""
    schema = leaf.schema
    pieces = _all_of(compiler, leaf, pieces)
    if "anyOf" in schema:
        pieces = _any_of(compiler, pieces, _nodes(compiler, leaf, "anyOf"))
    if "oneOf" in schema:
        pieces = _one_of(compiler, leaf, pieces)
    if "if" in schema:
        pieces = _conditional(compiler, leaf, pieces)
    for keyword in ("dependentSchemas", "dependencies"):
        if keyword in schema:
            pieces = _dependent(compiler, leaf, keyword, pieces)
    if "not" in schema:
        unwanted = compiler.leaf(schema["not"], f"{leaf.pointer}/not", leaf.base)
        pieces = compiler.subtract(pieces, compiler.expand(unwanted))
    if "unevaluatedProperties" in schema:
        pieces = restrict_properties(compiler, leaf, pieces)
    if "unevaluatedItems" in schema:
        pieces = restrict_items(compiler, leaf, pieces)
    return pieces


def _all_of(compiler: Compiler, leaf: Leaf, own: Pieces) -> Pieces:
    """References, `allOf` and the own keywords, in the order of the document: so names keep theirs."""
    pieces = ALL_PIECES if "properties" in leaf.schema else own
    for keyword in leaf.schema:
        if keyword == "properties":
            pieces = compiler.meet(pieces, own)
        elif keyword in ("$ref", "$dynamicRef", "$recursiveRef"):
            pieces = compiler.meet(pieces, compiler.expand(_target(compiler, leaf, keyword)))
        elif keyword == "allOf":
            for node in _nodes(compiler, leaf, "allOf"):
                pieces = compiler.meet(pieces, compiler.expand(node))
    return pieces


def _nodes(compiler: Compiler, leaf: Leaf, keyword: str) -> list[Node]:
    place = f"{leaf.pointer}/{keyword}"
    return [
        compiler.leaf(sub, f"{place}/{i}", leaf.base)
        for i, sub in enumerate(read.schemas(leaf, keyword))
    ]


def _target(compiler: Compiler, leaf: Leaf, keyword: str) -> Node:
    if keyword == "$recursiveRef" and compiler.document.has_recursive_anchor:
        raise compiler.unsupported("$recursiveAnchor is not followed", keyword, leaf.pointer)
    return compiler.target(leaf, keyword)


def _tracks(compiler: Compiler) -> bool:
    return compiler.document.tracks_properties or compiler.document.tracks_items


def _any_of(compiler: Compiler, pieces: Pieces, nodes: list[Node]) -> Pieces:
    branches = [compiler.expand(node) for node in nodes]
    if not _tracks(compiler):
        if any(branch is ALL_PIECES for branch in branches):
            return pieces
        return merge(*(compiler.meet(pieces, branch) for branch in branches))
    # what counts as evaluated is the union over all branches that hold: look at every subset
    if len(branches) > MOST_TRACKED:
        raise Inexact(f"more than {MOST_TRACKED} branches beside unevaluated*", "anyOf")
    found = []
    for size in range(len(branches), 0, -1):
        for chosen in combinations(branches, size):
            left = pieces
            for branch in chosen:
                left = compiler.meet(left, branch)
            found.append(left)
    return merge(*found)


def _one_of(compiler: Compiler, leaf: Leaf, pieces: Pieces) -> Pieces:
    """Each branch without the values of the branches that it overlaps."""
    nodes = [node for node in _nodes(compiler, leaf, "oneOf") if node is not NOTHING]
    branches = [compiler.meet(pieces, compiler.expand(node)) for node in nodes]
    overlaps: list[list[int]] = [[] for _ in nodes]
    for i, j in combinations(range(len(nodes)), 2):
        if not _disjoint(compiler, branches[i], branches[j]):
            overlaps[i].append(j)
            overlaps[j].append(i)
    found = []
    for i, branch in enumerate(branches):
        for j in overlaps[i]:
            try:
                branch = compiler.subtract(branch, compiler.expand(nodes[j]))
            except Inexact as error:
                raise Inexact(
                    f"branches {i} and {j} overlap and cannot be told apart ({error.reason}); "
                    "give them a property with a const that differs, or use anyOf", "oneOf",
                ) from None
        found.append(branch)
    return merge(*found)


def _disjoint(compiler: Compiler, a: Pieces, b: Pieces) -> bool:
    """Whether no value is surely in both."""
    return all(compiler.disjoint(p, q) for p in a for q in b if p.type == q.type)


def _conditional(compiler: Compiler, leaf: Leaf, pieces: Pieces) -> Pieces:
    schema, pointer, base = leaf.schema, leaf.pointer, leaf.base
    then = compiler.leaf(schema.get("then", True), f"{pointer}/then", base)
    otherwise = compiler.leaf(schema.get("else", True), f"{pointer}/else", base)
    if then is EVERYTHING and otherwise is EVERYTHING and not _tracks(compiler):
        return pieces
    condition = compiler.expand(compiler.leaf(schema["if"], f"{pointer}/if", base))
    holds = () if then is NOTHING else compiler.meet(
        compiler.meet(pieces, condition), compiler.expand(then))
    if otherwise is NOTHING:
        return holds
    fails = compiler.meet(compiler.subtract(pieces, condition), compiler.expand(otherwise))
    return merge(holds, fails)


def _dependent(compiler: Compiler, leaf: Leaf, keyword: str, pieces: Pieces) -> Pieces:
    """Two cases for each name: it is not there, or it is and its schema holds."""
    anything = ((None, EVERYTHING),)
    for name, sub in read.mapping(leaf, keyword).items():
        if keyword == "dependencies" and isinstance(sub, (list, str)):
            continue
        node = compiler.leaf(sub, f"{leaf.pointer}/{keyword}/{name}", leaf.base)
        if node is EVERYTHING:
            continue
        others = tuple(piece for piece in pieces if piece.type != "object")
        objects = tuple(piece for piece in pieces if piece.type == "object")
        absent = (ObjectOf({name: NOTHING}, anything),)
        present = (ObjectOf({name: EVERYTHING}, anything, frozenset((name,)), 1),)
        pieces = merge(
            others,
            compiler.meet(objects, absent),
            compiler.meet(compiler.meet(objects, present), compiler.expand(node)),
        )
    return pieces


def merge(*unions: Pieces) -> Pieces:
    """All pieces of all unions, each object once."""
    if len(unions) == 1:
        return unions[0]
    return tuple({id(piece): piece for pieces in unions for piece in pieces}.values())
