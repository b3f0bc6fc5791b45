"""A budget: with room for the shortest completion every run ends, whatever the model prefers."""

from __future__ import annotations

import json
import random
import time
from collections import deque
from collections.abc import Callable

import jsonschema
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tokenmask.bitmask import allocate_token_bitmask
from tokenmask.budget import budget_of
from tokenmask.compiler import GrammarCompiler
from tokenmask.completion import NEVER
from tokenmask.exact import byte_shares
from tokenmask.groups import token_groups
from tokenmask.matcher import GrammarMatcher
from tokenmask.spelling import END, UNSPELLABLE, fewest_tokens, prepend
from tokenmask.trie import TokenTrie
from tokenmask.vocabulary import Vocabulary

TREE = {
    "$ref": "#/$defs/tree",
    "$defs": {
        "tree": {
            "type": "object",
            "properties": {
                "name": {"type": "string"},
                "cat": {"type": "array", "items": {"$ref": "#/$defs/tree"}},
            },
            "required": ["name"],
            "additionalProperties": False,
        }
    },
}
PERSON = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "minLength": 2, "maxLength": 9},
        "age": {"type": "integer", "minimum": 0},
        "active": {"type": "boolean"},
    },
    "required": ["name", "age"],
    "additionalProperties": False,
}
SCHEMAS = {
    "any": {},
    "boolean": {"type": "boolean"},
    "enum": {"enum": ["Ada", "Kim Kim", 1200, None]},
    "person": PERSON,
    "tree": TREE,
    "long array": {"type": "array", "items": {"type": "integer"}, "minItems": 6, "maxItems": 9},
    "rows": {
        "type": "array",
        "items": {"type": "array", "items": {"type": "number"}, "minItems": 2},
        "minItems": 1,
    },
    "counted": {"type": "string", "minLength": 7, "maxLength": 20},
    "pattern": {"type": "string", "pattern": "^[0-9]{3}-[0-9]{2,4}$"},
    "pattern and length": {"type": "string", "pattern": "^(cat)*$", "minLength": 6, "maxLength": 30},
    "several": {
        "anyOf": [
            {"type": "object", "properties": {"the": {"const": "cat"}}, "required": ["the"]},
            {"type": "array", "items": {"type": "null"}, "minItems": 2},
        ]
    },
    "free keys": {
        "type": "object",
        "properties": {"name": {"type": "string"}},
        "additionalProperties": {"type": "array", "items": {"type": "integer"}, "minItems": 2},
    },
    "three free keys": {
        "type": "object",
        "additionalProperties": {"type": "integer"},
        "minProperties": 3,
    },
    "two of three": {
        "type": "object",
        "properties": {
            "name": {"type": "string"},
            "age": {"type": "array", "items": {"type": "integer"}, "minItems": 3},
            "active": {"type": "boolean"},
        },
        "additionalProperties": False,
        "minProperties": 2,
    },
}
EXTRA = [0, 1, 3, 12]
"""Tokens beyond the shortest completion; the tighter, the more is narrowed."""


def uniform(vocabulary: Vocabulary, ids: list[int], rng: random.Random) -> int:
    return rng.choice(ids)


def longest(vocabulary: Vocabulary, ids: list[int], rng: random.Random) -> int:
    return max(ids, key=lambda i: (len(vocabulary.tokens[i]), i))


def opening(vocabulary: Vocabulary, ids: list[int], rng: random.Random) -> int:
    """Whatever opens most: brackets, keys, another element."""
    score = {ord("{"): 9, ord("["): 8, ord(","): 5, ord('"'): 1, ord("}"): -9, ord("]"): -9}
    return max(ids, key=lambda i: (sum(score.get(b, 0) for b in vocabulary.tokens[i]), rng.random()))


def backwards(vocabulary: Vocabulary, ids: list[int], rng: random.Random) -> int:
    """The least likely: rare tokens have high ids; half characters among them."""
    return max(ids, key=lambda i: (not vocabulary.tokens[i].isascii(), i))


PREFERENCES = [uniform, longest, opening, backwards]


