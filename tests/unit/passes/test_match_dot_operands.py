"""Which tile of which matrix a load reads: the forms that are recognized, and the reasons why others are not."""

from __future__ import annotations

from pathlib import Path

import pytest
from xdsl.context import Context
from xdsl.dialects import scf
from xdsl.dialects.builtin import FloatAttr, ModuleOp, f32, i32, i64
from xdsl.ir import SSAValue

from mytriton.diagnostics import collect_remarks
from mytriton.dialects import tt, ttg
from mytriton.passes.global_tile_plan import GlobalTilePlan, NearMiss, plan_global_tile
from mytriton.passes.match_dot_operands import MatchDotOperands
from mytriton.passes.scalars import Scalar
from mytriton.ttir import parse_module, print_module

# A load of a 4x8 tile; each test replaces some of the parts.

PARTS = {
    "parameters": "%a: !tt.ptr<f32>, %row: i32, %column: i32, %stride: i32, %rows_end: i32, %columns_end: i32",
    "ranges": """
  %range_m = tt.make_range {end = 4 : i32, start = 0 : i32} : tensor<4xi32>
  %range_n = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>""",
    "rows": """
  %m = tt.expand_dims %range_m {axis = 1 : i32} : tensor<4xi32> -> tensor<4x1xi32>
  %row_splat = tt.splat %row : i32 -> tensor<4x1xi32>
  %rows = arith.addi %row_splat, %m : tensor<4x1xi32>""",
    "columns": """
  %n = tt.expand_dims %range_n {axis = 0 : i32} : tensor<8xi32> -> tensor<1x8xi32>
  %column_splat = tt.splat %column : i32 -> tensor<1x8xi32>
  %columns = arith.addi %column_splat, %n : tensor<1x8xi32>""",
    "scaled": """
  %stride_splat = tt.splat %stride : i32 -> tensor<4x1xi32>
  %scaled = arith.muli %rows, %stride_splat : tensor<4x1xi32>""",
    "pointers": """
  %base = tt.splat %a : !tt.ptr<f32> -> tensor<4x1x!tt.ptr<f32>>
  %row_pointers = tt.addptr %base, %scaled : tensor<4x1x!tt.ptr<f32>>, tensor<4x1xi32>
  %row_tile = tt.broadcast %row_pointers : tensor<4x1x!tt.ptr<f32>> -> tensor<4x8x!tt.ptr<f32>>
  %column_tile = tt.broadcast %columns : tensor<1x8xi32> -> tensor<4x8xi32>
  %pointers = tt.addptr %row_tile, %column_tile : tensor<4x8x!tt.ptr<f32>>, tensor<4x8xi32>""",
    "row_test": """
  %rows_end_splat = tt.splat %rows_end : i32 -> tensor<4x1xi32>
  %row_test = arith.cmpi slt, %rows, %rows_end_splat : tensor<4x1xi32>""",
    "column_test": """
  %columns_end_splat = tt.splat %columns_end : i32 -> tensor<1x8xi32>
  %column_test = arith.cmpi slt, %columns, %columns_end_splat : tensor<1x8xi32>""",
    "mask": """
  %row_test_tile = tt.broadcast %row_test : tensor<4x1xi1> -> tensor<4x8xi1>
  %column_test_tile = tt.broadcast %column_test : tensor<1x8xi1> -> tensor<4x8xi1>
  %mask = arith.andi %row_test_tile, %column_test_tile : tensor<4x8xi1>""",
    "other": """
  %other = arith.constant dense<0.000000e+00> : tensor<4x8xf32>""",
    "load": """
  %x = tt.load %pointers, %mask, %other : tensor<4x8x!tt.ptr<f32>>""",
    "dot": """
  %b = arith.constant dense<1.000000e+00> : tensor<8x4xf32>
  %acc = arith.constant dense<0.000000e+00> : tensor<4x4xf32>
  %d = tt.dot %x, %b, %acc : tensor<4x8xf32> * tensor<8x4xf32> -> tensor<4x4xf32>""",
}


