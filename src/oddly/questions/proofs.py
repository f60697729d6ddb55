# SPDX-License-Identifier: Apache-2.0
"""Why should anyone believe a verdict?  Certificates that a program of a hundred lines checks by itself.

Two walkers go down two diagrams, or the same one twice. At most attributes both read the same value; where a
rule compares values, one reads the one and the other the other. A rule holds iff they can never end at labels that break
it. The proof is a set of pairs of nodes for every depth that holds the start and, with a pair, all that a move leads to
from there: what is not in the last set cannot happen. To check that takes no search, and no trust in how the
sets were found. A rule that fails is proven by the instances that break it.

    monotone   one step along the attribute's values; the first walker must not end at the label without the second
    ignores    each walker reads what it likes of these attributes; both must end at one label
    implies    both read the same values, those that a case of the condition allows; one proof per case
    agrees     one walker in each diagram; within a tolerance the checker also adds up how probable the pairs are

A certificate is JSON. Beside it lie the diagrams it speaks of, known by their SHA-256. A set of pairs is
sorted, as 64-bit numbers (a node of the first diagram times 2^32 plus one of the second), each less the one before
it, little-endian, compressed by zlib, in base64.
"""

import base64
import hashlib
import json
import os
import zlib
from collections.abc import Mapping, Sequence
from itertools import product
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from oddly.answers import as_json
from oddly.diagram import ODD
from oddly.errors import Unsupported
from oddly.formats import written_safely
from oddly.model import NaiveBayes
from oddly.questions.combine import aligned
from oddly.questions.expressions import All, Expression, Feature
from oddly.questions.rules import Agrees, Ignores, Implies, Monotone

if TYPE_CHECKING:
    from oddly.questions.verdicts import Check, RuleVerdict

FORMAT, VERSION = "oddly-certificate", 1
MOST_CASES = 1000  # of a condition, each of which has a proof of its own
MOST_PAIRS = 20_000_000  # of nodes at one depth

Moves = Mapping[str, Sequence[tuple[str, str]]]
"""By attribute, the values that the two walkers may read."""


def save_certificate(check: "Check", path: str | os.PathLike[str]) -> None:
    """Write the certificate, and beside it the diagrams it is about."""
    path = Path(path)
    main = _saved(check._odd, path.with_suffix(".odd"))
    verdicts = []
    saved: dict[tuple[ODD, Any], dict[str, str]] = {}
    for verdict in check.verdicts:
        odd, baseline = verdict._baseline, None
        if odd is not None:
            key = odd, odd.source and odd.source.model  # one function may have several models
            if key not in saved:
                saved[key] = _saved(odd, path.with_name(f"{path.stem}-baseline-{len(saved) + 1}.odd"))
            baseline = saved[key]
        verdicts.append(_entry(check._odd, verdict, baseline))
    text = {"format": FORMAT, "version": VERSION, "diagram": main, "verdicts": verdicts}
    with written_safely(path) as file:
        file.write(json.dumps(text, ensure_ascii=False, indent=1).encode())


def _saved(odd: ODD, path: Path) -> dict[str, str]:
    odd.save(path)
    return {"file": path.name, "sha256": hashlib.sha256(path.read_bytes()).hexdigest()}


def _entry(odd: ODD, verdict: "RuleVerdict", baseline: dict[str, str] | None) -> dict[str, Any]:
    """A verdict with its claim, in terms that need no parser, and its proof; or why there is none."""
    proof: Any = None
    try:
        claim = _claim(odd, verdict)
        if baseline is not None:
            claim["baseline"] = baseline
        proof = _proof(odd, verdict) if verdict.holds is not None else None
        why = verdict.why
    except Unsupported as error:
        claim, why = None, str(error)
    return {"rule": verdict.rule, "holds": verdict.holds, "claim": claim, "proof": proof, "why": why}


def _claim(odd: ODD, verdict: "RuleVerdict") -> dict[str, Any]:
    rule = verdict.settled
    if isinstance(rule, Monotone):
        values = rule.values if rule.direction == "up" else (rule.values or ())[::-1]
        return {"kind": "monotone", "attribute": rule.attribute, "values": values, "label": rule.label}
    if isinstance(rule, Ignores):
        return {"kind": "ignores", "attributes": rule.attributes}
    if isinstance(rule, Implies):
        condition = tree_json(rule.tree(odd.variables))
        return {"kind": "implies", "condition": condition, "label": rule.label, "never": rule.never}
    assert isinstance(rule, Agrees)
    if rule.weighed:
        _weighable(odd, verdict, rule)
    return {"kind": "agrees", "within": as_json(rule.within), "under": rule.under}


