// SPDX-License-Identifier: Apache-2.0
// Pieces that several answers share.

import { h } from "./dom.js";
import { again } from "./ask.js";
import { tell } from "./store.js";
import { features, grouped } from "./words.js";

export const pending = (text) => h("p", { class: "pending", key: "pending" }, text);

export const without = h("p", { class: "quiet", key: "without" }, "Without a diagram there is nothing to ask.");

export function failure(error) {
  return h("div", { class: "trouble", key: "failure" }, h("pre", { class: "error" }, error.message),
    error.stopped && h("button", { type: "button", class: "small", onclick: again }, "Ask again"));
}

/** Instances with what is said of each; choosing one lights its path. */
export function cases(list, chosen, choose) {
  if (!list.length) return null;
  return h("ul", { class: "cases" }, list.map(({ instance, said }, i) => h("li", { key: `c${i}` },
    h("button", {
      type: "button", class: "case", "aria-pressed": String(features(chosen) === features(instance)), title: `Look at ${features(instance) || "the only instance"}`,
      onclick: () => choose(instance),
    }, h("span", { class: "features" }, features(instance) || "the only instance"), h("span", { class: "said" }, said)))));
}

const sought = new Map(); // list → what is looked for in it

/** Of a long list, those whose names have the words that are looked for: [where to write them, those, what is left out]. */
export function among(list, key, what, most) {
  if (list.length <= most) return [null, list, null];
  const words = (sought.get(key) ?? "").toLowerCase().split(/\s+/).filter(Boolean);
  const found = words.length ? list.filter((one) => words.every((word) => one.name.toLowerCase().includes(word))) : list;
  const look = (event) => {
    sought.set(key, event.target.value);
    tell();
  };
  const field = h("input", { key: `among-${key}`, type: "search", class: "search", "aria-label": `Find ${what}`, placeholder: `Find among ${grouped(list.length)}`, value: sought.get(key) ?? "", oninput: look, spellcheck: "false" });
  const rest = found.length - most;
  const said = found.length === 0 ? "None has such a name." : rest > 0 ? `${grouped(rest)} more.` : null;
  return [field, found.slice(0, most), said && h("p", { class: "quiet", key: `rest-${key}` }, said)];
}

/** A bar with its share written beside it. */
export function bar(share, label, look = "") {
  return h("span", { class: "bar", "aria-hidden": "true", title: label }, h("span", { class: look, vars: { "--share": share } }));
}
