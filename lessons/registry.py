"""Finds exercises, wrong answers and quizzes by number. Each lesson has one module of each kind."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from importlib.util import find_spec

from lessons.exercise import Exercise, Wrong


def lesson_module(kind: str, lesson: str, suffix: str = ""):
    """The module lessons.KIND.lNN, or None if the lesson has none."""
    name = f"lessons.{kind}.l{lesson[:2]}{suffix}"
    return import_module(name) if find_spec(name) else None


@cache
def exercises_of(lesson: str) -> tuple[Exercise, ...]:
    """The exercises of a lesson ("01" or its full name), in order."""
    module = lesson_module("exercises", lesson)
    return tuple(module.EXERCISES) if module else ()


def find_exercise(number: str) -> Exercise:
    """The exercise "1.2"; LookupError if there is none."""
    lesson = number.split(".")[0].zfill(2)
    for exercise in exercises_of(lesson):
        if exercise.number == number:
            return exercise
    raise LookupError(f"there is no exercise {number}")


def wrong_answers(exercise: Exercise) -> list[Wrong]:
    """The wrong answers kept beside an exercise's check."""
    module = lesson_module("exercises", exercise.lesson, "_wrong")
    return list(module.WRONG.get(exercise.number, ())) if module else []


def questions_of(lesson: str) -> list:
    """The quiz of a lesson ("01" or its full name)."""
    module = lesson_module("quizzes", lesson)
    return list(module.QUESTIONS) if module else []
