"""Lengths seen at a glance are the lengths of a pattern's strings: fewest, most, and no gap between."""

from __future__ import annotations

import random

import pytest
from test_patterns_against_re import pattern

from tokenmask.characters import ANY_CHARACTER
from tokenmask.errors import SchemaError, UnsatisfiableSchema
from tokenmask.expression import both, is_nothing, repeat
from tokenmask.regex import content, utf8
from tokenmask.schema import shapes_from_schema
from tokenmask.schema.keys import is_hollow
from tokenmask.spans import no_length_fits, own_bounds, span


def has_length(e, count: int) -> bool:
    return not is_nothing(both(e, repeat(ANY_CHARACTER, count, count)))


ENDLESS = float("inf")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("^(ab|c)$", (1, 2, True)),
        ("x", (1, ENDLESS, True)),
        # there is no gap, but that is not seen: -x alone has one
        ("^[a-z]{2,5}(-x)?$", (2, 7, False)),
        ("^(ab)?$", (0, 2, False)),
        ("^(abc){0,1}[a-z]{0,2}$", (0, 5, False)),
        ("^(ab){2}$", (4, 4, True)),
        ("^(ab|abc){2,}$", (4, ENDLESS, True)),
        ("^(abc)*$", (0, ENDLESS, False)),
        ("^(ab|cde)*$", (0, ENDLESS, False)),
        ("^(a{5}|[bc]{3}x*)$", (3, ENDLESS, True)),
        ("^(a{5}|(b{9})?|c{7})$", (0, 9, False)),
        ("^$", (0, 0, True)),
        ("^(?=a)", (1, ENDLESS, True)),
        ("^(?!a)", None),
        ("é{3}$", (3, ENDLESS, True)),
    ],
)
def test_spans(text: str, expected: tuple | None) -> None:
    assert span(content(text)) == expected


@pytest.mark.parametrize("seed", range(4))
def test_spans_of_random_patterns(seed: int) -> None:
    rng = random.Random(seed)
    whole, gaps = 0, 0
    for _ in range(60):
        text = f"^({pattern(rng, 2)})$"
        try:
            e = content(text)
            found = span(e)
        except ValueError:
            continue
        if found is None:
            continue
        lengths = [count for count in range(14) if has_length(e, count)]
        between = [count for count in range(14) if found.least <= count <= found.most]
        assert lengths[:1] == between[:1], text
        assert found.most > 13 or lengths[-1] == found.most, text
        assert lengths == between or not found.whole, text
        whole += found.whole
        gaps += lengths != between
        for _ in range(5):
            least, most = sorted(rng.choices(range(14), k=2))
            seen = no_length_fits(found, least, most)
            assert seen is None or seen != any(least <= count <= most for count in lengths), text
    assert whole > 15 and gaps


@pytest.mark.parametrize(
    "text", ["^(ab){2}$", "^(ab)*$", "^a{3,5}$", "^[a-z]{24}$", "a", "^a{9}|^$", "^(abc)?$", "^(a{2}|a{9})$"]
)
@pytest.mark.parametrize("bounds", [(0, 3), (4, 4), (5, 5), (6, None), (7, 30), (3, 8)])
def test_a_pattern_with_lengths_is_hollow_or_not(text: str, bounds: tuple[int, int | None]) -> None:
    least, most = bounds
    e = content(text)
    wanted = is_nothing(both(e, repeat(ANY_CHARACTER, least, most)))
    assert is_hollow(e, least, most, 20_000) == wanted
    made = {"type": "string", "pattern": text, "minLength": least}
    if most is not None:
        made["maxLength"] = most
    try:
        shapes_from_schema(made)
    except UnsatisfiableSchema:
        assert wanted
    except SchemaError as error:
        pytest.fail(str(error))
    else:
        assert not wanted


def test_only_characters_of_json_are_counted() -> None:
    assert span(content("^é$", encode=utf8)) is None
    assert span(content("^é$")) == (1, 1, True)


@pytest.mark.parametrize(
    ("bounds", "left"),
    [((2, 4), (0, None)), ((3, 4), (3, None)), ((2, 3), (0, 3)), ((0, 9), (0, None)), ((1, None), (0, None))],
)
def test_bounds_that_every_string_keeps_are_dropped(bounds: tuple, left: tuple) -> None:
    assert own_bounds(content("^(ab|abcd)$"), *bounds) == left
    assert own_bounds(content("^(?!ab)"), *bounds) == bounds
