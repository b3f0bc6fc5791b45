"""Lesson 04: the forced span, its share of the tokens, the cache, and the cut of forced text."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import numpy as np

from lessons.exercise import Case, Exercise, Words, calls
from lessons.pieces import l01, l04
from tokenmask import CompiledGrammar, GrammarCompiler, Vocabulary
from toymodel.toy import greedy_encode

PERSON, DATE = l01.object_dfa(), l01.date_dfa()
PETS, WORD = l01.enum_dfa(["cat", "cats", "cow"]), l01.enum_dfa(["ab"])
PETS.name, WORD.name = "pets", "ab"
# state 0 is reached again, and it accepts: the text may end at every second character
LOOP = l01.DFA(start=0, accepting={0}, edges={(0, "a"): 1, (1, "b"): 0}, name="loop")
# two characters lead to the same state: that is a choice all the same
EITHER = l01.DFA(
    start=0, accepting={3}, edges={(0, "a"): 1, (0, "b"): 1, (1, "c"): 2, (2, "d"): 3}, name="either"
)
# the word "xyz", whose state 0 lies in its middle
ROUND = l01.DFA(start=1, accepting={3}, edges={(1, "x"): 0, (0, "y"): 2, (2, "z"): 3}, name="xyz")


def span_cases(forced_span: Callable) -> Iterator[Case]:
    """Choices, possible ends, two ways to one state, and a state numbered 0."""
    on = "while exactly one character leads on, follow it; with none or several, the span is over"
    inputs = [(DATE, 4), (DATE, 0), (PERSON, 0)]
    yield from calls(forced_span, inputs, l04.forced_span, on, "forced_span")
    because = "xyz is the automaton of this one word: states 1, 0, 2 and 3, and the text ends in 3"
    yield from calls(forced_span, [(ROUND, 1)], l04.forced_span, because, "forced_span")
    because = "two characters lead on, so there is a choice, even if both lead to the same state"
    yield from calls(forced_span, [(EITHER, 0), (PETS, 0)], l04.forced_span, because, "forced_span")
    because = "where the text may end, nothing must come: ending is a choice too"
    ends = [(PETS, 2), (PETS, 3), (LOOP, 0), (LOOP, 1), (DATE, 10), (WORD, 0)]
    yield from calls(forced_span, ends, l04.forced_span, because, "forced_span")
    inside = l01.walk(PERSON, 0, '{"name": "')
    after = l01.walk(PERSON, 0, '{"name": "Ada"')
    begun = l01.walk(PERSON, 0, '{"name": "Ada", "age": 7, "active": t')
    inputs = [(PERSON, inside), (PERSON, after), (PERSON, begun), (EITHER, 1)]
    yield from calls(forced_span, inputs, l04.forced_span, on, "forced_span")


# tokens that end inside a span, cross its end, and repeat one another
PIECES = (
    *('{"', "{", '"', ":", " ", ",", "}", '": ', '": "', '", "', '"}', "}}", ": "),
    *("name", "na", "me", "age", "Ada", "Kim", "7", "12", "1", "2", ": 7", ": 1", '"na'),
)


@cache
def grammar(name: str) -> CompiledGrammar:
    """The grammars of the cases, compiled once, for the tokens in PIECES."""
    age = {"type": "integer", "minimum": 0, "maximum": 99}
    schemas = {
        "wide": l04.wide(["age", "name"], age),
        "deep": l04.deep(["age", "name"], age),
        "names": l04.wide(["name"], {"enum": ["Ada", "Kim"]}),
        "text": l04.wide(["name"], {"type": "string"}),
        "optional": l04.wide(["age", "name"], age) | {"required": []},
        "fixed": {"const": {"age": 7}},
    }
    vocabulary = Vocabulary([piece.encode() for piece in PIECES], eos_ids=())
    return GrammarCompiler(vocabulary).compile_json_schema(schemas[name])


def skipped_cases(skipped: Callable) -> Iterator[Case]:
    """Wide, deep, all forced, and tokens that leave a span in their middle."""
    documents = [
        ("wide", ["{", '"', "age", '"', ":", " ", "7", ",", " ", '"', "name", '": ', "12", "}"]),
        ("deep", ['{"', "age", '": ', '{"', "na", "me", '": ', "1", "2", "}}"]),
        ("fixed", ['{"', "age", '": ', "7", "}"]),
        ("wide", ['{"', "age", '"', ": 7", ",", " ", '"na', "me", '"', ": 1", "2", "}"]),
        ("names", ['{"', "name", '": "', "Kim", '"}']),
        ("text", ['{"', "name", '": "', "age", "Ada", '"}']),
        ("optional", ['{"', "name", '": ', "7", "}"]),
    ]
    for name, pieces in documents:
        ids = [PIECES.index(piece) for piece in pieces]
        yield Case(
            f"skipped({name}, ids), the ids of {' | '.join(pieces)}",
            float(l04.skipped(grammar(name), ids)),
            lambda name=name, ids=ids: skipped(grammar(name), list(ids)),
            because="count the tokens whose bytes all lie in the forced text at their place; "
            "divide by the number of tokens",
        )


class Reader:
    """Stands for a model: it knows what it has read, and counts what that cost."""

    def __init__(self, have: list[int]) -> None:
        self.read = list(have)
        self.passes, self.tokens, self.cut = 0, 0, False

    def truncate(self, n: int) -> None:
        """Keep the first `n` tokens."""
        if n < 0:
            raise ValueError(f"truncate({n}): a cache cannot have so few tokens")
        if n < len(self.read):
            self.read, self.cut = self.read[:n], True

    def reset(self) -> None:
        """Forget everything."""
        self.read, self.cut = [], False

    def extend(self, ids: list[int]) -> np.ndarray:
        """Read `ids`; "logits" that tell one context from another."""
        ids = list(ids)
        if not ids and self.cut:
            raise ValueError("after truncate(), extend() needs at least one token")
        self.read += ids
        self.passes += 1
        self.tokens += len(ids)
        self.cut = self.cut and not ids
        return self.logits()

    def logits(self) -> np.ndarray:
        """float64 [3], made from the context."""
        place = sum((i + 1) * token for i, token in enumerate(self.read))
        return np.array([len(self.read), sum(self.read), place], float)


def read_cases(reread: Callable) -> Iterator[Case]:
    """Longer, replaced, quite other, shorter and equal; each judged by result and by cost."""
    pairs = [
        ([1, 2, 3], [1, 2, 3, 4, 5, 6]),
        ([1, 2, 3, 9], [1, 2, 3, 4, 5]),
        ([1, 2, 3, 4], [1, 7, 3, 4]),
        ([1, 2, 3], [7, 8]),
        ([1, 2, 3, 4], [1, 2]),
        ([5, 6], [5, 6]),
        ([], [4, 4]),
    ]
    for have, want in pairs:
        yield from read_case(reread, have, want)


def read_case(reread: Callable, have: list[int], want: list[int]) -> Iterator[Case]:
    """The logits must be right, and then the cost."""
    call = f"reread(model, {have}, {want})"

    def logits() -> Any:
        reader = Reader(have)
        got = reread(reader, list(have), list(want))
        return got if reader.read == want else Words(f"a model that has read {reader.read}")

    def cost() -> tuple[int, int]:
        reader = Reader(have)
        reread(reader, list(have), list(want))
        return reader.passes, reader.tokens

    yield Case(
        call,
        Words(f"logits of a model that has read {want}"),
        logits,
        lambda _, got: isinstance(got, np.ndarray) and got.tolist() == Reader(want).logits().tolist(),
        because="cut where the two begin to differ, then read the rest; at least one token is read",
    )
    fewest = len(want) - min(l04.common(have, want), len(want) - 1)
    yield Case(
        f"passes and tokens read by {call}",
        (1, fewest),
        cost,
        lambda expected, got: got[0] <= expected[0] and got[1] <= expected[1],
        because="one pass over many tokens is cheap, many passes over one are not; and what the "
        "cache holds already need not be read again",
    )


class Cutter:
    """A tokenizer: the longest token at each place."""

    def __init__(self, texts: list[str]) -> None:
        self.texts = texts

    def __call__(self, text: str) -> list[int]:
        return greedy_encode([t.encode() for t in self.texts], text)

    def __repr__(self) -> str:
        return "encode"


LETTERS = ["a", "b", "ab", "c", "abc", "ca", "d"]
WORDS = ["New", " ", " York", "York", "Y", "ork", '"', " Y", 'k"', "r", "o"]


def retokenize_cases(retokenize: Callable) -> Iterator[Case]:
    """Nothing to take back, one, all; windows of 0 and longer than what there is."""
    because = "the last tokens and the forced text are cut together; the tokens that both cuts "
    because += "begin with stay where they are"
    inputs = [
        (LETTERS, [3, 0], "b", 2),
        (LETTERS, [6, 6, 0], "bc", 3),
        (LETTERS, [6, 6, 6], "d", 2),
        (LETTERS, [0, 1], "c", 4),
        (LETTERS, [], "abc", 4),
        (WORDS, [0, 1], 'York"', 4),
        (WORDS, [0, 1, 4], 'ork"', 2),
        (LETTERS, [6, 0, 6, 0], "bd", 3),
        (LETTERS, [6, 1, 6, 6, 0], "b", 4),
    ]
    for texts, written, forced, window in inputs:
        yield retokenize_case(retokenize, texts, written, forced, window, because)
    because = "with a window of 0 nothing is taken back; mind that written[-0:] is everything"
    yield retokenize_case(retokenize, LETTERS, [6, 0], "b", 0, because)


def retokenize_case(
    retokenize: Callable, texts: list[str], written: list[int], forced: str, window: int, because: str
) -> Case:
    """One call, compared with the reference."""
    before = "|".join(texts[i] for i in written)
    return Case(
        f"retokenize(encode, texts, {written}, {forced!r}, {window}), written {before!r}, "
        f"texts {dict(enumerate(texts))}",
        l04.retokenize(Cutter(texts), texts, written, forced, window),
        lambda: retokenize(Cutter(texts), list(texts), list(written), forced, window),
        because=because,
    )


def hold_cases(hold_back: Callable) -> Iterator[Case]:
    """Grows, cannot grow, grows only into something illegal, and no token at all."""
    inputs = [
        (["New", " ", " York"], [0, 1], [1, 2]),
        (["New", " ", " York"], [0, 1], [1]),
        (["New", " ", " York", "a ", "x y"], [0, 1], [1, 3, 4]),
        (["{", '{"', '"', "a"], [0, 2], [2, 3]),
        (["a", "b", "ab"], [0, 1], [1]),
        (["a", "b", "ab"], [0], [0, 2]),
        (["a", "b", "bc", "bd"], [0, 1, 0], [0]),
        (["a", "b"], [], [0, 1]),
        (["a", "b", "bc"], [0, 0, 0, 0, 1], [1, 2]),
        (["ab", "a", "abc"], [1, 0], [1, 0]),
    ]
    because = "held back if a longer token *begins* with the last one and is *legal* in its place; "
    because += "a token that is legal nowhere here does not count"
    yield from calls(hold_back, inputs, l04.hold_back, because, "hold_back")


EXERCISES = [
    Exercise(
        number="4.1",
        title="The forced span",
        minutes=7,
        difficulty=2,
        names=("forced_span",),
        cases=span_cases,
        hints=(
            "First the ways out of one state: all edges `(here, char) -> after` with `here == state`.",
            "Exactly one way? Add its character to the span, go to its state, look again. "
            "Otherwise stop.",
            "Before looking for ways: is the state in `dfa.accepting`? Then the text may end here, "
            "and nothing *must* come. `while state not in dfa.accepting:`",
        ),
    ),
    Exercise(
        number="4.2",
        title="The share that is skipped",
        minutes=7,
        difficulty=2,
        names=("skipped",),
        cases=skipped_cases,
        hints=(
            "Walk through the document with one matcher: look at the forced text, judge the token, "
            "accept the token.",
            "The forced text is a `str`, a token is `bytes`: `.encode()` the text.",
            "A token lies whole inside the span if `forced.startswith(token)`. At the end, divide by "
            "the number of tokens.",
        ),
    ),
    Exercise(
        number="4.3",
        title="Cut the cache, extend once",
        minutes=8,
        difficulty=3,
        names=("reread",),
        cases=read_cases,
        hints=(
            "`l04.common(have, want)` says with how many equal tokens both begin. The cache is right "
            "up to there.",
            "`model.truncate(keep)`, then one `model.extend(want[keep:])`, and return what it gives.",
            "If `want` is a beginning of `have`, nothing is left to extend by. Keep one token less: "
            "`min(..., len(want) - 1)`.",
        ),
    ),
    Exercise(
        number="4.4",
        title="Cut afresh",
        minutes=8,
        difficulty=3,
        names=("retokenize",),
        cases=retokenize_cases,
        hints=(
            "The text to cut: the texts of the last `window` tokens, joined, and then `forced`.",
            "The last `window` tokens are `written[max(0, len(written) - window):]`. (Why not "
            "`written[-window:]`? Think of a window of 0.)",
            "`same = l04.common(tail, new)`: these stay. Taken back are `len(tail) - same`; to write "
            "is `new[same:]`.",
        ),
    ),
    Exercise(
        number="4.5",
        title="Hold back what can grow",
        minutes=5,
        difficulty=2,
        names=("hold_back",),
        cases=hold_cases,
        hints=(
            "Only the last of `ids` matters, and only the tokens in `legal`.",
            "`texts[i].startswith(last)` is also true of the token itself: ask for longer ones.",
            "An empty list has no last token. Answer `[]` first.",
        ),
    ),
]
