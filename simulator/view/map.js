// The whole vocabulary on a canvas, a cell a token: 28 to 151,000 of them.

const HALO_UP_TO = 40; // so few allowed tokens are hard to find: each gets a ring
const RING = 11; // radius around the token taken
const MOST_MATCHES = 2000; // marked at once

class VocabularyMap {
  constructor(app) {
    this.app = app;
    this.layout = null;
    this.matches = [];
    this.small = document.createElement("canvas"); // one pixel a token
    this.canvas = h("canvas", {
      tabindex: 0,
      role: "application",
      "aria-roledescription": "vocabulary map",
      "aria-label":
        "Vocabulary map. Arrow keys move from token to token, N and P to the next and previous allowed one, " +
        "plus and minus zoom.",
      "data-testid": "sim-map",
    });
    this.element = h("div.sim-map", {}, this.bar(), this.canvas);
    this.listen();
  }

  /** Search, order and zoom. */
  bar() {
    const redraw = () => this.draw(this.app.context);
    this.search = h("input", {
      type: "search",
      placeholder: "Search tokens",
      "aria-label": "Search tokens by text",
      autocomplete: "off",
      "data-testid": "sim-search",
      input: () => {
        this.find();
        redraw();
      },
      keydown: (event) => event.key === "Enter" && this.nextMatch(event.shiftKey ? -1 : 1),
    });
    this.found = h("span.sim-found", { role: "status", "data-testid": "sim-found" });
    this.order = h(
      "select",
      { "aria-label": "Order of the map", "data-testid": "sim-order", change: redraw },
      h("option", { value: "bytes" }, "by first byte, then text"),
      h("option", { value: "id" }, "by id"),
    );
    const zoom = (sign, label, by) =>
      h("button.sim-button", { type: "button", "aria-label": label, click: () => this.zoomBy(by) }, sign);
    const buttons = [zoom("\u2212", "Zoom out", -1), zoom("+", "Zoom in", 1)];
    return h("div.sim-mapbar", {}, this.search, this.found, h("span.sim-spring"), this.order, ...buttons);
  }

  // drawing

  /** A new layout where vocabulary, order or width are new. */
  prepare() {
    const { vocabulary } = this.app.store;
    const width = Math.max(200, Math.floor(this.element.clientWidth));
    const ratio = window.devicePixelRatio || 1;
    const key = `${width} ${ratio} ${this.order.value}`;
    if (this.key === key && this.layout.vocabulary === vocabulary) return;
    this.key = key;
    const layout = (this.layout = new MapLayout(vocabulary, this.order.value, width));
    [this.small.width, this.small.height] = [layout.columns, layout.rows];
    const outer = [layout.wide + MARGIN.left + MARGIN.right, layout.high + 2 * MARGIN.y];
    [this.canvas.style.width, this.canvas.style.height] = outer.map((pixels) => `${pixels}px`);
    [this.canvas.width, this.canvas.height] = outer.map((pixels) => Math.round(pixels * ratio));
    this.ratio = ratio;
    this.find();
  }

  draw({ frame, position }) {
    if (!this.element.clientWidth) return; // hidden: it is drawn when it is shown
    this.prepare();
    const { layout, canvas } = this;
    this.paintCells(frame);
    const pen = canvas.getContext("2d");
    pen.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    pen.clearRect(0, 0, canvas.width, canvas.height);
    this.guideWords(pen);
    pen.imageSmoothingEnabled = false;
    pen.translate(MARGIN.left, MARGIN.y);
    this.within(pen, 0, () => {
      const [left, top] = [-layout.left * layout.size, -layout.top * layout.size];
      pen.drawImage(this.small, left, top, layout.columns * layout.size, layout.rows * layout.size);
      if (layout.size >= 8) this.detail(pen, frame);
    });
    this.within(pen, MARGIN.right - 1, () => this.marks(pen, frame));
    canvas.dataset.position = position;
    canvas.dataset.cell = layout.size;
  }

  /** Draw inside the map and `out` pixels around it. */
  within(pen, out, draw) {
    pen.save();
    pen.beginPath();
    pen.rect(-out, -out, this.layout.wide + 2 * out, this.layout.high + 2 * out);
    pen.clip();
    draw();
    pen.restore();
  }

