// The studio: what is typed and dragged becomes questions, what is answered becomes pictures.
import { ask, beginning, linkTo, linkable, linked } from "./ask.js";
import { Charts, panelsOf } from "./charts.js";
import { byId, copy, download, element, number, repaletted } from "./dom.js";
import { Editor } from "./editor.js";
import { openGallery } from "./gallery.js";
import { factsOf, proofsOf } from "./results.js";
import { DrawnMotion, Scene, pace } from "./scene.js";
import { abandon, analysis, compare, empty, equations, map, solve, stepsOfSolution } from "./tasks.js";

const FIRST = "double-pendulum";
/** Forms in which equations are written. */
const FORMS = [
  ["lagrange", "Equations of motion, momenta, energy"], ["solved", "Accelerations and multipliers in closed form"], ["hamilton", "Hamiltonian and Hamilton's equations"],
  ["routh", "Without cyclic coordinates"], ["optimal", "Of a control problem: unified Hamiltonian, primary constraints"], ["discrete", "One step of the method"],
];
/** A pause in typing after which a text is read. */
const PAUSE = 140;

const state = { name: "model.toml", checked: null, values: new Map(), answer: null, motion: null, time: 0, playing: false, view: "motion", conserved: new Map() };
const scene = new Scene(byId("scene"));
const charts = new Charts(byId("charts"));
const editor = new Editor(() => { clearTimeout(state.pause); state.pause = setTimeout(check, PAUSE); });

/** What is asked about the model as it stands. */
const request = () => ({ text: editor.text, name: state.name, values: [...state.values], method: byId("method").value, step: byId("step").value, until: byId("until").value });

// The text.

async function check() {
  const round = state.round = (state.round ?? 0) + 1;
  let content;
  try { ({ content } = await ask("text", { ask: "check", text: editor.text, step: byId("step").value, until: byId("until").value })); } catch (error) { return failed(error.message); }
  if (round !== state.round) return;
  showProblems(content.diagnostics);
  editor.setProblems(content.diagnostics);
  if (!content.sound) return;
  state.checked = content;
  editor.setNames(content.names);
  byId("title").textContent = content.name ?? state.name;
  byId("title").title = content.description ?? "";
  document.title = `${content.name ?? "Model"} · extremal studio`;
  for (const [id, value] of [["method", content.method], ["step", content.step], ["until", content.until]]) byId(id).placeholder = value ?? "";
  byId("tab-solve").disabled = !content.problem;
  if (!content.problem && state.view === "solve") choose("motion");
  showValues();
  showAxes();
  if (state.fresh) arrive(content);
  for (const view of ["equations", "analysis"]) byId(view).dataset.old = "yes";
  run();
  look();
  prove();
}

/** Goes where a model that has just been opened is looked at. */
function arrive(content) {
  const { view, axes = [] } = state.fresh;
  state.fresh = null;
  axes.slice(0, 2).forEach(([name, from, to], at) => {
    const letter = "xy"[at];
    byId(`map-${letter}`).value = name;
    if (byId(`map-${letter}`).value === name) [byId(`map-${letter}-from`).value, byId(`map-${letter}-to`).value] = [from, to];
  });
  // A problem without a motion of its own is there to be solved.
  const place = view ?? (content.problem && !content.until ? "solve" : null);
  if (!views.includes(place) || byId(`tab-${place}`).disabled) return;
  choose(place);
  // Where a command was named, its answer is what is wanted.
  if (view) ({ compare, solve, map })[view]?.(request());
}

/** Asks what is conserved, once the text has been left alone for a while. */
function prove() {
  clearTimeout(state.proving);
  state.proof?.abort();
  state.proving = setTimeout(async () => {
    const proof = state.proof = new AbortController();
    try {
      const { content } = await ask("analysis", { ask: "analyze", ...request() }, { signal: proof.signal });
      state.conserved = new Map(content.conserved.map(({ name }) => [name, "conserved"]));
      byId("proofs").replaceChildren(...proofsOf(content));
    } catch { byId("proofs").replaceChildren(); }
  }, 600);
}

