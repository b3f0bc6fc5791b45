"""A check reports, whatever the learner's code does, and its text is the same on every run."""

import contextlib
import dataclasses
import io
import sys
import threading
import time

import numpy as np
import pytest

from lessons import checking, timelimit
from lessons.checking import check, judge
from lessons.exercise import Case, Exercise, Words, calls, quote, same
from lessons.timelimit import TimeIsUp, time_limit


def double(n):
    return 2 * n


def double_cases(answer):
    yield from calls(answer, [(2,), (3,)], double, "twice means times two", "double")


EXERCISE = Exercise("9.9", "Twice", 1, 1, ("double",), double_cases, ("a", "b"), seconds=0.4)


def report(answer):
    return judge(EXERCISE, {"double": answer})


def test_right():
    assert repr(report(lambda n: n + n)) == "✓ exercise 9.9 Twice: right\n  checked: on 2 inputs"


def test_wrong_names_the_input_the_expected_and_the_given():
    assert repr(report(lambda n: n * n)) == (
        "✗ exercise 9.9 Twice: wrong\n"
        "  input:    double(3)\n"
        "  expected: 6\n"
        "  got:      9\n"
        "  because:  twice means times two"
    )


def test_the_stub_is_not_attempted():
    def stub(n):
        raise NotImplementedError("exercise 9.9")

    assert report(stub).status == "not attempted"
    assert "write `double` in the cell above" in repr(report(stub))


def test_another_not_implemented_error_is_wrong():
    def half(n):
        raise NotImplementedError("only even numbers yet")

    assert "it raised NotImplementedError: only even numbers yet" in repr(report(half))


def test_nothing_defined_is_not_attempted():
    assert judge(EXERCISE, {}).status == "not attempted"
    assert judge(EXERCISE, {"double": ...}).status == "not attempted"


def test_the_workbooks_own_piece_is_no_answer():
    from lessons.pieces import l01

    exercise = dataclasses.replace(EXERCISE, names=("step",))
    found = judge(exercise, {"step": l01.step})
    assert found.status == "not attempted"
    assert "the workbook's own" in repr(found)


@pytest.mark.parametrize("error", [KeyError("x"), SystemExit(3), RecursionError("deep")])
def test_an_exception_is_reported(error):
    def answer(n):
        raise error

    assert f"it raised {type(error).__name__}" in repr(report(answer))


def test_what_the_input_is_about_is_not_called_the_reason_of_an_error():
    assert repr(report(lambda n: [][n])) == (
        "✗ exercise 9.9 Twice: wrong\n"
        "  input:    double(2)\n"
        "  expected: 4\n"
        "  got:      it raised IndexError: list index out of range\n"
        "  mind:     twice means times two"
    )


def test_a_missing_name_gets_a_reason_of_its_own():
    def no_import(n):
        return jsn.dumps(n)  # noqa: F821

    text = repr(report(no_import))
    assert "got:      it raised NameError: name 'jsn' is not defined" in text
    assert "because:  your code stopped before it could be judged: import or define `jsn` first" in text
    assert "twice means" not in text


def test_a_missing_module_gets_a_reason_of_its_own():
    def no_module(n):
        import no_such_module_here  # noqa: F401

    text = repr(report(no_module))
    assert "because:  your code stopped before it could be judged" in text
    assert "twice means" not in text


def test_a_variable_that_one_input_leaves_unset_keeps_the_sentence():
    def unset(n):
        if n == 2:
            answer = 4
        return answer

    assert "mind:     twice means times two" in repr(report(unset))


def endless(n):
    while True:
        pass


def stubborn(n):
    while True:
        with contextlib.suppress(Exception):
            time.sleep(0.01)


@pytest.mark.parametrize("answer", [endless, stubborn])
def test_an_endless_loop_ends_with_a_sentence(answer):
    start = time.monotonic()
    found = report(answer)
    assert time.monotonic() - start < 5
    assert "no answer within 0.4 s: is there a loop that never ends?" in repr(found)


