"""The `ttg` dialect: `tt` programs that know where each element lives.

Every tensor carries a layout (see layouts.py). Beside the layouts the dialect has global tiles (what a masked load of a
matrix tile means, before any data moves), buffers in shared memory, copies between the two, and barriers.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import ClassVar, TypeAlias

from xdsl.dialects.builtin import (
    I1,
    I32,
    AnyFloat,
    ArrayAttr,
    DenseArrayBase,
    FixedBitwidthType,
    IntAttr,
    IntegerAttr,
    IntegerType,
    NoneAttr,
    StringAttr,
    TensorType,
    UnitAttr,
    i1,
    i32,
)
from xdsl.ir import Attribute, Dialect, Operation, ParametrizedAttribute, Region, SSAValue, TypeAttribute
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    ParsePropInAttrDict,
    VarConstraint,
    irdl_attr_definition,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    param_def,
    prop_def,
    region_def,
    result_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.irdl.declarative_assembly_format import (
    AttributeVariable,
    CustomDirective,
    ParsingState,
    PrintingState,
    irdl_custom_directive,
)
from xdsl.parser import AttrParser, Parser
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.printer import Printer
from xdsl.traits import (
    HasCanonicalizationPatternsTrait,
    MemoryReadEffect,
    MemoryWriteEffect,
    Pure,
    RecursiveMemoryEffect,
)
from xdsl.utils.exceptions import VerifyException

from mytriton.dialects.arith import integer_constant
from mytriton.dialects.building import SEGMENT_SIZES, i32_array, i32_attribute, initialize, value_of
from mytriton.dialects.enum_directive import parse_enum_word
from mytriton.dialects.float8 import float8_format
from mytriton.dialects.layouts import LAYOUT_ATTRIBUTES, SharedEncodingAttr
from mytriton.dialects.linear_layout import padded_shape
from mytriton.dialects.quick_access import quicken
from mytriton.dialects.tensor_types import (
    FixedWidthIntegerLike,
    I1LikeVariable,
    element_type,
    is_tensor_type,
    shape_of,
)
from mytriton.dialects.tt import PointerType

Value: TypeAlias = SSAValue | Operation


class ShapedDescription(ParametrizedAttribute, TypeAttribute):
    """A type made of a static shape and an element type."""

    shape: ArrayAttr[IntAttr] = param_def()
    element_type: Attribute = param_def()

    def get_shape(self) -> tuple[int, ...]:
        return tuple(extent.data for extent in self.shape)

    @property
    def size(self) -> int:
        """How many elements there are."""
        return prod(self.get_shape())

    @property
    def nbytes(self) -> int:
        """How many bytes the elements take (a boolean takes one byte)."""
        return self.size * element_bytes(self.element_type)

    def _verify_shape(self) -> None:
        if not self.shape.data or any(extent.data <= 0 for extent in self.shape):
            raise VerifyException(f"!{self.name}: every extent must be positive, got {list(self.get_shape())}")


def element_bytes(element_type: Attribute) -> int:
    """How many bytes one element takes in memory: pointers 8, booleans 1."""
    if isinstance(element_type, PointerType):
        return 8
    if isinstance(element_type, FixedBitwidthType):
        return max(1, element_type.bitwidth // 8)
    raise VerifyException(f"{element_type} has no size in memory")


def _shape_attr(shape: Sequence[int]) -> ArrayAttr[IntAttr]:
    return ArrayAttr([IntAttr(extent) for extent in shape])


@irdl_attr_definition
class GlobalTileType(ShapedDescription):
    """A tile of a matrix in global memory: `!ttg.global_tile<4x16xf32>`."""

    name = "ttg.global_tile"

    shape: ArrayAttr[IntAttr] = param_def()
    element_type: Attribute = param_def()

    def __init__(self, shape: Sequence[int] | ArrayAttr[IntAttr], element_type: Attribute):
        super().__init__(shape if isinstance(shape, ArrayAttr) else _shape_attr(shape), element_type)

    def verify(self) -> None:
        self._verify_shape()

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            shape, element_type = parser.parse_ranked_shape()
        return (_shape_attr(shape), element_type)

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string("".join(f"{extent}x" for extent in self.get_shape()))
            printer.print_attribute(self.element_type)


@irdl_attr_definition
class MemDescType(ShapedDescription):
    """A buffer in shared memory: `!ttg.memdesc<4x16xf32, #ttg.swizzled_shared<{...}>>`.

    The encoding says how the element at a coordinate is addressed; without one it is row-major.
    """

    name = "ttg.memdesc"

    shape: ArrayAttr[IntAttr] = param_def()
    element_type: Attribute = param_def()
    encoding: Attribute = param_def()

    def __init__(
        self,
        shape: Sequence[int] | ArrayAttr[IntAttr],
        element_type: Attribute,
        encoding: Attribute | None = None,
    ):
        super().__init__(
            shape if isinstance(shape, ArrayAttr) else _shape_attr(shape),
            element_type,
            encoding or NoneAttr(),
        )

    def verify(self) -> None:
        self._verify_shape()

    @property
    def nbytes(self) -> int:
        """How many bytes the buffer takes, with the padding of its encoding."""
        if isinstance(self.encoding, SharedEncodingAttr):
            return self.encoding.element_count(self.get_shape()) * element_bytes(self.element_type)
        return super().nbytes

    @property
    def rank(self) -> int:
        return len(self.shape)

    @property
    def rows(self) -> int:
        return self.get_shape()[0]

    @property
    def columns(self) -> int:
        return self.get_shape()[-1]

    def element(self, *coordinates: int) -> int:
        """The position of an element in row-major order, counted in elements."""
        position = 0
        for extent, coordinate in zip(self.get_shape(), coordinates, strict=True):
            if not 0 <= coordinate < extent:
                raise IndexError(f"{coordinates} is outside {self.get_shape()}")
            position = position * extent + coordinate
        return position

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            shape, element_type = parser.parse_ranked_shape()
            encoding: Attribute = NoneAttr()
            if parser.parse_optional_punctuation(","):
                encoding = parser.parse_attribute()
        return (_shape_attr(shape), element_type, encoding)

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string("".join(f"{extent}x" for extent in self.get_shape()))
            printer.print_attribute(self.element_type)
            if not isinstance(self.encoding, NoneAttr):
                printer.print_string(", ")
                printer.print_attribute(self.encoding)


def _same_shape_and_element(what: str, left: Attribute, right: Attribute) -> None:
    left_shape, left_element = _shape_and_element(left)
    right_shape, right_element = _shape_and_element(right)
    if left_shape != right_shape or left_element != right_element:
        raise VerifyException(f"{what}: {left} and {right} differ in shape or element type")


def _shape_and_element(described: Attribute) -> tuple[tuple[int, ...], Attribute]:
    if isinstance(described, GlobalTileType | MemDescType):
        return described.get_shape(), described.element_type
    if is_tensor_type(described):
        return described.get_shape(), described.element_type
    raise VerifyException(f"expected a tensor, a tile or a buffer, got {described}")


@irdl_op_definition
class ConvertLayoutOp(IRDLOperation):
    """The same tensor with its elements moved to where another layout wants them."""

    name = "ttg.convert_layout"
    src = operand_def(TensorType)
    result = result_def(TensorType)
    traits = traits_def(Pure())
    assembly_format = "$src attr-dict `:` type($src) `->` type($result)"

    def __init__(self, src: Value, result_type: Attribute):
        initialize(self, (value_of(src),), (result_type,))

    def verify_(self) -> None:
        _same_shape_and_element("ttg.convert_layout", self.src.type, self.result.type)


@irdl_op_definition
class GlobalTileOp(IRDLOperation):
    """Says which tile of which matrix is meant; no data moves.

    Element (i, j) is base[(row_offset + i) * row_stride + column_offset + j] where row_offset + i < row_bound and
    column_offset + j < column_bound, and `other` elsewhere. All integers are signed; each sum is one of its offset's
    type, and where two types meet, in the product and in the comparisons, the narrower value is extended. The product
    and the column are added to the pointer one after the other, so their sum does not wrap. With `unsigned` the
    comparisons take their operands, after that, as unsigned: no bound is negative, and what is before the matrix is
    `other` too.

        %t = ttg.global_tile %a[%row, %column] stride %K bounds[%M, %K] other %zero
               : !tt.ptr<f32>, i32, i32, i32, i32, i32, f32 -> !ttg.global_tile<4x16xf32>
    """

    name = "ttg.global_tile"
    base = operand_def(PointerType)
    row_offset = operand_def(IntegerType)
    column_offset = operand_def(IntegerType)
    row_stride = operand_def(IntegerType)
    row_bound = operand_def(IntegerType)
    column_bound = operand_def(IntegerType)
    other = operand_def()
    unsigned = opt_prop_def(UnitAttr)
    result = result_def(GlobalTileType)
    traits = traits_def(Pure())
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = (
        "$base `[` $row_offset `,` $column_offset `]` `stride` $row_stride"
        " `bounds` `[` $row_bound `,` $column_bound `]` `other` $other attr-dict"
        " `:` type($base) `,` type($row_offset) `,` type($column_offset) `,` type($row_stride)"
        " `,` type($row_bound) `,` type($column_bound) `,` type($other) `->` type($result)"
    )

    def __init__(
        self,
        base: Value,
        row_offset: Value,
        column_offset: Value,
        row_stride: Value,
        row_bound: Value,
        column_bound: Value,
        other: Value,
        shape: Sequence[int],
        is_unsigned: bool = False,
    ):
        other = SSAValue.get(other)
        super().__init__(
            operands=[base, row_offset, column_offset, row_stride, row_bound, column_bound, other],
            properties={"unsigned": UnitAttr() if is_unsigned else None},
            result_types=[GlobalTileType(shape, other.type)],
        )

    def verify_(self) -> None:
        assert isinstance(self.base.type, PointerType) and isinstance(self.result.type, GlobalTileType)
        tile = self.result.type
        if len(tile.get_shape()) != 2:
            raise VerifyException(f"ttg.global_tile has rows and columns, got {tile}")
        if not self.base.type.pointee == tile.element_type == self.other.type:
            raise VerifyException(
                f"ttg.global_tile: {self.base.type}, other {self.other.type} and {tile} differ in their element type"
            )


@irdl_op_definition
class LoadTileOp(IRDLOperation):
    """The elements of a global tile as a tensor."""

    name = "ttg.load_tile"
    tile = operand_def(GlobalTileType)
    result = result_def(TensorType)
    traits = traits_def(MemoryReadEffect())
    assembly_format = "$tile attr-dict `:` type($tile) `->` type($result)"

    def __init__(self, tile: Value, result_type: Attribute):
        initialize(self, (value_of(tile),), (result_type,))

    def verify_(self) -> None:
        _same_shape_and_element("ttg.load_tile", self.tile.type, self.result.type)


@irdl_op_definition
class LocalAllocOp(IRDLOperation):
    """A buffer in shared memory, for the whole kernel; `offset` is its first byte in the block's shared memory."""

    name = "ttg.local_alloc"
    buffer_name = opt_prop_def(StringAttr)
    offset = opt_prop_def(IntegerAttr[I32])
    result = result_def(MemDescType)
    # Not Pure: two buffers of one type are not the same buffer.
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "(`name` $buffer_name^)? attr-dict `:` type($result)"

    def __init__(self, memdesc_type: MemDescType, buffer_name: str | None = None, offset: int | None = None):
        super().__init__(
            properties={
                "buffer_name": StringAttr(buffer_name) if buffer_name else None,
                "offset": None if offset is None else IntegerAttr(offset, 32),
            },
            result_types=[memdesc_type],
        )

    def verify_(self) -> None:
        if self.offset is not None and (self.offset.value.data < 0 or self.offset.value.data % 16):
            raise VerifyException(f"ttg.local_alloc: the offset is a multiple of 16, got {self.offset.value.data}")


