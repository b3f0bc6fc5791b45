"""Wrong answers to lesson 08 that people really write; each check must refuse each of them."""

from lessons.exercise import Wrong

END_HEAD = (
    "import numpy as np\nfrom lessons.pieces import l01\n"
    "def with_end(dfa, state, tokens, end):\n"
    "    mask = np.zeros(len(tokens), dtype=bool)\n"
    "    mask[l01.allowed_token_ids(dfa, state, tokens)] = True\n"
)

END = [
    Wrong(
        "lets the text end anywhere",
        END_HEAD + "    mask[end] = True\n    return mask\n",
        "legal exactly where the automaton accepts",
    ),
    Wrong(
        "forgets the end token",
        END_HEAD + "    return mask\n",
        "with_end(date, 10,",
    ),
    Wrong(
        "ends only where nothing else may follow",
        END_HEAD + "    mask[end] = state in dfa.accepting and not mask.any()\n    return mask\n",
        "it may also go on",
    ),
    Wrong(
        "must end as soon as it may",
        END_HEAD + "    if state in dfa.accepting:\n        mask[:] = False\n        mask[end] = True\n"
        "    return mask\n",
        "both are legal",
    ),
    Wrong(
        "only ever adds the end, so that its name counts inside a string",
        END_HEAD + "    if state in dfa.accepting:\n        mask[end] = True\n    return mask\n",
        "the token means something else",
    ),
    Wrong(
        "takes the last state for the accepting one",
        END_HEAD + "    mask[end] = state == dfa.states - 1\n    return mask\n",
        "with_end(",
    ),
]

PER_ITEM = "    text = ''.join(cheapest[owed] for owed in stack)\n"

COMPLETION = [
    Wrong(
        "always takes the longest token that fits",
        "def shortest_completion(stack, cheapest, tokens):\n" + PER_ITEM + "    ids = []\n"
        "    while text:\n"
        "        fits = [t for t in tokens if t and text.startswith(t)]\n"
        "        if not fits:\n            raise ValueError(text)\n"
        "        token = max(fits, key=len)\n"
        "        ids.append(tokens.index(token))\n        text = text[len(token):]\n"
        "    return ids\n",
        "the longest token first is not always the fewest tokens",
    ),
    Wrong(
        "pays the bottom of the stack first",
        "from lessons.pieces import l08\n"
        "def shortest_completion(stack, cheapest, tokens):\n"
        "    return l08.shortest_completion(stack[::-1], cheapest, tokens)\n",
        "the topmost is paid first",
    ),
    Wrong(
        "spells each thing owed on its own",
        "from lessons.pieces import l08\n"
        "def shortest_completion(stack, cheapest, tokens):\n"
        "    ids = []\n"
        "    for owed in stack:\n"
        "        ids += l08.fewest_tokens(cheapest[owed], tokens)\n"
        "    return ids\n",
        "the end of one thing and the beginning of the next",
    ),
    Wrong(
        "spells character by character",
        "def shortest_completion(stack, cheapest, tokens):\n" + PER_ITEM +
        "    return [tokens.index(char) for char in text]\n",
        "it raised ValueError",
    ),
    Wrong(
        "gives how many tokens, not which",
        "from lessons.pieces import l08\n"
        "def shortest_completion(stack, cheapest, tokens):\n"
        "    return len(l08.shortest_completion(stack, cheapest, tokens))\n",
        "got:      2",
    ),
    Wrong(
        "tries all ways without remembering any",
        "def shortest_completion(stack, cheapest, tokens):\n" + PER_ITEM +
        "    def ways(rest):\n"
        "        if not rest:\n            return [[]]\n"
        "        return [[i, *w] for i, t in enumerate(tokens) if t and rest.startswith(t)\n"
        "                for w in ways(rest[len(t):])]\n"
        "    found = ways(text)\n"
        "    if not found:\n        raise ValueError(text)\n"
        "    return min(found, key=len)\n",
        "a loop that never ends",
    ),
    Wrong(
        "gives None where nothing fits",
        "from lessons.pieces import l08\n"
        "def shortest_completion(stack, cheapest, tokens):\n"
        "    try:\n        return l08.shortest_completion(stack, cheapest, tokens)\n"
        "    except ValueError:\n        return None\n",
        "no tokens spell this text: say so",
    ),
]

