// SPDX-License-Identifier: Apache-2.0
// "Does it obey?": rules, each held against every instance, and attributes that should not matter.

import { h } from "./dom.js";
import { change, shown, side, state } from "./store.js";
import { want } from "./ask.js";
import { blocks } from "./blocks.js";
import { among, cases, failure, pending, without } from "./parts.js";

const MOST_CHECKS = 60; // more are looked for by name
const MARKS = { true: ["✓", "holds"], false: ["✗", "fails"], null: ["?", "open"] };

export function checkOf(one) {
  return want("check", "check", { side: side(one), rules: state.rules });
}

export function fairOf(one) {
  return want("fair", "fair", { side: side(one), protected: state.protected });
}

export function viewObey() {
  const one = shown();
  const model = want("model", "model", { side: side(one) });
  if (model.error) return [without];
  if (!model.value) return [pending("Compiling…")];
  return [h("section", { key: "rules" }, h("h3", {}, "Rules"), ...rules(one, model.value)), h("section", { key: "fair" }, h("h3", {}, "Should not matter"), ...fair(one, model.value))];
}

function rules(one, model) {
  const add = (text) => text.trim() && change({ rules: [...state.rules.filter((rule) => rule !== text.trim()), text.trim()] });
  const typed = (event) => {
    event.preventDefault();
    const field = event.target.querySelector("input");
    add(field.value);
    field.value = "";
  };
  const answer = state.rules.length ? checkOf(one) : null;
  return [
    h("form", { class: "add", key: "add", onsubmit: typed },
      h("input", { id: "rule", "aria-label": "A rule", placeholder: proposals(model)[1], spellcheck: "false", autocomplete: "off" }),
      h("button", { type: "submit" }, "Check")),
    h("p", { class: "quiet", key: "try" }, "Such as ", proposals(model).map((text, i) => [i > 0 && " · ", h("button", { type: "button", class: "link", key: text, onclick: () => add(text) }, text)])),
    answer?.error && failure(answer.error),
    h("ul", { class: "rules", key: "list" }, state.rules.map((rule) => verdict(rule, answer))),
  ].filter(Boolean);
}

/** Rules in the model's own words. */
function proposals(model) {
  const quoted = (text) => (/^[^\s=(){},!"':<]+$/.test(text) ? text : JSON.stringify(text));
  const [first, second] = model.variables;
  if (!first) return [`always ${quoted(model.labels[0])}`, `never ${quoted(model.labels[0])}`];
  const label = quoted(model.labels.at(-1));
  const name = quoted(first.name);
  const last = quoted(first.values.at(-1));
  return [
    `monotone down in ${name}${model.labels.length > 2 ? ` for ${label}` : ""}`,
    `${label} only if ${name}=${quoted(first.values[0])}`,
    `ignores ${quoted((second ?? first).name)}`,
    `if ${name}=${last} then ${quoted(model.labels[0])}`,
  ];
}

function verdict(rule, answer) {
  const found = answer?.value?.verdicts.find((one) => one.rule === rule);
  const [mark, look] = found ? MARKS[String(found.holds)] : ["…", "open"];
  return h("li", { key: rule, class: `${look}${answer?.current ? "" : " stale"}` },
    h("span", { class: "mark", "aria-hidden": "true" }, mark),
    h("div", {}, h("code", {}, rule),
      found?.error ? h("pre", { class: "error" }, found.error) : h("p", {}, found ? found.sentence : "Checking…"),
      found && cases(found.cases.map((one) => ({ instance: one.instance, said: one.decision })), state.instance, (instance) => change({ instance }))),
    h("button", { type: "button", class: "small", "aria-label": `Remove the rule ${rule}`, onclick: () => remove(rule) }, "×"));
}

function remove(rule) {
  change({ rules: state.rules.filter((one) => one !== rule) });
  document.getElementById("rule").focus(); // the button that was pressed goes away
}

function fair(one, model) {
  const toggle = (name) => change({ protected: state.protected.includes(name) ? state.protected.filter((p) => p !== name) : [...state.protected, name] });
  const [field, shown_, rest] = among(model.variables, "protected", "an attribute that should not matter", MOST_CHECKS);
  const checks = h("div", { key: "checks" }, field, h("div", { class: "checks" }, shown_.map((variable) => h("label", { key: variable.name },
    h("input", { type: "checkbox", checked: state.protected.includes(variable.name), onchange: () => toggle(variable.name) }), variable.name))), rest);
  if (!state.protected.length) return [checks, h("p", { class: "quiet", key: "how" }, "Tick attributes, such as sex or age, that no decision should hinge on.")];
  const { value, error, current } = fairOf(one);
  if (error) return [checks, failure(error)];
  if (!value) return [checks, pending("Looking for decisions that hinge on them…")];
  return [checks, h("div", { class: `answer${current ? "" : " stale"}`, key: "answer" },
    h("p", { class: value.holds ? "holds" : "fails" }, value.sentence),
    cases(value.cases.map((found) => ({ instance: found.instance, said: found.decision })), state.instance, (instance) => change({ instance })),
    blocks(value.blocks),
  )];
}
