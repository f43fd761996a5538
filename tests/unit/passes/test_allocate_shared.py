"""Shared buffers: what they hold and how large they are, which share bytes, and what happens when they do not fit."""

from __future__ import annotations

import itertools
import math

import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, TensorType, f16, f32, i1, i64
from xdsl.ir import Attribute
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.hints import isa

from mytriton.dialects import tt, ttg
from mytriton.dialects.layouts import PaddedSharedEncodingAttr
from mytriton.errors import PassError
from mytriton.passes.allocate_shared import AllocateShared
from mytriton.passes.shared_memory import ALIGNMENT, ProgramOrder, SharedBuffer, assign_offsets, opt_in_limit
from mytriton.ttir import parse_module, print_module

# Buffers


def test_buffer_of_a_tile() -> None:
    buffer = ttg.MemDescType([4, 16], f32)
    assert (buffer.rank, buffer.rows, buffer.columns) == (2, 4, 16)
    assert (buffer.size, buffer.nbytes) == (64, 256)


@pytest.mark.parametrize(("element_type", "nbytes"), [(f16, 256), (f32, 512), (i64, 1024), (i1, 128)])
def test_bytes_of_a_buffer(element_type: Attribute, nbytes: int) -> None:
    assert ttg.MemDescType([16, 8], element_type).nbytes == nbytes


def test_padding_counts() -> None:
    """Rows of 16 with 4 unused elements after each, none after the last one."""
    padded = PaddedSharedEncodingAttr([16], [4], [1, 0], [4, 16])
    assert ttg.MemDescType([4, 16], f32, padded).nbytes == (4 * 16 + 3 * 4) * 4


def test_elements_are_in_row_major_order() -> None:
    buffer = ttg.MemDescType([3, 5], f32)
    coordinates = itertools.product(range(3), range(5))
    assert [buffer.element(row, column) for row, column in coordinates] == list(range(15))
    with pytest.raises(IndexError):
        buffer.element(0, 5)


@pytest.mark.parametrize("shape", [[0, 4], [4, 0], [4, -1], []])
def test_extents_are_positive(shape: list[int]) -> None:
    with pytest.raises(VerifyException, match="every extent must be positive"):
        ttg.MemDescType(shape, f32)


# The budget


def dot_module(m: int, n: int, k: int, element: str = "f32") -> ModuleOp:
    text = f"""
#loc = loc("kernel.py":7:10)
module {{
  tt.func @kernel(%a: tensor<{m}x{k}x{element}>, %b: tensor<{k}x{n}x{element}>, %c: tensor<{m}x{n}xf32>) {{
    %d = tt.dot %a, %b, %c : tensor<{m}x{k}x{element}> * tensor<{k}x{n}x{element}> -> tensor<{m}x{n}xf32> loc(#loc)
    tt.return
  }}
}}"""
    return parse_module(text)


def shared_bytes(module: ModuleOp) -> int | None:
    (function,) = (op for op in module.walk() if isinstance(op, tt.FuncOp))
    attribute = function.attributes.get("ttg.shared")
    return None if attribute is None else attribute.value.data  # type: ignore[attr-defined]


def allocate(module: ModuleOp, **options: int | bool | str) -> None:
    AllocateShared(**options).apply(Context(), module)  # type: ignore[arg-type]
    module.verify()


def test_exactly_48_kib_fit() -> None:
    module = dot_module(m=64, n=128, k=64)
    allocate(module)
    assert shared_bytes(module) == 48 * 1024


def test_over_budget_lists_the_buffers_and_changes_nothing() -> None:
    module = dot_module(m=65, n=128, k=64)
    before = print_module(module, locations=True)
    with pytest.raises(PassError) as error:
        allocate(module)
    assert print_module(module, locations=True) == before
    message = str(error.value)
    assert "needs 49408 bytes of shared memory, more than the 49152 bytes of static shared memory" in message
    assert "a_tile: 65x64xf32, 16640 bytes at offset 32768, kernel.py:7:10" in message
    assert "b_tile: 64x128xf32, 32768 bytes at offset 0, kernel.py:7:10" in message
    assert message.startswith("kernel.py:7:10: error:")


def test_a_second_function_over_budget_leaves_the_first_one_as_it_was() -> None:
    fits, too_large = dot_module(16, 16, 16), dot_module(128, 128, 128)
    (function,) = too_large.body.block.ops
    assert isinstance(function, tt.FuncOp)
    function.detach()
    function.properties["sym_name"] = type(function.sym_name)("second")
    fits.body.block.add_op(function)
    before = print_module(fits)
    with pytest.raises(PassError):
        allocate(fits)
    assert print_module(fits) == before


