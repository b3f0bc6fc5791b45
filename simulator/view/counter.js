// Valid of N: the same question with many seeds, on both sides.

/** Valid of N seeds, with a bar for each side. */
function counterPanel(app) {
  const { model } = app;
  const total = h("input", {
    type: "number",
    min: 1,
    max: 10000,
    step: 1,
    value: 200,
    id: app.id("total"),
    "data-testid": "sim-count-total",
  });
  const button = h(
    "button.sim-button",
    { type: "button", "data-testid": "sim-count", click: () => app.count(Number(total.value)) },
    "Count valid outputs",
  );
  const rows = Object.entries(NAMES).map(([side, name]) => {
    const bar = h("progress", { max: 1, value: 0, "aria-label": `Valid ${name}` });
    const text = h("span.sim-tally", { "data-testid": `sim-count-${side}` });
    return { side, bar, text, row: h("div.sim-count-row", {}, h("span.sim-side", {}, name), bar, text) };
  });
  const table = h("div", { hidden: true }, ...rows.map(({ row }) => row));
  const element = h(
    "section.sim-counter",
    { "aria-label": "Valid of many seeds" },
    h("div.sim-row", {}, h("label", { for: total.id }, "Seeds"), total, button),
    table,
  );

  function draw() {
    const counts = model.get("counter");
    element.hidden = !app.live && !counts.total;
    table.hidden = !counts.total;
    say(button, counts.running ? "Stop counting" : "Count valid outputs");
    for (const { side, bar, text } of rows) {
      bar.max = counts.total || 1;
      bar.value = counts[side] || 0;
      say(
        text,
        counts.total
          ? `${count(counts[side])} of ${count(counts.done)} valid${counts.running ? ` (${count(counts.total)} to do)` : ""}`
          : "",
      );
    }
  }
  model.on("change:counter", draw);
  return { element, draw };
}
