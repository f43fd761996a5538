import pytest
import torch
import triton
import triton.language as tl


@triton.jit
def softmax_kernel(out, inp, stride, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    x = tl.load(inp + row * stride + c, mask=c < n, other=-float("inf"))
    e = tl.exp(x - tl.max(x, axis=0))
    tl.store(out + row * stride + c, e / tl.sum(e, axis=0), mask=c < n)


@pytest.fixture(autouse=True)
def seed():
    torch.cuda.manual_seed(0)
    torch.manual_seed(0)


@pytest.mark.parametrize("shape", [(1, 8), (5, 100)])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float16])
def test_softmax(shape, dtype, device="cuda"):
    x = torch.randn(shape, dtype=torch.float32, device=device).to(dtype).float()
    y = torch.empty_like(x)
    softmax_kernel[(shape[0],)](y, x, x.stride(0), shape[1], BLOCK=triton.next_power_of_2(shape[1]))
    torch.testing.assert_close(y, torch.softmax(x, -1))
    triton.testing.assert_close(y, torch.softmax(x, -1), atol=1e-5, rtol=0)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs CUDA")
def test_needs_cuda():
    assert torch.ones(2, device="cuda").device.type == "cuda"


@pytest.mark.skipif(torch.cuda.get_device_capability()[0] < 9, reason="needs Hopper")
def test_needs_hopper():
    raise AssertionError("not on this device")


def test_static_assert():
    @triton.jit
    def kernel(BLOCK: tl.constexpr):
        tl.static_assert(BLOCK == 16, "BLOCK must be 16")

    kernel[(1,)](BLOCK=16)
    with pytest.raises(Exception, match="BLOCK must be 16"):
        kernel[(1,)](BLOCK=32)
