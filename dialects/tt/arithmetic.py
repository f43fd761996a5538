"""Arithmetic that `arith` and `math` lack."""

from __future__ import annotations

from typing import ClassVar

from xdsl.dialects.builtin import I32, IntegerAttr, f32, i32
from xdsl.ir import Operation, SSAValue
from xdsl.irdl import IRDLOperation, VarConstraint, irdl_op_definition, operand_def, prop_def, result_def, traits_def
from xdsl.irdl.declarative_assembly_format import AttributeVariable, irdl_custom_directive
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from mytriton.dialects.building import initialize, value_of
from mytriton.dialects.enum_directive import EnumDirective
from mytriton.dialects.tensor_types import FixedWidthIntegerLike, FloatLike, element_type

PROPAGATE_NAN = {"none": 0, "all": 0xFFFF}


@irdl_custom_directive
class PropagateNan(EnumDirective):
    WHAT: ClassVar[str] = "propagateNan"
    WORDS: ClassVar[dict[str, int]] = PROPAGATE_NAN

    attr: AttributeVariable


@irdl_op_definition
class ClampFOp(IRDLOperation):
    """`x` limited to [min, max]. With `propagateNan = all` a NaN in `x` stays, else it becomes `min`."""

    name = "tt.clampf"

    T: ClassVar = VarConstraint("T", FloatLike())

    x = operand_def(T)
    min = operand_def(T)
    max = operand_def(T)
    propagate_nan = prop_def(IntegerAttr[I32], prop_name="propagateNan")
    result = result_def(T)

    traits = traits_def(Pure())

    custom_directives = (PropagateNan,)
    assembly_format = (
        "$x `,` $min `,` $max `,` `propagateNan` `=` custom<PropagateNan>($propagateNan) attr-dict `:` type($result)"
    )

    def __init__(
        self,
        x: SSAValue | Operation,
        min: SSAValue | Operation,
        max: SSAValue | Operation,
        propagate_nan: bool = False,
    ):
        x = value_of(x)
        number = PROPAGATE_NAN["all" if propagate_nan else "none"]
        initialize(
            self,
            operands=(x, value_of(min), value_of(max)),
            result_types=(x.type,),
            properties={"propagateNan": IntegerAttr(number, i32)},
        )

    @property
    def propagates_nan(self) -> bool:
        return self.propagate_nan.value.data != 0

    def verify_(self) -> None:
        if self.propagate_nan.value.data not in PROPAGATE_NAN.values():
            raise VerifyException(f"expected a propagateNan of 0 or 65535, found {self.propagate_nan.value.data}")


@irdl_op_definition
class PreciseSqrtOp(IRDLOperation):
    """The square root, rounded to nearest even."""

    name = "tt.precise_sqrt"

    T: ClassVar = VarConstraint("T", FloatLike())

    x = operand_def(T)
    result = result_def(T)

    traits = traits_def(Pure())

    assembly_format = "$x attr-dict `:` type($x)"

    def __init__(self, x: SSAValue | Operation):
        x = value_of(x)
        initialize(self, operands=(x,), result_types=(x.type,))


class DivFOp(IRDLOperation):
    """A quotient of floats."""

    T: ClassVar = VarConstraint("T", FloatLike())

    x = operand_def(T)
    y = operand_def(T)
    result = result_def(T)

    traits = traits_def(Pure())

    assembly_format = "$x `,` $y attr-dict `:` type($x)"

    def __init__(self, x: SSAValue | Operation, y: SSAValue | Operation):
        x = value_of(x)
        initialize(self, operands=(x, value_of(y)), result_types=(x.type,))


@irdl_op_definition
class PreciseDivFOp(DivFOp):
    """The quotient, rounded to nearest even."""

    name = "tt.precise_divf"


@irdl_op_definition
class ApproxDivFOp(DivFOp):
    """The quotient of floats of 32 bits, which may be wrong by two units in the last place."""

    name = "tt.approx_divf"

    def verify_(self) -> None:
        if element_type(self.x.type) != f32:
            raise VerifyException(f"expected floats of 32 bits, found {self.x.type}")


@irdl_op_definition
class MulhiUIOp(IRDLOperation):
    """The high half of the product of two unsigned integers."""

    name = "tt.mulhiui"

    T: ClassVar = VarConstraint("T", FixedWidthIntegerLike())

    x = operand_def(T)
    y = operand_def(T)
    result = result_def(T)

    traits = traits_def(Pure())

    assembly_format = "$x `,` $y attr-dict `:` type($x)"

    def __init__(self, x: SSAValue | Operation, y: SSAValue | Operation):
        x = value_of(x)
        initialize(self, operands=(x, value_of(y)), result_types=(x.type,))
