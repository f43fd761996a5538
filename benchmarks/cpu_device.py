"""How fast kernels run on the CPU device, and beside it how fast Triton's interpreter runs them.

    python benchmarks/cpu_device.py [--repeat N] [--only TEXT] [--oracle PYTHON]

Every kernel of `examples/`, on 1M elements or with the operations of a 512^3 matrix product or more. Seconds: the first
launch here, with compilation unless a cache has the kernel; the fastest of N later ones; and one launch by Triton's
interpreter, in the Python, with triton and torch, that `--oracle` or MYTRITON_ORACLE_PYTHON names. `ratio` is the last
over the second, and `difference` the largest one between the two results; NaN where the interpreter does not run the
kernel, as it does none that calls libdevice.
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

import mytriton.language as tl  # noqa: E402
from tests.tutorials import EXAMPLES, load_example  # noqa: E402


@dataclass(frozen=True)
class Launch:
    """A kernel of an example with its grid and arguments; `output` is the position of the argument that is compared.

    A list of arrays as an argument is an array of their addresses. The constant DTYPE is the name of a dtype.
    """

    name: str
    example: str
    kernel: str
    grid: tuple[int, ...]
    arguments: tuple[Any, ...]
    constants: dict[str, Any]
    output: int


RNG = np.random.default_rng(0)


def random(*shape: int) -> np.ndarray:
    return RNG.standard_normal(shape, dtype=np.float32)


def random_half(*shape: int) -> np.ndarray:
    return (random(*shape) / 8).astype(np.float16)


def empty(*shape: int) -> np.ndarray:
    return np.zeros(shape, np.float32)


def elementwise() -> list[Launch]:
    """The kernels of one element each, on 1M of them."""
    n = 1 << 20
    grid, tile = (n // 1024,), {"BLOCK_SIZE": 1024}
    inside = RNG.uniform(-1, 1, n).astype(np.float32)
    return [
        Launch("vector add", "vector_add", "add_kernel", grid, (random(n), random(n), empty(n), n), tile, 2),
        Launch(
            "dropout", "low_memory_dropout", "seeded_dropout_kernel", grid, (random(n), empty(n), n, 0.5, 123), tile, 1
        ),
        Launch("libdevice asin", "libdevice", "asin_kernel", grid, (inside, empty(n), n), tile, 1),
    ]


def rows() -> list[Launch]:
    """The kernels that reduce the rows of a matrix, on 1024 rows of 1024."""
    m = n = 1024
    groups, tile = 64, {"BLOCK_SIZE": 1024}
    x, dout, weight, bias = random(m, n), random(m, n), random(n), random(n)
    mean, rstd = x.mean(axis=1), 1 / np.sqrt(x.var(axis=1) + 1e-5)
    parts = [empty(groups, n), empty(groups, n)]
    locks = np.zeros(2 * groups, np.int32)
    softmax_tile = {**tile, "num_stages": 2}
    forward = (x, empty(m, n), weight, bias, empty(m), empty(m), n, n, 1e-5)
    backward = (empty(m, n), dout, *parts, x, weight, mean, rstd, locks, n, n)
    sums = (random(m, n), random(m, n), empty(n), empty(n), m, n)
    return [
        Launch(
            "softmax", "fused_softmax", "softmax_kernel", (m,), (empty(m, n), random(m, n), n, n, m, n), softmax_tile, 0
        ),
        Launch("layer norm", "layer_norm", "layer_norm_forward_kernel", (m,), forward, tile, 1),
        Launch(
            "layer norm, dx",
            "layer_norm",
            "layer_norm_backward_dx_kernel",
            (m,),
            backward,
            {**tile, "GROUPS": groups},
            0,
        ),
        Launch(
            "layer norm, sums",
            "layer_norm",
            "layer_norm_backward_sums_kernel",
            (n // 128,),
            sums,
            {"BLOCK_M": 32, "BLOCK_N": 128},
            2,
        ),
    ]


def products() -> list[Launch]:
    """Matrix products: 512^3, and four smaller ones in one launch."""
    side, programs = 512, 16
    tile = {"BLOCK_M": 64, "BLOCK_N": 64, "BLOCK_K": 32}
    persistent = {**tile, "GROUP_M": 8, "PROGRAMS": programs}
    sizes, strides = (side,) * 3, (side, 1) * 3
    operands = (random(side, side), random(side, side), empty(side, side))
    halves = (random_half(side, side), random_half(side, side), np.zeros((side, side), np.float16))
    groups = [(256, 256, 512), (512, 256, 256), (256, 512, 256), (512, 512, 128)]
    a, b = ([random_half(m, k) for m, _, k in groups], [random_half(k, n) for _, n, k in groups])
    c = [np.zeros((m, n), np.float16) for m, n, _ in groups]
    shapes, widths = (np.array(list_of, np.int32) for list_of in (groups, [(k, n, n) for _, n, k in groups]))
    return [
        Launch(
            "matmul",
            "grouped_matmul",
            "matmul_kernel",
            ((side // 64) ** 2,),
            (*operands, *sizes, *strides),
            {**tile, "GROUP_M": 8, "ACTIVATION": "leaky_relu"},
            2,
        ),
        Launch(
            "grouped GEMM, fp16",
            "grouped_gemm",
            "grouped_gemm_kernel",
            (programs,),
            (a, b, c, shapes, widths, len(groups)),
            {**tile, "DTYPE": "float16", "PROGRAMS": programs},
            2,
        ),
        Launch(
            "persistent matmul, fp16",
            "persistent_matmul",
            "persistent_matmul_kernel",
            (programs,),
            (*halves, *sizes, *strides),
            persistent,
            2,
        ),
        Launch(
            "descriptor matmul, fp16",
            "persistent_matmul",
            "descriptor_matmul_kernel",
            (programs,),
            (*halves, *sizes),
            persistent,
            2,
        ),
    ]


def attention() -> list[Launch]:
    """Causal attention of 4 heads of 1024 x 64."""
    heads, context, head = 4, 1024, 64
    tile = {"HEAD": head, "BLOCK_M": 64, "BLOCK_N": 64, "CAUSAL": True}
    grid, scale = (context // 64, heads), head**-0.5
    shape = (heads, context, head)
    qkv = [random(*shape) for _ in range(3)]
    dout, lse, delta = random(*shape), 10 + random(heads, context), random(heads, context)
    backward = (*qkv, dout, lse, delta)
    rows_of_delta = heads * context
    return [
        Launch(
            "attention",
            "fused_attention",
            "attention_forward_kernel",
            grid,
            (*qkv, empty(*shape), empty(heads, context), context, scale),
            tile,
            3,
        ),
        Launch(
            "attention, delta (1M)",
            "fused_attention",
            "attention_backward_delta_kernel",
            (rows_of_delta * 4 // 64,),
            (
                random(4 * rows_of_delta, head),
                random(4 * rows_of_delta, head),
                empty(4 * rows_of_delta),
                4 * rows_of_delta,
            ),
            {"HEAD": head, "BLOCK_M": 64},
            2,
        ),
        Launch(
            "attention, dk and dv",
            "fused_attention",
            "attention_backward_kv_kernel",
            grid,
            (*backward, empty(*shape), empty(*shape), context, scale),
            {**tile, "BLOCK_M": 32},
            6,
        ),
        Launch(
            "attention, dq",
            "fused_attention",
            "attention_backward_q_kernel",
            grid,
            (*backward, empty(*shape), context, scale),
            {**tile, "BLOCK_N": 32},
            6,
        ),
    ]


def launches() -> list[Launch]:
    return [*elementwise(), *rows(), *products(), *attention()]


def seconds_here(launch: Launch, repeat: int) -> tuple[float, float]:
    """The first launch on the CPU device, which compiles the kernel or finds it compiled, and the fastest later one."""
    kernel: Any = getattr(load_example(launch.example), launch.kernel)
    constants = {name: getattr(tl, value) if name == "DTYPE" else value for name, value in launch.constants.items()}
    arguments = [addresses(value) if isinstance(value, list) else value for value in launch.arguments]
    times: list[float] = []
    for _ in range(repeat + 1):
        start = time.perf_counter()
        kernel[launch.grid](*arguments, **constants)
        times.append(time.perf_counter() - start)
    return times[0], min(times[1:])


def addresses(arrays: list[np.ndarray]) -> np.ndarray:
    return np.array([array.ctypes.data for array in arrays], np.int64)


def seconds_there(launch: Launch, python: str) -> tuple[float, list[np.ndarray]]:
    """One launch by Triton's interpreter, and what it gave; NaN, and a line on standard error, where it fails."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        text = (EXAMPLES / f"{launch.example}.py").read_text(encoding="utf-8")
        path = folder / f"{launch.example}.py"
        text = text.replace("from mytriton", "from triton").replace("import mytriton", "import triton")
        path.write_text(text, encoding="utf-8")

        def saved(array: np.ndarray, name: str) -> str:
            np.save(folder / name, array)
            return str(folder / name)

        arguments: list[Any] = []
        for index, value in enumerate(launch.arguments):
            if isinstance(value, list):
                value = [saved(array, f"{index}_{number}.npy") for number, array in enumerate(value)]
            arguments.append(saved(value, f"{index}.npy") if isinstance(value, np.ndarray) else value)
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
            return float("nan"), []
        output = arguments[launch.output]
        paths = output if isinstance(output, list) else [output]
        return float(result.stdout.split()[-1]), [np.load(path) for path in paths]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--repeat", type=int, default=5, help="launches of each kernel on the CPU device")
    parser.add_argument("--oracle", help="a Python that has triton", default=os.environ.get("MYTRITON_ORACLE_PYTHON"))
    parser.add_argument("--only", help="the kernels whose names contain this text", default="")
    arguments = parser.parse_args()
    python = arguments.oracle if arguments.oracle and shutil.which(arguments.oracle) else None
    if python is None:
        print("Triton's interpreter is not measured: --oracle names no Python that has triton")
    print(f"{'':26}{'first':>9}{'CPU device':>12}{'interpreter':>13}{'ratio':>8}{'difference':>12}")
    for launch in launches():
        if arguments.only not in launch.name:
            continue
        first, ours = seconds_here(launch, arguments.repeat)
        theirs, results = seconds_there(launch, python) if python is not None else (float("nan"), [])
        output = launch.arguments[launch.output]
        mine = output if isinstance(output, list) else [output]
        difference = max(
            (float(np.abs(x.astype(np.float64) - y).max()) for x, y in zip(results, mine, strict=False)),
            default=float("nan"),
        )
        print(
            f"{launch.name:26}{first:9.3f}{ours:12.5f}{theirs:13.2f}{theirs / ours:8.0f}{difference:12.1e}", flush=True
        )


if __name__ == "__main__":
    main()
