import numpy as np

import mytriton as triton
import mytriton.language as tl


@triton.jit
def mean(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offsets, mask=offsets < n)
    tl.store(out_ptr, tl.sum(x) / n)


mean[(1,)](np.ones(100, np.float32), np.empty(1, np.float32), 100, BLOCK=128)
