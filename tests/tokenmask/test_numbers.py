"""Numbers promise: what the text is read as is between the bounds, as jsonschema judges it."""

import json
import math
import random
import time
from decimal import Decimal

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from tokenmask import UnsupportedSchema, expression
from tokenmask.expression import NOTHING, TooComplex, is_nothing, transitions, words
from tokenmask.numbers import decimals, integers
from tokenmask.schema import numerals
from tokenmask.schema.pieces import Number


def matches(e, text):
    return expression.matches(e, text.encode())


def judge(**keywords):
    return Draft202012Validator({k: v for k, v in keywords.items() if v is not None}).is_valid


near = st.one_of(
    st.integers(-120, 120),
    st.sampled_from(
        [
            0.1,
            -0.1,
            0.5,
            2.5,
            99.99,
            1e-7,
            -1e-7,
            5e-324,
            1e16,
            1e300,
            10**18,
            2**53 + 1,
            10**25,
            0.30000000000000004,
        ]
    ),
    st.floats(-200, 200),
    st.floats(allow_nan=False, allow_infinity=False),
)
bounds = st.one_of(st.none(), near)
digit_texts = st.from_regex(r"-?(0|[1-9][0-9]{0,20})(\.[0-9]{1,20})?([eE][+-]?[0-9]{1,3})?", fullmatch=True)


def neighbours(number):
    """Spellings close to a bound, where mistakes are made."""
    found = [number]
    if isinstance(number, int):
        found += [number - 1, number + 1]
    if abs(number) < 1e308:
        f = float(number)
        found += [f, math.nextafter(f, math.inf), math.nextafter(f, -math.inf), f * 2, -f, f / 10]
    texts = [json.dumps(x) for x in found]
    return texts + [t + "1" for t in texts] + [t + "0" for t in texts if "e" not in t and "." in t]


@settings(max_examples=400, deadline=None)
@given(
    bounds,
    bounds,
    st.booleans(),
    st.booleans(),
    st.lists(digit_texts, max_size=4),
    st.lists(near, max_size=4),
)
@example(0, None, True, False, ["1e-400", "0.0"], [])
@example(2**53 + 1, None, False, False, ["9007199254740993.0"], [])
def test_decimals_are_between_their_bounds(low, high, low_open, high_open, texts, values):
    e = decimals(low, high, low_open, high_open)
    valid = judge(
        type="number",
        minimum=None if low_open else low,
        exclusiveMinimum=low if low_open else None,
        maximum=None if high_open else high,
        exclusiveMaximum=high if high_open else None,
    )
    for number in (low, high):
        texts = texts if number is None else texts + neighbours(number)
    for text in texts:
        try:
            value = json.loads(text)
        except ValueError:
            continue
        if matches(e, text):
            assert valid(value), text
        if json.dumps(value) == text:
            values = [*values, value]
    for value in [low, high, *values]:
        if value is not None and valid(value) and math.isfinite(value):
            assert matches(e, json.dumps(value)), value


@settings(max_examples=300, deadline=None)
@given(bounds, bounds, st.lists(digit_texts, max_size=4), st.lists(st.integers(-200, 200), max_size=4))
def test_integers_are_exact(low, high, texts, values):
    e = integers(low, high)
    valid = judge(type="integer", minimum=low, maximum=high)
    for number in (low, high):
        texts = texts if number is None else texts + neighbours(number)
    for text in texts:
        try:
            value = json.loads(text)
        except ValueError:
            continue
        if matches(e, text):
            assert valid(value), text
    for value in [low, high, *values]:
        if isinstance(value, int):
            assert matches(e, str(value)) == valid(value)
            if abs(value) < 10**15:
                assert matches(e, f"{value}.0") == valid(value)


steps = st.sampled_from(
    [
        1,
        2,
        3,
        7,
        10,
        25,
        100,
        360,
        997,
        10**6,
        1.0,
        5.0,
        0.5,
        0.25,
        2.5,
        0.1,
        0.01,
        0.05,
        0.3,
        0.0001,
        1e-8,
        123456789,
    ]
)