def run(
    matcher: GrammarMatcher,
    limit: int,
    prefer: Callable[[Vocabulary, list[int], random.Random], int],
    rng: random.Random,
    stop: float = 0.0,
) -> str:
    """A whole run under a budget; asserts what is promised at every step."""
    vocabulary = matcher.compiled.vocabulary
    bitmask = allocate_token_bitmask(1, vocabulary.size)
    legal = allocate_token_bitmask(1, vocabulary.size)
    ends = set(vocabulary.eos_ids)
    text = b""
    for left in range(limit, -1, -1):
        matcher.fill_budget_bitmask(bitmask, left)
        matcher.fill_next_token_bitmask(legal)
        assert not (bitmask & ~legal).any(), "not a subset of the legal mask"
        ids = vocabulary.unpack(bitmask[0].view(np.uint32)).tolist()
        assert (ends <= set(ids)) == (matcher.is_accepting() or not ends)
        ids = [i for i in ids if i not in ends]
        if left == 0:
            assert not ids
        if not ids or (matcher.is_accepting() and rng.random() < stop):
            break
        token = prefer(vocabulary, ids, rng)
        assert matcher.accept_token(token)
        text += vocabulary.tokens[token]
    assert matcher.is_accepting()
    return text.decode()


@pytest.mark.parametrize("name", SCHEMAS)
@pytest.mark.parametrize("which", ["toy", "smol"])
def test_every_run_ends_valid(which: str, name: str, request: pytest.FixtureRequest) -> None:
    vocabulary, schema = request.getfixturevalue(which), SCHEMAS[name]
    compiled = GrammarCompiler(vocabulary).compile_json_schema(schema)
    shortest = GrammarMatcher(compiled).shortest_completion()
    rng = random.Random(7)
    for extra in EXTRA:
        for prefer in PREFERENCES:
            text = run(GrammarMatcher(compiled), len(shortest) + extra, prefer, rng, 0.1)
            jsonschema.validate(json.loads(text), schema)


@pytest.mark.parametrize("options", [{"key_order": "any"}, {"whitespace": "free"}, {"whitespace": "compact"}])
def test_every_run_ends_with_every_option(toy: Vocabulary, options: dict) -> None:
    for name in ("person", "two of three", "tree"):
        compiled = GrammarCompiler(toy).compile_json_schema(SCHEMAS[name], **options)
        shortest = GrammarMatcher(compiled).shortest_completion()
        rng = random.Random(3)
        for extra in (0, 1, 4):
            for prefer in (uniform, opening):
                text = run(GrammarMatcher(compiled), len(shortest) + extra, prefer, rng)
                jsonschema.validate(json.loads(text), SCHEMAS[name])


@pytest.mark.parametrize("name", SCHEMAS)
@pytest.mark.parametrize("which", ["toy", "smol"])
def test_shortest_completion_completes(which: str, name: str, request: pytest.FixtureRequest) -> None:
    """From the start, and from places along a random run."""
    vocabulary = request.getfixturevalue(which)
    matcher = GrammarMatcher(GrammarCompiler(vocabulary).compile_json_schema(SCHEMAS[name]))
    rng = random.Random(name)
    for _ in range(12):
        fork = matcher.fork()
        completion = fork.shortest_completion()
        assert all(fork.accept_token(token) for token in completion)
        assert fork.is_accepting()
        assert (completion == []) == matcher.is_accepting()
        ids = [i for i in matcher.legal_tokens().tolist() if i not in vocabulary.eos_ids]
        sane = [i for i in ids if _completable(matcher, i)]
        if not sane:
            break
        matcher.accept_token(rng.choice(sane))


def _completable(matcher: GrammarMatcher, token: int) -> bool:
    """In the toy vocabulary some legal tokens lead where it cannot spell the rest."""
    if matcher.compiled.vocabulary.size > 1000:
        return True
    fork = matcher.fork()
    fork.accept_token(token)
    try:
        fork.shortest_completion()
    except ValueError:
        return False
    return True


def distances(matcher: GrammarMatcher, depth: int) -> tuple[dict, int]:
    """Every state within `depth` tokens, and its exact distance to the end, by breadth-first search."""
    vocabulary, pushdown = matcher.compiled.vocabulary, matcher.compiled.pushdown
    before: dict = {}
    level = {matcher.state}
    seen = {matcher.state: 0}
    for step in range(1, depth + 1):
        following = set()
        for state in level:
            for token in vocabulary.text_ids():
                after = pushdown.read(state, vocabulary.tokens[token])
                if after is not None:
                    before.setdefault(after, []).append(state)
                    if after not in seen:
                        seen[after] = step
                        following.add(after)
        level = following
    exact = {state: 0 for state in seen if state.accepting}
    work = deque(exact)
    while work:
        state = work.popleft()
        for earlier in before.get(state, ()):
            if earlier not in exact:
                exact[earlier] = exact[state] + 1
                work.append(earlier)
    return exact, len(seen)


