"""The small real model: SmolLM2-135M-Instruct, 49,152 tokens, on the CPU (lesson 04 onwards).

It keeps its own KV cache: `extend` runs the new tokens only, all of them in one pass, and
`truncate` cuts the cache back. A pass over 16 tokens takes about as long as one and a half passes
over one: that is what jump-forward lives on.

torch uses as many threads as there are cores; `torch.set_num_threads(n)` changes that (a server
with many learners sets 1 or 2). Needs torch and transformers, imported when a model is loaded.
"""

from __future__ import annotations

import importlib.util
import inspect
from collections.abc import Iterable
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tokenmask.vocabulary import Vocabulary

from . import folders
from .folders import ModelError, ModelMissing

if TYPE_CHECKING:
    import torch


class SmallModel:
    """A causal language model with its tokenizer, one sequence and a KV cache. Made by `load`."""

    def __init__(self, model: Any, tokenizer: Any, name: str) -> None:
        self.model = model
        self.tokenizer = tokenizer
        self.name = name
        self.reset()

    @classmethod
    def load(cls, name_or_path: str | Path | None = None, *, dtype: str = "float32") -> SmallModel:
        """The workbook's small model, or any causal LM that transformers loads by name or path.

        ModelMissing, with the remedy, if the workbook's model was not got yet or is damaged.
        In float32 a pass over many tokens and many passes over one give the same logits (to
        0.0001); in `dtype="bfloat16"`, half the memory, they differ by up to 0.7, so that
        jump-forward may change a greedy answer.
        """
        _need_torch()
        if name_or_path is not None:
            return cls(*_load(str(name_or_path), dtype), str(name_or_path))
        folder = folders.model_folder()
        trouble = folders.problem(folder)
        if trouble is not None:
            raise ModelMissing(_get_it(folder, trouble))
        try:
            return cls(*_load(str(folder), dtype), folders.MODEL_NAME)
        except MemoryError:
            raise
        except Exception as error:
            first_line = str(error).partition("\n")[0]
            raise ModelMissing(_get_it(folder, f"it does not load ({first_line})")) from error

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """Every token as bytes; built once per model."""
        return Vocabulary.from_transformers(self.tokenizer)

    @property
    def context(self) -> list[int]:
        """The tokens read so far."""
        return list(self._ids)

    def reset(self) -> None:
        """Forget everything."""
        self._ids: list[int] = []
        self._start: list[int] = []
        self._cache = None
        self._logits: np.ndarray | None = None

    def extend(self, ids: Iterable[int]) -> np.ndarray:
        """Append `ids` in one pass; float32 logits [vocabulary size] of the token after them."""
        ids = [int(i) for i in ids]
        if not ids and self._logits is not None:
            return self._logits
        if not ids and self._ids:
            raise ValueError("after truncate(), extend() needs at least one token")
        self._ids.extend(ids)
        if not ids:
            ids = self._start = [self._first_token()]
        self._logits = self._fit(self._forward(ids))
        return self._logits

    def truncate(self, n: int) -> None:
        """Keep only the first `n` tokens of the context; the KV cache is cut, not computed anew."""
        if n >= len(self._ids):
            return
        kept, self._logits = self._ids[:n], None
        if n == 0:
            self.reset()
        elif self._crop(n):
            self._ids = kept
        else:
            self.reset()
            self.extend(kept)

    def encode(self, text: str) -> list[int]:
        """The tokens that the model's own tokenizer makes of `text`, without special tokens."""
        return self.tokenizer.encode(text, add_special_tokens=False, split_special_tokens=True)

    def prompt_ids(self, prompt: str, system: str | None = None) -> list[int]:
        """The prompt as the model was trained to read it: in its chat template, if it has one."""
        if not self.tokenizer.chat_template:
            text = prompt if system is None else f"{system}\n\n{prompt}"
            return self.tokenizer.encode(text)
        messages = [{"role": "system", "content": system}] if system is not None else []
        messages.append({"role": "user", "content": prompt})
        text = self.tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True)
        return self.tokenizer.encode(text, add_special_tokens=False)

    def __repr__(self) -> str:
        return f"SmallModel({self.name!r}, {len(self._ids)} tokens read)"

    def _first_token(self) -> int:
        # a transformer cannot start from nothing: an empty context begins with its start token
        for token in (self.tokenizer.bos_token_id, self.tokenizer.eos_token_id):
            if token is not None:
                return token
        raise ModelError(f"{self.name} has no start token: give it at least one token to read")

    def _forward(self, ids: list[int]) -> torch.Tensor:
        import torch
        from transformers import DynamicCache

        if self._cache is None:
            self._cache = DynamicCache(config=self.model.config)
        with torch.inference_mode():
            batch = torch.tensor([ids], device=self.model.device)
            out = self.model(batch, cache=self._cache, use_cache=True, **self._last_only)
        return out.logits[0, -1]

    @cached_property
    def _last_only(self) -> dict[str, int]:
        # logits of every position of a prompt would be computed for nothing
        known = inspect.signature(self.model.forward).parameters
        return {"logits_to_keep": 1} if "logits_to_keep" in known else {}

    def _fit(self, logits: torch.Tensor) -> np.ndarray:
        """As many logits as the vocabulary has tokens: models pad theirs to a round number."""
        scores = logits.float().cpu().numpy()
        size = self.vocabulary.size
        if len(scores) >= size:
            return scores[:size]
        return np.pad(scores, (0, size - len(scores)), constant_values=-np.inf)

    def _crop(self, n: int) -> bool:
        try:
            self._cache.crop(n - len(self._ids))  # a negative number: so many tokens less
        except (AttributeError, NotImplementedError, RuntimeError, ValueError):
            return False  # a cache that forgets (sliding window) cannot go back
        return self._cache.get_seq_length() == len(self._start) + n


def _load(name: str, dtype: str) -> tuple[Any, Any]:
    import transformers

    from .convert import quiet

    local = {"local_files_only": Path(name).is_dir()}  # a folder needs no look at the network
    with quiet():
        tokenizer = transformers.AutoTokenizer.from_pretrained(name, **local)
        model = transformers.AutoModelForCausalLM.from_pretrained(name, dtype=dtype, **local)
    return model.eval(), tokenizer


def _need_torch() -> None:
    missing = [n for n in ("torch", "transformers") if importlib.util.find_spec(n) is None]
    if missing:
        raise ModelError(
            f"The small model needs {' and '.join(missing)}, not installed here. Run "
            "`python3 workbook.py lab` without --toy; until then the toy models work."
        )


def _get_it(folder: Path, trouble: str) -> str:
    return (
        f"The small model in {folder} cannot be used: {trouble}. Run `workbook get-model` "
        "(93 MB to download, about a minute); until then the toy models work."
    )
