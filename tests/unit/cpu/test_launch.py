"""Arguments, bad launches, interrupted ones, and launches from several threads and processes."""

from __future__ import annotations

import ctypes
import os
import platform
import subprocess
import sys
import textwrap
import threading
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from mytriton.errors import LaunchError
from mytriton.runtime import cpu
from mytriton.runtime.cpu import native_runtime
from mytriton.runtime.cpu.build import Refusal, build_object
from tests.unit.cpu.running import compile_body, launch

SCALARS: list[tuple[str, Any, Sequence[Any]]] = [
    ("bool", np.bool_, [True, False, 1, np.True_]),
    ("signed char", np.int8, [-128, 127, 255]),
    ("short", np.int16, [-32768, 32767, 65535]),
    ("int", np.int32, [-(2**31), 2**31 - 1, 2**32 - 1, np.int32(-5)]),
    ("long long", np.int64, [-(2**63), 2**63 - 1, 2**64 - 1]),
    ("unsigned", np.uint32, [0, 2**32 - 1, -1]),
    ("unsigned long long", np.uint64, [0, 2**64 - 1]),
    ("float", np.float32, [1.1, -0.0, float("inf"), 1e39, -1e39, float("nan"), 3, np.float32(0.1)]),
    ("double", np.float64, [1.1, -1e308, 3]),
]


@pytest.mark.parametrize(("c_type", "dtype", "values"), SCALARS, ids=[c_type for c_type, _, _ in SCALARS])
def test_scalars(c_type: str, dtype: Any, values: Sequence[Any]) -> None:
    """Between two others, so that a wrong size shows."""
    body = "if (threadIdx.x == 0) { *out = value; *rest = before + after; }"
    kernel = compile_body(f"{c_type} *out, signed char before, {c_type} value, double after, double *rest", body)
    for value in values:
        out, rest = np.zeros(1, dtype), np.zeros(1)
        launch(kernel, (1,), out, -7, value, 0.5, rest)
        with np.errstate(over="ignore"):
            wanted = np.array(value).astype(dtype)
        np.testing.assert_array_equal(out[0], wanted)
        assert np.signbit(out[0]) == np.signbit(wanted) if dtype in (np.float32, np.float64) else True
        assert rest[0] == -6.5


@pytest.mark.parametrize("name", ["half", "bfloat16"])
def test_small_floats_come_as_bits(name: str) -> None:
    kernel = compile_body(f"{name} value, unsigned short *out", "out[threadIdx.x] = value.bits;")
    out = np.zeros(32, np.uint16)
    launch(kernel, (1,), 0xBEEF, out)
    assert (out == 0xBEEF).all()


def test_no_parameters() -> None:
    launch(compile_body("", "__syncthreads();"), (3,))


def test_a_kernel_named_like_a_function_of_the_library() -> None:
    text = 'extern "C" __global__ void __launch_bounds__(32)\nsum(int *x) { x[threadIdx.x] += threadIdx.x; }'
    x = np.ones(32, np.int32)
    launch(cpu.compile(text, cpu.KernelMetadata("sum", [("x", "int *")], 1)), (1,), x)
    np.testing.assert_array_equal(x, np.arange(32) + 1)


@pytest.mark.parametrize("grid", [(0,), (1, 0), (1, 1, -1), (-3,), (2**31,), (1, 2, 3, 4)])
def test_bad_grids(grid: tuple[int, ...]) -> None:
    kernel = compile_body("", "")
    with pytest.raises((LaunchError, ValueError)):
        kernel.launch(grid, [])


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ([1], "takes 2 arguments, but 1 were given"),
        ([1, 2, 3], "takes 2 arguments, but 3 were given"),
        ([2**40, 0.0], "1099511627776 does not fit the parameter int n"),
        ([1, "x"], "'x' does not fit the parameter float x"),
        ([1.5, 0.0], "1.5 does not fit the parameter int n"),
        ([None, 0.0], "None does not fit the parameter int n"),
    ],
)
def test_bad_arguments(args: list[Any], message: str) -> None:
    with pytest.raises(LaunchError, match=message):
        compile_body("int n, float x", "").launch((1,), args)


def test_too_little_memory() -> None:
    """Stacks that cannot be had are an error, not a crash."""
    kernel = compile_body("", "__syncthreads();", num_warps=32, shared_bytes=0)
    text = kernel.text.replace("#define MYTRITON_STACK 65536", "#define MYTRITON_STACK 4000000000")
    assert text != kernel.text
    compiler = cpu.find_compiler()
    path = build_object(compiler, compiler.kernel_flags(""), text)
    assert not isinstance(path, Refusal)
    metadata = cpu.KernelMetadata("kernel", [], 32)
    huge = cpu.CpuKernel(text, "", path, metadata, native_runtime.load_runtime(compiler))
    resource = pytest.importorskip("resource")
    limits = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (1 << 40, limits[1]))
    try:
        with pytest.raises(LaunchError, match="not enough memory for the stacks"):
            huge.launch((1,), [])
    finally:
        resource.setrlimit(resource.RLIMIT_AS, limits)
    kernel.launch((1,), [])