@irdl_op_definition
class CopyTileOp(IRDLOperation):
    """All threads of the block copy a global tile into a buffer; every element of the buffer is written."""

    name = "ttg.copy_tile"
    tile = operand_def(GlobalTileType)
    buffer = operand_def(MemDescType)
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    assembly_format = "$tile `,` $buffer attr-dict `:` type($tile) `->` type($buffer)"

    def __init__(self, tile: Value, buffer: Value):
        super().__init__(operands=[tile, buffer])

    def verify_(self) -> None:
        _same_shape_and_element("ttg.copy_tile", self.tile.type, self.buffer.type)


@irdl_op_definition
class LocalStoreOp(IRDLOperation):
    """Each thread writes its elements of a tensor into a buffer."""

    name = "ttg.local_store"
    src = operand_def(TensorType)
    buffer = operand_def(MemDescType)
    traits = traits_def(MemoryWriteEffect())
    assembly_format = "$src `,` $buffer attr-dict `:` type($src) `->` type($buffer)"

    def __init__(self, src: Value, buffer: Value):
        initialize(self, (value_of(src), value_of(buffer)))

    def verify_(self) -> None:
        _same_shape_and_element("ttg.local_store", self.src.type, self.buffer.type)


@irdl_op_definition
class LocalLoadOp(IRDLOperation):
    """Each thread reads its elements of a tensor from a buffer.

    `ttg.local_load %b` reads the whole buffer; the tensor may then have another shape of the same size, and the
    elements are taken in row-major order. `ttg.local_load %b[%i, %j]` reads the part whose first element is (i, j);
    that part must lie inside the buffer. With `strides` its elements are that far apart along each dimension.
    """

    name = "ttg.local_load"
    buffer = operand_def(MemDescType)
    offsets = var_operand_def(i32)
    strides = opt_prop_def(DenseArrayBase[I32])
    result = result_def(TensorType)
    traits = traits_def(MemoryReadEffect())
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$buffer (`[` $offsets^ `]`)? attr-dict `:` type($buffer) `->` type($result)"

    def __init__(
        self,
        buffer: Value,
        result_type: Attribute,
        offsets: Sequence[Value] = (),
        strides: DenseArrayBase[I32] | None = None,
    ):
        properties: dict[str, Attribute] = {} if strides is None else {"strides": strides}
        initialize(self, [value_of(value) for value in (buffer, *offsets)], (result_type,), properties)

    @property
    def steps(self) -> tuple[int, ...]:
        """The stride along each dimension of the buffer."""
        if self.strides is not None:
            return tuple(self.strides.get_values())
        assert isinstance(self.buffer.type, MemDescType)
        return (1,) * self.buffer.type.rank

    def verify_(self) -> None:
        buffer_shape, buffer_element = _shape_and_element(self.buffer.type)
        shape, element = _shape_and_element(self.result.type)
        if buffer_element != element:
            raise VerifyException(f"ttg.local_load: {self.buffer.type} does not hold {self.result.type}")
        if not self.offsets:
            if prod(buffer_shape) != prod(shape):
                raise VerifyException(f"ttg.local_load: {self.buffer.type} and {self.result.type} differ in size")
            return
        if len(self.offsets) != len(buffer_shape) or len(shape) != len(buffer_shape):
            raise VerifyException(f"ttg.local_load: {len(buffer_shape)} offsets expected, got {len(self.offsets)}")
        if len(self.steps) != len(buffer_shape):
            raise VerifyException(f"ttg.local_load: {len(buffer_shape)} strides expected, got {len(self.steps)}")
        if any(part > whole for part, whole in zip(shape, buffer_shape, strict=True)):
            raise VerifyException(f"ttg.local_load: {self.result.type} is larger than {self.buffer.type}")


