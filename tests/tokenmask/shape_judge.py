"""The slow specification of shapes: does a Python value, as `json.dumps` writes it, have a shape?"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from tokenmask.schema.keys import accepts
from tokenmask.shapes import (
    AnyValue,
    Array,
    Literals,
    Object,
    Reference,
    Shape,
    Terminal,
    Text,
    Union,
)


def data_folder() -> Path:
    """Where the measuring data is, if it is anywhere."""
    beside = Path(__file__).resolve().parents[2] / ".." / "shared" / "data"
    return Path(os.environ.get("TOKENMASK_DATA", beside))


def _spell(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass")


def has_shape(shape: Shape, value: Any) -> bool:
    """Whether the value, written by `json.dumps` with its keys in any order, has the shape."""
    if isinstance(shape, AnyValue):
        return True
    if isinstance(shape, Reference):
        return has_shape(shape.target, value)
    if isinstance(shape, Union):
        return any(has_shape(branch, value) for branch in shape.branches)
    if isinstance(shape, Literals):
        return any(_spell(each) == _spell(value) for each in shape.values)
    if isinstance(shape, Terminal):
        return accepts(shape.expression, _spell(value))
    if isinstance(shape, Text):
        return (
            isinstance(value, str)
            and shape.shortest <= len(value)
            and (shape.longest is None or len(value) <= shape.longest)
            and accepts(shape.content, _spell(value)[1:-1])
        )
    if isinstance(shape, Array):
        return isinstance(value, list) and _is_array(shape, value)
    assert isinstance(shape, Object)
    return isinstance(value, dict) and _is_object(shape, value)


def _same(value: object) -> object:
    """Equal where JSON Schema holds values for equal; lists and objects are no listed scalars."""
    if isinstance(value, list | dict):
        return id(value)
    return type(value) is bool, value


def _is_array(shape: Array, value: list) -> bool:
    if len(value) < shape.min_items:
        return False
    if shape.max_items is not None and len(value) > shape.max_items:
        return False
    if shape.unique and len({_same(each) for each in value}) < len(value):
        return False
    if shape.contains is not None:
        assert not shape.prefix and shape.rest is None
        hits = [has_shape(shape.contains.match, each) for each in value]
        misses = [has_shape(shape.contains.other, each) for each in value]
        assert not any(a and b for a, b in zip(hits, misses)), "an element counts twice"
        least, most = shape.contains.least, shape.contains.most
        return all(a or b for a, b in zip(hits, misses)) and (
            least <= sum(hits) and (most is None or sum(hits) <= most)
        )
    for i, each in enumerate(value):
        wanted = shape.prefix[i] if i < len(shape.prefix) else shape.rest
        if wanted is None or not has_shape(wanted, each):
            return False
    return True


def _is_object(shape: Object, value: dict) -> bool:
    if not shape.required <= value.keys() or len(value) < shape.min_properties:
        return False
    if shape.max_properties is not None and len(value) > shape.max_properties:
        return False
    for name, needs in shape.dependent_required.items():
        if name in value and not set(needs) <= value.keys():
            return False
    for name, item in value.items():
        if name in shape.properties:
            if not has_shape(shape.properties[name], item):
                return False
            continue
        if name in shape.forbidden:
            return False
        classes = [each for keys, each in shape.free if accepts(keys, _spell(name)[1:-1])]
        assert len(classes) < 2, f"the key {name!r} is in two classes"
        if not classes or not has_shape(classes[0], item):
            return False
    return True
