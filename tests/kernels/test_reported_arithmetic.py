"""Arithmetic, dtypes and control flow on which kernel compilers are known to have failed, with the right results."""

# A kernel is no Python to a type checker: its constants are numbers, and both sides of a branch may be compiled.
# pyright: reportPossiblyUnboundVariable=false, reportUnnecessaryComparison=false

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

import mytriton as triton
import mytriton.language as tl
from mytriton.errors import CompilationError
from tests.kernels.harness import check

ROOT = Path(__file__).parent.parent.parent


@triton.jit
def divisions_kernel(x_ptr, out_ptr, seven, two, three):
    i = tl.arange(0, 1)
    x, y, z = tl.load(x_ptr + i), tl.load(x_ptr + 1 + i), tl.load(x_ptr + 2 + i)
    tl.store(out_ptr + i, -x // y)
    tl.store(out_ptr + 1 + i, -x % z)
    tl.store(out_ptr + 2 + i, x % -z)
    tl.store(out_ptr + 3, -seven // two)
    tl.store(out_ptr + 4, -seven % three)
    tl.store(out_ptr + 5, seven % -three)


@triton.jit
def constant_divisions_kernel(out_ptr, SEVEN: tl.constexpr, TWO: tl.constexpr, THREE: tl.constexpr):
    tl.store(out_ptr, -SEVEN // TWO)
    tl.store(out_ptr + 1, -SEVEN % THREE)
    tl.store(out_ptr + 2, SEVEN % -THREE)
    tl.store(out_ptr + 3, -7 // 2)
    tl.store(out_ptr + 4, -7 % 3)
    tl.store(out_ptr + 5, 7 % -3)


def test_division_of_negative_numbers() -> None:
    x = np.array([7, 2, 3], np.int32)
    by_c = np.array([-3, -1, 1] * 2, np.int32)
    check(divisions_kernel, (1,), [x, 7, 2, 3], [np.empty_like(by_c)], [by_c], order=[0, 4, 1, 2, 3])
    # Numbers are divided by Python, which rounds down.
    by_python = np.array([-4, 2, -2] * 2, np.int32)
    options = {"SEVEN": 7, "TWO": 2, "THREE": 3}
    check(constant_divisions_kernel, (1,), [], [np.empty_like(by_python)], [by_python], num_warps=(1,), **options)


@triton.jit
def cdiv_kernel(out_ptr, a, b, c, d, e):
    tl.store(out_ptr, tl.cdiv(a, b))
    tl.store(out_ptr + 1, tl.cdiv(-a, b))
    tl.store(out_ptr + 2, tl.cdiv(c, d))
    tl.store(out_ptr + 3, tl.cdiv(e, 2))


def test_cdiv_of_arguments() -> None:
    wanted = np.array([-7, 8, 1, 1073741824], np.int32)
    arguments = [-36, 5, 7, 7, 2147483647]
    check(cdiv_kernel, (1,), arguments, [np.empty_like(wanted)], [wanted], order=[5, 0, 1, 2, 3, 4])


@triton.jit
def wrapped_kernel(a_ptr, product_ptr, narrow_ptr, wide_ptr):
    a = tl.load(a_ptr)
    tl.store(product_ptr, a * a)
    tl.store(narrow_ptr, (a * a) % 7)
    tl.store(wide_ptr, (a.to(tl.int64) * a) % 7)


def test_a_product_that_wraps() -> None:
    wanted = [np.array([1410065408], np.int32), np.array([3], np.int32), np.array([4], np.int64)]
    outputs = [np.empty_like(array) for array in wanted]
    check(wrapped_kernel, (1,), [np.array([100000], np.int32)], outputs, wanted, num_warps=(1,))


@triton.jit
def shifts_kernel(x_ptr, out_ptr, amount, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out_ptr + i, tl.load(x_ptr + i) >> amount)
    tl.store(out_ptr + N + i, tl.load(x_ptr + i) << amount)


@pytest.mark.mytriton_sanitize(False)  # shifts by too many bits
@pytest.mark.parametrize("dtype", [np.int32, np.uint32])
@pytest.mark.parametrize("amount", [32, 33, 64])
def test_shifts_by_the_width_and_more(dtype: type, amount: int) -> None:
    x = np.array([-8, 8, -1, 0], np.int32).astype(dtype)
    right = [-1, 0, -1, 0] if dtype is np.int32 else [0] * 4
    wanted = np.array([*right, 0, 0, 0, 0], dtype)
    check(shifts_kernel, (1,), [x, amount], [np.empty_like(wanted)], [wanted], order=[0, 2, 1], N=4)


@triton.jit
def runtime_step_kernel(x_ptr, out_ptr, start, stop, step):
    total = 0.0
    for i in range(start, stop, step):
        total += tl.load(x_ptr + i)
    tl.store(out_ptr, total)


@triton.jit
def no_trip_kernel(out_ptr, start, stop):
    untouched = 5.0
    for i in range(start, stop):
        untouched += i
    tl.store(out_ptr, untouched)


@triton.jit
def constant_step_of_zero_kernel(out_ptr, n):
    for i in range(0, n, 0):
        tl.store(out_ptr, i)


def test_a_step_that_is_known_when_the_kernel_runs() -> None:
    x, out = np.arange(1, 97, dtype=np.float32), np.empty(1, np.float32)
    order = [0, 4, 1, 2, 3]
    check(runtime_step_kernel, (1,), [x, 88, -1, -8], [out], [np.array([540])], order=order)
    check(runtime_step_kernel, (1,), [x, 0, 96, 8], [out], [x[::8].sum(keepdims=True)], order=order)
    # A step of 0 makes no turn, and does not hang.
    check(runtime_step_kernel, (1,), [x, 5, 9, 0], [out], [np.array([0])], order=order)
    for stop in (5, 2):
        check(no_trip_kernel, (1,), [5, stop], [out], [np.array([5])], order=[2, 0, 1])
    with pytest.raises(CompilationError, match="the step of a range must not be 0") as caught:
        constant_step_of_zero_kernel.warmup("*i32", "i32")
    assert caught.value.line == constant_step_of_zero_kernel.fn.__code__.co_firstlineno + 2


@triton.jit
def halvings(x):
    count = 0
    while x > 1:
        if x % 2 == 1:
            return count, x
        x = x // 2
        count += 1
    return count, 1


@triton.jit
def return_in_while_kernel(out_ptr, n):
    count, rest = halvings(n)
    tl.store(out_ptr, count)
    tl.store(out_ptr + 1, rest)


@pytest.mark.parametrize(("n", "wanted"), [(24, [3, 3]), (64, [6, 1]), (7, [0, 7]), (0, [0, 1])])
def test_a_return_inside_of_while(n: int, wanted: list[int]) -> None:
    expected = np.array(wanted, np.int32)
    check(return_in_while_kernel, (1,), [n], [np.empty_like(expected)], [expected], order=[1, 0])


@triton.jit
def stored_and_returned(out_ptr, value):
    tl.store(out_ptr, value)
    return value + 1


@triton.jit
def ignored_result_kernel(out_ptr, n):
    for i in range(n):
        if i % 2 == 0:
            stored_and_returned(out_ptr + i, i * 10)


def test_a_helper_whose_result_is_ignored() -> None:
    out = np.empty(6, np.int32)
    untouched = 0x5A5A5A5A
    wanted = np.array([0, untouched, 20, untouched, 40, untouched], np.int32)
    check(ignored_result_kernel, (1,), [6], [out], [wanted], order=[1, 0])


@triton.jit
def early_return(x, FLAG: tl.constexpr):
    if FLAG:
        return x * 2
    return tl.some_missing_name(x)


@triton.jit
def early_return_kernel(x_ptr, out_ptr, FLAG: tl.constexpr):
    tl.store(out_ptr, early_return(tl.load(x_ptr), FLAG))


def test_the_error_after_a_constant_return_names_its_line() -> None:
    x = np.array([21.0], np.float32)
    check(early_return_kernel, (1,), [x], [np.empty_like(x)], [np.array([42.0])], FLAG=True)
    with pytest.raises(CompilationError) as caught:
        early_return_kernel.warmup("*fp32", "*fp32", FLAG=False)
    assert caught.value.message == "module mytriton.language has no attribute 'some_missing_name'"
    assert caught.value.line == early_return.fn.__code__.co_firstlineno + 4
    assert [call.line for call in caught.value.calls] == [early_return_kernel.fn.__code__.co_firstlineno + 2]


G = tl.constexpr(1)


@triton.jit
def global_kernel(out_ptr):
    tl.store(out_ptr, G)


def test_a_changed_global_is_seen_by_the_next_launch(monkeypatch: pytest.MonkeyPatch) -> None:
    out = np.zeros(1, np.int32)
    global_kernel[(1,)](out)
    assert out[0] == 1
    monkeypatch.setitem(global_kernel.fn.__globals__, "G", tl.constexpr(2))
    global_kernel[(1,)](out)
    assert out[0] == 2
    with triton.interpret():
        global_kernel[(1,)](out)
    assert out[0] == 2


HELPER = """\
import numpy as np
import mytriton as triton
import mytriton.language as tl

@triton.jit
def helper(x):
    return x + {amount}

@triton.jit
def kernel(out_ptr, n):
    tl.store(out_ptr, helper(n))

out = np.zeros(1, np.int32)
kernel[(1,)](out, 40)
print(out[0])
"""


def test_a_changed_helper_is_seen_by_the_next_process(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    path = f"{ROOT}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"
    environment = os.environ | {"MYTRITON_CACHE_DIR": str(tmp_path / "cache"), "PYTHONPATH": path}
    for amount in (1, 2, 1):
        program.write_text(HELPER.format(amount=amount))
        done = subprocess.run([sys.executable, str(program)], env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        assert done.stdout == f"{40 + amount}\n"


@triton.jit
def dtypes_kernel(h_ptr, b_ptr, e_ptr, out_ptr):
    h, b, e = tl.load(h_ptr), tl.load(b_ptr), tl.load(e_ptr)
    tl.static_assert((h / h).dtype == tl.float32)
    tl.static_assert((b / b).dtype == tl.float32)
    tl.static_assert((b % b).dtype == tl.float32)
    tl.static_assert((h + b).dtype == tl.float16)
    tl.static_assert((b + e).dtype == tl.float32)
    tl.static_assert((h + e).dtype == tl.float16)
    tl.static_assert(tl.maximum(h, 0.0).dtype == tl.float16)
    tl.static_assert(tl.where(h > 0, h, 0).dtype == tl.float16)
    tl.store(out_ptr, h / b)
    tl.store(out_ptr + 1, b % h)
    tl.store(out_ptr + 2, b + e)
    tl.store(out_ptr + 3, tl.maximum(h, 0.0))
    tl.store(out_ptr + 4, tl.where(h > 0, h, 0))


def test_dtypes_of_mixed_small_floats() -> None:
    h, b = np.array([-3], np.float16), np.array([8], ml_dtypes.bfloat16)
    e = np.array([0.5], ml_dtypes.float8_e5m2)
    wanted = np.array([-0.375, 2, 8.5, 0, 0], np.float32)
    check(dtypes_kernel, (1,), [h, b, e], [np.empty_like(wanted)], [wanted], num_warps=(1, 4))
