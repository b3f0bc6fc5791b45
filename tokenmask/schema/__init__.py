"""JSON Schema to shapes: everything is decided here, once per schema, before the first mask.

    schema --document--> resources, anchors   --compile, combine--> pieces   --emit, prune--> shapes

`document` knows references and drafts, `compile` turns the keywords of one schema into pieces
(sets of values of one type), `combine` joins pieces for allOf, anyOf, oneOf, not, if and $ref,
`emit` turns pieces into shapes, and `prune` cuts off what no document can finish.

What is not enforced is refused. The rules are those of the draft that `$schema` names, 2020-12
without it; `items` as a list, boolean `exclusiveMinimum` and `dependencies` are read in any draft.
Known formats are always enforced on strings. Lesson 06 builds a small version of this.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from ..errors import UnsatisfiableSchema
from ..shapes import Shape, Text, Union
from .compile import Compiler
from .document import Document, load
from .emit import Emitter
from .pieces import EVERYTHING, NOTHING
from .prune import prune

__all__ = ["SchemaShapes", "shapes_from_schema"]


@dataclass(slots=True)
class SchemaShapes:
    """A schema as shapes, and what of it is only an annotation."""

    root: Shape
    notes: list[str]
    bounded: list[tuple[Text, str]]  # patterns and formats beside a length, and where they stand


def shapes_from_schema(
    schema: Any,
    *,
    formats: str = "annotation",
    annotations: Iterable[str] = (),
    data: bytes | None = None,
) -> SchemaShapes:
    """The shapes of a schema: a dict, a bool, JSON text or a Pydantic model class.

    `formats`: what a format that is not enforced becomes, "annotation" (and a note) or "error".
    `annotations`: keywords that are to be ignored, each noted. `data`: the `document.as_bytes` of a
    dict, if the caller has it. Raises `InvalidSchema`,
    `UnsupportedSchema` or `UnsatisfiableSchema`, with the keyword and a JSON pointer.

    >>> shapes_from_schema({"type": "null"}).root
    Literals(values=(None,))
    """
    if formats not in ("annotation", "error"):
        raise ValueError(f"formats is 'annotation' or 'error', not {formats!r}")
    schema = load(schema)
    document = Document(schema, data) if isinstance(schema, dict) else Document({})
    compiler = Compiler(document, formats, frozenset(annotations))
    root = compiler.leaf(schema, "", document.start)
    if root is NOTHING:
        raise UnsatisfiableSchema("the schema is false: no document matches")
    if root is EVERYTHING:
        return SchemaShapes(root.shape, [], [])
    emitter = Emitter(compiler)
    shape = emitter.emit(root)
    if (emitter.doubtful or isinstance(shape, Union)) and not prune(shape):
        raise UnsatisfiableSchema("no document matches this schema: its demands contradict each other")
    return SchemaShapes(shape, list(compiler.notes), emitter.bounded)
