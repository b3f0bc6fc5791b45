// Along the run: how much probability the mask took away at each step. It is the step slider too.

const STRIP_HEIGHT = 46;

function strip(app) {
  const canvas = h("canvas", { "aria-hidden": "true" });
  const slider = h(
    "div.sim-strip",
    { role: "slider", tabindex: 0, "aria-label": "Step", "aria-valuemin": 0, "data-testid": "sim-strip" },
    canvas,
  );
  const caption = h("p.sim-caption");
  const about = {
    constrained: "Probability that the mask removed",
    free: "Probability on tokens that the schema forbids",
  };

  const positionAt = (event) => clamp(Math.floor(event.offsetX / pitch()), 0, app.store.length);
  slider.addEventListener("pointerdown", (event) => {
    slider.setPointerCapture(event.pointerId);
    app.go(positionAt(event));
  });
  slider.addEventListener("pointermove", (event) => event.buttons & 1 && app.go(positionAt(event)));
  slider.addEventListener("keydown", (event) => {
    const acts = {
      ArrowRight: () => app.step(),
      ArrowUp: () => app.step(),
      ArrowLeft: () => app.back(),
      ArrowDown: () => app.back(),
      PageDown: () => app.go(app.position - 10),
      PageUp: () => app.go(app.position + 10),
      Home: () => app.go(0),
      End: () => app.go(app.store.length),
    };
    const act = event.ctrlKey || event.metaKey || event.altKey ? undefined : acts[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  });

  /** Width of one step in CSS pixels; position 0 has a place too. */
  function pitch() {
    return Math.min(28, slider.clientWidth / (app.store.length + 1));
  }

  function draw(context) {
    slider.setAttribute("aria-valuemax", app.store.length);
    slider.setAttribute("aria-valuenow", context.position);
    slider.setAttribute("aria-valuetext", context.frame.facts.say);
    say(caption, `${about[context.side]}, step by step. This is the step slider: arrow keys, or click.`);
    const width = slider.clientWidth,
      ratio = window.devicePixelRatio || 1;
    if (!width) return; // hidden: it is drawn when it is shown
    if (canvas.width !== Math.round(width * ratio)) {
      canvas.width = Math.round(width * ratio);
      canvas.height = STRIP_HEIGHT * ratio;
    }
    const pen = canvas.getContext("2d");
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, width, STRIP_HEIGHT);
    const each = pitch(),
      gap = each > 6 ? 2 : 0;
    const colours = app.colours;
    context.frames.forEach(({ facts }, i) => drawStep(pen, facts, i, each, gap, colours));
    pen.fillStyle = colours.ink;
    const x = (Math.min(context.position, context.frames.length - 1) + 0.5) * each;
    pen.strokeStyle = colours.ink;
    pen.lineWidth = 2;
    pen.strokeRect(x - each / 2 + 0.5, 1, Math.max(3, each - 1), STRIP_HEIGHT - 2);
  }

  const element = h("section.sim-along", { "aria-label": "Along the run" }, slider, caption);
  return { element, draw };
}

/** A bar from below for what was removed; chevrons for a free step; a cross for an illegal one. */
function drawStep(pen, facts, i, each, gap, colours) {
  const left = i * each + gap;
  const width = Math.max(1, each - 2 * gap);
  const floor = STRIP_HEIGHT - 5;
  const height = (floor - 5) * (facts.removed ?? 0);
  const centre = [left + width / 2, floor / 2 + 2];
  const sign = [
    Math.min(5, width / 3),
    facts.forced ? colours.forced : colours.illegal,
    clamp(width / 4, 1, 2),
  ];
  pen.fillStyle = colours.line;
  pen.fillRect(left, floor, width, 1);
  if (facts.token === undefined) return;
  if (facts.forced) return chevrons(pen, centre, ...sign);
  if (facts.allowed === null) return ring(pen, centre, 1, colours.soft, 2); // outside the schema
  pen.fillStyle = facts.legal ? colours.allowed : colours.illegal;
  pen.fillRect(left, floor - height, width, height + 1);
  if (!facts.legal) cross(pen, centre, sign[0], height > floor / 2 ? colours.back : sign[1], sign[2]);
}
