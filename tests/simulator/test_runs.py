"""A run in its thread goes only as far as it may, can be held, stopped, and tells what failed."""

import threading
import time
from math import inf

import pytest

from simulator.runs import GatedRun


def counting(total: int):
    """Work of `total` steps."""

    def work(on_step, should_stop):
        for i in range(total):
            if should_stop():
                return "stopped"
            on_step(i)
        return "done"

    return work


@pytest.fixture
def told():
    return []


def make(work, told) -> GatedRun:
    return GatedRun(work, lambda run, step: told.append(step))


def test_nothing_runs_before_it_is_allowed(told):
    make(counting(5), told)
    assert told == []


def test_it_makes_exactly_the_steps_allowed(told):
    run = make(counting(5), told)
    run.allow(2)
    assert run.wait(2, timeout=5)
    time.sleep(0.05)  # it would go on now if it could
    assert told == [0, 1] and not run.finished
    run.allow(3)
    assert run.wait(3, timeout=5) and told == [0, 1, 2]
    run.stop()


def test_to_infinity_it_runs_to_its_end_and_keeps_the_trace(told):
    run = make(counting(5), told)
    run.allow(inf)
    assert run.wait(inf, timeout=5)
    assert (run.trace, told) == ("done", [0, 1, 2, 3, 4, None])


def test_hold_pauses_and_allow_goes_on(told):
    held = threading.Event()
    run = GatedRun(counting(1000), lambda run, step: (told.append(step), held.wait(0.001)))
    run.allow(inf)
    run.wait(5, timeout=5)
    run.hold()
    time.sleep(0.05)
    count = len(told)
    time.sleep(0.05)
    assert len(told) == count < 1000 and not run.finished
    run.allow(inf)
    assert run.wait(inf, timeout=10) and run.trace == "done"


def test_stop_ends_a_run_that_waits_at_the_gate(told):
    run = make(counting(5), told)
    run.allow(1)
    run.wait(1, timeout=5)
    run.stop()
    assert run.wait(inf, timeout=5) and run.trace == "stopped"
    run.join()
    assert not [t for t in threading.enumerate() if t is run._thread]


def test_an_error_in_the_run_is_kept_not_lost(told):
    def work(on_step, should_stop):
        raise ValueError("no such token")

    run = make(work, told)
    run.allow(1)
    assert run.wait(1, timeout=5)
    assert str(run.error) == "no such token" and told == [None]
