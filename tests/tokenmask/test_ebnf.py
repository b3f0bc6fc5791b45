"""The GBNF dialect: what each construct accepts and refuses, and where each fault is."""

import time

import pytest

from tokenmask import GrammarCompiler, GrammarMatcher, InvalidSchema, Vocabulary
from tokenmask.ebnf import InvalidGrammar, shapes_from_ebnf
from tokenmask.ebnf_parser import position
from tokenmask.shapes import Terminal

BYTES = Vocabulary([bytes([b]) for b in range(256)] + [b"<end>"], eos_ids=[256])


def accepts(grammar: str, text: str | bytes) -> bool:
    matcher = GrammarMatcher(GrammarCompiler(BYTES).compile_grammar(grammar))
    return matcher.accept_string(text) and matcher.is_accepting()


@pytest.mark.parametrize(
    ("body", "yes", "no"),
    [
        ('"abc"', ["abc"], ["", "ab", "abcd"]),
        ('""', [""], ["a"]),
        ('"a" "b"', ["ab"], ["a", "ba"]),
        ('"a" | "bc" |', ["a", "bc", ""], ["b", "abc"]),
        ('"a"*', ["", "a", "aaaa"], ["b"]),
        ('"a"+', ["a", "aaaa"], [""]),
        ('"a"?', ["", "a"], ["aa"]),
        ('"a"{2}', ["aa"], ["a", "aaa"]),
        ('"a"{2,}', ["aa", "aaaaa"], ["a"]),
        ('"a"{ 1 , 3 }', ["a", "aaa"], ["", "aaaa"]),
        ('"a"{0}', [""], ["a"]),
        ('("a" | "b")+ "c"', ["ac", "babc"], ["c", "ab"]),
        ('("a" ("b" | "c")?)*', ["", "aab", "acab"], ["b"]),
        ("[a-cx]", ["a", "b", "c", "x"], ["d", "-", ""]),
        ("[^a-c]", ["d", "é", "北", "🙂", "\n", "-"], ["a", "", "dd"]),
        ("[a-]", ["a", "-"], ["b"]),
        (r"[\]\-\\^]", ["]", "-", "\\", "^"], ["a"]),
        (r"[\x41-\x43\u00e9\U0001F642]", ["A", "C", "é", "🙂"], ["D", "e"]),
        (r'"\n\t\r\\\"\x41\u00e9\U0001F642"', ['\n\t\r\\"Aé🙂'], [""]),
        (r'"\uD83D\uDE42"', ["🙂"], [""]),
        (".", ["a", "é", "🙂", "\n"], ["", "ab"]),
        ('"a"?*', ["", "aaa"], ["b"]),
        ('("a"?){3,}', ["", "a", "aaaaa"], ["b"]),
        ("()", [""], ["a"]),
        ('"a" | # or\n "b" # one more\n', ["a", "b"], ["ab"]),
        ('\n  "a"\n | "b"', ["a", "b"], ["c"]),
    ],
)
def test_construct(body, yes, no):
    for text in yes:
        assert accepts(f"root ::= {body}", text), text
    for text in no:
        assert not accepts(f"root ::= {body}", text), text


def test_names_with_dashes_and_digits_in_any_order():
    grammar = 'root ::= my-rule_2 "!"\nmy-rule_2 ::= "x" a1\na1::="y"'
    assert accepts(grammar, "xy!")


def test_rules_may_share_a_line():
    assert accepts('root ::= a b a ::= "x" b ::= "y"', "xy")


