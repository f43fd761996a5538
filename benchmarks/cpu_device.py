"""How fast kernels run on the CPU device, and beside it how fast Triton's interpreter runs them.

    python benchmarks/cpu_device.py [--repeat N] [--oracle PYTHON]

Seconds: the fastest of N launches of a kernel that is compiled already, and one launch by Triton's interpreter, in the
Python, with triton and torch, that `--oracle` or MYTRITON_ORACLE_PYTHON names. `ratio` is the second over the first,
and `difference` the largest one between the two results.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from tests.tutorials import EXAMPLES, load_example  # noqa: E402


@dataclass(frozen=True)
class Launch:
    """A kernel of an example with its grid and arguments; `output` is the position of the array that is compared."""

    name: str
    example: str
    kernel: str
    grid: tuple[int, ...]
    arguments: tuple[Any, ...]
    constants: dict[str, Any]
    output: int


def launches() -> list[Launch]:
    rng = np.random.default_rng(0)

    def random(*shape: int) -> np.ndarray:
        return rng.standard_normal(shape, dtype=np.float32)

    def empty(*shape: int) -> np.ndarray:
        return np.zeros(shape, np.float32)

    n, side, heads, context, head = 1 << 20, 512, 4, 1024, 64
    matmul_tile = {"BLOCK_M": 64, "BLOCK_N": 64, "BLOCK_K": 32, "GROUP_M": 8, "ACTIVATION": "leaky_relu"}
    attention_tile = {"HEAD": head, "BLOCK_M": 64, "BLOCK_N": 64, "CAUSAL": True}
    qkv = [random(heads, context, head) for _ in range(3)]
    return [
        Launch(
            "vector add, 1M elements",
            "vector_add",
            "add_kernel",
            (n // 1024,),
            (random(n), random(n), empty(n), n),
            {"BLOCK_SIZE": 1024},
            2,
        ),
        Launch(
            "softmax, 1024 rows of 1024",
            "fused_softmax",
            "softmax_kernel",
            (1024,),
            (empty(1024, 1024), random(1024, 1024), 1024, 1024, 1024, 1024),
            {"BLOCK_SIZE": 1024, "num_stages": 2},
            0,
        ),
        Launch(
            "matmul, 512^3",
            "grouped_matmul",
            "matmul_kernel",
            ((side // 64) ** 2,),
            (random(side, side), random(side, side), empty(side, side), side, side, side, side, 1, side, 1, side, 1),
            matmul_tile,
            2,
        ),
        Launch(
            "causal attention, 4 x 1024 x 64",
            "fused_attention",
            "attention_forward_kernel",
            (context // 64, heads),
            (*qkv, empty(heads, context, head), empty(heads, context), context, head**-0.5),
            attention_tile,
            3,
        ),
    ]


def seconds_here(launch: Launch, repeat: int) -> float:
    """The fastest launch on the CPU device, after one that compiles the kernel."""
    kernel: Any = getattr(load_example(launch.example), launch.kernel)
    times: list[float] = []
    for _ in range(repeat + 1):
        start = time.perf_counter()
        kernel[launch.grid](*launch.arguments, **launch.constants)
        times.append(time.perf_counter() - start)
    return min(times[1:])


def seconds_there(launch: Launch, python: str) -> tuple[float, np.ndarray | None]:
    """One launch by Triton's interpreter, and what it gave; NaN, and a line on standard error, where it fails."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        text = (EXAMPLES / f"{launch.example}.py").read_text(encoding="utf-8")
        path = folder / f"{launch.example}.py"
        path.write_text(text.replace("import mytriton", "import triton"), encoding="utf-8")
        arguments: list[Any] = []
        for index, value in enumerate(launch.arguments):
            if isinstance(value, np.ndarray):
                np.save(folder / f"{index}.npy", value)
            arguments.append(str(folder / f"{index}.npy") if isinstance(value, np.ndarray) else value)
        request = {
            "path": str(path),
            "kernel": launch.kernel,
            "grid": launch.grid,
            "arguments": arguments,
            "constants": launch.constants,
        }
        environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
        command = [python, str(ROOT / "benchmarks" / "triton_interpreter.py"), json.dumps(request)]
        result = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
        if result.returncode:
            print(f"Triton's interpreter: {(result.stderr.strip() or 'failed').splitlines()[-1]}", file=sys.stderr)
            return float("nan"), None
        return float(result.stdout.split()[-1]), np.load(folder / f"{launch.output}.npy")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--repeat", type=int, default=5, help="launches of each kernel on the CPU device")
    parser.add_argument("--oracle", help="a Python that has triton", default=os.environ.get("MYTRITON_ORACLE_PYTHON"))
    arguments = parser.parse_args()
    python = arguments.oracle if arguments.oracle and shutil.which(arguments.oracle) else None
    if python is None:
        print("Triton's interpreter is not measured: --oracle names no Python that has triton")
    print(f"{'':34}{'CPU device':>12}{'interpreter':>13}{'ratio':>8}{'difference':>12}")
    for launch in launches():
        ours = seconds_here(launch, arguments.repeat)
        theirs, result = seconds_there(launch, python) if python is not None else (float("nan"), None)
        difference = float("nan") if result is None else np.abs(result - launch.arguments[launch.output]).max()
        print(f"{launch.name:34}{ours:12.5f}{theirs:13.2f}{theirs / ours:8.0f}{difference:12.1e}", flush=True)


if __name__ == "__main__":
    main()
