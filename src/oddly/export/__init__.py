# SPDX-License-Identifier: Apache-2.0
"""A classifier written out for other programs: SQL, source code, and diagrams in the forms of other libraries.

`convert` writes what reads back as a model; what is written here decides, and is no model any more.
"""

from oddly.export.diagrams import to_cnf, to_dddmp, to_graphml
from oddly.export.libraries import to_dd, to_networkx, to_oxidd, to_sdd
from oddly.export.source import to_source
from oddly.export.sql import to_sql

__all__ = [
    "to_cnf",
    "to_dd",
    "to_dddmp",
    "to_graphml",
    "to_networkx",
    "to_oxidd",
    "to_sdd",
    "to_source",
    "to_sql",
]
