"""Wrong answers to lesson 06 that people really write; each check must refuse each of them."""

from lessons.exercise import Wrong

LOOP = "def hunt(machine, runs):\n    for seed in range(runs):\n        text = l06.run(machine, seed)\n"

HUNT = [
    Wrong(
        "parses instead of validating",
        LOOP + "        if not l06.parses(text):\n            return text\n",
        "hunt(exhibit 1, object, 40)",
    ),
    Wrong(
        "validates without parsing first",
        "import json, jsonschema\n" + LOOP + "        try:\n"
        "            jsonschema.validate(json.loads(text), machine.schema)\n"
        "        except jsonschema.ValidationError:\n            return text\n",
        "it raised JSONDecodeError",
    ),
    Wrong(
        "gives the last wrong text",
        "def hunt(machine, runs):\n    found = None\n    for seed in range(runs):\n"
        "        text = l06.run(machine, seed)\n"
        "        if not l06.is_valid(text, machine.schema):\n            found = text\n    return found\n",
        "hunt(exhibit 1, object, 40)",
    ),
    Wrong(
        "gives up after the first run",
        LOOP + "        return None if l06.is_valid(text, machine.schema) else text\n",
        "got:      None",
    ),
    Wrong(
        "says whether, not which",
        LOOP
        + "        if not l06.is_valid(text, machine.schema):\n            return True\n    return False\n",
        "got:      True",
    ),
    Wrong(
        "one run too many",
        LOOP.replace("range(runs)", "range(runs + 1)")
        + "        if not l06.is_valid(text, machine.schema):\n            return text\n",
        "the seeds are 0, 1, ... runs - 1",
    ),
]


def both(number: int, document: str, step: str) -> str:
    """Both answers of an exhibit's exercise."""
    return f"def wrong_document_{number}():\n    return {document}\n\n{step}"


def edited(number: int, *changes: tuple[str, str]) -> str:
    """The exhibit's own code with edits, and the document that the hunt finds."""
    from lessons.pieces import l06

    step = l06.source(number)
    for before, after in changes:
        assert before in step, before
        step = step.replace(before, after)
    return both(number, f"l06.hunt(l06.MUSEUM[{number}], 50)", step)


CLOSE = '    if char == "}":\n        return ("", -1)'

OBJECT = [
    Wrong(
        "a document of another schema",
        both(1, "'{\"x\": 1}'", "def object_step(state, char):\n    return l06.object_step(state, char)\n"),
        "wrong_document_1()",
    ),
    Wrong("the exhibit as it is", edited(1), "`required` means"),
    Wrong(
        "asks for one key only",
        edited(1, (CLOSE, CLOSE.replace('"}":', '"}" and keys:'))),
        '{"a":1}',
    ),
    Wrong(
        "asks for all three keys",
        edited(1, (CLOSE, CLOSE.replace('"}":', '"}" and keys == 3:'))),
        'does your machine accept {"a":1,"b":1}',
    ),
    Wrong(
        "never asks for the comma",
        edited(1, (CLOSE, CLOSE.replace('"}":', '"}" and keys > 1:')), ('("," if keys else "") + ', "")),
        '{"a":1"b":1}',
    ),
    Wrong(
        "begins again after the last key",
        edited(1, (CLOSE, CLOSE.replace('"}":', '"}" and keys > 1:')), ("keys < 3 and ", "")),
        '"c":1,"a":1}',
    ),
    Wrong(
        "closes in the middle of a key",
        edited(
            1,
            (CLOSE, ""),
            ("    if owed:", '    if char == "}" and keys >= 2:\n        return ("", -1)\n    if owed:'),
        ),
        "wrong documents of up to 25 characters",
    ),
]

