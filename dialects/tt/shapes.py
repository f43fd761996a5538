"""Tensors that are made, reshaped, put together and taken apart."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import I32, DenseArrayBase, IntAttr, IntegerAttr, TensorType, UnitAttr, i32
from xdsl.interfaces import HasFolderInterface
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    ParsePropInAttrDict,
    VarConstraint,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from mytriton.dialects.arith import FoldResult, integer_constant
from mytriton.dialects.building import initialize, value_of
from mytriton.dialects.tensor_types import element_type
from mytriton.dialects.tt.checks import tensor_type_of, verify_elements, verify_shape
from mytriton.dialects.tt.constraints import ANY_TENSOR, ElementOfVariable
from mytriton.dialects.tt.folding import TTCanonicalization, fold_to_constant


@irdl_op_definition
class MakeRangeOp(IRDLOperation):
    """The integers from `start` up to, but not including, `end`."""

    name = "tt.make_range"

    end = prop_def(IntegerAttr[I32])
    start = prop_def(IntegerAttr[I32])
    result = result_def(ANY_TENSOR)

    traits = traits_def(Pure())

    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "attr-dict `:` type($result)"

    def __init__(self, start: int, end: int, result_type: Attribute | None = None):
        initialize(
            self,
            result_types=(result_type or TensorType(i32, (end - start,)),),
            properties={"end": IntegerAttr(end, i32), "start": IntegerAttr(start, i32)},
        )

    def verify_(self) -> None:
        start, end = self.start.value.data, self.end.value.data
        if start >= end:
            raise VerifyException(f"expected start < end, found start = {start} and end = {end}")
        verify_elements("a result", self.result.type, i32)
        verify_shape("a result", self.result.type, (end - start,))


@irdl_op_definition
class SplatOp(IRDLOperation, HasFolderInterface):
    """A tensor of which every element is the scalar."""

    name = "tt.splat"

    src = operand_def()
    result = result_def(ANY_TENSOR)

    traits = traits_def(Pure())

    assembly_format = "$src attr-dict `:` type($src) `->` type($result)"

    def __init__(self, src: SSAValue | Operation, result_type: Attribute):
        initialize(self, operands=(value_of(src),), result_types=(result_type,))

    def verify_(self) -> None:
        expected = element_type(self.result.type)
        if self.src.type != expected:
            raise VerifyException(f"expected a scalar of type {expected}, found {self.src.type}")

    def fold(self) -> FoldResult:
        return fold_to_constant(self.src, self.result.type)


@irdl_op_definition
class UnsplatOp(IRDLOperation, HasFolderInterface):
    """The one element of a tensor of one element."""

    name = "tt.unsplat"

    T: ClassVar = VarConstraint("T", ANY_TENSOR)

    src = operand_def(T)
    result = result_def(ElementOfVariable("T"))

    traits = traits_def(Pure())

    assembly_format = "$src attr-dict `:` type($src)"

    def __init__(self, src: SSAValue | Operation):
        src = value_of(src)
        initialize(self, operands=(src,), result_types=(element_type(src.type),))

    def verify_(self) -> None:
        if math.prod(tensor_type_of(self.src).get_shape()) != 1:
            raise VerifyException(f"expected a tensor of one element, found {self.src.type}")

    def fold(self) -> FoldResult:
        if isinstance(splat := self.src.owner, SplatOp):
            return (splat.src,)
        return fold_to_constant(self.src, self.result.type)


@irdl_op_definition
class BroadcastOp(IRDLOperation, HasFolderInterface):
    """A tensor with dimensions of size 1 repeated to the size of the result."""

    name = "tt.broadcast"

    src = operand_def(ANY_TENSOR)
    result = result_def(ANY_TENSOR)

    traits = traits_def(Pure(), TTCanonicalization())

    assembly_format = "$src attr-dict `:` type($src) `->` type($result)"

    def __init__(self, src: SSAValue | Operation, result_type: Attribute):
        initialize(self, operands=(value_of(src),), result_types=(result_type,))

    def verify_(self) -> None:
        source, result = tensor_type_of(self.src), tensor_type_of(self.result)
        verify_elements("a result", result, source)
        before, after = source.get_shape(), result.get_shape()
        if len(before) != len(after):
            raise VerifyException(f"expected a result of rank {len(before)}, found {result}")
        for axis, (old, new) in enumerate(zip(before, after, strict=True)):
            if old not in (1, new):
                raise VerifyException(
                    f"expected dimension {axis} to be 1 or to keep its size, found {old} to {new} "
                    f"({source} to {result})"
                )

    def fold(self) -> FoldResult:
        if self.src.type == self.result.type:
            return (self.src,)
        return fold_to_constant(self.src, self.result.type)


@irdl_op_definition
class ExpandDimsOp(IRDLOperation, HasFolderInterface):
    """A tensor with a new dimension of size 1 before dimension `axis`."""

    name = "tt.expand_dims"

    src = operand_def(ANY_TENSOR)
    axis = prop_def(IntegerAttr[I32])
    result = result_def(ANY_TENSOR)

    traits = traits_def(Pure(), TTCanonicalization())

    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$src attr-dict `:` type($src) `->` type($result)"

    def __init__(self, src: SSAValue | Operation, axis: int, result_type: Attribute | None = None):
        src = value_of(src)
        if result_type is None:
            type = tensor_type_of(src)
            shape = type.shape.data
            result_type = TensorType(type.element_type, (*shape[:axis], IntAttr(1), *shape[axis:]))
        initialize(
            self,
            operands=(src,),
            result_types=(result_type,),
            properties={"axis": IntegerAttr(axis, i32)},
        )

    def verify_(self) -> None:
        shape = list(tensor_type_of(self.src).get_shape())
        axis = self.axis.value.data
        if not 0 <= axis <= len(shape):
            raise VerifyException(f"expected an axis from 0 to {len(shape)} for {self.src.type}, found {axis}")
        shape.insert(axis, 1)
        verify_elements("a result", self.result.type, self.src.type)
        verify_shape("a result", self.result.type, shape)

    def fold(self) -> FoldResult:
        return fold_to_constant(self.src, self.result.type)


@irdl_op_definition
class ReshapeOp(IRDLOperation, HasFolderInterface):
    """The elements of a tensor, in row-major order (in any order with `allow_reorder`), in another shape."""

    name = "tt.reshape"

    src = operand_def(ANY_TENSOR)
    allow_reorder = opt_prop_def(UnitAttr)
    efficient_layout = opt_prop_def(UnitAttr)
    result = result_def(ANY_TENSOR)

    traits = traits_def(Pure(), TTCanonicalization())

    assembly_format = (
        "$src (`allow_reorder` $allow_reorder^)? (`efficient_layout` $efficient_layout^)? "
        "attr-dict `:` type($src) `->` type($result)"
    )

    def __init__(self, src: SSAValue | Operation, result_type: Attribute, allow_reorder: bool = False):
        initialize(
            self,
            operands=(value_of(src),),
            result_types=(result_type,),
            properties={"allow_reorder": UnitAttr()} if allow_reorder else {},
        )

    def verify_(self) -> None:
        source, result = tensor_type_of(self.src), tensor_type_of(self.result)
        verify_elements("a result", result, source)
        expected, found = math.prod(source.get_shape()), math.prod(result.get_shape())
        if found != expected:
            raise VerifyException(f"expected a result of {expected} elements like {source}, found {result}")

    def fold(self) -> FoldResult:
        if self.src.type == self.result.type and self.allow_reorder is None:
            return (self.src,)
        return fold_to_constant(self.src, self.result.type)


@irdl_op_definition
class TransOp(IRDLOperation, HasFolderInterface):
    """A tensor with its dimensions permuted: dimension `i` of the result is dimension `order[i]` of the source."""

    name = "tt.trans"

    src = operand_def(ANY_TENSOR)
    order = prop_def(DenseArrayBase[I32])
    result = result_def(ANY_TENSOR)

    traits = traits_def(Pure(), TTCanonicalization())

    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$src attr-dict `:` type($src) `->` type($result)"

    def __init__(self, src: SSAValue | Operation, order: Sequence[int], result_type: Attribute | None = None):
        src = value_of(src)
        if result_type is None:
            type = tensor_type_of(src)
            result_type = TensorType(type.element_type, [type.shape.data[axis] for axis in order])
        initialize(
            self,
            operands=(src,),
            result_types=(result_type,),
            properties={"order": DenseArrayBase.from_list(i32, order)},
        )

    @property
    def permutation(self) -> tuple[int, ...]:
        return tuple(self.order.get_values())

    def verify_(self) -> None:
        shape = tensor_type_of(self.src).get_shape()
        order = self.permutation
        if sorted(order) != list(range(len(shape))):
            raise VerifyException(
                f"expected an order that permutes the {len(shape)} dimensions of {self.src.type}, "
                f"found [{', '.join(map(str, order))}]"
            )
        verify_elements("a result", self.result.type, self.src.type)
        verify_shape("a result", self.result.type, [shape[axis] for axis in order])

    def fold(self) -> FoldResult:
        order = self.permutation
        if order == tuple(range(len(order))) and self.src.type == self.result.type:
            return (self.src,)
        return fold_to_constant(self.src, self.result.type)


@irdl_op_definition
class JoinOp(IRDLOperation):
    """Two tensors of one type in a tensor with a last dimension of size 2, where the first comes first."""

    name = "tt.join"

    T: ClassVar = VarConstraint("T", ANY_TENSOR)

    lhs = operand_def(T)
    rhs = operand_def(T)
    result = result_def(ANY_TENSOR)

    traits = traits_def(Pure(), TTCanonicalization())

    assembly_format = "$lhs `,` $rhs attr-dict `:` type($lhs) `->` type($result)"

    def __init__(self, lhs: SSAValue | Operation, rhs: SSAValue | Operation, result_type: Attribute | None = None):
        lhs = value_of(lhs)
        if result_type is None:
            type = tensor_type_of(lhs)
            result_type = TensorType(type.element_type, (*type.shape.data, IntAttr(2)))
        initialize(self, operands=(lhs, value_of(rhs)), result_types=(result_type,))

    def verify_(self) -> None:
        verify_elements("a result", self.result.type, self.lhs.type)
        verify_shape("a result", self.result.type, (*tensor_type_of(self.lhs).get_shape(), 2))


@irdl_op_definition
class SplitOp(IRDLOperation):
    """The two halves of a tensor along its last dimension, which has size 2: what `tt.join` put together."""

    name = "tt.split"

    T: ClassVar = VarConstraint("T", ANY_TENSOR)

    src = operand_def(ANY_TENSOR)
    lhs = result_def(T)
    rhs = result_def(T)

    traits = traits_def(Pure(), TTCanonicalization())

    assembly_format = "$src attr-dict `:` type($src) `->` type($lhs)"

    def __init__(self, src: SSAValue | Operation, result_type: Attribute | None = None):
        src = value_of(src)
        if result_type is None:
            type = tensor_type_of(src)
            result_type = TensorType(type.element_type, type.shape.data[:-1])
        initialize(self, operands=(src,), result_types=(result_type, result_type))

    def verify_(self) -> None:
        shape = tensor_type_of(self.src).get_shape()
        if len(shape) < 2 or shape[-1] != 2:
            raise VerifyException(
                f"expected a tensor of rank 2 or more with a last dimension of size 2, found {self.src.type}"
            )
        verify_elements("results", self.lhs.type, self.src.type)
        verify_shape("results", self.lhs.type, shape[:-1])


@irdl_op_definition
class CatOp(IRDLOperation):
    """The elements of the first tensor and then those of the second, along the only dimension."""

    name = "tt.cat"

    T: ClassVar = VarConstraint("T", ANY_TENSOR)

    lhs = operand_def(T)
    rhs = operand_def(T)
    result = result_def(ANY_TENSOR)

    traits = traits_def(Pure(), TTCanonicalization())

    assembly_format = "$lhs `,` $rhs attr-dict `:` type($lhs) `->` type($result)"

    def __init__(self, lhs: SSAValue | Operation, rhs: SSAValue | Operation):
        lhs = value_of(lhs)
        type = tensor_type_of(lhs)
        result_type = TensorType(type.element_type, (2 * type.get_shape()[0],))
        initialize(self, operands=(lhs, value_of(rhs)), result_types=(result_type,))

    def verify_(self) -> None:
        shape = tensor_type_of(self.lhs).get_shape()
        if len(shape) != 1:
            raise VerifyException(f"expected tensors of rank 1, found {self.lhs.type}")
        verify_elements("a result", self.result.type, self.lhs.type)
        verify_shape("a result", self.result.type, (2 * shape[0],))


@irdl_op_definition
class ExtractSliceOp(IRDLOperation, HasFolderInterface):
    """
    A part of a tensor: element `i` along a dimension of the result is element `offset + stride * i` of the source.
    The strides are 1 where none are given. An offset that would lead outside of the source is moved to the nearest one
    that does not.
    """

    name = "tt.extract_slice"

    src = operand_def(ANY_TENSOR)
    offsets = var_operand_def(i32)
    strides = opt_prop_def(DenseArrayBase[I32])
    result = result_def(ANY_TENSOR)

    traits = traits_def(Pure(), TTCanonicalization())

    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$src `[` $offsets `]` attr-dict `:` type($src) `->` type($result)"

    def __init__(
        self,
        src: SSAValue | Operation,
        offsets: Sequence[SSAValue | Operation],
        sizes: Sequence[int] | None = None,
        strides: Sequence[int] | None = None,
        result_type: Attribute | None = None,
    ):
        src = value_of(src)
        if result_type is None:
            assert sizes is not None
            result_type = TensorType(tensor_type_of(src).element_type, sizes)
        properties: dict[str, Attribute] = {}
        if strides is not None and any(stride != 1 for stride in strides):
            properties["strides"] = DenseArrayBase.from_list(i32, strides)
        initialize(
            self,
            operands=(src, *(value_of(offset) for offset in offsets)),
            result_types=(result_type,),
            properties=properties,
        )

    @property
    def steps(self) -> tuple[int, ...]:
        """The stride along each dimension."""
        return (1,) * len(self.offsets) if self.strides is None else tuple(self.strides.get_values())

    @property
    def offset_ranges(self) -> list[tuple[int, int]]:
        """For each dimension the first and the last offset with which the slice is inside the source."""
        source, result = tensor_type_of(self.src).get_shape(), tensor_type_of(self.result).get_shape()
        reaches = (step * (size - 1) for step, size in zip(self.steps, result, strict=True))
        return [(max(0, -reach), size - 1 - max(0, reach)) for reach, size in zip(reaches, source, strict=True)]

    @property
    def constant_offsets(self) -> tuple[int, ...] | None:
        """The offsets, limited to their ranges, if all of them are known."""
        known = [integer_constant(offset) for offset in self.offsets]
        found: list[int] = []
        for offset, (first, last) in zip(known, self.offset_ranges, strict=True):
            if first == last:
                offset = first
            if offset is None:
                return None
            found.append(min(max(offset, first), last))
        return tuple(found)

    def verify_(self) -> None:
        source, result = tensor_type_of(self.src), tensor_type_of(self.result)
        verify_elements("a result", result, source)
        before, after = source.get_shape(), result.get_shape()
        if len(after) != len(before):
            raise VerifyException(f"expected a result of rank {len(before)}, found {result}")
        if len(self.offsets) != len(before) or len(self.steps) != len(before):
            raise VerifyException(f"expected {len(before)} offsets and strides, one for each dimension of {source}")
        for axis, (first, last) in enumerate(self.offset_ranges):
            if self.steps[axis] == 0 or first > last:
                raise VerifyException(
                    f"expected a slice inside of dimension {axis} of {source}, found {after[axis]} elements with a "
                    f"stride of {self.steps[axis]}"
                )

    def fold(self) -> FoldResult:
        if self.src.type == self.result.type and all(step == 1 for step in self.steps):
            return (self.src,)
        return fold_to_constant(self.src, self.result.type)
