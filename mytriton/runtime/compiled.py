"""A compiled kernel: its texts, what it uses, and how it is launched."""

from __future__ import annotations

import functools
import hashlib
import threading
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from mytriton.checker.settings import current_checks
from mytriton.compiler import Compilation
from mytriton.errors import ArgumentError
from mytriton.runtime import launch_hooks
from mytriton.runtime.compile_cache import cubin_or_load
from mytriton.runtime.devices import default_device
from mytriton.runtime.direct_launch import specialization_like, values_like
from mytriton.runtime.grid import resolve_grid
from mytriton.runtime.ptxas_log import Resources
from mytriton.runtime.small_floats import TO_BITS
from mytriton.runtime.specialize import Specialization
from mytriton.tracebacks import hide_in_pytest

if TYPE_CHECKING:
    from mytriton.checker.code import CheckedCode
    from mytriton.checker.settings import Checks
    from mytriton.runtime.cpu import CpuKernel
    from mytriton.runtime.cuda_device import CudaFunction
    from mytriton.runtime.nvrtc import Cubin

__tracebackhide__ = hide_in_pytest

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Metadata:
    """The facts about a compiled kernel that do not need NVRTC. `shared`: bytes of shared memory of a block."""

    name: str
    num_warps: int
    num_stages: int
    num_ctas: int
    shared: int
    arch: str


class CompiledKernel:
    """What a launch or `warmup` gives: a kernel as CUDA C for one kind of arguments, and everything made from it.

    `asm` has the text of each stage. PTX, cubin, `registers` and `spills` are made by NVRTC when they are first asked
    for. `timings` has the milliseconds of each step taken so far.
    """

    def __init__(self, compilation: Compilation, specialization: Specialization):
        self.compilation = compilation
        self.specialization = specialization
        self.options = compilation.options
        self.kernel = compilation.kernel
        self.name = compilation.kernel.name
        self.written_arguments = frozenset(compilation.written)
        self.timings = dict(compilation.timings)
        self.asm = StageTexts(self)
        self.metadata = Metadata(
            self.name, self.options.num_warps, self.options.num_stages, 1, self.kernel.shared_bytes, self.options.arch
        )
        self._to_bits = [(i, TO_BITS[kind]) for i, (_, kind) in enumerate(self.kernel.params) if kind in TO_BITS]
        self._lock = threading.RLock()
        self._cubin: Cubin | None = None
        self._cpu: CpuKernel | None = None
        self._checked: dict[bool, CheckedCode] = {}
        self._cuda: dict[str, CudaFunction] = {}

    # What it uses

    @property
    def num_warps(self) -> int:
        return self.options.num_warps

    @property
    def num_stages(self) -> int:
        return self.options.num_stages

    @property
    def arch(self) -> str:
        return self.options.arch

    @property
    def shared(self) -> int:
        """Bytes of shared memory of one block."""
        return self.kernel.shared_bytes

    @property
    def resources(self) -> Resources:
        """What ptxas says that the kernel uses on `arch`."""
        return self.cubin().resources[self.name]

    @property
    def registers(self) -> int:
        """Registers of one thread."""
        return self.resources.registers

    @property
    def spills(self) -> int:
        """Bytes that the spill stores and loads of one thread move."""
        return self.resources.spill_stores + self.resources.spill_loads

    @property
    def hash(self) -> str:
        """Triton's name of what tells this kernel from others: a hash of its CUDA C and its options."""
        return hashlib.sha256(f"{self.compilation.cuda}\0{self.options!r}".encode()).hexdigest()

    @property
    def n_regs(self) -> int:
        """Triton's name of `registers`."""
        return self.registers

    @property
    def n_spills(self) -> int:
        """Triton's name of `spills`."""
        return self.spills

    def _init_handles(self) -> None:
        """Does nothing: what Triton's programs call before they read `n_regs`, which is made when it is read here."""

    def cubin(self) -> Cubin:
        """The cubin for `arch`; raises `NvrtcMissingError` without NVRTC."""
        with self._lock:
            if self._cubin is None:
                self._cubin = self._timed("nvrtc", lambda: cubin_or_load(self.compilation.cuda, self.options))
            return self._cubin

    def ptx(self) -> str:
        """The PTX for `arch`; raises `NvrtcMissingError` without NVRTC."""
        from mytriton.runtime.nvrtc import compile_to_ptx

        options = self.options
        return self._timed(
            "ptx",
            lambda: compile_to_ptx(
                self.compilation.cuda, options.arch, fmad=options.enable_fp_fusion, maxnreg=options.maxnreg
            ),
        )

    def cpu(self) -> CpuKernel:
        """The kernel for the CPU; raises `MissingToolError` without a C++ compiler."""
        with self._lock:
            if self._cpu is None:
                from mytriton.runtime import cpu

                kernel = self.kernel
                description = cpu.KernelMetadata(
                    kernel.name, kernel.params, kernel.num_warps, kernel.dynamic_shared_bytes
                )
                self._cpu = self._timed("cpu", lambda: cpu.compile(self.compilation.cuda, description))
            return self._cpu

    def _timed(self, step: str, run: Callable[[], T]) -> T:
        start = time.perf_counter()
        result = run()
        self.timings[step] = (time.perf_counter() - start) * 1e3
        return result

    # Launching

    def __getitem__(self, grid: Any) -> Callable[..., CompiledKernel]:
        """`compiled[grid](*args)` launches this very code; `args` must be of the kind that it was compiled for."""
        return functools.partial(self._run, grid)

    def _run(self, grid: Any, *args: Any) -> CompiledKernel:
        values = values_like(self.name, self.specialization, args)
        call = specialization_like(self.name, self.specialization, values)
        self.check_writable(call)
        if callable(grid):
            grid = grid(self.options.as_dict())
        sizes = resolve_grid(grid, self.name)
        self.launch_bound(sizes, call, [value for _, _, value in values])
        return self

    def launch_bound(self, sizes: tuple[int, int, int], call: Specialization, values: Sequence[Any]) -> None:
        """Launches the kernel, with checks where they are asked for, on a value for each parameter of `call`."""
        if 0 in sizes:
            return
        device = call.device or default_device()
        if launch_hooks.are_set():
            arguments = dict(zip(call.signature(), values, strict=False))
            with launch_hooks.called_around(self, None, sizes, arguments):
                self._launch_bound(sizes, call, values, device)
        else:
            self._launch_bound(sizes, call, values, device)

    def _launch_bound(
        self, sizes: tuple[int, int, int], call: Specialization, values: Sequence[Any], device: str
    ) -> None:
        if (checks := current_checks()) is not None:
            self.launch_checked(sizes, call, values, device, checks)
        else:
            self.launch(sizes, call.values(), device)

    def check_writable(self, call: Specialization) -> None:
        """Raises `ArgumentError` where the kernel stores to an array that may not be written to."""
        check_writable(self.name, self.written_arguments, call)

    def launch(self, grid: tuple[int, int, int], values: Sequence[Any], device: str) -> None:
        """Runs the kernel on addresses and numbers, one for each parameter that is no constant."""
        values = self.as_bits(values)
        if device == "cpu":
            (self._cpu or self.cpu()).launch(grid, values)
            return
        (self._cuda.get(device) or self._load(device)).launch(grid, values)

    def as_bits(self, values: Sequence[Any]) -> Sequence[Any]:
        """The arguments of a launch, with the bits of floats of 16 and 8 bits in their place."""
        if self._to_bits:
            values = list(values)
            for index, convert in self._to_bits:
                values[index] = convert(values[index])
        return values

    def launch_checked(
        self, grid: tuple[int, int, int], call: Specialization, values: Sequence[Any], device: str, checks: Checks
    ) -> None:
        """The same with checks; `values` has what was given for each parameter of `call`. Raises a `KernelFault`."""
        from mytriton.checker.launch import launch_checked

        launch_checked(self, grid, call, values, device, checks)

    def checked(self, nonfinite: bool) -> CheckedCode:
        """The kernel for launches with checks; raises `MissingToolError` without a C++ compiler."""
        with self._lock:
            if nonfinite not in self._checked:
                from mytriton.checker.code import checked_code

                self._checked[nonfinite] = self._timed("checks", lambda: checked_code(self, nonfinite))
            return self._checked[nonfinite]

    def _load(self, device: str) -> CudaFunction:
        from mytriton.runtime.cuda_device import cuda_device

        with self._lock:
            if device not in self._cuda:
                self._cuda[device] = cuda_device(device).load(self.cubin().code, self.kernel)
            return self._cuda[device]

    def __repr__(self) -> str:
        return f"CompiledKernel({self.name}, num_warps={self.num_warps}, arch={self.arch!r})"


