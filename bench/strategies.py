"""Hypothesis strategies for the fuzz: schemas over the supported keywords, and values near to them.

Small pools of names, words and bounds make keywords meet: two branches that share a name, a known
name that a pattern matches as well, a length that a pattern contradicts.
"""

from __future__ import annotations

import copy
import json
from typing import Any

from hypothesis import strategies as st

NAMES = ("a", "b", "ab", "abc", "", "a b", "é", 'q"', "back\\slash", "🙂", "x_1", "$ref", "type", "\t")
WORDS = (
    "", "a", "ab", "abc", "b", "on", "once", "é", "e\u0301", "東京", "🙂", '"', "\\", "\n", "a\x00",
)  # fmt: skip
FORMATS = ("date", "time", "date-time", "ipv4", "ipv6", "uuid", "email", "hostname", "duration", "uri")
ATOMS = ("a", "b", "[ab]", "[^a]", "[0-9]", ".", "é", "🙂", "[a-z]", "\\\\", '"', "[^\\x00-\\x7f]")
PIECES = (
    '{"', '"}', '":', ",", '","', "[]", "{}", "[[", "}}", "]}", "null", "true", "false", "nul",
    "\\u", "\\\\", '\\"', "\\n", "\\ud83d", "00", "u00", "10", "12", "0.", ".5", "-1", "1e", "E+", "e-",
    "ab", "abc", 'a"', "x_", "on", "once", "é", "ß", "東", "京", "🙂", "\\u00e9", "2024-", "-01-",
    "T10", ":00", "@", ".com", "$ref", "type",
)  # fmt: skip

names = st.sampled_from(NAMES)
words = st.sampled_from(WORDS)
small = st.integers(0, 4)
integers = st.one_of(st.integers(-12, 120), st.sampled_from([10**9, -(10**12), 2**53, 10**20]))
decimals = st.one_of(
    integers,
    st.sampled_from([0.5, -0.5, 1.5, 0.1, 1e-7, -1e-7, 1e16, 2.5e30, 99.99, -273.15, 1e300]),
)
scalars = st.one_of(st.none(), st.booleans(), integers, decimals, words)
values = st.recursive(
    scalars,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(names, inner, max_size=3)),
    max_leaves=6,
)


@st.composite
def patterns(draw: st.DrawFn, depth: int = 2) -> str:
    """ECMA-262 patterns that Python's `re` reads the same way, but for `$` and `.` (see `judge`)."""
    kind = draw(st.integers(0, 5)) if depth else 0
    if kind <= 1:
        body = "".join(draw(st.lists(st.sampled_from(ATOMS), min_size=1, max_size=3)))
    elif kind == 2:
        body = f"({draw(patterns(depth - 1))}|{draw(patterns(depth - 1))})"
    else:
        counts = st.sampled_from(["*", "+", "?", "{2}", "{1,3}", "{2,}"])
        body = f"({draw(patterns(depth - 1))}){draw(counts)}"
    if depth == 2:
        return draw(st.sampled_from(["", "^"])) + body + draw(st.sampled_from(["", "$"]))
    return body


def some_of(**keywords: st.SearchStrategy) -> st.SearchStrategy[dict[str, Any]]:
    """A schema with any of these keywords."""
    return st.fixed_dictionaries({}, optional=keywords)


def integer_schemas() -> st.SearchStrategy[dict[str, Any]]:
    """Integers with bounds and multiples."""
    return some_of(
        minimum=integers,
        maximum=integers,
        exclusiveMinimum=integers,
        exclusiveMaximum=integers,
        multipleOf=st.integers(1, 40),
    ).map(lambda s: {"type": "integer", **s})


def number_schemas() -> st.SearchStrategy[dict[str, Any]]:
    """Numbers with bounds; multiples that are exact in binary, and hundredths."""
    return some_of(
        minimum=decimals,
        maximum=decimals,
        exclusiveMinimum=decimals,
        exclusiveMaximum=decimals,
        multipleOf=st.sampled_from([0.5, 0.25, 2, 0.01]),
    ).map(lambda s: {"type": "number", **s})


def string_schemas() -> st.SearchStrategy[dict[str, Any]]:
    """Strings: lengths, patterns, formats."""
    return st.one_of(
        some_of(minLength=small, maxLength=st.integers(0, 9), pattern=patterns()),
        st.fixed_dictionaries({"format": st.sampled_from(FORMATS)}),
    ).map(lambda s: {"type": "string", **s})


def array_schemas(inner: st.SearchStrategy) -> st.SearchStrategy[dict[str, Any]]:
    """Arrays: items, prefixes, counts, contains, unique."""
    return some_of(
        items=inner,
        prefixItems=st.lists(inner, min_size=1, max_size=3),
        minItems=small,
        maxItems=st.integers(0, 6),
        contains=inner,
        minContains=st.integers(0, 2),
        maxContains=st.integers(1, 3),
        uniqueItems=st.booleans(),
    ).map(lambda s: {"type": "array", **s})


