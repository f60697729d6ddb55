# SPDX-License-Identifier: Apache-2.0
"""Is every answer what trying every instance says?  Each question against plain enumeration of the oracle's table."""

from fractions import Fraction
from itertools import combinations, islice
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

import oddly
from soak import oracle
from soak.deciding import Subject, codes, hold
from soak.specs import beside, spec


def questions(r: Random, folder: Path) -> int:
    """A few questions about one classifier."""
    subject = Subject(spec(r))
    asked = r.sample(QUESTIONS, 3)
    for question in asked:
        question(r, subject)
    return subject.table.size * len(asked)


def count(r: Random, s: Subject) -> None:
    given = {a["name"]: r.choice(a["values"]) for a in s.spec["attributes"] if r.random() < 0.3}
    part = s.table[
        tuple(
            s.spec["attributes"][i]["values"].index(given[n]) if n in given else slice(None)
            for i, n in enumerate(s.names)
        )
    ]
    found = oddly.count(s.odd, given=given, under="uniform")
    hold(found.counts == {label: int((part == i).sum()) for i, label in enumerate(s.odd.labels)}, "count", given)


def must_hold(r: Random, s: Subject) -> None:
    if not s.names:
        return
    label, chosen = r.choice(s.odd.labels), {a["name"]: r.choice(a["values"]) for a in s.spec["attributes"]}
    has = np.zeros(s.table.shape, bool)
    for axis, a in enumerate(s.spec["attributes"]):
        shape = [-1 if i == axis else 1 for i in range(len(s.names))]
        has |= (np.arange(len(a["values"])) == a["values"].index(chosen[a["name"]])).reshape(shape)
    broken = (s.table == s.odd.labels.index(label)) & ~has
    found = oddly.must_hold(s.odd, label, " or ".join(f"{n}={v}" for n, v in chosen.items()), under="uniform")
    hold((found.count, found.holds) == (int(broken.sum()), not broken.any()), "must hold", found.count)


def restrict(r: Random, s: Subject) -> None:
    if not s.names:
        return
    axis = r.randrange(len(s.names))
    value = r.randrange(s.table.shape[axis])
    part = np.take(s.table, value, axis)
    odd = s.odd.restrict({s.names[axis]: s.spec["attributes"][axis]["values"][value]})
    rest = Subject(s.spec | {"attributes": [a for i, a in enumerate(s.spec["attributes"]) if i != axis]})
    hold(np.array_equal(odd.decide(codes(part.shape)), part.reshape(-1)), "restrict", rest.names)
    if len(s.odd.labels) == 2:
        for quantified, wanted in (
            (s.odd.for_all(s.names[axis]), s.table.min(axis)),
            (s.odd.for_some(s.names[axis]), s.table.max(axis)),
        ):
            hold(np.array_equal(quantified.decide(codes(wanted.shape)), wanted.reshape(-1)), "quantifier")


def compare(r: Random, s: Subject) -> None:
    other = Subject(beside(r, s.spec))
    if oracle.labels(other.spec) != oracle.labels(s.spec):
        return
    differ = s.table != other.table
    found = oddly.compare(s.odd, other.odd)
    hold((found.count, found.equivalent) == (int(differ.sum()), not differ.any()), "compare counts", found.count)
    if found.smallest is not None:
        place = tuple(a["values"].index(found.smallest.instance[a["name"]]) for a in s.spec["attributes"])
        hold(differ[place], "the counterexample is none")
    if len(s.odd.labels) == 2:
        for made, wanted in ((s.odd & other.odd, s.table & other.table), (s.odd | other.odd, s.table | other.table)):
            hold(made.count(made.labels[1]) == int(wanted.sum()), "a combination counts otherwise")


def explain(r: Random, s: Subject) -> None:
    place = s.place(r)
    try:
        found = oddly.explain(s.odd, s.instance(place))
    except oddly.Unsupported:  # an impossible case has no reason
        hold(not np.asarray(oracle.masses(s.spec), object)[place].sum(), "a possible case has no reason")
        return
    hold(found.decision == s.label(place), "explain decides", found.decision)
    enough = [
        kept
        for size in range(len(s.names) + 1)
        for kept in combinations(range(len(s.names)), size)
        if _forces(s, place, kept)
    ]
    minimal = [set(kept) for kept in enough if not any(set(other) < set(kept) for other in enough)]
    reasons = found.sufficient
    hold(reasons.count == len(minimal), "sufficient reasons:", reasons.count, "for", len(minimal))
    hold(len(reasons.smallest) == min(map(len, minimal)), "the smallest sufficient reason")
    hold(
        {frozenset(kept) for kept in minimal} == {frozenset(map(s.names.index, kept)) for kept in reasons}, "which ones"
    )
    flips = [
        set(part)
        for size in range(1, len(s.names) + 1)
        for part in combinations(range(len(s.names)), size)
        if not _forces(s, place, set(range(len(s.names))) - set(part))
    ]
    needed = [part for part in flips if not any(other < part for other in flips)]
    hold(found.necessary.count == len(needed), "necessary reasons:", found.necessary.count, "for", len(needed))
    hold(
        {frozenset(part) for part in needed} == {frozenset(map(s.names.index, part)) for part in found.necessary},
        "which necessary ones",
    )


