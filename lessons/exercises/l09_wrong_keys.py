"""Wrong answers to exercise 9.3: keys that lie, and one that is never found again."""

from lessons.exercise import Wrong

IDS = "vocabulary.eos_ids, vocabulary.special_ids"
TOKENS = f"tuple(vocabulary.tokens), {IDS}"

DUMP = "import json\ndef cache_key(schema, vocabulary, whitespace):\n"
TEXT, REST = "json.dumps(schema)", f"{TOKENS}, whitespace"
V = "vocabulary"

# name, what the function gives back, a piece of the message
PARTS = [
    *((f"joins the tokens with {between!r}",
       f"{TEXT}, {between!r}.join({V}.tokens), {IDS}, whitespace", "any byte may be inside a token")
      for between in [b" ", b",", b"|", b"\0", b"\n", b"\xff", b", ", b"<sep>"]),
    ("joins the decoded tokens with a comma",
     f"{TEXT}, ','.join(t.decode('latin-1') for t in {V}.tokens), {IDS}, whitespace",
     "[b'a,b', b'a'] and [b'a', b'b,a']"),
    ("takes the first hundred tokens", f"{TEXT}, tuple({V}.tokens[:100]), {IDS}, whitespace",
     "however many there are"),
    ("takes the first thousand tokens", f"{TEXT}, tuple({V}.tokens[:1000]), {IDS}, whitespace",
     "number 1000 differs"),
    ("takes the last hundred tokens", f"{TEXT}, tuple({V}.tokens[-100:]), {IDS}, whitespace",
     "the first one differs"),
    ("adds the end tokens' numbers",
     f"{TEXT}, tuple({V}.tokens), sum({V}.eos_ids), {V}.special_ids, whitespace",
     "tokens 1 and 4, or tokens 2 and 3 end the answer"),
    ("adds the special tokens' numbers",
     f"{TEXT}, tuple({V}.tokens), {V}.eos_ids, sum({V}.special_ids), whitespace",
     "token 4, or tokens 0 and 4 are special"),
    ("adds the special tokens' numbers, and counts them",
     f"{TEXT}, tuple({V}.tokens), {V}.eos_ids, (sum({V}.special_ids), len({V}.special_ids)), whitespace",
     "tokens 1 and 4, or tokens 2 and 3 are special"),
    *((f"keeps the special tokens in the order of chance: {make}",
       f"{TEXT}, tuple({V}.tokens), {V}.eos_ids, {make}, whitespace", "a set has no order")
      for make in [f"tuple({V}.special_ids)", f"str({V}.special_ids)", f"repr(list({V}.special_ids))"]),
    ("forgets which tokens are special", f"{TEXT}, tuple({V}.tokens), {V}.eos_ids, whitespace",
     "which tokens are special, so never text, belongs in the key, too"),
    ("takes the fingerprint of the vocabulary for all of it", f"{TEXT}, {V}.fingerprint(), whitespace",
     "token 3 ends the answer and 4 is special, or the other way round"),
    ("takes the tokens that are text for all of it",
     f"{TEXT}, tuple({V}.tokens), tuple({V}.text_ids()), whitespace", "keep them apart"),
    ("puts the end tokens and the special ones together",
     f"{TEXT}, tuple({V}.tokens), tuple(sorted([*{V}.eos_ids, *{V}.special_ids])), whitespace",
     "keep them apart"),
    ("writes the special tokens behind the end tokens",
     f"{TEXT}, tuple({V}.tokens), (*{V}.eos_ids, *sorted({V}.special_ids)), whitespace", "keep them apart"),
    ("keeps the lowest end token only",
     f"{TEXT}, tuple({V}.tokens), min({V}.eos_ids, default=None), {V}.special_ids, whitespace",
     "token 2, or tokens 2 and 3 end the answer"),
    ("keeps the highest end token only",
     f"{TEXT}, tuple({V}.tokens), max({V}.eos_ids, default=None), {V}.special_ids, whitespace",
     "token 3, or tokens 2 and 3 end the answer"),
    ("counts the end tokens", f"{TEXT}, tuple({V}.tokens), len({V}.eos_ids), {V}.special_ids, whitespace",
     "token 3 or token 2 ends the answer"),
    ("counts the special tokens",
     f"{TEXT}, tuple({V}.tokens), {V}.eos_ids, len({V}.special_ids), whitespace",
     "both are b'<end>'"),
    ("joins the end tokens' numbers",
     f"{TEXT}, tuple({V}.tokens), ''.join(map(str, {V}.eos_ids)), {V}.special_ids, whitespace",
     "tokens 1 and 2, or token 12 end the answer"),
    ("joins the special tokens' numbers",
     f"{TEXT}, tuple({V}.tokens), {V}.eos_ids, ''.join(map(str, sorted({V}.special_ids))), whitespace",
     "tokens 1 and 2, or token 12 are special"),
    ("takes the end tokens' bytes for their numbers",
     f"{TEXT}, tuple({V}.tokens), tuple({V}.tokens[i] for i in {V}.eos_ids), {V}.special_ids, whitespace",
     "token 3 or token 4 ends the answer, both are b'<end>'"),
    ("takes the special tokens' bytes for their numbers",
     f"{TEXT}, tuple({V}.tokens), {V}.eos_ids, tuple({V}.tokens[i] for i in sorted({V}.special_ids)), "
     "whitespace", "token 3 or token 4 is special, both are b'<end>'"),
    ("decodes the tokens, whatever they are",
     f"{TEXT}, tuple(t.decode(errors='replace') for t in {V}.tokens), {IDS}, whitespace",
     "do not decode them"),
    ("sorts the tokens", f"{TEXT}, tuple(sorted({V}.tokens)), {IDS}, whitespace", "in their order"),
    ("makes the schema's text small", f"{TEXT}.lower(), {REST}", "small and capital letters"),
    ("takes the spaces out of the schema's text", f"{TEXT}.replace(' ', ''), {REST}",
     "spaces inside a string count"),
    ("knows compact and the rest", f"{TEXT}, {TOKENS}, whitespace == 'compact'",
     "whitespace 'spaced' and 'free'"),
]  # fmt: skip

