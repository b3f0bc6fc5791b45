"""Whether infinitely many words begin at a state of an automaton: is there a cycle ahead?

Only finitely many keys can be forbidden in an object, so where the words are endless one is left.
"""

from __future__ import annotations

from .automaton import AutomatonState

NEAR, FAR = 40, 2000
"""States looked at for a cycle: first, and at most."""


def endless(state: AutomatonState, most: int = FAR) -> bool:
    """Infinitely many words begin here. False may also mean: not seen among the first `most` states."""
    memo: dict[int, bool] = state.automaton.extra.setdefault("endless", {})
    if state.index not in memo and not _find_cycle(state, memo, most):
        return False
    return memo[state.index]


def _find_cycle(start: AutomatonState, memo: dict[int, bool], most: int) -> bool:
    """Depth first; every state leads to an accepting one, so a cycle means no end.

    What is found out goes to `memo`. Where there are too many states the answer is False, and it is
    kept only if `most` is `FAR`.
    """
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
            return True
        explored += 1
        if known is None and explored < most:
            enter(after)
        elif known is None and most < FAR:
            return False
    return True
