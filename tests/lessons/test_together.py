"""Runs side by side give what they give one after the other; one that fails keeps nobody waiting."""

import pytest

from lessons.pieces import l04
from lessons.pieces.together import together
from tokenmask import GrammarCompiler, generate
from toymodel import SmallModel, UniformModel

ANSWERS = l04.choice_schema(["New York", "New Delhi", "New Orleans", "Paris"])
PROMPTS = ["Mardi Gras?", "What is the capital of India, a large country?", "Where is the Louvre?"]


def run(model, prompt, compiled):
    """One greedy run, with jumps that take tokens back."""
    options = {"temperature": 0, "system": "Name a city as JSON.", "record": "none"}
    return generate(model, prompt, compiled, **options).token_ids


@pytest.mark.model
def test_the_runs_are_those_of_the_model_alone():
    model = SmallModel.load()
    compiled = GrammarCompiler(model.vocabulary).compile_json_schema(ANSWERS)
    passes = []
    forward = model.model.forward
    model.model.forward = lambda *a, **k: passes.append(1) or forward(*a, **k)
    side_by_side = together(model, run, PROMPTS * 7, compiled)  # one row more than fit: two tables
    shared = len(passes)
    assert side_by_side == [run(model, prompt, compiled) for prompt in PROMPTS] * 7
    assert shared < len(passes)


@pytest.mark.model
def test_a_run_that_fails_is_reported_and_ends_the_others():
    model = SmallModel.load()
    compiled = GrammarCompiler(model.vocabulary).compile_json_schema(ANSWERS)

    def fail(seat, prompt, compiled):
        if prompt is None:
            raise KeyError("no prompt")
        return run(seat, prompt, compiled)

    with pytest.raises(KeyError, match="no prompt"):
        together(model, fail, [PROMPTS[0], None, PROMPTS[1]], compiled)


@pytest.mark.model
def test_a_pass_that_fails_is_reported():
    model = SmallModel.load()

    def ask(seat, prompt):
        seat.reset()
        return seat.extend([10**9, *seat.encode(prompt)])

    with pytest.raises(RuntimeError) as caught:
        together(model, ask, PROMPTS)
    assert isinstance(caught.value.__cause__, IndexError)


def test_a_toy_model_is_asked_one_after_the_other():
    model = UniformModel()
    assert together(model, lambda m, thing, more: (m is model, thing, more), "ab", 7) == [
        (True, "a", 7),
        (True, "b", 7),
    ]
    assert together(model, run, []) == []
