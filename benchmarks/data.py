# SPDX-License-Identifier: Apache-2.0
"""Where the data sets are that the documents are measured on. A page is measured on all of them, or left as it is."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DATA = ROOT.parent / "shared" / "data"


def tables(names: Iterable[str]) -> list[str]:
    """The files of these tables, within the data."""
    return [f"uci/{name}.csv" for name in names]


def networks(names: Iterable[str]) -> list[str]:
    """The files of these networks, within the data."""
    return [f"networks/{name}.bif" for name in names]


def stop_without(files: Iterable[str]) -> None:
    """End here, with one line that says where the data goes, unless every one of the files is there.

    Before any work: a page with a table less would replace one that has it.
    """
    missing = sorted({file for file in files if not (DATA / file).exists()})
    if missing:
        others = f" and {len(missing) - 1} more" if len(missing) > 1 else ""
        where = os.path.relpath(DATA, ROOT)
        sys.exit(f"nothing is written: no {missing[0]}{others} in {where}/, where the data goes")
