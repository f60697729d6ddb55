# SPDX-License-Identifier: Apache-2.0
"""One page that an auditor can file: what was checked, over how many inputs, every verdict with its example."""

from oddly.reporting.asking import report
from oddly.reporting.content import Report

__all__ = ["Report", "report"]
