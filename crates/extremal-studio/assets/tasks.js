// Equations, analysis, comparison, optimum and map: what is asked for in a view of its own.
import { ask } from "./ask.js";
import { Charts, panelsOf } from "./charts.js";
import { byId, colour, commandLine, element, mathematics, number, onResize, prepared, table } from "./dom.js";
import { DrawnMotion, Scene, pace } from "./scene.js";

/** Sections of sentences and formulas. */
export function sections(answer) {
  const line = ({ sentence, left, right, text, latex, remarks = [] }) => {
    if (sentence !== undefined) return element("p", { className: "note" }, sentence);
    const said = remarks.map(remark => element("span", { className: "remark" }, remark));
    if (!left) return element("p", { className: "equation" }, element("code", {}, text), said);
    return element("p", { className: "equation", role: "math", "aria-label": text, "data-latex": latex }, mathematics([...left, "<mo>=</mo>" + right[0], ...right.slice(1)]), said);
  };
  return answer.sections.map(({ title, note, lines }) => element("section", {}, element("h2", {}, title), note ? element("p", { className: "note" }, note) : null, lines.map(line)));
}

const rounds = new WeakMap();

/** Empties views; what is still to come for them is not shown. */
export function empty(...frames) {
  for (const frame of frames) { rounds.set(frame, (rounds.get(frame) ?? 0) + 1); frame.replaceChildren(); frame.removeAttribute("aria-busy"); }
}

/** Ends what takes long. */
export function abandon() {
  solving?.abort(); mapping?.abort(); comparing?.abort();
  byId("compare-progress").textContent = "";
}

/** Fills a view with what is asked, and says what is wrong. What comes after a later question is not shown. */
export async function fill(frame, work) {
  const round = (rounds.get(frame) ?? 0) + 1, late = () => rounds.get(frame) !== round;
  rounds.set(frame, round);
  // What needs its size is done when it is there: `work` gets a function for that.
  frame.setAttribute("aria-busy", "true");
  if (!frame.firstChild) frame.replaceChildren(element("p", { className: "busy" }, "Working"));
  let after = null;
  try {
    const content = await work(then => { after = then; });
    if (late()) return;
    frame.replaceChildren(...content);
    after?.();
  } catch (error) {
    if (late()) return;
    if (error.name === "AbortError") frame.querySelector(":scope > .busy")?.remove();
    else frame.replaceChildren(element("p", { className: "verdict-wrong" }, error.message));
  }
  frame.removeAttribute("aria-busy");
}

/** Shows the equations. */
export const equations = request => fill(byId("equations"), async () => {
  const { content } = await ask("equations", { ask: "equations", ...request });
  return [...sections(content), commandLine(content.command)];
});

/** Shows what is conserved and what the method keeps. */
export const analysis = request => fill(byId("analysis"), async () => {
  const { content } = await ask("equations", { ask: "analyze", ...request });
  return [...sections(content), commandLine(content.command)];
});

/** Plays something on a frame of its own: a scene with curves. */
class Player {
  constructor(label) {
    this.canvas = element("canvas", { role: "img", tabIndex: 0, "aria-label": label });
    this.canvas.style.width = "100%"; this.canvas.style.height = "100%";
    this.frame = element("div", { id: `scene-${label.replace(/\W+/g, "-")}` }, this.canvas);
    this.frame.className = "player"; this.frame.style.height = "20rem";
    this.button = element("button", { type: "button", onclick: () => this.toggle() }, "Pause");
    this.seek = element("input", { type: "range", min: 0, max: 1, step: "any", "aria-label": "Time", oninput: () => { this.playing = false; this.said(); this.at(Number(this.seek.value)); } });
    this.seek.style.flex = "1";
    this.clock = element("output");
    this.charts = new Charts(element("div", { className: "charts" }));
    this.scene = new Scene(this.canvas);
    this.whole = element("div", {}, this.frame, element("div", { className: "row" }, this.button, this.seek, this.clock), this.charts.frame);
  }

