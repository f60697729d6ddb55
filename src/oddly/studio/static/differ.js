// SPDX-License-Identifier: Apache-2.0
// "How do two differ?": the model that is shown and another one.

import { h } from "./dom.js";
import { change, other, shown, side, state, titled } from "./store.js";
import { want } from "./ask.js";
import { bar, cases, failure, pending } from "./parts.js";
import { chance, grouped, ofInstances, percent, share } from "./words.js";

const WORTH = 0.2; // of the difference; regions that hold less tell nothing

export function differOf(one, two) {
  return want("differ", "differ", { a: side(one), b: side(two) });
}

export function viewDiffer() {
  const one = shown();
  const two = other();
  const rest = state.models.filter((model) => model.key !== one.key);
  const head = h("div", { class: "two", key: "two" },
    h("p", {}, h("b", {}, titled(one)), one.edits.length > 0 && " as changed here"),
    h("label", {}, "against ", h("select", { value: two?.key ?? "", onchange: (event) => change({ b: event.target.value || null }) },
      h("option", { value: "" }, rest.length ? "choose a model" : "open a second model"),
      rest.map((model) => h("option", { value: model.key }, titled(model))))),
    two && h("button", { type: "button", class: "small", onclick: () => change({ a: two.key, b: one.key, instance: {}, asked: null, rules: [], protected: [] }) }, "The other way round"));
  if (!two) return [head, h("p", { class: "quiet", key: "how" }, "Open or drop a second model, such as a newer version of this one, and see on which inputs the two decide differently.")];
  const { value, error, current } = differOf(one, two);
  if (error) return [head, failure(error)];
  if (!value) return [head, pending("Comparing…")];
  return [head, h("div", { class: `answer${current ? "" : " stale"}`, key: "answer" }, value.equivalent ? same(value) : different(value, one, two))];
}

function same(value) {
  return [h("p", { class: "big" }, "The same classifier"), h("p", {}, `Both decide alike on ${ofInstances(value.instances, value.instances)}.`)];
}

function different(value, one, two) {
  const chances = [["a", titled(one)], ["b", titled(two)], ["uniform", "every input alike"]].filter(([name]) => value.probability[name] !== undefined);
  return [
    h("p", { class: "big" }, `${grouped(value.count)} of ${grouped(value.instances)}`),
    h("p", {}, value.count === "1" ? "instance is decided differently." : "instances are decided differently."),
    h("div", { class: "meter" }, bar(share(value.count, value.instances), "decided differently")),
    h("ul", { class: "plain" }, Object.entries(value.directions).filter(([, n]) => n !== "0").map(([way, n]) => h("li", { key: way }, h("b", {}, grouped(n)), ` ${way}`))),
    h("h3", {}, "How probable"),
    h("ul", { class: "plain" }, chances.map(([name, said]) => h("li", { key: name }, h("b", {}, chance(value.probability[name])), name === "uniform" ? ` with ${said}` : ` under ${said}`))),
    h("h3", {}, "Where"),
    value.count !== "1" && lifts(value.lifts),
    regions(value.regions),
    h("h3", {}, "For example"),
    cases(value.cases.map((found) => ({ instance: found.instance, said: `${found.a} → ${found.b}` })), state.instance, (instance) => change({ instance: own(instance) })),
  ];
}

/** Values that are more frequent where the two differ than elsewhere. */
function lifts(found) {
  const most = found.filter((one) => one.share > one.usual).slice(0, 3);
  if (!most.length) return null;
  return h("p", {}, "More often than elsewhere: ", most.map((one) => `${one.attribute}=${one.value} (in ${percent(one.share)} of them, ${percent(one.usual)} of all)`).join("; "), ".");
}

function regions(found) {
  const held = found.reduce((sum, region) => sum + region.share, 0);
  if (held < WORTH) return h("p", { class: "quiet" }, `They lie scattered: even the ${found.length} largest regions hold only ${percent(held)} of them.`);
  return h("ul", { class: "regions" }, found.map((region, i) => h("li", { key: `r${i}` }, bar(region.share, region.sentence), h("span", { title: region.sentence }, region.sentence))));
}

/** The part of an instance that the model shown asks about. */
function own(instance) {
  const model = want("model", "model", { side: side(shown()) }).value;
  const names = new Set(model?.variables.map((variable) => variable.name));
  return Object.fromEntries(Object.entries(instance).filter(([name]) => names.has(name)));
}
