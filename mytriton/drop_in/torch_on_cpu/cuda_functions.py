"""`torch.cuda` of one device that is the CPU: every function a program asks about the device with."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Generator
from types import SimpleNamespace
from typing import Any, NoReturn

import torch

from mytriton.drop_in.torch_on_cpu.residence import CUDA
from mytriton.errors import LaunchError
from mytriton.runtime.driver import CPU_PROPERTIES, driver

NAME = "CPU, by mytriton"
CAPABILITY = (8, 0)


class Event:
    """A point in time: what was launched before it has run when it is recorded."""

    def __init__(self, enable_timing: bool = False, blocking: bool = False, interprocess: bool = False):
        self.seconds: float | None = None

    def record(self, stream: Any = None) -> None:
        self.seconds = time.perf_counter()

    def elapsed_time(self, end_event: Event) -> float:
        """Milliseconds from this event to the other; a `RuntimeError` where one was not recorded."""
        if self.seconds is None or end_event.seconds is None:
            raise RuntimeError("Both events must be recorded before calculating elapsed time.")
        return (end_event.seconds - self.seconds) * 1e3

    def query(self) -> bool:
        return True

    def synchronize(self) -> None:
        """Returns at once."""

    def wait(self, stream: Any = None) -> None:
        """Returns at once."""


class Stream:
    """An order of launches; there is but one, as each launch has run when it returns."""

    cuda_stream = 0
    stream_id = 0
    device_index = 0
    device_type = 1
    priority = 0

    def __init__(self, device: Any = None, priority: int = 0, **kwargs: Any):
        self.device = CUDA

    def record_event(self, event: Event | None = None) -> Event:
        """Records `event`, or a new one, and gives it back."""
        event = Event() if event is None else event
        event.record()
        return event

    def query(self) -> bool:
        return True

    def is_capturing(self) -> bool:
        return False

    def synchronize(self) -> None:
        """Returns at once."""

    def wait_event(self, event: Any) -> None:
        """Returns at once."""

    def wait_stream(self, stream: Any) -> None:
        """Returns at once."""

    def __enter__(self) -> Stream:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Stream)

    def __hash__(self) -> int:
        return 0


_stream = Stream()


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


def properties(device: Any = None) -> Any:
    """What `torch.cuda.get_device_properties` gives: an sm_80, for that is what kernels are compiled for."""
    return SimpleNamespace(
        name=NAME,
        major=CAPABILITY[0],
        minor=CAPABILITY[1],
        total_memory=_memory(),
        multi_processor_count=CPU_PROPERTIES["multiprocessor_count"],
        warp_size=32,
        regs_per_multiprocessor=CPU_PROPERTIES["max_num_regs"],
        max_threads_per_multi_processor=2048,
        max_threads_per_block=1024,
        shared_memory_per_block=48 * 1024,
        shared_memory_per_block_optin=CPU_PROPERTIES["max_shared_mem"],
        shared_memory_per_multiprocessor=164 * 1024,
        L2_cache_size=40 * 1024 * 1024,
        is_integrated=0,
        is_multi_gpu_board=0,
        gcnArchName="",
    )


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


FUNCTIONS: dict[str, Any] = {
    "Event": Event,
    "Stream": Stream,
    "ExternalStream": Stream,
    "CUDAGraph": NoGraph,
    "graph": _refuse_graphs,
    "make_graphed_callables": _refuse_graphs,
    "_lazy_init": _nothing,
    "_lazy_call": _nothing,
    "can_device_access_peer": _constant(False),
    "clock_rate": _constant(1410),
    "current_blas_handle": _constant(0),
    "current_device": _constant(0),
    "current_stream": _constant(_stream),
    "default_stream": _constant(_stream),
    "device": DeviceGuard,
    "device_count": _constant(1),
    "device_of": DeviceGuard,
    "_DeviceGuard": DeviceGuard,
    "get_arch_list": lambda: ["sm_80"],
    "get_device_capability": _constant(CAPABILITY),
    "get_device_name": _constant(NAME),
    "get_device_properties": properties,
    "get_rng_state": lambda device=None: torch.get_rng_state(),
    "get_rng_state_all": lambda: [torch.get_rng_state()],
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
    "memory_stats": lambda device=None: {},
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
    "current_stream": _constant(_stream),
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
    driver.default.get_active_torch_device = lambda: CUDA


def _named(name: str, value: Any) -> Any:
    """The function or class as an object of its own: torch has tables of its functions, each of them once."""
    if isinstance(value, type):
        return value if value.__name__ == name else type(name, (value,), {})

    def function(*args: Any, **kwargs: Any) -> Any:
        return value(*args, **kwargs)

    function.__name__ = function.__qualname__ = name
    return function
