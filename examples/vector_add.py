"""Adds two vectors: programs, blocks and masks.

python examples/vector_add.py
"""

from __future__ import annotations

import numpy as np

import mytriton as triton
import mytriton.language as tl


@triton.jit
def add_kernel(x_ptr, y_ptr, out_ptr, n_elements, BLOCK_SIZE: tl.constexpr):
    # Each program adds one block; the last block may reach beyond the vectors.
    start = tl.program_id(axis=0) * BLOCK_SIZE
    offsets = start + tl.arange(0, BLOCK_SIZE)
    mask = offsets < n_elements
    x = tl.load(x_ptr + offsets, mask=mask)
    y = tl.load(y_ptr + offsets, mask=mask)
    tl.store(out_ptr + offsets, x + y, mask=mask)


def add(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """x + y."""
    out = np.empty_like(x)

    def grid(meta):
        return (triton.cdiv(x.size, meta["BLOCK_SIZE"]),)

    add_kernel[grid](x, y, out, x.size, BLOCK_SIZE=1024)
    return out


def main(n: int = 10_007) -> float:
    """The largest difference from NumPy."""
    rng = np.random.default_rng(0)
    x, y = (rng.random(n, dtype=np.float32) for _ in range(2))
    difference = float(np.abs(add(x, y) - (x + y)).max())
    print(f"vector add of {n} elements: the largest difference is {difference:.2e}")
    return difference


if __name__ == "__main__":
    main()
