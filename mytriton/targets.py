"""What a `cuda`-level module can be written as: CUDA C, PTX or a cubin."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import IO

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.target import Target

from mytriton.errors import OptionError
from mytriton.options import ARCHITECTURES, DEFAULT_ARCHITECTURE


@dataclass(frozen=True)
class CudaTarget(Target):
    """CUDA C."""

    name = "cuda"

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        output.write(_cuda_text(module))


@dataclass(frozen=True)
class PtxTarget(Target):
    """PTX, made by NVRTC: `ptx{arch=sm_90a}`."""

    name = "ptx"

    arch: str = DEFAULT_ARCHITECTURE

    def __post_init__(self) -> None:
        _check_architecture(self.arch)

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        from mytriton.runtime.nvrtc import compile_to_ptx

        output.write(compile_to_ptx(_cuda_text(module), self.arch))


@dataclass(frozen=True)
class BinaryTarget(Target):
    """A target that writes bytes. xDSL's own tools can only write text, so `emit` refuses."""

    @abstractmethod
    def emit_bytes(self, ctx: Context, module: ModuleOp) -> bytes:
        """The bytes of `module`."""

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        raise OptionError(f"the target {self.name} writes bytes, not text: use mytriton-opt -t {self.name} -o <file>")


@dataclass(frozen=True)
class CubinTarget(BinaryTarget):
    """A cubin, made by NVRTC: `cubin{arch=sm_90a}`."""

    name = "cubin"

    arch: str = DEFAULT_ARCHITECTURE

    def __post_init__(self) -> None:
        _check_architecture(self.arch)

    def emit_bytes(self, ctx: Context, module: ModuleOp) -> bytes:
        from mytriton.runtime.nvrtc import compile_to_cubin

        return compile_to_cubin(_cuda_text(module), self.arch).code


def _cuda_text(module: ModuleOp) -> str:
    from mytriton.codegen import print_cuda

    return print_cuda(module)


def _check_architecture(arch: str) -> None:
    if arch not in ARCHITECTURES:
        raise OptionError(f"arch must be one of {', '.join(ARCHITECTURES)}, found {arch!r}")
