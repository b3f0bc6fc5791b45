"""The decoding loop on the toy models: what it promises about validity, traces and ends."""

import json

import numpy as np
import pytest

from tokenmask import GrammarCompiler, GrammarMatcher, Vocabulary, generate
from tokenmask.bitmask import unpack_bits
from tokenmask.generate import NoLegalToken
from toymodel import MostlyLegalModel, UniformModel, toy_vocabulary

PERSON = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "maxLength": 6},
        "age": {"type": "integer", "minimum": 0, "maximum": 99},
        "active": {"type": "boolean"},
    },
    "required": ["name", "age", "active"],
    "additionalProperties": False,
}


@pytest.fixture(scope="module")
def compiled():
    return GrammarCompiler(toy_vocabulary()).compile_json_schema(PERSON)


def run(compiled, model=None, **options):
    return generate(model or UniformModel(), "", compiled, options.pop("max_tokens", 64), **options)


@pytest.mark.parametrize("jump_forward", [True, False])
def test_every_constrained_run_is_valid(compiled, jump_forward):
    for seed in range(100):
        trace = run(compiled, seed=seed, jump_forward=jump_forward)
        assert trace.finished == "accepted"
        assert trace.is_valid(), trace
        assert trace.first_illegal is None


def test_unconstrained_uniform_runs_are_hardly_ever_valid(compiled):
    traces = [run(compiled, seed=seed, constrained=False) for seed in range(100)]
    assert sum(trace.is_valid() for trace in traces) == 0
    assert {trace.finished for trace in traces} == {"max_tokens"}


def test_a_mostly_legal_model_is_valid_about_p_to_the_n(compiled):
    model = MostlyLegalModel(0.99)
    traces = [run(compiled, model, seed=seed, constrained=False) for seed in range(200)]
    valid = [trace for trace in traces if trace.is_valid()]
    assert 0.6 < len(valid) / 200 < 0.9  # 0.99^30 is 0.74, two sigma are 0.06
    assert {trace.finished for trace in valid} == {"accepted"}


def test_a_seed_repeats_a_run(compiled):
    assert run(compiled, seed=5).token_ids == run(compiled, seed=5).token_ids
    assert len({run(compiled, seed=seed).text for seed in range(20)}) > 10


def test_jump_forward_changes_no_text(compiled):
    for seed in range(20):
        greedy = {"model": UniformModel(seed), "temperature": 0}
        with_it = run(compiled, **greedy)
        without = run(compiled, **greedy, jump_forward=False)
        assert with_it.skipped_fraction > 0.5 and without.skipped_fraction == 0
        # the toy model's ties depend on the place alone, and the places are the same
        assert with_it.text == without.text


def test_masks_in_the_trace_are_the_matchers(compiled):
    trace = run(compiled, seed=3)
    matcher = GrammarMatcher(compiled)
    for step in trace.steps:
        assert step.mask.dtype == np.uint32 and step.mask.shape == (1,)
        assert np.flatnonzero(unpack_bits(step.mask, 28)).tolist() == matcher.legal_tokens().tolist()
        assert step.describe == matcher.describe() and step.stack == matcher.stack()
        assert matcher.accept_token(step.token)


def test_the_probabilities_before_and_after_the_mask(compiled):
    trace = run(compiled, seed=1, record="full")
    chosen = [step for step in trace.steps if not step.forced]
    for step in chosen:
        legal = unpack_bits(step.mask, 28)
        assert step.probabilities.dtype == np.float32
        assert step.probabilities.sum() == pytest.approx(1, rel=1e-5)
        assert step.removed == pytest.approx(1 - legal.sum() / 28, abs=1e-4)
        assert len(step.top_before) == 10
        assert len(step.top_after) == min(10, legal.sum())
        for token, probability in step.top_after:
            # the ratio of any two legal tokens is untouched
            assert legal[token] and probability == pytest.approx(1 / legal.sum(), rel=1e-4)
    forced = [step for step in trace.steps if step.forced]
    assert forced and all(step.removed == 0 and not step.top_before for step in forced)


def test_record_none_keeps_only_the_tokens(compiled):
    full, bare = run(compiled, seed=2), run(compiled, seed=2, record="none")
    assert full.token_ids == bare.token_ids
    assert all(step.mask is None and not step.top_before for step in bare.steps)