@irdl_op_definition
class InBoundsOp(IRDLOperation):
    """True for the elements of a tensor, false for the padding of a dimension that is no power of two."""

    name = "ttg.in_bounds"
    result = result_def(TensorType)
    traits = traits_def(Pure())
    assembly_format = "attr-dict `:` type($result)"

    def __init__(self, result_type: Attribute):
        initialize(self, (), (result_type,))

    def verify_(self) -> None:
        _, element = _shape_and_element(self.result.type)
        if element != i1:
            raise VerifyException(f"ttg.in_bounds is a tensor of i1, got {self.result.type}")


@irdl_op_definition
class DotOp(IRDLOperation):
    """a * b + acc with both operands in shared memory: [M, K] x [K, N] + [M, N], or a batch of these in front."""

    name = "ttg.dot"
    a = operand_def(MemDescType)
    b = operand_def(MemDescType)
    acc = operand_def(TensorType)
    input_precision = prop_def(StringAttr, default_value=StringAttr("ieee"))
    result = result_def(TensorType)
    traits = traits_def(MemoryReadEffect())
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$a `,` $b `,` $acc attr-dict `:` type($a) `*` type($b) `,` type($acc) `->` type($result)"

    def __init__(self, a: Value, b: Value, acc: Value, input_precision: str = "ieee"):
        acc = value_of(acc)
        properties: dict[str, Attribute] = {"input_precision": StringAttr(input_precision)}
        initialize(self, (value_of(a), value_of(b), acc), (acc.type,), properties)

    def verify_(self) -> None:
        (a, a_element), (b, b_element) = _shape_and_element(self.a.type), _shape_and_element(self.b.type)
        acc, acc_element = _shape_and_element(self.acc.type)
        if not 2 <= len(a) == len(b) <= 3 or a[-1] != b[-2] or a[:-2] != b[:-2] or acc != (*a[:-1], b[-1]):
            raise VerifyException(f"ttg.dot: expected [M, K] x [K, N] + [M, N], got {a} x {b} + {acc}")
        if a_element != b_element and not (float8_format(a_element) and float8_format(b_element)):
            raise VerifyException(f"ttg.dot: the operands' element types differ: {a_element} and {b_element}")
        if isinstance(a_element, AnyFloat) != isinstance(acc_element, AnyFloat):
            raise VerifyException(f"ttg.dot: {a_element} operands cannot accumulate in {acc_element}")
        _same_shape_and_element("ttg.dot", self.acc.type, self.result.type)


