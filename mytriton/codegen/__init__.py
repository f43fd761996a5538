"""CUDA C from the `cuda` dialect. Importing this package is cheap: what prints is imported with the first call."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

    from mytriton.codegen.metadata import KernelMetadata


def print_cuda(module: ModuleOp) -> str:
    """The CUDA C text of a module of `cuda.func`, for NVRTC, nvcc and the CPU device.

    Raises `mytriton.errors.CompilationError` for an operation that has no C text, with the pass that should have
    removed it.
    """
    from mytriton.codegen.kernel import print_module

    return print_module(module)


def kernel_metadata(module: ModuleOp) -> list[KernelMetadata]:
    """For each kernel of the module its name in the text, parameters, threads and shared memory."""
    from mytriton.codegen.kernel import module_metadata

    return module_metadata(module)