def test_an_unconstrained_trace_says_where_it_left_the_schema(compiled):
    trace = run(compiled, MostlyLegalModel(0.9), seed=4, constrained=False)
    left = trace.first_illegal
    assert left is not None
    assert [step.legal for step in trace.steps] == [i < left for i in range(len(trace.steps))]
    for i, step in enumerate(trace.steps):
        assert (step.mask is None) == (i > left)
    assert not unpack_bits(trace.steps[left].mask, 28)[trace.steps[left].token]
    assert all(step.removed == 0 for step in trace.steps)


def test_max_tokens_is_kept_to(compiled):
    for jump_forward in (True, False):
        trace = run(compiled, max_tokens=7, jump_forward=jump_forward)
        assert len(trace.steps) == 7 and trace.finished == "max_tokens"


def test_a_run_can_be_stopped(compiled):
    seen = []
    trace = run(compiled, on_step=seen.append, should_stop=lambda: len(seen) >= 6)
    assert trace.finished == "stopped"
    assert 6 <= len(trace.steps) < 25
    assert seen == trace.steps


def test_on_step_hears_of_every_step_once(compiled):
    seen = []
    trace = run(compiled, on_step=seen.append)
    assert [id(step) for step in seen] == [id(step) for step in trace.steps]


def test_an_end_token_ends_the_text_where_more_could_follow():
    vocabulary = Vocabulary([b"1", b"2", b"<end>"], eos_ids=[2])
    compiled = GrammarCompiler(vocabulary).compile_json_schema({"type": "integer"})
    traces = [run(compiled, UniformModel(vocabulary=vocabulary), seed=s) for s in range(20)]
    assert {trace.finished for trace in traces} == {"eos"}
    for trace in traces:
        assert trace.token_ids[-1] == 2 and trace.text == trace.text.strip("<end>")
        assert trace.is_valid()


def test_no_end_token_is_needed_where_nothing_may_follow():
    vocabulary = Vocabulary([b"true", b"false", b"<end>"], eos_ids=[2])
    compiled = GrammarCompiler(vocabulary).compile_json_schema({"type": "boolean"})
    trace = run(compiled, UniformModel(vocabulary=vocabulary))
    assert trace.finished == "accepted" and len(trace.steps) == 1


def test_a_schema_that_the_vocabulary_cannot_spell_is_an_error():
    compiled = GrammarCompiler(toy_vocabulary()).compile_json_schema({"const": "x"})
    with pytest.raises(NoLegalToken, match="cannot spell"):
        run(compiled)


def test_another_vocabulary_is_an_error(compiled):
    other = UniformModel(vocabulary=Vocabulary([b"{", b"}"], ()))
    with pytest.raises(ValueError, match=r"another vocabulary .*model\.vocabulary"):
        run(compiled, other)


@pytest.mark.parametrize(
    "options",
    [
        {"temperature": -1},
        {"top_k": 0},
        {"top_p": 0},
        {"top_p": 1.5},
        {"record": "all"},
        {"max_tokens": 0},
    ],
)
def test_bad_options_are_named(compiled, options):
    with pytest.raises(ValueError, match=next(iter(options))):
        run(compiled, **options)


def test_a_schema_as_text_still_validates():
    compiled = GrammarCompiler(toy_vocabulary()).compile_json_schema(json.dumps(PERSON))
    assert run(compiled).is_valid()


@pytest.mark.parametrize("slack", [0, 1, 5])
def test_a_budget_always_ends_in_time(slack):
    schema = {"type": "array", "items": {"type": "string"}, "minItems": 2}
    compiled = GrammarCompiler(toy_vocabulary()).compile_json_schema(schema)
    shortest = len(UniformModel().encode('["", ""]'))
    for seed in range(40):
        trace = run(compiled, seed=seed, budget=True, max_tokens=shortest + slack)
        assert trace.finished == "accepted", trace
        assert trace.is_valid() and len(trace.steps) <= shortest + slack


def test_a_budget_that_is_too_small_is_an_error():
    compiled = GrammarCompiler(toy_vocabulary()).compile_json_schema(PERSON)
    with pytest.raises(ValueError, match=r"5 tokens are too few .* 25 are needed"):
        run(compiled, budget=True, max_tokens=5)


def test_a_budget_ends_a_number_that_could_go_on():
    vocabulary = Vocabulary([b"1", b"2", b"-", b"<end>"], eos_ids=[3])
    compiled = GrammarCompiler(vocabulary).compile_json_schema({"type": "integer"})
    for seed in range(30):
        model = UniformModel(vocabulary=vocabulary)
        trace = run(compiled, model, seed=seed, budget=True, max_tokens=3)
        assert trace.is_valid() and trace.finished in ("accepted", "eos")
