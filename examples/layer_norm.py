"""Layer normalization, forward and backward.

    python examples/layer_norm.py

The gradients of the weight and the bias are sums over all rows. The programs of the backward pass, one for each row,
first add what they have to one of a few partial sums, which a lock guards; a second kernel adds those up.
"""

from __future__ import annotations

import numpy as np

import mytriton as triton
import mytriton.language as tl


@triton.jit
def layer_norm_forward_kernel(
    x_ptr,
    out_ptr,
    weight_ptr,
    bias_ptr,
    mean_ptr,
    rstd_ptr,
    stride,
    N,
    eps,
    BLOCK_SIZE: tl.constexpr,
):
    row = tl.program_id(0)
    x_ptr += row * stride
    out_ptr += row * stride
    total = tl.zeros([BLOCK_SIZE], dtype=tl.float32)
    for start in range(0, N, BLOCK_SIZE):
        columns = start + tl.arange(0, BLOCK_SIZE)
        total += tl.load(x_ptr + columns, mask=columns < N, other=0.0).to(tl.float32)
    mean = tl.sum(total, axis=0) / N
    squares = tl.zeros([BLOCK_SIZE], dtype=tl.float32)
    for start in range(0, N, BLOCK_SIZE):
        columns = start + tl.arange(0, BLOCK_SIZE)
        x = tl.load(x_ptr + columns, mask=columns < N, other=0.0).to(tl.float32)
        centred = tl.where(columns < N, x - mean, 0.0)
        squares += centred * centred
    rstd = 1 / tl.sqrt(tl.sum(squares, axis=0) / N + eps)
    tl.store(mean_ptr + row, mean)
    tl.store(rstd_ptr + row, rstd)
    for start in range(0, N, BLOCK_SIZE):
        columns = start + tl.arange(0, BLOCK_SIZE)
        mask = columns < N
        weight = tl.load(weight_ptr + columns, mask=mask)
        bias = tl.load(bias_ptr + columns, mask=mask)
        x = tl.load(x_ptr + columns, mask=mask, other=0.0).to(tl.float32)
        tl.store(out_ptr + columns, (x - mean) * rstd * weight + bias, mask=mask)


@triton.jit
def layer_norm_backward_dx_kernel(
    dx_ptr,
    dout_ptr,
    dweight_ptr,
    dbias_ptr,
    x_ptr,
    weight_ptr,
    mean_ptr,
    rstd_ptr,
    locks_ptr,
    stride,
    N,
    GROUPS: tl.constexpr,
    BLOCK_SIZE: tl.constexpr,
):
    row = tl.program_id(0)
    columns = tl.arange(0, BLOCK_SIZE)
    mask = columns < N
    x = tl.load(x_ptr + row * stride + columns, mask=mask, other=0).to(tl.float32)
    dout = tl.load(dout_ptr + row * stride + columns, mask=mask, other=0).to(tl.float32)
    weight = tl.load(weight_ptr + columns, mask=mask).to(tl.float32)
    mean = tl.load(mean_ptr + row)
    rstd = tl.load(rstd_ptr + row)

    normal = tl.where(mask, (x - mean) * rstd, 0.0)
    scaled = tl.where(mask, weight * dout, 0.0)
    along = tl.sum(normal * scaled, axis=0) / N
    offset = tl.sum(scaled, axis=0) / N
    tl.store(dx_ptr + row * stride + columns, (scaled - (normal * along + offset)) * rstd, mask=mask)

    # The first program that comes stores its sums, the others add to them; after the locks come the counts.
    dweight = (dout * normal).to(weight.dtype)
    dbias = dout.to(weight.dtype)
    group = row % GROUPS
    lock_ptr = locks_ptr + group
    count_ptr = locks_ptr + GROUPS + group
    dweight_ptrs = dweight_ptr + group * N + columns
    dbias_ptrs = dbias_ptr + group * N + columns
    while tl.atomic_cas(lock_ptr, 0, 1) == 1:
        pass
    count = tl.load(count_ptr)
    if count == 0:
        tl.atomic_xchg(count_ptr, 1)
    else:
        dweight += tl.load(dweight_ptrs, mask=mask)
        dbias += tl.load(dbias_ptrs, mask=mask)
    tl.store(dweight_ptrs, dweight, mask=mask)
    tl.store(dbias_ptrs, dbias, mask=mask)
    # All threads must have stored before the lock is open.
    tl.debug_barrier()
    tl.atomic_xchg(lock_ptr, 0)


