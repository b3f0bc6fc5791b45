"""Each step as one sentence: for the live line, for `repr`, and where no widget can draw."""

from __future__ import annotations

from typing import Any


def say_start(facts: dict[str, Any], size: int) -> str:
    """The sentence of position 0.

    >>> say_start({"allowed": 1, "describe": "at the start"}, 28)
    'Before the first token, at the start: 1 of 28 tokens is allowed.'
    """
    place = f", {facts['describe']}" if facts["describe"] else ""
    return f"Before the first token{place}: {_allowed(facts, size)}."


def say_step(facts: dict[str, Any], index: int, vocabulary: Any) -> str:
    """The sentence of step `index`: how many were allowed, what was taken, what is so far."""
    taken = f"Step {index}: {_allowed(facts, vocabulary.size)}; {_taken(facts, vocabulary)}"
    left = None if facts["legal"] else "The output has left the schema"
    return f"{taken}. {left or _verdict(facts['verdict'])}."


def shown(text: str) -> str:
    """A token between marks, its spaces made visible."""
    return "\u201c" + text.replace(" ", "\u2423") + "\u201d"


def _allowed(facts: dict[str, Any], size: int) -> str:
    count = facts["allowed"]
    if count is None:
        return "there is no mask" if "token" not in facts or facts["legal"] else "nothing is masked"
    return f"{count:,} of {size:,} tokens {'is' if count == 1 else 'are'} allowed"


def _taken(facts: dict[str, Any], vocabulary: Any) -> str:
    token = shown(vocabulary.text(facts["token"]))
    if facts["forced"]:
        return f"{token} was forced, a free jump forward"
    if facts["legal"] or facts["allowed"] is None:
        return f"{token} was drawn"
    return f"{token} was drawn, which the schema forbids"


def _verdict(verdict: dict[str, Any]) -> str:
    if verdict["validates"]:
        return "The output is valid"
    if verdict["parses"]:
        return f"The output parses but is not valid: {verdict['why']}"
    return "The output is not JSON yet"
