"""Whether infinitely many words begin at a state of an automaton: is there a cycle ahead?

Only finitely many keys can be forbidden in an object, so where the words are endless one is left.
"""

from __future__ import annotations

from .automaton import AutomatonState

MOST_EXPLORED = 2000


def endless(state: AutomatonState) -> bool:
    """Infinitely many words begin here. False may also mean that the automaton is too large to tell."""
    memo: dict[int, bool] = state.automaton.extra.setdefault("endless", {})
    if state.index not in memo:
        _explore_endless(state, memo)
    return memo[state.index]


def _explore_endless(start: AutomatonState, memo: dict[int, bool]) -> None:
    """Depth first for a cycle: every state leads to an accepting one, so a cycle means no end."""
    path: list[tuple[AutomatonState, list[AutomatonState]]] = []
    on_path: set[int] = set()

    def enter(state: AutomatonState) -> None:
        path.append((state, list(state.successors)))
        on_path.add(state.index)

    enter(start)
    explored = 0
    while path:
        state, ahead = path[-1]
        if not ahead:
            path.pop()
            on_path.discard(state.index)
            memo.setdefault(state.index, False)
            continue
        after = ahead.pop()
        known = memo.get(after.index)
        if after.index in on_path or known:
            for passed, _ in path:
                memo[passed.index] = True
            return
        explored += 1
        if known is None and explored < MOST_EXPLORED:
            enter(after)