def test_launches_from_several_threads() -> None:
    kernel = compile_body(
        "int *out, int n",
        """
    int sum = n;
    for (int i = 0; i < 20; ++i) {
        sum = __shfl_xor_sync(0xffffffff, sum, 1) + 1;
        __syncthreads();
    }
    out[blockIdx.x * 64 + threadIdx.x] = sum;""",
        num_warps=2,
    )
    failures: list[object] = []

    def work(number: int) -> None:
        out = np.zeros((37, 64), np.int32)
        for turn in range(20):
            out[:] = 0
            launch(kernel, (37,), out, number * 1000 + turn)
            if not (out == number * 1000 + turn + 20).all():
                failures.append((number, turn))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_the_interpreter_lock_is_released() -> None:
    """A launch waits for what another Python thread writes."""
    kernel = compile_body("int *flag", "while (atomicCAS(flag, 1, 2) == 0) {\n}")
    flag = np.zeros(1, np.int32)
    thread = threading.Thread(target=launch, args=(kernel, (1,), flag))
    thread.start()
    flag[0] = 1
    thread.join(timeout=30)
    assert not thread.is_alive() and flag[0] == 2


def run_python(script: str) -> subprocess.CompletedProcess[str]:
    """Runs a script that begins with what the tests import."""
    prelude = """
import os, signal, threading, time
import numpy as np
from tests.unit.cpu.running import *
signal.signal(signal.SIGALRM, signal.default_int_handler)
"""
    return subprocess.run(
        [sys.executable, "-c", prelude + textwrap.dedent(script)],
        capture_output=True,
        text=True,
        timeout=60,
        cwd=os.getcwd(),
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, [os.getcwd(), os.environ.get("PYTHONPATH")]))},
    )


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_fork() -> None:
    """A child has no worker threads of its parent, and starts its own."""
    result = run_python("""
        kernel = compile_body("int *x", "__syncthreads();\\nx[blockIdx.x * 32 + threadIdx.x] += 1;")
        x = np.zeros((50, 32), np.int32)
        launch(kernel, (50,), x, workers=3)
        child = os.fork()
        launch(kernel, (50,), x, workers=3)
        if child == 0:
            os._exit(0 if (x == 2).all() else 1)
        _, status = os.waitpid(child, 0)
        assert status == 0, status
        assert (x == 2).all()
    """)
    assert result.returncode == 0, result.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="needs signals")
@pytest.mark.parametrize(
    "body",
    [
        "while (atomicAdd(x, 0) == 0) {\\n}",
        "while (true) __syncthreads();",
        "while (true) *(volatile int *)x = 1;",
        "while (true) x[threadIdx.x % 32] = __shfl_xor_sync(0xffffffff, x[threadIdx.x], 1) + 1;",
    ],
    ids=["atomic", "barrier", "plain loop", "shuffle"],
)
def test_interrupt(body: str) -> None:
    """Ctrl-C ends a launch that would never end, soon or late; another one works afterwards."""
    result = run_python(f"""
        endless = compile_body("int *x", "{body}", num_warps=2)
        fine = compile_body("int *x", "__syncthreads();\\nx[threadIdx.x] = 3;", num_warps=2)
        x = np.zeros(64, np.int32)
        for delay in (0.1, 0.001, 0.01, 0.002, 0.06):
            signal.setitimer(signal.ITIMER_REAL, delay)
            try:
                launch(endless, (8,), x, workers=3)
                raise SystemExit("it ended")
            except KeyboardInterrupt:
                pass
            launch(fine, (8,), x)
            assert (x == 3).all()
            x[:] = 0
        print("interrupted")
    """)
    assert (result.returncode, result.stdout) == (0, "interrupted\n"), result.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="needs signals")
def test_a_signal_handler_that_returns_does_not_end_a_launch() -> None:
    result = run_python("""
        kernel = compile_body("int *x", "while (atomicAdd(x, 0) == 0) {\\n}")
        x = np.zeros(1, np.int32)

        def handler(*_):
            print("handled")
            x[0] = 1

        signal.signal(signal.SIGINT, handler)
        threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT)).start()
        launch(kernel, (1,), x)
        print("ended")
    """)
    assert (result.returncode, result.stdout) == (0, "handled\nended\n"), result.stderr


@pytest.mark.skipif(platform.machine() not in ("x86_64", "AMD64"), reason="sets a register of x86")
def test_the_caller_may_round_otherwise() -> None:
    """What a library does to the rounding and the denormals of the launching thread changes no kernel, and is kept."""
    source = """
extern "C" __attribute__((visibility("default"))) unsigned exchange(unsigned environment) {
  const unsigned before = __builtin_ia32_stmxcsr();
  __builtin_ia32_ldmxcsr(environment);
  return before;
}"""
    compiler = cpu.find_compiler()
    path = build_object(compiler, compiler.kernel_flags(""), source)
    assert not isinstance(path, Refusal)
    exchange = ctypes.CDLL(str(path)).exchange
    exchange.restype = ctypes.c_uint
    kernel = compile_body("float *x, float *out", "out[blockIdx.x * 32 + threadIdx.x] = x[threadIdx.x] * 0.5f;")
    x = np.full(32, 2e-38, np.float32)
    expected = x * np.float32(0.5)
    out = np.zeros((64, 32), np.float32)
    flush_and_round_up = 0xDFC0
    before = exchange(flush_and_round_up)
    launch(kernel, (64,), x, out, workers=3)
    kept = exchange(before)
    assert kept & 0xFFC0 == flush_and_round_up
    assert (out == expected).all() and out[0, 0] > 0


def test_default_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MYTRITON_CPU_WORKERS", "7")
    assert cpu.default_workers() == 7
    monkeypatch.delenv("MYTRITON_CPU_WORKERS")
    assert cpu.default_workers() == native_runtime.available_processors() >= 1
