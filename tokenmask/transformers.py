"""The engine inside `transformers`: a logits processor for `model.generate` (lesson 09).

    vocabulary = Vocabulary.from_transformers(tokenizer)
    compiled = GrammarCompiler(vocabulary).compile_json_schema(schema)
    model.generate(**inputs, logits_processor=[GrammarLogitsProcessor(compiled)])

Every row of the batch has its own matcher; prompts may differ in length (pad them on the left).
Needs torch and transformers; the rest of `tokenmask` does not.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from transformers import LogitsProcessor

from .bitmask import allocate_token_bitmask, apply_token_bitmask
from .compiled import CompiledGrammar
from .matcher import GrammarMatcher

# the number of a row's grammar, and the tokens of its answer so far
History = tuple[int, tuple[int, ...]]


class GrammarLogitsProcessor(LogitsProcessor):
    """Masks what the grammar forbids, at every step of `model.generate`.

    compiled: one grammar for all prompts of the batch, or a list with one for each. With beams or
    several returned sequences the rows of one prompt follow each other and share its grammar.

    A call with other prompts starts afresh by itself. Call `reset()` before handing a finished
    answer in again as a prompt.
    """

    def __init__(self, compiled: CompiledGrammar | Sequence[CompiledGrammar]) -> None:
        self.compiled = list(compiled) if isinstance(compiled, Sequence) else [compiled]
        if not self.compiled:
            raise ValueError("a list of grammars needs at least one grammar")
        self.vocabulary = self.compiled[0].vocabulary
        if any(one.vocabulary is not self.vocabulary for one in self.compiled):
            raise ValueError("all grammars of a batch must be compiled for one Vocabulary object")
        self.reset()

    def reset(self) -> None:
        """Take the next call for the first one of a new run."""
        self._prompts: torch.Tensor | None = None
        self._matchers: dict[History, GrammarMatcher] = {}

    def __call__(self, input_ids: torch.LongTensor, scores: torch.FloatTensor) -> torch.FloatTensor:
        """`scores` (rows, vocabulary) with -inf for every token that may not follow `input_ids`."""
        matchers = self._advance(input_ids)
        bitmask = allocate_token_bitmask(len(matchers), self.vocabulary.size)
        for row, matcher in enumerate(matchers):
            matcher.fill_next_token_bitmask(bitmask, row)
        scores = scores.clone()
        # an ended row only waits for the others: transformers pads it, whatever its scores say
        open_rows = [row for row, matcher in enumerate(matchers) if not matcher.is_terminated()]
        self._check(bitmask, open_rows, matchers)
        masked = scores[open_rows]
        apply_token_bitmask(masked, bitmask[open_rows])
        scores[open_rows] = masked
        return scores

    def _advance(self, input_ids: torch.LongTensor) -> list[GrammarMatcher]:
        """One matcher per row, which has read the row's answer so far."""
        histories = self._histories(input_ids)
        if histories is None:
            self._prompts = input_ids.clone()
            histories = [(index, ()) for index in self._grammar_indices(len(input_ids))]
            self._matchers = {history: GrammarMatcher(self.compiled[history[0]]) for history in histories}
        else:
            self._matchers = {history: self._grown(history) for history in histories}
        return [self._matchers[history] for history in histories]

    def _histories(self, input_ids: torch.LongTensor) -> list[History] | None:
        """The rows' answers, if each is one token longer than one of the last call; else None."""
        prompts = self._prompts
        if prompts is None or len(prompts) != len(input_ids):
            return None
        start = prompts.shape[1]
        if input_ids.shape[1] <= start or not torch.equal(input_ids[:, :start], prompts):
            return None
        answers = input_ids[:, start:].tolist()
        indices = self._grammar_indices(len(input_ids))
        histories = [(index, tuple(answer)) for index, answer in zip(indices, answers)]
        known = all((index, answer[:-1]) in self._matchers for index, answer in histories)
        return histories if known else None

    def _grown(self, history: History) -> GrammarMatcher:
        index, answer = history
        # a fork: beams may continue one answer in several ways
        matcher = self._matchers[index, answer[:-1]].fork()
        if not matcher.is_terminated() and not matcher.accept_token(answer[-1]):
            raise ValueError(
                f"token {answer[-1]} ({self.vocabulary.text(answer[-1])!r}) was generated although "
                f"the grammar forbids it here ({matcher.describe()}): another logits processor "
                "changed the scores after this one; put this one last"
            )
        return matcher

    def _grammar_indices(self, rows: int) -> list[int]:
        """For each row the number of its grammar; with one grammar all rows share number 0."""
        if rows % len(self.compiled):
            raise ValueError(f"{len(self.compiled)} grammars do not fit a batch of {rows} rows")
        per_grammar = rows // len(self.compiled)
        return [row // per_grammar for row in range(rows)]

    def _check(self, bitmask, open_rows: list[int], matchers: list[GrammarMatcher]) -> None:
        for row in open_rows:
            if not bitmask[row].any():
                why = "the text is complete, but the vocabulary has no end-of-sequence token"
                if not matchers[row].is_accepting():
                    why = f"no token can spell what must come ({matchers[row].describe()})"
                raise ValueError(f"row {row} of the batch cannot go on: {why}")
