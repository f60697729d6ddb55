# SPDX-License-Identifier: Apache-2.0
"""`oddly ask`: what is decided so far, whether it will stand, which test to do next, and which can be left out."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from oddly.cli.options import (
    DEFAULT_BUILD,
    AsJson,
    BuildOptions,
    UsageError,
    case_of,
    diagram,
    no_options,
    output_beside,
)
from oddly.cli.output import emit_json, facts, heading, note
from oddly.cli.progress import Bar

if TYPE_CHECKING:
    from fractions import Fraction

    from oddly.diagram import ODD
    from oddly.questions.same_decision import SameDecision
    from oddly.questions.subset.question import Subset

EXAMPLE = """\
Example:
  oddly ask model.json U=+ve                      what is decided so far, and which test to do next
  oddly ask model.json U=+ve --enough 0.95        exit code 1 if the decision is less likely to stand
  oddly ask model.json --subset 0.99 -o small.json"""


def run(
    diagram_or_model: Annotated[
        Path, Parameter(name="X", help="A diagram (.odd), a model (.json), or example:pregnancy.")
    ],
    /,
    *observed: Annotated[
        str, Parameter(allow_leading_hyphen=True, help="NAME=VALUE: what is known so far, if anything.")
    ],
    enough: Annotated[
        str | None,
        Parameter(help="Stop from this probability on: exit code 1 if the decision is less likely to stand."),
    ] = None,
    under: Annotated[
        str | None,
        Parameter(help="How the rest comes in: model, uniform, or a CSV file of rows. Default: the model's own."),
    ] = None,
    subset: Annotated[
        str | None,
        Parameter(help="Find the fewest attributes that decide as all do in this share of cases, such as 0.99."),
    ] = None,
    max_work: Annotated[int | None, Parameter(help="With --subset: stop beyond so many table entries.")] = None,
    output: Annotated[
        Path | None, Parameter(name=["-o", "--output"], help="With --subset: write the smaller model to this file.")
    ] = None,
    exact: Annotated[
        bool, Parameter(negative="", show_default=False, help="Probabilities as exact numbers, in JSON.")
    ] = False,
    build: BuildOptions = DEFAULT_BUILD,
    as_json: AsJson = False,
) -> int:
    """May I stop testing, and which test should come next?

    The decision so far, the probability that it stands once everything is known, and what each remaining test would
    do. With --subset: which tests can be left out altogether.
    """
    no_options(observed, "ask")
    _check(observed, {"--enough": enough, "--under": under}, subset, {"--max-work": max_work, "-o": output})
    if max_work is not None and max_work < 1:
        raise UsageError(f"--max-work: expected a positive number, found {max_work}")
    output_beside(output, diagram_or_model, suffixes=(".json",))
    with Bar() as bar:
        odd = diagram(diagram_or_model, build, bar)
        if subset is not None:
            return _left_out(odd, subset, max_work, output, bar, as_json, exact)
    from oddly.questions.same_decision import same_decision

    answer = same_decision(odd, case_of(observed, odd), under=under, enough=enough)
    if as_json:
        emit_json(answer.to_json(exact))
    else:
        _show(answer)
    return 0 if answer else 1


def _check(
    observed: tuple[str, ...], testing: Mapping[str, object], subset: str | None, smaller: Mapping[str, object]
) -> None:
    """Refuse options that belong to the other question."""
    if subset is None:
        for option, value in smaller.items():
            if value is not None:
                raise UsageError(f"{option} goes with --subset")
        return
    if observed:
        raise UsageError(f"--subset is about all inputs: leave out {observed[0]}")
    for option, value in testing.items():
        if value is not None:
            raise UsageError(f"{option} does not go with --subset")


def _left_out(
    odd: "ODD", share: str, max_work: int | None, output: Path | None, bar: Bar, as_json: bool, exact: bool
) -> int:
    from oddly.questions.subset.question import MOST_WORK, subset

    answer = subset(odd, share, max_work=max_work or MOST_WORK, progress=bar)
    if output is not None:
        from oddly.formats import write

        write(answer.model, output)
        note(f"written to {output}")
    if as_json:
        emit_json({**answer.to_json(exact), "written": output and str(output)})
    else:
        _show_subset(answer)
    return 0 if answer.proven else 3


def _show_subset(answer: "Subset") -> None:
    from oddly.distribution.measure import shown

    total = len(answer.attributes) + len(answer.dropped)
    smaller = f"no smaller set reaches {shown(answer.share)}"
    if not answer.proven:
        bound = f"; at least {answer.at_least} must be kept" if answer.at_least else ""
        smaller = f"no smaller set was found{bound}"
    facts(
        [
            ("smallest" if answer.proven else "small", f"{len(answer.attributes)} of {total} attributes; {smaller}"),
            ("attributes", ", ".join(answer.attributes) or "none"),
            ("left out", ", ".join(answer.dropped) or "none"),
            (
                "agreement",
                f"decides as with all {total} with probability {shown(answer.agreement)} under {answer.under}",
            ),
        ]
    )


def _show(answer: "SameDecision") -> None:
    from oddly.answers import as_features
    from oddly.distribution.measure import shown

    rows = [("observed", as_features(answer.observed) or "nothing"), ("decided", answer.decision)]
    if answer.posterior is not None:
        rows.append(("because", ", ".join(f"{value} {shown(p)}" for value, p in answer.posterior.items())))
    rows.append(("stands", f"with probability {shown(answer.probability)} under {answer.under}"))
    if answer.enough is not None:
        rows.append(("enough", f"{'yes' if answer else 'no'}, {shown(answer.enough)} was asked for"))
    facts(rows)
    if not answer.tests:
        return
    heading("")
    lines = [
        [t.attribute, f"{float(t.expected):.4f}", _signed(t.gain), f"{float(t.settles):.4f}", f"{float(t.changes):.4f}"]
        for t in answer.tests
    ]
    table = [["test", "stands", "gain", "certain", "changes"], *lines]
    widths = [max(len(line[i]) for line in table) for i in range(5)]
    heading("  ".join(text.ljust(w) for text, w in zip(table[0], widths, strict=True)))
    for line in lines:
        print("  ".join(text.ljust(w) for text, w in zip(line, widths, strict=True)).rstrip())
    heading("")
    if answer.next is None:
        facts([("next", "none: the decision stands whatever comes in")])
    else:
        facts([("next", answer.next.attribute)])


def _signed(number: "Fraction") -> str:
    return f"{float(number):+.4f}" if number else "0"
