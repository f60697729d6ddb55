# SPDX-License-Identifier: Apache-2.0
"""`oddly demo`: the tour on built-in models, one step per question."""

import random
import textwrap
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import oddly
from oddly import native
from oddly.answers import as_features, percent
from oddly.answers.blocks import Paragraph
from oddly.cli.options import AsJson
from oddly.cli.output import emit_json, heading, lay_out, seconds
from oddly.draw.files import drawing
from oddly.model import CPT, NaiveBayes
from oddly.model.numbers import from_log_odds

NEXT = """\
  oddly learn data.csv --target class -o model.json    a model from your own table
  oddly compile model.json -o model.odd                its diagram, proven
  oddly show model.odd -o model.svg                    a picture of it
  oddly classify model.odd data.csv                    the decision on every row
  oddly explain model.odd NAME=VALUE ...               why one of them
  oddly order model.json                               a smaller diagram
  oddly --help                                         the rest"""


@dataclass(frozen=True)
class Told:
    """What a step has to say: paragraphs for a person, facts for a program."""

    paragraphs: tuple[str, ...]
    facts: Mapping[str, Any]


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
        told = step()
        facts.append({"title": title, **told.facts})
        if not as_json:
            lay_out(map(_wrapped, told.paragraphs))
            heading("")
    if as_json:
        emit_json({"steps": facts})
    else:
        heading("What to type next")
        lay_out([Paragraph(NEXT)])
    return 0


def _engine() -> Told:

    where = "its native engine, in C++" if native.AVAILABLE else f"NumPy: {native.WHY_NOT}"
    return Told(
        (f"This is Oddly {oddly.__version__} on {where}.",),
        {"version": oddly.__version__, "engine": "native" if native.AVAILABLE else "numpy"},
    )


def _diagram() -> Told:

    odd = oddly.compile(oddly.examples.pregnancy(), order=["U", "B", "S"])
    size, reduced, certificate = odd.size, odd.reduced_size, odd.certificate
    return Told(
        (
            "A naive Bayes model reads three tests for pregnancy: urine (U), blood (B) and a scan (S). It "
            "says yes from a probability of 0.9 on. The same as a diagram, read from the top; an arrow leads "
            "to the place with its number:",
            drawing(odd, "text").decode().rstrip("\n"),
            f"It has {size} nodes, {reduced} without those that ask in vain, and it decides exactly as the "
            "model does. That is proven: no input comes closer to the threshold than "
            f"{certificate.closest:.3f}, and rounding has moved none by more than {certificate.error:.0e} "
            "(log-odds).",
        ),
        {"size": size, "reduced_size": reduced, "proven": certificate.proven},
    )


def _counts() -> Told:

    odd = oddly.compile(oddly.examples.pregnancy())
    yes, no, scanned = odd.count("yes"), odd.count("no"), odd.restrict(S="+ve")
    return Told(
        (
            f"Of all {odd.instances} inputs, {yes} are decided yes and {no} no. With a positive scan it "
            f"is yes for {scanned.count('yes')} of {scanned.instances}: no other test matters then.",
        ),
        {
            "instances": str(odd.instances),
            "counts": {"yes": str(yes), "no": str(no)},
            "yes_with_scan": str(scanned.count("yes")),
        },
    )


def _prior() -> Told:

    interval = oddly.compile(oddly.examples.pregnancy()).certificate.interval
    assert interval is not None
    low, high = interval
    least, most = from_log_odds(low), from_log_odds(high)
    return Told(
        (
            "Before any test, the model puts pregnancy at 0.87. Any other prior from "
            f"{least:.3f} to just below {most:.3f} would change no decision at all "
            f"(log-odds {low:.6f} to {high:.6f}).",
        ),
        {"least": least, "below": most, "log_odds": {"low": low, "high": high}},
    )


def _comparison() -> Told:

    model = oddly.examples.pregnancy()
    difference = oddly.compare(model, model.replace(prior=["0.6", "0.4"]))
    same = oddly.compare(model, model.replace(prior=["0.7", "0.3"]))
    return Told(
        (f"The same model with a prior of 0.7: {same}", f"With a prior of 0.6: {difference}"),
        {"count": str(difference.count), "example": difference.examples(1)[0]},
    )


def _case() -> Told:

    model = oddly.examples.pregnancy()
    case = {"U": "+ve", "B": "-ve", "S": "-ve"}
    decision, posterior = str(oddly.compile(model).classify([case])[0]), model.posterior(case)
    assert posterior is not None
    given = ", ".join(f"{name}={value}" for name, value in case.items())
    return Told(
        (f"{given} is decided {decision}: its probability is {float(posterior[0]):.3f}, and yes needs 0.9.",),
        {"instance": case, "decision": decision, "probability": float(posterior[0])},
    )


def _reasons() -> Told:

    tests, game = {"U": "+ve", "B": "-ve", "S": "+ve"}, oddly.examples.tic_tac_toe()
    board = dict(zip([v.name for v in game.variables], "xoboxbxox", strict=True))
    why = oddly.explain(oddly.examples.pregnancy(), tests)
    other = oddly.change(oddly.examples.pregnancy(), {"U": "-ve", "B": "-ve", "S": "-ve"}, k=2)
    won = oddly.explain(game, board)
    return Told(
        (
            f"{as_features(tests)} is decided {why}",
            f"With all three tests negative: {other}",
            f"A board of tic-tac-toe on which x holds the middle and three corners is decided {won}",
        ),
        {"instance": tests, "why": why.to_json(), "change": other.to_json(), "board": won.to_json()},
    )


def _orders() -> Told:

    model = oddly.examples.tic_tac_toe()
    ascending, descending, best = (
        oddly.compile(model, order) for order in ("ascending", "descending", oddly.best_of(300))
    )
    return Told(
        (
            "Has x won this board of tic-tac-toe? A model learned from all 958 final boards decides "
            f"{best.instances:,} inputs. Whichever square is asked first, the decisions are the same; the "
            f"size is not. The weakest square first: {ascending.size} nodes. The strongest first: "
            f"{descending.size}. The best of 300 random orders: {best.size}.",
        ),
        {
            "instances": str(best.instances),
            "ascending": ascending.size,
            "descending": descending.size,
            "best": best.size,
            "order": best.order,
        },
    )


def _large() -> Told:

    model = random_model(40)
    started = time.perf_counter()
    odd = oddly.compile(model)
    elapsed = time.perf_counter() - started
    yes = odd.count("yes")
    return Told(
        (
            f"A random model with 40 two-valued attributes has {odd.instances:,} inputs. Its diagram has "
            f"{odd.size:,} nodes and took {seconds(elapsed)}, proof included. Exactly {yes:,} inputs "
            f"({percent(yes, odd.instances)}) are decided yes.",
        ),
        {
            "instances": str(odd.instances),
            "size": odd.size,
            "counts": {"yes": str(yes), "no": str(odd.count("no"))},
            "proven": odd.certificate.proven,
            "seconds": elapsed,
        },
    )


STEPS: dict[str, Callable[[], Told]] = {
    "What runs here": _engine,
    "A classifier as a diagram": _diagram,
    "How many inputs get which decision?": _counts,
    "How far may the prior move?": _prior,
    "Is it still the same classifier?": _comparison,
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
