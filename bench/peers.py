"""The peers, each set up as its own documentation and MaskBench would for `json.dumps` texts.

llguidance: defaults (flexible whitespace), one deep copy of the matcher per sequence.
XGrammar: `strict_mode=False, any_whitespace=True`, one thread, no cache across schemas; measured
in forks of the process, since some schemas compile for a minute and must be cut off.
`xgrammar-dynamic` is the same with `enable_dynamic_compilation`: masks are made when first needed.
outlines-core: its regular expression only; its index loses transitions (`(a|abc)` refuses `abc`),
so masks of it would be wrong, and no times of it are given but that of making the expression.
"""

from __future__ import annotations

import functools
import json
import logging
from collections.abc import Callable
from importlib.metadata import version
from typing import Any

import numpy as np

from .engines import Matcher, Refused
from .vocabularies import BenchVocabulary


class _Peer:
    """What the peers have in common."""

    masks = True
    apart = False  # True: measured in a fork, so that a call into native code can be cut off

    def source(self, schema: Any) -> str:
        return json.dumps(schema)

    def forget(self) -> None:
        """Their tables are made once per vocabulary and learn nothing from schemas."""


class LLGuidance(_Peer):
    """llguidance: Earley parser over a lexer of regex derivatives, in Rust."""

    name = "llguidance"

    def __init__(self, vocabulary: BenchVocabulary) -> None:
        import llguidance
        from llguidance.numpy import fill_next_token_bitmask

        self._fill = fill_next_token_bitmask
        self.version = version("llguidance")
        self._matcher = llguidance.LLMatcher
        self._tokenizer = vocabulary.build_llguidance()

    def source(self, schema: Any) -> str:
        return json.dumps({"grammars": [{"json_schema": schema}]})

    def compile(self, source: str) -> _LLGuidanceSchema:
        matcher = self._matcher(self._tokenizer, source, log_level=0)
        if matcher.is_error():
            raise Refused(matcher.get_error())
        return _LLGuidanceSchema(matcher, self._fill)


class _LLGuidanceSchema:
    def __init__(self, start: Any, fill: Callable[..., None]) -> None:
        self.start, self._fill = start, fill

    def fill_first(self, bitmask: np.ndarray) -> None:
        self._fill(self.start, bitmask, 0)

    def matcher(self) -> Matcher:
        copy = self.start.deep_copy()
        return Matcher(functools.partial(self._fill, copy), copy.consume_token)

    def close(self) -> None:
        self.start = None


class XGrammar(_Peer):
    """XGrammar: Earley parser over automata, masks prepared while compiling, in C++."""

    name = "xgrammar"
    apart = True
    dynamic = False

    def __init__(self, vocabulary: BenchVocabulary) -> None:
        import xgrammar

        self.version = version("xgrammar")
        self._matcher = xgrammar.GrammarMatcher
        self._compiler = xgrammar.GrammarCompiler(
            vocabulary.build_xgrammar(),
            max_threads=1,
            cache_enabled=False,
            enable_dynamic_compilation=self.dynamic,
        )

    def compile(self, source: str) -> _XGrammarSchema:
        try:
            compiled = self._compiler.compile_json_schema(source, any_whitespace=True, strict_mode=False)
        except (RuntimeError, ValueError) as error:
            raise Refused(str(error)) from None
        return _XGrammarSchema(compiled, self._matcher)


class _XGrammarSchema:
    def __init__(self, compiled: Any, matcher: Callable[[Any], Any]) -> None:
        self.compiled = compiled
        self._matcher = matcher

    def fill_first(self, bitmask: np.ndarray) -> None:
        self._matcher(self.compiled).fill_next_token_bitmask(bitmask, 0)

    def matcher(self) -> Matcher:
        matcher = self._matcher(self.compiled)
        return Matcher(matcher.fill_next_token_bitmask, matcher.accept_token)

    def close(self) -> None:
        self.compiled = None


class XGrammarDynamic(XGrammar):
    """XGrammar that makes masks when they are first needed."""

    name = "xgrammar-dynamic"
    dynamic = True


class OutlinesCore(_Peer):
    """outlines-core: the schema as one regular expression. It judges whole texts here."""

    name = "outlines-core"
    masks = False

    def __init__(self, vocabulary: BenchVocabulary) -> None:
        from outlines_core.json_schema import build_regex_from_schema

        self.version = version("outlines-core")
        self._build = build_regex_from_schema

    def compile(self, source: str) -> _OutlinesSchema:
        try:
            return _OutlinesSchema(self._build(source))
        except (ValueError, TypeError, RuntimeError) as error:
            raise Refused(str(error)) from None


class _OutlinesSchema:
    def __init__(self, expression: str) -> None:
        self._expression = expression
        self._pattern = None

    def accepts(self, text: str) -> bool:
        """Does the whole text match? TimeoutError after two seconds of backtracking."""
        import regex

        if self._pattern is None:
            # not part of the compile time: it is not outlines-core that compiles it here
            try:
                self._pattern = regex.compile(self._expression)
            except regex.error as error:
                raise Refused(f"its expression is not one: {error}") from None
        return self._pattern.fullmatch(text, timeout=2) is not None

    def close(self) -> None:
        self._pattern = None


PEERS: dict[str, Callable[[BenchVocabulary], Any]] = {
    peer.name: peer for peer in (LLGuidance, XGrammar, XGrammarDynamic, OutlinesCore)
}
logging.getLogger("xgrammar").setLevel(logging.ERROR)
