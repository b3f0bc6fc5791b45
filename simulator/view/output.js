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
  let made, filled, run, sides, shownTo; // columns, cells per side; whose they are; how far they show

  function draw({ position }) {
    const store = app.store;
    const present = ["constrained", "free"].filter((side) => side in store.sides);
    if (run !== store.run || sides !== present.join()) {
      columns.replaceChildren();
      rows.replaceChildren(
        ...present.map((side) => h("span", {}, { constrained: "with", free: "without" }[side])),
      );
      [made, filled, shownTo, run, sides] = [0, {}, 0, store.run, present.join()];
    }
    for (; made < store.length; made++) columns.append(column(store, present, made + 1));
    fill(store, present);
    const [low, high] = [Math.min(position, shownTo), Math.max(position, shownTo)];
    for (let i = low; i < high && i < made; i++) columns.children[i].hidden = i >= position;
    if (shownTo && columns.children[shownTo - 1]) columns.children[shownTo - 1].classList.remove("sim-now");
    if (position && columns.children[position - 1]) columns.children[position - 1].classList.add("sim-now");
    shownTo = Math.min(position, made); // the position may be here before the steps: they show when they come
    verdicts.replaceChildren(...present.map((side) => verdictLine(store, side, position)));
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
  function fill(store, present) {
    present.forEach((side, row) => {
      const frames = store.frames(side);
      const illegal = firstIllegal(frames);
      for (let step = filled[side] ?? 1; step < frames.length; step++) {
        const cell = columns.children[step - 1].children[row + 1];
        cell.replaceWith(piece(store, side, frames[step].facts, step === illegal));
      }
      filled[side] = frames.length;
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

  return { element, draw };
}

/** One side's line: does it parse, does it validate, how long, and where it left the schema. */
function verdictLine(store, side, position) {
  const frames = store.frames(side);
  const here = Math.min(position, frames.length - 1);
  const { verdict } = frames[here].facts;
  const illegal = firstIllegal(frames);
  const left = illegal !== null && illegal <= position;
  const ended = store.sides[side].finished && here === frames.length - 1;
  const parts = [h("span.sim-side", {}, NAMES[side])];
  if (verdict) {
    parts.push(mark(verdict.parses, ended, "parses", "does not parse"));
    parts.push(mark(verdict.validates, ended || left, "validates", "does not validate"));
    parts.push(h("span", {}, lengthInWords(frames.slice(1, here + 1), side) + (ended ? ", ended" : "")));
  } else {
    parts.push(h("span", {}, "nothing yet"));
  }
  if (left) parts.push(h("span.sim-left", {}, `left the schema at step ${illegal}`));
  else if (ended && verdict?.why) parts.push(h("span.sim-because", {}, verdict.why));
  return h("p.sim-verdict", { "data-side": side, "data-testid": `sim-verdict-${side}` }, ...parts);
}

/** Yes, no, or not yet: before its end an output is only unfinished, not wrong. */
function mark(good, settled, yes, no) {
  if (good) return h("b", { "data-good": "true" }, `\u2713 ${yes}`);
  if (settled) return h("b", { "data-good": "false" }, `\u2717 ${no}`);
  return h("b", { "data-good": "open" }, `\u25cb ${no} yet`);
}

function lengthInWords(frames, side) {
  const free = frames.filter(({ facts }) => facts.forced).length;
  const tokens = `${count(frames.length)} ${frames.length === 1 ? "token" : "tokens"}`;
  return side === "constrained" ? `${tokens}, ${count(free)} of them free` : tokens;
}

/** The step at which a side first took a token that the schema forbids, or null. */
function firstIllegal(frames) {
  const at = frames.findIndex(({ facts }) => facts.token !== undefined && !facts.legal);
  return at < 0 ? null : at;
}
