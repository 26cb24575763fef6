// The mechanism in motion, on a canvas.
import { colour, onResize, prepared } from "./dom.js";

const SERIES = 6;

/** How much of a motion passes in a second: as much as in nature, where that is neither over at once nor without end. */
export function pace(duration) {
  if (!(duration > 0)) return 1;
  return duration < 3 ? duration / 5 : duration > 60 ? duration / 30 : 1;
}

/** What is drawn of an answer: shapes, and the numbers of every frame. */
export class DrawnMotion {
  constructor(answer, drawing) {
    const { points, spatial, view, shapes, times, frames } = drawing;
    Object.assign(this, { points, spatial, view, shapes });
    [this.times] = answer.columns(times);
    this.columns = answer.columns(frames);
    this.last = this.times.length - 1;
    this.here = new Float64Array(this.columns.length);
    const heats = shapes.filter(shape => shape.heat != null).map(shape => this.columns[shape.heat]);
    this.coldest = Infinity; this.hottest = -Infinity;
    for (const column of heats) for (const value of column) if (Number.isFinite(value)) { this.coldest = Math.min(this.coldest, value); this.hottest = Math.max(this.hottest, value); }
  }

  get duration() { return this.times[this.last] - this.times[0]; }

  /** The frame before a time. */
  before(time) {
    let low = 0, high = this.last;
    while (low < high) { const middle = (low + high + 1) >> 1; if (this.times[middle] <= time) low = middle; else high = middle - 1; }
    return low;
  }

  /** The numbers at a time, between those of the frames around it. */
  at(time) {
    const from = this.before(time), to = Math.min(from + 1, this.last), span = this.times[to] - this.times[from];
    const part = span > 0 ? Math.min(Math.max((time - this.times[from]) / span, 0), 1) : 0;
    for (let k = 0; k < this.columns.length; k++) this.here[k] = this.columns[k][from] * (1 - part) + this.columns[k][to] * part;
    return this.here;
  }

  heat(value) {
    const part = this.hottest > this.coldest ? (value - this.coldest) / (this.hottest - this.coldest) : 0.5;
    return `hsl(${220 - 210 * part} 70% 58%)`;
  }
}

/** The places of a curve: those that stay, or those among these numbers. */
function along(shape, numbers) {
  return shape.first == null ? shape.places : Array.from({ length: shape.count }, (_, k) => [0, 1, 2].map(c => numbers(shape.first + 3 * k + c)));
}

/** A place on a circle in space, by the angle from the horizontal about its axis. */
function onCircle(middle, axis, radius, angle) {
  const size = Math.hypot(...axis), [a, b, c] = axis.map(x => x / size), flatness = Math.hypot(a, b);
  const u = flatness > 1e-9 ? [-b / flatness, a / flatness, 0] : [1, 0, 0], v = [b * u[2] - c * u[1], c * u[0] - a * u[2], a * u[1] - b * u[0]];
  return middle.map((x, k) => x + radius * (Math.cos(angle) * u[k] + Math.sin(angle) * v[k]));
}

/** Draws motions on a canvas; the first one firmly, others faintly beside it. */
export class Scene {
  constructor(canvas, interactive = true) {
    this.canvas = canvas; this.motions = []; this.turned = 0.6; this.raised = 0.35; this.trails = true; this.room = null; this.time = 0;
    if (!interactive) return;
    onResize(canvas, () => this.draw(this.time));
    canvas.addEventListener("pointerdown", event => { if (this.spatial) { canvas.setPointerCapture(event.pointerId); this.held = [event.clientX, event.clientY, this.turned, this.raised]; } });
    canvas.addEventListener("pointermove", event => {
      if (!this.held) return;
      const [x, y, turned, raised] = this.held;
      this.turn(turned - (event.clientX - x) / 120, raised + (event.clientY - y) / 120);
    });
    canvas.addEventListener("pointerup", () => { this.held = null; });
    canvas.addEventListener("keydown", event => {
      const turns = { ArrowLeft: [0.1, 0], ArrowRight: [-0.1, 0], ArrowUp: [0, 0.1], ArrowDown: [0, -0.1] }[event.key];
      if (turns && this.spatial) { event.preventDefault(); this.turn(this.turned + turns[0], this.raised + turns[1]); }
    });
  }

  get spatial() { return this.motions.some(motion => motion.spatial); }

  turn(turned, raised) {
    this.turned = turned; this.raised = Math.min(Math.max(raised, -1.5), 1.5); this.room = null;
    this.draw(this.time);
  }

  show(motions) {
    const before = this.room;
    this.motions = motions; this.room = null;
    if (motions.length === 0) return;
    const from = motions[0].view.from?.join();
    // A side that the model states is looked at from the beginning, and stays where it was turned to.
    if (from !== undefined && from !== this.from) {
      const [x, y, z] = motions[0].view.from;
      this.turned = Math.atan2(y, x); this.raised = Math.atan2(z, Math.hypot(x, y));
    }
    this.from = from;
    const now = this.measure();
    // While a value is dragged the picture should not jump: its room stays if the motion still fits and fills it.
    const fits = before && now.left >= before.left && now.right <= before.right && now.low >= before.low && now.high <= before.high;
    const fills = before && Math.max(now.right - now.left, now.high - now.low) > 0.55 * Math.max(before.right - before.left, before.high - before.low);
    this.room = fits && fills ? before : now;
  }

