"""Lesson 09, exercise 9.3: pairs of requests that must share a key, and pairs that must not."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from lessons.exercise import Case, Words
from tokenmask import Vocabulary

TOKENS = (b"ab", b"c", b"}", b"<end>", b"<pad>")
SMALL = Vocabulary(TOKENS, eos_ids=[3], special_ids=[4])
TWO = {"properties": {"a": {"type": "string"}, "b": {"type": "null"}}}
SWAPPED = {"properties": {"b": {"type": "null"}, "a": {"type": "string"}}}


def small(*tokens: bytes, eos: tuple[int, ...] = (3,), special: tuple[int, ...] = (4,)) -> Vocabulary:
    """Like SMALL, but for what is given."""
    return Vocabulary(tokens or TOKENS, eos, special)


def many(other: int | None = None) -> Vocabulary:
    """2,000 tokens; token number `other` is another one."""
    return Vocabulary([b"?" if i == other else b"%d" % i for i in range(2000)], eos_ids=[1])


def thirteen(eos: tuple[int, ...], special: tuple[int, ...]) -> Vocabulary:
    """Tokens 0 to 12, so that the numbers 1 and 2 side by side look like one."""
    return Vocabulary([b"%c" % (97 + i) for i in range(13)], eos, special)


TOGETHER = "a mask is about one grammar and one vocabulary together: the tokens belong in the key"
ENDS = "which tokens end the answer belongs in the key, too: all of them, by their numbers"
SPECIAL = "which tokens are special, so never text, belongs in the key, too: all of them, by their numbers"
APART = "which tokens end the answer and which are special are two things: keep them apart"
NUMBERS = "1 and 2 side by side are not 12: keep the numbers apart, as a tuple does"
SUMS = "1 + 4 is as much as 2 + 3: keep the numbers apart, as a tuple does"
BYTES = "tokens are bytes, some only a part of a character: keep them as bytes, and do not decode them"
EVERY = "all the tokens belong in the key, however many there are"
PARTED = "any byte may be inside a token, so none can part them: keep the tokens apart, as a tuple does"
# every byte, and texts that people put between two things
SEPARATORS = [bytes([i]) for i in range(256)] + [b", ", b"; ", b"||", b"\r\n", b"\0\0", b"<sep>", b"</s>"]
TWINS = (b"ab", b"c", b"}", b"<end>", b"<end>")

# what differs, two vocabularies, why they cannot share a key
VOCABULARIES = [
    ("tokens cut elsewhere", SMALL, small(b"a", b"bc", *TOKENS[2:]), f"{TOGETHER}, each by itself"),
    ("tokens in another order", SMALL, small(b"c", b"ab", *TOKENS[2:]), f"{TOGETHER}, in their order"),
    ("one token more", SMALL, small(*TOKENS, b"d"), TOGETHER),
    ("token 0 is one byte, FF or FE", small(b"\xff", *TOKENS[1:]), small(b"\xfe", *TOKENS[1:]), BYTES),
    ("token 0 is b'a' or b'a\\x00'", small(b"a", *TOKENS[1:]), small(b"a\0", *TOKENS[1:]),
     "a zero byte counts like any other; a NumPy array of bytes drops those at the end"),
    ("2,000 tokens, and the first one differs", many(), many(0), EVERY),
    ("2,000 tokens, and number 1000 differs", many(), many(1000), EVERY),
    ("2,000 tokens, and the last one differs", many(), many(1999), EVERY),
    ("token 3 or token 2 ends the answer", SMALL, small(eos=(2,)), ENDS),
    ("token 3, or tokens 2 and 3 end the answer", SMALL, small(eos=(2, 3)), ENDS),
    ("token 2, or tokens 2 and 3 end the answer", small(eos=(2,)), small(eos=(2, 3)), ENDS),
    ("token 3 or token 4 ends the answer, both are b'<end>'", small(*TWINS, eos=(3,), special=()),
     small(*TWINS, eos=(4,), special=()), ENDS),
    ("tokens 1 and 2, or token 12 end the answer", thirteen((1, 2), ()), thirteen((12,), ()), NUMBERS),
    ("tokens 1 and 4, or tokens 2 and 3 end the answer", thirteen((1, 4), ()), thirteen((2, 3), ()), SUMS),
    ("token 4 is special, or no token is", SMALL, small(special=()), SPECIAL),
    ("token 4, or tokens 0 and 4 are special", SMALL, small(special=(0, 4)), SPECIAL),
    ("token 0, or tokens 0 and 4 are special", small(special=(0,)), small(special=(0, 4)), SPECIAL),
    ("token 3 or token 4 is special, both are b'<end>'", small(*TWINS, eos=(), special=(3,)),
     small(*TWINS, eos=(), special=(4,)), SPECIAL),
    ("tokens 1 and 2, or token 12 are special", thirteen((), (1, 2)), thirteen((), (12,)), NUMBERS),
    ("tokens 1 and 4, or tokens 2 and 3 are special", thirteen((), (1, 4)), thirteen((), (2, 3)), SUMS),
    ("token 3 ends the answer and 4 is special, or the other way round", SMALL,
     small(eos=(4,), special=(3,)), APART),
    ("token 4 is special, or ends the answer as token 3 does", SMALL, small(eos=(3, 4), special=()), APART),
]  # fmt: skip

# what differs, two schemas, why they cannot share a key
SCHEMAS = [
    ("another schema", TWO, {"type": "null"}, "another schema, another grammar"),
    ("properties in another order", TWO, SWAPPED,
     "keys are written in the order of `properties`: do not sort it away"),
    ("{'const': 1} and {'const': True}", {"const": 1}, {"const": True},
     "Python says 1 == True; JSON does not"),
    ("{'const': 1} and {'const': '1'}", {"const": 1}, {"const": "1"}, "a text is not a number"),
    ("{'const': 'a'} and {'const': 'A'}", {"const": "a"}, {"const": "A"},
     "small and capital letters are different text: leave the schema as it is"),
    ("{'const': 'a b'} and {'const': 'ab'}", {"const": "a b"}, {"const": "ab"},
     "spaces inside a string count: leave the schema as it is"),
]  # fmt: skip


def answer(same: bool) -> Words:
    """In the report's words."""
    return Words("yes" if same else "no")


