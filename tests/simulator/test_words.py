"""Each step as one sentence, for the live line and for `repr`."""

import pytest

from simulator.words import say_start, say_step, shown
from tokenmask import Vocabulary

VOCABULARY = Vocabulary([b"{", b" a", b"\n"], eos_ids=())
OPEN = {"parses": False, "validates": False, "why": "Expecting value"}


def facts(**changes):
    given = {"token": 0, "forced": False, "legal": True, "allowed": 2, "verdict": OPEN}
    return given | changes


def test_the_start_says_where_and_how_many():
    said = say_start({"allowed": 1, "describe": "at the start"}, 28)
    assert said == "Before the first token, at the start: 1 of 28 tokens is allowed."
    assert say_start({"allowed": None, "describe": ""}, 28) == "Before the first token: there is no mask."


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({}, "Step 4: 2 of 3 tokens are allowed; “{” was drawn. The output is not JSON yet."),
        (
            {"forced": True, "allowed": 1, "token": 1},
            "Step 4: 1 of 3 tokens is allowed; “␣a” was forced, a free jump forward. "
            "The output is not JSON yet.",
        ),
        (
            {"legal": False},
            "Step 4: 2 of 3 tokens are allowed; “{” was drawn, which the schema forbids. "
            "The output has left the schema.",
        ),
        (
            {"legal": False, "allowed": None, "token": 2},
            "Step 4: nothing is masked; “␊” was drawn. The output has left the schema.",
        ),
        (
            {"verdict": {"parses": True, "validates": True, "why": ""}},
            "Step 4: 2 of 3 tokens are allowed; “{” was drawn. The output is valid.",
        ),
        (
            {"verdict": {"parses": True, "validates": False, "why": "1 is too small"}},
            "Step 4: 2 of 3 tokens are allowed; “{” was drawn. "
            "The output parses but is not valid: 1 is too small.",
        ),
    ],
)
def test_a_step_says_what_was_allowed_what_was_taken_and_what_is_so_far(changes, sentence):
    assert say_step(facts(**changes), 4, VOCABULARY) == sentence


def test_spaces_in_a_token_are_made_visible():
    assert shown("a b ") == "“a␣b␣”"
