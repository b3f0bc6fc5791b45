"""Counted strings: lengths beside patterns, against Python's re on short alphabets."""

import itertools
import random
import re

import pytest
from test_patterns_against_re import pattern

from tokenmask import GrammarCompiler, GrammarMatcher, Vocabulary, lengths, strings
from tokenmask.automaton import Automaton, AutomatonState
from tokenmask.characters import ANY_CONTENT
from tokenmask.items import descend
from tokenmask.regex import content

LETTERS = "ab1"
VOCABULARY = Vocabulary(
    [bytes((b,)) for b in range(256)] + [b"ab", b'a"', b'"a', b"aba", b"11", b'b"', b"aaaa"], ()
)
WORDS = ["".join(w) for n in range(7) for w in itertools.product(LETTERS, repeat=n)]


@pytest.mark.parametrize(
    ("pattern", "least", "most"),
    [
        ("^(ab)*$", 1, 5),
        ("^(aaa)*$", 2, 5),
        ("^(aaa)*$", 4, 4),
        ("a", 2, 3),
        ("^a{2,4}b?$", 3, 3),
        ("^(a|b1)+$", 4, None),
        ("^[^a]*$", 1, 6),
    ],
)
def test_exactly_the_words_that_fit(pattern: str, least: int, most: int | None) -> None:
    schema = {"type": "string", "pattern": pattern, "minLength": least}
    if most is not None:
        schema["maxLength"] = most
    try:
        compiled = GrammarCompiler(VOCABULARY).compile_json_schema(schema)
    except ValueError:
        assert not any(_fits(word, pattern, least, most) for word in WORDS)
        return
    for word in WORDS:
        matcher = GrammarMatcher(compiled)
        read = matcher.accept_string(f'"{word}"') and matcher.is_accepting()
        assert read == _fits(word, pattern, least, most), word


def _fits(word: str, pattern: str, least: int, most: int | None) -> bool:
    length = len(word)
    return bool(re.search(pattern, word)) and least <= length <= (length if most is None else most)


@pytest.mark.parametrize(("pattern", "least", "most"), [("^(ab)*$", 1, 5), ("^(aaa)*$", 2, 5)])
def test_no_prefix_is_a_dead_end(pattern: str, least: int, most: int) -> None:
    schema = {"type": "string", "pattern": pattern, "minLength": least, "maxLength": most}
    compiled = GrammarCompiler(VOCABULARY).compile_json_schema(schema)
    for word in WORDS:
        matcher = GrammarMatcher(compiled)
        if matcher.accept_string('"' + word):
            longer = any(
                _fits(other, pattern, least, most) for other in WORDS if other.startswith(word)
            )
            assert longer, word
            assert matcher.legal_tokens().size


def test_a_format_beside_a_length() -> None:
    schema = {"type": "string", "format": "hostname", "maxLength": 9}
    compiled = GrammarCompiler(VOCABULARY).compile_json_schema(schema)
    for text, right in [("a.b", True), ("abcdefgh.i", False), ("ab-", False), ("ab-c.d", True)]:
        matcher = GrammarMatcher(compiled)
        assert (matcher.accept_string(f'"{text}"') and matcher.is_accepting()) == right


@pytest.mark.parametrize("seed", range(3))
def test_the_shortest_way_seen_at_a_glance_is_the_shortest(seed: int, monkeypatch) -> None:
    """Of every state of random patterns, states in the middle of an escape too."""
    rng = random.Random(seed)
    compared = 0
    for _ in range(60):
        try:
            automaton = Automaton(content(f"^({pattern(rng, 2)})$"), VOCABULARY)
            states = states_of(automaton, 40)
            seen = [lengths.Shortest(automaton).shortest_from(state) for state in states]
            with monkeypatch.context() as patch:
                patch.setattr(lengths, "span", lambda e: None)
                walked = [lengths.Shortest(automaton).shortest_from(state) for state in states]
        except ValueError:
            continue
        assert seen == walked, automaton.start.expression
        compared += sum(state.partial for state in states)
    assert compared > 100


def states_of(automaton: Automaton, most: int) -> list[AutomatonState]:
    found, work = [automaton.start], [automaton.start]
    while work and len(found) < most:
        new = [state for state in work.pop().successors if state not in found]
        found += new
        work += new
    return found


@pytest.mark.parametrize(("least", "most"), [(0, None), (0, 2), (1, 3), (5, None), (4, 40), (0, 0), (9, 9)])
def test_counts_that_no_token_tells_apart_share_a_split(least: int, most: int | None) -> None:
    automaton = Automaton(ANY_CONTENT, VOCABULARY)
    item = strings.counted_string(automaton, least, most)
    for node in VOCABULARY.trie.root.children.values():
        shared, alone = item.split(node), descend(item, node)
        assert sorted(shared.ids) == sorted(alone.ids) and shared.mask is None
        assert set(shared.exits) == set(alone.exits)
    node = VOCABULARY.trie.find(b"a")
    one, other = strings.counted_string(automaton, 0, 40), strings.counted_string(automaton, 0, 99)
    assert one.split(node) is other.split(node)