INTEGER = [
    Wrong(
        "a document that parses",
        both(2, "'10'", "def integer_step(state, char):\n    return l06.integer_step(state, char)\n"),
        "wrong_document_2()",
    ),
    Wrong("the exhibit as it is", edited(2), "a number in JSON is 0, or begins with 1 to 9"),
    Wrong(
        "no zero at all in front",
        edited(
            2,
            (
                '    return "digits"',
                '    if char == "0" and state != "digits":\n        return None\n    return "digits"',
            ),
        ),
        "does your machine accept 0",
    ),
    Wrong(
        "no zero anywhere",
        edited(2, ('"0123456789"', '"123456789"')),
        "does your machine accept 0",
    ),
    Wrong(
        "forgets the zero after a minus",
        edited(
            2,
            ('state if state == "digits"', 'state if state in ("zero", "digits")'),
            ('    return "digits"', '    if state == "zero":\n        return None\n'
             '    if char == "0" and state == "start":\n        return "zero"\n    return "digits"'),
        ),
        "-00",
    ),
    Wrong(
        "a zero may not end the text",
        edited(
            2,
            ('    return "digits"', '    if state == "zero":\n        return None\n'
             '    if char == "0" and state != "digits":\n        return "zero"\n    return "digits"'),
        ),
        "does your machine accept 0",
    ),
]  # fmt: skip

LIST = [
    Wrong(
        "a document that the exhibit does not write",
        both(3, "'[,1]'", "def list_step(state, char):\n    return l06.list_step(state, char)\n"),
        "wrong_document_3()",
    ),
    Wrong("the exhibit as it is", edited(3), "a comma announces another element"),
    Wrong(
        "no empty list any more",
        edited(3, ('        ("value", "]"): "end",\n', "")),
        "does your machine accept []",
    ),
    Wrong(
        "no comma any more",
        edited(3, ('        ("after", ","): "value",\n', "")),
        "does your machine accept [1,1]",
    ),
    Wrong(
        "a new state that leads nowhere",
        edited(3, ('("after", ","): "value"', '("after", ","): "next"')),
        "does your machine accept [1,1]",
    ),
    Wrong(
        "a comma goes back to the start",
        edited(3, ('("after", ","): "value"', '("after", ","): "start"')),
        "got:      ['[1,[]'",
    ),
]

WHOLE = [
    Wrong(
        "a document whose value is whole",
        both(4, "'1e2'", "def whole_step(state, char):\n    return l06.whole_step(state, char)\n"),
        "only the value counts, not how it is written",
    ),
    Wrong("the exhibit as it is", edited(4), "with an exponent the value need not be whole"),
    Wrong(
        "forbids the exponent's plus instead of its minus",
        edited(4, ('("e", "+"): "sign", ', "")),
        "with an exponent the value need not be whole",
    ),
    Wrong(
        "forbids the exponent after a zero only",
        edited(4, ('("zero", "e"): "e", ', "")),
        "with an exponent the value need not be whole",
    ),
    Wrong(
        "forbids every minus",
        edited(4, ('("start", "-"): "minus", ', ""), ('("e", "-"): "sign"', "")),
        "does your machine accept -0",
    ),
    Wrong(
        "forbids the way on after e, and not the e",
        edited(4, ('("e", "+"): "sign", ("e", "-"): "sign"', ""), ('"e": "power", ', "")),
        "nothing is legal after",
    ),
]


def key(body: str, document: str = "l06.hunt(l06.MUSEUM[5], 50)") -> str:
    """Both answers of exercise 6.6."""
    return both(5, document, f"def count_key(state, low, high):\n    place, count = state\n{body}")


