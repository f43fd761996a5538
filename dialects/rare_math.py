"""Operations of `math` that Triton reads and that xDSL does not have.

`expand-operations` writes them in terms of the others.
"""

from __future__ import annotations

from typing import ClassVar

from xdsl.dialects.arith import FastMathFlagsAttr
from xdsl.dialects.math import Math
from xdsl.ir import Dialect
from xdsl.irdl import (
    IRDLOperation,
    ParsePropInAttrDict,
    VarConstraint,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    result_def,
    traits_def,
)
from xdsl.traits import Pure

from mytriton.dialects.tensor_types import FloatLike, I1LikeVariable


class ClassificationOp(IRDLOperation):
    """Whether a float is of some kind."""

    T: ClassVar = VarConstraint("T", FloatLike())

    operand = operand_def(T)
    result = result_def(I1LikeVariable("T"))
    fastmath = opt_prop_def(FastMathFlagsAttr)

    traits = traits_def(Pure())

    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$operand attr-dict `:` type($operand)"


@irdl_op_definition
class IsFiniteOp(ClassificationOp):
    """Whether a float is neither NaN nor infinite."""

    name = "math.isfinite"


@irdl_op_definition
class IsInfOp(ClassificationOp):
    """Whether a float is infinite."""

    name = "math.isinf"


@irdl_op_definition
class IsNaNOp(ClassificationOp):
    """Whether a float is NaN."""

    name = "math.isnan"


@irdl_op_definition
class IsNormalOp(ClassificationOp):
    """Whether a float is neither zero, subnormal, infinite nor NaN."""

    name = "math.isnormal"


@irdl_op_definition
class ClampFOp(IRDLOperation):
    """A float that is not below `min` and not above `max`; NaN where one of the three is."""

    name = "math.clampf"

    T: ClassVar = VarConstraint("T", FloatLike())

    value = operand_def(T)
    min = operand_def(T)
    max = operand_def(T)
    result = result_def(T)
    fastmath = opt_prop_def(FastMathFlagsAttr)

    traits = traits_def(Pure())

    assembly_format = "$value `to` `[` $min `,` $max `]` (`fastmath` `` $fastmath^)? attr-dict `:` type($result)"


@irdl_op_definition
class SincosOp(IRDLOperation):
    """The sine and the cosine of a float."""

    name = "math.sincos"

    T: ClassVar = VarConstraint("T", FloatLike())

    operand = operand_def(T)
    sin = result_def(T)
    cos = result_def(T)
    fastmath = opt_prop_def(FastMathFlagsAttr)

    traits = traits_def(Pure())

    assembly_format = "$operand (`fastmath` `` $fastmath^)? attr-dict `:` type($operand)"


@irdl_op_definition
class ErfcOp(IRDLOperation):
    """1 minus the error function of a float."""

    name = "math.erfc"

    T: ClassVar = VarConstraint("T", FloatLike())

    operand = operand_def(T)
    result = result_def(T)
    fastmath = opt_prop_def(FastMathFlagsAttr)

    traits = traits_def(Pure())

    assembly_format = "$operand (`fastmath` `` $fastmath^)? attr-dict `:` type($result)"


WHOLE_MATH = Dialect(
    "math",
    [*Math.operations, IsFiniteOp, IsInfOp, IsNaNOp, IsNormalOp, ClampFOp, SincosOp, ErfcOp],
    [*Math.attributes],
)
"""The dialect as text may have it."""
