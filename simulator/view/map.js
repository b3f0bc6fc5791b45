// The whole vocabulary on a canvas, a cell a token: 28 to 151,000 of them.

const HALO_UP_TO = 40; // so few allowed tokens are hard to find: each gets a ring
const ZOOMS = [1, 2, 4, 8, 16];
const MARGIN = { left: 48, right: 16, y: 16 }; // room for the guide words, and for rings at the edge

function vocabularyMap(app) {
  const canvas = h("canvas", { tabindex: 0, role: "application", "aria-roledescription": "vocabulary map", "data-testid": "sim-map",
    "aria-label": "Vocabulary map. Arrow keys move from token to token, N and P to the next and previous allowed one, plus and minus zoom." });
  const search = h("input", { type: "search", placeholder: "Search tokens", "aria-label": "Search tokens by text", autocomplete: "off", "data-testid": "sim-search" });
  const found = h("span.sim-found", { role: "status", "data-testid": "sim-found" });
  const order = h("select", { "aria-label": "Order of the map", "data-testid": "sim-order" }, h("option", { value: "bytes" }, "by first byte, then text"), h("option", { value: "id" }, "by id"));
  const zoomButton = (sign, label, by) => h("button.sim-button", { type: "button", "aria-label": label, click: () => zoomBy(by) }, sign);
  const bar = h("div.sim-mapbar", {}, search, found, h("span.sim-spring"), order, zoomButton("\u2212", "Zoom out", -1), zoomButton("+", "Zoom in", 1));
  const element = h("div.sim-map", {}, bar, canvas);
  const small = document.createElement("canvas");
  const layout = { cell: 2, columns: 1, rows: 1, wide: 0, high: 0, ratio: 1, zoom: 0, x: 0, y: 0 };
  let ids = new Uint32Array(0), places = new Uint32Array(0), matches = [], colours = null, ramps = null, last = null, ready = null;

  function prepare() {
    const { vocabulary } = app.store;
    const width = Math.max(200, Math.floor(element.clientWidth));
    const key = `${width} ${order.value} ${vocabulary.n}`;
    if (ready === key && prepare.vocabulary === vocabulary) return;
    ready = key;
    prepare.vocabulary = vocabulary;
    ids = vocabulary.order(order.value);
    places = new Uint32Array(vocabulary.n);
    ids.forEach((id, place) => { places[id] = place; });
    const inner = width - MARGIN.left - MARGIN.right;
    layout.cell = [24, 16, 12, 8, 6, 5, 4, 3, 2].find((cell) => Math.ceil(vocabulary.n / Math.floor(inner / cell)) * cell <= 420) ?? 1;
    layout.columns = Math.floor(inner / layout.cell);
    layout.rows = Math.max(1, Math.ceil(vocabulary.n / layout.columns));
    Object.assign(layout, { zoom: 0, x: 0, y: 0 });
    small.width = layout.columns;
    small.height = layout.rows;
    const ratio = window.devicePixelRatio || 1;
    layout.wide = layout.columns * layout.cell;
    layout.high = layout.rows * layout.cell;
    const outer = [layout.wide + MARGIN.left + MARGIN.right, layout.high + 2 * MARGIN.y];
    [canvas.style.width, canvas.style.height] = outer.map((pixels) => `${pixels}px`);
    [canvas.width, canvas.height] = outer.map((pixels) => Math.round(pixels * ratio));
    layout.ratio = ratio;
    find();
  }

  function restyle() {
    colours = themeColours(app.root);
    ramps = { allowed: ramp(colours["allowed-low"], colours.allowed), masked: ramp(colours.masked, colours["masked-high"]) };
  }

  function draw(context) {
    last = context;
    if (!element.clientWidth) return; // hidden: it is drawn when it is shown
    prepare();
    if (!colours) restyle();
    paintCells(context.frame);
    const view = canvas.getContext("2d");
    view.save();
    const size = layout.cell * ZOOMS[layout.zoom];
    view.setTransform(layout.ratio, 0, 0, layout.ratio, 0, 0);
    view.clearRect(0, 0, canvas.width, canvas.height);
    guideWords(view, size);
    view.imageSmoothingEnabled = false;
    view.translate(MARGIN.left, MARGIN.y);
    view.save();
    clip(view, 0);
    view.drawImage(small, -layout.x * size, -layout.y * size, layout.columns * size, layout.rows * size);
    if (size >= 8) detail(view, context, size);
    view.restore();
    clip(view, MARGIN.right - 1);
    marks(view, context, size);
    view.restore();
    canvas.dataset.position = context.position;
    canvas.dataset.cell = size;
  }

  function clip(view, out) {
    view.beginPath();
    view.rect(-out, -out, layout.wide + 2 * out, layout.high + 2 * out);
    view.clip();
  }

  /** Like the head words of a dictionary: how the row's first token begins. */
  function guideWords(view, size) {
    view.font = `10px ${monospace()}`;
    view.textAlign = "right";
    view.textBaseline = "middle";
    view.fillStyle = colours.soft;
    const every = Math.max(1, Math.ceil(14 / size));
    for (let row = layout.y; row < layout.rows; row += every) {
      const y = MARGIN.y + (row - layout.y + 0.5) * size;
      if (y > MARGIN.y + layout.high) break;
      const word = Array.from(app.store.vocabulary.text(ids[row * layout.columns]));
      view.fillText(word.length > 5 ? word.slice(0, 4).join("") + "\u2026" : word.join(""), MARGIN.left - 6, Math.max(y, MARGIN.y + 5));
    }
    view.textAlign = "left";
  }

  const monospace = () => getComputedStyle(app.root).getPropertyValue("--sim-mono");

  function paintCells({ mask, tints }) {
    const pen = small.getContext("2d");
    const image = pen.createImageData(layout.columns, layout.rows);
    const pixels = new Uint32Array(image.data.buffer);
    const tinted = tints.length > 0; // a forced step has no probabilities: plain light and dark
    for (let place = 0; place < ids.length; place++) {
      const id = ids[place];
      if (isAllowed(mask, id)) pixels[place] = ramps.allowed[tinted ? tints[id] : 63];
      else pixels[place] = ramps.masked[tinted ? tints[id] : 0];
    }
    pen.putImageData(image, 0, 0);
  }

  const corner = (id, size) => [((places[id] % layout.columns) - layout.x) * size, (Math.floor(places[id] / layout.columns) - layout.y) * size];

  /** Where cells are large: gaps, a stroke through each masked one, and texts. */
  function detail(view, { frame }, size) {
    const right = Math.ceil(layout.columns / ZOOMS[layout.zoom]), down = Math.ceil(layout.rows / ZOOMS[layout.zoom]);
    view.font = `${Math.min(12, size / 2.4)}px ${monospace()}`;
    view.textBaseline = "middle";
    for (let row = layout.y; row <= layout.y + down && row < layout.rows; row++) {
      for (let column = layout.x; column <= layout.x + right && column < layout.columns; column++) {
        const id = ids[row * layout.columns + column];
        if (id !== undefined) cellDetail(view, frame, id, size);
      }
    }
  }

  function cellDetail(view, frame, id, size) {
    const [x, y] = corner(id, size);
    view.strokeStyle = colours.back;
    view.lineWidth = 1;
    view.strokeRect(x + 0.5, y + 0.5, size - 1, size - 1);
    const allowed = isAllowed(frame.mask, id);
    if (!allowed) {
      view.strokeStyle = colours.soft;
      view.beginPath();
      view.moveTo(x + 2, y + size - 2);
      view.lineTo(x + size - 2, y + 2);
      view.stroke();
    }
    if (size < 22) return;
    view.save();
    view.beginPath();
    view.rect(x, y, size - 1, size);
    view.clip();
    const plate = view.measureText(app.store.vocabulary.text(id)).width + 4;
    view.fillStyle = colours.back;
    view.fillRect(x + 2, y + size / 2 - 8, Math.min(plate, size - 4), 16);
    view.fillStyle = allowed ? colours.ink : colours.soft;
    view.fillText(app.store.vocabulary.text(id), x + 4, y + size / 2);
    view.restore();
  }

  /** Rings and frames: halos, matches of the search, the token taken, the cursor. */
  function marks(view, { frame }, size) {
    const { facts, mask } = frame;
    if (facts.allowed !== null && facts.allowed <= HALO_UP_TO && size < 16) {
      for (const id of allowedIds(mask, ids.length, HALO_UP_TO)) ring(view, id, size, colours.allowed, 6, 1.5);
    }
    for (const id of matches.slice(0, 2000)) box(view, id, size, colours.forced, 1.5, 1);
    if (facts.token !== undefined) {
      const colour = facts.legal ? (facts.forced ? colours.forced : colours.drawn) : colours.illegal;
      ring(view, facts.token, size, colours.back, 9, 5);
      ring(view, facts.token, size, colour, 9, 2.5);
      if (facts.forced) ring(view, facts.token, size, colour, 13, 1.5);
      if (!facts.legal) cross(view, facts.token, size, colour);
    }
    if (app.cursor !== null && app.cursor < ids.length) box(view, app.cursor, size, colours.ink, 2, 2);
  }

  function ring(view, id, size, colour, radius, width) {
    const [x, y] = corner(id, size);
    view.strokeStyle = colour;
    view.lineWidth = width;
    view.beginPath();
    view.arc(x + size / 2, y + size / 2, Math.max(radius, size * 0.7), 0, 2 * Math.PI);
    view.stroke();
  }

  function box(view, id, size, colour, width, out) {
    const [x, y] = corner(id, size);
    view.strokeStyle = colour;
    view.lineWidth = width;
    view.strokeRect(x - out, y - out, size + 2 * out, size + 2 * out);
  }

  function cross(view, id, size, colour) {
    const [x, y] = corner(id, size);
    const centre = [x + size / 2, y + size / 2];
    view.strokeStyle = colour;
    view.lineWidth = 2;
    view.beginPath();
    for (const side of [-1, 1]) {
      view.moveTo(centre[0] - 6, centre[1] - 6 * side);
      view.lineTo(centre[0] + 6, centre[1] + 6 * side);
    }
    view.stroke();
  }

  function find() {
    matches = app.store.vocabulary.search(search.value, ids);
    say(found, search.value ? `${count(matches.length)} found` : "");
  }

  function zoomBy(by, column, row) {
    const before = ZOOMS[layout.zoom];
    layout.zoom = clamp(layout.zoom + by, 0, ZOOMS.length - 1);
    const centre = app.cursor === null ? null : places[app.cursor];
    show(column ?? (centre === null ? layout.x + layout.columns / before / 2 : centre % layout.columns),
      row ?? (centre === null ? layout.y + layout.rows / before / 2 : Math.floor(centre / layout.columns)));
    redraw();
  }

  /** Scroll so that a cell stands in the middle. */
  function show(column, row) {
    const across = layout.columns / ZOOMS[layout.zoom], down = layout.rows / ZOOMS[layout.zoom];
    layout.x = Math.round(clamp(column - across / 2, 0, layout.columns - across));
    layout.y = Math.round(clamp(row - down / 2, 0, layout.rows - down));
  }

  function redraw() {
    if (last) draw(last);
  }

  function lookAt(place) {
    if (place < 0 || place >= ids.length) return;
    const column = place % layout.columns, row = Math.floor(place / layout.columns);
    const across = layout.columns / ZOOMS[layout.zoom], down = layout.rows / ZOOMS[layout.zoom];
    const out = column < layout.x || column >= layout.x + across - 1 || row < layout.y || row >= layout.y + down - 1;
    if (layout.zoom && out) show(column, row);
    app.look(ids[place]);
  }

  function placeAt(event) {
    const size = layout.cell * ZOOMS[layout.zoom];
    const x = event.offsetX - MARGIN.left, y = event.offsetY - MARGIN.y;
    if (x < 0 || y < 0 || x >= layout.wide || y >= layout.high) return -1;
    return (Math.floor(y / size) + layout.y) * layout.columns + Math.floor(x / size) + layout.x;
  }

  function nextAllowed(by) {
    let place = (app.cursor === null ? -1 : places[app.cursor]) + by;
    while (place >= 0 && place < ids.length && !isAllowed(last.frame.mask, ids[place])) place += by;
    lookAt(place);
  }

  canvas.addEventListener("pointermove", (event) => {
    const place = placeAt(event);
    if (place >= 0 && place < ids.length) app.look(ids[place]);
  });
  canvas.addEventListener("dblclick", (event) => {
    const place = placeAt(event);
    zoomBy(1, place % layout.columns, Math.floor(place / layout.columns));
  });
  canvas.addEventListener("wheel", (event) => {
    if (!event.ctrlKey && !layout.zoom) return; // the page scrolls
    event.preventDefault();
    if (event.ctrlKey) {
      const place = placeAt(event);
      zoomBy(event.deltaY < 0 ? 1 : -1, place % layout.columns, Math.floor(place / layout.columns));
    } else {
      const across = layout.columns / ZOOMS[layout.zoom], down = layout.rows / ZOOMS[layout.zoom];
      show(layout.x + across / 2 + Math.sign(event.deltaX), layout.y + down / 2 + Math.sign(event.deltaY));
      redraw();
    }
  }, { passive: false });
  canvas.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const at = app.cursor === null ? -1 : places[app.cursor];
    const moves = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: layout.columns, ArrowUp: -layout.columns,
      PageDown: 10 * layout.columns, PageUp: -10 * layout.columns };
    const acts = { n: () => nextAllowed(1), p: () => nextAllowed(-1), "+": () => zoomBy(1), "=": () => zoomBy(1), "-": () => zoomBy(-1),
      Home: () => lookAt(0), End: () => lookAt(ids.length - 1) };
    const act = event.key in moves ? () => lookAt(at < 0 ? 0 : at + moves[event.key]) : acts[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  });
  search.addEventListener("input", () => { find(); redraw(); });
  search.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !matches.length) return;
    const here = matches.indexOf(app.cursor);
    lookAt(places[matches[(here + (event.shiftKey ? matches.length - 1 : 1)) % matches.length]]);
  });
  order.addEventListener("change", redraw);

  return { element, draw, restyle, redraw };
}

/** 64 colours from one to another, as pixels. */
function ramp(from, to) {
  const [a, b] = [from, to].map((colour) => colour.match(/[\d.]+/g).map(Number));
  const mixed = (i, t) => Math.round(a[i] + (b[i] - a[i]) * t);
  return Uint32Array.from({ length: 64 }, (_, level) => {
    const t = (level / 63) ** 0.6; // most tokens are very unlikely: spread the low end
    return (0xff000000 | (mixed(2, t) << 16) | (mixed(1, t) << 8) | mixed(0, t)) >>> 0;
  });
}
