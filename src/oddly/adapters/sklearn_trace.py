# SPDX-License-Identifier: Apache-2.0
"""What happens to each raw column on its way through transformers.

Every transformer known here works on its columns one by one, so a column of any intermediate table comes from one raw
column: a *strand*. On its way a strand shows what values its raw column can be told to have: an encoder's categories,
or the cuts of a discretiser.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from oddly.adapters.objects import BAYES, SELECTORS, fitted, kind, refuse
from oddly.learning import is_missing

Step = Callable[[NDArray[np.float64]], NDArray[np.float64]]
State = Literal["same", "rising", "settled", "opaque"]


@dataclass(frozen=True)
class Strand:
    """A column of an intermediate table: the raw column it comes from, and what has become of it.

    It is the `same`, a `rising` function of it (one rounded step after another), `settled` among finitely many
    values that were found already, or `opaque`: a function of it that only declared values can be put through.
    """

    column: int
    state: State = "same"
    steps: tuple[Step, ...] = ()


@dataclass(frozen=True)
class Cut:
    """A place where a discretiser cuts a rising function of a raw number: above is >= the edge, or > if strict."""

    steps: tuple[Step, ...]
    edge: float
    strict: bool


@dataclass
class Findings:
    """What the transformers show about a raw column's values."""

    categories: list[list[Any]] = field(default_factory=list)
    cuts: list[Cut] = field(default_factory=list)
    discretised: bool = False
    missing: list[Any] = field(default_factory=list)
    """What an imputer takes as missing."""
    unsettled: str = ""
    """Where the column arrives as a number of any size."""


@dataclass
class Trace:
    """The strands' walk, and what it found for each raw column."""

    findings: list[Findings]

    def through(self, t: Any, strands: list[Strand]) -> list[Strand]:
        """The columns a transformer gives for the columns it takes."""
        if t is None or (isinstance(t, str) and t == "passthrough"):
            return strands
        if isinstance(t, str) and t == "drop":
            return []
        name = kind(t, TRANSFORMERS, "transform")
        if name is None:
            raise refuse(t, f"not a transformer that works on columns one by one; those are {', '.join(TRANSFORMERS)}")
        return TRANSFORMERS[name](self, t, strands)

    def into(self, estimator: Any, strands: list[Strand]) -> None:
        """The columns arrive at the classifier, which may itself say what values they have."""
        name = kind(estimator, BAYES, "predict") or ""
        for i, strand in enumerate(strands):
            if strand.state == "settled":
                continue
            if name == "BernoulliNB" and estimator.binarize is not None:
                self._cut_by(estimator, strand, [float(estimator.binarize)], strict=True)
            elif name in ("CategoricalNB", "BernoulliNB") and strand.state == "same":
                known = 2 if name == "BernoulliNB" else int(estimator.n_categories_[i])
                self.findings[strand.column].categories.append(list(range(known)))
            else:
                self._unsettled(strand, estimator)

    def _cut_by(self, t: Any, strand: Strand, edges: Sequence[float], strict: bool, *steps: Step) -> None:
        """A discretiser's cuts, where the strand rises; nothing where it is settled already."""
        if strand.state == "opaque":
            self._unsettled(strand, t)
        elif strand.state != "settled":
            found = self.findings[strand.column]
            found.discretised = True
            found.cuts += [Cut(strand.steps + steps, float(edge), strict) for edge in edges]

    def _unsettled(self, strand: Strand, t: Any) -> None:
        self.findings[strand.column].unsettled = f"it reaches {type(t).__name__} as a number of any size"


def by_column(strands: Sequence[Strand]) -> dict[int, list[int]]:
    """The raw columns that matter, in their order, and the features that come from each."""
    found: dict[int, list[int]] = {column: [] for column in sorted({s.column for s in strands})}
    for feature, strand in enumerate(strands):
        found[strand.column].append(feature)
    return found


def _settled(strands: Sequence[Strand], widths: Sequence[int]) -> list[Strand]:
    return [Strand(s.column, "settled") for s, width in zip(strands, widths, strict=True) for _ in range(width)]


def _encoder(trace: Trace, t: Any, strands: list[Strand]) -> list[Strand]:
    """OneHotEncoder, OrdinalEncoder, TargetEncoder: a strand is settled among the categories."""
    categories = fitted(t, "categories_")
    for strand, known in zip(strands, categories, strict=True):
        if strand.state == "same":
            trace.findings[strand.column].categories.append(list(known))
        elif strand.state != "settled":
            trace._unsettled(strand, t)
    return _settled(strands, _encoder_widths(t, categories))


def _encoder_widths(t: Any, categories: Sequence[Any]) -> list[int]:
    name = kind(t, TRANSFORMERS, "transform")
    if name == "TargetEncoder":
        return [len(t.classes_) if t.target_type_ == "multiclass" else 1] * len(categories)
    if name == "OrdinalEncoder":
        return [1] * len(categories)
    rare = getattr(t, "infrequent_categories_", None) or [None] * len(categories)
    dropped = t.drop_idx_ if t.drop_idx_ is not None else [None] * len(categories)
    fewer = [0 if few is None else len(few) - 1 for few in rare]
    return [len(all_) - n - (d is not None) for all_, n, d in zip(categories, fewer, dropped, strict=True)]


