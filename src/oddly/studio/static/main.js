// SPDX-License-Identifier: Apache-2.0
// The page: what it consists of, and how it begins.

import { h, patch, visible } from "./dom.js";
import { begin, canRedo, canUndo, listen, look, redo, shown, side, state, undo, valueOf } from "./store.js";
import { start, stopAll, want, working } from "./ask.js";
import { viewDiagram } from "./diagram.js";
import { watchPane } from "./view.js";
import { entry, offer, openFiles, viewModels } from "./models.js";
import { viewWhy } from "./why.js";
import { viewNumbers } from "./numbers.js";
import { viewDiffer } from "./differ.js";
import { viewObey } from "./obey.js";
import { viewDid } from "./did.js";
import { sentence } from "./foot.js";

const TABS = {
  why: ["What does it decide, and why?", viewWhy],
  numbers: ["How much may it change?", viewNumbers],
  differ: ["How do two differ?", viewDiffer],
  obey: ["Does it obey?", viewObey],
  did: ["What did I do?", viewDid],
};
const THEMES = ["auto", "light", "dark"];
const at = (id) => document.getElementById(id);
let drawn = false;

/** Draw soon, and once, however often it is asked for. */
function redraw() {
  if (drawn) return;
  drawn = true;
  requestAnimationFrame(() => {
    drawn = false;
    draw();
  });
}

function draw() {
  patch(at("bar"), bar());
  if (!shown()) return;
  firstInstance();
  patch(at("models"), viewModels(redraw));
  patch(at("diagram"), viewDiagram());
  patch(at("answers"), answers());
  foot();
}

/** A model that was just opened is looked at through its first instance. */
function firstInstance() {
  const { value, current } = want("model", "model", { side: side(shown()) });
  if (!current) return;
  const known = new Map(value.variables.map((variable) => [variable.name, variable.values]));
  const names = Object.keys(state.instance);
  const fits = names.every((name) => known.get(name)?.includes(valueOf(name)));
  if (fits && (names.length || state.asked === state.a)) return;
  look({ asked: state.a, instance: value.first });
}

function bar() {
  const theme = document.documentElement.dataset.theme ?? "auto";
  const turn = () => {
    document.documentElement.dataset.theme = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length];
    redraw();
  };
  return [
    h("h1", {}, "Oddly ", h("span", {}, "studio")),
    h("p", { class: "quiet" }, "Ask a classifier about every possible input at once."),
    h("div", { class: "deeds", role: "toolbar", "aria-label": "History and looks" },
      h("button", { type: "button", disabled: !canUndo(), onclick: undo, title: "Undo (Ctrl+Z)" }, "Undo"),
      h("button", { type: "button", disabled: !canRedo(), onclick: redo, title: "Redo (Ctrl+Shift+Z)" }, "Redo"),
      h("button", { type: "button", onclick: turn, title: "Light, dark, or as the system is", "aria-label": `Colours: ${theme}` }, `Colours: ${theme}`)),
  ];
}

function answers() {
  const names = Object.keys(TABS);
  const turn = (event) => {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    const ends = { Home: names[0], End: names.at(-1) };
    if (!step && !ends[event.key]) return;
    event.preventDefault();
    const next = ends[event.key] ?? names[(names.indexOf(state.tab) + step + names.length) % names.length];
    look({ tab: next });
    draw();
    at(`tab-${next}`).focus();
  };
  return [
    h("div", { role: "tablist", "aria-label": "Questions", key: "tabs", onkeydown: turn }, names.map((name) => h("button", {
      type: "button", role: "tab", id: `tab-${name}`, key: name, "aria-selected": String(state.tab === name), "aria-controls": `panel-${name}`,
      tabindex: state.tab === name ? 0 : -1, onclick: () => look({ tab: name }),
    }, TABS[name][0]))),
    h("div", { role: "tabpanel", id: `panel-${state.tab}`, key: `panel-${state.tab}`, class: `panel ${state.tab}`, "aria-labelledby": `tab-${state.tab}` }, TABS[state.tab][1]()),
  ];
}

function foot() {
  const text = visible(sentence());
  if (at("foot").textContent !== text) at("foot").textContent = text;
  const busy = working();
  at("work").hidden = busy.length === 0;
  const progress = busy.map((one) => one.progress).find(Boolean);
  patch(at("work"), busy.length === 0 ? [] : [
    h("span", {}, progress ? `Working: ${progress[0]}, ${progress[1]} of ${progress[2]}` : "Working…"),
    h("progress", progress ? { max: progress[2] || 1, value: progress[1], "aria-label": "Progress" } : { "aria-label": "Progress" }),
    h("button", { type: "button", class: "small", onclick: stopAll }, "Stop"),
  ]);
}

function shortcuts(event) {
  const typing = event.target.matches("input:not([type=range]):not([type=radio]):not([type=checkbox]), textarea");
  if (!(event.ctrlKey || event.metaKey) || typing) return;
  const key = event.key.toLowerCase();
  if (key === "z" && !event.shiftKey) undo();
  else if (key === "y" || (key === "z" && event.shiftKey)) redo();
  else return;
  event.preventDefault();
}

function dropping() {
  const over = (is) => document.body.classList.toggle("dropping", is);
  addEventListener("dragover", (event) => { event.preventDefault(); over(true); });
  addEventListener("dragleave", (event) => { if (!event.relatedTarget) over(false); });
  addEventListener("drop", (event) => {
    event.preventDefault();
    over(false);
    openFiles([...event.dataTransfer.files], redraw);
  });
}

async function main() {
  history.replaceState(null, "", "/"); // the token is in a cookie now, and need not stand in the address
  listen(redraw);
  dropping();
  addEventListener("keydown", shortcuts);
  watchPane(at("diagram"));
  try {
    const { models, examples } = await start();
    offer(examples);
    const opened = (models.length ? models : examples.slice(0, 1)).map(entry);
    begin({ models: opened, a: opened[0].key, b: opened[1]?.key ?? null, tab: opened[1] ? "differ" : "why" });
  } catch (error) {
    at("foot").textContent = error.message;
  }
}

main();
