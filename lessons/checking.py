"""The check of an exercise: it never raises, it reports right, wrong or not attempted.

A check cell's output is what `pytest --nbval` compares with the solved notebook, so every text here
is the same on every run.
"""

from __future__ import annotations

import io
import re
import sys
import warnings
from collections.abc import Mapping
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from html import escape
from typing import Any

from lessons.exercise import Case, Exercise, quote
from lessons.registry import find_exercise
from lessons.timelimit import TimeIsUp, time_limit

RIGHT, WRONG, NOT_ATTEMPTED, CANNOT = "right", "wrong", "not attempted", "cannot check"
# status -> mark, colour with a fallback for places without JupyterLab's variables
LOOKS = {
    RIGHT: ("✓", "var(--jp-success-color1, #388e3c)"),
    WRONG: ("✗", "var(--jp-error-color1, #d32f2f)"),
    NOT_ATTEMPTED: ("○", "var(--jp-ui-font-color2, #616161)"),
    CANNOT: ("!", "var(--jp-warn-color1, #f57c00)"),
}

SENTENCES = {"because", "mind", "reason"}


@dataclass(frozen=True)
class Report:
    """What a check found. Shown as coloured text in a notebook, as plain text elsewhere."""

    exercise: Exercise
    status: str
    details: list[tuple[str, str]] = field(default_factory=list)

    @property
    def headline(self) -> str:
        """For example "exercise 1.1 One step: right"."""
        return f"exercise {self.exercise.number} {self.exercise.title}: {self.status}"

    def __repr__(self) -> str:
        width = max((len(label) for label, _ in self.details), default=0) + 1
        lines = [f"  {label + ':':<{width}} {text}" for label, text in self.details]
        return "\n".join([f"{LOOKS[self.status][0]} {self.headline}", *lines])

    def _repr_html_(self) -> str:
        mark, colour = LOOKS[self.status]
        rows = "".join(
            f"<tr><td style='text-align:left;vertical-align:top;opacity:.75'>{escape(label)}</td>"
            f"<td style='text-align:left;white-space:pre-wrap'>{as_html(label, text)}</td></tr>"
            for label, text in self.details
        )
        table = f"<table style='margin:4px 0 0'>{rows}</table>" if rows else ""
        return (
            f"<div style='border-left:5px solid {colour};padding:4px 12px'>"
            f"<b><span aria-hidden='true' style='color:{colour}'>{mark}</span> "
            f"{escape(self.headline)}</b>{table}</div>"
        )

    def _repr_mimebundle_(self, include=None, exclude=None):
        # the metadata is for programs: progress and the pytest summary read it
        data = {"text/plain": repr(self), "text/html": self._repr_html_()}
        return data, {"workbook": {"exercise": self.exercise.number, "status": self.status}}


def as_html(label: str, text: str) -> str:
    """Values as code; a sentence as text, with code only where it has backticks."""
    if label not in SENTENCES:
        return f"<code>{escape(text)}</code>"
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text))


def check(number: str, namespace: Mapping[str, Any] | None = None) -> Report:
    """Check exercise `number` ("1.1") with what the learner has defined in the notebook."""
    exercise = find_exercise(number)
    if namespace is None:
        namespace = vars(sys.modules["__main__"])
    try:
        return judge(exercise, namespace)
    except KeyboardInterrupt:
        return Report(exercise, CANNOT, [("reason", "the check was interrupted")])
    except Exception as error:
        reason = f"the check itself failed with {describe(error)}; please report it"
        return Report(exercise, CANNOT, [("reason", reason)])


def judge(exercise: Exercise, namespace: Mapping[str, Any]) -> Report:
    """Run the cases one by one; the first one that fails ends the check."""
    answers = []
    for name in exercise.names:
        problem = missing(name, namespace)
        if problem:
            return Report(exercise, NOT_ATTEMPTED, [("reason", problem)])
        answers.append(namespace[name])
    done = 0
    for case in exercise.cases(*answers):
        failure = try_case(exercise, case)
        if failure is not None:
            return failure
        done += 1
    inputs = "1 input" if done == 1 else f"{done} inputs"
    return Report(exercise, RIGHT, [("checked", f"on {inputs}")])


def missing(name: str, namespace: Mapping[str, Any]) -> str | None:
    """Why there is nothing of the learner's to check, or None if there is."""
    if name not in namespace:
        return f"`{name}` is not defined yet: run the cell of the exercise first"
    value = namespace[name]
    if value is Ellipsis:
        return f"`{name}` is still ..."
    if str(getattr(value, "__module__", "")).startswith("lessons.pieces"):
        return f"`{name}` is the workbook's own here: run the cell with your answer, then this one"
    return None


def try_case(exercise: Exercise, case: Case) -> Report | None:
    """None if the learner's code is right on this input, else the report."""
    expected = quote(case.expected)
    try:
        # what the function prints is swallowed: only the report is the cell's output
        aside = io.StringIO()
        with (
            redirect_stdout(aside),
            redirect_stderr(aside),
            warnings.catch_warnings(action="ignore"),
            time_limit(exercise.seconds),
        ):
            got = case.got()
            right = bool(case.same(case.expected, got))
    except NotImplementedError as error:
        if str(error).startswith("exercise"):
            names = " and ".join(f"`{name}`" for name in exercise.names)
            reason = f"write {names} in the cell above and run it, then run this check again"
            return Report(exercise, NOT_ATTEMPTED, [("reason", reason)])
        return raised(exercise, case, expected, error)
    except TimeIsUp:
        seconds = f"{exercise.seconds:g}"
        got = f"no answer within {seconds} s: is there a loop that never ends?"
        return wrong(exercise, case, expected, got, ("mind", case.because))
    except (Exception, SystemExit) as error:
        return raised(exercise, case, expected, error)
    return None if right else wrong(exercise, case, expected, quote(got))


def raised(exercise: Exercise, case: Case, expected: str, error: BaseException) -> Report:
    """The report of an input on which the answer stopped with an error.

    The case's sentence may name what the answer stumbled over, an empty list for instance, but is not
    the reason. A name that is not there fails on every input: then the sentence would mislead.
    """
    reason = ("mind", case.because)
    if isinstance(error, NameError | ImportError) and not isinstance(error, UnboundLocalError):
        sentence = "your code stopped before it could be judged"
        if isinstance(error, NameError) and error.name:
            sentence += f": import or define `{error.name}` first"
        reason = ("because", sentence)
    return wrong(exercise, case, expected, f"it raised {describe(error)}", reason)


def wrong(
    exercise: Exercise, case: Case, expected: str, got: str, reason: tuple[str, str] | None = None
) -> Report:
    """The report of an input on which the answer fails; `reason` is a label and a sentence."""
    label, sentence = reason or ("because", case.because)
    details = [("input", case.call), ("expected", expected), ("got", got)]
    if sentence:
        details.append((label, sentence))
    return Report(exercise, WRONG, details)


def describe(error: BaseException) -> str:
    """For example "KeyError: 'x'"; only the first line of a long message."""
    first_line = str(error).strip().split("\n")[0][:160]
    name = type(error).__name__
    return f"{name}: {first_line}" if first_line else name
