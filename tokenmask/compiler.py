"""From a schema, a regular expression, a grammar or function definitions to a compiled grammar."""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from .bitmask import allocate_token_bitmask
from .build import Builder
from .compiled import CompiledGrammar
from .errors import InvalidSchema, UnsatisfiableSchema, UnsupportedSchema
from .formats import FORMATS
from .matcher import GrammarMatcher
from .pushdown import Pushdown
from .schema import shapes_from_schema
from .schema.document import as_bytes
from .shapes import Terminal, Text
from .vocabulary import Vocabulary

KEY_ORDERS = ("schema", "any")
MOST_KEPT = 64
"""Compiled grammars kept by one compiler; the least recently used are forgotten first."""


WARMING = {
    "properties": {
        "text": {"type": "string"},
        "short": {"type": "string", "maxLength": 9},
        "long": {"type": "string", "maxLength": 1000},
        "number": {"type": "number"},
        "whole": {"type": "integer"},
        "count": {"type": "integer", "minimum": 0},
        "share": {"type": "number", "minimum": 0, "maximum": 1},
        "yes": {"type": "boolean"},
        "date": {"type": "string", "format": "date"},
    }
}
WARM = {
    "text": "a\n",
    "short": "b\n",
    "long": "c\n",
    "number": -1.5e3,
    "whole": 12,
    "count": 3,
    "share": 0.5,
    "yes": True,
    "date": "2020-01-01",
    "more": {"a": [1.5, "d\n", None, False], "b": {}},
}
"""A document of `WARMING` that comes by all that is common."""


class GrammarCompiler:
    """Compiles for one vocabulary, and keeps what it compiled (by source and options).

    >>> compiler = GrammarCompiler(vocabulary)
    >>> compiled = compiler.compile_json_schema({"type": "integer"})
    """

    def __init__(self, vocabulary: Vocabulary, cache_size: int = MOST_KEPT) -> None:
        self.vocabulary = vocabulary
        self.cache_size = cache_size
        self._kept: OrderedDict[tuple, CompiledGrammar] = OrderedDict()

    def warm_up(self, whitespace: str = "spaced", key_order: str = "schema") -> None:
        """Make what all grammars of a vocabulary share: trie, masks of plain values, counts, formats.

        A server calls this once, before the first request, with the options that it will compile
        with. Nothing depends on it: what is missing is made when it is first needed.
        """
        tuple(FORMATS.values())  # each is made when it is first asked for
        compiled = self.compile_json_schema(WARMING, whitespace, key_order)
        bitmask = allocate_token_bitmask(1, self.vocabulary.size)
        text = json.dumps(WARM, separators=(",", ":") if whitespace == "compact" else None)
        matcher = GrammarMatcher(compiled)
        for character in text:
            matcher.fill_next_token_bitmask(bitmask)
            if not matcher.accept_string(character):
                raise AssertionError(f"{text} is a document of its own schema")

    def compile_json_schema(
        self,
        schema: Any,
        whitespace: str = "spaced",
        key_order: str = "schema",
        *,
        formats: str = "annotation",
        annotations: tuple[str, ...] = (),
    ) -> CompiledGrammar:
        """A JSON Schema: dict, bool, JSON text or a Pydantic model class.

        whitespace: "compact", "spaced" (as json.dumps writes) or "free" (bounded, as JSON allows).
        key_order: "schema", the order of `properties`, or "any" (required keys are tracked, no key
        comes twice). formats: what to do with a `format` that is not enforced, "annotation" (listed
        in `notes`) or "error". annotations: keywords to treat as annotations although they are not
        enforced; each is listed in `notes`.

        Raises `InvalidSchema`, `UnsupportedSchema` or `UnsatisfiableSchema`.
        """
        if key_order not in KEY_ORDERS:
            raise ValueError(f"key_order must be one of {', '.join(KEY_ORDERS)}, not {key_order!r}")

        key = _source_key(schema)

        def build() -> CompiledGrammar:
            data = key if isinstance(schema, dict) and isinstance(key, bytes) else None
            found = shapes_from_schema(schema, formats=formats, annotations=annotations, data=data)
            builder = Builder(self.vocabulary, whitespace, key_order)
            for text, pointer in found.bounded:
                _count_early(builder, text, pointer)
            pushdown = Pushdown(builder.item(found.root), builder.release)
            return CompiledGrammar(self.vocabulary, pushdown, schema, list(found.notes))

        options = (whitespace, key_order, formats, tuple(annotations))
        return self._compile("json schema", key, options, build)

    def compile_regex(self, pattern: str) -> CompiledGrammar:
        """A regular expression (ECMA-262 syntax) that the whole text must match."""
        from .regex import content, utf8

        def build() -> CompiledGrammar:
            shape = Terminal(content(pattern, encode=utf8, search=False), "pattern")
            item = Builder(self.vocabulary, "compact", "schema").terminal(shape)
            return self._checked(CompiledGrammar(self.vocabulary, Pushdown(item), pattern))

        return self._compile("regex", pattern, (), build)

    def compile_grammar(self, ebnf: str) -> CompiledGrammar:
        """An EBNF grammar in the dialect of XGrammar and llama.cpp; its first rule is `root`."""
        from .ebnf import shapes_from_ebnf

        def build() -> CompiledGrammar:
            builder = Builder(self.vocabulary, "compact", "schema")
            root = builder.item(shapes_from_ebnf(ebnf))
            return CompiledGrammar(self.vocabulary, Pushdown(root, builder.release), ebnf)

        return self._compile("ebnf", ebnf, (), build)

    def compile_functions(self, definitions: Any, whitespace: str = "spaced") -> CompiledGrammar:
        """Function definitions: the text is one call, `{"name": ..., "parameters": {...}}`.

        Raises `UnsatisfiableSchema` with the name of a function that nothing can be passed to.
        """
        from .functions import check_callable, functions_to_schema

        compiled = self.compile_json_schema(functions_to_schema(definitions), whitespace)
        check_callable(definitions)
        return compiled

    def _compile(
        self, kind: str, source: Any, options: tuple, build: Callable[[], CompiledGrammar]
    ) -> CompiledGrammar:
        """What was compiled before from the same source with the same options, or a new one."""
        key = (kind, source, options)
        found = self._kept.get(key)
        if found is None:
            found = build()
            if source is not None:
                self._kept[key] = found
                while len(self._kept) > self.cache_size:
                    self._kept.popitem(last=False)
        else:
            self._kept.move_to_end(key)
        return found

    def _checked(self, compiled: CompiledGrammar) -> CompiledGrammar:
        pushdown = compiled.pushdown
        if not pushdown.start.accepting and not pushdown.allowed_bytes(pushdown.start):
            raise UnsatisfiableSchema(f"nothing matches {compiled.source!r}")
        return compiled


def _count_early(builder: Builder, text: Text, pointer: str) -> None:
    """Whether lengths can be counted is known now, not in the middle of a text."""
    try:
        builder.text(text)
    except ValueError as error:
        raise UnsupportedSchema(
            f"a {text.label} beside a length is too complex: {error}",
            keyword="minLength" if text.longest is None else "maxLength",
            pointer=pointer,
        ) from None


def _source_key(schema: Any) -> Any:
    """A hashable key that keeps the order of keys, since the order of `properties` matters."""
    if isinstance(schema, (str, type)):
        return schema
    data = as_bytes(schema)
    if data is not None:
        return data
    try:
        return json.dumps(schema)
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidSchema(
            f"a schema must be a dict, a bool, JSON text or a Pydantic model class: {error}"
        ) from None
