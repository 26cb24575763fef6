// The desk as WebAssembly beside the program: every model of the gallery, run by both, to the same bytes. Also how large it is, and how fast.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";

const [wasm, program, most] = process.argv.slice(2);
const bytes = readFileSync(wasm), size = gzipSync(bytes, { level: 9 }).length;
console.log(`${bytes.length} bytes, ${size} compressed`);
if (size > Number(most)) throw new Error(`the page is larger than ${most} bytes`);

const { instance: { exports: desk } } = await WebAssembly.instantiate(bytes, {});
function inPage(question) {
  const text = new TextEncoder().encode(question), room = desk.question(text.length);
  new Uint8Array(desk.memory.buffer, room, text.length).set(text);
  const length = desk.answer();
  return Buffer.from(new Uint8Array(desk.memory.buffer, desk.answer_at(), length).slice());
}

const worker = spawn(program, ["studio", "--worker"], { stdio: ["pipe", "pipe", "inherit"] });
let seen = Buffer.alloc(0), waiting = null;
worker.stdout.on("data", data => { seen = Buffer.concat([seen, data]); look(); });
worker.on("exit", () => waiting?.reject(new Error("the program has ended")));
function look() {
  while (waiting && seen.length >= 5 && seen.length >= 5 + seen.readUInt32LE(1)) {
    const letter = String.fromCharCode(seen[0]), content = seen.subarray(5, 5 + seen.readUInt32LE(1));
    seen = seen.subarray(5 + content.length);
    if (letter === "a") { waiting.resolve(Buffer.from(content)); waiting = null; }
  }
}
function inProgram(question) {
  const text = Buffer.from(question), length = Buffer.alloc(4);
  length.writeUInt32LE(text.length);
  return new Promise((resolve, reject) => { waiting = { resolve, reject }; worker.stdin.write(Buffer.concat([length, text])); look(); });
}
const said = answer => JSON.parse(answer.subarray(4, 4 + answer.readUInt32LE(0)).toString());

const { models } = said(await inProgram(JSON.stringify({ ask: "gallery" })));
let same = 0, refused = 0;
const differ = [];
for (const { name } of models) {
  const { text } = said(inPage(JSON.stringify({ ask: "gallery-model", name })));
  const question = JSON.stringify({ ask: "run", text, name: `gallery:${name}` });
  const [page, native] = [inPage(question), await inProgram(question)];
  if (!page.equals(native)) differ.push(name);
  else said(page).error === undefined ? same++ : refused++;
}
console.log(`${same} motions have the same bytes, ${refused} models are refused by both with the same words, ${differ.length} differ: ${differ.join(", ")}`);
if (differ.length) process.exitCode = 1;

const { text } = said(inPage(JSON.stringify({ ask: "gallery-model", name: "double-pendulum" })));
const times = [];
for (let k = 0; k < 12; k++) {
  const began = performance.now();
  inPage(JSON.stringify({ ask: "run", text, step: "0.005", until: "50", values: [["g", 9 + 0.01 * k]] }));
  times.push(performance.now() - began);
}
console.log(`10000 steps of the double pendulum with another value: ${times.sort((a, b) => a - b)[6].toFixed(1)} ms`);
worker.stdin.end();
