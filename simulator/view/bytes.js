// Bytes that come from Python: deflated traits, packed masks, the vocabulary.

const NOTHING = new Uint8Array(0);

/** A trait's DataView (or nothing) as bytes. */
function asBytes(view) {
  return view ? new Uint8Array(view.buffer, view.byteOffset, view.byteLength) : NOTHING;
}

/** @returns {Promise<Uint8Array>} */
async function inflate(view) {
  const bytes = asBytes(view);
  if (!bytes.length) return NOTHING;
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Bit i of a mask; an unknown mask (no bytes) allows everything. */
const isAllowed = (mask, id) => mask.length === 0 || ((mask[id >> 3] >> (id & 7)) & 1) === 1;

/** Ids of the first `most` allowed tokens of a mask. */
function allowedIds(mask, n, most) {
  const ids = [];
  for (let byte = 0; byte < mask.length && ids.length < most; byte++) {
    for (let bits = mask[byte], i = 0; bits; bits >>= 1, i++) {
      const id = byte * 8 + i;
      if (bits & 1 && id < n && ids.length < most) ids.push(id);
    }
  }
  return ids;
}

/** Tint 0..63 back to a probability, within a sixth. */
const fromTint = (tint) => 10 ** ((tint - 63) / 8);

const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Bytes to text; those that are no whole character become \xNN. */
function decode(bytes) {
  try {
    return strict.decode(bytes);
  } catch {
    let text = "";
    for (let i = 0; i < bytes.length;) {
      const length = bytes[i] < 0x80 ? 1 : bytes[i] < 0xe0 ? 2 : bytes[i] < 0xf0 ? 3 : 4;
      try {
        text += strict.decode(bytes.subarray(i, i + length));
        i += length;
      } catch {
        text += `\\x${bytes[i++].toString(16).padStart(2, "0")}`;
      }
    }
    return text;
  }
}

const HIDDEN = /[\p{C}\p{Z}]/u;

/** What cannot be seen is shown: control pictures, an open box for a space, codes for the rest. */
function visible(text) {
  if (!HIDDEN.test(text)) return text;
  return Array.from(text, (character) => {
    const code = character.codePointAt(0);
    if (code === 0x20) return "\u2423";
    if (code < 0x20) return String.fromCharCode(0x2400 + code);
    if (code === 0x7f) return "\u2421";
    return HIDDEN.test(character) ? `\\u{${code.toString(16)}}` : character;
  }).join("");
}

/** Bytes as a string whose characters are the bytes: it sorts as they do. */
function oneByteACharacter(bytes) {
  const parts = [];
  for (let i = 0; i < bytes.length; i += 8192)
    parts.push(String.fromCharCode(...bytes.subarray(i, i + 8192)));
  return parts.join("");
}

class Vocabulary {
  /** @param {Uint8Array} packed see frames.pack_vocabulary; @param {number[]} silent special ids */
  constructor(packed, silent) {
    const n = packed.length ? new DataView(packed.buffer, packed.byteOffset).getUint32(0, true) : 0;
    const length = (i) => packed[4 + i] + 256 * packed[4 + n + i] + 65536 * packed[4 + 2 * n + i];
    this.n = n;
    this.silent = new Set(silent);
    this.packed = packed;
    this.starts = new Uint32Array(n + 1);
    this.starts[0] = 4 + 3 * n;
    for (let i = 0; i < n; i++) this.starts[i + 1] = this.starts[i] + length(i);
    this.texts = new Array(n);
    this.orders = {};
  }

  bytes(id) {
    return this.packed.subarray(this.starts[id], this.starts[id + 1]);
  }

  /** A token as a person can read it, on one line. */
  text(id) {
    return (this.texts[id] ??= visible(decode(this.bytes(id))) || "(empty)");
  }

  hex(id) {
    return Array.from(this.bytes(id), (byte) => byte.toString(16).padStart(2, "0")).join(" ");
  }

  /** Ids in the order of a map: by "bytes" (neighbours begin alike; special tokens last) or "id". */
  order(kind) {
    if (this.orders[kind]) return this.orders[kind];
    const ids = Uint32Array.from({ length: this.n }, (_, i) => i);
    if (kind === "bytes") {
      const all = oneByteACharacter(this.packed);
      const keys = Array.from(ids, (i) =>
        this.silent.has(i) ? "\uffff" : all.slice(this.starts[i], this.starts[i + 1]),
      );
      ids.sort((a, b) => (keys[a] < keys[b] ? -1 : keys[a] > keys[b] ? 1 : a - b));
    }
    return (this.orders[kind] = ids);
  }

  /** Ids whose text contains `part`, in the order given. */
  search(part, order) {
    const wanted = visible(part).toLowerCase();
    return wanted ? Array.from(order).filter((id) => this.text(id).toLowerCase().includes(wanted)) : [];
  }
}