def object_schemas(inner: st.SearchStrategy) -> st.SearchStrategy[dict[str, Any]]:
    """Objects: names known, required, free, by pattern, counted, dependent."""
    several = st.lists(names, max_size=3, unique=True)
    return some_of(
        properties=st.dictionaries(names, inner, max_size=4),
        required=several,
        additionalProperties=inner,
        patternProperties=st.dictionaries(patterns(), inner, max_size=2),
        propertyNames=string_schemas(),
        minProperties=small,
        maxProperties=st.integers(0, 5),
        dependentRequired=st.dictionaries(names, several, max_size=2),
        dependentSchemas=st.dictionaries(names, inner, max_size=1),
        unevaluatedProperties=st.booleans(),
    ).map(lambda s: {"type": "object", **s})


def combined(inner: st.SearchStrategy) -> st.SearchStrategy[dict[str, Any]]:
    """allOf, anyOf, oneOf, not, if; beside other keywords or alone."""
    several = st.lists(inner, min_size=1, max_size=3)
    return st.one_of(
        st.fixed_dictionaries({"anyOf": several}),
        st.fixed_dictionaries({"oneOf": several}),
        st.fixed_dictionaries({"allOf": several}),
        st.fixed_dictionaries({"not": inner}),
        some_of(**{"if": inner, "then": inner, "else": inner}),
        st.tuples(inner, st.fixed_dictionaries({"allOf": several})).map(_beside),
        st.tuples(inner, st.fixed_dictionaries({"not": inner})).map(_beside),
    )


def _beside(pair: tuple[Any, dict[str, Any]]) -> Any:
    left, right = pair
    return {**left, **right} if isinstance(left, dict) else right


leaves = st.one_of(
    integer_schemas(),
    number_schemas(),
    string_schemas(),
    st.just({"type": "null"}),
    st.just({"type": "boolean"}),
    st.just({}),
    st.booleans(),
    st.lists(st.sampled_from(["string", "integer", "null", "array", "object"]), min_size=1, max_size=3)
    .map(set)
    .map(sorted)
    .map(lambda types: {"type": types}),
    st.fixed_dictionaries({"const": values}),
    st.fixed_dictionaries({"enum": st.lists(values, min_size=1, max_size=5)}),
    st.sampled_from(["one", "two"]).map(lambda name: {"$ref": f"#/$defs/{name}"}),
)  # fmt: skip

bodies = st.recursive(
    leaves,
    lambda inner: st.one_of(
        object_schemas(inner), object_schemas(inner), array_schemas(inner), combined(inner)
    ),
    max_leaves=8,
)


@st.composite
def schemas(draw: st.DrawFn) -> Any:
    """A whole schema; references point to definitions that may point back."""
    body = draw(bodies)
    if isinstance(body, bool):
        return body
    text = json.dumps(body)
    if "#/$defs/" in text:
        body = {**body, "$defs": {"one": draw(bodies), "two": draw(bodies)}}
    return body


@st.composite
def changed(draw: st.DrawFn, value: Any) -> Any:
    """The value with one thing changed somewhere: a near miss, or another right one."""
    value = copy.deepcopy(value)
    if isinstance(value, dict) and value and draw(st.integers(0, 3)):
        return _changed_object(draw, value)
    if isinstance(value, list) and value and draw(st.integers(0, 3)):
        return _changed_array(draw, value)
    if isinstance(value, bool) or value is None:
        return draw(scalars)
    if isinstance(value, (int, float)):
        return draw(st.sampled_from([value + 1, value - 1, -value, value * 2, value / 2, str(value)]))
    if isinstance(value, str):
        letter = draw(st.sampled_from(["a", "b", "é", "🙂", "\n", "0"]))
        return draw(st.sampled_from([value + letter, value[:-1], letter + value, value * 2, [value]]))
    return draw(values)


def _changed_object(draw: st.DrawFn, value: dict[str, Any]) -> dict[str, Any]:
    key = draw(st.sampled_from(sorted(value)))
    what = draw(st.integers(0, 4))
    if what == 0:
        del value[key]
    elif what == 1:
        value[draw(names)] = draw(values)
    elif what == 2:
        value[draw(names)] = value.pop(key)
    elif what == 3:
        keys = draw(st.permutations(sorted(value)))
        value = {k: value[k] for k in keys}
    else:
        value[key] = draw(changed(value[key]))
    return value


def _changed_array(draw: st.DrawFn, value: list[Any]) -> list[Any]:
    place = draw(st.integers(0, len(value) - 1))
    what = draw(st.integers(0, 3))
    if what == 0:
        del value[place]
    elif what == 1:
        value.insert(place, draw(values))
    elif what == 2:
        value.append(copy.deepcopy(value[place]))
    else:
        value[place] = draw(changed(value[place]))
    return value
