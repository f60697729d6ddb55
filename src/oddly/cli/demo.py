# SPDX-License-Identifier: Apache-2.0
"""`oddly demo`: the tour on built-in models, one step per question."""

import logging
import random
import textwrap
import time
from collections.abc import Callable, Iterator
from typing import Any

import oddly
from oddly import native
from oddly.answers import as_features, percent
from oddly.answers.blocks import Paragraph
from oddly.cli.options import AsJson
from oddly.cli.output import emit_json, heading, lay_out, seconds
from oddly.draw.files import drawing
from oddly.model import CPT, Model, NaiveBayes
from oddly.model.numbers import from_log_odds

NEXT = """\
  oddly learn data.csv --target class -o model.json    a model from your own table
  oddly compile model.json -o model.odd                its diagram, proven
  oddly show model.odd -o model.svg                    a picture of it
  oddly classify model.odd data.csv                    the decision on every row
  oddly explain model.odd NAME=VALUE ...               why one of them
  oddly order model.json                               a smaller diagram
  oddly --help                                         the rest"""


def run(*, as_json: AsJson = False) -> int:
    """Take the tour, on models that come with Oddly.

    Example:
      oddly demo
      oddly demo --json
    """
    facts = []
    for number, (title, step) in enumerate(STEPS.items(), 1):
        if not as_json:
            heading(f"{number}. {title}")
        known, *paragraphs = step()
        facts.append({"title": title, **known})
        if not as_json:
            lay_out(map(_wrapped, paragraphs))
            heading("")
    if as_json:
        emit_json({"steps": facts})
    else:
        heading("What to type next")
        lay_out([Paragraph(NEXT)])
    return 0


Told = Iterator[Any]
"""What a step has to say: facts for a program, then paragraphs for a person."""


def _engine() -> Told:
    where = "its native engine, in C++" if native.AVAILABLE else f"NumPy: {native.WHY_NOT}"
    yield {"version": oddly.__version__, "engine": "native" if native.AVAILABLE else "numpy"}
    yield f"This is Oddly {oddly.__version__} on {where}."


def _diagram() -> Told:
    odd = oddly.compile(oddly.examples.pregnancy(), order=["U", "B", "S"])
    size, reduced, certificate = odd.size, odd.reduced_size, odd.certificate
    yield {"size": size, "reduced_size": reduced, "proven": certificate.proven}
    yield (
        "A naive Bayes model reads three tests for pregnancy: urine (U), blood (B) and a scan (S). It says yes from a "
        "probability of 0.9 on. The same as a diagram, read from the top; an arrow leads to the place with its number:"
    )
    yield drawing(odd, "text").decode().rstrip("\n")
    yield (
        f"It has {size} nodes, {reduced} without those that ask in vain, and it decides exactly as the model does. That is "
        f"proven: no input comes closer to the threshold than {certificate.closest:.3f}, and rounding has moved none by "
        f"more than {certificate.error:.0e} (log-odds)."
    )


def _counts() -> Told:
    odd = oddly.compile(oddly.examples.pregnancy())
    yes, no, scanned = odd.count("yes"), odd.count("no"), odd.restrict(S="+ve")
    known = {"instances": str(odd.instances), "counts": {"yes": str(yes), "no": str(no)}}
    yield {**known, "yes_with_scan": str(scanned.count("yes"))}
    yield (
        f"Of all {odd.instances} inputs, {yes} are decided yes and {no} no. With a positive scan it is yes for "
        f"{scanned.count('yes')} of {scanned.instances}: no other test matters then."
    )


def _prior() -> Told:
    interval = oddly.compile(oddly.examples.pregnancy()).certificate.interval
    assert interval is not None
    low, high = interval
    least, most = from_log_odds(low), from_log_odds(high)
    yield {"least": least, "below": most, "log_odds": {"low": low, "high": high}}
    yield (
        f"Before any test, the model puts pregnancy at 0.87. Any other prior from {least:.3f} to just below {most:.3f} "
        f"would change no decision at all (log-odds {low:.6f} to {high:.6f})."
    )


def _comparison() -> Told:
    model = oddly.examples.pregnancy()
    difference = oddly.compare(model, model.replace(prior=["0.6", "0.4"]))
    yield {"count": str(difference.count), "example": difference.examples(1)[0]}
    yield f"The same model with a prior of 0.7: {oddly.compare(model, model.replace(prior=['0.7', '0.3']))}"
    yield f"With a prior of 0.6: {difference}"


def _retrained() -> Told:
    old, new = (_learned(year) for year in (2024, 2025))
    rows = oddly.examples.loans(2025)
    difference = oddly.compare(old, new)
    share = difference.probability(rows)
    yield {"count": str(difference.count), "cells": str(difference.instances), "share": share}
    yield (
        "A lender learns its model from last year's 800 loans and again from this year's. Each cuts age, income and amount where "
        "its own rows say, so neither has the other's values; they are compared on the cells that both make together."
    )
    yield difference.sentence()
    yield f"Of this year's applicants, {percent(share)} are decided otherwise."