@irdl_op_definition
class WarpReduceOp(IRDLOperation):
    """Reduces an axis as far as one warp reaches: the axis keeps one element for each warp along it.

    The region is that of tt.reduce. What is left of the axis is reduced after a layout conversion has brought the
    warps' parts together.
    """

    name = "ttg.warp_reduce"
    srcs = var_operand_def(TensorType)
    axis = prop_def(IntegerAttr[I32])
    outputs = var_result_def(TensorType)
    body = region_def("single_block")
    traits = traits_def(RecursiveMemoryEffect())

    def __init__(self, srcs: Sequence[Value], axis: int, result_types: Sequence[Attribute], body: Region):
        properties: dict[str, Attribute] = {"axis": i32_attribute(axis)}
        initialize(self, [value_of(src) for src in srcs], result_types, properties, (body,))

    def verify_(self) -> None:
        if len(self.srcs) != len(self.outputs) or not self.srcs:
            raise VerifyException("ttg.warp_reduce has as many results as operands, at least one")
        for src, result in zip(self.srcs, self.outputs, strict=True):
            (src_shape, src_element), (shape, element) = _shape_and_element(src.type), _shape_and_element(result.type)
            axis = self.axis.value.data
            if src_element != element or len(src_shape) != len(shape) or not 0 <= axis < len(shape):
                raise VerifyException(f"ttg.warp_reduce along axis {axis} cannot make {result.type} of {src.type}")


