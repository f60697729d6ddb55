// SPDX-License-Identifier: Apache-2.0
// "What does it decide, and why?": one instance, its decision, the reasons, and the cheapest change.

import { h } from "./dom.js";
import { change, shown, side, state, valueOf } from "./store.js";
import { want } from "./ask.js";
import { blocks } from "./blocks.js";
import { among, bar, failure, pending, without } from "./parts.js";
import { chance, features, grouped, share } from "./words.js";

const MOST_ATTRIBUTES = 60; // more are looked for by name
const MOST_BUTTONS = 6; // values; more are a list

export function whyOf(one) {
  return want("why", "why", { side: side(one), instance: state.instance });
}

export function viewWhy() {
  const one = shown();
  const model = want("model", "model", { side: side(one) });
  if (model.error) return [without];
  if (!model.value) return [pending("Compiling…")];
  const labels = model.value.labels;
  const answer = whyOf(one);
  const [field, shown_, rest] = among(model.value.variables, "attributes", "an attribute", MOST_ATTRIBUTES);
  return [
    field,
    h("div", { class: "attributes", key: "attributes" }, shown_.map((variable) => chooser(variable, answer)), rest),
    verdict(answer, model.value, labels),
  ].filter(Boolean);
}

function chooser(variable, answer) {
  const now = valueOf(variable.name);
  const needed = answer.current && answer.value?.sufficient?.smallest && Object.hasOwn(answer.value.sufficient.smallest, variable.name);
  const choose = (value) => {
    const { [variable.name]: _, ...rest } = state.instance;
    change({ instance: value === null ? rest : { ...state.instance, [variable.name]: value } });
  };
  if (variable.values.length > MOST_BUTTONS) {
    return h("label", { class: `attribute${needed ? " needed" : ""}`, key: variable.name }, h("span", { class: "what" }, variable.name),
      h("select", { value: now === undefined ? "-1" : String(variable.values.indexOf(now)), onchange: (event) => choose(Number(event.target.value) < 0 ? null : variable.values[event.target.value]) },
        variable.values.map((value, i) => h("option", { value: String(i) }, value)), h("option", { value: "-1" }, "not known")));
  }
  const button = (value, text, i) => h("label", { class: "choice", key: `v${i}` },
    h("input", { type: "radio", name: `value-${variable.name}`, value: String(i), "aria-label": value === null ? "not known" : null, title: value === null ? "not known" : null, checked: now === (value ?? undefined), onchange: () => choose(value) }),
    h("span", {}, text));
  return h("div", { class: `attribute${needed ? " needed" : ""}`, key: variable.name, role: "radiogroup", "aria-label": variable.name }, h("span", { class: "what" }, variable.name),
    h("div", { class: "buttons" }, variable.values.map((value, i) => button(value, value, i)), button(null, "?", "none")));
}

function verdict({ value, error, current }, model, labels) {
  if (error) return failure(error);
  if (!value) return pending("Looking for the reasons…");
  const stale = current ? "" : " stale";
  if (value.impossible) return h("div", { class: `answer${stale}`, key: "answer" }, h("p", { class: "big" }, "Impossible"), h("p", { class: "because" }, `With these values: ${value.sentence}`));
  if (value.decision === null) return open(value, stale, labels);
  const at = labels.indexOf(value.decision);
  return h("div", { class: `answer${stale}`, key: "answer" },
    h("p", { class: "big" }, h("span", { class: `decision to${at % 7}` }, value.decision), value.posterior && model.positive && h("span", { class: "posterior" }, ` Pr(${model.class}=${model.positive}) = ${chance(value.posterior[model.positive])}`)),
    h("p", { class: "because" }, value.because),
    h("h3", {}, "Reasons"),
    blocks(value.blocks),
    value.change && h("div", {}, h("h3", {}, "The cheapest change"), changes(value.change)),
  );
}

function changes(found) {
  if (!found.ways.length) return h("p", {}, "Nothing changes it: every instance is decided so.");
  return h("ul", { class: "cases" }, found.ways.map((way, i) => h("li", { key: `w${i}` },
    h("button", { type: "button", class: "case", title: "Make this change", onclick: () => change({ instance: way.instance }) },
      h("span", { class: "features" }, way.sentence), h("span", { class: "said" }, `→ ${way.decision}`)))));
}

function open(value, stale, labels) {
  const { counts } = value.open;
  const total = String(Object.values(counts).reduce((sum, n) => sum + BigInt(n), 0n));
  return h("div", { class: `answer${stale}`, key: "answer" },
    h("p", { class: "big" }, "Still open"),
    h("p", { class: "because" }, Object.keys(state.instance).length ? `With ${features(state.instance)}:` : "Before anything is known:"),
    h("ul", { class: "counts" }, Object.entries(counts).reverse().map(([label, n]) => h("li", { key: label },
      h("span", { class: `decision to${labels.indexOf(label) % 7}` }, label), bar(share(String(n), total), label, `to${labels.indexOf(label) % 7}`), h("span", { class: "count" }, grouped(n))))),
    h("p", {}, value.sentence),
    blocks(value.blocks),
  );
}
