// Step, back, run, reset, the constraint's switch, and the sentence that says each step.

function transportPanel(app) {
  const { model } = app;
  const button = (name, label, sign, action) =>
    h(
      "button.sim-button",
      { type: "button", "data-testid": `sim-${name}`, click: action },
      h("span", { "aria-hidden": "true" }, sign),
      h("span.sim-label", {}, label),
    );
  const reset = button("reset", "Reset", "\u21ba", () => app.reset());
  const back = button("back", "Back", "\u2190", () => app.back());
  const step = button("step", "Step", "\u2192", () => app.step());
  const run = button("run", "Run", "\u25b6", () => app.toggleRun());
  step.classList.add("sim-primary");
  const constraint = h("input", {
    type: "checkbox",
    role: "switch",
    "data-testid": "sim-constrained",
    change: () => app.keep("constrained", constraint.checked),
  });
  const numbers = h("p.sim-numbers", { "data-testid": "sim-numbers" });
  // what a screen reader is told: quiet while tokens stream in, the last one at the end
  const sentence = h("p.sim-sentence", {
    role: "status",
    "aria-live": "polite",
    "data-testid": "sim-sentence",
  });

  function draw({ frame, frames, position, side }) {
    const { running } = app;
    const [sign, label] = run.children;
    say(sign, running ? "\u25a0" : "\u25b6");
    say(label, running ? "Stop" : "Run");
    back.disabled = reset.disabled = position === 0;
    reset.disabled = position === 0 && app.store.length === 0;
    step.disabled = !app.canStep;
    run.disabled = !running && !app.canStep;
    constraint.checked = side === "constrained";
    constraint.disabled = Object.keys(app.store.sides).length < 2;
    sentence.setAttribute("aria-live", running ? "off" : "polite");
    numbers.replaceChildren(...(frame ? figures(app, frame, frames, position) : []));
    say(sentence, app.message || waiting(model) || (frame ? frame.facts.say : ""));
  }

  const row = h(
    "div.sim-transport",
    { role: "toolbar", "aria-label": "Run" },
    reset,
    back,
    step,
    run,
    h("label.sim-switch", {}, constraint, h("span.sim-knob", { "aria-hidden": "true" }), "Constraint"),
    numbers,
  );
  return { element: h("section", { "aria-label": "Controls" }, row, sentence), draw };
}

function waiting(model) {
  if (model.get("status") === "loading") return "The model is being loaded.";
  return model.get("status") === "error" ? "There is nothing to run: see the settings." : "";
}

/** Step 3 of 14 | 1 of 28 allowed | 9 free */
function figures(app, frame, frames, position) {
  const shown = frames.slice(1, position + 1);
  const free = shown.filter(({ facts }) => facts.forced).length;
  const ended = app.store.sides[app.side].finished;
  const figure = (name, value, rest) => h("span", {}, `${name} `, h("b", {}, value), rest);
  const parts = [
    figure(
      "step",
      count(Math.min(position, frames.length - 1)),
      ended ? ` of ${count(frames.length - 1)}` : "",
    ),
  ];
  if (frame.facts.allowed !== null)
    parts.push(figure("allowed", count(frame.facts.allowed), ` of ${count(app.store.vocabulary.n)}`));
  if (app.side === "constrained")
    parts.push(
      figure(
        "free jumps",
        count(free),
        shown.length ? ` (${Math.round((100 * free) / shown.length)} %)` : "",
      ),
    );
  return parts;
}
