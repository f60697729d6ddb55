# SPDX-License-Identifier: Apache-2.0
"""Does every decision of a diagram follow from the real numbers, where there are many classes or whole families?

The instances decided as class i leave some least lead of i over every other class j. These leads are the ends of the
root's *zone*, the difference-bound matrix that takes the place of the equivalence interval. If every lead is greater
than what rounding can have moved it, every decision is that of the real numbers. A lead of exactly zero is settled
as in `certificate`: the numbers that meet there must cancel exactly, and the next lead must clear the error.
"""

from fractions import Fraction
from math import inf, isinf, log

from oddly.diagram.certificate import Certificate, certify
from oddly.diagram.passes.semirings import Levels
from oddly.diagram.together import Leads, leads_of, tied_instances, together
from oddly.lowering import Families
from oddly.lowering.score import Score
from oddly.model.numbers import as_float


def prove(levels: Levels, root: int, source: Score | Families) -> Certificate:
    """Check a finished diagram against what it was built from; AssertionError if it decides otherwise."""
    if isinstance(source, Score):
        return certify(levels, source, root)
    return certify_families(levels, root, source)


def certify_families(levels: Levels, root: int, families: Families) -> Certificate:
    """Check a finished diagram against families; AssertionError if it decides otherwise.

    As with `certify`, a diagram that was built from other numbers of the same model may differ where rounding
    decides: then nothing is proven.
    """
    if [level.shape[1] for level in levels] != [len(v.values) for v in families.variables]:
        raise AssertionError("the diagram and its families have different attributes")
    meetings = together(levels, root, families)
    proven, ties = True, 0
    least: dict[tuple[int, int], int] = {}
    error = Fraction(0)
    met = set(meetings[-1].node.tolist())  # labels that some instance has
    for i in (c for c in range(families.classes) if families.labels_of[c] in met):
        tied = []
        for leads in leads_of(meetings, families, i):
            j = leads.other
            low, high = families.error(i, j)
            error = max(error, -low, high)
            if leads.least is None:
                continue
            least[i, j] = leads.least
            settled, tie = _settled(leads, families.strict(i, j), low, high, families.rounded)
            proven &= settled
            tied += [leads] if tie else []
        ties += tied_instances(meetings, tied) if tied else 0
    if isinf(families.threshold):  # of 0 or 1: only what is possible matters, and nothing is near
        return Certificate(proven, inf, 0, families.bits, 0.0, None)
    closest = as_float(min(map(abs, least.values())) * families.unit) if least else inf
    moved, interval, many = as_float(error * families.unit), _interval(families, least), families.model.positive is None
    return Certificate(proven, closest, ties, families.bits, moved, interval, many)


def _settled(leads: Leads, strict: bool, low: Fraction, high: Fraction, rounded: bool) -> tuple[bool, bool]:
    """Whether all leads are on the right side in truth, and whether some are zero."""
    least = leads.least
    assert least is not None
    if least < strict:
        most = least - low  # a true lead is lead − error
        if most < 0 or (strict and most == 0):
            wins = f"{leads.winner} wins by {least} against {leads.other}"
            raise AssertionError(f"the diagram contradicts its families: {wins}")
        return False, False
    if least > 0:
        return not rounded or least > high, False
    if not rounded:
        return True, True
    following = leads.following()
    return leads.truly_tied() and (following is None or following > high), True


def _interval(families: Families, least: dict[tuple[int, int], int]) -> tuple[float, float] | None:
    """The prior log-odds of the positive class that leave every decision as it is, where there is such a thing."""
    now = prior_odds(families)
    if now is None:
        return None
    log_odds = log(now.numerator) - log(now.denominator)
    fall, rise = (as_float(least[pair] * families.unit) if pair in least else inf for pair in ((1, 0), (0, 1)))
    return log_odds - fall, log_odds + rise


def prior_odds(families: Families) -> Fraction | None:
    """The prior odds of the positive class against the other, if the model has them and neither is certain."""
    model, prior = families.model, families.model.start
    if model.positive is None or families.classes != 2 or prior is None:
        return None
    at = model.class_values.index(model.positive)
    part, rest = prior[at], prior[1 - at]
    return part / rest if part and rest else None
