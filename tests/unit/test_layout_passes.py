"""assign-layouts and remove-layout-conversions: layouts fit together, values stay, typical kernels exchange nothing."""

import copy
from itertools import permutations
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from mytriton.dialects import tt, ttg
from mytriton.dialects.layouts import BlockedEncodingAttr
from mytriton.dialects.linear_layout import REGISTER, WARP
from mytriton.errors import PassError
from mytriton.passes.assign_layouts import AssignLayouts
from mytriton.passes.check_levels import check_cuda, check_tt, check_ttg
from mytriton.passes.encodings import blocked_encoding, dot_encoding, encoding_of_value, shape_of_tensor
from mytriton.passes.remove_layout_conversions import RemoveLayoutConversions
from mytriton.ttir import parse_module
from mytriton.verify import verify_module
from tests.unit.random_programs import Evaluator, OutOfContract, Program, programs


def assign(module: ModuleOp, num_warps: int = 4) -> ModuleOp:
    AssignLayouts(num_warps).apply(Context(), module)
    check_ttg(module)
    verify_module(module)
    return module


def remove(module: ModuleOp) -> ModuleOp:
    RemoveLayoutConversions().apply(Context(), module)
    check_ttg(module)
    verify_module(module)
    return module


def conversions(module: ModuleOp) -> list[ttg.ConvertLayoutOp]:
    return [op for op in module.walk() if isinstance(op, ttg.ConvertLayoutOp)]


def moving_conversions(module: ModuleOp) -> list[str]:
    """The names of what is converted by more than renaming registers within a thread."""
    found: list[str] = []
    for op in conversions(module):
        source, target = encoding_of_value(op.src), encoding_of_value(op.result)
        assert source is not None and target is not None
        shape = shape_of_tensor(op.src)
        if source.to_linear(shape).conversion_level(target.to_linear(shape)) not in (None, REGISTER):
            found.append(op.src.name_hint or "?")
    return found


# Random programs


def outcome(function: tt.FuncOp, arguments: list[int], program_id: int) -> list[Any]:
    return Evaluator(function, arguments, program_id).stored


@given(programs())
@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_layouts_fit_and_values_stay(program: Program):
    function, arguments = program.function, program.arguments
    module = ModuleOp([function])
    try:
        expected = outcome(function, arguments, 1)
    except OutOfContract:
        expected = None
    for num_warps in (1, 4):
        changed = module.clone()
        assign(changed, num_warps)
        before = len(moving_conversions(changed))
        remove(changed)
        assert len(moving_conversions(changed)) <= before + sum(isinstance(op, tt.LoadOp) for op in changed.walk())
        kernel = changed.body.block.first_op
        assert isinstance(kernel, tt.FuncOp)
        if expected is None:
            continue
        found = outcome(kernel, arguments, 1)
        assert len(found) == len(expected)
        for old, new in zip(expected, found, strict=True):
            for one, other in zip(old, new, strict=True):
                assert np.array_equal(one, other)


# Kernels

POINTERS = "%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f32> {tt.divisibility = 16 : i32}"


def matrix_pointers(name: str, base: str, rows: int, columns: int, stride: str = "%n") -> str:
    """Lines that define %{name}: pointers to a tile of rows x columns."""
    tile = f"{rows}x{columns}"
    return f"""
  %{name}_r = tt.make_range {{end = {rows} : i32, start = 0 : i32}} : tensor<{rows}xi32>
  %{name}_r1 = tt.expand_dims %{name}_r {{axis = 1 : i32}} : tensor<{rows}xi32> -> tensor<{rows}x1xi32>
  %{name}_n = tt.splat {stride} : i32 -> tensor<{rows}x1xi32>
  %{name}_rn = arith.muli %{name}_r1, %{name}_n : tensor<{rows}x1xi32>
  %{name}_c = tt.make_range {{end = {columns} : i32, start = 0 : i32}} : tensor<{columns}xi32>
  %{name}_c1 = tt.expand_dims %{name}_c {{axis = 0 : i32}} : tensor<{columns}xi32> -> tensor<1x{columns}xi32>
  %{name}_rb = tt.broadcast %{name}_rn : tensor<{rows}x1xi32> -> tensor<{tile}xi32>
  %{name}_cb = tt.broadcast %{name}_c1 : tensor<1x{columns}xi32> -> tensor<{tile}xi32>
  %{name}_o = arith.addi %{name}_rb, %{name}_cb : tensor<{tile}xi32>
  %{name}_s = tt.splat {base} : !tt.ptr<f32> -> tensor<{tile}x!tt.ptr<f32>>
  %{name} = tt.addptr %{name}_s, %{name}_o : tensor<{tile}x!tt.ptr<f32>>, tensor<{tile}xi32>
"""


