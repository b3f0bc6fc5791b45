"""Wrong answers to lesson 09 that people really write; each check must refuse each of them."""

from lessons.exercise import Wrong
from lessons.exercises.l09_wrong_batch import BATCH, IMPORTS
from lessons.exercises.l09_wrong_keys import KEY

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

BITS = (
    "def differ(a, b, size):\n"
    "    def ids(m):\n        return {i for i in range(size) if int(m[i // 32]) >> i % 32 & 1}\n"
)

DIFFER = [
    Wrong(
        "gives both sides in one list",
        "import numpy as np\ndef differ(a, b, size):\n"
        "    bits = np.unpackbits((a ^ b).view(np.uint8), bitorder='little')[:size]\n"
        "    return np.flatnonzero(bits).tolist()\n",
        "got:      [0, 1]",
    ),
    Wrong(
        "gives sets",
        BITS + "    return ids(a) - ids(b), ids(b) - ids(a)\n",
        "two lists, ascending",
    ),
    Wrong(
        "makes lists of sets, in the order of chance",
        BITS + "    return list(ids(a) - ids(b)), list(ids(b) - ids(a))\n",
        "a set has no order",
    ),
    Wrong(
        "sorts downwards",
        BITS + "    down = lambda s: sorted(s, reverse=True)\n"
        "    return down(ids(a) - ids(b)), down(ids(b) - ids(a))\n",
        "each list ascending",
    ),
    Wrong(
        "shifts a one to the left, which an int32 cannot bear",
        "def differ(a, b, size):\n"
        "    has = lambda m, i: (m[i // 32] & (1 << (i % 32))) != 0\n"
        "    ids = range(size)\n"
        "    return ([i for i in ids if has(a, i) and not has(b, i)],\n"
        "            [i for i in ids if has(b, i) and not has(a, i)])\n",
        "shift the word right, `word >> i & 1`, or view it as uint32",
    ),
    Wrong(
        "counts the bits of a word from the top",
        "def differ(a, b, size):\n"
        "    has = lambda m, i: int(m[i // 32]) >> (31 - i % 32) & 1\n"
        "    ids = range(size)\n"
        "    return ([i for i in ids if has(a, i) and not has(b, i)],\n"
        "            [i for i in ids if has(b, i) and not has(a, i)])\n",
        "bit 0, the lowest, is token 0",
    ),
    Wrong(
        "reads the bytes of a word from the top",
        "import numpy as np\ndef differ(a, b, size):\n"
        "    def ids(m):\n"
        "        octets = m.astype('>i4').view(np.uint8)\n"
        "        return np.flatnonzero(np.unpackbits(octets, bitorder='little')[:size]).tolist()\n"
        "    return ids(a & ~b), ids(b & ~a)\n",
        "bit 0, the lowest, is token 0",
    ),
    Wrong(
        "unpacks with the high bit first",
        "import numpy as np\ndef differ(a, b, size):\n"
        "    one = lambda m: np.flatnonzero(np.unpackbits(m.view(np.uint8))[:size]).tolist()\n"
        "    return one(a & ~b), one(b & ~a)\n",
        "bit 0, the lowest, is token 0",
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
        "first what only `a` allows",
    ),
    Wrong(
        "changes the masks it was given",
        "import numpy as np\ndef differ(a, b, size):\n"
        "    one = lambda m: np.flatnonzero(np.unpackbits(m.view(np.uint8), bitorder='little')[:size])"
        ".tolist()\n"
        "    both = a & b\n    a &= ~both\n    b &= ~both\n    return one(a), one(b)\n",
        "got:      a and b changed",
    ),
    Wrong(
        "changes the first mask only",
        "import numpy as np\ndef differ(a, b, size):\n"
        "    one = lambda m: np.flatnonzero(np.unpackbits(m.view(np.uint8), bitorder='little')[:size])"
        ".tolist()\n"
        "    right = one(b & ~a)\n    a &= ~b\n    return one(a), right\n",
        "`a &= ~b` changes `a` itself",
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
        "bitmask = allocate_token_bitmask(len(matchers), scores.shape[1]) -> "
        "bitmask = allocate_token_bitmask(len(scores), scores.shape[1])": SAME,
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
