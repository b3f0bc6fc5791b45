// One view: it holds what is looked at, and draws all panels when that or the run changes.

const KERNEL_PATIENCE = 5000; // ms without an answer before the view says that there is none
const NO_KERNEL = "The kernel does not answer: it is busy, or gone. What was computed can still be stepped through.";

function createApp(model, el) {
  const own = ++instances;
  const root = h("div.sim");
  const whys = new Map();
  let colours = null, asked = 0, patience = 0, asking = 0;

  const app = {
    model, root, position: model.get("position"), cursor: null, message: "", live: model.get("live"), panels: [],
    id: (name) => `sim-${own}-${name}`,
    get side() {
      const wanted = model.get("constrained") ? "constrained" : "free";
      return wanted in app.store.sides ? wanted : Object.keys(app.store.sides)[0] ?? wanted;
    },
    colours: () => (colours ??= themeColours(root)),

    go(position) {
      app.position = clamp(position, 0, app.store.length);
      asked = app.position;
      app.message = "";
      app.keep("position", app.position);
      app.draw();
    },
    /** The kernel, or another view, stands elsewhere. */
    follow() {
      app.heard();
      if (app.position === model.get("position")) return;
      app.position = model.get("position");
      app.draw();
    },
    back: () => app.go(app.position - 1),
    canStep: () => app.position < app.store.length || app.canRun(),
    canRun: () => app.live && !app.store.finished && model.get("status") !== "error" ? true : app.position < app.store.length,
    /** Known steps are shown at once; a new one is asked of the kernel. */
    step() {
      const known = Object.values(app.store.sides).every(({ frames, finished }) => finished || frames.length > app.position + 1);
      if (known && app.position < app.store.length) app.go(app.position + 1);
      else if (app.live && !app.store.finished) app.ask({ do: "step", to: (asked = Math.max(asked, app.position) + 1) });
    },
    toggleRun() {
      if (app.running) app.ask({ do: "hold" });
      else if (app.live && !app.store.finished) app.ask({ do: "run" });
      else app.go(app.store.length);
    },
    reset: () => (app.live ? app.ask({ do: "reset" }) : app.go(0)),
    count: (total) => app.ask(model.get("counter").running ? { do: "hold" } : { do: "count", total }),
    setSide: (constrained) => app.keep("constrained", constrained),
    setting: (name, value) => app.keep(name, value),
    look(id) {
      if (app.cursor === id) return;
      app.cursor = id;
      app.drawToken();
    },

    /** Set a trait; with no kernel it is kept in the page. */
    keep(name, value) {
      model.set(name, value);
      model.save_changes();
    },
    ask(request) {
      if (!app.send(request)) return app.alone();
      clearTimeout(patience);
      patience = setTimeout(app.alone, KERNEL_PATIENCE);
    },
    /** False if there is nobody to send to: JupyterLab throws once the kernel has gone. */
    send(request) {
      try {
        model.send(request);
        return true;
      } catch {
        return false;
      }
    },
    alone() {
      app.message = NO_KERNEL;
      app.draw();
    },
    heard() {
      clearTimeout(patience);
      app.message = "";
    },
    get running() {
      return model.get("status") === "running" && !app.message;
    },

    /** Why a token is masked: from the page, or asked of the kernel once the eye rests on it. */
    why(frame, id) {
      if (frame.facts.why?.[id]) return frame.facts.why[id];
      if (!frame.mask.length) return "there is no mask here";
      const place = { side: app.side, index: app.frames().indexOf(frame), token: id };
      const key = `${app.store.run} ${place.side} ${place.index} ${id}`;
      if (whys.has(key)) return whys.get(key);
      if (app.live) {
        clearTimeout(asking);
        asking = setTimeout(() => app.send({ do: "explain", ...place }), 120);
      }
      const { describe } = frame.facts;
      return isAllowed(frame.mask, id) ? "the schema allows it here" : `the schema does not allow it here${describe ? `: ${describe}` : ""}`;
    },
    hearWhy({ run, side, index, token, text }) {
      whys.set(`${run} ${side} ${index} ${token}`, text);
      if (app.cursor === token) app.drawToken();
    },

    frames: () => app.store.frames(app.side),
    context() {
      const frames = app.frames();
      return { frame: frames[Math.min(app.position, frames.length - 1)], frames, position: app.position, side: app.side };
    },
    draw() {
      const context = app.context();
      root.dataset.side = context.side;
      transport.draw(context);
      counter.draw();
      body.hidden = !context.frame;
      if (!context.frame) return;
      const small = app.store.vocabulary.n <= 64;
      grid.element.hidden = !small;
      map.element.hidden = small && !mapOpen.checked;
      allowed.element.hidden = small;
      mapToggle.hidden = !small;
      for (const panel of [along, ...(small ? [grid] : [allowed]), ...(map.element.hidden ? [] : [map]), inspect, where, top, output]) panel.draw(context);
      root.dataset.position = context.position;
      root.dataset.known = app.store.length;
    },
    drawToken() {
      const context = app.context();
      if (!context.frame) return;
      inspect.draw(context);
      if (!map.element.hidden) map.redraw();
      if (!grid.element.hidden) grid.draw(context);
    },
    restyle() {
      colours = null;
      map.restyle();
      app.draw();
    },
  };

  app.store = new Store(model, () => { app.heard(); app.draw(); });
  const transport = transportPanel(app), along = strip(app), grid = tokenGrid(app), map = vocabularyMap(app), inspect = inspector(app),
    allowed = allowedList(app), where = statePanel(), top = topPanel(app), output = outputPanel(app), counter = counterPanel(app);
  const mapOpen = h("input", { type: "checkbox", "data-testid": "sim-map-open", change: () => app.draw() });
  const mapToggle = h("label.sim-maptoggle", {}, mapOpen, "Show the map as well");
  const body = h("div", { hidden: true },
    along.element,
    h("div.sim-body", {},
      h("section.sim-vocabulary", { "aria-label": "Vocabulary" }, h("h2", {}, "What may come"), grid.element, map.element, allowed.element, legend(), inspect.element, mapToggle),
      h("div.sim-side-panels", {}, where.element, top.element)),
    output.element);
  root.append(settingsPanel(app), transport.element, body, counter.element);
  // JupyterLab takes arrow keys for the notebook unless they stop here
  root.addEventListener("keydown", (event) => event.stopPropagation());
  el.append(root);
  return app;
}

