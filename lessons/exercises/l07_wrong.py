"""Wrong answers to lesson 07 that people really write; each check must refuse each of them."""

from lessons.exercise import Wrong

SCHEMA = '''
def call_schema(definitions):
    branches = []
    for definition in definitions:
        parameters = definition.get("parameters", {})
        if parameters.get("type") != "object":
            parameters = {"type": "object", "properties": parameters, "required": list(parameters)}
        branches.append({
            "type": "object",
            "properties": {
                "name": {"const": definition["name"]},
                "parameters": {**parameters, "additionalProperties": False},
            },
            "required": ["name", "parameters"],
            "additionalProperties": False,
        })
    return {"anyOf": branches}
'''


def schema(before: str, after: str) -> str:
    """The solution of 7.1 with one edit."""
    assert before in SCHEMA, before
    return SCHEMA.replace(before, after)


SCHEMAS = [
    Wrong(
        "knows the short style only",
        schema('if parameters.get("type") != "object":', "if True:"),
        "call_schema(definitions of light)",
    ),
    Wrong(
        "knows the full style only",
        schema('if parameters.get("type") != "object":', "if False:"),
        '"b": 3.5}} allowed by call_schema(definitions of add)',
    ),
    Wrong(
        "takes a parameter called type for the full style",
        schema('parameters.get("type") != "object"', '"type" not in parameters'),
        "call_schema(definitions of find)",
    ),
    Wrong(
        "fails where there are no parameters",
        schema('definition.get("parameters", {})', 'definition["parameters"]'),
        "it raised KeyError",
    ),
    Wrong(
        "gives the parameters themselves as the list of what is required",
        schema("list(parameters)", "parameters"),
        "required: {'a': {'type': 'number'}",
    ),
    Wrong(
        "lets undeclared parameters through",
        schema('{**parameters, "additionalProperties": False}', "parameters"),
        "what is not declared cannot be passed",
    ),
    Wrong(
        "name and parameters may be missing",
        schema('            "required": ["name", "parameters"],\n', ""),
        'is {"name": "add"} allowed',
    ),
    Wrong(
        "any name with any parameters",
        "def call_schema(definitions):\n    names = [d['name'] for d in definitions]\n"
        "    return {'type': 'object', 'properties': {'name': {'enum': names}, "
        "'parameters': {'type': 'object'}}, 'required': ['name', 'parameters']}\n",
        '{"name": "add", "parameters": {"a": 2}}',
    ),
    Wrong(
        "all parameters of the full style are required",
        schema(
            '        branches.append({\n',
            '        parameters = {**parameters, "required": list(parameters["properties"])}\n'
            '        branches.append({\n',
        ),
        '{"name": "light", "parameters": {"on": true}}',
    ),
]  # fmt: skip

WALK = [
    Wrong(
        "moves on first",
        "def walk_through(matcher, ids):\n    seen = []\n    for token in ids:\n"
        "        matcher.accept_token(token)\n"
        "        seen.append((matcher.describe(), len(matcher.legal_tokens())))\n    return seen\n",
        "both before it is accepted",
    ),
    Wrong(
        "never moves on",
        "def walk_through(matcher, ids):\n"
        "    return [(matcher.describe(), len(matcher.legal_tokens())) for _ in ids]\n",
        "tokens of '{\"name'",
    ),
    Wrong(
        "gives the legal ids, not their number",
        "def walk_through(matcher, ids):\n    seen = []\n    for token in ids:\n"
        "        seen.append((matcher.describe(), list(matcher.legal_tokens())))\n"
        "        matcher.accept_token(token)\n    return seen\n",
        "the 1 tokens of '{'",
    ),
    Wrong(
        "one pair too many, for the end",
        "def walk_through(matcher, ids):\n"
        "    seen = [(matcher.describe(), len(matcher.legal_tokens()))]\n    for token in ids:\n"
        "        matcher.accept_token(token)\n"
        "        seen.append((matcher.describe(), len(matcher.legal_tokens())))\n    return seen\n",
        "the 0 tokens of ''",
    ),
    Wrong(
        "the number first",
        "def walk_through(matcher, ids):\n    seen = []\n    for token in ids:\n"
        "        seen.append((len(matcher.legal_tokens()), matcher.describe()))\n"
        "        matcher.accept_token(token)\n    return seen\n",
        "(where we are, how many are legal)",
    ),
]

