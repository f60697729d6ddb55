// SPDX-License-Identifier: Apache-2.0
// The shapes and colours of decisions, as in every drawing of Oddly.

import { h } from "./dom.js";

export const COLOURS = 7;
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

/** A label's own shape. */
export function outline(node, label, state_) {
  const corners = SHAPES[node.shape];
  const look = `node to${label % COLOURS}${state_}`;
  if (!corners.length) return h("rect", { class: look, x: -node.wide / 2, y: -node.high / 2, width: node.wide, height: node.high, rx: node.high / 2 });
  const bevel = node.high * 0.36;
  const points = corners.map(([at, inset, up]) => `${(at * node.wide) / 2 + inset * bevel},${(up * node.high) / 2}`);
  return h("polygon", { class: look, points: points.join(" ") });
}
