"""Which bytes does a token stand for? Every family of tokenizers hides them in its own way.

byte-level BPE   GPT-2, Llama 3, Qwen, SmolLM: each byte is written as one printable character
SentencePiece    Llama 2, Mistral, Gemma: a space is written U+2581, a lone byte <0x0A>
tiktoken         the bytes themselves

What counts is what a token adds in the middle of a text: a space that is dropped only at its very
beginning is part of the token. A tokenizer of another family is refused: guessed bytes would make
wrong masks.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

WORD_START = "\u2581"
BYTE_TOKEN = re.compile(r"<0x([0-9A-Fa-f]{2})>\Z")
PROBE = "one two, three 42"  # every tokenizer writes this as it stands, bar a space before it


class Reading(NamedTuple):
    """What a `Vocabulary` is made of."""

    tokens: list[bytes]
    eos_ids: list[int]
    special_ids: set[int]


class UnknownTokenizer(ValueError):
    """The tokenizer does not say which bytes its tokens stand for, or not in a way known here."""

    def __init__(self, seen: str) -> None:
        super().__init__(
            f"cannot tell which bytes the tokens of this tokenizer stand for: {seen}. Known are "
            f"byte-level BPE, SentencePiece and tiktoken; for any other, find the bytes of each "
            f"token yourself and call Vocabulary(tokens, eos_ids, special_ids)"
        )


def read_transformers(tokenizer: Any, more_eos_ids: Iterable[int] = ()) -> Reading:
    """The bytes of each token of a `transformers` tokenizer, whatever it is built on."""
    reading = _reading_of(tokenizer)
    eos_ids = dict.fromkeys([*_as_ids(getattr(tokenizer, "eos_token_id", None)), *more_eos_ids])
    special_ids = reading.special_ids.union(tokenizer.all_special_ids)
    # some wrappers keep their specials apart from the table: these have an id and no bytes
    missing = max(special_ids.union(eos_ids), default=-1) + 1 - len(reading.tokens)
    reading = Reading([*reading.tokens, *[b""] * missing], list(eos_ids), special_ids)
    _prove(tokenizer, reading)
    return reading


def read_tiktoken(
    ranks: Mapping[bytes, int], specials: Mapping[str, int], eos: str | Iterable[str] = ()
) -> Reading:
    """The bytes of each token of a tiktoken vocabulary; ids that nothing uses are empty."""
    names = [eos] if isinstance(eos, str) else list(eos)
    unknown = [name for name in names if name not in specials]
    if unknown:
        raise ValueError(f"eos token {unknown[0]!r} is not among the specials {list(specials)[:8]}")
    tokens = _table({**{i: token for token, i in ranks.items()}, **_names(specials)})
    return Reading(tokens, [specials[name] for name in names], set(specials.values()))


def read_sentencepiece(processor: Any, more_eos_ids: Iterable[int] = ()) -> Reading:
    """The bytes of each piece of a loaded `SentencePieceProcessor`."""
    size = processor.get_piece_size()
    tokens = [_piece(processor.id_to_piece(i), processor.is_byte(i)) for i in range(size)]
    own = [processor.eos_id()] if processor.eos_id() >= 0 else []
    silent = {i for i in range(size) if _is_silent(processor, i)}
    return Reading(tokens, list(dict.fromkeys([*own, *more_eos_ids])), silent)


def _reading_of(tokenizer: Any) -> Reading:
    """Tokens and special ids, by what the tokenizer is built on; eos ids come later."""
    backend = getattr(tokenizer, "backend_tokenizer", None)
    if backend is not None:
        return _read_fast(backend)
    if hasattr(tokenizer, "sp_model"):
        return _read_slow_sentencepiece(tokenizer)
    if hasattr(tokenizer, "byte_decoder"):
        return _read_slow_byte_level(tokenizer)
    inner = getattr(getattr(tokenizer, "tokenizer", None), "instruct_tokenizer", None)
    if inner is not None:
        return _read_mistral_common(inner.tokenizer)
    for name in ("tokenizer", "model"):  # how wrappers of tiktoken call what they wrap
        encoding = getattr(tokenizer, name, None)
        if hasattr(encoding, "_mergeable_ranks"):
            return read_tiktoken(encoding._mergeable_ranks, encoding._special_tokens)
    raise UnknownTokenizer(f"a {type(tokenizer).__name__}, which is none of the known kinds")


def _read_fast(backend: Any) -> Reading:
    """A tokenizer of the `tokenizers` library: what its decoder does says what its tokens mean."""
    model = type(backend.model).__name__
    decoders, splitters = _steps(backend.decoder), _steps(backend.pre_tokenizer)
    kinds = [step["type"] for step in decoders]
    added = backend.get_added_tokens_decoder()
    vocabulary = backend.get_vocab(with_added_tokens=False)
    special = {i for i, token in added.items() if token.special}
    for unknown in filter(None, [getattr(backend.model, "unk_token", None)]):
        special.update({vocabulary[unknown]} if unknown in vocabulary else ())
    byte_level = "ByteLevel" in kinds or any(s["type"] == "ByteLevel" for s in splitters)
    if model == "BPE" and byte_level and set(kinds) <= {"ByteLevel", "Fuse"}:
        texts = {i: _byte_level(text) for text, i in vocabulary.items()}
        # an added token is matched in the text as it stands, so its name is its bytes; only if it
        # is one of the pieces as well, the text may have led to it as a piece
        return Reading(_table({**_names(_contents(added)), **texts}), [], special)
    if model in ("BPE", "Unigram") and kinds and all(map(_is_sentencepiece_step, decoders)):
        bytes_too = "ByteFallback" in kinds
        pieces = {**vocabulary, **_contents(added)}
        return Reading(_table({i: _piece(p, bytes_too) for p, i in pieces.items()}), [], special)
    raise UnknownTokenizer(
        f"a {model} model, pre-tokenizer {[s['type'] for s in splitters]}, decoder {decoders}"
    )


def _steps(part: Any) -> list[dict[str, Any]]:
    """What a decoder or pre-tokenizer consists of, sequences written out."""
    if part is None:
        return []

    def flat(step: dict[str, Any]) -> list[dict[str, Any]]:
        inner = step.get("decoders", step.get("pretokenizers"))
        return [s for child in inner for s in flat(child)] if inner is not None else [step]

    return flat(json.loads(part.__getstate__()))


def _is_sentencepiece_step(step: dict[str, Any]) -> bool:
    """Does this decoder step do nothing but what `_piece` does, in the middle of a text?"""
    match step:
        case {"type": "Replace", "pattern": {"String": pattern}, "content": content}:
            return (pattern, content) == (WORD_START, " ")
        case {"type": "Metaspace", "replacement": replacement}:
            return replacement == WORD_START
        case {"type": "Strip", "content": " ", "stop": 0}:
            return True  # only at the beginning of the whole text
        case {"type": "ByteFallback" | "Fuse"}:
            return True
    return False


def _read_slow_sentencepiece(tokenizer: Any) -> Reading:
    """A tokenizer around a `SentencePieceProcessor`. Its ids may be shifted, so names are asked."""
    processor, ids = tokenizer.sp_model, tokenizer.get_vocab()
    names = [processor.id_to_piece(i) for i in range(processor.get_piece_size())]
    lone_bytes = {names[i] for i in range(len(names)) if processor.is_byte(i)}
    special = {ids[n] for i, n in enumerate(names) if n in ids and _is_silent(processor, i)}
    special |= {i for i, token in tokenizer.added_tokens_decoder.items() if token.special}
    tokens = _table({i: _piece(name, name in lone_bytes) for name, i in ids.items()})
    return Reading(tokens, [], special)


def _read_slow_byte_level(tokenizer: Any) -> Reading:
    """GPT-2's tokenizer in plain Python: it holds the table from character to byte itself."""
    added = tokenizer.added_tokens_decoder
    texts = {i: _byte_level(t, tokenizer.byte_decoder) for t, i in tokenizer.get_vocab().items()}
    special = {i for i, token in added.items() if token.special}
    return Reading(_table({**texts, **_names(_contents(added))}), [], special)


