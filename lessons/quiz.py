"""The quiz at the end of a lesson: radio buttons, and a reason for every answer, right or wrong.

A widget of our own and not the jupyterquiz package: jupyterquiz makes a random id on every run, so
nbval can never compare it, it may load MathJax from a CDN, and it ignores the notebook's theme.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from pathlib import Path

import anywidget
import traitlets

from lessons.registry import questions_of

HERE = Path(__file__).parent


@dataclass(frozen=True)
class Question:
    """One question. Every answer is a pair: its text and why it is right or wrong.

    Text between backticks is shown as code.
    """

    text: str
    right: tuple[str, str]
    wrong: tuple[tuple[str, str], ...]

    def answers(self) -> list[dict]:
        """All answers in an order that is mixed, and the same every time."""
        mixed = [{"text": t, "why": why, "right": False} for t, why in self.wrong]
        mixed.append({"text": self.right[0], "why": self.right[1], "right": True})
        random.Random(self.text).shuffle(mixed)
        return mixed


class Quiz(anywidget.AnyWidget):
    """The questions of one lesson. `chosen` holds the learner's last choice, or -1, per question."""

    _esm = HERE / "quiz.js"
    _css = HERE / "quiz.css"
    questions = traitlets.List().tag(sync=True)
    chosen = traitlets.List(traitlets.Int()).tag(sync=True)

    def __init__(self, questions: list[Question]) -> None:
        data = [{"text": q.text, "answers": q.answers()} for q in questions]
        super().__init__(questions=data, chosen=[-1] * len(data))

    @property
    def right(self) -> int:
        """How many questions are answered rightly."""
        pairs = zip(self.questions, self.chosen)
        return sum(i >= 0 and question["answers"][i]["right"] for question, i in pairs)

    def __repr__(self) -> str:
        count = len(self.questions)
        if all(i < 0 for i in self.chosen):
            return f"A quiz of {count} questions: run this cell to answer them."
        return f"A quiz of {count} questions: {self.right} answered rightly."


def quiz(lesson: str) -> Quiz:
    """The quiz of lesson "01"."""
    questions = questions_of(lesson)
    if not questions:
        raise ValueError(f"lesson {lesson} has no quiz in lessons/quizzes")
    return Quiz(questions)
