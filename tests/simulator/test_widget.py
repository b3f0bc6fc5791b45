"""The widget's Python side: traits, runs, errors, and what it says of itself."""

import base64
import struct
import threading
import time

import pytest

from simulator import SCHEMAS, Simulator
from tokenmask import GrammarCompiler, generate
from toymodel import MostlyLegalModel, UniformModel, toy_vocabulary

PAIR = {
    "type": "object",
    "properties": {"name": {"enum": ["Ada", "Lin"]}, "active": {"type": "boolean"}},
    "required": ["name", "active"],
    "additionalProperties": False,
}


@pytest.fixture
def sim():
    made = Simulator(schema=PAIR, seed=3)
    yield made
    made.close()


def a_trace(**options):
    compiled = GrammarCompiler(toy_vocabulary()).compile_json_schema(PAIR)
    return generate(UniformModel(), "", compiled, 40, **options)


def test_before_the_first_step_it_says_what_may_come(sim):
    assert sim.position == 0 and sim.status == "ready" and sim.output() == ""
    assert repr(sim).startswith("Simulator(model uniform, seed 3, constraint on). Before the first")
    assert "1 of 28 tokens is allowed" in repr(sim)


def test_step_and_back_move_and_forget_nothing(sim):
    sim.step(3)
    assert sim.position == 3 and sim.output() == '{"name'
    sim.back()
    assert sim.position == 2 and sim.output() == '{"'
    sim.step()
    assert sim.output() == '{"name'


def test_a_run_ends_valid_and_its_trace_is_the_one_generate_makes(sim):
    sim.run()
    compiled = GrammarCompiler(toy_vocabulary()).compile_json_schema(PAIR)
    alone = generate(UniformModel(seed=3), "", compiled, 48, seed=3)
    assert sim.status == "done"
    assert sim.trace.token_ids == alone.token_ids
    assert sim.trace.is_valid(PAIR) and sim.output() == alone.text


def test_the_other_side_has_the_same_seed_and_no_constraint(sim):
    sim.run()
    sim.constrained = False
    compiled = GrammarCompiler(toy_vocabulary()).compile_json_schema(PAIR)
    alone = generate(UniformModel(seed=3), "", compiled, 48, seed=3, constrained=False)
    assert sim.trace.token_ids == alone.token_ids
    assert sim.trace.first_illegal is not None


def test_stepping_gives_the_same_run_as_running(sim):
    while sim.status != "done":
        sim.step()
    stepped = [frame.facts["token"] for frame in sim._frames()[1:]]
    sim.reset()
    sim.run()
    assert sim.trace.token_ids == stepped


def test_reset_forgets_the_run(sim):
    sim.run()
    sim.reset()
    assert (sim.position, sim.status, sim.output()) == (0, "ready", "")


@pytest.mark.parametrize(
    ("name", "value"),
    [("seed", 4), ("temperature", 0.0), ("max_tokens", 5), ("jump_forward", False)],
)
def test_a_changed_setting_starts_a_new_run(sim, name, value):
    sim.run()
    setattr(sim, name, value)
    assert sim.position == 0 and sim.status == "ready"


def test_jump_forward_off_takes_the_same_steps_none_of_them_free(sim):
    sim.jump_forward = False
    sim.run()
    assert not any(frame.facts["forced"] for frame in sim._frames()[1:])
    assert sim.trace.is_valid(PAIR)


def test_with_a_budget_every_run_ends_valid_within_it():
    sim = Simulator(schema=PAIR, max_tokens=20, budget=True)
    for seed in range(5):
        sim.seed = seed
        sim.run()
        assert sim.trace.is_valid(PAIR) and len(sim.trace.steps) <= 20


def test_greedy_the_seed_still_decides_what_a_random_model_says():
    outputs = set()
    sim = Simulator(schema=PAIR, temperature=0.0)
    for seed in range(8):
        sim.seed = seed
        sim.run()
        outputs.add(sim.output())
    assert len(outputs) > 1


def test_a_schema_is_taken_as_dict_text_name_or_nothing():
    assert Simulator(schema='{"type": "null"}').schema == '{"type": "null"}'
    assert Simulator(schema="person").schema == Simulator().schema
    assert Simulator(schema={"const": 1}).schema == '{\n  "const": 1\n}'


@pytest.mark.parametrize("name", SCHEMAS)
def test_every_schema_on_the_list_compiles_or_says_that_the_toy_cannot_spell_it(name):
    sim = Simulator(schema=name)
    sim.step()
    if "real" in name:
        assert sim.errors  # the toy vocabulary has no "city"
    else:
        assert not sim.errors and sim.position == 1


@pytest.mark.parametrize(
    ("text", "keyword", "pointer", "words"),
    [
        ('{"type": "strin"}', "type", "", "strin"),
        ('{"properties": {"a": {"minItems": "x"}}}', "minItems", "/properties/a", "minItems"),
        ('{"type": ', "", "", "not JSON"),
        ("nonsense", "", "", "not JSON"),
    ],
)
def test_a_wrong_schema_is_an_error_at_its_field_with_keyword_and_pointer(sim, text, keyword, pointer, words):
    sim.schema = text
    assert sim.status == "error"
    error = sim.errors["schema"]
    assert error["keyword"] == keyword and error["pointer"].startswith(pointer)
    assert words in error["message"] and words in repr(sim)
    sim.schema = PAIR
    assert sim.errors == {} and sim.status == "ready"


