"""The decoding loop: mask, sample, advance; and jump forward where nothing is to be decided.

Lesson 01 builds its core by hand, lesson 04 the jump, lesson 08 the budget.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from . import jump
from .bitmask import allocate_token_bitmask, apply_token_bitmask, unpack_bits
from .sampling import Sampling, top
from .trace import Step, Trace

if TYPE_CHECKING:
    from .compiler import CompiledGrammar

Record = Literal["top", "full", "none"]


class NoLegalToken(ValueError):
    """The schema owes something that no token can begin. The message says where the run stood."""


def generate(
    model: Any,
    prompt: str,
    compiled: CompiledGrammar,
    max_tokens: int = 64,
    *,
    constrained: bool = True,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
    seed: int = 0,
    jump_forward: bool = True,
    budget: bool = False,
    system: str | None = None,
    record: Record = "top",
    on_step: Callable[[Step], None] | None = None,
    should_stop: Callable[[], bool] | None = None,
) -> Trace:
    """Write one text that `compiled` allows, token by token, and keep a trace of every step.

    model: see `toymodel`; its vocabulary must be the one that `compiled` was made for.
    constrained: False lets the model write what it likes; the trace still says what was legal.
    temperature (0 = greedy), top_k, top_p: applied after the mask. `seed` makes it repeatable.
    jump_forward: text that must come is written without asking the model.
    budget: only ways that still end within `max_tokens`; ValueError if that is too few for any.
    record: "top" keeps masks and the 10 likeliest tokens per step, "full" all probabilities as
    well, "none" neither (for measuring).
    on_step: called with each step once it is final. should_stop: asked before each choice.

    The run ends when the text is complete and nothing may follow ("accepted"; in a vocabulary
    without an end-of-sequence token: as soon as it is complete), at an end-of-sequence token
    ("eos"), after `max_tokens`, or when `should_stop()` says so ("stopped").
    """
    if record not in ("top", "full", "none"):
        raise ValueError(f'record must be "top", "full" or "none", not {record!r}')
    if max_tokens < 1:
        raise ValueError(f"max_tokens must be at least 1, not {max_tokens}")
    run = _Run(model, compiled, Sampling(temperature, top_k, top_p), max_tokens, record)
    schema = _schema_of(compiled.source)
    run.trace = Trace(run.vocabulary, schema, prompt, constrained, seed, run.steps)
    run.random = np.random.default_rng(seed)
    run.budget = budget and constrained
    run.read(prompt, system)
    run.write(jump_forward and constrained, on_step, should_stop)
    return run.trace


class _Run:
    """One run: a matcher, a model, the steps so far, and how much of them the model has read."""

    trace: Trace
    random: np.random.Generator
    budget: bool

    def __init__(
        self, model: Any, compiled: CompiledGrammar, sampling: Sampling, limit: int, record: Record
    ) -> None:
        from .matcher import GrammarMatcher

        self.model = model
        self.vocabulary = model.vocabulary
        _same_vocabulary(self.vocabulary, compiled.vocabulary)
        self.compiled = compiled
        self.matcher = GrammarMatcher(compiled)
        self.sampling = sampling
        self.limit = limit
        self.record = record
        self.steps: list[Step] = []
        self.astray = False  # an unconstrained run that has left the schema
        self.bitmask = allocate_token_bitmask(1, self.vocabulary.size)
        self.context: list[int] = []  # the prompt's tokens and all steps'
        self.read_tokens = 0  # how many of them the model has seen

    def read(self, prompt: str, system: str | None) -> None:
        """Set the model to the start. The prompt is read with the first tokens that need it."""
        self.started = time.perf_counter()
        if hasattr(self.model, "follow"):
            self.model.follow(self.compiled)
        self.model.reset()
        self.context = list(self.model.prompt_ids(prompt, system))
        self.prompt_length = len(self.context)

    def write(
        self,
        jumping: bool,
        on_step: Callable[[Step], None] | None,
        should_stop: Callable[[], bool] | None,
    ) -> None:
        """Steps until the run ends; `on_step` hears of them once no jump can take them back."""
        told = 0
        finished = None
        while finished is None:
            if should_stop is not None and should_stop():
                finished = "stopped"
            elif not (jumping and self._jump()):
                self._choose()
            finished = finished or self._finished()
            # a jump may still replace the last tokens
            final = len(self.steps) - (jump.WINDOW if jumping and finished is None else 0)
            self.trace.seconds = time.perf_counter() - self.started
            while told < final:
                told += 1
                if on_step is not None:
                    on_step(self.steps[told - 1])
        self.trace.finished = finished

    def _finished(self) -> str | None:
        if self.steps and self.steps[-1].token in self.vocabulary.eos_ids:
            return "eos"
        # without an end token there is no way to say that the text should go on
        matcher, full = self.matcher, len(self.steps) >= self.limit
        may_go_on = bool(self.vocabulary.eos_ids) and not (self.budget and full)
        complete = matcher.is_finished() if may_go_on else matcher.is_accepting()
        if complete and not self.astray:
            return "accepted"
        return "max_tokens" if full else None

    # --- the mask

    def _fill(self) -> float:
        """Put what may come next into the bitmask; how many seconds that took."""
        start = time.perf_counter()
        if self.budget:
            left = self.limit - len(self.steps)
            self.matcher.fill_budget_bitmask(self.bitmask, left, index=0)
        else:
            self.matcher.fill_next_token_bitmask(self.bitmask, 0)
        return time.perf_counter() - start

    def _needs_mask(self) -> bool:
        return self.trace.constrained or (self.record != "none" and not self.astray)

    def _legal_ids(self) -> list[int]:
        return np.flatnonzero(unpack_bits(self.bitmask[0], self.vocabulary.size)).tolist()

    def _step(self, token: int, **known: Any) -> Step:
        """A step from the present state, before `token` is accepted."""
        step = Step(token, **known)
        if self.record != "none" and not self.astray:
            step.mask = self.bitmask[0].view(np.uint32).copy()
            step.describe = self.matcher.describe()
            step.stack = self.matcher.stack()
        return step

    # --- one token by choice

    def _logits(self) -> tuple[np.ndarray, float]:
        """Logits [vocab] after all steps, and the seconds they took."""
        start = time.perf_counter()
        logits = self.model.extend(self.context[self.read_tokens :])
        self.read_tokens = len(self.context)
        return logits, time.perf_counter() - start

    def _choose(self) -> None:
        logits, model_seconds = self._logits()
        mask_seconds = self._fill() if self._needs_mask() else 0.0
        before = None
        if self.record != "none" or not self.trace.constrained:
            before = self.sampling.probabilities(logits)
        after = before
        if self.trace.constrained:
            start = time.perf_counter()
            logits = logits.copy()
            apply_token_bitmask(logits, self.bitmask[0])
            mask_seconds += time.perf_counter() - start
            self._need_a_token()
            after = self.sampling.probabilities(logits)
        token = self.sampling.choose(after, self.random)
        step = self._step(token, mask_seconds=mask_seconds, model_seconds=model_seconds)
        if self.record != "none":
            self._keep(step, before, after)
        step.legal = not self.astray and self._accept(token)
        self.astray = not step.legal
        self._append(step)

    def _need_a_token(self) -> None:
        if self.bitmask.any():
            return
        raise NoLegalToken(
            f"no token of this vocabulary can come after {self.trace.text!r} "
            f"({self.matcher.describe()}): the schema asks for text that its tokens cannot spell"
        )

    def _keep(self, step: Step, before: np.ndarray, after: np.ndarray) -> None:
        step.top_before = top(before)
        step.top_after = top(after) if after is not before else list(step.top_before)
        if self.trace.constrained:
            legal = unpack_bits(self.bitmask[0], self.vocabulary.size)
            step.removed = float(before[~legal].sum())
        if self.record == "full":
            step.probabilities = before.astype(np.float32)

    def _accept(self, token: int) -> bool:
        return bool(self.matcher.accept_token(token))

    def _append(self, step: Step) -> None:
        self.steps.append(step)
        self.context.append(step.token)

    # --- many tokens at once

    def _jump(self) -> bool:
        """Write the text that must come, if there is any; whether anything was written."""
        start = time.perf_counter()
        forced = self.matcher.find_jump_forward_string()
        seconds = time.perf_counter() - start
        if not forced:
            return False
        written = [step.token for step in self.steps]
        for text in jump.beginnings(self.vocabulary, written, forced):
            planned = jump.plan(self.vocabulary, self.model.encode, written, text)
            if planned is not None and (text == forced or self._leads_past(text, forced)):
                return self._replace(planned, seconds)
        return False

    def _leads_past(self, text: str, forced: str) -> bool:
        """Whether tokens lead from the end of `text` to that of `forced`, or over it: no dead end."""
        begun, whole = text.encode(), forced.encode()
        rest = whole[len(begun) :]
        places = jump.token_ends(self.vocabulary, rest, [0])
        return places[-1] == len(rest) or any(
            self._crosses(begun + rest[:place], len(rest) - place) for place in places
        )

    def _crosses(self, begun: bytes, left: int) -> bool:
        """Whether a token of more than `left` bytes is legal once `begun` has been read."""
        ahead = self.matcher.fork()
        ahead.accept_string(begun)
        return any(len(self.vocabulary.tokens[i]) > left for i in ahead.legal_tokens())

    def _replace(self, planned: jump.Jump, seconds: float) -> bool:
        """Take back and write tokens as planned, or leave everything as it was."""
        kept = len(self.steps) - planned.dropped
        old, self.steps[kept:] = self.steps[kept:], []
        self.matcher.rollback(len(old))
        new = self._forced_steps(planned.tokens, old, seconds)
        gained = jump.length(self.vocabulary, (step.token for step in new)) > jump.length(
            self.vocabulary, (step.token for step in old)
        )
        if not gained:
            self.matcher.rollback(len(new))
            self.steps[kept:] = old
            for step in old:
                self._accept(step.token)
            return False
        self._reread(self.prompt_length + kept)
        return True

    def _reread(self, kept: int) -> None:
        """The context changed from token `kept` on: the model forgets what it had read of that."""
        self.context[kept:] = [step.token for step in self.steps[kept - self.prompt_length :]]
        if self.read_tokens > kept:
            self.model.truncate(kept)
            self.read_tokens = kept

    def _forced_steps(self, tokens: tuple[int, ...], old: list[Step], seconds: float) -> list[Step]:
        """Write `tokens` as far as mask and limit allow, holding back a last one that may grow."""
        kept = len(self.steps)
        choices = _by_offset(self.vocabulary, old)
        offset = 0
        for i, token in enumerate(tokens):
            last = i == len(tokens) - 1
            if len(self.steps) >= self.limit:
                break
            spent = self._fill()
            legal = self._legal_ids()
            if token not in legal or (last and jump.can_grow(self.vocabulary, token, legal)):
                break
            step = self._step(token, forced=True)
            step.mask_seconds = (seconds if i == 0 else 0.0) + (spent if last else 0.0)
            _inherit(step, choices.get(offset))
            self._accept(token)
            self.steps.append(step)
            offset += len(self.vocabulary.tokens[token])
        return self.steps[kept:]


def _by_offset(vocabulary: Any, steps: list[Step]) -> dict[int, Step]:
    """Where each replaced step began, in bytes."""
    begins, offset = {}, 0
    for step in steps:
        begins[offset] = step
        offset += len(vocabulary.tokens[step.token])
    return begins


def _inherit(step: Step, replaced: Step | None) -> None:
    """A token in the place of one that the model chose was chosen too: only its cut is new."""
    if replaced is None:
        return
    step.forced = replaced.forced
    step.removed = replaced.removed
    step.top_before, step.top_after = replaced.top_before, replaced.top_after
    step.probabilities = replaced.probabilities
    step.mask_seconds += replaced.mask_seconds
    step.model_seconds += replaced.model_seconds


def _schema_of(source: Any) -> Any:
    """What was compiled, if it is a JSON Schema; None for a pattern or an EBNF grammar."""
    if not isinstance(source, str):
        return source
    return source if source.lstrip().startswith("{") else None


def _same_vocabulary(ours: Any, theirs: Any) -> None:
    if ours is theirs:
        return
    if ours.tokens != theirs.tokens or set(ours.eos_ids) != set(theirs.eos_ids):
        raise ValueError(
            f"the grammar was compiled for another vocabulary ({theirs.size} tokens) than the "
            f"model's ({ours.size}): use GrammarCompiler(model.vocabulary)"
        )
