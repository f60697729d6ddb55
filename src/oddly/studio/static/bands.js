// SPDX-License-Identifier: Apache-2.0
// A diagram too large to be drawn node by node: the nodes of each depth in groups, as wide as their share of instances.

import { h, kept } from "./dom.js";
import { COLOURS, outline } from "./shapes.js";
import { state } from "./store.js";
import { canvas, focusedOn, pointable, pointedAt } from "./view.js";
import { grouped } from "./words.js";

const keep = kept();

export function bands(value, picture, way, current, told) {
  const lit = Object.keys(state.instance).length > 0 && way.current && way.value;
  const steps = new Set(lit ? way.value.steps.map(String) : []);
  const nodes = new Set(lit ? way.value.nodes : []);
  const on = (is) => (!lit ? "" : is ? " on" : " off");
  const label = `Decision diagram over ${value.order.join(", ")}, its nodes in groups. ${value.diagram}. Arrow keys go from group to group.`;
  const identity = `${picture.width}/${picture.height}/${value.order.join("/")}/bands`;
  const depends = [value, picture, lit && way.value, pointedAt(picture), focusedOn()];
  return canvas(picture, identity, current ? " grouped" : " grouped stale", label, keep(depends, () => h("g", {},
    h("text", { class: "many", x: picture.right, y: picture.rows[0]?.y - 24 }, "nodes"),
    picture.rows.map((row) => [
      h("rect", { class: "band", x: 6, y: row.y - picture.block / 2 - 5, width: picture.right + 12, height: picture.block + 10, rx: 6 }),
      h("text", { class: "row", x: 18, y: row.y + 4.5 }, h("title", {}, row.name), row.shown),
      h("text", { class: "many", x: picture.right, y: row.y + 4 }, row.nodes),
    ]),
    h("g", { transform: `translate(${picture.left} 0)` },
      picture.ribbons.map((ribbon) => h("path", { class: `flow${to(ribbon.label)}${on(steps.has(`${ribbon.from},${ribbon.to}`))}`, d: ribbon.d })),
      lit && way.value.d ? [h("path", { class: "pen", d: way.value.d }), h("path", { class: "line on", d: way.value.d })] : null,
      picture.nodes.map((node) => block(value, picture, node, on(nodes.has(node.id)), told)),
      picture.captions.map((one) => h("text", { class: `caption${on(nodes.has(blockAt(picture, one)?.id))}`, x: one.x, y: one.y + 3.5 }, one.text)),
      picture.sinks.map((sink) => h("g", { class: `knot${on(nodes.has(idOf(picture, sink.label)))}`, transform: `translate(${sink.x} ${sink.y})` },
        outline(sink, sink.label, ""),
        h("text", { class: `label${to(sink.label)}`, y: 5 }, sink.shown),
        h("text", { class: "share-text", y: sink.high / 2 + 16 }, sink.caption),
      )),
    ),
  )));
}

const to = (label) => (label === null ? "" : ` to${label % COLOURS}`);

/** The last row's group of a label. */
const idOf = (picture, label) => picture.nodes.find((node) => node.row === picture.rows.length && node.parts[0]?.[0] === label)?.id;

const blockAt = (picture, { x, y }) => picture.nodes.find((node) => node.y === y && node.left <= x && x <= node.left + node.wide);

function block(value, picture, node, look, told) {
  const top = node.y - picture.block / 2;
  const wide = Math.max(node.wide, 3); // the least that can be pointed at
  const pointed = pointedAt(picture)?.id === node.id;
  return h("g", pointable(picture, node, `block${look}`, told(value, node)),
    node.parts.map(([label, x, width]) => h("rect", { class: `part to${label % COLOURS}`, x, y: top, width, height: picture.block })),
    h("rect", { class: pointed ? "edge pointed" : "edge", x: node.x - wide / 2, y: top, width: wide, height: picture.block, rx: 2 }),
  );
}

/** How many nodes each depth has. */
export function profile(picture, why) {
  const top = Math.max(...picture.widths);
  return h("div", { class: "profile", key: "profile" },
    h("h2", {}, `${grouped(picture.nodes)} nodes`),
    h("p", {}, why ? `They could not be drawn in groups: ${why}` : "They are being sorted into groups."),
    h("p", {}, "This is how many there are at each depth; every question can still be asked."),
    h("ol", {}, picture.widths.map((width, i) => h("li", { key: `w${i}` },
      h("span", { class: "what" }, picture.order[i] ?? "decisions"),
      h("span", { class: "bar", "aria-hidden": "true" }, h("span", { vars: { "--share": width / top } })),
      h("span", { class: "count" }, grouped(width)),
    ))),
  );
}