def test_an_unknown_model_name_is_refused_at_once():
    with pytest.raises(ValueError, match="uniform, mostly-legal, small"):
        Simulator(model="huge")


def test_a_model_object_is_taken_as_it_is():
    sim = Simulator(MostlyLegalModel(1.0), PAIR)
    sim.run()
    assert "model MostlyLegalModel" in repr(sim)
    assert sim._sides["free"].frames[-1].facts["verdict"]["validates"]


def test_a_model_that_fails_is_told_and_not_raised(sim):
    class Broken(UniformModel):
        def extend(self, ids):
            raise RuntimeError("out of memory")

    broken = Simulator(Broken(), PAIR, jump_forward=False)
    broken.run()
    assert "out of memory" in broken.errors["run"]["message"]


def test_a_replay_steps_through_a_trace_and_runs_nothing():
    trace = a_trace(seed=1)
    sim = Simulator(trace=trace)
    before = threading.active_count()
    sim.run()
    assert sim.position == len(trace.steps) and sim.output() == trace.text
    assert threading.active_count() == before and not sim.live
    sim.reset()
    assert sim.position == 0 and "1 of 28 tokens is allowed" in repr(sim)


def test_a_replay_of_a_pair_shows_both_sides():
    traces = a_trace(seed=1), a_trace(seed=1, constrained=False)
    sim = Simulator(trace=traces)
    assert set(sim._sides) == {"constrained", "free"}
    assert sim.trace is traces[0]


def test_count_says_how_many_seeds_are_valid_on_each_side(sim):
    counts = sim.count(12)
    assert counts == {"done": 12, "total": 12, "constrained": 12, "free": 0, "running": False}


def test_repr_is_the_same_for_the_same_state(sim):
    other = Simulator(schema=PAIR, seed=3)
    for one in (sim, other):
        one.step(5)
    assert repr(sim) == repr(other) and "0x" not in repr(sim)


def test_where_no_widget_draws_there_are_a_sentence_and_a_small_picture(sim):
    sim.step(2)
    data, _ = sim._repr_mimebundle_()
    assert data["text/plain"] == repr(sim)
    png = base64.b64decode(data["image/png"])
    width, height = struct.unpack(">II", png[16:24])
    assert png[:8] == b"\x89PNG\r\n\x1a\n" and width <= 700 and height <= 400 and len(png) < 5000


def test_steps_asked_by_the_view_do_not_wait(sim):
    sim._on_message(sim, {"do": "step", "to": 2}, [])
    until = time.monotonic() + 5
    while sim.position != 2 and time.monotonic() < until:
        time.sleep(0.01)
    assert sim.position == 2 and sim.status == "held"


def test_who_steps_back_in_mid_run_is_not_pulled_along():
    class Slow(UniformModel):
        def extend(self, ids):
            time.sleep(0.01)
            return super().extend(ids)

    sim = Simulator(Slow(), PAIR, jump_forward=False)
    sim._on_message(sim, {"do": "run"}, [])
    until = time.monotonic() + 5
    while sim.position < 4 and time.monotonic() < until:
        time.sleep(0.005)
    sim.position = 1  # as the view does it
    time.sleep(0.1)
    assert sim.position == 1 and len(sim._frames()) > 5
    sim.close()


def test_the_frames_of_both_sides_go_out_together(sim):
    sent = []
    sim.send = lambda content, buffers=None: sent.append((content, buffers))
    for _ in range(3):
        sim.step()
    assert [content["position"] for content, _ in sent] == [1, 2, 3]
    for content, buffers in sent:
        assert sorted(frame["side"] for frame in content["frames"]) == ["constrained", "free"]
        assert len(buffers) == 2 * len(content["frames"])


def test_the_view_is_told_why_a_token_is_masked(sim):
    sent = []
    sim.send = lambda content, buffers=None: sent.append(content)
    sim._on_message(sim, {"do": "explain", "side": "constrained", "index": 0, "token": 1}, [])
    assert sent[0]["kind"] == "why" and sent[0]["token"] == 1 and "}" in sent[0]["text"]


def test_an_unknown_message_is_ignored(sim):
    sim._on_message(sim, {"do": "explode"}, [])
    sim._on_message(sim, {}, [])
    assert sim.status == "ready"


def test_a_setting_changed_in_mid_run_leaves_no_frame_of_the_old_run_behind():
    class Slow(UniformModel):
        def extend(self, ids):
            time.sleep(0.01)
            return super().extend(ids)

    sim = Simulator(Slow(), PAIR, jump_forward=False)
    sim._on_message(sim, {"do": "run"}, [])
    time.sleep(0.05)
    sim.seed = 9
    time.sleep(0.1)
    assert sim.position == 0 and len(sim._frames()) == 1
