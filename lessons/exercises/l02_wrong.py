"""Wrong answers to lesson 02 that people really write; each check must refuse each of them."""

from lessons.exercise import Wrong

TOKEN_BYTES = [
    Wrong(
        "encodes the piece as it is written",
        "def token_bytes(piece, letters):\n    return piece.encode()\n",
        "token_bytes('Ġcat', letters)",
    ),
    Wrong(
        "knows about spaces only",
        'def token_bytes(piece, letters):\n    return piece.replace("Ġ", " ").encode()\n',
        "token_bytes('ĊĊ', letters)",
    ),
    Wrong(
        "gives text instead of bytes",
        "def token_bytes(piece, letters):\n"
        '    return bytes(letters[c] for c in piece).decode("utf-8", "replace")\n',
        "got:      'name'",
    ),
    Wrong(
        "drops halves of characters",
        "def token_bytes(piece, letters):\n"
        "    data = bytes(letters[c] for c in piece)\n"
        '    return data.decode("utf-8", "ignore").encode()\n',
        "half a character is a token like any other",
    ),
    Wrong(
        "takes Latin letters for themselves",
        "def token_bytes(piece, letters):\n"
        '    return b"".join(bytes([letters[c]]) if ord(c) > 255 else c.encode() for c in piece)\n',
        "token_bytes('Ã©', letters)",
    ),
]

WORK = (
    "def descend(machine, state, node):\n"
    "    legal, work = [], [(state, node)]\n"
    "    while work:\n"
    "        state, node = work.pop()\n"
    "        for byte, child in node.children.items():\n"
    "            after = machine.rows[state][byte]\n"
)

DESCEND = [
    Wrong(
        "counts only leaves",
        WORK + "            if after:\n"
        "                if not child.children:\n"
        "                    legal += child.tokens\n"
        "                work.append((after, child))\n"
        "    return sorted(legal)\n",
        "expected: [0, 1, 2, 3, 4, 5]",
    ),
    Wrong(
        "does not move the automaton",
        WORK + "            if after:\n"
        "                legal += child.tokens\n"
        "                work.append((state, child))\n"
        "    return sorted(legal)\n",
        "from the state before it",
    ),
    Wrong(
        "takes the first token of a node only",
        WORK + "            if after:\n"
        "                legal += child.tokens[:1]\n"
        "                work.append((after, child))\n"
        "    return sorted(legal)\n",
        "b'12', b'1', b'x', b'12'",
    ),
    Wrong(
        "forgets to sort",
        WORK + "            if after:\n"
        "                legal += child.tokens\n"
        "                work.append((after, child))\n"
        "    return legal\n",
        "descend(number, 1, root of",
    ),
    Wrong(
        "goes on below an illegal byte",
        WORK + "            if after:\n"
        "                legal += child.tokens\n"
        "            work.append((after, child))\n"
        "    return sorted(legal)\n",
        "stop at the first illegal byte",
    ),
    Wrong(
        "takes the whole subtree once the first byte is legal",
        "def descend(machine, state, node):\n"
        "    def below(node):\n"
        "        found = list(node.tokens)\n"
        "        for child in node.children.values():\n"
        "            found += below(child)\n"
        "        return found\n"
        "    legal = []\n"
        "    for byte, child in node.children.items():\n"
        "        if machine.rows[state][byte]:\n"
        "            legal += below(child)\n"
        "    return sorted(legal)\n",
        "b'1a'",
    ),
    Wrong(
        "replays every token, with no sharing",
        "def descend(machine, state, node):\n"
        "    legal = []\n"
        "    for i, token in enumerate(node.texts):\n"
        "        here = state\n"
        "        for byte in token:\n"
        "            here = machine.rows[here][byte]\n"
        "        if here:\n"
        "            legal.append(i)\n"
        "    return legal\n",
        "look-ups",
    ),
]