EXACT = {
    "boolean": 6,
    "enum": 10,
    "pattern": 12,
    "several": 9,
    "pattern and length": 8,
    "counted": 7,
    "long array": 20,
}


@pytest.mark.parametrize("name", EXACT)
def test_equals_the_definition_on_the_toy_vocabulary(toy: Vocabulary, name: str) -> None:
    """A token is kept exactly if the end can still be reached after it: against brute force."""
    depth = EXACT[name]
    compiled = GrammarCompiler(toy).compile_json_schema(SCHEMAS[name], "compact")
    start = GrammarMatcher(compiled)
    exact, count = distances(start, depth)
    assert count > 1
    assert len(start.shortest_completion()) == exact[start.state]
    bitmask = allocate_token_bitmask(1, toy.size)
    for limit in range(exact[start.state], depth):
        matcher, rng = GrammarMatcher(compiled), random.Random(limit)
        for left in range(limit, 0, -1):
            matcher.fill_budget_bitmask(bitmask, left)
            kept = toy.unpack(bitmask[0].view(np.uint32)).tolist()
            expected = []
            for token in matcher.legal_tokens().tolist():
                after = compiled.pushdown.read(matcher.state, toy.tokens[token])
                # states beyond the depth are too far in any case
                if 1 + exact.get(after, depth) <= left:
                    expected.append(token)
            assert kept == expected
            if not kept:
                break
            matcher.accept_token(rng.choice(kept))


def test_a_large_budget_narrows_nothing(smol: Vocabulary) -> None:
    compiled = GrammarCompiler(smol).compile_json_schema(TREE)
    matcher = GrammarMatcher(compiled)
    wide, narrow = allocate_token_bitmask(1, smol.size), allocate_token_bitmask(1, smol.size)
    for token in matcher.shortest_completion():
        matcher.fill_next_token_bitmask(wide)
        matcher.fill_budget_bitmask(narrow, 10_000)
        assert (wide == narrow).all()
        matcher.accept_token(token)


def test_too_small_a_budget_says_how_much_is_needed(smol: Vocabulary) -> None:
    matcher = GrammarMatcher(GrammarCompiler(smol).compile_json_schema(PERSON))
    needed = len(matcher.shortest_completion())
    bitmask = allocate_token_bitmask(1, smol.size)
    with pytest.raises(ValueError, match=f"{needed - 1} tokens are too few.* {needed} are needed"):
        matcher.fill_budget_bitmask(bitmask, needed - 1)
    matcher.fill_budget_bitmask(bitmask, needed)
    assert bitmask.any()


def test_what_the_vocabulary_cannot_spell_is_an_error(toy: Vocabulary) -> None:
    matcher = GrammarMatcher(GrammarCompiler(toy).compile_json_schema({"const": "Zebra"}))
    with pytest.raises(ValueError, match="cannot spell"):
        matcher.shortest_completion()


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "array", "contains": {"type": "string", "format": "ipv4"}},
        {"type": "object", "required": ["é"]},
        {"type": "object", "minProperties": 2, "required": ["a b"]},
    ],
)
def test_what_cannot_be_spelled_is_seen_soon(toy: Vocabulary, schema: dict) -> None:
    """An array that may go on for ever, free keys, free whitespace: no search through all of them."""
    compiled = GrammarCompiler(toy).compile_json_schema(schema, "free", "any")
    matcher, start = GrammarMatcher(compiled), time.process_time()
    with pytest.raises(ValueError, match="cannot spell"):
        matcher.shortest_completion()
    assert time.process_time() - start < 4


def test_a_large_number_is_planned_soon(smol: Vocabulary) -> None:
    schema = {"type": "number", "exclusiveMinimum": 10**9, "multipleOf": 0.01}
    matcher = GrammarMatcher(GrammarCompiler(smol).compile_json_schema(schema))
    start = time.process_time()
    text = b"".join(smol.tokens[i] for i in matcher.shortest_completion())
    assert time.process_time() - start < 4
    jsonschema.validate(json.loads(text), {"type": "number", "exclusiveMinimum": 10**9})


def test_the_toy_vocabulary_is_kept_off_dead_ends(toy: Vocabulary) -> None:
    """'Ada' begins "Adam", but no token goes on with "m"."""
    matcher = GrammarMatcher(GrammarCompiler(toy).compile_json_schema({"enum": ["Adam", "Kim"]}))
    matcher.accept_string('"')
    ada = toy.tokens.index(b"Ada")
    assert ada in matcher.legal_tokens()
    bitmask = allocate_token_bitmask(1, toy.size)
    matcher.fill_budget_bitmask(bitmask, 100)
    assert toy.unpack(bitmask[0].view(np.uint32)).tolist() == [toy.tokens.index(b"Kim")]


