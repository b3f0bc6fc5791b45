"""Expressions promise: the language of the regex, shared nodes, few states, no dead ends, no hangs."""

import doctest
import importlib
import itertools
import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tokenmask.characters import ANY_CONTENT
from tokenmask.expression import (
    ALL,
    EMPTY,
    NOTHING,
    TooComplex,
    both,
    byte_ranges,
    concat,
    either,
    is_nothing,
    literal,
    matches,
    negate,
    repeat,
    shortest,
    transitions,
    words,
)
from tokenmask.formats import FORMATS

LETTERS = b"abc"
WORDS = [bytes(w) for n in range(5) for w in itertools.product(LETTERS, repeat=n)]
A, B, C = (literal(bytes((c,))) for c in LETTERS)


def language(e):
    return {w for w in WORDS if matches(e, w)}


def reachable(e, limit=2000):
    seen, todo = {e}, [e]
    while todo and len(seen) < limit:
        for _, _, rest in transitions(todo.pop()):
            if rest not in seen:
                seen.add(rest)
                todo.append(rest)
    return seen


classes = st.sampled_from([b"a", b"b", b"c", b"ab", b"bc", b"abc"])
trees = st.recursive(
    st.one_of(classes.map(lambda c: ("class", c)), st.just(("empty",))),
    lambda inner: st.one_of(
        st.tuples(st.just("concat"), inner, inner),
        st.tuples(st.just("either"), inner, inner),
        st.tuples(st.just("repeat"), inner, st.integers(0, 3), st.one_of(st.none(), st.integers(0, 3))),
    ),
    max_leaves=8,
)


def build(tree):
    """The expression of a tree, and the same for Python's re."""
    match tree:
        case ("empty",):
            return EMPTY, b"(?:)"
        case ("class", letters):
            return byte_ranges(tuple((c, c) for c in letters)), b"[" + letters + b"]"
        case ("concat", one, other):
            (e, p), (f, q) = build(one), build(other)
            return concat(e, f), p + q
        case ("either", one, other):
            (e, p), (f, q) = build(one), build(other)
            return either(e, f), b"(?:" + p + b"|" + q + b")"
        case ("repeat", one, lo, more):
            e, p = build(one)
            hi = None if more is None else lo + more
            return repeat(e, lo, hi), b"(?:" + p + b"){%d,%s}" % (lo, b"" if hi is None else b"%d" % hi)


@settings(max_examples=150, deadline=None)
@given(trees)
def test_expressions_agree_with_re(tree):
    e, pattern = build(tree)
    compiled = re.compile(pattern)
    assert language(e) == {w for w in WORDS if compiled.fullmatch(w)}


@settings(max_examples=150, deadline=None)
@given(trees, trees, trees)
def test_intersection_and_complement_mean_what_they_do_on_sets(one, other, third):
    e, f, g = (build(t)[0] for t in (one, other, third))
    every = set(WORDS)
    assert language(both(e, f)) == language(e) & language(f)
    assert language(both(e, negate(f))) == language(e) - language(f)
    assert language(negate(either(e, both(f, g)))) == every - (language(e) | language(f) & language(g))
    kept, after = language(e) - language(f), language(g)
    assert language(concat(both(e, negate(f)), g)) == {
        w for w in WORDS if any(w[:i] in kept and w[i:] in after for i in range(len(w) + 1))
    }


@settings(max_examples=200, deadline=None)
@given(trees, trees)
def test_no_transition_leads_to_a_dead_end(one, other):
    e = both(build(one)[0], negate(build(other)[0]))
    empty = is_nothing(e)
    assert empty == (shortest(e) is None)
    if not empty:
        for state in reachable(e):
            assert state.nullable or transitions(state)
            assert shortest(state) is not None


@settings(max_examples=200, deadline=None)
@given(trees)
def test_rows_are_sorted_disjoint_and_joined(tree):
    for state in reachable(build(tree)[0]):
        row = transitions(state)
        for (lo, hi, rest), (next_lo, _, next_rest) in itertools.pairwise(row):
            assert lo <= hi < next_lo
            assert rest is not next_rest or hi + 1 < next_lo
        assert all(rest is not NOTHING for _, _, rest in row)


