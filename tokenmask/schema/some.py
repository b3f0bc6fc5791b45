"""Objects of which at least one key must be special: made exact where the keys are finitely many."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from .keys import matches, meet_contents, without
from .pieces import NOTHING, ObjectOf

if TYPE_CHECKING:
    from .compile import Compiler


def resolve_some(compiler: Compiler, piece: ObjectOf) -> list[ObjectOf]:
    """The same objects, as a union in which the special key is a required name."""
    pieces = [piece]
    if not piece.some:
        return pieces
    for keys, excluded, node in piece.some:
        found = []
        for each in pieces:
            _refuse_free(compiler, each, keys, excluded, node)
            for name, value in each.names.items():
                if name in excluded or not matches(keys, name):
                    continue
                met = compiler.pool.both(value, node)
                if met is not NOTHING and not compiler.surely_hollow(met):
                    found.append(
                        replace(each, names={**each.names, name: met},
                                required=each.required | {name}, some=())
                    )
        pieces = found
    return pieces


def _refuse_free(compiler: Compiler, piece: ObjectOf, keys, excluded: frozenset[str], node) -> None:
    for others, value in piece.free:
        met = compiler.pool.both(value, node)
        if met is NOTHING or compiler.surely_hollow(met):
            continue
        common = meet_contents(others, keys)
        common = without(common, excluded | piece.names.keys())
        if not compiler.pool.hollow_keys(common):
            raise compiler.unsupported(
                "this asks for at least one key out of endlessly many; list the names under "
                "properties and set additionalProperties to false", "not", piece.pointer,
            )