def parse_kernel(**parts: str) -> ModuleOp:
    assert parts.keys() <= PARTS.keys()
    body = PARTS | parts
    parameters = body.pop("parameters")
    return parse_module(f"tt.func @kernel({parameters}) {{{''.join(body.values())}\n  tt.return\n}}")


def plan_of(module: ModuleOp) -> GlobalTilePlan:
    (load,) = (op for op in module.walk() if isinstance(op, tt.LoadOp))
    return plan_global_tile(load)


def names(scalar: Scalar) -> list[str | None]:
    return [term.name_hint for term in scalar.terms]


def check_plan(plan: GlobalTilePlan) -> None:
    """The plan of the kernel above, in whatever form it is written."""
    assert plan.base.name_hint == "a"
    assert (names(plan.row_offset), names(plan.column_offset)) == (["row"], ["column"])
    assert names(plan.row_stride) == ["stride"]
    assert (names(plan.row_bound), names(plan.column_bound)) == (["rows_end"], ["columns_end"])
    scalars = (plan.row_offset, plan.column_offset, plan.row_stride, plan.row_bound, plan.column_bound)
    assert all(scalar.constant == 0 and scalar.type == i32 for scalar in scalars)
    assert plan.other == FloatAttr(0.0, f32)
    assert plan.shape == (4, 8)


def test_plain_form() -> None:
    check_plan(plan_of(parse_kernel()))


def test_a_plan_changes_nothing() -> None:
    module = parse_kernel()
    before = print_module(module)
    plan_of(module)
    assert print_module(module) == before


