"""Wrong answers to lesson 03 that people really write; each check must refuse each of them."""

from lessons.exercise import Wrong

PUSH = 'CLOSER = {"[": "]", "{": "}"}\ndef step(stack, char):\n'
PUSH += "    if char in CLOSER:\n        return (CLOSER[char], *stack)\n"

STEP = [
    Wrong(
        "forgets to pop",
        PUSH + "    return stack if stack and stack[0] == char else None\n",
        "take it off the top",
    ),
    Wrong(
        "only counts how many are open",
        PUSH + "    return stack[1:] if stack else None\n",
        "step((']',), '}')",
    ),
    Wrong(
        "closes the outermost first",
        PUSH + "    return stack[:-1] if stack and stack[-1] == char else None\n",
        "step(('}', ']'), '}')",
    ),
    Wrong(
        "pushes the bracket instead of what it owes",
        'def step(stack, char):\n    if char in "[{":\n        return (char, *stack)\n'
        "    return stack[1:] if stack and stack[0] == char else None\n",
        "puts what it owes on top",
    ),
    Wrong(
        "looks at the top of an empty stack",
        PUSH + "    return stack[1:] if stack[0] == char else None\n",
        "it raised IndexError",
    ),
    Wrong(
        "empties the stack where the text is illegal",
        PUSH + "    return stack[1:] if stack and stack[0] == char else ()\n",
        "Illegal is None",
    ),
    Wrong(
        "pushes at the bottom",
        PUSH.replace("(CLOSER[char], *stack)", "(*stack, CLOSER[char])")
        + "    return stack[1:] if stack and stack[0] == char else None\n",
        "expected: ('}', ']')",
    ),
]

RIGHT = (
    "def object_rules():\n"
    "    return {\n"
    '        ("value", "{"): ("first key",),\n'
    '        ("first key", "}"): (),\n'
    '        ("first key", \'"\'): ("string", "colon", "value", "more keys"),\n'
    '        ("more keys", ","): ("key", "more keys"),\n'
    '        ("more keys", "}"): (),\n'
    '        ("key", \'"\'): ("string", "colon", "value"),\n'
    '        ("colon", ":"): (),\n'
    "    }\n"
)

RULES = [
    Wrong(
        "allows a comma before the end",
        RIGHT.replace('("key", "more keys")', '("first key",)'),
        'the text {"a":1,} with your rules',
    ),
    Wrong(
        "forgets the colon",
        RIGHT.replace('"string", "colon"', '"string"'),
        'the text {"a":1} with your rules',
    ),
    Wrong(
        "puts the last on top",
        RIGHT.replace(
            '("string", "colon", "value", "more keys")', '("more keys", "value", "colon", "string")'
        ),
        "illegal at 'a', place 2",
    ),
    Wrong(
        "forgets the rest of the object after its first value",
        RIGHT.replace('"value", "more keys")', '"value")'),
        "illegal at '}', place 6",
    ),
    Wrong(
        "has no empty object",
        RIGHT.replace('        ("first key", "}"): (),\n', ""),
        "the text {} with your rules",
    ),
    Wrong(
        "lets a bracket close an object",
        RIGHT.replace('("more keys", "}"): (),', '("more keys", "}"): (), ("more keys", "]"): (),'),
        'the text {"a":1] with your rules',
    ),
    Wrong(
        "takes one pair only",
        RIGHT.replace('        ("more keys", ","): ("key", "more keys"),\n', ""),
        "after a comma comes another key",
    ),
    Wrong(
        "forgets the rest of the object after a comma",
        RIGHT.replace('("key", "more keys")', '("key",)'),
        "place 14",
    ),
    Wrong(
        "lets an object begin with a comma",
        RIGHT.replace(
            '("first key", "}"): (),', '("first key", "}"): (), ("first key", ","): ("first key",),'
        ),
        "the text {,} with your rules",
    ),
]

LOOP = (
    "from itertools import product\nfrom lessons.pieces.l03 import run\n"
    "def disagreements(one_step, start, tokens, length, judge):\n"
    "    found = []\n"
    "    for n in range(length + 1):\n"
    "        for chosen in product(tokens, repeat=n):\n"
    '            text = "".join(chosen)\n'
    "            accepted = run(one_step, start, text) == ()\n"
    "            if accepted != judge(text):\n"
    "                found.append(text)\n"
    "    return found\n"
)

