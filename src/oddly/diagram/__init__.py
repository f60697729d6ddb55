# SPDX-License-Identifier: Apache-2.0
"""The ordered decision diagram: plain arrays, and what can be read off them.

Does no probability. A diagram carries the score it was built from as its `source`, for those who need one.
"""

from oddly.diagram.certificate import Certificate
from oddly.diagram.levelled import ReducedODD
from oddly.diagram.odd import ODD
from oddly.diagram.pair import Pair
from oddly.diagram.regions import Interval, Region, Regions
from oddly.diagram.store import save

__all__ = ["ODD", "Certificate", "Interval", "Pair", "ReducedODD", "Region", "Regions", "save"]