def _budget() -> Told:
    model = _learned(2025)
    strict, loose = _prior_of(oddly.allowed(model)), _prior_of(oddly.allowed(model, flips="5%"))
    yield {"strict": strict.interval(), "budget": "5%", "within_budget": loose.interval()}
    yield (
        f"How far may the prior of this year's model move, now {strict.texts()[2]}? In {strict.interval()} no decision changes "
        f"at all. If one case in twenty may change, in {loose.interval()}: that is proven, and there is such a range for every "
        "other number too (oddly allow model.json --flips 5%)."
    )


def _prior_of(answer: Any) -> Any:
    """The range of the prior as a probability."""
    return answer.prior.probability


def _learned(year: int) -> Model:
    """The model of a year's loans."""
    log = logging.getLogger("oddly")
    before = log.level
    log.setLevel(logging.ERROR)  # what each column became is for those whose table it is
    try:
        return oddly.learn(oddly.examples.loans(year), "repaid", "yes", alpha=1, bins="mdl", missing="value")
    finally:
        log.setLevel(before)


def _case() -> Told:
    model = oddly.examples.pregnancy()
    case = {"U": "+ve", "B": "-ve", "S": "-ve"}
    decision, posterior = str(oddly.compile(model).classify([case])[0]), model.posterior(case)
    assert posterior is not None
    yield {"instance": case, "decision": decision, "probability": float(posterior[0])}
    yield f"{as_features(case)} is decided {decision}: its probability is {float(posterior[0]):.3f}, and yes needs 0.9."


def _reasons() -> Told:
    tests, game = {"U": "+ve", "B": "-ve", "S": "+ve"}, oddly.examples.tic_tac_toe()
    board = dict(zip([v.name for v in game.variables], "xoboxbxox", strict=True))
    why = oddly.explain(oddly.examples.pregnancy(), tests)
    other = oddly.change(oddly.examples.pregnancy(), {"U": "-ve", "B": "-ve", "S": "-ve"}, k=2)
    won = oddly.explain(game, board)
    yield {"instance": tests, "why": why.to_json(), "change": other.to_json(), "board": won.to_json()}
    yield f"{as_features(tests)} is decided {why}"
    yield f"With all three tests negative: {other}"
    yield f"A board of tic-tac-toe on which x holds the middle and three corners is decided {won}"


def _orders() -> Told:
    orders: dict[str, Any] = {"ascending": "ascending", "descending": "descending", "best": oddly.best_of(300)}
    made = {name: oddly.compile(oddly.examples.tic_tac_toe(), order) for name, order in orders.items()}
    best, sizes = made["best"], {name: odd.size for name, odd in made.items()}
    yield {"instances": str(best.instances), **sizes, "order": best.order}
    yield (
        f"Has x won this board of tic-tac-toe? A model learned from all 958 final boards decides {best.instances:,} inputs. "
        "Whichever square is asked first, the decisions are the same; the size is not. The weakest square first: "
        f"{sizes['ascending']} nodes. The strongest first: {sizes['descending']}. The best of 300 random orders: {best.size}."
    )


def _large() -> Told:
    model = random_model(40)
    started = time.perf_counter()
    odd = oddly.compile(model)
    elapsed = time.perf_counter() - started
    yes, no = odd.count("yes"), odd.count("no")
    known = {"instances": str(odd.instances), "size": odd.size, "counts": {"yes": str(yes), "no": str(no)}}
    yield {**known, "proven": odd.certificate.proven, "seconds": elapsed}
    yield (
        f"A random model with 40 two-valued attributes has {odd.instances:,} inputs. Its diagram has {odd.size:,} nodes and "
        f"took {seconds(elapsed)}, proof included. Exactly {yes:,} inputs ({percent(yes, odd.instances)}) are decided yes."
    )


STEPS: dict[str, Callable[[], Told]] = {
    "What runs here": _engine,
    "A classifier as a diagram": _diagram,
    "How many inputs get which decision?": _counts,
    "How far may the prior move?": _prior,
    "Is it still the same classifier?": _comparison,
    "And the one that was retrained?": _retrained,
    "How far, if a few decisions may change?": _budget,
    "What about one case?": _case,
    "Why, and what would change it?": _reasons,
    "Which order makes it small?": _orders,
    "And a large one?": _large,
}


def random_model(attributes: int, seed: int = 0) -> NaiveBayes:
    """A naive Bayes model of two-valued attributes whose probabilities are random, to four decimals."""
    numbers = random.Random(seed)

    def row() -> list[str]:
        p = numbers.randint(1, 9999)
        return [f"{p}/10000", f"{10000 - p}/10000"]

    cpts = [CPT(f"x{i}", ["yes", "no"], {"yes": row(), "no": row()}) for i in range(1, attributes + 1)]
    return NaiveBayes("y", ["yes", "no"], row(), cpts)


def _wrapped(paragraph: str) -> Paragraph:
    """A paragraph in short lines; a drawing, which has lines of its own, as it is."""
    return Paragraph(paragraph if "\n" in paragraph else textwrap.fill(paragraph, 88))
