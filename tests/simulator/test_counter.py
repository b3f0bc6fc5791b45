"""Valid of N seeds: counted in the background, told as it goes, stopped at once."""

import threading
import time

import pytest

from simulator.counter import SeedCounter


class Made:
    """A trace that is valid or not."""

    def __init__(self, valid: bool) -> None:
        self.valid = valid

    def is_valid(self, schema) -> bool:
        return self.valid


def made(constrained, seed, should_stop):
    return Made(constrained or seed % 4 == 0)


@pytest.fixture
def told():
    return []


def test_both_sides_are_counted_and_every_seed_is_told(told):
    counts = SeedCounter(told.append).count(made, None, 8)
    assert counts == {"done": 8, "total": 8, "constrained": 8, "free": 2, "running": False}
    assert [c["done"] for c in told] == [1, 2, 3, 4, 5, 6, 7, 8, 8]
    assert told[0]["running"] and told[-1] == counts


def test_a_count_can_be_stopped_and_another_started(told):
    def slow(constrained, seed, should_stop):
        time.sleep(0.005)
        return Made(True)

    counter = SeedCounter(told.append)
    counter.start(slow, None, 10_000)
    while not told:
        time.sleep(0.001)
    counter.stop()
    assert not told[-1]["running"] and told[-1]["done"] < 10_000
    counter.start(made, None, 3)
    while told[-1]["total"] != 3 or told[-1]["running"]:
        time.sleep(0.001)
    assert told[-1]["constrained"] == 3


def test_what_a_stop_cut_short_is_not_counted(told):
    stopped = threading.Event()

    def cut(constrained, seed, should_stop):
        stopped.set()
        while not should_stop():
            time.sleep(0.001)
        return Made(False)

    counter = SeedCounter(told.append)
    counter.start(cut, None, 5)
    stopped.wait(5)
    counter.stop()
    assert told[-1]["done"] == 0
