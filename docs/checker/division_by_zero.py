import numpy as np

import mytriton as triton
import mytriton.language as tl


@triton.jit
def share(x_ptr, parts_ptr, out_ptr, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    tl.store(out_ptr + offsets, tl.load(x_ptr + offsets) // tl.load(parts_ptr + offsets))


parts = np.arange(128, dtype=np.int32)
share[(1,)](np.full(128, 100, np.int32), parts, np.empty_like(parts), BLOCK=128)
