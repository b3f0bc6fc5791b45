"""The bytes of tokens, read from every kind of tokenizer and proved by encoding texts."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tokenmask.tokenizers import UnknownTokenizer, byte_characters
from tokenmask.vocabulary import Vocabulary

transformers = pytest.importorskip("transformers")
tokenizers = pytest.importorskip("tokenizers")

# "<" could begin the name of a special token, and U+2581 is how SentencePiece writes a space
TEXTS = st.text(st.characters(exclude_characters="<\u2581", codec="utf-8"), max_size=40)
SHARED = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)


def spelled(vocabulary: Vocabulary, ids: list[int]) -> bytes:
    return b"".join(vocabulary.tokens[i] for i in ids)


def wrapped(backend: Any, **names: Any) -> Any:
    return transformers.PreTrainedTokenizerFast(tokenizer_object=backend, **names)


def with_letters(*more: str) -> dict[str, int]:
    """A vocabulary that can spell the probe: letters, digits, comma, then some more pieces."""
    return {piece: i for i, piece in enumerate([*"abcdefghijklmnopqrstuvwxyz0123456789,", *more])}


def byte_level(normalizer: Any = None, **model: Any) -> Any:
    """A byte-level BPE with the 256 bytes and the token " a"."""
    vocab = {c: i for i, c in enumerate(byte_characters())} | {"Ġa": 256}
    backend = tokenizers.Tokenizer(tokenizers.models.BPE(vocab, [("Ġ", "a")], **model))
    backend.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    backend.decoder = tokenizers.decoders.ByteLevel()
    if normalizer is not None:
        backend.normalizer = normalizer
    return backend


@pytest.fixture(scope="module")
def llama(spm_file: Path, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The SentencePiece model as transformers loads it: converted to a fast tokenizer."""
    pytest.importorskip("google.protobuf")
    pytest.importorskip("sentencepiece")
    folder = tmp_path_factory.mktemp("llama")
    (folder / "tokenizer.model").write_bytes(spm_file.read_bytes())
    return transformers.LlamaTokenizer.from_pretrained(folder)


# ---- byte-level BPE


def test_byte_alphabet_is_the_one_of_tokenizers() -> None:
    ours = byte_characters()
    assert sorted(ours.values()) == list(range(256))
    assert set(ours) == set(tokenizers.pre_tokenizers.ByteLevel.alphabet())
    for text in ("a b\n", "é", "🙂", "\x00\x7f"):
        ((piece, _),) = tokenizers.pre_tokenizers.ByteLevel(False, False, False).pre_tokenize_str(text)
        assert bytes(ours[c] for c in piece) == text.encode()


@SHARED
@given(TEXTS)
def test_smol_spells_any_text(smol: Vocabulary, smol_tokenizer: Any, text: str) -> None:
    known = {smol.tokens[i] for i in smol.text_ids()}
    text = "".join(c for c in text if all(bytes([b]) in known for b in c.encode()))
    ids = smol_tokenizer.encode(text, add_special_tokens=False)
    assert spelled(smol, ids) == text.encode()


def test_smol_tokens_decode_to_their_bytes(smol: Vocabulary, smol_tokenizer: Any) -> None:
    decoded = smol_tokenizer.batch_decode([[i] for i in range(smol.size)])
    wrong = [i for i, s in enumerate(decoded) if s != smol.tokens[i].decode("utf-8", "replace")]
    assert wrong == []


def test_smol_specials_are_all_found(smol: Vocabulary) -> None:
    assert smol.special_ids == frozenset(range(17))
    assert smol.text(0) == "<|endoftext|>"
    assert smol.eos_ids == (2,)


@SHARED
@given(TEXTS)
def test_any_byte_level_tokenizer_spells_any_text(text: str) -> None:
    backend = byte_level()
    vocabulary = Vocabulary.from_transformers(wrapped(backend))
    assert spelled(vocabulary, backend.encode(text).ids) == text.encode()


