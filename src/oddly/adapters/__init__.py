# SPDX-License-Identifier: Apache-2.0
"""Other libraries' classifiers, as models.

An object is recognised by the names of its types, so that nothing is imported which the object did not bring.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from oddly.errors import ModelError, Unsupported
from oddly.model import Model, Network


def as_model(thing: Any, **options: Any) -> Model:
    """The model of another library's classifier: a fitted scikit-learn estimator, or a network that knows its class.

    `options` are those of `from_estimator`, for an estimator.
    """
    home = family(thing)
    if home == "sklearn":
        return from_estimator(thing, **options)
    if home is not None:
        from oddly.adapters.networks import CLASSIFIERS

        return CLASSIFIERS[home](thing)
    if isinstance(thing, Network):
        raise Unsupported("a network decides once its class is chosen: network.classifier(class_=...)")
    raise ModelError(f"expected a model, a model file or a fitted classifier, found {type(thing).__name__}")


def from_estimator(
    estimator: Any,
    columns: Sequence[str] | None = None,
    values: Mapping[str, Any] | Any = None,
    target: str | None = None,
    counts: bool = False,
) -> Model:
    """The model that decides as a fitted scikit-learn classifier does, over its raw columns.

    `columns` names the columns of an estimator that was fitted without names (x0, x1, … otherwise). `values` says
    which values a column takes, where the estimator does not: a mapping from column to values, or one list for every
    such column. `target` names the class. Two classes give a `Scorecard`, more a `Scoreboard`.

    Parameters are taken at their exact binary values and added exactly, where the estimator rounds every step. With
    `counts`, a CategoricalNB or BernoulliNB gives the `NaiveBayes` of its counts instead, as `oddly.learn` would.

    >>> from sklearn.naive_bayes import BernoulliNB
    >>> fitted = BernoulliNB().fit([[1, 0], [1, 1], [0, 0]], ["ill", "ill", "well"])
    >>> from_estimator(fitted, columns=["fever", "cough"], target="state").labels
    ('ill', 'well')
    """
    if family(estimator) != "sklearn":
        raise ModelError(f"expected a scikit-learn classifier, found {type(estimator).__name__}")
    if hasattr(type(estimator), "oddly_model"):
        return estimator.oddly_model()  # type: ignore[no-any-return]
    from oddly.adapters.sklearn_model import model_of

    return model_of(estimator, columns, values, target, counts)


def from_network(network: Any) -> Network:
    """The network of a pgmpy or pyAgrum object: its variables, states and tables, floats at their exact values."""
    home = family(network)
    if home not in ("pgmpy", "pyagrum"):
        raise ModelError(f"expected a pgmpy or pyAgrum network, found {type(network).__name__}")
    from oddly.adapters.networks import NETWORKS

    return NETWORKS[home](network)


def family(thing: Any) -> str | None:
    """Which library an object comes from, by the modules of its types.

    >>> family(3) is None
    True
    """
    roots = {kind.__module__.partition(".")[0].lower() for kind in type(thing).__mro__}
    return next((name for name in ("pyagrum", "pgmpy", "sklearn") if name in roots), None)