function showProblems(problems) {
  const errors = problems.filter(({ severity }) => severity === "error").length, warnings = problems.length - errors;
  const count = (n, what) => n ? `${n} ${what}${n > 1 ? "s" : ""}` : null;
  const said = [count(errors, "problem"), count(warnings, "warning")].filter(Boolean).join(", ");
  byId("problem-count").textContent = said || "The model is sound";
  byId("problem-count").className = errors ? "" : "sound";
  byId("problems").replaceChildren(...problems.slice(0, 50).map(({ severity, message, help, labels }) => {
    const [place] = labels;
    const button = element("button", { type: "button", onclick: () => place && editor.show(place.from, place.to) },
      element("b", {}, place ? `${place.line}  ` : ""), message, element("small", {}, [place?.text, help].filter(Boolean).join("; ")));
    return element("li", { className: severity }, button);
  }));
}

// Values that can be dragged.

/** The ends between which a value is dragged. */
function reach(value, isStart) {
  const size = Math.abs(value);
  if (size === 0) return isStart ? [-3, 3] : [-1, 1];
  return isStart ? [-Math.max(2 * size, 1), Math.max(2 * size, 1)] : value > 0 ? [0, 3 * size] : [-3 * size, 0];
}

function showValues() {
  const { parameters, starts } = state.checked, known = new Set([...parameters, ...starts].map(({ name }) => name));
  for (const name of [...state.values.keys()]) if (!known.has(name)) state.values.delete(name);
  const shape = JSON.stringify([parameters, starts]);
  if (shape === state.shape) return;
  state.shape = shape;
  const row = ({ name, value, structural }, isStart) => {
    const [low, high] = structural ? [1, Math.max(3 * value, 8)] : reach(value, isStart), now = state.values.get(name) ?? value;
    const set = (next, from) => {
      if (!Number.isFinite(next)) return;
      next === value ? state.values.delete(name) : state.values.set(name, next);
      if (from !== slider) slider.value = next;
      if (from !== field) field.value = next;
      line.classList.toggle("changed", next !== value);
      byId("reset-values").hidden = state.values.size === 0;
      run();
    };
    const slider = element("input", { type: "range", min: low, max: high, step: structural ? 1 : (high - low) / 1000, value: now, "aria-label": name, "data-name": name, oninput: () => set(Number(slider.value), slider) });
    const field = element("input", { type: "number", step: "any", value: now, "aria-label": `${name} as a number`, "data-field": name, onchange: () => set(Number(field.value), field) });
    // The positions of a slider are not those of the value that the model states.
    slider.ondblclick = () => set(value, null);
    const line = element("div", { className: now === value ? "value" : "value changed" }, element("span", { title: name }, name), slider, field);
    return line;
  };
  const free = parameters.filter(({ follows }) => !follows).slice(0, 80);
  byId("values").replaceChildren(
    ...(free.length ? [element("p", { className: "value-heading" }, "Parameters")] : []), ...free.map(one => row(one, false)),
    ...(starts.length ? [element("p", { className: "value-heading" }, "Starts")] : []), ...starts.slice(0, 80).map(one => row(one, true)));
  byId("reset-values").hidden = state.values.size === 0;
}

byId("reset-values").onclick = () => { state.values.clear(); state.shape = null; showValues(); run(); };

// The motion. One question at a time: what changes meanwhile is asked when it is answered.

async function run() {
  if (!state.checked) return;
  if (state.running) { state.again = true; return; }
  state.running = true;
  do {
    state.again = false;
    const began = performance.now(), asking = state.asking = new AbortController();
    try {
      const answer = await ask("motion", { ask: "run", ...request() }, { signal: asking.signal });
      if (asking.signal.aborted) continue;
      show(answer);
      byId("timing").textContent = `${answer.content.summary.steps} steps, seen in ${number(performance.now() - began, 3)} ms`;
      state.drawn = performance.now() - began;
    } catch (error) { if (!asking.signal.aborted) failed(error.message); }
  } while (state.again);
  state.running = false;
}

function failed(message) {
  byId("failure").textContent = message;
  byId("failure").hidden = false;
}

