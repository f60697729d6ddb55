# SPDX-License-Identifier: Apache-2.0
"""`oddly explain`: why one input is decided as it is."""

from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from oddly.answers import as_features
from oddly.cli.options import (
    DEFAULT_BUILD,
    AsJson,
    BuildOptions,
    UsageError,
    case_of,
    no_options,
    questioned,
)
from oddly.cli.output import emit_json, facts, heading
from oddly.cli.progress import Bar
from oddly.errors import listed

if TYPE_CHECKING:
    from oddly.questions.explain.question import Explanation
    from oddly.questions.explain.reasons import Reasons

EXAMPLE = """\
Example:
  oddly explain model.json U=+ve B=-ve S=+ve
  oddly explain model.odd U=+ve                    what is settled, what is open
  oddly explain model.json U=+ve B=-ve S=+ve --list 10 --json"""


def run(
    diagram_or_model: Annotated[
        Path, Parameter(name="X", help="A diagram (.odd), a model (.json), or example:pregnancy.")
    ],
    /,
    *instance: Annotated[
        str, Parameter(allow_leading_hyphen=True, help="NAME=VALUE, of all attributes or of those that are known.")
    ],
    top: Annotated[
        int | None, Parameter(name="--list", help="Also list this many reasons of each kind, the smallest first.")
    ] = None,
    build: BuildOptions = DEFAULT_BUILD,
    as_json: AsJson = False,
) -> int:
    """Why is this input decided so?

    The smallest set of its features that forces the decision whatever the others are, how many such reasons there are,
    and what would have to change. Exit code 1 if too little is known for a decision, 3 if a limit left
    something unknown.
    """
    from oddly.questions.explain.question import explain

    no_options(instance, "explain")
    if top is not None and top < 0:
        raise UsageError(f"--list: expected a number from 0 on, found {top}")
    limits: dict[str, Any] = {name: limit for name, limit in build.limits().items() if limit is not None}
    with Bar() as bar:
        odd = questioned(diagram_or_model, build, bar)
        answer = explain(odd, case_of(instance, odd), progress=bar, **limits)
        told = answer.to_json()  # all the work is done here, under the bar
    if as_json:
        for reasons in (answer.sufficient, answer.necessary) if top is not None else ():
            told[reasons.kind]["list"] = list(islice(reasons, top))
        emit_json(told)
    else:
        _show(answer, top)
    if not answer:
        return 1
    return 3 if answer.sufficient.limit or answer.necessary.limit else 0


def _show(answer: "Explanation", top: int | None) -> None:
    print(answer)
    if answer.general is None:
        return
    heading("")
    facts(
        [
            ("decision", answer.decision or ""),
            *([("not known", listed(answer.missing))] if answer.missing else []),
            *_facts(answer.sufficient),
            *_facts(answer.necessary),
            ("in general", answer.general.sentence()),
        ]
    )
    if top is not None:
        for reasons in (answer.sufficient, answer.necessary):
            heading(f"{reasons.kind} reasons:")
            for reason in islice(reasons, top):
                print(f"  {as_features(reason) or 'no feature at all'}")


def _facts(reasons: "Reasons") -> Iterator[tuple[str, str]]:
    """How many reasons of a kind, of which sizes, with which features."""
    if reasons.count is None:
        yield reasons.kind, f"not counted: {reasons.limit}"
    else:
        sizes = ", ".join(f"{found:,} of size {size}" for size, found in (reasons.by_size or {}).items())
        yield reasons.kind, f"{reasons.count:,} reason{'' if reasons.count == 1 else 's'}: {sizes or 'none'}"
    if reasons.count != 1:
        yield from (("", f"{what} {listed(names)}") for what, names in _everywhere(reasons) if names)


def _everywhere(reasons: "Reasons") -> Sequence[tuple[str, Sequence[str]]]:
    return [("all have", reasons.always), ("none has", reasons.never or ())]