def test_the_limit_works_where_there_is_no_timer_signal(monkeypatch):
    monkeypatch.delattr(timelimit.signal, "setitimer")
    assert "no answer within 0.4 s" in repr(report(endless))
    assert report(double).status == "right"


def test_the_limit_works_in_another_thread():
    found = []
    thread = threading.Thread(target=lambda: found.append(report(endless)))
    thread.start()
    thread.join(10)
    assert "no answer within 0.4 s" in repr(found[0])


def test_a_limit_that_is_not_reached_leaves_nothing_behind():
    for limit in (timelimit.by_signal, timelimit.by_thread):
        with limit(0.05):
            pass
        time.sleep(0.12)  # an exception that came late would be raised here


def test_the_limit_is_not_swallowed_by_except_exception():
    with pytest.raises(TimeIsUp), time_limit(0.1):
        stubborn(1)


def test_printing_and_warnings_are_not_part_of_the_report(capsys, recwarn):
    def noisy(n):
        print("debugging", n)
        print("more", file=sys.stderr)
        np.log(np.zeros(1))
        return 2 * n

    assert report(noisy).status == "right"
    assert capsys.readouterr() == ("", "")
    assert not recwarn.list


def test_changing_the_arguments_does_not_spoil_the_comparison():
    def cases(answer):
        yield from calls(answer, [([3, 1, 2],)], lambda xs: sorted(xs), "", "order")

    def in_place(xs):
        xs.sort()
        return xs

    exercise = dataclasses.replace(EXERCISE, cases=cases)
    assert judge(exercise, {"double": in_place}).status == "right"


def test_a_check_that_fails_itself_says_so(monkeypatch):
    def broken(answer):
        raise ZeroDivisionError("in the check")
        yield

    exercise = dataclasses.replace(EXERCISE, cases=broken)
    monkeypatch.setattr(checking, "find_exercise", lambda number: exercise)
    found = check("9.9", {"double": double})
    assert found.status == "cannot check"
    assert "please report it" in repr(found)


def test_an_answer_of_a_strange_type_is_wrong_and_not_a_crash():
    class Odd:
        def __eq__(self, other):
            raise TypeError("never equal")

    assert report(lambda n: Odd()).status == "wrong"
    assert "got:      a Odd" in repr(report(lambda n: Odd()))


def test_the_html_says_the_same_and_escapes(monkeypatch):
    html = report(lambda n: "<script>alert(1)</script>")._repr_html_()
    assert "<script>" not in html and "&lt;script&gt;" in html
    assert "double(2)" in html


def test_the_metadata_is_for_programs():
    _, metadata = report(double)._repr_mimebundle_()
    assert metadata == {"workbook": {"exercise": "9.9", "status": "right"}}


def test_same():
    assert same([1, 2], (1, 2)) and same(np.array([1, 2]), [1, 2])
    assert same(0.3, 0.1 + 0.2) and same(1.0, np.float64(1))
    assert same(3, np.int64(3))
    assert not same(True, 1) and not same(1, True)
    assert not same(None, 0) and not same(0, None)
    assert not same([1], [1, 2]) and not same({1}, [1])
    assert same({"a": [1.0]}, {"a": (1,)})


def test_quote_is_short_and_the_same_every_time():
    assert quote({"b", "a"}) == "{'a', 'b'}"
    assert quote(np.array([1.5, 2])) == "array([1.5, 2])"
    assert quote((1,)) == "(1,)"
    assert quote(Words("any token")) == "any token"
    assert quote(object()) == "a object"
    assert quote(io.StringIO()) == "a StringIO"
    assert len(quote("x" * 1000)) < 200


def test_a_case_may_have_its_own_comparison():
    def cases(answer):
        yield Case("double(1)", Words("even"), lambda: answer(1), lambda _, got: got % 2 == 0)

    exercise = dataclasses.replace(EXERCISE, cases=cases)
    assert judge(exercise, {"double": lambda n: 8}).status == "right"
    assert "expected: even" in repr(judge(exercise, {"double": lambda n: 7}))