OTHER_FORMS = {
    "stride * rows": {
        "scaled": """
  %stride_splat = tt.splat %stride : i32 -> tensor<4x1xi32>
  %scaled = arith.muli %stride_splat, %rows : tensor<4x1xi32>"""
    },
    "range + scalar": {
        "rows": """
  %m = tt.expand_dims %range_m {axis = 1 : i32} : tensor<4xi32> -> tensor<4x1xi32>
  %row_splat = tt.splat %row : i32 -> tensor<4x1xi32>
  %rows = arith.addi %m, %row_splat : tensor<4x1xi32>"""
    },
    "scalars added in one dimension": {
        "rows": """
  %row_splat = tt.splat %row : i32 -> tensor<4xi32>
  %rows_1d = arith.addi %row_splat, %range_m : tensor<4xi32>
  %rows = tt.expand_dims %rows_1d {axis = 1 : i32} : tensor<4xi32> -> tensor<4x1xi32>""",
        "columns": """
  %column_splat = tt.splat %column : i32 -> tensor<8xi32>
  %columns_1d = arith.addi %range_n, %column_splat : tensor<8xi32>
  %columns = tt.expand_dims %columns_1d {axis = 0 : i32} : tensor<8xi32> -> tensor<1x8xi32>""",
    },
    "columns added first": {
        "pointers": """
  %base = tt.splat %a : !tt.ptr<f32> -> tensor<1x8x!tt.ptr<f32>>
  %column_pointers = tt.addptr %base, %columns : tensor<1x8x!tt.ptr<f32>>, tensor<1x8xi32>
  %column_tile = tt.broadcast %column_pointers : tensor<1x8x!tt.ptr<f32>> -> tensor<4x8x!tt.ptr<f32>>
  %row_tile = tt.broadcast %scaled : tensor<4x1xi32> -> tensor<4x8xi32>
  %pointers = tt.addptr %column_tile, %row_tile : tensor<4x8x!tt.ptr<f32>>, tensor<4x8xi32>"""
    },
    "offsets added first": {
        "pointers": """
  %row_tile = tt.broadcast %scaled : tensor<4x1xi32> -> tensor<4x8xi32>
  %column_tile = tt.broadcast %columns : tensor<1x8xi32> -> tensor<4x8xi32>
  %offsets = arith.addi %row_tile, %column_tile : tensor<4x8xi32>
  %base = tt.splat %a : !tt.ptr<f32> -> tensor<4x8x!tt.ptr<f32>>
  %pointers = tt.addptr %base, %offsets : tensor<4x8x!tt.ptr<f32>>, tensor<4x8xi32>"""
    },
    "offsets added first, columns on the left": {
        "pointers": """
  %row_tile = tt.broadcast %scaled : tensor<4x1xi32> -> tensor<4x8xi32>
  %column_tile = tt.broadcast %columns : tensor<1x8xi32> -> tensor<4x8xi32>
  %offsets = arith.addi %column_tile, %row_tile : tensor<4x8xi32>
  %base = tt.splat %a : !tt.ptr<f32> -> tensor<4x8x!tt.ptr<f32>>
  %pointers = tt.addptr %base, %offsets : tensor<4x8x!tt.ptr<f32>>, tensor<4x8xi32>"""
    },
    "broadcast before the product": {
        "scaled": """
  %rows_tile = tt.broadcast %rows : tensor<4x1xi32> -> tensor<4x8xi32>
  %stride_splat = tt.splat %stride : i32 -> tensor<4x8xi32>
  %scaled = arith.muli %rows_tile, %stride_splat : tensor<4x8xi32>""",
        "pointers": """
  %base = tt.splat %a : !tt.ptr<f32> -> tensor<4x8x!tt.ptr<f32>>
  %row_pointers = tt.addptr %base, %scaled : tensor<4x8x!tt.ptr<f32>>, tensor<4x8xi32>
  %column_tile = tt.broadcast %columns : tensor<1x8xi32> -> tensor<4x8xi32>
  %pointers = tt.addptr %row_pointers, %column_tile : tensor<4x8x!tt.ptr<f32>>, tensor<4x8xi32>""",
    },
    "pointers to rows in one dimension": {
        "rows": """
  %row_splat = tt.splat %row : i32 -> tensor<4xi32>
  %rows_1d = arith.addi %row_splat, %range_m : tensor<4xi32>
  %rows = tt.expand_dims %rows_1d {axis = 1 : i32} : tensor<4xi32> -> tensor<4x1xi32>""",
        "scaled": """
  %stride_splat = tt.splat %stride : i32 -> tensor<4xi32>
  %scaled = arith.muli %rows_1d, %stride_splat : tensor<4xi32>""",
        "pointers": """
  %base = tt.splat %a : !tt.ptr<f32> -> tensor<4x!tt.ptr<f32>>
  %row_pointers_1d = tt.addptr %base, %scaled : tensor<4x!tt.ptr<f32>>, tensor<4xi32>
  %row_pointers = tt.expand_dims %row_pointers_1d {axis = 1 : i32} : tensor<4x!tt.ptr<f32>> -> tensor<4x1x!tt.ptr<f32>>
  %row_tile = tt.broadcast %row_pointers : tensor<4x1x!tt.ptr<f32>> -> tensor<4x8x!tt.ptr<f32>>
  %column_tile = tt.broadcast %columns : tensor<1x8xi32> -> tensor<4x8xi32>
  %pointers = tt.addptr %row_tile, %column_tile : tensor<4x8x!tt.ptr<f32>>, tensor<4x8xi32>""",
    },
    "the scalar part of the columns added last": {
        "pointers": """
  %base = tt.splat %a : !tt.ptr<f32> -> tensor<4x1x!tt.ptr<f32>>
  %row_pointers = tt.addptr %base, %scaled : tensor<4x1x!tt.ptr<f32>>, tensor<4x1xi32>
  %row_tile = tt.broadcast %row_pointers : tensor<4x1x!tt.ptr<f32>> -> tensor<4x8x!tt.ptr<f32>>
  %n_tile = tt.broadcast %n : tensor<1x8xi32> -> tensor<4x8xi32>
  %without_column = tt.addptr %row_tile, %n_tile : tensor<4x8x!tt.ptr<f32>>, tensor<4x8xi32>
  %column_everywhere = tt.splat %column : i32 -> tensor<4x8xi32>
  %pointers = tt.addptr %without_column, %column_everywhere : tensor<4x8x!tt.ptr<f32>>, tensor<4x8xi32>"""
    },
    "columns times one": {
        "columns": """
  %n = tt.expand_dims %range_n {axis = 0 : i32} : tensor<8xi32> -> tensor<1x8xi32>
  %column_splat = tt.splat %column : i32 -> tensor<1x8xi32>
  %columns_alone = arith.addi %column_splat, %n : tensor<1x8xi32>
  %one = arith.constant dense<1> : tensor<1x8xi32>
  %columns = arith.muli %columns_alone, %one : tensor<1x8xi32>""",
        "column_test": """
  %columns_end_splat = tt.splat %columns_end : i32 -> tensor<1x8xi32>
  %column_test = arith.cmpi slt, %columns_alone, %columns_end_splat : tensor<1x8xi32>""",
    },
    "offsets computed again for the mask": {
        "row_test": """
  %m_again = tt.expand_dims %range_m {axis = 1 : i32} : tensor<4xi32> -> tensor<4x1xi32>
  %row_splat_again = tt.splat %row : i32 -> tensor<4x1xi32>
  %rows_again = arith.addi %m_again, %row_splat_again : tensor<4x1xi32>
  %rows_end_splat = tt.splat %rows_end : i32 -> tensor<4x1xi32>
  %row_test = arith.cmpi slt, %rows_again, %rows_end_splat : tensor<4x1xi32>"""
    },
    "bound > rows": {
        "row_test": """
  %rows_end_splat = tt.splat %rows_end : i32 -> tensor<4x1xi32>
  %row_test = arith.cmpi sgt, %rows_end_splat, %rows : tensor<4x1xi32>"""
    },
    "column comparison first": {
        "mask": """
  %row_test_tile = tt.broadcast %row_test : tensor<4x1xi1> -> tensor<4x8xi1>
  %column_test_tile = tt.broadcast %column_test : tensor<1x8xi1> -> tensor<4x8xi1>
  %mask = arith.andi %column_test_tile, %row_test_tile : tensor<4x8xi1>"""
    },
    "comparison of the whole tile": {
        "row_test": """
  %rows_tile = tt.broadcast %rows : tensor<4x1xi32> -> tensor<4x8xi32>
  %rows_end_splat = tt.splat %rows_end : i32 -> tensor<4x8xi32>
  %row_test_tile = arith.cmpi slt, %rows_tile, %rows_end_splat : tensor<4x8xi32>""",
        "mask": """
  %column_test_tile = tt.broadcast %column_test : tensor<1x8xi1> -> tensor<4x8xi1>
  %mask = arith.andi %row_test_tile, %column_test_tile : tensor<4x8xi1>""",
    },
    "a splat of zero": {
        "other": """
  %zero = arith.constant 0.000000e+00 : f32
  %other = tt.splat %zero : f32 -> tensor<4x8xf32>"""
    },
    "an integer zero": {
        "other": """
  %zeros = arith.constant dense<0> : tensor<4x8xi32>
  %other = arith.sitofp %zeros : tensor<4x8xi32> to tensor<4x8xf32>"""
    },
    "no other": {"other": "", "load": "\n  %x = tt.load %pointers, %mask : tensor<4x8x!tt.ptr<f32>>"},
}