KEY = [
    Wrong(
        "takes the object's number",
        "def cache_key(schema, vocabulary, whitespace):\n"
        f"    return id(schema), {TOKENS}, whitespace\n",
        "the content counts, not the object",
    ),
    Wrong(
        "sorts the keys, to be found more often",
        "import json\ndef cache_key(schema, vocabulary, whitespace):\n"
        f"    return json.dumps(schema, sort_keys=True), {TOKENS}, whitespace\n",
        "do not sort it away",
    ),
    Wrong(
        "leaves the vocabulary out",
        "import json\ndef cache_key(schema, vocabulary, whitespace):\n"
        "    return json.dumps(schema), whitespace\n",
        "the tokens belong in the key",
    ),
    Wrong(
        "takes the vocabulary's size for the vocabulary",
        "import json\ndef cache_key(schema, vocabulary, whitespace):\n"
        "    return json.dumps(schema), vocabulary.size, whitespace\n",
        "tokens cut elsewhere",
    ),
    Wrong(
        "joins the tokens",
        "import json\ndef cache_key(schema, vocabulary, whitespace):\n"
        "    return json.dumps(schema), b''.join(vocabulary.tokens), "
        f"{IDS}, whitespace\n",
        "tokens cut elsewhere",
    ),
    Wrong(
        "forgets which token ends",
        "import json\ndef cache_key(schema, vocabulary, whitespace):\n"
        "    return json.dumps(schema), tuple(vocabulary.tokens), vocabulary.special_ids, whitespace\n",
        "which tokens end the answer belongs in the key, too",
    ),
    Wrong(
        "forgets the whitespace",
        f"import json\n"
        f"def cache_key(schema, vocabulary, whitespace):\n    return json.dumps(schema), {TOKENS}\n",
        "an option that changes the grammar",
    ),
    Wrong(
        "freezes the schema into tuples, in which 1 equals True",
        "def cache_key(schema, vocabulary, whitespace):\n"
        "    def freeze(x):\n"
        "        if isinstance(x, dict):\n            return tuple((k, freeze(v)) for k, v in x.items())\n"
        "        return tuple(map(freeze, x)) if isinstance(x, list) else x\n"
        f"    return freeze(schema), {TOKENS}, whitespace\n",
        "Python says 1 == True",
    ),
    Wrong(
        "uses the schema itself",
        f"def cache_key(schema, vocabulary, whitespace):\n    return schema, {TOKENS}, whitespace\n",
        "can the key be a dictionary's key",
    ),
    *(Wrong(name, f"{DUMP}    return {parts}\n", says) for name, parts, says in PARTS),
    *(
        Wrong(
            f"makes a NumPy array of the tokens: {after}",
            f"import numpy as np\n{DUMP}"
            f"    return json.dumps(schema), {after}, "
            f"{IDS}, whitespace\n",
            says,
        )
        for after, says in [
            ("str(np.array(vocabulary.tokens, object))", "number 1000 differs"),
            ("np.array(vocabulary.tokens).tobytes()", "a zero byte counts like any other"),
        ]
    ),
    Wrong(
        "does not import what it uses",
        f"def cache_key(schema, vocabulary, whitespace):\n    return jsn.dumps(schema), {REST}\n",
        "import or define `jsn` first",
    ),
]
