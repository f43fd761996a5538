import torch
import triton
import triton.language as tl


@triton.jit
def linear_recurrence(X, A, Y, T, D: tl.constexpr, BT: tl.constexpr, BD: tl.constexpr):
    i_d, i_b = tl.program_id(0), tl.program_id(1)
    h = tl.zeros([BD], dtype=tl.float32)
    for i_t in range(tl.cdiv(T, BT)):
        p_x = tl.make_block_ptr(X + i_b * T * D, (T, D), (D, 1), (i_t * BT, i_d * BD), (BT, BD), (1, 0))
        p_a = tl.make_block_ptr(A + i_b * T * D, (T, D), (D, 1), (i_t * BT, i_d * BD), (BT, BD), (1, 0))
        p_y = tl.make_block_ptr(Y + i_b * T * D, (T, D), (D, 1), (i_t * BT, i_d * BD), (BT, BD), (1, 0))
        x = tl.load(p_x, boundary_check=(0, 1), padding_option="zero")
        a = tl.load(p_a, boundary_check=(0, 1))
        c = tl.cumsum(a, axis=0)
        y = tl.exp(c) * (h[None, :] + tl.cumsum(x * tl.exp(-c), axis=0))
        tl.store(p_y, y, boundary_check=(0, 1))
        last = tl.arange(0, BT) == BT - 1
        h = tl.sum(tl.where(last[:, None], y, 0.0), axis=0)


def reference(x, a):
    h, out = torch.zeros_like(x[:, 0]), []
    for t in range(x.shape[1]):
        h = h * a[:, t].exp() + x[:, t]
        out.append(h)
    return torch.stack(out, 1)


torch.manual_seed(11)
B, T, D = 2, 50, 24
x = torch.randn(B, T, D, device="cuda")
a = -torch.rand(B, T, D, device="cuda") * 0.1
y = torch.empty_like(x)
linear_recurrence[(triton.cdiv(D, 16), B)](x, a, y, T, D=D, BT=16, BD=16)
torch.testing.assert_close(y, reference(x, a), atol=1e-4, rtol=1e-4)
print(f"{y.abs().sum().item():.4f}")
