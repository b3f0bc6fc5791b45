"""Lesson 03: push and pop, rules for objects, a proof by exhaustion, the vocabulary split in two."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator

import numpy as np

from lessons.exercise import Case, Exercise, Words, calls
from lessons.pieces import l03
from lessons.pieces.l02 import Machine
from lessons.pieces.records import ByteBuilder

BRACKETS = ["[", "]", "{", "}"]
PIECES = [*BRACKETS, ",", ":", '""']


def step_cases(step: Callable) -> Iterator[Case]:
    """Openers push what they owe, closers pop it, everything else is illegal."""
    push = [((), "["), ((), "{"), (("]",), "{"), (("}", "]"), "[")]
    yield from calls(step, push, l03.step, "an opening bracket puts what it owes on top", "step")
    pop = [(("]",), "]"), (("}", "]"), "}"), (("]", "}", "]"), "]")]
    yield from calls(step, pop, l03.step, "what has come is owed no more: take it off the top", "step")
    wrong = [(("]",), "}"), (("}", "]"), "]"), ((), "]"), ((), "}"), (("]",), "x")]
    because = "only what is on top may come; if nothing is owed, nothing may be closed. Illegal is None"
    yield from calls(step, wrong, l03.step, because, "step")
    yield Case(
        "step applied to each character of '[{}[]]', from ()",
        (),
        lambda: l03.run(step, (), "[{}[]]"),
        because="after a balanced text nothing is owed",
    )


def verdict(rules: dict, text: str) -> Words:
    """What an automaton with these rules makes of a text."""
    stack = ("value",)
    for place, char in enumerate(text):
        stack = l03.rule_step(rules, stack, char)
        if stack is None:
            return Words(f"illegal at {char!r}, place {place}")
    return Words("complete") if stack == () else Words("legal so far, something is still owed")


OBJECTS = [
    ("{}", "an empty object ends at once"),
    ('{"a":1}', "after a key: the rest of its string, a colon, a value, in this order"),
    ('{"a":1', "while the object is open, its closing brace is owed"),
    ('{"a"1}', "a colon is owed between key and value"),
    ('{"a":1,"b":"x"}', "after a comma comes another key"),
    ('{"a":1,}', "after a comma a key is owed; the object may not end there"),
    ("{,}", "an object begins with a key or ends"),
    ('{"a":1]', "an object is closed by a brace, not by a bracket"),
    ('{"a":{"b":[{"c":[]},{}]}}', "objects in arrays in objects"),
    ('{"a":[}', "the innermost open bracket is closed first"),
    ("{1:2}", "a key is a string"),
    ('{"a":1,"b":2,"c":3}', "any number of pairs"),
    ('{"a":}', "a value is owed after the colon"),
    ('{"a":1}}', "nothing is owed any more, so nothing may follow"),
    ("[1,[2]]", "arrays still work"),
]


def rules_cases(object_rules: Callable) -> Iterator[Case]:
    """Texts that are complete, unfinished or illegal at one place; then every short text."""

    def whole_rules() -> dict:
        return l03.complete({**l03.array_rules(), **object_rules()})

    for text, because in OBJECTS:
        yield Case(
            f"the text {text} with your rules",
            verdict(l03.json_rules(), text),
            lambda text=text: verdict(whole_rules(), text),
            because=because,
        )

    def first_disagreement() -> Words:
        rules = whole_rules()
        found = l03.disagreements(
            lambda stack, char: l03.rule_step(rules, stack, char), ("value",), PIECES, 5, is_json
        )
        return Words(f"they differ on {found[0]}" if found else "agreement")

    yield Case(
        f"json.loads and your rules on every text of at most 5 of the pieces {' '.join(PIECES)}",
        Words("agreement"),
        first_disagreement,
        because="your rules should accept exactly what is JSON",
    )


def is_json(text: str) -> bool:
    """Judged by a parser that knows nothing of stacks of ours."""
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def by_count(stack: tuple, char: str) -> tuple | None:
    """Wrong on purpose: any closing bracket closes whatever is open."""
    if char in "[{":
        return (char, *stack)
    return stack[1:] if stack else None


def at_most_one_deep(stack: tuple, char: str) -> tuple | None:
    """Wrong on purpose: refuses brackets within brackets."""
    after = l03.step(stack, char)
    return None if after is not None and len(after) > 1 else after


def never_empty(text: str) -> bool:
    """A judge that wants at least one bracket."""
    return text != "" and l03.is_balanced(text)


def proof_cases(disagreements: Callable) -> Iterator[Case]:
    """A right automaton, wrong ones that accept too much or too little, tokens of several brackets."""
    mixed = ["[", "]}", "{", "]", "}]"]
    inputs = [
        (by_count, BRACKETS, 2, l03.is_balanced, "accepted by one and refused by the other: a disagreement"),
        (l03.step, BRACKETS, 4, l03.is_balanced, "a text is accepted if nothing is owed at its end: ()"),
        (at_most_one_deep, ["[", "]"], 4, l03.is_balanced, "a right text that is refused counts as well"),
        (by_count, BRACKETS, 4, l03.is_balanced, "all lengths from 0 to `length`, both included"),
        (by_count, mixed, 3, l03.is_balanced, "a token may hold several brackets: join, then feed each"),
        (l03.step, mixed, 4, l03.is_balanced, "a text is accepted if nothing is owed at its end: ()"),
        (l03.step, BRACKETS, 2, never_empty, "the empty text is a text too"),
    ]
    for one_step, tokens, length, judge, because in inputs:
        expected = l03.disagreements(one_step, (), tokens, length, judge)
        yield Case(
            f"disagreements({one_step.__name__}, (), {tokens}, {length}, {judge.__name__})",
            expected,
            lambda one_step=one_step, tokens=tokens, length=length, judge=judge: disagreements(
                one_step, (), list(tokens), length, judge
            ),
            lambda wanted, got: isinstance(got, list | set | tuple) and set(got) == set(wanted),
            because=because,
        )


def ab_machine() -> tuple[Machine, int, int]:
    """Any number of a, then b: closed."""
    builder = ByteBuilder()
    builder.join([1], b"a", 1)
    builder.literal(b"b")
    (closed,) = builder.ends
    return Machine(np.array(builder.rows, np.int32), name="ab"), 1, closed


def split_cases(split: Callable) -> Iterator[Case]:
    """Inside, leaving with and without a remainder, neither; escapes and halves of characters."""
    string = l03.string_machine()
    half = (string[0], string[0].rows[string[1]][0xC3], string[2])
    inputs = [
        (ab_machine(), [b"aa", b"ab", b"abba", b"c", b"b", b"ac"]),
        (string, [b"Ada", b" cat", b"x\n", b"\xf0\x9f"]),
        (string, [b'"', b'Ada"', b'",', b'a"]}', b'",x"']),
        (string, [b'", "', b'"""', b'a":"b"']),
        (string, [b'\\"', b'\\"",', b"\\", b"\\x", b'\\\\"]']),
        (string, [b"Ada", b"", b'"']),
        (half, [b"\xa9", b'\xa9"}', b'"', b"a", b"\xa9\xa9"]),
        (string, [b"\n", b"\x00"]),
    ]
    because = "inside: every byte is read and the string goes on. Leaving: it is closed on the way, and "
    because += "what comes after the first closing is the remainder, left for others to judge"
    empty = "a token without bytes is in neither part: it would write nothing, for ever"
    for (machine, state, closed), tokens in inputs:
        yield Case(
            f"split({machine.name}, {state}, {closed}, {tokens})",
            l03.split(machine, state, closed, tokens),
            lambda machine=machine, state=state, closed=closed, tokens=tokens: split(
                machine, state, closed, list(tokens)
            ),
            because=empty if b"" in tokens else because,
        )


