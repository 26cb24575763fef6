// Models of the book, changed and run where they stand: the studio without a server, in a frame below the text that speaks of them.
"use strict";
(() => {
  const main = document.querySelector("main"), COMMAND = /^extremal (run|solve|derive|analyze|compare|sweep) (\S+)(.*)$/s, MODEL = /^gallery:[\w-]+$/;
  /** The view of the studio that shows what a command prints. */
  const VIEWS = { run: "motion", solve: "solve", derive: "equations", analyze: "analysis", compare: "compare", sweep: "map" };

  // A page that was opened as a file may not load programs.
  if (location.protocol === "file:") {
    const note = document.createElement("p");
    note.className = "note";
    note.textContent = "The models of this page can be changed and run in it when its folder is served, as by “cargo xtask book --serve”.";
    main.prepend(note);
    return;
  }

  /** Models of this page, by the names of their files. */
  const own = new Map([...main.querySelectorAll(".model")].map(block => [block.dataset.file, block]));

  /** What a command asks for, as the studio is told it; `left` is what the studio has no place for. */
  function given(code) {
    if (MODEL.test(code)) return { gallery: code.slice(8), left: [] };
    const [, task, model, rest] = COMMAND.exec(code) ?? [];
    if (task === undefined) return null;
    const said = { view: VIEWS[task], values: [], forms: [], axes: [], left: [] };
    if (MODEL.test(model)) said.gallery = model.slice(8);
    else if (own.has(model)) Object.assign(said, { name: model, text: own.get(model).querySelector("code").textContent });
    else return null;
    const words = [...rest.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain);
    while (words.length) read(words.shift(), words, said);
    return said;
  }

  /** Reads an option, with its value where it has one. */
  function read(option, words, said) {
    const value = () => words.shift() ?? "";
    const plain = { "--method": "method", "--step": "step", "--until": "until", "--steps": "solve-steps" }[option];
    if (option === "--form") said.forms.push(value());
    else if (option === "--methods") [said.method, said["second-method"]] = value().split(",");
    else if (option === "--steps" && said.view === "compare") { [said.step] = value().split(","); }
    else if (plain) said[plain] = value();
    else if (option === "--set") {
      const text = value(), [name, number] = text.split("=");
      Number.isFinite(Number(number)) ? said.values.push([name, Number(number)]) : said.left.push(`--set ${text}`);
    } else if (option === "--vary") {
      const text = value(), [, name, from, to, count] = /^([^=]+)=([^:]+):([^:]+):(\d+)$/.exec(text) ?? [];
      if (count === undefined) said.left.push(`--vary ${text}`);
      else { said.axes.push([name, from, to]); said["map-count"] = count; }
    } else if (option.startsWith("--") && words.length && !words[0].startsWith("--")) {
      const text = value();
      // Files are written by the program; the studio exports what is on it.
      if (!/^--(out|plot|frame|shots|at|animate|panel)$/.test(option)) said.left.push(`${option} ${text}`);
    } else said.left.push(option);
  }

  const label = said => said.gallery ? `gallery:${said.gallery}` : said.name;

  /** The studio with a model, as tall as what is in it. */
  function bench(said) {
    const frame = document.createElement("iframe");
    frame.className = "bench";
    frame.title = `${label(said)}, to be changed and run`;
    frame.src = `studio/index.html#${encodeURIComponent(JSON.stringify(said))}`;
    frame.onload = () => {
      const page = frame.contentDocument;
      new ResizeObserver(() => { frame.style.height = `${page.body.offsetHeight}px`; }).observe(page.body);
    };
    return frame;
  }

  /** A frame with a line above it: what it is, a page of its own, away with it. */
  function opened(said, close) {
    const section = document.createElement("section"), bar = document.createElement("p"), alone = document.createElement("a"), away = document.createElement("button");
    section.className = "workbench";
    section.setAttribute("aria-label", `${label(said)}, to be changed and run`);
    bar.className = "bench-bar";
    alone.href = `studio/index.html#${encodeURIComponent(JSON.stringify(said))}`;
    alone.target = "_blank";
    alone.textContent = "In a page of its own";
    away.type = "button"; away.textContent = "Put away"; away.onclick = close;
    const name = document.createElement("code");
    name.textContent = label(said);
    bar.append(name, said.left?.length ? ` without ${said.left.join(" ")}` : "", alone, away);
    section.append(bar, bench(said));
    return section;
  }

  for (const [file, block] of own) {
    const button = document.createElement("button");
    button.type = "button"; button.className = "run"; button.textContent = "Change and run it";
    let section = null;
    button.onclick = () => {
      const text = block.querySelector("code").textContent;
      section = opened({ name: file, text }, () => { section.remove(); block.hidden = false; button.focus(); });
      block.hidden = true;
      block.after(section);
      section.querySelector("iframe").focus();
    };
    block.append(button);
  }

  /** Makes a name or a command open its model below the paragraph in which it stands. */
  function offer(element, said) {
    let section = null;
    element.classList.add("try");
    element.title = `${label(said)}: change it and run it here`;
    const link = element.closest("a"), key = link ?? element;
    if (!link) { element.tabIndex = 0; element.setAttribute("role", "button"); }
    key.setAttribute("aria-expanded", "false");
    const toggle = event => {
      event.preventDefault();
      if (section) section.remove();
      section = section ? null : opened(said, toggle);
      key.setAttribute("aria-expanded", String(section !== null));
      if (!section) { key.focus(); return; }
      let place = element;
      while (place.parentElement !== main) place = place.parentElement;
      place.after(section);
      section.scrollIntoView({ block: "nearest" });
    };
    key.addEventListener("click", toggle);
    if (!link) key.addEventListener("keydown", event => { if (event.key === "Enter" || event.key === " ") toggle(event); });
  }

  for (const code of main.querySelectorAll("code")) {
    if (code.closest(".model, .result")) continue;
    if (code.parentElement.tagName !== "PRE") {
      const text = code.textContent, linked = /(?:^|\/)gallery\/([\w-]+)\.toml$/.exec(code.closest("a")?.getAttribute("href") ?? "");
      const said = linked ? { gallery: linked[1], left: [] } : given(text);
      if (said) offer(code, said);
      continue;
    }
    // Lines of commands, one below the other.
    if (code.className) continue;
    const lines = code.textContent.split("\n");
    if (!lines.some(line => given(line.trim()))) continue;
    code.replaceChildren(...lines.flatMap((line, at) => {
      const said = given(line.trim()), end = at + 1 < lines.length ? ["\n"] : [];
      if (!said) return [line, ...end];
      const part = document.createElement("span");
      part.textContent = line;
      offer(part, said);
      return [part, ...end];
    }));
  }
})();
