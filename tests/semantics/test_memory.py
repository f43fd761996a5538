"""Loads and stores."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import mytriton as triton
import mytriton.language as tl
from mytriton.errors import CompilationError, LaunchError
from tests.kernels.harness import check
from tests.semantics.elementwise import bfloat16, check_one


@triton.jit
def masked_load_kernel(x_ptr, n, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out_ptr + i, tl.load(x_ptr + i, mask=i < n))


@triton.jit
def load_with_other_kernel(x_ptr, n, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out_ptr + i, tl.load(x_ptr + i, mask=i < n, other=-7.9))


@triton.jit
def load_with_tensor_kernel(x_ptr, n, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out_ptr + i, tl.load(x_ptr + i, mask=i < n, other=i * 1000))


@triton.jit
def other_without_mask_kernel(x_ptr, out_ptr):
    tl.store(out_ptr, tl.load(x_ptr, other=0))


@pytest.mark.mytriton_sanitize(False)  # stores elements that a mask leaves out
@pytest.mark.rule("masked-load")
@pytest.mark.parametrize("dtype", [np.float32, np.int8, np.bool_, np.dtype(np.float16), bfloat16])
@pytest.mark.parametrize("n", [0, 5])
def test_element_that_is_masked_off_is_zero(dtype: Any, n: int) -> None:
    x = np.arange(1, 6).astype(dtype)
    wanted = np.concatenate([x[:n], np.zeros(12 - n, dtype)])
    check(masked_load_kernel, (1,), [x, n], [np.empty_like(wanted)], [wanted], num_warps=(1,), N=12)


@pytest.mark.rule("load-other")
def test_other_is_cast_to_the_dtype_of_the_element() -> None:
    x = np.arange(1, 6, dtype=np.int8)
    check_one(load_with_other_kernel, [x, 5], [1, 2, 3, 4, 5, -7, -7, -7], np.int8, N=8)
    # The tensor wraps as a cast would make it: 5000, 6000 and 7000 modulo 256.
    wanted = [1, 2, 3, 4, 5, *np.array([5000, 6000, 7000]).astype(np.int8)]
    check_one(load_with_tensor_kernel, [x, 5], wanted, np.int8, N=8)
    with pytest.raises(CompilationError, match="mask"):
        other_without_mask_kernel.warmup("*fp32", "*fp32")


@triton.jit
def masked_store_kernel(out_ptr, n, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out_ptr + i * 1000000, i, mask=i < n)


@triton.jit
def integer_mask_kernel(out_ptr, n):
    i = tl.arange(0, 4)
    tl.store(out_ptr + i, i, mask=i)


@pytest.mark.rule("masked-store")
def test_element_that_is_masked_off_is_not_touched() -> None:
    # The pointers that are masked off lie far outside the array, which is full of garbage before.
    garbage = 0x5A5A5A5A
    wanted = [np.array([0, garbage], np.int32), np.full(2, garbage, np.int32)]
    for n, result in zip((1, 0), wanted, strict=True):
        out = np.empty(2, np.int32)
        check(masked_store_kernel, (1,), [n], [out], [result], order=[1, 0], num_warps=(1,), N=4)
    with pytest.raises(CompilationError, match="int1"):
        integer_mask_kernel.warmup("*i32", "i32")


@triton.jit
def converting_store_kernel(x_ptr, ints_ptr, bytes_ptr, halves_ptr, flags_ptr):
    i = tl.arange(0, 4)
    x = tl.load(x_ptr + i)
    tl.store(ints_ptr + i, x)
    tl.store(bytes_ptr + i, x.to(tl.int32))
    tl.store(halves_ptr + i, x)
    tl.store(flags_ptr + i, x)


@triton.jit
def number_store_kernel(out_ptr):
    tl.store(out_ptr, 300)
    tl.store(out_ptr + 1, -2.7)


@pytest.mark.rule("store-cast")
def test_value_is_cast_to_what_the_pointer_points_to() -> None:
    x = np.array([1.75, -2.5, 300, 0.1])
    wanted = [
        np.array([1, -2, 300, 0], np.int32),
        np.array([1, -2, 44, 0], np.int8),
        x.astype(np.float16),
        np.array([True, True, True, True]),
    ]
    outputs = [np.empty_like(w) for w in wanted]
    check(converting_store_kernel, (1,), [x], outputs, wanted, num_warps=(1,), rtol=0, atol=0)
    check_one(number_store_kernel, [], [44, -2], np.int8)


@triton.jit
def duplicate_store_kernel(equal_ptr, one_of_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(equal_ptr + i * 0, i * 0 + 5)
    tl.store(one_of_ptr + i // 4, i)


@pytest.mark.mytriton_sanitize(False)  # two threads store to one address
@pytest.mark.rule("duplicate-stores")
def test_one_of_the_values_is_stored() -> None:
    equal, one_of = np.zeros(1, np.int32), np.zeros(16, np.int32)
    for interprets in (True, False):
        for warps in (1, 4):
            if interprets:
                with triton.interpret():
                    duplicate_store_kernel[(1,)](equal, one_of, N=64, num_warps=warps)
            else:
                duplicate_store_kernel[(1,)](equal, one_of, N=64, num_warps=warps)
            assert equal[0] == 5
            assert (one_of // 4 == np.arange(16)).all()


@triton.jit
def shapes_kernel(row_ptr, n, out_ptr):
    i, j = tl.arange(0, 3)[:, None], tl.arange(0, 4)[None, :]
    # The pointers are a row, and the mask a column.
    x = tl.load(row_ptr + j, mask=i < n, other=-j)
    tl.static_assert(x.shape == (3, 4))
    tl.store(out_ptr + i * 4 + j, x)
    tl.store(out_ptr + 12 + i * 4 + j, j, mask=i >= 0)


@triton.jit
def mask_larger_than_store_kernel(out_ptr):
    i, j = tl.arange(0, 3)[:, None], tl.arange(0, 4)[None, :]
    tl.store(out_ptr + j, 1, mask=i + j > 0)


@pytest.mark.rule("access-shapes")
def test_masks_and_values_are_broadcast() -> None:
    row = np.arange(10, 14, dtype=np.int32)
    loaded = np.where(np.arange(3)[:, None] < 2, row, -np.arange(4))
    wanted = np.concatenate([loaded.ravel(), np.tile(np.arange(4), 3)])
    check_one(shapes_kernel, [row, 2], wanted)
    with pytest.raises(CompilationError, match="does not fit"):
        mask_larger_than_store_kernel.warmup("*i32")


@triton.jit
def boolean_memory_kernel(x_ptr, loaded_ptr, stored_ptr):
    i = tl.arange(0, 4)
    x = tl.load(x_ptr + i)
    tl.static_assert(x.dtype == tl.int1)
    tl.store(loaded_ptr + i, x.to(tl.int32))
    tl.store(stored_ptr + i, x)


@pytest.mark.rule("boolean-memory")
def test_a_byte_that_is_not_zero_is_true() -> None:
    x = np.array([0, 1, 2, 255], np.uint8).view(np.bool_)
    loaded, stored = np.empty(4, np.int32), np.empty(4, np.bool_)
    wanted = [np.array([0, 1, 1, 1], np.int32), np.array([0, 1, 1, 1], np.uint8).view(np.bool_)]
    check(boolean_memory_kernel, (1,), [x], [loaded, stored], wanted, num_warps=(1,))
    assert stored.view(np.uint8).tolist() == [0, 1, 1, 1]


@triton.jit
def empty_kernel(float_ptr, int_ptr):
    i = tl.arange(0, 4)
    tl.store(float_ptr + i, tl.empty((4,), tl.float32))
    tl.store(int_ptr + i, tl.empty((4,), tl.int32) + 1)


@pytest.mark.mytriton_sanitize(False)  # stores what nothing has set
@pytest.mark.rule("empty")
def test_empty_reads_zero() -> None:
    outputs = [np.empty(4, np.float32), np.empty(4, np.int32)]
    check(empty_kernel, (1,), [], outputs, [np.zeros(4, np.float32), np.ones(4, np.int32)], num_warps=(1,))


@triton.jit
def sums_kernel(out_ptr, n, MAKE: tl.constexpr):
    i = tl.arange(0, 64)
    total = tl.where(i < n, 1.0, MAKE((64,), tl.float32))
    for k in range(n):
        total += k * tl.max(MAKE((64, 2), tl.float32), 1)
    tl.store(out_ptr + i, total)


@pytest.mark.rule("empty")
@pytest.mark.parametrize("arch", ["sm_80", "sm_90a"])
def test_empty_is_compiled_as_zeros_are(arch: str) -> None:
    texts = [
        sums_kernel.warmup("*fp32", "i32", MAKE=make, grid=(1,), arch=arch).asm["cuda"] for make in (tl.empty, tl.zeros)
    ]
    assert texts[0] == texts[1] and "+=" in texts[0]


@triton.jit
def full_kernel(n, out_ptr):
    i = tl.arange(0, 2)
    tl.store(out_ptr + i, tl.full((2,), n, tl.int8))
    tl.store(out_ptr + 2 + i, tl.full((2,), 127, tl.int8))
    tl.store(out_ptr + 4 + i, tl.full((2,), 1e300, tl.float32) > 3e38)


@triton.jit
def full_out_of_range_kernel(out_ptr):
    tl.store(out_ptr + tl.arange(0, 2), tl.full((2,), 300, tl.int8))


@triton.jit
def full_of_fraction_kernel(out_ptr):
    tl.store(out_ptr + tl.arange(0, 2), tl.full((2,), 2.5, tl.int32))


@pytest.mark.rule("full")
def test_number_of_full_must_fit() -> None:
    check_one(full_kernel, [300], [44, 44, 127, 127, 1, 1], np.int8)
    with pytest.raises(CompilationError, match=r"300.*int8"):
        full_out_of_range_kernel.warmup("*i8")
    with pytest.raises(CompilationError, match=r"2.5.*int32"):
        full_of_fraction_kernel.warmup("*i32")


@triton.jit
def beyond_kernel(x_ptr, out_ptr):
    tl.store(out_ptr, tl.load(x_ptr + 4))


@pytest.mark.rule("out-of-bounds")
def test_interpreter_refuses_accesses_outside_of_the_arrays() -> None:
    x, out = np.zeros(4, np.float32), np.zeros(1, np.float32)
    with triton.interpret(), pytest.raises(LaunchError, match="x_ptr"):
        beyond_kernel[(1,)](x, out)


@triton.jit
def scalar_kernel(x_ptr, out_ptr):
    pid = tl.program_id(0)
    tl.store(out_ptr + pid, tl.load(x_ptr + pid) + 1)


@triton.jit
def block_through_scalar_kernel(out_ptr):
    tl.store(out_ptr, tl.arange(0, 4))


@pytest.mark.rule("scalar-access")
def test_scalar_pointers() -> None:
    x = np.arange(5, dtype=np.int32)
    check(scalar_kernel, (5,), [x], [np.empty_like(x)], [x + 1], num_warps=(1, 4))
    with pytest.raises(CompilationError, match="scalar"):
        block_through_scalar_kernel.warmup("*i32")


@triton.jit
def hints_kernel(x_ptr, out_ptr):
    i = tl.arange(0, 64)
    x = tl.load(x_ptr + i, cache_modifier=".cg", eviction_policy="evict_first")
    y = tl.load(x_ptr + i, volatile=True)
    tl.store(out_ptr + i, x + y, cache_modifier=".cs", eviction_policy="evict_last")


@pytest.mark.rule("cache-hints")
def test_hints_change_no_value() -> None:
    x = np.arange(64, dtype=np.float32)
    check(hints_kernel, (1,), [x], [np.empty_like(x)], [2 * x], num_warps=(1,))


@triton.jit
def rewritten_kernel(out_ptr, n):
    for i in range(n):
        tl.store(out_ptr, i)
        tl.store(out_ptr + i, -i)


@pytest.mark.rule("order-within-a-program")
def test_stores_of_scalars_are_in_order() -> None:
    wanted = [np.array([4, -1, -2, -3, -4], np.int32)]
    check(rewritten_kernel, (1,), [5], [np.empty(5, np.int32)], wanted, order=[1, 0], num_warps=(1, 4))


@triton.jit
def stored_twice_kernel(x_ptr, out_ptr, n):
    """The first value comes in the layout of a join, the second in that of a load."""
    x = tl.load(x_ptr + tl.arange(0, 128))
    places = tl.arange(0, 128)[:, None] * 2 + tl.arange(0, 2)[None, :]
    for turn in range(n):
        tl.store(out_ptr + places, tl.join(x, x))
        tl.store(out_ptr + places, tl.load(x_ptr + places // 2) * 3 + turn, mask=places % 3 == 0)


@pytest.mark.rule("order-within-a-program")
def test_the_later_of_two_stores_to_the_same_places_wins() -> None:
    x = np.arange(1, 129, dtype=np.int32)
    wanted = x.repeat(2)
    wanted[::3] = wanted[::3] * 3 + 1
    out = np.empty_like(wanted)
    check(stored_twice_kernel, (1,), [x, 2], [out], [wanted], order=[0, 2, 1])


@triton.jit
def reversed_in_place_kernel(x_ptr, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + (n - 1 - i), mask=i < n)
    tl.store(x_ptr + i, x, mask=i < n)


@triton.jit
def counted_kernel(count_ptr, out_ptr):
    count = tl.load(count_ptr)
    tl.store(count_ptr, count + 1)
    tl.store(out_ptr + tl.arange(0, 64), tl.arange(0, 64) + count)


@triton.jit
def moved_along_kernel(x_ptr, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    for k in range(n):
        x = tl.load(x_ptr + i + k)
        tl.store(x_ptr + i + k + 1, x + 1)


@pytest.mark.rule("order-within-a-program")
@pytest.mark.parametrize("num_warps", [1, 2, 4, 8])
def test_loads_and_stores_through_one_pointer_are_in_order(num_warps: int) -> None:
    x = np.arange(777, dtype=np.int32)
    reversed_in_place_kernel[(1,)](x, 777, BLOCK=1024, num_warps=num_warps)
    assert (x == np.arange(777)[::-1]).all()
    count, out = np.array([5], np.int32), np.empty(64, np.int32)
    counted_kernel[(1,)](count, out, num_warps=num_warps)
    assert count[0] == 6 and (out == np.arange(64) + 5).all()
    moved, wanted = np.zeros(80, np.int32), np.zeros(80, np.int32)
    moved_along_kernel[(1,)](moved, 4, BLOCK=64, num_warps=num_warps)
    for k in range(4):
        wanted[k + 1 : k + 65] = wanted[k : k + 64] + 1
    assert (moved == wanted).all()


@triton.jit
def followed_kernel(x_ptr, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    at, k = x_ptr, 0
    while k < n:
        x = tl.load(at + i)
        tl.store(x_ptr + k + BLOCK - i, x + 1)
        at += 1
        k += 1


@triton.jit
def joined_kernel(x_ptr, y_ptr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    x, y = tl.load(tl.join(x_ptr + i, y_ptr + i)).split()
    tl.store(x_ptr + BLOCK - 1 - i, y)
    tl.store(y_ptr + BLOCK - 1 - i, x)


@triton.jit
def exchanged_kernel(x_ptr, at_ptr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    pointers = tl.flip(x_ptr + tl.load(at_ptr + i))
    tl.store(x_ptr + i, tl.load(pointers))


@pytest.mark.rule("order-within-a-program")
@pytest.mark.parametrize("num_warps", [1, 2, 4, 8])
def test_pointers_that_were_carried_joined_or_exchanged(num_warps: int) -> None:
    x, wanted = np.arange(300, dtype=np.int32), np.arange(300, dtype=np.int32)
    followed_kernel[(1,)](x, 3, BLOCK=256, num_warps=num_warps)
    for k in range(3):
        wanted[k + 1 : k + 257] = wanted[k : k + 256][::-1] + 1
    assert (x == wanted).all()
    x, y = np.arange(256, dtype=np.int32), np.arange(1000, 1256, dtype=np.int32)
    joined_kernel[(1,)](x, y, BLOCK=256, num_warps=num_warps)
    assert (x == np.arange(1000, 1256)[::-1]).all() and (y == np.arange(256)[::-1]).all()
    x, at = np.arange(256, dtype=np.int32), np.random.default_rng(0).permutation(256).astype(np.int32)
    exchanged_kernel[(1,)](x, at, BLOCK=256, num_warps=num_warps)
    assert (x == at[::-1]).all()


@triton.jit
def repeated_addresses_kernel(x_ptr, y_ptr, out_ptr, n, stride, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i % n)
    tl.store(x_ptr + i % n, x + 1)
    tl.store(y_ptr + i // 4, i)
    tl.store(out_ptr + i, tl.load(y_ptr + i // 4))
    rows, columns = tl.arange(0, 16)[:, None], tl.arange(0, 16)[None, :]
    places = out_ptr + BLOCK + rows * stride + columns
    overlapping = tl.load(places)
    tl.store(places, overlapping + 1)
    tl.store(places, overlapping + 2)


@pytest.mark.mytriton_sanitize(False)  # two threads store to one address
@pytest.mark.rule("order-within-a-program")
@pytest.mark.parametrize("num_warps", [1, 2, 4, 8])
def test_addresses_that_repeat_within_a_tile(num_warps: int) -> None:
    x, y, out = np.zeros(256, np.int32), np.zeros(64, np.int32), np.zeros(256 + 31, np.int32)
    repeated_addresses_kernel[(1,)](x, y, out, 7, 1, BLOCK=256, num_warps=num_warps)
    assert (x == (np.arange(256) < 7)).all()
    assert (y // 4 == np.arange(64)).all()
    assert (out[:256] == y.repeat(4)).all()
    assert (out[256:] == 2).all()


@triton.jit
def in_place_kernel(x_ptr, STRIDE: tl.constexpr):
    rows, columns = tl.arange(0, 16)[:, None], tl.arange(0, 16)[None, :]
    places = x_ptr + rows * STRIDE + columns
    tl.store(places, tl.load(places) * 2)


def test_threads_do_not_wait_where_each_has_its_own_addresses() -> None:
    assert "__syncthreads" not in doubled_kernel.warmup("*fp32", "i32", grid=(1,), num_warps=1).asm["cuda"]
    assert "__syncthreads" not in in_place_kernel.warmup("*fp32", STRIDE=16, grid=(1,)).asm["cuda"]
    assert "__syncthreads" in in_place_kernel.warmup("*fp32", STRIDE=15, grid=(1,)).asm["cuda"]


@triton.jit
def found_twice_kernel(table_ptr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(tl.load(table_ptr).to(tl.pointer_type(tl.int32)) + i, i)
    tl.debug_barrier()
    x = tl.load(tl.load(table_ptr).to(tl.pointer_type(tl.int32)) + i)
    tl.store(tl.load(table_ptr, volatile=True).to(tl.pointer_type(tl.int32)) + BLOCK - 1 - i, x)


@pytest.mark.rule("order-within-a-program")
@pytest.mark.parametrize("num_warps", [1, 2, 4, 8])
def test_pointers_that_are_found_in_memory_twice(num_warps: int) -> None:
    x = np.zeros(256, np.int32)
    found_twice_kernel[(1,)](np.array([x.ctypes.data]), BLOCK=256, num_warps=num_warps)
    assert (x == np.arange(256)[::-1]).all()


@triton.jit
def doubled_kernel(x_ptr, n):
    offsets = tl.program_id(0) * 32 + tl.arange(0, 32)
    mask = offsets < n
    tl.store(x_ptr + offsets, tl.load(x_ptr + offsets, mask=mask) * 2, mask=mask)


@pytest.mark.rule("order-of-programs")
def test_launches_come_one_after_the_other() -> None:
    for interprets in (True, False):
        x = np.arange(1000, dtype=np.int32)
        for _ in range(5):
            if interprets:
                with triton.interpret():
                    doubled_kernel[(32,)](x, 1000)
            else:
                doubled_kernel[(32,)](x, 1000)
        assert (x == np.arange(1000) * 32).all()


@triton.jit
def grid_kernel(out_ptr):
    x, y, z = tl.program_id(0), tl.program_id(1), tl.program_id(2)
    tl.static_assert(x.dtype == tl.int32)
    at = (z * tl.num_programs(1) + y) * tl.num_programs(0) + x
    tl.store(out_ptr + at, 100 * x + 10 * y + z)


@pytest.mark.rule("grid")
def test_every_program_runs_once() -> None:
    z, y, x = np.meshgrid(np.arange(3), np.arange(2), np.arange(4), indexing="ij")
    wanted = (100 * x + 10 * y + z).astype(np.int32)
    check(grid_kernel, (4, 2, 3), [], [np.empty_like(wanted)], [wanted], num_warps=(1,))


@pytest.mark.rule("grid")
def test_grid_of_no_programs() -> None:
    out = np.full(4, 7, np.int32)
    for grid in ((0,), (2, 0), (1, 1, 0)):
        grid_kernel[grid](out)
        with triton.interpret():
            grid_kernel[grid](out)
    assert (out == 7).all()
    with pytest.raises(LaunchError, match="-1"):
        grid_kernel[(-1,)](out)


@triton.jit
def wrapping_rows_kernel(x_ptr, out_ptr, start, size, N: tl.constexpr):
    first = start * 8
    tl.assume(first >= 0)
    tl.assume(size % 4 == 0)
    i = (first + tl.arange(0, N)) % size
    tl.store(out_ptr + tl.arange(0, N), tl.load(x_ptr + i))


@triton.jit
def promising_kernel(x_ptr, out_ptr, n, N: tl.constexpr):
    tl.assume((n > 0) & (n < 100))
    tl.assume(True)
    i = tl.multiple_of(tl.max_contiguous(tl.arange(0, N), N), N)
    row = tl.max_constancy(i // 4, 4)
    tl.store(out_ptr + i, tl.load(x_ptr + i) + row * n)


@triton.jit
def assumed_tensor_kernel(x_ptr, N: tl.constexpr):
    tl.assume(tl.arange(0, N) >= 0)
    tl.store(x_ptr, 1.0)


@pytest.mark.rule("promises")
def test_promises_that_hold_change_no_value() -> None:
    x = np.arange(12, dtype=np.float32)
    for start in (0, 1, 5):
        wanted = x[(start * 8 + np.arange(32)) % 12]
        check(wrapping_rows_kernel, (1,), [x], [np.empty_like(wanted)], [wanted], start=start, size=12, N=32)
    y = np.arange(32, dtype=np.int32)
    check_one(promising_kernel, [y], y + y // 4 * 7, np.int32, n=7, N=32)
    with pytest.raises(CompilationError, match=r"tl\.assume takes a single value as condition"):
        assumed_tensor_kernel.warmup("*fp32", N=4)


def test_a_wrapping_tile_is_loaded_four_elements_at_a_time() -> None:
    """Because of the promises, and where they say what the remainder needs."""
    kernel = wrapping_rows_kernel.warmup(np.zeros(16, np.float32), np.zeros(128, np.float32), 3, 16, N=128, num_warps=1)
    assert "*(const float4 *)&x_ptr[" in kernel.asm["cuda"]
