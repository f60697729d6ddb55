# SPDX-License-Identifier: Apache-2.0
"""A decision as an SQL expression: weights added up and compared in whole numbers, or a walk by joins.

Nothing is rounded and nothing overflows: sums that do not fit 63 bits are of the engine's wide type, and those that do
not fit that either are not written; the diagram is walked instead.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from oddly.diagram import ODD
from oddly.errors import Unsupported
from oddly.export.cells import Cell
from oddly.export.dialects import CHAIN, Dialect, Expression, greatest, number, sqlglot, text, wide_type
from oddly.export.subject import Board, Subject, finite, reach
from oddly.lowering.score import ALWAYS, IMPOSSIBLE, NEVER, Score


@dataclass(frozen=True)
class SQLDecision:
    """An expression of a row's columns, and what it needs beside them in FROM."""

    expression: Expression
    joins: tuple[Expression, ...] = ()
    tables: tuple[tuple[str, Expression], ...] = ()
    """Common table expressions, by name."""


def weighed(
    subject: Subject, cells: Sequence[Cell], outcomes: Sequence[Expression], engine: Dialect, name: str
) -> SQLDecision:
    """The outcome of a row's label; NULL where the row has no decision. `name` is free for a table of nodes."""
    if subject.score is not None and fits(subject.score, engine):
        return SQLDecision(_held(subject.score, cells, outcomes, engine))
    if subject.board is not None:
        keys = _keys(subject.board, cells, engine)
        if keys is not None:
            return SQLDecision(_won(subject.board, keys, outcomes, engine))
    return _walk(subject.walked, subject, cells, outcomes, engine, name)


# ---- one sum against zero ----


def total(score: Score, cells: Sequence[Cell], engine: Dialect) -> Expression:
    """The sum that is held against zero."""
    rows = [[term.weight for term in terms] for terms in score.terms]
    return added(score.start, rows, cells, engine, reach(score))


def fits(score: Score, engine: Dialect) -> bool:
    """Whether the engine has whole numbers for every sum."""
    return _fits(reach(score), engine)


def _held(score: Score, cells: Sequence[Cell], outcomes: Sequence[Expression], engine: Dialect) -> Expression:
    exp = sqlglot()
    found = total(score, cells, engine)
    sides = exp.Case(
        this=exp.GTE(this=found, expression=number(0)),
        ifs=[exp.If(this=exp.true(), true=outcomes[1].copy()), exp.If(this=exp.false(), true=outcomes[0].copy())],
    )
    if finite(score):
        return sides
    ruled = {state: outcomes[score.outcomes[state]] for state in (NEVER, ALWAYS, IMPOSSIBLE)}
    ifs = [exp.If(this=number(0), true=sides), *(exp.If(this=number(s), true=o.copy()) for s, o in ruled.items())]
    known = exp.Case(this=ruled_out(score, cells, engine), ifs=ifs)
    return exp.Case(ifs=[exp.If(this=_is_known(found), true=known)])


def ruled_out(score: Score, cells: Sequence[Cell], engine: Dialect) -> Expression:
    """The state of a row: which sides some value rules out, 1 the positive one, 2 the negative one, 3 both."""
    exp = sqlglot()
    flags = []
    for side in (NEVER, ALWAYS):
        rows = [[int(bool(term.state & side)) for term in terms] for terms in score.terms]
        kept = [i for i, row in enumerate(rows) if any(row)]
        first = int(bool(score.prior.state & side))
        count = added(first, [rows[i] for i in kept], [cells[i] for i in kept], engine, len(rows) + 1)
        flags.append(exp.Sign(this=count))
    return exp.Add(this=flags[0], expression=exp.Mul(this=number(2), expression=flags[1]))


def _is_known(found: Expression) -> Expression:
    """Whether a sum has a value: all cells mean something."""
    exp = sqlglot()
    return exp.Not(this=exp.Is(this=exp.Paren(this=found.copy()), expression=exp.null()))


def added(
    start: int, rows: Sequence[Sequence[int]], cells: Sequence[Cell], engine: Dialect, largest: int
) -> Expression:
    """A start and the weight of every cell, in whole numbers that hold sums of this size."""
    exp = sqlglot()
    wide = largest >= 2**63
    kind = wide_type(engine) if wide else exp.DataType.build("BIGINT")
    literal = (lambda n: text(str(n))) if wide else number
    terms = [exp.Cast(this=literal(start), to=kind.copy())]
    for row, cell in zip(rows, cells, strict=True):
        term = cell.case([literal(weight) for weight in row])
        terms.append(exp.Cast(this=term, to=kind.copy()) if wide else term)
    return _sum(terms)


def _sum(terms: list[Expression]) -> Expression:
    exp = sqlglot()
    if len(terms) > CHAIN:
        parts = [terms[i : i + CHAIN] for i in range(0, len(terms), CHAIN)]
        return _sum([exp.Paren(this=_sum(part)) for part in parts])
    found = terms[0]
    for term in terms[1:]:
        found = exp.Add(this=found, expression=term)
    return found


