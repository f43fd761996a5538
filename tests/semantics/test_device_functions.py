"""Random numbers, functions of libdevice and of the kernel's own, and what a running kernel tells."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any

import numpy as np
import pytest

import mytriton as triton
import mytriton.language as tl
from mytriton.errors import CompilationError, DeviceAssertionError, UnsupportedError
from mytriton.language.extra import cuda, libdevice
from tests.kernels.harness import check

DEVICES = ("interpreter", "cpu")


def _on(device: str) -> Any:
    return triton.interpret() if device == "interpreter" else nullcontext()


@triton.jit
def random_kernel(seed, base, integers_ptr, floats_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(integers_ptr + i, tl.randint(seed, base + i))
    tl.store(floats_ptr + i, tl.rand(seed, base + i))


@pytest.mark.rule("random")
def test_both_halves_of_an_offset_count() -> None:
    outputs = [np.empty(8, np.uint32), np.empty(8, np.float32)]
    found: list[np.ndarray[Any, Any]] = []
    for base in (0, 4, 1 << 40):
        random_kernel[(1,)](7, base, *outputs, N=8)
        found.append(outputs[0].copy())
        check(random_kernel, (1,), [7, base], outputs, [value.copy() for value in outputs], num_warps=(1, 4), N=8)
    np.testing.assert_array_equal(found[0][4:], found[1][:4])
    assert not np.isin(found[2], found[0]).any()


@triton.jit
def rounding_kernel(x_ptr, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    tl.store(out_ptr + i, libdevice.add_rd(x, 1.0))
    tl.store(out_ptr + N + i, libdevice.add_ru(x, 1.0))
    tl.store(out_ptr + 2 * N + i, libdevice.float2int_ru(x))


@triton.jit
def promoting_kernel(x_ptr):
    tl.store(x_ptr, libdevice.atan2(tl.load(x_ptr), 1))


@pytest.mark.rule("libdevice")
def test_functions_that_round_are_exact_and_nothing_is_promoted() -> None:
    x = np.array([1e-10, -1e-10, 2.5], np.float32)
    below, above = np.nextafter(np.float32(1), np.float32(0)), np.nextafter(np.float32(1), np.float32(2))
    wanted = np.array([[1, below, 3.5], [above, 1, 3.5], [1, 0, 3]], np.float32)
    check(rounding_kernel, (1,), [x], [np.empty((3, 3), np.float32)], [wanted], rtol=0, atol=0, N=3)
    with pytest.raises(CompilationError, match="atan2 takes"):
        promoting_kernel.warmup("*fp32")


@triton.jit
def collatz(n):
    steps = 0
    while n > 1:
        if n % 2 == 0:
            n = n // 2
        else:
            n = 3 * n + 1
        steps += 1
    return steps


@triton.jit
def collatz_kernel(x_ptr, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out_ptr + i, tl.map_elementwise(collatz, tl.load(x_ptr + i)))


@pytest.mark.rule("map-elementwise")
def test_each_element_loops_as_long_as_it_likes() -> None:
    x = np.array([1, 2, 3, 7, 27], np.int32)
    wanted = [np.array([0, 1, 7, 16, 111], np.int32)]
    check(collatz_kernel, (1,), [x], [np.empty(5, np.int32)], wanted, num_warps=(1, 4), N=5)


@triton.jit
def assembly_kernel(x_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    tl.store(x_ptr + i, tl.inline_asm_elementwise("add.f16x2 $0, $1, $1;", "=r,r", [x], tl.float16, True, 2))


@pytest.mark.rule("inline-assembly")
@pytest.mark.parametrize("device", DEVICES)
def test_assembly_is_refused_when_it_is_launched(device: str) -> None:
    assert "<< 16" in assembly_kernel.warmup("*fp16", grid=(1,), N=1024).asm["cuda"]
    with _on(device), pytest.raises(UnsupportedError, match="GPUs only"):
        assembly_kernel[(1,)](np.zeros(16, np.float16), N=16)


@triton.jit
def overlapping_kernel(x_ptr, out_ptr):
    cuda.gdc_wait()
    tl.store(out_ptr, tl.load(x_ptr) + 1)
    cuda.gdc_launch_dependents()


@pytest.mark.rule("grid-dependencies")
def test_grid_dependencies_do_nothing_on_a_cpu() -> None:
    one = np.ones(1, np.float32)
    check(overlapping_kernel, (1,), [one], [np.empty(1, np.float32)], [one + 1], num_warps=(1, 4))


@triton.jit
def exchange_kernel(x_ptr, scratch_ptr, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(scratch_ptr + i, tl.load(x_ptr + i))
    tl.debug_barrier()
    tl.store(out_ptr + i, tl.load(scratch_ptr + (i + 100) % N))


@pytest.mark.rule("barrier")
def test_stores_before_a_barrier_are_seen_after_it() -> None:
    x = np.arange(256, dtype=np.int32)
    scratch = np.zeros_like(x)
    check(exchange_kernel, (1,), [x, scratch], [np.empty_like(x)], [np.roll(x, -100)], N=256)


@triton.jit
def asserting_kernel(x_ptr, n, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.device_assert(i < n, "too many", mask=i < 6)
    assert n != 3, "three"
    tl.store(x_ptr + i, i)


@pytest.mark.rule("device-assertions")
@pytest.mark.parametrize("device", DEVICES)
def test_a_failed_assertion_ends_the_launch(device: str) -> None:
    out = np.full(8, -1, np.int32)
    with _on(device):
        asserting_kernel[(1,)](out, 6, N=8, debug=True)
        asserting_kernel[(1,)](out, 2, N=8)
        out[:] = -1
        with pytest.raises(
            DeviceAssertionError, match=r"too many \[program \(0, 0, 0\), element \(5\): 5 < 5 is false\]"
        ):
            asserting_kernel[(1,)](out, 5, N=8, debug=True, num_warps=1)
    # Threads that have other elements may be ahead.
    assert out[5] == -1


@triton.jit
def printing_kernel(x_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    print("x", tl.load(x_ptr + i), i)


@pytest.mark.rule("messages")
@pytest.mark.parametrize("device", DEVICES)
def test_values_are_printed_whole(device: str, capsys: pytest.CaptureFixture[str]) -> None:
    with _on(device):
        printing_kernel[(2,)](np.array([0.1, 2], np.float32), N=2)
    lines = [
        f"pid ({pid}, 0, 0) x: {value}" for pid in (0, 1) for value in ("[0.1 2. ] (operand 0)", "[0 1] (operand 1)")
    ]
    assert capsys.readouterr().out.splitlines() == lines
