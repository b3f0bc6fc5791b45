"""Real vocabularies of every kind. A missing package or model skips what needs it.

toy           28      the workbook's own
smol          49,152  byte-level BPE, through transformers (needs the small model)
spm           32,000  SentencePiece with byte fallback, from mistral-common
tekken        131,072 tiktoken in JSON, from mistral-common
dashscope151k 151,851 tiktoken file, from dashscope
"""

from __future__ import annotations

import base64
import importlib.util
import json
from pathlib import Path
from typing import Any

import pytest

from tokenmask.vocabulary import Vocabulary


def package_file(package: str, name: str) -> Path:
    """A data file of an installed package, found without importing the package."""
    spec = importlib.util.find_spec(package)
    if spec is None or spec.origin is None:
        pytest.skip(f"{package} is not installed")
    return Path(spec.origin).parent / name


@pytest.fixture(scope="session")
def toy() -> Vocabulary:
    from toymodel import toy_vocabulary

    return toy_vocabulary()


@pytest.fixture(scope="session")
def smol_tokenizer() -> Any:
    """The small model's tokenizer; the model itself is not loaded."""
    transformers = pytest.importorskip("transformers")
    folders = pytest.importorskip("toymodel.folders")
    trouble = folders.problem(folders.model_folder())
    if trouble is not None:
        pytest.skip(f"the small model is not here: {trouble}")
    return transformers.AutoTokenizer.from_pretrained(folders.model_folder())


@pytest.fixture(scope="session")
def smol(smol_tokenizer: Any) -> Vocabulary:
    return Vocabulary.from_transformers(smol_tokenizer)


@pytest.fixture(scope="session")
def spm_file() -> Path:
    return package_file("mistral_common", "data/tokenizer.model.v1")


@pytest.fixture(scope="session")
def spm_processor(spm_file: Path) -> Any:
    return pytest.importorskip("sentencepiece").SentencePieceProcessor(model_file=str(spm_file))


@pytest.fixture(scope="session")
def spm(spm_processor: Any) -> Vocabulary:
    return Vocabulary.from_sentencepiece(spm_processor)


@pytest.fixture(scope="session")
def tekken() -> Vocabulary:
    """The first 1,000 ids are specials; of the 150,000 tokens in the file the first are used."""
    stored = json.loads(package_file("mistral_common", "data/tekken_240911.json").read_bytes())
    config = stored["config"]
    special = config["default_num_special_tokens"]
    entries = stored["vocab"][: config["default_vocab_size"] - special]
    ranks = {base64.b64decode(e["token_bytes"]): e["rank"] + special for e in entries}
    names = ["<unk>", "<s>", "</s>"] + [f"<special_{i}>" for i in range(3, special)]
    return Vocabulary.from_tiktoken(ranks, {n: i for i, n in enumerate(names)}, eos="</s>")


@pytest.fixture(scope="session")
def dashscope_file() -> Path:
    return package_file("dashscope", "resources/qwen.tiktoken")


@pytest.fixture(scope="session")
def dashscope_ranks(dashscope_file: Path) -> dict[bytes, int]:
    lines = dashscope_file.read_bytes().splitlines()
    return {base64.b64decode(token): int(rank) for token, rank in map(bytes.split, lines)}


@pytest.fixture(scope="session")
def dashscope_specials(dashscope_ranks: dict[bytes, int]) -> dict[str, int]:
    names = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"] + [f"<|extra_{i}|>" for i in range(205)]
    return {name: len(dashscope_ranks) + i for i, name in enumerate(names)}


@pytest.fixture(scope="session")
def dashscope151k(dashscope_ranks: dict[bytes, int], dashscope_specials: dict[str, int]) -> Vocabulary:
    return Vocabulary.from_tiktoken(dashscope_ranks, dashscope_specials, eos=["<|im_end|>", "<|endoftext|>"])
