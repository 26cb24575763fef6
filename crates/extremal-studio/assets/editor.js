// The text of the model: highlighted, with problems where they are, and names completed.
import { byId, element } from "./dom.js";

const PIECES = /(#[^\n]*)|("""[\s\S]*?(?:"""|$)|'''[\s\S]*?(?:'''|$)|"(?:[^"\\\n]|\\.)*"?|'[^'\n]*'?)|(^[ \t]*\[\[?[^\]\n]*\]?\]?)|([^\s=#"'\[\]{},]+)(?=\s*=[^=])|(\b\d[\d_]*(?:\.\d+)?(?:[eE][+-]?\d+)?\b)/gm;
const CLASSES = ["t-note", "t-text", "t-table", "t-key", "t-number"];
const NAME = /[\p{L}_][\p{L}\p{N}_]*'*/gu;
/** Longer texts are shown as they are: to colour them would take longer than a key stroke. */
const LONGEST = 200000;
const LINE = 20, PADDING = 10;

/** The editor; `changed` is called with the text when it changes. */
export class Editor {
  constructor(changed) {
    this.area = byId("editor"); this.ink = byId("ink"); this.gutter = byId("gutter"); this.list = byId("completions");
    this.changed = changed; this.problems = []; this.names = new Map(); this.words = []; this.tables = []; this.shown = []; this.chosen = 0;
    this.area.addEventListener("input", () => { this.shift(); this.paint(); this.changed(this.text); this.complete(); });
    this.area.addEventListener("scroll", () => this.follow());
    this.area.addEventListener("keydown", event => this.key(event));
    this.area.addEventListener("blur", () => setTimeout(() => this.close(), 150));
    this.area.addEventListener("click", () => this.close());
    this.list.addEventListener("mousedown", event => { event.preventDefault(); const at = [...this.list.children].indexOf(event.target.closest("li")); if (at >= 0) this.accept(at); });
  }

  get text() { return this.area.value; }
  set text(text) { this.area.value = text; this.problems = []; this.area.scrollTop = this.area.scrollLeft = 0; this.paint(); }

  /** Tables and functions of the language. */
  setWords(tables, functions) {
    this.tables = tables;
    this.words = functions.map(({ name, sentence }) => ({ name, what: sentence, call: true })).concat([{ name: "pi", what: "3.14159…" }, { name: "t", what: "time" }]);
    this.paint();
  }

  /** What the names of the model are. */
  setNames(names) { this.names = new Map(names.map(({ name, what }) => [name, what])); this.paint(); }

  /** Problems with places in the text. */
  setProblems(problems) { this.problems = problems; this.paint(); }

  /** Problems are not where they were once the text has changed before them: they go until it is read again. */
  shift() { this.problems = this.problems.filter(({ labels }) => labels.every(({ to }) => to <= this.area.selectionStart - 1)); }

  paint() {
    const text = this.text, marks = [];
    if (text.length <= LONGEST) {
      for (const match of text.matchAll(PIECES)) {
        const kind = match.slice(1).findIndex(part => part !== undefined);
        marks.push([match.index, match.index + match[0].length, CLASSES[kind]]);
        if (kind === 1) for (const word of match[0].matchAll(NAME)) if (this.names.has(word[0]) || this.names.has(word[0].replace(/'+$/, ""))) marks.push([match.index + word.index, match.index + word.index + word[0].length, "t-name"]);
      }
    }
    const lines = new Set();
    for (const { severity, labels } of this.problems) for (const { from, to, line } of labels.slice(0, 1)) {
      marks.push([from, Math.max(to, from + 1), severity === "error" ? "wrong-here" : "warn-here"]);
      if (severity === "error") lines.add(line);
    }
    const edges = [...new Set([0, text.length, ...marks.flatMap(([from, to]) => [from, Math.min(to, text.length)])])].sort((a, b) => a - b);
    const content = document.createDocumentFragment();
    const opening = [...marks].sort((a, b) => a[0] - b[0]);
    let active = [], next = 0;
    for (let at = 0; at + 1 < edges.length; at++) {
      const [from, to] = [edges[at], edges[at + 1]];
      while (next < opening.length && opening[next][0] <= from) active.push(opening[next++]);
      active = active.filter(mark => mark[1] > from);
      const piece = text.slice(from, to);
      content.append(active.length ? element("span", { className: active.map(mark => mark[2]).join(" ") }, piece) : piece);
    }
    content.append("\n");
    this.ink.replaceChildren(content);
    const count = text.split("\n").length;
    this.area.closest("#editor-frame").style.setProperty("--lines", count);
    this.gutter.replaceChildren(...Array.from({ length: count }, (_, at) => element("div", { className: lines.has(at + 1) ? "wrong" : "" }, String(at + 1))));
    this.follow();
  }

  follow() {
    this.ink.scrollTop = this.area.scrollTop; this.ink.scrollLeft = this.area.scrollLeft; this.gutter.scrollTop = this.area.scrollTop;
    // A scrollbar of the text takes room that the ink has.
    this.gutter.style.paddingBottom = this.ink.style.paddingBottom = `${PADDING + this.area.offsetHeight - this.area.clientHeight}px`;
  }

  /** Goes to a place of the text. */
  show(from, to) {
    this.area.focus();
    this.area.setSelectionRange(from, to);
    const line = this.text.slice(0, from).split("\n").length;
    this.area.scrollTop = Math.max(0, (line - 4) * LINE);
  }

  /** The word before the caret, and what is around it. */
  word() {
    const end = this.area.selectionStart, before = this.text.slice(0, end), line = before.slice(before.lastIndexOf("\n") + 1);
    const found = /[\p{L}_][\p{L}\p{N}_]*'*$/u.exec(line);
    const quotes = (line.match(/"/g) ?? []).length, heading = /^\s*\[([^\]]*)$/.exec(line);
    const table = [...before.matchAll(/^[ \t]*\[([^\]\n]+)\]/gm)].pop()?.[1].split(".")[0];
    return { end, prefix: found?.[0] ?? "", inText: quotes % 2 === 1 || /"""/.test(line), heading: heading !== null, typed: heading?.[1] ?? "", table, lineStart: /^\s*[\p{L}_]*$/u.test(line) };
  }

  complete(asked = false) {
    const { prefix, inText, heading, typed, table, lineStart } = this.word();
    let known = [];
    if (heading) known = this.tables.map(({ name, sentence }) => ({ name, what: sentence }));
    else if (inText) known = [...[...this.names].map(([name, what]) => ({ name, what })), ...this.words];
    else if (lineStart) known = (this.tables.find(({ name }) => name === table)?.keys ?? []).filter(({ name }) => /^[\w]+$/.test(name)).map(({ name, sentence }) => ({ name, what: sentence, key: true }));
    const start = heading ? typed : prefix;
    if (!asked && start.length === 0) return this.close();
    const lower = start.toLowerCase();
    this.shown = known.filter(({ name }) => name.toLowerCase().startsWith(lower) && name !== start).slice(0, 12);
    if (this.shown.length === 0) return this.close();
    this.prefix = start; this.chosen = 0;
    this.list.replaceChildren(...this.shown.map(({ name, what }, at) => element("li", { id: `completion-${at}`, role: "option" }, name, element("small", {}, what.replace(/[`*]/g, "")))));
    this.list.hidden = false;
    this.area.setAttribute("aria-expanded", "true");
    const before = this.text.slice(0, this.area.selectionStart), row = before.split("\n").length, column = before.length - before.lastIndexOf("\n") - 1 - start.length;
    const rule = document.createElement("canvas").getContext("2d");
    rule.font = getComputedStyle(this.area).font;
    const left = rule.measureText("0").width * column + 9 - this.area.scrollLeft, top = PADDING + row * LINE - this.area.scrollTop;
    this.list.style.left = `${Math.max(0, Math.min(left, this.area.clientWidth - 240))}px`;
    this.list.style.top = top + 200 > this.area.clientHeight && top > 240 ? "auto" : `${top + 2}px`;
    this.list.style.bottom = this.list.style.top === "auto" ? `${this.area.clientHeight - top + LINE}px` : "auto";
    this.choose(0);
  }

  choose(at) {
    this.chosen = (at + this.shown.length) % this.shown.length;
    [...this.list.children].forEach((item, place) => item.setAttribute("aria-selected", String(place === this.chosen)));
    this.list.children[this.chosen]?.scrollIntoView({ block: "nearest" });
    this.area.setAttribute("aria-activedescendant", `completion-${this.chosen}`);
  }

  accept(at = this.chosen) {
    const { name, call, key } = this.shown[at], end = this.area.selectionStart;
    this.area.setSelectionRange(end - this.prefix.length, end);
    // This way of writing can be undone.
    document.execCommand("insertText", false, call ? `${name}(` : key ? `${name} = ` : name);
    this.close();
  }

  close() { this.list.hidden = true; this.area.setAttribute("aria-expanded", "false"); this.area.removeAttribute("aria-activedescendant"); }

  key(event) {
    if (event.ctrlKey && event.key === " ") { event.preventDefault(); return this.complete(true); }
    if (this.list.hidden) return;
    const moves = { ArrowDown: 1, ArrowUp: -1 };
    if (event.key in moves) { event.preventDefault(); this.choose(this.chosen + moves[event.key]); }
    else if (event.key === "Enter" || event.key === "Tab") { event.preventDefault(); this.accept(); }
    else if (event.key === "Escape") { event.preventDefault(); this.close(); }
  }
}
