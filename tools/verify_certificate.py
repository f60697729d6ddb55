# SPDX-License-Identifier: Apache-2.0
"""Is a certificate of `oddly check --certificate` right?  Finds every verdict by itself; of Oddly it uses only `load`.

Walkers go down two diagrams, or one twice; in how many ways they break a claim, or how probably, is added up. Exit code
0: all rules hold. 1: one does not, or is not as it says. 2: no certificate. 3: something is taken on faith."""

import json
import sys
from collections import Counter
from fractions import Fraction
from hashlib import sha256
from itertools import pairwise, product
from pathlib import Path

import oddly

SAYS = {"always": {"label"}, "never": {"label"}, "monotone": {"label", "along"}, "ignores": {"any"}}  # and perhaps "if"
FAITH = Counter()  # what is not proven


def require(truth, what):
    if not truth:
        raise ValueError(what)


def file(folder, entry):
    path = folder / Path(entry["file"]).name
    require(entry == {"file": path.name, "sha256": sha256(path.read_bytes()).hexdigest()}, f"{path}: another file")
    return path


def diagram(folder, entry):
    odd = oddly.load(file(folder, entry))
    FAITH.update({f"that {entry['file']!a} decides as a model does: {odd.unproven!a}": 1} if odd.unproven else {})
    return odd


def walk(claim, odds, values, box, edges=None, start=(("", 1),)):
    """In how many ways walkers can end so as to break the claim, in how many at all, in how many they could."""
    cases, label, ends = claim.get("if", [{}]), claim.get("label"), Counter()
    bag = tuple((side, odd.root, (1 << len(cases)) - 1, 1) for side, odd in enumerate(odds) if cases)
    here = {(bag, state): weight for state, weight in start}
    for name in values:
        own = [x for x in values[name] if x in box.get(name, [x])]
        free = [x for x in own if x in claim.get("any", {}).get(name, [])]  # a walker goes on with each
        steps = pairwise(claim["along"][name]) if name in claim.get("along", {}) else [(x, x) for x in own]
        reads = [(free, free)] if free else [([x], [y]) for x, y in steps if x in own and y in own]  # on either side
        levels = [odd.levels[odd.order.index(name)].T.tolist() if name in odd.order else [] for odd in odds]
        child = [dict(zip(values[name], level, strict=False)) for level in levels]
        fits = {x: sum((x in case.get(name, [x])) << i for i, case in enumerate(cases)) for x in own}
        before, here = here, Counter()
        for ((bag, state), mass), both in product(before.items(), reads):
            then = Counter()
            for (side, node, alive, ways), x in [(walker, x) for walker in bag for x in both[walker[0]]]:
                then[side, child[side][x][node] if child[side] else node, alive & fits[x]] += ways
            bag = tuple(sorted((*end, ways) for end, ways in then.items() if end[2]))
            for following, weight in [("", 1)] if edges is None else edges[name].get(state, {}).get(both[0][0], []):
                here[bag, following] += mass * abs(weight)
    for (bag, _), mass in here.items():
        one, two = ({odds[i].labels[node] for i, node, *_ in bag if i == side} for side in (0, 1))
        bad = {"always": label not in one, "never": label in one, "monotone": label in one - two}
        number = mass * (ways := sum(w for *_, w in bag) // 2) * bool(one and two)
        ends[bad.get(claim["kind"], len(one | two) > 1)] += number
        ends["could"] += number * (claim["kind"] != "ignores" or ways > 1)
    return ends[True], ends[True] + ends[False], ends["could"]


def verify(entry, a, folder):  # what was found of the claim, if the entry says the same
    claim, get, edges, start = entry["claim"], entry["claim"].get, None, [("", 1)]
    says = {"baseline", "within", "under"} if claim["kind"] == "agrees" else SAYS[claim["kind"]]
    require(claim.keys() - {"kind", "if"} == says and len(get("along", "1")) == 1, "too much, or too little")
    require(get("label", a.labels[0]) in a.labels, "an unknown label")
    b = diagram(folder, claim["baseline"]) if "baseline" in claim else a
    sides = [{v.name: v.values for v in odd.variables} for odd in (a, b)]
    values = {name: (sides[0] | sides[1])[name] for name in entry["order"]}
    require(all([*own.items()] == [(n, values[n]) for n in values if n in own] for own in sides), "another order")
    parts = [*get("if", []), get("along", {}), get("any", {})]
    require(all(isinstance(x, list) and {*x} <= {*values[n]} for part in parts for n, x in part.items()), "unknown")
    count, of, could = walk(claim, (a, b), values, {})
    if isinstance(under := get("under", "uniform"), dict):
        edges = json.loads(file(folder, under).read_text("utf-8"), parse_float=Fraction, parse_constant=Fraction)
    elif under != "uniform":  # that of a naive Bayes model: its states are the classes
        nb = (a, b)[("model", "baseline").index(under)].source.model
        start, given = zip(nb.class_values, nb.prior, strict=True), {x.name: x.given.items() for x in nb.attributes}
        edges = {n: {c: {v: [(c, row[i])] for i, v in enumerate(values[n])} for c, row in given[n]} for n in values}
    wrong, mass, _ = walk(claim, (a, b), values, {}, edges, start)
    holds = wrong <= Fraction(str(get("within", 0))) * mass
    found = f"{count} of {of}" + ("" if edges is None else f", weighing {float(Fraction(wrong) / (mass or 1)):.4g}")
    require([holds, str(count), str(of)] == [entry["holds"], entry["count"], entry["of"]], f"it is {found}")
    require(not count or 0 < (case := walk(claim, (a, b), values, entry["case"]))[0] == case[1], "no such case")
    return f"{'vacuous' if holds and not could else 'holds' if holds else 'fails'}: {json.dumps(claim)}: {found}"


def main(path, *rules):  # how many verdicts are what; each is printed. The rules that were asked may be given
    text, folder, found = json.loads(Path(path).read_text("utf-8")), Path(path).parent, Counter()
    require((text["format"], text["version"]) == ("oddly-certificate", 3), f"{path}: no certificate, version 3")
    require([e["rule"] for e in text["verdicts"]] == (text["rules"] or 0), f"{path}: not one verdict a rule asked")
    require(not rules or list(rules) == text["rules"], f"{path}: other rules were asked: {json.dumps(text['rules'])}")
    FAITH.clear()
    odd = diagram(folder, text["diagram"])
    for entry in text["verdicts"]:
        try:
            if entry["claim"] is None:
                FAITH[f"{json.dumps(entry['rule'])}: {json.dumps(entry['why'])}"] += 1
                found["fails"] += entry["holds"] is False
            else:
                found[(said := verify(entry, odd, folder)).split(":")[0]] += 1
                print("verified ", said)
        except Exception as error:  # whatever goes wrong, nothing was proven
            print("REJECTED ", json.dumps(entry.get("claim")), f": {str(error)!a}")
            found["rejected"] += 1
    print(*(f"ON FAITH  {what}\n" for what in FAITH), sep="", end="")
    return found + Counter({"on faith": len(FAITH)})


if __name__ == "__main__":
    try:
        ends = main(*sys.argv[1:])
    except Exception as error:
        sys.exit(print(f"{type(error).__name__}: {str(error)!a:.500}", file=sys.stderr) or 2)
    sys.exit(1 if ends["rejected"] + ends["fails"] else 3 if ends["on faith"] else 0)
