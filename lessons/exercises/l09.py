"""Lesson 09: a processor in somebody else's loop, batches, cache keys, and two masks compared."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache

import numpy as np

from lessons.exercise import Case, Exercise, Words, calls
from lessons.pieces import l09
from tokenmask import CompiledGrammar, GrammarCompiler, GrammarMatcher, Vocabulary

TOY = l09.toy_with_end()
PERSON = {
    "type": "object",
    "properties": {"name": {"enum": ["Ada", "Kim"]}, "age": {"type": "integer"}},
    "required": ["name", "age"],
    "additionalProperties": False,
}
ACTIVE = {
    "type": "object",
    "properties": {"active": {"type": "boolean"}},
    "required": ["active"],
    "additionalProperties": False,
}
SCHEMAS = {"person": PERSON, "active": ACTIVE, "boolean": {"type": "boolean"}, "integer": {"type": "integer"}}
END = 28


@cache
def grammar(name: str) -> CompiledGrammar:
    """One of the schemas above, compiled for the toy tokens."""
    return GrammarCompiler(TOY).compile_json_schema(SCHEMAS[name])


def legal_ids(scores: object) -> object:
    """Ids whose score is a number: what a mask left."""
    if not isinstance(scores, np.ndarray):
        return scores
    return [np.flatnonzero(row > -np.inf).tolist() for row in scores]


def drive(make: Callable, name: str, runs: list[tuple[list[int], list[int]]], width: int) -> list:
    """Call one processor as a loop does: per run the prompt, then one more token each time."""
    processor = make(grammar(name))
    seen = []
    for prompt, answer in runs:
        for length in range(len(answer) + 1):
            ids = np.array([prompt + answer[:length]])
            scores = np.linspace(1, 2, width, dtype=np.float32)[None]
            kept = scores.copy()
            masked = processor(ids, scores)
            seen.append(legal_ids(masked))
            if not np.array_equal(kept, scores):
                return [Words("it changed the scores that it was given")]
    return seen


def processor_cases(make: Callable) -> Iterator[Case]:
    """Prompts that look like answers, whole answers, an end token, wide scores."""
    why = {
        "prompt": "the prompt is not part of the answer: the first call reads nothing",
        "step": "each later call brings one new token, the last one: read just that",
        "end": "when the text is complete the end token is legal, and here nothing else is",
        "wide": "models often have more scores than tokens: those past the vocabulary are illegal",
    }
    spelled = l09.spell(TOY, '{"active": true}')
    runs = [
        ("boolean", [24, 23, 9], [], 29, why["prompt"]),
        ("active", [0], [], 29, why["prompt"]),
        ("active", [24, 23] * 20, spelled[:1], 29, why["step"]),
        ("active", spelled[:3], spelled[:5], 29, why["step"]),
        ("person", [24], l09.spell(TOY, '{"name": "Kim", "age": 3'), 29, why["step"]),
        ("active", [24], spelled, 29, why["end"]),
        ("integer", [9, 9], [13, 13], 29, "two equal tokens in a row are two tokens"),
        ("boolean", [24], [9], 64, why["wide"]),
    ]
    for name, prompt, answer, width, because in runs:
        words, one = [TOY.text(i) for i in answer], [(prompt, answer)]
        yield Case(
            f"legal ids at each call: schema {name!r}, prompt of {len(prompt)} tokens, answer {words}",
            drive(l09.Processor, name, one, width),
            lambda n=name, o=one, w=width: drive(make, n, o, w),
            because=because,
        )
    again = "a second prompt is no continuation of the first: the matcher has to start afresh"
    alike = (
        "the second prompt is one token longer than the last row, but begins with other tokens: "
        "compare the tokens before the last one, not only the lengths"
    )
    for two, because in [
        ([([24, 23, 9], spelled[:3]), ([24, 23, 9], spelled[:1])], again),
        ([([24], spelled[:2]), ([9, 9, 9, 9], spelled[:2])], alike),
    ]:
        yield Case(
            f"legal ids at each call, one processor for two runs (prompt, answer): {two}",
            drive(l09.Processor, "active", two, 29),
            lambda two=two: drive(make, "active", two, 29),
            because=because,
        )
    yield Case(
        "the scores of the legal tokens, before any answer (schema 'boolean')",
        [1.0, 1.0],
        lambda: make(grammar("boolean"))(np.array([[5]]), np.ones((1, 29), np.float32))[0, [9, 10]],
        because="what is legal keeps its score",
    )


def batch_run(function: Callable, names: tuple[str, ...], chosen: list[list[int]]) -> list:
    """The legal ids of every row after the last step; `chosen[step][row]` is what the loop picked."""
    matchers = [GrammarMatcher(grammar(name)) for name in names]
    masked = None
    for tokens in [None, *chosen]:
        scores = np.full((len(names), 29), 0.5, np.float32)
        kept = scores.copy()
        masked = function(matchers, tokens, scores)
        if not np.array_equal(scores, kept):
            return [Words("it changed the scores that it was given")]
    return unmasked_in_words(legal_ids(masked))


def unmasked_in_words(rows: object) -> object:
    """Rows of ids, with words in place of a row in which every id is left."""
    if not isinstance(rows, list):
        return rows
    return [Words("left as it is") if len(row) == 29 else row for row in rows]


def batch_cases(masked_batch: Callable) -> Iterator[Case]:
    """Different schemas, the same schema at different places, rows that end early."""
    runs = [
        (("boolean", "active"), [], "each row has its own grammar, so its own mask: mind the index"),
        (
            ("integer", "integer"),
            [[12, 25 + 2]],
            "one schema, two places: each row reads its own token; and a number that is complete has not "
            "ended before its end token is read (is_terminated)",
        ),
        (("active", "person", "boolean"), [[0, 0, 9]], "each row reads the token that was chosen for it"),
        (
            ("boolean", "integer"),
            [[9, 13], [END, 14], [END, END]],
            "a row that has ended is left as it is: a row of minus infinities has no softmax",
        ),
        (
            ("boolean", "active"),
            [[10, 0], [END, 2], [3, 8], [3, 2]],
            "an ended row gets padding, which is not for its matcher",
        ),
        (("boolean",), [[9], [END]], "all rows have ended: nothing to mask"),
    ]
    for names, chosen, because in runs:
        for steps in range(len(chosen) + 1):
            yield Case(
                f"legal ids in each row: rows {list(names)}, chosen so far {chosen[:steps]}",
                batch_run(l09.masked_batch, names, chosen[:steps]),
                lambda names=names, past=chosen[:steps]: batch_run(masked_batch, names, past),
                because=because,
            )


SMALL = Vocabulary([b"ab", b"c", b"}", b"<end>"], eos_ids=[3])
OTHER = {
    "tokens cut elsewhere": Vocabulary([b"a", b"bc", b"}", b"<end>"], eos_ids=[3]),
    "tokens in another order": Vocabulary([b"c", b"ab", b"}", b"<end>"], eos_ids=[3]),
    "another end token": Vocabulary([b"ab", b"c", b"}", b"<end>"], eos_ids=[2]),
    "one token more": Vocabulary([b"ab", b"c", b"}", b"<end>", b"d"], eos_ids=[3]),
}
TWO = {"properties": {"a": {"type": "string"}, "b": {"type": "null"}}}
SWAPPED = {"properties": {"b": {"type": "null"}, "a": {"type": "string"}}}


def same_key(cache_key: Callable, first: tuple, second: tuple) -> bool:
    """Whether a dictionary finds under the second request what was kept under the first."""
    kept = {cache_key(*first): True}
    return cache_key(*second) in kept


def key_case(cache_key: Callable, what: str, first: tuple, second: tuple, same: bool, because: str) -> Case:
    """One pair of requests."""
    return Case(
        f"found in a dictionary: {what}",
        same,
        lambda: same_key(cache_key, first, second),
        because=because,
    )


def key_cases(cache_key: Callable) -> Iterator[Case]:
    """Pairs that must share a grammar, and pairs that must not."""
    request = (TWO, SMALL, "spaced")
    copy = {"properties": {"a": {"type": "string"}, "b": {"type": "null"}}}
    twin = Vocabulary([b"ab", b"c", b"}", b"<end>"], eos_ids=[3])
    yield key_case(
        cache_key, "an equal schema, another object", request, (copy, SMALL, "spaced"), True,
        "a request brings its own copy of the schema: the content counts, not the object",
    )  # fmt: skip
    yield key_case(
        cache_key, "an equal vocabulary, another object", request, (TWO, twin, "spaced"), True,
        "two tokenizers with the same tokens can share a grammar",
    )  # fmt: skip
    yield key_case(
        cache_key, "a schema that differs", request, ({"type": "null"}, SMALL, "spaced"), False,
        "another schema, another grammar",
    )  # fmt: skip
    for what, vocabulary in OTHER.items():
        yield key_case(
            cache_key, f"the same schema, {what}", request, (TWO, vocabulary, "spaced"), False,
            "a mask is about one grammar and one vocabulary together: the tokens belong in the key",
        )  # fmt: skip
    yield key_case(
        cache_key, "the same schema with other whitespace", request, (TWO, SMALL, "compact"), False,
        "an option that changes the grammar belongs in the key",
    )  # fmt: skip
    yield key_case(
        cache_key, "properties in another order", request, (SWAPPED, SMALL, "spaced"), False,
        "keys are written in the order of `properties`: do not sort it away",
    )  # fmt: skip
    yield key_case(
        cache_key, "{'const': True} after {'const': 1}", ({"const": 1}, SMALL, "spaced"),
        ({"const": True}, SMALL, "spaced"), False, "Python says 1 == True; JSON does not",
    )  # fmt: skip
    yield key_case(
        cache_key, "{'const': '1'} after {'const': 1}", ({"const": 1}, SMALL, "spaced"),
        ({"const": "1"}, SMALL, "spaced"), False, "a text is not a number",
    )  # fmt: skip
    yield Case(
        "found in a dictionary: a schema that was changed in place since",
        False,
        lambda: changed_in_place(cache_key),
        because="a key must not change with the object that it was made of: keep a text of it",
    )


def changed_in_place(cache_key: Callable) -> bool:
    """Whether a schema is found again after it was changed."""
    schema = {"enum": [1, 2]}
    kept = {cache_key(schema, SMALL, "spaced"): True}
    schema["enum"].append(3)
    return cache_key(schema, SMALL, "spaced") in kept


def differ_cases(differ: Callable) -> Iterator[Case]:
    """Signs, words, and bits that stand for no token."""

    def pack(*ids: int, words: int = 2, junk: int = 0) -> np.ndarray:
        bits = np.zeros(32 * words, bool)
        bits[[*ids]] = True
        if junk:
            bits[junk:] = True
        return np.packbits(bits, bitorder="little").view("<i4").astype(np.int32)

    runs = [
        ((pack(0, 2), pack(1, 2), 40), "first what only a allows, then what only b allows"),
        ((pack(5, 33), pack(33, 39), 40), "bit i of word w is token 32 w + i"),
        ((pack(31, 32), pack(30, 32), 40), "token 31 is the sign bit of the first word"),
        ((pack(3), pack(3), 40), "equal masks do not differ"),
        ((pack(1, junk=40), pack(1, 2), 40), "bits past the last token stand for nothing"),
        ((pack(*range(0, 64)), pack(), 64), "all against none"),
        ((pack(95, 64, words=3), pack(0, 95, words=3), 96), "masks may have any number of words"),
    ]
    for arguments, because in runs:
        yield from calls(differ, [arguments], l09.differ, because, "differ")


EXERCISES = [
    Exercise(
        number="9.1",
        title="A logits processor",
        minutes=10,
        difficulty=3,
        names=("Processor",),
        cases=processor_cases,
        hints=(
            "Make the matcher in `__init__`: it must outlive the calls. Keep the row of the last call, "
            "too: `input_ids[0].tolist()`; `None` before the first.",
            "If `row[:-1]` is the last call's row: `self.matcher.accept_token(row[-1])`. If not, it is a "
            "prompt: `self.matcher.reset()`, and nothing is read.",
            "Then `fill_next_token_bitmask` into an `allocate_token_bitmask(1, size)` with the size of "
            "the *vocabulary*, and `apply_token_bitmask` on `scores.copy()`.",
        ),
    ),
    Exercise(
        number="9.2",
        title="A batch of masks",
        minutes=9,
        difficulty=3,
        names=("masked_batch",),
        cases=batch_cases,
        hints=(
            "One bitmask for the whole batch, one row of it for each matcher: "
            "`matcher.fill_next_token_bitmask(bitmask, row)`.",
            "A row reads its token only if there is one (`tokens is not None`) and it has not ended.",
            "Collect the rows that are still open. `part = scores[rows]` is a copy: mask it with "
            "`bitmask[rows]`, then write it back into a copy of the scores.",
        ),
    ),
    Exercise(
        number="9.3",
        title="A cache key that does not lie",
        minutes=8,
        difficulty=3,
        names=("cache_key",),
        cases=key_cases,
        hints=(
            "What decides about the masks? The schema, the tokens, which of them end, the whitespace.",
            "`json.dumps(schema)` is a text: it keeps the order of keys, and writes `true` and `1` "
            "differently. Do not sort the keys.",
            "A tuple of bytes can be hashed: `(json.dumps(schema), tuple(vocabulary.tokens), "
            "tuple(vocabulary.eos_ids), whitespace)`. Joining the tokens would hide where they are cut.",
        ),
    ),
    Exercise(
        number="9.4",
        title="Where two masks differ",
        minutes=6,
        difficulty=2,
        names=("differ",),
        cases=differ_cases,
        hints=(
            "`a & ~b` are the bits that only `a` has.",
            "View the words as bytes and unpack them with the low bit first: "
            "`np.unpackbits(words.view(np.uint8), bitorder=\"little\")`.",
            "Cut off at `size`, then `np.flatnonzero(...).tolist()`.",
        ),
    ),
]
