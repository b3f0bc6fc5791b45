"""Wrong answers to lesson 05 that people really write; each check must refuse each of them."""

from lessons.exercise import Wrong

STEP = [
    Wrong(
        "commits to the first alternative that survives",
        "def union_step(dfas, alive, char):\n"
        "    for i, state in sorted(alive):\n"
        "        after = dfas[i].edges.get((state, char))\n"
        "        if after is not None:\n"
        "            return {(i, after)}\n"
        "    return set()\n",
        "the union is all that survive",
    ),
    Wrong(
        "keeps the dead",
        "def union_step(dfas, alive, char):\n"
        "    return {(i, dfas[i].edges.get((state, char))) for i, state in alive}\n",
        "an alternative that cannot take the character dies",
    ),
    Wrong(
        "forgets which automaton a state belongs to",
        "def union_step(dfas, alive, char):\n"
        "    return {dfas[i].edges[s, char] for i, s in alive if (s, char) in dfas[i].edges}\n",
        "got:      {1}",
    ),
    Wrong(
        "lets all die with one",
        "def union_step(dfas, alive, char):\n"
        "    after = {(i, dfas[i].edges.get((s, char))) for i, s in alive}\n"
        "    return set() if any(s is None for _, s in after) else after\n",
        "got:      set()",
    ),
    Wrong(
        "takes state 0 for dead",
        "def union_step(dfas, alive, char):\n"
        "    after = {(i, dfas[i].edges.get((s, char))) for i, s in alive}\n"
        "    return {(i, s) for i, s in after if s}\n",
        "0 is the number of a state like any other",
    ),
    Wrong(
        "changes the set that it was given",
        "def union_step(dfas, alive, char):\n"
        "    for i, state in list(alive):\n"
        "        alive.remove((i, state))\n"
        "        if (state, char) in dfas[i].edges:\n"
        "            alive.add((i, dfas[i].edges[state, char]))\n"
        "    return alive\n",
        "leave the old one",
    ),
    Wrong(
        "stays in a state that has no such edge",
        "def union_step(dfas, alive, char):\n"
        "    return {(i, dfas[i].edges.get((s, char), s)) for i, s in alive}\n",
        "an alternative that cannot take the character dies",
    ),
]

WALK = (
    "from lessons.pieces.l05 import union_start, union_step\n"
    "def decided_at(dfas, tokens):\n"
    "    alive = union_start(dfas)\n"
)

DECIDED = [
    Wrong(
        "counts characters",
        WALK + "    for n, char in enumerate(''.join(tokens)):\n"
        "        alive = union_step(dfas, alive, char)\n"
        "        if len(alive) == 1:\n"
        "            return n\n",
        "decided_at([city, error], ['{\"', 'er'",
    ),
    Wrong(
        "counts from one",
        WALK + "    for n, token in enumerate(tokens, 1):\n"
        "        for char in token:\n"
        "            alive = union_step(dfas, alive, char)\n"
        "        if len(alive) == 1:\n"
        "            return n\n",
        "got:      3",
    ),
    Wrong(
        "takes a whole token for one character",
        WALK + "    for n, token in enumerate(tokens):\n"
        "        alive = union_step(dfas, alive, token)\n"
        "        if len(alive) == 1:\n"
        "            return n\n",
        "got:      None",
    ),
    Wrong(
        "takes an illegal text for a decision",
        WALK + "    for n, token in enumerate(tokens):\n"
        "        for char in token:\n"
        "            alive = union_step(dfas, alive, char)\n"
        "        if len(alive) <= 1:\n"
        "            return n\n",
        "or none at all, nothing was decided",
    ),
    Wrong(
        "gives the last token if nothing was decided",
        WALK + "    for n, token in enumerate(tokens):\n"
        "        for char in token:\n"
        "            alive = union_step(dfas, alive, char)\n"
        "        if len(alive) == 1:\n"
        "            break\n"
        "    return n\n",
        "decided_at([cat, cat], ['cat'])",
    ),
]

