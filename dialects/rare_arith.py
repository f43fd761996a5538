"""Operations of `arith` that Triton reads and that neither its frontend nor that of mytriton writes.

`expand-operations` writes them in terms of the others.
"""

from __future__ import annotations

from typing import ClassVar

from xdsl.dialects.builtin import IndexType
from xdsl.ir import Attribute, Dialect
from xdsl.irdl import IRDLOperation, VarConstraint, irdl_op_definition, operand_def, result_def, traits_def
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from mytriton.dialects.arith import Arith, ArithConstantMaterialization, FloatCastOp, IntegerCastOp
from mytriton.dialects.constants import Constant
from mytriton.dialects.tensor_types import FloatLike, I1LikeVariable, IntegerLike, bit_width


class RoundedDivisionOp(IRDLOperation):
    """A quotient of integers that is not rounded towards zero."""

    T: ClassVar = VarConstraint("T", IntegerLike())

    lhs = operand_def(T)
    rhs = operand_def(T)
    result = result_def(T)

    traits = traits_def(Pure())

    assembly_format = "$lhs `,` $rhs attr-dict `:` type($result)"


@irdl_op_definition
class CeilDivSIOp(RoundedDivisionOp):
    """The quotient of signed integers, rounded up."""

    name = "arith.ceildivsi"


@irdl_op_definition
class CeilDivUIOp(RoundedDivisionOp):
    """The quotient of unsigned integers, rounded up."""

    name = "arith.ceildivui"


@irdl_op_definition
class FloorDivSIOp(RoundedDivisionOp):
    """The quotient of signed integers, rounded down."""

    name = "arith.floordivsi"


class OverflowOp(IRDLOperation):
    """A sum or difference of unsigned integers, and whether it has wrapped."""

    T: ClassVar = VarConstraint("T", IntegerLike())

    lhs = operand_def(T)
    rhs = operand_def(T)
    result = result_def(T)
    overflow = result_def(I1LikeVariable("T"))

    traits = traits_def(Pure())

    assembly_format = "$lhs `,` $rhs attr-dict `:` type($result) `,` type($overflow)"


@irdl_op_definition
class AddUIExtendedOp(OverflowOp):
    """The sum of two integers, and whether it is more than the largest unsigned one."""

    name = "arith.addui_extended"


@irdl_op_definition
class SubUIExtendedOp(OverflowOp):
    """The difference of two integers, and whether it is less than 0."""

    name = "arith.subui_extended"


class WideProductOp(IRDLOperation):
    """The low and the high half of a product of integers."""

    T: ClassVar = VarConstraint("T", IntegerLike())

    lhs = operand_def(T)
    rhs = operand_def(T)
    low = result_def(T)
    high = result_def(T)

    traits = traits_def(Pure())

    assembly_format = "$lhs `,` $rhs attr-dict `:` type($lhs)"


@irdl_op_definition
class MulSIExtendedOp(WideProductOp):
    """The product of two signed integers."""

    name = "arith.mulsi_extended"


@irdl_op_definition
class MulUIExtendedOp(WideProductOp):
    """The product of two unsigned integers."""

    name = "arith.mului_extended"


@irdl_op_definition
class IndexCastUIOp(IntegerCastOp):
    """An unsigned integer as an index, or an index as an integer of a fixed width."""

    name = "arith.index_castui"

    def verify_elements(self, source: Attribute, target: Attribute) -> None:
        if isinstance(source, IndexType) == isinstance(target, IndexType):
            raise VerifyException(f"expected a cast between index and an integer, found {source} to {target}")

    def convert(self, value: Constant, source: Attribute, target: Attribute) -> Constant | None:
        return None


@irdl_op_definition
class ConvertFOp(FloatCastOp):
    """A float in another type of the same width, rounded to nearest even."""

    name = "arith.convertf"

    def verify_elements(self, source: Attribute, target: Attribute) -> None:
        if source == target or bit_width(source) != bit_width(target):
            raise VerifyException(f"expected two types of one width, found {source} and {target}")

    def convert(self, value: Constant, source: Attribute, target: Attribute) -> Constant | None:
        return None


@irdl_op_definition
class FlushDenormalsOp(IRDLOperation):
    """A float, or 0 with its sign for one that is smaller than the smallest normal one."""

    name = "arith.flush_denormals"

    T: ClassVar = VarConstraint("T", FloatLike())

    operand = operand_def(T)
    result = result_def(T)

    traits = traits_def(Pure())

    assembly_format = "$operand attr-dict `:` type($result)"


WHOLE_ARITH = Dialect(
    "arith",
    [
        *Arith.operations,
        CeilDivSIOp,
        CeilDivUIOp,
        FloorDivSIOp,
        AddUIExtendedOp,
        SubUIExtendedOp,
        MulSIExtendedOp,
        MulUIExtendedOp,
        IndexCastUIOp,
        ConvertFOp,
        FlushDenormalsOp,
    ],
    [*Arith.attributes],
    [ArithConstantMaterialization()],
)
"""The dialect as text may have it."""