@settings(max_examples=300, deadline=None)
@given(steps, bounds, bounds, st.lists(st.integers(-(10**4), 10**4), max_size=4), st.booleans())
def test_multiples(step, low, high, factors, whole):
    e = integers(low, high, step) if whole else decimals(low, high, multiple_of=step)
    valid = judge(type="integer" if whole else "number", minimum=low, maximum=high, multipleOf=step)
    for factor in factors:
        for value in (factor, factor * step, factor + 0.5, factor / 100, float(Decimal(repr(step)) * factor)):
            text = json.dumps(value)
            if matches(e, text):
                assert valid(value), text
            elif (
                valid(value)
                and "e" not in text
                and not (isinstance(step, float) and float(value) % 1 and not whole)
            ):
                assert abs(value) > 10**6 or (isinstance(value, float) and not value.is_integer()), text
    try:
        found = words(e, 3)
    except TooComplex:
        return
    for word in found:
        assert valid(json.loads(word)), word


@pytest.mark.parametrize(
    ("e", "yes", "no"),
    [
        (
            decimals(),
            ["-0.5", "0.5", "-0", "1e5", "1E-2", "2.5e+3"],
            [".5", "1.", "-", "--1", "1e", "1e+", "00.5", "01"],
        ),
        (
            decimals(-3, 3),
            ["-0.25", "0.25", "-3", "3", "0", "-2.5", "3.0", "1e-07"],
            ["3.1", "-3.01", "4", "-", "3e1"],
        ),
        (decimals(0, None, True), ["0.1", "1e-300", "0.00001", "7"], ["0", "0.0", "-0", "-1", "0.000"]),
        (decimals(0.5, 0.5), ["0.5", "0.50", "5e-01"], ["0.51", "0.49", "0"]),
        (decimals(None, 1e16), ["1e+16", "-1e+17", "10000000000000000"], ["1.1e+16", "10000000000000001"]),
        (decimals(10, 11, True, True), ["10.5", "10.000000000000002"], ["10", "11", "10.0", "11.0"]),
        (decimals(multiple_of=0.01), ["19.5", "19.50", "0.05", "-3", "4.0"], ["0.001", "19.999"]),
        (decimals(multiple_of=5), ["10", "-5.0", "0"], ["7", "5.5", "2.5"]),
        (integers(-5), ["-5", "-1", "0", "6", "-0", "3.0"], ["-6", "-10", "-", "05", "1.5", "1e3"]),
        (integers(multiple_of=4), ["0", "8", "-12", "8.0"], ["6", "2", "-3", "04"]),
        (integers(1, 10, 0.5), ["1", "10"], ["0", "11", "1.5"]),
        (integers(multiple_of=1e-8), ["12391239123"], ["0.5"]),
        (integers(10**30, 10**30), [str(10**30)], [str(10**30 + 1), f"{10**30}.0", "1" * 31]),
        (integers(0.5, 1.5), ["1", "1.0"], ["0", "2"]),
    ],
)
def test_examples(e, yes, no):
    for text in yes:
        assert matches(e, text), text
    for text in no:
        assert not matches(e, text), text


@pytest.mark.parametrize(
    "e",
    [
        decimals(1, 0),
        integers(1, 0),
        decimals(0, 0, True),
        integers(0.1, 0.9),
        integers(1, 9, 1000),
        integers(1, 3, 5),
        decimals(0.001, 0.009, multiple_of=0.01),
    ],
)
def test_an_empty_range_is_nothing(e):
    assert is_nothing(e)


@pytest.mark.parametrize(
    "make",
    [
        lambda: integers(-(10**1000), 10**1000),
        lambda: integers(0, 10**4000),
        lambda: decimals(-1e308, 1e308, True, True),
        lambda: decimals(5e-324, 1.7976931348623157e308),
        lambda: integers(1, 10**18, 999_999_937),
        lambda: integers(1, 10**15, 199),
        lambda: decimals(0, 1, multiple_of=1e-12),
        lambda: decimals(multiple_of=0.123456789),
        lambda: integers(multiple_of=10**200),
    ],
)
def test_hostile_numbers(make):
    start = time.process_time()
    try:
        e = make()
        for byte in b"123456":
            e = next((rest for lo, hi, rest in transitions(e) if lo <= byte <= hi), NOTHING)
    except TooComplex:
        pass
    assert time.process_time() - start < 2


