import numpy as np

import mytriton as triton
import mytriton.language as tl


@triton.jit
def scale(x_ptr, out_ptr, factor, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offsets)
    tl.store(out_ptr + offsets, factor * x)


x = np.ones(1000, np.float32)
scale[(4,)](x, np.empty_like(x), 2.0, BLOCK=256)
