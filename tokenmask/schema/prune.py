"""Dead ends: shapes that no document can finish are cut away, so that a mask never leads there.

A shape is alive when some finite document has it: the least set that contains the scalars and all
that is built of living parts. One pass marks what is alive, one cuts off the rest.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ..shapes import Array, Literals, Object, Reference, Shape, Union
from ..spare import few_names


def prune(root: Shape) -> bool:
    """Cut dead branches, keys and elements off, in place; False: the root itself is dead."""
    shapes, parents = _collect(root)
    alive: set[int] = set()
    todo = list(shapes)
    while todo:
        shape = todo.pop()
        if id(shape) not in alive and _lives(shape, alive):
            alive.add(id(shape))
            todo.extend(parents[id(shape)])
    if id(root) not in alive:
        return False
    all_live = len(alive) == len(shapes)
    for shape in shapes:
        if id(shape) in alive and not (all_live and _is_simple(shape)):
            _cut(shape, alive)
    return True


def _is_simple(shape: Shape) -> bool:
    """Where all its parts are alive, nothing is to be cut off."""
    if not isinstance(shape, Object):
        return True
    return shape.max_properties is None and not shape.dependent_required


def _children(shape: Shape) -> list[Shape]:
    if isinstance(shape, Object):
        return [*shape.properties.values(), *(value for _, value in shape.free)]
    if isinstance(shape, Union):
        return list(shape.branches)
    if isinstance(shape, Array):
        found = [*shape.prefix]
        if shape.rest is not None:
            found.append(shape.rest)
        if shape.contains is not None:
            found += [shape.contains.match, shape.contains.other]
        return found
    if isinstance(shape, Reference):
        return [shape.target]
    return []


def _collect(root: Shape) -> tuple[list[Shape], dict[int, list[Shape]]]:
    """Every shape once, children after parents, and who holds whom."""
    shapes: list[Shape] = []
    parents: dict[int, list[Shape]] = {id(root): []}
    todo = [root]
    while todo:
        shape = todo.pop()
        shapes.append(shape)
        for child in _children(shape):
            if id(child) not in parents:
                parents[id(child)] = []
                todo.append(child)
            parents[id(child)].append(shape)
    return shapes, parents


def _lives(shape: Shape, alive: set[int]) -> bool:
    if isinstance(shape, Object):
        return _object_lives(shape, alive)
    if isinstance(shape, Array):
        return _array_lives(shape, alive)
    if isinstance(shape, Union):
        return any(id(branch) in alive for branch in shape.branches)
    if isinstance(shape, Reference):
        return id(shape.target) in alive
    return not isinstance(shape, Literals) or bool(shape.values)


def closure_of(needs: Mapping[str, Iterable[str]], names: Iterable[str]) -> frozenset[str]:
    """All names that must be there when these are, these included.

    >>> sorted(closure_of({"a": ("b",), "b": ("a", "c")}, ["a"]))
    ['a', 'b', 'c']
    """
    found = set(names)
    todo = list(found)
    while todo:
        for need in needs.get(todo.pop(), ()):
            if need not in found:
                found.add(need)
                todo.append(need)
    return frozenset(found)


def _possible(shape: Object, names: frozenset[str], alive: set[int]) -> bool:
    needed = closure_of(shape.dependent_required, names) if shape.dependent_required else names
    if shape.max_properties is not None and len(needed) > shape.max_properties:
        return False
    return all(
        name in shape.properties and id(shape.properties[name]) in alive for name in needed
    )


def _object_lives(shape: Object, alive: set[int]) -> bool:
    if not _possible(shape, shape.required, alive):
        return False
    if not shape.min_properties:
        return True
    contents = [content for content, value in shape.free if id(value) in alive]
    spare = few_names(contents, {*shape.properties, *shape.forbidden}, shape.min_properties)
    if spare is None:
        return True
    usable = sum(
        _possible(shape, shape.required | {name}, alive) for name in shape.properties
    )
    return usable + len(spare) >= shape.min_properties


def _array_lives(shape: Array, alive: set[int]) -> bool:
    most = _longest(shape, alive)
    if most is not None and most < shape.min_items:
        return False
    counted = shape.contains
    if counted is None or not counted.least:
        return True
    return id(counted.match) in alive and (most is None or most >= counted.least)


def _longest(shape: Array, alive: set[int]) -> int | None:
    """How many elements there can be at most; None: without end."""
    if shape.contains is not None:
        bounds = [shape.max_items]
        if id(shape.contains.match) not in alive and id(shape.contains.other) not in alive:
            bounds.append(0)
        elif id(shape.contains.other) not in alive:
            bounds.append(shape.contains.most)
        return min((b for b in bounds if b is not None), default=None)
    for i, element in enumerate(shape.prefix):
        if id(element) not in alive:
            return i if shape.max_items is None else min(i, shape.max_items)
    if shape.rest is None or id(shape.rest) not in alive:
        length = len(shape.prefix)
        return length if shape.max_items is None else min(length, shape.max_items)
    return shape.max_items


def _cut(shape: Shape, alive: set[int]) -> None:
    if isinstance(shape, Union):
        shape.branches = tuple(b for b in shape.branches if id(b) in alive)
    elif isinstance(shape, Object):
        _cut_object(shape, alive)
    elif isinstance(shape, Array):
        _cut_array(shape, alive)


def _cut_object(shape: Object, alive: set[int]) -> None:
    shape.free = tuple((keys, value) for keys, value in shape.free if id(value) in alive)
    dead = [
        name for name in shape.properties
        if not _possible(shape, shape.required | {name}, alive)
    ]
    if not dead:
        return
    if shape.free:
        shape.forbidden |= frozenset(dead)
    shape.properties = {n: v for n, v in shape.properties.items() if n not in set(dead)}
    shape.dependent_required = {
        n: needs for n, needs in shape.dependent_required.items() if n in shape.properties
    }


def _cut_array(shape: Array, alive: set[int]) -> None:
    most = _longest(shape, alive)
    shape.max_items = most
    if most is not None:
        shape.prefix = shape.prefix[:most]
    if shape.rest is not None and (id(shape.rest) not in alive or most == len(shape.prefix)):
        shape.rest = None
    counted = shape.contains
    if counted is None:
        return
    match, other = id(counted.match) in alive, id(counted.other) in alive
    if match and other:
        return
    shape.contains = None
    if match:  # every element matches, so the counts are counts of elements
        shape.rest = counted.match
        shape.min_items = max(shape.min_items, counted.least)
    elif other:
        shape.rest = counted.other