KEY = [
    Wrong(
        "a list that is long enough to be refused but never written",
        key("    return l06.count_key(state, low, high)\n", "'[1,1,1'"),
        "wrong_document_5()",
    ),
    Wrong(
        "a clamp one too small",
        key("    return (place, min(count, low if high is None else high - 1))\n"),
        "(('after', 2), ('after', 3), ',1]')",
    ),
    Wrong("no clamp at all", key("    return state\n"), "at most ten"),
    Wrong(
        "clamps at the lower bound only",
        key("    return (place, min(count, low))\n"),
        "count_key(state, 1, 3)",
    ),
    Wrong(
        "forgets that there may be no upper bound",
        key("    return (place, min(count, high))\n"),
        "it raised TypeError",
    ),
    Wrong(
        "the count without the place",
        key("    return min(count, low if high is None else high)\n"),
        "(('next', 1), ('after', 1), ']')",
    ),
    Wrong(
        "the place alone where there is no upper bound",
        key("    return place if high is None else state\n"),
        "(('next', 1), ('next', 2), '1]')",
    ),
    Wrong(
        "one number for all that is far from a bound",
        key("    return (place, count >= low, high is not None and count >= high)\n"),
        "count_key(state, 1, 3)",
    ),
]

REST = (
    "def next_keys(keys, required, last):\n"
    "    rest = keys if last is None else keys[keys.index(last) + 1 :]\n"
)

KEYS = [
    Wrong(
        "offers all keys that are left",
        REST + "    return rest + ([] if set(rest) & required else ['}'])\n",
        "no required key is passed over",
    ),
    Wrong(
        "may close at any time",
        REST + "    found = []\n    for key in rest:\n        found.append(key)\n"
        "        if key in required:\n            break\n    return [*found, '}']\n",
        "got:      ['a', 'b', '}']",
    ),
    Wrong(
        "never closes",
        REST + "    found = []\n    for key in rest:\n        found.append(key)\n"
        "        if key in required:\n            break\n    return found\n",
        "expected: ['c', '}']",
    ),
    Wrong(
        "offers the next key only",
        REST + "    return rest[:1] + ([] if set(rest) & required else ['}'])\n",
        "got:      ['a']",
    ),
    Wrong(
        "stops before the required key",
        REST + "    found = []\n    for key in rest:\n        if key in required:\n            return found\n"
        "        found.append(key)\n    return [*found, '}']\n",
        "got:      ['a']",
    ),
    Wrong(
        "offers the last key again",
        "def next_keys(keys, required, last):\n"
        "    rest = keys if last is None else keys[keys.index(last) :]\n    found = []\n"
        "    for key in rest:\n        found.append(key)\n        if key in required:\n"
        "            return found\n    return [*found, '}']\n",
        "next_keys(['a', 'b', 'c'], {'b'}, 'a')",
    ),
]

TREE = "def tree_schema():\n    return {tree}\n"
PARTS = {
    "type": "object",
    "properties": {"n": {"type": "integer"}, "kids": {"type": "array", "items": {"$ref": "#"}}},
    "required": ["n"],
    "additionalProperties": False,
}


def tree(**changed: object) -> str:
    """The tree's schema with some keywords changed; None leaves one out."""
    parts = {name: value for name, value in (PARTS | changed).items() if value is not None}
    return TREE.format(tree=parts)


TREES = [
    Wrong(
        "written out to depth two",
        "def tree_schema():\n    leaf = {'type': 'object', 'properties': {'n': {'type': 'integer'}}, "
        "'required': ['n'], 'additionalProperties': False}\n"
        "    kids = {'type': 'array', 'items': leaf}\n"
        "    return leaf | {'properties': {'n': {'type': 'integer'}, 'kids': kids}}\n",
        '"kids": [{"n": 2, "kids": [{"n": 3',
    ),
    Wrong("n may be missing", tree(required=None), "is {} allowed by your schema"),
    Wrong("kids must be there", tree(required=["n", "kids"]), 'is {"n": 1} allowed by your schema'),
    Wrong(
        "other keys may come",
        tree(additionalProperties=None),
        'unless the schema says "additionalProperties": False',
    ),
    Wrong(
        "a reference to nothing",
        tree(properties={"n": {"type": "integer"}, "kids": {"type": "array", "items": {"$ref": "#/tree"}}}),
        "it raised InvalidSchema",
    ),
    Wrong(
        "kids of any kind",
        tree(properties={"n": {"type": "integer"}, "kids": {"type": "array"}}),
        'is {"n": 1, "kids": [2]} allowed',
    ),
    Wrong(
        "one kid instead of a list",
        tree(properties={"n": {"type": "integer"}, "kids": {"$ref": "#"}}),
        'is {"n": 1, "kids": []} allowed',
    ),
]

