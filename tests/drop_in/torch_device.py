"""What a program sees of torch under `python -m mytriton --device cpu`; test_torch_on_cpu.py runs it so."""

import copy
import io
import pickle
import threading

import numpy as np
import pytest
import torch
import triton
import triton.language as tl

CUDA = torch.device("cuda", 0)


def on_cuda(x):
    assert x.is_cuda == (not x.is_cpu) == (x.device == CUDA) == (x.get_device() == 0)
    return x.is_cuda


@pytest.mark.parametrize(
    "make",
    [
        lambda device: torch.ones(3, device=device),
        lambda device: torch.tensor([1.0, 2.0], device=device),
        lambda device: torch.as_tensor(np.zeros(2), device=device),
        lambda device: torch.randn((2, 3), device=device, dtype=torch.float64),
        lambda device: torch.arange(4, device=device),
        lambda device: torch.empty_like(torch.ones(2), device=device),
        lambda device: torch.ones(2).new_zeros(3, device=device),
        lambda device: torch.ones(3).to(device),
        lambda device: torch.ones(3).to(device=device, dtype=torch.float16),
        lambda device: torch.ones(3).to(device, torch.float16, non_blocking=True),
        lambda device: torch.eye(2, device=device) @ torch.eye(2, device=device),
    ],
)
def test_factories(make):
    for device in ("cuda", "cuda:0", CUDA, torch.device("cuda")):
        assert on_cuda(make(device))
    for device in ("cpu", torch.device("cpu")):
        assert not on_cuda(make(device))
    assert make("meta").device.type == "meta"


def test_moving_copies_and_staying_does_not():
    host = torch.arange(3.0)
    assert not on_cuda(host)
    moved = host.cuda()
    moved += 1
    assert on_cuda(moved) and host.tolist() == [0, 1, 2]
    back = moved.cpu()
    moved += 1
    assert not on_cuda(back) and back.tolist() == [1, 2, 3] and moved.tolist() == [2, 3, 4]
    assert moved.cuda() is moved and moved.to("cuda") is moved and moved.to(CUDA) is moved
    assert host.cpu() is host and host.to("cpu") is host
    assert on_cuda(host.to(moved)) and not on_cuda(moved.to(host))
    assert on_cuda(moved.half()) and not on_cuda(host.to(torch.float64))


def test_results_are_where_their_operands_are():
    x, host = torch.ones(4, device="cuda"), torch.ones(4)
    assert on_cuda(x + 1) and on_cuda(torch.cat([x, x])) and on_cuda(x[torch.tensor([0, 1])]) and on_cuda(x.view(2, 2))
    assert not on_cuda(host + 1) and not on_cuda(torch.stack([host, host])) and not on_cuda(host[1:])
    assert on_cuda(torch.where(x > 0, x, torch.tensor(0.0)))
    assert all(on_cuda(part) for part in torch.linalg.qr(torch.eye(2, device="cuda")))
    assert not on_cuda(torch.from_numpy(np.zeros(2)))
    assert on_cuda(copy.deepcopy(x)) and not on_cuda(copy.deepcopy(host))


def test_text():
    assert repr(torch.ones(2, device="cuda")) == "tensor([1., 1.], device='cuda:0')"
    assert repr(torch.ones(2)) == "tensor([1., 1.])"
    assert repr(torch.ones(1, device="cuda", dtype=torch.int8)) == "tensor([1], device='cuda:0', dtype=torch.int8)"


def test_modules_move_their_parameters():
    layer = torch.nn.Linear(2, 2)
    assert not on_cuda(layer.weight)
    for moved in (layer.cuda(), layer.cpu(), layer.to("cuda")):
        assert moved is layer
    assert on_cuda(layer.weight) and on_cuda(layer(torch.ones(1, 2, device="cuda")))
    assert all(on_cuda(value) for value in layer.state_dict().values())