NESTED = r"""
root   ::= value
value  ::= object | array | string | number | "true" | "false" | "null"
object ::= "{" ws (string ":" ws value ("," ws string ":" ws value)*)? "}" ws
array  ::= "[" ws (value ("," ws value)*)? "]" ws
string ::= "\"" ([^"\\\x7F\x00-\x1F] | "\\" (["\\bfnrt] | "u" [0-9a-fA-F]{4}))* "\"" ws
number ::= ("-"? ([0-9] | [1-9] [0-9]{0,15})) ("." [0-9]+)? ([eE] [-+]? [0-9]+)? ws
ws     ::= | " " | "\n" [ \t]{0,20}
"""


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ('{"a": [1, -2.5e+3, {"b": []}], "c": "\\u00e9 é"}', True),
        ("[[[[[]]]]]", True),
        ("[[[[[]]]]", False),
        ("{]", False),
        ('{"a" 1}', False),
        ("01", False),
        ("[1,]", False),
    ],
)
def test_recursion_counts_its_brackets(text, right):
    assert accepts(NESTED, text) == right


def test_recursion_through_several_rules_and_repeats():
    grammar = 'root ::= a*\na ::= "(" b ")"\nb ::= (a | "x"){0,2}'
    assert accepts(grammar, "(x(x))(())")
    assert not accepts(grammar, "(xxx)")
    assert not accepts(grammar, "(x")


def test_a_rule_without_recursion_is_one_terminal():
    shape = shapes_from_ebnf('root ::= "a" x ("b" | x)*\nx ::= [0-9]{1,3} | "é"')
    assert isinstance(shape, Terminal)


def test_masks_equal_reading_byte_by_byte():
    tokens = [b"{", b"}", b'"', b'":', b"[1", b",", b"1", b"]]", b"true", b" ", b"\xc3", b"\xa9", b"12]"]
    vocabulary = Vocabulary([*tokens, b"<end>"], eos_ids=[len(tokens)])
    compiled = GrammarCompiler(vocabulary).compile_grammar(NESTED)
    todo, seen = [()], 0
    while todo:
        history = todo.pop()
        matcher = GrammarMatcher(compiled)
        assert all(matcher.accept_token(token) for token in history)
        legal = set(matcher.legal_tokens().tolist())
        for token, data in enumerate(tokens):
            fork = matcher.fork()
            assert fork.accept_string(data) == (token in legal), (history, data)
            if token in legal and len(history) < 4:
                todo.append((*history, token))
        seen += 1
    assert seen > 500


@pytest.mark.parametrize(
    ("grammar", "line", "column", "words"),
    [
        ("", 1, 1, "there is no rule 'root'; defined are: none"),
        ('start ::= "a"', 1, 1, "there is no rule 'root'; defined are: start"),
        ('root ::= "a"\n  x  b', 2, 3, "uses 'x', which is not defined"),
        ('root ::= "a" missing', 1, 14, "'missing', which is not defined"),
        ('root ::= "a"\nroot ::= "b"', 2, 1, "defined twice (first in line 1)"),
        ('root = "a"', 1, 5, "expected ::= after the rule name 'root'"),
        ('"a"', 1, 1, "expected a rule"),
        ('root ::= "a', 1, 10, "not closed"),
        ('root ::= "a\nb"', 1, 10, "not closed"),
        ("root ::= [a-z", 1, 10, "not closed"),
        ("root ::= [z-a]", 1, 10, "ends before it begins"),
        (r"root ::= [^\x00-\U0010FFFF]", 1, 10, "no character"),
        ("root ::= []", 1, 10, "no character"),
        ('root ::= ("a"', 1, 10, "never closed"),
        ('root ::= "a" )', 1, 14, "unexpected ')'"),
        ('root ::= * "a"', 1, 10, "unexpected"),
        ('root ::= "a"{3,1}', 1, 13, "below the lower"),
        ('root ::= "a"{,1}', 1, 13, "a repetition is"),
        ('root ::= "a"{9999999999}', 1, 13, "a repetition is"),
        (r'root ::= "\q"', 1, 11, "unknown escape"),
        (r'root ::= "\x4"', 1, 11, "2 hexadecimal digits"),
        (r'root ::= "\uD83D"', 1, 11, "no Unicode character"),
        (r'root ::= "\U00110000"', 1, 11, "no Unicode character"),
        ('root ::= (="a") "a"', 1, 10, "lookahead"),
        ("root ::= " + "(" * 150 + '"a"' + ")" * 150, 1, 110, "inside each other"),
        ('root ::= root "a" | "b"', 1, 1, "left recursion: root -> root"),
        ('root ::= x\nx ::= "(" | y\ny ::= x "a"', 2, 1, "left recursion: x -> y -> x"),
        ('root ::= "a"\nx ::= o* o? ("" | o) x "c" | "d"\no ::= "p"?', 2, 1, "x -> x"),
        ('root ::= ("a" | root)+', 1, 1, "left recursion: root -> root"),
        ('root ::= "a" root', 1, 1, "rule 'root' can never end"),
        ('root ::= "a" | x\nx ::= "b" y\ny ::= "c" x', 2, 1, "rule 'x' can never end"),
    ],
)
def test_every_fault_is_named_with_line_and_column(grammar, line, column, words):
    with pytest.raises(InvalidGrammar) as caught:
        shapes_from_ebnf(grammar)
    assert words in str(caught.value)
    assert (caught.value.line, caught.value.column) == (line, column), str(caught.value)
    assert str(caught.value).startswith(f"line {line}, column {column}: ")