SHARES = [
    Wrong(
        "forgets that the mask took the rest away",
        "def branch_shares(probabilities, first, second):\n"
        "    a, b = set(first), set(second)\n"
        "    return tuple(float(probabilities[sorted(w)].sum()) for w in (a - b, b - a, a & b))\n",
        "they share the whole probability",
    ),
    Wrong(
        "counts shared tokens for both ways",
        "def branch_shares(probabilities, first, second):\n"
        "    a, b = set(first), set(second)\n"
        "    total = probabilities[sorted(a | b)].sum()\n"
        "    return tuple(float(probabilities[sorted(w)].sum() / total) for w in (a, b, a & b))\n",
        "a token that both allow decides nothing",
    ),
    Wrong(
        "leaves shared tokens out of the total",
        "def branch_shares(probabilities, first, second):\n"
        "    a, b = set(first), set(second)\n"
        "    total = probabilities[sorted(a ^ b)].sum()\n"
        "    return tuple(float(probabilities[sorted(w)].sum() / total) for w in (a - b, b - a, a & b))\n",
        "branch_shares(np.array([0.1, 0.2, 0.1, 0.6]), [0, 1], [1, 2])",
    ),
    Wrong(
        "adds the lists, so that shared tokens count twice",
        "def branch_shares(probabilities, first, second):\n"
        "    a, b = set(first), set(second)\n"
        "    total = probabilities[list(first) + list(second)].sum()\n"
        "    return tuple(float(probabilities[sorted(w)].sum() / total) for w in (a - b, b - a, a & b))\n",
        "branch_shares(np.array([0.1, 0.2, 0.1, 0.6]), [0, 1], [1, 2])",
    ),
    Wrong(
        "compares the likeliest token of each way only",
        "def branch_shares(probabilities, first, second):\n"
        "    a, b = set(first), set(second)\n"
        "    best = [max((probabilities[i] for i in w), default=0.0) for w in (a - b, b - a, a & b)]\n"
        "    return tuple(float(x / sum(best)) for x in best)\n",
        "[0, 1, 2], [3])",
    ),
    Wrong(
        "counts tokens instead of probabilities",
        "def branch_shares(probabilities, first, second):\n"
        "    a, b = set(first), set(second)\n"
        "    return tuple(len(w) / len(a | b) for w in (a - b, b - a, a & b))\n",
        "got:      (0.5, 0.5, 0",
    ),
]

SPLIT = (
    "def rates(labels, outputs):\n"
    "    pairs = list(zip(labels, outputs))\n"
    "    none = [o for l, o in pairs if l is None]\n"
    "    some = [(l, o) for l, o in pairs if l is not None]\n"
)

RATES = [
    Wrong(
        "divides everything by all prompts",
        SPLIT + "    n = len(pairs)\n"
        "    made_up = sum('error' not in o for o in none) / n\n"
        "    refused = sum('error' in o for _, o in some) / n\n"
        "    wrong = sum('error' not in o and o != l for l, o in some) / n\n"
        "    return made_up, refused, wrong\n",
        "made up: of those without an answer",
    ),
    Wrong(
        "divides the wrong ones by those that were answered",
        SPLIT + "    made_up = sum('error' not in o for o in none) / len(none)\n"
        "    refused = sum('error' in o for _, o in some) / len(some)\n"
        "    answered = [(l, o) for l, o in some if 'error' not in o]\n"
        "    wrong = sum(o != l for l, o in answered) / max(1, len(answered))\n"
        "    return made_up, refused, wrong\n",
        "refused and wrong: of those with one",
    ),
    Wrong(
        "looks for the word error anywhere",
        SPLIT + "    no = lambda o: 'error' in str(o)\n"
        "    made_up = sum(not no(o) for o in none) / len(none)\n"
        "    refused = sum(no(o) for _, o in some) / len(some)\n"
        "    wrong = sum(not no(o) and o != l for l, o in some) / len(some)\n"
        "    return made_up, refused, wrong\n",
        "{'city': 'error'}",
    ),
    Wrong(
        "counts a refusal as a wrong answer too",
        SPLIT + "    made_up = sum('error' not in o for o in none) / len(none)\n"
        "    refused = sum('error' in o for _, o in some) / len(some)\n"
        "    wrong = sum(o != l for l, o in some) / len(some)\n"
        "    return made_up, refused, wrong\n",
        "got:      (0, 1, 1)",
    ),
    Wrong(
        "counts all refusals, the right ones too",
        SPLIT + "    made_up = sum('error' not in o for o in none) / len(none)\n"
        "    refused = sum('error' in o for o in outputs) / len(outputs)\n"
        "    wrong = sum('error' not in o and o != l for l, o in some) / len(some)\n"
        "    return made_up, refused, wrong\n",
        "rates([{'city': 'Rome'}, None], [{'city': 'Rome'}, {'error': 'not in the text'}])",
    ),
    Wrong(
        "gives numbers instead of shares",
        SPLIT + "    made_up = sum('error' not in o for o in none)\n"
        "    refused = sum('error' in o for _, o in some)\n"
        "    wrong = sum('error' not in o and o != l for l, o in some)\n"
        "    return made_up, refused, wrong\n",
        "rates([",
    ),
]

WRONG = {"5.1": STEP, "5.2": DECIDED, "5.3": SHARES, "5.4": RATES}

WAYS = "ways = (first - second, second - first, first & second)"
TOTAL = "total = probabilities[sorted(first | second)].sum()"
SETS = "unions and intersections do not depend on the order of the two sets"
PAIRS = "pairs = list(zip(labels, outputs, strict=True))"

SURVIVORS = {
    "5.2": {"return None -> (deleted)": "a function that ends without `return` gives None"},
    "5.3": {
        f"{WAYS} -> {WAYS.replace('first & second', 'second & first')}": SETS,
        f"{TOTAL} -> {TOTAL.replace('first | second', 'second | first')}": SETS,
    },
    "5.4": {
        f"{PAIRS} -> {PAIRS.replace('True', 'False')}": "there is one output for each label",
    },
}
