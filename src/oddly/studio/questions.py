# SPDX-License-Identifier: Apache-2.0
"""What the page can ask, as JSON in and JSON out. Runs in a worker process (`bench` says how models are named)."""

import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from itertools import chain
from pathlib import Path
from typing import Any

from oddly.algebra.domain import CONVENTION, is_impossible
from oddly.answers import Rounded, as_json
from oddly.answers.blocks import Block
from oddly.diagram import ODD
from oddly.diagram.paths import in_turn
from oddly.diagram.rows import known_values
from oddly.errors import ModelError, OddlyError, TooLarge
from oddly.formats import model_to_json
from oddly.model import Model
from oddly.model.numbers import written
from oddly.studio.bench import Bench, Json, instance_of, texts_of
from oddly.studio.opening import open_
from oddly.studio.picture import grouped, passed, picture
from oddly.studio.ranges import listed
from oddly.studio.ranges import ranges as ranges_of

MOST_RULES = 50
MOST_REASONS = 6
MOST_CASES = 8
MOST_NUMBERS = 5_000
PARTS = {"report": 12}  # each part of it has the time of a question


# ---- one model ----


def model(bench: Bench, asked: Json) -> Json:
    """What is this model, and what does its diagram look like?"""
    from oddly.questions.count import count

    odd = bench.diagram(asked)
    source = bench.model(asked) if bench.has_model(asked) else None
    counts = count(odd)
    variables = {v.name: v for v in odd.variables}
    return {
        "sentence": repr(source or odd),
        "diagram": repr(odd),
        "kind": type(source or odd).__name__,
        "class": None if source is None else source.class_name,
        "labels": list(odd.labels),
        "positive": None if source is None else source.positive,
        "variables": [{"name": name, "values": list(variables[name].values)} for name in odd.columns],
        "order": list(odd.order),
        "instances": str(odd.instances),
        "size": odd.size,
        "reduced": odd.reduced_size,
        "counts": {label: str(found) for label, found in counts.counts.items()},
        "chances": as_json(counts.probability, Mapping[str, Rounded] | None),
        "under": counts.under,
        "certificate": repr(odd.certificate) if odd.source is not None else "",
        "now": {} if source is None else _now(source, bench.model(_as_opened(asked))),
        "impossible": counts.scope.note(),
        "first": _first(odd),
        "picture": picture(odd),
    }


def _first(odd: ODD) -> Json:
    """The instance to begin with: the first that is possible, if the model says which are."""
    paths = iter([(0,) * len(odd.order)])
    if odd.source is not None and odd.source.model.probabilistic is not None:
        with suppress(TooLarge):
            can = odd.possible
            paths = chain(in_turn(can.levels, can.root, 1, 2), paths)
    return odd.instance_of(next(paths))


def _now(source: Model, before: Model) -> Json:
    """The numbers that changes have moved, by their place."""
    pairs = enumerate(zip(source.numbers(), before.numbers(), strict=True))
    return {
        str(i): {"text": written(n.now), "value": as_json(n.now, Rounded)} for i, (n, old) in pairs if n.now != old.now
    }


def _as_opened(asked: Json) -> Json:
    return {**asked, "side": {**asked["side"], "edits": []}}


def bands(bench: Bench, asked: Json) -> Json:
    """What does a diagram look like that is too large to be drawn node by node?"""
    return grouped(bench.diagram(asked), bench.bands(asked))


def way(bench: Bench, asked: Json) -> Json:
    """Where does an instance go in such a picture?"""
    return passed(bench.diagram(asked), bench.bands(asked), instance_of(asked))


def numbers(bench: Bench, asked: Json) -> Json:
    """Which numbers are there to move?"""
    return listed(bench.model(asked) if bench.has_model(asked) else None, MOST_NUMBERS)


def ranges(bench: Bench, asked: Json) -> Json:
    """Where may each number lie?"""
    model = bench.model(asked) if bench.has_model(asked) else None
    return ranges_of(bench.diagram(asked), model, MOST_NUMBERS, progress=bench.progress)


def why(bench: Bench, asked: Json) -> Json:
    """What does it decide of this instance, why, and what would change it?"""
    from oddly.questions.change.question import change
    from oddly.questions.explain.question import explain

    odd, instance = bench.diagram(asked), instance_of(asked)
    known = known_values(odd, instance)
    if is_impossible(odd, {depth: known[name] for depth, name in enumerate(odd.order) if name in known}):
        return {"impossible": True, "sentence": f"{CONVENTION}."}
    answer = explain(odd, instance, **bench.limits | {"max_nodes": min(bench.max_nodes, 200_000 + odd.size)})
    found: Json = {
        "impossible": False,
        "decision": answer.decision,
        "sentence": answer.sentence(),
        "because": answer.because() if answer.decision is not None else "",
        "sufficient": answer.sufficient.to_json(),
        "blocks": as_json(answer.blocks(MOST_REASONS)[1:], tuple[Block, ...]),
        "open": answer.open.to_json() if answer.open is not None else None,
        "posterior": None,
        "change": None,
    }
    if not answer.missing:
        found["posterior"] = _posterior(bench.model(asked), instance) if bench.has_model(asked) else None
        ways = change(odd, instance, k=3, **bench.limits)
        each = [way.to_json() | {"sentence": way.sentence()} for way in ways.alternatives]
        found["change"] = {"sentence": ways.sentence(), "robustness": ways.robustness, "ways": each}
    return found


