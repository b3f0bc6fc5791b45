"""Where forced text cannot be spelled to its end, its longest beginning is written, never a dead end."""

import random

import numpy as np
import pytest

from tokenmask import GrammarCompiler, GrammarMatcher, Vocabulary, generate, jump
from toymodel import UniformModel
from toymodel.toy import greedy_encode

ONE_OR_TWO = {
    "type": "object",
    "properties": {"ab": {"enum": [1, 2]}},
    "required": ["ab"],
    "additionalProperties": False,
}


class Asked(Exception):
    """The model was asked for a token."""


class Silent(UniformModel):
    """Says nothing, and keeps what it was given to read first: what was jumped before it."""

    def extend(self, ids):
        self.context.extend(ids)
        raise Asked


class Longest(UniformModel):
    """Prefers the longest of the legal tokens."""

    def extend(self, ids):
        self.context.extend(ids)
        return np.array([len(token) for token in self.vocabulary.tokens], dtype=np.float32)


def compile_for(vocabulary, schema=ONE_OR_TWO):
    return GrammarCompiler(vocabulary).compile_json_schema(schema, whitespace="compact")


def jumped(vocabulary, compiled):
    """The tokens that are written before the model is asked for the first time."""
    model = Silent(vocabulary=vocabulary)
    try:
        trace = generate(model, "", compiled, 60)
    except Asked:
        return [vocabulary.tokens[i] for i in model.context]
    return [vocabulary.tokens[i] for i in trace.token_ids]


def test_the_longest_beginning_is_written_where_the_last_bytes_belong_to_the_next_token():
    vocabulary = Vocabulary([b'{"', b"a", b"b", b"ab", b'":1', b'":2', b"}"], ())
    compiled = compile_for(vocabulary)
    assert GrammarMatcher(compiled).find_jump_forward_string() == '{"ab":'
    assert jumped(vocabulary, compiled) == [b'{"', b"ab"]
    trace = generate(Longest(vocabulary=vocabulary), "", compiled, 60, temperature=0)
    assert trace.is_valid()
    assert [step.forced for step in trace.steps][:3] == [True, True, False]


def test_a_beginning_from_which_no_token_goes_on_is_not_written():
    # `{"ab` and `{"a` can be spelled, but the rest of the text only begins at the `a`
    vocabulary = Vocabulary([b'{"', b"a", b"b", b'ab":1', b'ab":2', b"}"], ())
    compiled = compile_for(vocabulary)
    assert jumped(vocabulary, compiled) == [b'{"']
    assert generate(Longest(vocabulary=vocabulary), "", compiled, 60, temperature=0).is_valid()


def test_nothing_is_written_where_every_beginning_is_a_dead_end():
    vocabulary = Vocabulary([b'{"', b"a", b'{"ab":1', b'{"ab":2', b"}"], ())
    assert jumped(vocabulary, compile_for(vocabulary)) == []


def test_a_last_token_that_can_grow_is_still_left_to_the_model():
    vocabulary = Vocabulary([b'{"', b"ab", b'"', b'":1', b'":2', b":", b"1", b"2", b"}"], ())
    # greedy spelling of the whole text is `{"`, `ab`, `"`, `:`, and `:` has nothing to grow into
    assert jumped(vocabulary, compile_for(vocabulary)) == [b'{"', b"ab", b'"', b":"]
    less = Vocabulary([b'{"', b"ab", b'"', b'":1', b'":2', b"}"], ())
    assert jumped(less, compile_for(less)) == [b'{"', b"ab"]


def test_text_is_written_up_to_what_the_tokenizer_would_read_as_a_control_token():
    tokens = [b'"', *(bytes([c]) for c in b"<>abend"), b"ab", b"<end>"]
    vocabulary = Vocabulary(tokens, eos_ids=[len(tokens) - 1])
    compiled = compile_for(vocabulary, {"enum": ["ab<end>ab", "ab<end>ba"]})
    assert jumped(vocabulary, compiled)[:3] == [b'"', b"ab", b"<"]
    trace = generate(UniformModel(vocabulary=vocabulary), "", compiled, 60)
    assert trace.parsed() in ("ab<end>ab", "ab<end>ba")
    assert vocabulary.eos_ids[0] not in trace.token_ids[:-1]


def test_a_beginning_ends_between_characters():
    tokens = [b'"', "é".encode(), b"\xc3", b"x", b"\xa91", b"\xa92"]
    vocabulary = Vocabulary(tokens, ())
    assert list(jump.beginnings(vocabulary, [], 'é"é')) == ['é"é', 'é"', "é"]
    # `"x` and the first byte of é are spellable; a text to jump has whole characters only
    compiled = compile_for(vocabulary, {"enum": ["xé1", "xé2"]})
    assert jumped(vocabulary, compiled)[:2] == [b'"', b"x"]


def test_a_beginning_may_end_with_a_token_that_began_in_what_was_written():
    vocabulary = Vocabulary([b"a", b"ab", b"c"], ())
    assert list(jump.beginnings(vocabulary, [0], "bd")) == ["bd", "b"]
    assert list(jump.beginnings(vocabulary, [2], "bd")) == ["bd"]


def test_so_many_beginnings_are_tried_and_no_more():
    vocabulary = Vocabulary([b"a"], ())
    found = list(jump.beginnings(vocabulary, [], "a" * 50 + "b"))
    assert found[1:] == ["a" * n for n in range(50, 50 - jump.TRIES, -1)]


def ends_by_trying(tokens, data, place):
    found = {place}
    for token in tokens:
        if token and data.startswith(token, place):
            found |= ends_by_trying(tokens, data, place + len(token))
    return found


@pytest.mark.parametrize("seed", range(50))
def test_the_ends_are_those_found_by_trying_every_token(seed):
    draw = random.Random(seed)
    tokens = list({bytes(draw.choices(b"ab", k=draw.randint(1, 3))) for _ in range(4)})
    data = bytes(draw.choices(b"ab", k=10))
    found = jump.token_ends(Vocabulary(tokens, ()), data, [0])
    assert found == sorted(ends_by_trying(tokens, data, 0))


def random_vocabulary(draw):
    """Pieces of the two texts that are legal, so that some spelling of both exists."""
    texts = [b'{"ab":1}', b'{"ab":2}']
    pieces = {b"1", b"2", b"}"}
    for _ in range(draw.randint(3, 8)):
        text = draw.choice(texts)
        begin = draw.randrange(len(text))
        pieces.add(text[begin : begin + draw.randint(1, 4)])
    return Vocabulary(sorted(pieces), ())


def test_no_jump_leads_into_a_dead_end_that_was_not_there():
    written = 0
    for seed in range(300):
        vocabulary = random_vocabulary(random.Random(seed))
        compiled = compile_for(vocabulary)
        try:
            GrammarMatcher(compiled).shortest_completion()
        except ValueError:
            continue  # nothing legal can be spelled at all
        matcher = GrammarMatcher(compiled)
        before = jumped(vocabulary, compiled)
        assert all(matcher.accept_string(token) for token in before)
        assert matcher.shortest_completion() is not None, (vocabulary.tokens, before)
        # soundness: what the tokenizer makes of the same text, or of its part before a kept token
        assert before == [
            vocabulary.tokens[i] for i in greedy_encode(vocabulary.tokens, b"".join(before).decode())
        ]
        written += bool(before) and not matcher.is_accepting()
    assert written > 20