def check_writable(kernel: str, written: Collection[int], call: Specialization) -> None:
    """Raises `ArgumentError` where the kernel stores, through the arguments `written`, to a read-only array."""
    for name in call.read_only:
        if list(call.signature()).index(name) in written:
            raise ArgumentError(
                f"argument {name!r} of kernel {kernel} is a read-only array, but the kernel stores to it"
            )


class StageTexts(Mapping[str, Any]):
    """The text of a kernel at each stage, made when it is first asked for; `cubin` is bytes.

    `tt`, `ttg` and `cuda_ir` are IR, `cuda` is the CUDA C, `cpu` is what the host C++ compiler gets.
    """

    STAGES: ClassVar = ("tt", "ttg", "cuda_ir", "cuda", "cpu", "ptx", "cubin")
    ALIASES: ClassVar = {"ttir": "tt", "ttgir": "ttg"}
    INSTEAD: ClassVar = {
        "llir": "mytriton has no LLVM IR: what NVRTC compiles is the text 'cuda'",
        "sass": "mytriton does not disassemble: write 'cubin' to a file and run nvdisasm or cuobjdump -sass on it",
        **dict.fromkeys(("amdgcn", "hsaco"), "mytriton compiles for NVIDIA's GPUs"),
    }
    """The other stages of Triton, and what to do without."""

    def __init__(self, kernel: CompiledKernel):
        self._kernel = kernel
        self._texts: dict[str, Any] = {}

    def __getitem__(self, stage: str) -> Any:
        stage = self.ALIASES.get(stage, stage)
        if stage not in self.STAGES:
            hint = f"; {self.INSTEAD[stage]}" if stage in self.INSTEAD else ""
            raise KeyError(f"{stage!r} is not one of the stages {', '.join(self.STAGES)}{hint}")
        if stage not in self._texts:
            self._texts[stage] = self._make(stage)
        return self._texts[stage]

    def _make(self, stage: str) -> Any:
        compilation = self._kernel.compilation
        match stage:
            case "tt":
                return compilation.tt()
            case "cuda":
                return compilation.cuda
            case "cpu":
                return self._kernel.cpu().text
            case "ptx":
                return self._kernel.ptx()
            case "cubin":
                return self._kernel.cubin().code
            case _:
                self._texts.update(compilation.level_texts())
                return self._texts[stage]

    def __iter__(self) -> Iterator[str]:
        return iter(self.STAGES)

    def __len__(self) -> int:
        return len(self.STAGES)
