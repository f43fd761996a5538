"""Dropout that remembers a seed where others keep a mask.

python examples/low_memory_dropout.py
"""

from __future__ import annotations

import numpy as np

import mytriton as triton
import mytriton.language as tl


@triton.jit
def seeded_dropout_kernel(x_ptr, out_ptr, n_elements, p, seed, BLOCK_SIZE: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    mask = offsets < n_elements
    x = tl.load(x_ptr + offsets, mask=mask)
    # A number of the generator depends on the seed and the place alone, so a backward pass draws the same ones.
    keep = tl.rand(seed, offsets) > p
    tl.store(out_ptr + offsets, tl.where(keep, x / (1 - p), 0.0), mask=mask)


def dropout(x: np.ndarray, p: float, seed: int) -> np.ndarray:
    """Each element with the probability `p` 0, and else divided by 1 - p."""
    out = np.empty_like(x)
    seeded_dropout_kernel[(triton.cdiv(x.size, 1024),)](x, out, x.size, p, seed, BLOCK_SIZE=1024)
    return out


def main(n: int = 5_000, p: float = 0.5) -> float:
    """The largest difference from the rule for the elements that are kept; the rest must be 0."""
    x = np.random.default_rng(0).random(n, dtype=np.float32) + 1
    first, again, other = dropout(x, p, seed=123), dropout(x, p, seed=123), dropout(x, p, seed=512)
    kept = first != 0
    if not (first == again).all() or (first == other).all():
        raise AssertionError("the seed does not decide what is dropped")
    if abs(kept.mean() - (1 - p)) > 0.05:
        raise AssertionError(f"{kept.mean():.2%} of the elements were kept")
    difference = float(np.abs(first[kept] - x[kept] / np.float32(1 - p)).max())
    print(f"dropout kept {kept.mean():.1%} of {n} elements: the largest difference is {difference:.2e}")
    return difference


if __name__ == "__main__":
    main()
