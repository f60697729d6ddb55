# SPDX-License-Identifier: Apache-2.0
"""`oddly learn`: a model from a table."""

import json
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from oddly.cli.options import AsJson, output_beside
from oddly.cli.output import emit, emit_json, note

EXAMPLE = """\
Example:
  oddly learn patients.csv --target class --positive yes -o model.json
  oddly learn tests.csv --target result --positive=-ve --alpha 1"""


def run(
    table: Annotated[Path, Parameter(help="A CSV file with a header row; empty cells and ? are missing.")],
    /,
    *,
    target: Annotated[str, Parameter(help="The column to predict.")],
    positive: Annotated[
        str | None, Parameter(help="The value of interest. Of two values, the first is taken otherwise.")
    ] = None,
    alpha: Annotated[str, Parameter(help="Added to every count: 0 is plain frequencies, 1 is Laplace.")] = "0",
    threshold: Annotated[str, Parameter(help="Positive from this probability on: 0.9, 1/2, …")] = "1/2",
    output: Annotated[Path | None, Parameter(alias="-o", help="The model file (.json); stdout otherwise.")] = None,
    as_json: AsJson = False,
) -> int:
    """Learn a naive Bayes model from a table.

    Every probability is a fraction of counts, exactly. A missing value is skipped in its own column only.
    """
    import oddly
    from oddly.formats import model_to_json

    output_beside(output, table, suffixes=[".json"])
    model = oddly.learn(table, target, positive, alpha, threshold)
    if output is not None:
        oddly.write(model, output)
    if as_json:
        emit_json(
            {
                "class": model.class_name,
                "labels": model.labels,
                "attributes": [a.name for a in model.attributes],
                "written": output and str(output),
                "model": model_to_json(model),
            }
        )
    elif output is None:
        emit(json.dumps(model_to_json(model), indent=1, ensure_ascii=False) + "\n")
    note(f"learned {model!r}" + (f"; written to {output}" if output else ""))
    return 0
