"""What ptxas says about a kernel: registers, spills, shared and local memory."""

from __future__ import annotations

import re
from dataclasses import dataclass

_ENTRY = re.compile(r"Compiling entry function '([^']+)'")
_STACK = re.compile(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads")
_USED = re.compile(r"Used (\d+) registers")
_SHARED = re.compile(r"(\d+)(?:\+\d+)? bytes smem")


@dataclass(frozen=True, slots=True)
class Resources:
    """What one kernel uses: `registers` per thread, `shared` bytes per block (static), and per thread `local` bytes of
    stack frame and the bytes that spill stores and loads move."""

    registers: int
    shared: int
    local: int
    spill_stores: int
    spill_loads: int


def parse_ptxas_log(log: str) -> dict[str, Resources]:
    """The resources of each kernel that a log of `ptxas -v` tells of, by the name of the kernel.

    Functions that were not inlined have a stack frame of their own, which counts towards the kernel they stand under.
    """
    resources: dict[str, Resources] = {}
    entry: str | None = None
    local = stores = loads = 0
    for line in log.splitlines():
        if match := _ENTRY.search(line):
            entry, local, stores, loads = match[1], 0, 0, 0
        elif match := _STACK.search(line):
            local, stores, loads = local + int(match[1]), stores + int(match[2]), loads + int(match[3])
        elif entry is not None and (match := _USED.search(line)):
            shared = _SHARED.search(line)
            resources[entry] = Resources(int(match[1]), int(shared[1]) if shared else 0, local, stores, loads)
            entry = None
    return resources
