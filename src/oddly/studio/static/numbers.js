// SPDX-License-Identifier: Apache-2.0
// "How much may it change?": every number as a slider with the stretch on which no decision changes.

import { h } from "./dom.js";
import { change, changeModel, edit, settle, shown, side, state, tell } from "./store.js";
import { want } from "./ask.js";
import { cases, failure, pending } from "./parts.js";
import { chance, grouped, shortly } from "./words.js";

const MOST_ROWS = 40; // of a group, until more are asked for
const FEW = 24; // numbers that need no search
const NONE = [];
let merged = { listed: null, ranges: null, rows: [] };
let sought = ""; // what is looked for among the numbers
const opened = new Map(); // group → whether the reader has it open, and all of it

/**
 * The numbers of a model as opened: {rows, error, pending, whyNot, leftOut}. They are known at once, and how far each may move
 * a while later.
 */
export function numbersOf(one) {
  const asked = { side: side(one, []) };
  const listed = want("numbers", "numbers", asked);
  if (listed.error || !listed.current) return { rows: null, error: listed.error, pending: !listed.error, whyNot: "", leftOut: 0 };
  const { numbers, left_out: leftOut, why_not: whyNot } = listed.value;
  if (!numbers.length) return { rows: NONE, error: null, pending: false, whyNot, leftOut };
  const model = want("model", "model", { side: side(one) });
  if (!one.edits.length && !model.current) return { rows: merge(numbers, NONE), error: null, pending: !model.error, whyNot: "", leftOut };
  const found = want("ranges", "ranges", asked);
  const ranges = found.current ? found.value.ranges : NONE;
  const unknown = found.error ? found.error.message : found.current ? found.value.why_not : "";
  return { rows: merge(numbers, ranges), error: null, pending: !found.error && !found.current, whyNot: unknown, leftOut, stopped: found.error?.stopped };
}

function merge(listed, ranges) {
  if (merged.listed !== listed || merged.ranges !== ranges) {
    merged = { listed, ranges, rows: listed.map((number, i) => ({ ...number, ...ranges[i], i })) };
  }
  return merged.rows;
}

/** A slider for one number. */
export function slider(one, number, now, place_ = "side") {
  const name = JSON.stringify(number.path);
  const edited = one.edits.find(([path]) => JSON.stringify(path) === name);
  const text = edited ? String(edited[1]) : now ? now.text : number.now;
  const value = edited ? asNumber(edited[1]) : now?.value ?? number.value;
  const least = Math.min(number.min, value);
  const most = Math.max(number.max, value);
  const place = (x) => Math.min(Math.max((x - least) / (most - least || 1), 0), 1);
  const safe = number.interval !== null;
  const inside = safe && within(number, value, text);
  const id = `${place_}-${one.key}-${number.i}`;
  const turn = (event) => {
    const to = Number(event.target.value);
    edit(one.key, number.path, number.points ? String(Number(to.toPrecision(12))) : decimal(to), `${one.key}${name}`);
  };
  const type = (event) => {
    const typed = event.target.value.trim();
    if (typed && typed !== shortly(text)) edit(one.key, number.path, typed, null);
    else event.target.value = shortly(text);
  };
  return h("div", { class: `number${edited ? " edited" : ""}${edited && safe && !inside ? " outside" : ""}`, key: id },
    h("label", { for: id }, number.name),
    h("input", { class: "exact", "aria-label": `${number.name}, as a number`, value: shortly(text), title: text, disabled: !number.movable, onchange: type, spellcheck: "false", inputmode: "decimal" }),
    h("div", { class: "slider", vars: { "--low": place(number.low ?? least), "--high": place(number.high ?? most), "--was": place(number.value) } },
      safe && h("span", { class: "safe", "aria-hidden": "true" }),
      h("span", { class: "was", "aria-hidden": "true" }),
      h("input", {
        id, type: "range", min: least, max: most, step: number.step, value: String(value), disabled: !number.movable,
        "aria-valuetext": `${shortly(text)}${safe ? (inside ? ", changes no decision" : `, outside ${number.interval}`) : ""}`,
        oninput: turn, onchange: settle,
      })),
    range(number),
  );
}

/** Where the number may lie, and what happens beyond. */
function range(number) {
  if (number.interval === null) return h("span", { class: "range" }, number.movable ? "" : "cannot move a little");
  const told = h("span", { class: "what" }, `may be ${number.interval === "anything" ? "anything" : `in ${number.interval}`}`);
  if (!number.blocks.length) return h("span", { class: "range" }, told);
  return h("details", { class: "range" }, h("summary", {}, told), h("ul", { class: "blocks" }, number.blocks.map((text, k) => h("li", { key: `b${k}` }, text))));
}

function decimal(to) {
  return to.toFixed(3).replace(/\.?0+$/, "") || "0";
}

function asNumber(text) {
  const [above, below] = String(text).split("/");
  const value = below === undefined ? Number(above) : Number(above) / Number(below);
  return Number.isFinite(value) ? value : 0;
}

function within(number, value) {
  const low = number.low ?? -Infinity;
  const high = number.high ?? Infinity;
  return (value > low || (number.includes_low && value === low)) && (value < high || (number.includes_high && value === high));
}

