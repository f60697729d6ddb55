# SPDX-License-Identifier: Apache-2.0
"""A scikit-learn classifier that is a decision diagram inside: naive Bayes or TAN, learned by exact counts."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from oddly.adapters.objects import label
from oddly.compiler import compile
from oddly.diagram import ODD
from oddly.diagram.rows import places
from oddly.errors import TooLarge, UnknownValue, Unsupported
from oddly.learning import is_missing, learn, text_of
from oddly.model import MISSING_VALUE, NaiveBayes, NetworkClassifier, Variable
from oddly.model.numbers import exact


class OddlyClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc,unused-ignore]
    """Naive Bayes, or a tree-augmented one, whose every decision is in a diagram.

    Columns of numbers are cut into intervals, by default where the minimum description length principle says; a
    number beyond all training data falls in the outer interval. Every other column is one of labels. Probabilities
    are exact fractions of counts.

    Parameters
    ----------
    structure : "naive", "tan" or "kdb"
        Which attributes depend on which, given the class; `k` is the most parents of "kdb".
    alpha : number
        Added to each count.
    bins : "mdl", "width:5", "frequency:5" or a mapping
        How columns of numbers are cut. A mapping gives columns their own way or cut points; "*" is for the others.
    missing : "skip", "drop" or "value"
        Whether a missing cell is skipped, drops its row from training, or is a value where training has seen one.
    handle_unknown : "ignore" or "error"
        What an unseen label does in `predict`. Ignored, it is summed out, as is a missing cell that is no value.
    order : a name or a list
        The attribute order of the diagram, as for `oddly.compile`.
    max_nodes : int
        A larger diagram is not built; predictions then come from the exact posterior.

    Attributes
    ----------
    classes_, n_features_in_, feature_names_in_
        As in every scikit-learn classifier.
    model_
        The model; `oddly.compare`, `oddly.explain` and the others take it, or the classifier itself.
    odd_
        Its diagram, or None if it was too large.

    >>> import numpy as np
    >>> X = np.array([[1.0, 5], [2, 6], [3, 5], [7, 6], [8, 5], [9, 6]])
    >>> clf = OddlyClassifier().fit(X, ["low", "low", "low", "high", "high", "high"])
    >>> clf.predict([[2.5, 5], [100, 5]])
    array(['low', 'high'], dtype='<U4')
    >>> clf.odd_
    ODD: 4 nodes deciding class over 2 instances of x1, x0: 1 high, 1 low
    """

    def __init__(
        self,
        *,
        structure: str = "naive",
        k: int = 1,
        alpha: Any = 1,
        bins: Any = "mdl",
        missing: str = "skip",
        handle_unknown: str = "ignore",
        order: Any = "auto",
        max_nodes: int = 1_000_000,
    ) -> None:
        self.structure, self.k, self.alpha, self.bins = structure, k, alpha, bins
        self.missing, self.handle_unknown, self.order, self.max_nodes = missing, handle_unknown, order, max_nodes

    def fit(self, X: Any, y: Any) -> Self:
        """Learn the model from a table and its classes, and compile it."""
        X, y = validate_data(self, X, y, dtype=None, ensure_all_finite="allow-nan")
        check_classification_targets(y)
        self.classes_ = np.unique(y)
        if len(self.classes_) < 2:
            raise ValueError(f"a classifier needs two classes, found one class only: {self.classes_[0]!r}")
        texts = _texts(self.classes_)
        names = self._names()
        target = next(t for t in _fresh("class") if t not in names)
        columns = {name: _column(X[:, i]) for i, name in enumerate(names)}
        self.model_ = learn(
            {**columns, target: [texts[i] for i in np.searchsorted(self.classes_, y)]},
            target,
            alpha=self.alpha,
            missing=self.missing,  # type: ignore[arg-type]
            bins=self._cuts(columns),
            values={target: texts},
            structure=self.structure,  # type: ignore[arg-type]
            k=self.k,
        )
        self.odd_ = self._diagram()
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """The most probable class of each row; of equals, the first."""
        codes = self._codes(X)
        found = np.empty(len(codes), np.intp)
        through = self._decided_by_the_diagram(codes)
        if self.odd_ is not None and through.any():
            at = {text: i for i, text in enumerate(self.model_.class_values)}
            found[through] = [at[text] for text in self.odd_.classify(codes[through])]
        if not through.all():
            found[~through] = [row.index(max(row)) for row in shares(self.model_, codes[~through])]
        return self.classes_[found]

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """The exact posterior of each class, as the nearest floats."""
        codes = self._codes(X)
        rows = shares(self.model_, codes)
        found = [[n / total for n in row] for row in rows for total in [sum(row)]]
        return np.array(found, float).reshape(-1, len(self.classes_))

    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        """The logarithm of `predict_proba`."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def oddly_model(self) -> NaiveBayes | NetworkClassifier:
        """What `oddly.compile` and the questions take this classifier as."""
        check_is_fitted(self)
        return self.model_

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = tags.input_tags.string = tags.input_tags.categorical = True
        return tags

    def _names(self) -> list[str]:
        return [str(name) for name in getattr(self, "feature_names_in_", [f"x{i}" for i in range(self.n_features_in_)])]

    def _cuts(self, columns: Mapping[str, NDArray[Any]]) -> dict[str, Any]:
        """How each column of numbers is cut."""
        given = dict(self.bins) if isinstance(self.bins, Mapping) else {"*": self.bins}
        others = given.pop("*", "mdl")
        return {name: others for name, column in columns.items() if column.dtype.kind in "iuf"} | given

    def _diagram(self) -> ODD | None:
        try:
            return compile(self.model_, self.order, max_nodes=self.max_nodes)
        except (TooLarge, Unsupported):
            return None

    def _decided_by_the_diagram(self, codes: NDArray[np.intp]) -> NDArray[np.bool_]:
        """The rows without a gap. Without smoothing an instance may be impossible, which the prior then decides."""
        if self.odd_ is None or exact(self.alpha, "alpha") == 0:
            return np.zeros(len(codes), bool)
        return np.asarray((codes >= 0).all(axis=1))

    def _codes(self, X: Any) -> NDArray[np.intp]:
        """Rows as value indices; -1 for what has none."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=None, ensure_all_finite="allow-nan", reset=False)
        place = {name: i for i, name in enumerate(self._names())}
        columns = [self._coded(X[:, place[v.name]], v) for v in self.model_.variables]
        return np.stack(columns, axis=1) if columns else np.empty((len(X), 0), np.intp)

    def _coded(self, column: NDArray[Any], variable: Variable) -> NDArray[np.intp]:
        gap = variable.values.index(MISSING_VALUE) if MISSING_VALUE in variable.values else -1
        found = np.full(len(column), gap, np.intp)
        known = np.array([not is_missing(cell) for cell in column], bool)
        found[known] = places(column[known], variable)
        if self.handle_unknown == "error" and (wrong := np.flatnonzero(known & (found < 0))).size:
            raise UnknownValue.of(variable.name, column[wrong[0]], variable.values, f"row {wrong[0] + 1}")
        return found


def _column(cells: NDArray[Any]) -> NDArray[Any]:
    """A column as numbers if all its cells are, else as it is; truth values are labels."""
    if cells.dtype.kind in "iuf":
        return cells
    known = [cell for cell in cells if not is_missing(cell)]
    if known and all(isinstance(c, int | float | np.number) and not isinstance(c, bool | np.bool_) for c in known):
        return np.array([np.nan if is_missing(cell) else cell for cell in cells], float)
    return np.array([None if is_missing(cell) else str(cell) for cell in cells], object)


def _texts(classes: Sequence[Any] | NDArray[Any]) -> list[str]:
    """The classes as a model writes them; their places, where that would not tell them apart."""
    texts = [label(c) for c in classes]
    if len(set(texts)) < len(texts) or any(text_of(t) != t for t in texts):
        return [str(i) for i in range(len(texts))]
    return texts


def _fresh(name: str) -> Iterator[str]:
    while True:
        yield name
        name += "_"


def shares(model: NaiveBayes | NetworkClassifier, codes: NDArray[np.intp]) -> list[list[int]]:
    """For each row of value indices, whole numbers in proportion to the classes' posterior probabilities.

    An index of -1 is a gap, and summed out. A row that is impossible under every class gets the prior.
    """
    distinct, where = np.unique(codes, axis=0, return_inverse=True)
    found: list[list[int]] = [[] for _ in distinct]
    patterns, group = np.unique(distinct >= 0, axis=0, return_inverse=True)
    for p, pattern in enumerate(patterns):
        rows = np.flatnonzero(group.reshape(-1) == p)
        for row, numbers in zip(rows, _products(model, distinct[rows], pattern), strict=True):
            found[row] = numbers
    return [found[i] for i in where.reshape(-1)]


def _products(model: NaiveBayes | NetworkClassifier, codes: NDArray[np.intp], known: NDArray[Any]) -> list[list[int]]:
    places = np.flatnonzero(known)
    inside = model.replace(attributes=[model.attributes[place] for place in places])
    prior = model.replace(attributes=()).masses(codes[:1, :0])[0]
    return [[int(n) for n in (row if any(row) else prior)] for row in inside.masses(codes[:, places])]
