// What was written, token by token: the same seed with and without the constraint, side by side.

const NAMES = { constrained: "with the constraint", free: "without it" };

function outputPanel(app) {
  const columns = h("ol.sim-columns-out", { "aria-label": "Tokens, step by step" });
  const rows = h("div.sim-rows", { "aria-hidden": "true" });
  const verdicts = h("div.sim-verdicts", { "data-testid": "sim-verdicts" });
  const element = h(
    "section.sim-output",
    { "aria-label": "Output" },
    h("h2", {}, "Same seed, step by step"),
    h("div.sim-aligned", {}, rows, columns),
    verdicts,
  );
  let made = 0,
    run = null,
    shownTo = 0,
    sides = "";

  function draw({ position }) {
    const store = app.store;
    const present = ["constrained", "free"].filter((side) => side in store.sides);
    if (run !== store.run || sides !== present.join()) {
      columns.replaceChildren();
      rows.replaceChildren(
        ...present.map((side) => h("span", {}, { constrained: "with", free: "without" }[side])),
      );
      [made, shownTo, run, sides] = [0, 0, store.run, present.join()];
    }
    for (; made < store.length; made++) columns.append(column(store, present, made + 1));
    refill(store, present);
    const [low, high] = [Math.min(position, shownTo), Math.max(position, shownTo)];
    for (let i = low; i < high && i < made; i++) columns.children[i].hidden = i >= position;
    if (shownTo && columns.children[shownTo - 1]) columns.children[shownTo - 1].classList.remove("sim-now");
    if (position && columns.children[position - 1]) columns.children[position - 1].classList.add("sim-now");
    shownTo = position;
    verdicts.replaceChildren(...present.map((side) => verdict(store, side, position)));
  }

  function column(store, present, step) {
    const cells = present.map(() => h("span.sim-out.sim-blank", {}, ""));
    return h(
      "li",
      { hidden: true, "data-step": step },
      h("span.sim-number", { "aria-hidden": "true" }, String(step)),
      ...cells,
    );
  }

  /** A side may reach a step later than the other: fill what has come since. */
  function refill(store, present) {
    present.forEach((side, row) => {
      const frames = store.frames(side),
        illegal = firstIllegal(frames);
      const from = Number(columns.dataset[side] ?? 1);
      const start =
        columns.children.length && columns.children[0].children[row + 1].classList.contains("sim-blank")
          ? 1
          : from;
      for (let step = start; step < frames.length; step++) {
        const cell = columns.children[step - 1].children[row + 1];
        if (cell.classList.contains("sim-blank"))
          cell.replaceWith(piece(store, side, frames[step].facts, step === illegal));
      }
      columns.dataset[side] = frames.length;
    });
  }

  function piece(store, side, facts, first) {
    const kind = facts.forced ? "forced" : facts.legal ? "sampled" : first ? "first-illegal" : "outside";
    const words = {
      forced: "forced, free",
      sampled: "",
      "first-illegal": "first token that leaves the schema",
      outside: "after the output left the schema",
    }[kind];
    const sign = { forced: "\u00bb", "first-illegal": "\u2717" }[kind] ?? "";
    return h(
      `span.sim-out.sim-${side}`,
      { "data-kind": kind, "data-token": facts.token, title: words || null },
      h("bdi.sim-text", {}, store.vocabulary.text(facts.token)),
      sign ? h("span.sim-sign", { "aria-hidden": "true" }, sign) : null,
      words ? h("span.sim-hidden", {}, ` (${NAMES[side]}: ${words})`) : null,
    );
  }

  function verdict(store, side, position) {
    const frames = store.frames(side),
      here = Math.min(position, frames.length - 1);
    const { verdict } = frames[here]?.facts ?? {};
    const illegal = firstIllegal(frames);
    const reached = illegal !== null && illegal <= position;
    const free = frames.slice(1, here + 1).filter(({ facts }) => facts.forced).length;
    const ended = store.sides[side].finished && here === frames.length - 1;
    // before its end an output is only unfinished, not wrong
    const mark = (good, yes, no) =>
      good
        ? h("b", { "data-good": "true" }, `\u2713 ${yes}`)
        : ended
          ? h("b", { "data-good": "false" }, `\u2717 ${no}`)
          : h("b", { "data-good": "open" }, `\u25cb ${no} yet`);
    return h(
      "p.sim-verdict",
      { "data-side": side, "data-testid": `sim-verdict-${side}` },
      h("span.sim-side", {}, NAMES[side]),
      verdict ? mark(verdict.parses, "parses", "does not parse") : h("b", {}, "nothing yet"),
      verdict ? mark(verdict.validates, "validates", "does not validate") : null,
      here
        ? h(
            "span",
            {},
            `${count(here)} ${here === 1 ? "token" : "tokens"}${side === "constrained" && here ? `, ${count(free)} of them free` : ""}${ended ? ", ended" : ""}`,
          )
        : null,
      reached ? h("span.sim-left", {}, `left the schema at step ${illegal}`) : null,
      ended && !reached && verdict && !verdict.validates && verdict.why
        ? h("span.sim-because", {}, verdict.why)
        : null,
    );
  }
  return { element, draw };
}

/** The step at which a side first took a token that the schema forbids, or null. */
function firstIllegal(frames) {
  const at = frames.findIndex(({ facts }) => facts.token !== undefined && !facts.legal);
  return at < 0 ? null : at;
}

/** Valid of N seeds, with a bar for each side. */
function counterPanel(app) {
  const { model } = app;
  const total = h("input", {
    type: "number",
    min: 1,
    max: 10000,
    step: 1,
    value: 200,
    id: app.id("total"),
    "data-testid": "sim-count-total",
  });
  const button = h(
    "button.sim-button",
    { type: "button", "data-testid": "sim-count", click: () => app.count(Number(total.value)) },
    "Count valid outputs",
  );
  const rows = Object.entries(NAMES).map(([side, name]) => {
    const bar = h("progress", { max: 1, value: 0, "aria-label": `Valid ${name}` });
    const text = h("span.sim-tally", { "data-testid": `sim-count-${side}` });
    return { side, bar, text, row: h("div.sim-count-row", {}, h("span.sim-side", {}, name), bar, text) };
  });
  const table = h("div", { hidden: true }, ...rows.map(({ row }) => row));
  const element = h(
    "section.sim-counter",
    { "aria-label": "Valid of many seeds" },
    h("div.sim-row", {}, h("label", { for: total.id }, "Seeds"), total, button),
    table,
  );

  function draw() {
    const counts = model.get("counter");
    element.hidden = !app.live && !counts.total;
    table.hidden = !counts.total;
    say(button, counts.running ? "Stop counting" : "Count valid outputs");
    for (const { side, bar, text } of rows) {
      bar.max = counts.total || 1;
      bar.value = counts[side] || 0;
      say(
        text,
        counts.total
          ? `${count(counts[side])} of ${count(counts.done)} valid${counts.running ? ` (${count(counts.total)} to do)` : ""}`
          : "",
      );
    }
  }
  model.on("change:counter", draw);
  return { element, draw };
}
