// What is said about a motion: its end, what it keeps, both laws.
import { element, number, table } from "./dom.js";

const GROUPS = [["q", "Coordinates"], ["v", "Velocities"], ["p", "Momenta"], ["states", "States"], ["S", "Entropies"], ["T", "Temperatures"], ["N", "Amounts"], ["mu", "Potentials"], ["lambda", "Reactions"], ["u", "Controls"], ["outputs", "Outputs"]];
const MOST_ROWS = 40;

/** The facts of a run, by what the program says of it. */
export function factsOf({ summary, energy, keeps }, conserved) {
  const tables = [kept(summary, energy, conserved)];
  if (summary.laws) tables.push(laws(summary.laws));
  if (summary.constraints) tables.push(table("Constraints", ["", "largest residual"], Object.entries(summary.constraints.max_residual).map(([name, value]) => [name, number(value, 3)])));
  if (Object.keys(summary.errors ?? {}).length) tables.push(table("Against the closed form", ["", "largest error"], Object.entries(summary.errors).map(([name, value]) => [name, number(value, 3)])));
  tables.push(...end(summary));
  return [
    ...summary.warnings.map(warning => element("p", { className: "warning-line" }, `Warning: ${warning}`)),
    element("div", { className: "tables" }, tables.filter(Boolean)),
    element("p", { className: "note" }, `${summary.method} keeps: ${keeps}. ${summary.solver.iteration === "explicit" ? "Explicit steps." : `Solved by ${summary.solver.iteration}, largest residual ${number(summary.solver.max_residual, 2)}.`}`),
  ];
}

/** What the equations conserve, how that is known, and what the method makes of it. */
export function proofsOf({ conserved }) {
  if (!conserved.length) return [];
  const known = ({ verified, states, general }) => (verified === "symbolic" ? "proved by algebra" : `checked at ${states} random states, exactly`) + (general ? "" : ", for these values");
  const byMethod = ({ discrete }) => !discrete ? "–" : discrete.exact ? "to round-off" : discrete.order ? `to order ${number(discrete.order, 2)} of the step` : "not to a clear order";
  const rows = conserved.slice(0, 12).map(one => [one.name, element("span", { title: one.expression }, one.expression.length > 42 ? `${one.expression.slice(0, 40)}…` : one.expression),
    element("span", { className: "verdict-good" }, known(one)), byMethod(one), one.symmetry?.kind ?? ""]);
  return [element("div", { className: "tables" }, table("Conserved, by the equations", ["", "expression", "how it is known", "the method keeps it", "symmetry"], rows, { id: "conserved" }))];
}

function kept(summary, energy, conserved) {
  const rows = Object.entries(summary.invariants).map(([name, drift]) => {
    const proof = name === "energy" ? (energy.conserved ? "conserved" : "changes") : conserved.get(name) ?? "";
    return [name, number(drift.first, 8), number(drift.last, 8), number(drift.max_drift, 3), number(drift.relative, 3), number(drift.trend, 2),
      element("span", { className: proof === "changes" ? "" : "verdict-good" }, proof)];
  });
  if (!rows.length) return null;
  const said = table("What is kept", ["", "first", "last", "max drift", "relative", "trend", "by the equations"], rows, { id: "kept" });
  return energy.note ? element("div", {}, said, element("p", { className: "note" }, `Energy: ${energy.note}.`)) : said;
}

function laws({ first, second, temperatures }) {
  const sign = second.smallest_step >= 0 ? "verdict-good" : "verdict-wrong";
  const rows = [
    ["Energy change", number(first.energy_change, 8)], ["Work done on it", number(first.work, 8)], ["Heat that came in", number(first.heat, 8)],
    ...(first.matter === undefined ? [] : [["With matter", number(first.matter, 8)]]),
    ["First law missed by", number(first.max_defect, 3)],
    ["Entropy produced", number(second.produced, 8)],
    ["Least production in a step", element("span", { className: sign }, number(second.smallest_step, 3))],
  ];
  return element("div", {}, table("Both laws", ["", ""], rows, { id: "laws" }),
    Object.keys(temperatures).length ? table("Temperatures", ["", "first", "last", "lowest", "highest"], Object.entries(temperatures).slice(0, MOST_ROWS).map(([name, t]) => [name, ...[t.first, t.last, t.lowest, t.highest].map(value => number(value, 6))])) : null);
}

/** The last row with all its digits. */
function end(summary) {
  if (!summary.end) return [];
  return GROUPS.filter(([group]) => summary.end[group] && Object.keys(summary.end[group]).length).map(([group, title]) => {
    const entries = Object.entries(summary.end[group]);
    const rows = entries.slice(0, MOST_ROWS).map(([name, value]) => ({ cells: [name, number(value)], properties: { "data-end": `${group}.${name}`, "data-value": String(value) } }));
    return table(`${title} at t = ${number(summary.end.t, 8)}`, ["", ""], rows);
  });
}