@irdl_op_definition
class WarpScanOp(IRDLOperation):
    """Scans an axis as far as one warp reaches, and gives with the elements the total of each warp's part.

    The region is that of tt.scan. The axis of the totals has one element for each warp along it.
    """

    name = "ttg.warp_scan"
    srcs = var_operand_def(TensorType)
    axis = prop_def(IntegerAttr[I32])
    reverse = prop_def(IntegerAttr[I1])
    outputs = var_result_def(TensorType)
    body = region_def("single_block")
    traits = traits_def(RecursiveMemoryEffect())

    def __init__(self, srcs: Sequence[Value], axis: int, reverse: bool, total_types: Sequence[Attribute], body: Region):
        srcs = [SSAValue.get(src) for src in srcs]
        super().__init__(
            operands=[srcs],
            properties={"axis": IntegerAttr(axis, 32), "reverse": IntegerAttr(int(reverse), 1)},
            result_types=[[*(src.type for src in srcs), *total_types]],
            regions=[body],
        )

    @property
    def is_reverse(self) -> bool:
        return self.reverse.value.data != 0

    @property
    def scanned(self) -> Sequence[SSAValue]:
        return self.outputs[: len(self.srcs)]

    @property
    def totals(self) -> Sequence[SSAValue]:
        return self.outputs[len(self.srcs) :]

    def verify_(self) -> None:
        if not self.srcs or len(self.outputs) != 2 * len(self.srcs):
            raise VerifyException("ttg.warp_scan has twice as many results as operands, at least one operand")
        for src, scanned, total in zip(self.srcs, self.scanned, self.totals, strict=True):
            _same_shape_and_element("ttg.warp_scan", src.type, scanned.type)
            _verify_parts("ttg.warp_scan", src.type, total.type, self.axis.value.data)


def _verify_parts(what: str, whole: Attribute, parts: Attribute, axis: int) -> None:
    """Checks that two tensors differ in the extent of one axis at most."""
    (shape, element), (parts_shape, parts_element) = _shape_and_element(whole), _shape_and_element(parts)
    others = [size for dim, size in enumerate(shape) if dim != axis]
    parts_others = [size for dim, size in enumerate(parts_shape) if dim != axis]
    same = element == parts_element and len(shape) == len(parts_shape) and others == parts_others
    if not same or not 0 <= axis < len(shape):
        raise VerifyException(f"{what}: {parts} does not go with {whole} along axis {axis}")


