# SPDX-License-Identifier: Apache-2.0
"""Options that several commands share, and how their texts are read."""

import csv
import io
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

from oddly.errors import OddlyError, UnknownName, UnknownValue

if TYPE_CHECKING:
    from oddly.diagram import ODD
    from oddly.engine import Progress
    from oddly.model import Variable

# As in oddly.score and oddly.engine, which a mere --help need not import; mypy sees to it that they agree.
Impossible = Literal["negative", "positive"]
Engine = Literal["auto", "native", "numpy", "reference"]

AsJson = Annotated[
    bool,
    Parameter(name="--json", negative="", show_default=False, help="Print one JSON object instead of text."),
]

IMPOSSIBLE = "What an input of probability zero is decided as."


class UsageError(OddlyError):
    """A command line that makes no sense."""


@dataclass(frozen=True)
class Build:
    """How a model is compiled; the same options wherever a command compiles one."""

    order: Annotated[
        str,
        Parameter(
            help="ascending, descending, ascending-finite, as-given, random:SEED, best-of:TRIES, "
            "or the attributes' names with commas between."
        ),
    ] = "ascending"
    impossible: Annotated[Impossible, Parameter(help=IMPOSSIBLE)] = "negative"
    engine: Annotated[Engine, Parameter(help="What builds the diagram; all give the same.")] = "auto"
    max_nodes: Annotated[int | None, Parameter(help="Stop beyond this many nodes.")] = None
    max_memory: Annotated[
        str | None,
        Parameter(help="Stop beyond this much memory, such as 500M or 4G. Default: 3/4 of what is free."),
    ] = None


BuildOptions = Annotated[Build, Parameter(name="*", group="Compiling")]
DEFAULT_BUILD = Build()


def compiled(path: Path, build: Build, progress: "Progress") -> "ODD":
    """The diagram of the model in a file, or of `example:NAME`."""
    import oddly
    from oddly.compiler import as_model

    if path.suffix.lower() == ".odd":
        raise UsageError(f"{path}: compiled already; this needs the model it came from")
    if build.max_nodes is not None and build.max_nodes < 1:
        raise UsageError(f"--max-nodes: expected a positive number, found {build.max_nodes}")
    memory = None if build.max_memory is None else bytes_of(build.max_memory)
    model = as_model(path)
    return oddly.compile(
        model,
        order_of(build.order, [v.name for v in model.variables]),
        impossible=build.impossible,
        engine=build.engine,
        max_nodes=build.max_nodes,
        max_memory=memory,
        progress=progress,
    )


def diagram(path: Path, build: Build, progress: "Progress") -> "ODD":
    """The diagram in an .odd file, or of the model in any other."""
    import oddly

    if path.suffix.lower() != ".odd":
        return compiled(path, build, progress)
    if build != DEFAULT_BUILD:
        raise UsageError(f"{path}: compiled already; --order and its kin need the model it came from")
    return oddly.load(path)


def order_of(text: str, attributes: Sequence[str]) -> str | list[str]:
    """An order as `oddly.compile` takes it: a name, or a list if there is a comma or an attribute so named.

    >>> order_of("random:7", ["U", "B"]), order_of("B,U", ["U", "B"]), order_of('B,"U, V"', ["U, V", "B"])
    ('random:7', ['B', 'U'], ['B', 'U, V'])
    """
    if "," not in text and text not in attributes:
        return text
    return next(csv.reader([text], skipinitialspace=True))


def order_text(names: Iterable[str]) -> str:
    """The names as --order takes them.

    >>> order_text(["B", "U, V"])
    'B,"U, V"'
    """
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow(names)
    return line.getvalue()


def bytes_of(text: str) -> int:
    """A size of memory.

    >>> bytes_of("4G"), bytes_of("500MB"), bytes_of("1000")
    (4294967296, 524288000, 1000)
    """
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([KMGT]?)(?:i?B)?", text.strip(), re.IGNORECASE)
    size = int(float(match[1]) * 1024 ** " KMGT".index(match[2].upper() or " ")) if match else 0
    if size < 1:
        raise UsageError(f"--max-memory: expected a size such as 500M or 4G, found {text!r}")
    return size


def assignments(texts: Iterable[str], variables: "Sequence[Variable]") -> dict[str, str]:
    """NAME=VALUE texts as a mapping, every name and value checked."""
    by_name = {v.name: v for v in variables}
    found: dict[str, str] = {}
    for text in texts:
        fitting = [name for name in by_name if text.startswith(f"{name}=")]
        name = max(fitting, key=len, default=text.partition("=")[0])
        if "=" not in text:
            raise UsageError(f"expected NAME=VALUE, found {text!r}")
        if name not in by_name:
            raise UnknownName.among("attribute", name, by_name)
        if name in found:
            raise UsageError(f"{name} is given twice")
        value = text[len(name) + 1 :]
        if value not in by_name[name].values:
            raise UnknownValue.of(name, value, by_name[name].values)
        found[name] = value
    return found


def complete(instance: dict[str, str], variables: "Sequence[Variable]") -> dict[str, str]:
    """The instance, if it has a value for every variable."""
    for v in variables:
        if v.name not in instance:
            raise UnknownName(f"no value for {v.name}.  Add {v.name}={v.values[0]}, or another of its values.")
    return instance


def output_beside(output: Path | None, *inputs: Path, suffixes: Sequence[str] = ()) -> None:
    """Refuse an output that is one of the inputs, or whose name says it is something else."""
    if output is None:
        return
    if suffixes and output.suffix.lower() not in suffixes:
        raise UsageError(f"-o {output}: expected a name that ends in {' or '.join(suffixes)}")
    if output.resolve() in [path.resolve() for path in inputs]:
        raise UsageError(f"-o {output}: that is the input; choose another name")
