// What a run is made from: model, schema, prompt, seed ... and what is wrong with them, in place.

function settingsPanel(app) {
  const { model } = app;
  const id = (name) => app.id(name);
  const fields = {};

  /** A labelled control for one trait; `read` turns the control into the trait's value. */
  function field(name, label, control, read, write) {
    const errorId = id(`${name}-error`);
    const error = h("p.sim-error", { id: errorId, hidden: true });
    control.id = id(name);
    control.dataset.testid = `sim-${name}`;
    control.addEventListener("change", () => app.keep(name, read(control)));
    const draw = () => write(control, model.get(name));
    model.on(`change:${name}`, draw);
    draw();
    fields[name] = { control, error, errorId };
    return h("div.sim-field", {}, h("label", { for: control.id }, label), control, error);
  }

  const value = (control, given) => {
    control.value = given ?? "";
  };
  const number = (control) => Number(control.value);
  const checked = (control, given) => {
    control.checked = given;
  };
  const options = (names) => names.map(([name, label]) => h("option", { value: name }, label));

  const numberInput = (attributes) => h("input", { type: "number", ...attributes });
  const checkbox = (name, label) => {
    const made = field(name, label, h("input", { type: "checkbox" }), (box) => box.checked, checked);
    made.classList.add("sim-check");
    return made;
  };

  const presets = h("select", { id: id("preset"), "data-testid": "sim-preset" });
  function drawPresets() {
    const known = Object.entries(model.get("schemas"));
    const current = known.find(([, text]) => text === model.get("schema"));
    presets.replaceChildren(
      ...options(known.map(([name]) => [name, name])),
      ...(current ? [] : options([["", "as typed below"]])),
    );
    presets.value = current ? current[0] : "";
  }
  presets.addEventListener("change", () => app.keep("schema", model.get("schemas")[presets.value]));
  model.on("change:schema", drawPresets);
  drawPresets();

  const text = (attributes) => h("input", { type: "text", autocomplete: "off", ...attributes });
  const models = h("select", {}, ...options(Object.entries(model.get("models"))));
  const schema = h("textarea", { rows: 8, spellcheck: "false", autocomplete: "off" });
  const first = h(
    "div.sim-row",
    {},
    field("model", "Model", models, (control) => control.value, value),
    h("div.sim-field", {}, h("label", { for: presets.id }, "Schema"), presets),
    field(
      "seed",
      "Seed",
      numberInput({ min: 0, step: 1 }),
      (control) => Math.max(0, Math.trunc(number(control))),
      value,
    ),
  );
  const more = h(
    "details.sim-more",
    { open: false },
    h("summary", { "data-testid": "sim-more" }, "Schema text, prompt and sampling"),
    h(
      "div.sim-columns",
      {},
      field("schema", "Schema text (JSON)", schema, (control) => control.value, value),
      h(
        "div",
        {},
        field("prompt", "Prompt (read by the real model only)", text({}), (control) => control.value, value),
        field("system", "System prompt", text({}), (control) => control.value || null, value),
        h(
          "div.sim-row",
          {},
          field(
            "temperature",
            "Temperature",
            numberInput({ min: 0, step: 0.1 }),
            (control) => Math.max(0, number(control)),
            value,
          ),
          field(
            "max_tokens",
            "At most tokens",
            numberInput({ min: 1, step: 1 }),
            (control) => Math.max(1, Math.trunc(number(control))),
            value,
          ),
        ),
        h(
          "div.sim-row",
          {},
          checkbox("jump_forward", "Jump forward"),
          checkbox("budget", "Keep to the budget"),
        ),
      ),
    ),
  );
  const general = h("p.sim-error", { role: "alert", hidden: true, "data-testid": "sim-run-error" });

  function drawErrors() {
    const errors = model.get("errors");
    for (const [name, { control, error, errorId }] of Object.entries(fields)) {
      const wrong = errors[name];
      error.hidden = !wrong;
      error.replaceChildren(...(wrong ? errorParts(wrong) : []));
      control.setAttribute("aria-invalid", String(Boolean(wrong)));
      if (wrong) control.setAttribute("aria-describedby", errorId);
      else control.removeAttribute("aria-describedby");
    }
    const other = errors.run;
    general.hidden = !other;
    say(general, other ? other.message : "");
    if (errors.schema) more.open = true;
  }
  model.on("change:errors", drawErrors);
  drawErrors();
  const panel = h("section.sim-settings", { "aria-label": "Settings" }, first, more, general);
  return app.live ? panel : replayPanel(app);
}

/** "minimum" at /properties/age: what is wrong, in the words of the engine. */
function errorParts({ message, keyword, pointer }) {
  const place = keyword
    ? [h("br"), "keyword ", h("code", {}, keyword), " at ", h("code", {}, pointer || "/")]
    : [];
  return [h("strong", {}, "\u2717 "), message, ...place];
}

/** In a replay nothing can be set: say what was. */
function replayPanel({ model }) {
  const facts = [
    ["Replay of a run", ""],
    ["seed", String(model.get("seed"))],
    ["prompt", model.get("prompt")],
  ];
  const parts = facts.filter(([name, value]) => value || name.startsWith("Replay"));
  const schema = model.get("schema");
  return h(
    "section.sim-settings",
    { "aria-label": "Settings" },
    h(
      "p.sim-facts",
      {},
      ...parts.map(([name, value]) =>
        h("span", {}, value ? `${name}: ` : name, value ? h("b", {}, value) : null),
      ),
    ),
    schema ? h("details.sim-more", {}, h("summary", {}, "Schema"), h("pre", { tabindex: 0 }, schema)) : null,
  );
}