  /** A point on the page: as it is in the plane; in space, seen from the side and from above. */
  flat(x, y, z) {
    if (!this.spatial) return [x, y];
    const across = -Math.sin(this.turned) * x + Math.cos(this.turned) * y, away = Math.cos(this.turned) * x + Math.sin(this.turned) * y;
    return [across, Math.cos(this.raised) * z - Math.sin(this.raised) * away];
  }

  measure() {
    let left = Infinity, right = -Infinity, low = Infinity, high = -Infinity;
    const grow = (x, y, by) => { if (Number.isFinite(x) && Number.isFinite(y) && Number.isFinite(by)) { left = Math.min(left, x - by); right = Math.max(right, x + by); low = Math.min(low, y - by); high = Math.max(high, y + by); } };
    for (const motion of this.motions) {
      const { columns: c, points, shapes } = motion, stride = Math.max(1, Math.floor(motion.last / 400));
      for (let frame = 0; frame <= motion.last; frame += stride) {
        for (let at = 0; at < points.length; at++) { const [x, y] = this.flat(c[3 * at][frame], c[3 * at + 1][frame], c[3 * at + 2][frame]); grow(x, y, 0); }
        for (const shape of shapes) {
          if (shape.kind === "curve" && (frame === 0 || shape.first != null)) for (const place of along(shape, k => c[k][frame])) grow(...this.flat(...place), 0);
          if (shape.at === undefined) continue;
          const [x, y] = this.flat(c[3 * shape.at][frame], c[3 * shape.at + 1][frame], c[3 * shape.at + 2][frame]);
          if ((shape.kind === "disc" || shape.kind === "circle") && shape.radius != null) grow(x, y, Math.abs(c[shape.radius][frame]));
          if (shape.kind === "box") grow(x, y, Math.hypot(c[shape.width][frame], c[shape.height][frame]) / 2);
        }
      }
    }
    if (!(right >= left)) return { left: -1, right: 1, low: -1, high: 1 };
    const margin = 0.07 * (Math.max(right - left, high - low) || 1), { across, up } = this.motions[0].view;
    [left, right] = across ?? [left - margin, right + margin];
    [low, high] = up ?? [low - margin, high + margin];
    return { left, right, low, high };
  }

  draw(time) {
    this.time = time;
    const { pen, width, height } = prepared(this.canvas);
    if (this.motions.length === 0) return;
    this.room ??= this.measure();
    const { left, right, low, high } = this.room, scale = Math.min(width / (right - left), height / (high - low));
    const middle = [(left + right) / 2, (low + high) / 2];
    const page = (x, y, z) => { const [a, b] = this.flat(x, y, z); return [width / 2 + (a - middle[0]) * scale, height / 2 - (b - middle[1]) * scale]; };
    // The first one is above the others.
    this.motions.toReversed().forEach((motion, at, all) => { const place = all.length - 1 - at; pen.globalAlpha = place === 0 ? 1 : 0.42; this.one(pen, motion, time, page, scale, place); });
    pen.globalAlpha = 1;
  }