def _forces(s: Subject, place: tuple[int, ...], kept: Any) -> bool:
    part = s.table[tuple(place[i] if i in kept else slice(None) for i in range(len(place)))]
    return bool((part == s.table[place]).all())


def change(r: Random, s: Subject) -> None:
    place = s.place(r)
    costs = [r.choice([0, 1, 1, 2, 5]) for _ in s.names]
    distance = np.zeros(s.table.shape, int)
    steps = np.zeros(s.table.shape, int)
    for axis, here in enumerate(place):
        moved = np.arange(s.table.shape[axis]) != here
        shape = [-1 if i == axis else 1 for i in range(len(place))]
        distance, steps = distance + costs[axis] * moved.reshape(shape), steps + moved.reshape(shape)
    other = s.table != s.table[place]
    found = oddly.change(s.odd, s.instance(place), costs=dict(zip(s.names, costs, strict=True)))
    hold(bool(found) == bool(other.any()), "whether a change is possible")
    if found:
        hold(
            found.alternatives[0].cost == int(distance[other].min()),
            "the cheapest change costs",
            found.alternatives[0].cost,
        )
        hold(found.robustness == int(steps[other].min()), "robustness", found.robustness)


def robustness(r: Random, s: Subject) -> None:
    reached, survived = np.zeros(s.table.shape, int), np.ones(s.table.shape, bool)
    least, greatest = s.table, s.table
    fronts = {frozenset(): (s.table, s.table)}
    for size in range(1, len(s.names) + 1):
        fronts = {
            done | {axis}: (low.min(axis, keepdims=True), high.max(axis, keepdims=True))
            for done, (low, high) in fronts.items()
            for axis in range(len(s.names))
            if axis not in done
        }
        least, greatest = s.table, s.table
        for low, high in fronts.values():
            least, greatest = np.minimum(least, low), np.maximum(greatest, high)
        flips = survived & (least != greatest)
        reached[flips], survived = size, survived & ~flips
    found = oddly.robustness(s.odd, under="uniform")
    wanted = {k: int((reached == k).sum()) for k in range(1, len(s.names) + 1) if (reached == k).any()}
    hold({step.changes: step.count for step in found.histogram if step.changes} == wanted, "robustness", wanted)


def importance(r: Random, s: Subject) -> None:
    wanted = {
        name: int(np.broadcast_to(s.table.min(i, keepdims=True) != s.table.max(i, keepdims=True), s.table.shape).sum())
        for i, name in enumerate(s.names)
    }
    found = oddly.importance(s.odd, under="uniform")
    hold({a.attribute: a.count for a in found.attributes} == wanted, "importance", wanted)


def check(r: Random, s: Subject) -> None:
    if not s.names:
        return
    axis = r.randrange(len(s.names))
    name, label = s.names[axis], r.choice(s.odd.labels)
    is_label = s.table == s.odd.labels.index(label)
    front = np.moveaxis(is_label, axis, 0)
    falls = int((front[:-1] & ~front[1:]).sum())
    hinges = np.broadcast_to(s.table.min(axis, keepdims=True) != s.table.max(axis, keepdims=True), s.table.shape)
    value = r.randrange(s.table.shape[axis])
    inside = np.take(is_label, value, axis)
    text = s.spec["attributes"][axis]["values"][value]
    found = oddly.check(
        s.odd,
        [oddly.rules.monotone(name, "up", label=label), oddly.rules.ignores(name), f'if {name}={text} then "{label}"'],
    )
    wanted = [falls, int(hinges.sum()), int((~inside).sum())]
    hold([v.count for v in found.verdicts] == wanted, "rules are broken by", wanted)
    hold([v.holds for v in found.verdicts] == [not n for n in wanted], "verdicts")


