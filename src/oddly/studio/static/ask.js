// SPDX-License-Identifier: Apache-2.0
// Questions to the server. Each place on the page that shows an answer is a channel: it asks one thing at a time, and
// of the questions that come up meanwhile only the last.

import { tell } from "./store.js";

const channels = new Map(); // name → {key, running, next, value, error, ...}
const remembered = new Map(); // key → answer
const MOST_REMEMBERED = 60;
let largest = Infinity; // bytes of a file; more is not even sent
const PATIENCE = 800; // ms after which a question that was overtaken is stopped
const STOPPED = { message: "Stopped.", stopped: true };
const tasks = new Set(); // what runs without a channel: a file that is read, a report
const files = new Map(); // id → File, to be sent again should the server have forgotten it

/**
 * The answer to a question as far as it is known: {value, error, current}.
 * It is current if it answers this very question; until then an older answer may be shown, faded.
 */
export function want(channel, question, asked) {
  const key = JSON.stringify([question, asked]);
  let here = channels.get(channel);
  if (!here) channels.set(channel, (here = { key: null, running: null, value: null, error: null, answers: null }));
  if (here.key !== key) {
    here.key = key;
    here.error = null;
    if (about(asked) !== here.about) Object.assign(here, { about: about(asked), value: null, answers: null }); // what was said of another model is no older answer
    if (remembered.has(key)) {
      here.value = remembered.get(key);
      here.answers = key;
      here.next = null;
      here.running?.stop();
    } else {
      here.next = { key, question, asked };
      if (!here.running) run(here);
      else setTimeout(() => here.running && here.running.key !== here.key && here.running.stop(), PATIENCE);
    }
  }
  return { value: here.value, error: here.error, current: here.answers === key, pending: Boolean(here.running) };
}

/** Which models a question is about. */
const about = (asked) => JSON.stringify([asked.side?.id, asked.a?.id, asked.b?.id]);

async function run(here) {
  const { key, question, asked } = here.next;
  here.next = null;
  const control = new AbortController();
  here.running = { key, since: performance.now(), progress: null, stop: () => control.abort() };
  setTimeout(tell, 450); // by then it is worth showing that it takes a while
  try {
    const value = await ask(question, asked, control.signal, (progress) => {
      here.running.progress = progress;
      tell();
    });
    remember(key, value);
    if (here.key === key || (here.answers !== here.key && about(asked) === here.about)) Object.assign(here, { value, answers: key });
    if (here.key === key) here.error = null;
  } catch (error) {
    if (here.key === key) here.error = error.name === "AbortError" ? STOPPED : error;
  }
  here.running = null;
  if (here.next) run(here);
  tell();
}

function remember(key, value) {
  remembered.set(key, value);
  if (remembered.size > MOST_REMEMBERED) remembered.delete(remembered.keys().next().value);
}

/** What takes a while: the progress of questions that have run for some time. */
export function working() {
  const now = performance.now();
  return [...[...channels.values()].map((here) => here.running), ...tasks].filter((running) => running && now - running.since > 400);
}

export function stopAll() {
  for (const here of channels.values()) {
    if (here.next) here.error = STOPPED; // it waited for its turn, and has none now
    here.next = null;
    here.running?.stop();
  }
  for (const task of tasks) task.stop();
}

/** Do something once; it shows its progress and can be stopped like the rest. */
export async function once(work) {
  const control = new AbortController();
  const task = { since: performance.now(), progress: null, stop: () => control.abort() };
  tasks.add(task);
  setTimeout(tell, 450);
  try {
    return await work(control.signal, (progress) => {
      task.progress = progress;
      tell();
    });
  } catch (error) {
    throw error.name === "AbortError" ? new Error(STOPPED.message) : error;
  } finally {
    tasks.delete(task);
    tell();
  }
}

/** Ask again what was stopped or went wrong. */
export function again() {
  for (const here of channels.values()) if (here.error) here.key = null;
  tell();
}

/** Ask once, without a channel. */
export async function ask(question, asked, signal, progress = () => {}) {
  const send = () => post(`/api/ask/${question}`, JSON.stringify(asked), "application/json", signal);
  let response = await send();
  if (response.status === 409) {
    const { forgotten } = await response.json();
    for (const id of forgotten) if (files.has(id)) await open(files.get(id));
    response = await send();
  }
  return answer(response, progress);
}

/** Open a file; its name only says the format. */
export async function open(file, signal, progress = () => {}) {
  if (file.size > largest) throw new Error(`${file.name}: more than ${Number((largest / 2 ** 20).toPrecision(6))} MB.  oddly studio --max-upload allows more.`);
  const response = await post(`/api/open?name=${encodeURIComponent(file.name)}`, file, "application/octet-stream", signal);
  const opened = await answer(response, progress);
  files.set(opened.id, file);
  return opened;
}

export async function script(asked) {
  return (await post("/api/script", JSON.stringify(asked), "application/json")).json();
}

export async function start() {
  const response = await fetch("/api/start");
  if (!response.ok) throw new Error((await response.text()).trim());
  const found = await response.json();
  largest = found.limits.upload;
  return found;
}

function post(address, body, type, signal) {
  return fetch(address, { method: "POST", body, headers: { "content-type": type }, signal }).catch((error) => {
    if (error.name === "AbortError") throw error;
    throw new Error("The studio does not answer; perhaps it was closed in the terminal.");
  });
}

/** The last line of a response; those before it are progress. */
async function answer(response, progress) {
  if (!response.ok) {
    const text = await response.text();
    let said = text.trim();
    try {
      said = JSON.parse(text).error;
    } catch {
      // a refusal is a plain sentence
    }
    throw new Error(said);
  }
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) throw new Error("The answer broke off.");
    rest += value;
    const lines = rest.split("\n");
    rest = lines.pop();
    for (const line of lines) {
      const said = JSON.parse(line);
      if (said.progress) progress(said.progress);
      else if (said.error) throw Object.assign(new Error(said.error), { kind: said.kind });
      else if (said.answer) return said.answer;
      else throw new DOMException("stopped", "AbortError");
    }
  }
}
