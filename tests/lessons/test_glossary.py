"""The glossary holds every lesson's words, and its notebook shows what the lessons say now."""

import nbformat
import pytest

from lessons.assemble import assemble
from lessons.check import check_notebooks
from lessons.glossary import Glossary, entries
from lessons.places import NOTEBOOKS, PAGES, SOURCES, chosen_sources, lesson_names


def stored():
    return nbformat.read(NOTEBOOKS / "glossary.ipynb", 4)


def test_every_row_of_every_lesson_is_in_it(lesson):
    table = (SOURCES / f"{lesson}.md").read_text(encoding="utf-8").partition("## Glossary")[2]
    rows = [line for line in table.split("\n") if line.startswith("| ")][2:]
    assert len(rows) >= 4
    assert len([entry for entry in entries() if entry.lesson == lesson]) == len(rows)


def test_words_are_sorted_and_whole():
    found = entries()
    assert [entry.plain for entry in found] == sorted(entry.plain for entry in found)
    for entry in found:
        assert entry.plain and entry.here and entry.meaning and "|" not in entry.meaning


def test_a_word_is_found_by_any_of_its_names():
    assert all("rollback" in entry.plain for entry in Glossary("ROLLBACK").entries)
    assert Glossary("rollback").entries
    assert [e.lesson for e in Glossary("is it legal? then move on").entries] == ["00_start_here"]
    assert "No such word" in repr(Glossary("zeppelin"))


def test_the_notebook_is_built_from_the_present_text():
    built = stored()
    assert [cell.source for cell in built.cells] == [cell.source for cell in assemble("glossary").cells]
    first = next(cell for cell in built.cells if cell.cell_type == "code")
    shown = first.outputs[0]["data"]["text/markdown"]
    assert shown == Glossary()._repr_markdown_(), "run `workbook build glossary`"


def test_its_links_lead_to_lessons():
    text = Glossary()._repr_markdown_()
    for name in lesson_names():
        assert f"({name}.ipynb)" in text


@pytest.mark.slow
def test_it_runs():
    code, found, text = check_notebooks([NOTEBOOKS / "glossary.ipynb"], ["--workbook-cells"])
    assert code == 0, text[-2000:]
    assert all(cell["passed"] for cell in found["cells"])


def test_build_without_names_builds_lessons_and_pages():
    assert chosen_sources([]) == [*lesson_names(), *PAGES]
    assert chosen_sources(["glossary", "1"]) == ["glossary", "01_fsm_masking"]
    with pytest.raises(ValueError, match="there is no lesson 'glossar'"):
        chosen_sources(["glossar"])
