# SPDX-License-Identifier: Apache-2.0
"""What a specification decides, worked out without a line of Oddly's: scaled whole numbers, all instances at once.

A table has an axis per attribute, in the specification's order. `by_fractions` decides one instance at a time from the
definition, in fractions; every so often the two are held against each other.
"""

from fractions import Fraction
from itertools import product
from math import lcm, prod
from typing import Any

import numpy as np

from soak.specs import Spec


def labels(s: Spec) -> list[str]:
    """The labels in Oddly's order: of two the negative one first."""
    if s["kind"] == "scorecard":
        return ["no", "yes"]
    if s["kind"] == "scoreboard" or s["positive"] is None:
        return list(s["classes"])
    others = [c for c in s["classes"] if c != s["positive"]]
    return [others[0] if len(others) == 1 else f"not {s['positive']}", s["positive"]]


def shape(s: Spec) -> tuple[int, ...]:
    return tuple(len(a["values"]) for a in s["attributes"])


def decisions(s: Spec) -> Any:
    """[attributes…]: the place of each instance's label."""
    if s["kind"] == "scorecard":
        total = _outer(s, [[[int(p)] for p in a["points"]] for a in s["attributes"]], [int(s["intercept"])], np.add)[
            ..., 0
        ]
        reached = total >= int(s["cutoff"]) if s["ties"] == "positive" else total > int(s["cutoff"])
        return np.asarray(reached, bool).astype(int)
    if s["kind"] == "scoreboard":
        points = [[[int(p) for p in row] for row in a["points"]] for a in s["attributes"]]
        return _first_largest(_outer(s, points, [int(p) for p in s["intercept"]], np.add))
    return _decided(s, masses(s))


def masses(s: Spec) -> Any:
    """[attributes…, classes]: whole numbers in proportion to the joint probabilities."""
    if s["kind"] == "naive-bayes":
        tables = []
        for a in s["attributes"]:
            scale = lcm(*(sum(row) for row in a["given"]))
            tables.append([[row[v] * (scale // sum(row)) for row in a["given"]] for v in range(len(a["values"]))])
        return _outer(s, tables, list(s["prior"]), np.multiply)
    return _joint(s)


def _outer(s: Spec, tables: list[Any], start: list[int], operation: Any) -> Any:
    """Numbers by class, one table after the other: added, or multiplied."""
    found = np.array(start, object)
    for table in tables:
        found = operation(found[..., None, :], np.array(table, object).reshape(len(table), len(start)))
    return found.reshape(*shape(s), len(start))


def _joint(s: Spec) -> Any:
    """All variables of a network multiplied out, and those that are neither attribute nor class summed out."""
    names = [n["name"] for n in s["nodes"]]
    arity = {n["name"]: len(n["values"]) for n in s["nodes"]}
    whole: Any = np.ones([arity[n] for n in names], object)
    for node in s["nodes"]:
        scale = lcm(*(sum(row) for row in node["rows"]))
        rows = np.array([[c * (scale // sum(row)) for c in row] for row in node["rows"]], object)
        axes = [*node["parents"], node["name"]]
        table = rows.reshape([arity[n] for n in axes])
        order = sorted(range(len(axes)), key=lambda i: names.index(axes[i]))
        table = table.transpose(order).reshape([arity[n] if n in axes else 1 for n in names])
        whole = whole * table
    kept = [a["name"] for a in s["attributes"]] + [s["class"]]
    hidden = tuple(i for i, n in enumerate(names) if n not in kept)
    whole = whole.sum(axis=hidden) if hidden else whole
    left = [n for n in names if n in kept]
    return np.asarray(whole, object).transpose([left.index(n) for n in kept])


def _decided(s: Spec, mass: Any) -> Any:
    total = mass.sum(axis=-1)
    if s["positive"] is None:
        return np.where(np.asarray(total == 0, bool), 0, _first_largest(mass))
    threshold = Fraction(s["threshold"])
    mine = mass[..., s["classes"].index(s["positive"])] * threshold.denominator
    line = total * threshold.numerator
    positive = np.asarray(mine >= line if s["ties"] == "positive" else mine > line, bool)
    return np.where(np.asarray(total == 0, bool), s["impossible"] == "positive", positive).astype(int)


def _first_largest(scores: Any) -> Any:
    """The place of the largest along the last axis; of equal ones the first."""
    best = scores.max(axis=-1, keepdims=True)
    return np.argmax(np.asarray(scores == best, bool), axis=-1)


def by_fractions(s: Spec, place: tuple[int, ...]) -> int:
    """The label of one instance, from the definition."""
    chosen = [a["values"][i] for a, i in zip(s["attributes"], place, strict=True)]
    if s["kind"] in ("scorecard", "scoreboard"):
        rows = [a["points"][i] for a, i in zip(s["attributes"], place, strict=True)]
        if s["kind"] == "scorecard":
            total = Fraction(s["intercept"]) + sum(map(Fraction, rows))
            cutoff = Fraction(s["cutoff"])
            return int(total > cutoff or (total == cutoff and s["ties"] == "positive"))
        sums = [Fraction(start) + sum(Fraction(row[c]) for row in rows) for c, start in enumerate(s["intercept"])]
        return sums.index(max(sums))
    joint = [
        _probability(s, dict(zip([a["name"] for a in s["attributes"]], chosen, strict=True)), c) for c in s["classes"]
    ]
    if s["positive"] is None:
        return joint.index(max(joint))
    if not sum(joint):
        return int(s["impossible"] == "positive")
    posterior = joint[s["classes"].index(s["positive"])] / sum(joint)
    threshold = Fraction(s["threshold"])
    return int(posterior > threshold or (posterior == threshold and s["ties"] == "positive"))


def _probability(s: Spec, instance: dict[str, str], c: str) -> Fraction:
    if s["kind"] == "naive-bayes":
        k = s["classes"].index(c)
        found = Fraction(s["prior"][k], sum(s["prior"]))
        for a in s["attributes"]:
            found *= Fraction(a["given"][k][a["values"].index(instance[a["name"]])], sum(a["given"][k]))
        return found
    known = {**instance, s["class"]: c}
    hidden = [n for n in s["nodes"] if n["name"] not in known]
    total = Fraction(0)
    for values in product(*(n["values"] for n in hidden)):
        case = known | dict(zip([n["name"] for n in hidden], values, strict=True))
        total += prod((_entry(s, n, case) for n in s["nodes"]), start=Fraction(1))
    return total


def _entry(s: Spec, node: dict[str, Any], case: dict[str, str]) -> Fraction:
    by_name = {n["name"]: n for n in s["nodes"]}
    row = 0
    for parent in node["parents"]:
        values = by_name[parent]["values"]
        row = row * len(values) + values.index(case[parent])
    counts = node["rows"][row]
    return Fraction(counts[node["values"].index(case[node["name"]])], sum(counts))
