// Marks on a canvas, and colours as pixels.

/** Stroke a path that `shape` lays. */
function stroke(pen, colour, width, shape) {
  pen.strokeStyle = colour;
  pen.lineWidth = width;
  pen.beginPath();
  shape(pen);
  pen.stroke();
}

function ring(pen, [x, y], radius, colour, width) {
  stroke(pen, colour, width, () => pen.arc(x, y, radius, 0, 2 * Math.PI));
}

function cross(pen, [x, y], size, colour, width = 2) {
  stroke(pen, colour, width, () => {
    for (const side of [-1, 1]) {
      pen.moveTo(x - size, y - size * side);
      pen.lineTo(x + size, y + size * side);
    }
  });
}

/** The mark of a forced token: two arrow heads. */
function chevrons(pen, [x, y], size, colour, width) {
  stroke(pen, colour, width, () => {
    for (const left of [x - size, x]) {
      pen.moveTo(left, y - size);
      pen.lineTo(left + size, y);
      pen.lineTo(left, y + size);
    }
  });
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
