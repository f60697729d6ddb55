// SPDX-License-Identifier: Apache-2.0
// "How much may it change?": every number as a slider with the stretch on which no decision changes.

import { h } from "./dom.js";
import { change, changeModel, edit, settle, shown, side, state } from "./store.js";
import { want } from "./ask.js";
import { cases, failure, pending } from "./parts.js";
import { chance, grouped, shortly } from "./words.js";

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
  const id = `${place_}-${one.key}-${number.path.join("-")}`;
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
  const now = want("model", "model", { side: side(one) });
  const { value, error, current } = want("numbers", "numbers", { side: side(one, []) });
  if (error) return [failure(error)];
  if (!value || !current) return [pending("Working out how far each number may move…")];
  const groups = new Map();
  value.numbers.forEach((number, i) => {
    const group = number.path.length === 1 || number.path[0] === "prior" ? "" : number.path[1];
    groups.set(group, [...(groups.get(group) ?? []), { number, i }]);
  });
  return [
    flips(one),
    value.why_not && h("p", { class: "quiet", key: "why" }, `How far they may move is not known here: ${value.why_not}.`),
    h("p", { class: "quiet", key: "note" }, "Each range holds while all other numbers are as opened. Of a row of probabilities, the others keep their proportions."),
    ...[...groups].map(([group, rows]) => h("details", { class: "group", key: `g${group}`, open: group === "" || value.numbers.length <= 40 },
      h("summary", {}, group === "" ? "The decision" : group),
      rows.map(({ number, i }) => h("div", { key: number.path.join("/") }, slider(one, number, now.value?.now[i], "tab"))))),
    value.left_out > 0 && h("p", { class: "quiet", key: "rest" }, `${value.left_out} more numbers are not shown.`),
  ].filter(Boolean);
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
  const ways = Object.entries(value.directions).filter(([, n]) => n !== "0").map(([way, n]) => `${n} ${way}`).join(", ");
  const p = value.probability.a ?? value.probability.uniform;
  return `${ways}; probability ${chance(p)} under ${value.probability.a === undefined ? "the uniform distribution" : "the model as opened"}.`;
}
