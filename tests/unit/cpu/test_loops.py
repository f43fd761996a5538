# pyright: reportMissingParameterType=false, reportUnknownParameterType=false, reportUnknownArgumentType=false
# pyright: reportUnknownLambdaType=false
"""Loops of a kernel's text that run in another way on the CPU: which ones, and that the results are the same."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import mytriton as triton
import mytriton.language as tl
from mytriton.runtime.cpu.loops import rewrite_loops
from tests.unit.cpu.running import compile_body, launch

LANES = np.arange(32)

OUTER_PRODUCT = """
        #pragma unroll
        for (int r = 0; r < {size}; ++r) {{
            acc[r] = {fma}({left}, {right}, acc[r]);
        }}
"""


def outer_product(size: int, columns: int, fma: str = "fmaf", swapped: bool = False) -> str:
    column, row = f"a[r / {columns}]", f"b[r % {columns}]"
    left, right = (row, column) if swapped else (column, row)
    return OUTER_PRODUCT.format(size=size, fma=fma, left=left, right=right)


@pytest.mark.parametrize("swapped", [False, True])
def test_an_outer_product_is_one_call(swapped: bool) -> None:
    text = rewrite_loops(outer_product(32, 8, swapped=swapped))
    assert text.split() == ["mytriton_add_outer_product<32,", "8>(acc,", "a,", "b);"]
    assert text.count("\n") == OUTER_PRODUCT.count("\n")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("acc[r] = ", "other[r] = "),
        ("b[r % 8]", "b[r % 4]"),
        ("b[r % 8]", "b[r / 8]"),
        ("acc[r]);", "acc[r + 1]);"),
        ("fmaf(", "fmaxf("),
        ("++r", "r += 2"),
        ("        }", "            b[r] = 0.0f;\n        }"),
    ],
)
def test_other_loops_over_registers_stay(old: str, new: str) -> None:
    text = outer_product(32, 8).replace(old, new, 1)
    assert text != outer_product(32, 8)
    assert rewrite_loops(text) == text


@pytest.mark.parametrize("swapped", [False, True])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(("size", "columns"), [(8, 1), (4, 2), (6, 3), (16, 4), (12, 6), (32, 8), (48, 12), (64, 16)])
def test_outer_products_are_those_of_the_loop(dtype: Any, size: int, columns: int, swapped: bool) -> None:
    c_type, fma = ("float", "fmaf") if dtype == np.float32 else ("double", "fma")
    rows, steps = size // columns, 5
    body = f"""
    int tid = threadIdx.x;
    {c_type} acc[{size}];
    for (int r = 0; r < {size}; ++r) acc[r] = z[tid * {size} + r];
    for (int k = 0; k < {steps}; ++k) {{
        {c_type} a[{rows}];
        for (int r = 0; r < {rows}; ++r) a[r] = x[(k * 32 + tid) * {rows} + r];
        {c_type} b[{columns}];
        for (int r = 0; r < {columns}; ++r) b[r] = y[(k * 32 + tid) * {columns} + r];
{outer_product(size, columns, fma, swapped)}
    }}
    for (int r = 0; r < {size}; ++r) z[tid * {size} + r] = acc[r];"""
    params = f"const {c_type} *x, const {c_type} *y, {c_type} *z"
    rng = np.random.default_rng(size)
    x = rng.standard_normal((steps, 32, rows)).astype(dtype)
    y = rng.standard_normal((steps, 32, columns)).astype(dtype)
    z = rng.standard_normal((32, size)).astype(dtype)
    x[0, 3], x[1, 4], y[2, 5], z[6] = np.nan, np.inf, -0.0, -0.0
    x[:, 6] = 0.0
    assert "mytriton_add_outer_product" in rewrite_loops(body)
    start, wanted = z.astype(float), z.copy()
    # The same loop in other words, which is not one that is known.
    other = body.replace("++r) {", "r += 1) {")
    assert rewrite_loops(other) == other
    launch(compile_body(params, other), (1,), x, y, wanted)
    launch(compile_body(params, body), (1,), x, y, z)
    assert z.tobytes() == wanted.tobytes()
    lanes = [lane for lane in range(32) if lane not in (3, 4)]
    exact = start.reshape(32, rows, columns) + np.einsum("kli,klj->lij", x.astype(float), y.astype(float))
    np.testing.assert_allclose(z.reshape(exact.shape)[lanes], exact[lanes], rtol=1e-5, atol=1e-5)


CONTIGUOUS = """
    #pragma unroll
    for (int r = 0; r < {size}; ++r) {{
        y[r] = {c_type}_to_float(x[r]);
    }}