def test_given_budget() -> None:
    with pytest.raises(PassError, match="more than the 2047 bytes of the budget"):
        allocate(dot_module(16, 16, 16), budget=2047)
    allocate(dot_module(16, 16, 16), budget=2048)


# From the CUDA C++ Programming Guide, "Technical Specifications per Compute Capability".
OPT_IN_KIB = {
    "sm_75": 64,
    "sm_80": 163,
    "sm_86": 99,
    "sm_89": 99,
    "sm_90": 227,
    "sm_90a": 227,
    "sm_100": 227,
    "sm_100a": 227,
    "sm_120": 99,
}


@pytest.mark.parametrize(("arch", "kib"), OPT_IN_KIB.items())
def test_dynamic_limit_of_the_architecture(arch: str, kib: int) -> None:
    assert opt_in_limit(arch) == kib * 1024
    # 64 columns of 4 bytes: each row of A takes 256 bytes, B takes 16384.
    rows = (kib * 1024 - 16384) // 256
    allocate(dot_module(m=rows, n=64, k=64), arch=arch, dynamic=True)
    with pytest.raises(PassError, match=f"more than the {kib * 1024} bytes of dynamic shared memory on {arch}"):
        allocate(dot_module(m=rows + 1, n=64, k=64), arch=arch, dynamic=True)


def test_architecture_alone_does_not_allow_more() -> None:
    with pytest.raises(PassError, match="static shared memory"):
        allocate(dot_module(128, 128, 64), arch="sm_90a")


def test_conversions_count() -> None:
    """What a reduction exchanges between warps goes through conversions of its partial results."""
    module = parse_module("""
#row = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
#column = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [32, 1], warpsPerCTA = [1, 4], order = [1, 0]}>
tt.func @f(%x: tensor<64x256xf32, #row>) {
  %y = ttg.convert_layout %x : tensor<64x256xf32, #row> -> tensor<64x256xf32, #column>
  tt.return
}""")
    with pytest.raises(PassError, match="scratch: 64x256xf32, 65536 bytes"):
        allocate(module)


# Which buffers share bytes


def buffer(start: float, end: float, columns: int) -> SharedBuffer:
    (function,) = parse_module("tt.func @f() {\n  tt.return\n}").body.block.ops
    result = SharedBuffer("buffer", ttg.MemDescType([1, columns], f32), function)
    result.start, result.end = start, end
    return result


def check_offsets(buffers: list[SharedBuffer]) -> int:
    total = assign_offsets(buffers)
    for left, right in itertools.combinations(buffers, 2):
        assert not (left.lives_with(right) and left.overlaps(right))
    assert all(item.offset % ALIGNMENT == 0 and item.offset + item.nbytes <= total for item in buffers)
    return total


def test_buffers_in_use_together_are_apart() -> None:
    assert check_offsets([buffer(0, 9, 64), buffer(3, 12, 64)]) == 512


def test_buffers_not_in_use_together_share_bytes() -> None:
    assert check_offsets([buffer(0, 2, 64), buffer(3, 5, 64), buffer(6, 9, 32)]) == 256


def test_offsets_are_aligned() -> None:
    assert check_offsets([buffer(0, 9, 3), buffer(0, 9, 2)]) == 16 + 8


def test_gap_between_two_buffers_is_used() -> None:
    """The third and fourth fit beside the first two without needing more than the most that is in use at once."""
    buffers = [buffer(0, 9, 64), buffer(0, 3, 32), buffer(4, 9, 16), buffer(4, 9, 16)]
    assert check_offsets(buffers) == 384


