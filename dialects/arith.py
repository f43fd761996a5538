"""
The `arith` dialect on scalars and on tensors of any shape and encoding, in MLIR's assembly.

xDSL's own `arith` has no casts, comparisons or selects of tensors, so its operations are defined again here; the two
cannot be in one context. The attributes for fast-math and overflow flags are xDSL's.

Integers are signless. What MLIR leaves undefined is defined: a division by zero gives -1 (all ones) and so does its
remainder, the smallest integer divided by -1 is itself with remainder 0, a shift by at least the width gives 0 (or the
sign, for `shrsi`), and a float out of range converts to the nearest integer of the target, NaN to 0.
"""

from __future__ import annotations

import abc
import math
import operator
from collections.abc import Callable, Sequence
from typing import ClassVar

from typing_extensions import TypeIs
from xdsl.dialect_interfaces.constant_materialization import ConstantMaterializationInterface
from xdsl.dialects.arith import FastMathFlagsAttr, IntegerOverflowAttr
from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    UnitAttr,
    i1,
    i64,
)
from xdsl.dialects.utils import FastMathFlag
from xdsl.interfaces import HasFolderInterface
from xdsl.ir import Attribute, Dialect, Operation, SSAValue
from xdsl.irdl import (
    AnyAttr,
    IRDLOperation,
    ParamAttrConstraint,
    VarConstraint,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.irdl.declarative_assembly_format import AttributeVariable, irdl_custom_directive
from xdsl.parser import Parser
from xdsl.pattern_rewriter import RewritePattern
from xdsl.printer import Printer
from xdsl.traits import Commutative, ConstantLike, HasCanonicalizationPatternsTrait, Pure
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.hints import isa

from mytriton.dialects import constants
from mytriton.dialects.building import initialize, value_of
from mytriton.dialects.constants import Constant, ConstantAttr, constant_attr, splat_value
from mytriton.dialects.enum_directive import EnumDirective
from mytriton.dialects.quick_access import quicken
from mytriton.dialects.tensor_types import (
    FloatLike,
    I1LikeVariable,
    IntegerLike,
    NumberLike,
    bit_width,
    element_type,
    encoding_of,
    i1_like,
    is_float,
    is_integer,
    shape_of,
)

CMPI_PREDICATES = {
    "eq": 0,
    "ne": 1,
    "slt": 2,
    "sle": 3,
    "sgt": 4,
    "sge": 5,
    "ult": 6,
    "ule": 7,
    "ugt": 8,
    "uge": 9,
}

CMPF_PREDICATES = {
    "false": 0,
    "oeq": 1,
    "ogt": 2,
    "oge": 3,
    "olt": 4,
    "ole": 5,
    "one": 6,
    "ord": 7,
    "ueq": 8,
    "ugt": 9,
    "uge": 10,
    "ult": 11,
    "ule": 12,
    "une": 13,
    "uno": 14,
    "true": 15,
}

NO_OVERFLOW_FLAGS = IntegerOverflowAttr("none")
NO_FAST_MATH = FastMathFlagsAttr("none")

FoldResult = Sequence[SSAValue | Attribute] | None


class ArithCanonicalization(HasCanonicalizationPatternsTrait):
    """The rewrites of `arith_canonicalization.py`, imported when a canonicalization first asks for them."""

    @classmethod
    def get_canonicalization_patterns(cls) -> tuple[RewritePattern, ...]:
        raise NotImplementedError("the patterns depend on the operation")

    def get_patterns(self, op: type[Operation]) -> tuple[RewritePattern, ...]:
        from mytriton.dialects.arith_canonicalization import PATTERNS

        return PATTERNS.get(op, ())


@irdl_op_definition
class ConstantOp(IRDLOperation, HasFolderInterface):
    """A constant integer, float or tensor."""

    name = "arith.constant"

    _T: ClassVar = VarConstraint("T", AnyAttr())

    value = prop_def(
        ParamAttrConstraint(IntegerAttr, (AnyAttr(), _T))
        | ParamAttrConstraint(FloatAttr, (AnyAttr(), _T))
        | ParamAttrConstraint(DenseIntOrFPElementsAttr, (_T, AnyAttr()))
    )
    result = result_def(_T)

    traits = traits_def(Pure(), ConstantLike())

    assembly_format = "attr-dict $value"

    def __init__(self, value: ConstantAttr, value_type: Attribute | None = None):
        result_type = value.get_type() if value_type is None else value_type
        initialize(self, (), (result_type,), {"value": value})

    @staticmethod
    def of(type: Attribute, value: Constant) -> ConstantOp:
        """
        The constant of a scalar type, or of a tensor type with all elements equal. The value is wrapped or rounded
        to the type.
        """
        return ConstantOp(constant_attr(type, value), type)

    @staticmethod
    def from_int_and_width(value: int, value_type: int | IntegerType | IndexType) -> ConstantOp:
        return ConstantOp.of(IntegerType(value_type) if isinstance(value_type, int) else value_type, value)

    def verify_(self) -> None:
        type = self.result.type
        element = element_type(type)
        if not is_integer(element) and not is_float(element):
            raise VerifyException(f"expected a constant of signless integers or floats, found {type}")
        if isinstance(self.value, DenseIntOrFPElementsAttr):
            expected, found = math.prod(shape_of(type) or ()), len(self.value)
            if found != expected:
                raise VerifyException(f"expected {expected} elements for {type}, found {found}")

    def fold(self) -> FoldResult:
        return (self.value,)


def constant_value(value: SSAValue) -> Constant | None:
    """The number that an `arith.constant` gives all elements of `value`; None if it is not known."""
    owner = value.owner
    return splat_value(owner.value) if _is_constant(owner) else None


def _is_constant(owner: object) -> TypeIs[ConstantOp]:
    # The class has no subclasses, and `isinstance` is slow for what is not an instance of it.
    return owner.__class__ is ConstantOp


def integer_constant(value: SSAValue) -> int | None:
    """The integer (signed) that an `arith.constant` gives all elements of `value`; None if it is not known."""
    number = constant_value(value)
    return number if isinstance(number, int) else None


def float_constant(value: SSAValue) -> float | None:
    """The float that an `arith.constant` gives all elements of `value`; None if it is not known."""
    number = constant_value(value)
    return number if isinstance(number, float) else None


# Integer arithmetic


class IntegerBinaryOp(IRDLOperation, HasFolderInterface, abc.ABC):
    """An operation on two integers, index values, or tensors of them, of one type."""

    T: ClassVar = VarConstraint("T", IntegerLike())

    lhs = operand_def(T)
    rhs = operand_def(T)
    result = result_def(T)

    traits = traits_def(Pure(), ArithCanonicalization())

    assembly_format = "$lhs `,` $rhs attr-dict `:` type($result)"

    def __init__(self, lhs: SSAValue | Operation, rhs: SSAValue | Operation, result_type: Attribute | None = None):
        lhs = value_of(lhs)
        initialize(self, (lhs, value_of(rhs)), (result_type or lhs.type,))

    @staticmethod
    @abc.abstractmethod
    def compute(lhs: int, rhs: int, width: int) -> int:
        """The result for two signed numbers, of which the low `width` bits count."""

    def simplify(self, lhs: SSAValue, rhs: int, width: int) -> SSAValue | int | None:
        """The result where only the right operand is known (for a commutative operation: only one operand)."""
        return None

    def simplify_equal(self, operand: SSAValue) -> SSAValue | int | None:
        """The result where both operands are the same value."""
        return None

    def fold(self) -> FoldResult:
        lhs, rhs = integer_constant(self.lhs), integer_constant(self.rhs)
        if lhs is None and rhs is None and self.lhs is not self.rhs:
            return None
        type = self.result.type
        width = bit_width(element_type(type))
        if lhs is not None and rhs is not None:
            folded = self.compute(lhs, rhs, width)
        elif rhs is not None:
            folded = self.simplify(self.lhs, rhs, width)
        elif lhs is not None and self.has_trait(Commutative):
            folded = self.simplify(self.rhs, lhs, width)
        elif self.lhs is self.rhs:
            folded = self.simplify_equal(self.lhs)
        else:
            return None
        if folded is None:
            return None
        return (constant_attr(type, folded) if isinstance(folded, int) else folded,)


class ExactIntegerBinaryOp(IntegerBinaryOp, abc.ABC):
    """An integer operation with a flag that promises that no part of the result is lost."""

    is_exact = opt_prop_def(UnitAttr, prop_name="isExact")

    assembly_format = "$lhs `,` $rhs (`exact` $isExact^)? attr-dict `:` type($result)"


class OverflowingIntegerBinaryOp(IntegerBinaryOp, abc.ABC):
    """An integer operation with flags that promise that it does not overflow."""

    overflow_flags = prop_def(IntegerOverflowAttr, default_value=NO_OVERFLOW_FLAGS, prop_name="overflowFlags")

    assembly_format = "$lhs `,` $rhs (`overflow` `` $overflowFlags^)? attr-dict `:` type($result)"

    def __init__(
        self,
        lhs: SSAValue | Operation,
        rhs: SSAValue | Operation,
        result_type: Attribute | None = None,
        overflow: IntegerOverflowAttr = NO_OVERFLOW_FLAGS,
    ):
        lhs = value_of(lhs)
        initialize(self, (lhs, value_of(rhs)), (result_type or lhs.type,), {"overflowFlags": overflow})


@irdl_op_definition
class AddiOp(OverflowingIntegerBinaryOp):
    """The sum of two integers; it wraps."""

    name = "arith.addi"

    traits = traits_def(Commutative())

    @staticmethod
    def compute(lhs: int, rhs: int, width: int) -> int:
        return lhs + rhs

    def simplify(self, lhs: SSAValue, rhs: int, width: int) -> SSAValue | int | None:
        return lhs if rhs == 0 else None


@irdl_op_definition
class SubiOp(OverflowingIntegerBinaryOp):
    """The difference of two integers; it wraps."""

    name = "arith.subi"

    @staticmethod
    def compute(lhs: int, rhs: int, width: int) -> int:
        return lhs - rhs

    def simplify(self, lhs: SSAValue, rhs: int, width: int) -> SSAValue | int | None:
        return lhs if rhs == 0 else None

    def simplify_equal(self, operand: SSAValue) -> SSAValue | int | None:
        return 0


@irdl_op_definition
class MuliOp(OverflowingIntegerBinaryOp):
    """The product of two integers; it wraps."""

    name = "arith.muli"

    traits = traits_def(Commutative())

    @staticmethod
    def compute(lhs: int, rhs: int, width: int) -> int:
        return lhs * rhs

    def simplify(self, lhs: SSAValue, rhs: int, width: int) -> SSAValue | int | None:
        if rhs == 0:
            return 0
        return lhs if rhs == constants.wrap(1, width) else None


@irdl_op_definition
class DivSIOp(ExactIntegerBinaryOp):
    """The quotient of signed integers, rounded towards zero."""

    name = "arith.divsi"

    @staticmethod
    def compute(lhs: int, rhs: int, width: int) -> int:
        return constants.divide_signed(lhs, rhs)

    def simplify(self, lhs: SSAValue, rhs: int, width: int) -> SSAValue | int | None:
        if rhs == 0:
            return -1
        return lhs if rhs == 1 else None


@irdl_op_definition
class DivUIOp(ExactIntegerBinaryOp):
    """The quotient of unsigned integers, rounded down."""

    name = "arith.divui"

    @staticmethod
    def compute(lhs: int, rhs: int, width: int) -> int:
        return constants.divide_signed(constants.unsigned(lhs, width), constants.unsigned(rhs, width))

    def simplify(self, lhs: SSAValue, rhs: int, width: int) -> SSAValue | int | None:
        if rhs == 0:
            return -1
        return lhs if constants.unsigned(rhs, width) == 1 else None


@irdl_op_definition
class RemSIOp(IntegerBinaryOp):
    """The remainder of signed integers, with the sign of the dividend."""

    name = "arith.remsi"

    @staticmethod
    def compute(lhs: int, rhs: int, width: int) -> int:
        return constants.remainder_signed(lhs, rhs)

    def simplify(self, lhs: SSAValue, rhs: int, width: int) -> SSAValue | int | None:
        if rhs == 0:
            return -1
        return 0 if rhs in (1, -1) else None


@irdl_op_definition
class RemUIOp(IntegerBinaryOp):
    """The remainder of unsigned integers."""

    name = "arith.remui"

    @staticmethod
    def compute(lhs: int, rhs: int, width: int) -> int:
        return constants.remainder_signed(constants.unsigned(lhs, width), constants.unsigned(rhs, width))

    def simplify(self, lhs: SSAValue, rhs: int, width: int) -> SSAValue | int | None:
        if rhs == 0:
            return -1
        return 0 if constants.unsigned(rhs, width) == 1 else None


@irdl_op_definition
class AndIOp(IntegerBinaryOp):
    """The bits set in both integers."""

    name = "arith.andi"

    traits = traits_def(Commutative())

    @staticmethod
    def compute(lhs: int, rhs: int, width: int) -> int:
        return lhs & rhs

    def simplify(self, lhs: SSAValue, rhs: int, width: int) -> SSAValue | int | None:
        if rhs == 0:
            return 0
        return lhs if rhs == -1 else None

    def simplify_equal(self, operand: SSAValue) -> SSAValue | int | None:
        return operand


@irdl_op_definition
class OrIOp(IntegerBinaryOp):
    """The bits set in either integer."""

    name = "arith.ori"

    traits = traits_def(Commutative())

    @staticmethod
    def compute(lhs: int, rhs: int, width: int) -> int:
        return lhs | rhs

    def simplify(self, lhs: SSAValue, rhs: int, width: int) -> SSAValue | int | None:
        if rhs == -1:
            return -1
        return lhs if rhs == 0 else None

    def simplify_equal(self, operand: SSAValue) -> SSAValue | int | None:
        return operand


@irdl_op_definition
class XOrIOp(IntegerBinaryOp):
    """The bits set in exactly one of two integers."""

    name = "arith.xori"

    traits = traits_def(Commutative())

    @staticmethod
    def compute(lhs: int, rhs: int, width: int) -> int:
        return lhs ^ rhs

    def simplify(self, lhs: SSAValue, rhs: int, width: int) -> SSAValue | int | None:
        return lhs if rhs == 0 else None

    def simplify_equal(self, operand: SSAValue) -> SSAValue | int | None:
        return 0


@irdl_op_definition
class ShLIOp(OverflowingIntegerBinaryOp):
    """`lhs` shifted left by `rhs` bits (unsigned); 0 if that is at least the width."""

    name = "arith.shli"

    @staticmethod
    def compute(lhs: int, rhs: int, width: int) -> int:
        amount = constants.unsigned(rhs, width)
        return lhs << amount if amount < width else 0

    def simplify(self, lhs: SSAValue, rhs: int, width: int) -> SSAValue | int | None:
        if constants.unsigned(rhs, width) >= width:
            return 0
        return lhs if rhs == 0 else None


@irdl_op_definition
class ShRUIOp(ExactIntegerBinaryOp):
    """`lhs` shifted right by `rhs` bits (unsigned), filled with zeros; 0 if that is at least the width."""

    name = "arith.shrui"

    @staticmethod
    def compute(lhs: int, rhs: int, width: int) -> int:
        amount = constants.unsigned(rhs, width)
        return constants.unsigned(lhs, width) >> amount if amount < width else 0

    def simplify(self, lhs: SSAValue, rhs: int, width: int) -> SSAValue | int | None:
        if constants.unsigned(rhs, width) >= width:
            return 0
        return lhs if rhs == 0 else None


@irdl_op_definition
class ShRSIOp(ExactIntegerBinaryOp):
    """`lhs` shifted right by `rhs` bits (unsigned), filled with its sign, also if that is at least the width."""

    name = "arith.shrsi"

    @staticmethod
    def compute(lhs: int, rhs: int, width: int) -> int:
        return lhs >> min(constants.unsigned(rhs, width), width - 1)

    def simplify(self, lhs: SSAValue, rhs: int, width: int) -> SSAValue | int | None:
        return lhs if rhs == 0 else None


@irdl_op_definition
class MinSIOp(IntegerBinaryOp):
    """The smaller of two signed integers."""

    name = "arith.minsi"

    traits = traits_def(Commutative())

    @staticmethod
    def compute(lhs: int, rhs: int, width: int) -> int:
        return min(lhs, rhs)

    def simplify(self, lhs: SSAValue, rhs: int, width: int) -> SSAValue | int | None:
        return _clamp(lhs, rhs, absorbing=-(1 << (width - 1)), unit=(1 << (width - 1)) - 1)

    def simplify_equal(self, operand: SSAValue) -> SSAValue | int | None:
        return operand


@irdl_op_definition
class MaxSIOp(IntegerBinaryOp):
    """The larger of two signed integers."""

    name = "arith.maxsi"

    traits = traits_def(Commutative())

    @staticmethod
    def compute(lhs: int, rhs: int, width: int) -> int:
        return max(lhs, rhs)

    def simplify(self, lhs: SSAValue, rhs: int, width: int) -> SSAValue | int | None:
        return _clamp(lhs, rhs, absorbing=(1 << (width - 1)) - 1, unit=-(1 << (width - 1)))

    def simplify_equal(self, operand: SSAValue) -> SSAValue | int | None:
        return operand


@irdl_op_definition
class MinUIOp(IntegerBinaryOp):
    """The smaller of two unsigned integers."""

    name = "arith.minui"

    traits = traits_def(Commutative())

    @staticmethod
    def compute(lhs: int, rhs: int, width: int) -> int:
        return min(constants.unsigned(lhs, width), constants.unsigned(rhs, width))

    def simplify(self, lhs: SSAValue, rhs: int, width: int) -> SSAValue | int | None:
        return _clamp(lhs, rhs, absorbing=0, unit=-1)

    def simplify_equal(self, operand: SSAValue) -> SSAValue | int | None:
        return operand


@irdl_op_definition
class MaxUIOp(IntegerBinaryOp):
    """The larger of two unsigned integers."""

    name = "arith.maxui"

    traits = traits_def(Commutative())

    @staticmethod
    def compute(lhs: int, rhs: int, width: int) -> int:
        return max(constants.unsigned(lhs, width), constants.unsigned(rhs, width))

    def simplify(self, lhs: SSAValue, rhs: int, width: int) -> SSAValue | int | None:
        return _clamp(lhs, rhs, absorbing=-1, unit=0)

    def simplify_equal(self, operand: SSAValue) -> SSAValue | int | None:
        return operand


def _clamp(operand: SSAValue, bound: int, *, absorbing: int, unit: int) -> SSAValue | int | None:
    if bound == absorbing:
        return absorbing
    return operand if bound == unit else None


# Float arithmetic


class FloatBinaryOp(IRDLOperation, HasFolderInterface, abc.ABC):
    """An operation on two floats, or tensors of floats, of one type."""

    T: ClassVar = VarConstraint("T", FloatLike())

    lhs = operand_def(T)
    rhs = operand_def(T)
    result = result_def(T)
    fastmath = prop_def(FastMathFlagsAttr, default_value=NO_FAST_MATH)

    traits = traits_def(Pure(), ArithCanonicalization())

    assembly_format = "$lhs `,` $rhs (`fastmath` `` $fastmath^)? attr-dict `:` type($result)"

    def __init__(
        self,
        lhs: SSAValue | Operation,
        rhs: SSAValue | Operation,
        flags: FastMathFlagsAttr | None = None,
        result_type: Attribute | None = None,
    ):
        lhs = value_of(lhs)
        properties: dict[str, Attribute] = {"fastmath": flags or NO_FAST_MATH}
        initialize(self, (lhs, value_of(rhs)), (result_type or lhs.type,), properties)

    @staticmethod
    @abc.abstractmethod
    def compute(lhs: float, rhs: float) -> float:
        """The result for two values of the type, before it is rounded to the type."""

    def simplify(self, lhs: SSAValue, rhs: float) -> SSAValue | float | None:
        """The result where only the right operand is known (for a commutative operation: only one operand)."""
        return None

    def simplify_equal(self, operand: SSAValue) -> SSAValue | float | None:
        """The result where both operands are the same value."""
        return None

    def fold(self) -> FoldResult:
        lhs, rhs = float_constant(self.lhs), float_constant(self.rhs)
        if bit_width(element_type(self.result.type)) == 8:
            return None
        if lhs is not None and rhs is not None:
            folded = self.compute(lhs, rhs)
        elif rhs is not None:
            folded = self.simplify(self.lhs, rhs)
        elif lhs is not None and self.has_trait(Commutative):
            folded = self.simplify(self.rhs, lhs)
        elif self.lhs is self.rhs:
            folded = self.simplify_equal(self.lhs)
        else:
            return None
        if folded is None:
            return None
        if isinstance(folded, SSAValue):
            return (folded,)
        return (constant_attr(self.result.type, math.nan if math.isnan(folded) else folded),)

    @property
    def ignores_zero_sign(self) -> bool:
        return FastMathFlag.NO_SIGNED_ZEROS in self.fastmath.data


def _is_zero(value: float, sign: float) -> bool:
    return value == 0.0 and math.copysign(1.0, value) == sign


@irdl_op_definition
class AddfOp(FloatBinaryOp):
    """The sum of two floats."""

    name = "arith.addf"

    traits = traits_def(Commutative())

    @staticmethod
    def compute(lhs: float, rhs: float) -> float:
        return lhs + rhs

    def simplify(self, lhs: SSAValue, rhs: float) -> SSAValue | float | None:
        # -0.0 + 0.0 is 0.0, so only -0.0 changes nothing.
        return lhs if _is_zero(rhs, -1.0) or (rhs == 0.0 and self.ignores_zero_sign) else None


@irdl_op_definition
class SubfOp(FloatBinaryOp):
    """The difference of two floats."""

    name = "arith.subf"

    @staticmethod
    def compute(lhs: float, rhs: float) -> float:
        return lhs - rhs

    def simplify(self, lhs: SSAValue, rhs: float) -> SSAValue | float | None:
        return lhs if _is_zero(rhs, 1.0) or (rhs == 0.0 and self.ignores_zero_sign) else None


@irdl_op_definition
class MulfOp(FloatBinaryOp):
    """The product of two floats."""

    name = "arith.mulf"

    traits = traits_def(Commutative())

    @staticmethod
    def compute(lhs: float, rhs: float) -> float:
        return lhs * rhs

    def simplify(self, lhs: SSAValue, rhs: float) -> SSAValue | float | None:
        return lhs if rhs == 1.0 else None


@irdl_op_definition
class DivfOp(FloatBinaryOp):
    """The quotient of two floats."""

    name = "arith.divf"

    @staticmethod
    def compute(lhs: float, rhs: float) -> float:
        return constants.divide_floats(lhs, rhs)

    def simplify(self, lhs: SSAValue, rhs: float) -> SSAValue | float | None:
        return lhs if rhs == 1.0 else None


@irdl_op_definition
class RemfOp(FloatBinaryOp):
    """The remainder of a division rounded towards zero, like C's `fmod`."""

    name = "arith.remf"

    @staticmethod
    def compute(lhs: float, rhs: float) -> float:
        return constants.remainder_floats(lhs, rhs)


@irdl_op_definition
class MinimumfOp(FloatBinaryOp):
    """The smaller of two floats, NaN if either is NaN; -0.0 is smaller than 0.0."""

    name = "arith.minimumf"

    traits = traits_def(Commutative())

    @staticmethod
    def compute(lhs: float, rhs: float) -> float:
        return constants.minimum(lhs, rhs)

    def simplify(self, lhs: SSAValue, rhs: float) -> SSAValue | float | None:
        if math.isnan(rhs):
            return math.nan
        return lhs if rhs == math.inf else None

    def simplify_equal(self, operand: SSAValue) -> SSAValue | float | None:
        return operand


@irdl_op_definition
class MaximumfOp(FloatBinaryOp):
    """The larger of two floats, NaN if either is NaN; -0.0 is smaller than 0.0."""

    name = "arith.maximumf"

    traits = traits_def(Commutative())

    @staticmethod
    def compute(lhs: float, rhs: float) -> float:
        return constants.maximum(lhs, rhs)

    def simplify(self, lhs: SSAValue, rhs: float) -> SSAValue | float | None:
        if math.isnan(rhs):
            return math.nan
        return lhs if rhs == -math.inf else None

    def simplify_equal(self, operand: SSAValue) -> SSAValue | float | None:
        return operand


@irdl_op_definition
class MinnumfOp(FloatBinaryOp):
    """The smaller of two floats, the other one if one is NaN."""

    name = "arith.minnumf"

    traits = traits_def(Commutative())

    @staticmethod
    def compute(lhs: float, rhs: float) -> float:
        return constants.minimum_number(lhs, rhs)

    def simplify(self, lhs: SSAValue, rhs: float) -> SSAValue | float | None:
        if math.isnan(rhs):
            return lhs
        return rhs if rhs == -math.inf else None

    def simplify_equal(self, operand: SSAValue) -> SSAValue | float | None:
        return operand


@irdl_op_definition
class MaxnumfOp(FloatBinaryOp):
    """The larger of two floats, the other one if one is NaN."""

    name = "arith.maxnumf"

    traits = traits_def(Commutative())

    @staticmethod
    def compute(lhs: float, rhs: float) -> float:
        return constants.maximum_number(lhs, rhs)

    def simplify(self, lhs: SSAValue, rhs: float) -> SSAValue | float | None:
        if math.isnan(rhs):
            return lhs
        return rhs if rhs == math.inf else None

    def simplify_equal(self, operand: SSAValue) -> SSAValue | float | None:
        return operand


@irdl_op_definition
class NegfOp(IRDLOperation, HasFolderInterface):
    """A float with its sign flipped."""

    name = "arith.negf"

    T: ClassVar = VarConstraint("T", FloatLike())

    operand = operand_def(T)
    result = result_def(T)
    fastmath = prop_def(FastMathFlagsAttr, default_value=NO_FAST_MATH)

    traits = traits_def(Pure())

    assembly_format = "$operand (`fastmath` `` $fastmath^)? attr-dict `:` type($result)"

    def __init__(self, operand: SSAValue | Operation, fastmath: FastMathFlagsAttr | None = None):
        operand = value_of(operand)
        initialize(self, (operand,), (operand.type,), {"fastmath": fastmath or NO_FAST_MATH})

    def fold(self) -> FoldResult:
        if (value := float_constant(self.operand)) is not None:
            return (constant_attr(self.result.type, -value),)
        inner = self.operand.owner
        return (inner.operand,) if isinstance(inner, NegfOp) else None


# Comparisons and select


@irdl_custom_directive
class CmpiPredicate(EnumDirective):
    WHAT: ClassVar[str] = "predicate"
    WORDS: ClassVar[dict[str, int]] = CMPI_PREDICATES
    TYPE: ClassVar[IntegerType] = i64

    attr: AttributeVariable


@irdl_custom_directive
class CmpfPredicate(EnumDirective):
    WHAT: ClassVar[str] = "predicate"
    WORDS: ClassVar[dict[str, int]] = CMPF_PREDICATES
    TYPE: ClassVar[IntegerType] = i64

    attr: AttributeVariable


def _predicate_attr(predicate: str | int, predicates: dict[str, int]) -> IntegerAttr:
    if isinstance(predicate, str):
        if predicate not in predicates:
            raise ValueError(f"unknown predicate '{predicate}', expected one of {', '.join(predicates)}")
        predicate = predicates[predicate]
    return _PREDICATE_ATTRS[predicate]


_PREDICATE_ATTRS = tuple(IntegerAttr(number, i64) for number in range(len(CMPF_PREDICATES)))


def _verify_predicate(predicate: IntegerAttr, predicates: dict[str, int]) -> None:
    if predicate.type != i64 or not 0 <= predicate.value.data < len(predicates):
        raise VerifyException(f"expected a predicate from 0 to {len(predicates) - 1} of type i64, found {predicate}")


@irdl_op_definition
class CmpiOp(IRDLOperation, HasFolderInterface):
    """The comparison of two integers by a predicate."""

    name = "arith.cmpi"

    T: ClassVar = VarConstraint("T", IntegerLike())

    predicate = prop_def(IntegerAttr)
    lhs = operand_def(T)
    rhs = operand_def(T)
    result = result_def(I1LikeVariable("T"))

    traits = traits_def(Pure(), ArithCanonicalization())

    custom_directives = (CmpiPredicate,)
    assembly_format = "custom<CmpiPredicate>($predicate) `,` $lhs `,` $rhs attr-dict `:` type($lhs)"

    def __init__(self, lhs: SSAValue | Operation, rhs: SSAValue | Operation, predicate: str | int):
        lhs = value_of(lhs)
        properties: dict[str, Attribute] = {"predicate": _predicate_attr(predicate, CMPI_PREDICATES)}
        initialize(self, (lhs, value_of(rhs)), (i1_like(lhs.type),), properties)

    @property
    def predicate_name(self) -> str:
        return _CMPI_NAMES[self.predicate.value.data]

    def verify_(self) -> None:
        _verify_predicate(self.predicate, CMPI_PREDICATES)

    def fold(self) -> FoldResult:
        lhs, rhs = integer_constant(self.lhs), integer_constant(self.rhs)
        if self.lhs is self.rhs:
            lhs = rhs = 0
        if lhs is None or rhs is None:
            return None
        width = bit_width(element_type(self.lhs.type))
        return (constant_attr(self.result.type, compare_integers(self.predicate_name, lhs, rhs, width)),)


def compare_integers(predicate: str, lhs: int, rhs: int, width: int) -> bool:
    """Whether the predicate holds for two signed numbers, of which the low `width` bits count."""
    if predicate.startswith("u"):
        lhs, rhs = constants.unsigned(lhs, width), constants.unsigned(rhs, width)
    return _COMPARISONS[predicate[-2:]](lhs, rhs)


@irdl_op_definition
class CmpfOp(IRDLOperation, HasFolderInterface):
    """The comparison of two floats by a predicate: ordered ones are false for NaN, unordered ones true."""

    name = "arith.cmpf"

    T: ClassVar = VarConstraint("T", FloatLike())

    predicate = prop_def(IntegerAttr)
    lhs = operand_def(T)
    rhs = operand_def(T)
    fastmath = prop_def(FastMathFlagsAttr, default_value=NO_FAST_MATH)
    result = result_def(I1LikeVariable("T"))

    traits = traits_def(Pure())

    custom_directives = (CmpfPredicate,)
    assembly_format = (
        "custom<CmpfPredicate>($predicate) `,` $lhs `,` $rhs (`fastmath` `` $fastmath^)? attr-dict `:` type($lhs)"
    )

    def __init__(
        self,
        lhs: SSAValue | Operation,
        rhs: SSAValue | Operation,
        predicate: str | int,
        fastmath: FastMathFlagsAttr = NO_FAST_MATH,
    ):
        lhs = value_of(lhs)
        properties: dict[str, Attribute] = {"predicate": _predicate_attr(predicate, CMPF_PREDICATES)}
        properties["fastmath"] = fastmath
        initialize(self, (lhs, value_of(rhs)), (i1_like(lhs.type),), properties)

    @property
    def predicate_name(self) -> str:
        return _CMPF_NAMES[self.predicate.value.data]

    def verify_(self) -> None:
        _verify_predicate(self.predicate, CMPF_PREDICATES)

    def fold(self) -> FoldResult:
        predicate = self.predicate_name
        if predicate in ("false", "true"):
            return (constant_attr(self.result.type, predicate == "true"),)
        lhs, rhs = float_constant(self.lhs), float_constant(self.rhs)
        if lhs is None or rhs is None:
            return None
        return (constant_attr(self.result.type, compare_floats(predicate, lhs, rhs)),)


def compare_floats(predicate: str, lhs: float, rhs: float) -> bool:
    """Whether the predicate holds for two floats."""
    unordered = math.isnan(lhs) or math.isnan(rhs)
    match predicate:
        case "false" | "true":
            return predicate == "true"
        case "ord":
            return not unordered
        case "uno":
            return unordered
        case _ if unordered:
            return predicate.startswith("u")
        case _:
            return _COMPARISONS[predicate[-2:]](lhs, rhs)


_COMPARISONS: dict[str, Callable[[float, float], bool]] = {
    "eq": operator.eq,
    "ne": operator.ne,
    "lt": operator.lt,
    "le": operator.le,
    "gt": operator.gt,
    "ge": operator.ge,
}
_CMPI_NAMES = tuple(CMPI_PREDICATES)
_CMPF_NAMES = tuple(CMPF_PREDICATES)


@irdl_op_definition
class SelectOp(IRDLOperation, HasFolderInterface):
    """`lhs` where the condition is true, `rhs` elsewhere. The condition is one `i1`, or a tensor of the same shape."""

    name = "arith.select"

    T: ClassVar = VarConstraint("T", AnyAttr())

    cond = operand_def()
    lhs = operand_def(T)
    rhs = operand_def(T)
    result = result_def(T)

    traits = traits_def(Pure(), ArithCanonicalization())

    def __init__(self, cond: SSAValue | Operation, lhs: SSAValue | Operation, rhs: SSAValue | Operation):
        lhs = value_of(lhs)
        initialize(self, (value_of(cond), lhs, value_of(rhs)), (lhs.type,))

    def verify_(self) -> None:
        found = self.cond.type
        if found == i1 or found == (expected := i1_like(self.result.type)):
            return
        or_tensor = "" if expected == i1 else f" or {expected}"
        raise VerifyException(f"expected a condition of type i1{or_tensor}, found {found}")

    @classmethod
    def parse(cls, parser: Parser) -> SelectOp:
        position = parser.pos
        operands = [parser.parse_unresolved_operand()]
        for _ in range(2):
            parser.parse_punctuation(",")
            operands.append(parser.parse_unresolved_operand())
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        condition_type, type = i1, parser.parse_type()
        if parser.parse_optional_punctuation(","):
            condition_type, type = type, parser.parse_type()
        cond, lhs, rhs = parser.resolve_operands(operands, (condition_type, type, type), position)
        select = cls(cond, lhs, rhs)
        select.attributes |= attributes
        return select

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_list(self.operands, printer.print_ssa_value)
        if self.attributes:
            printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        if self.cond.type != i1:
            printer.print_attribute(self.cond.type)
            printer.print_string(", ")
        printer.print_attribute(self.result.type)

    def fold(self) -> FoldResult:
        if self.lhs is self.rhs:
            return (self.lhs,)
        if (condition := integer_constant(self.cond)) is not None:
            return (self.lhs if condition else self.rhs,)
        if self.cond.type != self.result.type:
            return None
        if integer_constant(self.lhs) == -1 and integer_constant(self.rhs) == 0:
            return (self.cond,)
        return None


# Casts


class CastOp(IRDLOperation, HasFolderInterface, abc.ABC):
    """A conversion of a scalar, or of each element of a tensor, to another element type."""

    traits = traits_def(Pure(), ArithCanonicalization())

    input = operand_def(NumberLike())
    result = result_def(NumberLike())

    assembly_format = "$input attr-dict `:` type($input) `to` type($result)"

    def __init__(self, input: SSAValue | Operation, target_type: Attribute):
        initialize(self, (value_of(input),), (target_type,))

    @abc.abstractmethod
    def convert(self, value: Constant, source: Attribute, target: Attribute) -> Constant | None:
        """The converted number, before it is wrapped to the target type; None if it is not known exactly."""

    def verify_elements(self, source: Attribute, target: Attribute) -> None:
        """Checks the two element types against each other."""

    def verify_(self) -> None:
        source, target = self.input.type, self.result.type
        if shape_of(source) != shape_of(target) or encoding_of(source) != encoding_of(target):
            raise VerifyException(
                f"expected an input and a result of one shape and encoding, found {source} and {target}"
            )
        self.verify_elements(element_type(source), element_type(target))

    def fold(self) -> FoldResult:
        value = constant_value(self.input)
        if value is None:
            return None
        source, target = element_type(self.input.type), element_type(self.result.type)
        converted = self.convert(value, source, target)
        return None if converted is None else (constant_attr(self.result.type, converted),)


def _verify_widths(op: CastOp, source: Attribute, target: Attribute, *, widens: bool) -> None:
    found, given = bit_width(target), bit_width(source)
    if isinstance(source, IndexType) or isinstance(target, IndexType):
        raise VerifyException("expected integers of a fixed width, found index; arith.index_cast converts it")
    if (found > given) != widens or found == given:
        word = "wider" if widens else "narrower"
        raise VerifyException(f"expected a result {word} than the input of type {source}, found {target}")


class IntegerCastOp(CastOp, abc.ABC):
    """A conversion of integers to integers."""

    input = operand_def(IntegerLike())
    result = result_def(IntegerLike())


@irdl_op_definition
class ExtSIOp(IntegerCastOp):
    """An integer widened with its sign."""

    name = "arith.extsi"

    def verify_elements(self, source: Attribute, target: Attribute) -> None:
        _verify_widths(self, source, target, widens=True)

    def convert(self, value: Constant, source: Attribute, target: Attribute) -> Constant | None:
        return value


@irdl_op_definition
class ExtUIOp(IntegerCastOp):
    """An integer widened with zeros."""

    name = "arith.extui"

    non_negative = opt_prop_def(UnitAttr, prop_name="nonNeg")

    assembly_format = "$input (`nneg` $nonNeg^)? attr-dict `:` type($input) `to` type($result)"

    def verify_elements(self, source: Attribute, target: Attribute) -> None:
        _verify_widths(self, source, target, widens=True)

    def convert(self, value: Constant, source: Attribute, target: Attribute) -> Constant | None:
        return constants.unsigned(int(value), bit_width(source))


@irdl_op_definition
class TruncIOp(IntegerCastOp):
    """The low bits of an integer."""

    name = "arith.trunci"

    overflow_flags = opt_prop_def(IntegerOverflowAttr, prop_name="overflowFlags")

    assembly_format = "$input (`overflow` `` $overflowFlags^)? attr-dict `:` type($input) `to` type($result)"

    def verify_elements(self, source: Attribute, target: Attribute) -> None:
        _verify_widths(self, source, target, widens=False)

    def convert(self, value: Constant, source: Attribute, target: Attribute) -> Constant | None:
        return value


@irdl_op_definition
class IndexCastOp(IntegerCastOp):
    """A signed integer as an index, or an index as an integer of a fixed width."""

    name = "arith.index_cast"

    def verify_elements(self, source: Attribute, target: Attribute) -> None:
        if isinstance(source, IndexType) == isinstance(target, IndexType):
            raise VerifyException(f"expected a cast between index and an integer, found {source} to {target}")

    def convert(self, value: Constant, source: Attribute, target: Attribute) -> Constant | None:
        return value


class FloatCastOp(CastOp, abc.ABC):
    """A conversion of floats to floats."""

    input = operand_def(FloatLike())
    result = result_def(FloatLike())
    fastmath = opt_prop_def(FastMathFlagsAttr)

    assembly_format = "$input (`fastmath` `` $fastmath^)? attr-dict `:` type($input) `to` type($result)"

    def convert(self, value: Constant, source: Attribute, target: Attribute) -> Constant | None:
        return value


@irdl_op_definition
class ExtFOp(FloatCastOp):
    """A float in a wider type, exactly."""

    name = "arith.extf"

    def verify_elements(self, source: Attribute, target: Attribute) -> None:
        _verify_widths(self, source, target, widens=True)


@irdl_op_definition
class TruncFOp(FloatCastOp):
    """A float in a narrower type, rounded to nearest even."""

    name = "arith.truncf"

    def verify_elements(self, source: Attribute, target: Attribute) -> None:
        _verify_widths(self, source, target, widens=False)


class IntegerToFloatOp(CastOp, abc.ABC):
    """A conversion of integers to floats, rounded to nearest even."""

    input = operand_def(IntegerLike())
    result = result_def(FloatLike())


@irdl_op_definition
class SIToFPOp(IntegerToFloatOp):
    """A signed integer as a float."""

    name = "arith.sitofp"

    def convert(self, value: Constant, source: Attribute, target: Attribute) -> Constant | None:
        assert is_float(target)
        return constants.round_integer(int(value), target)


@irdl_op_definition
class UIToFPOp(IntegerToFloatOp):
    """An unsigned integer as a float."""

    name = "arith.uitofp"

    non_negative = opt_prop_def(UnitAttr, prop_name="nonNeg")

    assembly_format = "$input (`nneg` $nonNeg^)? attr-dict `:` type($input) `to` type($result)"

    def convert(self, value: Constant, source: Attribute, target: Attribute) -> Constant | None:
        assert is_float(target)
        return constants.round_integer(constants.unsigned(int(value), bit_width(source)), target)


class FloatToIntegerOp(CastOp, abc.ABC):
    """A conversion of floats to integers, towards zero and saturated to the range of the result; NaN gives 0."""

    input = operand_def(FloatLike())
    result = result_def(IntegerLike())


@irdl_op_definition
class FPToSIOp(FloatToIntegerOp):
    """A float as a signed integer."""

    name = "arith.fptosi"

    def convert(self, value: Constant, source: Attribute, target: Attribute) -> Constant | None:
        return constants.float_to_integer(float(value), bit_width(target), signed=True)


@irdl_op_definition
class FPToUIOp(FloatToIntegerOp):
    """A float as an unsigned integer."""

    name = "arith.fptoui"

    def convert(self, value: Constant, source: Attribute, target: Attribute) -> Constant | None:
        return constants.float_to_integer(float(value), bit_width(target), signed=False)


@irdl_op_definition
class BitcastOp(CastOp):
    """The same bits in another type of the same width."""

    name = "arith.bitcast"

    def verify_elements(self, source: Attribute, target: Attribute) -> None:
        if isinstance(source, IndexType) or isinstance(target, IndexType):
            raise VerifyException("expected types of a fixed width, found index")
        if bit_width(source) != bit_width(target):
            raise VerifyException(f"expected types of one width, found {source} and {target}")

    def convert(self, value: Constant, source: Attribute, target: Attribute) -> Constant | None:
        return constants.bitcast(value, source, target)

    def fold(self) -> FoldResult:
        if self.input.type == self.result.type:
            return (self.input,)
        return super().fold()


class ArithConstantMaterialization(ConstantMaterializationInterface):
    """Makes `arith.constant` of what the folders return."""

    def materialize_constant(self, value: Attribute, type: Attribute) -> Operation | None:
        return ConstantOp(value, type) if isa(value, ConstantAttr) else None


Arith = Dialect(
    "arith",
    [
        ConstantOp,
        AddiOp,
        SubiOp,
        MuliOp,
        DivSIOp,
        DivUIOp,
        RemSIOp,
        RemUIOp,
        AndIOp,
        OrIOp,
        XOrIOp,
        ShLIOp,
        ShRUIOp,
        ShRSIOp,
        MinSIOp,
        MaxSIOp,
        MinUIOp,
        MaxUIOp,
        AddfOp,
        SubfOp,
        MulfOp,
        DivfOp,
        RemfOp,
        NegfOp,
        MinimumfOp,
        MaximumfOp,
        MinnumfOp,
        MaxnumfOp,
        CmpiOp,
        CmpfOp,
        SelectOp,
        ExtSIOp,
        ExtUIOp,
        TruncIOp,
        ExtFOp,
        TruncFOp,
        SIToFPOp,
        UIToFPOp,
        FPToSIOp,
        FPToUIOp,
        BitcastOp,
        IndexCastOp,
    ],
    [FastMathFlagsAttr, IntegerOverflowAttr],
    [ArithConstantMaterialization()],
)

quicken(Arith.operations)
