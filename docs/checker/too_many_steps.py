import numpy as np

import mytriton as triton
import mytriton.language as tl


@triton.jit
def collatz(n_ptr, steps_ptr):
    n, steps = tl.load(n_ptr), 0
    while n != 1:
        n = tl.where(n % 2 == 0, n // 2, 3 * n + 1)
        steps += 1
    tl.store(steps_ptr, steps)


with triton.sanitize(steps=1000):
    collatz[(1,)](np.zeros(1, np.int32), np.empty(1, np.int32))
