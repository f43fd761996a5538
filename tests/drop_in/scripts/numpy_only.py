import sys

import numpy as np
import triton
import triton.language as tl


@triton.autotune(configs=[triton.Config({"BLOCK": 64})], key=["n"])
@triton.jit
def saxpy(x, y, a, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + i, a * tl.load(x + i, mask=i < n) + tl.load(y + i, mask=i < n), mask=i < n)


x, y = np.arange(100, dtype=np.float32), np.ones(100, dtype=np.float32)
saxpy[lambda meta: (triton.cdiv(100, meta["BLOCK"]),)](x, y, 2.0, 100)
assert (y == 2 * x + 1).all()
print(y.sum(), "torch" in sys.modules, sys.argv[1:])
