"""Lesson 01: an automaton over characters, masks over tokens, and the classic ways to err."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator

import numpy as np

from lessons.exercise import Case, Exercise, Words, calls, is_like_int
from lessons.pieces import l01
from toymodel import TOY_TOKENS

DATE, PERSON = l01.date_dfa(), l01.object_dfa()
NAMES = l01.enum_dfa(["Ada", "Kim", "Kid"])
# state 0 is reached again: a state number that Python takes for false
LOOP = l01.DFA(start=0, accepting={0}, edges={(0, "a"): 1, (1, "b"): 0}, name="loop")
WIDE = ['"', '": ', '": {', '", ', "}", "tr", "ue", "true}", "a", "ab", "abab", "ba", "aa"]


def step_cases(step: Callable) -> Iterator[Case]:
    """Legal and illegal characters, and the state we are in once we are lost."""
    inputs = [(DATE, 0, "2"), (DATE, 4, "-"), (NAMES, 0, "K"), (LOOP, 1, "b")]
    because = "the edge says where it leads. State 0 is a state too, although Python takes 0 for false"
    yield from calls(step, inputs, l01.step, because, "step")
    illegal = [(DATE, 0, "-"), (DATE, 4, "7"), (NAMES, 1, "x"), (DATE, 10, "1"), (DATE, 0, "")]
    because = "where there is no edge, the character is illegal, and the answer is None"
    yield from calls(step, illegal, l01.step, because, "step")
    because = "once the text is illegal, nothing that follows can make it legal again"
    yield from calls(step, [(DATE, None, "2"), (LOOP, None, "a")], l01.step, because, "step")


def allowed_cases(allowed_token_ids: Callable) -> Iterator[Case]:
    """Narrow states, wide ones, tokens of several characters, and a state with number 0."""
    toy = list(TOY_TOKENS)
    name, spec = "allowed_token_ids", l01.allowed_token_ids
    because = "a token is legal if every one of its characters is, each in the state before it"
    inputs = [
        (DATE, 0, toy),
        (DATE, 3, ["7", "-", "7-", "7-7", "77", "-7"]),
        (NAMES, 0, ["A", "Ad", "Ada", "Adam", "K", "Kix", "Kid", "i"]),
    ]
    yield from calls(allowed_token_ids, inputs, spec, because, name)
    round_trip = "the loop's two edges: 0 to 1 by a, 1 to 0 by b. A token that ends in state 0 is not lost"
    yield from calls(allowed_token_ids, [(LOOP, 0, WIDE)], spec, round_trip, name)
    inputs = [
        (PERSON, 0, toy),
        (PERSON, 9, WIDE),
        (PERSON, 10, WIDE),
        (PERSON, 10, toy),
        (DATE, 10, toy),
    ]
    yield from calls(allowed_token_ids, inputs, spec, because, name)


def draws(sample: Callable, logits: list[float], legal: list[int], count: int) -> list[int]:
    """`count` draws from the learner's function, all from one seeded generator."""
    mask = np.zeros(len(logits), dtype=bool)
    mask[legal] = True
    rng = np.random.default_rng(7)
    return [sample(np.array(logits), mask.copy(), rng) for _ in range(count)]


def only_legal(sample: Callable, logits: list[float], legal: list[int]) -> Case:
    """All of 300 draws must be legal."""
    return Case(
        f"300 draws with logits {logits}, legal tokens {legal}",
        Words(f"only {' and '.join(map(str, legal))}"),
        lambda: set(draws(sample, logits, legal, 300)),
        lambda _, got: all(map(is_like_int, got)) and set(got) <= set(legal),
        because="a logit of 0 is not a probability of 0: exp(0) is 1. Minus infinity before the "
        "softmax becomes 0, and the other probabilities add up to 1 again",
    )


