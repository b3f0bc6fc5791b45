"""Characters promise: all spellings of a character, exact partial flags, and few states."""

import json
import random
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_patterns_against_re import pattern

from tokenmask.characters import (
    ANY_CONTENT,
    ANY_KEY,
    KEY_CHARACTER,
    CharacterSet,
    as_key,
    json_content,
    key_content,
    spellings,
    utf8,
)
from tokenmask.expression import (
    NOTHING,
    TooComplex,
    both,
    either,
    is_nothing,
    literal,
    negate,
    repeat,
    transitions,
)
from tokenmask.regex import content

JSON_STRING = re.compile(
    rb'(?:[^\x00-\x1f"\\\x80-\xff]|[\xc2-\xf4][\x80-\xbf]+|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4})*'
)


def walk(e, text):
    for byte in text:
        e = next((rest for lo, hi, rest in transitions(e) if lo <= byte <= hi), NOTHING)
    return e


def reachable(e):
    seen, todo = {e}, [e]
    while todo:
        for _, _, rest in transitions(todo.pop()):
            if rest not in seen:
                seen.add(rest)
                todo.append(rest)
    return seen


characters = st.one_of(
    st.characters(exclude_categories=("Cs",)), st.sampled_from('"\\/\b\f\n\r\taA0é€🙂\x7f\ud7ff\ue000')
)
sets = st.lists(st.tuples(characters, characters), max_size=6).map(
    lambda pairs: CharacterSet((min(ord(a), ord(b)), max(ord(a), ord(b))) for a, b in pairs)
)


def every_spelling(character):
    code = ord(character)
    found = [] if code < 0x20 or character in '"\\' else [character.encode()]
    if character in '"\\/\b\f\n\r\t':
        found.append(b"\\" + dict(zip('"\\/\b\f\n\r\t', b'"\\/bfnrt', strict=True))[character].to_bytes())
    units = character.encode("utf-16-be")
    hexes = [b"%02x%02x" % (units[i], units[i + 1]) for i in range(0, len(units), 2)]
    found += [b"".join(b"\\u" + f(h) for h in hexes) for f in (bytes.upper, bytes.lower, bytes.title)]
    return found


@settings(max_examples=300, deadline=None)
@given(sets, characters)
def test_a_set_reads_exactly_its_characters_in_every_spelling(chosen, character):
    inside = character in chosen
    for text in every_spelling(character):
        assert walk(json_content(chosen), text).nullable == inside
        assert walk(ANY_CONTENT, text).nullable
        assert json.loads(b'"' + text + b'"') == character
    assert walk(utf8(chosen), character.encode()).nullable == inside


@settings(max_examples=300, deadline=None)
@given(
    st.lists(
        st.one_of(
            st.sampled_from(
                [b"\\", b"u", b"d8", b"3d", b"\\udE42", b'"', b"\xf0", b"\x9f\x99\x82", b"\n", b"a"]
            ),
            st.binary(max_size=2),
        ),
        max_size=8,
    ).map(b"".join)
)
def test_any_content_is_what_json_reads(text):
    try:
        value = json.loads(b'"' + text + b'"')
        legal = not any(0xD800 <= ord(c) <= 0xDFFF for c in value) and text == text.decode().encode()
    except ValueError:
        legal = False
    assert walk(ANY_CONTENT, text).nullable == legal


@settings(max_examples=300, deadline=None)
@given(st.text(max_size=5), st.booleans())
def test_partial_is_true_exactly_inside_a_character(text, ascii_only):
    content = json.dumps(text, ensure_ascii=ascii_only)[1:-1].encode()
    for e in (
        ANY_CONTENT,
        repeat(KEY_CHARACTER),
        both(ANY_CONTENT, negate(json_content(CharacterSet.of("aé")))),
    ):
        state, boundaries = e, 0
        for byte in content:
            (state,) = [rest for lo, hi, rest in transitions(state) if lo <= byte <= hi]
            boundaries += not state.partial
        assert boundaries == len(text)


@settings(max_examples=200, deadline=None)
@given(sets, sets)
def test_set_algebra(one, other):
    for c in 'a"\\é€🙂\x00' + "".join(chr(lo) for lo, _ in one.ranges + other.ranges):
        assert (c in one.union(other)) == (c in one or c in other)
        assert (c in one.intersection(other)) == (c in one and c in other)
        assert (c in one.complement()) == (c not in one)


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=4))
def test_a_free_key_may_be_written_as_json_dumps_does(text):
    for spelling in spellings(text):
        assert walk(repeat(KEY_CHARACTER), spelling.encode()).nullable
        assert json.loads(f'"{spelling}"') == text


@pytest.mark.parametrize("text", [b"\\/", b"\\u0041", b"\\u00E9", b"\\u000a", b"\\ud83d", b"\n", b'"'])
def test_a_free_key_has_no_needless_spelling(text):
    assert not walk(repeat(KEY_CHARACTER), text).nullable


def test_no_surrogate_is_a_character():
    assert not CharacterSet(((0xD800, 0xDFFF),))
    assert (
        json_content(CharacterSet(())) is utf8(CharacterSet(())) is key_content(CharacterSet(())) is NOTHING
    )
    for text in (
        b"\\ud800",
        b"\\udc00",
        b"\\ud800a",
        b"\\ud800\\u0041",
        b"\xed\xa0\x80",
        b"\xc0\x80",
        b"\xf5\x80\x80\x80",
    ):
        assert not walk(ANY_CONTENT, text).nullable


def test_plain_string_content_has_few_states():
    assert len(reachable(ANY_CONTENT)) <= 20
    assert len([s for s in reachable(ANY_CONTENT) if not s.partial]) == 1


@pytest.mark.parametrize("seed", range(4))
def test_respelled_as_a_key_is_the_same_as_met_with_all_keys(seed: int) -> None:
    rng = random.Random(seed)
    made = 0
    for _ in range(40):
        texts = [pattern(rng, 1) for _ in range(2)]
        try:
            one, other = (content(text) for text in texts)
        except ValueError:
            continue
        for e in (one, negate(one), both(one, negate(other)), both(ANY_CONTENT, negate(one), negate(other))):
            found = as_key(e)
            if found is None:
                continue
            wanted = both(ANY_KEY, e)
            try:
                same = is_nothing(both(found, negate(wanted))) and is_nothing(both(wanted, negate(found)))
            except TooComplex:
                continue
            made += 1
            assert same, texts
    assert made > 50
    assert both(ANY_KEY, ANY_CONTENT) is ANY_KEY and either(ANY_KEY, ANY_CONTENT) is ANY_CONTENT
    assert either(ANY_KEY, as_key(content("^a*$"))) is ANY_KEY
    assert as_key(ANY_CONTENT) is ANY_KEY and as_key(literal(b"ab")) is None


@pytest.mark.parametrize("text", ["é", "[^a]", "\\n", '"', "\\u007f", "/", "\\\\", "🙂"])
def test_characters_that_are_written_in_several_ways(text: str) -> None:
    e = content(f"^{text}$")
    found, wanted = as_key(e), both(ANY_KEY, e)
    assert is_nothing(both(found, negate(wanted))) and is_nothing(both(wanted, negate(found)))
