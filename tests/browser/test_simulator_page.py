"""The simulator's view in one offline page: mouse, keyboard, themes, size, odd tokens, audit."""

from importlib.resources import files

import numpy as np
import pytest

from simulator import Simulator
from tokenmask import GrammarCompiler, Step, Trace, Vocabulary, generate
from toymodel import UniformModel, toy_vocabulary

expect = pytest.importorskip("playwright.sync_api").expect

PAIR = {
    "type": "object",
    "properties": {"name": {"enum": ["Ada", "Lin"]}, "active": {"type": "boolean"}},
    "required": ["name", "active"],
    "additionalProperties": False,
}
ODD = [
    b"<script>alert(1)</script>",
    b"</script>",
    b'"',
    b"'",
    b"&amp;",
    b"\x00",
    b"\n",
    b"\x7f",
    "\u202eabc".encode(),  # right-to-left override
    "\u05e9\u05dc\u05d5\u05dd".encode(),  # a Hebrew word
    "\u200b".encode(),  # zero-width space
    b"\xe2\x82",  # two thirds of a character
    b"a\xff",
    "\u2028".encode(),
    b" ",
    b"",
    b"\xf0\x9f\x98\x80",
    b"constructor",
    b"__proto__",
    b"\\u0041",
]


def words_of(n: int, ids: list[int]) -> np.ndarray:
    """A mask of n tokens that allows `ids`."""
    flags = np.zeros(-(-n // 32) * 32, bool)
    flags[ids] = True
    return np.packbits(flags, bitorder="little").view("<u4").astype(np.uint32)


def made_trace(tokens: list[bytes], taken: list[int], allowed: list[int]) -> Trace:
    """A run that nobody made: it takes `taken`, with `allowed` legal at every step."""
    n = len(tokens)
    p = np.random.default_rng(0).dirichlet(np.full(n, 0.1)).astype(np.float32)
    top = [(int(i), float(p[i])) for i in np.argsort(-p)[:10]]
    steps = [
        Step(
            token,
            legal=token in allowed,
            mask=words_of(n, allowed),
            removed=0.5,
            top_before=top,
            top_after=[(i, q) for i, q in top if i in allowed],
            probabilities=p,
            describe="somewhere",
            stack=["<b>owed</b>"],
        )
        for token in taken
    ]
    return Trace(Vocabulary(tokens, eos_ids=()), None, "", True, 0, steps, "max_tokens")


@pytest.fixture
def show(new_page, tmp_path):
    """`show(simulator, width, dark)` -> a page with the simulator, offline."""

    def make(sim: Simulator, width: int = 1000, dark: bool = False):
        page = new_page(width, 1400, dark)
        page.goto(sim.to_html(tmp_path / "run.html").as_uri())
        expect(page.locator(".sim")).to_have_attribute("data-known", str(known(sim)))
        return page

    return make


def known(sim: Simulator) -> int:
    return max(len(side.frames) for side in sim._sides.values()) - 1


@pytest.fixture
def toy(show):
    sim = Simulator(schema=PAIR, seed=3)
    return lambda **options: show(sim, **options)


def position(page) -> int:
    return int(page.locator(".sim").get_attribute("data-position"))


def states(page) -> list[str]:
    return page.locator(".sim-chip").evaluate_all("chips => chips.map(c => c.dataset.state)")


def test_the_grid_shows_every_mask_as_python_has_it(toy):
    page = toy()
    compiled = GrammarCompiler(toy_vocabulary()).compile_json_schema(PAIR)
    trace = generate(UniformModel(seed=3), "", compiled, 48, seed=3)
    for i, step in enumerate(trace.steps, start=1):
        page.get_by_test_id("sim-step").click()
        allowed = {k for k in range(28) if step.mask[0] >> k & 1}
        seen = states(page)
        assert {k for k in range(28) if seen[k] != "masked"} == allowed, i
        assert seen[step.token] == ("forced" if step.forced else "drawn")
    expect(page.get_by_test_id("sim-verdict-constrained")).to_contain_text("✓ validates")


def test_masked_tokens_differ_by_more_than_colour(toy):
    page = toy()
    masked = page.locator(".sim-chip[data-state=masked]").first
    style = "e => { const s = getComputedStyle(e); return [s.borderStyle, s.backgroundImage] }"
    border, pattern = masked.evaluate(style)
    assert border == "dashed" and "gradient" in pattern
    decoration = masked.locator(".sim-text").evaluate("e => getComputedStyle(e).textDecorationLine")
    assert decoration == "line-through"
    assert "masked" in masked.get_attribute("aria-label")


def test_buttons_step_back_run_and_reset(toy):
    page = toy()
    for name, after in (("step", 1), ("step", 2), ("back", 1), ("reset", 0)):
        page.get_by_test_id(f"sim-{name}").click()
        assert position(page) == after
    page.get_by_test_id("sim-run").click()
    assert position(page) == int(page.locator(".sim").get_attribute("data-known"))
    expect(page.get_by_test_id("sim-step")).to_be_disabled()


def test_the_strip_is_a_slider_for_keys_and_mouse(toy):
    page = toy()
    strip = page.get_by_test_id("sim-strip")
    strip.focus()
    for key, after in (("ArrowRight", 1), ("ArrowUp", 2), ("ArrowLeft", 1), ("PageUp", 11), ("Home", 0)):
        page.keyboard.press(key)
        assert position(page) == after, key
        assert strip.get_attribute("aria-valuenow") == str(after)
    page.keyboard.press("End")
    assert position(page) == int(strip.get_attribute("aria-valuemax"))
    box = strip.bounding_box()
    steps = int(strip.get_attribute("aria-valuemax")) + 1
    page.mouse.click(box["x"] + min(28, box["width"] / steps) * 5.5, box["y"] + 20)
    assert position(page) == 5


def test_every_control_is_reached_by_tab_alone(toy):
    page = toy()
    seen = []
    for _ in range(40):
        page.keyboard.press("Tab")
        seen.append(page.evaluate("document.activeElement.dataset.testid ?? ''"))
    for name in ("sim-step", "sim-run", "sim-constrained", "sim-strip", "sim-grid", "sim-map-open"):
        assert name in seen


def test_the_live_line_says_each_step_in_words(toy):
    page = toy()
    line = page.get_by_test_id("sim-sentence")
    assert line.get_attribute("role") == "status" and line.get_attribute("aria-live") == "polite"
    page.get_by_test_id("sim-step").click()
    expect(line).to_have_text(
        "Step 1: 1 of 28 tokens is allowed; “{” was forced, a free jump forward. The output is not JSON yet."
    )


def test_the_switch_shows_the_same_seed_without_the_constraint(toy):
    page = toy()
    page.get_by_test_id("sim-step").click()
    assert "masked" in states(page)
    page.get_by_test_id("sim-constrained").focus()
    page.keyboard.press("Space")
    seen = states(page)
    assert "masked" not in seen and "loose" in seen
    assert page.locator(".sim").get_attribute("data-side") == "free"
    page.get_by_test_id("sim-run").click()
    first = page.locator(".sim-out[data-kind=first-illegal]")
    expect(first).to_have_count(1)
    expect(page.get_by_test_id("sim-verdict-free")).to_contain_text("left the schema at step")


def test_both_sides_stand_aligned_step_by_step(toy):
    page = toy()
    page.get_by_test_id("sim-run").click()
    third = page.locator(".sim-columns-out li").nth(2)
    boxes = [third.locator(".sim-out").nth(i).bounding_box() for i in (0, 1)]
    assert abs(boxes[0]["x"] - boxes[1]["x"]) < 1 and boxes[0]["y"] < boxes[1]["y"]
    forced = page.locator(".sim-out[data-kind=forced] .sim-text").first
    assert "underline" in forced.evaluate("e => getComputedStyle(e).textDecorationLine")


def test_the_grid_walks_by_arrow_keys_and_says_why(toy):
    page = toy()
    page.get_by_test_id("sim-step").click()
    page.get_by_test_id("sim-grid").focus()
    page.keyboard.press("ArrowRight")
    inspector = page.get_by_test_id("sim-inspector")
    expect(inspector).to_contain_text("#1")
    expect(inspector).to_contain_text("bytes 7d")
    expect(inspector).to_contain_text("✗ masked")
    page.keyboard.press("ArrowDown")
    expect(inspector).to_contain_text("#8")
    active = page.get_by_test_id("sim-grid").get_attribute("aria-activedescendant")
    assert page.locator(f"[id='{active}']").get_attribute("data-token") == "8"


def test_the_stack_of_what_is_owed_grows_and_shrinks(toy):
    page = toy()
    heights = []
    for _ in range(9):
        page.get_by_test_id("sim-step").click()
        heights.append(page.locator("[data-testid=sim-stack] li").count())
    assert min(heights) < max(heights)


@pytest.mark.parametrize("dark", [False, True])
def test_light_and_dark_follow_the_system_and_jupyterlab(toy, dark):
    page = toy(dark=dark)
    lightness = "() => Number(getComputedStyle(document.querySelector('.sim')).color.match(/[0-9]+/)[0])"
    assert (page.evaluate(lightness) > 128) == dark
    page.evaluate("light => document.body.dataset.jpThemeLight = light", "true" if dark else "false")
    assert (page.evaluate(lightness) > 128) != dark


def test_it_fits_a_screen_of_1000_pixels_and_a_narrow_one(toy):
    for width in (1000, 520):
        page = toy(width=width)
        assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_reduced_motion_is_respected(toy):
    page = toy()
    page.emulate_media(reduced_motion="reduce")
    page.get_by_test_id("sim-step").click()
    page.get_by_test_id("sim-step").click()
    moving = page.evaluate("document.getAnimations().filter(a => a.playState === 'running').length")
    assert moving == 0


def test_token_texts_are_data_and_nothing_in_them_is_hidden(show):
    tokens = ODD + [b"x%d" % i for i in range(8)]
    page = show(Simulator(trace=made_trace(tokens, list(range(len(tokens))), [0, 2, 11])))
    page.get_by_test_id("sim-run").click()
    texts = page.locator(".sim-chip .sim-text").all_text_contents()
    vocabulary = Vocabulary(tokens, eos_ids=())
    expected = [vocabulary.text(i).replace(" ", "␣") or "(empty)" for i in range(len(tokens))]
    assert texts == expected
    assert texts[0] == "<script>alert(1)</script>" and texts[11] == "\\xe2\\x82"
    assert page.locator(".sim script").count() == 0
    expect(page.get_by_test_id("sim-stack")).to_contain_text("<b>owed</b>")
    for text in texts:
        assert not any(ord(c) < 32 or 0x202A <= ord(c) <= 0x202E for c in text)


def big_page(show, n: int):
    random = np.random.default_rng(1)
    tokens = [random.bytes(3) + b"%d" % i for i in range(n - len(ODD))] + ODD
    return show(Simulator(trace=made_trace(tokens, [n - 1, 7, n - 3], [7, n - 1, n - 2]))), tokens


@pytest.mark.parametrize("n", [28, 49_152, 151_936])
def test_the_map_takes_28_to_151k_tokens(show, n):
    page, _ = big_page(show, n)
    if n == 28:
        page.get_by_test_id("sim-map-open").check()
    canvas = page.get_by_test_id("sim-map")
    expect(canvas).to_have_attribute("data-position", "0")
    page.get_by_test_id("sim-step").click()
    expect(canvas).to_have_attribute("data-position", "1")
    colours = canvas.evaluate(
        "c => new Set(new Uint32Array("
        "c.getContext('2d').getImageData(0, 0, c.width, c.height).data.buffer)).size"
    )
    assert colours > 8  # cells, tints, rings
    if n > 64:
        expect(page.get_by_test_id("sim-allowed")).to_contain_text("All that is allowed")


def test_the_map_is_walked_searched_and_zoomed_by_keyboard(show):
    page, tokens = big_page(show, 5000)
    page.get_by_test_id("sim-step").click()
    canvas, inspector = page.get_by_test_id("sim-map"), page.get_by_test_id("sim-inspector")
    canvas.focus()
    page.keyboard.press("Home")
    first = min(range(5000), key=lambda i: (tokens[i], i))
    expect(inspector).to_contain_text(f"#{first} ")
    page.keyboard.press("n")
    by_bytes = sorted((7, 4999, 4998), key=lambda i: tokens[i])
    expect(inspector).to_contain_text(f"#{by_bytes[0]} ")
    expect(inspector).to_contain_text("✓")
    page.keyboard.press("ArrowRight")
    expect(inspector).not_to_contain_text(f"#{by_bytes[0]} ")
    cell = int(canvas.get_attribute("data-cell"))
    page.keyboard.press("+")
    assert int(canvas.get_attribute("data-cell")) == 2 * cell
    page.keyboard.press("-")
    search = page.get_by_test_id("sim-search")
    search.fill("SCRIPT")
    expect(page.get_by_test_id("sim-found")).to_have_text("2 found")
    search.press("Enter")
    expect(inspector).to_contain_text("script>")
    page.get_by_test_id("sim-order").select_option("id")
    canvas.focus()
    page.keyboard.press("Home")
    expect(inspector).to_contain_text("#0 ")


def test_the_map_answers_to_the_mouse(show):
    page, _ = big_page(show, 5000)
    page.get_by_test_id("sim-order").select_option("id")
    canvas = page.get_by_test_id("sim-map")
    cell = int(canvas.get_attribute("data-cell"))
    canvas.hover(position={"x": 48 + 3.5 * cell, "y": 16 + 0.5 * cell})
    expect(page.get_by_test_id("sim-inspector")).to_contain_text("#3 ")
    canvas.dblclick(position={"x": 48 + 3.5 * cell, "y": 16 + 0.5 * cell})
    assert int(canvas.get_attribute("data-cell")) == 2 * cell


def audit(page) -> list[str]:
    """What axe-core has to say: rule and element of every violation."""
    page.evaluate(files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8"))
    result = page.evaluate("axe.run(document)")
    return [f"{v['id']}: {n['html'][:120]}" for v in result["violations"] for n in v["nodes"]]


@pytest.mark.parametrize("dark", [False, True])
def test_axe_finds_no_violation_in_the_toy(toy, dark):
    page = toy(dark=dark)
    assert audit(page) == []
    for _ in range(9):
        page.get_by_test_id("sim-step").click()
    page.get_by_test_id("sim-grid").focus()
    page.get_by_test_id("sim-map-open").check()
    assert audit(page) == []
    page.get_by_test_id("sim-constrained").focus()
    page.keyboard.press("Space")
    assert audit(page) == []


def test_axe_finds_no_violation_with_a_large_vocabulary(show):
    page, _ = big_page(show, 5000)
    page.get_by_test_id("sim-step").click()
    page.get_by_test_id("sim-map").focus()
    page.keyboard.press("n")
    assert audit(page) == []
