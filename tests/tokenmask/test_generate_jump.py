"""Jump-forward writes the tokens that the model's own tokenizer would have written."""

import numpy as np
import pytest

from tokenmask import GrammarCompiler, Vocabulary, generate, jump
from toymodel import SmallModel, UniformModel
from toymodel.toy import greedy_encode

# pairs and triples, so that text has many spellings and one canonical (longest first) one
TOKENS = [b"{", b"}", b'"', b":", b" ", b",", b'{"', b'":', b' "', b'",', b'"}', b'": "', b'": ']
TOKENS += [b"a", b"b", b"ab", b"1", b"2", b"12", b"true", b"false", b" true", b"<end>", b"<pad>"]
MERGING = Vocabulary(TOKENS, eos_ids=[22], special_ids=[23])
SCHEMA = {
    "type": "object",
    "properties": {
        "a": {"type": "string", "maxLength": 3},
        "ab": {"type": "boolean"},
        "b": {"enum": [1, 12, 2]},
    },
    "required": ["a", "ab", "b"],
    "additionalProperties": False,
}


def spell(ids, vocabulary=MERGING):
    return [vocabulary.tokens[i].decode() for i in ids]


def ids(*pieces):
    return [TOKENS.index(piece.encode()) for piece in pieces]


def encode(text):
    return greedy_encode(TOKENS, text)


class Model(UniformModel):
    """Uniform, over the merging vocabulary, and strict about being told the truth."""

    def __init__(self, seed=0):
        super().__init__(seed, vocabulary=MERGING)
        self.passes = 0

    def extend(self, ids):
        ids = list(ids)
        self.passes += 1
        assert ids or not self.context
        return super().extend(ids)

    def truncate(self, n):
        assert n < len(self.context)
        super().truncate(n)


@pytest.fixture(scope="module")
def compiled():
    return GrammarCompiler(MERGING).compile_json_schema(SCHEMA)


def test_the_tail_is_cut_afresh_with_what_follows():
    planned = jump.plan(MERGING, encode, ids('{"', "a", '"'), ': "')
    assert planned.dropped == 1
    assert spell(planned.tokens) == ['": "']


def test_nothing_is_taken_back_where_the_cut_was_right():
    planned = jump.plan(MERGING, encode, ids('{"', "a"), '": "')
    assert planned == jump.Jump(0, tuple(ids('": "')))


def test_what_cannot_be_spelled_is_not_planned():
    assert jump.plan(MERGING, encode, ids('{"'), "xyz") is None


def test_an_encoder_that_adds_something_is_not_believed():
    assert jump.plan(MERGING, lambda text: encode(" " + text), ids('{"'), "a") is None


def test_a_control_token_in_the_text_is_not_believed():
    assert jump.plan(MERGING, encode, ids('{"'), "<end>") is None
    assert jump.plan(MERGING, encode, ids('{"'), "<pad>") is None


def test_half_a_character_before_the_text_is_left_alone():
    vocabulary = Vocabulary([b"\xc3", b"\xa9", b"\xc3\xa9", b"x", b"y"], ())
    # the tail "\xc3" alone is no text, so it cannot be encoded again
    planned = jump.plan(vocabulary, lambda t: greedy_encode(vocabulary.tokens, t), [0], "xy")
    assert planned == jump.Jump(0, (3, 4))


def test_a_character_cut_in_two_is_finished_before_anything_jumps():
    tokens = [b'"', b"\xc3", b"\xa9", b"\xa8", b"x", b"y", b"xy"]
    vocabulary = Vocabulary(tokens, ())
    compiled = GrammarCompiler(vocabulary).compile_json_schema({"enum": ["éxy", "üxy", "yéxy"]})
    for seed in range(10):
        trace = generate(UniformModel(vocabulary=vocabulary), "", compiled, seed=seed)
        assert trace.parsed() in ("éxy", "yéxy")
        assert vocabulary.tokens.index(b"xy") in trace.token_ids


def test_a_token_that_can_grow_is_seen():
    quote = TOKENS.index(b'"')
    assert jump.can_grow(MERGING, quote, ids('"', '",'))
    assert not jump.can_grow(MERGING, quote, ids('"', "a", ' "'))


@pytest.mark.parametrize("temperature", [0, 1, 3])
def test_every_run_is_valid_and_its_jumps_are_canonical(compiled, temperature):
    for seed in range(60):
        trace = generate(Model(seed), "", compiled, 60, seed=seed, temperature=temperature)
        assert trace.is_valid(), trace
        for forced, after in zip(trace.steps, trace.steps[1:]):
            if forced.forced and after.forced:
                pair = [forced.token, after.token]
                assert encode("".join(spell(pair))) == pair, spell(trace.token_ids)


def test_masks_stay_right_where_tokens_were_replaced(compiled):
    from tokenmask import GrammarMatcher
    from tokenmask.bitmask import unpack_bits

    replaced = 0
    for seed in range(40):
        trace = generate(Model(seed), "", compiled, 60, seed=seed)
        matcher = GrammarMatcher(compiled)
        for step in trace.steps:
            legal = np.flatnonzero(unpack_bits(step.mask, MERGING.size))
            assert legal.tolist() == matcher.legal_tokens().tolist()
            assert step.token in legal and matcher.accept_token(step.token)
            replaced += not step.forced and step.token not in [i for i, _ in step.top_before[:1]]
    assert replaced


def test_the_model_is_asked_once_per_choice_and_reads_the_final_tokens(compiled):
    for seed in range(40):
        model = Model(seed)
        trace = generate(model, "", compiled, 60, seed=seed)
        assert model.passes <= len(trace.steps)
        read = model.context
        assert read == trace.token_ids[: len(read)]


def test_a_jump_stops_at_max_tokens(compiled):
    for limit in range(1, 12):
        trace = generate(Model(), "", compiled, limit, seed=1)
        assert len(trace.steps) <= limit


def test_a_greedy_model_writes_the_same_text_with_and_without(compiled):
    class Likes(Model):
        """Prefers the longest tokens: what a trained model does with text of its own tokenizer."""

        def extend(self, ids):
            super().extend(ids)
            return np.array([len(token) for token in TOKENS], dtype=np.float32)

    texts = [
        generate(Likes(), "", compiled, 60, temperature=0, jump_forward=jumping).text
        for jumping in (True, False)
    ]
    assert texts[0] == texts[1]


@pytest.mark.model
def test_the_small_model_keeps_canonical_tokens():
    pytest.importorskip("torch")
    model = SmallModel.load()
    schema = {
        "type": "object",
        "properties": {
            "city": {"type": "string", "maxLength": 20},
            "population": {"type": "integer", "minimum": 0, "maximum": 9_999_999},
            "coast": {"type": "boolean"},
        },
        "required": ["city", "population", "coast"],
        "additionalProperties": False,
    }
    compiled = GrammarCompiler(model.vocabulary).compile_json_schema(schema)
    prompt = "Write city, population and coast of Lisbon as JSON."
    trace = generate(model, prompt, compiled, 60, temperature=0)
    assert trace.is_valid() and trace.skipped_fraction > 0.2
    assert trace.token_ids == model.encode(trace.text)
    # what is in the cache is what was written
    read = model.context[len(model.prompt_ids(prompt)) :]
    assert read == trace.token_ids[: len(read)]