WRONG = {
    "6.1": HUNT,
    "6.2": OBJECT,
    "6.3": INTEGER,
    "6.4": LIST,
    "6.5": WHOLE,
    "6.6": KEY,
    "6.7": KEYS,
    "6.8": TREES,
}

PYTHONS_NONE = "a function that ends without `return` gives None all the same"
MORE_RUNS = "one run more or less finds the same document"
ANY_STATE = "at the end of the text any value but None says yes"
OWN_NAMES = "the learner may name the states"
SUM = "the same sum"


def hunted(number: int) -> dict[str, str]:
    """Mutants of the number of runs."""
    line = f"return l06.hunt(l06.MUSEUM[{number}], 50)"
    return {f"{line} -> {line.replace('50', runs)}": MORE_RUNS for runs in ("51", "49")}


DIGITS_END = "return state if state in ('zero', 'digits') else None"
MINUS = "return 'minus' if state == 'start' else None"
NO_DIGIT = "if state == 'zero' or char not in '0123456789':"
NUMBERS = {
    f"{DIGITS_END} -> {DIGITS_END.replace('return state', 'return char')}": ANY_STATE,
    f"{MINUS} -> {MINUS.replace('minus', '')}": OWN_NAMES,
    f"{MINUS} -> {MINUS.replace('minus', 'minusx')}": OWN_NAMES,
    f"{NO_DIGIT} -> {NO_DIGIT.replace('9', '9x')}": "no token holds an x",
}
CLOSED = "return state if char == '' else None"
MEMBER = "member = (',' if keys else '') + '\"' + 'abc'[keys % 3] + '\":1'"
END = "return state if state == 'end' else None"
TOP = "top = low if high is None else high"
AFTER = "rest = keys if last is None else keys[keys.index(last) + 1:]"

SURVIVORS: dict[str, dict[str, str]] = {
    "6.1": {"return None -> (deleted)": PYTHONS_NONE},
    "6.2": {
        "return None -> (deleted)": PYTHONS_NONE,
        **hunted(1),
        **{f"{CLOSED} -> {CLOSED.replace('state', n)}": ANY_STATE for n in ("char", "owed", "keys")},
        "return (member[1:], keys + 1) -> return (member[1:], 1 + keys)": SUM,
        f"{MEMBER} -> {MEMBER.replace('abc', 'abcx')}": "keys % 3 never gets to the x",
    },
    "6.3": {**hunted(2), **NUMBERS},
    "6.4": {**hunted(3), f"{END} -> {END.replace('return state', 'return char')}": ANY_STATE},
    "6.5": {**hunted(4), **NUMBERS},
    "6.6": {
        **hunted(5),
        f"{TOP} -> {TOP.replace('else high', 'else count')}": "no count is above `high`: no clamp is needed",
        "return (place, min(count, top)) -> return (place, min(top, count))": "the same minimum",
    },
    "6.7": {
        "return [*found, '}'] -> return [*rest, '}']": "after the whole loop `found` is `rest`",
        f"{AFTER} -> {AFTER.replace('keys.index(last) + 1', '1 + keys.index(last)')}": SUM,
    },
    "6.8": {
        "return {'type': 'object', 'properties': {'n': {'type': 'integer'}, 'kids': {'type': 'array', "
        "'items': {'$ref': '#'}}}, 'required': ['n'], 'additionalProperties': False} -> return {'type': "
        "'object', 'properties': {'n': {'type': 'integer'}, 'kids': {'type': 'array', 'items': {'$ref': "
        "''}}}, 'required': ['n'], 'additionalProperties': False}": "an empty reference means the same",
    },
}