def _weighable(odd: ODD, verdict: "RuleVerdict", rule: Agrees) -> None:
    """Refuse a distribution that a small program cannot add up: only products of independent attributes are so."""
    side = verdict._baseline if rule.under == "baseline" else odd
    model = side.source.model if side is not None and side.source is not None else None
    known = isinstance(rule.under, str) and (
        rule.under == "uniform" or (rule.under in ("model", "baseline") and isinstance(model, NaiveBayes))
    )
    if not known:
        raise Unsupported("a tolerance is certified under 'uniform', or under a naive Bayes model")


def tree_json(tree: Expression) -> dict[str, Any]:
    """A condition as JSON: all of some parts, any of some parts, or an attribute with its allowed values."""
    if isinstance(tree, Feature):
        allowed = [value for value, holds in zip(tree.variable.values, tree.allowed, strict=True) if holds]
        return {"attribute": tree.variable.name, "in": allowed}
    return {"all" if isinstance(tree, All) else "any": [tree_json(part) for part in tree.parts]}


def _proof(odd: ODD, verdict: "RuleVerdict") -> dict[str, Any]:
    rule = verdict.settled
    weighed = isinstance(rule, Agrees) and rule.weighed
    baseline = verdict._baseline
    order = {} if baseline is None else {"order": list(aligned(odd, baseline)[0].order)}  # of what either reads
    if not verdict.holds and not weighed:
        assert verdict.case is not None
        return {**order, "instances": [dict(i) for i in verdict.case.instances]}
    values = {v.name: v.values for v in odd.variables}
    same: dict[str, list[tuple[str, str]]] = {name: [(x, x) for x in own] for name, own in values.items()}
    if isinstance(rule, Monotone):
        return {"walks": [walked(odd, odd, odd.order, same | {rule.attribute: rule.steps})]}
    if isinstance(rule, Ignores):
        free = {name: [(x, y) for x in values[name] for y in values[name]] for name in rule.attributes}
        return {"walks": [walked(odd, odd, odd.order, same | free)]}
    if isinstance(rule, Implies):
        found = cases(rule.tree(odd.variables))
        allowed = [same | {name: [(x, x) for x in values[name] if x in own] for name, own in c.items()} for c in found]
        return {"walks": [walked(odd, odd, odd.order, moves) for moves in allowed]}
    assert baseline is not None
    both = {v.name: [(x, x) for x in v.values] for v in (*baseline.variables, *odd.variables)}
    return {**order, "walks": [walked(odd, baseline, order["order"], both)]}


def cases(tree: Expression) -> list[dict[str, frozenset[str]]]:
    """A condition as alternatives, each a set of allowed values per attribute it mentions."""
    if _size(tree) > MOST_CASES:
        raise Unsupported(f"the condition has more than {MOST_CASES:,} cases, too many to certify")
    return _cases(tree)


def _cases(tree: Expression) -> list[dict[str, frozenset[str]]]:
    if isinstance(tree, Feature):
        return [
            {tree.variable.name: frozenset(v for v, a in zip(tree.variable.values, tree.allowed, strict=True) if a)}
        ]
    parts = [_cases(part) for part in tree.parts]
    if not isinstance(tree, All):
        return [case for part in parts for case in part]
    found = []
    for chosen in product(*parts):
        joined: dict[str, frozenset[str]] = {}
        for case in chosen:
            joined |= {name: joined.get(name, values) & values for name, values in case.items()}
        found.append(joined)
    return found


def _size(tree: Expression) -> int:
    if isinstance(tree, Feature):
        return 1
    sizes = [_size(part) for part in tree.parts]
    return prod(sizes) if isinstance(tree, All) else sum(sizes)


def walked(a: ODD, b: ODD, order: Sequence[str], moves: Moves) -> list[str]:
    """The pairs of nodes that two walkers reach at every depth, encoded."""
    here = np.array([(a.root << 32) | b.root], np.int64)
    found = [encoded(here)]
    for name in order:
        below = np.empty(0, np.int64)
        for x, y in moves[name]:
            children = (_step(a, here >> 32, name, x) << 32) | _step(b, here & 0xFFFFFFFF, name, y)
            below = np.union1d(below, children)
            if len(below) > MOST_PAIRS:
                raise Unsupported(f"more than {MOST_PAIRS:,} pairs of nodes at {name}, too many to certify")
        here = below
        found.append(encoded(here))
    return found


def _step(odd: ODD, nodes: NDArray[np.int64], name: str, value: str) -> NDArray[np.int64]:
    """Where the nodes go with a value; an attribute that the diagram lacks leaves them where they are."""
    if name not in odd.order:
        return nodes
    depth = odd.order.index(name)
    children: NDArray[np.int64] = odd.levels[depth][nodes, odd.variables[depth].values.index(value)].astype(np.int64)
    return children


def encoded(keys: NDArray[np.int64]) -> str:
    """Sorted numbers as text."""
    steps = np.diff(keys, prepend=0).astype("<i8")
    return base64.b64encode(zlib.compress(steps.tobytes(), 6)).decode()
