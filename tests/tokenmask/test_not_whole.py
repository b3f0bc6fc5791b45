"""Numbers that are not whole: all that surely are not, whatever their digits."""

from __future__ import annotations

import json
import random

import pytest

from tokenmask import GrammarCompiler, GrammarMatcher, Vocabulary

BYTES = Vocabulary([bytes([i]) for i in range(256)] + [b"<end>"], [256])


@pytest.fixture(scope="module")
def accepts():
    grammar = GrammarCompiler(BYTES).compile_json_schema({"type": "number", "not": {"type": "integer"}})

    def accepted(text: str) -> bool:
        matcher = GrammarMatcher(grammar)
        return matcher.accept_string(text) and matcher.is_accepting()

    return accepted


@pytest.mark.parametrize("text", ["0.9", "1.99", "-7911060071092.9", "0.5", "1.09", "0.99999999999999"])
def test_not_whole(accepts, text: str) -> None:
    assert accepts(text) and not json.loads(text).is_integer()


@pytest.mark.parametrize("text", ["1", "1.0", "10.00", "0.99999999999999999", "1e3", "0.0"])
def test_whole_or_read_as_such(accepts, text: str) -> None:
    assert not accepts(text) and float(text).is_integer()


def test_every_float_as_python_writes_it(accepts) -> None:
    rng = random.Random(4)
    for _ in range(2000):
        number = round(rng.uniform(-1, 1) * 10 ** rng.randrange(1, 13), rng.randrange(1, 4))
        text = json.dumps(number)
        assert accepts(text) == (not number.is_integer()), text
        padded = text + "9" * rng.randrange(20)
        assert not (accepts(padded) and float(padded).is_integer()), padded
