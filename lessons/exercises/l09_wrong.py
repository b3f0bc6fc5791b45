"""Wrong answers to lesson 09 that people really write; each check must refuse each of them."""

from lessons.exercise import Wrong

IMPORTS = (
    "import numpy as np\n"
    "from tokenmask import GrammarMatcher, allocate_token_bitmask, apply_token_bitmask\n"
)
INIT = (
    "class Processor:\n"
    "    def __init__(self, compiled):\n"
    "        self.compiled, self.matcher = compiled, GrammarMatcher(compiled)\n"
    "        self.size, self.started = compiled.vocabulary.size, False\n"
    "    def __call__(self, input_ids, scores):\n"
)
READ = (
    "        if self.started:\n"
    "            self.matcher.accept_token(int(input_ids[0, -1]))\n"
    "        self.started = True\n"
)
MASK = (
    "        bitmask = allocate_token_bitmask(1, self.size)\n"
    "        self.matcher.fill_next_token_bitmask(bitmask, 0)\n"
)
APPLY = (
    "        scores = scores.copy()\n"
    "        apply_token_bitmask(scores, bitmask)\n        return scores\n"
)

PROCESSOR = [
    Wrong(
        "reads the last token of the prompt as if it were the answer",
        IMPORTS + INIT + "        self.matcher.accept_token(int(input_ids[0, -1]))\n" + MASK + APPLY,
        "the prompt is not part of the answer",
    ),
    Wrong(
        "never moves on",
        IMPORTS + INIT + MASK + APPLY,
        "each later call brings one new token",
    ),
    Wrong(
        "reads the whole row again at every call",
        IMPORTS
        + INIT
        + "        for token in input_ids[0].tolist():\n            self.matcher.accept_token(token)\n"
        + MASK
        + APPLY,
        "the first call reads nothing",
    ),
    Wrong(
        "makes a new matcher at every call",
        IMPORTS + INIT + "        self.matcher = GrammarMatcher(self.compiled)\n" + READ + MASK + APPLY,
        "answer ['{', '\"', 'active', '\"', ':']",
    ),
    Wrong(
        "goes on when a new run begins",
        IMPORTS + INIT + READ + MASK + APPLY,
        "a second prompt is no continuation",
    ),
    Wrong(
        "looks at the lengths only",
        IMPORTS
        + INIT.replace("self.started", "self.seen").replace("size, False", "size, 0")
        + "        length = input_ids.shape[1]\n"
        "        if length == self.seen + 1 and self.seen:\n"
        "            self.matcher.accept_token(int(input_ids[0, -1]))\n"
        "        else:\n            self.matcher.reset()\n"
        "        self.seen = length\n" + MASK + APPLY,
        "not only the lengths",
    ),
    Wrong(
        "writes into the scores it was given",
        IMPORTS + INIT + READ + MASK + "        apply_token_bitmask(scores, bitmask)\n"
        "        return scores\n",
        "it changed the scores",
    ),
    Wrong(
        "zeroes the scores instead of ruling out",
        IMPORTS
        + INIT
        + READ
        + MASK
        + "        bits = np.unpackbits(bitmask.view(np.uint8), bitorder='little')[:scores.shape[1]]\n"
        + "        return scores * bits\n",
        "legal ids at each call",
    ),
    Wrong(
        "allocates for the scores, not for the vocabulary",
        IMPORTS + INIT + READ + MASK.replace("self.size", "scores.shape[-1]") + APPLY,
        "more scores than tokens",
    ),
    Wrong(
        "gives the mask instead of the scores",
        IMPORTS + INIT + READ + MASK + "        return bitmask\n",
        "got:      [[[0]]]",
    ),
]

HEAD = (
    IMPORTS
    + "def masked_batch(matchers, tokens, scores):\n"
    + "    size = matchers[0].compiled.vocabulary.size\n"
    + "    bitmask = allocate_token_bitmask(len(matchers), size)\n"
    + "    for row, matcher in enumerate(matchers):\n"
)
ACCEPT = (
    "        if tokens is not None and not matcher.is_terminated():\n"
    "            matcher.accept_token(tokens[row])\n"
)
FILL = "        matcher.fill_next_token_bitmask(bitmask, row)\n"
OPEN = (
    "    rows = [i for i, m in enumerate(matchers) if not m.is_terminated()]\n"
    "    scores = scores.copy()\n    part = scores[rows]\n"
    "    apply_token_bitmask(part, bitmask[rows])\n    scores[rows] = part\n    return scores\n"
)

BATCH = [
    Wrong(
        "fills row 0 every time",
        HEAD + ACCEPT + "        matcher.fill_next_token_bitmask(bitmask)\n" + OPEN,
        "mind the index",
    ),
    Wrong(
        "gives every row the first row's mask",
        HEAD + ACCEPT + FILL + "    bitmask[:] = bitmask[0]\n" + OPEN,
        "its own mask",
    ),
    Wrong(
        "reads the first row's token in every row",
        HEAD
        + "        if tokens is not None and not matcher.is_terminated():\n"
        + "            matcher.accept_token(tokens[0])\n"
        + FILL
        + OPEN,
        "each row reads its own token",
    ),
    Wrong(
        "never reads the chosen tokens",
        HEAD + FILL + OPEN,
        "one schema, two places",
    ),
    Wrong(
        "masks ended rows too, until nothing is left",
        HEAD + ACCEPT + FILL + "    scores = scores.copy()\n"
        "    apply_token_bitmask(scores, bitmask)\n    return scores\n",
        "a row that has ended is left as it is",
    ),
    Wrong(
        "writes into the scores it was given",
        HEAD + ACCEPT + FILL + OPEN.replace("    scores = scores.copy()\n", ""),
        "it changed the scores",
    ),
    Wrong(
        "masks a copy and forgets to write it back",
        HEAD + ACCEPT + FILL + OPEN.replace("    scores[rows] = part\n", ""),
        "legal ids in each row: rows ['boolean', 'active']",
    ),
    Wrong(
        "takes a complete row for one that has ended",
        HEAD + ACCEPT + FILL + OPEN.replace("m.is_terminated()", "m.is_accepting()"),
        "has not ended before its end token is read",
    ),
    Wrong(
        "drops the rows that have ended",
        HEAD + ACCEPT + FILL + OPEN.replace("    return scores\n", "    return part\n"),
        "a row that has ended is left as it is",
    ),
]

