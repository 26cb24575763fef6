// Questions to the desk: over HTTP to the program, or to a worker that has it as WebAssembly. Both answer with the same bytes.

/** An answer: `content`, and blocks of numbers beside it. */
export class Answer {
  constructor(bytes) {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength), length = view.getUint32(0, true);
    this.content = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + length)));
    const start = bytes.byteOffset + 4 + length;
    const rest = bytes.byteLength - 4 - length;
    this.numbers = start % 8 === 0 ? new Float64Array(bytes.buffer, start, rest / 8) : new Float64Array(bytes.slice(4 + length).buffer);
  }

  /** The columns of a block. */
  columns({ at, rows, width }) {
    return Array.from({ length: width }, (_, column) => this.numbers.subarray(at + column * rows, at + (column + 1) * rows));
  }
}

/** What is wrong with a question or its model; `diagnostics` may say where. */
export class Refused extends Error {
  constructor(content) {
    super(content.error);
    this.diagnostics = content.diagnostics ?? null;
  }
}

const local = document.querySelector('meta[name="extremal-desk"]')?.content;
const workers = new Map();

/** Asks; `lane` names what the question is about: the program keeps what it compiled for the last one. */
export async function ask(lane, question, { signal = null, progress = null } = {}) {
  const bytes = await (local ? askWorker : askServer)(lane, JSON.stringify(question), signal, progress);
  const answer = new Answer(bytes);
  if (answer.content.error !== undefined) throw new Refused(answer.content);
  return answer;
}

async function askServer(lane, text, signal, progress) {
  const response = await fetch(`ask/${lane}`, { method: "POST", headers: { "Content-Type": "application/json" }, body: text, signal });
  if (!response.ok) throw new Error(await response.text());
  const reader = response.body.getReader();
  let bytes = new Uint8Array(0), seen = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (value) {
      const joined = new Uint8Array(bytes.length + value.length);
      joined.set(bytes); joined.set(value, bytes.length); bytes = joined;
    }
    // A frame is a letter, its length, its content.
    while (bytes.length - seen >= 5) {
      const length = new DataView(bytes.buffer, seen + 1, 4).getUint32(0, true);
      if (bytes.length - seen < 5 + length) break;
      const content = bytes.slice(seen + 5, seen + 5 + length), letter = String.fromCharCode(bytes[seen]);
      seen += 5 + length;
      if (letter === "a") return content;
      const said = JSON.parse(new TextDecoder().decode(content));
      if (letter === "e") throw new Refused(said);
      progress?.(said);
    }
    if (done) throw new Error("the program ended without an answer");
  }
}

/** Workers of the page: a text is read while a motion is computed, and both while something takes long. */
const STAGES = ["text", "motion", "second"];
let asked = 0;

function askWorker(lane, text, signal) {
  const stage = STAGES.includes(lane) ? lane : "other", number = asked++;
  return new Promise((resolve, reject) => {
    const stopped = () => reject(new DOMException("stopped", "AbortError"));
    if (signal?.aborted) { stopped(); return; }
    if (!workers.has(stage)) workers.set(stage, new Stage());
    workers.get(stage).ask(number, { text, resolve, reject });
    signal?.addEventListener("abort", () => { if (workers.get(stage).drop(number)) stopped(); });
  });
}

/** A worker and the questions that it has not answered. */
class Stage {
  constructor() { this.waiting = new Map(); this.begin(); }

  begin() {
    this.worker = new Worker(local, { type: "module" });
    this.worker.onmessage = ({ data: { number, bytes } }) => { this.waiting.get(number)?.resolve(new Uint8Array(bytes)); this.waiting.delete(number); };
    this.worker.onerror = event => {
      for (const { reject } of this.waiting.values()) reject(new Error(event.message || "the computation ended without an answer"));
      this.waiting.clear();
      this.again();
    };
  }

  ask(number, question) {
    this.waiting.set(number, question);
    this.worker.postMessage({ number, text: question.text });
  }

  /** A computation is ended with its worker: what waited beside it is asked of the next one. */
  drop(number) {
    const waited = this.waiting.delete(number);
    if (waited) this.again();
    return waited;
  }

  again() {
    this.worker.terminate();
    this.begin();
    for (const [number, { text }] of this.waiting) this.worker.postMessage({ number, text });
  }
}

/** What the page begins with: a model by `name` and `text` or by `gallery`, and how it is looked at. */
export async function beginning() {
  return local ? linked() : (await fetch("beginning.json")).json();
}

/** Can what is on the page be put into its address? */
export const linkable = Boolean(local);

/** What the address says behind its `#`; nothing where that says nothing. */
export function linked() {
  try {
    const said = JSON.parse(decodeURIComponent(location.hash.slice(1)));
    return typeof said?.text === "string" || typeof said?.gallery === "string" ? said : null;
  } catch { return null; }
}

/** The address of a page that begins with this. */
export const linkTo = said => `${location.href.split("#")[0]}#${encodeURIComponent(JSON.stringify(said))}`;