  show(answer, from, to, drawings, panels, second) {
    this.from = from; this.to = to; this.time = from;
    this.frame.hidden = drawings.length === 0;
    this.scene.show(drawings);
    this.charts.show(panels, second);
    Object.assign(this.seek, { min: from, max: to });
    this.playing = !matchMedia("(prefers-reduced-motion: reduce)").matches; this.said();
    this.at(from);
    this.go();
  }

  said() { this.button.textContent = this.playing ? "Pause" : "Play"; }

  toggle() { this.playing = !this.playing; if (this.playing && this.time >= this.to) this.time = this.from; this.said(); this.go(); }

  at(time) {
    this.time = time; this.seek.value = time; this.clock.textContent = `t = ${number(time, 4)}`;
    if (this.scene.motions.length) this.scene.draw(time);
    this.charts.at(time);
  }

  go() {
    const round = ++this.round || (this.round = 1);
    let last = null;
    const step = now => {
      if (!this.playing || round !== this.round || !this.whole.isConnected) return;
      if (last !== null) this.at(Math.min(this.to, this.time + (now - last) / 1000 * pace(this.to - this.from)));
      last = now;
      if (this.time >= this.to) { this.at(this.to); this.playing = false; this.said(); return; }
      requestAnimationFrame(step);
    };
    requestAnimationFrame(step);
  }
}

const players = new Map();
const player = label => players.get(label) ?? players.set(label, new Player(label)).get(label);
const drawn = answer => answer.content.drawing.error === undefined ? [new DrawnMotion(answer, answer.content.drawing)] : [];
const panels = answer => panelsOf(answer.content.columns, answer.columns(answer.content.rows));
const times = answer => { const at = answer.content.columns.findIndex(({ role }) => role === "time"), column = answer.columns(answer.content.rows)[Math.max(at, 0)]; return [column[0], column[column.length - 1]]; };

let solving = null, mapping = null, comparing = null;

/** Runs both methods and measures their errors. */
export async function compare(request) {
  comparing?.abort(); comparing = new AbortController();
  const { signal } = comparing;
  const other = { ...request, method: byId("second-method").value || "rk4", step: byId("second-step").value || request.step };
  const frame = byId("compare-results");
  byId("compare-progress").textContent = "marching…";
  await fill(frame, async after => {
    const [first, second] = await Promise.all([ask("motion", { ask: "run", ...request }), ask("second", { ask: "run", ...other }, { signal })]);
    const said = [first, second].map(({ content: { summary } }) => summary);
    const one = player("both methods");
    const names = [...new Set(said.flatMap(({ invariants }) => Object.keys(invariants)))];
    const ends = Object.keys(said[0].end?.q ?? {}).slice(0, 12);
    const title = ({ method, step }) => `${method}, h = ${number(step, 6)}`;
    const rows = [
      ...names.map(name => [`max drift of ${name}`, ...said.map(({ invariants }) => number(invariants[name]?.max_drift, 3))]),
      ...ends.map(name => [`${name} at the end`, ...said.map(({ end }) => number(end?.q[name], 10))]),
      ["steps", ...said.map(({ steps }) => steps)], ["iterations", ...said.map(({ solver }) => solver.newton_iterations)],
    ];
    const results = [table(null, ["", ...said.map(title)], rows, { id: "compared" }), one.whole];
    after(() => one.show(first, ...times(first), [...drawn(first), ...drawn(second)], panels(first), panels(second)));
    byId("compare-progress").textContent = "measuring errors…";
    if (signal.aborted) return [];
    const errors = await ask("compare", { ask: "compare", first: request, second: other }, { signal }).then(({ content }) => errorTable(content), error => [element("p", { className: "note" }, `No errors are measured: ${error.message}`)]);
    return [...results.slice(0, 1), ...errors, ...results.slice(1)];
  });
  if (!signal.aborted) byId("compare-progress").textContent = "";
}

