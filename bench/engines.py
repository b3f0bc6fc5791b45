"""One face for every engine, so that one stopwatch measures them all.

An engine compiles a schema or refuses it; what it compiled gives matchers; a matcher is two
functions, `fill(bitmask, 0)` and `accept(token_id) -> bool`, called directly, so that no engine
pays for this file.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Protocol

import numpy as np

from tokenmask import GrammarCompiler, GrammarMatcher
from tokenmask.errors import SchemaError

from .vocabularies import BenchVocabulary

STYLES = ("whitespace", "key_order")


class Refused(Exception):
    """The engine says at compile time that it cannot do this schema."""


@dataclass(slots=True)
class Matcher:
    """One sequence's state: `fill(int32 bitmask of shape (1, words), 0)` and `accept(token id)`."""

    fill: Callable[[np.ndarray, int], Any]
    accept: Callable[[int], bool]


class Compiled(Protocol):
    """A schema in an engine."""

    def fill_first(self, bitmask: np.ndarray) -> None:
        """The mask of the first token, into row 0."""

    def matcher(self) -> Matcher:
        """A new sequence."""

    def close(self) -> None:
        """Let go of what this schema kept, so that the next one starts cold."""


class Engine(Protocol):
    """What `bench.measure` needs of an engine."""

    name: str
    version: str
    masks: bool  # False: judges whole texts only
    apart: bool  # True: measured in a fork of the process, which can be ended

    def source(self, schema: Any) -> Any:
        """The schema in the form that `compile` takes; not timed."""

    def compile(self, source: Any) -> Compiled:
        """Compile, or raise `Refused` with the engine's own reason."""

    def forget(self) -> None:
        """Drop what earlier schemas taught it about the vocabulary, where that is possible."""


class TokenMask:
    """This repository's engine, by its public names only."""

    masks = True
    apart = False

    def __init__(self, vocabulary: BenchVocabulary, **options: Any) -> None:
        self.name = "tokenmask"
        self.version = _version("tokenmask-workbook")
        self.vocabulary = vocabulary.build()
        self.options = options
        self.warm_up()

    def warm_up(self) -> None:
        """What is made once per vocabulary, as every peer makes its own tables when it is opened."""
        styles = {name: self.options[name] for name in STYLES if name in self.options}
        GrammarCompiler(self.vocabulary).warm_up(**styles)

    def source(self, schema: Any) -> Any:
        return schema

    def compile(self, source: Any) -> _TokenMaskSchema:
        try:
            # a compiler of its own for each schema: nothing compiled before is found again
            compiler = GrammarCompiler(self.vocabulary)
            return _TokenMaskSchema(compiler.compile_json_schema(source, **self.options))
        except SchemaError as error:
            raise Refused(f"{type(error).__name__}: {error}") from None

    def forget(self) -> None:
        self.vocabulary.shared.clear()


class _TokenMaskSchema:
    def __init__(self, compiled: Any) -> None:
        self.compiled = compiled

    def fill_first(self, bitmask: np.ndarray) -> None:
        self.matcher().fill(bitmask, 0)

    def matcher(self) -> Matcher:
        matcher = GrammarMatcher(self.compiled)
        return Matcher(matcher.fill_next_token_bitmask, matcher.accept_token)

    def close(self) -> None:
        self.compiled = None


def open_engine(name: str, vocabulary: BenchVocabulary, **options: Any) -> Engine:
    """An engine by name; `options` are for ours: `key_order`, `whitespace`, ..."""
    if name == "tokenmask":
        return TokenMask(vocabulary, **options)
    from . import peers

    if name not in peers.PEERS:
        raise SystemExit(f"no peer {name!r}: one of {', '.join(peers.PEERS)}")
    try:
        return peers.PEERS[name](vocabulary)
    except ImportError as error:
        raise SystemExit(f'{name} is not installed ({error}): pip install ".[peers]"') from None


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "here"  # run from the source folder
