# SPDX-License-Identifier: Apache-2.0
"""`oddly compile`: the diagram of a model, its size and its certificate; `oddly order`: a search for a smaller one."""

import shlex
import time
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from math import inf
from statistics import mean, pstdev
from typing import Annotated, Any

from oddly.algebra.domain import domain_of
from oddly.answers import Count, Unbounded, apart, as_json, percent
from oddly.cli.options import (
    BUILD,
    READ,
    AsJson,
    BuildOptions,
    Error,
    Impossible,
    ModelFile,
    OddFile,
    ReadOptions,
    Under,
    compiled,
    enclosed,
)
from oddly.cli.output import bars, on_terminal, seconds, state
from oddly.cli.texts import UsageError, output_beside, say
from oddly.diagram import ODD, Certificate, Pair
from oddly.diagram.sources import Tabled
from oddly.engine import Engine, used
from oddly.engine.order import Tried, best_of, search
from oddly.errors import Unsupported
from oddly.formats.text import comma_text
from oddly.lowering import lowered
from oddly.lowering.score import Score
from oddly.model.numbers import as_float, from_log_odds


def run(
    model: ModelFile,
    /,
    *,
    output: OddFile = None,
    error: Error = None,
    under: Under = None,
    build: BuildOptions = BUILD,
    as_json: AsJson = False,
) -> int:
    """Turn a model into its diagram.

    The diagram decides as the model does on every possible input, and the certificate proves it. With --error, a sum of one
    weight per attribute whose diagram is too large becomes two diagrams around it.

    Example:
      oddly compile model.json -o model.odd
      oddly compile model.json --order best-of:100 --max-memory 4G
      oddly compile model.json --order U,B,S --json
      oddly compile large.json --error 0.001 --under uniform
    """
    output_beside(output, model, suffixes=[".odd"])
    if error is None and under is not None:
        raise UsageError("--under weighs what two diagrams leave undecided, and takes --error")
    started = time.perf_counter()
    odd = enclosed(model, build, error, under)
    elapsed = time.perf_counter() - started
    if isinstance(odd, Pair):
        if output is not None:
            raise UsageError("-o keeps a diagram, and with this --error there are two around it")
        state(pair_summary(odd) | {"seconds": elapsed}, _pair_lines(odd, elapsed), as_json)
        return 0
    answer = summary(odd, build.engine) | {"seconds": elapsed, "written": output and str(output)}
    if output is not None:
        odd.save(output)
    state(answer, _lines(odd, answer), as_json)
    return 0 if odd.certificate else 1


def pair_summary(pair: Pair) -> dict[str, Any]:
    """What there is to say about two diagrams around a model, as JSON says it."""
    counts = {label: dict(zip(("least", "most"), map(str, pair.count(label)), strict=True)) for label in pair.labels}
    return {
        "exact": pair.exact,
        "error": pair.error,
        "under": pair.under,
        "sizes": {"lower": pair.lower.size, "upper": pair.upper.size},
        "order": pair.order,
        "instances": str(pair.instances),
        "labels": pair.labels,
        "between": counts,
    }


def _pair_lines(pair: Pair, elapsed: float) -> list[tuple[str, str]]:
    ends = [(label, pair.count(label)) for label in reversed(pair.labels)]
    rows = [(f"  {label}", f"{percent(a, pair.instances)} to {percent(b, pair.instances)}") for label, (a, b) in ends]
    return [
        (
            "sizes",
            f"{pair.lower.size:,} nodes below the model and {pair.upper.size:,} above; its own diagram is too large",
        ),
        ("undecided", f"at most {pair.error:.2g} of all inputs, under {pair.under}"),
        ("order", ", ".join(pair.order)),
        ("instances", f"{pair.instances:,}"),
        *rows,
        ("time", seconds(elapsed)),
    ]


def summary(odd: ODD, engine: Engine = "auto") -> dict[str, Any]:
    """What there is to say about a diagram, as JSON says it."""
    assert odd.source is not None
    certificate = odd.certificate
    return {
        **shape(odd),
        "widths": odd.widths,
        "bound": str(odd.bound),
        "certificate": certificate_json(certificate),
        "interval": certificate.interval
        and {
            **as_json(dict(zip(("low", "high"), certificate.interval, strict=True)), dict[str, Unbounded]),
            "closed": "high" if odd.source.model.ties == "negative" else "low",
            "unit": odd.source.model.unit,
        },
        "engine": "numpy" if isinstance(odd.source, Tabled) else used(odd.source, engine),
    }


def shape(odd: ODD) -> dict[str, Any]:
    """What there is to say about any diagram."""
    return {
        "size": odd.size,
        "reduced_size": odd.reduced_size,
        "order": odd.order,
        "instances": str(odd.instances),
        "labels": odd.labels,
        "counts": {label: str(odd.count(label)) for label in reversed(odd.labels)},
        "impossible": as_json(domain_of(None, odd).scope.impossible, Count | None),
    }


def decided(odd: ODD) -> list[tuple[str, str]]:
    """The order of a diagram, and how many instances get which decision."""
    counts = [(label, odd.count(label)) for label in reversed(odd.labels)]
    rows = [(f"  {label}", f"{n:,} ({percent(n, odd.instances)})") for label, n in counts]
    head = [("order", ", ".join(odd.order) or "no attributes"), ("instances", f"{odd.instances:,}")]
    note = domain_of(None, odd).scope.note()
    return [*head, *rows, *([("impossible", note)] if note else [])]