function errorTable({ methods, against, commands }) {
  const names = Object.keys(methods.flatMap(({ rows = [] }) => rows)[0]?.errors ?? {}).slice(0, 8);
  const rows = methods.flatMap(({ method, rows = [], error }) => error ? [[method, error]] : rows.map(row => [method, number(row.step, 6), ...names.flatMap(name => [number(row.errors[name], 3), number(row.orders[name], 3)]), number(row.energy_drift, 3)]));
  return [element("div", { className: "tables" }, table(`Largest errors against ${against}, with measured orders`, ["method", "step", ...names.flatMap(name => [name, "order"]), "energy"], rows, { id: "errors" })), ...commands.map(command => commandLine(command))];
}

/** Steps of the grid on which a problem is solved, if not those of the model. */
export const stepsOfSolution = () => Number(byId("solve-steps").value) || null;

/** Solves the problem of the model and plays the optimum. */
export async function solve(request) {
  solving?.abort();
  const own = solving = new AbortController();
  const steps = stepsOfSolution(), said = byId("solve-progress"), stop = byId("stop-solve");
  stop.hidden = false; stop.onclick = () => own.abort(); said.textContent = "solving…";
  await fill(byId("solve-results"), async after => {
    const answer = await ask("solve", { ask: "solve", ...request, steps }, { signal: own.signal, progress: ({ done }) => { said.textContent = `${done} iterations`; } });
    const { summary, solved, command } = answer.content, one = player("optimal motion");
    const rows = [["status", summary.status], ["objective", number(summary.objective, 12)], ["duration", number(summary.duration, 10)], ["steps", summary.steps], ["iterations", summary.iterations],
      ["left in the conditions", number(summary.residual, 3)], ["left in the gradient", number(summary.dual_residual, 3)],
      ...(summary.verification?.end_error === undefined ? [] : [["a simulation ends off by", number(summary.verification.end_error, 3)]])];
    after(() => one.show(answer, ...times(answer), drawn(answer), panels(answer), null));
    return [
      element("p", { id: "solve-status", className: !solved ? "verdict-wrong" : summary.status === "unverified" ? "warning-line" : "verdict-good" },
        !solved ? `Not solved: ${summary.status}` : summary.status === "unverified" ? "Solved on its grid; the checks do not confirm it" : `Solved: ${summary.nature ?? summary.status}`),
      ...summary.warnings.map(warning => element("p", { className: "warning-line" }, `Warning: ${warning}`)),
      element("div", { className: "tables" }, table(null, ["", ""], rows, { id: "solution" })), one.whole, commandLine(command)];
  });
  if (solving === own) { stop.hidden = true; said.textContent = ""; }
}

/** Viridis, at nine places. */
const MAP = ["#440154", "#472d7b", "#3b528b", "#2c728e", "#21918c", "#28ae80", "#5ec962", "#addc30", "#fde725"].map(code => [1, 3, 5].map(at => parseInt(code.slice(at, at + 2), 16)));
function shade(part) {
  const place = Math.min(Math.max(part, 0), 1) * (MAP.length - 1), at = Math.min(Math.floor(place), MAP.length - 2), rest = place - at;
  return MAP[at].map((value, k) => Math.round(value + (MAP[at + 1][k] - value) * rest));
}