def _posterior(source: Model, instance: Mapping[str, str]) -> Json | None:
    posterior = source.probabilistic and source.probabilistic.posterior(instance)
    return {v: float(p) for v, p in zip(source.class_values, posterior, strict=True)} if posterior else None


# ---- two models ----


def differ(bench: Bench, asked: Json) -> Json:
    """Where do two models decide differently?"""
    from oddly.questions.compare.question import compare

    first = bench.diagram(asked, "a")
    difference = compare(first, bench.operand(asked, "b"), **bench.limits)
    cases = [
        {"instance": case, "own": difference.own_case(case), "a": one, "b": two}
        for case, one, two in difference.decided(MOST_CASES)
    ]
    blocks = as_json(difference.blocks(0)[1:], tuple[Block, ...])
    return {**difference.to_json(examples=0), "sentence": difference.sentence(), "blocks": blocks, "cases": cases}


# ---- rules ----


def check(bench: Bench, asked: Json) -> Json:
    """Does it obey these rules?"""
    from oddly.questions.check.language import rule
    from oddly.questions.check.question import check as checked
    from oddly.questions.check.rules import Agrees

    odd = bench.diagram(asked)
    found = []
    for text in texts_of(asked, "rules", MOST_RULES):
        try:
            one = rule(text, odd)
            if isinstance(one, Agrees):  # it names a file, and the page reaches none
                raise ModelError("here two models are compared under “How do two differ?”")
            verdict = checked(odd, one, **bench.limits)[0]
            found.append({"rule": text, "holds": verdict.holds, "sentence": verdict.sentence(), **_case(verdict.case)})
        except OddlyError as error:
            why_not = {"understood": isinstance(error, TooLarge), "error": str(error), "cases": []}
            found.append({"rule": text, "holds": None, **why_not})
    return {"verdicts": found}


def fair(bench: Bench, asked: Json) -> Json:
    """Do decisions hinge on protected attributes?"""
    from oddly.questions.fairness.question import fairness

    odd = bench.diagram(asked)
    answer = fairness(odd, texts_of(asked, "protected"), label=odd.labels[-1], **bench.limits)
    told = {"holds": answer.holds, "sentence": answer.about_hinges(), "label": answer.label}
    return {**told, "blocks": as_json(answer.blocks()[1:], tuple[Block, ...]), **_case(answer.case)}


def _case(case: Any) -> Json:
    if case is None:
        return {"cases": []}
    pairs = zip(case.instances, case.decisions, strict=False)
    return {"cases": [{"instance": dict(instance), "decision": decision} for instance, decision in pairs]}


# ---- taking it along ----


def saved(bench: Bench, asked: Json) -> Json:
    """The model as it is now, for a file."""
    return {"text": json.dumps(model_to_json(bench.model(asked)), indent=1, ensure_ascii=False) + "\n"}


def report(bench: Bench, asked: Json) -> Json:
    """One page about the model, to keep."""
    from oddly.reporting import report as reported

    odd, side = bench.diagram(asked), asked["side"]
    name = str(side.get("name") or "the model")
    found = reported(
        odd,
        against=bench.operand(asked, "b") if asked.get("b") else None,
        rules=_readable(texts_of(asked, "rules", MOST_RULES), odd) or None,
        cases=[instance_of(asked)] if asked.get("instance") else [],
        protected=texts_of(asked, "protected"),
        label=odd.labels[-1] if len(odd.labels) > 2 else None,
        seconds=bench.seconds,
        max_nodes=bench.max_nodes,
        progress=bench.progress,
        title=f"Report on {name}" + (", as changed in the studio" if side.get("edits") else ""),
    )
    return {"name": f"{Path(name).stem or 'model'}-report.html", "text": found.html(), "sentence": found.sentence()}


def _readable(texts: list[str], odd: ODD) -> list[Any]:
    """The rules that are rules, and name no file."""
    from oddly.questions.check.language import rule
    from oddly.questions.check.rules import Agrees

    found = []
    for text in texts:
        with suppress(OddlyError):
            found.append(rule(text, odd))
    return [one for one in found if not isinstance(one, Agrees)]


ASKED = (model, bands, way, numbers, ranges, why, differ, check, fair, saved, report)
QUESTIONS: dict[str, Callable[[Bench, Json], Json]] = {"open": open_, **{asked.__name__: asked for asked in ASKED}}


def answered(bench: Bench, question: str, asked: Json) -> Json:
    """The answer, or what went wrong as {"error": ..., "kind": ...}."""
    try:
        return {"answer": QUESTIONS[question](bench, asked)}
    except TooLarge as error:
        more = f"This page stops at {bench.max_nodes:,} nodes; oddly studio --max-nodes allows more."
        return {"error": f"{str(error).partition('  Try')[0]}  {more}", "kind": "TooLarge"}
    except OddlyError as error:
        return {"error": str(error), "kind": type(error).__name__}
    except ImportError as error:
        return {"error": f"This installation cannot answer that: {error}.", "kind": "Unsupported"}
    except MemoryError:
        bench.diagrams.clear()
        bench.groups.clear()
        return {"error": "out of memory: a question may take half of this machine's.", "kind": "TooLarge"}