def kernel(body: str) -> ModuleOp:
    arguments = f"{POINTERS}, %z: !tt.ptr<f32> {{tt.divisibility = 16 : i32}}, %n: i32 {{tt.divisibility = 16 : i32}}"
    return parse_module(f"tt.func @kernel({arguments}) {{\n{body}\n  tt.return\n}}")


def lowered(body: str, num_warps: int = 4) -> ModuleOp:
    return remove(assign(kernel(body), num_warps))


SUM = """<{axis = AXIS : i32}> ({
  ^bb0(%l: f32, %r: f32):
    %t = arith.addf %l, %r : f32
    tt.reduce.return %t : f32
  })"""


def test_vector_kernel_accesses_16_bytes_without_conversion():
    module = lowered("""
  %r = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %n_s = tt.splat %n : i32 -> tensor<1024xi32>
  %mask = arith.cmpi slt, %r, %n_s : tensor<1024xi32>
  %x_s = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %x_p = tt.addptr %x_s, %r : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  %v = tt.load %x_p, %mask : tensor<1024x!tt.ptr<f32>>
  %w = arith.addf %v, %v : tensor<1024xf32>
  %y_s = tt.splat %y : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %y_p = tt.addptr %y_s, %r : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  tt.store %y_p, %w, %mask : tensor<1024x!tt.ptr<f32>>
""")
    assert not conversions(module)
    (load,) = [op for op in module.walk() if isinstance(op, tt.LoadOp)]
    assert encoding_of_value(load.result) == BlockedEncodingAttr([4], [32], [4], [0])


@pytest.mark.parametrize("rows, columns, depth", [(64, 64, 16), (4, 8, 16), (12, 20, 6), (128, 128, 16)])
@pytest.mark.parametrize("num_warps", [1, 4, 8])
def test_an_accumulator_is_carried_and_stored_where_it_is(rows: int, columns: int, depth: int, num_warps: int):
    tile = f"tensor<{rows}x{columns}xf32>"
    module = lowered(
        matrix_pointers("a", "%x", rows, depth)
        + matrix_pointers("b", "%y", depth, columns)
        + matrix_pointers("c", "%z", rows, columns)
        + f"""
  %zero = arith.constant dense<0.0> : {tile}
  %step_a = arith.constant dense<{depth}> : tensor<{rows}x{depth}xi32>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %sum, %ae = scf.for %k = %c0 to %n step %c1
      iter_args(%acc = %zero, %ap = %a) -> ({tile}, tensor<{rows}x{depth}x!tt.ptr<f32>>) : i32 {{
    %av = tt.load %ap : tensor<{rows}x{depth}x!tt.ptr<f32>>
    %bv = tt.load %b : tensor<{depth}x{columns}x!tt.ptr<f32>>
    %d = tt.dot %av, %bv, %zero : tensor<{rows}x{depth}xf32> * tensor<{depth}x{columns}xf32> -> {tile}
    %s = arith.addf %acc, %d : {tile}
    %an = tt.addptr %ap, %step_a : tensor<{rows}x{depth}x!tt.ptr<f32>>, tensor<{rows}x{depth}xi32>
    scf.yield %s, %an : {tile}, tensor<{rows}x{depth}x!tt.ptr<f32>>
  }}
  tt.store %c, %sum : tensor<{rows}x{columns}x!tt.ptr<f32>>
""",
        num_warps,
    )
    assert not conversions(module)
    (store,) = [op for op in module.walk() if isinstance(op, tt.StoreOp)]
    assert encoding_of_value(store.value) == dot_encoding((rows, columns), num_warps)