"""
GATHERED = """
    #pragma unroll
    for (int r = 0; r < {size}; ++r) {{
        // kernel.py:1
        {c_type} x_1 = x[{size} - 1 - r];
        y[r] = {c_type}_to_float(x_1);
    }}
"""


@pytest.mark.parametrize("loop", [CONTIGUOUS, GATHERED])
@pytest.mark.parametrize("c_type", ["half", "bfloat16"])
@pytest.mark.parametrize("size", [2, 4, 8, 12, 15, 16])
def test_conversions_of_all_bits(size: int, c_type: str, loop: str) -> None:
    text = loop.format(size=size, c_type=c_type)
    rewritten = rewrite_loops(text)
    assert f"mytriton_to_float<{size}>(y, " in rewritten and rewritten.count("\n") == text.count("\n")
    body = f"""
    int at = (blockIdx.x * 32 + threadIdx.x) * {size};
    {c_type} x[{size}];
    for (int r = 0; r < {size}; ++r) x[r] = in[at + r];
    float y[{size}];
{text}
    for (int r = 0; r < {size}; ++r) out[at + r] = y[r];"""
    blocks = -(-(1 << 16) // (32 * size))
    bits = np.arange(blocks * 32 * size).astype(np.uint16)
    out = np.zeros(bits.shape, np.float32)
    launch(compile_body(f"const {c_type} *in, float *out", body), (blocks,), bits, out)
    values = bits if loop is CONTIGUOUS else bits.reshape(-1, size)[:, ::-1].ravel()
    wanted = values.view(np.float16).astype(np.float32)
    if c_type == "bfloat16":
        wanted = (values.astype(np.uint32) << 16).view(np.float32)
    np.testing.assert_array_equal(out, wanted)
    assert (np.signbit(out) == np.signbit(wanted)).all()


@pytest.mark.parametrize(
    ("old", "new"), [("y[r] =", "y[r + 1] ="), ("half x_1", "half *x_1"), ("// kernel", "x[0] = y[0]; // kernel")]
)
def test_other_loops_of_conversions_stay(old: str, new: str) -> None:
    text = GATHERED.format(size=8, c_type="half").replace(old, new, 1)
    assert rewrite_loops(text) == text


def butterfly(first: int, last: int, c_type: str, shuffle: str, combine: str) -> str:
    compare, operator = (">=", "/") if first > last else ("<=", "*")
    return f"""
    #pragma unroll
    for (int mask = {first}; mask {compare} {last}; mask {operator}= 2) {{
        {c_type} other = {shuffle};
        {combine}
    }}
"""


SHUFFLE = "__shfl_xor_sync(0xffffffff, v, mask)"
CASES = {
    "int": ("int", np.int32, SHUFFLE),
    "unsigned": ("unsigned", np.uint32, SHUFFLE),
    "long long": ("long long", np.int64, SHUFFLE),
    "signed char": ("signed char", np.int8, "__shfl_xor_sync(0xffffffff, (int)v, mask)"),
    "float": ("float", np.float32, SHUFFLE),
    "double": ("double", np.float64, SHUFFLE),
}


@pytest.mark.parametrize("num_warps", [1, 2, 4, 8])
@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize(("first", "last"), [(16, 1), (4, 1), (16, 8), (1, 16), (2, 4)])
def test_butterflies_add_in_the_order_of_the_masks(name: str, first: int, last: int, num_warps: int) -> None:
    c_type, dtype, shuffle = CASES[name]
    loop = butterfly(first, last, c_type, shuffle, "v += other;")
    rewritten = rewrite_loops(loop)
    assert "mytriton_butterfly" in rewritten and rewritten.count("\n") == loop.count("\n")
    body = f"    {c_type} v = x[threadIdx.x];\n{loop}\n    out[threadIdx.x] = v;"
    kernel = compile_body(f"const {c_type} *x, {c_type} *out", body, num_warps)
    values = np.random.default_rng(first).standard_normal((num_warps, 32))
    x = (values if np.issubdtype(dtype, np.floating) else values * 40 + 50).astype(dtype)
    out = np.zeros_like(x)
    launch(kernel, (1,), x, out)
    masks = [mask for mask in (16, 8, 4, 2, 1) if min(first, last) <= mask <= max(first, last)]
    for mask in masks if first > last else reversed(masks):
        x = x + x[:, LANES ^ mask]
    assert out.tobytes() == x.tobytes()


def test_a_butterfly_of_two_values_in_the_order_of_the_lanes() -> None:
    """The combination sees which of the two lanes is the upper one, and values that do not depend on the lane."""
    loop = """
    #pragma unroll
    for (int mask = 1; mask <= 16; mask *= 2) {
        float partner = __shfl_xor_sync(0xffffffff, v, mask);
        int partner_at = __shfl_xor_sync(0xffffffff, at, mask);
        bool is_upper = (threadIdx.x & mask) != 0;
        float first = is_upper ? partner : v;
        float second = is_upper ? v : partner;
        int first_at = is_upper ? partner_at : at;
        int second_at = is_upper ? at : partner_at;
        bool takes_first = first >= second;
        v = takes_first ? first : second;
        at = (takes_first ? first_at : second_at) + step;
    }
