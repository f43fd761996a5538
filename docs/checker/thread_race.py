import numpy as np

import mytriton as triton
import mytriton.language as tl


@triton.jit
def histogram(bins_ptr, values_ptr, BLOCK: tl.constexpr):
    values = tl.load(values_ptr + tl.arange(0, BLOCK))
    counts = tl.load(bins_ptr + values)
    tl.store(bins_ptr + values, counts + tl.arange(0, BLOCK))


values = np.arange(256, dtype=np.int32) % 16
histogram[(1,)](np.zeros(16, np.int32), values, BLOCK=256)
