"""Accesses of printed kernels, run on the CPU: vectors, masks, pointers, shared memory."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import IntegerType, f16, f32, f64, i8, i16, i32, i64

from mytriton.codegen import kernel_metadata
from mytriton.ttir import parse_module
from tests.unit.codegen.running import DTYPES, launch, needs_compiler

pytestmark = needs_compiler


@pytest.mark.parametrize(
    ("type", "width"),
    [
        (f32, 2),
        (f32, 4),
        (f64, 2),
        (i32, 4),
        (i64, 2),
        (f16, 2),
        (f16, 4),
        (f16, 8),
        (i8, 2),
        (i8, 4),
        (i8, 16),
        (i16, 8),
    ],
)
def test_vectors_move_neighbours(type: Any, width: int):
    """Loads under a mask into registers, stores of vectors of registers; 16 elements a thread."""
    vector = f"vector<{width}x{type}>"
    other = "1" if isinstance(type, IntegerType) else "1.0"
    module = parse_module(f"""
cuda.func @kernel(%in: !tt.ptr<{type}>, %out: !tt.ptr<{type}>, %n: i32) attributes {{num_warps = 1 : i32}} {{
  %tid = cuda.thread_id : i32
  %c16 = arith.constant 16 : i32
  %c0 = arith.constant 0 : i32
  %one = arith.constant {other} : {type}
  %start = arith.muli %tid, %c16 : i32
  %ones = cuda.splat %one : {type} -> !cuda.regs<{width}x{type}>
  %else = cuda.get %ones[%c0] : !cuda.regs<{width}x{type}> -> {vector}
  %x = cuda.map 16 step {width} -> !cuda.regs<16x{type}> {{
  ^bb0(%r: i32):
    %at = arith.addi %start, %r : i32
    %mask = arith.cmpi slt, %at, %n : i32
    %v = cuda.load %in[%at] if %mask else %else : {vector} : !tt.ptr<{type}>, i32 -> {vector}
    cuda.yield %v : {vector}
  }}
  cuda.map 16 step {width} {{
  ^bb0(%r: i32):
    %at = arith.addi %start, %r : i32
    %v = cuda.get %x[%r] : !cuda.regs<16x{type}> -> {vector}
    cuda.store %v, %out[%at] : {vector}, !tt.ptr<{type}>, i32
    cuda.yield
  }}
  cuda.return
}}""")
    size, limit = 32 * 16, 300 // width * width
    values = (np.arange(size) % 100).astype(DTYPES[type])
    result = np.zeros_like(values)
    launch(module, 1, values, result, limit)
    assert result.tolist() == np.where(np.arange(size) < limit, values, np.ones_like(values)).tolist()


def test_masked_lanes_read_zero_and_write_nothing():
    module = parse_module("""
cuda.func @kernel(%in: !tt.ptr<f32>, %out: !tt.ptr<f32>, %n: i32) attributes {num_warps = 1 : i32} {
  %tid = cuda.thread_id : i32
  %c1 = arith.constant 1 : i32
  %mask = arith.cmpi slt, %tid, %n : i32
  %x = cuda.load %in[%tid] if %mask : !tt.ptr<f32>, i32 -> f32
  %even_bit = arith.andi %tid, %c1 : i32
  %even = arith.cmpi ne, %even_bit, %c1 : i32
  cuda.store %x, %out[%tid] if %even : f32, !tt.ptr<f32>, i32
  cuda.return
}""")
    values, result = np.arange(1, 11, dtype=np.float32), np.full(32, -1, np.float32)
    launch(module, 1, values, result, len(values))
    expected = np.full(32, -1, np.float32)
    expected[::2] = 0
    expected[:10:2] = values[::2]
    assert result.tolist() == expected.tolist()


def test_pointers_are_counted_in_elements_and_keep_their_bits():
    module = parse_module("""
cuda.func @kernel(%p: !tt.ptr<i32>, %back: i64) attributes {num_warps = 1 : i32} {
  %tid = cuda.thread_id : i32
  %c0 = arith.constant 0 : i32
  %c4 = arith.constant 4 : i64
  %middle = cuda.ptr_add %p, %c4 : !tt.ptr<i32>, i64
  %first = cuda.ptr_add %middle, %back : !tt.ptr<i32>, i64
  %x = cuda.load %first[%tid] : !tt.ptr<i32>, i32 -> i32
  %address = cuda.ptr_to_int %middle : !tt.ptr<i32> -> i64
  %from_address = cuda.int_to_ptr %address : i64 -> !tt.ptr<i32>
  %bytes = cuda.ptr_cast %from_address : !tt.ptr<i32> -> !tt.ptr<i8>
  %low = cuda.load %bytes[%c0] : !tt.ptr<i8>, i32 -> i8
  %wide = arith.extsi %low : i8 to i32
  %sum = arith.addi %x, %wide : i32
  cuda.barrier
  cuda.store %sum, %p[%tid] : i32, !tt.ptr<i32>, i32
  cuda.return
}""")
    values = np.arange(100, 140, dtype=np.int32)
    expected = values.copy()
    expected[:32] = values[1:33] + values[4]
    launch(module, 1, values, -3)
    assert values.tolist() == expected.tolist()


@pytest.mark.parametrize("dynamic", [False, True])
def test_shared_memory_through_views(dynamic: bool):
    """A transposition through one view, and another view that lies elsewhere in the same bytes."""
    attribute = " {dynamic = true}" if dynamic else ""
    module = parse_module(f"""
cuda.func @kernel(%in: !tt.ptr<f32>, %out: !tt.ptr<f32>) attributes {{num_warps = 1 : i32}} {{
  %tid = cuda.thread_id : i32
  %c4 = arith.constant 4 : i32
  %c8 = arith.constant 8 : i32
  %pool = cuda.shared_array "pool"{attribute} : !cuda.shared<512xi8>
  %tile = cuda.shared_view %pool "tile" 0 : !cuda.shared<512xi8> -> !cuda.shared<8x4xf32>
  %flags = cuda.shared_view %pool "flags" 256 : !cuda.shared<512xi8> -> !cuda.shared<32xi1>
  %row = arith.divsi %tid, %c4 : i32
  %column = arith.remsi %tid, %c4 : i32
  %x = cuda.load %in[%tid] : !tt.ptr<f32>, i32 -> f32
  cuda.store %x, %tile[%row, %column] : f32, !cuda.shared<8x4xf32>, i32, i32
  %small = arith.cmpi slt, %tid, %c8 : i32
  cuda.store %small, %flags[%tid] : i1, !cuda.shared<32xi1>, i32
  cuda.barrier
  %i = arith.remsi %tid, %c8 : i32
  %j = arith.divsi %tid, %c8 : i32
  %y = cuda.load %tile[%i, %j] : !cuda.shared<8x4xf32>, i32, i32 -> f32
  %is_small = cuda.load %flags[%i] : !cuda.shared<32xi1>, i32 -> i1
  cuda.store %y, %out[%tid] if %is_small : f32, !tt.ptr<f32>, i32
  cuda.return
}}""")
    (kernel,) = kernel_metadata(module)
    assert (kernel.static_shared_bytes, kernel.dynamic_shared_bytes) == ((0, 512) if dynamic else (512, 0))
    values = np.arange(32, dtype=np.float32)
    result = np.zeros_like(values)
    launch(module, 1, values, result)
    assert result.tolist() == values.reshape(8, 4).T.ravel().tolist()