def test_the_comma_needs_room_for_what_it_brings(toy: Vocabulary) -> None:
    """[1 then ", 2]" takes four more tokens: with three left only the bracket may come."""
    schema = {"type": "array", "items": {"type": "integer"}}
    matcher = GrammarMatcher(GrammarCompiler(toy).compile_json_schema(schema))
    matcher.accept_string("[1")
    bitmask = allocate_token_bitmask(1, toy.size)
    comma = toy.tokens.index(b",")
    for left, fits in ((3, False), (4, True)):
        matcher.fill_budget_bitmask(bitmask, left)
        assert (comma in toy.unpack(bitmask[0].view(np.uint32)).tolist()) == fits


def test_nothing_is_legal_after_the_end(smol: Vocabulary) -> None:
    matcher = GrammarMatcher(GrammarCompiler(smol).compile_json_schema({"const": 1}))
    assert matcher.accept_string("1") and matcher.accept_token(smol.eos_ids[0])
    bitmask = allocate_token_bitmask(1, smol.size)
    matcher.fill_budget_bitmask(bitmask, 5)
    assert not bitmask.any()


def test_a_row_of_a_batch(toy: Vocabulary) -> None:
    matcher = GrammarMatcher(GrammarCompiler(toy).compile_json_schema({"type": "boolean"}))
    bitmask = allocate_token_bitmask(3, toy.size)
    bitmask[:] = 0
    matcher.fill_budget_bitmask(bitmask, 1, index=1)
    assert bitmask[1].any() and not bitmask[0].any() and not bitmask[2].any()


def test_thousands_of_elements_that_must_come(smol: Vocabulary) -> None:
    """No recursion over the chain of what is owed."""
    schema = {"type": "array", "items": {"type": "integer"}, "minItems": 5000}
    matcher = GrammarMatcher(GrammarCompiler(smol).compile_json_schema(schema))
    completion = matcher.shortest_completion()
    assert len(json.loads(b"".join(smol.tokens[i] for i in completion))) == 5000


def test_huge_bounds_that_ask_for_nothing(smol: Vocabulary) -> None:
    schema = {"type": "array", "items": {"type": "string"}, "maxItems": 10**9}
    matcher = GrammarMatcher(GrammarCompiler(smol).compile_json_schema(schema))
    assert len(matcher.shortest_completion()) <= 2


def test_patterns_and_grammars_have_budgets_too(smol: Vocabulary) -> None:
    compiler, rng = GrammarCompiler(smol), random.Random(1)
    for compiled in (
        compiler.compile_regex("(ab|cd){3,9}e+"),
        compiler.compile_grammar('root ::= "(" root ")" | [a-z]+ "!"'),
    ):
        shortest = GrammarMatcher(compiled).shortest_completion()
        for extra in (0, 1, 3, 9):
            for prefer in PREFERENCES:
                run(GrammarMatcher(compiled), len(shortest) + extra, prefer, rng)


def test_fewest_tokens_is_what_all_cuts_say() -> None:
    """Against every way of cutting a text."""
    words = [b"a", b"ab", b"b", b"bab", b"abba"]
    trie = TokenTrie.build(words, range(len(words)))

    def brute(text: bytes) -> int:
        if not text:
            return 0
        cuts = [1 + brute(text[len(w) :]) for w in words if text.startswith(w)]
        return min(cuts, default=UNSPELLABLE)

    rng = random.Random(5)
    for _ in range(300):
        text = bytes(rng.choice(b"abc" if rng.random() < 0.1 else b"ab") for _ in range(rng.randrange(9)))
        assert min(fewest_tokens(trie, text), UNSPELLABLE) == min(brute(text), UNSPELLABLE)
        cell = prepend(trie, text, END)
        if cell.cost < UNSPELLABLE:
            assert b"".join(words[i] for i in cell.tokens()) == text


def test_shares_never_exceed_a_token(toy: Vocabulary) -> None:
    shares = byte_shares(toy)
    from tokenmask.exact import UNIT

    assert all(sum(shares[b] for b in token) <= UNIT for token in toy.tokens)
    assert shares[ord("Z")] == NEVER


