"""Lesson 02: bytes of a token, the trie, bitsets, and cache keys that do not lie."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations

import numpy as np

from lessons.exercise import Case, Exercise, Words, calls
from lessons.pieces import l02
from lessons.pieces.records import ByteBuilder, records_machine
from tokenmask.trie import Node, TokenTrie

LETTERS = l02.byte_letters()
RECORDS = records_machine()
NUMBER = ByteBuilder().number()
# an automaton that comes back to its first state: nothing here ever ends
LOOP = ByteBuilder()
LOOP.join([1], b"ab", 1)


class Root(Node):
    """A trie's root that shows as the tokens it was made of."""

    __slots__ = ("texts",)

    def __init__(self, texts: list[bytes]) -> None:
        super().__init__(TokenTrie.build(texts, range(len(texts))), (0,))
        self.texts = texts

    def __repr__(self) -> str:
        return f"root of {self.texts}"


def bytes_cases(token_bytes: Callable) -> Iterator[Case]:
    """Plain letters, spaces, whole characters and halves of them."""

    def case(piece: str, because: str) -> Case:
        return Case(
            f"token_bytes({piece!r}, letters)",
            l02.token_bytes(piece, LETTERS),
            lambda: token_bytes(piece, dict(LETTERS)),
            because=because,
        )

    yield case("name", "the answer is bytes, one for each character of the piece")
    yield case("Ġcat", "Ġ is how the tokenizer writes a space")
    yield case("ĊĊ", "every character is looked up in `letters`: Ċ stands for a line break")
    yield case("Ã©", "two letters of this alphabet are two bytes, here of one character, é")
    yield case("ðŁĻ", "three bytes of four: half a character is a token like any other")
    yield case("", "no letters, no bytes")


def machine_of(builder: ByteBuilder, name: str) -> l02.Machine:
    """A small automaton."""
    return l02.Machine(np.array(builder.rows, np.int32), name=name)


def descend_cases(descend: Callable) -> Iterator[Case]:
    """Must equal replay: prefixes of one another, duplicates, dead ends, half characters."""
    number, loop = machine_of(NUMBER, "number"), machine_of(LOOP, "loop")
    quoted = l02.walk(RECORDS, 1, b'[{"name": "')
    half = l02.walk(RECORDS, quoted, b"\xf0\x9f")
    vocabularies = [
        (number, 1, [b"1", b"12", b"1.5", b"1.", b"-", b"-0", b"01", b"a", b"1a"]),
        (number, 1, [b"12", b"1", b"x", b"12", b"0"]),
        (number, 1, [b"1.2.3", b".5", b"100"]),
        (loop, 1, [b"b", b"a", b"abab", b"abc", b"ca", b"bbbbbbbbbbbb"]),
        (RECORDS, 1, [b"{", b"[", b'[{"', b'[{"na', b"[[", b"]"]),
        (RECORDS, quoted, [b'Ada"', b'", "', b'", "age', b'"}', b"Ad\n", b'\\"', b"\xc3", b"\xa9"]),
        (RECORDS, half, [b"\x99", b"\x99\x82", b"\x99\x82 a", b"a", b"\xf0", b" "]),
        (number, 1, [b"x", b"y"]),
    ]
    because = "a token is legal exactly if replay says so: each byte leads on, from the state before it. "
    because += "Ids ascend"
    for machine, state, texts in vocabularies:
        root = Root(texts)
        yield Case(
            f"descend({machine.name}, {state}, {root!r})",
            l02.replay(machine, state, texts),
            lambda machine=machine, state=state, root=root: descend(machine, state, root),
            because=because,
        )
    yield from [counts_few_steps(descend, number)]


class Counted(list):
    """A row of a table that counts how often it is looked at."""

    looked = 0

    def __getitem__(self, index):
        Counted.looked += 1
        return super().__getitem__(index)


def counts_few_steps(descend: Callable, machine: l02.Machine) -> Case:
    """Sharing must be real: 1,000 tokens that begin with the same illegal byte cost one look."""
    texts = [b"x%03d" % i for i in range(1000)] + [b"7%03d" % i for i in range(1000)]
    root = Root(texts)
    watched = l02.Machine(machine.table, name="number")
    watched.rows = [Counted(row) for row in watched.rows]

    def run() -> str:
        Counted.looked = 0
        found = descend(watched, 1, root)
        if found != list(range(1000, 2000)):
            return Words(f"{len(found)} tokens")
        return Words("few") if Counted.looked <= 1500 else Words(f"{Counted.looked} look-ups")

    return Case(
        "look-ups in machine.rows for the 2000 tokens x000 to x999 and 7000 to 7999",
        Words("few"),
        run,
        because="stop at the first illegal byte: everything below that node begins with it",
    )