HEAD = "import numpy as np\n"
GOOD_PACK = (
    "def pack(ids, size):\n"
    "    words = np.zeros(-(-size // 32), np.uint32)\n"
    "    for i in ids:\n"
    "        words[i // 32] |= np.uint32(1 << (i % 32))\n"
    "    return words\n"
)
GOOD_UNPACK = (
    "def unpack(words):\n"
    "    return [32 * w + i for w in range(len(words)) for i in range(32) if int(words[w]) >> i & 1]\n"
)

BITSET = [
    Wrong(
        "rounds the number of words down",
        HEAD + GOOD_PACK.replace("-(-size // 32)", "size // 32") + GOOD_UNPACK,
        "it raised IndexError",
    ),
    Wrong(
        "adds one word too many",
        HEAD + GOOD_PACK.replace("-(-size // 32)", "size // 32 + 1") + GOOD_UNPACK,
        "pack([31], 32)",
    ),
    Wrong(
        "counts bits from the top of a word",
        HEAD + GOOD_PACK.replace("1 << (i % 32)", "1 << (31 - i % 32)") + GOOD_UNPACK,
        "expected: array([5, 2])",
    ),
    Wrong(
        "uses 64-bit words",
        HEAD + GOOD_PACK.replace("uint32", "uint64") + GOOD_UNPACK,
        "got:      uint64",
    ),
    Wrong(
        "sets only the last bit of a word",
        HEAD + GOOD_PACK.replace("|=", "=") + GOOD_UNPACK,
        "pack([0, 2, 33], 40)",
    ),
    Wrong(
        "forgets the top bit when unpacking",
        HEAD + GOOD_PACK + GOOD_UNPACK.replace("range(32)", "range(31)"),
        "expected: [31]",
    ),
    Wrong(
        "unpacks bits without the word's number",
        HEAD + GOOD_PACK + GOOD_UNPACK.replace("32 * w + i for", "i for"),
        "expected: [0, 2, 33]",
    ),
]

CONFUSED = [
    Wrong(
        "finds equal keys and does not look at the masks",
        "def confused(key, states, mask):\n"
        "    for i, a in enumerate(states):\n"
        "        for b in states[i + 1:]:\n"
        "            if key(a) == key(b):\n"
        "                return a, b\n",
        "confused(same, states, mask)",
    ),
    Wrong(
        "finds different masks and does not look at the keys",
        "def confused(key, states, mask):\n"
        "    for i, a in enumerate(states):\n"
        "        for b in states[i + 1:]:\n"
        "            if mask(a) != mask(b):\n"
        "                return a, b\n",
        "confused(last_digit, states, mask)",
    ),
    Wrong(
        "compares neighbours only",
        "def confused(key, states, mask):\n"
        "    for a, b in zip(states, states[1:]):\n"
        "        if key(a) == key(b) and mask(a) != mask(b):\n"
        "            return a, b\n",
        "confused(last_digit, states, mask)",
    ),
    Wrong(
        "takes equal masks under different keys for a lie",
        "def confused(key, states, mask):\n"
        "    for i, a in enumerate(states):\n"
        "        for b in states[i + 1:]:\n"
        "            if key(a) != key(b) and mask(a) == mask(b):\n"
        "                return a, b\n",
        "a pair of states with equal keys whose masks differ",
    ),
    Wrong(
        "says only whether the key lies",
        "def confused(key, states, mask):\n"
        "    kept = {}\n"
        "    return any(mask(kept.setdefault(key(s), s)) != mask(s) for s in states)\n",
        "got:      True",
    ),
]

