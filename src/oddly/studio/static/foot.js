// SPDX-License-Identifier: Apache-2.0
// The line at the foot: one sentence that is true of what the page shows now.

import { other, shown, side, state, titled } from "./store.js";
import { want } from "./ask.js";
import { differOf } from "./differ.js";
import { flipsOf, numbersOf } from "./numbers.js";
import { checkOf, fairOf } from "./obey.js";
import { whyOf } from "./why.js";
import { features, grouped, ofInstances, plural, shortly } from "./words.js";

export function sentence() {
  const one = shown();
  if (!one) return "No model is open.";
  const model = want("model", "model", { side: side(one) });
  if (model.error) return `${titled(one)} has no diagram: ${firstLine(model.error.message)}`;
  if (!model.current) return `${titled(one)} is being compiled.`;
  return { why, numbers, differ, obey, did }[state.tab](one, model.value);
}

const firstLine = (text) => text.split("\n")[0];

function why(one) {
  const known = Object.keys(state.instance).length;
  const about = known === 0 ? "nothing known" : known <= 4 ? features(state.instance) : `the ${known} values chosen`;
  const answer = whyOf(one);
  if (answer.error) return `${titled(one)}, ${about}: why is not known; ${firstLine(answer.error.message)}`;
  return answer.current ? `${titled(one)}, ${about}: ${answer.value.sentence}` : `${titled(one)} is being asked about this instance.`;
}

function numbers(one, model) {
  if (!one.edits.length) return `${titled(one)} is as opened: ${counts(model)}.${room(one)}`;
  const changed = one.edits.length === 1 ? `${nameOf(one, one.edits[0][0])} at ${shortly(String(one.edits[0][1]))}` : `${one.edits.length} numbers changed`;
  const answer = flipsOf(one);
  if (answer.error) return `With ${changed}, what changes is not known: ${firstLine(answer.error.message)}`;
  if (!answer.current) return `With ${changed}, ${titled(one)} is being compared with itself as opened.`;
  const { equivalent, count, instances, directions } = answer.value;
  if (equivalent) return `With ${changed}, ${titled(one)} decides ${ofInstances(instances, instances)} as before.`;
  const ways = Object.entries(directions).filter(([, n]) => n !== "0").map(([way, n]) => `${grouped(n)} ${way}`).join(", ");
  return `With ${changed}, ${titled(one)} decides ${ofInstances(count, instances)} otherwise than before (${ways}).`;
}

/** How far the first of its numbers may move. */
function room(one) {
  const first = numbersOf(one).rows?.find((number) => number.interval);
  return first ? ` ${first.name} may be ${first.interval === "anything" ? "anything" : `in ${first.interval}`}.` : "";
}

function nameOf(one, path) {
  return numbersOf(one).rows?.find((number) => JSON.stringify(number.path) === JSON.stringify(path))?.name ?? path.join(" ");
}

function differ(one) {
  const two = other();
  if (!two) return `${titled(one)} is compared with nothing yet.`;
  const answer = differOf(one, two);
  if (answer.error) return `${titled(one)} and ${titled(two)} cannot be compared: ${firstLine(answer.error.message)}`;
  if (!answer.current) return `${titled(one)} is being compared with ${titled(two)}.`;
  return `${titled(one)} and ${titled(two)}: ${answer.value.sentence}`;
}

function obey(one, model) {
  const parts = [];
  if (state.rules.length) {
    const { value, current, error } = checkOf(one);
    if (error) return `Whether ${titled(one)} obeys is not known: ${firstLine(error.message)}`;
    if (!current) return `${titled(one)} is being held to ${plural(state.rules.length, "rule")}.`;
    const many = (wanted, understood = true) => value.verdicts.filter((verdict) => verdict.holds === wanted && (verdict.understood ?? true) === understood).length;
    const found = [[many(true), "holds", "hold"], [many(false), "fails", "fail"], [many(null), "is not decided", "are not decided"]].filter(([n]) => n);
    const lost = many(null, false);
    const told = found.map(([n, one_, more]) => `${n} ${n === 1 ? one_ : more}`).join(" and ");
    const said = [told && `${told} over ${ofInstances(model.instances, model.instances)}`, lost && `${lost} ${lost === 1 ? "is" : "are"} not understood`];
    parts.push(`of ${plural(state.rules.length, "rule")}, ${said.filter(Boolean).join(", and ")}`);
  }
  if (state.protected.length) {
    const { value, current, error } = fairOf(one);
    if (error) parts.push(firstLine(error.message));
    else if (!current) return `${titled(one)} is being asked whether decisions hinge on ${state.protected.join(", ")}.`;
    else parts.push(value.holds ? `no decision hinges on ${state.protected.join(", ")}` : `decisions hinge on ${state.protected.join(", ")}`);
  }
  return parts.length ? `${titled(one)}: ${parts.join("; ")}.` : `${titled(one)} is held to no rule yet: ${counts(model)}.`;
}

function did(one, model) {
  return `${titled(one)}${one.edits.length ? ", as changed here," : ""} is a diagram of ${plural(grouped(model.size), "node")} that decides${model.class === null ? "" : ` ${model.class}`} over ${plural(grouped(model.instances), "instance")}: ${counts(model)}.${model.impossible && ` ${model.impossible}`}`;
}

function counts(model) {
  return Object.entries(model.counts).reverse().map(([label, n]) => `${grouped(n)} ${label}`).join(", ");
}
