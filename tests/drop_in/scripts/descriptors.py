from typing import Optional

import torch
import triton
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor


def alloc_fn(size: int, alignment: int, stream: Optional[int]):
    return torch.empty(size, device="cuda", dtype=torch.int8)


triton.set_allocator(alloc_fn)


@triton.jit
def transpose(src, dst, M, N, BM: tl.constexpr, BN: tl.constexpr):
    source = tl.make_tensor_descriptor(src, shape=[M, N], strides=[N, 1], block_shape=[BM, BN])
    target = tl.make_tensor_descriptor(dst, shape=[N, M], strides=[M, 1], block_shape=[BN, BM])
    m, n = tl.program_id(0) * BM, tl.program_id(1) * BN
    target.store([n, m], source.load([m, n]).T)


@triton.jit
def scale(source, target, factor, BLOCK: tl.constexpr):
    row = tl.program_id(0) * BLOCK
    target.store([row, 0], source.load([row, 0]) * factor)


x = torch.arange(64 * 48, device="cuda", dtype=torch.float32).reshape(64, 48)
y = torch.empty(48, 64, device="cuda")
transpose[(4, 3)](x, y, 64, 48, BM=16, BN=16)
assert torch.equal(y, x.T)
z = torch.empty_like(x)
source = TensorDescriptor(x, x.shape, x.stride(), [16, 64])
target = TensorDescriptor.from_tensor(z, [16, 64])
scale[(4,)](source, target, 0.5, BLOCK=16)
assert torch.equal(z, x * 0.5)
print(y[5, :6].tolist(), z[-1, -6:].tolist())