PREFIX = [
    Wrong(
        "the program as it was",
        "def ids_with_prefix(tokens, prefix):\n"
        "    texts = [t.decode('utf-8', errors='replace') for t in tokens]\n"
        "    id_of = {text: i for i, text in enumerate(texts)}\n"
        "    start = prefix.decode('utf-8', errors='replace')\n"
        "    return [id_of[text] for text in texts if text.startswith(start)]\n",
        "compare bytes",
    ),
    Wrong(
        "compares text, although it counts",
        "def ids_with_prefix(tokens, prefix):\n    start = prefix.decode('utf-8', errors='replace')\n"
        "    return [i for i, t in enumerate(tokens)\n"
        "            if t.decode('utf-8', errors='replace').startswith(start)]\n",
        "compare bytes",
    ),
    Wrong(
        "looks positions up with index",
        "def ids_with_prefix(tokens, prefix):\n"
        "    return [tokens.index(t) for t in tokens if t.startswith(prefix)]\n",
        "got:      [0, 0]",
    ),
    Wrong(
        "leaves out what is no text",
        "def ids_with_prefix(tokens, prefix):\n    found = []\n    for i, t in enumerate(tokens):\n"
        "        try:\n            t.decode()\n        except UnicodeDecodeError:\n            continue\n"
        "        if t.startswith(prefix):\n            found.append(i)\n    return found\n",
        "got:      []",
    ),
    Wrong(
        "also takes tokens that are shorter than the prefix",
        "def ids_with_prefix(tokens, prefix):\n"
        "    return [i for i, t in enumerate(tokens) if t.startswith(prefix) or t == prefix[:1]]\n",
        "ids_with_prefix([b'ca', b'c'], b'cat')",
    ),
]

APPEND = [
    Wrong(
        "the program as it was",
        "def append_text(context, text, encode):\n    return context + encode(text)\n",
        "got:      [1, [97]]",
    ),
    Wrong(
        "takes the first of a text that was no batch",
        "def append_text(context, text, encode):\n    return context + encode(text)[0]\n",
        "append_text([], 'hi', letters)",
    ),
    Wrong(
        "flattens what was encoded character by character",
        "def append_text(context, text, encode):\n"
        "    return context + [i for ids in encode(text) for i in ids]\n",
        "append_text([], 'hi', pairs)",
    ),
    Wrong(
        "appends the list as one element",
        "def append_text(context, text, encode):\n    return [*context, encode([text])[0]]\n",
        "got:      [1, [97]]",
    ),
    Wrong(
        "changes the context",
        "def append_text(context, text, encode):\n    context += encode([text])[0]\n    return context\n",
        "make a new list",
    ),
]

SPELL = [
    Wrong(
        "the program as it was",
        "def spell(tokens, text):\n    found = []\n    while text:\n"
        "        fitting = [i for i, t in enumerate(tokens) if t and text.startswith(t)]\n"
        "        best = max(fitting, key=lambda i: len(tokens[i]))\n        found.append(best)\n"
        "        text = text[len(tokens[best]):]\n    return found\n",
        "prepare a dictionary from the vocabulary once",
    ),
    Wrong(
        "takes the first token that fits",
        "def spell(tokens, text):\n    found = []\n    while text:\n"
        "        i = next(i for i, t in enumerate(tokens) if t and text.startswith(t))\n"
        "        found.append(i)\n        text = text[len(tokens[i]):]\n    return found\n",
        "the longest token that fits",
    ),
    Wrong(
        "spells character by character",
        "def spell(tokens, text):\n    ids = {}\n    for i, t in enumerate(tokens):\n"
        "        ids.setdefault(t, i)\n    return [ids[char] for char in text]\n",
        "got:      [0, 1, 1, 0]",
    ),
    Wrong(
        "keeps the highest id of equal tokens",
        "def spell(tokens, text):\n    ids = {t: i for i, t in enumerate(tokens)}\n"
        "    longest = max(map(len, ids))\n    found = []\n    while text:\n"
        "        n = next(n for n in range(longest, 0, -1) if text[:n] in ids)\n"
        "        found.append(ids[text[:n]])\n        text = text[n:]\n    return found\n",
        "of equal tokens the lowest id",
    ),
    Wrong(
        "sorts the vocabulary in every turn",
        "def spell(tokens, text):\n    found = []\n    while text:\n"
        "        order = sorted(range(len(tokens)), key=lambda i: -len(tokens[i]))\n"
        "        i = next(i for i in order if tokens[i] and text.startswith(tokens[i]))\n"
        "        found.append(i)\n        text = text[len(tokens[i]):]\n    return found\n",
        "prepare a dictionary from the vocabulary once",
    ),
    Wrong(
        "a set for the test and index for the id",
        "def spell(tokens, text):\n    known = set(tokens)\n    longest = max(map(len, known))\n"
        "    found = []\n    while text:\n"
        "        n = next(n for n in range(longest, 0, -1) if text[:n] in known)\n"
        "        found.append(tokens.index(text[:n]))\n        text = text[n:]\n    return found\n",
        "prepare a dictionary from the vocabulary once",
    ),
]

