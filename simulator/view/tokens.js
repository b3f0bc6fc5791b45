// The token grid of a small vocabulary, and the lines that tell everything about one token.

/** All tokens as chips: a listbox that arrow keys walk through. */
function tokenGrid(app) {
  const list = h("div.sim-grid", {
    role: "listbox",
    tabindex: 0,
    "aria-label": "All tokens",
    "data-testid": "sim-grid",
  });
  let chips = [],
    built = null;

  function build(vocabulary) {
    built = vocabulary;
    chips = Array.from({ length: vocabulary.n }, (_, id) => {
      const status = h("span.sim-tag", { "aria-hidden": "true" });
      const text = h("bdi.sim-text", {}, vocabulary.text(id));
      const chip = h(
        "div.sim-chip",
        {
          role: "option",
          id: app.id(`token-${id}`),
          "aria-selected": "false",
          "data-token": id,
          pointerenter: () => app.look(id),
          click: () => app.look(id),
        },
        text,
        status,
      );
      return { chip, status };
    });
    list.replaceChildren(...chips.map(({ chip }) => chip));
  }

  const moves = { ArrowRight: 1, ArrowLeft: -1 };
  list.addEventListener("keydown", (event) => {
    const columns = getComputedStyle(list).gridTemplateColumns.split(" ").length;
    const by = { ...moves, ArrowDown: columns, ArrowUp: -columns, Home: -1e9, End: 1e9 }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    app.look(clamp((app.cursor ?? -1) + by, 0, chips.length - 1));
  });
  list.addEventListener("focus", () => app.cursor === null && app.look(0));

  function draw({ frame, side }) {
    if (built !== app.store.vocabulary) build(app.store.vocabulary);
    const free = side === "free";
    chips.forEach(({ chip, status }, id) => {
      const state = tokenState(frame, id, free);
      if (chip.dataset.state !== state.name) {
        chip.dataset.state = state.name;
        chip.setAttribute("aria-label", `${built.text(id)}, ${state.words}`);
        say(status, state.tag);
      }
      chip.classList.toggle("sim-cursor", id === app.cursor);
      chip.setAttribute("aria-selected", String(id === app.cursor));
    });
    if (app.cursor !== null) list.setAttribute("aria-activedescendant", app.id(`token-${app.cursor}`));
    else list.removeAttribute("aria-activedescendant");
  }
  return { element: list, draw };
}

const STATES = {
  allowed: { words: "allowed", tag: "" },
  masked: { words: "masked", tag: "" },
  drawn: { words: "allowed, drawn", tag: "drawn" },
  forced: { words: "the only way on, forced", tag: "\u00bb free" },
  open: { words: "not masked: the constraint is off, and the schema allows it", tag: "" },
  loose: { words: "not masked: the constraint is off, but the schema forbids it", tag: "" },
  unknown: { words: "nothing is masked: the output has left the schema", tag: "" },
  outside: { words: "drawn, outside the schema", tag: "drawn" },
  illegal: { words: "drawn, and the schema forbids it", tag: "\u2717 drawn" },
};

/** How a token stands at a frame, in one word, in words, and as a tag. */
function tokenState(frame, id, free) {
  const { facts, mask } = frame;
  let name = free ? "open" : "allowed";
  if (!isAllowed(mask, id)) name = free ? "loose" : "masked";
  if (!mask.length) name = "unknown";
  if (facts.token === id) {
    if (facts.forced) name = "forced";
    else if (facts.legal) name = "drawn";
    else name = mask.length ? "illegal" : "outside";
  }
  return { name, ...STATES[name] };
}

/** Token, id, bytes, probability before and after, and why it is masked. */
function inspector(app) {
  const title = h("p.sim-token-title");
  const why = h("p.sim-why");
  const element = h(
    "div.sim-inspector",
    {
      role: "status",
      "aria-live": "polite",
      "aria-label": "Token looked at",
      "data-testid": "sim-inspector",
    },
    title,
    why,
  );

  function draw({ frame, side }) {
    const id = app.cursor;
    if (id === null || id >= app.store.vocabulary.n) {
      title.replaceChildren("Point at a token, or walk to it with the arrow keys.");
      say(why, "");
      return;
    }
    const { vocabulary } = app.store;
    const { before, after, about } = app.store.probability(frame, id);
    const chances =
      before === null
        ? []
        : [
            `probability ${percent(before, about)} \u2192 ${side === "free" ? "not masked" : percent(after, about)}`,
          ];
    const facts = [
      `#${id}`,
      vocabulary.silent.has(id) ? "special token" : `bytes ${vocabulary.hex(id)}`,
      ...chances,
    ];
    title.replaceChildren(
      h("bdi.sim-text.sim-strong", {}, vocabulary.text(id)),
      h("span", {}, facts.join("  \u00b7  ")),
    );
    say(why, `${isAllowed(frame.mask, id) ? "\u2713" : "\u2717"} ${app.why(frame, id)}`);
  }
  return { element, draw };
}

/** The few tokens that are left, by name: a map shows where they are, not what. */
function allowedList(app) {
  const element = h("p.sim-allowed", { "data-testid": "sim-allowed" });
  const MOST = 12;
  function draw({ frame }) {
    const { facts, mask } = frame;
    const all = facts.allowed !== null && facts.allowed <= MOST;
    const ids = all ? allowedIds(mask, app.store.vocabulary.n, MOST) : (facts.after ?? []).map(([id]) => id);
    const name =
      facts.allowed === null
        ? "No mask."
        : all
          ? "All that is allowed:"
          : ids.length
            ? "Likeliest of the allowed:"
            : "";
    element.replaceChildren(
      h("span", {}, name),
      ...ids.map((id) => h("bdi.sim-text.sim-small", { "data-token": id }, app.store.vocabulary.text(id))),
    );
  }
  return { element, draw };
}
