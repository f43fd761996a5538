from typing import NamedTuple

import torch
import triton
import triton.language as tl
from triton.language.core import _aggregate as aggregate


@aggregate
class Tile:
    offsets: tl.tensor
    mask: tl.tensor
    BLOCK: tl.constexpr

    @triton.jit
    def make(start, n, BLOCK: tl.constexpr):
        offsets = start + tl.arange(0, BLOCK)
        return Tile(offsets, offsets < n, tl.constexpr(BLOCK))

    @triton.jit
    def load(self, pointer):
        return tl.load(pointer + self.offsets, mask=self.mask, other=0.0)


class Pair(NamedTuple):
    left: torch.Tensor
    right: torch.Tensor


@triton.constexpr_function
def half(n):
    return n // 2


@triton.jit
def kernel(pair, out, n, BLOCK: tl.constexpr):
    tile = Tile.make(tl.program_id(0) * half(BLOCK), n, half(BLOCK))
    result = tile.load(pair.left) - tile.load(pair.right)
    tl.store(out + tile.offsets, result, mask=tile.mask)


x, y = torch.arange(50.0, device="cuda"), torch.ones(50, device="cuda")
out = torch.zeros(50, device="cuda")
kernel[(4,)](Pair(x, y), out, 50, BLOCK=32)
assert torch.equal(out, x - y)
print(out.tolist())
