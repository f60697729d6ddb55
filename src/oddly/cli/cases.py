# SPDX-License-Identifier: Apache-2.0
"""Commands about one input: why it is decided so, what would change that, and which test to do next."""

import shlex
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Annotated

from cyclopts import Parameter

import oddly
from oddly.cli.failures import UNDECIDED
from oddly.cli.options import BUILD, AsJson, BuildOptions, DomainOption, Exact, Most, Output, Word, X, diagram
from oddly.cli.output import emit_json, lay_out, note, show, verdict
from oddly.cli.texts import Text, UsageError, at_least, case_of, instance_of, names_of, no_options, output_beside, say
from oddly.questions.subset.question import MOST_WORK

Names = Annotated[tuple[str, ...], Parameter(negative="", consume_multiple=False, show_default=False)]


def explain(
    diagram_or_model: X,
    /,
    *instance: Annotated[Word, say("NAME=VALUE, of all attributes or of those that are known.")],
    top: Annotated[Most, say("Also list this many reasons of each kind, the smallest first.")] = None,
    within: DomainOption = None,
    build: BuildOptions = BUILD,
    as_json: AsJson = False,
) -> int:
    """Why is this input decided so?

    The smallest set of its features that forces the decision whatever the others are, how many such reasons there are,
    and what would have to change. Exit code 1 if too little is known for a decision, 3 if a limit left
    something unknown.

    Example:
      oddly explain model.json U=+ve B=-ve S=+ve
      oddly explain model.odd U=+ve                    what is settled, what is open
      oddly explain model.json U=+ve B=-ve S=+ve --list 10 --json
    """
    no_options(instance, "explain")
    at_least(0, list=top)
    odd = diagram(diagram_or_model, build)
    answer = oddly.explain(odd, case_of(instance, odd), within=within)
    told = answer.to_json()
    if as_json:
        for reasons in (answer.sufficient, answer.necessary) if top is not None else ():
            told[reasons.kind]["list"] = list(islice(reasons, top))
        emit_json(told)
    else:
        lay_out(answer.blocks(top or 0))
    if not answer:
        return 1
    return UNDECIDED if answer.sufficient.limit or answer.necessary.limit else 0


def change(
    diagram_or_model: X,
    /,
    *instance: Annotated[Word, say("NAME=VALUE, of all attributes.")],
    to: Annotated[Text, say("The decision that is wanted; otherwise any other one.")] = None,
    cost: Annotated[Names, say("NAME=NUMBER: what a change of it costs, otherwise 1. May be repeated.")] = (),
    step_cost: Annotated[Names, say("NAME=NUMBER: what each step between its values costs. May be repeated.")] = (),
    fixed: Annotated[Names, say("An attribute that cannot change, or several with commas between.")] = (),
    only_up: Annotated[Names, say("An attribute that can only change to values listed later, or several.")] = (),
    only_down: Annotated[Names, say("An attribute that can only change to values listed earlier, or several.")] = (),
    forbid: Annotated[
        Names,
        say(
            'A combination that must not come out, such as "U=+ve and B=+ve". May be repeated.',
            allow_leading_hyphen=True,
        ),
    ] = (),
    k: Annotated[int, Parameter(name="--k", help="How many ways to show.")] = 1,
    within: DomainOption = None,
    build: BuildOptions = BUILD,
    as_json: AsJson = False,
) -> int:
    """What would change this decision?

    The fewest changes, or the cheapest, under the rules given. Exit code 1 if none is possible, which is proven then.

    Example:
      oddly change model.json U=-ve B=-ve S=-ve
      oddly change model.odd U=-ve B=-ve S=-ve --fixed S --cost U=3 --k 3
      oddly change model.json age=30s income=low --only-up age --step-cost income=2 --to grant
      oddly change model.json U=-ve B=-ve S=-ve --forbid "U=+ve and B=+ve" --json
    """
    no_options(instance, "change")
    at_least(1, k=k)
    odd = diagram(diagram_or_model, build)
    up, down = names_of(only_up, odd.order), names_of(only_down, odd.order)
    for name in up:
        if name in down:
            raise UsageError(f"{name} can go neither up nor down.  Use --fixed {shlex.quote(name)}.")
    answer = oddly.change(
        odd,
        instance_of(instance, odd),
        to=to,
        costs=_numbers(cost, "--cost"),
        step_costs=_numbers(step_cost, "--step-cost"),
        fixed=names_of(fixed, odd.order),
        one_way={**dict.fromkeys(up, "up"), **dict.fromkeys(down, "down")},
        forbid=forbid,
        k=k,
        within=within,
    )
    return verdict(answer, as_json)


def _numbers(texts: Sequence[str], option: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for text in texts:
        name, equals, number = text.rpartition("=")
        if not equals:
            raise UsageError(f"{option}: expected NAME=NUMBER, found {text!r}")
        if name in found:
            raise UsageError(f"{option}: {name} is given twice")
        found[name] = number
    return found


def ask(
    diagram_or_model: X,
    /,
    *observed: Annotated[Word, say("NAME=VALUE: what is known so far, if anything.")],
    enough: Annotated[
        Text, say("Stop from this probability on: exit code 1 if the decision is less likely to stand.")
    ] = None,
    under: Annotated[
        Text, say("How the rest comes in: model, uniform, or a CSV file of rows. Default: the model's own.")
    ] = None,
    subset: Annotated[
        Text, say("Find the fewest attributes that decide as all do in this share of cases, such as 0.99.")
    ] = None,
    max_work: Annotated[int | None, say("With --subset: stop beyond so many table entries.")] = None,
    output: Annotated[Output, say("With --subset: write the smaller model to this file.")] = None,
    exact: Exact = False,
    within: DomainOption = None,
    build: BuildOptions = BUILD,
    as_json: AsJson = False,
) -> int:
    """May I stop testing, and which test should come next?

    The decision so far, the probability that it stands once everything is known, and what each remaining test would
    do. With --subset: which tests can be left out altogether.

    Example:
      oddly ask model.json U=+ve                      what is decided so far, and which test to do next
      oddly ask model.json U=+ve --enough 0.95        exit code 1 if the decision is less likely to stand
      oddly ask model.json --subset 0.99 -o small.json
    """
    no_options(observed, "ask")
    _check(observed, {"--enough": enough, "--under": under}, subset, {"--max-work": max_work, "-o": output})
    if max_work is not None and max_work < 1:
        raise UsageError(f"--max-work: expected a positive number, found {max_work}")
    output_beside(output, diagram_or_model, suffixes=(".json",))
    odd = diagram(diagram_or_model, build)
    if subset is None:
        answer = oddly.same_decision(odd, case_of(observed, odd), under=under, within=within, enough=enough)
        return verdict(answer, as_json, exact=exact)
    smaller = oddly.subset(odd, subset, within=within, max_work=max_work or MOST_WORK)
    if output is not None:
        oddly.write(smaller.model, output)
        note(f"written to {output}")
    show(smaller, as_json, exact=exact, written=output and str(output))
    return 0 if smaller.proven else UNDECIDED


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