def test_a_matrix_added_to_a_dot_is_loaded_in_the_layout_of_the_dot():
    module = lowered(
        matrix_pointers("a", "%x", 64, 64)
        + """
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %av = tt.load %a : tensor<64x64x!tt.ptr<f32>>
  %d = tt.dot %av, %av, %zero : tensor<64x64xf32> * tensor<64x64xf32> -> tensor<64x64xf32>
  %cv = tt.load %a {own} : tensor<64x64x!tt.ptr<f32>>
  %s = arith.addf %cv, %d : tensor<64x64xf32>
  tt.store %a, %s : tensor<64x64x!tt.ptr<f32>>
""".replace(" {own}", "")
    )
    assert not conversions(module)


def test_a_reduction_of_rows_is_combined_with_the_rows_in_place():
    module = lowered(
        matrix_pointers("a", "%x", 32, 64)
        + f"""
  %v = tt.load %a : tensor<32x64x!tt.ptr<f32>>
  %s = "tt.reduce"(%v) {SUM.replace("AXIS", "1")} : (tensor<32x64xf32>) -> tensor<32xf32>
  %s1 = tt.expand_dims %s {{axis = 1 : i32}} : tensor<32xf32> -> tensor<32x1xf32>
  %sb = tt.broadcast %s1 : tensor<32x1xf32> -> tensor<32x64xf32>
  %w = arith.divf %v, %sb : tensor<32x64xf32>
  tt.store %a, %w : tensor<32x64x!tt.ptr<f32>>
"""
    )
    assert not conversions(module)


def test_each_branch_converts_for_itself():
    """What one branch has converted is not there in the other."""
    store = "tt.store %t, %v : tensor<64x64x!tt.ptr<f32>>"
    module = lowered(
        matrix_pointers("a", "%x", 64, 64)
        + matrix_pointers("b", "%y", 64, 64)
        + f"""
  %t = tt.trans %b {{order = array<i32: 1, 0>}} : tensor<64x64x!tt.ptr<f32>> -> tensor<64x64x!tt.ptr<f32>>
  %v = tt.load %a : tensor<64x64x!tt.ptr<f32>>
  %c = arith.cmpi slt, %n, %n : i32
  scf.if %c {{
    {store}
  }} else {{
    {store}
  }}
"""
    )
    assert moving_conversions(module) == ["v", "v"]


def test_a_few_reduced_rows_are_stored_from_the_threads_that_hold_them():
    module = lowered(
        matrix_pointers("a", "%x", 8, 64)
        + f"""
  %v = tt.load %a : tensor<8x64x!tt.ptr<f32>>
  %s = "tt.reduce"(%v) {SUM.replace("AXIS", "1")} : (tensor<8x64xf32>) -> tensor<8xf32>
  %out = tt.splat %y : !tt.ptr<f32> -> tensor<8x!tt.ptr<f32>>
  %p = tt.addptr %out, %a_r : tensor<8x!tt.ptr<f32>>, tensor<8xi32>
  tt.store %p, %s : tensor<8x!tt.ptr<f32>>
""",
        num_warps=1,
    )
    assert not conversions(module)


def test_a_transposed_copy_moves_the_tile_once():
    module = lowered(
        matrix_pointers("a", "%x", 64, 64)
        + matrix_pointers("b", "%y", 64, 64)
        + """
  %v = tt.load %a : tensor<64x64x!tt.ptr<f32>>
  %t = tt.trans %v {order = array<i32: 1, 0>} : tensor<64x64xf32> -> tensor<64x64xf32>
  tt.store %b, %t : tensor<64x64x!tt.ptr<f32>>
"""
    )
    assert moving_conversions(module) == ["t"]


@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_transposed_ranges_need_no_conversion(order: tuple[int, int, int]):
    """The layout of the operand of a transposition follows from that of the result, for every order."""
    shape = (2, 8, 16)
    result = "x".join(str(shape[dim]) for dim in order)
    module = lowered(f"""
  %r = tt.make_range {{end = 256 : i32, start = 0 : i32}} : tensor<256xi32>
  %o = tt.reshape %r : tensor<256xi32> -> tensor<2x8x16xi32>
  %t = tt.trans %o {{order = array<i32: {", ".join(map(str, order))}>}} : tensor<2x8x16xi32> -> tensor<{result}xi32>
  %s = tt.splat %x : !tt.ptr<f32> -> tensor<{result}x!tt.ptr<f32>>
  %p = tt.addptr %s, %t : tensor<{result}x!tt.ptr<f32>>, tensor<{result}xi32>
  %v = tt.load %p : tensor<{result}x!tt.ptr<f32>>
  tt.store %p, %v : tensor<{result}x!tt.ptr<f32>>
""")
    assert not conversions(module)


