import torch
import triton
import triton.language as tl


@triton.jit
def seeded_dropout(x_ptr, out_ptr, n, p, seed, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n)
    keep = tl.rand(seed, i) > p
    tl.store(out_ptr + i, tl.where(keep, x / (1 - p), 0.0), mask=i < n)


def dropout(x, p, seed):
    out = torch.empty_like(x)
    assert x.is_contiguous()
    seeded_dropout[lambda meta: (triton.cdiv(x.numel(), meta["BLOCK"]),)](x, out, x.numel(), p, seed, BLOCK=64)
    return out


generator = torch.Generator(device="cuda")
generator.manual_seed(7)
x = torch.randn(10, generator=generator, device="cuda")
assert torch.equal(dropout(x, 0.5, 123), dropout(x, 0.5, 123))
print([(dropout(x, 0.5, seed) != 0).int().tolist() for seed in (123, 512)])
