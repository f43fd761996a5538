"""`return`, `break` and `continue` in loops of every kind."""

# A kernel is no Python to a type checker: a parameter that is a constant is of another class there.
# pyright: reportArgumentType=false

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import mytriton as triton
import mytriton.language as tl
from mytriton.errors import CompilationError
from tests.kernels.harness import check, compiles


@triton.jit
def return_in_for_kernel(out, n):
    for i in range(10):
        if i * i > n:
            tl.store(out, i)
            return
    tl.store(out, -1)


@triton.jit
def first_square_above(n):
    for i in range(10):
        if i * i > n:
            return i
    return -1


@triton.jit
def return_of_value_kernel(out, n):
    tl.store(out, first_square_above(n))


@triton.jit
def endless_search(n):
    i = 0
    while True:
        if i * i > n:
            return i
        i += 1
        if i == 10:
            return -1


@triton.jit
def return_of_endless_loop_kernel(out, n):
    tl.store(out, endless_search(n))


@triton.jit
def search_in_square(n):
    """A `return` in a loop in a loop, beside `break` and `continue`."""
    for row in range(4):
        if row == 1:
            continue
        column = 0
        while column < 4:
            value = row * 4 + column
            if value * value > n:
                if value < 10:
                    return value
                break
            column += 1
    return -1


@triton.jit
def nested_return_kernel(out, n):
    found = search_in_square(n)
    tl.store(out, found)


@triton.jit
def unrolled_search(n):
    for i in tl.static_range(10):
        if i * i > n:
            return i
    return -1


@triton.jit
def unrolled_return_kernel(out, n):
    tl.store(out, unrolled_search(n))


@triton.jit
def unrolled_break_kernel(out, n):
    found = -1
    for i in tl.static_range(10):
        if i % 2 == 1 and n > 1000:
            continue
        if i * i > n:
            found = i
            break
    tl.store(out, found)


@triton.jit
def unrolled_in_loop(n):
    for tens in range(0, 10, 5):
        for ones in tl.static_range(5):
            i = tens + ones
            if i * i > n:
                return i
    return -1


@triton.jit
def unrolled_in_loop_kernel(out, n):
    tl.store(out, unrolled_in_loop(n))


KERNELS = [
    return_in_for_kernel,
    return_of_value_kernel,
    return_of_endless_loop_kernel,
    unrolled_return_kernel,
    unrolled_break_kernel,
    unrolled_in_loop_kernel,
]


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.__name__)
@pytest.mark.parametrize("n", [-1, 0, 5, 80, 81, 5000])
def test_search(kernel: Any, n: int) -> None:
    wanted = next((i for i in range(10) if i * i > n), -1)
    check(kernel, (1,), [n], [np.empty(1, np.int32)], [np.array([wanted], np.int32)], order=[1, 0], num_warps=(1, 4))


@pytest.mark.parametrize("n", [-1, 2, 9, 40, 70, 100, 300])
def test_nested_loops(n: int) -> None:
    wanted = search_in_square.fn(n)
    check(
        nested_return_kernel,
        (1,),
        [n],
        [np.empty(1, np.int32)],
        [np.array([wanted], np.int32)],
        order=[1, 0],
        num_warps=(1, 4),
    )


@triton.jit
def tile_until(x, out, n, B: tl.constexpr):
    """Returns a tile, a pointer and a number in a tuple."""
    total = tl.zeros((B,), tl.float32)
    for i in range(n):
        total += tl.load(x + i * B + tl.arange(0, B))
        if tl.max(total) > 3.0:
            return total, out + 1, i
    return total, out, n


@triton.jit
def tuple_kernel(x, out, n, B: tl.constexpr):
    total, target, turns = tile_until(x, out, n, B)
    tl.store(target + 2 + tl.arange(0, B), total)
    tl.store(out, turns)


@pytest.mark.parametrize("n", [0, 1, 4, 9])
def test_tuples_with_tiles_and_pointers(n: int) -> None:
    block = 20
    x = np.ones((9, block), np.float32)
    turns = 3 if n > 3 else n
    total = min(n, 4)
    for where in ("interpreter", 1, 4):
        out = np.zeros(block + 3, np.float32)
        if where == "interpreter":
            with triton.interpret():
                tuple_kernel[(1,)](x, out, n, B=block)
        else:
            tuple_kernel[(1,)](x, out, n, B=block, num_warps=where)
        start = 3 if n > 3 else 2
        assert out[0] == turns
        np.testing.assert_array_equal(out[start : start + block], np.full(block, total))


@triton.jit
def carried_kernel(out, n):
    """What the unrolled loop changes before it is left is kept, and a `return` of the kernel ends all."""
    total = 0
    for step in tl.static_range(1, 5):
        for i in range(3):
            total += step * i
            if total > n:
                break
        if total > n:
            tl.store(out + 1, step)
            if total > 2 * n:
                return
            break
        total += 1
    tl.store(out, total)


@pytest.mark.parametrize("n", [0, 2, 6, 14, 17, 100])
def test_values_at_the_exit(n: int) -> None:
    wanted = np.array([-1, -1], np.int32)
    total = 0
    for step in range(1, 5):
        for i in range(3):
            total += step * i
            if total > n:
                break
        if total > n:
            wanted[1] = step
            break
        total += 1
    if total <= 2 * n or wanted[1] == -1:
        wanted[0] = total
    for where in ("interpreter", 4):
        out = np.full(2, -1, np.int32)
        if where == "interpreter":
            with triton.interpret():
                carried_kernel[(1,)](out, n)
        else:
            carried_kernel[(1,)](out, n)
        np.testing.assert_array_equal(out, wanted)


@triton.jit
def mixed_returns(n):
    for i in range(n):
        if i == 3:
            return 0.5
    return n


@triton.jit
def mixed_returns_kernel(out, n):
    tl.store(out, mixed_returns(n))


def test_returns_of_different_types() -> None:
    with pytest.raises(CompilationError, match="returns"):
        mixed_returns_kernel.warmup("*fp32", "i32")


@pytest.mark.parametrize("kernel", [*KERNELS, nested_return_kernel], ids=lambda kernel: kernel.__name__)
def test_accepted_for_every_gpu(kernel: Any) -> None:
    compiles(kernel, "*i32", "i32")
