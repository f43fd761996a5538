"""Casts of elements to other types."""

from __future__ import annotations

from typing import ClassVar

from xdsl.dialects.builtin import I32, IntegerAttr, i32, i64
from xdsl.interfaces import HasFolderInterface
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import IRDLOperation, irdl_op_definition, operand_def, opt_prop_def, result_def, traits_def
from xdsl.irdl.declarative_assembly_format import AttributeVariable, irdl_custom_directive
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from mytriton.dialects import constants
from mytriton.dialects.arith import FoldResult, constant_value
from mytriton.dialects.building import initialize, value_of
from mytriton.dialects.constants import constant_attr
from mytriton.dialects.enum_directive import word_of
from mytriton.dialects.tensor_types import FloatLike, bit_width, element_type, shape_of
from mytriton.dialects.tt.checks import verify_shape
from mytriton.dialects.tt.constraints import ScalarOrTensor
from mytriton.dialects.tt.directives import KeywordEnumDirective
from mytriton.dialects.tt.folding import TTCanonicalization, fold_to_constant
from mytriton.dialects.tt.types import PointerType


class ElementwiseCastOp(IRDLOperation, HasFolderInterface):
    """A conversion of a scalar, or of each element of a tensor, to another element type."""

    src = operand_def(ScalarOrTensor())
    result = result_def(ScalarOrTensor())

    traits = traits_def(Pure(), TTCanonicalization())

    assembly_format = "$src attr-dict `:` type($src) `->` type($result)"

    def __init__(self, src: SSAValue | Operation, result_type: Attribute):
        initialize(self, operands=(value_of(src),), result_types=(result_type,))

    def verify_elements(self, source: Attribute, target: Attribute) -> None:
        """Checks the two element types against each other."""

    def verify_(self) -> None:
        verify_shape("a result", self.result.type, shape_of(self.src.type))
        self.verify_elements(element_type(self.src.type), element_type(self.result.type))

    def fold(self) -> FoldResult:
        return None


@irdl_op_definition
class BitcastOp(ElementwiseCastOp):
    """The same bits as another type of the same width; a pointer as a pointer to another type."""

    name = "tt.bitcast"

    def verify_elements(self, source: Attribute, target: Attribute) -> None:
        if isinstance(source, PointerType) and isinstance(target, PointerType):
            if source.address_space != target.address_space:
                raise VerifyException(f"expected pointers into one address space, found {source} and {target}")
            return
        if isinstance(source, PointerType) or isinstance(target, PointerType):
            raise VerifyException(
                f"expected two pointers or no pointer, found {source} and {target}; tt.ptr_to_int and tt.int_to_ptr "
                "convert between pointers and integers"
            )
        if bit_width(source) != bit_width(target):
            raise VerifyException(f"expected types of one width, found {source} and {target}")

    def fold(self) -> FoldResult:
        if self.src.type == self.result.type:
            return (self.src,)
        value = constant_value(self.src)
        if value is None:
            return None
        number = constants.bitcast(value, element_type(self.src.type), element_type(self.result.type))
        return None if number is None else (constant_attr(self.result.type, number),)


@irdl_op_definition
class IntToPtrOp(ElementwiseCastOp):
    """A 64-bit address as a pointer."""

    name = "tt.int_to_ptr"

    def verify_elements(self, source: Attribute, target: Attribute) -> None:
        if source != i64 or not isinstance(target, PointerType):
            raise VerifyException(f"expected i64 to a pointer, found {source} to {target}")

    def fold(self) -> FoldResult:
        address = self.src.owner
        if isinstance(address, PtrToIntOp) and address.src.type == self.result.type:
            return (address.src,)
        return None


@irdl_op_definition
class PtrToIntOp(ElementwiseCastOp):
    """The address in a pointer, as a 64-bit integer."""

    name = "tt.ptr_to_int"

    def verify_elements(self, source: Attribute, target: Attribute) -> None:
        if not isinstance(source, PointerType) or target != i64:
            raise VerifyException(f"expected a pointer to i64, found {source} to {target}")

    def fold(self) -> FoldResult:
        return (pointer.src,) if isinstance(pointer := self.src.owner, IntToPtrOp) else None


ROUNDING_MODES = {"rtz": 0, "rtne": 1}


@irdl_custom_directive
class Rounding(KeywordEnumDirective):
    KEYWORD: ClassVar[str] = "rounding"
    WORDS: ClassVar[dict[str, int]] = ROUNDING_MODES

    attr: AttributeVariable


@irdl_op_definition
class FpToFpOp(IRDLOperation, HasFolderInterface):
    """A float in another float type, with a rounding mode where it becomes narrower."""

    name = "tt.fp_to_fp"

    src = operand_def(FloatLike())
    rounding = opt_prop_def(IntegerAttr[I32])
    result = result_def(FloatLike())

    traits = traits_def(Pure())

    custom_directives = (Rounding,)
    assembly_format = "$src attr-dict custom<Rounding>($rounding) `:` type($src) `->` type($result)"

    def __init__(self, src: SSAValue | Operation, result_type: Attribute, rounding: str | None = None):
        initialize(
            self,
            operands=(value_of(src),),
            result_types=(result_type,),
            properties={} if rounding is None else {"rounding": IntegerAttr(ROUNDING_MODES[rounding], i32)},
        )

    @property
    def rounding_mode(self) -> str | None:
        """One of `ROUNDING_MODES`, None where nothing is rounded."""
        return None if self.rounding is None else word_of(ROUNDING_MODES, self.rounding.value.data)

    def verify_(self) -> None:
        verify_shape("a result", self.result.type, shape_of(self.src.type))
        if self.rounding is not None and self.rounding.value.data not in ROUNDING_MODES.values():
            raise VerifyException(f"expected a rounding of 0 or 1, found {self.rounding.value.data}")
        source, target = element_type(self.src.type), element_type(self.result.type)
        if self.rounding is None and bit_width(target) < bit_width(source):
            raise VerifyException(f"expected a rounding mode for {source} to {target}, found none")

    def fold(self) -> FoldResult:
        if self.src.type == self.result.type:
            return (self.src,)
        return None if self.rounding_mode == "rtz" else fold_to_constant(self.src, self.result.type)