@pytest.mark.parametrize("parts", OTHER_FORMS.values(), ids=OTHER_FORMS.keys())
def test_other_forms(parts: dict[str, str]) -> None:
    check_plan(plan_of(parse_kernel(**parts)))


def test_row_stride_of_one_may_be_missing() -> None:
    plan = plan_of(
        parse_kernel(
            scaled="",
            pointers="""
  %base = tt.splat %a : !tt.ptr<f32> -> tensor<4x1x!tt.ptr<f32>>
  %row_pointers = tt.addptr %base, %rows : tensor<4x1x!tt.ptr<f32>>, tensor<4x1xi32>
  %row_tile = tt.broadcast %row_pointers : tensor<4x1x!tt.ptr<f32>> -> tensor<4x8x!tt.ptr<f32>>
  %column_tile = tt.broadcast %columns : tensor<1x8xi32> -> tensor<4x8xi32>
  %pointers = tt.addptr %row_tile, %column_tile : tensor<4x8x!tt.ptr<f32>>, tensor<4x8xi32>""",
        )
    )
    assert plan.row_stride == Scalar((), 1, i32)
    assert names(plan.row_offset) == ["row"]


def test_constants_and_missing_offsets() -> None:
    plan = plan_of(
        parse_kernel(
            rows="\n  %rows = tt.expand_dims %range_m {axis = 1 : i32} : tensor<4xi32> -> tensor<4x1xi32>",
            columns="""
  %n = tt.expand_dims %range_n {axis = 0 : i32} : tensor<8xi32> -> tensor<1x8xi32>
  %sixteen = arith.constant dense<16> : tensor<1x8xi32>
  %columns = arith.addi %n, %sixteen : tensor<1x8xi32>""",
            scaled="""
  %hundred = arith.constant dense<100> : tensor<4x1xi32>
  %scaled = arith.muli %rows, %hundred : tensor<4x1xi32>""",
            row_test="""
  %sixty = arith.constant dense<60> : tensor<4x1xi32>
  %row_test = arith.cmpi slt, %rows, %sixty : tensor<4x1xi32>""",
        )
    )
    assert (plan.row_offset, plan.column_offset) == (Scalar((), 0, i32), Scalar((), 16, i32))
    assert (plan.row_stride, plan.row_bound) == (Scalar((), 100, i32), Scalar((), 60, i32))


