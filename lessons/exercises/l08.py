"""Lesson 08: ends, shortest ends, ends in time, and the order of mask and top-p."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from lessons.exercise import Case, Exercise, Words, calls, is_like_int
from lessons.pieces import l01, l08
from toymodel import TOY_TOKENS

TOY = list(TOY_TOKENS)
DATE, DIGITS = l01.date_dfa(), l08.list_dfa()
PERSON = l01.object_dfa()
NUMBER = l01.Builder("number").number().dfa()
TEXT = l01.Builder("text").string().dfa()
WORDS = l01.enum_dfa(["cat", "cow", "cats"])
# accepts at once, and may go on for ever
LOOP = l01.DFA(start=0, accepting={0}, edges={(0, "a"): 1, (1, "b"): 0}, name="loop")
BITS = ["[", "]", ",", "1", "1,", ",2", "[7", "3]", "[]", "4,5,6"]


def end_cases(with_end: Callable) -> Iterator[Case]:
    """Accepting states that may go on, a string in which the end token could be spelled."""
    inputs = [
        (DATE, 10, ["7", "-", "<end>"], 2),
        (DATE, 3, ["7", "-", "<end>"], 2),
        (DATE, 0, ["<end>", "7", "2023"], 0),
    ]
    because = "the end is legal exactly where the automaton accepts"
    yield from calls(with_end, inputs, l08.with_end, because, "with_end")
    because = "after 1 the number may end, and it may also go on: both are legal"
    inputs = [
        (NUMBER, l01.walk(NUMBER, 0, "1"), ["2", ".", "-", "<end>"], 3),
        (LOOP, 0, ["b", "ab", "<end>", "a"], 2),
        (WORDS, l01.walk(WORDS, 0, "cat"), ["<end>", "s", "t"], 0),
    ]
    yield from calls(with_end, inputs, l08.with_end, because, "with_end")
    because = "inside a string the characters <, e, n, d, > are legal, but the token means something else"
    inputs = [(TEXT, 1, ["a", "<end>", '"', "<end>!"], 1), (TEXT, 2, ["a", "<end>", '"'], 1)]
    yield from calls(with_end, inputs, l08.with_end, because, "with_end")
    because = "1. is not a number yet: here the text must go on"
    yield from calls(
        with_end,
        [(NUMBER, l01.walk(NUMBER, 0, "1."), ["2", ".", "<end>"], 2), (LOOP, 1, ["a", "b", "</s>"], 2)],
        l08.with_end,
        because,
        "with_end",
    )


CHEAPEST = {
    "string": '"',
    "comma": ", ",
    "key age": '"age": ',
    "number": "0",
    "boolean": "true",
    "brace": "}",
    "bracket": "]",
    "abcd": "abcd",
    "nothing": "",
}


def completion_case(function: Callable, stack: list[str], tokens: list[str], because: str) -> Case:
    """The tokens must spell what is owed, and be as few as can be: which of several does not matter."""
    wanted = l08.shortest_completion(stack, CHEAPEST, tokens)
    text = "".join(tokens[i] for i in wanted)
    count = "1 id that spells" if len(wanted) == 1 else f"{len(wanted)} ids that spell"

    def right(_, got) -> bool:
        if not isinstance(got, list | tuple) or not all(is_like_int(i) and i >= 0 for i in got):
            return False
        inside = all(i < len(tokens) for i in got)
        return inside and len(got) == len(wanted) and "".join(tokens[i] for i in got) == text

    return Case(
        f"shortest_completion({stack!r}, cheapest, {tokens!r})",
        Words(f"{count} {text!r}, for instance {wanted}"),
        lambda: function(list(stack), dict(CHEAPEST), list(tokens)),
        right,
        because,
    )


def completion_cases(shortest_completion: Callable) -> Iterator[Case]:
    """Greedy traps, tokens across two things owed, and text that cannot be spelled."""
    letters = ["a", "b", "c", "d", "abc", "bcd"]
    because = "the topmost is paid first"
    yield completion_case(shortest_completion, ["string", "brace"], ['"', "}"], because)
    yield completion_case(
        shortest_completion,
        ["string", "comma", "key age", "number", "brace"],
        ['"', ",", " ", "age", ":", "0", "}"],
        because,
    )
    because = "a token may pay the end of one thing and the beginning of the next"
    yield completion_case(shortest_completion, ["string", "brace"], ['"', "}", '"}'], because)
    yield completion_case(
        shortest_completion, ["number", "bracket", "brace"], ["0", "]", "}", "]}", "0]"], because
    )
    because = "the longest token first is not always the fewest tokens: try every token at every place"
    yield completion_case(shortest_completion, ["abcd"], letters, because)
    yield completion_case(
        shortest_completion, ["abcd", "abcd"], ["abc", "d", "a", "bcd", "bc", "dabc"], because
    )
    yield completion_case(shortest_completion, ["abcd"], ["abc", "ab", "cd"], because)
    yield completion_case(shortest_completion, ["abcd", "nothing"], ["", "ab", "cd", "c", "d"], because)
    yield completion_case(shortest_completion, [], ["a"], "nothing is owed: no tokens")
    yield completion_case(shortest_completion, ["nothing"], ["a"], "an empty text needs no tokens")
    yield completion_case(
        shortest_completion,
        ["string"] + ["brace"] * 40,
        ['"', "}", "}}", "}}}"],
        "many ways to cut a text: keep the best answer of every place instead of trying all ways",
    )
    yield Case(
        "shortest_completion(['abcd'], cheapest, ['abc', 'bcd'])",
        Words("ValueError"),
        lambda: _value_error(shortest_completion),
        because="no tokens spell this text: say so",
    )


def _value_error(function: Callable):
    try:
        return function(["abcd"], dict(CHEAPEST), ["abc", "bcd"])
    except ValueError:
        return Words("ValueError")


def budget_cases(budgeted_mask: Callable) -> Iterator[Case]:
    """The comma, exact fits, dead ends, more room than needed, and no room at all."""

    def inputs(dfa, text, tokens, *remaining):
        cost = l08.costs(dfa, tokens)
        return [(dfa, l01.walk(dfa, 0, text), tokens, cost, n) for n in remaining]

    plain = ["[", "]", ",", "1"]
    because = "a token costs one itself, and then what the state after it costs"
    yield from calls(
        budgeted_mask, inputs(DIGITS, "[1", plain, 1, 2), l08.budgeted_mask, because, "budgeted_mask"
    )
    because = "three tokens are just enough for a comma, a digit and the bracket"
    yield from calls(
        budgeted_mask, inputs(DIGITS, "[1", plain, 3, 4), l08.budgeted_mask, because, "budgeted_mask"
    )
    because = "with room to spare, the mask is the legal mask: nothing illegal comes in, nothing goes"
    yield from calls(
        budgeted_mask, inputs(DIGITS, "[1", BITS, 50), l08.budgeted_mask, because, "budgeted_mask"
    )
    yield from calls(
        budgeted_mask, inputs(PERSON, '{"name": "', TOY, 99), l08.budgeted_mask, because, "budgeted_mask"
    )
    because = "a token of several characters leads further than its first one"
    yield from calls(
        budgeted_mask, inputs(DIGITS, "[1", BITS, 1, 2, 3), l08.budgeted_mask, because, "budgeted_mask"
    )
    yield from calls(
        budgeted_mask, inputs(DIGITS, "", BITS, 1, 2), l08.budgeted_mask, because, "budgeted_mask"
    )
    because = "legal, and it leads nowhere: this vocabulary has no w for cow"
    yield from calls(
        budgeted_mask, inputs(WORDS, "c", ["at", "o", "s"], 9), l08.budgeted_mask, because, "budgeted_mask"
    )
    because = "the text may end here, but it may also go on while there is room"
    yield from calls(
        budgeted_mask, inputs(LOOP, "", ["a", "b", "ab"], 1, 2), l08.budgeted_mask, because, "budgeted_mask"
    )
    because = "too few tokens for any end: no token qualifies"
    yield from calls(
        budgeted_mask, inputs(PERSON, '{"name": "', TOY, 3), l08.budgeted_mask, because, "budgeted_mask"
    )


def nucleus_case(nucleus: Callable, what: str, logits: np.ndarray, mask: list, p: float, why: str) -> Case:
    """One call, its logits written as the learner would type them: as probabilities, mostly."""
    legal = np.array(mask, bool)
    return Case(
        f"nucleus({what}, np.array({mask}, bool), {p})",
        l08.nucleus(logits, legal, p),
        lambda: nucleus(logits.copy(), legal.copy(), p),
        because=why,
    )


def nucleus_cases(nucleus: Callable) -> Iterator[Case]:
    """Likely tokens that are illegal, shares among the legal ones, ties, and an empty mask."""
    every, late = [1, 1, 1, 1, 1], [0, 0, 1, 1, 1]
    shares = [0.6, 0.3, 0.06, 0.03, 0.01]
    mixed, odd = [2.0, -1.0, 0.0, 1.0, 0.5, 1.0], [0, 1, 0, 1, 1, 1]
    logs, plain = f"np.log({shares})", f"np.array({mixed})"
    why = "the token that crosses p belongs to the set"
    for p in (0.65, 0.1):
        yield nucleus_case(nucleus, logs, np.log(shares), every, p, why)
    why = "top-p first keeps tokens 0 and 1, or counts their share; the mask takes both away. Mask first"
    for p in (0.5, 0.8):
        yield nucleus_case(nucleus, logs, np.log(shares), late, p, why)
    why = "p is a share of what is legal: the probabilities of the legal tokens must sum to 1"
    for p in (0.89, 0.95):
        yield nucleus_case(nucleus, logs, np.log(shares), late, p, why)
    why = "likeliest first, and of equals the lower id"
    for p in (0.5, 0.3, 0.9):
        yield nucleus_case(nucleus, plain, np.array(mixed), odd, p, why)
    why = "the shares may add up to a little less than 1 by rounding: still no illegal token"
    rounded = [0.1, -0.1, 0.6, 0.1, -0.5, 0.4]
    yield nucleus_case(nucleus, f"np.array({rounded})", np.array(rounded), [1, 1, 0, 1, 1, 1], 1.0, why)
    why = "p = 1 keeps every legal token and no other"
    yield nucleus_case(nucleus, "np.array([0.0, 3.0, 0.0])", np.array([0.0, 3.0, 0.0]), [1, 0, 1], 1.0, why)
    yield Case(
        "nucleus(logits, mask, 0.9) with a mask that allows nothing",
        Words("ValueError"),
        lambda: _empty(nucleus, np.log(shares)),
        because="an empty mask is an error, never a guess",
    )


def _empty(nucleus: Callable, logits: np.ndarray):
    try:
        with np.errstate(all="ignore"):
            return nucleus(logits.copy(), np.zeros(len(logits), bool), 0.9)
    except ValueError:
        return Words("ValueError")


EXERCISES = [
    Exercise(
        number="8.1",
        title="A token that means the end",
        minutes=6,
        difficulty=2,
        names=("with_end",),
        cases=end_cases,
        hints=(
            "Start with the ordinary mask: `l01.allowed_token_ids` gives the legal ids.",
            "Then decide about one token on its own: is `state` in `dfa.accepting`?",
            "*Set* `mask[end]` to that, true or false. Inside a string replay may have said yes, "
            "because the token's name could be spelled there.",
        ),
    ),
    Exercise(
        number="8.2",
        title="The shortest completion of a stack",
        minutes=10,
        difficulty=4,
        names=("shortest_completion",),
        cases=completion_cases,
        hints=(
            "First join the texts, topmost first. Then it is a question about one text: how to cut it "
            "into the fewest tokens.",
            "Go from the end to the beginning. `best[place]` is the shortest list of ids that spells "
            "`text[place:]`; at the very end it is the empty list.",
            "At each place try every token with `text.startswith(token, place)`; it costs one more "
            "than `best[place + len(token)]`. `None` means: not spellable.",
        ),
    ),
    Exercise(
        number="8.3",
        title="A mask that keeps to a budget",
        minutes=9,
        difficulty=3,
        names=("budgeted_mask",),
        cases=budget_cases,
        hints=(
            "Begin with the legal tokens, and ask for each: where does it lead?",
            "`l08.token_targets(dfa, state, tokens)` is a dictionary: legal id -> state after it.",
            "Keep the token if `1 + cost[after] <= remaining`. Infinity takes care of dead ends.",
        ),
    ),
    Exercise(
        number="8.4",
        title="Mask first, then top-p",
        minutes=8,
        difficulty=3,
        names=("nucleus",),
        cases=nucleus_cases,
        hints=(
            "Minus infinity where the mask says no, then softmax: now the legal tokens sum to 1.",
            "Sort by probability with `np.argsort(-p, kind=\"stable\")`, and add up: `cumsum`.",
            "`np.searchsorted(sums, p)` is the place where `p` is reached; the token there belongs to the "
            "set, so keep one more. Rounding may take you one too far: drop what is not legal.",
        ),
    ),
]
