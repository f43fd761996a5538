"""From the launch of a Python kernel to its result, through every stage, with everything in its place."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import mytriton as triton
from mytriton.runtime import nvrtc
from mytriton.runtime.compile_cache import cubin_or_load
from mytriton.runtime.cpu import find_compiler
from mytriton.ttir import parse_module
from tests.unit.runtime.kernels import add, fill, large_dot, nothing, row_sum, wrong

ROOT = Path(__file__).parents[3]

needs_nvrtc = pytest.mark.skipif(not nvrtc.is_available(), reason="NVRTC is not installed")


def has_compiler() -> bool:
    try:
        find_compiler()
    except triton.MissingToolError:
        return False
    return True


pytestmark = pytest.mark.skipif(not has_compiler(), reason="there is no C++ compiler")


def launch_add(n: int, dtype: Any = np.float32, **options: Any) -> triton.CompiledKernel:
    rng = np.random.default_rng(n)
    x, y = (rng.integers(-100, 100, n).astype(dtype) for _ in range(2))
    out = np.full(n, 77, dtype)

    def grid(meta: dict[str, Any]) -> tuple[int]:
        return (max(1, triton.cdiv(n, meta["BLOCK"])),)

    kernel = add[grid](x, y, out, n, BLOCK=64, **options)
    np.testing.assert_array_equal(out, x + y)
    return kernel


@pytest.mark.parametrize("n", [0, 1, 63, 64, 65, 1000])
def test_sizes(n: int):
    launch_add(n)


@pytest.mark.parametrize("dtype", [np.int8, np.uint16, np.int64, np.float16, np.float64, ml_dtypes.bfloat16])
def test_dtypes(dtype: Any):
    launch_add(100, dtype)


@pytest.mark.parametrize(
    ("value", "expected"),
    [(3, 3), (1, 1), (-(2**31), -(2**31)), (2**40, 2**40), (2**64 - 1, -1), (True, 1), (np.int8(-5), -5)],
)
def test_scalars_of_every_width(value: Any, expected: int):
    out = np.zeros(4, np.int64)
    fill[(1,)](out, value, BLOCK=4)
    assert out.tolist() == [expected] * 4


def test_a_float_argument_has_the_precision_of_float32():
    out = np.zeros(4, np.float64)
    fill[(1,)](out, 0.1, BLOCK=4)
    assert out.tolist() == [float(np.float32(0.1))] * 4


def test_a_launch_without_arrays():
    assert nothing[(3, 2, 1)](5).name == "nothing"


def test_views_are_addressed_where_they_start():
    base = np.arange(100, dtype=np.float32)
    out = np.zeros(50, np.float32)
    add[(1,)](base[10:60], base[:50], out, 50, BLOCK=64)
    np.testing.assert_array_equal(out, base[10:60] + base[:50])


def test_read_only_arrays():
    x = np.ones(4, np.float32)
    x.flags.writeable = False
    out = np.zeros(4, np.float32)
    add[(1,)](x, x, out, 4, BLOCK=4)
    assert out.tolist() == [2] * 4
    with pytest.raises(triton.ArgumentError, match="argument 'out_ptr' of kernel add is a read-only array"):
        add[(1,)](out, out, x, 4, BLOCK=4)


def test_torch_tensors_share_their_memory():
    torch: Any = pytest.importorskip("torch")
    for dtype in (torch.float32, torch.bfloat16, torch.float16, torch.int32):
        x, out = torch.arange(100).to(dtype), torch.zeros(100, dtype=dtype)
        add[(2,)](x, x, out, 100, BLOCK=64)
        assert torch.equal(out, x + x)


@needs_nvrtc
def test_everything_that_a_compiled_kernel_holds():
    kernel = launch_add(1000, num_warps=2)
    assert list(kernel.asm) == ["tt", "ttg", "cuda_ir", "cuda", "cpu", "ptx", "cubin"]
    assert "tt.func public @add" in kernel.asm["tt"]
    assert "#ttg.blocked" in kernel.asm["ttg"]
    assert "cuda.func @add" in kernel.asm["cuda_ir"]
    assert 'extern "C" __global__ void __launch_bounds__(64) add(' in kernel.asm["cuda"]
    assert kernel.asm["cuda"] in kernel.asm["cpu"] or kernel.asm["cuda"].rstrip("\n") in kernel.asm["cpu"]
    assert ".entry add(" in kernel.asm["ptx"]
    assert kernel.asm["cubin"].startswith(b"\x7fELF")
    assert kernel.asm["ttir"] == kernel.asm["tt"] and kernel.asm["ttgir"] == kernel.asm["ttg"]
    assert 0 < kernel.registers < 64 and kernel.spills == 0
    assert (kernel.n_regs, kernel.n_spills) == (kernel.registers, kernel.spills)
    assert (kernel.name, kernel.num_warps, kernel.shared, kernel.arch) == ("add", 2, 0, "sm_80")
    assert kernel.metadata.num_warps == 2 and kernel.metadata.shared == 0
    assert {"frontend", "convert-to-cuda", "print cuda", "cpu", "nvrtc", "ptx"} <= kernel.timings.keys()
    assert all(milliseconds >= 0 for milliseconds in kernel.timings.values())
    with pytest.raises(KeyError, match="'llir' is not one of the stages tt, ttg, cuda_ir, cuda, cpu, ptx, cubin"):
        kernel.asm["llir"]


def test_the_text_of_each_stage_leads_to_the_same_cuda(tmp_path: Path):
    kernel = launch_add(1000)
    for stage, passes in (("tt", "tt-to-cuda"), ("cuda_ir", "")):
        path = tmp_path / f"{stage}.mlir"
        path.write_text(kernel.asm[stage])
        command = [sys.executable, "-m", "mytriton.tools.opt", str(path), "-t", "cuda"]
        result = subprocess.run(
            [*command, *(["-p", passes] if passes else [])], capture_output=True, text=True, cwd=ROOT
        )
        assert result.stdout == kernel.asm["cuda"], result.stderr
    parse_module(kernel.asm["ttg"])


@needs_nvrtc
@pytest.mark.parametrize("arch", ["sm_75", "sm_80", "sm_90a", "sm_100"])
def test_warmup_from_types_alone(arch: str):
    kernel = add.warmup("*fp16", "*fp16", "*fp16", "i32", grid=(1,), arch=arch, num_warps=8, BLOCK=1000)
    assert kernel.arch == arch
    assert f".target {arch}" in kernel.asm["ptx"]
    assert kernel.asm["cubin"].startswith(b"\x7fELF")


@needs_nvrtc
def test_shared_memory_is_counted_as_ptxas_counts_it():
    kernel = row_sum.warmup("*fp32", "*fp32", BLOCK=1024, num_warps=8)
    assert kernel.shared > 0
    assert kernel.resources.shared == kernel.shared


def test_an_error_in_the_kernel_shows_its_line_and_nothing_of_the_compiler():
    with pytest.raises(triton.CompilationError) as caught:
        wrong[(1,)](np.zeros(1, np.float32))
    assert "kernels.py" in str(caught.value)
    assert "tl.store(x_ptr, tl.no_such_function(x_ptr))" in str(caught.value)
    frames = [Path(entry.path).name for entry in caught.traceback]
    assert set(frames) == {"test_end_to_end.py", "jit.py"}
    assert caught.value.__cause__ is None and caught.value.__suppress_context__


def test_a_compiled_kernel_is_launched_itself():
    kernel = add.warmup("*fp32", "*fp32", "*fp32", "i32", BLOCK=64)
    base = np.zeros(80, np.float32)
    x = base[-base.ctypes.data % 16 // 4 :][:64]
    x[:] = 1
    assert kernel[(1,)](x, x, x, 64, 64) is kernel
    assert x.tolist() == [2] * 64
    kernel[(1,)](x, x, x, 1)
    assert x.tolist() == [4] + [2] * 63


@pytest.mark.parametrize(
    ("position", "value", "message"),
    [
        (1, np.zeros(64, np.int32), "compiled for the type \\*fp32 as the argument 'y_ptr', found \\*i32"),
        (3, 2**40, "compiled for the type i32 as the argument 'n', found i64"),
        (4, 32, "compiled for the constant 64 as the argument 'BLOCK', found 32"),
    ],
)
def test_a_compiled_kernel_refuses_arguments_of_another_kind(position: int, value: Any, message: str):
    base = np.zeros(80, np.float32)
    x = base[-base.ctypes.data % 16 // 4 :][:64]
    kernel = add.warmup(x, x, x, "i32", BLOCK=64)
    args: list[Any] = [x, x, x, 64, 64]
    args[position] = value
    with pytest.raises(triton.ArgumentError, match=message):
        kernel[(1,)](*args)
    with pytest.raises(triton.ArgumentError, match="a number that 16 divides as the argument 'x_ptr'"):
        kernel[(1,)](x[1:], x, x, 64, 64)
    with pytest.raises(triton.ArgumentError, match="is missing the argument"):
        kernel[(1,)](x, x, x)


def test_an_error_of_a_pass_shows_the_line_of_the_kernel():
    with pytest.raises(triton.PassError) as caught:
        large_dot.warmup("*fp32", "*fp32", N=128, dynamic_shared=False)
    message = str(caught.value)
    assert "kernels.py" in message and "65536 bytes of shared memory" in message
    assert "tl.store(out_ptr + rows * N + columns, tl.dot(x, x))\n" in message
    assert large_dot.warmup("*fp32", "*fp32", N=128, arch="sm_80").shared == 65536


def test_threads_launch_at_the_same_time():
    failures: list[BaseException] = []

    def work(n: int) -> None:
        try:
            launch_add(n, num_stages=2)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(n,)) for n in (100, 100, 101, 112, 1, 0)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []


def test_nvrtc_is_not_needed_for_the_text_nor_for_the_cpu(monkeypatch: pytest.MonkeyPatch):
    def missing() -> Any:
        raise triton.NvrtcMissingError("there is no NVRTC")

    nvrtc.supported_architectures.cache_clear()
    monkeypatch.setattr(nvrtc, "_bindings", missing)
    kernel = launch_add(100, num_warps=1)
    assert "__global__" in kernel.asm["cuda"]
    for use in (lambda: kernel.asm["cubin"], lambda: kernel.asm["ptx"], lambda: kernel.registers):
        with pytest.raises(triton.NvrtcMissingError, match="there is no NVRTC"):
            use()


def test_a_compiler_for_the_cpu_is_not_needed_for_the_text(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("MYTRITON_CXX", "/nowhere/c++")
    kernel = add.warmup("*fp32", "*fp32", "*fp32", "i32", BLOCK=32)
    assert "__global__" in kernel.asm["cuda"]
    with pytest.raises(triton.MissingToolError):
        add[(1,)](*[np.zeros(4, np.float32)] * 3, 4, BLOCK=32)


def test_the_ir_after_each_pass_is_saved_where_the_environment_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("MYTRITON_DUMP_DIR", str(tmp_path))
    for block in (16, 32):
        add.warmup("*fp32", "*fp32", "*fp32", "i32", BLOCK=block, num_warps=1)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["add", "add-2"]
    names = sorted(path.name for path in (tmp_path / "add").iterdir())
    assert names[0] == "00-input.mlir"
    assert names[-1].endswith("-assign-variables.mlir")
    assert "tt.func public @add" in (tmp_path / "add" / "00-input.mlir").read_text()


SCRIPT = """
import sys
import numpy as np
from tests.unit.runtime.kernels import add

