// One view: its panels laid out, and drawn when what is looked at or the run changes.

const GRID_UP_TO = 64; // tokens; a larger vocabulary is a map

/** Make the panels and put them on the page. */
function layOut(app) {
  const grid = tokenGrid(app);
  const map = new VocabularyMap(app);
  const allowed = allowedList(app);
  const inspect = inspector(app);
  const along = strip(app);
  const transport = transportPanel(app);
  const counter = counterPanel(app);
  const where = statePanel();
  const top = topPanel(app);
  const output = outputPanel(app);
  const mapOpen = h("input", { type: "checkbox", "data-testid": "sim-map-open", change: () => app.draw() });
  const mapToggle = h("label.sim-maptoggle", {}, mapOpen, "Show the map as well");
  const vocabulary = [grid.element, map.element, allowed.element, legend(), inspect.element, mapToggle];
  const named = { "aria-label": "Vocabulary" };
  const body = h(
    "div",
    { hidden: true },
    along.element,
    h(
      "div.sim-body",
      {},
      h("section.sim-vocabulary", named, h("h2", {}, "What may come"), ...vocabulary),
      h("div.sim-side-panels", {}, where.element, top.element),
    ),
    output.element,
  );
  app.root.append(settingsPanel(app), transport.element, body, counter.element);

  app.draw = () => {
    const { context } = app;
    app.root.dataset.side = context.side;
    transport.draw(context);
    counter.draw();
    body.hidden = !context.frame;
    if (!context.frame) return;
    const small = app.store.vocabulary.n <= GRID_UP_TO;
    grid.element.hidden = mapToggle.hidden = !small;
    map.element.hidden = small && !mapOpen.checked;
    allowed.element.hidden = small;
    const panels = [along, small ? grid : allowed, map, inspect, where, top, output];
    for (const panel of panels) if (!panel.element.hidden) panel.draw(context);
    const { frames, position } = context;
    const at = Math.min(position, frames.length - 1);
    for (const near of [at, at + 1, at - 1]) app.store.unpack(frames[near], near === at);
    app.root.dataset.position = position;
    app.root.dataset.known = app.store.length;
  };
  app.drawToken = () => {
    const { context } = app;
    if (!context.frame) return;
    for (const panel of [inspect, map, grid]) if (!panel.element.hidden) panel.draw(context);
  };
}

/** What the marks mean: none of them by colour alone. */
function legend() {
  const entry = (state, sign, words) =>
    h("span", {}, h("span.sim-sample", { "data-state": state, "aria-hidden": "true" }, sign), words);
  return h(
    "p.sim-legend",
    {},
    entry("allowed", "a", "allowed"),
    entry("masked", "a", "masked"),
    entry("drawn", "a", "drawn"),
    entry("forced", "\u00bb", "forced, free"),
    entry("illegal", "\u2717", "drawn, forbidden"),
  );
}

function render({ model, el }) {
  const app = new App(model);
  layOut(app);
  // JupyterLab takes arrow keys for the notebook unless they stop here
  app.root.addEventListener("keydown", (event) => event.stopPropagation());
  el.append(app.root);
  const listeners = {
    "change:tokens": () => app.store.load("tokens"),
    "change:replay_facts": () => app.store.load("replay"),
    "change:position": () => app.store.settled(() => app.follow()),
    "change:constrained": () => app.draw(),
    "change:status": () => {
      app.heard();
      app.draw();
    },
    "change:counter": () => {
      const complained = app.message;
      app.heard();
      if (complained) app.draw();
    },
    "msg:custom": (message, buffers) => app.hear(message, buffers),
  };
  for (const [name, listener] of Object.entries(listeners)) model.on(name, listener);
  const unwatchTheme = watchTheme(() => {
    app.palette = null;
    app.draw();
  });
  let width = 0;
  const sizes = new ResizeObserver(() => {
    if (width !== (width = app.root.clientWidth) && width) app.draw();
  });
  sizes.observe(app.root);
  app.store.load("tokens");
  app.store.load("replay");
  app.send({ do: "sync" }); // a page that was loaded again gets what it missed
  return () => {
    for (const [name, listener] of Object.entries(listeners)) model.off(name, listener);
    unwatchTheme();
    sizes.disconnect();
  };
}

export default { render };
