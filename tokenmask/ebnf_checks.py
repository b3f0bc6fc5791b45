"""What a grammar must not do: name nothing, begin with itself, or never end.

All searches are loops, not recursions over rules: ten thousand rules in a chain are fine.
"""

from __future__ import annotations

from collections.abc import Iterator

from .ebnf_parser import (
    All,
    AnyOf,
    Characters,
    InvalidGrammar,
    Node,
    Rule,
    Text,
    Times,
    Use,
    position,
)

Rules = dict[str, Rule]


def check(source: str, rules: Rules, root: str) -> None:
    """Raise InvalidGrammar, with line and column, for the first fault found."""
    if root not in rules:
        names = ", ".join(list(rules)[:5]) or "none at all"
        raise InvalidGrammar(f"there is no rule {root!r}; defined are: {names}", 1, 1)
    _no_undefined(source, rules)
    _no_left_recursion(source, rules)
    _no_endless(source, rules)


def uses(node: Node) -> Iterator[Use]:
    """Every use of a rule within `node`."""
    todo = [node]
    while todo:
        node = todo.pop()
        if isinstance(node, Use):
            yield node
        elif isinstance(node, Times):
            todo.append(node.body)
        elif isinstance(node, All):
            todo.extend(reversed(node.parts))
        elif isinstance(node, AnyOf):
            todo.extend(reversed(node.branches))


def is_nullable(node: Node, nullable: set[str]) -> bool:
    """Whether `node` may be empty, given the names of the rules that may."""
    if isinstance(node, Text):
        return not node.text
    if isinstance(node, Use):
        return node.name in nullable
    if isinstance(node, All):
        return all(is_nullable(part, nullable) for part in node.parts)
    if isinstance(node, AnyOf):
        return any(is_nullable(branch, nullable) for branch in node.branches)
    if isinstance(node, Times):
        return node.least == 0 or is_nullable(node.body, nullable)
    return False


def nullable_rules(rules: Rules) -> set[str]:
    """The names of the rules that may be empty."""
    return _least_set(rules, is_nullable)


def _can_end(node: Node, ending: set[str]) -> bool:
    """Whether some finite text matches `node`, given the rules of which that is known."""
    if isinstance(node, Text | Characters):
        return True
    if isinstance(node, Use):
        return node.name in ending
    if isinstance(node, All):
        return all(_can_end(part, ending) for part in node.parts)
    if isinstance(node, AnyOf):
        return any(_can_end(branch, ending) for branch in node.branches)
    return node.least == 0 or _can_end(node.body, ending)


def _least_set(rules: Rules, holds) -> set[str]:
    """The smallest set of names with: a rule is in it if `holds(body, set)`."""
    users: dict[str, list[str]] = {name: [] for name in rules}
    for name, rule in rules.items():
        for use in uses(rule.body):
            users.setdefault(use.name, []).append(name)
    found: set[str] = set()
    todo = list(rules)
    while todo:
        name = todo.pop()
        if name not in found and holds(rules[name].body, found):
            found.add(name)
            todo.extend(users[name])
    return found


def _no_undefined(source: str, rules: Rules) -> None:
    for rule in rules.values():
        for use in uses(rule.body):
            if use.name not in rules:
                raise InvalidGrammar(
                    f"rule {rule.name!r} uses {use.name!r}, which is not defined",
                    *position(source, use.place),
                )


def _no_endless(source: str, rules: Rules) -> None:
    ending = _least_set(rules, _can_end)
    for rule in rules.values():
        if rule.name not in ending:
            raise InvalidGrammar(
                f"rule {rule.name!r} can never end: every branch of it needs a rule that needs "
                "it again; give it a branch without one",
                *position(source, rule.place),
            )


def _no_left_recursion(source: str, rules: Rules) -> None:
    nullable = nullable_rules(rules)
    first = {name: [use.name for use in _first_uses(rule.body, nullable)] for name, rule in rules.items()}
    for group in components_of(first):
        if len(group) > 1 or group[0] in first[group[0]]:
            cycle = _cycle(group, first)
            chain = " -> ".join(cycle[:8]) + (" -> ..." if len(cycle) > 8 else "")
            raise InvalidGrammar(
                f"left recursion: {chain}: the rule begins with itself, so it could go on without "
                f"reading anything. Write {cycle[0]} ::= first (separator next)* instead",
                *position(source, rules[cycle[0]].place),
            )


def _first_uses(node: Node, nullable: set[str]) -> list[Use]:
    """The rules with which `node` may begin."""
    if isinstance(node, Use):
        return [node]
    if isinstance(node, Times):
        # x{0}: nothing of it is ever read
        return [] if node.most == 0 else _first_uses(node.body, nullable)
    if isinstance(node, AnyOf):
        return [use for branch in node.branches for use in _first_uses(branch, nullable)]
    found: list[Use] = []
    for part in getattr(node, "parts", ()):
        found += _first_uses(part, nullable)
        if not is_nullable(part, nullable):
            break
    return found


def _cycle(group: list[str], edges: dict[str, list[str]]) -> list[str]:
    """A shortest way from the first of `group` (in the grammar's order) back to itself."""
    members = set(group)
    start = next(name for name in edges if name in members)
    came: dict[str, str] = {}
    todo = [start]
    for name in todo:
        for other in edges[name]:
            if other == start:
                way = [start, name]
                while way[-1] != start:
                    way.append(came[way[-1]])
                return way[::-1] if name != start else [start, start]
            if other in members and other not in came:
                came[other] = name
                todo.append(other)
    raise AssertionError("a component without a cycle")


def components(rules: Rules) -> list[list[str]]:
    """Groups of rules that call each other, each after those that it calls."""
    return components_of({n: [u.name for u in uses(rule.body)] for n, rule in rules.items()})


def components_of(edges: dict[str, list[str]]) -> list[list[str]]:
    """Strongly connected components, dependencies first (Tarjan's algorithm, without recursion)."""
    order: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    on_stack: set[str] = set()
    found: list[list[str]] = []

    def enter(name: str) -> tuple[str, Iterator[str]]:
        order[name] = low[name] = len(order)
        stack.append(name)
        on_stack.add(name)
        return name, iter(edges[name])

    for root in edges:
        path = [enter(root)] if root not in order else []
        while path:
            name, others = path[-1]
            for other in others:
                if other not in order:
                    path.append(enter(other))
                    break
                if other in on_stack:
                    low[name] = min(low[name], order[other])
            else:
                path.pop()
                if path:
                    low[path[-1][0]] = min(low[path[-1][0]], low[name])
                if low[name] == order[name]:
                    group = [stack.pop()]
                    while group[-1] != name:
                        group.append(stack.pop())
                    on_stack.difference_update(group)
                    found.append(group[::-1])
    return found
