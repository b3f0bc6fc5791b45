"""Lesson 09's finished pieces: a logits processor, a batch, a cache key, and a judge of two masks."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np

from lessons.models import is_real
from lessons.vocabularies import stand_in_tokens
from tokenmask import (
    CompiledGrammar,
    GrammarCompiler,
    GrammarMatcher,
    Vocabulary,
    allocate_token_bitmask,
    apply_token_bitmask,
    generate,
)
from tokenmask.bitmask import unpack_bits
from toymodel import TOY_TOKENS
from toymodel.toy import greedy_encode


def toy_with_end() -> Vocabulary:
    """The 28 toy tokens and an end token, number 28."""
    return Vocabulary([*(token.encode() for token in TOY_TOKENS), b"<end>"], eos_ids=[28])


def big_vocabulary(model: Any) -> Vocabulary:
    """The model's own vocabulary; where it is a toy, 13,479 made-up tokens, the last one the end."""
    if is_real(model):
        return model.vocabulary
    tokens = stand_in_tokens()
    return Vocabulary([*tokens, b""], eos_ids=[len(tokens)])


class Processor:
    """One grammar for one sequence, called by a loop that belongs to somebody else.

    The first call gets the prompt; each later call gets one more token, the one that was chosen. Any
    other row is the prompt of a new run.
    """

    def __init__(self, compiled: CompiledGrammar) -> None:
        self.matcher = GrammarMatcher(compiled)
        self.size = compiled.vocabulary.size
        self.row: list[int] | None = None

    def __call__(self, input_ids: np.ndarray, scores: np.ndarray) -> np.ndarray:
        """input_ids: int (1, length); scores: float (1, vocabulary or wider). A masked copy."""
        row = input_ids[0].tolist()
        if row[:-1] == self.row:
            self.matcher.accept_token(row[-1])
        else:
            self.matcher.reset()
        self.row = row
        bitmask = allocate_token_bitmask(1, self.size)
        self.matcher.fill_next_token_bitmask(bitmask, 0)
        scores = scores.copy()
        apply_token_bitmask(scores, bitmask)
        return scores


def masked_batch(
    matchers: list[GrammarMatcher], tokens: list[int] | None, scores: np.ndarray
) -> np.ndarray:
    """One step of a batch: each row reads its own token, then gets its own mask.

    tokens: the id that was chosen in each row, padding where the row has ended; None at the first
    step. scores: float (rows, vocabulary). A row that has ended stays as it is: it only waits for
    the others, and its matcher does not read the padding.
    """
    size = matchers[0].compiled.vocabulary.size
    bitmask = allocate_token_bitmask(len(matchers), size)
    for row, matcher in enumerate(matchers):
        if tokens is not None and not matcher.is_terminated():
            matcher.accept_token(tokens[row])
        matcher.fill_next_token_bitmask(bitmask, row)
    open_rows = [row for row, matcher in enumerate(matchers) if not matcher.is_terminated()]
    scores = scores.copy()
    part = scores[open_rows]
    apply_token_bitmask(part, bitmask[open_rows])
    scores[open_rows] = part
    return scores


def cache_key(schema: Any, vocabulary: Vocabulary, whitespace: str) -> Hashable:
    """Never the same for two grammars; the same for equal content, even in other objects."""
    tokens = (vocabulary.tokens, vocabulary.eos_ids, sorted(vocabulary.special_ids))
    return json.dumps(schema), hashlib.sha256(repr(tokens).encode()).hexdigest(), whitespace


def differ(a: np.ndarray, b: np.ndarray, size: int) -> tuple[list[int], list[int]]:
    """Token ids legal only in `a`, and only in `b`. Packed masks, int32 (words,), of `size` tokens.

    >>> differ(np.array([5], np.int32), np.array([6], np.int32), 3)
    ([0], [1])
    """
    left, right = unpack_bits(a, size), unpack_bits(b, size)
    return np.flatnonzero(left & ~right).tolist(), np.flatnonzero(right & ~left).tolist()


def spell(vocabulary: Vocabulary, text: str) -> list[int]:
    """`text` in tokens that stand for text, the longest first."""
    silent = {*vocabulary.eos_ids, *vocabulary.special_ids}
    tokens = [b"" if i in silent else token for i, token in enumerate(vocabulary.tokens)]
    return greedy_encode(tokens, text)


