// The frames of a run, as they arrive: all at once (traits) or one by one (messages).

class Store {
  constructor(model, changed) {
    this.model = model;
    this.changed = changed;
    this.vocabulary = new Vocabulary(NOTHING, []);
    this.run = -1;
    this.sides = {};
    this.busy = Promise.resolve(); // loads and frames are taken in the order in which they came
    this.pending = 0;
  }

  /** Take over the traits; `what` is "tokens" or "replay". */
  load(what) {
    const traits = Object.fromEntries(
      ["tokens", "silent", "replay_facts", "replay_masks", "replay_tints"].map((key) => [
        key,
        this.model.get(key),
      ]),
    );
    this.#queue(() => (what === "tokens" ? this.#loadTokens(traits) : this.#loadReplay(traits)));
    return this.busy;
  }

  #queue(task) {
    this.pending++;
    this.busy = this.busy
      .then(task)
      .catch((error) => console.error("simulator:", error))
      .then(() => {
        this.pending--;
        if (!this.pending) this.changed();
      });
  }

  async #loadTokens(traits) {
    this.vocabulary = new Vocabulary(await inflate(traits.tokens), traits.silent);
    this.sides = {}; // frames of another vocabulary say nothing about this one
  }

  async #loadReplay(traits) {
    const [facts, masks] = await Promise.all([inflate(traits.replay_facts), inflate(traits.replay_masks)]);
    if (!facts.length) return;
    const { run, sides } = JSON.parse(new TextDecoder().decode(facts));
    const size = 4 * Math.ceil(this.vocabulary.n / 32);
    const packed = asBytes(traits.replay_tints);
    let start = 0;
    const cut = (facts) => ({
      facts,
      mask: facts.mask < 0 ? NOTHING : masks.subarray(facts.mask * size, (facts.mask + 1) * size),
      tints: NOTHING,
      packed: facts.tint_size ? packed.subarray(start, (start += facts.tint_size)) : null,
    });
    this.run = run;
    this.sides = {};
    for (const [name, side] of Object.entries(sides)) {
      this.sides[name] = { finished: side.finished, frames: side.frames.map(cut) };
    }
  }

  /**
   * Tints are most of a replay and take time to inflate: that is done when their frame is near.
   * `now`: it is the frame that is looked at, so draw it again once they are there.
   */
  unpack(frame, now) {
    if (!frame?.packed) return;
    frame.unpacking ??= inflate(frame.packed).then((tints) => Object.assign(frame, { tints, packed: null }));
    if (now) frame.unpacking.then(() => this.changed());
  }

  /** Frames from the kernel, two buffers each, or word of a side's end; `then` before it is drawn. */
  receive({ run, frames }, buffers, then) {
    this.#queue(async () => {
      if (run !== this.run) return;
      const bytes = await Promise.all(
        buffers.map((buffer, i) => (i % 2 ? inflate(buffer) : asBytes(buffer))),
      );
      for (const { side, index, finished, facts } of frames) {
        if (finished) this.sides[side].finished = finished;
        else this.sides[side].frames[index] = { facts, mask: bytes.shift(), tints: bytes.shift() };
      }
      then();
    });
  }

  /** Now, or once what has come was taken in. */
  settled(act) {
    if (this.pending) this.busy.then(act);
    else act();
  }

  frames(side) {
    return this.sides[side]?.frames ?? [];
  }

  /** The frame that a side shows at a position: its last one, once it is over. */
  frame(side, position) {
    const frames = this.frames(side);
    return frames[Math.min(position, frames.length - 1)];
  }

  /** Steps that are known, of the longer side. */
  get length() {
    return Math.max(0, ...Object.values(this.sides).map((side) => side.frames.length - 1));
  }

  get finished() {
    const sides = Object.values(this.sides);
    return sides.length > 0 && sides.every((side) => side.finished);
  }

  /** Probability of a token before and after the mask, and whether it is only known by its tint. */
  probability(frame, id) {
    const { facts, mask, tints } = frame;
    const listed = (facts.before ?? []).find(([token]) => token === id);
    if (!listed && !tints.length) return { before: null, after: null, about: false };
    const before = listed ? listed[1] : fromTint(tints[id]);
    const kept = 1 - facts.removed;
    const after = isAllowed(mask, id) ? (facts.after ?? []).find(([token]) => token === id)?.[1] : 0;
    return { before, after: after ?? (kept > 0 ? Math.min(1, before / kept) : null), about: !listed };
  }
}
