from triton import cdiv, jit
from triton import next_power_of_2 as np2
import triton.language as T
from triton.language import arange, load, program_id, store
from triton.language import constexpr as const
import torch


@jit
def scale(src, dst, n, factor: const, BLOCK: "const"):
    i = program_id(0) * BLOCK + arange(0, BLOCK)
    keep = i < n
    store(dst + i, load(src + i, mask=keep, other=0) * factor, mask=keep)


@jit
def row_sums(src, dst, width, WIDTH: T.constexpr):
    row = T.program_id(0)
    columns = T.arange(0, WIDTH)
    values = T.load(src + row * width + columns, mask=columns < width, other=0.0)
    T.store(dst + row, T.sum(values.to(T.float32), axis=0))


def main():
    x = torch.arange(300, dtype=torch.int32).cuda()
    out = torch.empty_like(x)
    scale[(cdiv(300, 64),)](x, out, 300, 3, BLOCK=64)
    assert out.is_cuda and torch.equal(out, 3 * x)
    y = torch.linspace(-1, 1, 21 * 5, device="cuda").reshape(5, 21)
    sums = torch.empty(5, device="cuda")
    row_sums[(5,)](y, sums, 21, WIDTH=np2(21))
    torch.testing.assert_close(sums, y.sum(1))
    print(out.sum().item(), sums)


if __name__ == "__main__":
    main()
