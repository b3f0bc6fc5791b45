"""EBNF -> shapes: the second front end beside JSON Schema, over the same engine (lesson 09).

A rule that does not call itself is a regular language, and a small one becomes one terminal: its
masks are then computed once and kept with the vocabulary. What is left is real recursion, and that
is what the stack is for.
"""

from __future__ import annotations

from itertools import groupby

from .characters import utf8
from .ebnf_checks import check, components, is_nullable, nullable_rules
from .ebnf_parser import All, AnyOf, Characters, InvalidGrammar, Node, Text, Times, Use, parse
from .expression import EMPTY, Expression, TooComplex, concat, either, literal, repeat
from .shapes import Reference, Repeat, Sequence, Shape, Terminal, Union

# a regular rule with more leaves than this stays apart, so that its masks are shared by its users
MOST_LEAVES = 200

__all__ = ["InvalidGrammar", "shapes_from_ebnf"]


def shapes_from_ebnf(source: str, root: str = "root") -> Shape:
    """The shape of the rule `root` in a GBNF grammar.

    InvalidGrammar, with line and column, for a syntax error, a rule that is missing or defined
    twice, left recursion, and a rule that can never end.

    >>> shapes_from_ebnf('root ::= "a" [0-9]+').label
    'root'
    """
    rules = parse(source)
    check(source, rules, root)
    builder = _Builder(rules)
    for component in components(rules):
        builder.add(component)
    return builder.shape_of(root)


class _Builder:
    """Rules to expressions where they are regular and small, to shapes where they are not."""

    def __init__(self, rules: dict) -> None:
        self.rules = rules
        self.nullable = nullable_rules(rules)
        self.references: dict[str, Reference] = {}
        self.regular: dict[str, Expression] = {}
        self.leaves: dict[str, int] = {}

    def add(self, component: list[str]) -> None:
        """Rules that call each other; all others that they call were added before."""
        for name in component:
            self.references[name] = Reference(name)
        for name in component:
            self._add_rule(name)

    def shape_of(self, name: str) -> Shape:
        """The shape of a rule that was added."""
        return self.references[name].target

    def _add_rule(self, name: str) -> None:
        body = self.rules[name].body
        self.label = name
        built = self._build(body)
        leaves = self._count(body)
        if isinstance(built, Expression) and leaves <= MOST_LEAVES:
            self.regular[name] = built
            self.leaves[name] = leaves
        self.references[name].target = self._shape(built)

    def _count(self, node: Node) -> int:
        if isinstance(node, Use):
            return self.leaves.get(node.name, 1)
        if isinstance(node, Times):
            return self._count(node.body)
        return sum(map(self._count, getattr(node, "parts", getattr(node, "branches", ())))) or 1

    def _build(self, node: Node) -> Expression | Shape:
        if isinstance(node, Text):
            return literal(node.text.encode())
        if isinstance(node, Characters):
            return utf8(node.characters)
        if isinstance(node, Use):
            return self.regular.get(node.name, self.references[node.name])
        if isinstance(node, All):
            return self._sequence([self._build(part) for part in node.parts])
        if isinstance(node, AnyOf):
            return self._union([self._build(branch) for branch in node.branches])
        return self._times(node)

    def _sequence(self, parts: list[Expression | Shape]) -> Expression | Shape:
        joined: list[Expression | Shape] = []
        for regular, group in groupby(parts, lambda part: isinstance(part, Expression)):
            run = list(group)
            # all at once: pair by pair, a long run would be built again for each of its parts
            one = self._try(concat, *run) if regular else None
            joined += run if one is None else [one]
        joined = [part for part in joined if part is not EMPTY]
        if len(joined) <= 1:
            return joined[0] if joined else EMPTY
        return Sequence(tuple(map(self._shape, joined)))

    def _union(self, branches: list[Expression | Shape]) -> Expression | Shape:
        regular = [b for b in branches if isinstance(b, Expression)]
        others = [b for b in branches if not isinstance(b, Expression)]
        one = self._try(either, *regular) if regular else None
        if one is not None:
            regular = [one]
        if not others and len(regular) == 1:
            return regular[0]
        return Union(tuple(map(self._shape, regular + others)))

    def _times(self, node: Times) -> Expression | Shape:
        body = self._build(node.body)
        if isinstance(body, Expression):
            whole = self._try(repeat, body, node.least, node.most)
            if whole is not None:
                return whole
        # (x?){3,} is (x?)*: what may be empty need not be counted from below
        least = 0 if is_nullable(node.body, self.nullable) else node.least
        return Repeat(self._shape(body), least, node.most)

    def _try(self, join, *parts) -> Expression | None:
        """The joined expression; None if it gets too complex to be one."""
        try:
            return join(*parts)
        except TooComplex:
            return None

    def _shape(self, built: Expression | Shape) -> Shape:
        return Terminal(built, self.label) if isinstance(built, Expression) else built