ARRAY = [
    Wrong(
        "uses the place only",
        "def array_key(state, max_items, tokens):\n    return state[0]\n",
        "is legal in",
    ),
    Wrong(
        "clamps at whether one more fits",
        "def array_key(state, max_items, tokens):\n    return state[0], state[1] < max_items\n",
        "'1,2,3' is legal in ('value', 2) only",
    ),
    Wrong(
        "a clamp one too small",
        "def array_key(state, max_items, tokens):\n"
        '    most = max(t.count(",") for t in tokens)\n'
        "    return state[0], min(max_items - state[1], most)\n",
        "array_key(('value', 2), 5, tokens) and array_key(('value', 3), 5, tokens)",
    ),
    Wrong(
        "clamps the count instead of what may still come",
        "def array_key(state, max_items, tokens):\n"
        '    most = max(t.count(",") for t in tokens)\n'
        "    return state[0], min(state[1], most + 1)\n",
        "two different keys",
    ),
    Wrong(
        "forgets the place",
        "def array_key(state, max_items, tokens):\n"
        '    most = max(t.count(",") for t in tokens)\n'
        "    return min(max_items - state[1], most + 1)\n",
        "array_key(('after', 1), 5, tokens) and array_key(('value', 1), 5, tokens)",
    ),
    Wrong(
        "never shares anything",
        "def array_key(state, max_items, tokens):\n    return state\n",
        "states with the same mask should share it",
    ),
    Wrong(
        "a fixed clamp, whatever the tokens are",
        "def array_key(state, max_items, tokens):\n    return state[0], min(max_items - state[1], 3)\n",
        "array_key(('value', 6), 12, tokens)",
    ),
]

EXPONENT = [
    Wrong(
        "uses the place only",
        "def exponent_key(state, cap, tokens):\n    return state[0]\n",
        "exponent_key(('e', 0), 3, tokens) and exponent_key(('e', 1), 3, tokens)",
    ),
    Wrong(
        "forgets the threshold of the first digit",
        "def exponent_key(state, cap, tokens):\n"
        "    return state[0], min(cap - state[1], max(map(len, tokens)))\n",
        "',' is legal in ('e', 1) only",
    ),
    Wrong(
        "forgets the cap",
        "def exponent_key(state, cap, tokens):\n    return state[0], state[1] >= 1\n",
        "exponent_key(('e', 2), 3, tokens) and exponent_key(('e', 3), 3, tokens)",
    ),
    Wrong(
        "a clamp one too small",
        "def exponent_key(state, cap, tokens):\n"
        "    return state[0], state[1] >= 1, min(cap - state[1], max(map(len, tokens)) - 1)\n",
        "two different keys",
    ),
    Wrong(
        "clamps the digits at two",
        "def exponent_key(state, cap, tokens):\n    return state[0], min(state[1], 2)\n",
        "exponent_key(('e', 2), 3, tokens) and exponent_key(('e', 3), 3, tokens)",
    ),
    Wrong(
        "never shares anything",
        "def exponent_key(state, cap, tokens):\n    return state\n",
        "8 at most",
    ),
]

WRONG = {
    "2.1": TOKEN_BYTES,
    "2.2": DESCEND,
    "2.3": BITSET,
    "2.4": CONFUSED,
    "2.5": ARRAY,
    "2.6": EXPONENT,
}

ORDER = "a sum and a minimum are the same in any order"
UNPACKED = "return [32 * w + i for w, i in bits if int(words[w]) >> i & 1]"
BITS = "bits = [(w, i) for w in range(len(words)) for i in range(32)]"
CLAMP = "return (place, min(max_items - count, most + 1))"
BOTH = "return (place, count >= 1, min(cap - count, max(map(len, tokens))))"
SURVIVORS = {
    "2.3": {
        f"{UNPACKED} -> {UNPACKED.replace('32 * w + i', 'i + 32 * w')}": ORDER,
        f"{UNPACKED} -> {UNPACKED.replace('32 * w + i', 'w * 32 + i')}": ORDER,
        f"{UNPACKED} -> {UNPACKED.replace('int(words[w]) >> i & 1', '1 & int(words[w]) >> i')}": ORDER,
        f"{BITS} -> {BITS.replace('32', '33')}": "a word has no bit 32 that could be set",
    },
    "2.4": {"return None -> (deleted)": "a function that ends without return gives None"},
    "2.5": {
        f"{CLAMP} -> return (place, min(most + 1, max_items - count))": ORDER,
        f"{CLAMP} -> {CLAMP.replace('most + 1', '1 + most')}": ORDER,
        f"{CLAMP} -> {CLAMP.replace('most + 1', 'most + 2')}": "sound too, with one key more per place",
    },
    "2.6": {
        f"{BOTH} -> return (place, count >= 1, min(max(map(len, tokens)), cap - count))": ORDER,
    },
}
