"""Wrong answers to lesson 00 that people really write; each check must refuse each of them."""

from lessons.exercise import Wrong

WRONG = {
    "0.1": [
        Wrong(
            "adds the steps instead of multiplying them",
            "def valid_share(p, n):\n    return p * n\n",
            "input:    valid_share(1, 50)",
        ),
        Wrong(
            "subtracts the risk of each step",
            "def valid_share(p, n):\n    return 1 - n * (1 - p)\n",
            "valid_share(0.99, 17)",
        ),
        Wrong(
            "looks at the last step only",
            "def valid_share(p, n):\n    return p\n",
            "valid_share(0.99, 17)",
        ),
        Wrong(
            "gives the share of invalid replies",
            "def valid_share(p, n):\n    return 1 - p**n\n",
            "expected: 1",
        ),
        Wrong(
            "counts one step too few",
            "def valid_share(p, n):\n    return p ** max(n - 1, 0)\n",
            "valid_share(0, 1)",
        ),
    ],
    "0.2": [
        Wrong(
            "counts steps from 1",
            "def first_illegal(matcher, ids):\n"
            "    for i, token in enumerate(ids, 1):\n"
            "        if not matcher.accept_token(token):\n"
            "            return i\n",
            "expected: 0",
        ),
        Wrong(
            "gives the token instead of the step",
            "def first_illegal(matcher, ids):\n"
            "    for token in ids:\n"
            "        if not matcher.accept_token(token):\n"
            "            return token\n",
            "expected: 0",
        ),
        Wrong(
            "gives the length when nothing is illegal",
            "def first_illegal(matcher, ids):\n"
            "    for i, token in enumerate(ids):\n"
            "        if not matcher.accept_token(token):\n"
            "            return i\n"
            "    return len(ids)\n",
            "expected: None",
        ),
        Wrong(
            "gives the last refused token, not the first",
            "def first_illegal(matcher, ids):\n"
            "    refused = [i for i, t in enumerate(ids) if not matcher.accept_token(t)]\n"
            "    return refused[-1] if refused else None\n",
            "steps are counted from 0",
        ),
        Wrong(
            "never feeds the matcher: asks about every token at the start",
            "def first_illegal(matcher, ids):\n"
            "    legal = set(matcher.legal_tokens())\n"
            "    for i, token in enumerate(ids):\n"
            "        if token not in legal:\n"
            "            return i\n",
            "input:",
        ),
    ],
}

SURVIVORS = {
    "0.2": {
        "return None -> (deleted)": "a function that ends without return gives None",
    },
}
