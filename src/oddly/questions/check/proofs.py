# SPDX-License-Identifier: Apache-2.0
"""Why should anyone believe a verdict?  Certificates that a program of a hundred lines checks by itself.

The proof of a verdict is the diagram. Two walkers go down two diagrams, or one twice. At most attributes both read the
same value; where a rule compares values, one reads the one and the other the other. A rule holds iff they can never end
at labels that break it; in how many ways they can is how many instances, or pairs of them, do.

    always, never   both read the same, where a condition holds; the label must be this one, or must not
    monotone        one step along the attribute's values; the first walker must not end at the label without the second
    ignores         a walker goes on with every value of these attributes; all must end at one label
    agrees          one walker in each diagram; within a tolerance the edges of a distribution are multiplied and added

A certificate is JSON: the rules that were asked, and for each a *claim*, in terms that need no parser, and what was found
of it; without a claim it is nobody's but ours. Beside it lie the diagrams and distributions that it speaks of, known by their SHA-256. `tools/verify_certificate.py` is the program.
"""

import hashlib
import json
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from oddly.algebra.expressions import All, Expression, Feature
from oddly.answers import as_json
from oddly.diagram import ODD
from oddly.diagram.combine import aligned
from oddly.distribution.cases import Case
from oddly.distribution.measure import DataRows
from oddly.errors import TooLarge, Unsupported
from oddly.formats.text import named, written_safely
from oddly.lowering.distinct import as_met
from oddly.questions.check.proof_edges import edges
from oddly.questions.check.rules import EVERYTHING, Agrees, Ignores, Implies, Monotone, Rule

if TYPE_CHECKING:
    from oddly.questions.check.verdicts import Check, RuleVerdict

FORMAT, VERSION = "oddly-certificate", 3
MOST_CASES = 1000  # of a condition
MOST_STATES = 1_000_000  # of the walkers and a distribution together, at one depth
MOST_CELLS = 20_000_000  # walkers that are followed at once to find out

Box = dict[str, list[str]]
"""Values of some attributes; the others may have any."""


def save_certificate(check: "Check", path: str | os.PathLike[str]) -> None:
    """Write the certificate, and beside it the diagrams and distributions that it is about."""
    if check.scope.within is not None:
        raise Unsupported(
            "a certificate is about all inputs: say the domain in the rules, as in 'ignores sex if job=full'"
        )
    path = named(path)
    files = _Files(path)
    main = files.diagram(check._odd, "")
    verdicts = [_entry(check._odd, verdict, files) for verdict in check.verdicts]
    asked = [verdict.rule for verdict in check.verdicts]
    text = {"format": FORMAT, "version": VERSION, "rules": asked, "diagram": main, "verdicts": verdicts}
    files.write(json.dumps(text, ensure_ascii=False, indent=1).encode(), path)


@dataclass
class _Files:
    path: Path
    baselines: dict[ODD, dict[str, str]] = field(default_factory=dict)
    distributions: dict[bytes, dict[str, str]] = field(default_factory=dict)

    def diagram(self, odd: ODD, end: str) -> dict[str, str]:
        path = self.path.with_name(f"{self.path.stem}{end}.odd")
        odd.save(path)
        return {"file": path.name, "sha256": hashlib.sha256(path.read_bytes()).hexdigest()}

    def baseline(self, odd: ODD) -> dict[str, str]:
        if odd not in self.baselines:
            self.baselines[odd] = self.diagram(odd, f"-baseline-{len(self.baselines) + 1}")
        return self.baselines[odd]

    def distribution(self, found: Any) -> dict[str, str]:
        text = json.dumps(found, ensure_ascii=False).encode()
        if text not in self.distributions:
            path = self.path.with_name(f"{self.path.stem}-under-{len(self.distributions) + 1}.json")
            self.write(text, path)
            self.distributions[text] = {"file": path.name, "sha256": hashlib.sha256(text).hexdigest()}
        return self.distributions[text]

    @staticmethod
    def write(text: bytes, path: Path) -> None:
        with written_safely(path) as file:
            file.write(text)


def _entry(odd: ODD, verdict: "RuleVerdict", files: _Files) -> dict[str, Any]:
    """A verdict with its claim, and all that was found; or why there is no claim."""
    found: dict[str, Any] = {"rule": verdict.rule, "holds": verdict.holds, "claim": None, "why": verdict.why}
    if verdict.holds is None:
        return found
    try:
        return found | _proven(odd, verdict, files)
    except (Unsupported, TooLarge) as error:
        return found | {"why": str(error)}


