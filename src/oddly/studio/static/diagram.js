// SPDX-License-Identifier: Apache-2.0
// The diagram: places and lines come from the server; here they are drawn, lit, pointed at and moved about.

import { h, kept } from "./dom.js";
import { change, shown, side, state, tell, valueOf } from "./store.js";
import { want } from "./ask.js";
import { bands, profile } from "./bands.js";
import { failure } from "./parts.js";
import { COLOURS, outline } from "./shapes.js";
import { canvas, extent, focusedOn, MARGIN, pointable, pointedAt, tiny, tools } from "./view.js";
import { ofInstances, share } from "./words.js";

const FEW = 60; // edges that nobody wants to see in groups
const MANY = 250; // edges among which nobody finds a way; every node can still be drawn
const LONG = 100; // letters of a note that needs all the room
const keep = kept();
const wishes = new Map(); // model → whether its nodes are to be drawn in groups

export function viewDiagram() {
  const one = shown();
  if (!one) return [];
  const { value, error, current } = want("model", "model", { side: side(one) });
  if (error && !current) return [h("div", { class: "empty", key: "error" }, h("h2", {}, "No diagram"), failure(error), hint(one, error))];
  if (!value) return [h("div", { class: "empty", key: "empty" }, "Compiling…")];
  const { picture } = value;
  const inGroups = picture.widths || (wishes.get(one.key) ?? (picture.edges.length > MANY || (picture.edges.length >= FEW && tiny(picture))));
  if (inGroups) return large(one, value, picture, current);
  return [
    tools(picture, turn(one, picture, false)),
    drawing(value, picture, current),
    details(picture, value, picture.note, sentence),
    picture.words && h("details", { class: "words", key: "words" }, h("summary", {}, "In words"), h("pre", { tabindex: 0, "aria-label": "The diagram as text" }, picture.words)),
  ].filter(Boolean);
}

/** What can be done about it. */
function hint(one, error) {
  const fewer = error.kind === "TooLarge" && one.about.network;
  return fewer && h("p", { class: "quiet" }, "Or choose fewer attributes under “What does it decide?”");
}

/** The other way to draw it, where there is one that can be read. */
function turn(one, picture, inGroups) {
  if (picture.widths || picture.edges.length < FEW) return null;
  return [inGroups ? "Nodes" : "Groups", inGroups ? "Draw every node" : "Draw the nodes in groups", () => {
    wishes.set(one.key, !inGroups);
    tell();
  }];
}

/** What is too large to be drawn node by node: groups of nodes, or if that cannot be had either, the width of every depth. */
function large(one, value, picture, current) {
  const found = want("bands", "bands", { side: side(one) });
  if (found.error || !found.value) return [picture.widths ? profile(picture, found.error?.message) : h("div", { class: "empty", key: "empty" }, found.error?.message ?? "Sorting the nodes into groups…")];
  const way = want("way", "way", { side: side(one), instance: state.instance });
  const told = (value_, node) => `${node.told}. ${ofInstances(node.through, value_.instances)} ${node.through === "1" ? "comes" : "come"} by here.`;
  return [
    tools(found.value, turn(one, picture, true)),
    bands(value, found.value, way, found.current && current, told),
    details(found.value, value, found.value.note, told),
  ];
}

// ---- the drawing ----

