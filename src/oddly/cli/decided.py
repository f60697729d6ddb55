# SPDX-License-Identifier: Apache-2.0
"""`oddly classify` on a folder or a server: rows are decided and written as they come, in bounded memory."""

import csv
import os
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, TextIO

from oddly.cli.output import note
from oddly.diagram import ODD
from oddly.errors import FormatError, UnknownValue
from oddly.export.tables import decided
from oddly.formats.text import defused
from oddly.learning.engines import said
from oddly.learning.files import PARQUET


def streamed(odd: ODD, table: str, output: Path | None, column: str | None) -> int:
    """Decide every row of a table that does not have to fit into memory; what is written is there whole or not at all."""
    reader = decided(odd, table, column or "decision")
    if output is None:
        _as_csv(sys.stdout, reader)
        return 0
    made = tempfile.NamedTemporaryFile(dir=output.parent, prefix=f".{output.name}.", delete=False)  # noqa: SIM115
    try:
        with made, said(table):
            counts = _as_parquet(made, reader) if output.suffix.lower() in PARQUET else _to_csv_file(made.name, reader)
        os.chmod(made.name, 0o644)
        os.replace(made.name, output)
    except OSError as error:
        raise FormatError(f"{output}: {error}") from None
    finally:
        with suppress(FileNotFoundError):
            os.unlink(made.name)
    each = ", ".join(f"{counts[label]:,} {label}" for label in reversed(odd.labels))
    note(f"{counts.total():,} rows: {each}; written to {output}")
    return 0


def _to_csv_file(name: str, reader: Any) -> Counter[str]:
    with open(name, "w", encoding="utf-8", newline="") as file:
        return _as_csv(file, reader)


def _as_csv(file: TextIO, reader: Any) -> Counter[str]:
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(map(defused, reader.schema.names))

    def write(batch: Any) -> None:
        columns = [column.to_pylist() for column in batch.columns]
        writer.writerows(["" if c is None else defused(str(c)) for c in row] for row in zip(*columns, strict=True))

    return _counted(reader, write)


def _as_parquet(file: Any, reader: Any) -> Counter[str]:
    from pyarrow import parquet

    with parquet.ParquetWriter(file, reader.schema) as writer:
        return _counted(reader, writer.write_batch)


def _counted(reader: Any, write: Callable[[Any], None]) -> Counter[str]:
    """Write every batch, and count the decisions; a row without one stops it."""
    counts: Counter[str] = Counter()
    for batch in reader:
        decisions = batch.column(batch.num_columns - 1)
        if decisions.null_count:
            row = decisions.is_null().to_pylist().index(True)
            shown = ", ".join(f"{k}={v}" for k, v in list(batch.slice(row, 1).to_pylist()[0].items())[:-1])
            raise UnknownValue(f"row {counts.total() + row + 1} does not fit the model: {shown}")
        write(batch)
        counts.update(decisions.to_pylist())
    return counts