def test_a_loaded_row_is_loaded_where_the_matrix_wants_it():
    module = lowered(
        matrix_pointers("a", "%x", 16, 64)
        + """
  %row_s = tt.splat %y : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %row_p = tt.addptr %row_s, %a_c : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %row = tt.load %row_p : tensor<64x!tt.ptr<f32>>
  %row1 = tt.expand_dims %row {axis = 0 : i32} : tensor<64xf32> -> tensor<1x64xf32>
  %rowb = tt.broadcast %row1 : tensor<1x64xf32> -> tensor<16x64xf32>
  %v = tt.load %a : tensor<16x64x!tt.ptr<f32>>
  %w = arith.addf %v, %rowb : tensor<16x64xf32>
  tt.store %a, %w : tensor<16x64x!tt.ptr<f32>>
"""
    )
    assert not conversions(module)


ATTENTION = (
    matrix_pointers("q", "%x", 64, 64)
    + matrix_pointers("k", "%y", 64, 32)
    + matrix_pointers("v", "%y", 32, 64)
    + """
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %m0 = arith.constant dense<0xFF800000> : tensor<64xf32>
  %acc0 = arith.constant dense<0.0> : tensor<64x64xf32>
  %zero = arith.constant dense<0.0> : tensor<64x32xf32>
  %qv = tt.load %q : tensor<64x64x!tt.ptr<f32>>
  %acc, %m = scf.for %i = %c0 to %n step %c1
      iter_args(%acc1 = %acc0, %m1 = %m0) -> (tensor<64x64xf32>, tensor<64xf32>) : i32 {
    %kv = tt.load %k : tensor<64x32x!tt.ptr<f32>>
    %vv = tt.load %v : tensor<32x64x!tt.ptr<f32>>
    %s = tt.dot %qv, %kv, %zero : tensor<64x64xf32> * tensor<64x32xf32> -> tensor<64x32xf32>
    %mx = "tt.reduce"(%s) MAX : (tensor<64x32xf32>) -> tensor<64xf32>
    %m2 = arith.maxnumf %m1, %mx : tensor<64xf32>
    %m3 = tt.expand_dims %m2 {axis = 1 : i32} : tensor<64xf32> -> tensor<64x1xf32>
    %mb = tt.broadcast %m3 : tensor<64x1xf32> -> tensor<64x32xf32>
    %sm = arith.subf %s, %mb : tensor<64x32xf32>
    %p = math.exp2 %sm : tensor<64x32xf32>
    %md = arith.subf %m1, %m2 : tensor<64xf32>
    %alpha = math.exp2 %md : tensor<64xf32>
    %alpha1 = tt.expand_dims %alpha {axis = 1 : i32} : tensor<64xf32> -> tensor<64x1xf32>
    %alphab = tt.broadcast %alpha1 : tensor<64x1xf32> -> tensor<64x64xf32>
    %acc2 = arith.mulf %alphab, %acc1 : tensor<64x64xf32>
    %acc3 = tt.dot %p, %vv, %acc2 : tensor<64x32xf32> * tensor<32x64xf32> -> tensor<64x64xf32>
    scf.yield %acc3, %m2 : tensor<64x64xf32>, tensor<64xf32>
  }
  tt.store %q, %acc : tensor<64x64x!tt.ptr<f32>>
""".replace("MAX", SUM.replace("AXIS", "1"))
)


@pytest.mark.parametrize("num_warps", [1, 4])
def test_attention_moves_nothing(num_warps: int):
    """Two accumulators of different shapes meet at the factor of each row; rows lie within one warp in both."""
    module = lowered(ATTENTION, num_warps)
    assert not moving_conversions(module)
    for op in module.walk():
        if isinstance(op, tt.ReduceOp):
            (source,) = op.srcs
            encoding = encoding_of_value(source)
            assert encoding is not None
            assert not any(basis[1] for basis in encoding.to_linear(shape_of_tensor(source)).bases[WARP])