def _proven(odd: ODD, verdict: "RuleVerdict", files: _Files) -> dict[str, Any]:
    rule, baseline, measure = verdict.settled, verdict._baseline, verdict._measure
    assert rule is not None
    if baseline is not None and (unlike := _unlike(odd, baseline)):
        raise Unsupported(f"the two have different values of {unlike}, and the program that checks compares equal ones")
    sides = (odd, odd) if baseline is None else (odd, alike(baseline, odd))
    order = _order(*sides)
    uniform = isinstance(rule, Agrees) and isinstance(rule.under, str) and rule.under == "uniform"
    weights = None if measure is None or uniform else edges(measure, aligned(*sides)[0].variables)
    try:
        tree: Any = rule.condition  # of a settled rule never a text
        condition = {} if tree == EVERYTHING else {"if": cases(tree)}
        box = None if verdict.case is None else _box(verdict.case)
        numbers: dict[str, Any] = {"count": str(verdict.count), "of": str(verdict.scope), "case": box}
        rows = isinstance(measure, DataRows)  # how a row begins settles where the walkers are
        for name, number in zip(order, _states(sides, order, rule), strict=True):
            if number * (1 if rows or weights is None else len(weights[name])) > MOST_STATES:
                raise Unsupported(f"more than {MOST_STATES:,} states at {name}, too many to certify")
    except Unsupported as error:
        condition, numbers = _of_the_case(verdict, error)
    claim = _claim(odd, rule) | condition
    if isinstance(rule, Agrees):
        under = "uniform" if weights is None else _own(rule, sides) or files.distribution(weights)
        claim |= {"baseline": files.baseline(sides[1]), "within": as_json(rule.up_to), "under": under}
    return {"claim": claim, "order": order, **numbers}


def _of_the_case(verdict: "RuleVerdict", error: Unsupported) -> tuple[dict[str, list[Box]], dict[str, Any]]:
    """What fails under the condition that it is this case fails; of more there is no proof."""
    if verdict.case is None or verdict._measure is not None:
        raise error
    pair = verdict.case.instances[: 2 if isinstance(verdict.settled, Monotone | Ignores) else 1]
    condition = {"if": [{name: [value] for name, value in instance.items()} for instance in pair]}
    number = "2" if isinstance(verdict.settled, Ignores) else "1"  # instances, or steps
    return condition, {"count": number, "of": number, "case": {}, "why": f"of the case alone: {error}"}


def _own(rule: Agrees, sides: tuple[ODD, ODD]) -> str | None:
    """Whose own distribution it is, where the checker finds that in the diagram's file by itself."""
    if not isinstance(rule.under, str) or rule.under not in ("model", "baseline"):
        return None
    source = sides[rule.under == "baseline"].source
    return rule.under if source is not None and source.model.kind == "naive-bayes" else None


def _claim(odd: ODD, rule: Rule) -> dict[str, Any]:
    if isinstance(rule, Implies):
        return {"kind": "never" if rule.never else "always", "label": rule.label}
    if isinstance(rule, Monotone):
        values = list(rule.values or ())[:: 1 if rule.direction == "up" else -1]
        return {"kind": "monotone", "label": rule.label, "along": {rule.attribute: values}}
    if isinstance(rule, Ignores):
        return {"kind": "ignores", "any": {v.name: list(v.values) for v in odd.variables if v.name in rule.attributes}}
    return {"kind": "agrees"}


def _box(case: Case) -> Box:
    """All that a case says: what is known, and where it compares two instances the values of both."""
    one, two = case.instances[0], case.instances[-1]
    apart = {name: [one[name], two[name]] for name in one if one[name] != two[name]}
    return {name: [value] for name, value in case.known.items()} | apart


def _order(odd: ODD, baseline: ODD) -> list[str]:
    """An order of the attributes of both that keeps the order of each."""
    order = list(aligned(odd, baseline)[0].order)
    for one in (odd, baseline):
        if [name for name in order if name in one.order] != list(one.order):
            raise Unsupported("the two diagrams read their attributes in different orders")
    return order