BUDGET_HEAD = (
    "import numpy as np\nfrom lessons.pieces import l01, l08\n"
    "def budgeted_mask(dfa, state, tokens, cost, remaining):\n"
    "    mask = np.zeros(len(tokens), dtype=bool)\n"
    "    after = l08.token_targets(dfa, state, tokens)\n"
)

BUDGET = [
    Wrong(
        "forgets that the token costs one itself",
        BUDGET_HEAD + "    for t, s in after.items():\n"
        "        mask[t] = cost[s] <= remaining\n    return mask\n",
        "a token costs one itself",
    ),
    Wrong(
        "counts one too many",
        BUDGET_HEAD + "    for t, s in after.items():\n"
        "        mask[t] = 1 + cost[s] < remaining\n    return mask\n",
        "budgeted_mask(digit list, 2,",
    ),
    Wrong(
        "closes only when the budget is used up",
        BUDGET_HEAD + "    for t, s in after.items():\n"
        "        mask[t] = cost[state] < remaining or cost[s] < cost[state]\n    return mask\n",
        "got:      array([False, True, True, False])",
    ),
    Wrong(
        "asks what this state costs, not the one after",
        BUDGET_HEAD + "    for t, s in after.items():\n        mask[t] = 1 + cost[state] <= remaining\n"
        "    return mask\n",
        "expected: array([False, True, False, False])",
    ),
    Wrong(
        "allows whatever leads to an end, legal or not",
        "import numpy as np\n"
        "def budgeted_mask(dfa, state, tokens, cost, remaining):\n"
        "    return np.full(len(tokens), cost[state] <= remaining)\n",
        "budgeted_mask(digit list, 2,",
    ),
    Wrong(
        "only ever allows the way to the nearest end",
        BUDGET_HEAD + "    for t, s in after.items():\n        mask[t] = cost[s] < cost[state] <= remaining\n"
        "    return mask\n",
        "just enough for a comma",
    ),
    Wrong(
        "looks at the first character of a token only",
        "import numpy as np\nfrom lessons.pieces import l01\n"
        "def budgeted_mask(dfa, state, tokens, cost, remaining):\n"
        "    mask = np.zeros(len(tokens), dtype=bool)\n"
        "    for i in l01.allowed_token_ids(dfa, state, tokens):\n"
        "        mask[i] = 1 + cost[l01.step(dfa, state, tokens[i][0])] <= remaining\n"
        "    return mask\n",
        "a token of several characters leads further",
    ),
]