@pytest.mark.parametrize("axis, warps", [(1, [4, 1]), (0, [1, 4])])
def test_warps_are_spread_along_what_is_not_reduced(axis: int, warps: list[int]):
    module = lowered(
        matrix_pointers("a", "%x", 32, 512)
        + f"""
  %v = tt.load %a : tensor<32x512x!tt.ptr<f32>>
  %s = "tt.reduce"(%v) {SUM.replace("AXIS", str(axis))} : (tensor<32x512xf32>) -> tensor<{(512, 32)[axis]}xf32>
""",
    )
    assert encoding_of_value(next(op for op in module.walk() if isinstance(op, tt.ReduceOp)).srcs[0]) == (
        BlockedEncodingAttr([1, 4], [1, 32], warps, [1, 0])
    )


def test_a_loop_takes_the_layout_in_which_it_computes():
    """A carried value that is converted at the end of each iteration is carried in the other layout."""
    layouts = {"#a": str(blocked_encoding((16, 16), 1)), "#b": str(blocked_encoding((16, 16), 1, 4))}
    text = """
builtin.module attributes {"ttg.num-warps" = 1 : i32} {
tt.func @f(%n: i32, %b: tensor<16x16xf32, #b>) -> tensor<16x16xf32, #a> {
  %zero = arith.constant dense<0.0> : tensor<16x16xf32, #a>
  %sum = scf.for %i = %n to %n step %n iter_args(%acc = %zero) -> (tensor<16x16xf32, #a>) : i32 {
    %x = ttg.convert_layout %acc : tensor<16x16xf32, #a> -> tensor<16x16xf32, #b>
    %y = arith.addf %x, %b : tensor<16x16xf32, #b>
    %z = ttg.convert_layout %y : tensor<16x16xf32, #b> -> tensor<16x16xf32, #a>
    scf.yield %z : tensor<16x16xf32, #a>
  }
  tt.return %sum : tensor<16x16xf32, #a>
}}"""
    for name, layout in layouts.items():
        text = text.replace(name, layout)
    module = remove(parse_module(text))
    (conversion,) = conversions(module)
    assert isinstance(conversion.next_op, tt.ReturnOp)


def test_long_chains_are_copied_without_recursion_and_once():
    """A value used twice at each of many steps has one copy a step."""
    steps = 1500
    lines = ["%v0 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>"]
    lines += [f"%v{i + 1} = arith.addi %v{i}, %v{i} : tensor<64xi32>" for i in range(steps)]
    body = (
        "\n".join(lines)
        + f"""
  %e0 = tt.expand_dims %v{steps} {{axis = 0 : i32}} : tensor<64xi32> -> tensor<1x64xi32>
  %e1 = tt.expand_dims %v{steps} {{axis = 1 : i32}} : tensor<64xi32> -> tensor<64x1xi32>
  %b0 = tt.broadcast %e0 : tensor<1x64xi32> -> tensor<64x64xi32>
  %b1 = tt.broadcast %e1 : tensor<64x1xi32> -> tensor<64x64xi32>
  %o = arith.addi %b0, %b1 : tensor<64x64xi32>
  %s = tt.splat %x : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  %p = tt.addptr %s, %o : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  tt.store %p, %zero : tensor<64x64x!tt.ptr<f32>>
"""
    )
    module = lowered(body)
    assert not conversions(module)
    assert len(list(module.walk())) < 2 * steps + 30


# Layouts by shape


@pytest.mark.parametrize(
    "shape, num_warps, expected",
    [
        ((128, 128), 8, ([1, 4], [4, 8], [4, 2])),
        ((128, 128), 4, ([1, 4], [4, 8], [4, 1])),
        ((64, 64), 4, ([1, 4], [4, 8], [2, 2])),
        ((16, 16), 4, ([1, 2], [4, 8], [4, 1])),
        ((4, 8), 4, ([1, 1], [4, 8], [4, 1])),
        ((12, 20), 4, ([1, 4], [4, 8], [4, 1])),
        ((64, 1), 1, ([1, 1], [32, 1], [1, 1])),
        ((1, 1), 2, ([1, 1], [32, 1], [2, 1])),
        ((2, 64, 64), 4, ([1, 1, 4], [1, 4, 8], [2, 2, 1])),
    ],
)
def test_layout_of_a_dot(shape: tuple[int, ...], num_warps: int, expected: tuple[list[int], list[int], list[int]]):
    sizes, lanes, warps = expected
    encoding = dot_encoding(shape, num_warps)
    assert encoding == BlockedEncodingAttr(sizes, lanes, warps, range(len(shape) - 1, -1, -1))