def test_autograd_functions_see_the_device_in_both_directions():
    seen = []

    class Double(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            (x,) = ctx.saved_tensors
            seen.append((on_cuda(x), on_cuda(grad), on_cuda(torch.zeros(1, device="cuda"))))
            return grad * 2

    x = torch.ones(3, device="cuda", requires_grad=True)
    Double.apply(x).sum().backward()
    torch.autograd.grad(Double.apply(x).sum(), x)
    torch.autograd.backward(Double.apply(x).sum())
    assert seen == [(True, True, True)] * 3 and on_cuda(x.grad) and x.grad.tolist() == [4, 4, 4]


def test_generators():
    generator = torch.Generator(device="cuda").manual_seed(3)
    assert isinstance(generator, torch.Generator) and isinstance(torch.default_generator, torch.Generator)
    assert generator.device.type == "cuda" and torch.Generator().device.type == "cpu"
    first = torch.randn(3, device="cuda", generator=generator)
    generator.manual_seed(3)
    assert torch.equal(first, torch.randn(3, device="cuda", generator=generator))


def test_seeds():
    drawn = []
    for seed in (torch.manual_seed, torch.cuda.manual_seed, torch.cuda.manual_seed_all):
        seed(5)
        state = torch.cuda.get_rng_state()
        drawn.append(torch.rand(2, device="cuda").tolist())
        torch.cuda.set_rng_state(state)
        drawn.append(torch.rand(2, device="cuda").tolist())
    assert all(values == drawn[0] for values in drawn)
    with torch.random.fork_rng(devices=[0]):
        torch.rand(2)


def test_default_devices():
    with torch.device("cuda"):
        assert on_cuda(torch.ones(2)) and not on_cuda(torch.ones(2, device="cpu"))
    assert not on_cuda(torch.ones(2))
    torch.set_default_device("cuda")
    try:
        assert on_cuda(torch.ones(2)) and torch.get_default_device().type == "cuda"
    finally:
        torch.set_default_device(None)
    assert not on_cuda(torch.ones(2))


def test_automatic_casts():
    x = torch.ones(2, 2, device="cuda")
    with torch.autocast("cuda"):
        assert (x @ x).dtype == torch.float16 and torch.is_autocast_enabled("cuda")
    with torch.autocast("cuda", dtype=torch.bfloat16):
        assert (x @ x).dtype == torch.bfloat16
    assert (x @ x).dtype == torch.float32 and not torch.is_autocast_enabled("cuda")

    @torch.amp.custom_fwd(device_type="cuda", cast_inputs=torch.float16)
    def dtype_of(value):
        return value.dtype

    with torch.autocast("cuda"):
        assert dtype_of(x) == torch.float16
    assert dtype_of(x) == torch.float32


def test_training_with_scaled_gradients():
    layer = torch.nn.Linear(3, 1, device="cuda")
    optimizer = torch.optim.AdamW(layer.parameters(), lr=0.1, fused=True)
    scaler = torch.amp.GradScaler("cuda")
    before = layer.weight.detach().clone()
    scaler.scale(layer(torch.ones(2, 3, device="cuda")).sum()).backward()
    scaler.step(optimizer)
    scaler.update()
    # The gradient is positive, and the first step of Adam is as long as the rate.
    torch.testing.assert_close(layer.weight, before * (1 - 0.1 * 0.01) - 0.1)


def test_the_device_is_there():
    assert torch.cuda.is_available() and torch.cuda.device_count() == 1 and torch.cuda.current_device() == 0
    assert torch.cuda.get_device_capability() == (8, 0) == torch.cuda.get_device_capability(CUDA)
    assert torch.cuda.get_device_properties(0).major == 8 and torch.cuda.get_device_name()
    assert torch.accelerator.current_accelerator().type == "cuda" and torch.accelerator.is_available()
    assert torch.cuda.memory_allocated() == 0
    free, total = torch.cuda.mem_get_info()
    assert 0 < free <= total
    with torch.cuda.device(0), torch.cuda.stream(torch.cuda.Stream()):
        torch.cuda.current_stream().synchronize()
    torch.cuda.nvtx.range_push("range")
    torch.cuda.nvtx.range_pop()


def test_events():
    start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    with pytest.raises(RuntimeError, match="recorded"):
        start.elapsed_time(end)
    start.record()
    end.record(torch.cuda.current_stream())
    end.synchronize()
    assert start.elapsed_time(end) >= 0 >= end.elapsed_time(start)
    assert isinstance(torch.cuda.Stream().record_event(), torch.cuda.Event)


def test_graphs_are_refused():
    for make in (torch.cuda.CUDAGraph, torch.cuda.graph_pool_handle):
        with pytest.raises(Exception, match="CUDA graphs are not there"):
            make()


def test_there_is_one_device():
    assert torch.device(0) == CUDA and torch.ones(1, device="cuda:0").device == CUDA
    for ask in (
        lambda: torch.ones(2, device="cuda:1"),
        lambda: torch.ones(2, device=torch.device("cuda", 1)),
        lambda: torch.ones(2).cuda(1),
        lambda: torch.ones(2).to("cuda:1"),
    ):
        with pytest.raises(RuntimeError, match="invalid device ordinal"):
            ask()


def test_types_by_name():
    x = torch.ones(2)
    assert x.type() == "torch.FloatTensor" and x.cuda().type() == "torch.cuda.FloatTensor"
    half = x.type("torch.cuda.HalfTensor")
    assert on_cuda(half) and half.dtype == torch.float16 and not on_cuda(half.type("torch.FloatTensor"))
    assert on_cuda(half.type(torch.float32)) and not on_cuda(x.type(torch.float16))


def test_what_programs_ask_about_cuda():
    assert torch.version.cuda is not None and torch.version.hip is None
    assert torch.cuda.memory_stats()["allocated_bytes.all.peak"] == 0
    assert torch.cuda.cudart().cudaProfilerStart() == 0 and torch.get_device_module().__name__ == "torch.cuda"
    assert torch.cuda.get_rng_state().device.type == "cpu"
    assert torch.get_autocast_dtype("cuda") == torch.get_autocast_gpu_dtype() == torch.float16
    assert isinstance(torch.Stream(device="cuda"), torch.cuda.Stream) and torch.Event(device="cuda").query()
    for ask, name in (
        (lambda: torch.cuda.get_device_properties(0).uuid, "uuid"),
        (lambda: torch.cuda.cudart().cudaMemGetInfo, "cudaMemGetInfo"),
        (lambda: torch.cuda.tunable.enable(), "with --device cpu"),
    ):
        with pytest.raises(AttributeError, match=name):
            ask()


def test_operators_for_both_devices():
    library = torch.library.Library("both", "DEF")
    library.define("f(Tensor x) -> Tensor")
    library.impl("f", lambda x: torch.ones(1, device="cuda"), "CUDA")
    library.impl("f", lambda x: torch.zeros(1), "CPU")
    on_device, on_host = torch.ops.both.f(torch.ones(1, device="cuda")), torch.ops.both.f(torch.ones(1))
    assert on_cuda(on_device) and on_device.item() == 1 and not on_cuda(on_host) and on_host.item() == 0


def test_tensors_in_pickles_stay_where_they_were():
    x, host = pickle.loads(pickle.dumps((torch.ones(2, device="cuda"), torch.ones(2))))
    assert on_cuda(x) and not on_cuda(host) and x.tolist() == [1, 1]
    # A file that torch saves must be read without mytriton.
    file = io.BytesIO()
    torch.save(torch.ones(2, device="cuda"), file)
    assert b"mytriton" not in file.getvalue()


def test_saved_tensors_come_back_where_they_are_wanted(tmp_path):
    path = tmp_path / "x.pt"
    torch.save({"x": torch.ones(2, device="cuda")}, path)
    assert on_cuda(torch.load(path, map_location="cuda")["x"]) and on_cuda(torch.load(path, map_location=CUDA)["x"])
    assert not on_cuda(torch.load(path, map_location="cpu")["x"])


def test_threads():
    seen = []
    thread = threading.Thread(target=lambda: seen.append(on_cuda(torch.ones(1, device="cuda"))))
    thread.start()
    thread.join()
    assert seen == [True]


def test_comparing_across_devices_is_an_error_as_on_a_gpu():
    x = torch.ones(2, device="cuda")
    torch.testing.assert_close(x, torch.ones(2, device="cuda"))
    torch.testing.assert_close(x.cpu(), torch.ones(2))
    with pytest.raises(AssertionError, match="device"):
        torch.testing.assert_close(x, torch.ones(2))


def test_pinned_memory_and_streams_cost_nothing():
    x = torch.empty(3, pin_memory=True)
    assert x.pin_memory() is x and not on_cuda(x) and on_cuda(x.cuda(non_blocking=True))
    x.cuda().record_stream(torch.cuda.current_stream())


def test_compiled_functions_run_as_they_are():
    @torch.compile
    def increment(x):
        return x + 1

    @torch.compile(fullgraph=True, mode="max-autotune")
    def decrement(x):
        return x - 1

    x = torch.ones(2, device="cuda")
    assert on_cuda(increment(x)) and decrement(increment(x)).tolist() == [1, 1]


def never(*args, **kwargs):
    raise AssertionError("timed")


@triton.autotune([triton.Config({"BLOCK": 8}), triton.Config({"BLOCK": 4})], key=["n"], do_bench=never)
@triton.jit
def copy_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out_ptr + i, tl.load(x_ptr + i, mask=i < n).to(tl.float32), mask=i < n)


def test_kernels_run_where_the_tensors_really_are():
    x, out = torch.arange(6, device="cuda"), torch.empty(6, device="cuda")
    copy_kernel[(1,)](x, out, 6)
    assert out.tolist() == [0, 1, 2, 3, 4, 5]
    # The bits of 1.0 and -2.0 as float16.
    bits = torch.tensor([0x3C00, 0xC000 - 2**16], dtype=torch.int16, device="cuda")
    copy_kernel[(1,)](triton.reinterpret(bits, tl.float16), out, 2)
    assert out.tolist() == [1, -2, 2, 3, 4, 5]
    assert on_cuda(triton.reinterpret(bits, tl.float16).base)
