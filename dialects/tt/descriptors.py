"""Tensor descriptors of the `tt` dialect: arrays that are accessed tile by tile, in the text form of Triton 3.9."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import ClassVar

from typing_extensions import TypeVar
from xdsl.dialects.builtin import I32, AnyFloat, IntegerAttr, IntegerType, Signedness, TensorType, i32, i64
from xdsl.ir import Attribute, Operation, ParametrizedAttribute, SSAValue, TypeAttribute
from xdsl.irdl import (
    AttrConstraint,
    AttrSizedOperandSegments,
    BaseAttr,
    IntConstraint,
    IRDLOperation,
    ParsePropInAttrDict,
    VerificationContext,
    irdl_attr_definition,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.irdl.declarative_assembly_format import (
    AttributeVariable,
    CustomDirective,
    ParsingState,
    PrintingState,
    TypeDirective,
    irdl_custom_directive,
)
from xdsl.parser import AttrParser, Parser
from xdsl.printer import Printer
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect, Pure
from xdsl.utils.exceptions import VerifyException

from mytriton.dialects.building import i32_array, i32_attribute, initialize, value_of
from mytriton.dialects.enum_directive import EnumDirective, word_of
from mytriton.dialects.tensor_types import element_type, is_float, is_integer_type, is_tensor_type, shape_of
from mytriton.dialects.tt.constraints import ANY_TENSOR
from mytriton.dialects.tt.types import CachePolicyAttr, PointerType

DESCRIPTOR_REDUCTIONS = {"add": 1, "min": 2, "max": 3, "inc": 4, "dec": 5, "and": 6, "or": 7, "xor": 8}
PADDINGS = {"zero": 1, "nan": 2}


@irdl_attr_definition
class TensorDescType(ParametrizedAttribute, TypeAttribute):
    """An array of which tiles are loaded and stored: `!tt.tensordesc<64x32xf16>` has tiles of 64 by 32.

    The elements say whether they are signed (`si32`, `ui32`), which tensors do not.
    """

    name = "tt.tensordesc"

    block: TensorType

    def __init__(self, shape: Sequence[int], element: Attribute):
        super().__init__(TensorType(element, shape))

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            return (parse_block(parser),)

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            print_block(printer, self.block)

    @property
    def element(self) -> IntegerType | AnyFloat:
        """The type of the elements of its tiles as tensors have it: integers are neither signed nor unsigned."""
        element = self.block.element_type
        if is_integer_type(element):
            return IntegerType(element.width.data)
        assert is_float(element)
        return element

    @property
    def is_unsigned(self) -> bool:
        """Whether the elements are said to be unsigned integers."""
        element = self.block.element_type
        return is_integer_type(element) and element.signedness.data is Signedness.UNSIGNED

    def verify(self) -> None:
        element = self.block.element_type
        if not is_float(element) and not is_integer_type(element):
            raise VerifyException(f"expected a descriptor of integers or floats, found {element}")
        if not self.block.get_shape() or any(size < 1 for size in self.block.get_shape()):
            raise VerifyException(f"expected tiles of positive sizes, found {self.block}")


def parse_block(parser: AttrParser) -> TensorType:
    """`64x32xf16`"""
    position = parser.pos
    shape, element = parser.parse_ranked_shape()
    if any(size < 1 for size in shape):
        parser.raise_error("expected tiles of positive sizes", position, parser.pos)
    return TensorType(element, shape)


def print_block(printer: Printer, block: TensorType) -> None:
    for size in block.get_shape():
        printer.print_string(f"{size}x")
    printer.print_attribute(block.element_type)


DESCRIPTOR = BaseAttr(TensorDescType)


@dataclass(frozen=True)
class IntegerTensor(AttrConstraint):
    """A tensor of integers of 16 or 32 bits."""

    def verify(self, attr: Attribute, constraint_context: VerificationContext) -> None:
        if not is_tensor_type(attr) or attr.element_type not in (IntegerType(16), i32):
            raise VerifyException(f"expected a tensor of integers of 16 or 32 bits, found {attr}")

    def mapping_type_vars(self, type_var_mapping: Mapping[TypeVar, AttrConstraint | IntConstraint]) -> AttrConstraint:
        return self


def _descriptor(value: SSAValue) -> TensorDescType:
    type = value.type
    assert isinstance(type, TensorDescType)
    return type


@irdl_custom_directive
class BaseAndBlock(CustomDirective):
    """`<f16>, <64x32xf16>`: the types of the base pointer and of the descriptor without their names."""

    base: TypeDirective
    result: TypeDirective

    def parse(self, parser: Parser, state: ParsingState) -> None:
        self.base.set(state, (PointerType.new(PointerType.parse_parameters(parser)),))
        parser.parse_punctuation(",")
        with parser.in_angle_brackets():
            block = parse_block(parser)
        self.result.set(state, (TensorDescType.new([block]),))

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        (base,), (result,) = self.base.get(op), self.result.get(op)
        assert isinstance(base, PointerType) and isinstance(result, TensorDescType)
        state.print_whitespace(printer)
        base.print_parameters(printer)
        printer.print_string(", ")
        result.print_parameters(printer)


@irdl_op_definition
class MakeTensorDescOp(IRDLOperation):
    """The descriptor of the array of some shape and strides, in elements, that begins at a pointer.

    `padding` is 1 where elements outside of the array are read as zero, and 2 where they are read as NaN.
    """

    name = "tt.make_tensor_descriptor"

    base = operand_def(BaseAttr(PointerType))
    shape = var_operand_def(i32)
    strides = var_operand_def(i64)
    padding = prop_def(IntegerAttr[I32], default_value=i32_attribute(PADDINGS["zero"]))
    result = result_def(DESCRIPTOR)

    traits = traits_def(Pure())

    irdl_options = (AttrSizedOperandSegments(as_property=True), ParsePropInAttrDict())
    custom_directives = (BaseAndBlock,)
    assembly_format = (
        "$base `,` `[` $shape `]` `,` `[` $strides `]` attr-dict `:` custom<BaseAndBlock>(type($base), type($result))"
    )

    def __init__(
        self,
        base: SSAValue | Operation,
        shape: Sequence[SSAValue],
        strides: Sequence[SSAValue],
        result_type: Attribute,
        padding: str = "zero",
    ):
        initialize(
            self,
            operands=(value_of(base), *shape, *strides),
            result_types=(result_type,),
            properties={
                "padding": i32_attribute(PADDINGS[padding]),
                "operandSegmentSizes": i32_array(1, len(shape), len(strides)),
            },
        )

    @property
    def padding_option(self) -> str:
        """One of `PADDINGS`."""
        return word_of(PADDINGS, self.padding.value.data)

    def verify_(self) -> None:
        if self.padding.value.data not in PADDINGS.values():
            raise VerifyException(f"expected a padding of 1 or 2, found {self.padding.value.data}")
        rank = len(_descriptor(self.result).block.get_shape())
        if not len(self.shape) == len(self.strides) == rank:
            raise VerifyException(
                f"expected a size and a stride for each of {rank} dimensions, "
                f"found {len(self.shape)} and {len(self.strides)}"
            )


class DescriptorAccessOp(IRDLOperation):
    """What the accesses through a descriptor have in common: a tile that fits it."""

    def verify_tile(self, desc: SSAValue, offsets: Sequence[SSAValue], tile: SSAValue) -> None:
        """Checks one offset for each dimension, and a tile of as many elements of the same type as a block."""
        type = _descriptor(desc)
        shape, found = type.block.get_shape(), shape_of(tile.type)
        if len(offsets) != len(shape):
            raise VerifyException(f"expected {len(shape)} offsets into {type}, found {len(offsets)}")
        verify_descriptor_elements(type, tile.type)
        assert found is not None
        if prod(found) != prod(shape):
            raise VerifyException(f"expected a tile of as many elements as {type}, found {tile.type}")


def verify_descriptor_elements(type: TensorDescType, tile: Attribute) -> None:
    """Checks that the elements of a tile are those of a descriptor."""
    if element_type(tile) != type.element:
        raise VerifyException(f"expected elements of type {type.element} for {type}, found {tile}")


@irdl_op_definition
class DescriptorLoadOp(DescriptorAccessOp):
    """The tile at some offsets; what is outside of the array is zero or NaN, as the descriptor says."""

    name = "tt.descriptor_load"

    desc = operand_def(DESCRIPTOR)
    indices = var_operand_def(i32)
    cache_policy = opt_prop_def(CachePolicyAttr, prop_name="cachePolicy")
    result = result_def(ANY_TENSOR)

    traits = traits_def(MemoryReadEffect())

    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$desc `[` $indices `]` attr-dict `:` type($desc) `->` type($result)"

    def __init__(self, desc: SSAValue | Operation, indices: Sequence[SSAValue], result_type: Attribute):
        initialize(self, (value_of(desc), *indices), (result_type,))

    def verify_(self) -> None:
        self.verify_tile(self.desc, self.indices, self.result)


@irdl_op_definition
class DescriptorStoreOp(DescriptorAccessOp):
    """Writes a tile at some offsets; what is outside of the array is not written."""

    name = "tt.descriptor_store"

    desc = operand_def(DESCRIPTOR)
    src = operand_def(ANY_TENSOR)
    indices = var_operand_def(i32)

    traits = traits_def(MemoryWriteEffect())

    assembly_format = "$desc `[` $indices `]` `,` $src attr-dict `:` type($desc) `,` type($src)"

    def __init__(self, desc: SSAValue | Operation, src: SSAValue | Operation, indices: Sequence[SSAValue]):
        initialize(self, (value_of(desc), value_of(src), *indices))

    def verify_(self) -> None:
        self.verify_tile(self.desc, self.indices, self.src)


@irdl_custom_directive
class DescriptorReduction(EnumDirective):
    WHAT: ClassVar[str] = "reduction"
    WORDS: ClassVar[dict[str, int]] = DESCRIPTOR_REDUCTIONS

    attr: AttributeVariable


@irdl_op_definition
class DescriptorReduceOp(DescriptorAccessOp):
    """Combines each element of the array with that of a tile at some offsets, atomically and in no order."""

    name = "tt.descriptor_reduce"

    kind = prop_def(IntegerAttr[I32])
    desc = operand_def(DESCRIPTOR)
    src = operand_def(ANY_TENSOR)
    indices = var_operand_def(i32)

    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())

    irdl_options = (ParsePropInAttrDict(),)
    custom_directives = (DescriptorReduction,)
    assembly_format = (
        "custom<DescriptorReduction>($kind) `,` $desc `[` $indices `]` `,` $src attr-dict"
        " `:` type($desc) `,` type($src)"
    )

    def __init__(self, kind: str, desc: SSAValue | Operation, src: SSAValue | Operation, indices: Sequence[SSAValue]):
        properties: dict[str, Attribute] = {"kind": i32_attribute(DESCRIPTOR_REDUCTIONS[kind])}
        initialize(self, (value_of(desc), value_of(src), *indices), properties=properties)

    @property
    def reduction(self) -> str:
        """One of `DESCRIPTOR_REDUCTIONS`."""
        return word_of(DESCRIPTOR_REDUCTIONS, self.kind.value.data)

    def verify_(self) -> None:
        if self.kind.value.data not in DESCRIPTOR_REDUCTIONS.values():
            raise VerifyException(f"expected a reduction of 1 to 8, found {self.kind.value.data}")
        self.verify_tile(self.desc, self.indices, self.src)


class DescriptorRowsOp(IRDLOperation):
    """What gather and scatter have in common: rows of an array, from one column on."""

    def verify_rows(self, desc: SSAValue, rows: SSAValue, tile: SSAValue) -> None:
        type = _descriptor(desc)
        shape = type.block.get_shape()
        if len(shape) != 2 or shape[0] != 1:
            raise VerifyException(f"expected a descriptor whose tiles are one row, found {type}")
        count = shape_of(rows.type)
        if count is None or len(count) != 1:
            raise VerifyException(f"expected the numbers of rows of rank 1, found {rows.type}")
        verify_descriptor_elements(type, tile.type)
        if shape_of(tile.type) != (count[0], shape[1]):
            raise VerifyException(f"expected a tile of shape {count[0]}x{shape[1]}, found {tile.type}")


@irdl_op_definition
class DescriptorGatherOp(DescriptorRowsOp):
    """Some rows of an array, each from one column on."""

    name = "tt.descriptor_gather"

    desc = operand_def(DESCRIPTOR)
    x_offsets = operand_def(IntegerTensor())
    y_offset = operand_def(i32)
    result = result_def(ANY_TENSOR)

    traits = traits_def(MemoryReadEffect())

    assembly_format = "$desc `[` $x_offsets `,` $y_offset `]` attr-dict `:` functional-type(operands, results)"

    def __init__(
        self,
        desc: SSAValue | Operation,
        x_offsets: SSAValue | Operation,
        y_offset: SSAValue | Operation,
        result_type: Attribute,
    ):
        initialize(self, (value_of(desc), value_of(x_offsets), value_of(y_offset)), (result_type,))

    def verify_(self) -> None:
        self.verify_rows(self.desc, self.x_offsets, self.result)


@irdl_op_definition
class DescriptorScatterOp(DescriptorRowsOp):
    """Writes some rows of an array, each from one column on."""

    name = "tt.descriptor_scatter"

    desc = operand_def(DESCRIPTOR)
    x_offsets = operand_def(IntegerTensor())
    y_offset = operand_def(i32)
    src = operand_def(ANY_TENSOR)

    traits = traits_def(MemoryWriteEffect())

    assembly_format = (
        "$desc `[` $x_offsets `,` $y_offset `]` `,` $src attr-dict"
        " `:` type($desc) `,` type($x_offsets) `,` type($y_offset) `,` type($src)"
    )

    def __init__(
        self,
        desc: SSAValue | Operation,
        x_offsets: SSAValue | Operation,
        y_offset: SSAValue | Operation,
        src: SSAValue | Operation,
    ):
        initialize(self, (value_of(desc), value_of(x_offsets), value_of(y_offset), value_of(src)))

    def verify_(self) -> None:
        self.verify_rows(self.desc, self.x_offsets, self.src)


DESCRIPTOR_OPERATIONS: list[type[Operation]] = [
    MakeTensorDescOp,
    DescriptorLoadOp,
    DescriptorStoreOp,
    DescriptorReduceOp,
    DescriptorGatherOp,
    DescriptorScatterOp,
]
