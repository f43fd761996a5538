import torch
import triton
import triton.language as tl
from triton.runtime import driver

DEVICE = triton.runtime.driver.active.get_active_torch_device()
properties = driver.active.utils.get_device_properties(DEVICE.index)
NUM_SM = properties["multiprocessor_count"]
NUM_REGS = properties["max_num_regs"]
SIZE_SMEM = properties["max_shared_mem"]
WARP_SIZE = properties["warpSize"]
target = triton.runtime.driver.active.get_current_target()
kernels = {}


@triton.jit
def softmax_kernel(output_ptr, input_ptr, in_stride, out_stride, n_rows, n_cols, BLOCK: tl.constexpr, stages: tl.constexpr):  # fmt: skip
    start, step = tl.program_id(0), tl.num_programs(0)
    for row in tl.range(start, n_rows, step, num_stages=stages):
        columns = tl.arange(0, BLOCK)
        mask = columns < n_cols
        x = tl.load(input_ptr + row * in_stride + columns, mask=mask, other=-float("inf"))
        numerator = tl.exp(x - tl.max(x, axis=0))
        tl.store(output_ptr + row * out_stride + columns, numerator / tl.sum(numerator, axis=0), mask=mask)


def softmax(x):
    n_rows, n_cols = x.shape
    BLOCK = triton.next_power_of_2(n_cols)
    y = torch.empty_like(x)
    stages = 4 if SIZE_SMEM > 200000 else 2
    arguments = (y, x, x.stride(0), y.stride(0), n_rows, n_cols)
    kernel = softmax_kernel.warmup(*arguments, BLOCK=BLOCK, stages=stages, num_warps=8, grid=(1,))
    kernel._init_handles()
    occupancy = NUM_REGS // (kernel.n_regs * WARP_SIZE * 8)
    if kernel.metadata.shared:
        occupancy = min(occupancy, SIZE_SMEM // kernel.metadata.shared)
    programs = min(NUM_SM * occupancy, n_rows)
    kernel[(programs, 1, 1)](*arguments, BLOCK, stages)
    return y


torch.manual_seed(0)
x = torch.randn(57, 81, device=DEVICE)
y = softmax(x)
assert torch.allclose(y, torch.softmax(x, axis=1)), (y, torch.softmax(x, axis=1))
print(target.backend, f"{y[0, 0].item():.6f}")
