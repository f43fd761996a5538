"""The shapes of tensors."""

from __future__ import annotations

import numpy as np
import pytest

import mytriton as triton
import mytriton.language as tl
from mytriton.errors import CompilationError
from tests.kernels.harness import check
from tests.semantics.elementwise import check_one


@triton.jit
def any_size_kernel(x_ptr, sums_ptr, out_ptr, M: tl.constexpr, N: tl.constexpr):
    at = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    x = tl.load(x_ptr + at)
    tl.store(sums_ptr + tl.arange(0, M), tl.sum(x, axis=1))
    tl.store(out_ptr + at, x + 1)


@triton.jit
def too_large_kernel(out_ptr):
    tl.store(out_ptr + tl.arange(0, 1048577), 0)


@triton.jit
def empty_range_kernel(out_ptr):
    tl.store(out_ptr + tl.arange(3, 3), 0)


@pytest.mark.rule("sizes")
@pytest.mark.parametrize("shape", [(1, 1), (3, 5), (1, 100), (7, 32), (33, 1)])
def test_any_positive_size(shape: tuple[int, int]) -> None:
    x = np.arange(shape[0] * shape[1], dtype=np.int32).reshape(shape)
    outputs = [np.empty(shape[0], np.int32), np.empty_like(x)]
    check(any_size_kernel, (1,), [x], outputs, [x.sum(axis=1), x + 1], num_warps=(4,), M=shape[0], N=shape[1])


@pytest.mark.rule("sizes")
def test_sizes_that_are_refused() -> None:
    with pytest.raises(CompilationError, match="1048576"):
        too_large_kernel.warmup("*i32")
    with pytest.raises(CompilationError, match="range"):
        empty_range_kernel.warmup("*i32")


@triton.jit
def arange_kernel(out_ptr):
    i = tl.arange(-3, 6)
    tl.static_assert(i.dtype == tl.int32)
    tl.store(out_ptr + i + 3, i)


@pytest.mark.rule("arange")
def test_range_may_start_anywhere() -> None:
    check_one(arange_kernel, [], range(-3, 6))


@triton.jit
def broadcast_kernel(row_ptr, column_ptr, out_ptr, M: tl.constexpr, N: tl.constexpr):
    row, column = tl.load(row_ptr + tl.arange(0, N)), tl.load(column_ptr + tl.arange(0, M))
    # Missing axes are added in front, so the vector is a row.
    total = column[:, None] + row + 100
    tl.store(out_ptr + tl.arange(0, M)[:, None] * N + tl.arange(0, N), total)


@triton.jit
def wrong_broadcast_kernel(out_ptr):
    tl.store(out_ptr + tl.arange(0, 4), tl.arange(0, 3)[:, None] + tl.arange(0, 4)[:, None])


@pytest.mark.rule("broadcasting")
def test_shapes_are_broadcast_as_in_numpy() -> None:
    row, column = np.arange(5, dtype=np.int32), np.arange(0, 30, 10, dtype=np.int32)
    check_one(broadcast_kernel, [row, column], column[:, None] + row + 100, M=3, N=5)
    with pytest.raises(CompilationError, match=r"\[3, 1\]"):
        wrong_broadcast_kernel.warmup("*i32")


@triton.jit
def reshape_kernel(x_ptr, reshaped_ptr, transposed_ptr, permuted_ptr):
    x = tl.load(x_ptr + tl.arange(0, 24))
    cube = tl.reshape(x, (2, 3, 4))
    i, j, k = tl.arange(0, 2)[:, None, None], tl.arange(0, 3)[None, :, None], tl.arange(0, 4)[None, None, :]
    tl.store(reshaped_ptr + i * 12 + j * 4 + k, cube)
    swapped = tl.trans(cube)
    tl.static_assert(swapped.shape == (2, 4, 3))
    tl.store(transposed_ptr + tl.arange(0, 24), swapped.ravel())
    turned = tl.permute(cube, (2, 0, 1))
    tl.static_assert(turned.shape == (4, 2, 3))
    tl.store(permuted_ptr + tl.arange(0, 24), turned.reshape(24))


@triton.jit
def wrong_reshape_kernel(out_ptr):
    tl.store(out_ptr + tl.arange(0, 8), tl.reshape(tl.arange(0, 6), (8,)))