PROPORTIONS = (
    "the mask takes tokens away; how likely the others are, compared with one another, stays as the "
    "model has it"
)
OVERFLOW = "exp(1000) is more than a float can hold: subtract the largest logit first, as l01.softmax does"


def share(
    sample: Callable, logits: list[float], legal: list[int], token: int, because: str = PROPORTIONS
) -> Case:
    """How often one token comes, within what 2,000 draws can tell."""
    allowed = np.array([logits[i] if i in legal else -np.inf for i in range(len(logits))])
    return Case(
        f"share of token {token} in 2000 draws with logits {logits}, legal tokens {legal}",
        float(round(l01.softmax(allowed)[token], 2)),
        lambda: draws(sample, logits, legal, 2000).count(token) / 2000,
        lambda expected, got: abs(expected - got) < 0.05,
        because=because,
    )


def untouched(sample: Callable) -> Case:
    """The logits that were handed in must be the same afterwards."""
    logits = np.array([1.0, 2.0, 3.0])

    def run():
        sample(logits, np.array([True, True, False]), np.random.default_rng(0))
        return logits

    return Case(
        "the logits [1, 2, 3] after one draw with legal tokens [0, 1]",
        [1.0, 2.0, 3.0],
        run,
        because="whoever gave you the logits may still need them: work on a copy",
    )


def nothing_legal(sample: Callable) -> Case:
    """An empty mask has to be an error."""

    def run():
        try:
            with np.errstate(all="ignore"):
                return sample(np.zeros(3), np.zeros(3, dtype=bool), np.random.default_rng(0))
        except ValueError:
            return Words("ValueError")

    return Case(
        "constrained_sample(logits, mask, rng) with a mask that allows nothing",
        Words("ValueError"),
        run,
        because="an empty mask means that something went wrong before: never pick a token silently",
    )


def sample_cases(constrained_sample: Callable) -> Iterator[Case]:
    """Only legal tokens, in the model's own proportions, and an error where nothing is legal."""
    yield only_legal(constrained_sample, [0.0, 0.0, 0.0, 0.0], [2])
    yield only_legal(constrained_sample, [0.0, -3.0, 0.0, -4.0], [1, 3])
    yield only_legal(constrained_sample, [9.0, 1.0, 1.0], [1, 2])
    yield share(constrained_sample, [5.0, 1.0986, 0.0], [1, 2], 1)
    yield share(constrained_sample, [0.0, 0.0, 2.0, 0.0], [0, 2], 2)
    yield share(constrained_sample, [1000.0, 1000.0, 0.0], [0, 1], 0, OVERFLOW)
    yield untouched(constrained_sample)
    yield nothing_legal(constrained_sample)


def sampled(function: Callable, seed: int) -> str:
    """One text from the learner's loop over the toy vocabulary."""
    masks = l01.compile_masks(PERSON, list(TOY_TOKENS))
    return function(PERSON, masks, list(TOY_TOKENS), np.random.default_rng(seed))


def is_person(text: object) -> bool:
    """True for a whole, valid object."""
    return isinstance(text, str) and l01.walk(PERSON, 0, text) in PERSON.accepting


def person_cases(sample_object: Callable) -> Iterator[Case]:
    """200 seeds: each text must be accepted, and together they must differ."""
    texts = set()

    def run(seed: int) -> str:
        text = sampled(sample_object, seed)
        texts.add(str(text))
        return text

    for seed in range(200):
        yield Case(
            f"sample_object(person, masks, tokens, np.random.default_rng({seed}))",
            Words('a text like {"name": "Kim", "age": 7, "active": true}'),
            lambda seed=seed: run(seed),
            lambda _, got: is_person(got),
            because="stop exactly when the automaton accepts, and move on by every character",
        )
    yield Case(
        "how many of these 200 texts differ, and names of at least two lengths",
        Words("over 150, and more than one length"),
        lambda: (len(texts), len({len(json.loads(text)["name"]) for text in texts})),
        lambda _, got: got[0] > 150 and got[1] > 1,
        because="every legal token should have its chance: draw with constrained_sample and rng",
    )


