"""A tiled matrix product: from its Python source to CUDA C, to cubins, and run on the CPU.

    python examples/matmul.py

Prints what each stage of the compiler makes of the kernel, what NVRTC makes of the CUDA C for two GPUs (no GPU is
needed), and compares a run on the CPU with NumPy.
"""

from __future__ import annotations

import sys
import time

import numpy as np

import mytriton as triton
import mytriton.language as tl


@triton.jit
def matmul_kernel(a, b, out, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    offsets_m = tl.program_id(0) * BM + tl.arange(0, BM)[:, None]
    offsets_n = tl.program_id(1) * BN + tl.arange(0, BN)[None, :]
    offsets_k = tl.arange(0, BK)
    acc = tl.zeros((BM, BN), tl.float32)
    for k_base in range(0, K, BK):
        a_rows = offsets_m
        a_columns = k_base + offsets_k[None, :]
        a_values = tl.load(
            a + a_rows * K + a_columns,
            mask=(a_rows < M) & (a_columns < K),
            other=0.0,
        )
        b_rows = k_base + offsets_k[:, None]
        b_columns = offsets_n
        b_values = tl.load(
            b + b_rows * N + b_columns,
            mask=(b_rows < K) & (b_columns < N),
            other=0.0,
        )
        acc = acc + tl.dot(a_values, b_values)
    output_pointers = out + offsets_m * N + offsets_n
    output_mask = (offsets_m < M) & (offsets_n < N)
    tl.store(output_pointers, acc, mask=output_mask)


def matmul(a: np.ndarray, b: np.ndarray, tile: tuple[int, int, int] = (64, 64, 16)) -> np.ndarray:
    """a [M, K] @ b [K, N], both float32 and contiguous, by the kernel on the CPU."""
    (m, k), (_, n) = a.shape, b.shape
    bm, bn, bk = tile
    out = np.empty((m, n), np.float32)
    grid = (triton.cdiv(m, bm), triton.cdiv(n, bn))
    matmul_kernel[grid](a, b, out, m, n, k, BM=bm, BN=bn, BK=bk)
    return out


def main() -> int:
    """Returns 0 where the product agrees with NumPy's."""
    tile = {"BM": 64, "BN": 64, "BK": 16}
    signature = ("*fp32", "*fp32", "*fp32", "i32", "i32", "i32")
    compiled = matmul_kernel.warmup(*signature, grid=(1, 1), arch="sm_80", **tile)

    print("The kernel, stage by stage:\n")
    for stage in ("tt", "ttg", "cuda_ir", "cuda"):
        text = compiled.asm[stage]
        print(f"  {stage:8} {len(text.splitlines()):5} lines {len(text):7} bytes")
    print("\nTime of each step:\n")
    for step, milliseconds in compiled.timings.items():
        print(f"  {step:24} {milliseconds:8.2f} ms")
    print("\nThe CUDA C:\n")
    print(compiled.asm["cuda"])

    print("What NVRTC makes of it:\n")
    for arch in ("sm_80", "sm_90a"):
        try:
            built = matmul_kernel.warmup(*signature, grid=(1, 1), arch=arch, **tile)
            cubin = built.asm["cubin"]
        except triton.MytritonError as error:
            print(f"  {arch}: no cubin: {error}")
            continue
        print(
            f"  {arch:7} cubin {len(cubin)} bytes, {built.registers} registers a thread, {built.spills} bytes spilled,"
            f" {built.shared} bytes of shared memory"
        )

    rng = np.random.default_rng(0)
    a = rng.standard_normal((511, 130), dtype=np.float32)
    b = rng.standard_normal((130, 257), dtype=np.float32)
    start = time.perf_counter()
    matmul(a, b)
    first = time.perf_counter() - start
    start = time.perf_counter()
    result = matmul(a, b)
    again = time.perf_counter() - start
    error = float(np.abs(result - a @ b).max())
    print(f"\nOn the CPU, 511x130 @ 130x257: {first * 1e3:.1f} ms with compilation, {again * 1e3:.1f} ms without")
    print(f"largest difference from NumPy: {error:.2e}")
    if not np.allclose(result, a @ b, rtol=1e-4, atol=1e-4):
        print("the results differ")
        return 1
    print("the results agree")
    return 0


if __name__ == "__main__":
    sys.exit(main())
