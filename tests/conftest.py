"""For all tests: hypothesis draws the same examples on every run, so that a green run stays green.

New examples are the fuzzer's business (`python -m bench.fuzz`), whose findings become tests.
"""

from hypothesis import HealthCheck, settings

settings.register_profile(
    "workbook",
    derandomize=True,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("workbook")
