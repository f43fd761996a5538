"""Functions of each element that a kernel brings itself: jit functions on scalars, and PTX."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import mytriton as triton
import mytriton.language as tl
from tests.kernels.harness import ARCHITECTURES, check, compiles


@triton.jit
def selu(x, alpha):
    if x > 0:
        return x
    return alpha * (tl.exp(x) - 1)


@triton.jit
def halvings(x):
    count = 0
    while x > 1.0:
        x = x / 2
        count += 1
    return count, x


@triton.jit
def pairs(x0, x1, y0, y1):
    return x0 + y0, x1 + y1, x0 * y1, x1 * y0


@triton.jit
def selu_kernel(x_ptr, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out_ptr + i, tl.map_elementwise(selu, tl.load(x_ptr + i), 1.5))


@triton.jit
def halvings_kernel(x_ptr, count_ptr, rest_ptr, M: tl.constexpr, N: tl.constexpr):
    offsets = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    count, rest = tl.map_elementwise(halvings, tl.load(x_ptr + offsets))
    tl.store(count_ptr + offsets, count)
    tl.store(rest_ptr + offsets, rest)


@triton.jit
def pairs_kernel(x_ptr, y_ptr, sum_ptr, product_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    total, product = tl.map_elementwise(pairs, tl.load(x_ptr + i), tl.load(y_ptr + i), pack=2)
    tl.store(sum_ptr + i, total)
    tl.store(product_ptr + i, product)


@pytest.mark.parametrize(("dtype", "size"), [(np.float32, 5), (np.float32, 512), (np.float64, 64)])
def test_branches_of_each_element(dtype: Any, size: int):
    x = np.linspace(-3, 3, size).astype(dtype)
    expected = np.where(x > 0, x, 1.5 * (np.exp(x) - 1))
    check(selu_kernel, (1,), [x], [np.empty(size, dtype)], [expected.astype(dtype)], num_warps=(1, 4), N=size)


def test_loops_and_several_results():
    x = np.geomspace(0.5, 1000, 96).astype(np.float32)
    count = np.maximum(0, np.ceil(np.log2(x))).astype(np.int32)
    rest = x / np.exp2(count).astype(np.float32)
    outputs = [np.empty(96, np.int32), np.empty(96, np.float32)]
    check(halvings_kernel, (1,), [x], outputs, [count, rest], num_warps=(1, 4), M=4, N=24)
    compiles(halvings_kernel, "*fp32", "*i32", "*fp32", M=16, N=64)


def test_pairs_of_elements():
    x = np.arange(512, dtype=np.int32)
    y = np.full(512, 3, np.int32)
    outputs = [np.empty(512, np.int32), np.empty(512, np.int32)]
    check(pairs_kernel, (1,), [x, y], outputs, [x + y, x * y], num_warps=(1, 4), N=512)
    compiles(pairs_kernel, "*i32", "*i32", "*i32", "*i32", N=1024)


@triton.jit
def other_dtypes(x0, x1):
    return x0, x1 + 1.5


@triton.jit
def other_dtypes_kernel(x_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(x_ptr + i, tl.map_elementwise(other_dtypes, tl.load(x_ptr + i), pack=2))


@triton.jit
def scalar_kernel(x_ptr, N: tl.constexpr):
    tl.store(x_ptr, tl.map_elementwise(selu, tl.load(x_ptr), 1.0))


@triton.jit
def uneven_kernel(x_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    a, b = tl.map_elementwise(pairs, tl.load(x_ptr + i), tl.load(x_ptr + i), pack=2)
    tl.store(x_ptr + i, a + b)


@pytest.mark.parametrize(
    ("kernel", "message"),
    [
        (other_dtypes_kernel, "returns 2 scalars of one dtype for each result"),
        (scalar_kernel, "takes tensors, found none"),
        (uneven_kernel, "pack must divide the elements of a thread, found pack = 2 and 1 elements"),
    ],
)
def test_refusals(kernel: Any, message: str):
    with pytest.raises(triton.CompilationError, match=message):
        kernel.warmup("*i32", grid=(1,), N=16)


# PTX


@triton.jit
def exponential_kernel(x_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    y = tl.inline_asm_elementwise("ex2.approx.f32 $0, $1;", "=f,f", [x], dtype=tl.float32, is_pure=True, pack=1)
    top = tl.max(x, 0)
    y += tl.inline_asm_elementwise("ex2.approx.f32 $0, $1;", "=f,f", [top], tl.float32, is_pure=False, pack=1)
    tl.store(x_ptr + i, y)


@triton.jit
def unpack_kernel(a_ptr, b_ptr, c_ptr, d_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    c, d = tl.inline_asm_elementwise(
        asm="""
        {
            .reg .b8 tmp<4>;
            mov.b32 {tmp0, tmp1, tmp2, tmp3}, $8;
            cvt.u32.u8 $0, tmp0;
            cvt.u32.u8 $1, tmp1;
            cvt.u32.u8 $2, tmp2;
            cvt.u32.u8 $3, tmp3;
        }
        cvt.rn.f32.s32 $4, $0;
        cvt.rn.f32.s32 $5, $1;
        cvt.rn.f32.s32 $6, $2;
        cvt.rn.f32.s32 $7, $3;
        max.f32 $4, $4, $9;
        max.f32 $5, $5, $10;
        max.f32 $6, $6, $11;
        max.f32 $7, $7, $12;
        """,
        constraints="=r,=r,=r,=r,=r,=r,=r,=r,r,r,r,r,r",
        args=[tl.load(a_ptr + i), tl.load(b_ptr + i)],
        dtype=(tl.int32, tl.float32),
        is_pure=True,
        pack=4,
    )
    tl.store(c_ptr + i, c)
    tl.store(d_ptr + i, d)


@triton.jit
def halves_kernel(x_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    y = tl.inline_asm_elementwise("add.f16x2 $0, $1, $1;", "=r,r", [x], tl.float16, True, 2)
    z = tl.inline_asm_elementwise("add.f16 $0, $1, $2;", "=h,h,h", [x, y], tl.float16, True, 1)
    tl.store(x_ptr + i, z)


@triton.jit
def one_in_a_register_kernel(x_ptr, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    narrow = x if x.dtype != tl.uint8 else x > 0
    tl.store(out_ptr + i, tl.inline_asm_elementwise("mov.b32 $0, $1;", "=r,r", [narrow], tl.int32, True, 1))


@pytest.mark.parametrize("pointer", ["*u8", "*i8", "*u16", "*fp16", "*bf16"])
def test_one_narrow_element_fills_a_register(pointer: str):
    compiles(one_in_a_register_kernel, pointer, "*i32", N=64)


@pytest.mark.parametrize(
    ("kernel", "pointers"),
    [
        (exponential_kernel, ["*fp32"]),
        (unpack_kernel, ["*u8", "*fp32", "*i32", "*fp32"]),
        (halves_kernel, ["*fp16"]),
    ],
)
@pytest.mark.parametrize("size", [8, 2048])
def test_nvrtc_accepts_the_assembly(kernel: Any, pointers: list[str], size: int):
    for arch in ARCHITECTURES:
        compiled = kernel.warmup(*pointers, grid=(1,), arch=arch, N=size)
        try:
            assert compiled.asm["cubin"][:4] == b"\x7fELF"
        except triton.NvrtcMissingError as error:
            pytest.skip(f"NVRTC is not installed: {error}")


def test_the_text_has_the_operands_of_cuda():
    text = exponential_kernel.warmup("*fp32", grid=(1,), N=2048).asm["cuda"]
    assert 'asm("ex2.approx.f32 %0, %1;" : "=f"(' in text
    assert 'asm volatile("ex2.approx.f32 %0, %1;" : "=f"(' in text


def test_no_other_device_runs_assembly():
    line = exponential_kernel.fn.__code__.co_firstlineno + 4
    x = np.zeros(16, np.float32)
    with pytest.raises(triton.UnsupportedError, match=rf"test_own_functions.py:{line}: .*not on the CPU device"):
        exponential_kernel[(1,)](x, N=16)
    with triton.interpret(), pytest.raises(triton.UnsupportedError, match=rf"py:{line}:\d+: .*not on the interpreter"):
        exponential_kernel[(1,)](x, N=16)


@triton.jit
def constraint_kernel(x_ptr, CONSTRAINTS: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    tl.store(x_ptr + i, tl.inline_asm_elementwise("mov.b32 $0, $1;", CONSTRAINTS, [x], tl.float32, True, 1))


@pytest.mark.parametrize(
    ("constraints", "message"),
    [
        ("=f", "have 0 input registers, and 1 are needed"),
        ("=f,=f,f", "have 2 output registers, and 1 are needed"),
        ("=f,x", "the constraint 'x' is not supported"),
    ],
)
def test_wrong_constraints(constraints: str, message: str):
    with pytest.raises(triton.CompilationError, match=message):
        constraint_kernel.warmup("*fp32", grid=(1,), CONSTRAINTS=constraints, N=16)
