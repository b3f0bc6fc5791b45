"""What users of such engines have reported, as small inputs with what must be accepted and refused.

Texts are fed as bytes one by one and as long tokens; at every step the mask equals replay.
"""

from __future__ import annotations

import json
from typing import Any

import pytest
from feeding import accepts, data_file, small_vocabulary

from tokenmask import CompiledGrammar, GrammarCompiler, GrammarMatcher


def cases() -> list[dict[str, Any]]:
    try:
        return json.loads(data_file("bug-cases.json").read_text(encoding="utf-8"))
    except pytest.skip.Exception:
        return []


CASES = cases()
OBJECTS = [case for case in CASES if "schema" in case]


def name(case: dict[str, Any]) -> str:
    return case["id"]


def compiled(case: dict[str, Any], whitespace: str = "free", key_order: str = "schema") -> CompiledGrammar:
    compiler = GrammarCompiler(small_vocabulary())
    if "regex" in case:
        return compiler.compile_regex(case["regex"])
    return compiler.compile_json_schema(case["schema"], whitespace, key_order)


def test_there_are_cases() -> None:
    assert len(json.loads(data_file("bug-cases.json").read_text(encoding="utf-8"))) >= 50


@pytest.mark.parametrize("single_bytes", [True, False], ids=["bytes", "tokens"])
@pytest.mark.parametrize("case", CASES, ids=name)
def test_accepts_what_is_right(case: dict[str, Any], single_bytes: bool) -> None:
    grammar = compiled(case)
    refused = [t for t in case["accept"] if not accepts(grammar, t, single_bytes=single_bytes)]
    assert refused == [], case["note"]


@pytest.mark.parametrize("single_bytes", [True, False], ids=["bytes", "tokens"])
@pytest.mark.parametrize("case", CASES, ids=name)
def test_refuses_what_is_wrong(case: dict[str, Any], single_bytes: bool) -> None:
    grammar = compiled(case)
    wrong = case["reject"] + case.get("policy_reject", [])
    assert [t for t in wrong if accepts(grammar, t, single_bytes=single_bytes)] == [], case["note"]


@pytest.mark.parametrize("whitespace", ["compact", "spaced"])
@pytest.mark.parametrize("key_order", ["schema", "any"])
@pytest.mark.parametrize("case", OBJECTS, ids=name)
def test_other_options_let_nothing_wrong_through(
    case: dict[str, Any], whitespace: str, key_order: str
) -> None:
    grammar = compiled(case, whitespace, key_order)
    wrong = case["reject"] + case.get("policy_reject", [])
    assert [text for text in wrong if accepts(grammar, text)] == [], case["note"]


@pytest.mark.parametrize("whitespace", ["compact", "spaced"])
@pytest.mark.parametrize("case", OBJECTS, ids=name)
def test_right_documents_in_each_way_of_writing(case: dict[str, Any], whitespace: str) -> None:
    grammar = compiled(case, whitespace)
    separators = (",", ":") if whitespace == "compact" else None
    for text in case["accept"]:
        value = json.loads(text)
        for ascii_only in (False, True):
            written = json.dumps(value, separators=separators, ensure_ascii=ascii_only)
            assert accepts(grammar, written), written


@pytest.mark.parametrize("case", [c for c in CASES if "order_free" in c], ids=name)
def test_keys_in_any_order(case: dict[str, Any]) -> None:
    assert all(accepts(compiled(case, key_order="any"), t) for t in case["order_free"])
    assert not any(accepts(compiled(case), t) for t in case["order_free"])


def test_an_escaped_and_a_raw_schema_text_are_the_same() -> None:
    schema = {"type": "object", "properties": {"größe": {"type": "integer"}}, "required": ["größe"]}
    for text in (json.dumps(schema), json.dumps(schema, ensure_ascii=False)):
        grammar = GrammarCompiler(small_vocabulary()).compile_json_schema(text)
        assert accepts(grammar, '{"größe": 1}')


def test_a_prefix_is_never_complete_and_after_the_end_only_the_end_is_legal() -> None:
    schema = {"type": "object", "properties": {"age": {"type": "integer"}}, "required": ["age"]}
    closed = {**schema, "additionalProperties": False}
    grammar = GrammarCompiler(small_vocabulary()).compile_json_schema(closed, "compact")
    matcher = GrammarMatcher(grammar)
    text = '{"age":3}'
    for character in text:
        assert not matcher.is_accepting()
        assert matcher.accept_string(character)
    assert matcher.legal_tokens().tolist() == list(small_vocabulary().eos_ids)
