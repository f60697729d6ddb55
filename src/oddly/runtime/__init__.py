# SPDX-License-Identifier: Apache-2.0
"""How far may work go?  Nodes, memory and seconds, and whom to tell on the way."""

from oddly.runtime.limits import (
    LimitArguments,
    Limits,
    Progress,
    current,
    handed,
    in_time,
    more_memory,
    poll,
    polled,
    room,
    stopped,
    within,
)
from oddly.runtime.memory import free_memory, in_bytes
from oddly.runtime.watch import Watch

__all__ = [
    "LimitArguments",
    "Limits",
    "Progress",
    "Watch",
    "current",
    "free_memory",
    "handed",
    "in_bytes",
    "in_time",
    "more_memory",
    "poll",
    "polled",
    "room",
    "stopped",
    "within",
]
