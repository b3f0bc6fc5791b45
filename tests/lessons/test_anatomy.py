"""Every lesson has the same parts in the same order, short cells, and reasons for its answers."""

import re

import pytest

from lessons.answers import assembled
from lessons.assemble import tags
from lessons.places import TITLES
from lessons.registry import exercises_of, questions_of

HEADER = ("You will build", "Prerequisites", "Time", "Difficulty", "Needs")
LAST_SECTIONS = ("## Simulator", "## Quiz", "## Summary", "## Glossary")
LONGEST_CODE = 20
LONGEST_PARAGRAPH = 60


def markdown(lesson):
    return [cell for cell in assembled(lesson[:2]).cells if cell.cell_type == "markdown"]


def code(lesson):
    return [cell for cell in assembled(lesson[:2]).cells if cell.cell_type == "code"]


def heading_lines(lesson):
    text = "\n".join(cell.source for cell in markdown(lesson))
    text = re.sub(r"```.*?```", "", text, flags=re.DOTALL)
    return [line for line in text.split("\n") if re.match("#+ ", line)]


def test_the_header(lesson):
    first = markdown(lesson)[0].source
    assert first.startswith(f"# {TITLES[lesson]}\n")
    assert all(f"**{word}**" in first for word in HEADER)


def test_the_last_sections_in_order(lesson):
    lines = heading_lines(lesson)
    places = [next(i for i, line in enumerate(lines) if line.startswith(s)) for s in LAST_SECTIONS]
    assert places == sorted(places)


def test_exercises_are_numbered_in_order(lesson):
    wanted = [exercise.number for exercise in exercises_of(lesson)]
    lines = heading_lines(lesson)
    asked = [m[1] for m in (re.match(r"### Exercise (\d+\.\d+): ", line) for line in lines) if m]
    assert wanted == asked
    for tag in ("exercise", "solution", "check"):
        found = [c.metadata["exercise"] for c in code(lesson) if tag in tags(c)]
        assert found == wanted, tag


def test_code_cells_are_short(lesson):
    for cell in code(lesson):
        lines = cell.source.count("\n") + 1
        assert lines <= LONGEST_CODE or "solution" in tags(cell), cell.source


def paragraphs(text):
    """Paragraphs of prose: no tables, lists, headings or code."""
    text = re.sub(r"```.*?```", "", text, flags=re.DOTALL)
    for block in re.split(r"\n\s*\n", text):
        if block.strip() and block.strip()[0] not in "|-#<>0123456789":
            yield block.strip()


def test_paragraphs_are_short(lesson):
    for cell in markdown(lesson):
        for paragraph in paragraphs(cell.source):
            assert len(paragraph.split()) <= LONGEST_PARAGRAPH, paragraph


def test_predict_run_explain(lesson):
    text = "\n".join(cell.source for cell in markdown(lesson))
    assert text.count("**Predict.**") >= 3


def test_a_simulator_cell(lesson):
    cells = assembled(lesson[:2]).cells
    start = next(i for i, c in enumerate(cells) if c.source.startswith("## Simulator"))
    end = next(i for i, c in enumerate(cells) if c.source.startswith("## Quiz"))
    assert any("Simulator(" in cell.source for cell in cells[start:end])


def test_the_quiz_has_a_reason_for_every_answer(lesson):
    questions = questions_of(lesson)
    assert len(questions) >= 6
    for question in questions:
        assert len(question.wrong) >= 2, question.text
        pairs = [question.right, *question.wrong]
        assert len({text for text, _ in pairs}) == len(pairs), question.text
        assert len({why for _, why in pairs}) == len(pairs), question.text
        assert all(len(why) > 15 for _, why in pairs), question.text
        assert all(piece.count("`") % 2 == 0 for pair in pairs for piece in pair), question.text
    assert any(f'quiz("{lesson[:2]}")' in cell.source for cell in code(lesson))


def test_the_glossary_gives_production_names(lesson):
    text = next(c.source for c in markdown(lesson) if c.source.startswith("## Glossary"))
    rows = [line for line in text.split("\n") if line.startswith("|")]
    assert len(rows) >= 4
    assert "in production" in rows[0]


def test_figures_say_what_they_show(lesson):
    for cell in code(lesson):
        drawn = "new_figure(" in cell.source or "plt." in cell.source
        assert drawn == ("figure" in tags(cell)), cell.source
        if drawn:
            assert "alt=" in cell.source and "says=" in cell.source, cell.source


def test_cells_that_depend_on_the_machine_say_why_and_assert_a_property(lesson):
    cells = code(lesson)
    for i, cell in enumerate(cells):
        if "machine" in tags(cell):
            assert len(cell.metadata.get("reason", "")) > 10, cell.source
            assert any("assert " in c.source for c in cells[i : i + 3]), cell.source


def test_no_cell_takes_the_learners_names(lesson):
    for cell in code(lesson):
        if not {"exercise", "solution", "check"} & set(tags(cell)):
            assert not re.search(r"from lessons\.pieces\.l\d\d import", cell.source), cell.source


def test_cell_ids_are_different(lesson):
    ids = [cell.id for cell in assembled(lesson[:2]).cells]
    assert len(set(ids)) == len(ids)


@pytest.mark.parametrize("part", ["hints", "folded"])
def test_hints_and_solution_are_folded_text(lesson, part):
    found = [c for c in markdown(lesson) if c.metadata.get("part") == part]
    assert len(found) == len(exercises_of(lesson))
    for cell in found:
        assert cell.source.count("<details>") == cell.source.count("</details>") >= 1
