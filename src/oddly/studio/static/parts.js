// SPDX-License-Identifier: Apache-2.0
// Pieces that several answers share.

import { h } from "./dom.js";
import { again } from "./ask.js";
import { features } from "./words.js";

export const pending = (text) => h("p", { class: "pending", key: "pending" }, text);

export function failure(error) {
  return h("div", { class: "trouble", key: "failure" }, h("pre", { class: "error" }, error.message),
    error.stopped && h("button", { type: "button", class: "small", onclick: again }, "Ask again"));
}

/** Instances with what is said of each; choosing one lights its path. */
export function cases(list, chosen, choose) {
  if (!list.length) return null;
  return h("ul", { class: "cases" }, list.map(({ instance, said }, i) => h("li", { key: `c${i}` },
    h("button", {
      type: "button", class: "case", "aria-pressed": String(features(chosen) === features(instance)), title: "Look at this instance",
      onclick: () => choose(instance),
    }, h("span", { class: "features" }, features(instance) || "the only instance"), h("span", { class: "said" }, said)))));
}

/** A bar with its share written beside it. */
export function bar(share, label, look = "") {
  return h("span", { class: "bar", "aria-hidden": "true", title: label }, h("span", { class: look, vars: { "--share": share } }));
}
