# SPDX-License-Identifier: Apache-2.0
"""`oddly report`: everything on one page that can be filed."""

from typing import Annotated

from cyclopts import Parameter

import oddly
from oddly.answers.blocks import Paragraph
from oddly.cli.failures import UNDECIDED
from oddly.cli.options import (
    BUILD,
    HINGING,
    AsJson,
    Build,
    BuildOptions,
    DomainOption,
    Labels,
    Output,
    Values,
    Words,
    X,
    diagram,
    words_of,
)
from oddly.cli.output import emit, emit_json, lay_out, note, save
from oddly.cli.texts import File, Text, assignments, labels_of, names_of, output_beside, parts_of, say
from oddly.questions.check.language import Written, read_rules
from oddly.questions.check.rules import Rule
from oddly.reporting.asking import command_line
from oddly.reporting.content import BY_SUFFIX, Format
from oddly.runtime import limited


def run(
    diagram_or_model: X,
    /,
    *,
    output: Annotated[Output, say("A file: .html, .md or .json.")] = None,
    format: Annotated[
        Format | None, say("What to write; otherwise what -o's name says, or md.", show_choices=True)
    ] = None,
    against: Annotated[File, say("An older model or diagram: changes are read from its decisions to these.")] = None,
    values: Values = "common",
    labels: Annotated[Labels, say("What the older one calls the labels of this one: 1=bad,0=good.")] = None,
    rule: Annotated[
        Words, Parameter(allow_leading_hyphen=True, help="A rule to check, as `oddly check` takes it.")
    ] = None,
    rules: Annotated[File, say("A file of rules: one a line, or TOML.")] = None,
    case: Annotated[
        Words,
        Parameter(
            allow_leading_hyphen=True,
            help="NAME=VALUE,NAME=VALUE,…: give the reasons of this case. A part with a comma in it stands in double quotes.",
        ),
    ] = None,
    protected: Annotated[Words, say(HINGING)] = None,
    under: Annotated[Text, say("How inputs are distributed: model, uniform, or a CSV file of rows.")] = None,
    label: Annotated[Text, say("The decision that groups are compared by; of two, the positive.")] = None,
    title: Annotated[Text, say("What to call it.")] = None,
    within: DomainOption = None,
    build: BuildOptions = BUILD,
    as_json: AsJson = False,
) -> int:
    """Write one page with all that was asked of a classifier.

    What it decides, over how many inputs and how that is proven; each verdict with its example; the ranges of its numbers;
    the reasons of cases; fairness; the diagram; digests, versions, and this command. Exit code 0 if every verdict holds, 1 if
    one does not, 3 if none fails and some are undecided.

    Example:
      oddly report model.json -o page.html
      oddly report new.json --against old.json --rules rules.txt --protected sex -o page.html
      oddly report model.json --case "U=+ve,B=-ve,S=+ve" --rule "never no if S=+ve" --format md
    """
    beside = [path for path in (diagram_or_model, against, rules) if path is not None]
    output_beside(output, *beside, suffixes=() if format else tuple(BY_SUFFIX))
    limits = build.limits.arguments()
    chosen = "json" if as_json and output is None else format or (BY_SUFFIX[output.suffix.lower()] if output else "md")
    with limited(limits, orders=True, least=5.0):
        odd = diagram(diagram_or_model, build)
    cases = [assignments([part for part in parts_of(text) if part.strip()], odd.variables) for text in case or []]
    asked: list[str | Written | Rule] = [*(rule or []), *(read_rules(rules).rules if rules else [])]
    hinging = names_of(protected or (), odd.order)
    more = [f"--rules={rules}"] if rules else []
    more += [f"--within={one}" for one in within or ()]
    more += [f"--values={values}"] if values != "common" else []
    more += [f"--labels={labels}"] if labels else []
    more += [*_words(build), *([f"--title={title}"] if title else [])]
    answer = oddly.report(
        odd,
        against=None if against is None else build.choice.side(against),
        values=values,
        labels=labels_of(labels),
        rules=asked or None,
        cases=cases,
        protected=hinging,
        under=under,
        within=within,
        label=label,
        title=title,
        **limits,
        files=(diagram_or_model, against),
        command=command_line(
            diagram_or_model, against, rule, cases, hinging, under, label, more, str(output or "page.html")
        ),
    )
    text = answer.text(chosen)
    if output is None:
        emit(text)
    else:
        save(text.encode("utf-8", "replace"), output)
        note(f"written to {output}")
        if as_json:
            emit_json({"written": str(output), "findings": [vars(finding) for finding in answer.findings]})
        else:
            lay_out([Paragraph(str(answer))])
    found = {finding.status for finding in answer.findings}
    return 1 if "fails" in found else UNDECIDED if "undecided" in found else 0


def _words(build: Build) -> list[str]:
    """The options of compiling that are not the usual ones, as one types them."""
    changed = {name: getattr(build, name) for name in ("order", "impossible", "engine")}
    changed = {name: value for name, value in changed.items() if value != getattr(BUILD, name)}
    return [*words_of(changed), *words_of(vars(build.limits)), *build.choice.words()]
