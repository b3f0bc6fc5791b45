"""What a model can say: every token id, and the bytes it stands for. Lesson 00 meets one.

Masks are computed on bytes, so a token that holds half a character needs no special case.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from . import cache
from .bitmask import pack_bits, unpack_bits, words_for
from .trie import TokenTrie

CACHED_FROM = 10_000  # tokens; a smaller tree is built faster than a file is found
FEW = 64  # ids; so many bits are set one by one


class Vocabulary:
    """Token id -> bytes, and which ids are not text.

    tokens: the bytes of token i at place i; b"" where there is no such token.
    eos_ids: tokens that end the answer. They are legal exactly where the grammar may end.
    special_ids: control tokens, never legal; what `tokens` says of them is only a name to show.
    With an empty `eos_ids` an answer ends as soon as nothing may follow it.

    Build it once and keep it: everything that is shared between grammars hangs on it. An
    application that serves requests should call `gc.collect(); gc.freeze()` after building it and
    warming up, so that the garbage collector does not walk through it again and again.

    >>> v = Vocabulary([b"{", b"}", b'"a"', b"<end>"], eos_ids=[3])
    >>> v.size, v.words, v.pack([0, 2])
    (4, 1, array([5], dtype=uint32))
    """

    def __init__(
        self, tokens: Iterable[bytes], eos_ids: Iterable[int], special_ids: Iterable[int] = ()
    ) -> None:
        self.tokens: list[bytes] = list(tokens)
        self.size = len(self.tokens)
        self.words = words_for(self.size)
        self.eos_ids: tuple[int, ...] = tuple(dict.fromkeys(map(int, eos_ids)))
        self.special_ids: frozenset[int] = frozenset(map(int, special_ids))
        self._check()
        # whatever is worth computing once for this vocabulary, by whoever computes it
        self.shared: dict[Any, Any] = {}
        self._trie: TokenTrie | None = None
        self._lock = threading.Lock()

    def _check(self) -> None:
        if not self.tokens:
            raise ValueError("a vocabulary needs at least one token")
        for i, token in enumerate(self.tokens):
            if type(token) is not bytes:
                raise TypeError(
                    f"token {i} is {token!r} ({type(token).__name__}); tokens must be bytes: "
                    f"encode text as UTF-8, or use Vocabulary.from_transformers"
                )
        for name, ids in (("eos", self.eos_ids), ("special", self.special_ids)):
            for i in ids:
                if not 0 <= i < self.size:
                    raise ValueError(f"{name} id {i} is not one of the tokens 0 to {self.size - 1}")

    @classmethod
    def from_transformers(cls, tokenizer: Any, eos_ids: Iterable[int] = ()) -> Vocabulary:
        """The vocabulary of a `transformers` tokenizer: byte-level BPE, SentencePiece or tiktoken.

        eos_ids: more end tokens, such as `model.generation_config.eos_token_id` lists; the
        tokenizer's own is always one. A tokenizer of another kind is a ValueError that says what
        was seen.
        """
        from . import tokenizers

        return cls(*tokenizers.read_transformers(tokenizer, eos_ids))

    @classmethod
    def from_tiktoken(
        cls, ranks: Mapping[bytes, int], specials: Mapping[str, int], eos: str | Iterable[str] = ()
    ) -> Vocabulary:
        """The vocabulary of a tiktoken file: token bytes -> id, special token -> id.

        eos: which of the specials end an answer.
        """
        from . import tokenizers

        return cls(*tokenizers.read_tiktoken(ranks, specials, eos))

    @classmethod
    def from_sentencepiece(cls, processor: Any, eos_ids: Iterable[int] = ()) -> Vocabulary:
        """The vocabulary of a loaded `sentencepiece.SentencePieceProcessor`.

        eos_ids: more end tokens; the model's own is always one.
        """
        from . import tokenizers

        return cls(*tokenizers.read_sentencepiece(processor, eos_ids))

    @property
    def trie(self) -> TokenTrie:
        """The tree of all tokens that are text: neither special, nor eos, nor empty.

        Built at first use; a big one is kept on disk for the next run (see `tokenmask.cache`).
        """
        if self._trie is None:
            with self._lock:
                if self._trie is None:
                    self._trie = self._load_trie()
        return self._trie

    def _load_trie(self) -> TokenTrie:
        if self.size < CACHED_FROM:
            return TokenTrie.build(self.tokens, self.text_ids())
        name = f"trie-2-{self.fingerprint()}"
        stored = cache.load(name)
        if stored is not None:
            try:
                return TokenTrie.from_arrays(stored)
            except (KeyError, ValueError):
                pass  # a file of another make: written anew below
        trie = TokenTrie.build(self.tokens, self.text_ids())
        cache.store(name, trie.to_arrays())
        return trie

    def fingerprint(self) -> str:
        """A hash of the tokens and of which are text: 32 hex digits, the same in every run."""
        lengths = np.fromiter(map(len, self.tokens), "<i8", self.size)
        silent = np.array(sorted(self.special_ids.union(self.eos_ids)), "<i8")
        digest = hashlib.blake2b(digest_size=16)
        counts = np.array([lengths.size, silent.size], "<i8")  # else the one could pass for the other
        for part in (counts.tobytes(), lengths.tobytes(), silent.tobytes(), *self.tokens):
            digest.update(part)
        return digest.hexdigest()

    def text_ids(self) -> list[int]:
        """Ids of the tokens that can be part of a text, ascending."""
        silent = self.special_ids.union(self.eos_ids)
        return [i for i, token in enumerate(self.tokens) if token and i not in silent]

    def pack(self, ids: Any) -> np.ndarray:
        """Token ids (any iterable or integer array) to a mask: uint32 [words], 1 = in `ids`.

        -1, which the tree writes where no token ends, is left out. A token with the same bytes as
        one in `ids` of lower id is in the mask too: the tree's arrays only speak of the first.
        """
        ids = ids if isinstance(ids, np.ndarray) else list(ids)
        first, duplicate = self.trie.aliases
        if len(ids) <= FEW and not first.size:
            return self._pack_few(ids)
        flags = np.zeros(self.words * 32 + 1, bool)  # the last place is where -1 leads
        flags[np.asarray(ids, np.intp)] = True
        if first.size:
            flags[duplicate] |= flags[first]
        return pack_bits(flags[:-1])

    def _pack_few(self, ids: Any) -> np.ndarray:
        """Bit by bit: for a handful of ids faster than flags for the whole vocabulary."""
        octets = bytearray(self.words * 4)
        for i in ids.tolist() if isinstance(ids, np.ndarray) else ids:
            if i >= 0:
                octets[i >> 3] |= 1 << (i & 7)
        return np.frombuffer(octets, "<u4").astype(np.uint32, copy=False)

    def reached(self, dense: np.ndarray) -> np.ndarray:
        """From a value per trie node to a flag per token: bool (words * 32,), true where not 0."""
        nodes = self.shared.get("node of token")
        if nodes is None:
            nodes = self.shared["node of token"] = self._node_of_token()
        return dense.take(nodes, mode="clip") != 0

    def _node_of_token(self) -> np.ndarray:
        """The trie node where each token ends; 0, the root, where it is not in the trie."""
        trie = self.trie
        ends = np.flatnonzero(trie.token >= 0)
        nodes = np.zeros(self.words * 32, np.intp)
        nodes[trie.token[ends]] = ends
        first, duplicate = trie.aliases
        nodes[duplicate] = nodes[first]
        return nodes

    def unpack(self, mask: np.ndarray) -> np.ndarray:
        """The other way: a mask [words] to the ids in it, ascending, intp."""
        return np.flatnonzero(unpack_bits(mask, self.size))

    def text(self, token_id: int) -> str:
        """A token as a person can read it, on one line, with nothing invisible but spaces.

        Control characters become their pictures, other unprintable ones and bytes that are only
        part of a character their codes.

        >>> Vocabulary([b" a\\n", b"\\xe2\\x82"], eos_ids=()).text(0)
        ' a␊'
        """
        decoded = self.tokens[token_id].decode("utf-8", "backslashreplace")
        return decoded if decoded.isprintable() else "".join(map(_visible, decoded))

    def __len__(self) -> int:
        return self.size

    def __repr__(self) -> str:
        silent = len(self.special_ids.union(self.eos_ids))
        return f"<Vocabulary: {self.size:,} tokens, {silent} of them special, eos {self.eos_ids}>"


def _visible(character: str) -> str:
    """A character, or what stands for it if it cannot be seen."""
    code = ord(character)
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "\u2421"
    return character if character.isprintable() else f"\\u{{{code:x}}}"