def test_added_tokens_are_text_unless_special() -> None:
    backend = byte_level()
    backend.add_tokens(["<think>", "naïve café", "Ġ"])
    backend.add_special_tokens(["<|end|>", "<|pad|>"])
    v = Vocabulary.from_transformers(wrapped(backend, eos_token="<|end|>"))
    ids = {v.tokens[i]: i for i in v.text_ids()}
    assert {b"<think>", "naïve café".encode()} <= set(ids)
    assert backend.encode("naïve café").ids == [ids["naïve café".encode()]]
    assert spelled(v, backend.encode("a b").ids) == b"a b"  # "Ġ" was a piece before it was added
    assert {v.text(i) for i in v.special_ids} == {"<|end|>", "<|pad|>"}
    assert [v.text(i) for i in v.eos_ids] == ["<|end|>"]


def test_tokenizer_without_eos_and_with_more_of_them() -> None:
    backend = byte_level()
    assert Vocabulary.from_transformers(wrapped(backend)).eos_ids == ()
    backend.add_special_tokens(["<|end|>", "<|stop|>"])
    end, stop = backend.token_to_id("<|end|>"), backend.token_to_id("<|stop|>")
    tokenizer = wrapped(backend, eos_token="<|end|>")
    assert Vocabulary.from_transformers(tokenizer, eos_ids=[stop, end]).eos_ids == (end, stop)