def test_rows_of_64_bits_with_a_stride_of_32() -> None:
    """`rows.to(tl.int64) * stride`: the sum is one of 32 bits, the product one of 64."""
    plan = plan_of(
        parse_kernel(
            scaled="""
  %rows_wide = arith.extsi %rows : tensor<4x1xi32> to tensor<4x1xi64>
  %stride_splat = tt.splat %stride : i32 -> tensor<4x1xi32>
  %stride_wide = arith.extsi %stride_splat : tensor<4x1xi32> to tensor<4x1xi64>
  %scaled = arith.muli %rows_wide, %stride_wide : tensor<4x1xi64>""",
            pointers=PARTS["pointers"].replace("tensor<4x1xi32>", "tensor<4x1xi64>"),
        )
    )
    assert plan.row_offset.type == i32
    assert plan.row_stride.type == i64
    assert names(plan.row_stride) == ["stride"]


def test_bounds_are_taken_as_they_are_written() -> None:
    """Each axis has the bound it is compared with, whatever the bound means to the program."""
    text = {name: PARTS[name].replace("rows_end", "X").replace("columns_end", "rows_end") for name in PARTS}
    swapped = {name: text[name].replace("%X", "%columns_end") for name in ("row_test", "column_test")}
    plan = plan_of(parse_kernel(**swapped))
    assert (names(plan.row_bound), names(plan.column_bound)) == (["columns_end"], ["rows_end"])


def test_unsigned_bounds() -> None:
    parts = {name: PARTS[name].replace("slt", "ult") for name in ("row_test", "column_test")}
    assert plan_of(parse_kernel(**parts)).is_unsigned
    assert not plan_of(parse_kernel()).is_unsigned


# Near misses

