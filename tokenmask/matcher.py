"""One sequence's progress through a compiled grammar. Names as in XGrammar's `GrammarMatcher`.

A matcher is a list of states, one per token: so rolling back is forgetting the last ones, and a
fork is a copy of the list.
"""

from __future__ import annotations

from operator import index as as_int

import numpy as np

from .budget import budget_of
from .compiled import CompiledGrammar
from .explain import describe_state, explain_token, stack_words
from .masks import mask_of
from .pushdown import State


class GrammarMatcher:
    """What has been read of one sequence, and what may follow.

    >>> matcher = GrammarMatcher(compiler.compile_regex("ab*"))
    >>> matcher.accept_string("a"), matcher.is_accepting(), matcher.accept_string("c")
    (True, True, False)
    """

    __slots__ = (
        "compiled", "_vocabulary", "_pushdown", "_states", "_terminated", "_tokens", "_eos", "_after",
    )

    def __init__(self, compiled: CompiledGrammar) -> None:
        self.compiled = compiled
        self._vocabulary, self._pushdown = compiled.vocabulary, compiled.pushdown
        self._tokens, self._eos = self._vocabulary.tokens, frozenset(self._vocabulary.eos_ids)
        self._after = self._pushdown.after
        self.reset()

    def reset(self) -> None:
        """Back to the beginning."""
        self._states: list[State] = [self._pushdown.start]
        self._terminated = False

    @property
    def state(self) -> State:
        """The present state of the pushdown automaton."""
        return self._states[-1]

    def fill_next_token_bitmask(self, bitmask: np.ndarray, index: int = 0) -> None:
        """Write the legal tokens into row `index` of an int32 array (batch, words).

        After an end token nothing is legal. The array comes from `allocate_token_bitmask`.
        """
        if self._terminated:
            bitmask[index] = 0
            return
        state = self._states[-1]
        mask = state.mask
        if mask is None:
            mask = mask_of(self._vocabulary, self._pushdown, state)
        bitmask[index if bitmask.ndim > 1 else ...] = mask  # the same bits, signed

    def legal_tokens(self) -> np.ndarray:
        """Ids of the legal tokens, ascending: intp (n,)."""
        if self._terminated:
            return np.zeros(0, np.intp)
        return self._vocabulary.unpack(mask_of(self._vocabulary, self._pushdown, self.state))

    def accept_token(self, token_id: int) -> bool:
        """Read one token. False, and nothing changes, if it is not legal here."""
        states = self._states
        state = states[-1]
        if self._terminated:
            return False
        token_id = as_int(token_id)  # NumPy's small integers would not bear the shift
        try:
            after = self._after[state.number << 32 | token_id]
        except KeyError:
            if not self._readable(token_id):
                return self._accept_end(token_id)
            after = self._pushdown.token(state, token_id, self._tokens[token_id])
        if after is None:
            return False
        states.append(after)
        return True

    def _readable(self, token_id: int) -> bool:
        vocabulary = self._vocabulary
        if not 0 <= token_id < vocabulary.size:
            raise IndexError(f"token {token_id} is not in a vocabulary of {vocabulary.size} tokens")
        return token_id not in self._eos and token_id not in vocabulary.special_ids

    def _accept_end(self, token_id: int) -> bool:
        """End tokens are legal exactly in accepting states; other special tokens never."""
        if token_id not in self._eos or not self.is_accepting():
            return False
        self._states.append(self.state)
        self._terminated = True
        return True

    def accept_string(self, text: str | bytes) -> bool:
        """Read some text, as one step for `rollback`. False, and nothing changes, if it does not fit."""
        if self._terminated:
            return False
        data = text.encode() if isinstance(text, str) else bytes(text)
        after = self._pushdown.read(self.state, data)
        if after is None:
            return False
        self._states.append(after)
        return True

    def is_accepting(self) -> bool:
        """What has been read is complete: an end token is legal now."""
        return self.state.accepting

    def is_terminated(self) -> bool:
        """An end token was read."""
        return self._terminated

    def is_finished(self) -> bool:
        """Complete, and no byte may follow: the only thing left is to end."""
        return self.is_accepting() and not self._pushdown.allowed_bytes(self.state)

    def find_jump_forward_string(self) -> str:
        """The text that must come next, up to the first choice (or the end); "" if there is a choice.

        >>> matcher.find_jump_forward_string()
        '{"name": '
        """
        forced, state = bytearray(), self.state
        while not (self._terminated or state.accepting):
            allowed = self._pushdown.allowed_bytes(state)
            if len(allowed) != 1:
                break
            forced.append(allowed[0])
            state = self._pushdown.step(state, allowed[0])
            if len(forced) > MOST_FORCED:
                break
        if forced and forced[0] & 0xC0 == 0x80:
            return ""  # in the middle of a character: its last bytes alone are no text
        return forced.decode("utf-8", "ignore")

    def shortest_completion(self) -> list[int]:
        """Token ids that complete the text from here, few of them; [] where it is complete.

        ValueError if this vocabulary cannot spell any completion, or none that is found within
        bounds. With a small vocabulary that lacks bytes there is no shorter one; with others there
        may be a token less (see `tokenmask.budget`).
        """
        if self.is_accepting():
            return []
        return budget_of(self._vocabulary, self._pushdown).completion(self.state)

    def fill_budget_bitmask(self, bitmask: np.ndarray, remaining: int, index: int = 0) -> None:
        """Like `fill_next_token_bitmask`, less the tokens after which the end could not be reached.

        remaining: text tokens that may still be written, the next one included; an end token is not
        counted. ValueError, saying how many are needed, if they are too few.
        """
        row = bitmask[index] if bitmask.ndim > 1 else bitmask
        if self._terminated:
            row[:] = 0
            return
        budget = budget_of(self._vocabulary, self._pushdown)
        row.view(np.uint32)[:] = budget.mask(self.state, remaining)

    def rollback(self, count: int = 1) -> None:
        """Forget the last `count` accepted tokens (or strings)."""
        if not 0 <= count < len(self._states):
            raise ValueError(f"cannot roll back {count} of {len(self._states) - 1} steps")
        if count:
            del self._states[-count:]
            self._terminated = False

    def fork(self) -> GrammarMatcher:
        """An independent matcher at the same place."""
        other = GrammarMatcher(self.compiled)
        other._states, other._terminated = list(self._states), self._terminated
        return other

    def explain(self, token_id: int) -> str:
        """In words: why this token is legal, or at which of its bytes it stops being so."""
        return explain_token(self, token_id)

    def describe(self) -> str:
        """In words: where we are and what may come."""
        if self._terminated:
            return "ended"
        return describe_state(self._pushdown, self.state)

    def stack(self) -> list[str]:
        """What is owed, topmost first, a few words each. Where branches are open: the first of them."""
        return stack_words(self.state)


MOST_FORCED = 100_000
"""Bytes; a longer forced text is cut, the rest follows with the next call."""