export function viewNumbers() {
  const one = shown();
  const { rows, error, pending: working, whyNot, leftOut, stopped } = numbersOf(one);
  if (error) return [failure(error)];
  if (!rows) return [pending("Looking for its numbers…")];
  const known = rows.some((number) => number.interval);
  return [
    rows.length > 0 && flips(one),
    working && pending("Working out how far each number may move…"),
    stopped ? failure({ message: "How far each number may move is not known: stopped.", stopped }) : whyNot && h("p", { class: "quiet", key: "why" }, rows.length ? `How far they may move is not known here: ${ended(whyNot)}` : `Nothing can be moved here: ${ended(whyNot)}`),
    known && h("p", { class: "quiet", key: "note" }, "Each range holds while all other numbers are as opened. Of a row of probabilities, the others keep their proportions."),
    rows.length > FEW && search(rows),
    ...groups(one, rows),
    leftOut > 0 && h("p", { class: "quiet", key: "rest" }, `${grouped(leftOut)} more numbers are not shown.`),
  ].filter(Boolean);
}

const ended = (text) => (text.endsWith(".") ? text : `${text}.`);

function search(rows) {
  const look = (event) => {
    sought = event.target.value;
    tell();
  };
  return h("input", { key: "search", type: "search", class: "search", "aria-label": "Find a number", placeholder: `Find among ${grouped(rows.length)} numbers`, value: sought, oninput: look, spellcheck: "false" });
}

/** The numbers of each attribute together. Only what is open is made. */
function groups(one, rows) {
  const words = rows.length > FEW ? sought.toLowerCase().split(/\s+/).filter(Boolean) : [];
  const found = new Map();
  for (const number of rows) {
    if (!words.every((word) => number.name.toLowerCase().includes(word))) continue;
    const name = number.path.length === 1 || number.path[0] === "prior" || number.path[0] === "intercept" ? "" : number.path[1];
    if (!found.has(name)) found.set(name, []);
    found.get(name).push(number);
  }
  if (!found.size) return [h("p", { class: "quiet", key: "none" }, "No number has such a name.")];
  return [...found].map(([name, its]) => group(one, name, its, words.length > 0 || name === "" || rows.length <= MOST_ROWS));
}

function group(one, name, rows, begins) {
  const key = JSON.stringify([one.key, name, begins]);
  const { open, all } = opened.get(key) ?? { open: begins, all: false };
  const now = want("model", "model", { side: side(one) }).value;
  const keep = (fields) => {
    opened.set(key, { open, all, ...fields });
    tell();
  };
  const changed = rows.filter((number) => one.edits.some(([path]) => JSON.stringify(path) === JSON.stringify(number.path))).length;
  const many = `${grouped(rows.length)} number${rows.length === 1 ? "" : "s"}${changed ? `, ${changed} changed` : ""}`;
  const shown_ = open ? (all ? rows : rows.slice(0, MOST_ROWS)) : [];
  return h("details", { class: "group", key: `g${key}`, open, ontoggle: (event) => event.target.open !== open && keep({ open: event.target.open }) },
    h("summary", {}, name === "" ? "The decision" : name, " ", h("span", { class: "quiet" }, many)),
    shown_.map((number) => h("div", { key: number.path.join("/") }, slider(one, number, now?.now[number.i], "tab"))),
    open && shown_.length < rows.length && h("button", { type: "button", class: "small", onclick: () => keep({ all: true }) }, `Show all ${grouped(rows.length)}`),
  );
}

/** Which decisions the changes have turned. */
export function flipsOf(one) {
  return want("flips", "differ", { a: side(one, []), b: side(one) });
}

function flips(one) {
  if (!one.edits.length) return h("div", { class: "verdict", key: "flips" }, h("p", {}, "Drag a number and see which instances are decided otherwise."));
  const { value, error, current } = flipsOf(one);
  const back = h("button", { type: "button", class: "small", onclick: () => changeModel(one.key, { edits: [] }) }, "Back to the numbers as opened");
  if (error) return h("div", { class: "verdict", key: "flips" }, failure(error), back);
  if (!value) return h("div", { class: "verdict", key: "flips" }, pending("Comparing with the model as opened…"), back);
  return h("div", { class: `verdict${current ? "" : " stale"}${value.equivalent ? " holds" : " fails"}`, key: "flips" },
    h("p", { class: "big" }, value.equivalent ? "No decision changes" : `${grouped(value.count)} of ${grouped(value.instances)} flip${value.count === "1" ? "s" : ""}`),
    h("p", {}, told(value)),
    cases(value.cases.map((one_) => ({ instance: one_.instance, said: `${one_.a} → ${one_.b}` })), state.instance, (instance) => change({ instance })),
    back,
  );
}

function told(value) {
  if (value.equivalent) return "Every instance is decided as before.";
  const ways = Object.entries(value.directions).filter(([, n]) => n !== "0").map(([way, n]) => `${grouped(n)} ${way}`).join(", ");
  const p = value.probability.a ?? value.probability.uniform;
  return `${ways}; probability ${chance(p)} under ${value.probability.a === undefined ? "the uniform distribution" : "the model as opened"}.`;
}