@irdl_op_definition
class WarpPrefixOp(IRDLOperation):
    """Combines what ttg.warp_scan gave with the totals of the warps that come before.

    Operands are the scanned tensors, then the totals in a layout in which each thread has those of all warps for the
    elements that it holds. The region is that of tt.scan.
    """

    name = "ttg.warp_prefix"
    srcs = var_operand_def(TensorType)
    axis = prop_def(IntegerAttr[I32])
    reverse = prop_def(IntegerAttr[I1])
    outputs = var_result_def(TensorType)
    body = region_def("single_block")
    traits = traits_def(RecursiveMemoryEffect())

    def __init__(self, scanned: Sequence[Value], totals: Sequence[Value], axis: int, reverse: bool, body: Region):
        scanned = [SSAValue.get(value) for value in scanned]
        super().__init__(
            operands=[[*scanned, *totals]],
            properties={"axis": IntegerAttr(axis, 32), "reverse": IntegerAttr(int(reverse), 1)},
            result_types=[[value.type for value in scanned]],
            regions=[body],
        )

    @property
    def is_reverse(self) -> bool:
        return self.reverse.value.data != 0

    @property
    def scanned(self) -> Sequence[SSAValue]:
        return self.srcs[: len(self.outputs)]

    @property
    def totals(self) -> Sequence[SSAValue]:
        return self.srcs[len(self.outputs) :]

    def verify_(self) -> None:
        if not self.outputs or len(self.srcs) != 2 * len(self.outputs):
            raise VerifyException("ttg.warp_prefix has twice as many operands as results, at least one result")
        for scanned, total, result in zip(self.scanned, self.totals, self.outputs, strict=True):
            _same_shape_and_element("ttg.warp_prefix", scanned.type, result.type)
            _verify_parts("ttg.warp_prefix", scanned.type, total.type, self.axis.value.data)


@irdl_op_definition
class CompareExchangeOp(IRDLOperation):
    """One step of a bitonic sort: of the elements i and i + distance along an axis, where i has a 0 in the bit of the
    distance, the smaller becomes i where i has a 0 in the bit of `block`, and the larger becomes i elsewhere.

    With `descending` it is the other way round. `block` may be the extent of the axis: no i has a 1 there. With
    `block_axis`, it is the index along that axis which has the bit of `block`. Floats and equal elements are as in
    `tt.compare_exchange`, and integers are signed or `unsigned` as there.
    """

    name = "ttg.compare_exchange"
    src = operand_def(TensorType)
    axis = prop_def(IntegerAttr[I32])
    distance = prop_def(IntegerAttr[I32])
    block = prop_def(IntegerAttr[I32])
    block_axis = opt_prop_def(IntegerAttr[I32])
    descending = opt_prop_def(UnitAttr)
    unsigned = opt_prop_def(UnitAttr)
    result = result_def(TensorType)
    traits = traits_def(Pure())
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$src attr-dict `:` type($src) `->` type($result)"

    def __init__(
        self,
        src: Value,
        axis: int,
        distance: int,
        block: int,
        descending: bool = False,
        block_axis: int | None = None,
        unsigned: bool = False,
    ):
        src = SSAValue.get(src)
        super().__init__(
            operands=[src],
            properties={
                "axis": IntegerAttr(axis, 32),
                "distance": IntegerAttr(distance, 32),
                "block": IntegerAttr(block, 32),
                "block_axis": None if block_axis is None else IntegerAttr(block_axis, 32),
                "descending": UnitAttr() if descending else None,
                "unsigned": UnitAttr() if unsigned else None,
            },
            result_types=[src.type],
        )

    def verify_(self) -> None:
        if self.src.type != self.result.type:
            raise VerifyException(f"ttg.compare_exchange: {self.src.type} and {self.result.type} differ")
        shape, element = _shape_and_element(self.src.type)
        axis, distance, block = self.axis.value.data, self.distance.value.data, self.block.value.data
        block_axis = axis if self.block_axis is None else self.block_axis.value.data
        for number in (axis, block_axis):
            if not isinstance(element, IntegerType | AnyFloat) or not 0 <= number < len(shape):
                raise VerifyException(f"ttg.compare_exchange: {self.src.type} has no numbers along axis {number}")
        powers = not any(number < 1 or number & (number - 1) for number in (distance, block))
        if not powers or (block_axis == axis and block <= distance):
            raise VerifyException(
                f"ttg.compare_exchange: expected a distance and a larger block, powers of two, got {distance} and "
                f"{block}"
            )


@irdl_op_definition
class FlipOp(IRDLOperation):
    """The elements along an axis, whose extent is a power of two, in the opposite order. None changes its warp."""

    name = "ttg.flip"
    src = operand_def(TensorType)
    axis = prop_def(IntegerAttr[I32])
    result = result_def(TensorType)
    traits = traits_def(Pure())
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$src attr-dict `:` type($src) `->` type($result)"

    def __init__(self, src: Value, axis: int):
        src = SSAValue.get(src)
        super().__init__(operands=[src], properties={"axis": IntegerAttr(axis, 32)}, result_types=[src.type])

    def verify_(self) -> None:
        if self.src.type != self.result.type:
            raise VerifyException(f"ttg.flip: {self.src.type} and {self.result.type} differ")
        shape, _ = _shape_and_element(self.src.type)
        axis = self.axis.value.data
        if not 0 <= axis < len(shape) or shape[axis] & (shape[axis] - 1):
            raise VerifyException(f"ttg.flip: expected an extent that is a power of two along axis {axis} of {shape}")


