"""`workbook demo` prints what its runs gave, beside the chapter's figures."""

import pytest

from lessons import demo
from toymodel import ModelMissing, SmallModel


@pytest.fixture(scope="module")
def toy_output():
    return "\n".join(demo.toy_lines())


def test_every_constrained_run_is_valid_and_no_other(toy_output):
    assert "200 of 200 valid (100%)  chapter: 200 of 200" in toy_output
    assert "  0 of 200 valid (0%)" in toy_output


def test_the_chapters_figures_stand_beside_ours(toy_output):
    assert "chapter: about 84%" in toy_output
    assert "The chapter reports about 62%" in toy_output
    assert "its objects take about 17 tokens" in toy_output


def test_the_freer_the_name_the_less_is_skipped(toy_output):
    lines = [line for line in toy_output.splitlines() if line.startswith("  name is ")]
    shares = [int(line.split("%")[0].split()[-1]) for line in lines]
    assert len(shares) == 3 and shares == sorted(shares, reverse=True)
    assert shares[0] > 75 > 50 > shares[2]


def test_with_a_budget_all_runs_end(toy_output):
    assert "still end in time, 200 of 200." in toy_output


def test_toy_leaves_the_small_model_out(monkeypatch, capsys):
    monkeypatch.setattr(demo, "RUNS", 2)
    monkeypatch.setattr(SmallModel, "load", None)
    assert demo.main(["--toy"]) == 0
    assert "SmolLM2" not in capsys.readouterr().out


def test_without_the_model_the_rest_is_printed_and_the_remedy(monkeypatch, capsys):
    def missing():
        raise ModelMissing("Run `workbook get-model`.")

    monkeypatch.setattr(demo, "RUNS", 2)
    monkeypatch.setattr(SmallModel, "load", missing)
    assert demo.main([]) == 1
    printed = capsys.readouterr()
    assert "2 of 2 valid" in printed.out and "workbook get-model" in printed.err


@pytest.mark.model
def test_one_object_of_the_small_model_with_its_cost():
    pytest.importorskip("torch")
    lines = list(demo.small_lines(SmallModel.load()))
    text = "\n".join(lines)
    assert demo.PROMPT in text and '"city": "Lisbon"' in text
    costs = [line for line in lines if "tokens in" in line]
    assert len(costs) == 3
    assert costs[0].strip().startswith("valid;") and "of the step time" in costs[0]
    assert " 0% skipped" not in costs[0] and " 0% skipped" in costs[1]
