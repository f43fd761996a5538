"""Atomic operations: what memory holds afterwards, what was there before, and programs that meet in memory."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import mytriton as triton
import mytriton.language as tl
from tests.kernels.harness import NUM_WARPS, compiles

Array = Any

DEVICES = [("interpreter", 4), *(("cpu", warps) for warps in NUM_WARPS)]
SEMANTICS = ("acq_rel", "acquire", "release", "relaxed")
SCOPES = ("gpu", "cta", "sys")

bfloat16 = np.dtype(ml_dtypes.bfloat16)


def on(device: str) -> Any:
    return triton.interpret() if device == "interpreter" else nullcontext()


@triton.jit
def histogram_kernel(x_ptr, counts_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    bins = tl.load(x_ptr + offsets, mask=mask)
    tl.atomic_add(counts_ptr + bins, 1, mask=mask)


@pytest.mark.parametrize(("device", "warps"), DEVICES)
@pytest.mark.parametrize("block", [16, 100, 1024])
def test_histogram(device: str, warps: int, block: int) -> None:
    x = np.random.default_rng(block).integers(0, 11, 1000).astype(np.int32)
    counts = np.arange(11, dtype=np.int32)
    with on(device):
        histogram_kernel[(triton.cdiv(1000, block),)](x, counts, 1000, BLOCK=block, num_warps=warps)
    np.testing.assert_array_equal(counts, np.arange(11) + np.bincount(x, minlength=11))


@triton.jit
def scatter_add_kernel(index_ptr, values_ptr, out_ptr, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    rows = tl.arange(0, ROWS)
    columns = tl.arange(0, COLUMNS)
    target = tl.load(index_ptr + rows)
    values = tl.load(values_ptr + rows[:, None] * COLUMNS + columns[None, :])
    tl.atomic_add(out_ptr + target[:, None] * COLUMNS + columns[None, :], values)


@pytest.mark.parametrize(("device", "warps"), DEVICES)
@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.uint64, np.float16, np.float32, np.float64])
def test_rows_are_added_where_an_index_says(device: str, warps: int, dtype: Any) -> None:
    rng = np.random.default_rng(1)
    index = rng.integers(0, 4, 24).astype(np.int32)
    values = rng.integers(0, 20, (24, 12)).astype(dtype)
    out = rng.integers(0, 20, (4, 12)).astype(dtype)
    wanted = out.copy()
    np.add.at(wanted, index, values)
    with on(device):
        scatter_add_kernel[(1,)](index, values, out, ROWS=24, COLUMNS=12, num_warps=warps)
    np.testing.assert_array_equal(out, wanted)


@triton.jit
def each_operation_kernel(x_ptr, y_ptr, old_ptr, n, OPERATION: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N)
    mask = i < n
    y = tl.load(y_ptr + i)
    if OPERATION == "add":
        old = tl.atomic_add(x_ptr + i, y, mask=mask)
    elif OPERATION == "max":
        old = tl.atomic_max(x_ptr + i, y, mask=mask)
    elif OPERATION == "min":
        old = tl.atomic_min(x_ptr + i, y, mask=mask)
    elif OPERATION == "and":
        old = tl.atomic_and(x_ptr + i, y, mask=mask)
    elif OPERATION == "or":
        old = tl.atomic_or(x_ptr + i, y, mask=mask)
    elif OPERATION == "xor":
        old = tl.atomic_xor(x_ptr + i, y, mask=mask)
    else:
        old = tl.atomic_xchg(x_ptr + i, y, mask=mask)
    tl.store(old_ptr + i, old)


def bits(array: Array) -> Array:
    return array.view(f"u{array.dtype.itemsize}")


NEW_VALUES: dict[str, Callable[[Array, Array], Array]] = {
    "add": lambda x, y: x + y,
    "max": np.maximum,
    "min": np.minimum,
    "and": lambda x, y: (bits(x) & bits(y)).view(x.dtype),
    "or": lambda x, y: (bits(x) | bits(y)).view(x.dtype),
    "xor": lambda x, y: (bits(x) ^ bits(y)).view(x.dtype),
    "xchg": lambda _, y: y,
}
DTYPES = (np.int32, np.uint32, np.int64, np.uint64, np.float32, np.float64)


def numbers(dtype: Any, count: int, seed: int) -> Array:
    rng = np.random.default_rng(seed)
    if np.dtype(dtype).kind == "f":
        return np.concatenate([rng.standard_normal(count - 4), [0.0, -0.0, np.inf, -np.inf]]).astype(dtype)
    limits = np.iinfo(dtype)
    return rng.integers(limits.min, limits.max, count, dtype=dtype, endpoint=True)


@pytest.mark.parametrize("operation", NEW_VALUES)
@pytest.mark.parametrize("dtype", [*DTYPES, np.float16])
def test_each_operation(operation: str, dtype: Any) -> None:
    if dtype == np.float16 and operation != "add":
        with pytest.raises(triton.CompilationError, match=f"atomic_{operation} does not support fp16"):
            each_operation_kernel.warmup("*fp16", "*fp16", "*fp16", "i32", OPERATION=operation, N=48)
        return
    x, y = numbers(dtype, 48, 1), numbers(dtype, 48, 2)[::-1].copy()
    with np.errstate(over="ignore", invalid="ignore"):
        wanted = NEW_VALUES[operation](x, y)
    for n in (48, 20):
        for device, warps in (("interpreter", 1), ("cpu", 1), ("cpu", 4)):
            memory, old = x.copy(), np.full(48, 77, dtype)
            with on(device):
                each_operation_kernel[(1,)](memory, y, old, n, OPERATION=operation, N=48, num_warps=warps)
            np.testing.assert_array_equal(memory[:n], wanted[:n], err_msg=device)
            np.testing.assert_array_equal(bits(memory[n:]), bits(x[n:]))
            np.testing.assert_array_equal(bits(old[:n]), bits(x[:n]))
            assert not old[n:].any()


@triton.jit
def bfloat16_kernel(x_ptr, y_ptr, old_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(old_ptr + i, tl.atomic_add(x_ptr + i // 2, tl.load(y_ptr + i)))


@pytest.mark.parametrize(("device", "warps"), DEVICES)
def test_bfloat16(device: str, warps: int) -> None:
    y = (np.arange(64) / 8).astype(bfloat16)
    x, old = np.ones(32, bfloat16), np.zeros(64, bfloat16)
    with on(device):
        bfloat16_kernel[(1,)](x, y, old, N=64, num_warps=warps)
    one = np.ones(32, bfloat16)
    np.testing.assert_array_equal(x.astype(np.float32), (one + y[::2] + y[1::2]).astype(np.float32))
    first_even = (old[::2] == one) & (old[1::2] == one + y[::2])
    first_odd = (old[1::2] == one) & (old[::2] == one + y[1::2])
    assert (first_even | first_odd).all()


@triton.jit
def tickets_kernel(counter_ptr, old_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    old = tl.atomic_add(counter_ptr + i * 0, 1)
    tl.store(old_ptr + tl.program_id(0) * N + i, old)


@pytest.mark.parametrize(("device", "warps"), DEVICES)
@pytest.mark.parametrize("n", [1, 8, 48, 256, 1000])
def test_old_values_of_one_element_are_all_different(device: str, warps: int, n: int) -> None:
    counter, old = np.zeros(1, np.int32), np.full(3 * n, -1, np.int32)
    with on(device):
        tickets_kernel[(3,)](counter, old, N=n, num_warps=warps)
    assert counter[0] == 3 * n
    np.testing.assert_array_equal(np.sort(old), np.arange(3 * n))


@triton.jit
def shared_ticket_kernel(counter_ptr, out_ptr, out_of_scalar_ptr):
    i = tl.arange(0, 8)
    row = tl.atomic_add(counter_ptr + tl.arange(0, 1), 1)
    tl.store(out_ptr + row * 8 + i, 2)
    row = tl.atomic_add(counter_ptr + 1, 1)
    tl.store(out_of_scalar_ptr + row * 8 + i, 2)


@pytest.mark.parametrize(("device", "warps"), DEVICES)
def test_all_threads_get_the_result(device: str, warps: int) -> None:
    counters, outs = np.ones(2, np.int32), np.zeros((2, 4, 8), np.int32)
    with on(device):
        shared_ticket_kernel[(1,)](counters, outs[0], outs[1], num_warps=warps)
    for out in outs:
        assert (out[1] == 2).all()
        assert not out[[0, 2, 3]].any()
    with on(device):
        shared_ticket_kernel[(2,)](counters, outs[0], outs[1], num_warps=warps)
    assert counters.tolist() == [4, 4]
    assert (outs[:, 1:] == 2).all() and not outs[:, 0].any()


@triton.jit
def repeated_result_kernel(counter_ptr, sums_ptr, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    rows, columns = tl.arange(0, ROWS), tl.arange(0, COLUMNS)
    old = tl.atomic_add(counter_ptr + rows, rows + 1)
    table = old[:, None] * 100 + columns[None, :]
    tl.store(sums_ptr + rows, tl.sum(table, axis=1))


@pytest.mark.parametrize(("device", "warps"), DEVICES)
@pytest.mark.parametrize("rows", [4, 7, 64])
def test_result_is_used_in_another_layout(device: str, warps: int, rows: int) -> None:
    counter, sums = np.arange(rows, dtype=np.int32), np.empty(rows, np.int32)
    with on(device):
        repeated_result_kernel[(1,)](counter, sums, ROWS=rows, COLUMNS=16, num_warps=warps)
    np.testing.assert_array_equal(sums, np.arange(rows) * 1600 + 120)
    np.testing.assert_array_equal(counter, 2 * np.arange(rows) + 1)


@triton.jit
def reduced_kernel(x_ptr, total_ptr, rows_ptr, largest_ptr, M: tl.constexpr, N: tl.constexpr):
    m, n = tl.arange(0, M), tl.arange(0, N)
    x = tl.load(x_ptr + tl.program_id(0) * M * N + m[:, None] * N + n[None, :])
    tl.atomic_add(total_ptr, tl.sum(x))
    tl.atomic_add(rows_ptr + m, tl.sum(x, axis=1), sem="relaxed")
    tl.atomic_max(largest_ptr, tl.max(x))


@pytest.mark.parametrize(("device", "warps"), DEVICES)
@pytest.mark.parametrize("shape", [(8, 4), (3, 5), (32, 32)])
def test_sums_of_many_programs(device: str, warps: int, shape: tuple[int, int]) -> None:
    m, n = shape
    x = np.random.default_rng(0).integers(-50, 50, (20, m, n)).astype(np.float32)
    total, rows, largest = np.zeros(1, np.float32), np.zeros(m, np.float32), np.full(1, -np.inf, np.float32)
    with on(device):
        reduced_kernel[(20,)](x, total, rows, largest, M=m, N=n, num_warps=warps)
    assert total[0] == x.sum()
    np.testing.assert_array_equal(rows, x.sum(axis=(0, 2)))
    assert largest[0] == x.max()


@triton.jit
def swap_kernel(x_ptr, expected_ptr, y_ptr, old_ptr, N: tl.constexpr, SCOPE: tl.constexpr = "gpu"):
    i = tl.arange(0, N)
    old = tl.atomic_cas(x_ptr + i, tl.load(expected_ptr + i), tl.load(y_ptr + i), scope=SCOPE)
    tl.store(old_ptr + i, old)


@pytest.mark.parametrize("dtype", [*DTYPES, np.int16, np.float16])
@pytest.mark.parametrize("n", [40, 300])
def test_compare_and_swap(dtype: Any, n: int) -> None:
    x, y = np.arange(n).astype(dtype), (np.arange(n) + 1000).astype(dtype)
    expected = np.where(np.arange(n) % 3 == 0, x, x + 1).astype(dtype)
    for device, warps in (("interpreter", 1), ("cpu", 1), ("cpu", 4)):
        memory, old = x.copy(), np.empty_like(x)
        with on(device):
            swap_kernel[(1,)](memory, expected, y, old, N=n, num_warps=warps)
        np.testing.assert_array_equal(memory, np.where(np.arange(n) % 3 == 0, y, x))
        np.testing.assert_array_equal(old, x)


@triton.jit
def once_kernel(x_ptr, winners_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    old = tl.atomic_cas(x_ptr + i * 0, 0, i + 1)
    tl.store(winners_ptr + i, old == 0)


@pytest.mark.parametrize(("device", "warps"), DEVICES)
@pytest.mark.parametrize("n", [5, 64, 512])
def test_only_one_swap_succeeds(device: str, warps: int, n: int) -> None:
    x, winners = np.zeros(1, np.int32), np.empty(n, np.bool_)
    with on(device):
        once_kernel[(1,)](x, winners, N=n, num_warps=warps)
    assert winners.sum() == 1
    assert winners[x[0] - 1]


@triton.jit
def lock_kernel(lock_ptr, turn_ptr, x_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    while tl.atomic_cas(lock_ptr, 0, 1) == 1:
        pass
    turn = tl.load(turn_ptr)
    # Each thread reads what another one has written in the last turn.
    x = tl.load(x_ptr + turn % 2 * N + (N - 1 - i))
    tl.store(x_ptr + (turn + 1) % 2 * N + i, x + 1)
    tl.atomic_xchg(turn_ptr, turn + 1)
    tl.atomic_xchg(lock_ptr, 0)


@pytest.mark.parametrize(("device", "warps"), DEVICES)
@pytest.mark.parametrize("n", [16, 200])
def test_lock(device: str, warps: int, n: int) -> None:
    lock, turn, x = np.zeros(1, np.int32), np.zeros(1, np.int32), np.zeros((2, n), np.int32)
    x[0] = np.arange(n)
    with on(device):
        lock_kernel[(60,)](lock, turn, x, N=n, num_warps=warps)
    assert (lock[0], turn[0]) == (0, 60)
    np.testing.assert_array_equal(x[0], np.arange(n) + 60)


@triton.jit
def last_program_kernel(x_ptr, sums_ptr, count_ptr, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.atomic_add(sums_ptr + i, tl.load(x_ptr + tl.program_id(0) * N + i))
    if tl.atomic_add(count_ptr, 1) == tl.num_programs(0) - 1:
        tl.store(out_ptr + i, tl.load(sums_ptr + (N - 1 - i)) * 2)


@pytest.mark.parametrize(("device", "warps"), DEVICES)
@pytest.mark.parametrize("n", [32, 100])
def test_last_program_sees_what_all_have_done(device: str, warps: int, n: int) -> None:
    x = np.random.default_rng(0).integers(0, 100, (30, n)).astype(np.int32)
    sums, count, out = np.zeros(n, np.int32), np.zeros(1, np.int32), np.zeros(n, np.int32)
    with on(device):
        last_program_kernel[(30,)](x, sums, count, out, N=n, num_warps=warps)
    np.testing.assert_array_equal(out, 2 * x.sum(axis=0)[::-1])


@triton.jit
def chain_kernel(flags_ptr, x_ptr, waited_ptr, N: tl.constexpr, POLL: tl.constexpr):
    pid = tl.program_id(0)
    i = tl.arange(0, N)
    if pid > 0:
        if POLL:
            waited = tl.atomic_poll(flags_ptr + pid - 1, 1)
            tl.store(waited_ptr + pid, waited)
        else:
            while tl.atomic_load(flags_ptr + pid - 1) != 1:
                pass
        previous = tl.load(x_ptr + (pid - 1) * N + (N - 1 - i))
        tl.store(x_ptr + pid * N + i, previous + 1)
    tl.atomic_store(flags_ptr + pid, 1)


@pytest.mark.parametrize(("device", "warps"), DEVICES)
@pytest.mark.parametrize("poll", [False, True])
def test_programs_wait_for_each_other(device: str, warps: int, poll: bool) -> None:
    flags, x, waited = np.zeros(12, np.int32), np.zeros((12, 40), np.int32), np.zeros(12, np.bool_)
    x[0] = np.arange(40)
    with on(device):
        chain_kernel[(12,)](flags, x, waited, N=40, POLL=poll, num_warps=warps)
    assert flags.all()
    np.testing.assert_array_equal(x[-1], np.arange(40)[::-1] + 11)
    assert waited[1:].all() == poll


@triton.jit
def timeout_kernel(x_ptr, arrived_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(arrived_ptr + i, tl.atomic_poll(x_ptr + i, 3, timeout_ns=1000))


@pytest.mark.parametrize(("device", "warps"), DEVICES)
@pytest.mark.parametrize("n", [10, 256])
def test_poll_gives_up(device: str, warps: int, n: int) -> None:
    x, arrived = np.arange(n, dtype=np.int64) % 5, np.empty(n, np.bool_)
    with on(device):
        timeout_kernel[(1,)](x, arrived, N=n, num_warps=warps)
    np.testing.assert_array_equal(arrived, x == 3)


@triton.jit
def load_store_kernel(x_ptr, out_ptr, n, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.atomic_load(x_ptr + i, mask=i < n, sem="relaxed")
    tl.atomic_store(out_ptr + i, x, mask=i < n + 2, scope="sys")


@pytest.mark.parametrize("dtype", [np.bool_, np.int8, np.int16, np.int32, np.int64, np.float16, np.float32, np.float64])
def test_loads_and_stores(dtype: Any) -> None:
    x = np.arange(1, 31).astype(dtype)
    wanted = np.concatenate([x[:20], np.zeros(2, dtype), np.ones(8, dtype)])
    for device, warps in DEVICES[:3]:
        out = np.ones(30, dtype)
        with on(device):
            load_store_kernel[(1,)](x, out, 20, N=30, num_warps=warps)
        np.testing.assert_array_equal(out, wanted)


@triton.jit
def ordered_kernel(x_ptr, out_ptr, SEM: tl.constexpr, SCOPE: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N)
    old = x_ptr.atomic_add(1, sem=SEM, scope=SCOPE)
    old += (x_ptr + 1).atomic_cas(5, 6, sem=SEM, scope=SCOPE)
    tl.store(out_ptr + i, old + tl.atomic_xchg(x_ptr + 2 + i, i, sem=SEM, scope=SCOPE))


@pytest.mark.parametrize("sem", SEMANTICS)
@pytest.mark.parametrize("scope", SCOPES)
def test_semantics_and_scopes(sem: str, scope: str) -> None:
    for device, warps in DEVICES[:3]:
        x, out = np.full(1002, 5, np.int64), np.empty(1000, np.int64)
        with on(device):
            ordered_kernel[(1,)](x, out, SEM=sem, SCOPE=scope, N=1000, num_warps=warps)
        np.testing.assert_array_equal(x, [6, 6, *range(1000)])
        assert (out == 15).all()


@triton.jit
def bad_operand_kernel(x_ptr, CASE: tl.constexpr):
    i = tl.arange(0, 4)
    if CASE == "sem":
        tl.atomic_add(x_ptr, 1, sem="seq_cst")
    elif CASE == "scope":
        tl.atomic_add(x_ptr, 1, scope="warp")
    elif CASE == "pointer":
        tl.atomic_add(i, 1)
    elif CASE == "block":
        tl.atomic_add(x_ptr, i)
    elif CASE == "mask":
        tl.atomic_add(x_ptr + i, 1, mask=i)
    elif CASE == "shape":
        tl.atomic_max(x_ptr + i, tl.arange(0, 8))
    elif CASE == "load":
        tl.atomic_load(x_ptr, sem="release")
    elif CASE == "store":
        tl.atomic_store(x_ptr, 1, sem="acq_rel")
    elif CASE == "timeout":
        tl.atomic_poll(x_ptr, 1, timeout_ns=-1)


@pytest.mark.parametrize(
    ("case", "message"),
    [
        ("sem", "sem must be one of .*acq_rel"),
        ("scope", "scope must be one of .*gpu"),
        ("pointer", "tl.atomic_add takes a pointer"),
        ("block", "scalar as val"),
        ("mask", "mask of tl.atomic_add must be of int1"),
        ("shape", "do not fit together"),
        ("load", "sem must be one of .*acquire"),
        ("store", "sem must be one of .*release"),
        ("timeout", "must not be negative"),
    ],
)
def test_refusals(case: str, message: str) -> None:
    with pytest.raises(triton.CompilationError, match=message):
        bad_operand_kernel.warmup("*i32", CASE=case)


@pytest.mark.parametrize("dtype", ["*i1", "*i8", "*i16", "*u16"])
def test_narrow_integers_are_refused(dtype: str) -> None:
    with pytest.raises(triton.CompilationError, match=r"atomic_add does not support"):
        each_operation_kernel.warmup(dtype, dtype, dtype, "i32", OPERATION="add", N=16)
    if dtype in ("*i1", "*i8"):
        with pytest.raises(triton.CompilationError, match=r"atomic_cas does not support"):
            swap_kernel.warmup(dtype, dtype, dtype, dtype, N=16)


@pytest.mark.parametrize("dtype", ["i32", "u32", "i64", "u64", "fp32", "fp64"])
def test_operations_compile_for_every_gpu(dtype: str) -> None:
    for operation in NEW_VALUES:
        compiles(each_operation_kernel, *[f"*{dtype}"] * 3, "i32", OPERATION=operation, N=512)
    compiles(swap_kernel, *[f"*{dtype}"] * 4, N=512)


def test_kernels_compile_for_every_gpu() -> None:
    for dtype in ("fp16", "bf16"):
        compiles(each_operation_kernel, *[f"*{dtype}"] * 3, "i32", OPERATION="add", N=512)
    for dtype in ("i16", "fp16", "bf16"):
        for scope in SCOPES:
            compiles(swap_kernel, *[f"*{dtype}"] * 4, N=512, SCOPE=scope)
    for sem in SEMANTICS:
        for scope in SCOPES:
            compiles(ordered_kernel, "*i64", "*i64", SEM=sem, SCOPE=scope, N=256)
    compiles(lock_kernel, "*i32", "*i32", "*i32", N=200)
    compiles(last_program_kernel, "*i32", "*i32", "*i32", "*i32", N=100)
    compiles(chain_kernel, "*i32", "*i32", "*i1", N=64, POLL=True)
    compiles(chain_kernel, "*i32", "*i32", "*i1", N=64, POLL=False)
    compiles(timeout_kernel, "*i64", "*i1", N=256)
    for dtype in ("i1", "i8", "i16", "i64", "fp16", "bf16", "fp32"):
        compiles(load_store_kernel, f"*{dtype}", f"*{dtype}", "i32", N=300)
    compiles(reduced_kernel, "*fp32", "*fp32", "*fp32", "*fp32", M=32, N=32)
