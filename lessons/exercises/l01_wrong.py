"""Wrong answers to lesson 01 that people really write; each check must refuse each of them."""

from lessons.exercise import Wrong

STEP = [
    Wrong(
        "fails on an illegal character",
        "def step(dfa, state, char):\n    return dfa.edges[state, char]\n",
        "it raised KeyError",
    ),
    Wrong(
        "stays where it is on an illegal character",
        "def step(dfa, state, char):\n    return dfa.edges.get((state, char), state)\n",
        "got:      0",
    ),
    Wrong(
        "says whether, not where",
        "def step(dfa, state, char):\n    return (state, char) in dfa.edges\n",
        "got:      True",
    ),
    Wrong(
        "starts again once it is lost",
        "def step(dfa, state, char):\n"
        "    return dfa.edges.get((dfa.start if state is None else state, char))\n",
        "nothing that follows can make it legal again",
    ),
    Wrong(
        "counts states instead of following edges",
        "def step(dfa, state, char):\n    return state + 1 if (state, char) in dfa.edges else None\n",
        "step(enum, 0, 'K')",
    ),
]

ALLOWED = [
    Wrong(
        "looks at the first character only",
        "def allowed_token_ids(dfa, state, tokens):\n"
        "    return [i for i, t in enumerate(tokens) if (state, t[0]) in dfa.edges]\n",
        "every one of its characters",
    ),
    Wrong(
        "asks about each character in the same state",
        "def allowed_token_ids(dfa, state, tokens):\n"
        "    return [i for i, t in enumerate(tokens) if all((state, c) in dfa.edges for c in t)]\n",
        "each in the state before it",
    ),
    Wrong(
        "takes state 0 for failure",
        "def allowed_token_ids(dfa, state, tokens):\n"
        "    def walk(s, t):\n"
        "        for c in t:\n"
        "            s = dfa.edges.get((s, c))\n"
        "        return s\n"
        "    return [i for i, t in enumerate(tokens) if walk(state, t)]\n",
        "allowed_token_ids(loop, 0,",
    ),
    Wrong(
        "forgets to go back to the state before the next token",
        "def allowed_token_ids(dfa, state, tokens):\n"
        "    allowed = []\n"
        "    for i, token in enumerate(tokens):\n"
        "        for char in token:\n"
        "            state = dfa.edges.get((state, char))\n"
        "        if state is not None:\n"
        "            allowed.append(i)\n"
        "    return allowed\n",
        "got:      []",
    ),
    Wrong(
        "wants every token to finish the text",
        "def allowed_token_ids(dfa, state, tokens):\n"
        "    def walk(s, t):\n"
        "        for c in t:\n"
        "            s = dfa.edges.get((s, c))\n"
        "        return s\n"
        "    return [i for i, t in enumerate(tokens) if walk(state, t) in dfa.accepting]\n",
        "allowed_token_ids(date, 0,",
    ),
    Wrong(
        "gives the tokens instead of their ids",
        "def allowed_token_ids(dfa, state, tokens):\n"
        "    def walk(s, t):\n"
        "        for c in t:\n"
        "            s = dfa.edges.get((s, c))\n"
        "        return s\n"
        "    return [t for t in tokens if walk(state, t) is not None]\n",
        "got:      ['0'",
    ),
]

SOFTMAX = "    weights = np.exp(masked - masked.max())\n    p = weights / weights.sum()\n"

SAMPLE = [
    Wrong(
        "zeroes the logits",
        "import numpy as np\n"
        "def constrained_sample(logits, mask, rng):\n"
        "    if not mask.any():\n"
        "        raise ValueError('no token is legal here')\n"
        "    masked = logits * mask\n" + SOFTMAX + "    return int(rng.choice(len(p), p=p))\n",
        "a logit of 0 is not a probability of 0",
    ),
    Wrong(
        "draws first and repairs afterwards",
        "import numpy as np\n"
        "def constrained_sample(logits, mask, rng):\n"
        "    if not mask.any():\n"
        "        raise ValueError('no token is legal here')\n"
        "    masked = logits\n" + SOFTMAX + "    token = int(rng.choice(len(p), p=p))\n"
        "    return token if mask[token] else int(np.flatnonzero(mask)[0])\n",
        "stays as the model has it",
    ),
    Wrong(
        "always takes the most likely legal token",
        "import numpy as np\n"
        "def constrained_sample(logits, mask, rng):\n"
        "    if not mask.any():\n"
        "        raise ValueError('no token is legal here')\n"
        "    return int(np.where(mask, logits, -np.inf).argmax())\n",
        "got:      1",
    ),
    Wrong(
        "forgets what the model thinks",
        "import numpy as np\n"
        "def constrained_sample(logits, mask, rng):\n"
        "    if not mask.any():\n"
        "        raise ValueError('no token is legal here')\n"
        "    return int(rng.choice(np.flatnonzero(mask)))\n",
        "expected: 0.75",
    ),
    Wrong(
        "writes into the logits it was given",
        "import numpy as np\n"
        "def constrained_sample(logits, mask, rng):\n"
        "    if not mask.any():\n"
        "        raise ValueError('no token is legal here')\n"
        "    logits[~mask] = -np.inf\n"
        "    masked = logits\n" + SOFTMAX + "    return int(rng.choice(len(p), p=p))\n",
        "work on a copy",
    ),
    Wrong(
        "picks token 0 when nothing is legal",
        "import numpy as np\n"
        "def constrained_sample(logits, mask, rng):\n"
        "    if not mask.any():\n"
        "        return 0\n"
        "    masked = np.where(mask, logits, -np.inf)\n"
        + SOFTMAX
        + "    return int(rng.choice(len(p), p=p))\n",
        "never pick a token silently",
    ),
    Wrong(
        "lets exp overflow",
        "import numpy as np\n"
        "def constrained_sample(logits, mask, rng):\n"
        "    if not mask.any():\n"
        "        raise ValueError('no token is legal here')\n"
        "    weights = np.exp(np.where(mask, logits, -np.inf))\n"
        "    return int(rng.choice(len(weights), p=weights / weights.sum()))\n",
        "1000.0",
    ),
]

