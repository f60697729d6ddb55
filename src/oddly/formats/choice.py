# SPDX-License-Identifier: Apache-2.0
"""Which variable does a network decide, from which others, at which threshold?"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from oddly.errors import ModelError, UnknownName, Unsupported, listed
from oddly.model import Model, NaiveBayes, Network, NetworkClassifier, Number


def chosen(
    model: Model | Network,
    class_: str | None = None,
    positive: str | None = None,
    threshold: Number | None = None,
    attributes: Sequence[str] | None = None,
) -> Model | Network:
    """The classifier that these choices make of a network, or of another that was made so; None leaves as it is."""
    if class_ is None and positive is None and threshold is None and attributes is None:
        return model
    if isinstance(model, Network):
        if class_ is None:
            raise ModelError(f"which variable is the class?  {advice(model)}")
        return model.classifier(class_, positive, "1/2" if threshold is None else threshold, attributes)
    if isinstance(model, NetworkClassifier):
        return _chosen_again(model, class_, positive, threshold, attributes)
    if isinstance(model, NaiveBayes):
        return _naive_again(model, class_, positive, threshold, attributes)
    raise Unsupported(
        f"class, positive value, threshold and attributes are chosen of a network; this is said by the model: {model!r}"
    )


def needs_class(network: Network, where: str) -> ModelError:
    """The error of a network that is asked to decide before its class is chosen."""
    return ModelError(f"{where}: a network of {len(network.nodes)} variables decides nothing yet.  {advice(network)}")


def advice(network: Network) -> str:
    """How to choose, in this network's own names."""
    inner = [node.name for node in network.nodes if node.name not in network.leaves]
    example = (inner or [network.nodes[0].name])[0]
    return (
        f"Choose its class, such as class_={example!r} (--class {example}), of: "
        f"{listed(node.name for node in network.nodes)}.  "
        f"Unless you name attributes, they are the leaves: {listed(network.leaves)}."
    )


def _chosen_again(
    model: NetworkClassifier,
    class_: str | None,
    positive: str | None,
    threshold: Number | None,
    attributes: Sequence[str] | None,
) -> Model:
    if class_ is not None and class_ != model.class_name:  # what is known stays; the rest was about another class
        fixed = "1/2" if threshold is None else threshold
        found = NetworkClassifier(model.network, class_, attributes, positive, fixed, evidence=model.evidence)
    else:
        changes: dict[str, Any] = {"positive": positive, "threshold": threshold, "attributes": attributes}
        found = model.replace(**{name: value for name, value in changes.items() if value is not None})
    return found.naive or found


def _naive_again(
    model: NaiveBayes,
    class_: str | None,
    positive: str | None,
    threshold: Number | None,
    attributes: Sequence[str] | None,
) -> Model:
    if class_ is not None and class_ != model.class_name:
        return _chosen_again(NetworkClassifier.of(model), class_, positive, threshold, attributes)
    changes: dict[str, Any] = {"positive": positive, "threshold": threshold}
    if attributes is not None:
        by_name = {a.name: a for a in model.attributes}
        for name in attributes:
            if name not in by_name:
                raise UnknownName.among("attribute", name, by_name)
        changes["attributes"] = [by_name[name] for name in attributes]
        if model.learned is not None:
            counts = dict(zip(by_name, model.learned.observed, strict=True))
            changes["learned"] = replace(model.learned, observed=tuple(counts[name] for name in attributes))
    return model.replace(**{name: value for name, value in changes.items() if value is not None})
