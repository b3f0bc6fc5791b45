"""What a compiler returns and a matcher runs."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from .pushdown import Pushdown
from .vocabulary import Vocabulary

if TYPE_CHECKING:
    from .matcher import GrammarMatcher


@dataclass(slots=True, eq=False)
class CompiledGrammar:
    """A grammar for one vocabulary. Any number of matchers may share it; it grows as they go.

    `notes` names what the source said that is not enforced (an unknown `format`, a keyword that
    the caller chose to have as an annotation). `source` is what was compiled.
    """

    vocabulary: Vocabulary
    pushdown: Pushdown
    source: Any = None
    notes: list[str] = field(default_factory=list)

    def matcher(self) -> GrammarMatcher:
        """A new matcher at the beginning: `GrammarMatcher(self)`, for who only holds the grammar."""
        from .matcher import GrammarMatcher  # which needs this module first

        return GrammarMatcher(self)

    def __repr__(self) -> str:
        visited = len(self.pushdown.states)
        return f"<CompiledGrammar: {visited} states visited, {self.vocabulary.size} tokens>"