@irdl_op_definition
class RepadOp(IRDLOperation):
    """The same registers as a tensor of another shape, of which each extent has the same next power of two.

    A larger tensor has what was padding as elements; of a smaller one they become padding.
    """

    name = "ttg.repad"
    src = operand_def(TensorType)
    result = result_def(TensorType)
    traits = traits_def(Pure())
    assembly_format = "$src attr-dict `:` type($src) `->` type($result)"

    def __init__(self, src: Value, result_type: Attribute):
        initialize(self, (value_of(src),), (result_type,))

    def verify_(self) -> None:
        source, result = self.src.type, self.result.type
        assert is_tensor_type(source) and is_tensor_type(result)
        same = source.element_type == result.element_type and source.encoding == result.encoding
        if not same or padded_shape(source.get_shape()) != padded_shape(result.get_shape()):
            raise VerifyException(f"ttg.repad: {source} and {result} differ in more than their padding")


@irdl_op_definition
class LocalGatherOp(IRDLOperation):
    """Each thread reads elements of a buffer whose position along one axis it has as a number.

    The other coordinates are those of the index. An index that is out of range gives 0.
    """

    name = "ttg.local_gather"
    buffer = operand_def(MemDescType)
    indices = operand_def(TensorType)
    axis = prop_def(IntegerAttr[I32])
    result = result_def(TensorType)
    traits = traits_def(MemoryReadEffect())
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$buffer `[` $indices `]` attr-dict `:` type($buffer) `,` type($indices) `->` type($result)"

    def __init__(self, buffer: Value, indices: Value, axis: int, result_type: Attribute):
        super().__init__(
            operands=[buffer, indices], properties={"axis": IntegerAttr(axis, 32)}, result_types=[result_type]
        )

    def verify_(self) -> None:
        buffer, element = _shape_and_element(self.buffer.type)
        (indices, _), (shape, result_element) = (_shape_and_element(v.type) for v in (self.indices, self.result))
        if element != result_element or indices != shape or len(shape) != len(buffer):
            raise VerifyException(f"ttg.local_gather: {self.buffer.type} and {self.indices.type} do not give {shape}")


@irdl_op_definition
class LocalHistogramOp(IRDLOperation):
    """Adds 1 to the element of a buffer that each element of a tensor names, where the mask is true or missing.

    Elements that name no element of the buffer are not counted.
    """

    name = "ttg.local_histogram"
    src = operand_def(TensorType)
    mask = opt_operand_def(TensorType)
    buffer = operand_def(MemDescType)
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    assembly_format = "$src `,` $buffer (`if` $mask^ `:` type($mask))? attr-dict `:` type($src) `->` type($buffer)"

    def __init__(self, src: Value, buffer: Value, mask: Value | None = None):
        super().__init__(operands=[src, mask, buffer])

    def verify_(self) -> None:
        shape, _ = _shape_and_element(self.buffer.type)
        if len(shape) != 1:
            raise VerifyException(f"ttg.local_histogram: expected a buffer with one dimension, got {self.buffer.type}")


ADDRESS_SPACES = {"local": 1, "global_read": 2, "global_write": 4, "tensor_read": 8, "tensor_write": 16}
ALL_ADDRESS_SPACES = sum(ADDRESS_SPACES.values())


@irdl_custom_directive
class AddressSpaces(CustomDirective):
    """`all`, `none`, or some of `ADDRESS_SPACES` with `|` between them; nothing where the attribute is absent."""

    attr: AttributeVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        words = {"all": ALL_ADDRESS_SPACES, "none": 0, **ADDRESS_SPACES}
        if (word := parser.parse_optional_keyword_in(words)) is None:
            return
        spaces = words[word]
        while parser.parse_optional_punctuation("|") is not None:
            spaces |= parse_enum_word(parser, ADDRESS_SPACES, "address space")
        self.attr.set(state, i32_attribute(spaces))

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        attr = self.attr.get(op)
        if attr is None:
            return
        assert isinstance(attr, IntegerAttr)
        spaces = attr.value.data
        words = [word for word, bit in ADDRESS_SPACES.items() if spaces & bit]
        state.print_whitespace(printer)
        printer.print_string("all" if spaces == ALL_ADDRESS_SPACES else "|".join(words) or "none")