function show(answer) {
  const { content } = answer, { summary } = content;
  byId("failure").hidden = summary.status === "finished" || summary.status === "stopped";
  byId("failure").textContent = summary.reason ?? summary.status;
  state.answer = answer;
  const rows = answer.columns(content.rows), time = content.columns.findIndex(({ role }) => role === "time");
  [state.from, state.to] = [rows[time][0], rows[time][rows[time].length - 1]];
  const missing = content.drawing.error;
  state.motion = missing === undefined ? new DrawnMotion(answer, content.drawing) : null;
  byId("no-scene").hidden = missing === undefined;
  byId("no-scene").textContent = missing ?? "";
  scene.show(state.motion ? [state.motion] : []);
  charts.show(panelsOf(content.columns, rows));
  Object.assign(byId("seek"), { min: state.from, max: state.to });
  if (state.time < state.from || state.time > state.to) state.time = state.from;
  moment(state.time);
  dispatchEvent(new CustomEvent("drawn"));
  // While a value is dragged, numbers wait for the picture, and those that are old already are not shown.
  setTimeout(() => {
    if (state.again || state.answer !== answer) return;
    byId("facts").replaceChildren(...factsOf(content, state.conserved));
    byId("command").textContent = content.command;
  });
}

function moment(time) {
  state.time = time;
  byId("seek").value = time;
  byId("clock").textContent = `t = ${number(time, 4)}`;
  byId("seek").setAttribute("aria-valuetext", `t = ${number(time, 4)}`);
  scene.draw(time);
  charts.at(time);
}

function play(playing) {
  state.playing = playing;
  byId("play").textContent = playing ? "Pause" : "Play";
  byId("play").setAttribute("aria-pressed", String(playing));
  if (!playing) return;
  if (state.time >= state.to) moment(state.from);
  const round = state.playRound = (state.playRound ?? 0) + 1;
  let last = null;
  const step = now => {
    if (!state.playing || round !== state.playRound) return;
    if (last !== null && state.view === "motion") {
      const next = state.time + (now - last) / 1000 * pace(state.to - state.from) * Number(byId("speed").value);
      if (next >= state.to) { moment(state.to); return play(false); }
      moment(next);
    }
    last = now;
    requestAnimationFrame(step);
  };
  requestAnimationFrame(step);
}

byId("play").onclick = () => play(!state.playing);
byId("seek").oninput = () => { play(false); moment(Number(byId("seek").value)); };
byId("trails").onchange = () => { scene.trails = byId("trails").checked; scene.draw(state.time); };
for (const id of ["method", "step", "until"]) byId(id).addEventListener("change", () => { run(); look(true); prove(); });
for (const id of ["settings", "second", "solving", "mapping"]) byId(id).addEventListener("submit", event => event.preventDefault());

// Views.

const views = [...document.querySelectorAll("[role=tab]")].map(({ id }) => id.slice(4));

function choose(view, focus = false) {
  state.view = view;
  for (const name of views) {
    const tab = byId(`tab-${name}`), chosen = name === view;
    tab.setAttribute("aria-selected", String(chosen));
    tab.tabIndex = chosen ? 0 : -1;
    byId(`view-${name}`).classList.toggle("shown", chosen);
    if (chosen && focus) tab.focus();
  }
  look();
  if (view === "motion" && state.answer) { scene.draw(state.time); charts.repaint(); }
}

/** Asks for what a view shows, if it is open and old. */
function look(changed = false) {
  if (!state.checked) return;
  if (changed) for (const view of ["equations", "analysis"]) byId(view).dataset.old = "yes";
  const work = { equations, analysis }[state.view];
  if (!work || byId(state.view).dataset.old !== "yes") return;
  byId(state.view).dataset.old = "";
  work({ ...request(), forms: forms.filter(({ checked }) => checked).map(({ value }) => value) });
}

/** The forms of the equations that can be chosen; without a choice they are the usual ones. */
const forms = FORMS.map(([value, title]) => element("input", { type: "checkbox", value, title, onchange: () => { byId("equations").dataset.old = "yes"; look(); } }));
byId("forms").append(...forms.map(form => element("label", { title: form.title }, form, form.value)));