"""
    rewritten = rewrite_loops(loop)
    assert rewritten.count("mytriton_butterfly") == 1 and "shfl" not in rewritten
    assert rewritten.count("\n") == loop.count("\n")
    body = f"    float v = x[threadIdx.x];\n    int at = threadIdx.x * 100;\n{loop}\n"
    body += "    out[threadIdx.x] = v;\n    where[threadIdx.x] = at;"
    x = np.array([(i * 37) % 11 for i in range(32)], np.float32)
    out, where = np.zeros_like(x), np.zeros(32, np.int32)
    launch(compile_body("float *x, float *out, int *where, int step", body), (1,), x, out, where, 3)
    assert (out == x.max()).all()
    assert (where == int(x.argmax()) * 100 + 5 * 3).all()


@pytest.mark.parametrize(
    "text",
    [
        butterfly(16, 1, "float", "__shfl_xor_sync(0xffffffff, v, 1)", "v += other;"),
        butterfly(16, 1, "float", "__shfl_xor_sync(mask, v, mask)", "v += other;"),
        butterfly(16, 1, "float", "__shfl_down_sync(0xffffffff, v, mask)", "v += other;"),
        butterfly(16, 1, "float", SHUFFLE, "v += other;").replace("/= 2", "/= 4"),
    ],
)
def test_other_loops_of_shuffles_stay(text: str) -> None:
    assert rewrite_loops(text) == text


@triton.jit
def dot_and_reduce_kernel(a_ptr, b_ptr, highest_ptr, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    a = tl.load(a_ptr + offsets[:, None] * BLOCK + offsets[None, :])
    b = tl.load(b_ptr + offsets[:, None] * BLOCK + offsets[None, :])
    tl.store(highest_ptr + offsets, tl.max(tl.dot(a, b), axis=1))


def test_the_loops_are_those_that_kernels_have() -> None:
    """What the compiler prints today is what is looked for."""
    text = dot_and_reduce_kernel.warmup("*fp16", "*fp16", "*fp32", grid=(1,), BLOCK=32).asm["cuda"]
    rewritten = rewrite_loops(text)
    assert rewritten.count("mytriton_to_float") == 2
    assert rewritten.count("mytriton_add_outer_product") == 1
    assert rewritten.count("mytriton_butterfly") == 1
    assert rewritten.count("\n") == text.count("\n")


EXTREMES = [0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 1e-45, -1e-45, 3e38]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(("name", "wanted"), [("fmax", max), ("fmin", min)])
def test_extrema_of_all_pairs(dtype: Any, name: str, wanted: Any) -> None:
    """-0 is smaller than 0, and of a NaN and a number the number is the result."""
    pairs = [(a, b) for a in EXTREMES for b in EXTREMES]
    x, y = (np.array(values + [0.0] * 28, dtype) for values in zip(*pairs, strict=True) for values in [list(values)])
    c_type, function = ("float", f"{name}f") if dtype == np.float32 else ("double", name)
    body = f"    int i = blockIdx.x * 32 + threadIdx.x;\n    out[i] = {function}(x[i], y[i]);"
    out = np.zeros_like(x)
    launch(compile_body(f"const {c_type} *x, const {c_type} *y, {c_type} *out", body), (4,), x, y, out)
    for a, b, result in zip(x, y, out, strict=True):
        if np.isnan(a) or np.isnan(b):
            expected = b if np.isnan(a) else a
        else:
            expected = wanted((a, b), key=lambda value: (value, not np.signbit(value)))
        assert np.isnan(result) if np.isnan(expected) else result == expected
        assert np.isnan(expected) or np.signbit(result) == np.signbit(expected)
