# SPDX-License-Identifier: Apache-2.0
"""Commands about model files: what is in one, and the same in another format."""

from collections.abc import Mapping, Sequence
from math import prod
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

import oddly
from oddly.answers import Count, many_instances, percent
from oddly.answers import as_json as in_json
from oddly.cli.compile import certificate_json
from oddly.cli.failures import in_options
from oddly.cli.options import MODEL_OR_DIAGRAM, NO_CHOICE, READ, AsJson, ChoiceOptions, ReadOptions
from oddly.cli.output import note, state
from oddly.cli.texts import Number, UsageError, at_least, output_beside, say
from oddly.compiler import planned
from oddly.diagram import ODD
from oddly.diagram.sources import bounds
from oddly.engine.order import arrange
from oddly.errors import OddlyError, TooLarge, listed
from oddly.formats import as_network, dropped
from oddly.formats.files import advice
from oddly.formats.json_values import bins_entry
from oddly.lowering.score import lower
from oddly.model import Model, Network, Variable
from oddly.model.numbers import written
from oddly.runtime import current

QUICK_NODES, QUICK_SECONDS = 200_000, 5.0


def convert(
    model: Annotated[
        Path, Parameter(name="A", help=f"{MODEL_OR_DIAGRAM} with its model inside, or example:pregnancy.")
    ],
    output: Annotated[Path, Parameter(name="B", help="The file to write; its ending says the format.")],
    /,
    *,
    digits: Annotated[
        Number, say("Round probabilities or points to so many digits after the point. Otherwise nothing is rounded.")
    ] = None,
    choice: ChoiceOptions = NO_CHOICE,
    as_json: AsJson = False,
) -> int:
    """Write a model in another format.

    Numbers are kept exactly; one that the format cannot hold is an error, unless you round with --digits. What else
    it has no place for is left out, and a note says so.

    Example:
      oddly convert alarm.bif alarm.xdsl
      oddly convert asia.bif lung.json --class lung --positive yes --attributes asia,smoke,xray
      oddly convert learned.json learned.net --digits 12
      oddly convert compiled.odd model.json                 the model inside a diagram
    """
    output_beside(output, model)
    found = _inside(model) if model.suffix.lower() == ".odd" and choice == NO_CHOICE else choice.of(model)
    at_least(0 if isinstance(found, Model) and found.unit == "points" else 1, digits=digits)
    left_out = []
    if digits is not None:
        left_out += ["the counts it was learned from, which are not those of rounded numbers"] * (
            getattr(found, "learned", None) is not None
        )
        found = found.rounded(digits, zeros=False)
    oddly.write(found, output)
    left_out += dropped(found, output)
    for what in left_out:
        note(f"oddly: {output} does not keep {what}")
    told = {"model": repr(found), "written": str(output)}
    state({**told, "digits": digits, "dropped": left_out}, told.items(), as_json)
    return 0


def _inside(path: Path) -> Model:
    """The model that a diagram was compiled from, which its file keeps."""
    source = oddly.load(path).source
    if source is None:
        raise UsageError(
            f"{path}: combined from others, so there is no model inside; oddly export writes the diagram itself"
        )
    return source.model


def info(
    model: Annotated[Path, say(f"{MODEL_OR_DIAGRAM}, or example:pregnancy.")],
    /,
    *,
    read: ReadOptions = READ,
    as_json: AsJson = False,
) -> int:
    """Say what is in a model file.

    Of a classifier: its class, attributes, size and certificate. Of a network: its variables, and what to choose.

    Example:
      oddly info model.json
      oddly info asia.bif
      oddly info asia.bif --class lung --positive yes --threshold 0.2 --attributes asia,smoke,xray
    """
    if model.suffix.lower() == ".odd" and read.choice == NO_CHOICE:
        return _diagram(model, as_json)
    found = read.choice.of(model)
    if isinstance(found, Network):
        answer = _of_network(found)
        lines = _network_lines(answer, found)
    else:
        answer = _of_classifier(found)
        lines = _classifier_lines(answer, found)
    state(answer, lines, as_json)
    return 0


def _diagram(path: Path, as_json: bool) -> int:
    """What a diagram was made of, and what it is."""
    odd = oddly.load(path)
    made = {"size": odd.size, "certificate": _certificate(odd)}
    if odd.source is not None:
        answer = _of_classifier(odd.source.model, made)
        lines = _classifier_lines(answer, odd.source.model)
    else:
        attributes = [_entry(v) for v in odd.variables]
        instances = str(odd.instances)
        answer = {"kind": "diagram", "labels": odd.labels, "attributes": attributes, "instances": instances, **made}
        lines = [("model", "none: combined from others"), *_variable_lines(odd.variables)]
        lines += [("instances", f"{odd.instances:,}"), ("diagram", f"{odd.size:,} nodes")]
    state({**answer, "order": odd.order}, [*lines, ("order", ", ".join(odd.order) or "no attributes")], as_json)
    return 0


# ---- a network whose class is not chosen ----


def _of_network(network: Network) -> dict[str, Any]:
    largest = max(network.nodes, key=lambda node: len(node.table) * len(node.values))
    return {
        "kind": "network",
        "name": network.name,
        "variables": [_entry(v) for v in network.variables],
        "arcs": sum(len(node.parents) for node in network.nodes),
        "largest_table": {"variable": largest.name, "numbers": len(largest.table) * len(largest.values)},
        **_zeros(network),
        "leaves": network.leaves,
    }