def same_key(cache_key: Callable, first: tuple, second: tuple) -> Words:
    """Whether a dictionary finds under the second request what was kept under the first."""
    kept = {cache_key(*first): True}
    return answer(cache_key(*second) in kept)


def pair(cache_key: Callable, what: str, first: tuple, second: tuple, same: bool, because: str) -> Case:
    """One pair of requests."""
    return Case(
        f"the same key for: {what}",
        answer(same),
        lambda: same_key(cache_key, first, second),
        because=because,
    )


def key_cases(cache_key: Callable) -> Iterator[Case]:
    """Equal requests, then such as differ in one thing."""
    request = (TWO, SMALL, "spaced")
    yield Case(
        "can the key be a dictionary's key",
        answer(True),
        lambda: answer(isinstance(hash(cache_key(*request)), int)),
        because="a dictionary's key is text, bytes, numbers, or tuples of these: no list, no dict",
    )
    copy = {"properties": {"a": {"type": "string"}, "b": {"type": "null"}}}
    yield pair(
        cache_key, "an equal schema, in another object", request, (copy, SMALL, "spaced"), True,
        "a request brings its own copy of the schema: the content counts, not the object",
    )  # fmt: skip
    yield pair(
        cache_key, "an equal vocabulary, in another object", request, (TWO, small(), "spaced"), True,
        "two tokenizers with the same tokens can share a grammar",
    )  # fmt: skip
    yield pair(
        cache_key, "special_ids written as [0, 8] and as [8, 0]",
        (TWO, thirteen((), (0, 8)), "spaced"), (TWO, thirteen((), (8, 0)), "spaced"), True,
        "a set has no order, and the one it is read in is chance: `sorted` it, or keep the frozenset",
    )  # fmt: skip
    for what, schema, other, because in SCHEMAS[:1]:
        yield pair(cache_key, what, (schema, *request[1:]), (other, *request[1:]), False, because)
    for what, vocabulary, other, because in VOCABULARIES:
        yield pair(cache_key, what, (TWO, vocabulary, "spaced"), (TWO, other, "spaced"), False, because)
    yield Case(
        "the same key for: tokens that read alike once something is put between them",
        answer(False),
        lambda: parted(cache_key),
        because=PARTED,
    )
    for whitespace in ("compact", "free"):
        yield pair(
            cache_key, f"whitespace 'spaced' and {whitespace!r}", request, (TWO, SMALL, whitespace), False,
            "an option that changes the grammar belongs in the key; here `whitespace` is the only one",
        )  # fmt: skip
    for what, schema, other, because in SCHEMAS[1:]:
        yield pair(cache_key, what, (schema, *request[1:]), (other, *request[1:]), False, because)
    yield Case(
        "the same key for: a schema, and the same object with one more value in its enum",
        answer(False),
        lambda: changed_in_place(cache_key),
        because="a key must not change with the object that it was made of: keep a text of it",
    )


def parted(cache_key: Callable) -> Words:
    """Whether some separator makes one text of two lists of tokens, both of one length."""
    for between in SEPARATORS:
        first = small(b"a" + between + b"b", b"a", *TOKENS[2:])
        second = small(b"a", b"b" + between + b"a", *TOKENS[2:])
        if same_key(cache_key, (TWO, first, "spaced"), (TWO, second, "spaced")) == answer(True):
            return Words(f"yes: {first.tokens[:2]} and {second.tokens[:2]}, the rest alike")
    return answer(False)


def changed_in_place(cache_key: Callable) -> Words:
    """Whether a schema is found again after it was changed."""
    schema = {"enum": [1, 2]}
    kept = {cache_key(schema, SMALL, "spaced"): True}
    schema["enum"].append(3)
    return answer(cache_key(schema, SMALL, "spaced") in kept)
