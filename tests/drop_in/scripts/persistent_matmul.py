import argparse, itertools
from typing import Optional
import torch, triton, triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor
try:
    import triton.profiler as proton
except ImportError as e:
    proton = None
def is_cuda(): return triton.runtime.driver.active.get_current_target().backend == "cuda"
def supports_tma(): return is_cuda() and torch.cuda.get_device_capability()[0] >= 9
def supports_ws(): return is_cuda() and torch.cuda.get_device_capability()[0] >= 10
HAS_WARP_SPECIALIZE = supports_ws() and True
DTYPE = torch.float16
def _matmul_launch_metadata(grid, kernel, args):
    ret = {}; M, N, K, WS = args["M"], args["N"], args["K"], args.get("WARP_SPECIALIZE", False)
    ret["name"] = f"{kernel.name} [M={M}, N={N}, K={K}]"
    return ret
def matmul_tma_set_block_size_hook(nargs):
    EPILOGUE_SUBTILE = nargs.get("EPILOGUE_SUBTILE", False)
    BLOCK_M, BLOCK_N, BLOCK_K = nargs["BLOCK_SIZE_M"], nargs["BLOCK_SIZE_N"], nargs["BLOCK_SIZE_K"]
    nargs["a_desc"].block_shape = [BLOCK_M, BLOCK_K]
    nargs["b_desc"].block_shape = [BLOCK_N, BLOCK_K]
    nargs["c_desc"].block_shape = [BLOCK_M, BLOCK_N // 2] if EPILOGUE_SUBTILE else [BLOCK_M, BLOCK_N]
def matmul_get_configs(pre_hook=None):
    return [triton.Config({'BLOCK_SIZE_M': BM, 'BLOCK_SIZE_N': BN, "BLOCK_SIZE_K": BK, "GROUP_SIZE_M": 8, "EPILOGUE_SUBTILE": SUBTILE}, num_stages=s, num_warps=w, pre_hook=pre_hook) for BM in [32] for BN in [32, 64] for BK in [32] for s in [2] for w in [4] for SUBTILE in [True, False]]
@triton.jit
def _compute_pid(tile_id, num_pid_in_group, num_pid_m, GROUP_SIZE_M, NUM_SMS):
    group_id = tile_id // num_pid_in_group
    first_pid_m = group_id * GROUP_SIZE_M
    group_size_m = min(num_pid_m - first_pid_m, GROUP_SIZE_M)
    pid_m = first_pid_m + (tile_id % group_size_m)
    pid_n = (tile_id % num_pid_in_group) // group_size_m
    return pid_m, pid_n
@triton.autotune(configs=matmul_get_configs(pre_hook=matmul_tma_set_block_size_hook), key=["M", "N", "K", "WARP_SPECIALIZE"])
@triton.jit(launch_metadata=_matmul_launch_metadata)
def matmul_kernel_tma_persistent(a_desc, b_desc, c_desc, M, N, K, BLOCK_SIZE_M: tl.constexpr, BLOCK_SIZE_N: tl.constexpr, BLOCK_SIZE_K: tl.constexpr, GROUP_SIZE_M: tl.constexpr, FP8_OUTPUT: tl.constexpr, EPILOGUE_SUBTILE: tl.constexpr, NUM_SMS: tl.constexpr, WARP_SPECIALIZE: tl.constexpr):
    dtype = tl.float8e4nv if FP8_OUTPUT else tl.float16
    start_pid = tl.program_id(axis=0)
    num_pid_m = tl.cdiv(M, BLOCK_SIZE_M); num_pid_n = tl.cdiv(N, BLOCK_SIZE_N); k_tiles = tl.cdiv(K, BLOCK_SIZE_K)
    num_tiles = num_pid_m * num_pid_n
    tile_id_c = start_pid - NUM_SMS
    num_pid_in_group = GROUP_SIZE_M * num_pid_n
    for tile_id in tl.range(start_pid, num_tiles, NUM_SMS, flatten=True, warp_specialize=WARP_SPECIALIZE):
        pid_m, pid_n = _compute_pid(tile_id, num_pid_in_group, num_pid_m, GROUP_SIZE_M, NUM_SMS)
        offs_am = pid_m * BLOCK_SIZE_M; offs_bn = pid_n * BLOCK_SIZE_N
        accumulator = tl.zeros((BLOCK_SIZE_M, BLOCK_SIZE_N), dtype=tl.float32)
        for ki in range(k_tiles):
            offs_k = ki * BLOCK_SIZE_K
            a = a_desc.load([offs_am, offs_k]); b = b_desc.load([offs_bn, offs_k])
            accumulator = tl.dot(a, b.T, accumulator)
        tile_id_c += NUM_SMS
        pid_m, pid_n = _compute_pid(tile_id_c, num_pid_in_group, num_pid_m, GROUP_SIZE_M, NUM_SMS)
        offs_am_c = pid_m * BLOCK_SIZE_M; offs_bn_c = pid_n * BLOCK_SIZE_N
        if EPILOGUE_SUBTILE:
            acc = tl.reshape(accumulator, (BLOCK_SIZE_M, 2, BLOCK_SIZE_N // 2))
            acc = tl.permute(acc, (0, 2, 1))
            acc0, acc1 = tl.split(acc)
            c_desc.store([offs_am_c, offs_bn_c], acc0.to(dtype))
            c_desc.store([offs_am_c, offs_bn_c + BLOCK_SIZE_N // 2], acc1.to(dtype))
        else:
            c_desc.store([offs_am_c, offs_bn_c], accumulator.to(dtype))
def matmul_tma_persistent(a, b, warp_specialize=False):
    assert a.shape[1] == b.shape[1] and a.dtype == b.dtype
    M, K = a.shape; N, K = b.shape
    c = torch.empty((M, N), device=a.device, dtype=a.dtype)
    NUM_SMS = torch.cuda.get_device_properties("cuda").multi_processor_count
    dummy_block = [1, 1]
    a_desc = TensorDescriptor.from_tensor(a, dummy_block); b_desc = TensorDescriptor(b, b.shape, b.stride(), dummy_block); c_desc = TensorDescriptor(c, c.shape, c.stride(), dummy_block)
    def grid(META):
        return (min(NUM_SMS, triton.cdiv(M, META["BLOCK_SIZE_M"]) * triton.cdiv(N, META["BLOCK_SIZE_N"])), )
    matmul_kernel_tma_persistent[grid](a_desc, b_desc, c_desc, M, N, K, FP8_OUTPUT=False, NUM_SMS=NUM_SMS, WARP_SPECIALIZE=warp_specialize)
    return c
@triton.jit
def matmul_kernel_descriptor(a_ptr, b_ptr, c_ptr, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    a_desc = tl.make_tensor_descriptor(a_ptr, shape=[M, K], strides=[K, 1], block_shape=[BM, BK])
    b_desc = tl.make_tensor_descriptor(b_ptr, shape=[N, K], strides=[K, 1], block_shape=[BN, BK])
    c_desc = tl.make_tensor_descriptor(c_ptr, shape=[M, N], strides=[N, 1], block_shape=[BM, BN])
    for tile in tl.range(tl.program_id(0), tl.cdiv(M, BM) * tl.cdiv(N, BN), tl.num_programs(0)):
        m = tile // tl.cdiv(N, BN) * BM; n = tile % tl.cdiv(N, BN) * BN
        acc = tl.zeros((BM, BN), tl.float32)
        for k in range(0, K, BK):
            acc = tl.dot(a_desc.load([m, k]), b_desc.load([n, k]).T, acc)
        c_desc.store([m, n], acc.to(c_desc.dtype))
def alloc_fn(size: int, alignment: int, stream: Optional[int]): return torch.empty(size, device="cuda", dtype=torch.int8)
triton.set_allocator(alloc_fn)
if __name__ == "__main__":
    parser = argparse.ArgumentParser(); parser.add_argument("-K", type=int, required=False, default=64); args = parser.parse_args()
    torch.manual_seed(0)
    a = torch.randn((96, args.K), device="cuda").to(DTYPE); b = torch.randn((args.K, 128), device="cuda").to(DTYPE).T.contiguous()
    ref = torch.matmul(a.to(torch.float32), b.T.to(torch.float32)).to(DTYPE)
    for ws in ([False, True] if HAS_WARP_SPECIALIZE else [False]):
        out = matmul_tma_persistent(a, b, ws); torch.testing.assert_close(out, ref, atol=1e-2, rtol=1e-2)
    c = torch.empty_like(ref); matmul_kernel_descriptor[(5,)](a, b, c, 96, 128, args.K, 32, 32, 32); torch.testing.assert_close(c, ref, atol=1e-2, rtol=1e-2)
    print(round(out.float().abs().mean().item(), 3), matmul_kernel_tma_persistent.best_config.kwargs["BLOCK_SIZE_M"])
