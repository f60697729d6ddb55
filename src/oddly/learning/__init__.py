# SPDX-License-Identifier: Apache-2.0
"""Models from tables of data: read a table of any kind, count, and keep the counts as exact fractions."""

from oddly.learning.cells import is_missing, natural, text_of
from oddly.learning.files import read_columns, read_table
from oddly.learning.fitting import Options, fit, learn

__all__ = ["Options", "fit", "is_missing", "learn", "natural", "read_columns", "read_table", "text_of"]