@settings(max_examples=200, deadline=None)
@given(trees)
def test_words_are_the_shortest_in_order(tree):
    e = build(tree)[0]
    expected = [w for w in WORDS if matches(e, w)]
    found = words(e, 12)
    assert found == expected[:12] or (len(expected) < 12 and found[: len(expected)] == expected)
    assert all(matches(e, w) for w in found)


def test_equal_expressions_are_one_object():
    assert concat(concat(A, B), C) is concat(A, concat(B, C)) is literal(b"abc")
    assert either(A, B) is either(B, A, NOTHING, A)
    assert both(A, ALL) is A and both(A, NOTHING) is NOTHING and both() is ALL
    assert negate(negate(literal(b"ab"))) is literal(b"ab")
    assert concat(A, NOTHING) is NOTHING and concat(EMPTY, A, EMPTY) is A
    assert repeat(repeat(A)) is repeat(A) and repeat(A, 1, 1) is A and repeat(A, 0, 0) is EMPTY
    assert either(repeat(A, 0, 3), repeat(A, 2, 7)) is repeat(A, 0, 7)
    assert either(A, negate(A)) is ALL and both(A, negate(A)) is NOTHING
    assert repeat(repeat(A, 2, 2), 3, 3) is repeat(A, 6, 6)
    assert words(repeat(repeat(A, 2, 2), 1, 2), 9) == [b"aa", b"aaaa"]  # a gap: not a{2,4}


def test_nodes_that_nobody_holds_are_forgotten():
    import gc

    from tokenmask import nodes

    gc.collect()
    before = len(nodes._table)
    e = concat(repeat(literal(b"forgotten")), literal(b"x"))
    reachable(e)
    assert len(nodes._table) > before + 9
    del e
    gc.collect()
    assert len(nodes._table) <= before


@pytest.mark.parametrize(
    "e",
    [
        repeat(repeat(repeat(A, 1, 100), 1, 100), 1, 100),
        concat(repeat(either(A, A)), B),
        concat(repeat(repeat(repeat(A))), B),
        concat(*[either(A, EMPTY)] * 200, *[A] * 200),
        repeat(concat(repeat(A, 1, 100), repeat(B, 0, 100)), 1, 100),
        concat(repeat(either(A, B)), A, repeat(either(A, B), 50, 50)),
        concat(*[either(concat(A, B), A)] * 500),
    ],
    ids=range(7),
)
def test_hostile_expressions_are_walked_quickly(e):
    start = time.process_time()
    state = e
    for byte in b"aab" * 100:
        state = next((rest for lo, hi, rest in transitions(state) if lo <= byte <= hi), NOTHING)
    assert time.process_time() - start < 2


def test_deep_nesting_is_too_complex_and_no_recursion_error():
    e = A
    with pytest.raises(TooComplex):
        for _ in range(10_000):
            e = either(concat(e, B), C)


def test_long_expressions_are_fine():
    text = b"x" * 10_000
    assert shortest(literal(text)) == text
    optional = concat(*[repeat(literal(b"ab"[i % 2 : i % 2 + 1]), 0, 1) for i in range(3000)])
    assert optional.nullable and len(transitions(optional)) == 2


def test_emptiness_search_stops_at_its_limit():
    many = both(
        *[repeat(repeat(A, n, n), 1) for n in (7, 11, 13, 17, 19)],
        negate(repeat(repeat(A, 323323, 323323), 1)),
    )
    with pytest.raises(TooComplex):
        is_nothing(many, limit=500)


MODULES = [
    "nodes",
    "combine",
    "derivative",
    "search",
    "expression",
    "rows",
    "characters",
    "character_classes",
    "regex",
    "numbers",
    "digits",
    "formats",
]


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_in_docstrings_are_true(name):
    module = importlib.import_module(f"tokenmask.{name}")
    names = {}
    for other in ("expression", "characters"):
        names |= vars(importlib.import_module(f"tokenmask.{other}"))
    result = doctest.testmod(module, globs=names | vars(module))
    assert result.attempted and not result.failed


def test_words_of_an_encoding_without_every_text_of_it_are_none():
    """Seen at once: walking through a hostname's 253 characters would take too long."""
    hostname = FORMATS["hostname"]
    assert both(hostname, negate(ANY_CONTENT)) is NOTHING
    assert both(hostname, negate(either(ANY_CONTENT, literal(b"\\")))) is NOTHING
    # a word that ends inside a character is not among the texts
    assert both(literal(b"\xc3"), negate(ANY_CONTENT)) is not NOTHING
