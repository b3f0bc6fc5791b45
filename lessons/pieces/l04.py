"""Lesson 04's finished pieces: the forced span, what it saves, and how to cut it into tokens.

`forced_span` and `retokenize` are what `tokenmask.jump` and `tokenmask.generate` do, at lesson size.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from lessons.pieces.l01 import DFA
from tokenmask import CompiledGrammar, GrammarMatcher


def forced_span(dfa: DFA, state: int) -> str:
    """The text that must come next: one character after another while there is exactly one way on.

    It ends where there is a choice, and where the text may stop: stopping is a choice too.

    >>> from lessons.pieces.l01 import enum_dfa
    >>> forced_span(enum_dfa(["cat", "cats"]), 0)
    'cat'
    """
    span = ""
    while state not in dfa.accepting:
        ways = [(char, after) for (here, char), after in dfa.edges.items() if here == state]
        if len(ways) != 1:
            break
        char, state = ways[0]
        span += char
    return span


def skipped(compiled: CompiledGrammar, ids: Sequence[int]) -> float:
    """The share of the tokens `ids` that lie whole inside a forced span, 0 to 1.

    ids: the tokens of one complete document that `compiled` allows.
    """
    matcher, count = GrammarMatcher(compiled), 0
    for token in ids:
        forced = matcher.find_jump_forward_string().encode()
        count += forced.startswith(compiled.vocabulary.tokens[token])
        matcher.accept_token(token)
    return count / len(ids)


def common(one: Sequence[int], other: Sequence[int]) -> int:
    """How many tokens both begin with.

    >>> common([1, 2, 3], [1, 2, 9])
    2
    """
    same = 0
    while same < min(len(one), len(other)) and one[same] == other[same]:
        same += 1
    return same


def reread(model: Any, have: Sequence[int], want: Sequence[int]) -> np.ndarray:
    """`model` has read `have` and shall have read `want`: cut its cache, extend once; the logits.

    At least one token is read again, since the logits come from reading.
    """
    keep = min(common(have, want), len(want) - 1)
    model.truncate(keep)
    return model.extend(want[keep:])


def retokenize(
    encode: Callable, texts: Sequence[str], written: Sequence[int], forced: str, window: int
) -> tuple[int, list[int]]:
    """Cut the last `window` tokens of `written` and the text `forced` afresh, together.

    Returns how many tokens to take back, and the new ones: as few of both as possible.
    """
    tail = list(written[max(0, len(written) - window) :])
    new = encode("".join(texts[i] for i in tail) + forced)
    same = common(tail, new)
    return len(tail) - same, list(new[same:])


def hold_back(texts: Sequence[str], ids: Sequence[int], legal: Sequence[int]) -> list[int]:
    """`ids` without the last, if a longer legal token begins with it; the model writes that one.

    legal: what may stand where the last of `ids` stands.
    """
    if not ids:
        return []
    last = texts[ids[-1]]
    grows = any(len(texts[i]) > len(last) and texts[i].startswith(last) for i in legal)
    return list(ids[:-1]) if grows else list(ids)


# --- runs that the lesson compares


def choice_schema(options: Sequence[str]) -> dict:
    """{"answer": one of `options`}"""
    return {
        "type": "object",
        "properties": {"answer": {"enum": list(options)}},
        "required": ["answer"],
        "additionalProperties": False,
    }


def wide(keys: Sequence[str], value: dict) -> dict:
    """An object with all of `keys`, each holding a `value`."""
    return {
        "type": "object",
        "properties": dict.fromkeys(keys, value),
        "required": list(keys),
        "additionalProperties": False,
    }


def deep(keys: Sequence[str], value: dict) -> dict:
    """The same keys, one inside the other; a single `value` at the bottom."""
    for key in reversed(keys):
        value = wide([key], value)
    return value


def naive_jump(model: Any, prompt: str, compiled: CompiledGrammar, limit: int = 60) -> list[int]:
    """Greedy, with a jump that falls into the trap: forced text is cut by itself and kept so."""
    matcher, written = GrammarMatcher(compiled), []
    model.reset()
    unread = list(model.prompt_ids(prompt))
    while not matcher.is_accepting() and len(written) < limit:
        forced = matcher.find_jump_forward_string()
        if forced:
            new = model.encode(forced)
        else:
            logits, legal = model.extend(unread), matcher.legal_tokens()
            new, unread = [int(legal[np.argmax(logits[legal])])], []
        for token in new:
            matcher.accept_token(token)
        written += new
        unread += new
    return written


def one_by_one(model: Any, prompt: str, ids: Sequence[int]) -> float:
    """Seconds that the model takes to write `ids` without a mask: one pass for each token."""
    model.reset()
    start = time.perf_counter()
    model.extend(model.prompt_ids(prompt))
    for token in ids[:-1]:  # nobody needs logits after the last
        model.extend([token])
    return time.perf_counter() - start


def shares(logits: np.ndarray, ids: Sequence[int]) -> list[float]:
    """How the probability is divided among `ids` alone.

    >>> shares(np.array([0.0, 5.0, 0.0]), [0, 2])
    [0.5, 0.5]
    """
    chosen = np.asarray(logits, float)[list(ids)]
    weights = np.exp(chosen - chosen.max())
    return (weights / weights.sum()).tolist()


def read_answer(model: Any, ids: Sequence[int]) -> tuple[str, bool]:
    """The answer in a document {"answer": ...}, and whether its tokens are the tokenizer's own."""
    vocabulary = model.vocabulary
    ids = [i for i in ids if i not in vocabulary.eos_ids]
    text = b"".join(vocabulary.tokens[i] for i in ids).decode()
    return json.loads(text)["answer"], list(model.encode(text)) == ids


NEW = ("New York", "New Delhi", "New Orleans")

# question, options that begin alike, the right one
QUESTIONS = (
    ("What is the capital of India?", NEW, "New Delhi"),
    ("Which city is famous for Mardi Gras and jazz?", NEW, "New Orleans"),
    ("Which city has the Statue of Liberty?", NEW, "New York"),
    ("Which animal says moo?", ("a cat", "a dog", "a cow"), "a cow"),
    (
        "Seoul is the capital of which country?",
        ("South Africa", "South Korea", "South Sudan"),
        "South Korea",
    ),
    (
        "Which river flows through Egypt?",
        ("River Thames", "River Nile", "River Amazon"),
        "River Nile",
    ),
    ("What do bees make?", ("some milk", "some honey", "some bread"), "some honey"),
    ("Which ocean is the largest?", ("the Atlantic", "the Pacific", "the Indian"), "the Pacific"),
    (
        "In which city is the Golden Gate Bridge?",
        ("San Diego", "San Francisco", "San Antonio"),
        "San Francisco",
    ),
    ("In which season does snow fall?", ("in summer", "in winter", "in spring"), "in winter"),
)
