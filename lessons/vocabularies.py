"""SmolLM2's vocabulary for lessons that need no model: read with NumPy's company alone, no torch.

The file comes with the small model. Where it is missing, a stand-in of made-up words takes its
place, and a sentence says so.
"""

from __future__ import annotations

import json
from itertools import product

from lessons.pieces import l02
from tokenmask import Vocabulary
from toymodel import model_folder

PUNCTUATION = ' "{}[]:,.\\-\n'


def token_pieces() -> tuple[list[str], set[int]] | None:
    """The tokens as the tokenizer's file writes them, by id, and the ids of its control tokens.

    None where there is no such file.
    """
    try:
        text = (model_folder() / "tokenizer.json").read_text(encoding="utf-8")
        content = json.loads(text)
        pieces = content["model"]["vocab"]
        special = {token["id"] for token in content["added_tokens"] if token["special"]}
    except (OSError, ValueError, KeyError):
        return None
    return sorted(pieces, key=pieces.__getitem__), special


def real_vocabulary() -> Vocabulary:
    """SmolLM2's 49,152 tokens if they are here; else a stand-in, with a sentence that says so."""
    found = token_pieces()
    if found is None:
        print(
            "SmolLM2's tokenizer is not here: run `workbook get-model` (93 MB, about a minute). "
            "This lesson goes on with a stand-in vocabulary of made-up words."
        )
        return Vocabulary(stand_in_tokens(), eos_ids=())
    pieces, special = found
    letters = l02.byte_letters()
    # control tokens never stand for text; their names are no bytes of an answer
    tokens = [b"" if i in special else l02.token_bytes(p, letters) for i, p in enumerate(pieces)]
    return Vocabulary(tokens, eos_ids=[pieces.index("<|im_end|>")], special_ids=special)


def stand_in_tokens() -> list[bytes]:
    """Single bytes, digits, punctuation, and made-up words with and without a space before them.

    >>> len(stand_in_tokens())
    13478
    """
    syllables = [a + b for a, b in product("bdfgklmnprstvz", "aeiou")]
    words = syllables + [a + b for a, b in product(syllables, repeat=2)]
    words += [a + b for a, b in product(words[:70], ["n", "s", "t"])]
    pairs = [a + b for a, b in product(PUNCTUATION, repeat=2)]
    triples = [a + b for a, b in product(pairs, PUNCTUATION)]
    numbers = [str(n) for n in range(10, 1000)]
    texts = [*words, *(" " + word for word in words), *pairs, *triples, *numbers]
    return [bytes([b]) for b in range(256)] + [text.encode() for text in dict.fromkeys(texts)]