def _network_lines(answer: dict[str, Any], network: Network) -> list[tuple[str, str]]:
    largest = answer["largest_table"]
    return [
        ("model", repr(network)),
        *_variable_lines(network.variables, 12),
        ("largest table", f"{largest['numbers']:,} numbers, of {largest['variable']}"),
        ("zeros", _zeros_text(answer)),
        ("to ask it", advice(network)),
    ]


# ---- a classifier ----


def _of_classifier(model: Model, made: dict[str, Any] | None = None) -> dict[str, Any]:
    answer: dict[str, Any] = {
        "kind": model.kind,
        "class": {"name": model.class_name, "values": model.class_values, "positive": model.positive},
        "labels": model.labels,
        "attributes": [_entry(v) for v in model.variables],
        "instances": str(prod(len(v.values) for v in model.variables)),
        "bounds": in_json(_bounds(model), Mapping[str, Count]),
        "plan": _plan(model),
    }
    if model.limit is not None:
        answer |= {"ties": model.ties, model.limit.path[0]: written(model.limit.now)}
    if model.probabilistic:
        answer |= _zeros(model)
    if model.kind == "network":
        answer["hidden"] = model.hidden
    if made is None and " allowed.  Try " in answer["plan"]:  # refused before any work
        made = {"size": None, "certificate": None, "why": "it is too large, as the plan says"}
    return answer | (_compiled(model) if made is None else made)


def _classifier_lines(answer: dict[str, Any], model: Model) -> list[tuple[str, str]]:
    lines = [
        ("model", repr(model)),
        *_variable_lines(model.variables),
        ("instances", f"{int(answer['instances']):,}"),
        *([("zeros", _zeros_text(answer))] if "zeros" in answer else []),
        *([("bound", _bounds_text(_bounds(model)))] if answer["bounds"] else []),
        ("plan", answer["plan"]),
    ]
    if answer["size"] is None:
        return [*lines, ("diagram", f"not compiled here: {answer['why']}")]
    certificate = answer["certificate"]
    return [
        *lines,
        ("diagram", f"{answer['size']:,} nodes"),
        *([("ties", f"{many_instances(int(certificate['ties']))} exactly on the threshold")] if certificate else []),
        *([("certificate", certificate["text"])] if certificate else []),
    ]


def _compiled(model: Model) -> dict[str, Any]:
    """The diagram's size and certificate, if they come quickly."""
    try:
        odd = oddly.compile(model, max_nodes=QUICK_NODES, seconds=QUICK_SECONDS)
    except TooLarge as error:
        current().look()  # its own limits stop the command
        why = f"{str(error).partition('.  ')[0]}; oddly compile has the patience"
        return {"size": None, "certificate": None, "why": why}
    except OddlyError as error:
        return {"size": None, "certificate": None, "why": str(error)}
    return {"size": odd.size, "certificate": _certificate(odd)}


def _plan(model: Model) -> str:
    """What is done to compile it, or why that cannot be."""
    try:
        return planned(model).sentence
    except TooLarge as error:
        return in_options(str(error))
    except OddlyError as error:
        return str(error)


def _certificate(odd: ODD) -> dict[str, Any] | None:
    try:
        found = odd.certificate
    except OddlyError:
        return None
    return {**certificate_json(found), "text": repr(found).removeprefix("Certificate: ")}


def _bounds(model: Model) -> dict[str, int]:
    """Theorem 3.2 for some orders: where one sum is held against one threshold."""
    if not model.additive:
        return {}
    score = lower(model, 64, "negative")
    found = {}
    for name in ("as-given", "ascending", "descending"):
        arities = [len(score.variables[i].values) for i in arrange(score, name)]
        found[name] = sum(bounds(arities, len(model.labels), [1] * len(arities)))
    return found


def _bounds_text(bounds: dict[str, int]) -> str:
    if len(set(bounds.values())) == 1:
        return f"at most {bounds['as-given']:,} nodes"
    return "at most " + ", ".join(f"{most:,} ({order})" for order, most in bounds.items()) + " nodes"


# ---- what both say ----


def _entry(variable: Variable) -> dict[str, Any]:
    return {"name": variable.name, "values": variable.values, **bins_entry(variable.bins)}


def _variable_lines(variables: Sequence[Variable], most: int = 40) -> list[tuple[str, str]]:
    lines = [(f"  {v.name}", listed(v.values)) for v in variables[:most]]
    return lines + ([("  …", f"{len(variables)} in all")] if len(variables) > most else [])


def _zeros(model: Model | Network) -> dict[str, int]:
    """How many of the probabilities are zero: what makes an input impossible, or a decision certain."""
    zeros = numbers = 0
    for node in as_network(model).nodes:
        for row in node.table:
            zeros += row.count(0)
            numbers += len(row)
    return {"numbers": numbers, "zeros": zeros}


def _zeros_text(answer: dict[str, Any]) -> str:
    zeros, numbers = answer["zeros"], answer["numbers"]
    return f"{zeros:,} of {numbers:,} probabilities ({percent(zeros, numbers)})"