NUCLEUS = [
    Wrong(
        "takes top-p first and the mask afterwards",
        "import numpy as np\nfrom lessons.pieces import l01\n"
        "def nucleus(logits, mask, p):\n"
        "    if not mask.any():\n        raise ValueError('no token is legal here')\n"
        "    share = l01.softmax(logits)\n    order = np.argsort(-share, kind='stable')\n"
        "    count = int(np.searchsorted(share[order].cumsum(), p)) + 1\n"
        "    return [int(i) for i in order[:count] if mask[i]]\n",
        "got:      []",
    ),
    Wrong(
        "does not make the legal tokens sum to one",
        "import numpy as np\nfrom lessons.pieces import l01\n"
        "def nucleus(logits, mask, p):\n"
        "    if not mask.any():\n        raise ValueError('no token is legal here')\n"
        "    share = l01.softmax(logits) * mask\n    order = np.argsort(-share, kind='stable')\n"
        "    count = int(np.searchsorted(share[order].cumsum(), p)) + 1\n"
        "    return [int(i) for i in order[:count] if mask[i]]\n",
        "got:      [2, 3, 4]",
    ),
    Wrong(
        "leaves out the token that crosses p",
        "import numpy as np\nfrom lessons.pieces import l01\n"
        "def nucleus(logits, mask, p):\n"
        "    if not mask.any():\n        raise ValueError('no token is legal here')\n"
        "    share = l01.softmax(np.where(mask, logits, -np.inf))\n"
        "    order = np.argsort(-share, kind='stable')\n"
        "    count = max(1, int(np.searchsorted(share[order].cumsum(), p)))\n"
        "    return [int(i) for i in order[:count] if mask[i]]\n",
        "the token that crosses p belongs to the set",
    ),
    Wrong(
        "zeroes the logits of illegal tokens",
        "import numpy as np\nfrom lessons.pieces import l01\n"
        "def nucleus(logits, mask, p):\n"
        "    if not mask.any():\n        raise ValueError('no token is legal here')\n"
        "    share = l01.softmax(logits * mask)\n    order = np.argsort(-share, kind='stable')\n"
        "    count = int(np.searchsorted(share[order].cumsum(), p)) + 1\n"
        "    return [int(i) for i in order[:count]]\n",
        "got:      [0",
    ),
    Wrong(
        "takes p for a threshold of each probability",
        "import numpy as np\nfrom lessons.pieces import l01\n"
        "def nucleus(logits, mask, p):\n"
        "    if not mask.any():\n        raise ValueError('no token is legal here')\n"
        "    share = l01.softmax(np.where(mask, logits, -np.inf))\n"
        "    return [int(i) for i in np.argsort(-share, kind='stable') if share[i] >= 1 - p]\n",
        "got:      [0]",
    ),
    Wrong(
        "stops before the share reaches p",
        "import numpy as np\nfrom lessons.pieces import l01\n"
        "def nucleus(logits, mask, p):\n"
        "    if not mask.any():\n        raise ValueError('no token is legal here')\n"
        "    share = l01.softmax(np.where(mask, logits, -np.inf))\n"
        "    order = np.argsort(-share, kind='stable')\n"
        "    return order[share[order].cumsum() <= p].tolist()\n",
        "the token that crosses p belongs to the set",
    ),
    Wrong(
        "falls back to all tokens when none is legal",
        "import numpy as np\nfrom lessons.pieces import l08\n"
        "def nucleus(logits, mask, p):\n"
        "    return l08.nucleus(logits, mask if mask.any() else np.ones(len(mask), bool), p)\n",
        "an empty mask is an error",
    ),
]

WRONG = {"8.1": END, "8.2": COMPLETION, "8.3": BUDGET, "8.4": NUCLEUS}

SAME = "the same sum or product, written the other way round"
FILLED = "only the order among equals changes, and any of the shortest answers is right"

# mutants of the solutions that are right, and why
SURVIVORS = {
    "8.2": {
        "best = [None] * len(text) + [[]] -> best = len(text) * [None] + [[]]": SAME,
        "rest = best[place + len(token)] -> rest = best[len(token) + place]": SAME,
        "for place in reversed(range(len(text))): -> for place in reversed(range(len(best))):": (
            "it also looks at the empty rest, which needs no token already"
        ),
        "if rest is not None and (best[place] is None or len(rest) + 1 < len(best[place])): -> "
        "if rest is not None and (best[place] is None or len(rest) + 1 <= len(best[place])):": FILLED,
        "if rest is not None and (best[place] is None or len(rest) + 1 < len(best[place])): -> "
        "if rest is not None and (best[place] is None or len(rest) + 0 < len(best[place])):": FILLED,
        "if rest is not None and (best[place] is None or len(rest) + 1 < len(best[place])): -> "
        "if rest is not None and (best[place] is None or 1 + len(rest) < len(best[place])):": SAME,
    },
    "8.3": {
        "mask[token] = 1 + cost[after] <= remaining -> mask[token] = cost[after] + 1 <= remaining": SAME,
    },
    "8.4": {
        "count = int(np.searchsorted(share[order].cumsum(), p)) + 1 -> "
        "count = 1 + int(np.searchsorted(share[order].cumsum(), p))": SAME,
        "return [int(i) for i in order[:count] if mask[i]] -> "
        "return [int(i) for i in order[:count] if share[i]]": "a token has a share where it is legal",
        "order = np.argsort(-share, kind='stable') -> order = np.argsort(-logits, kind='stable')": (
            "illegal tokens in between add no share, and are dropped at the end"
        ),
        "order = np.argsort(-share, kind='stable') -> order = np.argsort(-share, kind='stablex')": (
            "NumPy reads the first letter of the name only"
        ),
    },
}
