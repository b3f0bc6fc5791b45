"""Lines of the core that few other tests miss: each was broken on purpose, and a test here failed."""

import itertools
import string

import pytest

from tokenmask import GrammarCompiler, GrammarMatcher, Vocabulary, allocate_token_bitmask
from tokenmask.items import Bytes
from tokenmask.masks import mask_of, replay_mask
from tokenmask.walk import MANY

BYTES = [bytes((b,)) for b in range(256)]


def matcher(schema, tokens=BYTES, **options):
    vocabulary = Vocabulary(tokens, ())
    compiled = GrammarCompiler(vocabulary).compile_json_schema(schema, whitespace="compact", **options)
    return GrammarMatcher(compiled)


def legal(at: GrammarMatcher) -> set[bytes]:
    """The legal tokens; the mask is that of replay."""
    vocabulary, pushdown = at.compiled.vocabulary, at.compiled.pushdown
    fast, slow = (work(vocabulary, pushdown, at.state) for work in (mask_of, replay_mask))
    assert fast.tolist() == slow.tolist()
    return {vocabulary.tokens[i] for i in at.legal_tokens()}


def three_names(required):
    names = ["a", "b", "c"]
    return {
        "type": "object",
        "properties": {name: {"const": 1} for name in names},
        "required": required,
        "additionalProperties": False,
    }


@pytest.mark.parametrize("required", [["a"], ["b"], ["c"], ["a", "c"], ["a", "b", "c"], []])
def test_a_required_name_is_never_skipped_in_schema_order(required):
    for count in range(4):
        for names in itertools.combinations("abc", count):
            at = matcher(three_names(required))
            text = "{" + ",".join(f'"{name}":1' for name in names) + "}"
            complete = at.accept_string(text) and at.is_accepting()
            assert complete == (set(required) <= set(names)), text


def test_a_skipped_name_is_refused_at_the_key_and_not_at_the_brace():
    at = matcher(three_names(["b"]))
    assert at.accept_string('{"')
    assert legal(at) == {b"a", b"b"}
    assert not at.accept_string("c")


@pytest.mark.parametrize("key_order", ["schema", "any"])
@pytest.mark.parametrize("most", [0, 1, 2])
def test_no_further_member_after_the_last_that_may_come(key_order, most):
    yes = {"const": True}
    schema = {"type": "object", "properties": {"a": yes}, "additionalProperties": yes}
    at = matcher({**schema, "maxProperties": most}, key_order=key_order)
    assert at.accept_string("{" + ",".join(f'"{name}":true' for name in "axyz"[:most]))
    assert legal(at) == {b"}"}


@pytest.mark.parametrize("longest", [2, 3, 5])
@pytest.mark.parametrize("pattern", [None, "^[a-c]*$"])
def test_a_token_of_one_character_too_many_is_masked(longest, pattern):
    words = [b"a" * n for n in range(2, longest + 1)]
    quoted = [word + b'"' for word in words]
    for most in range(longest + 2):
        schema = {"type": "string", "maxLength": most}
        if pattern is not None:
            schema["pattern"] = pattern
        at = matcher(schema, [*BYTES, *words, *quoted])
        assert at.accept_string('"')
        for read in range(most + 1):
            fit = {word for word in [*words, *quoted] if word.count(b"a") <= most - read}
            assert legal(at) & {*words, *quoted} == fit, (most, read)
            at.accept_string("a")


@pytest.mark.parametrize("shortest", range(7))
def test_a_token_may_close_only_what_is_long_enough(shortest):
    words = [b"a" * n + b'"' for n in range(1, 5)]
    at = matcher({"type": "string", "minLength": shortest}, [*BYTES, *words])
    assert at.accept_string('"')
    for read in range(shortest + 1):
        fit = {word for word in words if word.count(b"a") + read >= shortest}
        assert legal(at) & set(words) == fit, read
        at.accept_string("a")


@pytest.mark.parametrize(
    ("pattern", "least", "most", "first"),
    [
        # after the b: 0, 3, 6 ... further characters, but 1 or 2 are asked for
        ("^(b(aaa)*|cc)$", 2, 3, {b"c"}),
        ("^(b(aaa)*|cc)$", 2, 4, {b"b", b"c"}),
        ("^(b(aaaa)*|c(aa)*)$", 6, 7, {b"c"}),
        ("^(bé(ééé)*|ccc)$", 3, 4, {b"c"}),
    ],
)
def test_no_beginning_whose_possible_lengths_leave_out_those_asked_for(pattern, least, most, first):
    at = matcher(
        {"type": "string", "pattern": pattern, "minLength": least, "maxLength": most},
        [*BYTES, b"baaa", b"ba", b"cc"],
    )
    assert at.accept_string('"')
    assert {token for token in legal(at) if len(token) == 1 and token != b"\\"} == first


