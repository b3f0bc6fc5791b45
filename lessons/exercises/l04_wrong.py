"""Wrong answers to lesson 04 that people really write; each check must refuse each of them."""

from lessons.exercise import Wrong

SPAN = [
    Wrong(
        "goes on where the text may end",
        "def forced_span(dfa, state):\n"
        "    span = ''\n"
        "    while True:\n"
        "        ways = [(c, to) for (s, c), to in dfa.edges.items() if s == state]\n"
        "        if len(ways) != 1:\n"
        "            return span\n"
        "        span, state = span + ways[0][0], ways[0][1]\n",
        "ending is a choice too",
    ),
    Wrong(
        "looks one character ahead only",
        "def forced_span(dfa, state):\n"
        "    ways = [c for s, c in dfa.edges if s == state]\n"
        "    return ways[0] if len(ways) == 1 and state not in dfa.accepting else ''\n",
        "forced_span(person, 0)",
    ),
    Wrong(
        "counts the states that are reached, not the characters",
        "def forced_span(dfa, state):\n"
        "    span = ''\n"
        "    while state not in dfa.accepting:\n"
        "        ways = {to: c for (s, c), to in dfa.edges.items() if s == state}\n"
        "        if len(ways) != 1:\n"
        "            break\n"
        "        ((state, char),) = ways.items()\n"
        "        span += char\n"
        "    return span\n",
        "got:      '-99-99'",
    ),
    Wrong(
        "takes the first way at a choice",
        "def forced_span(dfa, state):\n"
        "    span = ''\n"
        "    while state not in dfa.accepting:\n"
        "        ways = [(c, to) for (s, c), to in dfa.edges.items() if s == state]\n"
        "        span, state = span + ways[0][0], ways[0][1]\n"
        "    return span\n",
        "forced_span(date, 4)",
    ),
    Wrong(
        "takes state 0 for the end",
        "def forced_span(dfa, state):\n"
        "    span = ''\n"
        "    while state and state not in dfa.accepting:\n"
        "        ways = [(c, to) for (s, c), to in dfa.edges.items() if s == state]\n"
        "        if len(ways) != 1:\n"
        "            break\n"
        "        span, state = span + ways[0][0], ways[0][1]\n"
        "    return span\n",
        "forced_span(person, 0)",
    ),
    Wrong(
        "gives single steps instead of a text",
        "def forced_span(dfa, state):\n"
        "    span = []\n"
        "    while state not in dfa.accepting:\n"
        "        ways = [(c, to) for (s, c), to in dfa.edges.items() if s == state]\n"
        "        if len(ways) != 1:\n"
        "            break\n"
        "        span, state = span + [ways[0][0]], ways[0][1]\n"
        "    return span\n",
        "got:      ['-']",
    ),
]

WALK = (
    "from tokenmask import GrammarMatcher\n"
    "def skipped(compiled, ids):\n"
    "    matcher, count, texts = GrammarMatcher(compiled), 0, compiled.vocabulary.tokens\n"
    "    for token in ids:\n"
    "        forced = matcher.find_jump_forward_string().encode()\n"
)

SKIPPED = [
    Wrong(
        "counts steps with a single legal token",
        WALK + "        count += len(matcher.legal_tokens()) == 1\n"
        "        matcher.accept_token(token)\n"
        "    return count / len(ids)\n",
        "whose bytes all lie in the forced text",
    ),
    Wrong(
        "counts every token that begins where something is forced",
        WALK + "        count += forced != b''\n"
        "        matcher.accept_token(token)\n"
        "    return count / len(ids)\n",
        "{\" | age | \" | : 7",
    ),
    Wrong(
        "forgets to accept the token",
        WALK + "        count += forced.startswith(texts[token])\n    return count / len(ids)\n",
        "skipped(wide, ids)",
    ),
    Wrong(
        "gives a number of tokens",
        WALK + "        count += forced.startswith(texts[token])\n"
        "        matcher.accept_token(token)\n"
        "    return count\n",
        "divide by the number of tokens",
    ),
    Wrong(
        "measures in bytes",
        WALK + "        count += len(texts[token]) * forced.startswith(texts[token])\n"
        "        matcher.accept_token(token)\n"
        "    return count / sum(len(texts[token]) for token in ids)\n",
        "skipped(wide, ids)",
    ),
    Wrong(
        "counts only tokens that are the whole span",
        WALK + "        count += texts[token] == forced\n"
        "        matcher.accept_token(token)\n"
        "    return count / len(ids)\n",
        "skipped(wide, ids)",
    ),
]

COMMON = (
    "def common(a, b):\n"
    "    n = 0\n"
    "    while n < min(len(a), len(b)) and a[n] == b[n]:\n"
    "        n += 1\n"
    "    return n\n"
)

REREAD = [
    Wrong(
        "reads the forced tokens one by one",
        COMMON + "def reread(model, have, want):\n"
        "    keep = min(common(have, want), len(want) - 1)\n"
        "    model.truncate(keep)\n"
        "    for token in want[keep:]:\n"
        "        logits = model.extend([token])\n"
        "    return logits\n",
        "one pass over many tokens is cheap",
    ),
    Wrong(
        "forgets everything and reads it all again",
        "def reread(model, have, want):\n    model.reset()\n    return model.extend(want)\n",
        "what the cache holds already need not be read again",
    ),
    Wrong(
        "forgets to cut the cache",
        COMMON + "def reread(model, have, want):\n    return model.extend(want[common(have, want):])\n",
        "got:      a model that has read [1, 2, 3, 9, 4, 5]",
    ),
    Wrong(
        "cuts one token too late",
        COMMON + "def reread(model, have, want):\n"
        "    keep = min(common(have, want), len(want) - 1)\n"
        "    model.truncate(keep + 1)\n"
        "    return model.extend(want[keep:])\n",
        "got:      a model that has read [1, 2, 3, 9, 4, 5]",
    ),
    Wrong(
        "has nothing to read when tokens were only taken back",
        COMMON + "def reread(model, have, want):\n"
        "    keep = common(have, want)\n"
        "    model.truncate(keep)\n"
        "    return model.extend(want[keep:])\n",
        "it raised ValueError: after truncate(), extend() needs at least one token",
    ),
    Wrong(
        "cuts to the shorter length without comparing",
        "def reread(model, have, want):\n"
        "    keep = min(len(have), len(want) - 1)\n"
        "    model.truncate(keep)\n"
        "    return model.extend(want[keep:])\n",
        "reread(model, [1, 2, 3, 9], [1, 2, 3, 4, 5])",
    ),
]

