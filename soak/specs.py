# SPDX-License-Identifier: Apache-2.0
"""Random classifiers as plain data, small enough to enumerate: ties, zeros and one-valued attributes among them.

A specification is a dictionary of texts and whole numbers, so that the oracle reads it without any of Oddly's code, a
failure can be shrunk piece by piece, and what is left can be pasted into a test.
"""

from math import prod
from random import Random
from typing import Any

import oddly

Spec = dict[str, Any]
MOST_INSTANCES = 600
KINDS = ("naive-bayes", "scorecard", "scoreboard", "network")
THRESHOLDS = ("1/2", "1/2", "1/3", "0.9", "0", "1", "1e-30", "999999999999/1000000000000")


def spec(r: Random) -> Spec:
    """Any kind of classifier."""
    kind = r.choice(KINDS)
    made = {"naive-bayes": _naive_bayes, "scorecard": _scorecard, "scoreboard": _scoreboard, "network": _network}[kind](
        r
    )
    return {
        "kind": kind,
        "ties": r.choice(["positive", "negative"]),
        "impossible": r.choice(["negative", "positive"]),
        **made,
    }


def beside(r: Random, one: Spec) -> Spec:
    """Another classifier over the same attributes: some of its numbers moved."""
    other = copied(one)
    if one["kind"] in ("naive-bayes", "network") and one["positive"] is not None:
        other["threshold"] = r.choice(THRESHOLDS)
    if one["kind"] == "scorecard":
        other["cutoff"] = str(int(one["cutoff"]) + r.randint(-2, 2) * int(one["scale"]))
    for attribute in other["attributes"] if one["kind"] != "network" else []:
        if r.random() < 0.3:
            if one["kind"] == "naive-bayes":
                attribute["given"] = [_counts(r, len(attribute["values"]), zeros=True) for _ in other["classes"]]
            else:
                attribute["points"] = attribute["points"][::-1]
    return other


def copied(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: copied(v) for name, v in value.items()}
    return [copied(v) for v in value] if isinstance(value, list) else value


def model_of(s: Spec) -> Any:
    """The specification as a model of Oddly's."""
    if s["kind"] == "naive-bayes":
        rows = [
            oddly.CPT(a["name"], a["values"], dict(zip(s["classes"], map(shares, a["given"]), strict=True)))
            for a in s["attributes"]
        ]
        return oddly.NaiveBayes("C", s["classes"], shares(s["prior"]), rows, s["positive"], s["threshold"], s["ties"])
    if s["kind"] == "network":
        nodes = [
            oddly.Node(n["name"], n["values"], n["parents"], [shares(row) for row in n["rows"]]) for n in s["nodes"]
        ]
        names = [a["name"] for a in s["attributes"]]
        return oddly.NetworkClassifier(
            oddly.Network(nodes), s["class"], names, s["positive"], s["threshold"], s["ties"], s["evidence"]
        )
    if s["kind"] == "scorecard":
        points = [oddly.Points(a["name"], a["values"], a["points"]) for a in s["attributes"]]
        return oddly.Scorecard(points, s["cutoff"], s["intercept"], ties=s["ties"])
    board = [oddly.Tally(a["name"], a["values"], a["points"]) for a in s["attributes"]]
    return oddly.Scoreboard(board, s["classes"], s["intercept"])


def shares(counts: list[int]) -> list[str]:
    """Counts as exact shares of their sum."""
    return [f"{count}/{sum(counts)}" for count in counts]


def _attributes(r: Random, most: int = 6) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for i in range(r.randint(0, most)):
        arity = r.choice([1, 2, 2, 2, 3, 4, 9])
        if prod(len(a["values"]) for a in found) * arity <= MOST_INSTANCES:
            found.append({"name": f"A{i}", "values": [f"v{j}" for j in range(arity)]})
    return found


def _counts(r: Random, size: int, zeros: bool) -> list[int]:
    most = r.choice([1, 3, 9, 9, 1000, 10**15])
    found = [r.randint(0 if zeros else 1, most) for _ in range(size)]
    if not any(found):
        found[r.randrange(size)] = 1
    return found


def _naive_bayes(r: Random) -> Spec:
    classes = [f"c{i}" for i in range(r.choice([2, 2, 2, 3, 4]))]
    zeros = r.random() < 0.5
    attributes = _attributes(r)
    for a in attributes:
        a["given"] = [_counts(r, len(a["values"]), zeros) for _ in classes]
    positive = r.choice([classes[0], classes[-1], classes[0] if len(classes) == 2 else None])
    prior = _counts(r, len(classes), zeros)
    return {
        "classes": classes,
        "prior": prior,
        "attributes": attributes,
        "positive": positive,
        "threshold": r.choice(THRESHOLDS),
    }


def _scorecard(r: Random) -> Spec:
    scale = r.choice([1, 1, 2, 10**6, 10**18, 10**40])
    attributes = _attributes(r)
    for a in attributes:
        a["points"] = [str(r.randint(-3, 3) * scale) for _ in a["values"]]
    if attributes and r.random() < 0.3:  # two that nearly cancel
        huge, near = 3 ** r.choice([20, 90, 200]), r.choice(attributes)
        near["points"] = [str(int(p) + huge * r.choice([0, 1, -1])) for p in near["points"]]
    points = [str(r.randint(-4, 4) * scale) for _ in range(2)]
    return {"attributes": attributes, "cutoff": points[0], "intercept": points[1], "scale": str(scale)}


def _scoreboard(r: Random) -> Spec:
    classes = [f"c{i}" for i in range(r.choice([2, 3, 4]))]
    scale = r.choice([1, 1, 7, 10**25])
    attributes = _attributes(r, 5)
    for a in attributes:
        a["points"] = [[str(r.randint(-2, 2) * scale) for _ in classes] for _ in a["values"]]
    return {"classes": classes, "attributes": attributes, "intercept": [str(r.randint(-1, 1) * scale) for _ in classes]}


def _network(r: Random) -> Spec:
    zeros, nodes, states = r.random() < 0.5, [], 1
    for i in range(r.randint(2, 6)):
        arity = r.choice([2, 2, 2, 3, 1]) if i else r.choice([2, 3])
        if states * arity > MOST_INSTANCES:
            break
        states *= arity
        parents = r.sample(nodes, min(len(nodes), r.randint(0, 3)))
        rows = [_counts(r, arity, zeros) for _ in range(prod(len(p["values"]) for p in parents))]
        values = [f"v{j}" for j in range(arity)]
        nodes.append({"name": f"N{i}", "values": values, "parents": [p["name"] for p in parents], "rows": rows})
    target = r.choice([n for n in nodes if len(n["values"]) > 1])
    attributes, evidence = [], {}
    for node in nodes:
        role = r.choice("aaah")
        if node is not target and role == "a":
            attributes.append({"name": node["name"], "values": node["values"]})
    return {
        "nodes": nodes,
        "class": target["name"],
        "classes": target["values"],
        "attributes": attributes,
        "evidence": evidence,
        "positive": r.choice([None, *target["values"]]) if len(target["values"]) > 2 else r.choice(target["values"]),
        "threshold": r.choice(THRESHOLDS),
    }
