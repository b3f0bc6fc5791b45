// Where each token stands on the map, and which part of it is in view.

const ZOOMS = [1, 2, 4, 8, 16, 32];
const CELLS = [64, 48, 32, 24, 16, 12, 8, 6, 5, 4, 3, 2]; // pixels; the largest that fits is taken, or 1
const HIGH = 420; // pixels of map at most
const MARGIN = { left: 48, right: 16, y: 16 }; // room for the guide words, and for rings at the edge

/** Where tokens stand. Places count cells from the top left; a cell's column and row follow. */
class MapLayout {
  constructor(vocabulary, kind, width) {
    const inner = width - MARGIN.left - MARGIN.right;
    const fits = (cell) => Math.ceil(vocabulary.n / Math.floor(inner / cell)) * cell <= HIGH;
    this.vocabulary = vocabulary;
    this.ids = vocabulary.order(kind);
    this.places = new Uint32Array(vocabulary.n);
    this.ids.forEach((id, place) => (this.places[id] = place));
    this.cell = CELLS.find(fits) ?? 1;
    this.columns = Math.floor(inner / this.cell);
    this.rows = Math.max(1, Math.ceil(vocabulary.n / this.columns));
    this.wide = this.columns * this.cell;
    this.high = this.rows * this.cell;
    Object.assign(this, { zoom: 0, left: 0, top: 0 }); // left, top: the first cell in view
  }

  /** Size of a cell on the screen. */
  get size() {
    return this.cell * ZOOMS[this.zoom];
  }

  /** Cells in view. */
  get across() {
    return this.columns / ZOOMS[this.zoom];
  }
  get down() {
    return this.rows / ZOOMS[this.zoom];
  }

  column(place) {
    return place % this.columns;
  }
  row(place) {
    return Math.floor(place / this.columns);
  }

  /** Top left corner of a token's cell, in pixels from the map's. */
  corner(id) {
    const place = this.places[id];
    return [(this.column(place) - this.left) * this.size, (this.row(place) - this.top) * this.size];
  }
  centre(id) {
    return this.corner(id).map((edge) => edge + this.size / 2);
  }

  /** The place at a point of the canvas, or -1. */
  placeAt(x, y) {
    [x, y] = [x - MARGIN.left, y - MARGIN.y];
    if (x < 0 || y < 0 || x >= this.wide || y >= this.high) return -1;
    const place =
      (Math.floor(y / this.size) + this.top) * this.columns + Math.floor(x / this.size) + this.left;
    return place < this.ids.length ? place : -1;
  }

  /** Scroll so that a cell stands in the middle. */
  show(column, row) {
    this.left = Math.round(clamp(column - this.across / 2, 0, this.columns - this.across));
    this.top = Math.round(clamp(row - this.down / 2, 0, this.rows - this.down));
  }

  zoomBy(by, place) {
    const middle = [this.left + this.across / 2, this.top + this.down / 2];
    this.zoom = clamp(this.zoom + by, 0, ZOOMS.length - 1);
    if (place >= 0) this.show(this.column(place), this.row(place));
    else this.show(...middle);
  }

  inView(place) {
    const [column, row] = [this.column(place) - this.left, this.row(place) - this.top];
    return column >= 0 && row >= 0 && column < this.across - 1 && row < this.down - 1;
  }
}