  paintCells({ mask, tints }) {
    const { columns, rows, ids } = this.layout;
    const { colours } = this.app;
    if (this.painted !== colours) {
      this.painted = colours;
      this.lit = ramp(colours["allowed-low"], colours.allowed);
      this.dim = ramp(colours.masked, colours["masked-high"]);
    }
    const pen = this.small.getContext("2d");
    const image = pen.createImageData(columns, rows);
    const pixels = new Uint32Array(image.data.buffer);
    const known = mask.length > 0; // outside the schema nothing is lit
    const tinted = tints.length > 0; // a forced step has no probabilities: plain light and dark
    for (let place = 0; place < ids.length; place++) {
      const id = ids[place];
      if (known && isAllowed(mask, id)) pixels[place] = this.lit[tinted ? tints[id] : 63];
      else pixels[place] = this.dim[tinted ? tints[id] : 0];
    }
    pen.putImageData(image, 0, 0);
  }

  /** Like the head words of a dictionary: how the row's first token begins. */
  guideWords(pen) {
    const { layout } = this;
    pen.font = `10px ${this.monospace}`;
    pen.textAlign = "right";
    pen.textBaseline = "middle";
    pen.fillStyle = this.app.colours.soft;
    const every = Math.max(1, Math.ceil(14 / layout.size));
    for (let row = layout.top; row < Math.min(layout.rows, layout.top + layout.down); row += every) {
      const y = MARGIN.y + (row - layout.top + 0.5) * layout.size;
      const letters = Array.from(layout.vocabulary.text(layout.ids[row * layout.columns]));
      const word = letters.length > 5 ? `${letters.slice(0, 4).join("")}\u2026` : letters.join("");
      pen.fillText(word, MARGIN.left - 6, Math.max(y, MARGIN.y + 5));
    }
    pen.textAlign = "left";
  }

  get monospace() {
    return getComputedStyle(this.app.root).getPropertyValue("--sim-mono");
  }

  /** Where cells are large: gaps, a stroke through each masked one, and texts. */
  detail(pen, frame) {
    const { layout } = this;
    pen.font = `${Math.min(12, layout.size / 2.4)}px ${this.monospace}`;
    for (let row = layout.top; row <= layout.top + layout.down && row < layout.rows; row++) {
      for (
        let column = layout.left;
        column <= layout.left + layout.across && column < layout.columns;
        column++
      ) {
        const id = layout.ids[row * layout.columns + column];
        if (id !== undefined) this.cellDetail(pen, frame, id);
      }
    }
  }

  cellDetail(pen, { mask }, id) {
    const { size } = this.layout;
    const { colours } = this.app;
    const [x, y] = this.layout.corner(id);
    const allowed = isAllowed(mask, id);
    stroke(pen, colours.back, 1, () => pen.rect(x + 0.5, y + 0.5, size - 1, size - 1));
    const strike = (left, low, right, high) => {
      if (allowed) return;
      stroke(pen, colours.soft, 1, () => {
        pen.moveTo(x + left, y + low);
        pen.lineTo(x + right, y + high);
      });
    };
    if (size < 22) return strike(2, size - 2, size - 2, 2);
    const text = this.layout.vocabulary.text(id);
    pen.save();
    pen.beginPath();
    pen.rect(x, y, size - 1, size);
    pen.clip();
    pen.fillStyle = colours.back;
    const wide = Math.min(pen.measureText(text).width + 4, size - 4);
    pen.fillRect(x + 2, y + size / 2 - 8, wide, 16);
    pen.fillStyle = allowed ? colours.ink : colours.soft;
    pen.fillText(text, x + 4, y + size / 2);
    strike(2, size / 2, 2 + wide, size / 2);
    pen.restore();
  }

  /** Rings and frames: halos, matches of the search, the token taken, the cursor. */
  marks(pen, { facts, mask }) {
    const { layout, app } = this;
    const { colours } = app;
    if (facts.allowed !== null && facts.allowed <= HALO_UP_TO && layout.size < 16) {
      for (const id of allowedIds(mask, layout.ids.length, HALO_UP_TO)) {
        ring(pen, layout.centre(id), Math.max(6, layout.size * 0.7), colours.allowed, 1.5);
      }
    }
    for (const id of this.matches.slice(0, MOST_MATCHES)) this.frameCell(pen, id, colours.forced, 1.5, 1);
    if (facts.token !== undefined) this.markTaken(pen, facts, mask.length > 0);
    if (app.cursor !== null && app.cursor < layout.ids.length)
      this.frameCell(pen, app.cursor, colours.ink, 2, 2);
  }

