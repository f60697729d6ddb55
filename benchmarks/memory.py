# SPDX-License-Identifier: Apache-2.0
"""How fast does this machine copy memory? The yardstick for building diagrams, which is mostly reading and writing."""

from __future__ import annotations

from time import perf_counter

import numpy as np


def memory_copy_rate(size: int = 1 << 28, repeats: int = 7) -> float:
    """Bytes copied per second (each is read once and written once): the best of several copies of ``size`` bytes."""
    source, target = np.ones(size, np.uint8), np.empty(size, np.uint8)

    def seconds() -> float:
        start = perf_counter()
        np.copyto(target, source)
        return perf_counter() - start

    seconds()  # not counted: the first copy also makes the target's pages
    return size / min(seconds() for _ in range(repeats))


if __name__ == "__main__":
    print(f"{memory_copy_rate() / 1e9:.1f} GB/s copied")