DRAW = (
    "import numpy as np\n"
    "from lessons.pieces.l01 import constrained_sample, walk\n"
    "def sample_object(dfa, masks, tokens, rng):\n"
    "    state, text = dfa.start, ''\n"
)

PERSON = [
    Wrong(
        "moves on by the first character of the token",
        DRAW + "    while state not in dfa.accepting:\n"
        "        token = tokens[constrained_sample(np.zeros(len(tokens)), masks[state], rng)]\n"
        "        state, text = walk(dfa, state, token[0]), text + token\n"
        "    return text\n",
        "it raised ValueError: no token is legal here",
    ),
    Wrong(
        "forgets to move on",
        DRAW + "    while state not in dfa.accepting:\n"
        "        token = tokens[constrained_sample(np.zeros(len(tokens)), masks[state], rng)]\n"
        "        text += token\n"
        "    return text\n",
        "is there a loop that never ends?",
    ),
    Wrong(
        "stops after a fixed number of tokens",
        DRAW + "    for _ in range(24):\n"
        "        if state in dfa.accepting:\n"
        "            break\n"
        "        token = tokens[constrained_sample(np.zeros(len(tokens)), masks[state], rng)]\n"
        "        state, text = walk(dfa, state, token), text + token\n"
        "    return text\n",
        "stop exactly when the automaton accepts",
    ),
    Wrong(
        "returns the same valid object every time",
        "def sample_object(dfa, masks, tokens, rng):\n"
        '    return \'{"name": "Ada", "age": 7, "active": true}\'\n',
        "every legal token should have its chance",
    ),
    Wrong(
        "always takes the first legal token",
        DRAW + "    while state not in dfa.accepting:\n"
        "        token = tokens[int(masks[state].argmax())]\n"
        "        state, text = walk(dfa, state, token), text + token\n"
        "    return text\n",
        "is there a loop that never ends?",
    ),
    Wrong(
        "does not use the mask",
        DRAW + "    while state not in dfa.accepting:\n"
        "        token = tokens[int(rng.integers(len(tokens)))]\n"
        "        state, text = walk(dfa, state, token), text + token\n"
        "    return text\n",
        "is there a loop that never ends?",
    ),
]

LOOPS = (
    "from lessons.pieces.l01 import first_character_mask, walk, step\n"
    "def fooled(dfa, tokens):\n"
    "    return [\n"
    "        (state, i)\n"
    "        for state in range(dfa.states)\n"
    "        for i, token in enumerate(tokens)\n"
)

FOOLED = [
    Wrong(
        "lists the tokens that both masks allow",
        LOOPS + "        if walk(dfa, state, token) is not None\n    ]\n",
        "the whole token is not",
    ),
    Wrong(
        "lists every illegal token",
        LOOPS + "        if walk(dfa, state, token) is None\n    ]\n",
        "if the first character is legal",
    ),
    Wrong(
        "puts the token before the state",
        LOOPS.replace("(state, i)", "(i, state)") + "        if first_character_mask(dfa, state, tokens)[i]\n"
        "        and walk(dfa, state, token) is None\n    ]\n",
        "a pair is (state, token id)",
    ),
    Wrong(
        "looks at the start state only",
        LOOPS.replace("range(dfa.states)", "[dfa.start]")
        + "        if first_character_mask(dfa, state, tokens)[i]\n"
        "        and walk(dfa, state, token) is None\n    ]\n",
        "fooled(enum,",
    ),
    Wrong(
        "takes state 0 for failure",
        LOOPS + "        if first_character_mask(dfa, state, tokens)[i]\n"
        "        and not walk(dfa, state, token)\n    ]\n",
        "fooled(loop,",
    ),
]

WRONG = {"1.1": STEP, "1.2": ALLOWED, "1.3": SAMPLE, "1.4": PERSON, "1.5": FOOLED}

DRAWN = "return int(rng.choice(len(logits), p=l01.softmax(masked)))"

SURVIVORS = {
    "1.3": {
        "if not mask.any(): -> (deleted)": (
            "NumPy's choice raises ValueError itself when the probabilities are not numbers"
        ),
        f"{DRAWN} -> {DRAWN.replace('logits', 'mask')}": "mask and logits have the same length",
        f"{DRAWN} -> {DRAWN.replace('logits', 'masked')}": "a copy of logits, of the same length",
    },
}
