"""Reductions and scans."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import I1, I32, IntegerAttr, TensorType, i32
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    prop_def,
    region_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.traits import IsTerminator, Pure, RecursivelySpeculatable, RecursiveMemoryEffect, ReturnLike
from xdsl.utils.exceptions import VerifyException

from mytriton.dialects.building import initialize, value_of
from mytriton.dialects.tensor_types import element_type, shape_of
from mytriton.dialects.tt.checks import tensor_type_of, type_list, verify_axis, verify_elements, verify_shape
from mytriton.dialects.tt.constraints import ANY_TENSOR
from mytriton.dialects.tt.types import FALSE, TRUE


class CombinedOp(IRDLOperation):
    """The end of a region that combines elements."""

    result = var_operand_def()

    traits = traits_def(Pure(), IsTerminator(), ReturnLike())

    assembly_format = "$result attr-dict `:` type($result)"

    def __init__(self, *values: SSAValue | Operation):
        initialize(self, operands=[value_of(value) for value in values])


@irdl_op_definition
class ReduceOp(IRDLOperation):
    """
    The tensors with one dimension reduced to nothing by the region, which combines two sets of elements into one. It
    must be associative; the order in which elements are combined is not defined.
    """

    name = "tt.reduce"

    srcs = var_operand_def(ANY_TENSOR)
    axis = prop_def(IntegerAttr[I32])
    result = var_result_def()
    combine_op = region_def("single_block")

    traits = traits_def(RecursiveMemoryEffect(), RecursivelySpeculatable())

    def __init__(
        self,
        srcs: Sequence[SSAValue | Operation],
        axis: int,
        region: Region,
        result_types: Sequence[Attribute] | None = None,
    ):
        operands = [value_of(src) for src in srcs]
        if result_types is None:
            result_types = [_without_axis(tensor_type_of(operand), axis) for operand in operands]
        initialize(
            self,
            operands=operands,
            result_types=result_types,
            properties={"axis": IntegerAttr(axis, i32)},
            regions=(region,),
        )

    def verify_(self) -> None:
        if not self.srcs:
            raise VerifyException("expected at least one operand, found none")
        types = [tensor_type_of(src) for src in self.srcs]
        shape = types[0].get_shape()
        for type in types:
            verify_shape("operands", type, shape)
        axis = self.axis.value.data
        verify_axis(self.axis, types[0])
        if len(self.result) != len(types):
            raise VerifyException(f"expected {len(types)} results, one for each operand, found {len(self.result)}")
        for type, result in zip(types, self.result, strict=True):
            expected = _without_axis(type, axis)
            verify_elements("a result", result.type, expected)
            verify_shape("a result", result.type, shape_of(expected))

        self._verify_region([type.element_type for type in types])

    def _verify_region(self, elements: list[Attribute]) -> None:
        _verify_combination(self.combine_op.block, elements)
        if not isinstance(self.combine_op.block.last_op, ReduceReturnOp):
            raise VerifyException("expected a region that ends with tt.reduce.return")


def _verify_combination(block: Block, elements: Sequence[Attribute]) -> None:
    """Checks that a block takes two sets of elements of these types."""
    expected, found = (*elements, *elements), tuple(block.arg_types)
    if found != expected:
        raise VerifyException(
            f"expected a region with arguments of types ({type_list(expected)}), found ({type_list(found)})"
        )


def _without_axis(type: TensorType, axis: int) -> Attribute:
    shape = type.shape.data
    if len(shape) == 1:
        return type.element_type
    return TensorType(type.element_type, (*shape[:axis], *shape[axis + 1 :]))


@irdl_op_definition
class ReduceReturnOp(CombinedOp):
    """The combined elements."""

    name = "tt.reduce.return"

    def verify_(self) -> None:
        reduce = self.parent_op()
        if not isinstance(reduce, ReduceOp):
            # The ttg level has the same region in an operation of its own.
            if reduce is None or reduce.name != "ttg.warp_reduce":
                raise VerifyException("'tt.reduce.return' expects parent op 'tt.reduce'")
            return
        _verify_combined(self.operand_types, reduce.srcs)


def _verify_combined(found: Sequence[Attribute], srcs: Sequence[SSAValue]) -> None:
    expected = tuple(element_type(src.type) for src in srcs)
    if tuple(found) != expected:
        raise VerifyException(f"expected values of types ({type_list(expected)}), found ({type_list(found)})")


@irdl_op_definition
class ScanOp(IRDLOperation):
    """
    Each element becomes the combination of all elements up to it along one dimension, itself the last; with `reverse`
    of all from the end down to it. The region combines two sets of elements into one, the earlier ones first; it must
    be associative, and need not commute.
    """

    name = "tt.scan"

    srcs = var_operand_def(ANY_TENSOR)
    axis = prop_def(IntegerAttr[I32])
    reverse = prop_def(IntegerAttr[I1])
    result = var_result_def()
    combine_op = region_def("single_block")

    traits = traits_def(RecursiveMemoryEffect(), RecursivelySpeculatable())

    def __init__(self, srcs: Sequence[SSAValue | Operation], axis: int, reverse: bool, region: Region):
        operands = [value_of(src) for src in srcs]
        initialize(
            self,
            operands=operands,
            result_types=[operand.type for operand in operands],
            properties={"axis": IntegerAttr(axis, i32), "reverse": TRUE if reverse else FALSE},
            regions=(region,),
        )

    @property
    def is_reverse(self) -> bool:
        return self.reverse.value.data != 0

    def verify_(self) -> None:
        if not self.srcs:
            raise VerifyException("expected at least one operand, found none")
        types = [tensor_type_of(src) for src in self.srcs]
        shape = types[0].get_shape()
        for type in types:
            verify_shape("operands", type, shape)
        verify_axis(self.axis, types[0])
        if len(self.result) != len(types):
            raise VerifyException(f"expected {len(types)} results, one for each operand, found {len(self.result)}")
        for type, result in zip(types, self.result, strict=True):
            verify_elements("a result", result.type, type)
            verify_shape("a result", result.type, shape)
        _verify_combination(self.combine_op.block, [type.element_type for type in types])
        if not isinstance(self.combine_op.block.last_op, ScanReturnOp):
            raise VerifyException("expected a region that ends with tt.scan.return")


@irdl_op_definition
class ScanReturnOp(CombinedOp):
    """The combined elements."""

    name = "tt.scan.return"

    def verify_(self) -> None:
        scan = self.parent_op()
        if isinstance(scan, ScanOp):
            _verify_combined(self.operand_types, scan.srcs)
        elif scan is None or scan.name not in ("ttg.warp_scan", "ttg.warp_prefix"):
            # The ttg level has the same region in operations of its own.
            raise VerifyException("'tt.scan.return' expects parent op 'tt.scan'")