def listing(r: Random, s: Subject) -> None:
    label = r.choice(s.odd.labels)
    found = list(islice(oddly.instances(s.odd, label, "uniform"), 700))
    places = {tuple(a["values"].index(instance[a["name"]]) for a in s.spec["attributes"]) for instance, _ in found}
    hold(
        places == {tuple(map(int, p)) for p in np.argwhere(s.table == s.odd.labels.index(label))}
        or (not s.names and len(found) == int(s.table == s.odd.labels.index(label))),
        "instances of",
        label,
    )
    for instance in oddly.sample(s.odd, 3, label, seed=r.randrange(99)) if found else []:
        hold(
            tuple(a["values"].index(instance[a["name"]]) for a in s.spec["attributes"]) in places or not s.names,
            "a sample of another label",
        )


def probabilities(r: Random, s: Subject) -> None:
    """Under the model itself: how probable each label is, to the float's last digits."""
    if s.spec["kind"] not in ("naive-bayes", "network"):
        return
    mass = np.asarray(np.asarray(oracle.masses(s.spec), object).sum(axis=-1), object)
    total = int(sum(mass.reshape(-1)))
    if not total:
        return
    found = oddly.count(s.odd).probability
    for i, label in enumerate(s.odd.labels):
        part = sum((m for m, own in zip(mass.reshape(-1), (s.table == i).reshape(-1), strict=True) if own), 0)
        wanted = float(Fraction(int(part), total))
        hold(
            abs(found[label] - wanted) <= 1e-12 * max(wanted, 1e-300) + 1e-300,
            "probability of",
            label,
            found[label],
            wanted,
        )


def ranges(r: Random, s: Subject) -> None:
    """The intercept of a card, or the threshold, moved to where `allowed` says: nothing changes inside, something beyond."""
    if s.spec["kind"] != "scorecard":
        return
    found = oddly.allowed(s.odd).prior
    scale = Fraction(s.spec["scale"])
    for end, included, outward in ((found.low, found.includes_low, -1), (found.high, found.includes_high, 1)):
        if not np.isfinite(end):
            continue
        exact = Fraction(end).limit_denominator(10**6) if abs(end) < 1e15 else None
        if exact is None or exact != Fraction(end):
            continue
        for at, same in (
            (exact, included),
            (exact - outward * scale / 1000, True),
            (exact + outward * scale / 1000, False),
        ):
            moved = s.spec | {
                "intercept": str(int(at * 1000)),
                "cutoff": str(int(s.spec["cutoff"]) * 1000),
                "attributes": [a | {"points": [str(int(p) * 1000) for p in a["points"]]} for a in s.spec["attributes"]],
            }
            if Fraction(at * 1000).denominator == 1:
                hold(np.array_equal(oracle.decisions(moved), s.table) == same, "an intercept of", at, "same:", same)


def fairness(r: Random, s: Subject) -> None:
    if not s.names:
        return
    axes = r.sample(range(len(s.names)), r.randint(1, min(2, len(s.names))))
    low, high = s.table.min(tuple(axes), keepdims=True), s.table.max(tuple(axes), keepdims=True)
    found = oddly.fairness(s.odd, [s.names[a] for a in axes], under="uniform", label=s.odd.labels[-1])
    hold(found.count == int(np.broadcast_to(low != high, s.table.shape).sum()), "hinging decisions", found.count)


def rounding(r: Random, s: Subject) -> None:
    """A card of whole points is not changed by rounding."""
    if s.spec["kind"] == "scorecard":
        hold(oddly.rounding(s.model, 2).probabilities[0].count == 0, "whole points were rounded")


def certificate(r: Random, s: Subject) -> None:
    """Ties are counted, and the closest instance is as close as that."""
    if s.spec["kind"] != "scorecard":
        return
    total = oracle._outer(
        s.spec, [[[int(p)] for p in a["points"]] for a in s.spec["attributes"]], [int(s.spec["intercept"])], np.add
    )[..., 0]
    away = [abs(int(one) - int(s.spec["cutoff"])) for one in np.asarray(total, object).reshape(-1)]
    hold(s.odd.certificate.ties == sum(1 for a in away if a == 0), "ties", s.odd.certificate.ties)
    least = Fraction(int(min(away)))
    near = Fraction(s.odd.certificate.error) + least / 10**9
    hold(abs(Fraction(s.odd.certificate.closest) - least) <= near, "closest", s.odd.certificate.closest, "for", least)


QUESTIONS = [
    count,
    must_hold,
    restrict,
    compare,
    explain,
    change,
    robustness,
    importance,
    check,
    listing,
    probabilities,
    ranges,
    fairness,
    rounding,
    certificate,
]
