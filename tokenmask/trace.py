"""What happened in a run, step by step. The simulator draws it, the lessons count in it."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from .vocabulary import Vocabulary

Finished = Literal["accepted", "eos", "max_tokens", "stopped"]


@dataclass(slots=True)
class Step:
    """One token, and what there was to choose from.

    forced: jump-forward wrote it; the model was not asked.
    legal: the schema allows it here.
    mask: uint32[words], what the schema allows here; None once the run has left the schema.
    removed: the probability mass that the mask took away (0 where forced).
    top_before, top_after: the 10 likeliest (id, probability), before and after the mask.
    probabilities: float32[vocab] before the mask, with `record="full"` only.
    describe, stack: where the run is *before* this token, in words.
    """

    token: int
    forced: bool = False
    legal: bool = True
    mask: np.ndarray | None = None
    removed: float = 0.0
    top_before: list[tuple[int, float]] = field(default_factory=list)
    top_after: list[tuple[int, float]] = field(default_factory=list)
    probabilities: np.ndarray | None = None
    describe: str = ""
    stack: list[str] = field(default_factory=list)
    mask_seconds: float = 0.0
    model_seconds: float = 0.0


@dataclass
class Trace:
    """A whole run: made by `tokenmask.generate`.

    schema: as it was given to the compiler, or None for another kind of grammar.
    finished: "accepted" (the text is complete), "eos" (the model ended it), "max_tokens" or
    "stopped" (by the caller).
    seconds: from the first look at the prompt to the last token.
    """

    vocabulary: Vocabulary
    schema: Any
    prompt: str
    constrained: bool
    seed: int
    steps: list[Step] = field(default_factory=list)
    finished: Finished = "max_tokens"
    seconds: float = 0.0

    @property
    def token_ids(self) -> list[int]:
        """All tokens, in order; an end-of-sequence token included."""
        return [step.token for step in self.steps]

    @property
    def text(self) -> str:
        """What was written. Bytes that are no UTF-8 (a run cut in mid-character) show as U+FFFD."""
        return self.data.decode("utf-8", errors="replace")

    @property
    def data(self) -> bytes:
        """What was written, as bytes, without end-of-sequence and special tokens."""
        silent = {*self.vocabulary.eos_ids, *self.vocabulary.special_ids}
        tokens = self.vocabulary.tokens
        return b"".join(tokens[i] for i in self.token_ids if i not in silent)

    def parsed(self) -> Any:
        """The text as JSON; ValueError if it is none. `NaN` and `Infinity` are none either."""
        return json.loads(self.text, parse_constant=_refuse_constant)

    def is_valid(self, schema: Any = None) -> bool:
        """Whether the text is JSON and matches `schema` (the run's own if None)."""
        return self.validation_error(schema) is None

    def validation_error(self, schema: Any = None) -> str | None:
        """Why the text does not match `schema` (the run's own if None) in a line; None if it does.

        jsonschema is the judge: it shares no code with the engine.
        """
        import jsonschema

        schema = _plain(self.schema if schema is None else schema)
        try:
            value = self.parsed()
        except ValueError as error:
            return f"not JSON: {error}"
        default = jsonschema.Draft202012Validator
        judge = jsonschema.validators.validator_for(schema, default=default)(schema)
        error = jsonschema.exceptions.best_match(judge.iter_errors(value))
        return None if error is None else f"{error.json_path}: {error.message}"

    @property
    def first_illegal(self) -> int | None:
        """Index of the first step whose token the schema forbids; None if there is none."""
        return next((i for i, step in enumerate(self.steps) if not step.legal), None)

    @property
    def skipped_fraction(self) -> float:
        """The share of tokens that jump-forward wrote, 0 to 1: decode steps that were not made."""
        return sum(step.forced for step in self.steps) / max(len(self.steps), 1)

    @property
    def mask_share(self) -> float:
        """The mask's share of the time for mask and model together, 0 to 1."""
        mask = sum(step.mask_seconds for step in self.steps)
        model = sum(step.model_seconds for step in self.steps)
        return mask / (mask + model) if mask + model > 0 else 0.0

    @property
    def tokens_per_second(self) -> float:
        """Tokens written in a second of wall time, reading the prompt included."""
        return len(self.steps) / self.seconds if self.seconds > 0 else 0.0

    def __repr__(self) -> str:
        kind = "constrained" if self.constrained else "unconstrained"
        return f"Trace({kind}, {len(self.steps)} tokens, {self.finished}, {self.text!r})"


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


def _plain(schema: Any) -> Any:
    """A schema as jsonschema takes it: JSON text and Pydantic classes become dicts."""
    if schema is None:
        raise ValueError("this run had no JSON Schema: say which one to validate against")
    if hasattr(schema, "model_json_schema"):
        return schema.model_json_schema()
    return json.loads(schema) if isinstance(schema, str) else schema
