"""The toy models: 28 tokens, exact probabilities, and a context that can be cut back."""

import subprocess
import sys

import numpy as np
import pytest

from tokenmask import GrammarCompiler, GrammarMatcher, Vocabulary
from tokenmask.sampling import softmax
from toymodel import TOY_TOKENS, MostlyLegalModel, UniformModel, toy_vocabulary

SCHEMA = {
    "type": "object",
    "properties": {"name": {"enum": ["Ada", "Lin"]}, "active": {"type": "boolean"}},
    "required": ["name", "active"],
    "additionalProperties": False,
}


@pytest.fixture(scope="module")
def compiled():
    return GrammarCompiler(toy_vocabulary()).compile_json_schema(SCHEMA)


def test_the_vocabulary_has_exactly_the_28_tokens():
    words = "name age active true false null 0 1 2 3 7 9 Ada Lin Kim Rey the cat sat"
    assert [*TOY_TOKENS] == [*'{}":, ', *words.split(" "), *"[]-"]
    assert toy_vocabulary().size == 28
    assert toy_vocabulary().eos_ids == ()
    assert toy_vocabulary() is toy_vocabulary()


def test_uniform_is_uniform():
    for seed in range(3):
        logits = UniformModel(seed).extend([1, 2, 3])
        assert logits.dtype == np.float32 and logits.shape == (28,)
        assert softmax(logits) == pytest.approx(np.full(28, 1 / 28), rel=1e-5)


def test_uniform_seed_decides_greedy_ties_and_nothing_else():
    best = {int(UniformModel(seed).extend([]).argmax()) for seed in range(50)}
    assert len(best) > 10
    assert (UniformModel(4).extend([1]) == UniformModel(4).extend([1])).all()


def test_truncate_forgets_tokens():
    model = UniformModel()
    at_two = model.extend([1, 2])
    model.extend([3])
    model.truncate(2)
    assert model.context == [1, 2]
    assert (model.extend([]) == at_two).all()


def test_encode_takes_the_longest_token():
    model = UniformModel()
    assert model.encode('{"name": true}') == [0, 2, 6, 2, 3, 5, 9, 1]
    long = UniformModel(vocabulary=Vocabulary([b"a", b"ab", b"abc", b"c"], ()))
    assert long.encode("abcab") == [2, 1]


def test_encode_says_what_it_cannot_spell():
    with pytest.raises(ValueError, match="'xyz'"):
        UniformModel().encode("catxyz")


def test_mostly_legal_gives_the_legal_tokens_p(compiled):
    model = MostlyLegalModel(0.99)
    model.follow(compiled)
    matcher = GrammarMatcher(compiled)
    logits = model.extend([])
    for token in model.encode('{"name": "'):
        probabilities, legal = softmax(logits), matcher.legal_tokens()
        share = np.full(len(legal), 0.99 / len(legal))
        assert probabilities[legal] == pytest.approx(share, rel=1e-4)
        assert matcher.accept_token(token)
        logits = model.extend([token])


def test_a_grammar_makes_a_new_matcher_for_whoever_follows_it(compiled):
    first, second = compiled.matcher(), compiled.matcher()
    assert isinstance(first, GrammarMatcher) and first.compiled is compiled
    assert first.accept_string('{"name"') and second.accept_string("{")
    assert second.legal_tokens().tolist() != first.legal_tokens().tolist()


def test_mostly_legal_is_uniform_once_it_has_left_the_schema(compiled):
    model = MostlyLegalModel(0.99)
    model.follow(compiled)
    logits = model.extend(model.encode("}{"))
    assert softmax(logits) == pytest.approx(np.full(28, 1 / 28), rel=1e-4)


def test_mostly_legal_comes_back_by_truncate(compiled):
    model = MostlyLegalModel(0.9)
    model.follow(compiled)
    before = model.extend([0])
    model.extend([1, 1])
    model.truncate(1)
    assert (model.extend([]) == before).all()


def test_mostly_legal_without_a_schema_is_uniform():
    assert np.ptp(softmax(MostlyLegalModel(0.99).extend([]))) < 1e-6


@pytest.mark.parametrize("p", [0, 1])
def test_mostly_legal_stays_finite_at_the_extremes(compiled, p):
    model = MostlyLegalModel(p)
    model.follow(compiled)
    assert np.isfinite(model.extend([])).all()


@pytest.mark.parametrize("p", [-0.1, 1.1])
def test_mostly_legal_refuses_what_is_no_probability(p):
    with pytest.raises(ValueError, match="probability"):
        MostlyLegalModel(p)


def test_importing_needs_numpy_only():
    code = (
        "import sys, tokenmask, toymodel; toymodel.UniformModel().extend([]);"
        "heavy = {'torch', 'transformers', 'jsonschema'} & set(sys.modules); assert not heavy, heavy"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
