"""Formats promise: nothing that jsonschema's checker or the official suite calls invalid."""

import calendar
import json
import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from tokenmask.expression import is_nothing, matches, words
from tokenmask.formats import FORMATS, LONGEST

CHECKER = Draft202012Validator.FORMAT_CHECKER
DATA = Path(os.environ.get("TOKENMASK_DATA", Path(__file__).parents[3] / "shared" / "data"))
SUITE = DATA / "json-schema-test-suite" / "draft2020-12" / "optional" / "format"
# what only the suite accepts: leap seconds; Punycode; numbers such as 100 in a relative pointer
REFUSED = ("leap second", "PVALID", "preceded by", "followed by", "MIDDLE DOT", "Arabic-Indic",
           "valid host name (example.test", "multi-digit prefix", "uppercase version letter")  # fmt: skip


def has(name, text):
    short = len(text) <= LONGEST.get(name, len(text))
    return short and matches(FORMATS[name], json.dumps(text, ensure_ascii=False)[1:-1].encode())


def cases():
    for path in sorted(SUITE.glob("*.json")) if SUITE.is_dir() else ():
        if path.stem in FORMATS:
            for group in json.loads(path.read_text()):
                for test in group["tests"]:
                    if isinstance(test["data"], str):
                        yield path.stem, test["data"], test["valid"], test["description"]


@pytest.mark.skipif(not SUITE.is_dir(), reason="the JSON Schema test suite is not here; set TOKENMASK_DATA")
def test_the_official_suite():
    wrong = []
    for name, text, valid, description in cases():
        found = has(name, text)
        if found and not valid:
            wrong.append(("accepted", name, text, description))
        if not found and valid and not any(word in description for word in REFUSED):
            wrong.append(("refused", name, text, description))
    assert wrong == []


KNOWN = [name for name in FORMATS if name in CHECKER.checkers]
examples = {
    "date": "2024-02-29", "time": "08:30:06.25+01:00", "date-time": "1985-04-12T23:20:50.52Z",
    "duration": "P1Y2M3DT4H5M6S", "email": "joe.bloggs@example.com", "idn-email": "실례@실례.테스트",
    "hostname": "www.ex-ample.com", "ipv4": "192.168.0.1", "ipv6": "2001:db8::ff00:42:8329",
    "uri": "https://user@example.com:80/a/b?c=d#e", "uri-reference": "../a/b?c#d",
    "iri": "http://ƒøø.ßår/?q=1", "iri-reference": "/âππ", "uri-template": "http://a/{b:1}/{c*}",
    "uuid": "2eb8aa08-aa98-11ea-b4aa-73b441d16380", "json-pointer": "/a~0b/~1",
    "relative-json-pointer": "1/a/0",
}  # fmt: skip


@settings(max_examples=300, deadline=None)
@given(
    st.sampled_from(KNOWN),
    st.lists(
        st.tuples(
            st.integers(0, 60), st.integers(0, 2), st.text('0159aAfFzZ-:.+/@[]%~#_ é\n"{}T', max_size=3)
        ),
        max_size=3,
    ),
)
def test_mutated_examples_are_judged_as_by_the_checker(name, mutations):
    text = examples[name]
    for place, gone, new in mutations:
        text = text[:place] + new + text[place + gone :]
    if has(name, text):
        assert CHECKER.conforms(text, name), text


@pytest.mark.parametrize("name", FORMATS)
def test_examples_are_accepted(name):
    assert has(name, examples[name])
    assert not is_nothing(FORMATS[name])


@pytest.mark.parametrize("name", KNOWN)
def test_the_shortest_words_are_valid(name):
    for word in words(FORMATS[name], 200):
        text = json.loads(b'"' + word + b'"')
        assert CHECKER.conforms(text, name), text


def test_dates_are_the_calendar():
    for year in (1, 4, 100, 400, 1900, 1999, 2000, 2023, 2024, 2100, 9999):
        for month in range(14):
            last = calendar.monthrange(year, month)[1] if 1 <= month <= 12 else 0
            for day in range(33):
                assert has("date", f"{year:04}-{month:02}-{day:02}") == (1 <= day <= last)
    assert not has("date", "0000-01-01") and not has("date", "0000-02-29")


def test_a_host_name_has_at_most_253_characters_and_63_in_a_label():
    label = "a" * 63
    assert has("hostname", ".".join([label] * 3 + ["a" * 61]))
    assert not has("hostname", ".".join([label] * 3 + ["a" * 62]))
    assert not has("hostname", label + "a")
    assert not has("hostname", "xn--a") and has("hostname", "x--n")


def test_formats_are_built_once():
    assert FORMATS["uri"] is FORMATS["uri"]
    assert FORMATS.get("no-such-format") is None and "no-such-format" not in FORMATS
