// SPDX-License-Identifier: Apache-2.0
// An answer as it is laid out everywhere: paragraphs, facts and tables.

import { h } from "./dom.js";
import { grouped } from "./words.js";

export function blocks(list) {
  return list.map((block, i) => shownAs[block.kind](block, `block${i}`));
}

const shownAs = {
  paragraph: (block, key) => h("p", { key }, block.text),
  facts: (block, key) => table(block, key, null, block.rows),
  table: (block, key) => table(block, key, block.head, block.rows),
};

function table({ caption, numeric = [], left_out: rest = 0 }, key, head, rows) {
  const look = (i) => (numeric.includes(i) ? "number" : null);
  const cell = (text, i) => (i === 0 ? h("th", { scope: "row" }, text) : h("td", { class: look(i) }, text));
  return h("div", { class: "block", key }, h("table", { class: head ? null : "facts" },
    caption && h("caption", {}, caption),
    head && h("thead", {}, h("tr", {}, head.map((name, i) => h("th", { scope: "col", class: look(i) }, name)))),
    h("tbody", {}, rows.map((row) => h("tr", {}, row.map(cell))))),
  rest > 0 && h("p", { class: "quiet" }, `… and ${grouped(rest)} more.`));
}
