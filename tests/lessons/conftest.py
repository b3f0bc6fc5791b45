"""`lesson` and `exercise` as arguments of a test: it runs once for each of them that there is."""

from lessons.places import lesson_names
from lessons.registry import exercises_of


def pytest_generate_tests(metafunc):
    if "lesson" in metafunc.fixturenames:
        metafunc.parametrize("lesson", lesson_names())
    if "exercise" in metafunc.fixturenames:
        found = [exercise for name in lesson_names() for exercise in exercises_of(name)]
        names = [f"{e.lesson}-{e.number}-{e.names[0]}" for e in found]
        metafunc.parametrize("exercise", found, ids=names)
