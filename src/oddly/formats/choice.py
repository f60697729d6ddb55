# SPDX-License-Identifier: Apache-2.0
"""Which variable does a network decide, from which others, at which threshold?"""

from collections.abc import Sequence
from typing import Any

from oddly.errors import ModelError, listed
from oddly.model import Model, Network, Number


def chosen(
    model: Model | Network,
    class_: str | None = None,
    positive: str | None = None,
    threshold: Number | None = None,
    attributes: Sequence[str] | None = None,
) -> Model | Network:
    """The classifier that these choices make of a network, or of another that was made so; None leaves as it is."""
    given = {"positive": positive, "threshold": threshold, "attributes": attributes}
    choices: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    if class_ is None and not choices:
        return model
    if isinstance(model, Network):
        if class_ is None:
            raise ModelError(f"which variable is the class?  {advice(model)}")
        return model.classifier(class_, **choices)
    return model.choose(class_, **choices)


def deciding(model: Model | Network, where: str) -> Model:
    """The model, if it decides: a network whose class is not chosen is an error."""
    if isinstance(model, Network):
        raise ModelError(f"{where}: a network of {len(model.nodes)} variables decides nothing yet.  {advice(model)}")
    return model


def advice(network: Network) -> str:
    """How to choose, in this network's own names."""
    inner = [node.name for node in network.nodes if node.name not in network.leaves]
    example = (inner or [network.nodes[0].name])[0]
    return (
        f"Choose its class, such as class_={example!r} (--class {example}), of: "
        f"{listed(node.name for node in network.nodes)}.  "
        f"Unless you name attributes, they are the leaves: {listed(network.leaves)}."
    )
