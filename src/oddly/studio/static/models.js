// SPDX-License-Identifier: Apache-2.0
// The left side: which models there are, what a network decides, and the two numbers everything hangs on.

import { download, h } from "./dom.js";
import { change, changeModel, look, model, shown, side, state, tell, titled } from "./store.js";
import { ask, once, open, want } from "./ask.js";
import { numbersOf, slider } from "./numbers.js";
import { among } from "./parts.js";

const HEADS = ["prior", "threshold", "cutoff", "intercept"];
const MOST_CHECKS = 40; // variables; more are looked for by name
const MOST_HEADS = 8; // of many classes each has a prior
let examples = [];
let trouble = null; // what is wrong with the last file
let opening = null; // the name of the file that is being read
let next = 1;

export function offer(found) {
  examples = found;
}

/** A model as the state holds it. */
export function entry({ id, name, origin, about, choice, edits }) {
  return { key: `m${next++}`, id, name, origin, about, choice: choice ?? about.choice, edits: edits ?? [] };
}

/** Show a model: its first instance is the one to look at. What it has nothing in common with is compared no more. */
function showing(one) {
  const two = model(state.b);
  return { a: one.key, b: two && two.key !== one.key && akin(one, two) ? two.key : null, instance: {}, asked: null, rules: [], protected: [] };
}

/** Read a file. The first becomes the model that is shown, the next one is compared with it. */
async function openFile(file, redraw) {
  opening = file.name;
  redraw();
  try {
    const one = entry(await once((signal, progress) => open(file, signal, progress)));
    const before = shown();
    if (before && one.choice && before.choice && fits(before.choice, one)) one.choice = before.choice;
    const models = [...state.models, one];
    if (!before || before.origin === "example" || !akin(before, one)) change({ models, ...showing(one) });
    else change({ models, b: one.key, tab: "differ" });
  } catch (error) {
    trouble = [trouble, error.message].filter(Boolean).join("\n\n");
  }
  opening = null;
  redraw();
}

/** Read files, one after the other. */
export async function openFiles(files, redraw) {
  trouble = null;
  for (const file of files) await openFile(file, redraw);
}

/** Whether two models ask about anything in common, so that they can be compared. */
function akin(one, two) {
  const names = new Set(one.about.attributes);
  return two.about.attributes.some((name) => names.has(name));
}

/** Whether what one network decides can be asked of another. */
function fits(choice, one) {
  const names = one.about.network?.variables.map((variable) => variable.name) ?? [];
  return [choice.class, ...(choice.attributes ?? [])].every((name) => names.includes(name));
}

export function viewModels(redraw) {
  const pick = (event) => {
    openFiles([...event.target.files], redraw);
    event.target.value = "";
  };
  return [
    h("div", { class: "pick", key: "pick" },
      h("label", { class: "button primary", for: "file" }, "Open a model…"),
      h("input", { id: "file", type: "file", class: "hidden", multiple: true, onchange: pick, accept: ".json,.csv,.bif,.net,.uai,.xmlbif,.bifxml,.xml,.xdsl,.dsl,.odd" }),
      h("p", { class: "quiet" }, "or drop a file anywhere: .bif .net .uai .xmlbif .xdsl .json .csv .odd"),
    ),
    opening && h("p", { class: "quiet", key: "opening" }, `Reading ${opening}…`),
    trouble && h("div", { class: "trouble", key: "trouble", role: "alert" }, h("pre", { class: "error" }, trouble),
      h("button", { type: "button", class: "small", onclick: () => { trouble = null; redraw(); } }, "Dismiss")),
    h("ul", { class: "models", key: "list" }, inOrder().map(card)),
    h("p", { class: "examples quiet", key: "examples" }, "Examples: ", examples.map((one) => [
      h("button", { type: "button", class: "link", onclick: () => addExample(one) }, one.name), " ",
    ])),
  ].filter(Boolean);
}

/** What is looked at comes first. */
function inOrder() {
  const rank = (one) => (one.key === state.a ? 0 : one.key === state.b ? 1 : 2);
  return [...state.models].sort((one, another) => rank(one) - rank(another));
}

function addExample(found) {
  const there = state.models.find((one) => one.id === found.id && one.origin === "example");
  const one = there ?? entry(found);
  change({ models: there ? state.models : [...state.models, one], ...showing(one) });
}

function card(one) {
  const isShown = one.key === state.a;
  const isOther = one.key === state.b;
  return h("li", { key: one.key, class: `card${isShown ? " shown" : ""}${isOther ? " other" : ""}` },
    h("div", { class: "title" },
      h("h2", { title: titled(one) }, titled(one)),
      isShown ? h("span", { class: "tag" }, "shown") : isOther ? h("span", { class: "tag two" }, "compared") : null,
    ),
    h("div", { class: "deeds" },
      !isShown && h("button", { type: "button", class: "small", onclick: () => change(showing(one)), "aria-label": `Show ${titled(one)}` }, "Show"),
      !isShown && !isOther && h("button", { type: "button", class: "small", onclick: () => change({ b: one.key, tab: "differ" }), "aria-label": `Compare with ${titled(one)}` }, "Compare"),
      !isShown && h("button", { type: "button", class: "small", onclick: () => removed(one), "aria-label": `Close ${titled(one)}` }, "Close"),
    ),
    (isShown || isOther) && one.about.network && choosing(one),
    isShown && heads(one),
  );
}