@triton.jit
def layer_norm_backward_sums_kernel(
    dweight_parts_ptr,
    dbias_parts_ptr,
    dweight_ptr,
    dbias_ptr,
    M,
    N,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
):
    columns = tl.program_id(0) * BLOCK_N + tl.arange(0, BLOCK_N)
    dweight = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    dbias = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for start in range(0, M, BLOCK_M):
        rows = start + tl.arange(0, BLOCK_M)
        mask = (rows[:, None] < M) & (columns[None, :] < N)
        offsets = rows[:, None] * N + columns[None, :]
        dweight += tl.load(dweight_parts_ptr + offsets, mask=mask, other=0.0)
        dbias += tl.load(dbias_parts_ptr + offsets, mask=mask, other=0.0)
    tl.store(dweight_ptr + columns, tl.sum(dweight, axis=0), mask=columns < N)
    tl.store(dbias_ptr + columns, tl.sum(dbias, axis=0), mask=columns < N)


def forward(
    x: np.ndarray, weight: np.ndarray, bias: np.ndarray, eps: float = 1e-5
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Each row of x [M, N] normalized, times weight [N] plus bias [N]; with the mean and 1 / the deviation of rows."""
    m, n = x.shape
    out, mean, rstd = np.empty_like(x), np.empty(m, np.float32), np.empty(m, np.float32)
    layer_norm_forward_kernel[(m,)](x, out, weight, bias, mean, rstd, n, n, eps, BLOCK_SIZE=128)
    return out, mean, rstd


def backward(
    dout: np.ndarray, x: np.ndarray, weight: np.ndarray, mean: np.ndarray, rstd: np.ndarray, groups: int = 4
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The gradients of x, the weight and the bias, from that of the result."""
    m, n = x.shape
    dx, dweight, dbias = np.empty_like(x), np.empty_like(weight), np.empty_like(weight)
    parts = [np.zeros((groups, n), np.float32) for _ in range(2)]
    locks = np.zeros(2 * groups, np.int32)
    layer_norm_backward_dx_kernel[(m,)](
        dx, dout, *parts, x, weight, mean, rstd, locks, n, n, GROUPS=groups, BLOCK_SIZE=triton.next_power_of_2(n)
    )
    layer_norm_backward_sums_kernel[(triton.cdiv(n, 64),)](
        *parts, dweight, dbias, min(groups, m), n, BLOCK_M=16, BLOCK_N=64
    )
    return dx, dweight, dbias


def main(m: int = 41, n: int = 200, eps: float = 1e-5) -> float:
    """The largest difference from NumPy, over the result and the three gradients."""
    rng = np.random.default_rng(0)
    x, dout = (rng.standard_normal((m, n), dtype=np.float32) for _ in range(2))
    weight, bias = (rng.random(n, dtype=np.float32) for _ in range(2))

    inverse = 1 / np.sqrt(x.var(axis=1, dtype=np.float64, keepdims=True) + eps)
    normal = (x - x.mean(axis=1, dtype=np.float64, keepdims=True)) * inverse
    scaled = weight * dout
    along = (normal * scaled).mean(axis=1, keepdims=True)
    dx = (scaled - (normal * along + scaled.mean(axis=1, keepdims=True))) * inverse
    wanted = (normal * weight + bias, dx, (dout * normal).sum(axis=0), dout.sum(axis=0))

    out, mean, rstd = forward(x, weight, bias, eps)
    results = (out, *backward(dout, x, weight, mean, rstd))
    differences = [float(np.abs(a - b).max()) for a, b in zip(results, wanted, strict=True)]
    for name, difference in zip(("result", "dx", "dweight", "dbias"), differences, strict=True):
        print(f"layer norm of {m} rows of {n}, {name}: the largest difference is {difference:.2e}")
    return max(differences)


if __name__ == "__main__":
    main()
