"""Lesson 07's finished pieces: definitions to schema, the walk-through, accuracy, six repairs."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from lessons import batch, calling
from lessons.models import is_real
from lessons.pieces.prefix import Remembers
from tokenmask import GrammarCompiler, GrammarMatcher, Trace, Vocabulary, generate

DATA = Path(__file__).resolve().parent.parent / "data"
BYTES_PER_TOKEN = 8  # a toy model's tokens are single bytes, and it needs so many more of them
RETRY_TEMPERATURE = 0.7
MAX_TOKENS = 36  # the longest call of the labelled set has fewer


def definitions() -> list[dict[str, Any]]:
    """The nine functions of this lesson, some in the short style, some as JSON Schema."""
    return json.loads((DATA / "functions.json").read_text(encoding="utf-8"))


def labelled() -> list[dict[str, Any]]:
    """The labelled set: a prompt and the call that is right for it."""
    return json.loads((DATA / "calls.json").read_text(encoding="utf-8"))


def ascii_vocabulary() -> Vocabulary:
    """Single ASCII characters and a few longer tokens: enough to spell any call."""
    longer = [b'{"', b'": "', b'": ', b'", "', b'"}}', b"}}", b"name", b"parameters", b"gre", b"et"]
    return Vocabulary([bytes([b]) for b in range(128)] + longer + [b"<end>"], eos_ids=[138])


def call_schema(definitions: list[dict[str, Any]]) -> dict[str, Any]:
    """The JSON Schema of one call of any of the functions, both styles of `parameters`."""
    branches = []
    for definition in definitions:
        parameters = definition.get("parameters", {})
        if parameters.get("type") != "object":
            parameters = {"type": "object", "properties": parameters, "required": list(parameters)}
        properties = {
            "name": {"const": definition["name"]},
            "parameters": {**parameters, "additionalProperties": False},
        }
        branches.append(
            {
                "type": "object",
                "properties": properties,
                "required": ["name", "parameters"],
                "additionalProperties": False,
            }
        )
    return {"anyOf": branches}


def walk_through(matcher: GrammarMatcher, ids: Iterable[int]) -> list[tuple[str, int]]:
    """Before each token: where we are, in words, and how many tokens are legal."""
    seen = []
    for token in ids:
        seen.append((matcher.describe(), len(matcher.legal_tokens())))
        matcher.accept_token(token)
    return seen


def is_exact(text: str, call: dict[str, Any]) -> bool:
    """Whether `text` is JSON and exactly the call that was wanted: the name and every value."""
    try:
        return json.loads(text) == call
    except ValueError:
        return False


def has_name(text: str, call: dict[str, Any]) -> bool:
    """Whether `text` is JSON and at least the function is the wanted one."""
    try:
        found = json.loads(text)
    except ValueError:
        return False
    return isinstance(found, dict) and found.get("name") == call["name"]


def parses(text: str) -> bool:
    """Whether `text` is JSON."""
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def answers(
    model: Any,
    prompts: list[str],
    system: str,
    compiled: Any = None,
    max_tokens: int = MAX_TOKENS,
    **sampling: Any,
) -> list[str]:
    """One text per prompt: greedy, under the grammar if one is given, without jump-forward.

    The small model decodes them side by side; a toy model one after the other.
    """
    prompts = [calling.user_prompt(prompt) for prompt in prompts]
    if is_real(model):
        return batch.complete(model, prompts, system, compiled, max_tokens, **sampling)
    any_json = compiled or GrammarCompiler(model.vocabulary).compile_json_schema({})
    options = {"constrained": compiled is not None, "jump_forward": False, "record": "none"}
    limit = BYTES_PER_TOKEN * max_tokens
    runs = [generate(model, p, any_json, limit, seed=i, **options) for i, p in enumerate(prompts)]
    return [trace.text for trace in runs]


def with_retries(model: Any, prompts: list[str], system: str, tries: int = 2) -> tuple[list[str], int]:
    """Ask without a mask; what does not parse is asked again, sampled. The texts and all requests."""
    texts = answers(model, prompts, system)
    asked = len(prompts)
    for attempt in range(1, tries):
        failed = [i for i, text in enumerate(texts) if not parses(text)]
        again = [prompts[i] for i in failed]
        asked += len(again)
        if again and is_real(model):
            sampled = answers(model, again, system, temperature=RETRY_TEMPERATURE, seed=attempt)
            for i, text in zip(failed, sampled):
                texts[i] = text
    return texts, asked


def jumping(
    model: Any, prompts: list[str], system: str, compiled: Any, max_tokens: int = MAX_TOKENS
) -> list[Trace]:
    """One run per prompt with jump-forward; what the prompts have in common is read once."""
    keeping = Remembers(model)
    max_tokens *= 1 if is_real(model) else BYTES_PER_TOKEN
    return [calling.call(keeping, prompt, compiled, system, max_tokens, budget=False) for prompt in prompts]


# the six repaired programs


def ids_with_prefix(tokens: list[bytes], prefix: bytes) -> list[int]:
    """The ids of the tokens that begin with `prefix`: ids are positions, so count, never look up."""
    return [i for i, token in enumerate(tokens) if token.startswith(prefix)]


def append_text(context: list[int], text: str, encode: Any) -> list[int]:
    """The context with the tokens of `text` after it; `encode` gives a list of lists, one per text."""
    return context + encode([text])[0]


def spell(tokens: list[str], text: str) -> list[int]:
    """The ids that spell `text`, the longest token first; each token is looked at once."""
    ids: dict[str, int] = {}
    longest = 0
    for i, token in enumerate(tokens):
        ids.setdefault(token, i)
        longest = max(longest, len(token))
    found, place = [], 0
    while place < len(text):
        ends = range(min(place + longest, len(text)), place, -1)
        end = next(end for end in ends if text[place:end] in ids)
        found.append(ids[text[place:end]])
        place = end
    return found


def next_ids(names: list[list[int]], written: list[int]) -> set[int]:
    """What may come after `written`, if the whole must be one of `names`, each several tokens."""
    n = len(written)
    return {ids[n] for ids in names if len(ids) > n and ids[:n] == written}


def call_text(name: str, parameters: dict[str, Any]) -> str:
    """The text of a call. Both braces, and quotes where quotes are needed."""
    return json.dumps({"name": name, "parameters": parameters})


def parameter_names(definitions: list[dict[str, Any]], name: str) -> list[str]:
    """The parameters of function `name`, from its definition."""
    for definition in definitions:
        if definition["name"] == name:
            parameters = definition.get("parameters", {})
            full = parameters.get("type") == "object"
            return list(parameters.get("properties", {}) if full else parameters)
    raise KeyError(name)
