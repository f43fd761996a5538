"""How long the compiler takes for the kernels of `examples/`, and beside it how long the real Triton takes.

    python benchmarks/compile_time.py [--repeat N] [--oracle PYTHON] [--steps [KERNEL ...]]

Milliseconds, the fastest of the repetitions in one process, without any cache: from Python to CUDA C; from that to a
cubin, by NVRTC; and from Python to a cubin by Triton, whose repetitions alternate with ours. `ratio` is our time to
CUDA C over Triton's whole time. Triton is timed where it can be imported, by this Python or by the one that `--oracle`
or MYTRITON_ORACLE_PYTHON names. `--steps` shows each step of our compilation instead, of the kernels whose names begin
as it says, or of the demo, the matrix product of `matmul.py`.
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
from importlib.util import find_spec
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from tests.tutorials import EXAMPLES, TUTORIALS, Tutorial, load_example  # noqa: E402

DEMO = [
    Tutorial(
        "matmul",
        "matmul_kernel",
        ("*fp32", "*fp32", "*fp32", "i32", "i32", "i32"),
        {"BM": size, "BN": size, "BK": 16},
        label=f"{size}x{size}x16",
    )
    for size in (64, 128)
]
ARCH = "sm_80"


def import_time() -> float:
    """Milliseconds of `import mytriton` in a new process; the best of three."""
    script = "import time; start = time.perf_counter(); import mytriton; print((time.perf_counter() - start) * 1e3)"
    command = [sys.executable, "-c", script]
    runs = [subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT) for _ in range(3)]
    return min(float(run.stdout) for run in runs)


def compilation(tutorial: Tutorial) -> Any:
    """A compilation of the kernel without any cache, from Python to CUDA C."""
    import mytriton.language as tl
    from mytriton.compiler import Options, compile_function
    from mytriton.runtime.specialize import specialize

    kernel = getattr(load_example(tutorial.example), tutorial.kernel)
    values = [*tutorial.types, *tutorial.constants_for(tl).values()]
    call = specialize(kernel.__name__, kernel.params, values, types_allowed=True)
    options = Options(arch=ARCH, num_warps=tutorial.num_warps)
    return compile_function(kernel, call.signature(), call.constants(), call.attributes(), options)


def nvrtc_time(text: str) -> float:
    """Milliseconds from CUDA C to a cubin; NaN where NVRTC is missing."""
    from mytriton.runtime import nvrtc

    if not nvrtc.is_available():
        return float("nan")
    start = time.perf_counter()
    nvrtc.compile_to_cubin(text, ARCH)
    return (time.perf_counter() - start) * 1e3


class Triton:
    """The real Triton in a process of its own."""

    def __init__(self, python: str, folder: str):
        self.folder = Path(folder)
        for path in EXAMPLES.glob("*.py"):
            text = path.read_text(encoding="utf-8").replace("import mytriton", "import triton")
            (self.folder / path.name).write_text(text.replace("from mytriton", "from triton"), encoding="utf-8")
        environment = {**os.environ, "TRITON_CACHE_DIR": folder, "TRITON_ALWAYS_COMPILE": "1"}
        environment.pop("PYTHONPATH", None)
        self.process = subprocess.Popen(
            [python, str(ROOT / "benchmarks" / "triton_server.py")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=environment,
        )

    def compile_time(self, tutorial: Tutorial) -> float:
        """Milliseconds from Python to a cubin; NaN, and the reason on standard error, for what it refuses."""
        request = {
            "path": str(self.folder / f"{tutorial.example}.py"),
            "kernel": tutorial.kernel,
            "types": tutorial.types,
            "constants": tutorial.constants,
            "num_warps": tutorial.num_warps,
            "arch": int(ARCH.removeprefix("sm_")),
        }
        assert self.process.stdin is not None and self.process.stdout is not None
        print(json.dumps(request), file=self.process.stdin, flush=True)
        answer = json.loads(self.process.stdout.readline() or '{"error": "it ended"}')
        if "error" in answer:
            print(f"Triton does not compile {tutorial.name}: {answer['error']}", file=sys.stderr)
        return answer.get("milliseconds", float("nan"))

    def close(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait()


def compare(repeat: int, oracle: Triton | None) -> None:
    """A line for each kernel, and the worst ratio."""
    print(f"{ARCH:30}{'CUDA C':>9}{'NVRTC':>9}{'Triton':>9}{'ratio':>8}")
    ratios: list[float] = []
    if oracle is not None:
        oracle.compile_time(TUTORIALS[0])  # imports what compiling needs, as the first compilation of ours does
    compilation(TUTORIALS[0])
    for tutorial in TUTORIALS:
        ours: list[float] = []
        theirs: list[float] = []
        cuda = ""
        for _ in range(repeat):
            found = compilation(tutorial)
            cuda = found.cuda
            ours.append(sum(found.timings.values()))
            theirs.append(oracle.compile_time(tutorial) if oracle is not None else float("nan"))
        ratios.append(min(ours) / min(theirs))
        columns = (min(ours), nvrtc_time(cuda), min(theirs))
        print(f"{tutorial.name:30}" + "".join(f"{value:9.0f}" for value in columns) + f"{ratios[-1]:8.2f}", flush=True)
    if oracle is not None:
        print(f"{'the worst':57}{max(ratios):8.2f}")


def show_steps(tutorials: list[Tutorial], repeat: int) -> None:
    """Each step of the compilation of some kernels."""
    columns = [[compilation(tutorial) for _ in range(repeat + 1)] for tutorial in tutorials]
    print(f"{ARCH:28}" + "".join(f"{tutorial.name:>28}" for tutorial in tutorials))
    for step in dict.fromkeys(step for runs in columns for step in runs[-1].timings):
        row = [min(run.timings.get(step, 0.0) for run in runs[1:]) for runs in columns]
        print(f"  {step:26}" + "".join(f"{value:28.2f}" for value in row))
    totals = [min(sum(run.timings.values()) for run in runs[1:]) for runs in columns]
    print(f"{'Python to CUDA C':28}" + "".join(f"{value:28.1f}" for value in totals))
    print(f"{'  the first time':28}" + "".join(f"{sum(runs[0].timings.values()):28.1f}" for runs in columns))
    nvrtc = [min(nvrtc_time(runs[0].cuda) for _ in range(repeat)) for runs in columns]
    print(f"{'NVRTC to cubin':28}" + "".join(f"{value:28.1f}" for value in nvrtc))


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--repeat", type=int, default=5, help="compilations of each kernel")
    parser.add_argument("--oracle", help="a Python that has triton", default=os.environ.get("MYTRITON_ORACLE_PYTHON"))
    parser.add_argument("--steps", nargs="*", metavar="KERNEL", help="show the steps of these kernels, or of the demo")
    arguments = parser.parse_args()
    print(f"import mytriton  {import_time():.0f} ms")
    if arguments.steps is not None:
        names = tuple(arguments.steps)
        show_steps([one for one in TUTORIALS if names and one.name.startswith(names)] or DEMO, arguments.repeat)
        return
    python = arguments.oracle or (sys.executable if find_spec("triton") else None)
    if python is None or shutil.which(python) is None:
        print("Triton is not measured: --oracle names no Python that has it")
        compare(arguments.repeat, None)
        return
    with tempfile.TemporaryDirectory() as folder:
        oracle = Triton(python, folder)
        try:
            compare(arguments.repeat, oracle)
        finally:
            oracle.close()


if __name__ == "__main__":
    main()