def _read_mistral_common(inner: Any) -> Reading:
    """What `mistral-common` wraps: its own tiktoken (Tekken) or a SentencePiece model."""
    if not hasattr(inner, "id_to_byte_piece"):
        return read_sentencepiece(inner._model)
    special = set(inner.special_ids)
    tokens = [
        inner.id_to_piece(i).encode() if i in special else inner.id_to_byte_piece(i)
        for i in range(inner.n_words)
    ]
    return Reading(tokens, [], special)


def byte_characters() -> dict[str, int]:
    """GPT-2's alphabet: character -> byte.

    Bytes that print are written as themselves, the other 68 as U+0100, U+0101, ... in order.

    >>> byte_characters()["a"], byte_characters()["Ġ"]
    (97, 32)
    """
    printable = {*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)}
    others = (byte for byte in range(256) if byte not in printable)
    return {chr(b): b for b in printable} | {chr(0x100 + k): b for k, b in enumerate(others)}


BYTE_CHARACTERS = byte_characters()


def _byte_level(text: str, alphabet: Mapping[str, int] = BYTE_CHARACTERS) -> bytes:
    try:
        return bytes([alphabet[character] for character in text])
    except KeyError:
        return text.encode()  # as the decoder of `tokenizers` does


def _piece(piece: str, may_be_byte: bool) -> bytes:
    """The bytes of a SentencePiece piece.

    >>> _piece("\u2581the", True), _piece("<0x0A>", True), _piece("<0x0A>", False)
    (b' the', b'\\n', b'<0x0A>')
    """
    lone = BYTE_TOKEN.match(piece) if may_be_byte else None
    return bytes([int(lone[1], 16)]) if lone else piece.replace(WORD_START, " ").encode()


def _is_silent(processor: Any, i: int) -> bool:
    return processor.is_control(i) or processor.is_unknown(i) or processor.is_unused(i)


def _contents(added: Mapping[int, Any]) -> dict[str, int]:
    return {token.content: i for i, token in added.items()}


def _names(ids: Mapping[str, int]) -> dict[int, bytes]:
    return {i: name.encode() for name, i in ids.items()}


def _table(texts: Mapping[int, bytes]) -> list[bytes]:
    """A list by id; ids that nothing uses are empty, which is never legal."""
    tokens = [b""] * (max(texts, default=-1) + 1)
    for i, text in texts.items():
        tokens[i] = text
    return tokens


def _as_ids(ids: Any) -> list[int]:
    if ids is None:
        return []
    return [ids] if isinstance(ids, int) else list(ids)


def _prove(tokenizer: Any, reading: Reading) -> None:
    """Refuse a reading that the tokenizer itself contradicts."""
    encode: Callable[..., list[int]] = tokenizer.encode
    ids = encode(PROBE, add_special_tokens=False)
    spelled = b"".join(reading.tokens[i] for i in ids)
    if spelled.lstrip(b" ") != PROBE.encode():
        raise UnknownTokenizer(
            f"a {type(tokenizer).__name__} that encodes {PROBE!r} as tokens whose bytes were read "
            f"as {spelled!r}"
        )
