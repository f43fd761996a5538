"""What the printer makes is accepted by NVRTC for every architecture and by the compiler of the CPU device."""

from __future__ import annotations

from pathlib import Path

import pytest
from xdsl.dialects.builtin import ModuleOp

from mytriton.codegen import kernel_metadata, print_cuda
from mytriton.runtime import cpu, nvrtc
from mytriton.ttir import parse_module
from tests.unit.codegen.random_kernels import Generator
from tests.unit.codegen.running import needs_compiler

needs_nvrtc = pytest.mark.skipif(not nvrtc.is_available(), reason="NVRTC is not installed")

FOLDER = Path(__file__).parents[2] / "filecheck" / "codegen"
WITH_CHECKS = "reports.mlir"
"""Text that only the checker of the CPU device takes."""

FILES = sorted(path.name for path in FOLDER.glob("*.mlir") if path.name not in ("leftovers.mlir", WITH_CHECKS))


def read(name: str) -> ModuleOp:
    return parse_module((FOLDER / name).read_text(encoding="utf-8"), name)


@needs_nvrtc
@pytest.mark.parametrize("arch", ["sm_75", "sm_80", "sm_90a", "sm_100"])
@pytest.mark.parametrize("name", FILES)
def test_nvrtc_takes_every_text_of_the_lit_tests(name: str, arch: str):
    nvrtc.compile_to_cubin(print_cuda(read(name)), arch)


@needs_compiler
@pytest.mark.parametrize("name", FILES)
def test_the_cpu_takes_every_text_of_the_lit_tests(name: str):
    module = read(name)
    functions = list(module.body.block.ops)
    for function in functions:
        function.detach()
    # The CPU device compiles one kernel at a time.
    for function in functions:
        alone = ModuleOp([function.clone()])
        (kernel,) = kernel_metadata(alone)
        params = [(parameter.name, parameter.c_type) for parameter in kernel.params]
        description = cpu.KernelMetadata(kernel.name, params, kernel.num_warps, kernel.dynamic_shared_bytes)
        cpu.compile(print_cuda(alone), description)


@needs_compiler
def test_the_checker_takes_the_text_with_checks():
    module = read(WITH_CHECKS)
    (kernel,) = kernel_metadata(module)
    params = [(parameter.name, parameter.c_type) for parameter in kernel.params]
    description = cpu.KernelMetadata(kernel.name, params, kernel.num_warps, kernel.dynamic_shared_bytes)
    cpu.compile_checked(print_cuda(module), description)


@needs_nvrtc
def test_nvrtc_takes_random_kernels():
    for seed in range(4):
        nvrtc.compile_to_cubin(print_cuda(ModuleOp([Generator(seed).function])), "sm_80")