EXERCISES = [
    Exercise(
        number="3.1",
        title="Push and pop",
        minutes=5,
        difficulty=1,
        names=("step",),
        cases=step_cases,
        hints=(
            "Three kinds of characters: openers, the closer that is on top, and everything else.",
            "`(CLOSER[char], *stack)` is the stack with one more on top; `stack[1:]` is without the top.",
            "Ask `if stack and stack[0] == char`, so that an empty stack does not raise. Otherwise `None`.",
        ),
    ),
    Exercise(
        number="3.2",
        title="Rules for nested objects",
        minutes=12,
        difficulty=3,
        names=("object_rules",),
        cases=rules_cases,
        hints=(
            'An object after its `{` may end at once or begin with a key ("first key"). After a pair it '
            'may end or go on ("more keys"). Write down which characters each of the two allows.',
            '`("first key", \'"\')` opens a key. What is owed from there to the end of the object? The '
            "rest of the string, a colon, a value, and then the rest of the object. Topmost first.",
            'After a comma an object must not end. So `("more keys", ",")` owes a third item, "key", which '
            "has a rule for the quote and none for the brace.",
            'Do not forget `("colon", ":"): ()`: the colon has come, and nothing takes its place.',
        ),
    ),
    Exercise(
        number="3.3",
        title="The exhaustive proof",
        minutes=8,
        difficulty=2,
        names=("disagreements",),
        cases=proof_cases,
        hints=(
            "`product(tokens, repeat=n)` gives every choice of n tokens. You want n from 0 to `length`.",
            'Join them to a text. The automaton accepts it if `l03.run(one_step, start, "".join(chosen))` '
            "is `()`: still alive is not enough.",
            "Keep the text if accepted and `judge(text)` differ, whichever of them says yes.",
        ),
    ),
    Exercise(
        number="3.4",
        title="Split the vocabulary",
        minutes=10,
        difficulty=3,
        names=("split",),
        cases=split_cases,
        hints=(
            "Walk each token from `state`, byte by byte, with `machine.rows[here][byte]`. Three ways to "
            "end: dead (0), closed, or out of bytes.",
            "Closed at place `p`: the token leaves, its remainder is `token[p + 1:]`, and you stop there, "
            "whatever follows.",
            "Python's `for ... else` fits: the `else` runs if there was no `break`, so the whole token "
            "stayed inside. Leave empty tokens out.",
        ),
    ),
]
