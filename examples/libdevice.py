"""A function of CUDA's math library.

python examples/libdevice.py
"""

from __future__ import annotations

import numpy as np

import mytriton as triton
import mytriton.language as tl
from mytriton.language.extra import libdevice


@triton.jit
def asin_kernel(x_ptr, out_ptr, n_elements, BLOCK_SIZE: tl.constexpr):
    offsets = tl.program_id(axis=0) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    mask = offsets < n_elements
    x = tl.load(x_ptr + offsets, mask=mask)
    # One name for float32 and float64; the dtype chooses between `asinf` and `asin`.
    tl.store(out_ptr + offsets, libdevice.asin(x), mask=mask)


def asin(x: np.ndarray) -> np.ndarray:
    """The arc sine of each element."""
    out = np.empty_like(x)
    asin_kernel[(triton.cdiv(x.size, 1024),)](x, out, x.size, BLOCK_SIZE=1024)
    return out


def main(n: int = 5_000) -> float:
    """The largest difference from NumPy."""
    differences: list[float] = []
    for dtype in (np.float32, np.float64):
        x = np.random.default_rng(0).uniform(-1, 1, n).astype(dtype)
        differences.append(float(np.abs(asin(x) - np.arcsin(x)).max()))
        print(f"asin of {n} {np.dtype(dtype).name}: the largest difference is {differences[-1]:.2e}")
    return max(differences)


if __name__ == "__main__":
    main()
