"""Lesson 07: definitions to a schema, a walk-through, and six small programs to repair."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator
from functools import cache

from jsonschema import Draft202012Validator, SchemaError

from lessons.exercise import Case, Exercise, Words, calls, is_like_int
from lessons.pieces import l06, l07
from tokenmask import GrammarCompiler, GrammarMatcher

ADD = {"name": "add", "parameters": {"a": {"type": "number"}, "b": {"type": "number"}}}
GREET = {"name": "greet", "description": "Greet a person.", "parameters": {"who": {"type": "string"}}}
STOP = {"name": "stop"}
LIGHT = {
    "name": "light",
    "parameters": {
        "type": "object",
        "properties": {"on": {"type": "boolean"}, "room": {"enum": ["hall", "attic"]}},
        "required": ["on"],
    },
}
FIND = {"name": "find", "parameters": {"type": {"type": "string"}, "properties": {"type": "integer"}}}
WAIT = {"name": "wait", "parameters": {"type": "object"}}

# definitions, and texts to be judged under their schema
SCHEMAS = [
    (
        [ADD],
        [
            '{"name": "add", "parameters": {"a": 2, "b": 3.5}}',
            '{"name": "add", "parameters": {"a": 2}}',
            '{"name": "add", "parameters": {"a": "2", "b": 3}}',
            '{"name": "add", "parameters": {"a": 2, "b": 3, "c": 4}}',
            '{"name": "add"}',
            '{"name": "add", "parameters": [2, 3]}',
            '{"parameters": {"a": 2, "b": 3}}',
            '{"name": "sub", "parameters": {"a": 2, "b": 3}}',
            '{"name": "add", "parameters": {"a": 2, "b": 3}, "why": "so"}',
        ],
    ),
    (
        [LIGHT],
        [
            '{"name": "light", "parameters": {"on": true}}',
            '{"name": "light", "parameters": {"on": true, "room": "attic"}}',
            '{"name": "light", "parameters": {"room": "attic"}}',
            '{"name": "light", "parameters": {"on": true, "room": "garden"}}',
            '{"name": "light", "parameters": {"on": true, "colour": "red"}}',
        ],
    ),
    ([STOP], ['{"name": "stop", "parameters": {}}', '{"name": "stop", "parameters": {"now": true}}']),
    (
        [ADD, GREET, STOP, LIGHT],
        [
            '{"name": "greet", "parameters": {"who": "john"}}',
            '{"name": "greet", "parameters": {"a": 2, "b": 3}}',
            '{"name": "stop", "parameters": {}}',
            '{"name": "light", "parameters": {"on": false}}',
            '{"name": "add", "parameters": {"who": "john"}}',
            "[]",
        ],
    ),
    (
        [FIND],
        [
            '{"name": "find", "parameters": {"type": "x", "properties": 3}}',
            '{"name": "find", "parameters": {"type": "x"}}',
        ],
    ),
]


CLOSED = 'what is not declared cannot be passed, so say "additionalProperties": False; '
REASONS = {
    '"c": 4': CLOSED,
    '"colour"': CLOSED,
    '"now"': CLOSED,
    '"why"': CLOSED,
    '{"room": "attic"}': "in the full style `required` says what may not be left out; ",
    '"find"': 'a parameter may be called "type" or "properties": then its value is a schema; ',
}


def reason(text: str, definitions: list[dict]) -> str:
    """Why `text` is judged so, as far as one sentence can tell, and what it is judged by."""
    found = [why for part, why in REASONS.items() if part in text]
    return (found[0] if found else "") + "the definitions are " + json.dumps(definitions)[:220]


VALID = Words("a valid JSON Schema")


def fault(schema: object) -> Words:
    """What JSON Schema says about a schema; a validator passes over some faults in silence."""
    try:
        Draft202012Validator.check_schema(schema)
    except SchemaError as error:
        return Words(f"at {error.json_path}: {error.message[:120]}")
    return VALID


def schema_cases(call_schema: Callable) -> Iterator[Case]:
    """Both styles, no parameters, several functions, parameters with misleading names."""
    for definitions, texts in SCHEMAS:
        names = ", ".join(d["name"] for d in definitions)
        reference = l07.call_schema(definitions)
        for text in texts:
            yield Case(
                f"is {text} allowed by call_schema(definitions of {names})",
                l06.is_valid(text, reference),
                lambda text=text, given=definitions: l06.is_valid(text, call_schema(copy.deepcopy(given))),
                because=reason(text, definitions),
            )
        yield Case(
            f"call_schema(definitions of {names}), looked at as a schema",
            VALID,
            lambda given=definitions: fault(call_schema(copy.deepcopy(given))),
            because="every keyword needs a value of its own kind: `required` is a list of names",
        )


@cache
def walking() -> tuple:
    """A grammar over ASCII, and token sequences to walk through it."""
    vocabulary = l07.ascii_vocabulary()
    tokens = [token.decode() for token in vocabulary.tokens[:-1]]
    compiled = GrammarCompiler(vocabulary).compile_functions([ADD, GREET, STOP])
    texts = ["{", '{"name', '{"name": "gre', '{"name": "greet", "parameters": {"who": "jo']
    ids = [l07.spell(tokens, text) for text in texts]
    whole = [*l07.spell(tokens, '{"name": "stop", "parameters": {}}'), 138]
    return compiled, [[], *ids, whole], ["", *texts, "a whole call and its end"]


def walk_cases(walk_through: Callable) -> Iterator[Case]:
    """From nothing to a whole call, end-of-sequence included."""
    compiled, sequences, texts = walking()
    for ids, text in zip(sequences, texts):
        yield Case(
            f"walk_through(matcher, the {len(ids)} tokens of {text!r})",
            l07.walk_through(GrammarMatcher(compiled), ids),
            lambda ids=ids: walk_through(GrammarMatcher(compiled), list(ids)),
            because="one pair per token: (where we are, how many are legal), both before it is accepted",
        )


def prefix_cases(ids_with_prefix: Callable) -> Iterator[Case]:
    """Half characters, the same token twice, prefixes longer than tokens, id 0."""
    inputs = [
        ([b"cat", b"the", b"ca"], b"ca"),
        ([b"\xc3", b"\xe2", b"\xe2\x82", b"\xc3\xa9"], b"\xe2"),
        ([b"\xf0\x9f", b"\xf0", b"a"], b"\xf0"),
        ([b"a", b"b", b"a"], b"a"),
        ([b"ca", b"c"], b"cat"),
        ([b" the", b"the", b"\xc4\xa0the"], b"the"),
        ([b"x", b""], b""),
    ]
    because = "tokens that look the same as text have different ids; compare bytes, and count positions"
    yield from calls(ids_with_prefix, inputs, l07.ids_with_prefix, because, "ids_with_prefix")


def letters(texts: list[str]) -> list[list[int]]:
    """A stand-in for a tokenizer: a batch of texts in, a list of ids per text out."""
    if isinstance(texts, str):
        texts = list(texts)  # as real ones do: every character is taken for a text of its own
    return [[ord(char) for char in text] for text in texts]


def pairs(texts: list[str]) -> list[list[int]]:
    """Another one, with ids for pairs of characters."""
    if isinstance(texts, str):
        texts = list(texts)
    return [[sum(map(ord, text[i : i + 2])) for i in range(0, len(text), 2)] for text in texts]


def append_cases(append_text: Callable) -> Iterator[Case]:
    """One character, several, none; the context must stay as it is."""
    for encode, name in ((letters, "letters"), (pairs, "pairs")):
        for context, text in [([1], "a"), ([], "hi"), ([7, 8], "abc"), ([5], "")]:
            yield Case(
                f"append_text({context}, {text!r}, {name})",
                l07.append_text(context, text, encode),
                lambda context=context, text=text, encode=encode: append_text(list(context), text, encode),
                because="encode takes a list of texts and gives a list of lists: one flat list is wanted",
            )
    context = [1, 2]
    yield Case(
        "the context [1, 2] after append_text(context, 'hi', letters)",
        [1, 2],
        lambda: (append_text(context, "hi", letters), context)[1],
        because="make a new list: the caller may need the old context again",
    )


class Counted(list):
    """A list of tokens that counts how many of them are looked at."""

    looks = 0

    def __iter__(self):
        for token in super().__iter__():
            self.looks += 1
            yield token

    def __getitem__(self, index):
        found = super().__getitem__(index)
        self.looks += len(found) if isinstance(index, slice) else 1
        return found

    def index(self, *arguments):
        """Looks at all tokens, in the worst case."""
        self.looks += len(self)
        return super().index(*arguments)

    def __contains__(self, token):
        self.looks += len(self)
        return super().__contains__(token)


def spell_cases(spell: Callable) -> Iterator[Case]:
    """The longest token first, the lowest id of equal ones, and not too many looks."""
    ab = ["a", "b", "ab", "ba", "abba"]
    inputs = [
        (["a", "b", "ab"], "abba"), (ab, "abba"), (ab, "babab"), (ab, ""),
        (["abbab", "a", "b"], "abbab"), (["x", "y", "x"], "xy"),
        (["b", "a", "", "aa"], "aaab"), (["cat", "c", "a", "t"], "catca"),
    ]  # fmt: skip
    because = "the longest token that fits, then the next; of equal tokens the lowest id"
    yield from calls(spell, inputs, l07.spell, because, "spell")
    tokens = [chr(97 + i % 26) + chr(97 + i // 26) for i in range(650)] + list("abcdefgh")
    text = "abcdefgh" * 40

    def looks() -> int:
        counted = Counted(tokens)
        spell(counted, text)
        return counted.looks

    yield Case(
        f"how many of {len(tokens)} tokens spell(tokens, a text of {len(text)} characters) looks at",
        Words(f"at most {2 * len(tokens)}"),
        looks,
        lambda _, got: is_like_int(got) and got <= 2 * len(tokens),
        because="prepare a dictionary from the vocabulary once, before the loop over the text",
    )


def next_cases(next_ids: Callable) -> Iterator[Case]:
    """Nothing written, shared beginnings, a name that is the beginning of another."""
    shared = [[1, 2, 0], [1, 3, 0]]
    inputs = [
        (shared, []), (shared, [1]), (shared, [1, 2]), (shared, [1, 2, 0]), (shared, [2]),
        ([[5], [5, 6], [7, 6]], [5]), ([[5], [5, 6], [7, 6]], []), ([[4, 4, 4]], [4, 4]), ([], []),
        ([[1, 9, 2], [3, 9, 4]], [1, 9]),
    ]  # fmt: skip
    because = "only names that begin as written so far can go on, and each with its own next token"
    yield from calls(next_ids, inputs, l07.next_ids, because, "next_ids")


def text_cases(call_text: Callable) -> Iterator[Case]:
    """No parameters, quotes, numbers, booleans, nested values."""
    inputs = [
        ("stop", {}), ("greet", {"name": "john"}), ("add", {"a": 2, "b": -0.5}), ("light", {"on": True}),
        ("say", {"text": 'a "quoted" word'}), ('odd"name', {}), ("set", {"at": {"hour": 7, "list": [None]}}),
    ]  # fmt: skip
    because = "it must be JSON that json.loads reads back as the same name and the same values"
    yield from calls(call_text, inputs, l07.call_text, because, "call_text")


def names_cases(parameter_names: Callable) -> Iterator[Case]:
    """Both styles, none at all, misleading names, an unknown function."""
    for name in ("add", "greet", "stop", "light", "find", "wait"):
        definitions = [ADD, GREET, STOP, LIGHT, FIND, WAIT]
        yield Case(
            f"parameter_names(definitions, {name!r})",
            l07.parameter_names(definitions, name),
            lambda name=name, given=definitions: parameter_names(copy.deepcopy(given), name),
            because="its definition is "
            + json.dumps(next(d for d in definitions if d["name"] == name))[:200],
        )
    other = [{"name": "add", "parameters": {"x": {"type": "string"}}}]
    because = "the same name may mean another function tomorrow: nothing about it may stand in the code"
    yield from calls(parameter_names, [(other, "add")], l07.parameter_names, because, "parameter_names")

    def unknown() -> object:
        try:
            return parameter_names([ADD, STOP], "sub")
        except KeyError:
            return Words("KeyError")

    yield Case(
        "parameter_names(definitions of add and stop, 'sub')",
        Words("KeyError"),
        unknown,
        because="a function that nobody defined has no parameters, not even none",
    )


EXERCISES = [
    Exercise(
        number="7.1",
        title="Definitions to a schema",
        minutes=8,
        difficulty=3,
        names=("call_schema",),
        cases=schema_cases,
        hints=(
            "One branch per function, in a list under `anyOf`. In a branch, `name` is a `const`.",
            'The full style says `"type": "object"`. In the short style a parameter may be called '
            '`type` too, but then its value is a dict, not the word `"object"`.',
            'Short: `{"type": "object", "properties": p, "required": list(p)}`. Then close both '
            'objects with `"additionalProperties": False`, and require `name` and `parameters`.',
        ),
    ),
    Exercise(
        number="7.2",
        title="The walk-through",
        minutes=4,
        difficulty=1,
        names=("walk_through",),
        cases=walk_cases,
        hints=(
            "A loop over the ids, one pair per token.",
            "Look before you move: `describe()` and `legal_tokens()` first, then `accept_token`.",
        ),
    ),
    Exercise(
        number="7.3",
        title="Looking ids up by text",
        minutes=4,
        difficulty=2,
        names=("ids_with_prefix",),
        cases=prefix_cases,
        hints=(
            "What does a dictionary do when two tokens give the same text?",
            "`enumerate(tokens)` gives ids and tokens together, and bytes have `startswith` too.",
        ),
    ),
    Exercise(
        number="7.4",
        title="The nested output",
        minutes=3,
        difficulty=1,
        names=("append_text",),
        cases=append_cases,
        hints=(
            "Print `encode(text)` and `encode([text])`. Which of them is about *one* text?",
            "`encode([text])[0]` is the list of ids. `context + ...` makes a new list.",
        ),
    ),
    Exercise(
        number="7.5",
        title="The whole vocabulary in the loop",
        minutes=6,
        difficulty=3,
        names=("spell",),
        cases=spell_cases,
        hints=(
            "What does not change from one turn of the loop to the next? Move it out.",
            "A dictionary from token to id, and the length of the longest token, are all you need.",
            "In the loop try the longest piece of text first: `text[:n]` for n from the longest "
            "length down to 1. `setdefault` keeps the lowest id of equal tokens.",
        ),
    ),
    Exercise(
        number="7.6",
        title="One name, one token",
        minutes=4,
        difficulty=2,
        names=("next_ids",),
        cases=next_cases,
        hints=(
            "Which names begin with what is written? `ids[: len(written)] == written`.",
            "Of each of those take the token at position `len(written)`, if it has one.",
        ),
    ),
    Exercise(
        number="7.7",
        title="The missing root brace",
        minutes=3,
        difficulty=1,
        names=("call_text",),
        cases=text_cases,
        hints=(
            "Gluing JSON by hand goes wrong at the first quote. Which function never does?",
            'Make the dict `{"name": ..., "parameters": ...}` and give it to `json.dumps`.',
        ),
    ),
    Exercise(
        number="7.8",
        title="Hard-coded names",
        minutes=4,
        difficulty=2,
        names=("parameter_names",),
        cases=names_cases,
        hints=(
            "Find the definition whose `name` it is. If none is left, raise KeyError.",
            "`parameters` may be missing, short or full: the full style says `type` is `object`, and "
            "then the names are those of `properties`.",
        ),
    ),
]
