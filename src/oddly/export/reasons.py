# SPDX-License-Identifier: Apache-2.0
"""What stands beside a decision in SQL: the score, and the first reason.

The score is what the model adds up, in its own terms: points, or log-odds. It is a double, for people to read; the
decision compares whole numbers. Where a probability of zero decides there is none.

The first reason is the value that counts most for the decision that was made. A value's gap is the difference between
its weight and that of the least favourable value of the same attribute: the one that adds least if the decision is
the positive one, most if it is the negative one. In other words, by how much the sum would move against the decision
if that attribute alone were at its worst. The value with the widest gap is the reason, of equals that of the first
attribute; there is none if all gaps are zero. A value that rules the other side out has the widest of all gaps.
"""

from collections.abc import Sequence
from math import isinf

from oddly.errors import Unsupported
from oddly.export.cells import Cell
from oddly.export.dialects import Dialect, Expression, greatest, number, sqlglot, text
from oddly.export.weighing import fits, ruled_out, total
from oddly.lowering.score import FINITE, IMPOSSIBLE, NEVER, Score, Term
from oddly.model.numbers import as_float


def score_expression(score: Score, cells: Sequence[Cell], engine: Dialect) -> Expression:
    """The points, or the log-odds; NULL where there is no decision, and where a probability of zero decides."""
    exp = sqlglot()
    if not fits(score, engine):
        raise Unsupported(f"the score is a sum of whole numbers that are wider than any that {engine.name} has")
    unit, against = as_float(score.unit), score.threshold
    if isinf(against):  # a threshold of 0 or 1: nothing is added up
        return exp.Cast(this=exp.null(), to=exp.DataType.build("DOUBLE"))
    whole = total(score, cells, engine)
    ties = score.prior.weight - score.start
    whole = exp.Add(this=whole, expression=number(ties)) if ties else whole
    found = exp.Cast(this=exp.Paren(this=whole), to=exp.DataType.build("DOUBLE"))
    if unit != 1:
        found = exp.Mul(this=found, expression=exp.Literal.number(repr(unit)))
    if against:
        found = exp.Add(this=found, expression=exp.Literal.number(against))
    if score.prior.state == FINITE and score.finite:
        return found
    return exp.Case(this=ruled_out(score, cells, engine), ifs=[exp.If(this=number(0), true=found)])


def reason_expressions(score: Score, cells: Sequence[Cell], engine: Dialect) -> list[Expression]:
    """The first reason, as NAME=VALUE, if the decision is the negative label, and if it is the positive one."""
    return [_first(score, cells, label, engine) for label in (0, 1)]


def _first(score: Score, cells: Sequence[Cell], label: int, engine: Dialect) -> Expression:
    """Every value has a rank among all values of all attributes; the least of a row, by digits before its name, is it."""
    exp = sqlglot()
    ranks, names = ranked(score, label)
    if not names:
        return exp.null()
    names, width = [*names, ""], len(str(len(names)))
    kept = [i for i, row in enumerate(ranks) if any(rank < len(names) - 1 for rank in row)]
    found = [cells[i].case([text(f"{rank:0{width}}{names[rank]}") for rank in ranks[i]]) for i in kept]
    least = exp.Substring(this=greatest(found, engine, "least"), start=number(width + 1))
    return exp.Nullif(this=least, expression=text(""))


def ranked(score: Score, label: int) -> tuple[list[list[int]], list[str]]:
    """The rank of every value of every attribute, the widest gap first, and the names of the values that have one."""
    widest = 1 + sum(max(abs(t.weight) for t in terms) for terms in score.terms)
    gaps = []
    for i, terms in enumerate(score.terms):
        weights = [_favour(score, term, 4 * widest) * (1 if label else -1) for term in terms]
        gaps += [(min(weights) - weight, i, v) for v, weight in enumerate(weights) if weight > min(weights)]
    rank = {(i, v): place for place, (_, i, v) in enumerate(sorted(gaps))}
    ranks = [[rank.get((i, v), len(rank)) for v in range(len(terms))] for i, terms in enumerate(score.terms)]
    names = [f"{score.variables[i].name}={score.variables[i].values[v]}" for i, v in rank]
    return ranks, names


def _favour(score: Score, term: Term, infinite: int) -> int:
    """How much a value speaks for the positive side: its weight, or more than all weights together."""
    if term.state == FINITE:
        return term.weight
    if term.state == IMPOSSIBLE:
        return infinite if score.outcomes[IMPOSSIBLE] else -infinite
    return -infinite if term.state == NEVER else infinite
