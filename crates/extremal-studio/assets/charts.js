// Curves in step with the motion.
import { colour, element, number, onResize, prepared } from "./dom.js";

const LEFT = 58, BOTTOM = 17, TOP = 6, RIGHT = 8;
const MOST_CURVES = 6;

/** Round numbers between two ends. */
function ticks(low, high, count) {
  const span = high - low;
  if (!(span > 0)) return [low];
  const rough = span / count, size = 10 ** Math.floor(Math.log10(rough)), step = [1, 2, 5, 10].map(k => k * size).find(step => step >= rough);
  const found = [];
  for (let k = Math.ceil(low / step); k <= Math.floor(high / step + 1e-9); k++) found.push(k * step);
  return found;
}

/** What is to be seen of rows: panels of curves, each with a name, numbers over numbers. */
export function panelsOf(columns, rows) {
  const time = columns.findIndex(({ role }) => role === "time"), of = role => columns.flatMap((column, at) => column.role === role ? [at] : []);
  const curve = at => ({ name: columns[at].name, x: rows[time < 0 ? 0 : time], y: rows[at] });
  const drift = at => { const y = rows[at]; return { name: columns[at].name, x: rows[time], y: y.map(value => value - y[0]) }; };
  const panels = [], add = (title, curves) => { if (curves.length) panels.push({ title, curves: curves.slice(0, MOST_CURVES), more: Math.max(0, curves.length - MOST_CURVES), timed: true }); };
  add("Coordinates", of("coordinate").map(curve));
  add("States", of("state").map(curve));
  add("Controls", of("control").map(curve));
  const [q] = of("coordinate"), v = columns.findIndex(({ role, of }) => role === "velocity" && of === columns[q]?.name), p = v >= 0 ? v : of("velocity")[0] ?? of("momentum")[0];
  if (q !== undefined && p !== undefined) panels.push({ title: "Phase", curves: [{ name: `${columns[q].name}, ${columns[p].name}`, x: rows[q], y: rows[p] }], more: 0, timed: false, times: rows[time] });
  if (time >= 0) {
    add("Energy − its start", of("energy").map(drift));
    add("Conserved − start", of("invariant").map(drift));
  }
  add("Temperatures", of("temperature").map(curve));
  add("Entropies", of("entropy").map(curve));
  add("Amounts", of("amount").map(curve));
  add("Outputs", of("asked").map(curve));
  add("Reactions", of("multiplier").map(curve));
  return panels;
}

/** A panel: its curves on one canvas, the moment on another above it. */
class Chart {
  constructor(tall) {
    this.base = element("canvas", { role: "img" }); this.above = element("canvas", { "aria-hidden": "true" });
    this.caption = element("figcaption");
    onResize(this.base, () => { if (this.panel) this.paint(); });
    onResize(this.above, () => { if (this.panel) this.at(this.time ?? null); });
    this.figure = element("figure", { className: tall ? "chart tall" : "chart" }, this.caption, element("div", { className: "plot" }, this.base, this.above));
  }

  show(panel, second) {
    this.panel = panel; this.second = second;
    this.head(panel, second);
    this.measure();
    this.paint();
  }

  /** Title and names, where they are others than before: they cost more than the curves. */
  head(panel, second) {
    const said = JSON.stringify([panel.title, panel.curves.map(({ name }) => name), second !== null]);
    if (said === this.said) return;
    this.said = said;
    const keys = panel.curves.map(({ name }, k) => element("span", { className: "key", style: null }, name));
    keys.forEach((key, k) => key.style.setProperty("--c", `var(--series-${k})`));
    this.caption.replaceChildren(element("b", {}, panel.title), ...keys, ...(panel.more ? [`and ${panel.more} more`] : []), ...(second ? ["thin: the second method"] : []));
    this.base.setAttribute("aria-label", `${panel.title}: ${panel.curves.map(({ name }) => name).join(", ")}`);
  }

  measure() {
    let [left, right, low, high] = [Infinity, -Infinity, Infinity, -Infinity];
    for (const { x, y } of [...this.panel.curves, ...(this.second?.curves ?? [])]) for (let k = 0; k < x.length; k++) {
      if (!Number.isFinite(x[k]) || !Number.isFinite(y[k])) continue;
      if (x[k] < left) left = x[k]; if (x[k] > right) right = x[k];
      if (y[k] < low) low = y[k]; if (y[k] > high) high = y[k];
    }
    if (!(right >= left)) [left, right, low, high] = [0, 1, 0, 1];
    // What is constant up to round-off is shown as constant.
    const size = Math.max(Math.abs(low), Math.abs(high)), least = Math.max(size * 1e-13, 1e-300), span = high - low;
    const margin = span > least ? 0.06 * span : Math.max(size * 0.1, 1e-16);
    if (!this.panel.timed) { const across = 0.04 * (right - left || 1); left -= across; right += across; }
    this.room = { left, right: right > left ? right : left + 1, low: low - margin, high: high + margin };
  }

