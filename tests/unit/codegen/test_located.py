"""The line of Python that each line of the CUDA C comes from."""

from __future__ import annotations

import inspect
import re
from typing import Any

import pytest

from mytriton.codegen import print_cuda
from mytriton.codegen.located import PrintedKernel, print_located
from mytriton.passes.pipeline import run_standard_pipeline
from mytriton.ttir import parse_module
from tests.unit.passes import faulty_kernels as kernels

MODULE_LINES = inspect.getsource(kernels).splitlines()
ACCESS = re.compile(r"\b(?:x|a|b|out)\w*\[|\w*(?:scratch|shared|tile)\w*\[|__syncthreads|__shfl")


def printed(kernel: Any, *signature: str, **constants: int) -> PrintedKernel:
    source = kernel.warmup(*signature, **constants, grid=(1,)).compilation.source
    module = source.build()
    run_standard_pipeline(module, source.options)
    found = print_located(module)
    assert found.text == print_cuda(module)
    return found


def lines(found: PrintedKernel, pattern: str) -> set[str]:
    """The comments at the ends of the lines of Python that lines of the text with a pattern come from."""
    text = enumerate(found.text.split("\n"), 1)
    numbers = [number for number, line in text if re.search(pattern, line) and "__shared__" not in line]
    assert numbers, pattern
    return {MODULE_LINES[found.locations[number].line - 1].rpartition("# ")[2] for number in numbers}


def test_accesses_are_at_their_own_lines() -> None:
    found = printed(kernels.softmax, "*i32", "*i32", "i32", BLOCK=256)
    assert lines(found, r"value\[r\] = .*\? x\[|value = .*\? x\[") == {"the load"}
    assert lines(found, r"\bx\[thread_start") == {"in a helper"}
    assert lines(found, r"\bout\[") == {"the store"}
    assert lines(found, r"__shfl_xor_sync") == {"the maximum"}
    assert lines(found, r"\bscratch\[") == {"the maximum"}
    assert lines(found, r"shared\w*\[") == {"the gather"}
    assert lines(found, r"__syncthreads") == {"the maximum", "the gather"}


def test_copies_and_operands_of_a_product_are_at_their_own_lines() -> None:
    found = printed(kernels.product, "*fp32", "*fp32", "*fp32", "i32", "i32", "i32", BM=64, BN=64, BK=16)
    assert lines(found, r"\(a \+ .*\)\[") == {"left"}
    assert lines(found, r"left_tile\[.* = ") == {"left"}
    assert lines(found, r"\(b \+ .*\)\[") == {"right"}
    assert lines(found, r"= left_tile\[|= \*\(const float4 \*\)&right_tile\[") == {"the dot"}
    assert lines(found, r"\bout\[") == {"the product"}


@pytest.mark.parametrize("kernel", [kernels.softmax, kernels.summed_in_loop, kernels.multiplied, kernels.sorted_all])
@pytest.mark.parametrize("block", [64, 2048])
def test_every_access_has_a_line(kernel: Any, block: int) -> None:
    found = printed(kernel, "*i32", "*i32", "i32", BLOCK=block)
    text = found.text.split("\n")
    start = next(number for number, line in enumerate(text) if line.startswith('extern "C"'))
    body = next(number for number, line in enumerate(text) if number > start and line.startswith("    int tid"))
    numbered = [(number, line) for number, line in enumerate(text, 1) if number > body and "__shared__" not in line]
    accesses = [number for number, line in numbered if ACCESS.search(line)]
    assert len(accesses) > 1
    for number in accesses:
        place = found.locations[number]
        assert place.file == kernels.__file__
        assert place.source_line == MODULE_LINES[place.line - 1]


def test_lines_that_say_nothing_have_no_place() -> None:
    found = printed(kernels.softmax, "*i32", "*i32", "i32", BLOCK=256)
    text = found.text.split("\n")
    assert not any(text[number - 1].strip().startswith(("//", "#", "}")) for number in found.locations)


def test_an_access_in_the_statement_of_another_operation_is_at_its_own_line() -> None:
    module = parse_module(
        """
        cuda.func @kernel(%p: !tt.ptr<f32>) attributes {num_warps = 1 : i32} {
          %x = cuda.map 4 -> !cuda.regs<4xf32> {
          ^bb0(%r: i32):
            %v = cuda.load %p[%r] : !tt.ptr<f32>, i32 -> f32 loc("a.py":1:1)
            cuda.yield %v : f32 loc("a.py":2:1)
          } loc("a.py":3:1)
          cuda.map 4 {
          ^bb0(%r: i32):
            %w = cuda.get %x[%r] : !cuda.regs<4xf32> -> f32
            cuda.store %w, %p[%r] : f32, !tt.ptr<f32>, i32 loc("a.py":4:1)
            cuda.yield
          } loc("a.py":4:1)
          cuda.return
        }
        """
    )
    found = print_located(module)
    (number,) = [number for number, line in enumerate(found.text.split("\n"), 1) if re.search(r"\] = p\[\w+\];", line)]
    assert found.locations[number].line == 1