def masks_along(runner: Any, ids: Sequence[int], size: int) -> tuple[np.ndarray, list[float]]:
    """The mask before each of `ids` (int32 (steps, words)), and the seconds each of them took."""
    masks, seconds = allocate_token_bitmask(len(ids), size), []
    for step, token in enumerate(ids):
        row = masks[step : step + 1]
        start = time.perf_counter()
        runner.fill(row)
        seconds.append(time.perf_counter() - start)
        if not runner.accept(token):
            return masks[: step + 1], seconds
    return masks, seconds


class Judge:
    """Decides who is right about a token that only one of two engines allows.

    It writes a whole document that goes on with the token, and jsonschema says what that is worth.
    """

    def __init__(self, schema: dict, vocabulary: Vocabulary) -> None:
        compiler = GrammarCompiler(vocabulary)
        self.schema, self.vocabulary = schema, vocabulary
        self.strict = compiler.compile_json_schema(schema)
        self.free = compiler.compile_json_schema(schema, whitespace="free")

    def document(self, before: bytes, token: int) -> bytes:
        """`before`, the token, and an ending: a good one if there is any."""
        data = before + self.vocabulary.tokens[token]
        for grammar in (self.strict, self.free):
            matcher = GrammarMatcher(grammar)
            if matcher.accept_string(data):
                return data + self._ending(matcher)
        matcher = GrammarMatcher(self.strict)
        matcher.accept_string(before)
        return data + self._ending(matcher)

    def _ending(self, matcher: GrammarMatcher) -> bytes:
        return b"".join(self.vocabulary.tokens[i] for i in matcher.shortest_completion())

    def is_right(self, before: bytes, token: int) -> bool:
        """Whether a valid document goes on with this token after `before`."""
        import jsonschema

        try:
            value = json.loads(self.document(before, token))
        except ValueError:
            return False
        return jsonschema.Draft202012Validator(self.schema).is_valid(value)


def verdicts(
    judge: Judge, ids: Sequence[int], ours: np.ndarray, theirs: np.ndarray, most: int = 12
) -> dict[str, list[tuple[int, int]]]:
    """Sort (step, token) by who errs: at most `most` tokens of a step on either side are judged.

    Keys: "ours lets wrong text in", "ours refuses good text", and the same for "peer".
    """
    found: dict[str, list[tuple[int, int]]] = {
        f"{who} {what}": []
        for who in ("ours", "peer")
        for what in ("lets wrong text in", "refuses good text")
    }
    tokens, ends = judge.vocabulary.tokens, set(judge.vocabulary.eos_ids)
    before = b""
    for step, (a, b) in enumerate(zip(ours, theirs)):
        only_ours, only_peer = differ(a, b, judge.vocabulary.size)
        for allows, refuses, ids_here in (("ours", "peer", only_ours), ("peer", "ours", only_peer)):
            for token in [i for i in ids_here if i not in ends][:most]:
                right = judge.is_right(before, token)
                key = f"{refuses} refuses good text" if right else f"{allows} lets wrong text in"
                found[key].append((step, token))
        before += tokens[ids[step]]
    return found


def batch_texts(model: Any, prompts: list[str], compiled: list[CompiledGrammar], limit: int) -> list[str]:
    """Greedy answers to a batch: by `transformers` for the real model, one by one for a toy."""
    if not is_real(model):
        runs = [generate(model, p, g, limit, temperature=0) for p, g in zip(prompts, compiled)]
        return [run.text for run in runs]
    import torch

    from tokenmask.transformers import GrammarLogitsProcessor

    rows = [model.prompt_ids(prompt) for prompt in prompts]
    pad, longest = model.vocabulary.eos_ids[0], max(map(len, rows))
    ids = torch.tensor([[pad] * (longest - len(row)) + row for row in rows])
    mask = torch.tensor([[0] * (longest - len(row)) + [1] * len(row) for row in rows])
    out = model.model.generate(
        input_ids=ids,
        attention_mask=mask,
        logits_processor=[GrammarLogitsProcessor(compiled)],
        max_new_tokens=limit,
        do_sample=False,
        pad_token_id=pad,
    )
    return [text_of(model.vocabulary, row) for row in out[:, longest:].tolist()]


def text_of(vocabulary: Vocabulary, ids: Sequence[int]) -> str:
    """The text of `ids` up to the end token."""
    silent = {*vocabulary.eos_ids, *vocabulary.special_ids}
    data = b""
    for token in ids:
        if token in silent:
            break
        data += vocabulary.tokens[token]
    return data.decode(errors="replace")