  place(width, height) {
    const { left, right, low, high } = this.room;
    return [x => LEFT + (x - left) / (right - left) * (width - LEFT - RIGHT), y => height - BOTTOM - (y - low) / (high - low) * (height - BOTTOM - TOP)];
  }

  paint() {
    const { pen, width, height } = prepared(this.base), [px, py] = this.place(width, height), { left, right, low, high } = this.room;
    pen.font = "11px system-ui, sans-serif"; pen.fillStyle = colour("soft"); pen.strokeStyle = colour("faint"); pen.lineWidth = 1;
    pen.textAlign = "right"; pen.textBaseline = "middle";
    const step = Math.abs(high - low);
    for (const y of ticks(low, high, 4)) {
      pen.beginPath(); pen.moveTo(LEFT, Math.round(py(y)) + 0.5); pen.lineTo(width - RIGHT, Math.round(py(y)) + 0.5); pen.stroke();
      pen.fillText(number(Math.abs(y) < step * 1e-9 ? 0 : y, 4), LEFT - 5, py(y));
    }
    pen.textAlign = "center"; pen.textBaseline = "top";
    for (const x of ticks(left, right, 5)) pen.fillText(number(Math.abs(x) < (right - left) * 1e-9 ? 0 : x, 4), Math.min(Math.max(px(x), LEFT + 6), width - 14), height - BOTTOM + 4);
    pen.save(); pen.beginPath(); pen.rect(LEFT, 0, width - LEFT, height - BOTTOM + 1); pen.clip();
    const draw = (curves, thick, alpha) => curves.forEach(({ x, y }, k) => {
      pen.strokeStyle = colour(`series-${k}`); pen.lineWidth = thick; pen.globalAlpha = alpha;
      pen.beginPath();
      let open = false;
      for (let i = 0; i < x.length; i++) {
        if (!Number.isFinite(x[i]) || !Number.isFinite(y[i])) { open = false; continue; }
        open ? pen.lineTo(px(x[i]), py(y[i])) : pen.moveTo(px(x[i]), py(y[i])); open = true;
      }
      pen.stroke();
    });
    draw(this.panel.curves, 1.5, 1);
    if (this.second) { pen.setLineDash([4, 3]); draw(this.second.curves, 1, 0.85); pen.setLineDash([]); }
    pen.restore();
    this.at(this.time ?? null);
  }

  /** Marks a moment. */
  at(time) {
    this.time = time;
    const { pen, width, height } = prepared(this.above), [px, py] = this.place(width, height);
    if (time === null) return;
    const times = this.panel.timed ? this.panel.curves[0].x : this.panel.times;
    let low = 0, high = times.length - 1;
    while (low < high) { const middle = (low + high) >> 1; if (times[middle] < time) low = middle + 1; else high = middle; }
    if (this.panel.timed) {
      pen.strokeStyle = colour("soft"); pen.globalAlpha = 0.6; pen.lineWidth = 1;
      pen.beginPath(); pen.moveTo(px(time), TOP); pen.lineTo(px(time), height - BOTTOM); pen.stroke(); pen.globalAlpha = 1;
    }
    const back = Math.max(0, low - 1), span = times[low] - times[back], part = span > 0 ? Math.min(Math.max((time - times[back]) / span, 0), 1) : 0;
    this.panel.curves.forEach(({ x, y }, k) => {
      const at = [x[back] + (x[low] - x[back]) * part, y[back] + (y[low] - y[back]) * part];
      if (!at.every(Number.isFinite)) return;
      pen.fillStyle = colour(`series-${k}`); pen.beginPath(); pen.arc(px(at[0]), py(at[1]), 3, 0, 2 * Math.PI); pen.fill();
    });
  }
}

/** All panels of a motion. */
export class Charts {
  constructor(frame) {
    this.frame = frame; this.charts = [];
  }

  show(panels, second = null) {
    while (this.charts.length < panels.length) this.charts.push(new Chart(false));
    const figures = panels.map((_, at) => this.charts[at].figure);
    if (figures.length !== this.frame.children.length) this.frame.replaceChildren(...figures);
    this.count = panels.length;
    panels.forEach((panel, at) => this.charts[at].show(panel, second?.find(({ title }) => title === panel.title) ?? null));
  }

  at(time) { for (const chart of this.charts.slice(0, this.count)) chart.at(time); }

  repaint() { for (const chart of this.charts.slice(0, this.count)) if (chart.panel) chart.paint(); }
}