def test_split_before_the_bytes_is_no_obstacle() -> None:
    backend = byte_level()
    pre = tokenizers.pre_tokenizers
    backend.pre_tokenizer = pre.Sequence(
        [
            pre.Sequence([pre.Digits(individual_digits=True)]),
            pre.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    backend.decoder = tokenizers.decoders.Sequence(
        [tokenizers.decoders.ByteLevel(), tokenizers.decoders.Fuse()]
    )
    assert Vocabulary.from_transformers(wrapped(backend)).tokens[256] == b" a"


def test_slow_byte_level_tokenizer_is_read_from_its_own_table() -> None:
    """Plain Python tokenizers of the GPT-2 family hold the table from character to byte."""
    table = byte_characters()
    vocab = {c: i for i, c in enumerate(table)} | {"Ġa": 256, "<|end|>": 257}
    tokenizer = SimpleNamespace(
        byte_decoder=table,
        get_vocab=lambda: vocab,
        added_tokens_decoder={257: tokenizers.AddedToken("<|end|>", special=True)},
        all_special_ids=[257],
        eos_token_id=257,
        encode=lambda text, add_special_tokens: list(text.encode().translate(inverse(table))),
    )
    v = Vocabulary.from_transformers(tokenizer)
    assert (v.tokens[256], v.tokens[257], v.eos_ids) == (b" a", b"<|end|>", (257,))
    assert v.special_ids == frozenset({257})


def inverse(table: dict[str, int]) -> bytes:
    """byte -> id, where the ids follow the order of the table."""
    place = {byte: i for i, byte in enumerate(table.values())}
    return bytes(place[b] for b in range(256))


# ---- SentencePiece


@SHARED
@given(TEXTS)
def test_llama_spells_any_text_after_a_space(llama: Any, spm: Vocabulary, text: str) -> None:
    data = text.encode()
    assert spelled(spm, llama.encode(text, add_special_tokens=False)) in (data, b" " + data)


@SHARED
@given(TEXTS.map(lambda text: text.replace("\0", "")))
def test_processor_spells_any_text_after_a_space(spm_processor: Any, spm: Vocabulary, text: str) -> None:
    data = text.encode()
    assert spelled(spm, spm_processor.encode(text)) in (data, b" " + data)


def test_sentencepiece_tokens_decode_to_their_bytes(llama: Any, spm: Vocabulary) -> None:
    """In the middle of a text: the decoder drops a space at its beginning only."""
    decoder = llama.backend_tokenizer.decoder
    for i in spm.text_ids():
        said = decoder.decode(["x", llama.convert_ids_to_tokens(i)])
        assert said == "x" + spm.tokens[i].decode("utf-8", "replace")


def test_fast_tokenizer_and_processor_agree(llama: Any, spm: Vocabulary) -> None:
    fast = Vocabulary.from_transformers(llama)
    assert fast.tokens == spm.tokens
    assert (fast.eos_ids, fast.special_ids) == (spm.eos_ids, spm.special_ids)
    assert fast.special_ids == frozenset({0, 1, 2})
    assert fast.tokens[3:259] == [bytes([b]) for b in range(256)]


@pytest.mark.filterwarnings("ignore")
def test_slow_sentencepiece_tokenizer(spm_file: Path, spm: Vocabulary) -> None:
    pytest.importorskip("sentencepiece")
    slow = transformers.GPTSw3Tokenizer(vocab_file=str(spm_file))
    v = Vocabulary.from_transformers(slow)
    assert v.tokens[: spm.size] == spm.tokens
    assert [v.text(i) for i in v.eos_ids] == ["<|endoftext|>"]
    # control pieces of the model and those that the wrapper added
    assert {v.text(i) for i in v.special_ids} == {"<unk>", "<s>", "</s>", "<|endoftext|>", "<pad>"}


def test_gemma_like_tokenizer_drops_no_space_anywhere() -> None:
    vocab = with_letters("\u2581", "\u2581a", "<0x0A>", "<0xE2>", "<unk>")
    backend = tokenizers.Tokenizer(
        tokenizers.models.BPE(vocab, [("\u2581", "a")], unk_token="<unk>", byte_fallback=True)
    )
    backend.normalizer = tokenizers.normalizers.Replace(" ", "\u2581")
    steps = tokenizers.decoders
    backend.decoder = steps.Sequence([steps.Replace("\u2581", " "), steps.ByteFallback(), steps.Fuse()])
    backend.add_tokens([tokenizers.AddedToken("\u2581\u2581", normalized=False)])
    v = Vocabulary.from_transformers(wrapped(backend))
    assert v.tokens[37:41] == [b" ", b" a", b"\n", b"\xe2"]
    assert v.tokens[-1] == b"  "
    # the unknown token stands for no bytes at all: it must never be chosen
    assert v.special_ids == frozenset({41})


def test_unigram_without_byte_fallback_keeps_a_name_that_looks_like_a_byte() -> None:
    pieces = [(p, -1.0) for p in with_letters("\u2581", "<0x0A>")]
    backend = tokenizers.Tokenizer(tokenizers.models.Unigram([*pieces, ("?", -9.0)], unk_id=38))
    backend.pre_tokenizer = tokenizers.pre_tokenizers.Metaspace()
    backend.decoder = tokenizers.decoders.Metaspace()
    v = Vocabulary.from_transformers(wrapped(backend))
    assert (v.tokens[37], v.tokens[38]) == (b" ", b"<0x0A>")


# ---- tiktoken and mistral-common


@SHARED
@given(st.text(max_size=40))
def test_tiktoken_spells_any_text(dashscope151k: Vocabulary, encoding: Any, text: str) -> None:
    assert spelled(dashscope151k, encoding.encode_ordinary(text)) == text.encode()


@pytest.fixture(scope="module")
def encoding(dashscope_ranks: dict[bytes, int], dashscope_specials: dict[str, int]) -> Any:
    tiktoken = pytest.importorskip("tiktoken")
    return tiktoken.Encoding(
        "151k",
        pat_str=r" ?\p{L}+| ?\p{N}| ?[^\s\p{L}\p{N}]+|\s+",
        mergeable_ranks=dashscope_ranks,
        special_tokens=dashscope_specials,
    )


def test_wrapper_of_tiktoken_is_seen_through(dashscope151k: Vocabulary, encoding: Any) -> None:
    eos = dashscope151k.eos_ids[0]
    wrapper = SimpleNamespace(
        model=encoding,
        eos_token_id=eos,
        all_special_ids=[eos],
        encode=lambda text, add_special_tokens: encoding.encode_ordinary(text),
    )
    v = Vocabulary.from_transformers(wrapper, eos_ids=dashscope151k.eos_ids)
    assert (v.tokens, v.eos_ids) == (dashscope151k.tokens, dashscope151k.eos_ids)
    assert v.special_ids == dashscope151k.special_ids
    assert len(v.special_ids) == 208


def test_specials_beyond_the_table_are_known_and_silent(encoding: Any) -> None:
    wrapper = SimpleNamespace(
        tokenizer=encoding,
        eos_token_id=151_900,
        all_special_ids=[151_900, 151_910],
        encode=lambda text, add_special_tokens: encoding.encode_ordinary(text),
    )
    v = Vocabulary.from_transformers(wrapper)
    assert (v.size, v.eos_ids, v.tokens[151_900]) == (151_911, (151_900,), b"")
    assert {151_900, 151_910} < v.special_ids


def test_tiktoken_ids_that_nothing_uses_are_empty() -> None:
    v = Vocabulary.from_tiktoken({b"a": 0, b"b": 3}, {"<end>": 5}, eos="<end>")
    assert v.tokens == [b"a", b"", b"", b"b", b"", b"<end>"]
    assert (v.eos_ids, v.special_ids, v.text_ids()) == ((5,), frozenset({5}), [0, 3])


def test_tiktoken_eos_must_be_a_special() -> None:
    with pytest.raises(ValueError, match="'<stop>' is not among the specials"):
        Vocabulary.from_tiktoken({b"a": 0}, {"<end>": 1}, eos=["<end>", "<stop>"])


@pytest.mark.parametrize("kind", ["tekken", "spm"])
def test_mistral_common_inside_transformers(
    kind: str, tekken: Vocabulary, spm: Vocabulary, spm_file: Path, tmp_path: Path
) -> None:
    backends = pytest.importorskip("transformers.tokenization_mistral_common")
    names = {"tekken": ("tekken_240911.json", "tekken.json")}
    there, here = names.get(kind, ("tokenizer.model.v1", "tokenizer.model.v1"))
    (tmp_path / here).write_bytes((spm_file.parent / there).read_bytes())
    tokenizer = backends.MistralCommonBackend(tokenizer_path=tmp_path / here)
    v = Vocabulary.from_transformers(tokenizer)
    expected = {"tekken": tekken, "spm": spm}[kind]
    assert v.special_ids == expected.special_ids
    assert v.text_ids() == expected.text_ids()
    assert [v.tokens[i] for i in v.text_ids()] == [expected.tokens[i] for i in v.text_ids()]
    assert v.eos_ids == expected.eos_ids


# ---- what is refused


def word_piece() -> Any:
    vocab = with_letters("##a", "[UNK]")
    backend = tokenizers.Tokenizer(tokenizers.models.WordPiece(vocab, unk_token="[UNK]"))
    backend.decoder = tokenizers.decoders.WordPiece()
    return backend


def word_suffix() -> Any:
    backend = tokenizers.Tokenizer(tokenizers.models.BPE(with_letters("a</w>"), []))
    backend.decoder = tokenizers.decoders.BPEDecoder()
    return backend


def no_decoder() -> Any:
    return tokenizers.Tokenizer(tokenizers.models.BPE(with_letters(), []))


def other_replacement() -> Any:
    backend = tokenizers.Tokenizer(tokenizers.models.BPE(with_letters("_"), []))
    backend.decoder = tokenizers.decoders.Replace("_", " ")
    return backend


def stripping_ends() -> Any:
    backend = tokenizers.Tokenizer(tokenizers.models.BPE(with_letters("\u2581"), []))
    steps = tokenizers.decoders
    backend.decoder = steps.Sequence([steps.Replace("\u2581", " "), steps.Strip(" ", 1, 1)])
    return backend


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (word_piece, "a WordPiece model"),
        (word_suffix, "BPEDecoder"),
        (no_decoder, "decoder []"),
        (other_replacement, "Replace"),
        (stripping_ends, "Strip"),
    ],
)
def test_other_kinds_are_refused_with_what_was_seen(make: Any, says: str) -> None:
    with pytest.raises(UnknownTokenizer) as caught:
        Vocabulary.from_transformers(wrapped(make()))
    assert says in str(caught.value)
    assert "Vocabulary(tokens, eos_ids, special_ids)" in str(caught.value)


def test_tokenizer_without_a_vocabulary_is_refused() -> None:
    with pytest.raises(UnknownTokenizer, match="a ByT5Tokenizer"):
        Vocabulary.from_transformers(transformers.ByT5Tokenizer())


def test_reading_that_the_tokenizer_contradicts_is_refused() -> None:
    upper = tokenizers.normalizers.Replace("two", "TWO")
    with pytest.raises(UnknownTokenizer, match="one TWO"):
        Vocabulary.from_transformers(wrapped(byte_level(normalizer=upper)))
