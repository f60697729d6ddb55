// SPDX-License-Identifier: Apache-2.0
// How a drawing is looked at: zoomed, moved about, and gone through node by node, with mouse and keyboard alike.
// A drawing has a width, a height and nodes, each with an id, a row and a place.

import { h, kept } from "./dom.js";
import { tell } from "./store.js";

export const MARGIN = 26;
const TOP = 30; // kept free for buttons
const BOTTOM = 68; // and for what is said about a node
const TINY = 0.42; // at which letters are five dots high
let view = { scale: 1, x: 0, y: 0, of: null };
let pane = { width: 600, height: 500 };
let pointed = null; // the node under the mouse or with the focus
let focused = null; // the node that had the focus last
let dragging = null;
const tabStop = kept(); // the node that Tab comes to in the picture at hand

/** A drawing of this identity, as far as it is in view; a new one is shown whole. */
export function canvas(picture, identity, look, label, inner) {
  if (view.of !== identity) fit(picture, identity);
  return h("svg", {
      key: "canvas", class: `canvas${look}`, role: "group", tabindex: -1, "aria-label": label,
      viewBox: `0 0 ${pane.width} ${pane.height}`,
      onwheel: wheel, onpointerdown: grab, onpointermove: drag, onpointerup: drop, onpointercancel: drop, onkeydown: (event) => keys(event, picture),
    },
    h("g", { transform: `translate(${view.x} ${view.y}) scale(${view.scale})` }, inner),
  );
}

/** Buttons for those without a wheel, and perhaps one more. */
export function tools(picture, more = null) {
  const tool = (text, label, onclick) => h("button", { type: "button", class: "small", title: label, "aria-label": label, onclick }, text);
  return h("div", { class: "tools", key: "tools", role: "toolbar", "aria-label": "The view" },
    more && tool(...more),
    tool("−", "Smaller", () => zoom(1 / 1.25)),
    tool("+", "Larger", () => zoom(1.25)),
    tool("Fit", "All of it", () => fit(picture)),
  );
}

/** What makes an element a node: it can be pointed at and focused, and says what it is. */
export function pointable(picture, node, look, label) {
  const first = tabStop([picture, focused], () => (picture.nodes.some((one) => one.id === focused) ? focused : picture.root));
  return {
    key: `n${node.id}`, class: `${look}${pointed === node.id ? " pointed" : ""}`, "data-node": node.id, role: "img",
    tabindex: node.id === first ? 0 : -1, "aria-label": label,
    onpointerenter: () => point(node.id), onpointerleave: () => point(null),
    onfocus: () => { focused = node.id; point(node.id); }, onblur: () => point(null),
  };
}

/** The node that is pointed at, if any. */
export const pointedAt = (picture) => picture.nodes.find((one) => one.id === pointed);

export const focusedOn = () => focused;

function point(id) {
  if (pointed !== id) {
    pointed = id;
    tell();
  }
}

export function extent(picture) {
  const left = picture.names ? picture.names + 26 : 0;
  return { width: picture.width + left + 2 * MARGIN, height: picture.height + 2 * MARGIN };
}

/** Whether nobody could read a drawing that is shown whole. */
export const tiny = (picture) => whole(picture) < TINY;

function whole(picture) {
  const { width, height } = extent(picture);
  return Math.min((pane.width - 24) / width, (pane.height - TOP - BOTTOM) / height, 1.65);
}

function fit(picture, identity = view.of) {
  const { width, height } = extent(picture);
  const scale = whole(picture);
  view = { scale, x: (pane.width - width * scale) / 2, y: TOP + (pane.height - TOP - BOTTOM - height * scale) / 2, of: identity };
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
