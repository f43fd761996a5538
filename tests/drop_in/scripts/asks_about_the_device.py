import functools

import torch
import triton
import triton.language as tl
from triton.runtime import driver


@functools.lru_cache
def is_cuda():
    return triton.runtime.driver.active.get_current_target().backend == "cuda"


def is_hip():
    return driver.active.get_current_target().backend == "hip"


def num_sms():
    if is_cuda():
        return torch.cuda.get_device_properties("cuda").multi_processor_count
    return 148


def supports_tma():
    return is_cuda() and torch.cuda.get_device_capability()[0] >= 9


@triton.jit
def persistent_add(x, y, out, n, NUM_SMS: tl.constexpr, BLOCK: tl.constexpr):
    for block in tl.range(tl.program_id(0), tl.cdiv(n, BLOCK), NUM_SMS):
        i = block * BLOCK + tl.arange(0, BLOCK)
        tl.store(out + i, tl.load(x + i, mask=i < n) + tl.load(y + i, mask=i < n), mask=i < n)


properties = driver.active.utils.get_device_properties(driver.active.get_current_device())
assert properties["max_shared_mem"] > 48 * 1024 and properties["warpSize"] == 32
assert properties["multiprocessor_count"] == num_sms() and properties["max_num_regs"] >= 65536
assert is_cuda() and not is_hip() and not supports_tma()
assert tuple(map(int, triton.__version__.split(".")[:2])) >= (3, 0)
assert torch.cuda.get_device_name(0) and torch.cuda.current_device() == 0 and torch.cuda.device_count() == 1
assert driver.active.get_device_interface() is torch.cuda

n = 5000
x, y = torch.arange(n, device="cuda"), torch.ones(n, device="cuda", dtype=torch.int64)
out = torch.empty_like(x)
start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
stream = torch.cuda.Stream()
with torch.cuda.stream(stream):
    start.record()
    persistent_add[(min(num_sms(), triton.cdiv(n, 64)),)](x, y, out, n, NUM_SMS=num_sms(), BLOCK=64)
    end.record()
stream.synchronize()
torch.cuda.current_stream().wait_stream(stream)
assert start.elapsed_time(end) > 0
torch.cuda.empty_cache()
torch.cuda.reset_peak_memory_stats()
assert torch.equal(out, x + y)
print(out.sum().item())