for (const view of views) byId(`tab-${view}`).onclick = () => choose(view);
byId("tabs").addEventListener("keydown", event => {
  const way = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (!way) return;
  event.preventDefault();
  const open = views.filter(view => !byId(`tab-${view}`).disabled);
  choose(open[(open.indexOf(state.view) + way + open.length) % open.length], true);
});
byId("compare").onclick = () => compare(request());
byId("solve").onclick = () => solve(request());
byId("map").onclick = () => map(request());

function showAxes() {
  const all = [...state.checked.parameters.filter(({ structural }) => !structural), ...state.checked.starts], names = all.map(({ name }) => name);
  for (const [letter, at] of [["x", 0], ["y", 1]]) {
    const list = byId(`map-${letter}`), before = list.value, order = [...state.checked.starts.map(({ name }) => name), ...names];
    list.replaceChildren(...(letter === "y" ? [element("option", { value: "" }, "nothing")] : []), ...names.map(name => element("option", { value: name }, name)));
    list.value = names.includes(before) ? before : order[Math.min(at, order.length - 1)] ?? "";
    const ends = () => {
      const one = all.find(({ name }) => name === list.value);
      if (!one) return;
      const [low, high] = reach(one.value, state.checked.starts.includes(one));
      byId(`map-${letter}-from`).value = Number(low.toPrecision(4)); byId(`map-${letter}-to`).value = Number(high.toPrecision(4));
    };
    list.onchange = ends;
    if (list.value !== before) ends();
  }
}

// Files.

/** Opens a model; `given` may say its values, how it is run and what is looked at. */
function begin(name, text, given = {}) {
  // Nothing of another model stays, and nothing more of it comes.
  if (state.running) state.asking.abort();
  state.proof?.abort();
  abandon();
  Object.assign(state, { name, checked: null, shape: null, time: 0, answer: null, conserved: new Map() });
  state.values = new Map((given.values ?? []).filter(([, value]) => Number.isFinite(value)));
  for (const id of ["method", "step", "until", "solve-steps", "second-step"]) byId(id).value = given[id] ?? "";
  if (given["second-method"]) byId("second-method").value = given["second-method"];
  if (given["map-count"]) byId("map-count").value = given["map-count"];
  for (const form of forms) form.checked = (given.forms ?? []).includes(form.value);
  empty(...["compare-results", "solve-results", "map-results", "equations", "analysis", "proofs"].map(byId));
  editor.text = text;
  play(false);
  scene.show([]); scene.draw(0); charts.show([]);
  byId("facts").replaceChildren(); byId("command").textContent = "";
  state.fresh = given;
  check();
}

/** Opens what a link or the program says. */
async function open(given) {
  const name = given.gallery ?? (given.text === undefined ? FIRST : null);
  if (name === null) begin(given.name ?? "model.toml", given.text, given);
  else begin(`gallery:${name}`, (await ask("text", { ask: "gallery-model", name })).content.text, given);
}

/** What a link has to say of the page. */
const standing = () => ({ name: state.name, text: editor.text, values: [...state.values], method: byId("method").value, step: byId("step").value, until: byId("until").value, view: state.view });

const plain = () => (state.name.replace(/^gallery:/, "").replace(/\.toml$/, "").split(/[\\/]/).pop() || "model");
byId("open-gallery").onclick = () => openGallery(begin);
byId("open-file").onclick = () => byId("file").click();
byId("file").onchange = async () => { const [file] = byId("file").files; if (file) begin(file.name, await file.text()); byId("file").value = ""; };
byId("save-file").onclick = () => { download(`${plain()}.toml`, editor.text, "text/plain"); if (state.name.startsWith("gallery:")) { state.name = `${plain()}.toml`; run(); } };
for (const button of document.querySelectorAll("[data-close]")) button.onclick = () => byId(button.dataset.close).close();
for (const button of document.querySelectorAll("[data-copy]")) button.onclick = () => copy(byId(button.dataset.copy).textContent, button);