def test_offsets_of_many_buffers() -> None:
    """Starts, ends and sizes from a linear congruential generator; the total is never below the most in use at once."""
    state = 1
    for _ in range(20):
        buffers: list[SharedBuffer] = []
        for _ in range(8):
            state = (state * 1103515245 + 12345) % 2**31
            start = state // 7 % 50
            buffers.append(buffer(start, start + state // 77 % 20, 1 + state // 777 % 60))
        total = check_offsets(buffers)
        assert total >= max(sum(b.nbytes for b in buffers if b.start <= t <= b.end) for t in range(70))


LIVENESS = """
#row = #ttg.blocked<{{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}}>
#column = #ttg.blocked<{{sizePerThread = [1, 1], threadsPerWarp = [32, 1], warpsPerCTA = [1, 4], order = [1, 0]}}>
!row = tensor<32x32xf32, #row>
!column = tensor<32x32xf32, #column>
tt.func @f(%x: tensor<32x32xf32, #row>, %n: i32, %condition: i1) -> tensor<32x32xf32, #row> {{
{}
}}"""


def offsets_of(body: str) -> dict[str, int]:
    text = LIVENESS.format(body).split("\n")
    aliases = {line.split(" = ")[0]: line.split(" = ", 1)[1] for line in text if line.startswith("!")}
    source = "\n".join(line for line in text if not line.startswith("!"))
    for alias, written in aliases.items():
        source = source.replace(alias, written)
    module = parse_module(source)
    allocate(module)
    return {
        op.buffer_name.data: op.offset.value.data
        for op in module.walk()
        if isinstance(op, ttg.LocalAllocOp) and op.buffer_name is not None and op.offset is not None
    }


def test_a_buffer_that_a_loop_reads_is_live_in_all_of_it() -> None:
    """%x is stored once before the loop, so nothing in the loop may overwrite it."""
    offsets = offsets_of("""
  %last = scf.for %i = %n to %n step %n iter_args(%y = %x) -> (!row) : i32 {
    %d = tt.dot %x, %x, %y : !row * !row -> !row
    %c = ttg.convert_layout %d : !row -> !column
    %s = arith.mulf %c, %c : !column
    %z = ttg.convert_layout %s : !column -> !row
    scf.yield %z : !row
  }
  tt.return %last : !row""")
    assert offsets["scratch"] == offsets["scratch_1"] == 0
    assert offsets["x_tile"] == 4224  # behind the 32 rows of 33 words of the others


def test_scratch_is_not_padded_where_only_that_fits() -> None:
    """64 rows of 192 words are 48 KiB, all that there is; a word more in each row would avoid bank conflicts."""
    text = """
#row = #ttg.blocked<{{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}}>
#column = #ttg.blocked<{{sizePerThread = [1, 1], threadsPerWarp = [32, 1], warpsPerCTA = [1, 4], order = [1, 0]}}>
tt.func @f(%x: tensor<64x{0}xf32, #row>) {{
  %y = ttg.convert_layout %x : tensor<64x{0}xf32, #row> -> tensor<64x{0}xf32, #column>
  tt.return
}}"""
    for columns, is_padded in ((192, False), (128, True)):
        module = parse_module(text.format(columns))
        allocate(module)
        (alloc,) = (op for op in module.walk() if isinstance(op, ttg.LocalAllocOp))
        assert isinstance(alloc.result.type, ttg.MemDescType)
        assert isinstance(alloc.result.type.encoding, PaddedSharedEncodingAttr) == is_padded


def test_branches_share_bytes() -> None:
    offsets = offsets_of("""
  %r = scf.if %condition -> (!row) {
    %c = ttg.convert_layout %x : !row -> !column
    %s = arith.mulf %c, %c : !column
    %z = ttg.convert_layout %s : !column -> !row
    scf.yield %z : !row
  } else {
    %y = arith.addf %x, %x : !row
    %c = ttg.convert_layout %y : !row -> !column
    %s = arith.addf %c, %c : !column
    %z = ttg.convert_layout %s : !column -> !row
    scf.yield %z : !row
  }
  tt.return %r : !row""")
    assert set(offsets.values()) == {0}
    assert len(offsets) == 4


def test_one_tensor_is_stored_once_for_several_uses() -> None:
    offsets = offsets_of("""
  %d = tt.dot %x, %x, %x : !row * !row -> !row
  %e = tt.dot %x, %d, %d : !row * !row -> !row
  tt.return %e : !row""")
    assert offsets == {"x_tile": 0, "d_tile": 4096}


def test_buffers_that_are_already_there_are_placed_too() -> None:
    """A buffer that a loop reads before it writes keeps its contents from one iteration to the next."""
    module = parse_module("""
tt.func @f(%x: tensor<16x16xf32>, %n: i32) {
  %kept = ttg.local_alloc name "kept" : !ttg.memdesc<16x16xf32>
  ttg.local_store %x, %kept : tensor<16x16xf32> -> !ttg.memdesc<16x16xf32>
  scf.for %i = %n to %n step %n : i32 {
    %y = ttg.local_load %kept : !ttg.memdesc<16x16xf32> -> tensor<16x16xf32>
    %d = tt.dot %y, %y, %y : tensor<16x16xf32> * tensor<16x16xf32> -> tensor<16x16xf32>
    ttg.local_store %d, %kept : tensor<16x16xf32> -> !ttg.memdesc<16x16xf32>
  }
  tt.return
}""")
    allocate(module)
    offsets = [
        op.offset.value.data for op in module.walk() if isinstance(op, ttg.LocalAllocOp) and op.offset is not None
    ]
    assert sorted(offsets) == [0, 1024]


def test_a_buffer_that_a_loop_may_leave_as_it_is() -> None:
    """%kept is written in some iterations and read after the loop: the start of a later one must not overwrite it."""
    module = parse_module("""
tt.func @f(%x: tensor<16x16xf32>, %n: i32, %condition: i1) {
  %kept = ttg.local_alloc name "kept" : !ttg.memdesc<16x16xf32>
  %last = scf.for %i = %n to %n step %n iter_args(%y = %x) -> (tensor<16x16xf32>) : i32 {
    %d = tt.dot %y, %y, %y : tensor<16x16xf32> * tensor<16x16xf32> -> tensor<16x16xf32>
    scf.if %condition {
      ttg.local_store %d, %kept : tensor<16x16xf32> -> !ttg.memdesc<16x16xf32>
    }
    scf.yield %d : tensor<16x16xf32>
  }
  %z = ttg.local_load %kept : !ttg.memdesc<16x16xf32> -> tensor<16x16xf32>
  tt.return
}""")
    allocate(module)
    offsets = [
        op.offset.value.data for op in module.walk() if isinstance(op, ttg.LocalAllocOp) and op.offset is not None
    ]
    assert sorted(offsets) == [0, 1024]


def test_names_are_unique() -> None:
    text = """
tt.func @f(%x: tensor<16x16xf32>, %y: tensor<16x16xf32>, %c: tensor<16x16xf32>) {
  %x_tile = arith.addf %x, %y : tensor<16x16xf32>
  %0 = tt.dot %x, %y, %c : tensor<16x16xf32> * tensor<16x16xf32> -> tensor<16x16xf32>
  %1 = arith.addf %0, %0 : tensor<16x16xf32>
  %2 = arith.mulf %0, %0 : tensor<16x16xf32>
  %3 = tt.dot %1, %2, %0 : tensor<16x16xf32> * tensor<16x16xf32> -> tensor<16x16xf32>
  %4 = arith.addf %3, %3 : tensor<16x16xf32>
  %5 = tt.dot %4, %2, %0 : tensor<16x16xf32> * tensor<16x16xf32> -> tensor<16x16xf32>
  tt.return
}"""
    module = parse_module(text)
    allocate(module)
    names = [op.buffer_name.data for op in module.walk() if isinstance(op, ttg.LocalAllocOp) and op.buffer_name]
    assert names == ["x_tile", "y_tile", "dot_lhs", "dot_rhs", "dot_lhs_1"]


def test_location_and_name_of_a_dot_are_kept() -> None:
    module = dot_module(4, 8, 16)
    (dot,) = (op for op in module.walk() if isinstance(op, tt.DotOp))
    location = dot.location
    allocate(module)
    (staged,) = (op for op in module.walk() if isinstance(op, ttg.DotOp))
    assert (staged.location, staged.result.name_hint) == (location, "d")
    stores = [op for op in module.walk() if isinstance(op, ttg.LocalStoreOp)]
    assert [op.location for op in stores] == [location, location]


def test_nothing_to_do() -> None:
    module = parse_module("tt.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {\n  tt.return %x : tensor<4xf32>\n}")
    before = print_module(module)
    allocate(module)
    assert print_module(module) == before
    assert shared_bytes(module) is None


def test_positions_follow_the_text() -> None:
    module = dot_module(4, 4, 4)
    (function,) = module.body.block.ops
    assert [op.name for op in ProgramOrder(function).positions] == ["tt.func", "tt.dot", "tt.return"]


def test_every_element_of_a_dot_has_its_place() -> None:
    """Independent of the pass: the bytes of both operands, for a shape that is no power of two."""
    module = dot_module(m=12, n=20, k=6, element="f16")
    allocate(module)
    for dot in (op for op in module.walk() if isinstance(op, ttg.DotOp)):
        shapes: list[tuple[int, ...]] = []
        for operand in (dot.a, dot.b):
            assert isinstance(operand.type, ttg.MemDescType)
            shapes.append(operand.type.get_shape())
        assert shapes == [(12, 6), (6, 20)]
        assert isa(dot.acc.type, TensorType[Attribute])
    # B comes first as the larger one and ends at a multiple of 16 bytes.
    assert shared_bytes(module) == math.prod((6, 20, 2)) + math.prod((12, 6, 2))