@pytest.mark.rule("reshape")
def test_elements_keep_their_row_major_order() -> None:
    x = np.arange(24, dtype=np.int32) * 3
    cube = x.reshape(2, 3, 4)
    wanted = [cube, cube.transpose(0, 2, 1).ravel(), cube.transpose(2, 0, 1).ravel()]
    outputs = [np.empty_like(array) for array in wanted]
    check(reshape_kernel, (1,), [x], outputs, wanted, num_warps=(1, 4))
    with pytest.raises(CompilationError, match=r"\[8\]"):
        wrong_reshape_kernel.warmup("*i32")


@triton.jit
def parts_kernel(x_ptr, out_ptr):
    x = tl.load(x_ptr + tl.arange(0, 12)).reshape(3, 4)
    tl.store(out_ptr + tl.arange(0, 4), x[-1])
    tl.store(out_ptr + 4 + tl.arange(0, 3), x[..., 2])
    tl.store(out_ptr + 7, x[1, 1])
    tl.store(out_ptr + 8 + tl.arange(0, 4), x[1:, ::-2].ravel())


@triton.jit
def outside_kernel(x_ptr, out_ptr):
    tl.store(out_ptr, tl.load(x_ptr + tl.arange(0, 4))[4])


@triton.jit
def runtime_index_kernel(x_ptr, out_ptr, first, second, third):
    x = tl.load(x_ptr + tl.arange(0, 5))
    tl.store(out_ptr, x[first])
    tl.store(out_ptr + 1, x[second])
    tl.store(out_ptr + 2, x[third])


@triton.jit
def join_kernel(x_ptr, out_ptr):
    x = tl.load(x_ptr + tl.arange(0, 3))
    joined = tl.join(x, 10 * x)
    tl.static_assert(joined.shape == (3, 2))
    first, second = joined.split()
    i = tl.arange(0, 3)
    tl.store(out_ptr + i, first)
    tl.store(out_ptr + 3 + i, second)
    tl.store(out_ptr + 6 + tl.arange(0, 6), tl.interleave(x, 10 * x))
    tl.store(out_ptr + 12 + tl.arange(0, 2), tl.join(7, 8))


@triton.jit
def cat_kernel(x_ptr, out_ptr):
    i = tl.arange(0, 6)
    x = tl.load(x_ptr + i)
    tl.store(out_ptr + tl.arange(0, 12), tl.cat(x, -x, can_reorder=True))
    square = x.reshape(2, 3)
    tl.store(out_ptr + 12 + tl.arange(0, 12), tl.cat(square, -square, dim=1).ravel())


@triton.jit
def new_axes_kernel(x_ptr, out_ptr):
    x = tl.load(x_ptr + tl.arange(0, 4))
    tl.static_assert(x[None, :, None].shape == (1, 4, 1))
    tl.static_assert(x[:, None].T.shape == (1, 4))
    tl.static_assert(tl.expand_dims(x, -1).shape == (4, 1))
    tl.store(out_ptr + tl.arange(0, 4), x[None, :].reshape(4))


@pytest.mark.rule("indexing")
def test_an_index_is_what_it_is_in_numpy() -> None:
    x = np.arange(4, dtype=np.int32)
    check_one(new_axes_kernel, [x], x)
    x = np.arange(12, dtype=np.int32).reshape(3, 4)
    check_one(parts_kernel, [x.ravel()], [*x[-1], *x[..., 2], x[1, 1], *x[1:, ::-2].ravel()], np.int32)
    with pytest.raises(CompilationError, match="index"):
        outside_kernel.warmup("*i32", "*i32")


@pytest.mark.rule("runtime-index")
def test_an_index_out_of_range_is_the_nearest() -> None:
    x = np.arange(5, dtype=np.int32) * 7
    for indices, wanted in (([0, 4, -1], [0, 28, 28]), ([-5, -6, 5], [0, 0, 28]), ([2**40, -(2**40), 3], [28, 0, 21])):
        outputs = [np.empty(3, np.int32)]
        order = (0, 4, 1, 2, 3)
        check(runtime_index_kernel, (1,), [x, *indices], outputs, [np.array(wanted)], num_warps=(1,), order=order)


@pytest.mark.rule("join")
def test_join_and_split_are_inverse() -> None:
    x = np.arange(1, 4, dtype=np.int32)
    wanted = [*x, *(10 * x), *np.stack([x, 10 * x], axis=-1).ravel(), 7, 8]
    check_one(join_kernel, [x], wanted, np.int32)


@pytest.mark.rule("cat")
def test_the_first_tensor_comes_first() -> None:
    x = np.arange(1, 7, dtype=np.int32)
    square = x.reshape(2, 3)
    check_one(cat_kernel, [x], [*x, *-x, *np.concatenate([square, -square], axis=1).ravel()], np.int32)
