"""Elements that are picked, counted or put in order by their numbers."""

from __future__ import annotations

from typing import ClassVar

from xdsl.dialects.builtin import I32, IntegerAttr, UnitAttr, i32
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    ParsePropInAttrDict,
    VarConstraint,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from mytriton.dialects.building import initialize, value_of
from mytriton.dialects.tensor_types import (
    I1LikeVariable,
    bit_width,
    element_type,
    is_fixed_width_integer,
    is_float,
    with_element_type,
)
from mytriton.dialects.tt.checks import tensor_type_of, verify_axis, verify_elements, verify_shape
from mytriton.dialects.tt.constraints import ANY_TENSOR


@irdl_op_definition
class GatherOp(IRDLOperation):
    """
    Along one dimension, the elements of `src` that `indices` names: result[i, j] = src[indices[i, j], j] for dimension
    0. An index that is out of range gives 0.
    """

    name = "tt.gather"

    src = operand_def(ANY_TENSOR)
    indices = operand_def(ANY_TENSOR)
    axis = prop_def(IntegerAttr[I32])
    efficient_layout = opt_prop_def(UnitAttr)
    result = result_def(ANY_TENSOR)

    traits = traits_def(Pure())

    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$src `[` $indices `]` attr-dict `:` `(` type($src) `,` type($indices) `)` `->` type($result)"

    def __init__(self, src: SSAValue | Operation, indices: SSAValue | Operation, axis: int):
        src, indices = value_of(src), value_of(indices)
        initialize(
            self,
            operands=(src, indices),
            result_types=(with_element_type(indices.type, element_type(src.type)),),
            properties={"axis": IntegerAttr(axis, i32)},
        )

    def verify_(self) -> None:
        source, indices = tensor_type_of(self.src), tensor_type_of(self.indices)
        if not is_fixed_width_integer(indices.element_type):
            raise VerifyException(f"expected indices that are integers, found {indices}")
        verify_axis(self.axis, source)
        axis = self.axis.value.data
        kept = [size for dim, size in enumerate(source.get_shape()) if dim != axis]
        found = [size for dim, size in enumerate(indices.get_shape()) if dim != axis]
        if len(source.get_shape()) != len(indices.get_shape()) or kept != found:
            raise VerifyException(f"expected indices of the shape of {source} but along axis {axis}, found {indices}")
        verify_shape("a result", self.result.type, indices.get_shape())
        verify_elements("a result", self.result.type, source)


@irdl_op_definition
class HistogramOp(IRDLOperation):
    """
    How many elements of `src` are 0, 1, and so on up to the number of bins minus 1, of those where `mask` is true or
    missing. Other elements are not counted.
    """

    name = "tt.histogram"

    S: ClassVar = VarConstraint("S", ANY_TENSOR)

    src = operand_def(S)
    mask = opt_operand_def(I1LikeVariable("S"))
    result = result_def(ANY_TENSOR)

    traits = traits_def(Pure())

    assembly_format = "$src (`,` $mask^)? attr-dict `:` type($src) `->` type($result)"

    def __init__(self, src: SSAValue | Operation, result_type: Attribute, mask: SSAValue | Operation | None = None):
        initialize(
            self,
            operands=[value_of(src), *([] if mask is None else [value_of(mask)])],
            result_types=(result_type,),
        )

    def verify_(self) -> None:
        source, result = tensor_type_of(self.src), tensor_type_of(self.result)
        for type in (source, result):
            if len(type.get_shape()) != 1 or not is_fixed_width_integer(type.element_type):
                raise VerifyException(f"expected a tensor of rank 1 with integers, found {type}")


@irdl_op_definition
class SortOp(IRDLOperation):
    """The signed integers of a tensor in ascending order along one dimension, or in descending order."""

    name = "tt.sort"

    T: ClassVar = VarConstraint("T", ANY_TENSOR)

    src = operand_def(T)
    axis = prop_def(IntegerAttr[I32])
    descending = opt_prop_def(UnitAttr)
    result = result_def(T)

    traits = traits_def(Pure())

    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$src attr-dict `:` type($src)"

    def __init__(self, src: SSAValue | Operation, axis: int, descending: bool = False):
        src = value_of(src)
        properties: dict[str, Attribute] = {"axis": IntegerAttr(axis, i32)}
        if descending:
            properties["descending"] = UnitAttr()
        initialize(self, (src,), (src.type,), properties)

    def verify_(self) -> None:
        type = tensor_type_of(self.src)
        if not is_fixed_width_integer(type.element_type) or bit_width(type.element_type) == 1:
            raise VerifyException(f"expected integers of 8 bits or more, found {type}")
        verify_axis(self.axis, type)


@irdl_op_definition
class CompareExchangeOp(IRDLOperation):
    """
    One step of a sorting network on the two elements that differ only in their index along `axis`, whose extent is 2:
    the first becomes the smaller and the second the larger one. It is the other way round with `descending`, and once
    more for the elements whose index along `falls`, whose extent is 2 as well, is 1.

    Where neither of two floats is greater than the other, which is so for NaN and for -0.0 and 0.0, both become the one
    that is where the smaller one is to be. Integers are signed, or `unsigned`.
    """

    name = "tt.compare_exchange"

    T: ClassVar = VarConstraint("T", ANY_TENSOR)

    src = operand_def(T)
    axis = prop_def(IntegerAttr[I32])
    falls = opt_prop_def(IntegerAttr[I32])
    descending = opt_prop_def(UnitAttr)
    unsigned = opt_prop_def(UnitAttr)
    result = result_def(T)

    traits = traits_def(Pure())

    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$src attr-dict `:` type($src)"

    def __init__(
        self,
        src: SSAValue | Operation,
        axis: int,
        falls: int | None = None,
        descending: bool = False,
        unsigned: bool = False,
    ):
        src = value_of(src)
        properties: dict[str, Attribute] = {"axis": IntegerAttr(axis, i32)}
        if falls is not None:
            properties["falls"] = IntegerAttr(falls, i32)
        if descending:
            properties["descending"] = UnitAttr()
        if unsigned:
            properties["unsigned"] = UnitAttr()
        initialize(self, (src,), (src.type,), properties)

    def verify_(self) -> None:
        type = tensor_type_of(self.src)
        element = type.element_type
        is_sortable = is_fixed_width_integer(element) and bit_width(element) > 1
        if not is_sortable and not (is_float(element) and self.unsigned is None):
            kind = "unsigned integers" if self.unsigned is not None else "floats, or integers"
            raise VerifyException(f"expected {kind} of 8 bits or more, found {type}")
        for axis in (self.axis, self.falls):
            if axis is None:
                continue
            verify_axis(axis, type)
            if type.get_shape()[axis.value.data] != 2:
                raise VerifyException(f"expected an extent of 2 along axis {axis.value.data}, found {type}")
        if self.falls == self.axis:
            raise VerifyException(f"expected two axes, found {self.axis.value.data} twice")
