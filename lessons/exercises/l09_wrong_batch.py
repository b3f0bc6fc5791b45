"""Wrong answers to exercise 9.2: one step of a batch."""

from lessons.exercise import Wrong

IMPORTS = (
    "import numpy as np\n"
    "from tokenmask import GrammarMatcher, allocate_token_bitmask, apply_token_bitmask\n"
)

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
BACK = "    scores[rows] = part\n"
# all rows: one that was not filled keeps the mask in which everything is legal
ALL = "    scores = scores.copy()\n    apply_token_bitmask(scores, bitmask)\n    return scores\n"

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
        HEAD + ACCEPT + FILL + ALL,
        "a row that has ended is left as it is",
    ),
    Wrong(
        "writes into the scores it was given",
        HEAD + ACCEPT + FILL + OPEN.replace("    scores = scores.copy()\n", ""),
        "work on a copy",
    ),
    Wrong(
        "masks a copy and forgets to write it back",
        HEAD + ACCEPT + FILL + OPEN.replace(BACK, ""),
        "it must be written back",
    ),
    Wrong(
        "takes a complete row for one that has ended",
        HEAD + ACCEPT + FILL + OPEN.replace("m.is_terminated()", "m.is_accepting()"),
        "has not ended before its end token is read",
    ),
    Wrong(
        "drops the rows that have ended",
        HEAD + ACCEPT + FILL + OPEN.replace("    return scores\n", "    return part\n"),
        "also one that has ended",
    ),
    Wrong(
        "masks with a very low score",
        HEAD + ACCEPT + FILL + OPEN.replace(BACK, "    part[part == -np.inf] = -1e9\n" + BACK),
        "got:      -1e+09",
    ),
    Wrong(
        "forgets to give anything back",
        HEAD + ACCEPT + FILL + OPEN.replace("    return scores\n", ""),
        "got:      None",
    ),
    Wrong(
        "gives a list of rows",
        HEAD + ACCEPT + FILL + OPEN.replace("return scores", "return list(scores)"),
        "got:      a list",
    ),
    Wrong(
        "gives the mask instead of the scores",
        HEAD + ACCEPT + FILL + "    return bitmask\n",
        "of the shape of `scores`",
    ),
    Wrong(
        "gives what is legal the score 0",
        HEAD + ACCEPT + FILL + OPEN.replace(BACK, "    part[part > -np.inf] = 0\n" + BACK),
        "what is legal keeps its score",
    ),
    Wrong(
        "gives what is legal the score 0, from the second step on",
        HEAD
        + ACCEPT
        + FILL
        + OPEN.replace(BACK, "    part[(part > -np.inf) & (tokens is not None)] = 0\n" + BACK),
        "in row 0 '<end>' has 0, and had",
    ),
    Wrong(
        "gives ended rows zeros",
        HEAD
        + ACCEPT
        + FILL
        + OPEN.replace(
            "    return scores\n",
            "    for i, m in enumerate(matchers):\n"
            "        if m.is_terminated():\n            scores[i] = 0\n"
            "    return scores\n",
        ),
        "so does all of a row that has ended",
    ),
    Wrong(
        "lets ended matchers read the padding",
        HEAD
        + "        if tokens is not None:\n            matcher.accept_token(tokens[row])\n"
        + FILL
        + OPEN,
        "what comes after it is padding",
    ),
    Wrong(
        "stops at the first row that has ended",
        HEAD + ACCEPT + "        if matcher.is_terminated():\n            break\n" + FILL + ALL,
        "row 1 is still open: it needs its mask although row 0 has ended",
    ),
    Wrong(
        "gives up as soon as a row has ended",
        HEAD
        + ACCEPT
        + FILL
        + "    if any(m.is_terminated() for m in matchers):\n        return scores.copy()\n"
        + OPEN,
        "row 1 is still open: it needs its mask although row 0 has ended",
    ),
    Wrong(
        "reads no end token: asks is_finished before it reads",
        HEAD + ACCEPT.replace("is_terminated", "is_finished") + FILL + OPEN,
        "row 0 has ended: it reads its end token once and is then left alone",
    ),
    Wrong(
        "leaves a complete row alone: asks is_finished before it masks",
        HEAD + ACCEPT + FILL + OPEN.replace("is_terminated", "is_finished"),
        "it has ended only when its end token is read",
    ),
    Wrong(
        "asks is_finished everywhere",
        HEAD
        + ACCEPT.replace("is_terminated", "is_finished")
        + FILL
        + OPEN.replace("is_terminated", "is_finished"),
        "it has ended only when its end token is read",
    ),
    Wrong(
        "allocates for as many tokens as there are rows",
        (HEAD + ACCEPT + FILL + OPEN).replace("(len(matchers), size)", "(len(matchers), len(matchers))"),
        "the bitmask is for as many rows and tokens",
    ),
    Wrong(
        "asks the matcher for what it does not have",
        HEAD + ACCEPT.replace("is_terminated", "is_ended") + FILL + OPEN,
        "'GrammarMatcher' object has no attribute 'is_ended'",
    ),
    Wrong(
        "takes token 0 for no token",
        HEAD
        + "        if tokens and tokens[row] and not matcher.is_terminated():\n"
        + "            matcher.accept_token(tokens[row])\n"
        + FILL
        + OPEN,
        "chosen for it",
    ),
    Wrong(
        "forgets that there is no token at the first step",
        HEAD
        + "        if not matcher.is_terminated():\n            matcher.accept_token(tokens[row])\n"
        + FILL
        + OPEN,
        "at the first step `tokens` is None",
    ),
]
