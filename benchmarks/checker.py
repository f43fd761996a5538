"""What the checker costs: kernels on the CPU device, with and without it.

    python benchmarks/checker.py [--repeat N] [--only TEXT] [--workers N]

The kernels and arrays of benchmarks/cpu_device.py. `compile`: seconds of the first checked launch, with compilation
unless a cache has the kernel; `plain` and `checked`: milliseconds of the fastest of N launches, taken in turn; `ratio`
is the second over the first.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).parent.parent
sys.path[:0] = [str(ROOT), str(Path(__file__).parent)]

from cpu_device import Launch, addresses, launches  # noqa: E402

import mytriton  # noqa: E402
import mytriton.language as tl  # noqa: E402
from tests.tutorials import load_example  # noqa: E402


def milliseconds(launch: Launch, repeat: int) -> tuple[float, float, float]:
    """The first checked launch, and the fastest plain and checked ones."""
    kernel: Any = getattr(load_example(launch.example), launch.kernel)
    constants = {name: getattr(tl, value) if name == "DTYPE" else value for name, value in launch.constants.items()}
    arguments = [addresses(value) if isinstance(value, list) else value for value in launch.arguments]
    locks = [(value, value.copy()) for value in arguments if isinstance(value, np.ndarray) and value.dtype == np.int32]

    def once() -> float:
        for array, before in locks:
            array[...] = before
        start = time.perf_counter()
        kernel[launch.grid](*arguments, **constants)
        return (time.perf_counter() - start) * 1e3

    def checked() -> float:
        with mytriton.sanitize():
            return once()

    once()
    first = checked()
    times = [(once(), checked()) for _ in range(repeat)]
    return first, min(plain for plain, _ in times), min(checked for _, checked in times)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--repeat", type=int, default=7, help="launches of each kernel")
    parser.add_argument("--only", help="the kernels whose names contain this text", default="")
    parser.add_argument("--workers", type=int, help="how many programs run at the same time")
    arguments = parser.parse_args()
    if arguments.workers:
        os.environ["MYTRITON_CPU_WORKERS"] = str(arguments.workers)
    print(f"{'':26}{'compile s':>10}{'plain ms':>10}{'checked ms':>12}{'ratio':>8}")
    for launch in launches():
        if arguments.only in launch.name:
            first, plain, checked = milliseconds(launch, arguments.repeat)
            print(f"{launch.name:26}{first / 1e3:10.2f}{plain:10.2f}{checked:12.2f}{checked / plain:8.2f}", flush=True)


if __name__ == "__main__":
    main()