function drawing(value, picture, current) {
  const identity = picture.width + "/" + picture.height + "/" + value.order.join("/") + "/" + value.reduced;
  const lit = path(picture);
  const some = Object.keys(state.instance).length > 0;
  const on = (is) => (!some ? "" : is ? " on" : " off");
  const left = picture.names ? picture.names + 26 : 0;
  const total = extent(picture);
  const label_ = `Decision diagram over ${value.order.join(", ")}. ${value.diagram}. Arrow keys go from node to node.`;
  const depends = [value, picture, state.instance, pointedAt(picture), focusedOn()];
  return canvas(picture, identity, current ? "" : " stale", label_, keep(depends, () => h("g", {},
    picture.rows.map((row) => [
      h("rect", { class: "band", x: 6, y: row.y + MARGIN - picture.radius - 6, width: total.width - 12, height: 2 * picture.radius + 12, rx: 6 }),
      h("text", { class: "row", x: MARGIN - 8, y: row.y + MARGIN + 4.5 }, h("title", {}, row.name), row.shown),
    ]),
    h("g", { transform: `translate(${MARGIN + left} ${MARGIN})` },
      picture.edges.map((edge, i) => lit.edges.has(i) && h("path", { class: "pen", d: edge.d })),
      picture.trunks.map((trunk) => trunk.edges.some((i) => lit.edges.has(i)) && h("path", { class: "pen", d: trunk.d })),
      picture.trunks.map((trunk) => h("path", { class: `line${to(picture, trunk.to)}${on(trunk.edges.some((i) => lit.edges.has(i)))}`, d: trunk.d })),
      picture.edges.map((edge, i) => h("path", {
        class: `line${to(picture, edge.to)}${on(lit.edges.has(i))}`, d: edge.d,
        "stroke-dasharray": edge.dash || null, "data-from": edge.from, "data-to": edge.to,
      })),
      picture.nodes.map((node) => node.id !== picture.root && arrow(picture, node, on(lit.nodes.has(node.id)))),
      picture.edges.map((edge, i) => label(picture, edge, on(lit.edges.has(i)))),
      picture.nodes.map((node) => knot(value, picture, node, on(lit.nodes.has(node.id)))),
    ),
  )));
}

const row = (picture, node) => picture.rows[node.row];
const to = (picture, id) => (id < picture.labels.length ? ` to${id % COLOURS}` : "");

function arrow(picture, node, state_) {
  const above = node.sink === undefined ? picture.radius : node.high / 2;
  return h("path", { class: `head${to(picture, node.id)}${state_}`, d: `M${node.x} ${node.y - above}l-4 -8h8z` });
}

function label(picture, edge, state_) {
  const attribute = row(picture, picture.nodes.find((node) => node.id === edge.from));
  const names = edge.values.map((value) => attribute.values[value]);
  return h("g", { class: "choose", onclick: () => change({ instance: { ...state.instance, [attribute.name]: names[0] } }) },
    h("title", {}, `${attribute.name} = ${names.join(", ")}`),
    h("rect", { class: "chip", x: edge.x - edge.wide / 2, y: edge.y - 7.5, width: edge.wide, height: 15, rx: 4 }),
    h("text", { class: `value${state_}`, x: edge.x, y: edge.y + 4.2 }, edge.label),
  );
}

function knot(value, picture, node, state_) {
  const sink = node.sink !== undefined;
  return h("g", { ...pointable(picture, node, `knot${state_}`, sentence(value, node)), transform: `translate(${node.x} ${node.y})` },
    sink ? outline(node, node.id, state_) : h("circle", { class: `node${state_}`, r: picture.radius }),
    sink ? h("text", { class: `label to${node.id % COLOURS}${state_}`, y: 5 }, node.shown)
      : picture.lettered && h("text", { class: `name${state_}`, y: 4 }, row(picture, node).shown),
  );
}

/** The edges and nodes that the instance may take; of an attribute that is not known, every edge. */
function path(picture) {
  const edges = new Set();
  const nodes = new Set([picture.root]);
  if (!Object.keys(state.instance).length) return { edges, nodes: new Set() };
  const byId = new Map(picture.nodes.map((node) => [node.id, node]));
  picture.edges.forEach((edge, i) => { // edges come from the root down
    if (!nodes.has(edge.from)) return;
    const attribute = row(picture, byId.get(edge.from));
    const value = valueOf(attribute.name);
    if (value !== undefined && !edge.values.includes(attribute.values.indexOf(value))) return;
    edges.add(i);
    nodes.add(edge.to);
  });
  return { edges, nodes };
}

// ---- pointing ----

function sentence(value, node) {
  const come = ofInstances(node.through, value.instances);
  if (node.sink !== undefined) return `${node.sink}: the decision of ${come}.`;
  const verb = node.through === "1" ? "comes" : "come";
  return `${node.asks}: ${come} ${verb} by here. ${node.interval}`.trim();
}

function details(picture, value, note, told) {
  const node = pointedAt(picture);
  if (!node) return h("p", { class: "details quiet", key: "details", title: note }, note.length > LONG ? note : `${note} Point at a node to see who comes by; drag to move, turn the wheel to zoom.`.trim());
  return h("p", { class: "details", key: "details" },
    told(value, node),
    h("span", { class: "share", "aria-hidden": "true" }, h("span", { vars: { "--share": share(node.through, value.instances) } })),
  );
}