def fooled_pairs(dfa: l01.DFA, tokens: list[str]) -> list[tuple[int, int]]:
    """The spec of exercise 1.5: compare both masks, state by state."""
    pairs = []
    for state in range(dfa.states):
        legal = l01.allowed_token_ids(dfa, state, tokens)
        tempting = np.flatnonzero(l01.first_character_mask(dfa, state, tokens))
        pairs += [(state, int(token)) for token in tempting if token not in legal]
    return pairs


def fooled_cases(fooled: Callable) -> Iterator[Case]:
    """Automata in which the tempting mask errs never, once and often."""
    toy = list(TOY_TOKENS)
    inputs = [
        (NAMES, ["Ada", "Kim", "Kix", "K", "d", "dx"]),
        (LOOP, WIDE),
        (DATE, ["7", "7-", "77"]),
        (l01.enum_dfa(["a", "b"]), ["a", "b", "c"]),
        (PERSON, toy),
    ]
    because = "a pair is (state, token id); it belongs in the list if the first character is "
    because += "legal in that state and the whole token is not"
    yield from calls(fooled, inputs, fooled_pairs, because, "fooled")


EXERCISES = [
    Exercise(
        number="1.1",
        title="One step of the automaton",
        minutes=4,
        difficulty=1,
        names=("step",),
        cases=step_cases,
        hints=(
            "`dfa.edges` is a dictionary whose keys are pairs: `(state, char)`.",
            "A dictionary's `get` gives `None` for a key that it does not have.",
            "What does `dfa.edges.get((None, char))` give? So being lost needs no line of its own.",
        ),
    ),
    Exercise(
        number="1.2",
        title="Allowed tokens by replay",
        minutes=7,
        difficulty=2,
        names=("allowed_token_ids",),
        cases=allowed_cases,
        hints=(
            "For one token: start in `state`, feed its characters one after another, and see "
            "whether you are still somewhere at the end. `l01.walk` does just that.",
            "Start again in `state` for every token: a token that failed must leave no trace.",
            "Compare with `is not None`. State 0 is a state, and Python takes 0 for false.",
        ),
    ),
    Exercise(
        number="1.3",
        title="Sample under a mask",
        minutes=8,
        difficulty=3,
        names=("constrained_sample",),
        cases=sample_cases,
        hints=(
            "Which logit gives a probability of exactly 0? Not 0: `exp(0)` is 1.",
            "`np.where(mask, logits, -np.inf)` makes a new array; the old one stays as it is.",
            "Then `l01.softmax(...)`, then `rng.choice(n, p=...)`. Before all this: "
            "`if not mask.any(): raise ValueError(...)`.",
        ),
    ),
    Exercise(
        number="1.4",
        title="Two hundred valid objects",
        minutes=8,
        difficulty=3,
        names=("sample_object",),
        cases=person_cases,
        hints=(
            "You need two variables that change: the state and the text so far.",
            "`masks[state]` says what is legal now. Draw with `l01.constrained_sample`; with all "
            "logits 0 every legal token is equally likely.",
            "Move on with `l01.walk(dfa, state, token)`: by the whole token, not by its first "
            "character. Stop when the state is in `dfa.accepting`.",
        ),
        seconds=3.0,
    ),
    Exercise(
        number="1.5",
        title="What a per-character mask gets wrong",
        minutes=6,
        difficulty=2,
        names=("fooled",),
        cases=fooled_cases,
        hints=(
            "Two loops: over the states, `range(dfa.states)`, and over the tokens, `enumerate`.",
            "The tempting mask is `l01.first_character_mask(dfa, state, tokens)[i]`. The truth is "
            "`l01.walk(dfa, state, token) is not None`.",
            "Collect `(state, i)` where the first says yes and the second says no.",
        ),
    ),
]
