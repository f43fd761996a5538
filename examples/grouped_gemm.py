"""Many matrix products of different sizes in one launch.

    python examples/grouped_gemm.py

The kernel finds the addresses, the sizes and the strides of the matrices in memory. A fixed number of programs takes
the tiles of all products in turn.
"""

from __future__ import annotations

import numpy as np

import mytriton as triton
import mytriton.language as tl


@triton.jit
def grouped_gemm_kernel(
    a_addresses_ptr,
    b_addresses_ptr,
    c_addresses_ptr,
    # Of each product M, N and K, and the strides of the rows of a, b and c.
    sizes_ptr,
    strides_ptr,
    n_products,
    DTYPE: tl.constexpr,
    PROGRAMS: tl.constexpr,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    BLOCK_K: tl.constexpr,
):
    tile = tl.program_id(0)
    first_tile = 0
    for product in range(n_products):
        M = tl.load(sizes_ptr + product * 3)
        N = tl.load(sizes_ptr + product * 3 + 1)
        K = tl.load(sizes_ptr + product * 3 + 2)
        tiles_m = tl.cdiv(M, BLOCK_M)
        tiles_n = tl.cdiv(N, BLOCK_N)
        tiles = tiles_m * tiles_n
        while tile >= first_tile and tile < first_tile + tiles:
            stride_a = tl.load(strides_ptr + product * 3)
            stride_b = tl.load(strides_ptr + product * 3 + 1)
            stride_c = tl.load(strides_ptr + product * 3 + 2)
            a_ptr = tl.load(a_addresses_ptr + product).to(tl.pointer_type(DTYPE))
            b_ptr = tl.load(b_addresses_ptr + product).to(tl.pointer_type(DTYPE))
            c_ptr = tl.load(c_addresses_ptr + product).to(tl.pointer_type(DTYPE))

            tile_of_product = tile - first_tile
            rows = (tile_of_product // tiles_n) * BLOCK_M + tl.arange(0, BLOCK_M)
            columns = (tile_of_product % tiles_n) * BLOCK_N + tl.arange(0, BLOCK_N)
            ks = tl.arange(0, BLOCK_K)
            a_ptrs = a_ptr + rows[:, None] * stride_a + ks[None, :]
            b_ptrs = b_ptr + ks[:, None] * stride_b + columns[None, :]
            accumulator = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
            for k in range(tl.cdiv(K, BLOCK_K)):
                left = K - k * BLOCK_K
                a = tl.load(a_ptrs, mask=(rows[:, None] < M) & (ks[None, :] < left), other=0.0)
                b = tl.load(b_ptrs, mask=(ks[:, None] < left) & (columns[None, :] < N), other=0.0)
                accumulator += tl.dot(a, b)
                a_ptrs += BLOCK_K
                b_ptrs += BLOCK_K * stride_b
            c_ptrs = c_ptr + rows[:, None] * stride_c + columns[None, :]
            tl.store(c_ptrs, accumulator.to(DTYPE), mask=(rows[:, None] < M) & (columns[None, :] < N))
            tile += PROGRAMS
        first_tile += tiles


def grouped_gemm(a: list[np.ndarray], b: list[np.ndarray], c: list[np.ndarray], programs: int = 7) -> None:
    """Makes each c[i] a[i] @ b[i]; all are float16 matrices whose rows are contiguous."""
    sizes = np.array([(*z.shape, x.shape[1]) for x, z in zip(a, c, strict=True)], np.int32)
    strides = np.array(
        [[x.strides[0] // x.itemsize for x in product] for product in zip(a, b, c, strict=True)], np.int32
    )
    addresses = [np.array([x.ctypes.data for x in group], np.int64) for group in (a, b, c)]
    tile = {"BLOCK_M": 32, "BLOCK_N": 32, "BLOCK_K": 32}
    grouped_gemm_kernel[(programs,)](*addresses, sizes, strides, len(a), DTYPE=tl.float16, PROGRAMS=programs, **tile)


SIZES = ((64, 96, 32), (17, 40, 70), (100, 33, 65), (1, 1, 1))


def problem(
    sizes: tuple[tuple[int, int, int], ...] = SIZES,
) -> tuple[list[np.ndarray], list[np.ndarray], list[np.ndarray], list[np.ndarray]]:
    """Operands of the sizes M, N and K, where the products belong, and what they must be."""
    rng = np.random.default_rng(0)
    a = [(rng.standard_normal((m, k)) / 8).astype(np.float16) for m, _, k in sizes]
    b = [(rng.standard_normal((k, n)) / 8).astype(np.float16) for _, n, k in sizes]
    c = [np.empty((m, n), np.float16) for m, n, _ in sizes]
    return a, b, c, [x.astype(np.float32) @ y.astype(np.float32) for x, y in zip(a, b, strict=True)]


def main(sizes: tuple[tuple[int, int, int], ...] = SIZES) -> float:
    """The largest difference from NumPy."""
    a, b, c, wanted = problem(sizes)
    grouped_gemm(a, b, c)
    difference = max(float(np.abs(x - y).max()) for x, y in zip(c, wanted, strict=True))
    print(f"{len(sizes)} products in one launch: the largest difference is {difference:.2e}")
    return difference


if __name__ == "__main__":
    main()
