"""A pytest plugin for CI: a test that is skipped for want of something CI has to bring, fails.

A browser, the small model, a package: `.ci/run` and `workbook.py` install them, so their absence is
a fault there. What CI need not have (measuring data, other Pythons, another system) may be skipped.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

DATA = Path(os.environ.get("TOKENMASK_DATA", Path(__file__).resolve().parents[2] / "shared" / "data"))
MAY_BE_MISSING = ("TOKENMASK_DATA", "another Python", "on this system")


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item):
    """Before anybody counts it: a forbidden skip becomes a failure."""
    outcome = yield
    _judge(outcome.get_result())


@pytest.hookimpl(hookwrapper=True)
def pytest_make_collect_report(collector: pytest.Collector):
    """The same while collecting."""
    outcome = yield
    _judge(outcome.get_result())


def _judge(report) -> None:
    if report.outcome != "skipped" or hasattr(report, "wasxfail"):
        return
    reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    if any(words in reason for words in MAY_BE_MISSING):
        return
    if "got empty parameter set" in reason and not DATA.is_dir():
        return  # a test with a case for each line of measuring data
    report.outcome = "failed"
    report.longrepr = f"{report.nodeid}: skipped, which is not allowed under CI ({reason})"
