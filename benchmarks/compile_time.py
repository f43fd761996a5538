"""How long the compiler takes: importing it, each step from Python to CUDA C, and NVRTC; beside it the real Triton.

    python benchmarks/compile_time.py [--repeat N]

Triton is timed where it can be imported, by this Python or by the one that MYTRITON_ORACLE_PYTHON names. Times are
milliseconds, the fastest of the repetitions in one process; below them the first one, which also imports modules.
"""

from __future__ import annotations

import argparse
import json
import os
import runpy
import shutil
import subprocess
import sys
import tempfile
import time
from importlib.util import find_spec
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
EXAMPLE = ROOT / "examples" / "matmul.py"
TILES = ((64, 64, 16), (128, 128, 16))
SIGNATURE = ("*fp32", "*fp32", "*fp32", "i32", "i32", "i32")
ARCH = "sm_80"

TRITON = """
import json, runpy, sys, time
import triton
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

kernel = runpy.run_path(sys.argv[1])["matmul_kernel"]
names = kernel.arg_names
for tile in {tiles}:
    times = []
    for _ in range({repeat} + 1):
        start = time.perf_counter()
        constants = dict(zip(("BM", "BN", "BK"), tile))
        signature = {{**dict(zip(names, {signature})), **dict.fromkeys(constants, "constexpr")}}
        aligned = {{(index,): [["tt.divisibility", 16]] for index in range(3)}}
        constants = {{(names.index(name),): value for name, value in constants.items()}}
        source = ASTSource(kernel, signature, constants, aligned)
        triton.compile(source, target=GPUTarget("cuda", 80, 32), options={{"num_warps": 4}})
        times.append((time.perf_counter() - start) * 1e3)
    print(json.dumps(times))
"""


def import_time() -> float:
    """Milliseconds of `import mytriton` in a new process; the best of three."""
    script = "import time; start = time.perf_counter(); import mytriton; print((time.perf_counter() - start) * 1e3)"
    runs = [subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=ROOT)]
    runs += [subprocess.run(runs[0].args, capture_output=True, text=True, check=True, cwd=ROOT) for _ in range(2)]
    return min(float(run.stdout) for run in runs)


def compile_times(kernel: Any, tile: tuple[int, int, int], repeat: int) -> list[Any]:
    """The compilations of the kernel for one tile, without any cache; the first one is not warm."""
    from mytriton.compiler import Options, compile_function
    from mytriton.runtime.specialize import specialize

    call = specialize(kernel.__name__, kernel.params, [*SIGNATURE, *tile], types_allowed=True)
    parts = (call.signature(), call.constants(), call.attributes())
    return [compile_function(kernel, *parts, Options(arch=ARCH)) for _ in range(repeat + 1)]


def nvrtc_times(text: str, repeat: int) -> list[float]:
    """Milliseconds from CUDA C to a cubin; nothing where NVRTC is missing."""
    from mytriton.runtime import nvrtc

    times: list[float] = []
    for _ in range(repeat if nvrtc.is_available() else 0):
        start = time.perf_counter()
        nvrtc.compile_to_cubin(text, ARCH)
        times.append((time.perf_counter() - start) * 1e3)
    return times


def triton_times(repeat: int) -> list[list[float]]:
    """Milliseconds from Python to a cubin by Triton, for each tile; nothing where Triton is missing."""
    python = os.environ.get("MYTRITON_ORACLE_PYTHON") or (sys.executable if find_spec("triton") else None)
    if python is None or shutil.which(python) is None:
        return []
    script = TRITON.format(tiles=TILES, repeat=repeat, signature=SIGNATURE)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "matmul.py"
        path.write_text(
            EXAMPLE.read_text(encoding="utf-8").replace("import mytriton", "import triton"), encoding="utf-8"
        )
        environment = {**os.environ, "TRITON_CACHE_DIR": folder, "TRITON_ALWAYS_COMPILE": "1"}
        environment.pop("PYTHONPATH", None)
        command = [python, "-c", script, str(path)]
        result = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    if result.returncode:
        print(f"Triton does not compile the kernel here: {result.stderr.strip().splitlines()[-1]}")
        return []
    return [json.loads(line) for line in result.stdout.splitlines()]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--repeat", type=int, default=5, help="warm compilations of each kernel")
    repeat: int = parser.parse_args().repeat
    sys.path.insert(0, str(ROOT))
    print(f"import mytriton  {import_time():.0f} ms")
    kernel: Any = runpy.run_path(str(EXAMPLE))["matmul_kernel"]

    columns = [compile_times(kernel, tile, repeat) for tile in TILES]
    print(f"\n{'matmul, 4 warps, ' + ARCH:28}" + "".join(f"{'x'.join(map(str, tile)):>14}" for tile in TILES))
    for step in columns[0][-1].timings:
        row = [min(run.timings.get(step, 0.0) for run in runs[1:]) for runs in columns]
        print(f"  {step:26}" + "".join(f"{value:14.2f}" for value in row))
    totals = [min(sum(run.timings.values()) for run in runs[1:]) for runs in columns]
    print(f"{'Python to CUDA C':28}" + "".join(f"{value:14.1f}" for value in totals))
    print(f"{'  the first time':28}" + "".join(f"{sum(runs[0].timings.values()):14.1f}" for runs in columns))
    print(f"{'  ratio to the first tile':28}" + "".join(f"{value / totals[0]:14.2f}" for value in totals))
    nvrtc = [nvrtc_times(runs[0].cuda, repeat) for runs in columns]
    if all(nvrtc):
        print(f"{'NVRTC to cubin':28}" + "".join(f"{min(times):14.1f}" for times in nvrtc))
        both = [total + min(times) for total, times in zip(totals, nvrtc, strict=True)]
        print(f"{'Python to cubin':28}" + "".join(f"{value:14.1f}" for value in both))
    if triton := triton_times(repeat):
        print(f"{'Triton, Python to cubin':28}" + "".join(f"{min(run[1:]):14.1f}" for run in triton))
        print(f"{'  the first time':28}" + "".join(f"{run[0]:14.1f}" for run in triton))


if __name__ == "__main__":
    main()
