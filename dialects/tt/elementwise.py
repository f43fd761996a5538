"""Functions, assembly and regions that are applied to each element."""

from __future__ import annotations

from collections.abc import Sequence, Set

from xdsl.dialects.builtin import I1, I32, IntegerAttr, StringAttr, i32
from xdsl.ir import Attribute, Operation, Region, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    ParsePropInAttrDict,
    irdl_op_definition,
    prop_def,
    region_def,
    result_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.traits import (
    ConditionallySpeculatable,
    EffectInstance,
    IsTerminator,
    MemoryEffect,
    Pure,
    RecursivelySpeculatable,
    RecursiveMemoryEffect,
    ReturnLike,
)
from xdsl.utils.exceptions import VerifyException

from mytriton.dialects.building import initialize, value_of
from mytriton.dialects.tensor_types import element_type
from mytriton.dialects.tt.checks import type_list, verify_same_shapes
from mytriton.dialects.tt.constraints import ANY_TENSOR, ScalarOrTensor
from mytriton.dialects.tt.types import FALSE, TRUE


class PureWherePromised(MemoryEffect, ConditionallySpeculatable):
    """An operation whose property `pure` says whether it does nothing but compute its results."""

    @classmethod
    def get_effects(cls, op: Operation) -> Set[EffectInstance] | None:
        return frozenset() if _is_pure(op) else None

    @classmethod
    def is_speculatable(cls, op: Operation) -> bool:
        return _is_pure(op)


def _is_pure(op: Operation) -> bool:
    assert isinstance(op, ExternElementwiseOp | ElementwiseInlineAsmOp)
    return op.pure.value.data != 0


@irdl_op_definition
class ExternElementwiseOp(IRDLOperation):
    """A function of NVIDIA's libdevice, by its symbol, on scalars or on each element of tensors."""

    name = "tt.extern_elementwise"

    srcs = var_operand_def(ScalarOrTensor())
    libname = prop_def(StringAttr)
    libpath = prop_def(StringAttr)
    pure = prop_def(IntegerAttr[I1])
    symbol = prop_def(StringAttr)
    result = result_def(ScalarOrTensor())

    traits = traits_def(PureWherePromised())

    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$srcs attr-dict `:` functional-type($srcs, $result)"

    def __init__(self, srcs: Sequence[SSAValue | Operation], symbol: str, result_type: Attribute, pure: bool = True):
        super().__init__(
            operands=[srcs],
            properties={
                "libname": StringAttr(""),
                "libpath": StringAttr(""),
                "pure": TRUE if pure else FALSE,
                "symbol": StringAttr(symbol),
            },
            result_types=[result_type],
        )

    def verify_(self) -> None:
        if not self.symbol.data:
            raise VerifyException("expected the symbol of a function, found none")
        verify_same_shapes([*self.operands, self.result])


@irdl_op_definition
class ElementwiseInlineAsmOp(IRDLOperation):
    """
    PTX on each element of tensors, or on `packed_element` elements at a time. Elements of less than 32 bits are packed
    into registers of 32 bits.
    """

    name = "tt.elementwise_inline_asm"

    asm_string = prop_def(StringAttr)
    constraints = prop_def(StringAttr)
    packed_element = prop_def(IntegerAttr[I32])
    pure = prop_def(IntegerAttr[I1])
    args = var_operand_def(ScalarOrTensor())
    result = var_result_def(ScalarOrTensor())

    traits = traits_def(PureWherePromised())

    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$asm_string attr-dict ($args^ `:` type($args))? `->` type($result)"

    def __init__(
        self,
        asm: str,
        constraints: str,
        args: Sequence[SSAValue | Operation],
        result_types: Sequence[Attribute],
        pure: bool,
        pack: int,
    ):
        super().__init__(
            operands=[args],
            properties={
                "asm_string": StringAttr(asm),
                "constraints": StringAttr(constraints),
                "packed_element": IntegerAttr(pack, i32),
                "pure": TRUE if pure else FALSE,
            },
            result_types=[result_types],
        )

    def verify_(self) -> None:
        if self.packed_element.value.data < 1:
            raise VerifyException(f"expected a packed_element of 1 or more, found {self.packed_element.value.data}")
        if not self.results:
            raise VerifyException("expected a result, found none")
        verify_same_shapes([*self.operands, *self.results])


@irdl_op_definition
class MapElementwiseOp(IRDLOperation):
    """
    A region with control flow of its own on each element of tensors, or on `pack` elements at a time. Its arguments are
    `pack` elements of the first operand, then of the second, and so on; its results are in the same order.
    """

    name = "tt.map_elementwise"

    srcs = var_operand_def(ANY_TENSOR)
    pack = prop_def(IntegerAttr[I32])
    result = var_result_def(ANY_TENSOR)
    scalar_op = region_def()

    traits = traits_def(RecursiveMemoryEffect(), RecursivelySpeculatable())

    def __init__(
        self, srcs: Sequence[SSAValue | Operation], region: Region, result_types: Sequence[Attribute], pack: int = 1
    ):
        super().__init__(
            operands=[srcs],
            properties={"pack": IntegerAttr(pack, i32)},
            result_types=[result_types],
            regions=[region],
        )

    def verify_(self) -> None:
        pack = self.pack.value.data
        if pack < 1:
            raise VerifyException(f"expected a pack of 1 or more, found {pack}")
        if not self.srcs:
            raise VerifyException("expected an operand, found none")
        verify_same_shapes([*self.operands, *self.results])
        expected = tuple(element_type(src.type) for src in self.srcs for _ in range(pack))
        found = tuple(arg.type for arg in self.scalar_op.blocks[0].args) if self.scalar_op.blocks else ()
        if found != expected:
            raise VerifyException(
                f"expected a region with arguments ({type_list(expected)}), found ({type_list(found)})"
            )


@irdl_op_definition
class MapElementwiseReturnOp(IRDLOperation):
    """The results for the elements of one turn."""

    name = "tt.map_elementwise.return"

    result = var_operand_def()

    traits = traits_def(Pure(), IsTerminator(), ReturnLike())

    assembly_format = "attr-dict ($result^ `:` type($result))?"

    def __init__(self, *values: SSAValue | Operation):
        initialize(self, operands=[value_of(value) for value in values])

    def verify_(self) -> None:
        parent = self.parent_op()
        if not isinstance(parent, MapElementwiseOp):
            raise VerifyException("'tt.map_elementwise.return' expects parent op 'tt.map_elementwise'")
        expected = tuple(element_type(value.type) for value in parent.result for _ in range(parent.pack.value.data))
        if tuple(self.operand_types) != expected:
            raise VerifyException(
                f"expected values of types ({type_list(expected)}), found ({type_list(self.operand_types)})"
            )
