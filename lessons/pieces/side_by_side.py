"""Four engines behind one face, for lesson 09: start a schema, fill a mask, accept a token.

XGrammar, llguidance and outlines-core are an extra (`pip install -e .[peers]`): what is missing is
left out, with a sentence. All write texts as `json.dumps` does, so that their masks can be compared.
"""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

import numpy as np

from tokenmask import GrammarCompiler, GrammarMatcher, Vocabulary

PACKAGES = {"XGrammar": "xgrammar", "llguidance": "llguidance", "outlines-core": "outlines-core"}


@dataclass
class Runner:
    """One text being written: `fill(bitmask)` (int32, (1, words)) and `accept(token id) -> bool`."""

    fill: Callable[[np.ndarray], Any]
    accept: Callable[[int], bool]


@dataclass
class Engine:
    """`start(schema)` compiles, without any cache, and stands before the first token."""

    name: str
    version: str
    start: Callable[[dict], Runner]


def ours(vocabulary: Vocabulary) -> Engine:
    """The workbook's own engine."""
    _ = vocabulary.trie  # made once per vocabulary, like the tables of the others

    def start(schema: dict) -> Runner:
        matcher = GrammarMatcher(GrammarCompiler(vocabulary).compile_json_schema(schema))
        return Runner(matcher.fill_next_token_bitmask, matcher.accept_token)

    return Engine("tokenmask", "workbook", start)


def plain_tokens(vocabulary: Vocabulary) -> list[bytes]:
    """The tokens as bytes, empty where one stands for no text."""
    silent = {*vocabulary.eos_ids, *vocabulary.special_ids}
    return [b"" if i in silent else token for i, token in enumerate(vocabulary.tokens)]


def xgrammar(vocabulary: Vocabulary) -> Engine:
    """XGrammar: fixed separators, one thread, weakening of what it cannot enforce left as it is."""
    module = importlib.import_module("xgrammar")
    tokens, end = plain_tokens(vocabulary), list(vocabulary.eos_ids)
    info = module.TokenizerInfo(tokens, vocab_size=vocabulary.size, stop_token_ids=end)
    compiler = module.GrammarCompiler(info, max_threads=1, cache_enabled=False)

    def start(schema: dict) -> Runner:
        compiled = compiler.compile_json_schema(
            json.dumps(schema), any_whitespace=False, separators=(", ", ": "), strict_mode=False
        )
        matcher = module.GrammarMatcher(compiled)
        return Runner(matcher.fill_next_token_bitmask, matcher.accept_token)

    return Engine("XGrammar", version("xgrammar"), start)


class _Tokens:
    """A vocabulary as llguidance's wrapper wants it."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        silent = {*vocabulary.eos_ids, *vocabulary.special_ids}
        # a byte that no text holds marks a token that stands for none
        self.tokens = [
            b"\xff<%d>" % i if i in silent else token for i, token in enumerate(vocabulary.tokens)
        ]
        self.special_token_ids = sorted(silent)
        self.eos_token_id, self.bos_token_id = vocabulary.eos_ids[0], None
        self._ids = {token: i for i, token in enumerate(vocabulary.tokens) if token and i not in silent}
        self._longest = max(map(len, self._ids))

    def __call__(self, text: bytes | str) -> list[int]:
        """The longest token at each place: forced text is offered in these tokens only."""
        data = text.encode() if isinstance(text, str) else text
        ids, place = [], 0
        while place < len(data):
            ends = range(min(place + self._longest, len(data)), place, -1)
            end = next((end for end in ends if data[place:end] in self._ids), None)
            if end is not None:
                ids.append(self._ids[data[place:end]])
            place = end or place + 1
        return ids


def llguidance(vocabulary: Vocabulary) -> Engine:
    """llguidance: fixed separators."""
    module = importlib.import_module("llguidance")
    fill = importlib.import_module("llguidance.numpy").fill_next_token_bitmask
    tokenizer = module.LLTokenizer(module.TokenizerWrapper(_Tokens(vocabulary)))
    spaced = {"item_separator": ", ", "key_separator": ": ", "whitespace_flexible": False}

    def start(schema: dict) -> Runner:
        source = json.dumps({"grammars": [{"json_schema": {**schema, "x-guidance": spaced}}]})
        matcher = module.LLMatcher(tokenizer, source, log_level=0)
        if matcher.is_error():
            raise ValueError(matcher.get_error())
        return Runner(lambda bitmask: fill(matcher, bitmask, 0), matcher.consume_token)

    return Engine("llguidance", version("llguidance"), start)


def outlines(vocabulary: Vocabulary) -> Engine:
    """outlines-core: schema to regular expression to automaton, with an index of ids per state."""
    module = importlib.import_module("outlines_core")
    to_regex = importlib.import_module("outlines_core.json_schema").build_regex_from_schema
    end = vocabulary.eos_ids[0]
    ids: dict[bytes, list[int]] = {}
    for i, token in enumerate(plain_tokens(vocabulary)):
        if token:
            ids.setdefault(token, []).append(i)
    words = module.Vocabulary(end, ids)

    def start(schema: dict) -> Runner:
        # one optional space stands where json.dumps writes one
        guide = module.Guide(module.Index(to_regex(json.dumps(schema), " ?"), words))

        def fill(bitmask: np.ndarray) -> None:
            bitmask[:] = 0
            guide.write_mask_into(bitmask.ctypes.data, bitmask.size, bitmask.itemsize)

        def accept(token: int) -> bool:
            if not guide.accepts_tokens([token]):
                return False
            guide.advance(token, False)
            return True

        return Runner(fill, accept)

    return Engine("outlines-core", version("outlines-core"), start)


def outlines_index(expression: str, tokens: list[bytes], wanted: bytes) -> str:
    """Whether outlines-core's index lets `wanted`, one of `tokens`, be the whole text: in words."""
    try:
        module = importlib.import_module("outlines_core")
    except ImportError:
        return "outlines-core is not installed here"
    words = module.Vocabulary(len(tokens), {token: [i] for i, token in enumerate(tokens)})
    guide = module.Guide(module.Index(expression, words))
    token = tokens.index(wanted)
    if token not in guide.get_tokens():
        return "not legal"
    guide.advance(token, False)
    return "legal" if guide.is_finished() or len(tokens) in guide.get_tokens() else "legal, no end"


def engines(vocabulary: Vocabulary) -> dict[str, Engine]:
    """Our engine first, then every peer that is installed; says which ones are not."""
    found = {"tokenmask": ours(vocabulary)}
    missing = []
    for name, make in {"XGrammar": xgrammar, "llguidance": llguidance, "outlines-core": outlines}.items():
        try:
            found[name] = make(vocabulary)
        except ImportError:
            missing.append(PACKAGES[name])
    if missing:
        print(f"Not installed: {', '.join(missing)} (`pip install -e .[peers]`). We go on without.")
    return found