def test_every_branch_of_a_large_vocabulary_is_walked():
    # so many tokens that whole levels of the trie are taken at once, the fourth included
    letters = string.ascii_letters
    words = ["".join(pair).encode() for pair in itertools.product(letters, repeat=2)]
    words += [word + end for word in words for end in (b"!", b"!e", b"!e?", b"z!")]
    assert len(letters) ** 2 > MANY
    at = matcher({"type": "string", "pattern": "^[^z]*$"}, [*BYTES, *words])
    assert at.accept_string('"')
    assert legal(at) & set(words) == {word for word in words if b"z" not in word}


def test_an_end_token_can_be_taken_back():
    vocabulary = Vocabulary([b"a", b"b", b"<end>"], eos_ids=[2])
    at = GrammarMatcher(GrammarCompiler(vocabulary).compile_regex("ab?"))
    assert at.accept_token(0) and at.accept_token(2) and at.is_terminated()
    at.rollback(0)
    assert at.is_terminated() and at.legal_tokens().size == 0
    at.rollback(1)
    assert not at.is_terminated() and at.legal_tokens().tolist() == [1, 2]
    assert at.accept_token(1) and at.accept_token(2)


@pytest.mark.parametrize(
    ("text", "complete"), [("1", True), ("1.0", True), ("1.", False), ("1.00", False), ("1.1", False)]
)
def test_a_listed_whole_number_may_be_written_as_a_decimal(text, complete):
    at = matcher({"enum": [1, "x"]})
    assert (at.accept_string(text) and at.is_accepting()) == complete


@pytest.mark.parametrize("text", ['{"a"', '{"a":', '{"a":[', '{"a":[true', '{"a":[true]', '{"a":[true]}'])
def test_what_has_been_read_to_its_end_leaves_nothing_on_the_stack(text):
    trues = {"type": "array", "items": {"const": True}, "maxItems": 2}
    at = matcher({"type": "object", "properties": {"a": trues}, "additionalProperties": False})
    assert at.accept_string(text)
    assert at.stack() or at.is_finished()
    # every stack but that of the end has a byte to read
    waiting = [stack for stack in at.state.stacks if not list(stack.item.allowed())]
    assert len(waiting) == at.is_accepting()


@pytest.mark.parametrize("key_order", ["schema", "any"])
def test_a_free_key_never_leads_to_a_dead_end(key_order: str) -> None:
    """Every key of the class is known or was used: not even its first letter is legal."""
    schema = {
        "properties": {"ab": {}, "ac": {}, "b": {}},
        "patternProperties": {"^a[bc]$": {}, "^x[yz]$": {}},
        "additionalProperties": False,
    }

    def legal_after(text: str) -> str:
        here = matcher(schema, key_order=key_order)
        assert here.accept_string(text)
        return "".join(chr(token) for token in here.legal_tokens() if token < 128)

    used = '{"ab":1,"ac":1,"b":1,"'
    assert legal_after(used) == "x" and legal_after(used + "x") == "yz"
    assert legal_after(used + 'xy":1,"x') == "z"
    assert "," not in legal_after(used + 'xy":1,"xz":[1]')


def test_a_known_name_is_not_closed_in_another_spelling_by_one_token():
    tokens = [*BYTES, b'\\u00e9"', b'\xc3\xa9"', b'caf\\u00e9"', b'\\u00e8"']
    at = matcher({"properties": {"caf\u00e9": {"type": "null"}}}, tokens=tokens, key_order="any")
    for text in ('{"caf\u00e9":null,"caf', '{"caf\u00e9":null,"', '{"caf', '{"'):
        at.reset()
        assert at.accept_string(text)
        state = at.state
        mask = mask_of(at.compiled.vocabulary, at.compiled.pushdown, state)
        assert (mask == replay_mask(at.compiled.vocabulary, at.compiled.pushdown, state)).all()
    assert at.accept_string('caf\\u00e9":null')


def test_a_mask_goes_into_a_single_row_too():
    at = matcher({"type": "boolean"})
    rows = allocate_token_bitmask(2, at.compiled.vocabulary.size)
    at.fill_next_token_bitmask(rows, 1)
    single = rows[0].copy()
    at.fill_next_token_bitmask(single)
    assert (single == rows[1]).all() and single.dtype == rows.dtype
    assert (rows[0] == allocate_token_bitmask(1, at.compiled.vocabulary.size)).all()


def test_a_token_that_opens_a_string_leads_to_no_length_that_is_impossible():
    tokens = [*BYTES, b'"ababa', b'"abab', b'"ab"', b'"aba', b'"ababab', b'["ababa', b'"']
    words = {"type": "string", "pattern": "^(ab)*$", "minLength": 1, "maxLength": 5}
    at = matcher({"items": words, "type": "array"}, tokens=tokens)
    assert at.accept_string("[")
    assert {token for token in legal(at) if len(token) > 1} == {b'"abab', b'"ab"', b'"aba'}


def test_a_text_that_has_been_read_takes_no_token():
    trie = Vocabulary(BYTES, ()).trie
    split = Bytes(b"", (Bytes(b"x"),)).split(trie.root)
    assert split.mask is None and not split.ids and not split.exits