def bitset_cases(pack: Callable, unpack: Callable) -> Iterator[Case]:
    """Both ways, across words, with the top bit, empty and full."""
    inputs = [([0, 2, 33], 40), ([31], 32), ([5, 32, 63, 64], 65), ([], 40), (list(range(70)), 70)]
    because = "bit i of word w is token 32 w + i; ceil(size / 32) words of type uint32"
    for ids, size in inputs:
        yield from calls(pack, [(ids, size)], l02.pack, because, "pack")
        yield Case(
            f"pack({ids if len(ids) < 9 else 'all ids'}, {size}).dtype",
            Words("uint32"),
            lambda ids=ids, size=size: Words(pack(list(ids), size).dtype),
            because="the masks of real engines are 32-bit words, so that a kernel can read them",
        )
    because = "lowest id first: word after word, bit after bit"
    words = [l02.pack(ids, size) for ids, size in inputs]
    yield from calls(unpack, [(word,) for word in words], l02.unpack, because, "unpack")


def confused_cases(confused: Callable) -> Iterator[Case]:
    """A pair must have equal keys and different masks; sound keys have none."""
    tables = [
        ([("a", 1), ("a", 2), ("b", 1)], {("a", 1): "xy", ("a", 2): "x", ("b", 1): "x"}),
        ([1, 2, 3, 4], {1: "x", 2: "x", 3: "x", 4: "y"}),
        ([1, 2, 11, 12, 21], {1: "x", 2: "y", 11: "x", 12: "y", 21: "z"}),
        ([1, 2, 3], {1: "x", 2: "y", 3: "z"}),
        ([1, 12, 11], {1: "x", 12: "x", 11: "x"}),
    ]
    keys = [
        ("place", lambda state: state[0]),
        ("same", lambda state: 0),
        ("last_digit", lambda n: n % 10),
        ("whole_state", lambda n: n),
        ("last_digit", lambda n: n % 10),
    ]
    for (states, masks), (name, key) in zip(tables, keys, strict=True):
        shown = ", ".join(f"{state}: {mask}" for state, mask in masks.items())
        pairs = [p for p in combinations(states, 2) if key(p[0]) == key(p[1]) and masks[p[0]] != masks[p[1]]]
        expected = " or ".join(map(str, pairs)) if pairs else "None"
        yield Case(
            f"confused({name}, states, mask), masks {{{shown}}}",
            Words(expected),
            lambda states=states, masks=masks, key=key: confused(key, list(states), masks.__getitem__),
            lambda _, got, pairs=pairs: is_pair(got, pairs),
            because="a lie is a pair of states with equal keys whose masks differ",
        )
    by_place = "lambda state: state[0]"
    yield Case(
        f"confused({by_place}, states and masks of arrays with at most 3 items)",
        Words("('after', 1) and ('after', 3), or another such pair"),
        lambda: confused(lambda s: s[0], l02.array_states(3), array_mask(3, ARRAY_TOKENS)),
        lambda _, got: is_pair(got, array_lies(3, ARRAY_TOKENS)),
        because="compare each state with all earlier ones of its key, not with its neighbour only",
    )


def is_pair(got: object, pairs: list) -> bool:
    """True if `got` is one of `pairs`, either way round; None if there are none."""
    if not pairs:
        return got is None
    return isinstance(got, tuple | list) and (tuple(got) in pairs or tuple(got)[::-1] in pairs)


ARRAY_TOKENS = ["1", "7", ",", "]", ",7", "7,", "7]", "1,2", ",1,2", "1,2,3", "12"]
SHORT_TOKENS = ["0", "9", ",", "]"]
LONG_TOKENS = [*ARRAY_TOKENS, "1,2,3,4,5,6", ",9,9,9,9"]
EXPONENT_TOKENS = ["0", "5", "12", "123", ",", "5,", "12,"]


def array_mask(max_items: int, tokens: list[str]) -> Callable:
    """state -> its legal tokens."""
    return lambda state: l02.counted_mask(l02.array_step, state, max_items, tokens)


def array_lies(max_items: int, tokens: list[str]) -> list[tuple]:
    """All pairs that the key "place only" confuses."""
    mask = array_mask(max_items, tokens)
    pairs = combinations(l02.array_states(max_items), 2)
    return [(a, b) for a, b in pairs if a[0] == b[0] and mask(a) != mask(b)]


def tells_apart(key: Callable, name: str, states: list, step: Callable, limit: int, tokens: list[str]):
    """One case for each pair of states whose masks differ: their keys must differ too."""
    # neighbours first: they show best what a clamp misses
    pairs = sorted(combinations(states, 2), key=lambda pair: abs(pair[0][1] - pair[1][1]))
    for one, other in pairs:
        first, second = (l02.counted_mask(step, s, limit, tokens) for s in (one, other))
        differing = [token for token in tokens if (token in first) != (token in second)]
        if not differing:
            continue
        where = one if differing[-1] in first else other
        yield Case(
            f"{name}({one}, {limit}, tokens) and {name}({other}, {limit}, tokens), tokens {tokens}",
            Words(f"two different keys: {differing[-1]!r} is legal in {where} only"),
            lambda one=one, other=other: (key(one, limit, list(tokens)), key(other, limit, list(tokens))),
            lambda _, got: got[0] != got[1] and all(hash(k) is not None for k in got),
            because="a clamp must keep apart whatever some token can tell apart",
        )


