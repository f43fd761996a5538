import numpy as np

import mytriton as triton
import mytriton.language as tl


@triton.jit
def copy(x_ptr, out_ptr, start, BLOCK: tl.constexpr):
    offsets = tl.multiple_of(start, 8) + tl.arange(0, BLOCK)
    tl.store(out_ptr + tl.arange(0, BLOCK), tl.load(x_ptr + offsets))


copy[(1,)](np.ones(1024, np.float32), np.empty(512, np.float32), 3, BLOCK=512)
