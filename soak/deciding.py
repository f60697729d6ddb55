# SPDX-License-Identifier: Apache-2.0
"""Does the diagram decide as the classifier does, on every instance?  Whatever builds it, in whatever order, under whatever names."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

import oddly
from oddly import native
from soak import oracle
from soak.specs import Spec, copied, model_of, shares, spec


class Wrong(AssertionError):
    """Something that was promised and is not so."""


def hold(truth: Any, *what: Any) -> None:
    """What must be so."""
    if not truth:
        raise Wrong(" ".join(map(str, what)))


@dataclass(frozen=True)
class Subject:
    """A specification, its diagram, and the decisions that the oracle finds: an axis per attribute."""

    spec: Spec
    order: Any = "auto"
    engine: Any = "auto"

    @cached_property
    def model(self) -> Any:
        return model_of(self.spec)

    @cached_property
    def odd(self) -> Any:
        return oddly.compile(self.model, self.order, impossible=self.spec["impossible"], engine=self.engine)

    @cached_property
    def table(self) -> Any:
        return np.asarray(oracle.decisions(self.spec))

    @property
    def names(self) -> list[str]:
        return [a["name"] for a in self.spec["attributes"]]

    def codes(self) -> Any:
        return codes(self.table.shape)

    def instance(self, place: Any) -> dict[str, str]:
        return {a["name"]: a["values"][i] for a, i in zip(self.spec["attributes"], place, strict=True)}

    def place(self, r: Random) -> tuple[int, ...]:
        return tuple(r.randrange(n) for n in self.table.shape)

    def label(self, place: Any) -> str:
        return oracle.labels(self.spec)[int(self.table[tuple(place)])]


def codes(shape: tuple[int, ...]) -> Any:
    """Every place of a table as a row, in the table's order."""
    size = int(np.prod(shape, dtype=int))
    return (
        np.array(np.unravel_index(np.arange(size), shape), np.int64).reshape(len(shape), size).T
        if shape
        else np.zeros((1, 0), np.int64)
    )


def decided(odd: Any, codes: Any) -> Any:
    """By walking the diagram, which is what `classify` does unless weights are faster."""
    walked = np.full(len(codes), odd.root, np.int64)
    for level, column in zip(odd.levels, odd.places, strict=True):
        walked = level[walked, codes[:, column]].astype(np.int64)
    return walked


def engines(r: Random, folder: Path) -> int:
    """Every engine, in a random order of attributes, against the oracle and node for node against the others."""
    s = spec(r)
    subject = Subject(s, order := _order(r, s))
    odd, rows = subject.odd, subject.codes()
    hold(list(odd.labels) == oracle.labels(s), "labels", odd.labels)
    hold(odd.certificate.proven, "not proven")
    wanted = subject.table.reshape(-1)
    hold(np.array_equal(decided(odd, rows), wanted), "the diagram decides otherwise")
    hold(np.array_equal(odd.decide(rows), wanted), "classify decides otherwise")
    for place, label in enumerate(odd.labels):
        hold(odd.count(label) == int((wanted == place).sum()), "count of", label)
    for _ in range(3):
        place = subject.place(r)
        hold(oracle.by_fractions(s, place) == subject.table[place], "the oracle contradicts itself at", place)
    for engine in ("numpy", "native", "reference"):
        if engine == "native" and not native.AVAILABLE:
            continue
        try:
            other = Subject(s, order, engine).odd
        except oddly.Unsupported:
            continue
        same = other.root == odd.root and all(map(np.array_equal, other.levels, odd.levels))
        hold(same, "the", engine, "engine builds another diagram")
    return len(wanted) * 2


def _order(r: Random, s: Spec) -> Any:
    names = [a["name"] for a in s["attributes"]]
    return r.choice(["auto", "ascending", "descending", "as-given", r.sample(names, len(names))])


