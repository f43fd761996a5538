"""`torch.cuda` of one device that is the CPU: every function a program asks about the device with."""

from __future__ import annotations

import contextlib
import os
from collections import defaultdict
from collections.abc import Callable, Generator
from typing import Any, NoReturn

import torch

from mytriton.drop_in.torch_on_cpu.residence import CUDA, put_on_host
from mytriton.drop_in.torch_on_cpu.streams import THE_STREAM, Event, Stream
from mytriton.errors import LaunchError
from mytriton.runtime.driver import CPU_PROPERTIES, driver

NAME = "CPU, by mytriton"
CAPABILITY = (8, 0)

VERSION = "12.8"
"""What `torch.version.cuda` says: programs compare it, and take None for another make of GPU."""


class DeviceGuard:
    """`torch.cuda.device(0)`, as a context and as a decorator."""

    def __init__(self, device: Any = None):
        self.idx = 0
        self.prev_idx = 0

    def __enter__(self) -> None:
        pass

    def __exit__(self, *_: object) -> bool:
        return False

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        return function


@contextlib.contextmanager
def _in_stream(stream: Any) -> Generator[Any]:
    yield stream


@contextlib.contextmanager
def _in_range(*_: Any, **__: Any) -> Generator[None]:
    yield


def _memory() -> int:
    """Bytes of the machine's memory."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def _free_memory() -> int:
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_AVPHYS_PAGES")


class Properties:
    """What `torch.cuda.get_device_properties` gives: an sm_80, for that is what kernels are compiled for."""

    def __init__(self, device: Any = None):
        self.name = NAME
        self.major, self.minor = CAPABILITY
        self.total_memory = _memory()
        self.multi_processor_count = CPU_PROPERTIES["multiprocessor_count"]
        self.warp_size = 32
        self.regs_per_multiprocessor = CPU_PROPERTIES["max_num_regs"]
        self.max_threads_per_multi_processor = 2048
        self.max_threads_per_block = 1024
        self.shared_memory_per_block = 48 * 1024
        self.shared_memory_per_block_optin = CPU_PROPERTIES["max_shared_mem"]
        self.shared_memory_per_multiprocessor = 164 * 1024
        self.L2_cache_size = 40 * 1024 * 1024
        self.is_integrated = 0
        self.is_multi_gpu_board = 0
        self.gcnArchName = ""

    def __repr__(self) -> str:
        return f"_CudaDeviceProperties({', '.join(f'{name}={value!r}' for name, value in vars(self).items())})"

    def __getattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"the CUDA device that is the CPU has no property {name!r}")


class CudaRuntime:
    """What `torch.cuda.cudart()` gives: there is no profiler to start."""

    def cudaProfilerStart(self) -> int:
        return 0

    def cudaProfilerStop(self) -> int:
        return 0

    def __getattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"mytriton does not have torch.cuda.cudart().{name} with --device cpu")


_cuda_runtime = CudaRuntime()


class NoGraph:
    """Stands for `torch.cuda.CUDAGraph`."""

    def __init__(self, *_: Any, **__: Any):
        _refuse_graphs()


def _refuse_graphs(*_: Any, **__: Any) -> NoReturn:
    raise LaunchError("CUDA graphs are not there with --device cpu: a launch on the CPU is not captured")


def _constant(value: Any) -> Callable[..., Any]:
    return lambda *args, **kwargs: value


_nothing = _constant(None)


def _seed(seed: int) -> None:
    torch.default_generator.manual_seed(int(seed))


def _random_state(device: Any = None) -> torch.Tensor:
    """The state of the generator, on the host as torch has it."""
    state = torch.get_rng_state()
    put_on_host(state)
    return state


FUNCTIONS: dict[str, Any] = {
    "Event": Event,
    "Stream": Stream,
    "ExternalStream": Stream,
    "CUDAGraph": NoGraph,
    "graph": _refuse_graphs,
    "graph_pool_handle": _refuse_graphs,
    "make_graphed_callables": _refuse_graphs,
    "check_error": _nothing,
    "cudart": _constant(_cuda_runtime),
    "get_sync_debug_mode": _constant(0),
    "set_sync_debug_mode": _nothing,
    "_lazy_init": _nothing,
    "_lazy_call": _nothing,
    "can_device_access_peer": _constant(False),
    "clock_rate": _constant(1410),
    "current_blas_handle": _constant(0),
    "current_device": _constant(0),
    "current_stream": _constant(THE_STREAM),
    "default_stream": _constant(THE_STREAM),
    "device": DeviceGuard,
    "device_count": _constant(1),
    "device_of": DeviceGuard,
    "_DeviceGuard": DeviceGuard,
    "get_arch_list": lambda: ["sm_80"],
    "get_device_capability": _constant(CAPABILITY),
    "get_device_name": _constant(NAME),
    "get_device_properties": Properties,
    "get_rng_state": _random_state,
    "get_rng_state_all": lambda: [_random_state()],
    "init": _nothing,
    "initial_seed": lambda: torch.default_generator.initial_seed(),
    "ipc_collect": _nothing,
    "is_available": _constant(True),
    "is_bf16_supported": _constant(True),
    "is_current_stream_capturing": _constant(False),
    "is_initialized": _constant(True),
    "is_tf32_supported": _constant(True),
    "manual_seed": _seed,
    "manual_seed_all": _seed,
    "mem_get_info": lambda device=None: (_free_memory(), _memory()),
    "memory_summary": _constant(""),
    "memory_snapshot": lambda *_, **__: [],
    "memory_stats": lambda device=None: defaultdict(int),
    "seed": lambda: torch.default_generator.seed() and None,
    "seed_all": lambda: torch.default_generator.seed() and None,
    "set_device": _nothing,
    "set_rng_state": lambda new_state, device=None: torch.set_rng_state(new_state),
    "set_rng_state_all": lambda new_states: torch.set_rng_state(new_states[0]),
    "set_stream": _nothing,
    "stream": _in_stream,
    "StreamContext": _in_stream,
    "synchronize": _nothing,
    **dict.fromkeys(
        (
            "empty_cache",
            "reset_accumulated_memory_stats",
            "reset_max_memory_allocated",
            "reset_max_memory_cached",
            "reset_peak_memory_stats",
            "set_per_process_memory_fraction",
        ),
        _nothing,
    ),
    **dict.fromkeys(
        (
            "device_memory_used",
            "max_memory_allocated",
            "max_memory_cached",
            "max_memory_reserved",
            "memory_allocated",
            "memory_cached",
            "memory_reserved",
            "memory_usage",
            "utilization",
        ),
        _constant(0),
    ),
}
"""By their names in `torch.cuda`. Memory and use of the device are 0: nobody counts them."""

_MEMORY = ("empty_cache", "max_memory_allocated", "memory_allocated", "memory_stats", "reset_peak_memory_stats")

_ACCELERATOR: dict[str, Any] = {
    "is_available": _constant(True),
    "device_count": _constant(1),
    "current_accelerator": _constant(torch.device("cuda")),
    "current_device_index": _constant(0),
    "current_device_idx": _constant(0),
    "current_stream": _constant(THE_STREAM),
    "set_device_index": _nothing,
    "set_device_idx": _nothing,
    "set_stream": _nothing,
    "synchronize": _nothing,
    "device_index": DeviceGuard,
    **{name: FUNCTIONS[name] for name in (*_MEMORY, "max_memory_reserved", "memory_reserved")},
}

_NVTX: dict[str, Any] = {
    "range_push": _constant(0),
    "range_pop": _constant(0),
    "range_start": _constant(0),
    "range_end": _nothing,
    "mark": _nothing,
    "range": _in_range,
}


def replace() -> None:
    """Puts the functions into `torch.cuda` and the modules below it, and into `torch.accelerator`."""
    cuda = {name: _named(name, function) for name, function in FUNCTIONS.items()}
    for name, function in cuda.items():
        setattr(torch.cuda, name, function)
    for module in (torch.cuda.random, torch.cuda.memory, torch.cuda.streams, torch.cuda.graphs):
        for name in cuda.keys() & set(dir(module)):
            setattr(module, name, cuda[name])
    for module, functions in ((torch.accelerator, _ACCELERATOR), (torch.cuda.nvtx, _NVTX)):
        for name, function in functions.items():
            setattr(module, name, _named(name, function))
    for kind in ("Float", "Double", "Half", "BFloat16", "Byte", "Char", "Short", "Int", "Long", "Bool"):
        setattr(torch.cuda, f"{kind}Tensor", getattr(torch, f"{kind}Tensor"))
    torch.cuda.profiler.start = torch.cuda.profiler.stop = _nothing
    torch.cuda.default_generators = (torch.default_generator,)
    torch.Stream, torch.Event = Stream, Event
    torch.version.cuda = VERSION
    _replace_functions_in_c()
    driver.default.get_active_torch_device = lambda: CUDA


def _replace_functions_in_c() -> None:
    module: Any = torch._C
    module._cuda_getCurrentRawStream = _constant(0)
    module._cuda_getDeviceCount = _constant(1)
    module._get_accelerator = _constant(torch.device("cuda"))
    module.__getattr__ = _missing_in_c


def _missing_in_c(name: str) -> NoReturn:
    about = ": with --device cpu this part of CUDA is not there" if "cuda" in name or "nccl" in name else ""
    raise AttributeError(f"module 'torch._C' has no attribute {name!r}{about}")


def _named(name: str, value: Any) -> Any:
    """The function or class as an object of its own: torch has tables of its functions, each of them once."""
    if isinstance(value, type):
        return value if value.__name__ == name else type(name, (value,), {})

    def function(*args: Any, **kwargs: Any) -> Any:
        return value(*args, **kwargs)

    function.__name__ = function.__qualname__ = name
    return function