def few_keys(key: Callable, name: str, states: list, limit: int, tokens: list[str], most: int) -> Case:
    """A key that is the whole state is sound and useless."""
    return Case(
        f"number of different {name}(state, {limit}, tokens) over all {len(states)} states, tokens {tokens}",
        Words(f"{most} at most"),
        lambda: len({key(state, limit, list(tokens)) for state in states}),
        lambda _, got: got <= most,
        because="states with the same mask should share it: far from the limit the count does not matter",
    )


def array_key_cases(array_key: Callable) -> Iterator[Case]:
    """Sound for small and large limits and long tokens, and still few keys."""
    for limit, tokens in [(5, SHORT_TOKENS), (5, ARRAY_TOKENS), (1, ARRAY_TOKENS), (12, LONG_TOKENS)]:
        states = l02.array_states(limit)
        yield from tells_apart(array_key, "array_key", states, l02.array_step, limit, tokens)
    states = l02.array_states(1000)
    yield few_keys(array_key, "array_key", states, 1000, ARRAY_TOKENS, 2 * (2 + 5))
    yield few_keys(array_key, "array_key", states, 1000, SHORT_TOKENS, 2 * (1 + 3))


def exponent_key_cases(exponent_key: Callable) -> Iterator[Case]:
    """Both thresholds: the cap, and the first digit."""
    for cap, tokens in [(3, SHORT_TOKENS), (5, EXPONENT_TOKENS), (9, EXPONENT_TOKENS)]:
        states = [*l02.exponent_states(cap), ("done", 1)]
        yield from tells_apart(exponent_key, "exponent_key", states, l02.exponent_step, cap, tokens)
    states = l02.exponent_states(400)
    yield few_keys(exponent_key, "exponent_key", states, 400, EXPONENT_TOKENS, 8)


EXERCISES = [
    Exercise(
        number="2.1",
        title="The bytes of a token",
        minutes=5,
        difficulty=1,
        names=("token_bytes",),
        cases=bytes_cases,
        hints=(
            "`letters` has an entry for every character that can occur. No case needs a rule of its own.",
            "`bytes([32, 99])` is `b' c'`: `bytes` takes any iterable of numbers from 0 to 255.",
            "`bytes(letters[char] for char in ...)`",
        ),
    ),
    Exercise(
        number="2.2",
        title="Descend the trie",
        minutes=10,
        difficulty=3,
        names=("descend",),
        cases=descend_cases,
        hints=(
            "Keep a list of places to go on from: pairs (state, node). Start with the pair you were given.",
            "For each `byte, child` of `node.children.items()`: `after = machine.rows[state][byte]`. If "
            "it is 0, nothing below `child` is legal.",
            "If it is not 0, the tokens that end at `child` are legal (`child.tokens`), and `(after, "
            "child)` is one more place to go on from. At the end, `sorted(...)`.",
        ),
    ),
    Exercise(
        number="2.3",
        title="Pack and unpack a bitset",
        minutes=8,
        difficulty=2,
        names=("pack", "unpack"),
        cases=bitset_cases,
        hints=(
            "Token `i` is in word `i // 32`, at bit `i % 32`. How many words do 40 tokens need? "
            "`-(-size // 32)` rounds up.",
            "`words[i // 32] |= np.uint32(1 << (i % 32))` sets one bit. Begin with `np.zeros(n, np.uint32)`.",
            "To unpack: for each word and each bit from 0 to 31, is `(int(word) >> bit) & 1` set? Then "
            "the id is `32 * w + bit`.",
        ),
    ),
    Exercise(
        number="2.4",
        title="Catch a key that lies",
        minutes=7,
        difficulty=3,
        names=("confused",),
        cases=confused_cases,
        hints=(
            "This is what a cache does: the first state with a key fills it, later ones get its mask. "
            "When is that wrong?",
            "A dictionary from key to the first state that had it; `setdefault` looks and fills at once.",
            "Compare `mask(first)` with `mask(state)`. If they differ, return `(first, state)`.",
        ),
    ),
    Exercise(
        number="2.5",
        title="A sound key for maxItems",
        minutes=10,
        difficulty=4,
        names=("array_key",),
        cases=array_key_cases,
        hints=(
            "The step function never asks how many items there are. It asks `count < max_items`. So what "
            "matters is how many may still come: `max_items - count`.",
            "A token can ask that question several times: once for each of its commas. What is the most "
            "commas in any token?",
            'In "value" one element comes before the first comma, which uses up one more. So the clamp is '
            "`min(max_items - count, most + 1)`, and the place belongs in the key too.",
        ),
    ),
    Exercise(
        number="2.6",
        title="A sound key for exponents",
        minutes=6,
        difficulty=3,
        names=("exponent_key",),
        cases=exponent_key_cases,
        hints=(
            "Read `exponent_step` and list every comparison with `count`. There are two.",
            "`count < cap` is asked once for each digit of a token: clamp `cap - count` at the length of "
            "the longest token.",
            "`count >= 1` is the other: is there a digit at all? With a high cap the clamp cannot tell 0 "
            "digits from 1, so put that truth value into the key as well.",
        ),
    ),
]
