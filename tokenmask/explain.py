"""Words for people: what a state waits for, and why a token is masked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .items import Bytes
from .pushdown import Pushdown, State

if TYPE_CHECKING:
    from .matcher import GrammarMatcher


def show(text: bytes) -> str:
    """Bytes as a person reads them, in quotes."""
    return repr(text.decode("utf-8", "backslashreplace"))


def describe_state(pushdown: Pushdown, state: State) -> str:
    """One sentence on what may come next."""
    words = list(dict.fromkeys(_top_words(stack.item) for stack in _ordered(state)))
    if state.accepting:
        words = [word for word in words if word != "end"]
        if not words:
            return "complete: only the end may come"
        return "complete so far: the end, or " + _either(words)
    return "next: " + _either(words)


def _top_words(item: object) -> str:
    if isinstance(item, Bytes):
        return f"the text {show(item.text)}"
    return item.describe()


def _either(words: list[str]) -> str:
    shown = words[:4] + (["..."] if len(words) > 4 else [])
    return " or ".join(shown)


def _ordered(state: State) -> list:
    """The stacks in a fixed order: deepest first, then by their words."""
    return sorted(state.stacks, key=lambda stack: (-stack.depth, stack.item.describe()))


def stack_words(state: State) -> list[str]:
    """The first stack of a state, topmost item first."""
    return [_top_words(item) for item in _ordered(state)[0].items()]


def explain_token(matcher: GrammarMatcher, token_id: int) -> str:
    """Why a token is legal or masked."""
    vocabulary = matcher.compiled.vocabulary
    if matcher.is_terminated():
        return "masked: the text has ended"
    if token_id in vocabulary.eos_ids:
        if matcher.is_accepting():
            return "legal: the text is complete and may end here"
        return "masked: the text is not complete, so it must not end. " + matcher.describe()
    if token_id in vocabulary.special_ids:
        return "masked: a special token is never part of the text"
    text = vocabulary.tokens[token_id]
    if not text:
        return "masked: this id stands for no text"
    return _explain_text(matcher, text)


def _explain_text(matcher: GrammarMatcher, text: bytes) -> str:
    pushdown, state = matcher.compiled.pushdown, matcher.state
    for place, byte in enumerate(text):
        after = pushdown.step(state, byte)
        if after is None:
            read = f"after {show(text[:place])}, " if place else ""
            refused = show(_whole_character(text, place))
            return f"masked: {read}{refused} may not come. {_capital(describe_state(pushdown, state))}"
        state = after
    return f"legal: all of {show(text)} fits"


def _whole_character(text: bytes, place: int) -> bytes:
    """The character that the byte at `place` belongs to, as far as the token has it."""
    start = place
    while start > 0 and 0x80 <= text[start] < 0xC0:
        start -= 1
    end = place + 1
    while end < len(text) and 0x80 <= text[end] < 0xC0:
        end += 1
    return text[start:end]


def _capital(sentence: str) -> str:
    return sentence[:1].upper() + sentence[1:]
