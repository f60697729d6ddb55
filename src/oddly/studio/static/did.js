// SPDX-License-Identifier: Apache-2.0
// "What did I do?": what the page shows now, as a program and as commands, and as a report to keep.

import { download, h } from "./dom.js";
import { other, shown, side, state, tell, valueOf } from "./store.js";
import { ask, once, script, want } from "./ask.js";
import { save } from "./models.js";
import { whyOf } from "./why.js";

let told = { of: null, python: "", commands: "" };
let report = { busy: false, said: "" };

export function viewDid() {
  const asked = deeds();
  const key = JSON.stringify(asked);
  if (told.of !== key) {
    told = { ...told, of: key };
    script(asked).then((found) => {
      told = { of: key, python: found.python ?? "", commands: found.commands ?? found.error };
      tell();
    });
  }
  const one = shown();
  return [
    h("p", { key: "intro" }, "Everything on this page can be done again without it."),
    listing("Python", told.python, "studio.py"),
    listing("Commands", told.commands, "studio.sh"),
    h("section", { class: "keep", key: "keep" }, h("h3", {}, "To keep"),
      h("button", { type: "button", class: "primary", disabled: report.busy, onclick: keep }, "Download the report"),
      one.about.model && h("button", { type: "button", onclick: () => save(one) }, "Save the model"),
      report.said && h("p", { class: "quiet", role: "status" }, report.said)),
  ];
}

/** The models and the questions, as the server tells them. */
function deeds() {
  const one = shown();
  const two = other();
  const model = want("model", "model", { side: side(one) }).value;
  const complete = model?.variables.every((variable) => valueOf(variable.name) !== undefined) ?? false;
  const plain = ({ id, name, origin, choice, edits }) => ({ id, name, origin, choice, edits });
  const label = model?.labels.length > 2 ? model.labels.at(-1) : null;
  return {
    models: [plain(one), ...(two ? [plain(two)] : [])],
    steps: [
      ...(whyOf(one).value?.impossible ? [] : [{ ask: "why", instance: state.instance, complete }]), // or it would stop there
      ...(one.about.model ? [{ ask: "numbers" }] : []),
      ...(one.edits.length ? [{ ask: "flips" }] : []),
      ...(two ? [{ ask: "differ" }] : []),
      ...(state.rules.length ? [{ ask: "check", rules: state.rules }] : []),
      ...(state.protected.length ? [{ ask: "fair", protected: state.protected, label }] : []),
    ],
  };
}

function listing(title, text, file) {
  const copy = (event) => navigator.clipboard.writeText(text).then(() => { event.target.textContent = "Copied"; }, () => {});
  return h("section", { class: "listing", key: title }, h("h3", {}, title),
    h("div", { class: "deeds" },
      h("button", { type: "button", class: "small", onclick: copy, "aria-label": `Copy the ${title}` }, "Copy"),
      h("button", { type: "button", class: "small", onclick: () => download(file, text + "\n", "text/plain"), "aria-label": `Save the ${title}` }, "Save")),
    h("pre", { tabindex: 0, "aria-label": title }, text));
}

async function keep() {
  report = { busy: true, said: "Writing the report…" };
  tell();
  try {
    const one = shown();
    const two = other();
    const asked = { side: side(one), b: two ? side(two) : null, instance: state.instance, rules: state.rules, protected: state.protected };
    const found = await once((signal, progress) => ask("report", asked, signal, progress));
    download(found.name, found.text, "text/html");
    report = { busy: false, said: `Saved as ${found.name}.` };
  } catch (error) {
    report = { busy: false, said: error.message };
  }
  tell();
}
