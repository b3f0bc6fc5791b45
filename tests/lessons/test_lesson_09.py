"""Lesson 09: answers that are right though they are not the solution, and reasons that fit."""

import pytest

from lessons.answers import judge_answer
from lessons.registry import find_exercise

BATCH = """
import numpy as np
from tokenmask import allocate_token_bitmask, apply_token_bitmask

def masked_batch(matchers, tokens, scores):
    bitmask = allocate_token_bitmask(*scores.shape)
"""
RIGHT = [
    (
        "9.2",
        "ended rows keep the mask in which everything is legal",
        BATCH
        + """
    for row, matcher in enumerate(matchers):
        if tokens and not matcher.is_terminated():
            matcher.accept_token(tokens[row])
        if not matcher.is_terminated():
            matcher.fill_next_token_bitmask(bitmask, row)
    masked = scores.copy()
    apply_token_bitmask(masked, bitmask)
    return masked
""",
    ),
    (
        "9.2",
        "a new array of wider floats",
        BATCH
        + """
    for row, matcher in enumerate(matchers):
        if tokens is not None and not matcher.is_terminated():
            matcher.accept_token(np.int64(tokens[row]))
        if not matcher.is_terminated():
            matcher.fill_next_token_bitmask(bitmask, row)
    bits = np.unpackbits(bitmask.view(np.uint8), axis=1, bitorder="little")[:, :scores.shape[1]]
    return np.where(bits, scores.astype(float), -np.inf)
""",
    ),
    (
        "9.3",
        "one long text",
        "def cache_key(schema, vocabulary, whitespace):\n"
        "    return repr((schema, whitespace, vocabulary.tokens, vocabulary.eos_ids,\n"
        "        sorted(vocabulary.special_ids)))\n",
    ),
    (
        "9.3",
        "a hash of the tokens, and the ids beside it",
        "import hashlib\nimport json\ndef cache_key(schema, vocabulary, whitespace):\n"
        "    digest = hashlib.sha256(repr(vocabulary.tokens).encode()).hexdigest()\n"
        "    ids = (vocabulary.eos_ids, frozenset(vocabulary.special_ids))\n"
        "    return json.dumps(schema), digest, ids, whitespace\n",
    ),
    (
        "9.3",
        "the fingerprint, and which of the silent tokens end",
        "import json\ndef cache_key(schema, vocabulary, whitespace):\n"
        "    key = vocabulary.fingerprint(), vocabulary.eos_ids\n"
        "    return key, json.dumps(schema), whitespace\n",
    ),
    (
        "9.3",
        "a hash of it all, end tokens in any order",
        "import json\ndef cache_key(schema, vocabulary, whitespace):\n"
        "    ids = frozenset(vocabulary.eos_ids), frozenset(vocabulary.special_ids)\n"
        "    return hash((json.dumps(schema), tuple(vocabulary.tokens), *ids, whitespace))\n",
    ),
    (
        "9.3",
        "tokens joined, in hexadecimal: no comma can be inside one",
        "import json\ndef cache_key(schema, vocabulary, whitespace):\n"
        "    tokens = ','.join(token.hex() for token in vocabulary.tokens)\n"
        "    ids = vocabulary.eos_ids, tuple(sorted(vocabulary.special_ids))\n"
        "    return json.dumps(schema), tokens, *ids, whitespace\n",
    ),
    (
        "9.3",
        "the lengths of the tokens, and all of them in one",
        "import json\ndef cache_key(schema, vocabulary, whitespace):\n"
        "    tokens = tuple(map(len, vocabulary.tokens)), b''.join(vocabulary.tokens)\n"
        "    return json.dumps(schema), tokens, vocabulary.eos_ids, vocabulary.special_ids, whitespace\n",
    ),
    (
        "9.4",
        "two arrays, from words without a sign",
        "import numpy as np\ndef differ(a, b, size):\n"
        "    i = np.arange(size)\n"
        "    on = lambda m: m.view(np.uint32)[i // 32] >> (i % 32).astype(np.uint32) & 1 == 1\n"
        "    return np.array([np.flatnonzero(on(a) & ~on(b)), np.flatnonzero(on(b) & ~on(a))], object)\n",
    ),
    (
        "9.4",
        "sets, sorted at last",
        "def differ(a, b, size):\n"
        "    ids = lambda m: {i for i in range(size) if int(m[i // 32]) >> i % 32 & 1}\n"
        "    return sorted(ids(a) - ids(b)), sorted(ids(b) - ids(a))\n",
    ),
    (
        "9.4",
        "bit by bit",
        "def differ(a, b, size):\n"
        "    def has(m, i):\n        return int(m[i // 32]) >> i % 32 & 1\n"
        "    ids = range(size)\n"
        "    return ([i for i in ids if has(a, i) and not has(b, i)],\n"
        "            [i for i in ids if has(b, i) and not has(a, i)])\n",
    ),
]


@pytest.mark.parametrize("number, name, source", RIGHT, ids=[name for _, name, _ in RIGHT])
def test_another_right_answer_is_right(number, name, source):
    report = judge_answer(find_exercise(number), source)
    assert report.status == "right", f"{name}: {report!r}"


def test_the_scores_of_9_2_are_all_different_and_none_is_zero():
    from lessons.exercises.l09_batch import scores_of

    for step in range(5):
        scores = scores_of(step, 3)
        assert len(set(scores.ravel().tolist())) == scores.size
        assert scores.all()
    assert (scores_of(0, 3) != scores_of(1, 3)).any()


def test_every_pair_of_vocabularies_of_9_3_has_masks_that_differ():
    """A key that must differ is asked for only where one grammar cannot serve both."""
    from lessons.exercises.l09_keys import VOCABULARIES
    from tokenmask import GrammarCompiler, GrammarMatcher

    def used_by_masks(vocabulary):
        """The tokens, which of them are legal where everything is, and which end the answer."""
        compiled = GrammarCompiler(vocabulary).compile_regex("(ab|c|a|bc|d|\\}|<end>|<pad>|[b-m])*")
        matcher = GrammarMatcher(compiled)
        return vocabulary.tokens, matcher.legal_tokens().tolist(), vocabulary.eos_ids

    for what, first, second, _ in VOCABULARIES:
        assert used_by_masks(first) != used_by_masks(second), what