def _bins(trace: Trace, t: Any, strands: list[Strand]) -> list[Strand]:
    """KBinsDiscretizer: a number belongs to the bin above every inner edge that it reaches."""
    edges = fitted(t, "bin_edges_")
    cast: tuple[Step, ...] = ()
    if t.dtype is not None and np.dtype(t.dtype) == np.float32:
        cast = (lambda x: x.astype(np.float32).astype(np.float64),)
    for strand, known in zip(strands, edges, strict=True):
        trace._cut_by(t, strand, known[1:-1], False, *cast)
    return _settled(strands, [1] * len(strands) if t.encode == "ordinal" else [int(n) for n in t.n_bins_])


def _binarizer(trace: Trace, t: Any, strands: list[Strand]) -> list[Strand]:
    for strand in strands:
        trace._cut_by(t, strand, [t.threshold], strict=True)
    return _settled(strands, [1] * len(strands))


def _scaler(trace: Trace, t: Any, strands: list[Strand]) -> list[Strand]:
    """One rounded step after another, each of them rising."""
    risen = [replace(s, state="rising", steps=(*s.steps, _scaling(t, i))) for i, s in enumerate(strands)]
    return [s if s.state in ("settled", "opaque") else new for s, new in zip(strands, risen, strict=True)]


CENTRES = {"StandardScaler": "mean_", "RobustScaler": "center_"}


def _scaling(t: Any, i: int) -> Step:
    name = kind(t, TRANSFORMERS, "transform")
    if name == "MinMaxScaler":
        low, high = t.feature_range if t.clip else (-np.inf, np.inf)
        scale, shift = fitted(t, "scale_")[i], t.min_[i]
        return lambda x: np.clip(x * scale + shift, low, high)
    centred = getattr(t, "with_mean", False) or getattr(t, "with_centering", False)
    shifts, scales = getattr(t, CENTRES.get(name or "", ""), None) if centred else None, fitted(t, "scale_")
    shift, scale = 0.0 if shifts is None else float(shifts[i]), 1.0 if scales is None else float(scales[i])
    low, high = (-1.0, 1.0) if name == "MaxAbsScaler" and getattr(t, "clip", False) else (-np.inf, np.inf)
    return lambda x: np.clip((x - shift) / scale, low, high)


def _opaque(trace: Trace, t: Any, strands: list[Strand]) -> list[Strand]:
    """A function of each column that need not rise, once rounded."""
    return [s if s.state == "settled" else Strand(s.column, "opaque") for s in strands]


def _function(trace: Trace, t: Any, strands: list[Strand]) -> list[Strand]:
    if t.func is not None:
        raise refuse(t, "it may do anything with its columns; only func=None, which passes them on, is known")
    return strands


def _imputer(trace: Trace, t: Any, strands: list[Strand]) -> list[Strand]:
    statistics = fitted(t, "statistics_")
    if is_missing(t.missing_values):
        for s in strands:
            if s.state != "settled":
                trace.findings[s.column].missing.append(t.missing_values)
        filled = list(strands)
    else:
        filled = _opaque(trace, t, strands)  # one number among the others is replaced
    if not t.keep_empty_features:  # such a column is left out
        filled = [s for s, fill in zip(filled, statistics, strict=True) if not is_missing(fill)]
    if t.add_indicator:
        filled += [replace(_opaque(trace, t, [strands[i]])[0], state="settled") for i in t.indicator_.features_]
    return filled


def _pipeline(trace: Trace, t: Any, strands: list[Strand]) -> list[Strand]:
    for _, step in t.steps:
        strands = trace.through(step, strands)
    return strands


def _columns(trace: Trace, t: Any, strands: list[Strand]) -> list[Strand]:
    """ColumnTransformer: each part takes some of the columns, and what they give stands side by side."""
    taken = fitted(t, "_transformer_to_input_indices")
    found: list[Strand] = []
    for name, part, _ in fitted(t, "transformers_"):
        inside = [strands[i] for i in taken.get(name, [])]
        found += _weighted(trace, t, name, trace.through(part, inside) if inside else [])
    return found


def _union(trace: Trace, t: Any, strands: list[Strand]) -> list[Strand]:
    parts = ((name, trace.through(part, strands)) for name, part in t.transformer_list)
    return [s for name, given in parts for s in _weighted(trace, t, name, given)]


def _weighted(trace: Trace, t: Any, name: str, strands: list[Strand]) -> list[Strand]:
    """A weight may be negative: what it multiplies need not rise."""
    return _opaque(trace, t, strands) if name in (t.transformer_weights or {}) else strands


TRANSFORMERS: dict[str, Callable[[Trace, Any, list[Strand]], list[Strand]]] = {
    **dict.fromkeys(("OneHotEncoder", "OrdinalEncoder", "TargetEncoder"), _encoder),
    "KBinsDiscretizer": _bins,
    "Binarizer": _binarizer,
    **dict.fromkeys(("StandardScaler", "MinMaxScaler", "MaxAbsScaler", "RobustScaler"), _scaler),
    **dict.fromkeys(("PowerTransformer", "QuantileTransformer"), _opaque),
    "SimpleImputer": _imputer,
    "FunctionTransformer": _function,
    "Pipeline": _pipeline,
    "ColumnTransformer": _columns,
    "FeatureUnion": _union,
    **dict.fromkeys(sorted(SELECTORS), lambda trace, t, strands: [strands[i] for i in t.get_support(indices=True)]),
}
