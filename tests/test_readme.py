"""What README.md names is there, and its table of lessons is the lessons' own."""

import re
from importlib.util import find_spec
from pathlib import Path

import pytest

from lessons.cli import ELSEWHERE, HERE
from lessons.places import TITLES

REPO = Path(__file__).resolve().parents[1]
README = (REPO / "README.md").read_text(encoding="utf-8")
PAGES = {"README.md": README, "CONTRIBUTING.md": (REPO / "CONTRIBUTING.md").read_text(encoding="utf-8")}


def test_titles_and_minutes_are_those_of_the_lessons():
    rows = re.findall(r"^\| (\d\d) \| ([^|]+) \| (\d+) \|", README, re.M)
    assert [f"{number} {title}" for number, title, _ in rows] == list(TITLES.values())
    for name, (_, _, minutes) in zip(TITLES, rows):
        text = (REPO / f"lessons/{name}.md").read_text(encoding="utf-8")
        assert re.search(r"\*\*Time\*\* \| (\d+) minutes", text)[1] == minutes, name


@pytest.mark.parametrize("page", PAGES)
def test_every_command_exists(page):
    text = PAGES[page]
    commands = set(re.findall(r"`(?:python3 )?workbook(?:\.py)? ([a-z-]+)", text))
    commands |= set(re.findall(r"^(?:python3 )?workbook(?:\.py)? ([a-z-]+)", text, re.M))
    assert commands and commands <= {*HERE, *ELSEWHERE}
    for module in re.findall(r"`(?:python -m )?((?:bench|lessons)\.[a-z]+)\b(?!\.md)", text):
        assert find_spec(module), module


def anchors(page: str) -> set[str]:
    """The names of a page's headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.+)$", page, re.M)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("own", PAGES)
def test_every_link_leads_somewhere(own):
    for target in re.findall(r"\]\(([^)]+)\)", PAGES[own]):
        path, _, anchor = target.partition("#")
        assert not path or (REPO / path).exists(), target
        assert not anchor or anchor in anchors(PAGES[path or own]), target


def test_the_code_in_the_readme_names_what_there_is():
    (code,) = re.findall(r"^```python\n(.*?)^```$", README, re.M | re.S)
    for module, names in re.findall(r"^from (\S+) import (.+)$", code, re.M):
        path = Path(find_spec(module).origin)
        assert all(name.strip() in path.read_text(encoding="utf-8") for name in names.split(","))