@pytest.mark.parametrize("name", ["counted", "person", "any", "three free keys", "pattern and length"])
def test_groups_lead_where_their_tokens_lead(smol: Vocabulary, name: str) -> None:
    """Wide places: the cost of a group is the cost of the state after each of its tokens."""
    compiled = GrammarCompiler(smol).compile_json_schema(SCHEMAS[name])
    matcher = GrammarMatcher(compiled)
    budget = budget_of(smol, compiled.pushdown)
    rng = random.Random(11)
    for _ in range(8):
        state = matcher.state
        for stack in state.stacks:
            for after, ids in token_groups(stack.item, smol.trie.root, budget.prices):
                for token in rng.sample(list(map(int, ids)), min(4, len(ids))):
                    reached = compiled.pushdown.read(state, smol.tokens[token])
                    there = compiled.pushdown.push((after,), stack.below)
                    assert budget.cost(reached) <= budget.cell(there).cost
        ids = [i for i in matcher.legal_tokens().tolist() if i not in smol.eos_ids]
        if not ids:
            break
        matcher.accept_token(rng.choice(ids))


@st.composite
def small_schemas(draw: st.DrawFn, depth: int = 2) -> dict:
    leaf = st.sampled_from(
        [
            {"type": "integer"},
            {"type": "null"},
            {"enum": ["cat", "sat", 20]},
            {"type": "string", "minLength": 3, "maxLength": 8},
            {"type": "string"},
        ]
    )
    if depth == 0:
        return draw(leaf)
    below = small_schemas(depth - 1)
    kind = draw(st.sampled_from(["leaf", "array", "object", "any of"]))
    if kind == "array":
        least = draw(st.integers(0, 3))
        return {"type": "array", "items": draw(below), "minItems": least, "maxItems": least + 2}
    if kind == "object":
        names = draw(st.lists(st.sampled_from(["name", "age", "cat", "the"]), unique=True))
        required = [name for name in names if draw(st.booleans())]
        return {
            "type": "object",
            "properties": {name: draw(below) for name in names},
            "required": required,
            "additionalProperties": draw(st.sampled_from([False, {"type": "integer"}])),
        }
    if kind == "any of":
        return {"anyOf": [draw(below), draw(below)]}
    return draw(leaf)


@settings(max_examples=60, deadline=None)
@given(
    schema=small_schemas(),
    order=st.sampled_from(["schema", "any"]),
    extra=st.integers(0, 9),
    which=st.integers(0, len(PREFERENCES) - 1),
    seed=st.integers(0, 1000),
    merged=st.lists(
        st.sampled_from([b'":', b'": ', b', "', b'"}', b"]]", b'", ', b"}, ", b"0]", b'{"', b"1, "]),
        unique=True,
    ),
)
def test_any_schema_any_model(
    toy: Vocabulary, schema: dict, order: str, extra: int, which: int, seed: int, merged: list[bytes]
) -> None:
    """Also with tokens that cross from one item into the next."""
    vocabulary = Vocabulary([*toy.tokens, *merged, b"<end>"], [toy.size + len(merged)])
    compiled = GrammarCompiler(vocabulary).compile_json_schema(schema, key_order=order)
    matcher = GrammarMatcher(compiled)
    limit = len(matcher.shortest_completion()) + extra
    text = run(matcher, limit, PREFERENCES[which], random.Random(seed), 0.1)
    jsonschema.validate(json.loads(text), schema)


@settings(max_examples=60, deadline=None)
@given(
    schema=small_schemas(),
    order=st.sampled_from(["schema", "any"]),
    extra=st.integers(0, 9),
    which=st.integers(0, len(PREFERENCES) - 1),
    seed=st.integers(0, 1000),
    least=st.integers(0, 3),
)
def test_any_schema_with_spelled_plans(
    toy: Vocabulary, schema: dict, order: str, extra: int, which: int, seed: int, least: int
) -> None:
    """The way of large vocabularies, with one that has all bytes and the toy words."""
    schema = {"type": "object", "properties": {"name": schema}, "minProperties": least}
    tokens = [bytes((b,)) for b in range(256)] + [t for t in toy.tokens if len(t) > 1]
    tokens += [b'": ', b', "', b'"}', b'{"']
    vocabulary = Vocabulary([*tokens, b"<end>"], [len(tokens)])
    compiled = GrammarCompiler(vocabulary).compile_json_schema(schema, key_order=order)
    budget_of(vocabulary, compiled.pushdown).exact = None
    matcher = GrammarMatcher(compiled)
    limit = len(matcher.shortest_completion()) + extra
    text = run(matcher, limit, PREFERENCES[which], random.Random(seed), 0.1)
    jsonschema.validate(json.loads(text), schema)
