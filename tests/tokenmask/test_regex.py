"""Patterns promise: the meaning of ECMA-262 on the decoded text, whatever its spelling in JSON."""

import json
import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tokenmask.characters import ANY_CONTENT
from tokenmask.expression import EMPTY, NOTHING, TooComplex, is_nothing, matches, shortest, transitions, words
from tokenmask.regex import InvalidPattern, UnsupportedPattern, content, counted, utf8


def finds(pattern, text):
    return matches(content(pattern), json.dumps(text, ensure_ascii=False)[1:-1].encode())


atoms = st.sampled_from(
    [
        "a",
        "b",
        "é",
        "🙂",
        "[ab]",
        "[^a]",
        "[^\\w]",
        "[a-z1]",
        "\\d",
        "\\w",
        "\\W",
        "\\D",
        "-",
        "\\n",
        "\\u0061",
    ]
)
places = st.sampled_from(["^", "$", "\\b", "\\B"])
patterns = st.recursive(
    st.one_of(atoms, atoms, atoms, places),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4).map("".join),
        st.lists(inner, min_size=2, max_size=3).map(lambda found: "(" + "|".join(found) + ")"),
        st.tuples(inner, st.sampled_from(["*", "+", "?", "{2}", "{1,3}", "{2,}", "*?"])).map(
            lambda pair: f"(?:{pair[0]}){pair[1]}"
        ),
        inner.map(lambda body: f"(?={body})"),
        inner.map(lambda body: f"(?!{body})"),
    ),
    max_leaves=7,
)
texts = st.text("ab1_- \nzé🙂", max_size=5)


def spell(text, choices):
    """`text` as JSON string content, each character spelled as `choices` say."""
    spelled = []
    for i, character in enumerate(text):
        plain = json.dumps(character, ensure_ascii=False)[1:-1]
        units = character.encode("utf-16-be").hex()
        numbered = "".join("\\u" + units[k : k + 4] for k in range(0, len(units), 4))
        spelled.append((plain, numbered, numbered.upper().replace("U", "u"))[choices >> 2 * i & 3 % 3])
    return "".join(spelled).encode()


def python_pattern(pattern):
    """For Python's re, whose $ also matches before a last newline, and whose \\B not in ''."""
    return re.compile(pattern.replace("$", "\\Z").replace("\\B", "(?!\\b)"), re.ASCII)


@settings(max_examples=600, deadline=None)
@given(patterns, st.lists(texts, min_size=3, max_size=6), st.integers(0, 1023))
def test_patterns_agree_with_a_judge_on_the_decoded_text(pattern, samples, choices):
    judge = python_pattern(pattern)
    try:
        encoded, plain = content(pattern), content(pattern, encode=utf8)
        whole = content(pattern, encode=utf8, search=False)
    except UnsupportedPattern as refusal:
        assert "repeated" in str(refusal)
        return
    for text in samples:
        assert matches(encoded, spell(text, choices)) == bool(judge.search(text)), text
        assert matches(plain, text.encode()) == bool(judge.search(text)), text
        assert matches(whole, text.encode()) == bool(judge.fullmatch(text)), text


@settings(max_examples=200, deadline=None)
@given(patterns)
def test_what_a_pattern_reads_first_is_a_match(pattern):
    try:
        e = content(pattern)
    except UnsupportedPattern:
        return
    judge = python_pattern(pattern)
    for word in words(e, 5):
        assert judge.search(json.loads(b'"' + word + b'"'))


@pytest.mark.parametrize(
    ("pattern", "yes", "no"),
    [
        ("^a|b$", ["ax", "xb", "b"], ["xa", "bx", ""]),
        ("^[a-z0-9]+(-[a-z0-9]+)*$", ["a-b", "x1"], ["-a", "a-", "a--b", "é"]),
        ("^\\S+$", ["é"], ["\u00a0", "\ufeff", "\u2028", "a b", ""]),
        ("^\\d$", ["7"], ["७", "77"]),
        ("^\\w$", ["_"], ["é", "ſ"]),
        ("^.$", ["🙂", '"', "\\", "\t"], ["\n", "\r", "\u2028", "\u2029", "ab"]),
        ("^[^]$", ["\n", "a"], [""]),
        ("^[]$", [], ["", "a"]),
        ("^\\cA\\x41\\u{1F642}\\uD83D\\uDE42\\0$", ["\x01A🙂🙂\x00"], []),
        ("^\\p{Lu}\\P{L}\\p{Script_Not}?$".replace("\\p{Script_Not}?", ""), ["É1"], ["é1", "ÉÉ"]),
        ("^\\p{Letter}\\p{gc=Nd}\\p{ASCII}$", ["é٣a"], ["éaa"]),
        ("^(?<year>\\d{4})(?:-(\\d\\d))?$", ["2026", "2026-11"], ["2026-"]),
        ("^[\\w-.]+\\-\\_\\@\\/$", ["a.-_@/"], ["a"]),
        ("^{a}$", ["{a}"], ["a"]),
        ("^a{2}$", ["aa"], ["a", "a{2}"]),
        ("^a{,2}b$".replace("{,2}", "{0,2}"), ["b", "aab"], ["aaab"]),
        ("^x{a,2}]}$", ["x{a,2}]}"], []),
        ("^(?!.*foo).*bar", ["xbar"], ["foobar", "barfoo"]),
        ("^(?=.*\\d)(?=.*[a-z]).{3,}$", ["a1x"], ["abc", "123", "a1"]),
        ("^(?:(?!--).)*$", ["a-b-c", ""], ["a--b"]),
        ("\\bcat\\b", ["a cat!", "cat"], ["cats", "concat", "_cat"]),
        ("\\Bcat", ["concat"], ["cat"]),
        ("(^a|b$)", ["ab", "ac", "cb"], ["ca", "bc"]),
        ("^(a|ab)(c|bcd)$", ["ac", "abc", "abcd"], ["abcdx"]),
        ("[\\b]", ["\b"], ["b"]),
        ("é", ["é"], ["e\u0301"]),
    ],
)
def test_examples(pattern, yes, no):
    for text in yes:
        assert finds(pattern, text), text
    for text in no:
        assert not finds(pattern, text), text