/** What the marks mean: none of them by colour alone. */
function legend() {
  const entry = (state, sign, words) => h("span", {}, h("span.sim-sample", { "data-state": state, "aria-hidden": "true" }, sign), words);
  return h("p.sim-legend", {}, entry("allowed", "a", "allowed"), entry("masked", "a", "masked"), entry("drawn", "a", "drawn"),
    entry("forced", "\u00bb", "forced, free"), entry("illegal", "\u2717", "drawn, forbidden"));
}

function render({ model, el }) {
  const app = createApp(model, el);
  const listeners = {
    "change:tokens": () => app.store.load("tokens"),
    "change:replay_facts": () => app.store.load("replay"),
    "change:position": () => app.store.settled(app.follow),
    "change:constrained": () => app.draw(),
    "change:status": () => { app.heard(); app.draw(); },
    "msg:custom": (message, buffers) => {
      app.heard();
      if (message.kind === "frame") app.store.receive(message, buffers);
      else if (message.kind === "why") app.hearWhy(message);
    },
  };
  for (const [name, listener] of Object.entries(listeners)) model.on(name, listener);
  const unwatch = watchTheme(() => app.restyle());
  let width = 0;
  const sizes = new ResizeObserver(() => { if (width !== (width = app.root.clientWidth) && width) app.draw(); });
  sizes.observe(app.root);
  app.store.load("tokens");
  app.store.load("replay");
  app.send({ do: "sync" }); // a page that was loaded again gets what it missed
  return () => {
    for (const [name, listener] of Object.entries(listeners)) model.off(name, listener);
    unwatch();
    sizes.disconnect();
  };
}

export default { render };
