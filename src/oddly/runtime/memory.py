# SPDX-License-Identifier: Apache-2.0
"""How much memory is free, and how much does this process have?"""

import os
from pathlib import Path


def free_memory() -> int:
    """Bytes that can be taken without anything being killed: what is free, within the control group's limit."""
    free = _meminfo()
    for limit, used in (
        ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"),
        ("/sys/fs/cgroup/memory/memory.limit_in_bytes", "/sys/fs/cgroup/memory/memory.usage_in_bytes"),
    ):
        try:
            free = min(free, int(Path(limit).read_text()) - int(Path(used).read_text()))
        except (OSError, ValueError):
            continue  # no such group, or "max": no limit
    return max(free, 1 << 26)


def memory_taken() -> int:
    """Bytes of its own that this process holds just now: files it has mapped do not count. 0 where nobody knows."""
    try:
        with open("/proc/self/statm", "rb") as file:
            _, resident, shared = file.read().split()[:3]
    except (OSError, ValueError):
        return 0
    return (int(resident) - int(shared)) * PAGE


def in_bytes(count: float) -> str:
    """A size of memory in words.

    >>> in_bytes(300_000_000), in_bytes(1_000_000)
    ('0.3 GB', '1 MB')
    """
    return f"{count / 1e9:.3g} GB" if count >= 1e8 else f"{count / 1e6:.3g} MB"


PAGE = os.sysconf("SC_PAGE_SIZE")


def _meminfo() -> int:
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable"))
    except (OSError, StopIteration):
        return PAGE * os.sysconf("SC_PHYS_PAGES") // 2