const EXPORTS = [
  ["Picture of the mechanism", "png", () => new Promise(done => byId("scene").toBlob(blob => done([blob, "image/png"])))],
  ["Animation", "webm", recorded],
  ["Plot", "svg", () => written("svg", "image/svg+xml")],
  ["Data", "csv", () => written("csv", "text/csv")],
  ["Data", "json", () => written("json", "application/json")],
  ["Notebook", "ipynb", () => written("notebook", "application/x-ipynb+json")],
  ["Equations", "tex", () => written("latex", "text/plain")],
  ["C", "c", () => written("c", "text/plain")],
  ["Rust", "rs", () => written("rust", "text/plain")],
  ["Python", "py", () => written("python", "text/plain")],
  ["Julia", "jl", () => written("julia", "text/plain")],
];

async function written(target, kind) {
  return [(await ask("export", { ask: "export", ...request(), target, steps: stepsOfSolution() })).content.text, kind];
}

/** Records the canvas while the motion is played once. */
function recorded() {
  if (!state.motion || !window.MediaRecorder) return Promise.reject(new Error("this browser records no animations"));
  return new Promise((done, fail) => {
    const recorder = new MediaRecorder(byId("scene").captureStream(30), { videoBitsPerSecond: 6e6 }), parts = [];
    recorder.ondataavailable = ({ data }) => parts.push(data);
    recorder.onstop = () => done([new Blob(parts, { type: "video/webm" }), "video/webm"]);
    recorder.onerror = () => fail(new Error("the animation could not be recorded"));
    byId("export-said").textContent = "Recording the motion as it is played…";
    choose("motion");
    moment(state.from); play(true); recorder.start();
    const wait = () => state.playing ? setTimeout(wait, 100) : recorder.stop();
    wait();
  });
}

/** Puts what is on the page into its address, and that where a reader can paste it. */
async function link(button) {
  const address = linkTo(standing());
  history.replaceState(null, "", address);
  await copy(address, button);
  byId("export-said").textContent = "The address of this page now has the model, its values and how it is run";
}

byId("open-export").onclick = () => { byId("export-said").textContent = ""; byId("export").showModal(); };
byId("export-list").replaceChildren(...EXPORTS.map(([title, ending, make]) => element("button", { type: "button", "data-export": ending, onclick: async () => {
  byId("export-said").textContent = "Working…";
  try {
    const [content, kind] = await make();
    state.exported = content;
    download(`${plain()}.${ending}`, content, kind);
    byId("export-said").textContent = `${plain()}.${ending} is in your downloads`;
  } catch (error) { byId("export-said").textContent = error.message; }
} }, `${title} (.${ending})`)));
if (linkable) byId("export-list").append(element("button", { type: "button", "data-export": "link", onclick: ({ target }) => link(target) }, "Link"));

// Light and dark, keys.

function theme(next) {
  next ? document.documentElement.dataset.theme = next : delete document.documentElement.dataset.theme;
  repaletted();
  scene.draw(state.time); charts.repaint();
}
const isDark = () => (document.documentElement.dataset.theme ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
byId("theme").onclick = () => { const next = isDark() ? "light" : "dark"; try { localStorage.setItem("theme", next); } catch { /* It is not remembered. */ } theme(next); };
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => theme(document.documentElement.dataset.theme));
// In another page it is as dark as that one.
const embedded = window.parent !== window;
document.documentElement.classList.toggle("embedded", embedded);
try { const kept = localStorage.getItem("theme"); if (kept && !embedded) theme(kept); } catch { /* Nothing is kept. */ }

addEventListener("keydown", event => {
  const writes = /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName) || document.querySelector("dialog[open]");
  if ((event.ctrlKey || event.metaKey) && event.key === "s") { event.preventDefault(); byId("save-file").click(); }
  if ((event.ctrlKey || event.metaKey) && event.key === "o") { event.preventDefault(); openGallery(begin); }
  if (event.key === " " && !writes && event.target.tagName !== "BUTTON") { event.preventDefault(); play(!state.playing); }
});

// Beginning.

choose("motion");
const [given, words] = await Promise.all([beginning(), ask("text", { ask: "words" })]);
editor.setWords(words.content.tables, words.content.functions);
byId("methods").replaceChildren(...words.content.methods.map(({ example, sentence }) => element("option", { value: example, label: sentence })));
addEventListener("hashchange", () => { const said = linked(); if (said) open(said).catch(error => failed(error.message)); });
open(given ?? {}).catch(error => failed(error.message));
