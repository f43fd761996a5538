import numpy as np

import mytriton as triton
import mytriton.language as tl


@triton.jit
def total(x_ptr, out_ptr, BLOCK: tl.constexpr):
    x = tl.load(x_ptr + tl.program_id(0) * BLOCK + tl.arange(0, BLOCK))
    tl.store(out_ptr, tl.load(out_ptr) + tl.sum(x))


total[(4,)](np.ones(1024, np.float32), np.zeros(1, np.float32), BLOCK=256)
