"""What a launch is told about printed kernels."""

from __future__ import annotations

import subprocess
import sys

import pytest

from mytriton.codegen import kernel_metadata, print_cuda
from mytriton.errors import CompilationError
from mytriton.ttir import parse_module


def test_kernels_are_described_in_order():
    module = parse_module("""
cuda.func @first(%x_ptr: !tt.ptr<f16> {cuda.const}, %out: !tt.ptr<i64>, %n: i32, %flag: i1)
    attributes {num_warps = 4 : i32} {
  %a = cuda.shared_array "a" : !cuda.shared<3xi8>
  %b = cuda.shared_array "b" {alignment = 128 : i32} : !cuda.shared<4x2xf32>
  cuda.return
}
cuda.func @main(%float: f32) attributes {num_warps = 1 : i32} {
  %pool = cuda.shared_array "pool" {dynamic = true} : !cuda.shared<65536xi8>
  cuda.barrier
  cuda.return
}""")
    first, second = kernel_metadata(module)
    assert (first.name, first.num_warps, first.num_threads) == ("first", 4, 128)
    assert [(p.name, p.c_type, p.is_pointer, p.bits, p.is_constant) for p in first.params] == [
        ("x_ptr", "const half *", True, 16, True),
        ("out", "long long *", True, 64, False),
        ("n", "int", False, 32, False),
        ("flag", "bool", False, 1, False),
    ]
    assert (first.static_shared_bytes, first.dynamic_shared_bytes, first.shared_bytes) == (128 + 32, 0, 160)
    assert not first.uses_collectives
    assert (second.name, second.params[0].text) == ("main_kernel", "float float_")
    assert (second.static_shared_bytes, second.dynamic_shared_bytes) == (0, 65536)
    assert second.uses_collectives
    text = print_cuda(module)
    for kernel in (first, second):
        assert f" {kernel.name}(" in text
        assert all(parameter.text in text for parameter in kernel.params)


def test_printing_changes_nothing():
    module = parse_module("""
cuda.func @f(%p: !tt.ptr<f32>, %x: f32, %i: i32) attributes {num_warps = 1 : i32} {
  %dead = arith.addf %x, %x : f32
  cuda.store %x, %p[%i] : f32, !tt.ptr<f32>, i32
  cuda.return
}""")
    before = str(module)
    print_cuda(module)
    kernel_metadata(module)
    assert str(module) == before


def test_the_errors_of_dots_are_word_for_word():
    staged = """
tt.func @f(%a: !ttg.memdesc<4x8xf32>, %b: !ttg.memdesc<8x2xf32>, %c: tensor<4x2xf32>) {
  %0 = ttg.dot %a, %b, %c : !ttg.memdesc<4x8xf32> * !ttg.memdesc<8x2xf32>, tensor<4x2xf32> -> tensor<4x2xf32>
  tt.return
}"""
    plain = """
tt.func @f(%a: tensor<4x8xf32>, %b: tensor<8x2xf32>, %c: tensor<4x2xf32>) {
  %0 = tt.dot %a, %b, %c : tensor<4x8xf32> * tensor<8x2xf32> -> tensor<4x2xf32>
  tt.return
}"""
    with pytest.raises(CompilationError) as error:
        print_cuda(parse_module(staged))
    assert error.value.message == (
        "CUDA shared-memory staging for tl.dot is implemented, but CUDA computation for tl.dot is not implemented"
    )
    with pytest.raises(CompilationError) as error:
        print_cuda(parse_module(plain))
    assert error.value.message == "CUDA lowering for tl.dot is not implemented"
    with pytest.raises(CompilationError) as error:
        print_cuda(parse_module(plain.replace("@f", "@g") + staged))
    assert "staging" in error.value.message


def test_importing_the_package_imports_no_compiler():
    program = "import sys, mytriton.codegen; print([name for name in sys.modules if name.split('.')[0] == 'xdsl'])"
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"
