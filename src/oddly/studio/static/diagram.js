// SPDX-License-Identifier: Apache-2.0
// The diagram: places and lines come from the server; here they are drawn, lit, pointed at and moved about.

import { h } from "./dom.js";
import { change, shown, side, state, tell, valueOf } from "./store.js";
import { want } from "./ask.js";
import { grouped, ofInstances, share } from "./words.js";

const MARGIN = 26;
const COLOURS = 7;
const SHAPES = [
  [[-1, 0, -1], [1, 0, -1], [1, 0, 1], [-1, 0, 1]],
  [],
  [[-1, 0, 0], [-1, 1, -1], [1, -1, -1], [1, 0, 0], [1, -1, 1], [-1, 1, 1]],
  [[-1, 1, -1], [1, 0, -1], [1, -1, 1], [-1, 0, 1]],
  [[-1, 1, -1], [1, -1, -1], [1, 0, 1], [-1, 0, 1]],
  [[-1, 0, -1], [1, 0, -1], [1, -1, 1], [-1, 1, 1]],
  [[-1, 0, -1], [1, -1, -1], [1, 0, 0], [1, -1, 1], [-1, 0, 1]],
  [[-1, 1, -1], [1, 0, -1], [1, 0, 1], [-1, 1, 1], [-1, 0, 0]],
  [[-1, 0, -1], [1, -1, -1], [1, 0, 1], [-1, 1, 1]],
];

let view = { scale: 1, x: 0, y: 0, of: null };
let pane = { width: 600, height: 500 };
let pointed = null; // the node under the mouse or with the focus
let focused = null; // the node that Tab comes to
let dragging = null;

export function viewDiagram() {
  const one = shown();
  if (!one) return [];
  const { value, error, current } = want("model", "model", { side: side(one) });
  if (error && !current) return [h("div", { class: "empty", key: "error" }, h("h2", {}, "No diagram"), h("pre", { class: "error" }, error.message))];
  if (!value) return [h("div", { class: "empty", key: "empty" }, "Compiling…")];
  const { picture } = value;
  if (picture.widths) return [profile(value, picture)];
  return [
    h("div", { class: "tools", key: "tools", role: "toolbar", "aria-label": "The view" },
      tool("−", "Smaller", () => zoom(1 / 1.25)),
      tool("+", "Larger", () => zoom(1.25)),
      tool("Fit", "All of it", () => fit(picture)),
    ),
    canvas(value, picture, current),
    details(value, picture),
    picture.words && h("details", { class: "words", key: "words" }, h("summary", {}, "In words"), h("pre", { tabindex: 0, "aria-label": "The diagram as text" }, picture.words)),
  ].filter(Boolean);
}

const tool = (text, label, onclick) => h("button", { type: "button", class: "small", title: label, "aria-label": label, onclick }, text);

// ---- the drawing ----

function canvas(value, picture, current) {
  const identity = picture.width + "/" + picture.height + "/" + value.order.join("/") + "/" + value.reduced;
  if (view.of !== identity) fit(picture, identity);
  const lit = path(picture);
  const some = Object.keys(state.instance).length > 0;
  const on = (is) => (!some ? "" : is ? " on" : " off");
  const left = picture.names ? picture.names + 26 : 0;
  const total = extent(picture);
  return h("svg", {
      key: "canvas", class: current ? "canvas" : "canvas stale", role: "group", tabindex: -1,
      "aria-label": `Decision diagram over ${value.order.join(", ")}. ${value.diagram}. Arrow keys go from node to node.`,
      viewBox: `0 0 ${pane.width} ${pane.height}`,
      onwheel: wheel, onpointerdown: grab, onpointermove: drag, onpointerup: drop, onpointercancel: drop, onkeydown: (event) => keys(event, picture),
    },
    h("g", { transform: `translate(${view.x} ${view.y}) scale(${view.scale})` },
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
    ),
  );
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
  return h("g", {
      key: `n${node.id}`, class: `knot${state_}${pointed === node.id ? " pointed" : ""}`, "data-node": node.id, role: "img",
      tabindex: node.id === (focused ?? picture.root) ? 0 : -1, "aria-label": sentence(value, node),
      transform: `translate(${node.x} ${node.y})`,
      onpointerenter: () => point(node.id), onpointerleave: () => point(null),
      onfocus: () => { focused = node.id; point(node.id); }, onblur: () => point(null),
    },
    sink ? outline(node, state_) : h("circle", { class: `node${state_}`, r: picture.radius }),
    sink ? h("text", { class: `label to${node.id % COLOURS}${state_}`, y: 5 }, node.shown)
      : picture.lettered && h("text", { class: `name${state_}`, y: 4 }, row(picture, node).shown),
  );
}