@pytest.mark.parametrize("num_warps", [1, 2, 4, 8, 16])
@pytest.mark.parametrize("rows", [1, 3, 16, 64, 128])
@pytest.mark.parametrize("columns", [1, 2, 5, 32, 256])
def test_dots_have_no_copies_while_there_is_work_for_all(num_warps: int, rows: int, columns: int):
    layout = dot_encoding((rows, columns), num_warps).to_linear((rows, columns))
    assert layout.is_onto
    padded = layout.shape[0] * layout.shape[1]
    assert layout.register_count == max(1, padded // (32 * num_warps))


@pytest.mark.parametrize(
    "shape, num_warps, width, order, expected",
    [
        ((1024,), 4, 4, None, ([4], [32], [4])),
        ((128,), 4, 4, None, ([1], [32], [4])),
        ((64, 16), 4, 4, None, ([1, 4], [8, 4], [4, 1])),
        ((64, 16), 4, 1, (0, 1), ([1, 1], [32, 1], [2, 2])),
        ((12, 20), 1, 4, None, ([1, 4], [4, 8], [1, 1])),
        ((1, 8), 2, 4, None, ([1, 1], [4, 8], [2, 1])),
    ],
)
def test_layout_of_a_shape(
    shape: tuple[int, ...],
    num_warps: int,
    width: int,
    order: tuple[int, ...] | None,
    expected: tuple[list[int], list[int], list[int]],
):
    encoding = blocked_encoding(shape, num_warps, width, order)
    sizes, lanes, warps = expected
    assert encoding == BlockedEncodingAttr(sizes, lanes, warps, order or range(len(shape) - 1, -1, -1))


# What is refused


def test_bad_numbers_of_warps():
    for num_warps in (0, 3, 64):
        with pytest.raises(PassError, match=f"power of two from 1 to 32, found {num_warps}"):
            AssignLayouts(num_warps).apply(Context(), ModuleOp([]))


def test_levels_are_checked():
    text = matrix_pointers("a", "%x", 16, 16) + "%v = tt.load %a : tensor<16x16x!tt.ptr<f32>>"
    module = kernel(text)
    check_tt(module)
    with pytest.raises(PassError, match="expected the module attribute"):
        check_ttg(module)
    with pytest.raises(PassError, match=r"expected cuda.func at the cuda level, found tt.func"):
        check_cuda(module)
    assign(module)
    with pytest.raises(PassError, match=r"'tt\.make_range': expected no layout at the tt level"):
        check_tt(module)


@pytest.mark.parametrize(
    "old, new, message",
    [
        ("tensor<16xf32, #a1>", "tensor<16xf32>", "expected a tensor with a layout"),
        ("warpsPerCTA = [1], order", "warpsPerCTA = [2], order", "expected a layout of 1 warps"),
        ("tensor<16x16xf32, #a2>", "tensor<16x16xf32, #a1>", "expected a layout of rank 2"),
        ("#reduced", "#a1", "'tt.reduce': expected the layout LinearLayout"),
    ],
)
def test_layouts_that_do_not_fit_are_found(old: str, new: str, message: str):
    text = """
#a1 = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
#a2 = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [2, 16], warpsPerCTA = [1, 1], order = [1, 0]}>
#reduced = #ttg.slice<{dim = 1, parent = #a2}>
builtin.module attributes {"ttg.num-warps" = 1 : i32} {
tt.func @f(%x: tensor<16xf32, #a1>, %y: tensor<16x16xf32, #a2>) {
  %s = "tt.reduce"(%y) SUM : (tensor<16x16xf32, #a2>) -> tensor<16xf32, #reduced>
  tt.return
}}""".replace("SUM", SUM.replace("AXIS", "1"))
    check_ttg(parse_module(text))
    head, body = text.split("builtin.module")
    changed = head + "builtin.module" + body.replace(old, new) if old in body else text.replace(old, new, 1)
    with pytest.raises(PassError, match=message):
        check_ttg(parse_module(changed))


def test_nothing_to_remove_leaves_the_module_as_it_was():
    module = assign(kernel("  %c = arith.constant 1 : i32"))
    before = copy.copy(str(module))
    remove(module)
    assert str(module) == before