/** Marches a grid of motions and draws what came of them. */
export async function map(request) {
  mapping?.abort();
  const own = mapping = new AbortController();
  const said = byId("map-progress"), stop = byId("stop-map"), value = id => byId(id).value.trim(), count = Math.max(2, Number(value("map-count")) || 60);
  const axis = letter => value(`map-${letter}`) ? `${value(`map-${letter}`)}=${value(`map-${letter}-from`)}:${value(`map-${letter}-to`)}:${count}` : null;
  const axes = [axis("y"), axis("x")].filter(Boolean);
  stop.hidden = false; stop.onclick = () => own.abort(); said.textContent = "marching…";
  await fill(byId("map-results"), async after => {
    const answer = await ask("map", { ask: "sweep", ...request, axes }, { signal: own.signal, progress: ({ done, total }) => { said.textContent = `${done} of ${total}`; } });
    const { names, numbers, axes: grid, command, summary } = answer.content, columns = answer.columns(numbers);
    const canvas = element("canvas", { role: "img", id: "map-picture" }), choice = element("select", { "aria-label": "What is drawn" }, names.map((name, at) => element("option", { value: at }, name)));
    const first = names.findIndex((name, at) => at >= grid.length && !/^(t|h)$/.test(name) && !name.includes("(0)"));
    choice.value = String(Math.max(first, 0));
    const scale = element("p", { className: "note" });
    const draw = () => paintMap(canvas, grid, columns[Number(choice.value)], names[Number(choice.value)], scale);
    choice.onchange = draw;
    after(() => onResize(canvas, draw));
    const rows = [["members", summary.members], ["finished", summary.finished], ["stopped", summary.stopped], ["failed", summary.failed]];
    return [element("div", { className: "map" }, element("div", {}, element("label", { className: "row" }, "Colour ", choice), canvas, scale), table(null, ["", ""], rows)), commandLine(command)];
  });
  if (mapping === own) { stop.hidden = true; said.textContent = ""; }
}

function paintMap(canvas, grid, column, name, scale) {
  const { pen, width, height } = prepared(canvas), finite = Array.from(column).filter(Number.isFinite);
  let low = Infinity, high = -Infinity;
  for (const value of finite) { low = Math.min(low, value); high = Math.max(high, value); }
  scale.textContent = `${name} at the end, from ${number(low, 5)} to ${number(high, 5)}`;
  canvas.setAttribute("aria-label", scale.textContent);
  const [left, bottom, top, right] = [58, 34, 8, 10], w = width - left - right, h = height - top - bottom;
  pen.font = "11px system-ui, sans-serif"; pen.fillStyle = colour("soft"); pen.textAlign = "center";
  const across = grid[grid.length - 1], n = across.values.length;
  for (const part of [0, 0.5, 1]) pen.fillText(number(across.values[0] + part * (across.values[n - 1] - across.values[0]), 4), left + part * w, height - bottom + 14);
  pen.fillText(across.name, left + w / 2, height - 5);
  const side = (value, part) => { pen.textAlign = "right"; pen.fillText(number(value, 4), left - 6, top + h * (1 - part) + 4); };
  if (grid.length === 1) {
    for (const part of [0, 0.5, 1]) side(low + part * (high - low), part);
    pen.strokeStyle = colour("series-0"); pen.lineWidth = 1.6; pen.beginPath();
    let open = false;
    column.forEach((value, k) => { if (!Number.isFinite(value)) { open = false; return; } const at = [left + k / (n - 1) * w, top + h * (1 - (value - low) / (high - low || 1))]; open ? pen.lineTo(...at) : pen.moveTo(...at); open = true; });
    pen.stroke();
    return;
  }
  const up = grid[0], rows = up.values.length, picture = new ImageData(n, rows);
  for (let k = 0; k < column.length; k++) {
    const at = 4 * ((rows - 1 - Math.floor(k / n)) * n + k % n), there = Number.isFinite(column[k]);
    picture.data.set(there ? [...shade((column[k] - low) / (high - low || 1)), 255] : [0, 0, 0, 0], at);
  }
  const small = element("canvas", { width: n, height: rows });
  small.getContext("2d").putImageData(picture, 0, 0);
  pen.imageSmoothingEnabled = false;
  pen.drawImage(small, left, top, w, h);
  for (const part of [0, 0.5, 1]) side(up.values[0] + part * (up.values[rows - 1] - up.values[0]), part);
  pen.save(); pen.translate(11, top + h / 2); pen.rotate(-Math.PI / 2); pen.textAlign = "center"; pen.fillText(up.name, 0, 0); pen.restore();
}
