"""Lesson 05's finished pieces: a union as a set of states, the branch, its probability, the rates."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from lessons.pieces import l01
from tokenmask import CompiledGrammar, GrammarMatcher, Vocabulary, generate
from toymodel import UniformModel

Alive = set[tuple[int, int]]

PROMPTS = Path(__file__).resolve().parents[1] / "data" / "cities.json"


def union_start(dfas: Sequence[l01.DFA]) -> Alive:
    """Before the first character every alternative is alive: {(number of the DFA, its state)}.

    >>> sorted(union_start([l01.date_dfa(), l01.enum_dfa(["cat"])]))
    [(0, 0), (1, 0)]
    """
    return {(i, dfa.start) for i, dfa in enumerate(dfas)}


def union_step(dfas: Sequence[l01.DFA], alive: Alive, char: str) -> Alive:
    """Every alternative that is alive takes the character or dies. Illegal: nothing is left.

    >>> union_step([l01.date_dfa(), l01.enum_dfa(["cat"])], {(0, 0), (1, 0)}, "c")
    {(1, 1)}
    """
    after = ((i, l01.step(dfas[i], state, char)) for i, state in alive)
    return {(i, state) for i, state in after if state is not None}


def decided_at(dfas: Sequence[l01.DFA], tokens: Iterable[str]) -> int | None:
    """Index of the token after which a single alternative is left; None if that never happens."""
    alive = union_start(dfas)
    for index, token in enumerate(tokens):
        for char in token:
            alive = union_step(dfas, alive, char)
        if len({i for i, _ in alive}) == 1:
            return index
    return None


def branch_shares(
    probabilities: np.ndarray, first: Iterable[int], second: Iterable[int]
) -> tuple[float, float, float]:
    """How likely the next token decides for the first way, for the second, or for neither yet.

    probabilities: float [n], before the mask. first, second: the tokens that each way allows here.
    The mask leaves only these tokens, so the three add up to 1.

    >>> branch_shares(np.array([0.1, 0.2, 0.1, 0.6]), [0, 1], [1, 2])
    (0.25, 0.25, 0.5)
    """
    first, second = set(map(int, first)), set(map(int, second))
    total = probabilities[sorted(first | second)].sum()
    ways = (first - second, second - first, first & second)
    return tuple(float(probabilities[sorted(way)].sum() / total) for way in ways)


def rates(labels: Sequence[dict | None], outputs: Sequence[dict]) -> tuple[float, float, float]:
    """(made up, refused, wrong), each a share from 0 to 1.

    labels: the right answer for each prompt, None where its text does not hold one.
    outputs: what came back; a refusal is an object with the key "error".
    made up: answered although there is no answer, of the prompts without one.
    refused: refused although there is an answer; wrong: answered, but not right; both of the
    prompts with an answer.
    """
    pairs = list(zip(labels, outputs, strict=True))
    without = [output for label, output in pairs if label is None]
    with_answer = [(label, output) for label, output in pairs if label is not None]
    made_up = sum("error" not in output for output in without) / len(without)
    refused = sum("error" in output for _, output in with_answer) / len(with_answer)
    wrong = sum("error" not in o and o != label for label, o in with_answer) / len(with_answer)
    return made_up, refused, wrong


# --- the model, asked under one system prompt


def byte_model() -> UniformModel:
    """The stand-in for the small model: all 256 bytes are equally likely, so it can spell any city."""
    return UniformModel(vocabulary=Vocabulary([bytes([byte]) for byte in range(256)], eos_ids=()))


def prompts() -> list[dict]:
    """The labelled prompts: {"text": ..., "answer": the right one or None, "kind": ...}."""
    return json.loads(PROMPTS.read_text(encoding="utf-8"))


def ask(
    model: Any, text: str, compiled: CompiledGrammar, system: str, tokens: int = 400
) -> dict:
    """The greedy answer about `text`, parsed; {"cut": its beginning} if it needs more `tokens`."""
    prompt = f"Text: {text}"
    trace = generate(model, prompt, compiled, tokens, system=system, temperature=0, record="none")
    return {"cut": trace.text} if trace.finished == "max_tokens" else trace.parsed()


def refuses(outcome: dict) -> bool:
    """Whether `ask` came back with a refusal, whole or cut.

    >>> refuses({"error": "no"}), refuses({"cut": '{"error": "n'}), refuses({"city": "error"})
    (True, True, False)
    """
    return "error" in outcome or outcome.get("cut", "").startswith('{"error"')


def read_branch(
    model: Any, text: str, ways: Sequence[CompiledGrammar], system: str
) -> tuple[float, bool]:
    """(probability of the refusal, would the greedy run refuse?) about `text`.

    ways: the answer and the refusal, compiled. Both begin with an opening brace and a quote, which
    are forced; the token after them decides.
    """
    model.reset()
    head = model.encode('{"')
    logits = model.extend([*model.prompt_ids(f"Text: {text}", system), *head])
    answer, refusal = (legal_after(way, head) for way in ways)
    _, refuses, _ = branch_shares(l01.softmax(logits.astype(float)), answer, refusal)
    legal = sorted(answer | refusal)
    return refuses, legal[int(np.argmax(logits[legal]))] in refusal


def legal_after(compiled: CompiledGrammar, ids: Iterable[int]) -> set[int]:
    """The tokens that may come after `ids`."""
    matcher = GrammarMatcher(compiled)
    for token in ids:
        matcher.accept_token(token)
    return set(map(int, matcher.legal_tokens()))