NEAR_MISSES = {
    "derived base pointer": (
        {
            "pointers": PARTS["pointers"].replace(
                "%base = tt.splat %a",
                "%moved = tt.addptr %a, %row : !tt.ptr<f32>, i32\n  %base = tt.splat %moved",
            )
        },
        "the base pointer comes from tt.addptr, expected a pointer argument of the kernel",
    ),
    "no mask": (
        {"mask": "", "load": "\n  %x = tt.load %pointers : tensor<4x8x!tt.ptr<f32>>"},
        "the load has no mask",
    ),
    "a mask without a condition on the columns": (
        {"mask": "\n  %mask = tt.broadcast %row_test : tensor<4x1xi1> -> tensor<4x8xi1>"},
        "the mask has no bound for the columns",
    ),
    "a mask without a condition on the rows": (
        {"mask": "\n  %mask = tt.broadcast %column_test : tensor<1x8xi1> -> tensor<4x8xi1>"},
        "the mask has no bound for the rows",
    ),
    "a mask of other rows": (
        {
            "row_test": """
  %rows_end_splat = tt.splat %rows_end : i32 -> tensor<4x1xi32>
  %row_test = arith.cmpi slt, %m, %rows_end_splat : tensor<4x1xi32>"""
        },
        "the mask compares other rows than those of the pointer",
    ),
    "two conditions on the rows": (
        {
            "mask": PARTS["mask"].replace(
                "%column_test_tile = tt.broadcast %column_test : tensor<1x8xi1>",
                "%column_test_tile = tt.broadcast %row_test : tensor<4x1xi1>",
            )
        },
        "the mask has two conditions on the rows, expected one",
    ),
    "a bound on the wrong side": (
        {
            "row_test": """
  %rows_end_splat = tt.splat %rows_end : i32 -> tensor<4x1xi32>
  %row_test = arith.cmpi slt, %rows_end_splat, %rows : tensor<4x1xi32>"""
        },
        "the mask compares bound < offset, expected offset < bound",
    ),
    "less or equal": (
        {"row_test": PARTS["row_test"].replace("slt", "sle")},
        "the mask compares with `<=`, expected `<`",
    ),
    "unsigned less": (
        {"column_test": PARTS["column_test"].replace("slt", "ult")},
        "the mask compares with `unsigned <`, expected `<`",
    ),
    "a mask that is no comparison": (
        {"mask": "\n  %mask = arith.constant dense<true> : tensor<4x8xi1>"},
        "a part of the mask comes from arith.constant, expected a comparison",
    ),
    "a bound that is a tensor": (
        {
            "parameters": PARTS["parameters"] + ", %ends: tensor<4x1xi32>",
            "row_test": "\n  %row_test = arith.cmpi slt, %rows, %ends : tensor<4x1xi32>",
        },
        "the bound in the mask is a tensor, expected a scalar",
    ),
    "other is one": (
        {"other": "\n  %other = arith.constant dense<1.000000e+00> : tensor<4x8xf32>"},
        "`other` is not zero",
    ),
    "other is a negative zero": (
        {"other": "\n  %other = arith.constant dense<-0.000000e+00> : tensor<4x8xf32>"},
        "`other` is not zero",
    ),
    "other is not known": (
        {
            "parameters": PARTS["parameters"] + ", %fill: f32",
            "other": "\n  %other = tt.splat %fill : f32 -> tensor<4x8xf32>",
        },
        "`other` is not zero",
    ),
    "a stride that is a tensor": (
        {
            "parameters": PARTS["parameters"] + ", %strides: tensor<4x1xi32>",
            "scaled": "\n  %scaled = arith.muli %rows, %strides : tensor<4x1xi32>",
        },
        "the stride of the rows is a tensor, expected a scalar",
    ),
    "a range that starts at 4": (
        {"ranges": PARTS["ranges"].replace("end = 4 : i32, start = 0", "end = 8 : i32, start = 4")},
        "tl.arange starts at 4, expected 0",
    ),
    "rows that wrap around": (
        {
            "rows": """
  %m = tt.expand_dims %range_m {axis = 1 : i32} : tensor<4xi32> -> tensor<4x1xi32>
  %end = tt.splat %rows_end : i32 -> tensor<4x1xi32>
  %rows = arith.remsi %m, %end : tensor<4x1xi32>"""
        },
        "the rows come from arith.remsi, expected a scalar plus tl.arange",
    ),
    "a column-major tile": (
        {
            "scaled": """
  %stride_splat = tt.splat %stride : i32 -> tensor<1x8xi32>
  %scaled = arith.muli %columns, %stride_splat : tensor<1x8xi32>""",
            "pointers": PARTS["pointers"]
            .replace("%base, %scaled", "%base, %rows")
            .replace("%column_tile = tt.broadcast %columns", "%column_tile = tt.broadcast %scaled"),
        },
        "the columns are multiplied by the stride and not the rows: a column-major tile",
    ),
    "columns with a stride": (
        {
            "columns": PARTS["columns"].replace("%columns =", "%columns_alone =")
            + "\n  %columns = arith.muli %columns_alone, %column_splat : tensor<1x8xi32>"
        },
        "the columns are multiplied by a stride, expected neighbouring columns",
    ),
    "a pointer without columns": (
        {
            "pointers": """
  %base = tt.splat %a : !tt.ptr<f32> -> tensor<4x1x!tt.ptr<f32>>
  %row_pointers = tt.addptr %base, %scaled : tensor<4x1x!tt.ptr<f32>>, tensor<4x1xi32>
  %pointers = tt.broadcast %row_pointers : tensor<4x1x!tt.ptr<f32>> -> tensor<4x8x!tt.ptr<f32>>"""
        },
        "the pointer does not depend on the columns",
    ),
    "rows added twice": (
        {
            "pointers": PARTS["pointers"]
            + """
  %rows_tile = tt.broadcast %rows : tensor<4x1xi32> -> tensor<4x8xi32>
  %pointers_2 = tt.addptr %pointers, %rows_tile : tensor<4x8x!tt.ptr<f32>>, tensor<4x8xi32>""",
            "load": "\n  %x = tt.load %pointers_2, %mask, %other : tensor<4x8x!tt.ptr<f32>>",
        },
        "the pointer has two terms that depend on the rows, expected one",
    ),
    "rows times columns": (
        {
            "pointers": """
  %row_tile = tt.broadcast %rows : tensor<4x1xi32> -> tensor<4x8xi32>
  %column_tile = tt.broadcast %columns : tensor<1x8xi32> -> tensor<4x8xi32>
  %offsets = arith.muli %column_tile, %row_tile : tensor<4x8xi32>
  %base = tt.splat %a : !tt.ptr<f32> -> tensor<4x8x!tt.ptr<f32>>
  %pointers = tt.addptr %base, %offsets : tensor<4x8x!tt.ptr<f32>>, tensor<4x8xi32>"""
        },
        "arith.muli mixes rows and columns, expected a sum of both",
    ),
    "pointers that are an argument": (
        {
            "parameters": PARTS["parameters"] + ", %pointers: tensor<4x8x!tt.ptr<f32>>",
            "pointers": "",
        },
        "the tensor of pointers comes from an argument, expected base + rows * row_stride + columns",
    ),
    "a volatile load": (
        {"load": "\n  %x = tt.load %pointers, %mask, %other {isVolatile = true} : tensor<4x8x!tt.ptr<f32>>"},
        "the load is volatile",
    ),
}


