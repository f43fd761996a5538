import torch
import triton
import triton.language as tl


def get_configs():
    return [
        triton.Config({"BLOCK_M": m, "BLOCK_N": n, "GROUP": 4}, num_warps=w, num_stages=s)
        for m, n in ((32, 32), (16, 64))
        for w, s in ((4, 2), (2, 3))
    ]


def prune(configs, named_args, **kwargs):
    return [c for c in configs if c.kwargs["BLOCK_M"] <= max(named_args["M"], 32)]


@triton.autotune(configs=get_configs(), key=["M", "N", "K"], prune_configs_by={"early_config_prune": prune})
@triton.heuristics({"BLOCK_K": lambda args: 16, "EVEN_K": lambda args: args["K"] % args["BLOCK_K"] == 0})
@triton.jit
def matmul(
    a_ptr, b_ptr, c_ptr, M, N, K, stride_am, stride_ak, stride_bk, stride_bn, stride_cm, stride_cn,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, GROUP: tl.constexpr, EVEN_K: tl.constexpr,
):  # fmt: skip
    pid = tl.program_id(0)
    num_m = tl.cdiv(M, BLOCK_M)
    num_n = tl.cdiv(N, BLOCK_N)
    in_group = GROUP * num_n
    group = pid // in_group
    first = group * GROUP
    size = min(num_m - first, GROUP)
    pid_m = first + (pid % in_group) % size
    pid_n = (pid % in_group) // size
    rm = pid_m * BLOCK_M + tl.arange(0, BLOCK_M)
    rn = pid_n * BLOCK_N + tl.arange(0, BLOCK_N)
    rk = tl.arange(0, BLOCK_K)
    a = a_ptr + rm[:, None] * stride_am + rk[None, :] * stride_ak
    b = b_ptr + rk[:, None] * stride_bk + rn[None, :] * stride_bn
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for k in range(0, tl.cdiv(K, BLOCK_K)):
        if EVEN_K:
            a_tile = tl.load(a, mask=rm[:, None] < M, other=0.0)
            b_tile = tl.load(b, mask=rn[None, :] < N, other=0.0)
        else:
            left = K - k * BLOCK_K
            a_tile = tl.load(a, mask=(rm[:, None] < M) & (rk[None, :] < left), other=0.0)
            b_tile = tl.load(b, mask=(rn[None, :] < N) & (rk[:, None] < left), other=0.0)
        acc = tl.dot(a_tile, b_tile, acc, input_precision="ieee")
        a += BLOCK_K * stride_ak
        b += BLOCK_K * stride_bk
    c = c_ptr + rm[:, None] * stride_cm + rn[None, :] * stride_cn
    tl.store(c, acc, mask=(rm[:, None] < M) & (rn[None, :] < N))


def mm(a, b):
    (M, K), (_, N) = a.shape, b.shape
    c = torch.empty((M, N), device=a.device, dtype=torch.float32)
    grid = lambda META: (triton.cdiv(M, META["BLOCK_M"]) * triton.cdiv(N, META["BLOCK_N"]),)
    matmul[grid](a, b, c, M, N, K, *a.stride(), *b.stride(), *c.stride())
    return c


@triton.autotune(
    configs=[triton.Config({"BLOCK": 64}), triton.Config({"BLOCK": 128})],
    key=["n"],
    reset_to_zero=["out"],
    restore_value=["state"],
)
@triton.jit
def accumulate(state, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(state + i, mask=i < n, other=0.0)
    tl.store(state + i, x + 1, mask=i < n)
    tl.atomic_add(out, tl.sum(x))


torch.manual_seed(3)
for M, N, K in ((70, 50, 48), (33, 40, 20)):
    a, b = torch.randn(M, K, device="cuda"), torch.randn(K, N, device="cuda")
    c = mm(a, b)
    torch.testing.assert_close(c, a @ b, rtol=1e-4, atol=1e-4)
    print(c[0, :5].tolist())
state, out = torch.ones(1000, device="cuda"), torch.zeros(1, device="cuda")
accumulate[lambda meta: (triton.cdiv(1000, meta["BLOCK"]),)](state, out, 1000)
print(state.sum().item(), out.item())