function removed(one) {
  change({ models: state.models.filter((other) => other.key !== one.key), b: state.b === one.key ? null : state.b });
  document.getElementById("file").focus(); // the button that was pressed goes away
}

// ---- what a network decides ----

function choosing(one) {
  const { variables, leaves, own } = one.about.network;
  const choice = one.choice ?? own;
  const target = variables.find((variable) => variable.name === choice.class);
  const attributes = choice.attributes ?? leaves.filter((name) => name !== choice.class);
  const choose = (fields) => changeModel(one.key, { choice: { ...choice, ...fields }, edits: [] });
  const anew = (fields) => {
    choose(fields);
    if (one.key === state.a) look({ instance: {}, asked: null });
  };
  const toggle = (name) => {
    const chosen = attributes.includes(name) ? attributes.filter((other) => other !== name) : variables.map((v) => v.name).filter((v) => v === name || attributes.includes(v));
    if (chosen.length) anew({ attributes: chosen });
  };
  const [field, shown_, rest] = among(variables.filter((v) => v.name !== choice.class), `from-${one.key}`, "an attribute", MOST_CHECKS);
  const many = attributes.length === 1 ? "1 attribute" : `${attributes.length} attributes`;
  return h("fieldset", { class: "choice" }, h("legend", {}, "What does it decide?"),
    h("label", {}, h("span", {}, "Class "), h("select", { value: choice.class, onchange: (event) => anew({ class: event.target.value, positive: null, attributes: null }) },
      variables.filter((v) => v.values.length > 1).map((v) => h("option", { value: v.name }, v.name)))),
    h("label", {}, h("span", {}, "Positive value "), h("select", { value: choice.positive ?? "", onchange: (event) => choose({ positive: event.target.value || null }) },
      h("option", { value: "" }, unsaid(target, choice, own)),
      target?.values.map((v) => h("option", { value: v }, v)))),
    h("details", {}, h("summary", {}, `From ${many}${choice.attributes || own ? "" : " (those without children)"}`),
      field, h("div", { class: "checks" }, shown_.map((v) =>
        h("label", { key: v.name }, h("input", { type: "checkbox", checked: attributes.includes(v.name), onchange: () => toggle(v.name) }), v.name))), rest,
      choice.attributes && h("button", { type: "button", class: "small", onclick: () => anew({ attributes: null }) }, own ? "All of them" : "Those without children")),
  );
}

/** What is decided where no positive value is chosen. */
function unsaid(target, choice, own) {
  if (own?.positive && own.class === choice.class) return `as opened (${own.positive})`;
  return target?.values.length > 2 ? "the most probable" : `the first (${target?.values[0]})`;
}

// ---- prior and threshold ----

function heads(one) {
  const { value: now, error: none, current } = want("model", "model", { side: side(one) });
  const { rows, error, pending, whyNot } = numbersOf(one);
  const found = (rows ?? []).filter((number) => HEADS.includes(number.path[0]) && number.path.length <= (number.path[0] === "prior" || number.path[0] === "intercept" ? 2 : 1));
  const said = (!none && now?.sentence) || one.about.sentence;
  return h("div", { class: "heads" },
    h("p", { class: current || none ? "sentence" : "sentence stale", title: said }, said),
    !none && now?.impossible && h("p", { class: "quiet" }, now.impossible),
    found.length <= MOST_HEADS && found.map((number) => slider(one, number, now?.now[number.i])),
    error ? h("p", { class: "quiet" }, error.message)
      : pending ? h("p", { class: "quiet" }, "Working out how far its numbers may move…")
        : whyNot ? h("p", { class: "quiet" }, `No stretch is marked: ${whyNot}.`.replace(/\.\.$/, "."))
          : found.some((number) => number.interval) && h("p", { class: "quiet" }, "The marked stretch changes no decision."),
    one.edits.length > 0 && h("div", { class: "deeds" },
      h("button", { type: "button", class: "small", onclick: () => changeModel(one.key, { edits: [] }) }, "Back to the numbers as opened"),
      h("button", { type: "button", class: "small", onclick: () => save(one) }, "Save the model")),
  );
}

export async function save(one) {
  try {
    const { text } = await once((signal, progress) => ask("saved", { side: side(one) }, signal, progress));
    download(savedName(one.name), text, "application/json");
  } catch (error) {
    trouble = error.message;
    tell();
  }
}

export function savedName(name) {
  const dot = name.lastIndexOf(".");
  return `${dot > 0 ? name.slice(0, dot) : name}-changed.json`;
}