@pytest.mark.parametrize(("parts", "reason"), NEAR_MISSES.values(), ids=NEAR_MISSES.keys())
def test_near_misses(parts: dict[str, str], reason: str) -> None:
    """Each is left as it was, with a remark that names the condition that fails."""
    module = parse_kernel(**parts)
    with pytest.raises(NearMiss) as error:
        plan_of(module)
    assert str(error.value) == reason
    before = print_module(module)
    with collect_remarks() as remarks:
        MatchDotOperands().apply(Context(), module)
    assert print_module(module) == before
    assert f"operand a of tl.dot is not copied directly to shared memory: {reason}" in [r.message for r in remarks]


@pytest.mark.parametrize(
    ("pointer_type", "reason"),
    [
        ("tensor<4x!tt.ptr<f32>>", "the loaded tensor has rank 1, expected 2"),
        ("tensor<2x4x8x!tt.ptr<f32>>", "the loaded tensor has rank 3, expected 2"),
        ("!tt.ptr<f32>", "the load reads a scalar, expected a tensor of rank 2"),
    ],
)
def test_other_ranks(pointer_type: str, reason: str) -> None:
    module = parse_module(f"tt.func @f(%p: {pointer_type}) {{\n  %x = tt.load %p : {pointer_type}\n  tt.return\n}}")
    with pytest.raises(NearMiss) as error:
        plan_of(module)
    assert str(error.value) == reason


# In loops

TRITON_TEXT = Path(__file__).parents[2] / "filecheck" / "ttir" / "matmul.ttir"


