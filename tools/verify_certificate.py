# SPDX-License-Identifier: Apache-2.0
"""Is a certificate of `oddly check --certificate` right?  Checks every claim by itself; of Oddly it uses only `load`.

Two walkers go down two diagrams by the moves of a claim, which holds iff no end of theirs is bad. It is proven by sets
of pairs of nodes that no move leaves, and refuted by two instances. What is printed is the claim that was checked.
"""

import base64
import hashlib
import json
import sys
import zlib
from fractions import Fraction
from itertools import pairwise, product
from pathlib import Path

import numpy as np

import oddly


def require(truth, what):
    if not truth:
        raise ValueError(what)


def among(known, some):
    return some if isinstance(some, list) and set(some) <= set(known) else require(False, f"{some} are not all known")


def read(folder, entry):
    path = folder / Path(entry["file"]).name
    require(hashlib.sha256(path.read_bytes()).hexdigest() == entry["sha256"], f"{path} is another file")
    return oddly.load(path)


def step(odd, nodes, name, value):
    at = odd.order.index(name) if name in odd.order else None
    return nodes if at is None else odd.levels[at][nodes, odd.variables[at].values.index(value)].astype(np.int64)


def cases(tree, values):
    """A condition as alternatives: allowed values by attribute."""
    if tree.keys() == {"attribute", "in"}:
        return [{tree["attribute"]: set(among(values[tree["attribute"]], tree["in"]))}]
    require(tree.keys() in ({"any"}, {"all"}), "an unknown condition")
    if "any" in tree:
        return [case for part in tree["any"] for case in cases(part, values)]
    chosen = product(*(cases(part, values) for part in tree["all"]))
    return [{n: set.intersection(*(c[n] for c in some if n in c)) for c in some for n in c} for some in chosen]


def meaning(claim, values, labels):
    """The moves of each alternative, values of the one walker and the other by attribute; and the bad ends."""
    same, kind, label = {n: [(x, x) for x in own] for n, own in values.items()}, claim["kind"], claim.get("label")
    require(len(claim) == (2 if kind == "ignores" else 4) and isinstance(claim.get("never", True), bool), "no claim")
    require(label in labels if kind in ("implies", "monotone") else kind in ("ignores", "agrees"), "an unknown claim")
    if kind == "implies":
        moves = [{n: [(x, x) for x in case[n]] for n in case} for case in cases(claim["condition"], values)]
        return [same | m for m in moves], {(i, i) for i in labels if (i == label) == claim["never"]}
    if kind == "monotone":
        steps = [*pairwise(among(values[claim["attribute"]], claim["values"]))]
        return [same | {claim["attribute"]: steps}], {(label, j) for j in labels if j != label}
    free = {n: [*product(values[n], repeat=2)] for n in among(values, claim["attributes"] if kind == "ignores" else [])}
    return [same | free], {(i, j) for i in labels for j in labels if i != j}


def walk(a, b, order, moves, proof, weights):
    """The ends in a proof's last set, with their masses; no move may leave its sets."""
    sets = [np.cumsum(np.frombuffer(zlib.decompress(base64.b64decode(text)), "<i8")) for text in proof]
    here, start = sets[0], a.root << 32 | b.root
    require(start in here, "the start is missing")
    mass = [np.where(here == start, first, Fraction(0)) for first, _ in weights]
    for name, below in zip(order, sets[1:], strict=True):
        after = [np.full(len(below), Fraction(0)) for _ in weights]
        for x, y in moves[name]:
            child = step(a, here >> 32, name, x) << 32 | step(b, here & 0xFFFFFFFF, name, y)
            place = np.searchsorted(below, child) % max(len(below), 1)
            require(np.array_equal(below[place], child), f"a pair is missing below {name}")
            for part, total, (_, rows) in zip(mass, after, weights, strict=True):
                np.add.at(total, place, part * rows[name][x])
        here, mass = below, after
    ends = [(a.labels[k >> 32], b.labels[k & 0xFFFFFFFF]) for k in here.tolist()]
    return [(end, sum(m[i] for m in mass)) for i, end in enumerate(ends)]


def weights_of(under, values, sides):
    """Products whose sum is the distribution: a weight, and a probability by attribute and value."""
    if under == "uniform":
        return [(Fraction(1), {n: dict.fromkeys(own, Fraction(1, len(own))) for n, own in values.items()})]
    m = sides[under].source.model
    rows = [{a.name: dict(zip(a.values, a.given[c], strict=True)) for a in m.attributes} for c in m.class_values]
    return list(zip(m.prior, rows, strict=True))


def verify(holds, claim, proof, a, folder):
    """Raises unless the verdict is the truth about the claim."""
    require(isinstance(holds, bool) and proof, "there is no proof")
    b = read(folder, claim["baseline"]) if claim["kind"] == "agrees" else a
    values, order = {v.name: v.values for v in (*a.variables, *b.variables)}, proof.get("order", list(a.order))
    fits = all([n for n in order if n in odd.order] == [*odd.order] for odd in (a, b)) and len(order) == len(values)
    within, under = (Fraction(claim["within"]), claim["under"]) if claim["kind"] == "agrees" else (0, None)
    same = all(set(v.values) == set(values[v.name]) for v in a.variables)
    require(fits and same and (under is not None or not within), "other attributes, other values, or no distribution")
    alternatives, bad = meaning(claim, values, {*a.labels, *b.labels})
    if not holds and under is None:
        (x, y), ends = (proof["instances"][0], proof["instances"][-1]), (a.root, b.root)
        require(any(all((x[n], y[n]) in moves[n] for n in order) for moves in alternatives), "it is not about these")
        for n in order:
            ends = step(a, ends[0], n, x[n]), step(b, ends[1], n, y[n])
        return require((a.labels[ends[0]], b.labels[ends[1]]) in bad, "the instances do not break it")
    weights = weights_of(under, values, {"model": a, "baseline": b}) if under is not None else []
    walks = zip(alternatives, proof["walks"], strict=True)
    ends = [pair for moves, text in walks for pair in walk(a, b, order, moves, text, weights)]
    wrong, total = [mass for end, mass in ends if end in bad], sum(mass for _, mass in ends)
    return require((sum(wrong) <= within * total if weights else not wrong) == holds, "its pairs say otherwise")


def main(path):
    """How many verdicts are not proven; each claim is printed."""
    text, folder, rejected = json.loads(Path(path).read_text("utf-8")), Path(path).parent, 0
    odd = read(folder, text["diagram"])
    for entry in text["verdicts"]:
        verdict = {True: "holds", False: "fails"}.get(entry["holds"], "undecided")
        told, trouble = f"{verdict}: {json.dumps(entry['claim'], ensure_ascii=False)}", ""
        try:
            verify(entry["holds"], entry["claim"], entry["proof"], odd, folder)
        except Exception as error:  # whatever goes wrong, nothing was proven
            trouble, rejected = f": {error}", rejected + 1
        print(f"{'REJECTED' if trouble else 'verified'}  {told}{trouble}")
    return rejected


if __name__ == "__main__":
    sys.tracebacklimit = 0  # what is wrong with the file is enough said
    sys.exit(min(main(*sys.argv[1:]), 1))
