"""What a trace can be asked."""

import numpy as np
import pytest

from tokenmask import Step, Trace, Vocabulary

VOCABULARY = Vocabulary([b"{", b'"a"', b": ", b"1", b"}", b"\xc3", b"\xa9", b"<end>", b"NaN"], [7])
SCHEMA = {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]}


def trace(*tokens, **options):
    steps = [token if isinstance(token, Step) else Step(token) for token in tokens]
    return Trace(VOCABULARY, options.pop("schema", SCHEMA), "", True, 0, steps, **options)


def test_text_and_value_without_the_end_token():
    run = trace(0, 1, 2, 3, 4, 7)
    assert run.token_ids == [0, 1, 2, 3, 4, 7]
    assert run.text == '{"a": 1}'
    assert run.parsed() == {"a": 1}
    assert run.is_valid() and run.validation_error() is None


def test_half_a_character_shows_as_such():
    assert trace(5, 6).text == "é"
    assert trace(5).text == "\ufffd" and trace(5).data == b"\xc3"


def test_why_a_text_is_not_valid():
    assert trace(0, 1).validation_error().startswith("not JSON: ")
    assert trace(0, 4).validation_error() == "$: 'a' is a required property"
    assert trace(8).validation_error() == "not JSON: NaN is not JSON"
    assert not trace(0, 4).is_valid()


def test_parsing_is_not_validating():
    run = trace(0, 4)
    assert run.parsed() == {} and not run.is_valid()


def test_another_schema_can_be_asked_about():
    assert trace(3).is_valid({"type": "integer"})
    assert trace(3).is_valid('{"type": "integer"}')
    assert trace(3, schema=None).is_valid(True)
    assert trace(3).validation_error({"maximum": 0}) == "$: 1 is greater than the maximum of 0"


def test_a_pydantic_class_is_a_schema():
    pydantic = pytest.importorskip("pydantic")
    thing = pydantic.create_model("Thing", a=(int, ...))
    assert trace(0, 1, 2, 3, 4, schema=thing).is_valid()
    assert not trace(0, 4, schema=thing).is_valid()


def test_without_a_schema_validity_cannot_be_judged():
    with pytest.raises(ValueError, match="no JSON Schema"):
        trace(3, schema=None).is_valid()


def test_shares_and_speed():
    run = trace(
        Step(0, forced=True, mask_seconds=0.5),
        Step(1, mask_seconds=0.5, model_seconds=3.0),
        Step(2, legal=False),
        Step(3, forced=True, legal=False),
        seconds=8.0,
    )
    assert run.skipped_fraction == 0.5
    assert run.mask_share == 0.25
    assert run.tokens_per_second == 0.5
    assert run.first_illegal == 2


def test_an_empty_run_has_no_figures_to_divide():
    run = trace()
    assert (run.skipped_fraction, run.mask_share, run.tokens_per_second) == (0, 0, 0)
    assert run.text == "" and run.first_illegal is None


def test_it_shows_what_it_is():
    assert repr(trace(3, finished="accepted")) == "Trace(constrained, 1 tokens, accepted, '1')"
    assert np.asarray(trace(3).token_ids).tolist() == [3]
