// Where the run is: the state in words, the stack of what is owed, the ten likeliest tokens.

function statePanel() {
  const words = h("p.sim-state", { "data-testid": "sim-state" });
  const list = h("ol.sim-stack", {
    "data-testid": "sim-stack",
    "aria-label": "Stack of what is owed, top first",
  });
  let shown = [];

  function draw({ frame, position }) {
    const { describe, stack, legal } = frame.facts;
    const left = legal === false && !frame.mask.length;
    const place = describe || (left ? "Outside: the output has left the schema." : "Not recorded.");
    say(words, place[0].toUpperCase() + place.slice(1));
    if (stack.length && stack.join("\n") === shown.join("\n")) return;
    // from the bottom up, what was there before stays; the rest is new
    let same = 0;
    while (same < Math.min(stack.length, shown.length) && stack.at(-1 - same) === shown.at(-1 - same)) same++;
    list.replaceChildren(
      ...stack.map((item, i) => h(`li${position && i < stack.length - same ? ".sim-new" : ""}`, {}, item)),
    );
    if (!stack.length) list.append(h("li.sim-empty", {}, left ? "no longer known" : "nothing is owed"));
    shown = stack;
  }
  return {
    element: h(
      "section.sim-where",
      { "aria-label": "Where the run is" },
      h("h2", {}, "Where we are"),
      words,
      h("h2", {}, "Still owed (top first)"),
      list,
    ),
    draw,
  };
}

function topPanel(app) {
  const MOST = 10;
  const body = h("div.sim-bars", { role: "list", "data-testid": "sim-top" });
  const note = h("p.sim-caption");
  const element = h(
    "section.sim-top",
    { "aria-label": "Likeliest tokens, before and after the mask" },
    h("h2", {}, "Likeliest tokens"),
    body,
    note,
  );

  function draw({ frame, side }) {
    const { facts } = frame;
    const before = new Map(facts.before ?? []),
      after = new Map(facts.after ?? []);
    // the token taken and the likeliest allowed ones have a place, however likely the masked ones are
    const kept = [...(before.size ? [facts.token] : []), ...after.keys()].slice(0, MOST / 2);
    const rest = [...before.keys(), ...after.keys()].filter((id) => !kept.includes(id));
    const chance = (id) => before.get(id) ?? app.store.probability(frame, id).before ?? 0;
    const ids = [...new Set([...kept, ...rest])].slice(0, MOST).sort((a, b) => chance(b) - chance(a));
    body.replaceChildren(...ids.map((id) => bar(frame, id, side)));
    say(note, noteFor(facts, ids, side));
  }

  function bar(frame, id, side) {
    const { before, after, about } = app.store.probability(frame, id);
    const { name } = tokenState(frame, id, side === "free");
    const masked = !isAllowed(frame.mask, id);
    const end = side === "free" ? before : after;
    const text =
      side === "free"
        ? percent(before, about)
        : `${percent(before, about)} \u2192 ${masked ? "masked" : percent(after, about)}`;
    const length = (p) => `width: ${(100 * (p ?? 0)).toFixed(2)}%`;
    return h(
      "div.sim-bar",
      { role: "listitem", "data-state": name, "data-token": id },
      h("bdi.sim-text", {}, app.store.vocabulary.text(id)),
      h(
        "span.sim-track",
        { "aria-hidden": "true" },
        h("span.sim-before", { style: length(before) }),
        h("span.sim-after", { style: length(masked && side !== "free" ? 0 : end) }),
      ),
      h("span.sim-chance", {}, text),
    );
  }
  return { element, draw };
}

function noteFor(facts, ids, side) {
  if (facts.token === undefined) return "Take a step to see what the model would say.";
  if (facts.forced && !ids.length) return "Forced: there is one way on, so the model was not asked.";
  if (!ids.length) return "Not recorded.";
  const removed = percent(facts.removed);
  if (side === "constrained") return `Thin bar before the mask, thick after. The mask removed ${removed}.`;
  if (facts.allowed === null) return "The constraint is off: nothing is taken away.";
  return `The constraint is off: ${removed} of the probability is on tokens that the schema forbids.`;
}