@irdl_op_definition
class BarrierOp(IRDLOperation):
    """All threads of the block wait for each other; what was written before is seen after.

    With address spaces the program asked for it, and all memory is meant, whatever they are; otherwise it is there for
    the shared memory that the compiler uses.
    """

    name = "ttg.barrier"
    address_spaces = opt_prop_def(IntegerAttr[I32], prop_name="addrSpace")
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    irdl_options = (ParsePropInAttrDict(),)
    custom_directives = (AddressSpaces,)
    assembly_format = "custom<AddressSpaces>($addrSpace) attr-dict"

    def __init__(self, of_program: bool = False):
        initialize(self, properties={"addrSpace": i32_attribute(ALL_ADDRESS_SPACES)} if of_program else {})

    @property
    def of_program(self) -> bool:
        """Whether the program asked for it."""
        return self.address_spaces is not None

    def verify_(self) -> None:
        spaces = self.address_spaces
        if spaces is not None and not 0 <= spaces.value.data <= ALL_ADDRESS_SPACES:
            raise VerifyException(f"expected an addrSpace of 0 to {ALL_ADDRESS_SPACES}, found {spaces.value.data}")


class NothingToCheck(RewritePattern):
    """check 0 -> nothing; check x if false -> nothing"""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        assert isinstance(op, CheckOp)
        if integer_constant(op.shadow) == 0 or (op.mask is not None and integer_constant(op.mask) == 0):
            rewriter.erase(op)


class CheckCanonicalization(HasCanonicalizationPatternsTrait):
    @classmethod
    def get_canonicalization_patterns(cls) -> tuple[RewritePattern, ...]:
        return (NothingToCheck(),)


@irdl_op_definition
class CheckOp(IRDLOperation):
    """Reports each element of a shadow value that is not 0 and is not left out by the mask.

    An element of a shadow is 0, or counts from 1 the operation in `tt.check_origins` of the function that made the
    value a faulty one. `sink` counts the uses in `tt.check_sinks` from 0. The pointer is that of the access, to be
    shown. Of the threads that hold copies of an element one reports it, or each of them with `by_all`, where all of
    them go on to use it.

        ttg.check %shadow at %pointers : tensor<64x!tt.ptr<f32>> if %mask {sink = 0 : i32} : tensor<64xi32>
    """

    name = "ttg.check"
    S: ClassVar = VarConstraint("S", FixedWidthIntegerLike())
    shadow = operand_def(S)
    pointer = opt_operand_def()
    mask = opt_operand_def(I1LikeVariable("S"))
    sink = prop_def(IntegerAttr[I32])
    by_all = opt_prop_def(UnitAttr)
    # Not to be removed, nor moved across the access that it belongs to.
    traits = traits_def(MemoryWriteEffect(), CheckCanonicalization())
    irdl_options = (AttrSizedOperandSegments(as_property=True), ParsePropInAttrDict())
    assembly_format = "$shadow (`at` $pointer^ `:` type($pointer))? (`if` $mask^)? attr-dict `:` type($shadow)"

    def __init__(
        self, shadow: Value, sink: int, pointer: Value | None = None, mask: Value | None = None, by_all: bool = False
    ):
        given = [None if value is None else value_of(value) for value in (pointer, mask)]
        sizes = (1, *(int(value is not None) for value in given))
        initialize(
            self,
            (value_of(shadow), *(value for value in given if value is not None)),
            properties={
                "sink": i32_attribute(sink),
                SEGMENT_SIZES: i32_array(*sizes),
                **({"by_all": UnitAttr()} if by_all else {}),
            },
        )

    def verify_(self) -> None:
        if element_type(self.shadow.type) != i32:
            raise VerifyException(f"ttg.check: a shadow is made of i32, got {self.shadow.type}")
        if self.sink.value.data < 0:
            raise VerifyException(f"ttg.check: uses are counted from 0, got {self.sink.value.data}")
        if self.pointer is None:
            return
        type = self.pointer.type
        if not isinstance(element_type(type), PointerType) or shape_of(type) != shape_of(self.shadow.type):
            raise VerifyException(f"ttg.check: {type} does not hold the pointers for {self.shadow.type}")


TTG = Dialect(
    "ttg",
    [
        ConvertLayoutOp,
        GlobalTileOp,
        LoadTileOp,
        LocalAllocOp,
        CopyTileOp,
        LocalStoreOp,
        LocalLoadOp,
        InBoundsOp,
        DotOp,
        WarpReduceOp,
        WarpScanOp,
        WarpPrefixOp,
        CompareExchangeOp,
        FlipOp,
        RepadOp,
        LocalGatherOp,
        LocalHistogramOp,
        BarrierOp,
        CheckOp,
    ],
    [GlobalTileType, MemDescType, *LAYOUT_ATTRIBUTES],
)

quicken(TTG.operations)
