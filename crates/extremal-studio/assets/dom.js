// Elements, mathematics and numbers for the page.

/** The element of an id. */
export const byId = id => document.getElementById(id);

/** A new element with properties and children; what is null is left out. */
export function element(name, properties = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (value === null || value === undefined) continue;
    if (key in made && !key.includes("-")) made[key] = value;
    else made.setAttribute(key, value);
  }
  made.append(...children.flat().filter(child => child !== null && child !== undefined));
  return made;
}

/** Pieces of MathML, each in an element of its own, so that a line can end between them. */
export function mathematics(pieces) {
  return pieces.flatMap((piece, at) => {
    const holder = document.createElement("template");
    holder.innerHTML = `<math displaystyle="true">${piece}</math>`;
    return at === 0 ? [holder.content] : [" ", holder.content];
  });
}

/** A number in so few digits as tell it, but not more than `digits`; all of them without. */
export function number(value, digits) {
  if (value === null || value === undefined || Number.isNaN(value)) return "–";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  if (digits === undefined) return String(value).replace("-", "−");
  if (value === 0) return "0";
  const size = Math.abs(value);
  const text = size >= 1e-4 && size < 1e6 ? String(Number(value.toPrecision(digits))) : Number(value.toPrecision(Math.min(digits, 3))).toExponential();
  return text.replaceAll("-", "−").replace("e+", "e");
}

/** A table: a caption, names of columns, rows of texts or elements. */
export function table(caption, heads, rows, properties = {}) {
  const cell = (name, content, extra = {}) => element(name, extra, content instanceof Node ? content : String(content));
  return element("table", properties,
    caption ? element("caption", {}, caption) : null,
    element("thead", {}, element("tr", {}, heads.map(head => cell("th", head, { scope: "col" })))),
    element("tbody", {}, rows.map(row => element("tr", row.properties ?? {}, (row.cells ?? row).map(content => cell("td", content))))));
}

const palette = new Map();

/** A colour of the page, asked for once. */
export function colour(name) {
  if (!palette.has(name)) palette.set(name, getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim());
  return palette.get(name);
}

/** The colours are others now. */
export const repaletted = () => palette.clear();

const sizes = new WeakMap(), repaints = new WeakMap();
const sized = new ResizeObserver(entries => {
  for (const { target } of entries) { sizes.set(target, [target.clientWidth, target.clientHeight]); repaints.get(target)?.(); }
});

/** Paints a canvas anew whenever its size is another. */
export function onResize(canvas, repaint) { repaints.set(canvas, repaint); sized.observe(canvas); }

/** A canvas in the size in which it is shown, cleared; its pen, width and height. */
export function prepared(canvas) {
  const scale = Math.min(window.devicePixelRatio || 1, 3), [width, height] = sizes.get(canvas) ?? [canvas.clientWidth, canvas.clientHeight];
  const pixels = [Math.max(1, Math.round(width * scale)), Math.max(1, Math.round(height * scale))];
  if (canvas.width !== pixels[0] || canvas.height !== pixels[1]) [canvas.width, canvas.height] = pixels;
  const pen = canvas.getContext("2d");
  pen.setTransform(scale, 0, 0, scale, 0, 0);
  pen.clearRect(0, 0, width, height);
  pen.lineCap = pen.lineJoin = "round";
  return { pen, width, height };
}

/** Gives the user a file. */
export function download(name, content, kind) {
  const url = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type: kind }));
  element("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}

/** The command that does the same, with a button that copies it. */
export function commandLine(text, id = null) {
  return element("div", { className: "command" }, element("code", { id }, text), element("button", { type: "button", onclick: event => copy(text, event.target) }, "Copy"));
}

/** Copies a text and says so on the button. */
export async function copy(text, button) {
  const before = button.textContent;
  try { await navigator.clipboard.writeText(text); button.textContent = "Copied"; } catch { button.textContent = "Select it"; }
  setTimeout(() => { button.textContent = before; }, 1200);
}