@pytest.mark.parametrize(
    "pattern",
    [
        "(",
        ")",
        "a)",
        "[a",
        "[b-a]",
        "*a",
        "a**",
        "a{2,1}",
        "^*",
        "(?=a)*",
        "\\",
        "\\xg1",
        "\\u12",
        "\\u{110000}",
        "(?<1>a)",
        "{2}",
        "\\p",
        "[\\B]",
        "\\c1",
    ],
)
def test_invalid_patterns_say_where(pattern):
    with pytest.raises(InvalidPattern, match="at position"):
        content(pattern)


@pytest.mark.parametrize(
    "pattern",
    [
        "(a)\\1",
        "\\k<x>",
        "(?<=a)b",
        "(?<!a)b",
        "(?i)a",
        "(?i:a)",
        "\\p{Script=Greek}",
        "\\A",
        "a\\Z",
        "a{,2}",
        "\\ud800",
        "[\\ud800-\\udbff]",
        "(?:\\b|a)*b",
        "(?:$a|b){0,1000}",
    ],
)
def test_unsupported_patterns_are_refused(pattern):
    with pytest.raises(UnsupportedPattern):
        content(pattern)


@pytest.mark.parametrize(
    ("pattern", "class_", "lo", "hi"),
    [
        ("^[a-z]+$", "[a-z]", 1, None),
        ("^[a-z]*$", "[a-z]", 0, None),
        ("^\\d{2,7}$", "\\d", 2, 7),
        ("^(?:[ab]|c)?$", "[abc]", 0, 1),
        ("^x$", "x", 1, 1),
        ("^((a{1,100}){1,100})$", "a", 1, 10_000),
        ("^.{5}$", ".", 5, 5),
        (".*", "[^]", 0, None),
        ("a*", "[^]", 0, None),
        ("", "[^]", 0, None),
    ],
)
def test_one_class_is_counted(pattern, class_, lo, hi):
    assert counted(pattern) == (content(f"^{class_}*$"), lo, hi)


@pytest.mark.parametrize(
    "pattern",
    [
        *("[a-z]+", "^[a-z]+", "^ab*$", "^$", "^[a-z]+|b$", "^(ab){2}$"),
        *("^(a{2})?$", "^((a){2,5})?$", "^$|^a{3}$"),
    ],
)
def test_anything_else_is_not_counted(pattern):
    assert counted(pattern) is None


def test_useless_repetition_disappears():
    assert content(".*") is content("") is content("(a|b)*") is ANY_CONTENT
    assert content("ab.*") is content("ab")
    assert content("a+") is content("a") is content(".*a.*")
    assert content("^$") is EMPTY


HOSTILE = [
    "(a|a)*b",
    "((a{1,100}){1,100}){1,100}",
    "^((a{1,100}b?){1,100}){1,100}$",
    "(.*a.{50})",
    "^(a?){50}a{50}$",
    "^(([a-z])+.)+[A-Z]([a-z])+$",
    "a" * 40_000,
    "|".join(f"w{i}" for i in range(5000)),
    "(" * 10_000 + ")" * 10_000,
    "(?:" * 80 + "a" + ")*" * 80,
    "[" + "".join(f"\\u{i:04x}" for i in range(0x4E00, 0x4E00 + 5000, 2)) + "]+",
    "a{1000000000}",
    "(a{0,1000000}){0,1000000}",
    "(?=.*a)(?=.*b)(?=.*c)(?=.*d)(?=.*e).*",
    "(?!.*a.{30})(?=.*b)",
    "(x+x+)+y",
    "^(a|b|ab)*(?!c)d?$",
    "(?:(?!ab)(?!ba).)*c",
    "a" * 300_000,
    "(a|b)*" * 2000,
    "a?" * 3000,
]


@pytest.mark.parametrize("pattern", HOSTILE, ids=lambda p: p[:20])
def test_hostile_patterns_are_read_or_refused_quickly(pattern):
    start = time.process_time()
    try:
        e = content(pattern)
        assert not is_nothing(e)
        for byte in b"aabaab" * 10:
            e = next((rest for lo, hi, rest in transitions(e) if lo <= byte <= hi), NOTHING)
    except TooComplex:
        pass
    assert time.process_time() - start < 2


def test_a_contradiction_is_recognised():
    assert is_nothing(content("^(?=a)b"))
    assert is_nothing(content("a^b"))
    assert content("a$b") is NOTHING
    assert shortest(content("^(?!a)[ab]{3}$")) == b"baa"
