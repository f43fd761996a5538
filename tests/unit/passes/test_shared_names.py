"""What the array is called that several buffers share."""

from __future__ import annotations

import pytest
from xdsl.dialects.builtin import IntegerAttr, f32, i32
from xdsl.ir import Block

from mytriton.dialects import cuda, ttg
from mytriton.passes.to_cuda.emitter import Emitter
from mytriton.passes.to_cuda.shared import make_shared_arrays


def names_of_arrays(*buffers: tuple[str, int]) -> list[str]:
    allocs: list[ttg.LocalAllocOp] = []
    for name, offset in buffers:
        alloc = ttg.LocalAllocOp(ttg.MemDescType([4, 16], f32), name)
        alloc.offset = IntegerAttr(offset, i32)
        allocs.append(alloc)
    block = Block()
    values = make_shared_arrays(Emitter(block, 4), allocs)
    assert len(values) == len(buffers)
    return [op.array_name.data for op in block.ops if isinstance(op, cuda.SharedArrayOp)]


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (["k_tile"], "k_tile"),
        (["k_tile_1"], "k_tile_1"),
        (["k_tile", "k_tile_1"], "k_tile"),
        (["k_tile", "p_tile"], "k_p_tile"),
        (["k_tile", "p_tile", "v_tile"], "tile"),
        (["scratch", "scratch_1"], "scratch"),
        (["scratch", "k_tile"], "buffer"),
        (["tile", "k_tile"], "tile"),
    ],
)
def test_the_array_of_several_buffers_is_called_after_all_of_them(names: list[str], expected: str):
    assert names_of_arrays(*((name, 0) for name in names)) == [expected]


def test_arrays_have_different_names():
    assert names_of_arrays(("k_tile", 0), ("p_tile", 0), ("k_p_tile", 256)) == ["k_p_tile", "k_p_tile_2"]
