// The built-in models, with pictures to begin from.
import { ask } from "./ask.js";
import { byId, colour, element, prepared } from "./dom.js";
import { DrawnMotion, Scene } from "./scene.js";

let asked = null, drawing = false;
/** Pictures that are still to be made. */
const wanted = [];

/** Opens the gallery; `begin` gets the name and text of what is chosen. */
export async function openGallery(begin) {
  byId("gallery").showModal();
  byId("gallery-search").focus();
  asked ??= ask("gallery", { ask: "gallery" });
  const { models } = (await asked).content, list = byId("gallery-list");
  if (list.children.length) { drawWanted(); return; }
  const watch = new IntersectionObserver(entries => entries.filter(({ isIntersecting }) => isIntersecting).forEach(({ target }) => { watch.unobserve(target); wanted.push(target); drawWanted(); }), { root: list, rootMargin: "200px" });
  for (const { name, title, description, problem } of models) {
    const canvas = element("canvas", { "aria-hidden": "true" });
    canvas.dataset.name = name;
    const choose = async () => { const { content } = await ask("gallery", { ask: "gallery-model", name }); byId("gallery").close(); begin(`gallery:${name}`, content.text); };
    const item = element("li", {}, element("button", { type: "button", onclick: choose, "data-model": name }, canvas, element("b", {}, title ?? name, problem ? element("span", { className: "tag" }, "optimum") : null), element("small", {}, description ?? "")));
    item.dataset.words = `${name} ${title ?? ""} ${description ?? ""}`.toLowerCase();
    list.append(item);
    watch.observe(canvas);
  }
  byId("gallery-search").oninput = ({ target }) => { const words = target.value.toLowerCase().split(/\s+/); for (const item of list.children) item.hidden = !words.every(word => item.dataset.words.includes(word)); };
}

/** Its coordinates over time, where nothing says what it looks like. */
function small(canvas, answer) {
  const { columns, rows } = answer.content, numbers = answer.columns(rows), { pen, width, height } = prepared(canvas);
  const shown = columns.flatMap(({ role }, at) => role === "coordinate" || role === "state" || role === "entropy" ? [at] : []).slice(0, 4);
  for (const [place, at] of shown.entries()) {
    const column = numbers[at].filter(Number.isFinite), low = Math.min(...column), span = Math.max(...column) - low || 1;
    pen.strokeStyle = colour(`series-${place}`); pen.lineWidth = 1.6; pen.beginPath();
    column.forEach((value, k) => pen.lineTo(12 + k / Math.max(1, column.length - 1) * (width - 24), height - 12 - (value - low) / span * (height - 24)));
    pen.stroke();
  }
}

/** Pictures, one after the other, for as long as the gallery is open: whoever has chosen a model does not wait for those of others. */
async function drawWanted() {
  if (drawing) return;
  drawing = true;
  while (wanted.length && byId("gallery").open) await picture(wanted.shift());
  drawing = false;
}

/** A model at a moment of its motion, with where it has been. */
async function picture(canvas) {
  try {
    const { content: { text } } = await ask("gallery", { ask: "gallery-model", name: canvas.dataset.name });
    const answer = await ask("picture", { ask: "picture", text });
    if (answer.content.drawing.error !== undefined) { small(canvas, answer); return; }
    const motion = new DrawnMotion(answer, answer.content.drawing), scene = new Scene(canvas, false);
    scene.show([motion]);
    scene.draw(motion.times[Math.floor(motion.last * 0.6)]);
  } catch { /* A picture that cannot be made is not there: the model still is, and says why when it is opened. */ }
}