TOKENS = "tuple(vocabulary.tokens), tuple(vocabulary.eos_ids)"

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
        "    return json.dumps(schema), b''.join(vocabulary.tokens), vocabulary.eos_ids, whitespace\n",
        "tokens cut elsewhere",
    ),
    Wrong(
        "forgets which token ends",
        "import json\ndef cache_key(schema, vocabulary, whitespace):\n"
        "    return json.dumps(schema), tuple(vocabulary.tokens), whitespace\n",
        "another end token",
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
        "it raised TypeError",
    ),
]

DIFFER = [
    Wrong(
        "gives both sides in one list",
        "import numpy as np\ndef differ(a, b, size):\n"
        "    bits = np.unpackbits((a ^ b).view(np.uint8), bitorder='little')[:size]\n"
        "    return np.flatnonzero(bits).tolist()\n",
        "got:      [0, 1]",
    ),
    Wrong(
        "unpacks with the high bit first",
        "import numpy as np\ndef differ(a, b, size):\n"
        "    one = lambda m: np.flatnonzero(np.unpackbits(m.view(np.uint8))[:size]).tolist()\n"
        "    return one(a & ~b), one(b & ~a)\n",
        "expected: ([0], [1])",
    ),
    Wrong(
        "shifts words to the right and stumbles over the sign",
        "def differ(a, b, size):\n"
        "    def ids(m):\n"
        "        out = []\n"
        "        for w, word in enumerate(m.tolist()):\n"
        "            i = 0\n"
        "            while word > 0:\n"
        "                if word & 1 and 32 * w + i < size:\n                    out.append(32 * w + i)\n"
        "                word >>= 1\n                i += 1\n"
        "        return out\n"
        "    return ids(a & ~b), ids(b & ~a)\n",
        "the sign bit",
    ),
    Wrong(
        "counts bits past the last token",
        "import numpy as np\ndef differ(a, b, size):\n"
        "    one = lambda m: np.flatnonzero(np.unpackbits(m.view(np.uint8), bitorder='little')).tolist()\n"
        "    return one(a & ~b), one(b & ~a)\n",
        "bits past the last token stand for nothing",
    ),
    Wrong(
        "looks at the first word only",
        "def differ(a, b, size):\n"
        "    x, y = int(a[0]) & 0xFFFFFFFF, int(b[0]) & 0xFFFFFFFF\n"
        "    one = lambda m: [i for i in range(min(size, 32)) if m >> i & 1]\n"
        "    return one(x & ~y), one(y & ~x)\n",
        "bit i of word w is token 32 w + i",
    ),
    Wrong(
        "swaps the sides",
        "import numpy as np\ndef differ(a, b, size):\n"
        "    one = lambda m: np.flatnonzero(np.unpackbits(m.view(np.uint8), bitorder='little')[:size])"
        ".tolist()\n"
        "    return one(b & ~a), one(a & ~b)\n",
        "first what only a allows",
    ),
]

WRONG = {"9.1": PROCESSOR, "9.2": BATCH, "9.3": KEY, "9.4": DIFFER}

ONE = "the only row is the first and the last"
SAME = "both are the same number"
AND = "`&` may be written either way round"

# mutants of the solutions that are right, and why
SURVIVORS = {
    "9.1": {
        "self.matcher.fill_next_token_bitmask(bitmask, 0) -> "
        "self.matcher.fill_next_token_bitmask(bitmask)": ONE,
        "self.matcher.fill_next_token_bitmask(bitmask, 0) -> "
        "self.matcher.fill_next_token_bitmask(bitmask, -1)": ONE,
        "row = input_ids[0].tolist() -> row = input_ids[-1].tolist()": ONE,
    },
    "9.2": {
        "bitmask = allocate_token_bitmask(len(matchers), size) -> "
        "bitmask = allocate_token_bitmask(size, len(matchers))": (
            "29 rows of one word: more rows than needed, and as many words"
        ),
        "bitmask = allocate_token_bitmask(len(matchers), size) -> "
        "bitmask = allocate_token_bitmask(len(scores), size)": SAME,
        "size = matchers[0].compiled.vocabulary.size -> size = matchers[-1].compiled.vocabulary.size": SAME,
    },
    "9.4": {
        "return (ids(a & ~b), ids(b & ~a)) -> return (ids(~b & a), ids(b & ~a))": AND,
        "return (ids(a & ~b), ids(b & ~a)) -> return (ids(a & ~b), ids(~a & b))": AND,
        "bits = np.unpackbits(mask.view(np.uint8), bitorder='little')[:size] -> "
        "bits = np.unpackbits(mask.view(np.uint8), bitorder='littlex')[:size]": (
            "NumPy reads the first letter of the name only"
        ),
    },
}
