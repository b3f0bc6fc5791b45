"""Every exercise: solution right, stub not attempted, wrong answers refused with their message."""

import pytest

from lessons.answers import judge_answer, source_of
from lessons.mutate import survivors
from lessons.places import lesson_names
from lessons.registry import exercises_of, wrong_answers

# lessons 00 and 01 promise three wrong answers per exercise, later ones four
FEWEST = {"00": 3, "01": 3}


def all_wrong_answers():
    for name in lesson_names():
        for exercise in exercises_of(name):
            for i, wrong in enumerate(wrong_answers(exercise)):
                label = f"{exercise.lesson}-{exercise.number}-{i}"
                yield pytest.param(exercise, wrong, id=label)


def test_the_solution_is_right(exercise):
    report = judge_answer(exercise, source_of(exercise, "solution"))
    assert report.status == "right", repr(report)


def test_the_untouched_stub_is_not_attempted(exercise):
    stub = source_of(exercise, "exercise")
    assert f'raise NotImplementedError("exercise {exercise.number}")' in stub
    report = judge_answer(exercise, stub)
    assert report.status == "not attempted", repr(report)


def test_nothing_defined_is_not_attempted(exercise):
    report = judge_answer(exercise, "")
    assert report.status == "not attempted", repr(report)


@pytest.mark.parametrize("case, wrong", list(all_wrong_answers()))
def test_a_wrong_answer_is_refused_with_its_message(case, wrong):
    report = judge_answer(case, wrong.source)
    assert report.status == "wrong", f"{wrong.name}: {report!r}"
    assert wrong.says in repr(report), f"{wrong.name}: {report!r}"


def test_there_are_enough_wrong_answers(exercise):
    names = [wrong.name for wrong in wrong_answers(exercise)]
    assert len(set(names)) >= FEWEST.get(exercise.lesson, 4)


def test_hints_minutes_and_difficulty(exercise):
    assert len(exercise.hints) >= 2
    assert all(len(hint) > 20 for hint in exercise.hints)
    assert 1 <= exercise.minutes <= 30
    assert 1 <= exercise.difficulty <= 5


def test_the_check_cell_is_the_usual_one(exercise):
    expected = (
        f"# check {exercise.number}\nfrom lessons.checking import check\n"
        f'check("{exercise.number}")'
    )
    assert source_of(exercise, "check") == expected


def test_the_stub_defines_what_is_checked(exercise):
    namespace = {}
    exec(source_of(exercise, "exercise"), namespace)
    assert set(exercise.names) <= set(namespace)
    assert all(namespace[name].__doc__ for name in exercise.names)


def test_mutants_of_the_solution_are_refused(exercise):
    """A slice; `python -m lessons.mutate` runs them all and prints killed of made."""
    made, killed, alive = survivors(exercise, at_most=12)
    assert made >= 10
    assert killed >= made // 2
    assert not alive, [mutant.change for mutant in alive]