def certificate_json(certificate: Certificate) -> dict[str, Any]:
    """How far a diagram is proven."""
    return {
        "proven": certificate.proven,
        "closest": as_json(certificate.closest, Unbounded),
        "ties": str(certificate.ties),
        "bits": certificate.bits,
        "error": certificate.error,
    }


def _lines(odd: ODD, answer: dict[str, Any]) -> list[tuple[str, str]]:
    return [
        ("size", f"{odd.size:,} nodes; {answer['reduced_size']:,} reduced; at most {odd.bound:,} by the bound"),
        ("widths", _shape(odd.widths)),
        *decided(odd),
        ("certificate", repr(odd.certificate).removeprefix("Certificate: ")),
        _allowed(odd),
        ("time", f"{seconds(answer['seconds'])} on the {answer['engine']} engine"),
        *([("written", answer["written"])] if answer["written"] else []),
    ]


def _shape(widths: list[int]) -> str:
    """The widths: numbers for a pipe, and on a terminal bars, with the numbers while they are few."""
    numbers = " ".join(f"{width:,}" for width in widths)
    if not on_terminal():
        return numbers
    widest = f"widest {max(widths):,}, at depth {widths.index(max(widths))}"
    return f"{bars(widths)}  {numbers if len(widths) <= 12 else widest}"


def _allowed(odd: ODD) -> tuple[str, str]:
    """Which priors, or intercepts, leave every decision as it is?"""
    assert odd.source is not None
    model = odd.source.model
    name = "intercept" if model.unit == "points" else "prior"
    if odd.certificate.interval is None and not isinstance(odd.source, Score):
        return name, "there is more than one number; see oddly allow"
    if odd.certificate.interval is None:
        return name, "it is certain, so no input tells what another prior would change"
    low, high = odd.certificate.interval
    if (low, high) == (-inf, inf):
        return name, f"any {'intercept' if name == 'intercept' else 'prior but 0 and 1'} leaves every decision as it is"
    stretch = "any above {} up to {}" if model.ties == "negative" else "any from {} to below {}"
    by_class = dict(zip(model.class_values, model.start or (), strict=False))
    start = as_float(by_class.get(odd.labels[1], Fraction(0)))
    if model.unit == "points":
        least, now, below = apart(low, start, high)
        return name, f"{now} points; {stretch.format(least, below)} leaves every decision as it is"
    least, now, below = apart(from_log_odds(low), start, from_log_odds(high))
    log_odds = " to ".join(apart(low, high))
    return name, (
        f"Pr({model.class_name}={odd.labels[1]}) is {now}; {stretch.format(least, below)} leaves every "
        f"decision as it is (log-odds {log_odds})"
    )


def order(
    model: ModelFile,
    /,
    *,
    tries: Annotated[int, say("How many random orders to try.")] = 100,
    seed: Annotated[int, say("Where the random orders start; the same seed gives the same orders.")] = 0,
    jobs: Annotated[int, say("How many to try at a time; -1 is one per processor.")] = -1,
    impossible: Impossible = "negative",
    read: ReadOptions = READ,
    as_json: AsJson = False,
) -> int:
    """Search for an order of the attributes that makes the diagram smaller.

    Every order gives the same decisions; the number of nodes differs.

    Example:
      oddly order model.json --tries 1000 --seed 7
    """
    if jobs == 0:
        raise UsageError("--jobs: expected how many to try at a time, or -1, found 0")
    plan = best_of(tries, seed, jobs)
    started = time.perf_counter()
    source = compiled(model, replace(BUILD, impossible=impossible, choice=read.choice)).source
    assert source is not None
    if isinstance(source, Tabled):
        raise Unsupported("a search would decide all instances one by one for every order")
    score = lowered(source.model, source.bits, impossible)  # at a precision that the compiler has proven to suffice
    tried = search(score, plan)
    answer = _answer([str(model), *read.choice.words()], tried, score.names) | {
        "seconds": time.perf_counter() - started
    }
    state(answer, _searched(answer), as_json)
    return 0


def _answer(words: Sequence[str], tried: Sequence[Tried], names: Sequence[str]) -> dict[str, Any]:
    best = tried[0]
    order = [names[i] for i in best.order]
    chosen = ["--order", comma_text(order)] if order else []
    sizes = {t.name: t.size for t in tried}
    randoms = [t.size for t in tried if t.name.startswith("random:")]
    return {
        "best": {"size": best.size, "name": best.name, "order": order},
        "ascending": sizes.get("ascending"),
        "descending": sizes.get("descending"),
        "random": {
            "tries": len(randoms),
            "mean": mean(randoms) if randoms else None,
            "deviation": pstdev(randoms) if randoms else None,
            "least": min(randoms, default=None),
            "greatest": max(randoms, default=None),
        },
        "command": shlex.join(["oddly", "compile", *words, *chosen]),
    }


def _searched(answer: dict[str, Any]) -> list[tuple[str, str]]:
    best, random = answer["best"], answer["random"]
    lines = [("best", f"{best['size']:,} nodes ({best['name']})")]
    for name in ("ascending", "descending"):
        lines.append((name, "more than fits into memory" if answer[name] is None else f"{answer[name]:,}"))
    if random["tries"]:
        spread = f"from {random['least']:,} to {random['greatest']:,}, deviation {random['deviation']:,.1f}"
        tries = f"{random['tries']:,} order{'' if random['tries'] == 1 else 's'}"
        lines.append(("random", f"{random['mean']:,.1f} on average over {tries}, {spread}"))
    lines.append(("order", ", ".join(best["order"]) or "no attributes"))
    return [*lines, ("time", seconds(answer["seconds"])), ("again", answer["command"])]
