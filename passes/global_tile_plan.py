"""Finds out which tile of which matrix a masked load reads: analysis for `match-dot-operands`, nothing is rewritten.

The form that is recognized is `base + rows * row_stride + columns` with the mask `(rows < row_bound) & (columns <
column_bound)` and zero elsewhere, in any order and nesting, where rows and columns are each a scalar plus
`tl.arange(0, size)` along their axis.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from xdsl.dialects.builtin import FloatAttr, IntegerAttr, IntegerType, TensorType, i32
from xdsl.ir import Attribute, BlockArgument, Operation, SSAValue
from xdsl.utils.hints import isa

from mytriton.dialects import arith, tt
from mytriton.dialects.constants import constant_attr
from mytriton.dialects.tensor_types import is_tensor_type
from mytriton.passes.scalars import Scalar

ROWS, COLUMNS = 0, 1
AXIS_NAMES = ("rows", "columns")

PREDICATE_SPELLING = {
    "eq": "==",
    "ne": "!=",
    "sle": "<=",
    "sge": ">=",
    "ult": "unsigned <",
    "ule": "unsigned <=",
    "ugt": "unsigned >",
    "uge": "unsigned >=",
}

ZERO_KEEPING_OPS = frozenset(
    op.name
    for op in (
        tt.SplatOp,
        tt.BroadcastOp,
        tt.ExpandDimsOp,
        tt.FpToFpOp,
        arith.SIToFPOp,
        arith.UIToFPOp,
        arith.ExtFOp,
        arith.TruncFOp,
        arith.ExtSIOp,
        arith.ExtUIOp,
        arith.TruncIOp,
    )
)
"""Operations that give zero for zero."""


class NearMiss(Exception):
    """A load is not a tile of a matrix; the text says which condition fails."""


@dataclass(frozen=True)
class AxisRange:
    """The rows (axis 0) or the columns (axis 1) of a tile: `offset + tl.arange(0, size)`."""

    axis: int
    size: int
    offset: Scalar

    def equals(self, other: AxisRange) -> bool:
        return (self.axis, self.size) == (other.axis, other.size) and self.offset.equals(other.offset)


@dataclass(frozen=True)
class GlobalTilePlan:
    """What a load reads: element (i, j) of a tile of `shape` is

        base[(row_offset + i) * row_stride + column_offset + j]

    where row_offset + i < row_bound and column_offset + j < column_bound, and `other` elsewhere. With `is_unsigned`
    both comparisons are of unsigned integers, so what is before the matrix is outside of it too.
    """

    base: SSAValue
    row_offset: Scalar
    column_offset: Scalar
    row_stride: Scalar
    row_bound: Scalar
    column_bound: Scalar
    other: FloatAttr | IntegerAttr
    shape: tuple[int, int]
    is_unsigned: bool = False


def plan_global_tile(load: tt.LoadOp) -> GlobalTilePlan:
    """The tile that `load` reads. Raises NearMiss with the condition that fails if it is not a tile of a matrix."""
    loaded = load.result.type
    if not is_tensor_type(loaded):
        raise NearMiss("the load reads a scalar, expected a tensor of rank 2")
    shape = loaded.get_shape()
    if len(shape) != 2:
        raise NearMiss(f"the loaded tensor has rank {len(shape)}, expected 2")
    if load.is_volatile:
        raise NearMiss("the load is volatile")
    base, rows, columns, row_stride = _match_pointer(load.ptr, (shape[0], shape[1]))
    if load.mask is None:
        raise NearMiss("the load has no mask")
    row_bound, column_bound, is_unsigned = _match_mask(load.mask, rows, columns)
    return GlobalTilePlan(
        base=base,
        row_offset=rows.offset,
        column_offset=columns.offset,
        row_stride=row_stride,
        row_bound=row_bound,
        column_bound=column_bound,
        other=_match_other(load.other, loaded.element_type),
        shape=(shape[0], shape[1]),
        is_unsigned=is_unsigned,
    )


# Tensors. `dims` lists the axis of the tile (0 rows, 1 columns) that each dimension of the tensor stands for.

Dims = tuple[int, ...]


def _peel(value: SSAValue, dims: Dims) -> tuple[SSAValue, Dims]:
    """The value below the operations that only repeat it along an axis."""
    while True:
        owner = value.owner
        if isinstance(owner, tt.BroadcastOp):
            value = owner.src
        elif isinstance(owner, tt.ExpandDimsOp):
            axis = owner.axis.value.data
            value, dims = owner.src, dims[:axis] + dims[axis + 1 :]
        else:
            return value, dims


def _varying(value: SSAValue, dims: Dims) -> frozenset[int]:
    """The axes of the tile along which the elements may differ."""
    value, dims = _peel(value, dims)
    owner = value.owner
    if isinstance(owner, tt.SplatOp) or arith.constant_value(value) is not None:
        return frozenset()
    if isinstance(owner, tt.MakeRangeOp):
        return frozenset(dims)
    if isinstance(owner, Operation) and owner.operands and owner.name.startswith("arith."):
        return frozenset(axis for operand in owner.operands for axis in _varying(operand, dims))
    assert is_tensor_type(value.type)
    return frozenset(dim for dim, extent in zip(dims, value.type.get_shape(), strict=True) if extent != 1)


def _match_scalar(value: SSAValue) -> Scalar | None:
    """The integer that all elements of a tensor are; None if they are not known to be the same."""
    value, _ = _peel(value, ())
    owner = value.owner
    if isinstance(owner, tt.SplatOp):
        return Scalar.of(owner.src) if isinstance(owner.src.type, IntegerType) else None
    if not isa(value.type, TensorType[IntegerType]):
        return None
    number = arith.integer_constant(value)
    if number is not None:
        return Scalar((), number, value.type.element_type)
    if isinstance(owner, arith.ExtSIOp):
        narrow = _match_scalar(owner.input)
        # A sum is not taken apart here: it may wrap in its own type before it is extended.
        if narrow is not None and len(narrow.terms) + bool(narrow.constant) <= 1:
            return replace(narrow, type=value.type.element_type)
    if isinstance(owner, arith.AddiOp):
        lhs, rhs = _match_scalar(owner.lhs), _match_scalar(owner.rhs)
        if lhs is not None and rhs is not None:
            return lhs.plus(rhs)
    return None


def _match_range(value: SSAValue, dims: Dims) -> AxisRange:
    value, dims = _peel(value, dims)
    owner = value.owner
    if isinstance(owner, tt.MakeRangeOp):
        start, end = owner.start.value.data, owner.end.value.data
        if start != 0:
            raise NearMiss(f"tl.arange starts at {start}, expected 0")
        return AxisRange(dims[0], end, Scalar((), 0, i32))
    if isinstance(owner, arith.ExtSIOp):
        narrow = _match_range(owner.input, dims)
        if narrow.offset.is_zero:
            return replace(narrow, offset=Scalar((), 0, _element_type(value)))
        return narrow
    if isinstance(owner, arith.AddiOp):
        for scalar_side, range_side in ((owner.lhs, owner.rhs), (owner.rhs, owner.lhs)):
            scalar = _match_scalar(scalar_side)
            if scalar is None:
                continue
            inner = _match_range(range_side, dims)
            if inner.offset.is_zero:
                return replace(inner, offset=scalar)
            if inner.offset.type != scalar.type:
                raise NearMiss(f"the {AXIS_NAMES[inner.axis]} are summed in two widths")
            return replace(inner, offset=inner.offset.plus(scalar))
    varying = _varying(value, dims)
    what = AXIS_NAMES[next(iter(varying))] if len(varying) == 1 else "offsets"
    raise NearMiss(f"the {what} come from {origin(value)}, expected a scalar plus tl.arange")


def _element_type(value: SSAValue) -> IntegerType:
    assert isa(value.type, TensorType[IntegerType])
    return value.type.element_type


def origin(value: SSAValue) -> str:
    """Where a value comes from, for a remark."""
    owner = value.owner
    if isinstance(owner, Operation):
        return owner.name
    return "an argument" if isinstance(owner.parent_op(), tt.FuncOp) else "a value carried around a loop"


# Pointers


def _match_pointer(pointer: SSAValue, shape: tuple[int, int]) -> tuple[SSAValue, AxisRange, AxisRange, Scalar]:
    """The base, the rows, the columns and the row stride."""
    terms: list[tuple[SSAValue, Dims]] = []
    pointer, dims = _peel(pointer, (ROWS, COLUMNS))
    while isinstance(pointer.owner, tt.AddPtrOp):
        terms += _split_sum(pointer.owner.offset, dims)
        pointer, dims = _peel(pointer.owner.ptr, dims)
    if not isinstance(pointer.owner, tt.SplatOp):
        raise NearMiss(
            f"the tensor of pointers comes from {origin(pointer)}, expected base + rows * row_stride + columns"
        )
    base = _match_base(pointer.owner.src)

    scalars: list[Scalar] = []
    found: list[tuple[AxisRange, Scalar | None] | None] = [None, None]
    for term, dims in terms:
        varying = _varying(term, dims)
        if not varying:
            scalar = _match_scalar(term)
            if scalar is None:
                raise NearMiss(f"a part of the pointer comes from {origin(term)}, expected a scalar")
            scalars.append(scalar)
            continue
        if len(varying) > 1:
            raise NearMiss(f"{origin(_peel(term, dims)[0])} mixes rows and columns, expected a sum of both")
        (axis,) = varying
        if found[axis] is not None:
            raise NearMiss(f"the pointer has two terms that depend on the {AXIS_NAMES[axis]}, expected one")
        found[axis] = _match_product(term, dims)
    rows, columns = found
    if rows is None or columns is None:
        raise NearMiss(f"the pointer does not depend on the {AXIS_NAMES[found.index(None)]}")
    (row_range, row_stride), (column_range, column_stride) = rows, columns
    if column_stride is not None and not column_stride.is_one:
        if row_stride is None or row_stride.is_one:
            raise NearMiss("the columns are multiplied by the stride and not the rows: a column-major tile")
        raise NearMiss("the columns are multiplied by a stride, expected neighbouring columns")
    for axis_range in (row_range, column_range):
        if axis_range.size != shape[axis_range.axis]:
            raise NearMiss(
                f"the {AXIS_NAMES[axis_range.axis]} are {axis_range.size} of {shape[axis_range.axis]}, expected all"
            )
    for scalar in scalars:
        if column_range.offset.is_zero:
            column_range = replace(column_range, offset=scalar)
        elif column_range.offset.type == scalar.type:
            column_range = replace(column_range, offset=column_range.offset.plus(scalar))
        else:
            raise NearMiss("the columns are summed in two widths")
    return base, row_range, column_range, row_stride or Scalar((), 1, row_range.offset.type)


def _match_base(base: SSAValue) -> SSAValue:
    if isinstance(base, BlockArgument):
        function = base.block.parent_op()
        if isinstance(function, tt.FuncOp) and function.body.first_block is base.block:
            return base
    raise NearMiss(f"the base pointer comes from {origin(base)}, expected a pointer argument of the kernel")


def _split_sum(value: SSAValue, dims: Dims) -> list[tuple[SSAValue, Dims]]:
    """The terms of an offset: what depends on rows apart from what depends on columns, and products by themselves."""
    value, dims = _peel(value, dims)
    owner = value.owner
    if isinstance(owner, arith.AddiOp):
        if len(_varying(value, dims)) > 1 or any(_is_product(operand, dims) for operand in owner.operands):
            return _split_sum(owner.lhs, dims) + _split_sum(owner.rhs, dims)
    return [(value, dims)]


def _is_product(value: SSAValue, dims: Dims) -> bool:
    value, dims = _peel_extension(value, dims)
    return isinstance(value.owner, arith.MuliOp) and bool(_varying(value, dims))


def _peel_extension(value: SSAValue, dims: Dims) -> tuple[SSAValue, Dims]:
    value, dims = _peel(value, dims)
    while isinstance(value.owner, arith.ExtSIOp):
        value, dims = _peel(value.owner.input, dims)
    return value, dims


def _match_product(value: SSAValue, dims: Dims) -> tuple[AxisRange, Scalar | None]:
    """`range * stride` in either order, or a range alone."""
    # tt.addptr extends its offset itself.
    product, product_dims = _peel_extension(value, dims)
    owner = product.owner
    if not isinstance(owner, arith.MuliOp):
        return _match_range(value, dims), None
    for scalar_side, range_side in ((owner.rhs, owner.lhs), (owner.lhs, owner.rhs)):
        stride = _match_scalar(scalar_side)
        if stride is not None:
            return _match_range(range_side, product_dims), stride
    (axis,) = _varying(product, product_dims)
    raise NearMiss(f"the stride of the {AXIS_NAMES[axis]} is a tensor, expected a scalar")


# Mask and other


def _match_mask(mask: SSAValue, rows: AxisRange, columns: AxisRange) -> tuple[Scalar, Scalar, bool]:
    """The bounds of the rows and of the columns, and whether they are unsigned."""
    expected = (rows, columns)
    bounds: list[Scalar | None] = [None, None]
    comparisons = _conjuncts(mask, (ROWS, COLUMNS))
    is_unsigned = all(_predicate(value) in ("ult", "ugt") for value, _ in comparisons)
    for comparison, dims in comparisons:
        axis_range, bound = _match_comparison(comparison, dims, is_unsigned)
        axis = axis_range.axis
        if not axis_range.equals(expected[axis]):
            raise NearMiss(f"the mask compares other {AXIS_NAMES[axis]} than those of the pointer")
        if bounds[axis] is not None:
            raise NearMiss(f"the mask has two conditions on the {AXIS_NAMES[axis]}, expected one")
        bounds[axis] = bound
    row_bound, column_bound = bounds
    if row_bound is None or column_bound is None:
        raise NearMiss(f"the mask has no bound for the {AXIS_NAMES[bounds.index(None)]}")
    return row_bound, column_bound, is_unsigned


def _predicate(value: SSAValue) -> str | None:
    return value.owner.predicate_name if isinstance(value.owner, arith.CmpiOp) else None


def _conjuncts(mask: SSAValue, dims: Dims) -> list[tuple[SSAValue, Dims]]:
    mask, dims = _peel(mask, dims)
    if isinstance(mask.owner, arith.AndIOp):
        return _conjuncts(mask.owner.lhs, dims) + _conjuncts(mask.owner.rhs, dims)
    return [(mask, dims)]


def _match_comparison(value: SSAValue, dims: Dims, is_unsigned: bool) -> tuple[AxisRange, Scalar]:
    """`range < bound` or `bound > range`."""
    comparison = value.owner
    if not isinstance(comparison, arith.CmpiOp):
        raise NearMiss(f"a part of the mask comes from {origin(value)}, expected a comparison")
    predicate = comparison.predicate_name
    if predicate not in (("ult", "ugt") if is_unsigned else ("slt", "sgt")):
        raise NearMiss(f"the mask compares with `{PREDICATE_SPELLING[predicate]}`, expected `<`")
    smaller, larger = comparison.lhs, comparison.rhs
    if predicate in ("sgt", "ugt"):
        smaller, larger = larger, smaller
    bound = _match_scalar(larger)
    if bound is None:
        if _match_scalar(smaller) is not None:
            raise NearMiss("the mask compares bound < offset, expected offset < bound")
        raise NearMiss("the bound in the mask is a tensor, expected a scalar")
    return _match_range(smaller, dims), bound


def _match_other(other: SSAValue | None, element_type: Attribute) -> FloatAttr | IntegerAttr:
    """The zero that stands for elements outside the bounds; a load without `other` gives zeros there."""
    zero = constant_attr(element_type, 0)
    assert isinstance(zero, FloatAttr | IntegerAttr)
    if other is None:
        return zero
    source = other
    while isinstance(source.owner, Operation) and source.owner.name in ZERO_KEEPING_OPS:
        source = source.owner.operands[0]
    number = arith.constant_value(source)
    # The sign of a negative zero would survive in a product.
    if number is None or number != 0 or str(number).startswith("-"):
        raise NearMiss("`other` is not zero")
    return zero
