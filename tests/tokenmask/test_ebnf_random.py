"""Random grammars against a judge that shares no code with the engine: sets of end positions."""

import itertools

from hypothesis import given, settings
from hypothesis import strategies as st

from tokenmask import GrammarCompiler, GrammarMatcher, Vocabulary
from tokenmask.ebnf import InvalidGrammar

ALPHABET = "ab("
TOKENS = [b"a", b"b", b"(", b"ab", b"(a", b"ba", b"((", b"\xc3", b"\xa9", b"b\xc3"]
VOCABULARY = Vocabulary([*TOKENS, b"<end>"], eos_ids=[len(TOKENS)])
TEXTS = [
    "".join(letters) for length in range(5) for letters in itertools.product(ALPHABET + "é", repeat=length)
]

# a node is (its GBNF text, a function from (text, start, rules) to the set of possible ends)


def word(text):
    return f'"{text}"', lambda s, i, rules: {i + len(text)} if s.startswith(text, i) else set()


def some(characters, negated):
    def ends(s, i, rules):
        return {i + 1} if i < len(s) and (s[i] in characters) != negated else set()

    return f"[{'^' * negated}{characters}]", ends


def sequence(nodes):
    def ends(s, i, rules):
        found = {i}
        for _, part in nodes:
            found = {end for start in found for end in part(s, start, rules)}
        return found

    return "(" + " ".join(text for text, _ in nodes) + ")", ends


def union(nodes):
    def ends(s, i, rules):
        return {end for _, branch in nodes for end in branch(s, i, rules)}

    return "(" + " | ".join(text for text, _ in nodes) + ")", ends


def times(node, bounds):
    least, most = bounds
    text, body = node

    def ends(s, i, rules):
        found, reached = set(), {i}
        for count in range(least + len(s) + 2):
            if count >= least:
                found |= reached
            if count == most:
                break
            reached = {end for start in reached for end in body(s, start, rules)}
        return found

    return f"{text}{{{least},{'' if most is None else most}}}", ends


def use(name):
    return name, lambda s, i, rules: rules[name](s, i, rules)


leaves = st.one_of(
    st.sampled_from(["", "a", "b", "ab", "é"]).map(word),
    st.builds(some, st.sampled_from(["a", "ab", "(é"]), st.booleans()),
    st.sampled_from(["one", "two"]).map(use),
)
BOUNDS = [(0, None), (1, None), (0, 1), (2, 2), (1, 3), (3, None), (0, 0)]
nodes = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.lists(inner, min_size=1, max_size=3).map(sequence),
        st.lists(inner, min_size=1, max_size=3).map(union),
        st.builds(times, inner, st.sampled_from(BOUNDS)),
    ),
    max_leaves=6,
)


@settings(max_examples=150, deadline=None)
@given(nodes, nodes, nodes)
def test_the_engine_accepts_exactly_what_the_judge_does(root, one, two):
    # what is recursive reads a bracket first: left recursion is an error
    one = union([sequence([word("("), one]), word("a")])
    two = union([sequence([word("("), two]), word("b")])
    source = f"root ::= {root[0]}\none ::= {one[0]}\ntwo ::= {two[0]}"
    try:
        compiled = GrammarCompiler(VOCABULARY).compile_grammar(source)
    except InvalidGrammar as error:
        raise AssertionError(source) from error
    rules = {"one": one[1], "two": two[1]}
    for text in TEXTS:
        matcher = GrammarMatcher(compiled)
        accepted = matcher.accept_string(text) and matcher.is_accepting()
        assert accepted == (len(text) in root[1](text, 0, rules)), (source, text)


@settings(max_examples=60, deadline=None)
@given(nodes, nodes)
def test_a_mask_holds_exactly_the_tokens_whose_bytes_can_be_read(root, one):
    one = union([sequence([word("("), one]), word("a")])
    source = f"root ::= {root[0]}\none ::= {one[0]}\ntwo ::= one"
    compiled = GrammarCompiler(VOCABULARY).compile_grammar(source)
    todo = [GrammarMatcher(compiled)]
    for _ in range(30):
        if not todo:
            break
        matcher = todo.pop(0)
        legal = matcher.legal_tokens().tolist()
        for token, data in enumerate(TOKENS):
            fork = matcher.fork()
            assert fork.accept_string(data) == (token in legal), (source, data)
            if token in legal:
                todo.append(fork)
        assert (len(TOKENS) in legal) == matcher.is_accepting()