  markTaken(pen, { token, forced, legal }, known) {
    const { layout } = this;
    const { colours } = this.app;
    const centre = layout.centre(token);
    const colour = forced ? colours.forced : legal ? colours.drawn : known ? colours.illegal : colours.soft;
    if (layout.size >= 22) {
      this.frameCell(pen, token, colour, 3, -1);
    } else {
      ring(pen, centre, RING, colours.back, 5);
      ring(pen, centre, RING, colour, 2.5);
      if (forced) ring(pen, centre, RING + 4, colour, 1.5);
    }
    if (!legal && known) cross(pen, centre, 6, colour);
  }

  frameCell(pen, id, colour, width, out) {
    const [x, y] = this.layout.corner(id);
    const side = this.layout.size + 2 * out;
    stroke(pen, colour, width, () => pen.rect(x - out, y - out, side, side));
  }

  // moving about

  find() {
    this.matches = this.layout.vocabulary.search(this.search.value, this.layout.ids);
    say(this.found, this.search.value ? `${count(this.matches.length)} found` : "");
  }

  nextMatch(by) {
    const { matches } = this;
    if (!matches.length) return;
    const here = matches.indexOf(this.app.cursor);
    const next = here < 0 ? (by > 0 ? 0 : matches.length - 1) : (here + by + matches.length) % matches.length;
    this.lookAt(this.layout.places[matches[next]]);
  }

  nextAllowed(by) {
    const { mask } = this.app.context.frame;
    let place = this.here + by;
    while (place >= 0 && place < this.layout.ids.length && !isAllowed(mask, this.layout.ids[place]))
      place += by;
    this.lookAt(place);
  }

  /** The cursor's place, or -1. */
  get here() {
    return this.app.cursor === null ? -1 : this.layout.places[this.app.cursor];
  }

  lookAt(place) {
    if (place < 0 || place >= this.layout.ids.length) return;
    if (!this.layout.inView(place)) this.layout.show(this.layout.column(place), this.layout.row(place));
    this.app.look(this.layout.ids[place]);
  }

  zoomBy(by, place = this.here) {
    this.layout.zoomBy(by, place);
    this.draw(this.app.context);
  }

  listen() {
    const placeOf = (event) => this.layout.placeAt(event.offsetX, event.offsetY);
    this.canvas.addEventListener("pointermove", (event) => {
      const place = placeOf(event);
      if (place >= 0) this.app.look(this.layout.ids[place]);
    });
    this.canvas.addEventListener("dblclick", (event) => this.zoomBy(1, placeOf(event)));
    this.canvas.addEventListener("wheel", (event) => this.onWheel(event, placeOf(event)), { passive: false });
    this.canvas.addEventListener("keydown", (event) => this.onKey(event));
  }

  /** With Ctrl: zoom. Zoomed in: scroll the map. Else the page scrolls. */
  onWheel(event, place) {
    const { layout } = this;
    if (!event.ctrlKey && !layout.zoom) return;
    event.preventDefault();
    if (event.ctrlKey) return this.zoomBy(event.deltaY < 0 ? 1 : -1, place);
    const middle = [layout.left + layout.across / 2, layout.top + layout.down / 2];
    layout.show(middle[0] + Math.sign(event.deltaX), middle[1] + Math.sign(event.deltaY));
    this.draw(this.app.context);
  }

  onKey(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const { columns, ids } = this.layout;
    const moves = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: columns, ArrowUp: -columns };
    const leaps = { PageDown: 10 * columns, PageUp: -10 * columns };
    const by = { ...moves, ...leaps }[event.key];
    const acts = {
      n: () => this.nextAllowed(1),
      p: () => this.nextAllowed(-1),
      "+": () => this.zoomBy(1),
      "=": () => this.zoomBy(1),
      "-": () => this.zoomBy(-1),
      Home: () => this.lookAt(0),
      End: () => this.lookAt(ids.length - 1),
    };
    const act = by ? () => this.lookAt(this.here < 0 ? 0 : this.here + by) : acts[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  }
}
