from concurrent.futures import ThreadPoolExecutor

import torch
import triton
import triton.language as tl


@triton.jit
def square(x_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n)
    tl.store(x_ptr + i, x * x, mask=i < n)


def work(n):
    with torch.cuda.device(0):
        x = torch.arange(n, device="cuda")
        assert x.is_cuda
        square[(triton.cdiv(n, 32),)](x, n, BLOCK=32)
        return x.sum().item()


with ThreadPoolExecutor(max_workers=4) as pool:
    print(list(pool.map(work, range(10, 60, 7))))