def _fits(largest: int, engine: Dialect) -> bool:
    return largest < 2**63 or (engine.wide is not None and largest <= engine.most)


# ---- the most of several sums ----


def _keys(board: Board, cells: Sequence[Cell], engine: Dialect) -> list[Expression] | None:
    """A number per class, the greatest of which says by its remainder who won; None if they would not fit.

    The sum of class k of K, times K, plus K - 1 - k: of equal sums that of the first class is greater. Sums are moved
    above zero, and a class that is ruled out falls below it; zero itself is that no class is possible.
    """
    classes = len(board.start)
    sides = [[[row[c] for row in rows] for rows in board.weights] for c in range(classes)]
    least = min(start + sum(min(_known(row)) for row in side) for start, side in zip(board.start, sides, strict=True))
    most = max(start + sum(max(_known(row)) for row in side) for start, side in zip(board.start, sides, strict=True))
    out, many = least - most - 2, classes + (not board.possible)  # what falls out is -1 at most
    widest = max(
        abs(start) + sum(max(map(abs, _known(row, out))) for row in side)
        for start, side in zip(board.start, sides, strict=True)
    )
    largest = many * (widest + abs(least) + 2)
    if not _fits(largest, engine):
        return None
    found = []
    for c, side in enumerate(sides):
        rows = [[many * (out if w is None else w) for w in row] for row in side]
        start = many * (board.start[c] + 1 - least) + many - 1 - c
        found.append(added(start, rows, cells, engine, largest))
    return found


def _known(row: Sequence[int | None], otherwise: int = 0) -> list[int]:
    """The weights of a class, and what is added where it is ruled out."""
    return [otherwise if w is None else w for w in row]


def _won(board: Board, keys: list[Expression], outcomes: Sequence[Expression], engine: Dialect) -> Expression:
    exp = sqlglot()
    labels = [*board.labels] if board.possible else [*board.labels, board.fallback]
    best = greatest(keys if board.possible else [*keys, number(0)], engine)
    place = exp.Mod(this=exp.Paren(this=best), expression=number(len(labels)))
    ifs = [exp.If(this=number(len(labels) - 1 - c), true=outcomes[label].copy()) for c, label in enumerate(labels)]
    found = exp.Case(this=place, ifs=ifs)
    if board.possible:
        return found
    return exp.Case(ifs=[exp.If(this=_is_known(keys[0]), true=found)])


# ---- a walk ----


def _walk(
    odd: ODD, subject: Subject, cells: Sequence[Cell], outcomes: Sequence[Expression], engine: Dialect, name: str
) -> SQLDecision:
    """A join per attribute with the table of all edges: depth, node, value, child."""
    exp = sqlglot()
    if not odd.levels:
        return SQLDecision(outcomes[odd.root].copy())
    if len(odd.levels) > engine.joins:
        raise Unsupported(
            f"no sum of one weight per attribute decides here in numbers that {engine.name} has, and walking the diagram "
            f"takes {len(odd.levels)} joins; {engine.name} has at most {engine.joins}"
        )
    by_name = {cell.variable.name: cell for cell in cells}
    joins, at = [], number(odd.root)
    for depth, variable in enumerate(odd.variables):
        step = f"{name}{depth + 1}"
        value = by_name[variable.name].case([number(i) for i in range(len(variable.values))])
        wanted = [number(depth), at, value]
        on = [
            exp.EQ(this=exp.column(part, step, quoted=True), expression=side)
            for part, side in zip(("depth", "node", "value"), wanted, strict=True)
        ]
        called = exp.TableAlias(this=exp.to_identifier(step, quoted=True))
        joined = exp.Table(this=exp.to_identifier(name, quoted=True), alias=called)
        joins.append(exp.Join(this=joined, side="LEFT", on=exp.and_(*on)))
        at = exp.column("child", step, quoted=True)
    ifs = [exp.If(this=number(i), true=outcome.copy()) for i, outcome in enumerate(outcomes)]
    return SQLDecision(exp.Case(this=at, ifs=ifs), tuple(joins), ((name, _edges(odd, engine)),))


def _edges(odd: ODD, engine: Dialect) -> Expression:
    """All edges as a table."""
    exp = sqlglot()
    names = ["depth", "node", "value", "child"]
    rows = [
        (depth, node, value, child)
        for depth, level in enumerate(odd.levels)
        for node, children in enumerate(level.tolist())
        for value, child in enumerate(children)
    ]
    if engine.name == "sqlite":  # which names no columns of VALUES
        values = exp.values(rows)
        columns = [exp.alias_(exp.column(f"column{i}"), part, quoted=True) for i, part in enumerate(names, 1)]
        return exp.select(*columns).from_(exp.paren(values) if not isinstance(values, exp.Subquery) else values)
    named = [exp.to_identifier(part, quoted=True) for part in names]
    values = exp.values(rows, alias="edge")
    values.args["alias"].set("columns", named)
    return exp.select("*").from_(values)
