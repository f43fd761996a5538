import numpy as np

import mytriton as triton
import mytriton.language as tl


@triton.jit
def bits(out_ptr, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    tl.store(out_ptr + offsets, 1 << offsets)


bits[(1,)](np.empty(64, np.int32), BLOCK=64)
