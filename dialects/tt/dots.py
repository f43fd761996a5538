"""The product of matrices."""

from __future__ import annotations

from typing import ClassVar

from xdsl.dialects.builtin import I32, IntegerAttr, TensorType, i32
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    ParsePropInAttrDict,
    VarConstraint,
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.irdl.declarative_assembly_format import AttributeVariable, irdl_custom_directive
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from mytriton.dialects.building import initialize, value_of
from mytriton.dialects.enum_directive import word_of
from mytriton.dialects.tensor_types import bit_width, is_fixed_width_integer, is_float
from mytriton.dialects.tt.checks import tensor_type_of, verify_shape
from mytriton.dialects.tt.constraints import ANY_TENSOR
from mytriton.dialects.tt.directives import KeywordEnumDirective

INPUT_PRECISIONS = {"tf32": 0, "tf32x3": 1, "ieee": 2, "bf16x3": 3, "bf16x6": 4}
IEEE = IntegerAttr(INPUT_PRECISIONS["ieee"], i32)
NO_IMPRECISE_ACC = IntegerAttr(0, i32)


@irdl_custom_directive
class InputPrecision(KeywordEnumDirective):
    KEYWORD: ClassVar[str] = "inputPrecision"
    WORDS: ClassVar[dict[str, int]] = INPUT_PRECISIONS

    attr: AttributeVariable


@irdl_op_definition
class DotOp(IRDLOperation):
    """The matrix product of `a` [M, K] and `b` [K, N] plus `c` [M, N]; at rank 3 there is a leading batch dimension."""

    name = "tt.dot"

    T: ClassVar = VarConstraint("T", ANY_TENSOR)

    a = operand_def(ANY_TENSOR)
    b = operand_def(ANY_TENSOR)
    c = operand_def(T)
    input_precision = prop_def(IntegerAttr[I32], default_value=IEEE, prop_name="inputPrecision")
    max_num_imprecise_acc = prop_def(IntegerAttr[I32], default_value=NO_IMPRECISE_ACC, prop_name="maxNumImpreciseAcc")
    d = result_def(T)

    traits = traits_def(Pure())

    irdl_options = (ParsePropInAttrDict(),)
    custom_directives = (InputPrecision,)
    assembly_format = (
        "$a `,` $b `,` $c custom<InputPrecision>($inputPrecision) attr-dict `:` type($a) `*` type($b) `->` type($d)"
    )

    def __init__(
        self,
        a: SSAValue | Operation,
        b: SSAValue | Operation,
        c: SSAValue | Operation,
        input_precision: str = "ieee",
        max_num_imprecise_acc: int = 0,
    ):
        c = value_of(c)
        initialize(
            self,
            operands=(value_of(a), value_of(b), c),
            result_types=(c.type,),
            properties={
                "inputPrecision": IntegerAttr(INPUT_PRECISIONS[input_precision], i32),
                "maxNumImpreciseAcc": IntegerAttr(max_num_imprecise_acc, i32),
            },
        )

    @property
    def precision(self) -> str:
        """One of `INPUT_PRECISIONS`."""
        return word_of(INPUT_PRECISIONS, self.input_precision.value.data)

    def verify_(self) -> None:
        if self.input_precision.value.data not in INPUT_PRECISIONS.values():
            raise VerifyException(f"expected an inputPrecision from 0 to 4, found {self.input_precision.value.data}")
        a, b, c = tensor_type_of(self.a), tensor_type_of(self.b), tensor_type_of(self.c)
        verify_dot_shapes(a, b, c)
        verify_dot_elements(a.element_type, b.element_type, c.element_type)


def verify_dot_shapes(a: TensorType, b: TensorType, c: TensorType) -> None:
    """Checks [M, K] x [K, N] -> [M, N], with one batch size before each where the rank is 3."""
    ranks = len(a.shape), len(b.shape), len(c.shape)
    if ranks not in ((2, 2, 2), (3, 3, 3)):
        raise VerifyException(f"expected operands and accumulator all of rank 2 or all of rank 3, found {a}, {b}, {c}")
    *batch_a, m, k = a.get_shape()
    *batch_b, k_b, n = b.get_shape()
    if batch_a != batch_b:
        raise VerifyException(f"expected operands of one batch size, found {a} and {b}")
    if k != k_b:
        raise VerifyException(
            f"expected as many columns in the first operand as rows in the second, found {k} and {k_b} ({a} * {b})"
        )
    verify_shape(f"an accumulator for {a} * {b}", c, (*batch_a, m, n))


def verify_dot_elements(a: Attribute, b: Attribute, c: Attribute) -> None:
    """Checks the element types of the operands of a dot against each other and the accumulator's against them."""
    for element in (a, b, c):
        if not is_float(element) and not is_fixed_width_integer(element):
            raise VerifyException(f"expected elements that are integers or floats, found {element}")
    if is_float(a) != is_float(b) or bit_width(a) != bit_width(b):
        raise VerifyException(f"expected operands with elements of one type, found {a} and {b}")
    if a != b and bit_width(a) != 8:
        raise VerifyException(f"expected operands with elements of one type, found {a} and {b}")
    if is_float(a) != is_float(c) or bit_width(c) < bit_width(a):
        raise VerifyException(f"expected an accumulator of a {_kind(a)} at least as wide as {a}, found {c}")


def _kind(element: Attribute) -> str:
    return "float" if is_float(element) else "signless integer"