def test_the_error_is_one_of_the_three_public_kinds():
    with pytest.raises(InvalidSchema):
        GrammarCompiler(BYTES).compile_grammar("root ::= x")


def test_a_rule_used_zero_times_is_no_left_recursion():
    assert accepts('root ::= root{0} "a"', "a")


def test_what_looks_like_left_recursion_but_reads_first_is_fine():
    assert accepts('root ::= "a" root | "b"', "aab")


def test_positions_count_from_one():
    assert position("", 0) == (1, 1)
    assert position("a\n\nbc", 4) == (3, 2)


def hostile(kind: str) -> str:
    n = 10_000
    return {
        "a chain of rules": "root ::= r0\n"
        + "".join(f'r{i} ::= "a" r{i + 1}\n' for i in range(n))
        + f'r{n} ::= "z"',
        "a long left recursion": "root ::= r0\n" + "".join(f"r{i} ::= r{(i + 1) % n}\n" for i in range(n)),
        "a doubling": 'root ::= r0\nr60 ::= "a"\n'
        + "".join(f"r{i} ::= r{i + 1} r{i + 1}\n" for i in range(60)),
        "many branches": "root ::= " + " | ".join(f'"w{i}"' for i in range(n)),
        "a long sequence": "root ::= " + "[a-z] " * n,
        "counts of counts": 'root ::= ((("a"{1,1000}){1,1000}){1,1000}){1,1000}',
        "an ambiguous star": 'root ::= (("a" | "a")* "a"*)* "b"',
        "one long literal": f'root ::= "{"x" * 100_000}"',
        "a long comment": "# " + "(" * 1_000_000 + '\nroot ::= "a"',
        "spaces": " \n" * 500_000 + 'root ::= "a"',
        "open brackets": "root ::= " + "(" * 1_000_000,
        "stars": 'root ::= "a"' + "*" * 5_000,
    }[kind]


@pytest.mark.parametrize(
    "kind",
    [
        *("a chain of rules", "a long left recursion", "a doubling", "many branches"),
        *("a long sequence", "counts of counts", "an ambiguous star", "one long literal"),
        *("a long comment", "spaces", "open brackets", "stars"),
    ],
)
def test_hostile_grammars_end_in_a_mask_or_an_error(kind):
    source, start = hostile(kind), time.process_time()
    try:
        matcher = GrammarMatcher(GrammarCompiler(BYTES).compile_grammar(source))
        matcher.legal_tokens()
        matcher.accept_string("aaaaaaaaaaaaaaaaaaaa")
    except ValueError:
        pass
    assert time.process_time() - start < 4
