// SPDX-License-Identifier: Apache-2.0
// A page as a function of its state: elements are described, and what is there is changed to match.
// Elements keep their identity, so focus and a slider under the finger survive. Text is only ever set as text.

const SVG = "http://www.w3.org/2000/svg";
const PROPERTIES = new Set(["value", "checked", "disabled", "selected", "open", "hidden", "indeterminate"]);

/** A text without what would garble its surroundings: control characters, and those that turn the direction of writing. */
export const visible = (text) => text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g, "\ufffd");

/** Describe an element: a tag, its attributes and handlers, what is in it. */
export function h(tag, attributes, ...children) {
  const kept = children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false);
  return { tag, attributes: attributes || {}, children: kept.map((child) => (typeof child === "object" ? child : visible(String(child)))) };
}

/** A description that is made anew only if something it depends on has changed. */
export function kept() {
  let before = [];
  let described = null;
  return (depends, make) => {
    if (described === null || depends.length !== before.length || depends.some((one, i) => one !== before[i])) {
      before = depends;
      described = make();
    }
    return described;
  };
}

/** Make the children of an element be these. */
export function patch(parent, described) {
  const wanted = Array.isArray(described) ? described : [described];
  const keyed = new Map();
  for (const node of parent.childNodes) if (node.described?.attributes.key) keyed.set(node.described.attributes.key, node);
  let place = parent.firstChild;
  for (const child of wanted) {
    let node = keyed.get(child.attributes?.key) ?? place;
    if (!fits(node, child)) {
      node = created(child, parent);
      parent.insertBefore(node, place);
    } else if (node !== place) {
      parent.insertBefore(node, place);
    } else {
      place = place.nextSibling;
    }
    update(node, child);
  }
  while (place) {
    const next = place.nextSibling;
    place.remove();
    place = next;
  }
}

function fits(node, child) {
  if (!node) return false;
  if (typeof child === "string") return node.nodeType === Node.TEXT_NODE;
  return node.described?.tag === child.tag && node.described.attributes.key === child.attributes.key;
}

function created(child, parent) {
  if (typeof child === "string") return document.createTextNode(child);
  const svg = child.tag === "svg" || (parent.namespaceURI === SVG && parent.tagName !== "foreignObject");
  const node = svg ? document.createElementNS(SVG, child.tag) : document.createElement(child.tag);
  node.described = { tag: child.tag, attributes: { key: child.attributes.key } };
  return node;
}

function update(node, child) {
  if (typeof child === "string") {
    if (node.data !== child) node.data = child;
    return;
  }
  if (node.described === child) return; // what was kept is as it was
  const before = node.described.attributes;
  node.described = child;
  patch(node, child.children); // a select needs its options before its value
  for (const name of Object.keys(before)) if (!(name in child.attributes)) set(node, name, null, before[name]);
  for (const [name, value] of Object.entries(child.attributes)) set(node, name, value, before[name]);
}

function set(node, name, value, before) {
  if (name === "key") return;
  if (name.startsWith("on")) {
    node[name] = value;
  } else if (name === "vars") {
    for (const [key, number] of Object.entries(value || {})) node.style.setProperty(key, number);
  } else if (PROPERTIES.has(name)) {
    if (name === "open" && before === value) return; // the reader has opened or closed it since
    const wanted = value ?? (name === "value" ? "" : false);
    if (name === "value" && node === document.activeElement && node.type !== "range" && before === value) return; // being typed
    if (node[name] !== wanted) node[name] = wanted;
  } else if (value === null || value === undefined || value === false) {
    node.removeAttribute(name);
  } else if (node.getAttribute(name) !== String(value)) {
    node.setAttribute(name, value === true ? "" : value);
  }
}

/** Give the browser a file to save. */
export function download(name, text, type) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
