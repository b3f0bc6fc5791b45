// What is looked at, and what keys and buttons do about it. It draws nothing itself.

const KERNEL_PATIENCE = 5000; // ms without an answer before the view says that there is none
const WHY_PATIENCE = 120; // ms that the eye must rest on a token before the kernel is asked about it
const NO_KERNEL =
  "The kernel does not answer: it is busy, or gone. What was computed can still be stepped through.";

class App {
  constructor(model) {
    this.model = model;
    this.live = model.get("live");
    this.root = h("div.sim");
    this.number = ++instances;
    this.position = model.get("position");
    this.cursor = null; // the token looked at
    this.message = "";
    this.draw = this.drawToken = () => {}; // set by the layout
    this.asked = 0;
    this.whys = new Map();
    this.store = new Store(model, () => {
      this.heard();
      this.draw();
    });
  }

  /** An id that no other view on the page has. */
  id(name) {
    return `sim-${this.number}-${name}`;
  }

  get colours() {
    return (this.palette ??= themeColours(this.root));
  }

  /** The side looked at: a replay may have only one. */
  get side() {
    const wanted = this.model.get("constrained") ? "constrained" : "free";
    return wanted in this.store.sides ? wanted : (Object.keys(this.store.sides)[0] ?? wanted);
  }

  get frames() {
    return this.store.frames(this.side);
  }

  /** All that a panel needs to draw. */
  get context() {
    const { frames, position, side } = this;
    return { frame: frames[Math.min(position, frames.length - 1)], frames, position, side };
  }

  // moving

  go(position) {
    this.position = this.asked = clamp(position, 0, this.store.length);
    this.message = "";
    this.keep("position", this.position);
    this.draw();
  }

  /** One step back on the side that is shown: it may have ended long before the other one. */
  back() {
    this.go(Math.min(this.position, this.frames.length - 1) - 1);
  }

  /** A known step is shown at once; a new one is asked of the kernel. */
  step() {
    const next = this.position + 1;
    const sides = Object.values(this.store.sides);
    const known = sides.every(({ frames, finished }) => finished || frames.length > next);
    if (known && next <= this.store.length) this.go(next);
    else if (this.goesOn)
      this.ask({ do: "step", to: (this.asked = Math.max(this.asked, this.position) + 1) });
  }

  toggleRun() {
    if (this.running) this.ask({ do: "hold" });
    else if (this.goesOn) this.ask({ do: "run" });
    else this.go(this.store.length);
  }

  reset() {
    if (this.live) this.ask({ do: "reset" });
    else this.go(0);
  }

  /** The kernel, or another view, stands elsewhere. */
  follow() {
    this.heard();
    if (this.position === this.model.get("position")) return;
    this.position = this.model.get("position");
    this.draw();
  }

  /** The run is not at its end, and there is somebody to continue it. */
  get goesOn() {
    return this.live && !this.store.finished && this.model.get("status") !== "error";
  }

  get canStep() {
    return this.position < this.store.length || this.goesOn;
  }

  get running() {
    return this.model.get("status") === "running" && !this.message;
  }

  look(id) {
    if (this.cursor === id) return;
    this.cursor = id;
    this.drawToken();
  }

  // talking to the kernel

  count(total) {
    this.ask(this.model.get("counter").running ? { do: "hold" } : { do: "count", total });
  }

  /** Set a trait; with no kernel it is kept in the page. */
  keep(name, value) {
    this.model.set(name, value);
    this.model.save_changes();
  }

  ask(request) {
    if (!this.send(request)) return this.alone();
    clearTimeout(this.patience);
    this.patience = setTimeout(() => this.alone(), KERNEL_PATIENCE);
  }

  /** False if there is nobody to send to: JupyterLab throws once the kernel has gone. */
  send(request) {
    try {
      this.model.send(request);
      return true;
    } catch {
      return false;
    }
  }

  alone() {
    this.message = NO_KERNEL;
    this.draw();
  }

  heard() {
    clearTimeout(this.patience);
    this.message = "";
  }

  /** Why a token is masked: from the page, or asked of the kernel once the eye rests on it. */
  why(frame, id) {
    if (frame.facts.why?.[id]) return frame.facts.why[id];
    if (!frame.mask.length) return "there is no mask here";
    const place = { side: this.side, index: this.frames.indexOf(frame), token: id };
    const known = this.whys.get(`${this.store.run} ${place.side} ${place.index} ${id}`);
    if (known) return known;
    if (this.live) {
      clearTimeout(this.asking);
      this.asking = setTimeout(() => this.send({ do: "explain", ...place }), WHY_PATIENCE);
    }
    if (isAllowed(frame.mask, id)) return "the schema allows it here";
    return `the schema does not allow it here${frame.facts.describe ? `: ${frame.facts.describe}` : ""}`;
  }

  hear(message, buffers) {
    this.heard();
    if (message.kind === "frames")
      this.store.receive(message, buffers, () => (this.position = message.position));
    if (message.kind !== "why") return;
    const { run, side, index, token, text } = message;
    this.whys.set(`${run} ${side} ${index} ${token}`, text);
    if (this.cursor === token) this.drawToken();
  }
}
