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

function askWorker(lane, text, signal, progress) {
  const stage = lane === "motion" || lane === "second" ? lane : "other";
  if (!workers.has(stage)) workers.set(stage, { worker: new Worker(local, { type: "module" }), waiting: new Map(), next: 0 });
  const place = workers.get(stage), number = place.next++;
  return new Promise((resolve, reject) => {
    const fail = error => { for (const waiting of place.waiting.values()) waiting.reject(error); place.worker.terminate(); workers.delete(stage); };
    // A computation is ended with its worker.
    signal?.addEventListener("abort", () => { if (place.waiting.has(number)) fail(new DOMException("stopped", "AbortError")); });
    place.waiting.set(number, { resolve, reject, progress });
    place.worker.onmessage = ({ data }) => {
      const waiting = place.waiting.get(data.number);
      if (!waiting) return;
      if (data.progress) { waiting.progress?.(data.progress); return; }
      place.waiting.delete(data.number);
      data.failure ? waiting.reject(new Error(data.failure)) : waiting.resolve(new Uint8Array(data.bytes));
    };
    place.worker.onerror = event => fail(new Error(event.message || "the computation ended without an answer"));
    place.worker.postMessage({ number, text });
  });
}

/** What the page begins with. */
export async function beginning() {
  return local ? null : (await fetch("beginning.json")).json();
}
