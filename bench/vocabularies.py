"""Real vocabularies by name, in the forms that the engine and its peers want them.

`smol`: SmolLM2's 49,152 tokens (byte-level BPE), out of the small model's folder.
`tekken`: 131,072 tokens that `mistral-common` ships. `dashscope`: 151,851 tokens (tiktoken).
`bytes`: 256 single bytes and an end, for tests. A folder with a saved `transformers` tokenizer
works too.
"""

from __future__ import annotations

import importlib.resources
import json
import os
from base64 import b64decode
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tokenmask.vocabulary import Vocabulary

# tokenizers' own threads and the forks of bench.apart do not go together
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")

NAMES = ("smol", "tekken", "dashscope", "bytes")


@dataclass
class BenchVocabulary:
    """A tokenizer with three faces: ours, llguidance's and xgrammar's; each is built on demand."""

    name: str
    size: int
    eos: int
    encode: Callable[[str], list[int]]
    decode: Callable[[Sequence[int]], str]
    build: Callable[[], Vocabulary]
    build_llguidance: Callable[[], Any]
    build_xgrammar: Callable[[], Any]


def open_vocabulary(name: str) -> BenchVocabulary:
    """The vocabulary called `name`, or that of the tokenizer saved in the folder `name`.

    >>> open_vocabulary("tekken").size
    131072
    """
    if name == "smol":
        return _smol()
    if name == "tekken":
        return _tekken()
    if name == "dashscope":
        return _dashscope()
    if name == "bytes":
        return _bytes()
    if Path(name).is_dir():
        return _saved(name, Path(name).name)
    raise SystemExit(f"no vocabulary {name!r}: one of {', '.join(NAMES)}, or a tokenizer's folder")


def _smol() -> BenchVocabulary:
    from toymodel import folders

    folder = folders.model_folder()
    trouble = folders.problem(folder)
    if trouble is not None:
        raise SystemExit(f"the small model in {folder} is missing ({trouble}): workbook get-model")
    return _saved(str(folder), "smol")


def _saved(folder: str, name: str) -> BenchVocabulary:
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True)
    size = len(tokenizer)

    def llguidance() -> Any:
        from llguidance.hf import from_tokenizer

        return from_tokenizer(tokenizer, n_vocab=size)

    def xgrammar() -> Any:
        import xgrammar

        return xgrammar.TokenizerInfo.from_huggingface(tokenizer, vocab_size=size)

    return BenchVocabulary(
        name,
        size,
        tokenizer.eos_token_id,
        lambda text: tokenizer.encode(text, add_special_tokens=False, split_special_tokens=True),
        lambda ids: tokenizer.decode(list(ids)),
        lambda: Vocabulary.from_transformers(tokenizer),
        llguidance,
        xgrammar,
    )


def _tekken() -> BenchVocabulary:
    path = importlib.resources.files("mistral_common") / "data" / "tekken_240911.json"
    data = json.loads(path.read_text(encoding="utf-8"))
    config = data["config"]
    special = config["default_num_special_tokens"]
    words = data["vocab"][: config["default_vocab_size"] - special]
    # this file puts its control tokens first; the third of them (id 2) ends an answer
    names = ["<unk>", "<s>", "</s>", *(f"<SPECIAL_{i}>" for i in range(3, special))]
    ranks = {b64decode(word["token_bytes"]): word["rank"] for word in words}
    return _tiktoken("tekken", ranks, names, 0, "</s>", config["pattern"])


def _dashscope() -> BenchVocabulary:
    from dashscope.tokenizers import qwen_tokenizer as qwen

    path = importlib.resources.files("dashscope") / "resources" / "qwen.tiktoken"
    lines = path.read_bytes().split(b"\n")
    ranks = {b64decode(word): int(rank) for word, rank in (line.split() for line in lines if line)}
    names = [name for _, name in qwen.SPECIAL_TOKENS]
    return _tiktoken("dashscope", ranks, names, len(ranks), "<|im_end|>", qwen.PAT_STR)


def _bytes() -> BenchVocabulary:
    tokens = [bytes([i]) for i in range(256)]
    return _plain("bytes", tokens, {"<end>": 256}, 256, lambda text: list(text.encode()))


def _tiktoken(
    name: str,
    ranks: dict[bytes, int],
    special_names: list[str],
    first_special: int,
    eos: str,
    pattern: str,
) -> BenchVocabulary:
    """A tiktoken vocabulary; if its specials come first, the ids of its text follow them."""
    import tiktoken

    shift = len(special_names) if first_special == 0 else 0
    size = len(ranks) + len(special_names)
    specials = {text: first_special + i for i, text in enumerate(special_names)}
    encoding = tiktoken.Encoding(
        name,
        pat_str=pattern,
        mergeable_ranks=ranks,
        special_tokens={text: len(ranks) + i for i, text in enumerate(special_names)},
    )
    ids = {token: rank + shift for token, rank in ranks.items()}

    def encode(text: str) -> list[int]:
        return [i + shift for i in encoding.encode_ordinary(text)]

    row = [b""] * size
    for token, i in ids.items():
        row[i] = token
    return _plain(name, row, specials, specials[eos], encode)


def _plain(
    name: str,
    tokens: list[bytes],
    specials: dict[str, int],
    eos: int,
    encode: Callable[[str], list[int]],
) -> BenchVocabulary:
    """A vocabulary given as bytes per id, with its special tokens apart."""
    size = max(len(tokens), *(i + 1 for i in specials.values()))
    row = tokens + [b""] * (size - len(tokens))

    def llguidance() -> Any:
        from llguidance import LLTokenizer, TokenizerWrapper

        return LLTokenizer(TokenizerWrapper(_Plain(row, specials, eos, encode)))

    def xgrammar() -> Any:
        from xgrammar import TokenizerInfo, VocabType

        return TokenizerInfo(row, VocabType.RAW, stop_token_ids=[eos])

    def ours() -> Vocabulary:
        return Vocabulary(row, [eos], specials.values())

    def decode(ids: Sequence[int]) -> str:
        return b"".join(row[i] for i in ids).decode("utf-8", "replace")

    return BenchVocabulary(name, size, eos, encode, decode, ours, llguidance, xgrammar)


class _Plain:
    """What llguidance's TokenizerWrapper reads from a tokenizer that it does not know."""

    def __init__(
        self,
        tokens: list[bytes],
        specials: dict[str, int],
        eos: int,
        encode: Callable[[str], list[int]],
    ) -> None:
        self.tokens = list(tokens)
        for name, i in specials.items():
            # a byte that no text holds marks a control token
            self.tokens[i] = b"\xff" + name.encode()
        self.special_token_ids = sorted(specials.values())
        self.eos_token_id = eos
        self.bos_token_id = None
        self._encode = encode

    def __call__(self, text: str) -> list[int]:
        return self._encode(text)
