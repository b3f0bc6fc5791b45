"""Lesson 09: a processor in somebody else's loop, batches, cache keys, and two masks compared."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from lessons.exercise import Case, Exercise, Words, calls, same
from lessons.exercises.l09_batch import TOY, batch_cases, grammar
from lessons.exercises.l09_keys import key_cases
from lessons.pieces import l09


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


def differ_cases(differ: Callable) -> Iterator[Case]:
    """The shape, the order of bits, the sides, then signs, words, and bits that stand for no token."""

    def pack(*ids: int, words: int = 2, junk: int = 0) -> np.ndarray:
        bits = np.zeros(32 * words, bool)
        bits[[*ids]] = True
        if junk:
            bits[junk:] = True
        return np.packbits(bits, bitorder="little").view("<i4").astype(np.int32)

    sides = "first what only `a` allows, then what only `b` allows"
    sign = "token 31 is the sign bit: shift the word right, `word >> i & 1`, or view it as uint32"
    order = "each list ascending: a set has no order, so what comes out of one must be sorted"
    one = (pack(0, 2, words=1), pack(1, 2, words=1), 31)
    # the same input three times, more strictly each time, so that each mistake gets its own reason
    for case, alike, because in [
        (one, two_lists, f"two lists, ascending: {sides}"),
        (one, same_but_for_sides, "bit 0, the lowest, is token 0"),
        (one, same, sides),
    ]:
        yield from (replace(c, same=alike) for c in calls(differ, [case], l09.differ, because, "differ"))
    runs = [
        ((pack(3, 5, 8, 16, words=1), pack(4, 5, 9, 17, words=1), 20), order),
        ((pack(31, words=1), pack(30, words=1), 32), sign),
        ((pack(5, 33), pack(33, 39), 40), "bit i of word w is token 32 w + i"),
        ((pack(31, 32), pack(30, 32), 40), sign),
        ((pack(3), pack(3), 40), "equal masks do not differ"),
        ((pack(1, junk=40), pack(1, 2), 40), "bits past the last token stand for nothing"),
        ((pack(*range(0, 64)), pack(), 64), "all against none"),
        ((pack(95, 64, words=3), pack(0, 95, words=3), 96), "masks may have any number of words"),
    ]
    for arguments, because in runs:
        yield from calls(differ, [arguments], l09.differ, because, "differ")
    yield Case(
        "the masks a and b, after differ(a, b, 40)",
        Words("as they were"),
        lambda: masks_after(differ, pack(0, 2), pack(1, 2)),
        because="both masks are still needed: `a & ~b` makes a new array, `a &= ~b` changes `a` itself",
    )


def two_lists(_: object, got: object) -> bool:
    """Whether `got` has the form of an answer: two lists, whatever is in them."""
    lists = list | tuple | np.ndarray
    return isinstance(got, lists) and len(got) == 2 and all(isinstance(side, lists) for side in got)


def same_but_for_sides(expected: tuple, got: tuple) -> bool:
    """Whether two lists are the expected ones, in either order."""
    return same(expected, got) or same(expected[::-1], got)


def masks_after(differ: Callable, a: np.ndarray, b: np.ndarray) -> Words:
    """Whether two masks are unchanged once they were compared."""
    kept = [a.copy(), b.copy()]
    differ(a, b, 40)
    changed = [name for name, old, new in zip("ab", kept, [a, b]) if not np.array_equal(old, new)]
    return Words(f"{' and '.join(changed)} changed" if changed else "as they were")


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
            "A row reads its token only if there is one (`tokens is not None`) and it has not ended. "
            "Ask `is_terminated()` before the token is read, and again after it.",
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
            "What decides about the masks? The schema, the tokens, which of them end the answer and which "
            "are never text, the whitespace.",
            "`json.dumps(schema)` is a text: it keeps the order of keys, and writes `true` and `1` "
            "differently. Do not sort the keys.",
            "A set has no order: keep the frozenset as it is, or `tuple(sorted(...))` of it. "
            "A tuple can be hashed if what is in it can: `json.dumps(schema)`, "
            "`tuple(vocabulary.tokens)`, `vocabulary.eos_ids`, `vocabulary.special_ids` and `whitespace`, "
            "side by side. Joining the tokens would hide where they are cut.",
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