RETOKENIZE = [
    Wrong(
        "cuts the forced text by itself",
        "def retokenize(encode, texts, written, forced, window):\n    return 0, encode(forced)\n",
        "got:      (0, [1])",
    ),
    Wrong(
        "takes the whole window back",
        "def retokenize(encode, texts, written, forced, window):\n"
        "    tail = written[max(0, len(written) - window):]\n"
        "    return len(tail), encode(''.join(texts[i] for i in tail) + forced)\n",
        "stay where they are",
    ),
    Wrong(
        "slices with minus the window",
        COMMON + "def retokenize(encode, texts, written, forced, window):\n"
        "    tail = written[-window:]\n"
        "    new = encode(''.join(texts[i] for i in tail) + forced)\n"
        "    same = common(tail, new)\n"
        "    return len(tail) - same, new[same:]\n",
        "mind that written[-0:] is everything",
    ),
    Wrong(
        "counts equal places instead of a common beginning",
        "def retokenize(encode, texts, written, forced, window):\n"
        "    tail = written[max(0, len(written) - window):]\n"
        "    new = encode(''.join(texts[i] for i in tail) + forced)\n"
        "    same = len(set(tail) & set(new))\n"
        "    return len(tail) - same, new[same:]\n",
        "retokenize(encode, texts,",
    ),
    Wrong(
        "cuts everything that was written afresh",
        COMMON + "def retokenize(encode, texts, written, forced, window):\n"
        "    new = encode(''.join(texts[i] for i in written) + forced)\n"
        "    same = common(written, new)\n"
        "    return len(written) - same, new[same:]\n",
        "retokenize(encode, texts, [6, 0], 'b', 0)",
    ),
    Wrong(
        "gives the new tokens only",
        COMMON + "def retokenize(encode, texts, written, forced, window):\n"
        "    tail = written[max(0, len(written) - window):]\n"
        "    new = encode(''.join(texts[i] for i in tail) + forced)\n"
        "    return new[common(tail, new):]\n",
        "got:      [",
    ),
]

HOLD = [
    Wrong(
        "always finds the token itself",
        "def hold_back(texts, ids, legal):\n"
        "    if not ids:\n"
        "        return []\n"
        "    last = texts[ids[-1]]\n"
        "    return ids[:-1] if any(texts[i].startswith(last) for i in legal) else ids\n",
        "hold_back(['New', ' ', ' York'], [0, 1], [1])",
    ),
    Wrong(
        "asks the whole vocabulary",
        "def hold_back(texts, ids, legal):\n"
        "    if not ids:\n"
        "        return []\n"
        "    last = texts[ids[-1]]\n"
        "    return ids[:-1] if any(t.startswith(last) and t != last for t in texts) else ids\n",
        "a token that is legal nowhere here does not count",
    ),
    Wrong(
        "looks for the text anywhere in a token",
        "def hold_back(texts, ids, legal):\n"
        "    if not ids:\n"
        "        return []\n"
        "    last = texts[ids[-1]]\n"
        "    return ids[:-1] if any(last in texts[i] and texts[i] != last for i in legal) else ids\n",
        "*begins* with the last one",
    ),
    Wrong(
        "never holds back",
        "def hold_back(texts, ids, legal):\n    return list(ids)\n",
        "hold_back(['New', ' ', ' York'], [0, 1], [1, 2])",
    ),
    Wrong(
        "always holds back",
        "def hold_back(texts, ids, legal):\n    return ids[:-1]\n",
        "hold_back(['New', ' ', ' York'], [0, 1], [1])",
    ),
    Wrong(
        "fails where there is no token",
        "def hold_back(texts, ids, legal):\n"
        "    last = texts[ids[-1]]\n"
        "    grows = any(texts[i].startswith(last) and texts[i] != last for i in legal)\n"
        "    return ids[:-1] if grows else ids\n",
        "it raised IndexError",
    ),
]

WRONG = {"4.1": SPAN, "4.2": SKIPPED, "4.3": REREAD, "4.4": RETOKENIZE, "4.5": HOLD}

KEEP = "keep = min(l04.common(have, want), len(want) - 1)"
TAIL = "tail = list(written[max(0, len(written) - window):])"
ALIKE = "how much two lists have in common does not depend on which is named first"
ORDER = "min and max do not depend on the order of their arguments"

SURVIVORS = {
    "4.1": {
        "char, state = ways[0] -> char, state = ways[-1]": "there is exactly one way here",
    },
    "4.3": {
        f"{KEEP} -> keep = min(len(want) - 1, l04.common(have, want))": ORDER,
        f"{KEEP} -> {KEEP.replace('have, want', 'want, have')}": ALIKE,
    },
    "4.4": {
        "same = l04.common(tail, new) -> same = l04.common(new, tail)": ALIKE,
        f"{TAIL} -> tail = list(written[max(len(written) - window, 0):])": ORDER,
    },
}
