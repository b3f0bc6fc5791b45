"""What a run needs: a model, a compiled schema, and a matcher put at any place of a run."""

from __future__ import annotations

import copy
import json
import threading
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import Any

import numpy as np

from .frames import Frame, first_frame

MODELS = {
    "uniform": "uniform (toy)",
    "mostly-legal": "mostly legal, 99 % (toy)",
    "small": "SmolLM2-135M (real)",
}

_LEFT = "the output left the schema before this step, so there is no mask any more"


class FieldError(ValueError):
    """Something is wrong with one of the settings; it is shown at that field."""

    def __init__(self, field: str, error: Exception) -> None:
        super().__init__(str(error))
        keyword, pointer = getattr(error, "keyword", None), getattr(error, "pointer", "")
        self.field = field
        self.facts = {"message": str(error), "keyword": keyword or "", "pointer": pointer or ""}


def load_model(name: str, seed: int) -> Any:
    """The model of that name in MODELS; FieldError at "model" where it cannot be had."""
    import toymodel

    makers: dict[str, Callable[[], Any]] = {
        "uniform": lambda: toymodel.UniformModel(seed=seed),
        "mostly-legal": lambda: toymodel.MostlyLegalModel(0.99, seed=seed),
        "small": _small_model,
    }
    try:
        return makers[name]()
    except Exception as error:
        raise FieldError("model", error) from error


@cache
def _small_model() -> Any:
    """Loaded once for all simulators; each run has its own context (see `twin`)."""
    import toymodel

    return toymodel.SmallModel.load()


def twin(model: Any) -> Any:
    """The same model with a context of its own, so that two runs do not get in each other's way."""
    other = copy.copy(model)  # weights are shared, reset() makes a new cache
    other.reset()
    return other


def compile_schema(text: str, vocabulary: Any) -> tuple[Any, Any]:
    """JSON text to (schema, compiled grammar); FieldError at "schema" says what is wrong where."""
    from tokenmask import GrammarCompiler

    try:
        schema = json.loads(text)
    except ValueError as error:
        raise FieldError("schema", ValueError(f"not JSON: {error}")) from error
    try:
        return schema, GrammarCompiler(vocabulary).compile_json_schema(schema)
    except ValueError as error:
        raise FieldError("schema", error) from error


class Places:
    """A matcher of one compiled grammar that can be put wherever a run was.

    >>> Places(compiled).at([0, 2]).describe()  # after tokens 0 and 2
    'inside the object, in a key'
    """

    def __init__(self, compiled: Any) -> None:
        from tokenmask import GrammarMatcher

        self._matcher = GrammarMatcher(compiled)
        self._lock = threading.Lock()

    def at(self, tokens: Sequence[int]) -> Any:
        """The matcher after `tokens`, or None if they leave the schema."""
        self._matcher.reset()
        for token in tokens:
            if not self._matcher.accept_token(token):
                return None
        return self._matcher

    def first_frame(self, vocabulary: Any) -> Frame:
        """What is to be seen before the first token."""
        with self._lock:
            matcher = self.at([])
            mask = np.zeros((1, vocabulary.words), dtype=np.int32)
            matcher.fill_next_token_bitmask(mask)
            return first_frame(mask[0], matcher.describe(), matcher.stack())

    def why(self, frames: Sequence[Frame], index: int, tokens: Iterable[int]) -> dict[int, str]:
        """In words, why each of `tokens` is allowed or masked in the mask that frame `index` shows."""
        with self._lock:
            matcher = self.at([frame.facts["token"] for frame in frames[1:index]])
            return {token: _LEFT if matcher is None else matcher.explain(token) for token in tokens}


def checker(schema: Any) -> Callable[[Any], str | None]:
    """A function from a parsed document to None (valid) or the first thing that is wrong with it."""
    import jsonschema

    default = jsonschema.Draft202012Validator
    validator = jsonschema.validators.validator_for(schema, default=default)(schema)

    def check(document: Any) -> str | None:
        error = jsonschema.exceptions.best_match(validator.iter_errors(document))
        return None if error is None else f"{error.json_path}: {error.message}"

    return check


def no_check(document: Any) -> str | None:
    """For a run of which no schema is known: whatever parses will do."""
    return None