NEXT = [
    Wrong(
        "the program as it was",
        "def next_ids(names, written):\n    return {ids[0] for ids in names}\n",
        "next_ids([[1, 2, 0], [1, 3, 0]], [1])",
    ),
    Wrong(
        "the next token of every name",
        "def next_ids(names, written):\n    n = len(written)\n"
        "    return {ids[n] for ids in names if len(ids) > n}\n",
        "only names that begin as written",
    ),
    Wrong(
        "looks at the last token only",
        "def next_ids(names, written):\n    n = len(written)\n"
        "    return {ids[n] for ids in names if len(ids) > n and (n == 0 or ids[n - 1] == written[-1])}\n",
        "only names that begin as written",
    ),
    Wrong(
        "fails on a name that is the beginning of another",
        "def next_ids(names, written):\n    n = len(written)\n"
        "    return {ids[n] for ids in names if ids[:n] == written}\n",
        "it raised IndexError",
    ),
    Wrong(
        "a list instead of a set",
        "def next_ids(names, written):\n    n = len(written)\n"
        "    return [ids[n] for ids in names if len(ids) > n and ids[:n] == written]\n",
        "expected: {1}",
    ),
]  # fmt: skip

TEXT = [
    Wrong(
        "the program as it was",
        "def call_text(name, parameters):\n"
        "    inner = ', '.join(f'\"{k}\": \"{v}\"' for k, v in parameters.items())\n"
        "    return f'{{\"name\": \"{name}\", \"parameters\": {{{inner}}}'\n",
        'got:      \'{"name": "stop", "parameters": {}\'',
    ),
    Wrong(
        "with the brace, and quotes around everything",
        "def call_text(name, parameters):\n"
        "    inner = ', '.join(f'\"{k}\": \"{v}\"' for k, v in parameters.items())\n"
        "    return f'{{\"name\": \"{name}\", \"parameters\": {{{inner}}}}}'\n",
        "call_text('add', {'a': 2, 'b': -0.5})",
    ),
    Wrong(
        "Python's text of a dict",
        "def call_text(name, parameters):\n    return str({'name': name, 'parameters': parameters})\n",
        "it must be JSON",
    ),
    Wrong(
        "only the parameters are dumped",
        "import json\ndef call_text(name, parameters):\n"
        "    return '{\"name\": \"' + name + '\", \"parameters\": ' + json.dumps(parameters) + '}'\n",
        "odd",
    ),
    Wrong(
        "the value instead of its text",
        "def call_text(name, parameters):\n    return {'name': name, 'parameters': parameters}\n",
        "got:      {'name': 'stop', 'parameters': {}}",
    ),
]

FIND = "def parameter_names(definitions, name):\n    for d in definitions:\n        if d['name'] == name:\n"

NAMES = [
    Wrong(
        "the program as it was",
        "def parameter_names(definitions, name):\n"
        "    return ['a', 'b'] if name.startswith('add') else ['name']\n",
        "parameter_names(definitions, 'greet')",
    ),
    Wrong(
        "knows the short style only",
        FIND + "            return list(d.get('parameters', {}))\n    raise KeyError(name)\n",
        "parameter_names(definitions, 'light')",
    ),
    Wrong(
        "knows the full style only",
        FIND + "            return list(d.get('parameters', {}).get('properties', {}))\n"
        "    raise KeyError(name)\n",
        "parameter_names(definitions, 'add')",
    ),
    Wrong(
        "takes a parameter called properties for the full style",
        FIND + "            p = d.get('parameters', {})\n            return list(p.get('properties', p))\n"
        "    raise KeyError(name)\n",
        "parameter_names(definitions, 'find')",
    ),
    Wrong(
        "fails where there are no parameters",
        FIND + "            p = d['parameters']\n"
        "            return list(p['properties'] if p.get('type') == 'object' else p)\n"
        "    raise KeyError(name)\n",
        "it raised KeyError",
    ),
    Wrong(
        "an unknown function has no parameters",
        FIND + "            p = d.get('parameters', {})\n"
        "            return list(p.get('properties', {}) if p.get('type') == 'object' else p)\n"
        "    return []\n",
        "a function that nobody defined",
    ),
]

WRONG = {
    "7.1": SCHEMAS,
    "7.2": WALK,
    "7.3": PREFIX,
    "7.4": APPEND,
    "7.5": SPELL,
    "7.6": NEXT,
    "7.7": TEXT,
    "7.8": NAMES,
}

ONE = "return context + encode([text])[0]"
SIZE = "size = next((n for n in range(longest, 0, -1) if text[:n] in ids))"
LONGEST = "longest = max(longest, len(token))"
ENOUGH = "any number that is large enough gives the same spelling, a little later"

SURVIVORS: dict[str, dict[str, str]] = {
    "7.4": {f"{ONE} -> {ONE.replace('[0]', '[-1]')}": "the first of one list is the last one too"},
    "7.5": {
        "longest = 0 -> longest = 1": "every token that fits has a length of at least 1",
        "longest = 0 -> longest = -1": "the first token is longer than that",
        f"{LONGEST} -> longest = max(len(token), longest)": "the same maximum",
        f"{LONGEST} -> longest = max(longest, len(tokens))": ENOUGH,
        f"{LONGEST} -> longest = max(longest, len(text))": ENOUGH,
        f"{LONGEST} -> longest = max(longest, len(ids))": ENOUGH,
        f"{SIZE} -> {SIZE.replace('0, -1', '-1, -1')}": "a text that can be spelled never gets to 0",
    },
}
