"""Block pointers and tensor descriptors."""

# A kernel is no Python to a type checker: a parameter that is a constant is of another class there.
# pyright: reportArgumentType=false

from __future__ import annotations

import numpy as np
import pytest

import mytriton as triton
import mytriton.language as tl
from mytriton.errors import CompilationError
from tests.kernels.harness import check

WARPS = (1, 4)


@triton.jit
def block_kernel(x_ptr, out_ptr, n, row, column, PADDING: tl.constexpr):
    source = tl.make_block_ptr(x_ptr, (n, n), (n, 1), (row, column), (4, 4), (1, 0))
    target = tl.make_block_ptr(out_ptr, (4, 4), (4, 1), (0, 0), (4, 4), (1, 0))
    tl.store(target, tl.load(source, boundary_check=(0, 1), padding_option=PADDING))


def padded(x: np.ndarray, row: int, column: int, fill: float) -> np.ndarray:
    wanted = np.full((4, 4), fill, x.dtype)
    for i in range(4):
        for j in range(4):
            if 0 <= row + i < len(x) and 0 <= column + j < len(x):
                wanted[i, j] = x[row + i, column + j]
    return wanted


@pytest.mark.mytriton_sanitize(False)  # stores elements outside of the array
@pytest.mark.rule("block-pointer")
@pytest.mark.parametrize(("row", "column"), [(0, 0), (3, -2), (-5, 1), (7, 7)])
def test_tile_of_a_block_pointer(row: int, column: int) -> None:
    x = np.arange(1, 37, dtype=np.float32).reshape(6, 6)
    for option, fill in (("", 0), ("zero", 0), ("nan", np.nan)):
        check(
            block_kernel,
            (1,),
            [x, 6, row, column],
            [np.empty((4, 4), np.float32)],
            [padded(x, row, column, fill)],
            order=[0, 4, 1, 2, 3],
            num_warps=WARPS,
            PADDING=option,
        )


@triton.jit
def store_kernel(out_ptr, n):
    tile = tl.make_block_ptr(out_ptr + n, (n,), (1,), (-2,), (8,), (0,))
    tl.store(tile, 7, boundary_check=0)


@pytest.mark.rule("block-pointer")
def test_store_stays_in_the_array() -> None:
    wanted = np.array([1, 1, 1, 7, 7, 7, 1, 1, 1], np.int32)
    for warps in (1, 4, None):
        out = np.ones(9, np.int32)
        if warps is None:
            with triton.interpret():
                store_kernel[(1,)](out, 3)
        else:
            store_kernel[(1,)](out, 3, num_warps=warps)
        np.testing.assert_array_equal(out, wanted)


@triton.jit
def far_kernel(x_ptr, out_ptr, n):
    """The offset times the stride exceeds 32 bits before a second offset takes it back."""
    tile = tl.make_block_ptr(x_ptr, (n, n), (2000000000, 1), (0, 0), (1, 4), (1, 0))
    tile = tl.advance(tl.advance(tile, (3, 0)), (-3, 0))
    tl.store(out_ptr + tl.arange(0, 4), tl.load(tile, boundary_check=(0, 1)).reshape(4))


@pytest.mark.rule("block-pointer")
def test_offsets_have_64_bits() -> None:
    x = np.arange(4, dtype=np.int32)
    check(far_kernel, (1,), [x, 4], [np.empty_like(x)], [x], order=[0, 2, 1], num_warps=WARPS)


@triton.jit
def masked_kernel(x_ptr, n):
    tile = tl.make_block_ptr(x_ptr, (n,), (1,), (0,), (4,), (0,))
    tl.store(tile, tl.load(tile, mask=tl.arange(0, 4) < n))


@triton.jit
def padded_integers_kernel(x_ptr, n):
    tile = tl.make_block_ptr(x_ptr, (n,), (1,), (0,), (4,), (0,))
    tl.store(tile, tl.load(tile, boundary_check=(0,), padding_option="nan"))


@triton.jit
def wrong_axis_kernel(x_ptr, n):
    tile = tl.make_block_ptr(x_ptr, (n,), (1,), (0,), (4,), (0,))
    tl.store(tile, tl.load(tile, boundary_check=(1,)))


@triton.jit
def ranks_kernel(x_ptr, n):
    tl.make_block_ptr(x_ptr, (n,), (1, 1), (0,), (4,), (0,))


@pytest.mark.rule("block-pointer")
def test_block_pointers_that_are_refused() -> None:
    with pytest.raises(CompilationError, match="takes no mask"):
        masked_kernel.warmup("*fp32", "i32")
    with pytest.raises(CompilationError, match="floats, found int32"):
        padded_integers_kernel.warmup("*i32", "i32")
    with pytest.raises(CompilationError, match="axes from 0 to 0"):
        wrong_axis_kernel.warmup("*i32", "i32")
    with pytest.raises(CompilationError, match="2 of strides"):
        ranks_kernel.warmup("*i32", "i32")


@triton.jit
def descriptor_kernel(x_ptr, out_ptr, n, row, column, PADDING: tl.constexpr):
    source = tl.make_tensor_descriptor(x_ptr, [n, n], [n, 1], [4, 4], PADDING)
    tl.make_tensor_descriptor(out_ptr, [4, 4], [4, 1], [4, 4]).store([0, 0], source.load([row, column]))


@pytest.mark.rule("tensor-descriptor")
@pytest.mark.parametrize(("row", "column"), [(0, 0), (3, -2), (-5, 1), (7, 7)])
def test_tile_of_a_descriptor(row: int, column: int) -> None:
    x = np.arange(1, 37, dtype=np.float32).reshape(6, 6)
    for option, fill in (("zero", 0), ("nan", np.nan)):
        check(
            descriptor_kernel,
            (1,),
            [x, 6, row, column],
            [np.empty((4, 4), np.float32)],
            [padded(x, row, column, fill)],
            order=[0, 4, 1, 2, 3],
            num_warps=WARPS,
            PADDING=option,
        )


@triton.jit
def unknown_stride_kernel(x_ptr, n):
    tl.make_tensor_descriptor(x_ptr, [n, n], [1, n], [4, 4])


@pytest.mark.rule("tensor-descriptor")
def test_last_stride_is_one() -> None:
    with pytest.raises(CompilationError, match="last stride of a tensor descriptor must be the number 1"):
        unknown_stride_kernel.warmup("*fp32", "i32")


@triton.jit
def rows_kernel(x_ptr, out_ptr, rows_ptr, m, n):
    rows = tl.load(rows_ptr + tl.arange(0, 4))
    source = tl.make_tensor_descriptor(x_ptr, [m, n], [n, 1], [1, 8])
    tl.make_tensor_descriptor(out_ptr, [4, 8], [8, 1], [4, 8]).store([0, 0], source.gather(rows, -2))


@pytest.mark.rule("tensor-descriptor")
def test_rows_outside_of_the_array_are_zero() -> None:
    x = np.arange(1, 16, dtype=np.int32).reshape(3, 5)
    rows = np.array([2, -1, 0, 3], np.int32)
    wanted = np.zeros((4, 8), np.int32)
    wanted[0, 2:7], wanted[2, 2:7] = x[2], x[0]
    check(
        rows_kernel,
        (1,),
        [x, rows, 3, 5],
        [np.empty_like(wanted)],
        [wanted],
        order=[0, 4, 1, 2, 3],
        num_warps=WARPS,
    )
