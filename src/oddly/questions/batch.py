# SPDX-License-Identifier: Apache-2.0
"""One question on many cases, here or over a cluster: whatever joblib is told to work with."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Unpack

from oddly.compiler import as_diagram
from oddly.diagram import ODD
from oddly.errors import OddlyError, UnknownName
from oddly.learning import read_table
from oddly.questions.change.question import change
from oddly.questions.explain.question import explain
from oddly.runtime import LimitArguments, limited, polled

QUESTIONS: Mapping[str, Callable[..., Any]] = {"explain": explain, "change": change}


def batch(
    odd_or_model: Any,
    cases: Any,
    question: str | Callable[..., Any] = "explain",
    *,
    options: Mapping[str, Any] | None = None,
    **limits: Unpack[LimitArguments],
) -> list[Any]:
    """The answer to one question on every case, in their order.

    `cases` is a table of any kind, `question` "explain", "change", or a function of a diagram and a case; `options` are the
    question's own. It is compiled once. The limits are those of all cases together; what is done elsewhere is looked at
    whenever another case is handed out. By default all is done here; `joblib.parallel_config(n_jobs=-1)` takes all
    cores, and `joblib.parallel_config("dask")` the cluster that a Dask client is connected to.

    >>> import oddly
    >>> cases = [{"U": "+ve", "B": "-ve", "S": "+ve"}, {"U": "-ve", "B": "-ve", "S": "-ve"}]
    >>> [str(answer.decision) for answer in batch(oddly.examples.pregnancy(), cases)]
    ['yes', 'no']
    """
    from joblib import Parallel, delayed

    if isinstance(question, str) and question not in QUESTIONS:
        raise UnknownName.among("question", question, QUESTIONS)
    ask = partial(QUESTIONS[question] if isinstance(question, str) else question, **(options or {}))
    with limited(limits):
        odd = as_diagram(odd_or_model)
        table = read_table(cases)
        for name in odd.columns:
            if name not in table:
                raise UnknownName.among("column", name, table)
        rows = list(zip(*(table[name] for name in odd.columns), strict=True))
        named = (dict(zip(odd.columns, row, strict=True)) for row in polled(rows, "cases"))
        return list(Parallel()(delayed(_answered)(ask, odd, i, case) for i, case in enumerate(named, 1)))


def _answered(ask: Callable[..., Any], odd: ODD, row: int, case: Mapping[str, Any]) -> Any:
    """The answer on a case; what is wrong with it is said with its row."""
    try:
        return ask(odd, case)
    except OddlyError as error:
        error.args = (f"row {row}: {error}",)
        raise
