"""The softmax of each row of a matrix, with one read and one write of each element.

python examples/fused_softmax.py
"""

from __future__ import annotations

import numpy as np

import mytriton as triton
import mytriton.language as tl


@triton.jit
def softmax_kernel(
    out_ptr,
    in_ptr,
    in_row_stride,
    out_row_stride,
    n_rows,
    n_columns,
    BLOCK_SIZE: tl.constexpr,
    num_stages: tl.constexpr,
):
    # There are fewer programs than rows: each takes every n-th row. A row fits into one block.
    first = tl.program_id(0)
    step = tl.num_programs(0)
    for row in tl.range(first, n_rows, step, num_stages=num_stages):
        columns = tl.arange(0, BLOCK_SIZE)
        mask = columns < n_columns
        x = tl.load(in_ptr + row * in_row_stride + columns, mask=mask, other=-float("inf"))
        # The maximum is subtracted so that no exponential overflows.
        numerator = tl.exp(x - tl.max(x, axis=0))
        denominator = tl.sum(numerator, axis=0)
        tl.store(out_ptr + row * out_row_stride + columns, numerator / denominator, mask=mask)


def softmax(x: np.ndarray, programs: int = 16) -> np.ndarray:
    """The softmax of each row of a float32 matrix whose rows are contiguous."""
    n_rows, n_columns = x.shape
    out = np.empty((n_rows, n_columns), np.float32)
    softmax_kernel[(min(programs, n_rows),)](
        out,
        x,
        x.strides[0] // x.itemsize,
        out.strides[0] // out.itemsize,
        n_rows,
        n_columns,
        BLOCK_SIZE=triton.next_power_of_2(n_columns),
        num_stages=2,
    )
    return out


def main(rows: int = 37, columns: int = 389) -> float:
    """The largest difference from NumPy."""
    x = np.random.default_rng(0).standard_normal((rows, columns), dtype=np.float32)
    numerator = np.exp(x - x.max(axis=1, keepdims=True))
    wanted = numerator / numerator.sum(axis=1, keepdims=True)
    difference = float(np.abs(softmax(x) - wanted).max())
    print(f"softmax of {rows} rows of {columns}: the largest difference is {difference:.2e}")
    return difference


if __name__ == "__main__":
    main()