def test_a_range_has_few_states():
    seen, todo = set(), [integers(0, 65535)]
    while todo:
        state = todo.pop()
        if state not in seen:
            seen.add(state)
            todo.extend(rest for _, _, rest in transitions(state))
    assert len(seen) <= 20


def test_bounds_that_are_put_off_always_leave_a_number() -> None:
    """Their expressions are made when a decoder gets there: too late for an error."""
    rng = random.Random(1)
    bounds = [None, 0, 1, -1, 9, 10, 99, -10, 2**53, -(2**53), 2**53 - 1, 10**15, 123456789012345]
    bounds += [0.0, -0.0, 0.5, 1e-300, 5e-324, -5e-324, 78.55, 99999999999.99, 1e24]
    bounds += [-3.6893488147419103e19, 10**25, 2**63]
    put_off = 0
    for _ in range(500):
        low, high = rng.choice(bounds), rng.choice(bounds)
        piece = Number(low, high, rng.random() < 0.5, rng.random() < 0.5, rng.choice([True, None]), (), ())
        if numerals._has_room(piece):
            put_off += 1
            assert not is_nothing(numerals._expression(piece, rng.random() < 0.3)), piece
        else:
            assert low is not None and high is not None
            assert high - low < max(10, abs(low) / 100)
    assert put_off > 100
    assert numerals._has_room(Number(0, 1)) and numerals._has_room(Number(-1, 0.5, True, True))
    for low in (0, 9, -1, 10**15):
        nothing = Number(low, low + 1, True, True, True)
        assert numerals.number_terminal(nothing, 2020) is None


def test_multiples_that_are_put_off_always_leave_a_number() -> None:
    """Zero is a multiple of everything; of whole numbers, arithmetic tells. Compared with a search."""
    rng = random.Random(2)
    bounds = [None, 0, 0.0, 1, -1, 5, 7, 16, -16, 99, 4064, -2032, 0.5, -0.25, 10**15]
    steps = [1, 2, 3, 7, 16, 100, 199, 10**6, 0.5, 0.25, 0.1, 0.01, 2.5, 16.0, 0.0001]
    put_off, empty = 0, 0
    for _ in range(600):
        low, high = rng.choice(bounds), rng.choice(bounds)
        chosen = tuple(rng.sample(steps, rng.choice((1, 1, 2))))
        opened = rng.random() < 0.4, rng.random() < 0.4
        piece = Number(low, high, *opened, rng.choice([True, None]), chosen, ())
        if numerals._has_room(piece):
            put_off += 1
            try:
                assert not is_nothing(numerals._expression(piece, rng.random() < 0.3), 5_000), piece
            except TooComplex:
                assert len(chosen) > 1, piece
        elif is_exactly_decided(piece):
            empty += is_nothing(numerals._expression(piece, False))
            assert is_nothing(numerals._expression(piece, False)), piece
    assert put_off > 150 and empty > 20


def is_exactly_decided(piece: Number) -> bool:
    """Whole numbers, whole steps whose least common multiple is small: all is known beforehand."""
    whole = piece.integer and all(type(step) is int and step <= 200 for step in piece.multiples)
    return bool(whole) and math.lcm(*piece.multiples) <= 200


@pytest.mark.parametrize("step", [1e-14, 0.12345678901234567, 10**301])
def test_a_step_that_is_too_complex_is_refused_at_once(step: int | float) -> None:
    """Zero is its multiple, but the expression cannot be made later."""
    with pytest.raises(UnsupportedSchema, match="multipleOf"):
        numerals.number_terminal(Number(0, None, multiples=(step,)), 2020)