function outline(node, state_) {
  const corners = SHAPES[node.shape];
  const look = `node to${node.id % COLOURS}${state_}`;
  if (!corners.length) return h("rect", { class: look, x: -node.wide / 2, y: -node.high / 2, width: node.wide, height: node.high, rx: node.high / 2 });
  const bevel = node.high * 0.36;
  const points = corners.map(([at, inset, up]) => `${(at * node.wide) / 2 + inset * bevel},${(up * node.high) / 2}`);
  return h("polygon", { class: look, points: points.join(" ") });
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

function point(id) {
  if (pointed !== id) {
    pointed = id;
    tell();
  }
}

function sentence(value, node) {
  const come = ofInstances(node.through, value.instances);
  if (node.sink !== undefined) return `${node.sink}: the decision of ${come}.`;
  const verb = node.through === "1" ? "comes" : "come";
  return `${node.asks}: ${come} ${verb} by here. ${node.interval}`.trim();
}

function details(value, picture) {
  const node = picture.nodes.find((one) => one.id === pointed);
  if (!node) return h("p", { class: "details quiet", key: "details" }, `${picture.note} Point at a node to see who comes by; drag to move, turn the wheel to zoom.`.trim());
  const part = share(node.through, value.instances);
  return h("p", { class: "details", key: "details" },
    sentence(value, node),
    h("span", { class: "share", "aria-hidden": "true" }, h("span", { vars: { "--share": part } })),
  );
}

// ---- moving about ----

function extent(picture) {
  const left = picture.names ? picture.names + 26 : 0;
  return { width: picture.width + left + 2 * MARGIN, height: picture.height + 2 * MARGIN };
}

function fit(picture, identity = view.of) {
  const { width, height } = extent(picture);
  const scale = Math.min((pane.width - 24) / width, (pane.height - 76) / height, 1.65);
  view = { scale, x: (pane.width - width * scale) / 2, y: Math.max((pane.height - 40 - height * scale) / 2, 6), of: identity };
  queueMicrotask(tell);
}

function zoom(by, at = { x: pane.width / 2, y: pane.height / 2 }) {
  const scale = Math.min(Math.max(view.scale * by, 0.05), 8);
  const grown = scale / view.scale;
  view = { ...view, scale, x: at.x - (at.x - view.x) * grown, y: at.y - (at.y - view.y) * grown };
  tell();
}

function wheel(event) {
  const stacked = matchMedia("(max-width: 960px)").matches; // there the wheel is for the page
  if (stacked && !event.ctrlKey && !event.metaKey) return;
  event.preventDefault();
  const box = event.currentTarget.getBoundingClientRect();
  zoom(Math.exp(-event.deltaY * 0.0015), { x: event.clientX - box.left, y: event.clientY - box.top });
}

function grab(event) {
  if (event.button !== 0 || event.target.closest(".choose")) return;
  dragging = { x: event.clientX - view.x, y: event.clientY - view.y };
  event.currentTarget.setPointerCapture(event.pointerId);
}

function drag(event) {
  if (!dragging) return;
  view = { ...view, x: event.clientX - dragging.x, y: event.clientY - dragging.y };
  tell();
}

function drop() {
  dragging = null;
}

function keys(event, picture) {
  const moves = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
  if (event.key === "+" || event.key === "=") zoom(1.25);
  else if (event.key === "-") zoom(1 / 1.25);
  else if (event.key === "0") fit(picture);
  else if (moves[event.key] && event.shiftKey) {
    const [x, y] = moves[event.key];
    view = { ...view, x: view.x - 40 * x, y: view.y - 40 * y };
    tell();
  } else if (moves[event.key]) neighbour(picture, ...moves[event.key]);
  else return;
  event.preventDefault();
}

function neighbour(picture, x, y) {
  const here = picture.nodes.find((node) => node.id === (focused ?? picture.root));
  if (!here) return;
  const ahead = picture.nodes.filter((node) => (x ? node.row === here.row && (node.x - here.x) * x > 0 : (node.row - here.row) * y > 0));
  const far = (node) => Math.abs(node.row - here.row) * 10_000 + Math.abs(node.x - here.x);
  const next = ahead.sort((one, another) => far(one) - far(another))[0];
  if (next) document.querySelector(`[data-node="${next.id}"]`).focus();
}

/** Learn how much room there is. */
export function watchPane(element) {
  new ResizeObserver(() => {
    const box = element.getBoundingClientRect();
    if (Math.abs(box.width - pane.width) < 1 && Math.abs(box.height - pane.height) < 1) return;
    pane = { width: Math.max(box.width, 100), height: Math.max(box.height, 100) };
    view = { ...view, of: null };
    tell();
  }).observe(element);
}

// ---- what is too large to draw ----

function profile(value, picture) {
  const top = Math.max(...picture.widths);
  return h("div", { class: "profile", key: "profile" },
    h("h2", {}, `${grouped(picture.nodes)} nodes`),
    h("p", {}, `More than the ${grouped(picture.most)} that make a picture. This is how many there are at each depth; every question can still be asked.`),
    h("ol", {}, picture.widths.map((width, i) => h("li", { key: `w${i}` },
      h("span", { class: "what" }, picture.order[i] ?? "decisions"),
      h("span", { class: "bar", "aria-hidden": "true" }, h("span", { vars: { "--share": width / top } })),
      h("span", { class: "count" }, grouped(width)),
    ))),
  );
}
