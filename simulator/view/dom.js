// The simulator's view. No imports, no bundler: the parts are joined in the order that shared.py
// names. Token text is data: it reaches the page as text nodes only, by `h` and `textContent`.

let instances = 0;

/**
 * An element. Strings among the children become text nodes, never HTML.
 * @param {string} tag with classes: "div.sim-row"
 * @param {Record<string, any>} [attributes] functions become listeners, null and false leave out
 * @param {...(Node | string | null)} children
 */
function h(tag, attributes = {}, ...children) {
  const [name, ...classes] = tag.split(".");
  const element = document.createElement(name);
  element.className = classes.join(" ");
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(key, value);
    else if (value !== null && value !== false) element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child !== null));
  return element;
}

/** Set text only where it changed: a live region must not speak twice. */
function say(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** A probability for people: "3.6 %", "0.0021 %", "about" where only the tint is known. */
function percent(p, about = false) {
  if (p === null || p === undefined) return "unknown";
  const x = 100 * p;
  if (x === 0) return "0\u00a0%";
  if (x < 1e-5) return "under\u00a00.00001\u00a0%";
  const digits = x >= 99.95 || x >= 10 ? 3 : 2;
  const text = Number(x.toPrecision(about ? 1 : digits)).toLocaleString("en", {
    maximumSignificantDigits: 3,
  });
  return `${about ? "about\u00a0" : ""}${text}\u00a0%`;
}

const count = (n) => n.toLocaleString("en");
const clamp = (x, low, high) => Math.max(low, Math.min(high, x));

/** The colours of the theme as canvas can use them: a probe element resolves the CSS variables. */
function themeColours(root) {
  const probe = h("span", { hidden: true });
  root.append(probe);
  const read = (name) => {
    probe.style.color = `var(--sim-${name})`;
    return getComputedStyle(probe).color;
  };
  const names = "back ink soft line allowed allowed-low masked masked-high drawn forced illegal".split(" ");
  const colours = Object.fromEntries(names.map((name) => [name, read(name)]));
  probe.remove();
  return colours;
}

/** Call `changed` when JupyterLab or the system goes from light to dark or back. Returns an undo. */
function watchTheme(changed) {
  // JupyterLab marks the body first and lays the page out again later
  const later = () => {
    requestAnimationFrame(changed);
    setTimeout(changed, 300);
  };
  const observer = new MutationObserver(later);
  const dark = matchMedia("(prefers-color-scheme: dark)");
  observer.observe(document.body, {
    attributes: true,
    attributeFilter: ["data-jp-theme-light", "data-jp-theme-name"],
  });
  dark.addEventListener("change", later);
  return () => {
    observer.disconnect();
    dark.removeEventListener("change", later);
  };
}
