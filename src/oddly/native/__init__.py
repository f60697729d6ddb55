# SPDX-License-Identifier: Apache-2.0
"""The compiled kernels, where they could be built.

Everything works without them, on NumPy; `WHY_NOT` is the sentence to say then.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from oddly.native import _kernels as kernels

    AVAILABLE: bool
else:
    try:
        from oddly.native import _kernels as kernels
    except ImportError:
        kernels = None
    AVAILABLE = kernels is not None

MOST_CLASSES = 64  # the kernels hold a set of classes in a word

WHY_NOT = (
    "the C++ kernels are not built, so Oddly runs on its slower NumPy engine; "
    "install a C++20 compiler and install Oddly again"
)


def halves(numbers: Sequence[int]) -> NDArray[np.uint64]:
    """Whole numbers below 2^127 as pairs of 64-bit halves, low half first, in two's complement."""
    data = b"".join(n.to_bytes(16, "little", signed=True) for n in numbers)
    return np.frombuffer(data, np.dtype("<u8")).reshape(-1, 2)
