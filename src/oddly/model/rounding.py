# SPDX-License-Identifier: Apache-2.0
"""The same model in fewer digits: every probability, or every point, rounded."""

from collections.abc import Sequence
from fractions import Fraction

from oddly.errors import ModelError, Unsupported
from oddly.model.naive_bayes import CPT, NaiveBayes
from oddly.model.network import Network, Node
from oddly.model.network_classifier import NetworkClassifier
from oddly.model.numbers import MOST_DIGITS
from oddly.model.scoreboard import Scoreboard, Tally
from oddly.model.scorecard import Points, Scorecard

Roundable = NaiveBayes | Scorecard | Scoreboard | NetworkClassifier | Network


def rounded(model: Roundable, digits: int, *, zeros: bool = True) -> Roundable:
    """The model with its probabilities, or its points, rounded to so many digits after the point.

    A row of probabilities still sums to what it did, to that many digits (largest remainders up). Without `zeros`, a
    probability that would become zero is an error: then what was possible is not any more. The threshold or cut-off
    stays.
    """
    if isinstance(digits, bool) or not isinstance(digits, int) or not 1 <= digits <= MOST_DIGITS:
        raise ModelError(f"digits: expected a number from 1 to {MOST_DIGITS}, found {digits!r}")
    unit = Fraction(1, 10**digits)
    if isinstance(model, NetworkClassifier):
        return model.replace(network=_network(model.network, unit, zeros))
    if isinstance(model, Network):
        return _network(model, unit, zeros)
    if isinstance(model, NaiveBayes):
        return _naive_bayes(model, unit, zeros)
    if isinstance(model, Scoreboard):
        tallies = [Tally(a.name, a.values, [_points(row, unit) for row in a.points], a.bins) for a in model.attributes]
        return model.replace(attributes=tallies, intercept=_points(model.intercept, unit))
    points = [Points(a.name, a.values, _points(a.points, unit), a.bins) for a in model.attributes]
    return model.replace(attributes=points, intercept=nearest(model.intercept, unit))


def nearest(number: Fraction, unit: Fraction) -> Fraction:
    """The nearest multiple of the unit; halfway, the even one."""
    return round(number / unit) * unit


def _points(numbers: Sequence[Fraction], unit: Fraction) -> list[Fraction]:
    return [nearest(number, unit) for number in numbers]


def _network(network: Network, unit: Fraction, zeros: bool) -> Network:
    nodes = []
    for node in network.nodes:
        table = [_row(row, unit, zeros, node.name) for row in node.table]
        nodes.append(Node(node.name, node.values, node.parents, table, node.bins))
    return Network(nodes, network.name)


def _naive_bayes(model: NaiveBayes, unit: Fraction, zeros: bool) -> NaiveBayes:
    cpts = []
    for a in model.attributes:
        given = {label: _row(row, unit, zeros, a.name) for label, row in a.given.items()}
        cpts.append(CPT(a.name, a.values, given, a.bins))
    return model.replace(prior=_row(model.prior, unit, zeros, model.class_name), attributes=cpts)


def _row(row: Sequence[Fraction], unit: Fraction, zeros: bool, where: str) -> list[Fraction]:
    """The row in whole units that sum to what it did: rounded down, the largest remainders up."""
    down = [p // unit for p in row]
    short = round(sum(row, Fraction(0)) / unit) - sum(down)
    by_remainder = sorted(range(len(row)), key=lambda i: (-(row[i] / unit - down[i]), i))
    for i in by_remainder[:short]:
        down[i] += 1
    for p, units in zip(row, down, strict=True):
        if p and not units and not zeros:
            raise Unsupported(
                f"{where}: {float(p):.3g} would be rounded to zero, which is another model.  Keep more digits."
            )
    return [units * unit for units in down]