x, out = np.ones(100, np.float32), np.zeros(100, np.float32)
kernel = add[(2,)](x, x, out, 100, BLOCK=64)
assert (out == 2).all()
print("xdsl" in sys.modules)
print(kernel.asm["cuda"])
print(kernel.asm["ttg"])
"""


def test_another_process_finds_the_kernel_on_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("MYTRITON_CACHE_DIR", str(tmp_path))
    monkeypatch.delenv("MYTRITON_ALWAYS_COMPILE", raising=False)
    command = [sys.executable, "-c", SCRIPT]
    first, second = (
        subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT).stdout for _ in range(2)
    )
    assert first.startswith("True\n")
    assert second.startswith("False\n")
    assert first.partition("\n")[2] == second.partition("\n")[2]


@needs_nvrtc
def test_a_cubin_is_made_once(monkeypatch: pytest.MonkeyPatch):
    options = triton.Options(arch="sm_90a", num_warps=2)
    text = add.warmup("*fp32", "*fp32", "*fp32", "i32", BLOCK=48).asm["cuda"]
    first = cubin_or_load(text, options)

    def compile_again(*arguments: Any, **settings: Any) -> Any:
        raise AssertionError("the cubin is on disk")

    monkeypatch.setattr(nvrtc, "compile_to_cubin", compile_again)
    assert cubin_or_load(text, options) == first
    with pytest.raises(AssertionError):
        cubin_or_load(text, triton.Options(arch="sm_80", num_warps=2))
    with pytest.raises(AssertionError):
        cubin_or_load(text + "\n", options)


def test_importing_is_light():
    script = "import sys, mytriton; print(sorted({'xdsl', 'numpy', 'cuda', 'torch'} & sys.modules.keys()))"
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=ROOT)
    assert result.stdout.strip() == "[]"


def test_a_warm_launch_is_mostly_the_device(monkeypatch: pytest.MonkeyPatch):
    """No figure is asserted: this prints what Python costs, and checks that nothing is compiled again."""
    x = np.zeros(4, np.float32)
    kernel = add[(1,)](x, x, x, 4, BLOCK=4)

    def launch(*arguments: Any) -> None: ...

    monkeypatch.setattr(kernel, "launch", launch)
    start = time.perf_counter()
    for _ in range(100):
        assert add[(1,)](x, x, x, 4, BLOCK=4) is kernel
    print(f"{(time.perf_counter() - start) * 1e4:.1f} us a launch")
