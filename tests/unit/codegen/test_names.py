"""C names: valid, never reserved, unique, and the same in every process."""

from __future__ import annotations

import re
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from xdsl.dialects.builtin import FloatAttr, FunctionType, ModuleOp, f32, i32
from xdsl.ir import Block, Region

from mytriton.codegen import print_cuda
from mytriton.codegen.names import RESERVED, Scope, c_identifier, is_variable_name, kernel_identifier
from mytriton.dialects import arith, cuda, tt
from mytriton.runtime import nvrtc
from tests.unit.codegen.running import launch, needs_compiler

needs_nvrtc = pytest.mark.skipif(not nvrtc.is_available(), reason="NVRTC is not installed")

NAMES = st.one_of(st.text(max_size=12), st.sampled_from(sorted(RESERVED)), st.from_regex(r"[_a-zA-Z0-9.$]{0,8}"))


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("x", "x"),
        ("x_ptr", "x_ptr"),
        ("_private", "_private"),
        ("for", "for_"),
        ("half", "half_"),
        ("sinf", "sinf_"),
        ("float4", "float4_"),
        ("make_float4", "make_float4_"),
        ("__shared__", "_shared_"),
        ("_Upper", "Upper"),
        ("a__b", "a_b"),
        ("2d", "v2d"),
        ("x.y$z-w", "x_y_z_w"),
        ("größe", "gr_e"),
        ("", "v"),
        ("__", "v"),
        ("日本", "v"),
        ("a;b\nc//", "a_b_c_"),
    ],
)
def test_identifiers(name: str, expected: str):
    assert c_identifier(name) == expected


@given(NAMES)
def test_every_identifier_is_valid(name: str):
    identifier = c_identifier(name)
    assert re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", identifier)
    assert "__" not in identifier
    assert not re.match(r"_[A-Z]", identifier)
    assert identifier not in RESERVED
    assert c_identifier(identifier) == identifier
    assert is_variable_name(identifier)


@given(NAMES)
def test_what_is_no_identifier_is_no_variable_name(name: str):
    assert is_variable_name(name) == (c_identifier(name) == name)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("matmul", "matmul"),
        ("main", "main_kernel"),
        ("log1pf", "log1pf_"),
        ("norm3df", "norm3df_kernel"),
        ("printf", "printf_kernel"),
        ("float", "float_"),
        ("日本", "kernel"),
        ("42", "v42"),
    ],
)
def test_kernel_names(name: str, expected: str):
    assert kernel_identifier(name) == expected


@given(st.lists(NAMES, max_size=20))
def test_names_of_a_scope_are_different(names: list[str]):
    outer = Scope()
    given_outside = [outer.declare(name) for name in names]
    inner = Scope(outer)
    given_inside = [inner.declare(name) for name in names]
    assert len({*given_outside, *given_inside}) == 2 * len(names)
    assert all(is_variable_name(name) for name in (*given_outside, *given_inside))


def test_names_of_blocks_side_by_side_may_be_equal():
    outer = Scope()
    assert [Scope(outer).declare("x"), Scope(outer).declare("x")] == ["x", "x"]
    assert outer.declare("x") == "x"
    assert [outer.declare("x"), Scope(outer).declare("x")] == ["x_1", "x_2"]


def test_names_do_not_depend_on_the_hash_seed():
    program = "from mytriton.codegen.names import *; s = Scope(); print([s.declare(n) for n in sorted(RESERVED)])"
    outputs = {
        subprocess.run(
            [sys.executable, "-c", program], env={"PYTHONHASHSEED": seed}, capture_output=True, text=True, check=True
        ).stdout
        for seed in ("1", "2")
    }
    assert len(outputs) == 1


NASTY_TEXT = """
    std clock clock32 clock64 va_list va_start ptrdiff_t size_t wchar_t int8_t uint64_t my_t umin umax llmin ullmax
    cudaTextureObject_t cudaStream_t cudaMalloc cuda CUDART_VERSION CUDA_R_32F CUdevice NV_IF_TARGET MAJOR_VERSION
    fdividef fdivide powi powif defined main printf malloc free memcpy exit asm typeof half bfloat16 float4 make_int2
    dim3 threadIdx warpSize tex1D atomicAdd min max abs sinf rintf llrint lroundf norm3d isnan isinf signbit j0 yn
    cyl_bessel_i0 sincospif WARP_SZ NULL assert linux unix register template operator nullptr this new namespace int
    __launch_bounds__ __global__ _Exit _exit __half __cosf cooperative_groups nv structSize kernel mytriton_run
"""
NASTY_NAMES = NASTY_TEXT.split()


def module_of_nasty_kernel(name: str) -> ModuleOp:
    block = Block(arg_types=[tt.PointerType(f32)])
    zero, one = arith.ConstantOp.of(i32, 0), arith.ConstantOp(FloatAttr(1.0, f32))
    block.add_ops([zero, one, cuda.StoreOp(one.result, block.args[0], [zero.result]), cuda.ReturnOp()])
    return ModuleOp([cuda.FuncOp(name, FunctionType.from_lists(block.arg_types, []), 1, Region(block))])


@needs_nvrtc
@pytest.mark.parametrize("name", NASTY_NAMES)
def test_nvrtc_takes_a_kernel_of_any_name(name: str):
    nvrtc.compile_to_cubin(print_cuda(module_of_nasty_kernel(name)), "sm_80")


@needs_compiler
@pytest.mark.parametrize("name", [*NASTY_NAMES[::4], "defined", "main"])
def test_the_cpu_runs_a_kernel_of_any_name(name: str):
    out = np.zeros(1, np.float32)
    launch(module_of_nasty_kernel(name), 1, out)
    assert out[0] == 1.0
