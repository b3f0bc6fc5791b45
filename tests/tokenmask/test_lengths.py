"""Counted strings: lengths beside patterns, against Python's re on short alphabets."""

import itertools
import re

import pytest

from tokenmask import GrammarCompiler, GrammarMatcher, Vocabulary

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