def _unlike(odd: ODD, baseline: ODD) -> str | None:
    """An attribute that the two cut differently, or of which they know different values; labels count as well."""
    if set(odd.labels) != set(baseline.labels):
        return "the decision"
    other = {v.name: v for v in baseline.variables}
    shared = [(v, other[v.name]) for v in odd.variables if v.name in other]
    return next((v.name for v, w in shared if v.bins != w.bins or set(v.values) != set(w.values)), None)


def alike(baseline: ODD, odd: ODD) -> ODD:
    """The baseline with the values of shared attributes in the other's order."""
    own = {v.name: v for v in odd.variables}
    variables = tuple(own.get(v.name, v) for v in baseline.variables)
    places = [[v.values.index(x) for x in w.values] for v, w in zip(baseline.variables, variables, strict=True)]
    if all(place == sorted(place) for place in places):
        return baseline
    levels = tuple(level[:, place] for level, place in zip(baseline.levels, places, strict=True))
    return replace(baseline, variables=variables, levels=levels, source=None)


# ---- conditions ----


def cases(tree: Expression) -> list[Box]:
    """A condition as alternatives, each with the allowed values of the attributes it mentions."""
    if _size(tree) > MOST_CASES:
        raise Unsupported(f"the condition has more than {MOST_CASES:,} cases, too many to certify")
    return _cases(tree)


def _cases(tree: Expression) -> list[Box]:
    if isinstance(tree, Feature):
        return [{tree.variable.name: [v for v, a in zip(tree.variable.values, tree.allowed, strict=True) if a]}]
    parts = [_cases(part) for part in tree.parts]
    if not isinstance(tree, All):
        return [case for part in parts for case in part]
    found = []
    for chosen in product(*parts):
        joined: Box = {}
        for case in chosen:
            joined |= {name: [v for v in values if v in joined.get(name, values)] for name, values in case.items()}
        found.append(joined)
    return found


def _size(tree: Expression) -> int:
    if isinstance(tree, Feature):
        return 1
    sizes = [_size(part) for part in tree.parts]
    return prod(sizes) if isinstance(tree, All) else sum(sizes)


# ---- whether it can be checked ----


def _states(odds: tuple[ODD, ODD], order: Sequence[str], rule: Rule) -> Iterable[int]:
    """In how many ways the walkers can stand at each depth; no more is worked out once they are too many."""
    single = isinstance(rule, Implies | Ignores)  # both sides read the same
    here = [np.array([[odd.root]], np.uint32) for odd in odds[: 1 if single else 2]]
    values = {v.name: v.values for odd in odds for v in odd.variables}
    for name in order:
        yield len(here[0])
        reads: list[Any] = [([x], [x]) for x in values[name]]
        if isinstance(rule, Monotone) and name == rule.attribute:
            reads = [([x], [y]) for x, y in rule.steps]
        if isinstance(rule, Ignores) and name in rule.attributes:
            reads = [(values[name],)]
        if len(here[0]) * sum(nodes.shape[1] for nodes in here) * len(values[name]) > MOST_CELLS:
            raise Unsupported(f"more than {MOST_CELLS:,} walkers at {name}, too many to certify")
        found = []
        for side, (odd, nodes) in enumerate(zip(odds, here, strict=False)):
            below = [_children(odd, nodes, name, both[side]) for both in reads] or [nodes[:0]]
            found.append(np.concatenate(below, dtype=np.uint32))
        here = _distinct(found)


def _children(odd: ODD, nodes: NDArray[Any], name: str, values: Sequence[str]) -> NDArray[Any]:
    """Where walkers go with each of the values; an attribute that the diagram lacks leaves them where they are."""
    if name not in odd.order:
        return np.hstack([nodes] * len(values))
    depth = odd.order.index(name)
    return np.hstack([odd.levels[depth][nodes, odd.variables[depth].values.index(value)] for value in values])


def _distinct(here: list[NDArray[Any]]) -> list[NDArray[Any]]:
    """Different ways to stand, and of several walkers only those that ever stand apart."""
    if len(here) == 1:
        apart = {column.tobytes(): i for i, column in enumerate(here[0].T)}
        here = [np.sort(here[0][:, list(apart.values())], axis=1)]
    rows, _ = as_met(np.hstack(here))
    return np.split(rows, np.cumsum([nodes.shape[1] for nodes in here])[:-1], axis=1)
