"""Small kernels on which kernel compilers are known to have failed, with the right results."""

from __future__ import annotations

import numpy as np
import pytest

import mytriton as triton
import mytriton.language as tl
from tests.kernels.harness import check


@triton.jit
def chained_dots_kernel(q_ptr, k_ptr, v_ptr, qk_ptr, o_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    at = i[:, None] * N + i[None, :]
    q, k, v = tl.load(q_ptr + at), tl.load(k_ptr + at), tl.load(v_ptr + at)
    qk = tl.dot(q, tl.trans(k)).to(tl.float16)
    tl.store(qk_ptr + at, qk)
    tl.store(o_ptr + at, tl.dot(qk, v))


def test_chained_dots_of_the_smallest_block() -> None:
    rng = np.random.default_rng(0)
    q, k, v = (rng.standard_normal((16, 16)).astype(np.float16) for _ in range(3))
    qk = (q.astype(np.float32) @ k.astype(np.float32).T).astype(np.float16)
    o = qk.astype(np.float32) @ v.astype(np.float32)
    outputs = [np.empty((16, 16), np.float16), np.empty((16, 16), np.float32)]
    check(chained_dots_kernel, (1,), [q, k, v], outputs, [qk, o], N=16, rtol=1e-2, atol=1e-2)


@triton.jit
def dot_kernel(a_ptr, b_ptr, c_ptr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    m, n, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
    a = tl.load(a_ptr + m[:, None] * K + k[None, :])
    b = tl.load(b_ptr + k[:, None] * N + n[None, :])
    tl.store(c_ptr + m[:, None] * N + n[None, :], tl.dot(a, b))


@pytest.mark.parametrize("k", [1, 2, 4, 8])
def test_dot_with_a_small_inner_size(k: int) -> None:
    rng = np.random.default_rng(k)
    a = rng.standard_normal((16, k)).astype(np.float32)
    b = rng.standard_normal((k, 16)).astype(np.float32)
    out = np.empty((16, 16), np.float32)
    check(dot_kernel, (1,), [a, b], [out], [a.astype(np.float64) @ b], M=16, N=16, K=k, rtol=1e-4, atol=1e-5)


@triton.jit
def int8_chain_kernel(q_ptr, k_ptr, v_ptr, s_ptr, o_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    at = i[:, None] * N + i[None, :]
    q, k, v = tl.load(q_ptr + at), tl.load(k_ptr + at), tl.load(v_ptr + at)
    s = tl.dot(q, tl.trans(k))
    tl.store(s_ptr + at, s)
    tl.store(o_ptr + at, tl.dot(s.to(tl.int8), v))


def test_chained_int8_dots_are_exact() -> None:
    rng = np.random.default_rng(0)
    q, k, v = (rng.integers(-128, 128, (64, 64), dtype=np.int8) for _ in range(3))
    s = q.astype(np.int32) @ k.astype(np.int32).T
    o = s.astype(np.int8).astype(np.int32) @ v.astype(np.int32)
    outputs = [np.empty((64, 64), np.int32) for _ in range(2)]
    check(int8_chain_kernel, (1,), [q, k, v], outputs, [s, o], N=64)


def test_int8_dot_accumulates_in_32_bits() -> None:
    a, b = np.zeros((16, 32), np.int8), np.zeros((32, 16), np.int8)
    a[3, :2], b[:2, 5] = (10, 20), (10, 20)
    wanted = np.zeros((16, 16), np.int32)
    wanted[3, 5] = 500
    check(dot_kernel, (1,), [a, b], [np.empty((16, 16), np.int32)], [wanted], M=16, N=16, K=32)


@triton.jit
def masked_sum_max_kernel(x_ptr, sum_ptr, max_ptr, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n, other=0)
    tl.store(sum_ptr, tl.sum(x, axis=0))
    tl.store(max_ptr, tl.max(x, axis=0))


@pytest.mark.parametrize("n", [3, 5, 33, 48, 96])
def test_reduction_over_lanes_that_are_no_power_of_two(n: int) -> None:
    x = np.arange(1, n + 1, dtype=np.int32)
    outputs = [np.empty(1, np.int32), np.empty(1, np.int32)]
    wanted = [np.array([n * (n + 1) // 2], np.int32), np.array([n], np.int32)]
    check(masked_sum_max_kernel, (1,), [x, n], outputs, wanted, order=[0, 2, 3, 1], BLOCK=128)


@triton.jit
def window_max_kernel(rows_ptr, along_rows_ptr, along_columns_ptr):
    window, member = tl.arange(0, 8), tl.arange(0, 4)
    by_row = tl.load(rows_ptr + (member[None, :] // 2) * 16 + window[:, None] * 2 + member[None, :] % 2)
    tl.store(along_rows_ptr + window, tl.max(by_row, axis=1))
    by_column = tl.load(rows_ptr + (member[:, None] // 2) * 16 + window[None, :] * 2 + member[:, None] % 2)
    tl.store(along_columns_ptr + window, tl.max(by_column, axis=0))


def test_max_over_gathered_windows() -> None:
    rows = np.stack([np.arange(1, 17), np.r_[15, np.arange(17, 32)]]).astype(np.float32)
    wanted = np.array([17, 19, 21, 23, 25, 27, 29, 31], np.float32)
    outputs = [np.empty(8, np.float32), np.empty(8, np.float32)]
    check(window_max_kernel, (1,), [rows], outputs, [wanted, wanted])


@triton.jit
def full_sum_kernel(x_ptr, rows_first_ptr, columns_first_ptr, whole_ptr, M: tl.constexpr, N: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :])
    tl.store(rows_first_ptr, tl.sum(tl.sum(x, axis=0), axis=0))
    tl.store(columns_first_ptr, tl.sum(tl.sum(x, axis=1), axis=0))
    tl.store(whole_ptr, tl.sum(x))


@pytest.mark.parametrize(("shape", "total"), [((4, 8), 496), ((8, 8), 2016)])
def test_full_sum_whichever_axis_is_first(shape: tuple[int, int], total: int) -> None:
    x = np.arange(shape[0] * shape[1], dtype=np.int32).reshape(shape)
    outputs = [np.empty(1, np.int32) for _ in range(3)]
    check(full_sum_kernel, (1,), [x], outputs, [np.array([total], np.int32)] * 3, M=shape[0], N=shape[1])


@triton.jit
def box_sum_kernel(x_ptr, out_ptr):
    h = tl.arange(0, 4)[:, None, None, None]
    w = tl.arange(0, 4)[None, :, None, None]
    i = tl.arange(0, 2)[None, None, :, None]
    j = tl.arange(0, 2)[None, None, None, :]
    inside = (h + i < 5) & (w + j < 5)
    t = tl.load(x_ptr + (h + i) * 5 + w + j, mask=inside, other=0.0)
    boxes = tl.sum(tl.sum(t, axis=2), axis=2)
    tl.store(out_ptr + tl.arange(0, 4)[:, None] * 4 + tl.arange(0, 4)[None, :], boxes)


def test_sum_over_the_last_two_of_four_axes() -> None:
    x = np.arange(25, dtype=np.float32).reshape(5, 5)
    wanted = x[:4, :4] + x[1:, :4] + x[:4, 1:] + x[1:, 1:]
    assert wanted[0].tolist() == [12, 16, 20, 24] and wanted[3].tolist() == [72, 76, 80, 84]
    check(box_sum_kernel, (1,), [x], [np.empty((4, 4), np.float32)], [wanted])


@triton.jit
def thin_tile_kernel(x_ptr, max_ptr, min_ptr, sum_ptr, M: tl.constexpr, N: tl.constexpr, AXIS: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :])
    one = tl.arange(0, 1)
    tl.store(max_ptr + one, tl.max(x, axis=AXIS))
    tl.store(min_ptr + one, tl.min(x, axis=AXIS))
    tl.store(sum_ptr + one, tl.sum(x, axis=AXIS))


@pytest.mark.parametrize(("shape", "axis"), [((16, 1), 0), ((1, 16), 1)])
def test_reductions_of_a_thin_tile(shape: tuple[int, int], axis: int) -> None:
    x = np.random.default_rng(0).standard_normal(shape).astype(np.float32)
    wanted = [x.max(axis), x.min(axis), x.sum(axis)]
    outputs = [np.empty(1, np.float32) for _ in wanted]
    check(thin_tile_kernel, (1,), [x], outputs, wanted, M=shape[0], N=shape[1], AXIS=axis)


@triton.jit
def reshape_kernel(spread_ptr, expanded_ptr, order_ptr):
    a = tl.arange(0, 4)
    at = a[:, None] * 4 + a[None, :]
    tl.store(spread_ptr + at, tl.broadcast_to(tl.reshape(a, (4, 1)), (4, 4)))
    tl.store(expanded_ptr + at, tl.broadcast_to(tl.expand_dims(a, 1), (4, 4)))
    ordered = tl.reshape(tl.reshape(tl.arange(0, 16), (4, 4)), (2, 8))
    tl.store(order_ptr + tl.arange(0, 2)[:, None] * 8 + tl.arange(0, 8)[None, :], ordered)


def test_reshape_and_broadcast_keep_the_order() -> None:
    spread = np.repeat(np.arange(4, dtype=np.int32)[:, None], 4, axis=1)
    order = np.arange(16, dtype=np.int32).reshape(2, 8)
    outputs = [np.empty((4, 4), np.int32), np.empty((4, 4), np.int32), np.empty((2, 8), np.int32)]
    check(reshape_kernel, (1,), [], outputs, [spread, spread, order])


@triton.jit
def byte_offsets_kernel(x_ptr, out_ptr):
    i = tl.arange(0, 256)
    tl.store(out_ptr + i, tl.load(x_ptr + i.to(tl.uint8)))


def test_unsigned_byte_offsets() -> None:
    guarded = np.r_[np.full(256, -1.0), np.arange(256)].astype(np.float32)
    check(byte_offsets_kernel, (1,), [guarded[256:]], [np.empty(256, np.float32)], [guarded[256:]])


@triton.jit
def store_booleans_kernel(x_ptr, out_ptr, any_ptr):
    i = tl.arange(0, 6)
    tl.store(out_ptr + i, tl.load(x_ptr + i))
    tl.store(any_ptr, tl.sum((tl.arange(0, 256) >= 0).to(tl.int32), axis=0))


def test_integers_stored_as_booleans() -> None:
    x = np.array([256, 512, 0, -1, 2, 257], np.int32)
    outputs = [np.zeros(6, np.bool_), np.zeros(1, np.bool_)]
    check(store_booleans_kernel, (1,), [x], outputs, [x != 0, np.array([True])])


@triton.jit
def nibbles_kernel(x_ptr, low_ptr, high_ptr, n):
    i = tl.arange(0, 8)
    b = tl.load(x_ptr + i, mask=i < n, other=0)
    low = ((b & 15) << 4).to(tl.int8) >> 4
    tl.store(low_ptr + i, low, mask=i < n)
    tl.store(high_ptr + i, b >> 4, mask=i < n)


def test_masked_byte_loads_with_other() -> None:
    x = np.array([0x7F, 0x80, 0x19, 0xFF, 0x08], np.uint8).view(np.int8)
    wanted = [np.array([-1, 0, -7, -1, -8], np.int8), np.array([7, -8, 1, -1, 0], np.int8)]
    check(nibbles_kernel, (1,), [x, 5], [np.empty(5, np.int8), np.empty(5, np.int8)], wanted, order=[0, 2, 3, 1])


@triton.jit
def c_division_kernel(x_ptr, quotients_ptr, scalars_ptr, seven, two, three):
    i = tl.arange(0, 16)
    tl.store(quotients_ptr + i, tl.load(x_ptr + i) // -2)
    tl.store(scalars_ptr, (-seven) // two)
    tl.store(scalars_ptr + 1, (-seven) % three)
    tl.store(scalars_ptr + 2, seven % (-three))


def test_integer_division_is_that_of_c() -> None:
    x = np.arange(16, dtype=np.int32)
    wanted = [-(x // 2), np.array([-3, -1, 1], np.int32)]
    outputs = [np.empty(16, np.int32), np.empty(3, np.int32)]
    check(c_division_kernel, (1,), [x, 7, 2, 3], outputs, wanted, order=[0, 4, 5, 1, 2, 3])


@triton.jit
def cdiv_kernel(a_ptr, b_ptr, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out_ptr + i, tl.cdiv(tl.load(a_ptr + i), tl.load(b_ptr + i)))


def test_cdiv() -> None:
    a, b = np.array([-36, 36, 7, 2**31 - 1], np.int32), np.array([5, 5, 7, 2], np.int32)
    check(cdiv_kernel, (1,), [a, b], [np.empty(4, np.int32)], [np.array([-7, 8, 1, 2**30], np.int32)], N=4)


@triton.jit
def product_modulo_kernel(a_ptr, b_ptr, narrow_ptr, wide_ptr):
    a, b = tl.load(a_ptr), tl.load(b_ptr)
    tl.store(narrow_ptr, (a * b) % 7)
    tl.store(wide_ptr, (a.to(tl.int64) * b) % 7)


def test_a_product_wraps_before_the_modulo() -> None:
    a = np.array([100000], np.int32)
    outputs = [np.empty(1, np.int32), np.empty(1, np.int64)]
    check(product_modulo_kernel, (1,), [a, a], outputs, [np.array([3], np.int32), np.array([4], np.int64)])


@triton.jit
def shift_kernel(x_ptr, out_ptr, AMOUNT: tl.constexpr):
    tl.store(out_ptr, tl.load(x_ptr) >> AMOUNT)


@pytest.mark.mytriton_sanitize(False)  # shifts by too many bits
@pytest.mark.parametrize(
    ("value", "dtype", "amount", "wanted"),
    [
        (-8, np.int32, 1, -4),
        (0xFFFFFFF8, np.uint32, 1, 0x7FFFFFFC),
        (0xFFFE, np.uint16, 5, 2047),
        (0xFE, np.uint8, 5, 7),
        (-8, np.int32, 32, -1),
        (8, np.int32, 32, 0),
        (0xFFFFFFF8, np.uint32, 32, 0),
    ],
)
def test_right_shifts(value: int, dtype: type, amount: int, wanted: int) -> None:
    x = np.array([value], dtype)
    check(shift_kernel, (1,), [x], [np.empty(1, dtype)], [np.array([wanted], dtype)], AMOUNT=amount, num_warps=(1, 4))


@triton.jit
def backwards_kernel(x_ptr, out_ptr, start, stop):
    total = 0.0
    for i in range(start, stop, -8):
        total += tl.load(x_ptr + i)
    tl.store(out_ptr, total)
    untouched = 5.0
    for _ in range(stop + 6, stop + 6):
        untouched += 1.0
    for _ in range(stop + 6, stop + 3):
        untouched += 1.0
    tl.store(out_ptr + 1, untouched)


def test_loops_backwards_and_without_trips() -> None:
    x = np.arange(1, 97, dtype=np.float32)
    wanted = np.array([x[88::-8].sum(), 5.0], np.float32)
    assert wanted[0] == 540
    check(backwards_kernel, (1,), [x, 88, -1], [np.empty(2, np.float32)], [wanted], order=[0, 3, 1, 2])


@triton.jit
def collatz_kernel(out_ptr, start):
    x = start
    steps = 0
    while x != 1:
        if x % 2 == 0:
            x = x // 2
        else:
            x = 3 * x + 1
        steps += 1
    tl.store(out_ptr, steps)


def test_while_loop() -> None:
    check(collatz_kernel, (1,), [27], [np.empty(1, np.int32)], [np.array([111], np.int32)], order=[1, 0])


@triton.jit
def early_return(x, FLAG: tl.constexpr):
    if FLAG:
        return x * 2
    return tl.some_missing_name(x)


@triton.jit
def early_return_kernel(x_ptr, out_ptr, FLAG: tl.constexpr):
    tl.store(out_ptr, early_return(tl.load(x_ptr), FLAG))


def test_code_after_a_constant_return_is_not_compiled() -> None:
    x = np.array([21.0], np.float32)
    check(early_return_kernel, (1,), [x], [np.empty(1, np.float32)], [2 * x], FLAG=True)
    with pytest.raises(triton.CompilationError, match="some_missing_name"):
        early_return_kernel.warmup("*fp32", "*fp32", FLAG=False)


@triton.jit
def scaled_kernel(x_ptr, out_ptr, mul):
    tl.store(out_ptr, tl.load(x_ptr) * mul.to(tl.int64))


@pytest.mark.parametrize("mul", [42, 1, 0, 16, True])
def test_an_argument_of_one_keeps_its_methods(mul: int) -> None:
    x = np.array([7], np.int64)
    check(scaled_kernel, (1,), [x, mul], [np.empty(1, np.int64)], [x * int(mul)], order=[0, 2, 1])


@triton.jit
def masked_off_kernel(x_ptr, out_ptr):
    i = tl.arange(0, 8)
    x = tl.load(x_ptr + i, mask=i < 5)
    tl.store(out_ptr, tl.sum(tl.where(i < 5, x, 0.0), axis=0))


def test_lanes_that_are_masked_off_do_not_count() -> None:
    x = np.arange(1, 6, dtype=np.float32)
    check(masked_off_kernel, (1,), [x], [np.empty(1, np.float32)], [x.sum(keepdims=True)])


@triton.jit
def float_to_int_kernel(x_ptr, i8_ptr, u8_ptr, i32_ptr):
    i = tl.arange(0, 6)
    x = tl.load(x_ptr + i)
    tl.store(i8_ptr + i, x.to(tl.int8))
    tl.store(u8_ptr + i, x.to(tl.uint8))
    tl.store(i32_ptr + i, x.to(tl.int32))


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_float_to_integer_saturates(dtype: type) -> None:
    x = np.array([np.inf, 510, -200, np.nan, -1.9, 1.9], dtype)
    wanted = [
        np.array([127, 127, -128, 0, -1, 1], np.int8),
        np.array([255, 255, 0, 0, 0, 1], np.uint8),
        np.array([2**31 - 1, 510, -200, 0, -1, 1], np.int32),
    ]
    check(float_to_int_kernel, (1,), [x], [np.empty_like(w) for w in wanted], wanted)