def laws(r: Random, folder: Path) -> int:
    """What no change of dress changes: order, names, complement, an attribute that says nothing; and a file of it."""
    s = spec(r)
    subject, rows = Subject(s), Subject(s).codes()
    odd, wanted = subject.odd, subject.table.reshape(-1)
    turned = oddly.compile(subject.model, r.sample(subject.names, len(subject.names)), impossible=s["impossible"])
    hold(oddly.compare(odd, turned), "another order is another classifier")
    renamed = copied(s)
    if s["kind"] != "network":
        for a in renamed["attributes"]:
            a["name"] = f'{a["name"]} = or; \n\u202e"é'
        hold(np.array_equal(Subject(renamed).odd.decide(rows), wanted), "other names decide otherwise")
        useless = copied(s)
        useless["attributes"].append(_useless(s))
        more = Subject(useless).odd
        hold(oddly.compare(odd, more), "an attribute that says nothing is heard")
    if len(odd.labels) == 2:
        hold((~odd).count(odd.labels[1]) == odd.count(odd.labels[0]), "a complement counts otherwise")
        hold((odd ^ odd).count(odd.labels[1]) == 0, "it differs from itself")
        hold((odd & ~odd).count(odd.labels[1]) == 0 and (odd | ~odd).count(odd.labels[0]) == 0, "and, or, not")
    odd.save(folder / "law.odd")
    loaded = oddly.load(folder / "law.odd")
    hold(loaded == odd and loaded.unproven is None and np.array_equal(loaded.decide(rows), wanted), "a file of it")
    oddly.write(subject.model, folder / "law.json")
    hold(oddly.compare(odd, oddly.compile(folder / "law.json", impossible=s["impossible"])), "a model file of it")
    return len(wanted) * 5


def _useless(s: Spec) -> dict[str, Any]:
    found: dict[str, Any] = {"name": "useless", "values": ["u", "w"]}
    if s["kind"] == "naive-bayes":
        found["given"] = [[1, 3]] * len(s["classes"])
    else:
        found["points"] = ["0", "0"] if s["kind"] == "scorecard" else [["0"] * len(s["classes"])] * 2
    return found


DYADIC = {0: ([1, 1], [1, 1]), 1: ([2, 1], [1, 2]), 2: ([4, 1], [1, 4]), 3: ([8, 1], [1, 8]), 5: ([32, 1], [1, 32])}
"""Two rows whose ratios are 2^k and 2^-k, by k."""


def large(r: Random, folder: Path) -> int:
    """Some hundred thousand instances of a classifier whose log-odds are whole powers of two, or points: added up as 64-bit integers."""
    chosen = [(r.choice(list(DYADIC)), r.random() < 0.5) for _ in range(r.randint(12, 17))]
    ties, start, line = r.choice(["positive", "negative"]), r.randint(0, 2), r.randint(-3, 6)
    weights = [np.array([-k, k] if turned else [k, -k], np.int64) for k, turned in chosen]
    names = [f"A{i}" for i in range(len(chosen))]
    if r.random() < 0.5:
        rows = [dict(zip(("p", "n"), DYADIC[k][:: -1 if turned else 1], strict=True)) for k, turned in chosen]
        cpts = [
            oddly.CPT(n, ["x", "y"], {c: shares(row) for c, row in given.items()})
            for n, given in zip(names, rows, strict=True)
        ]
        threshold = f"{2 ** max(line, 0)}/{2 ** max(line, 0) + 2 ** max(-line, 0)}"
        model: Any = oddly.NaiveBayes("C", ["p", "n"], shares([2**start, 1]), cpts, "p", threshold, ties)
    else:
        points = [oddly.Points(n, ["x", "y"], w.tolist()) for n, w in zip(names, weights, strict=True)]
        model = oddly.Scorecard(points, line, start, ties=ties)
    total = np.array(start - line, np.int64)
    for w in weights:
        total = np.add.outer(total, w)
    wanted = (total >= 0 if ties == "positive" else total > 0).reshape(-1).astype(np.int64)
    odd = oddly.compile(model, r.sample(names, len(names)))
    rows = codes(total.shape)
    hold(odd.certificate.proven, "not proven")
    hold(odd.certificate.ties == int((total == 0).sum()), "ties", odd.certificate.ties)
    hold(
        np.array_equal(decided(odd, rows), wanted) and np.array_equal(odd.decide(rows), wanted),
        "a large one decides otherwise",
    )
    hold(odd.count(odd.labels[1]) == int(wanted.sum()), "a large one counts otherwise")
    return 2 * len(wanted)
