"""Tuples, aggregates and functions of constants."""

# A kernel is no Python to a type checker: a parameter that is a constant is of another class there.
# pyright: reportArgumentType=false, reportGeneralTypeIssues=false

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest

import mytriton as triton
import mytriton.language as tl
from mytriton.errors import CompilationError
from mytriton.tools.tensor_descriptor import TensorDescriptor
from tests.semantics.elementwise import check_one


class Pair(NamedTuple):
    first: Any
    second: Any


@triton.jit
def swapped(pair):
    return Pair(pair.second, pair.first)


@triton.jit
def tuples_kernel(n, out_ptr):
    pair, t = Pair(n, 1), (n, [n + 1, 2])
    for _ in range(3):
        pair = swapped(pair)
    if n > 3:
        t = (t[1][0], [n, 3])
    first, *rest = (*t, 8, 9)
    tl.store(out_ptr, pair.first * 10 + pair.second)
    tl.store(out_ptr + 1, first * 100 + rest[0][0] * 10 + rest[0][1])
    tl.store(out_ptr + 2, rest[-1])


@triton.jit
def runtime_index_kernel(n, out_ptr):
    tl.store(out_ptr, (1, 2, n)[n])


@pytest.mark.rule("tuples")
@pytest.mark.parametrize(("n", "wanted"), [(2, [12, 232, 9]), (5, [15, 653, 9])])
def test_tuples_go_element_by_element(n: int, wanted: list[int]) -> None:
    check_one(tuples_kernel, [n], wanted)
    with pytest.raises(CompilationError, match="index"):
        runtime_index_kernel.warmup("i32", "*i32")


@triton.jit
def checked(x, SIZE: tl.constexpr):
    if SIZE % 2 == 1:
        raise ValueError(f"{SIZE} is odd")
    return x * SIZE


@triton.jit
def checking_kernel(n, out_ptr, SIZE: tl.constexpr):
    tl.store(out_ptr, checked(n, SIZE))


@triton.jit
def runtime_raise_kernel(n, out_ptr):
    if n > 3:
        raise ValueError("n is large")
    tl.store(out_ptr, n)


@pytest.mark.rule("raise")
def test_raise_is_an_error_where_it_is_reached() -> None:
    check_one(checking_kernel, [5], [20], SIZE=4)
    with pytest.raises(CompilationError, match="the kernel raises ValueError: 3 is odd"):
        checking_kernel.warmup("i32", "*i32", SIZE=3)
    with pytest.raises(CompilationError, match="known only when the kernel runs"):
        runtime_raise_kernel.warmup("i32", "*i32")


@triton.constexpr_function
def divisors(number: int) -> list[int]:
    return [d for d in range(1, number + 1) if number % d == 0]


@triton.jit
def divisors_kernel(out_ptr, N: tl.constexpr):
    found: tl.constexpr = divisors(N)
    tl.store(out_ptr, len(found))
    tl.store(out_ptr + 1, tl.sum(tl.full((found[-2],), 1, tl.int32)))


@tl.constexpr
def wider(dtype: tl.dtype, number: int = 1) -> tl.dtype:
    return tl.int64 if dtype.is_int32() and number > 1 else dtype


@triton.jit
def wider_kernel(out_ptr, N: tl.constexpr):
    dtype: tl.constexpr = wider(out_ptr.dtype.element_ty, N)
    tl.store(out_ptr, tl.full((), 1, dtype).dtype.primitive_bitwidth)
    tl.store(out_ptr + 1, tl.full((), 1, wider(tl.int32)).dtype.primitive_bitwidth)


@pytest.mark.rule("constexpr-functions")
def test_python_runs_while_the_kernel_is_compiled() -> None:
    check_one(divisors_kernel, [], [6, 6], N=12)
    check_one(wider_kernel, [], [64, 32], N=2)
    assert wider(tl.int32, 2) == tl.int64


@triton.aggregate
class Range:
    first: tl.tensor
    size: tl.tensor
    step: tl.constexpr = 1

    @triton.jit
    def moved(self, by):
        return tl.aggregate_replace(self, first=self.first + by * self.step)


@triton.jit
def aggregate_kernel(n, out_ptr):
    r = Range(n, 5, step=2)
    for i in range(3):
        r = r.moved(i)
    if n > 3:
        r = Range(r.first, 100, 2)
    tl.store(out_ptr, r.first)
    tl.store(out_ptr + 1, r.size * r.step)


@triton.jit
def changed_kernel(n, out_ptr):
    r = Range(n, 5)
    r.first = n + 1
    tl.store(out_ptr, r.first)


@pytest.mark.rule("aggregates")
@pytest.mark.parametrize(("n", "wanted"), [(2, [8, 10]), (5, [11, 200])])
def test_aggregates_go_field_by_field(n: int, wanted: list[int]) -> None:
    check_one(aggregate_kernel, [n], wanted)
    with pytest.raises(CompilationError, match="attribute"):
        changed_kernel.warmup("i32", "*i32")


@triton.jit
def combined(combine: tl.constexpr, *values):
    result = values[0]
    for value in values[1:]:
        result = combine(result, value)
    return result


@triton.jit
def times(a, b):
    return a * b


@triton.jit
def variadic_kernel(n, out_ptr):
    tl.store(out_ptr, combined(times, n, 2, n))


@pytest.mark.rule("calls")
def test_functions_and_any_number_of_arguments() -> None:
    check_one(variadic_kernel, [5], [50])


@triton.jit
def tuple_argument_kernel(arguments, tile, *arrays):
    number, name = arguments
    tl.static_assert(name == "sum")
    tl.store(arrays[1], tl.load(arrays[0]) + number + tl.sum(tile.load([0])))


@pytest.mark.rule("tuple-arguments")
def test_kernels_take_tuples() -> None:
    x, y = np.array([7], np.int32), np.zeros(1, np.int32)
    tile = TensorDescriptor.from_tensor(np.arange(6, dtype=np.int32), [8])
    for interprets in (False, True):
        y[0] = 0
        if interprets:
            with triton.interpret():
                tuple_argument_kernel[(1,)]((100, "sum"), tile, x, y)
        else:
            tuple_argument_kernel[(1,)]((100, "sum"), tile, x, y)
        assert y[0] == 122