PROOF = [
    Wrong(
        "stops one short of the length",
        LOOP.replace("range(length + 1)", "range(length)"),
        "disagreements(by_count, (), ['[', ']', '{', '}'], 2, is_balanced)",
    ),
    Wrong(
        "looks at the greatest length only",
        LOOP.replace("range(length + 1)", "[length]"),
        "all lengths from 0 to `length`",
    ),
    Wrong(
        "takes still alive for accepted",
        LOOP.replace("== ()", "is not None"),
        "got:      ['[', '{'",
    ),
    Wrong(
        "looks at what the automaton accepts only",
        LOOP.replace("accepted != judge(text)", "accepted and not judge(text)"),
        "a right text that is refused counts as well",
    ),
    Wrong(
        "forgets the empty text",
        LOOP.replace("range(length + 1)", "range(1, length + 1)"),
        "the empty text is a text too",
    ),
    Wrong(
        "feeds a token as if it were one bracket",
        LOOP.replace("run(one_step, start, text)", "run(one_step, start, chosen)"),
        "a token may hold several brackets",
    ),
    Wrong(
        "lists where both agree",
        LOOP.replace("accepted != judge", "accepted == judge"),
        "expected: ['[}', '{]']",
    ),
]

WALK = (
    "def split(machine, state, closed, tokens):\n"
    "    inside, leaving = [], {}\n"
    "    for i, token in enumerate(tokens):\n"
    "        here = state\n"
    "        for place, byte in enumerate(token):\n"
    "            here = machine.rows[here][byte]\n"
    "            if here == closed:\n"
    "                leaving[i] = token[place + 1:]\n"
    "                break\n"
    "            if not here:\n"
    "                break\n"
    "        else:\n"
    "            if token:\n"
    "                inside.append(i)\n"
    "    return inside, leaving\n"
)

SPLIT = [
    Wrong(
        "splits at quotes without the automaton",
        "def split(machine, state, closed, tokens):\n"
        "    inside = [i for i, t in enumerate(tokens) if t and b'\"' not in t]\n"
        "    leaving = {i: t.split(b'\"', 1)[1] for i, t in enumerate(tokens) if b'\"' in t}\n"
        "    return inside, leaving\n",
        "split(ab, 1, 2,",
    ),
    Wrong(
        "keeps the closing byte in the remainder",
        WALK.replace("token[place + 1:]", "token[place:]"),
        "expected: ([0], {1: b'', 2: b'ba', 4: b''})",
    ),
    Wrong(
        "takes what is illegal for inside",
        WALK.replace("        else:\n            if token:\n", "        if here != closed and token:\n    "),
        "b'ac'",
    ),
    Wrong(
        "counts a token that ends at the quote as inside",
        WALK.replace("here == closed:", "here == closed and place + 1 < len(token):"),
        "what comes after the first closing is the remainder",
    ),
    Wrong(
        "asks the string about the remainder as well",
        WALK.replace(
            "                leaving[i] = token[place + 1:]\n                break\n",
            "                leaving[i] = token[place + 1:]\n",
        ).replace(
            "            if not here:\n                break\n",
            "            if not here:\n                leaving.pop(i, None)\n                break\n",
        ),
        "left for others to judge",
    ),
    Wrong(
        "begins outside the string's present state",
        WALK.replace("here = state\n", "here = machine.start\n"),
        "split(string, 2, ",
    ),
    Wrong(
        "takes empty tokens along",
        WALK.replace("            if token:\n                inside", "            inside"),
        "a token without bytes is in neither part",
    ),
]

SURVIVORS = {
    "3.1": {"return None -> (deleted)": "a function that ends without return gives None"},
    "3.3": {
        "for n in range(length + 1): -> for n in range(1 + length):": "a sum in either order",
    },
    "3.4": {
        "leaving[i] = token[place + 1:] -> leaving[i] = token[1 + place:]": "a sum in either order",
    },
}

WRONG = {"3.1": STEP, "3.2": RULES, "3.3": PROOF, "3.4": SPLIT}