def test_plans_of_a_matmul_that_triton_wrote() -> None:
    """A's column offset and B's row offset are the loop's index."""
    module = parse_module(TRITON_TEXT.read_text(), TRITON_TEXT.name)
    (loop,) = (op for op in module.walk() if isinstance(op, scf.ForOp))
    (dot,) = (op for op in module.walk() if isinstance(op, tt.DotOp))
    index = loop.body.block.args[0]
    a, b = (plan_global_tile(load) for load in (dot.a.owner, dot.b.owner) if isinstance(load, tt.LoadOp))

    def block_offset(value: SSAValue) -> tuple[str | None, list[str | None]]:
        return value.name_hint, [operand.name_hint for operand in value.owner.operands]  # type: ignore[union-attr]

    assert a.base.name_hint == "a_ptr"
    assert block_offset(a.row_offset.terms[0]) == ("rows", ["pid_m", "c16_i32"])
    assert a.column_offset.terms == (index,)
    assert [names(s) for s in (a.row_stride, a.row_bound, a.column_bound)] == [["K"], ["M"], ["K"]]
    assert (a.other, a.shape) == (FloatAttr(0.0, f32), (16, 8))

    assert b.base.name_hint == "b_ptr"
    assert b.row_offset.terms == (index,)
    assert block_offset(b.column_offset.terms[0]) == ("columns", ["pid_n", "c16_i32"])
    assert [names(s) for s in (b.row_stride, b.row_bound, b.column_bound)] == [["N"], ["K"], ["N"]]
    assert (b.other, b.shape) == (FloatAttr(0.0, f32), (8, 16))


def test_nested_loops() -> None:
    """The indices of both loops are offsets; the tile is described where the load was, inside both."""
    body = "".join(PARTS[name] for name in PARTS if name != "parameters")
    module = parse_module(f"""
tt.func @kernel(%a: !tt.ptr<f32>, %stride: i32, %rows_end: i32, %columns_end: i32, %zero: i32, %step: i32) {{
  scf.for %row = %zero to %rows_end step %step : i32 {{
    scf.for %column = %zero to %columns_end step %step : i32 {{{body}
    }}
  }}
  tt.return
}}""")
    check_plan(plan_of(module))
    MatchDotOperands().apply(Context(), module)
    module.verify()
    outer, inner = (op for op in module.walk() if isinstance(op, scf.ForOp))
    (tile,) = (op for op in module.walk() if isinstance(op, ttg.GlobalTileOp))
    assert tile.parent is inner.body.block
    assert (tile.row_offset, tile.column_offset) == (outer.body.block.args[0], inner.body.block.args[0])


# Rewriting


def test_locations_and_names_are_kept() -> None:
    module = parse_module(TRITON_TEXT.read_text(), TRITON_TEXT.name)
    (dot,) = (op for op in module.walk() if isinstance(op, tt.DotOp))
    load = dot.a.owner
    assert isinstance(load, tt.LoadOp)
    location, name = load.location, load.result.name_hint
    MatchDotOperands().apply(Context(), module)
    loaded = dot.a.owner
    assert isinstance(loaded, ttg.LoadTileOp)
    tile = loaded.tile.owner
    assert isinstance(tile, ttg.GlobalTileOp)
    assert (loaded.location, tile.location) == (location, location)
    assert loaded.result.name_hint == name


def test_a_load_that_two_dots_use_is_one_tile() -> None:
    dot = PARTS["dot"] + "\n  %e = tt.dot %x, %b, %d : tensor<4x8xf32> * tensor<8x4xf32> -> tensor<4x4xf32>"
    module = parse_kernel(dot=dot)
    MatchDotOperands().apply(Context(), module)
    module.verify()
    assert len([op for op in module.walk() if isinstance(op, ttg.LoadTileOp)]) == 1


def test_exactly_what_only_the_load_needed_vanishes() -> None:
    """The rows have another user, and so stays what they are computed from; all else is gone."""
    module = parse_kernel(
        parameters=PARTS["parameters"] + ", %out: tensor<4x1x!tt.ptr<i32>>",
        dot=PARTS["dot"] + "\n  tt.store %out, %rows : tensor<4x1x!tt.ptr<i32>>",
    )
    MatchDotOperands().apply(Context(), module)
    module.verify()
    (function,) = module.body.block.ops
    assert isinstance(function, tt.FuncOp)
    left = [op.name for op in function.body.block.ops]
    kept = ["tt.make_range", "tt.expand_dims", "tt.splat", "arith.addi"]
    staged = ["arith.constant", "ttg.global_tile", "ttg.load_tile"]
    assert left == [*kept, *staged, "arith.constant", "arith.constant", "tt.dot", "tt.store", "tt.return"]
