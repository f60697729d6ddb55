// SPDX-License-Identifier: Apache-2.0
// The state of this page, all of it plain values, and every state it was in before.

const listeners = [];
let past = [];
let future = [];
let latest = null; // what the last change was about: a drag is one change

export let state = {
  models: [], // {key, id, name, origin, about, choice, edits}
  a: null, // the key of the model that is shown
  b: null, // the one it is compared with
  instance: {},
  tab: "why",
  rules: [],
  protected: [],
};

/** Begin with these fields; there is nothing to undo. */
export function begin(fields) {
  state = { ...state, ...fields };
  past = [];
  future = [];
  tell();
}

/** Go to the state with these fields changed. Changes in a row about the same thing are undone together. */
export function change(fields, about = null) {
  if (about === null || about !== latest) past = [...past.slice(-199), state];
  latest = about;
  future = [];
  state = { ...state, ...fields };
  tell();
}

/** A change that is no deed: which tab is looked at. */
export function look(fields) {
  state = { ...state, ...fields };
  latest = null;
  tell();
}

export function undo() {
  if (!past.length) return;
  future = [...future, state];
  state = { ...past.at(-1), tab: state.tab };
  past = past.slice(0, -1);
  latest = null;
  tell();
}

export function redo() {
  if (!future.length) return;
  past = [...past, state];
  state = { ...future.at(-1), tab: state.tab };
  future = future.slice(0, -1);
  latest = null;
  tell();
}

export const canUndo = () => past.length > 0;
export const canRedo = () => future.length > 0;

/** The next change is another one, even about the same thing. */
export function settle() {
  latest = null;
}

export function listen(listener) {
  listeners.push(listener);
}

export function tell() {
  for (const listener of listeners) listener();
}

// ---- what is often asked of it ----

export const model = (key) => state.models.find((one) => one.key === key);
export const shown = () => model(state.a);
export const other = () => model(state.b);

/** A model by its name; of those with the same name, which one. */
export function titled(one) {
  const twins = state.models.filter((another) => another.name === one.name);
  return twins.length > 1 && twins[0] !== one ? `${one.name} (${twins.indexOf(one) + 1})` : one.name;
}

/** The value that an attribute has in the instance, if any; attributes may be called "constructor". */
export const valueOf = (name) => (Object.hasOwn(state.instance, name) ? state.instance[name] : undefined);

/** A model as a question names it; without its changes if it is to be as in the file. */
export function side(one, edits = one.edits) {
  return { id: one.id, name: one.name, choice: one.choice, edits };
}

export function changeModel(key, fields, about = null) {
  change({ models: state.models.map((one) => (one.key === key ? { ...one, ...fields } : one)) }, about);
}

/** Another value for a number of a model; none for the one it has in the file. */
export function edit(key, path, to, about) {
  const name = JSON.stringify(path);
  const kept = model(key).edits.filter(([at]) => JSON.stringify(at) !== name);
  changeModel(key, { edits: to === null ? kept : [...kept, [path, to]] }, about);
}
