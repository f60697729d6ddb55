// SPDX-License-Identifier: Apache-2.0
// "How do two differ?": the model that is shown and another one.

import { h } from "./dom.js";
import { change, other, shown, side, state, titled } from "./store.js";
import { want } from "./ask.js";
import { blocks } from "./blocks.js";
import { bar, cases, failure, pending } from "./parts.js";
import { grouped, ofInstances, share } from "./words.js";

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
  return [head, h("div", { class: `answer${current ? "" : " stale"}`, key: "answer" }, value.equivalent ? same(value) : different(value))];
}

function same(value) {
  return [h("p", { class: "big" }, "The same classifier"), h("p", {}, `Both decide alike on ${ofInstances(value.instances, value.instances, value.unit)}.`), blocks(value.blocks)];
}

function different(value) {
  return [
    h("p", { class: "big" }, `${grouped(value.count)} of ${grouped(value.instances)}`),
    h("p", {}, value.count === "1" ? `${value.unit} is decided differently.` : `${value.unit}s are decided differently.`),
    h("div", { class: "meter" }, bar(share(value.count, value.instances), "decided differently")),
    blocks(value.blocks),
    h("h3", {}, "For example"),
    cases(value.cases.map((found) => ({ instance: found.instance, said: `${found.a} → ${found.b}` })), state.instance, (instance) => change({ instance: own(value.cases.find((found) => found.instance === instance)?.own ?? instance) })),
  ];
}

/** The part of an instance that the model shown asks about. */
function own(instance) {
  const model = want("model", "model", { side: side(shown()) }).value;
  const names = new Set(model?.variables.map((variable) => variable.name));
  return Object.fromEntries(Object.entries(instance).filter(([name]) => names.has(name)));
}
