# SPDX-License-Identifier: Apache-2.0
"""Which value of an attribute does a cell of an SQL table mean?  The same as `classify` says, as a CASE.

Where `classify` raises (a missing cell that the model has no value for, an unknown value), SQL cannot: the CASE is NULL.
A column is of one of three kinds. "text" is whatever its cast to text shows as it stands: texts, whole numbers, decimals,
dates. "number" is floats, and any numbers where the attribute is cut; "boolean" is True or False.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from oddly.errors import Unsupported
from oddly.export.dialects import Dialect, Expression, letters, number, sqlglot, text, trimmed
from oddly.export.labels import below, float_gaps, float_labels, gap_texts
from oddly.model import MISSING_VALUE, Bins, Variable
from oddly.model.numbers import as_float, written

CellKind = Literal["text", "number", "boolean"]

SHORT = 15  # digits of a decimal that a double keeps
NOT_A_NUMBER, INFINITE = ("nan",), ("inf", "-inf", "infinity", "-infinity")
NUMBER = r"^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?{})?$"


@dataclass(frozen=True)
class Cell:
    """A column of a table, and how its cells are read."""

    variable: Variable
    column: Expression
    kind: CellKind
    engine: Dialect
    blanks: Expression
    """The letters that do not count around a text."""

    def case(self, outcomes: Sequence[Expression]) -> Expression:
        """The outcome of the value that the cell means; NULL if it means none."""
        if self.kind == "boolean":
            return self._by_truth(outcomes)
        if self.kind == "text":
            return self._by_text(outcomes)
        return self._by_number(outcomes) if self.variable.bins is None else self._cut(outcomes)

    @property
    def _missing(self) -> int | None:
        values = self.variable.values
        return values.index(MISSING_VALUE) if MISSING_VALUE in values else None

    @property
    def _text(self) -> Expression:
        exp = sqlglot()
        return exp.Cast(this=self.column.copy(), to=exp.DataType.build("TEXT"))

    # ---- texts ----

    def _by_text(self, outcomes: Sequence[Expression]) -> Expression:
        """A label as it stands, else without the blanks around it, else a number. (Taking off blanks is slow, and rare.)"""
        exp = sqlglot()
        labels = list(zip(self.variable.values, outcomes, strict=True))
        bare = letters(trimmed(self._text, self.engine, self.blanks.copy()), self.engine)
        plain = [_when(text(v), o) for v, o in labels if v == v.strip() and v not in ("", MISSING_VALUE)]
        rest = exp.Case(this=bare.copy(), ifs=plain) if plain else exp.null()
        if self.variable.bins is not None:
            number_of = self._cut_text(bare, self.variable.bins, outcomes)
            rest = _else(rest, exp.Case(ifs=[_when(self._is_gap(bare), self._gap(outcomes))], default=number_of))
        elif self._missing is not None:
            rest = _else(rest, exp.Case(ifs=[_when(self._is_gap(bare), self._gap(outcomes))]))
        return exp.Case(this=letters(self._text, self.engine), ifs=[_when(text(v), o) for v, o in labels], default=rest)

    def _gap(self, outcomes: Sequence[Expression]) -> Expression:
        return sqlglot().null() if self._missing is None else outcomes[self._missing]

    def _is_gap(self, bare: Expression) -> Expression:
        """Whether a text says that the cell is missing."""
        exp = sqlglot()
        texts, folded, _ = gap_texts(self.variable)
        found = [self.column.copy().is_(exp.null()), bare.copy().isin(text(""), text(MISSING_VALUE))]
        if texts:
            found.append((exp.Lower(this=bare.copy()) if folded else bare.copy()).isin(*map(text, texts)))
        return exp.or_(*found)

    def _cut_text(self, bare: Expression, bins: Bins, outcomes: Sequence[Expression]) -> Expression:
        """A number that is written out."""
        exp = sqlglot()
        if self.engine.name == "postgres":
            value = exp.Cast(this=bare, to=exp.DataType.build("NUMERIC"))
            sides = [_below_exactly(value, cut, bins) for cut in bins.cuts]
        else:
            value = exp.TryCast(this=bare, to=exp.DataType.build("DOUBLE"))
            if self.engine.name in ("sqlite", "mysql", "redshift"):
                value = exp.Cast(this=bare, to=exp.DataType.build("DOUBLE"))
            sides = [_below(value, cut, bins) for cut in bins.cuts]
        ifs = [_when(condition, outcome) for condition, outcome in zip(sides, outcomes, strict=False)]
        gaps = gap_texts(self.variable)[2]
        near = [_double(below(number, bins)[0]) for number in (*bins.cuts, *gaps)]
        gone = [_is_exactly(value, n) for n in gaps] if self.engine.name == "postgres" else self._gap_numbers(value)
        ifs = [*(_when(condition, self._gap(outcomes)) for condition in gone), *ifs]
        if self.engine.name != "postgres" and near:  # rather none than a wrong one
            at = value.copy().isin(*near)
            long = exp.GT(this=exp.Length(this=bare.copy()), expression=number(SHORT))
            ifs = [_when(exp.and_(at, long), exp.null()), *ifs]
        last = outcomes[len(bins.cuts)]
        cut = exp.Case(ifs=ifs, default=last) if ifs else last
        return exp.Case(ifs=[_when(self._is_number(bare), cut)])

    def _is_number(self, bare: Expression) -> Expression:
        exp = sqlglot()
        if self.engine.name != "sqlite":
            exponent = "[0-3]?[0-9]{1,3}" if self.engine.name == "postgres" else "[0-2]?[0-9]{1,2}"
            return exp.RegexpLike(this=bare.copy(), expression=text(NUMBER.format(exponent)))
        starts = [
            exp.Glob(this=bare.copy(), expression=text(p)) for p in ("[0-9]*", "[+-][0-9]*", ".[0-9]*", "[+-].[0-9]*")
        ]
        rest = exp.Anonymous(this="SUBSTR", expressions=[bare.copy(), number(2)])
        strange = exp.Glob(this=rest, expression=text("*[^0-9.]*"))
        points = exp.Glob(this=bare.copy(), expression=text("*.*.*"))
        return exp.and_(exp.or_(*starts), exp.not_(strange), exp.not_(points))

    # ---- numbers and truth values ----

    def _by_number(self, outcomes: Sequence[Expression]) -> Expression:
        """A float that prints as a label, or, if it is whole, prints so without its point."""
        ifs = self._strange(outcomes)
        for value, i in float_labels(self.variable).items():
            ifs.append(_when(_is(self.column, value), outcomes[i]))
        return sqlglot().Case(ifs=ifs)

    def _cut(self, outcomes: Sequence[Expression]) -> Expression:
        """The interval that a number lies in."""
        bins = self.variable.bins
        assert bins is not None
        sides = [_below(self.column, cut, bins) for cut in bins.cuts]
        ifs = [_when(condition, outcome) for condition, outcome in zip(sides, outcomes, strict=False)]
        special = [_when(_is(self.column, value), outcomes[i]) for value, i in float_labels(self.variable).items()]
        gone = [_when(condition, self._gap(outcomes)) for condition in self._gap_numbers(self.column)]
        return sqlglot().Case(ifs=[*self._strange(outcomes), *special, *gone, *ifs], default=outcomes[len(bins.cuts)])

    def _gap_numbers(self, value: Expression) -> list[Expression]:
        """Whether a double, a whole number or a short decimal is one that stands for a missing cell."""
        for gap in gap_texts(self.variable)[2]:
            _told_apart(gap)
        return [_is(value, number) for number in float_gaps(self.variable)]

    def _strange(self, outcomes: Sequence[Expression]) -> list[Expression]:
        """What is no number: missing, or without a value."""
        exp = sqlglot()
        null = self.column.copy().is_(exp.null())
        shown = exp.Lower(this=self._text)
        missing = exp.or_(null, shown.copy().isin(*map(text, NOT_A_NUMBER)))
        found = [
            _when(missing, self._gap(outcomes)),
            _when(shown.copy().isin(*map(text, INFINITE)), exp.null()),
        ]
        if self.engine.name == "sqlite":  # where a column may hold anything
            kind = exp.Anonymous(this="TYPEOF", expressions=[self.column.copy()])
            found.append(_when(kind.isin(text("text"), text("blob")), exp.null()))
        return found

    def _by_truth(self, outcomes: Sequence[Expression]) -> Expression:
        exp = sqlglot()
        labels = {value: i for i, value in enumerate(self.variable.values)}
        gap = exp.null() if self._missing is None else outcomes[self._missing]
        said = [outcomes[labels[word]] if word in labels else exp.null() for word in ("True", "False")]
        ifs = [_when(self.column.copy().is_(exp.null()), gap), _when(self.column.copy(), said[0])]
        return exp.Case(ifs=ifs, default=said[1])


def _when(condition: Expression, outcome: Expression) -> Expression:
    return sqlglot().If(this=condition, true=outcome.copy())


def _is(column: Expression, value: float) -> Expression:
    return sqlglot().EQ(this=column.copy(), expression=_double(value))


def _else(case: Expression, default: Expression) -> Expression:
    """What comes after a CASE that may be none."""
    exp = sqlglot()
    if isinstance(case, exp.Null):
        return default
    case.set("default", default)
    return case


def _below(value: Expression, cut: Fraction, bins: Bins) -> Expression:
    """Whether a double, a whole number or a short decimal lies below a cut; a float counts as its shortest decimal."""
    exp = sqlglot()
    near, included = below(cut, bins)
    literal = _double(near)
    _told_apart(cut)
    if Fraction(repr(near)) == cut and cut.denominator == 1 and abs(cut) < 2**63:
        literal = _literal(str(cut.numerator))
    return (exp.LTE if included else exp.LT)(this=value.copy(), expression=literal)


def _told_apart(number: Fraction) -> None:
    """Refuse a number that some whole numbers are told from, and doubles are not."""
    if 2**53 <= abs(number) < 2**64 and Fraction(repr(as_float(number))) != number:
        raise Unsupported(f"the number {written(number)} lies between two doubles, and SQL cannot tell on which side")


def _below_exactly(value: Expression, cut: Fraction, bins: Bins) -> Expression:
    """The same of a decimal with any number of digits."""
    exp = sqlglot()
    scaled = (
        exp.Mul(this=value.copy(), expression=_literal(str(cut.denominator))) if cut.denominator > 1 else value.copy()
    )
    return (exp.LTE if bins.closed == "right" else exp.LT)(this=scaled, expression=_literal(str(cut.numerator)))


def _is_exactly(value: Expression, wanted: Fraction) -> Expression:
    exp = sqlglot()
    scaled = exp.Mul(this=value.copy(), expression=_literal(str(wanted.denominator)))
    return exp.EQ(this=scaled, expression=_literal(str(wanted.numerator)))


def _double(value: float) -> Expression:
    """A literal that is read as exactly this double."""
    shown = repr(value).removesuffix(".0")
    if "e" not in shown and sum(map(str.isdigit, shown)) > SHORT:
        shown += "e0"  # as a decimal it would be rounded twice
    return _literal(shown)


def _literal(digits: str) -> Expression:
    exp = sqlglot()
    found = exp.Literal.number(digits.lstrip("-"))
    return exp.Neg(this=found) if digits.startswith("-") else found