  one(pen, motion, time, page, scale, place) {
    const n = motion.at(time), faint = pen.globalAlpha, rod = colour("rod"), thin = colour("soft"), ink = colour("ink");
    const point = at => [n[3 * at], n[3 * at + 1], n[3 * at + 2]];
    const there = at => Number.isFinite(n[3 * at]) && Number.isFinite(n[3 * at + 1]);
    const path = (points, stroke, thick, close = false) => {
      pen.beginPath(); points.forEach(([x, y], i) => i ? pen.lineTo(x, y) : pen.moveTo(x, y));
      if (close) pen.closePath();
      pen.strokeStyle = stroke; pen.lineWidth = thick; pen.stroke();
    };
    let boxes = place;
    for (const shape of motion.shapes) {
      if (shape.kind === "curve") {
        path(along(shape, k => n[k]).filter(p => p.every(Number.isFinite)).map(p => page(...p)), thin, 1.3);
        continue;
      }
      const places = shape.points ?? [shape.at];
      if (!places.every(there)) continue;
      const at = places.map(p => page(...point(p)));
      const [x, y] = at[0];
      const body = shape.heat == null ? colour(`series-${((shape.body ?? boxes) + place) % SERIES}`) : motion.heat(n[shape.heat]);
      if (shape.kind === "line") path(at, thin, 1.2);
      else if (shape.kind === "wall") this.wall(path, at, rod, thin);
      else if (shape.kind === "rod") path(at, rod, 4);
      else if (shape.kind === "spring") this.spring(path, at, shape.turns, rod);
      else if (shape.kind === "trail") { if (this.trails) this.trail(pen, motion, shape, time, page, body, faint); }
      else if (shape.kind === "arrow") {
        const tip = page(...point(shape.at).map((value, k) => value + n[shape.vector + k])), length = Math.hypot(tip[0] - x, tip[1] - y);
        if (length < 1) continue;
        const [a, b] = [(tip[0] - x) / length, (tip[1] - y) / length], stroke = colour("series-3");
        path([[x, y], tip], stroke, 2);
        path([[tip[0] - 8 * a + 4 * b, tip[1] - 8 * b - 4 * a], tip, [tip[0] - 8 * a - 4 * b, tip[1] - 8 * b + 4 * a]], stroke, 2);
      } else if (shape.kind === "box") {
        const angle = shape.angle == null ? 0 : n[shape.angle], w = n[shape.width] * scale / 2, h = n[shape.height] * scale / 2;
        pen.save(); pen.translate(x, y); pen.rotate(-angle);
        pen.fillStyle = body; boxes++;
        pen.beginPath(); pen.rect(-w, -h, 2 * w, 2 * h);
        pen.globalAlpha = 0.75 * faint; pen.fill(); pen.globalAlpha = faint;
        pen.strokeStyle = rod; pen.lineWidth = 1.3; pen.stroke(); pen.restore();
      } else if (shape.kind === "disc") {
        const radius = shape.radius == null ? 7 : Math.max(2, Math.abs(n[shape.radius]) * scale);
        pen.fillStyle = pen.strokeStyle = body; pen.lineWidth = 2.2;
        pen.beginPath(); pen.arc(x, y, radius, 0, 2 * Math.PI);
        pen.globalAlpha = (radius > 24 ? 0.7 : 1) * faint; shape.hollow ? pen.stroke() : pen.fill(); pen.globalAlpha = faint;
        if (shape.angle != null) path([[x, y], [x + radius * Math.cos(n[shape.angle]), y - radius * Math.sin(n[shape.angle])]], ink, 1.6);
      } else if (shape.kind === "circle") {
        const rim = angle => page(...onCircle(point(shape.at), [0, 1, 2].map(k => n[shape.axis + k]), n[shape.radius], angle));
        path(Array.from({ length: 49 }, (_, k) => rim(2 * Math.PI * k / 48)), body, 2.2);
        if (shape.angle != null) path([[x, y], rim(n[shape.angle])], ink, 1.6);
      }
    }
  }

  /** A line, hatched on the side where nothing moves. */
  wall(path, at, stroke, hatch) {
    path(at, stroke, 1.8);
    for (let k = 1; k < at.length; k++) {
      const [[x0, y0], [x1, y1]] = [at[k - 1], at[k]], length = Math.hypot(x1 - x0, y1 - y0) || 1, [a, b] = [(x1 - x0) / length, (y1 - y0) / length];
      for (let s = 9; s < length; s += 11) { const [x, y] = [x0 + s * a, y0 + s * b]; path([[x, y], [x - 8 * (a + b), y + 8 * (a - b)]], hatch, 0.9); }
    }
  }

  spring(path, [[x0, y0], [x1, y1]], turns, stroke) {
    const length = Math.hypot(x1 - x0, y1 - y0) || 1, [a, b] = [(x1 - x0) / length, (y1 - y0) / length], coil = [[x0, y0]], width = 7;
    for (let k = 0; k <= turns * 8; k++) {
      const angle = k / 8 * 2 * Math.PI, along = 0.1 * length + 0.8 * length * k / (turns * 8) + 3 * (1 - Math.cos(angle)) / 2, aside = width * Math.sin(angle);
      coil.push([x0 + a * along - b * aside, y0 + b * along + a * aside]);
    }
    path([...coil, [x1, y1]], stroke, 1.6);
  }

  trail(pen, motion, { at, seconds }, time, page, stroke, faint) {
    const [xs, ys, zs] = [0, 1, 2].map(k => motion.columns[3 * at + k]), to = motion.before(time);
    const from = seconds == null ? Math.max(0, to - 500) : motion.before(time - motion.here[seconds]);
    pen.strokeStyle = stroke; pen.lineWidth = 1.4;
    // In pieces that fade: what was long ago is hardly seen.
    const pieces = 10, count = to - from;
    for (let piece = 0; piece < pieces; piece++) {
      const [begin, end] = [from + Math.floor(count * piece / pieces), from + Math.floor(count * (piece + 1) / pieces)];
      if (end <= begin) continue;
      pen.globalAlpha = faint * (0.12 + 0.5 * (piece + 1) / pieces);
      pen.beginPath();
      let open = false;
      for (let k = begin; k <= end; k++) {
        if (!Number.isFinite(xs[k]) || !Number.isFinite(ys[k])) { open = false; continue; }
        const [x, y] = page(xs[k], ys[k], zs[k]);
        open ? pen.lineTo(x, y) : pen.moveTo(x, y); open = true;
      }
      if (piece === pieces - 1) pen.lineTo(...page(motion.here[3 * at], motion.here[3 * at + 1], motion.here[3 * at + 2]));
      pen.stroke();
    }
    pen.globalAlpha = faint;
  }
}
