"""The product of small floats that share scales, of the `tt` dialect, in the text form of Triton 3.9."""

from __future__ import annotations

from typing import ClassVar

from xdsl.dialects.builtin import I1, I32, IntegerAttr, i8
from xdsl.ir import Operation, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    ParsePropInAttrDict,
    VarConstraint,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.irdl.declarative_assembly_format import AttributeVariable, irdl_custom_directive
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from mytriton.dialects.building import i32_array, i32_attribute, initialize, value_of
from mytriton.dialects.enum_directive import EnumDirective, word_of
from mytriton.dialects.tensor_types import bit_width, element_type, is_fixed_width_integer, is_float, shape_of
from mytriton.dialects.tt.constraints import ANY_TENSOR
from mytriton.dialects.tt.types import FALSE, TRUE

FORMATS = {"e4m3": 0, "e5m2": 1, "e2m3": 2, "e3m2": 3, "e2m1": 4, "bf16": 5, "fp16": 6}
GROUPS = (16, 32)
"""How many elements may share a scale."""


@irdl_custom_directive
class ElementFormat(EnumDirective):
    WHAT: ClassVar[str] = "format"
    WORDS: ClassVar[dict[str, int]] = FORMATS

    attr: AttributeVariable


@irdl_op_definition
class DotScaledOp(IRDLOperation):
    """The matrix product of `a` [M, K] and `b` [K, N], each times its scales, plus `c` [M, N]; rank 3 has batches.

    The scales of `a` are [M, K / G] and those of `b` [N, K / G], for groups of G = 16 or 32 elements, or [1, 1] for
    all. Integers of 8 bits are powers of two. Elements of `e2m1` lie two in an integer of 8 bits, along K or, without
    `k_pack`, along the other axis.
    """

    name = "tt.dot_scaled"

    T: ClassVar = VarConstraint("T", ANY_TENSOR)

    a = operand_def(ANY_TENSOR)
    b = operand_def(ANY_TENSOR)
    c = operand_def(T)
    a_scale = opt_operand_def(ANY_TENSOR)
    b_scale = opt_operand_def(ANY_TENSOR)
    a_elem_type = prop_def(IntegerAttr[I32])
    b_elem_type = prop_def(IntegerAttr[I32])
    fast_math = prop_def(IntegerAttr[I1], prop_name="fastMath")
    lhs_k_pack = prop_def(IntegerAttr[I1], default_value=TRUE)
    rhs_k_pack = prop_def(IntegerAttr[I1], default_value=TRUE)
    d = result_def(T)

    traits = traits_def(Pure())

    irdl_options = (AttrSizedOperandSegments(as_property=True), ParsePropInAttrDict())
    custom_directives = (ElementFormat,)
    assembly_format = (
        "$a (`scale` $a_scale^)? `,` $b (`scale` $b_scale^)? `,` $c `lhs` `=` custom<ElementFormat>($a_elem_type)"
        " `rhs` `=` custom<ElementFormat>($b_elem_type) attr-dict"
        " `:` type($a) (`,` type($a_scale)^)? `*` type($b) (`,` type($b_scale)^)? `->` type($d)"
    )

    def __init__(
        self,
        a: SSAValue | Operation,
        b: SSAValue | Operation,
        c: SSAValue | Operation,
        a_scale: SSAValue | Operation | None,
        b_scale: SSAValue | Operation | None,
        a_format: str,
        b_format: str,
        fast_math: bool = False,
        lhs_k_pack: bool = True,
        rhs_k_pack: bool = True,
    ):
        c = value_of(c)
        scales = [value_of(scale) for scale in (a_scale, b_scale) if scale is not None]
        initialize(
            self,
            operands=(value_of(a), value_of(b), c, *scales),
            result_types=(c.type,),
            properties={
                "a_elem_type": i32_attribute(FORMATS[a_format]),
                "b_elem_type": i32_attribute(FORMATS[b_format]),
                "fastMath": TRUE if fast_math else FALSE,
                "lhs_k_pack": TRUE if lhs_k_pack else FALSE,
                "rhs_k_pack": TRUE if rhs_k_pack else FALSE,
                "operandSegmentSizes": i32_array(1, 1, 1, int(a_scale is not None), int(b_scale is not None)),
            },
        )

    @property
    def formats(self) -> tuple[str, str]:
        """Of `a` and of `b`, one of `FORMATS`."""
        return word_of(FORMATS, self.a_elem_type.value.data), word_of(FORMATS, self.b_elem_type.value.data)

    def verify_(self) -> None:
        for number in (self.a_elem_type.value.data, self.b_elem_type.value.data):
            if number not in FORMATS.values():
                raise VerifyException(f"expected a format of 0 to 6, found {number}")
        a, b, c = shape_of(self.a.type), shape_of(self.b.type), shape_of(self.c.type)
        assert a is not None and b is not None and c is not None
        if not len(a) == len(b) == len(c) or len(c) not in (2, 3):
            raise VerifyException(
                f"expected operands and accumulator all of rank 2 or all of rank 3, "
                f"found {self.a.type}, {self.b.type}, {self.c.type}"
            )
        if not is_float(element_type(self.c.type)):
            raise VerifyException(f"expected an accumulator of floats, found {self.c.type}")
        left = _unpacked(a, -1 if self.lhs_k_pack == TRUE else -2, self.formats[0])
        right = _unpacked(b, -2 if self.rhs_k_pack == TRUE else -1, self.formats[1])
        *batch, rows, depth = left
        if right[:-2] != batch or right[-2] != depth:
            raise VerifyException(
                f"expected operands of one depth and batch size, found {self.a.type} and {self.b.type} "
                f"with the formats {', '.join(self.formats)}"
            )
        if list(c) != [*batch, rows, right[-1]]:
            raise VerifyException(f"expected an accumulator of the shape of the product, found {self.c.type}")
        _verify_operand(self.a, self.formats[0])
        _verify_operand(self.b, self.formats[1])
        _verify_scale(self.a_scale, [*batch, rows], depth)
        _verify_scale(self.b_scale, [*batch, right[-1]], depth)


def _unpacked(shape: tuple[int, ...], axis: int, format: str) -> list[int]:
    """The shape of an operand, counted in its elements."""
    sizes = list(shape)
    if format == "e2m1":
        sizes[axis] *= 2
    return sizes


def _verify_operand(operand: SSAValue, format: str) -> None:
    element = element_type(operand.type)
    width = 16 if format in ("bf16", "fp16") else 8
    if (not is_float(element) and not is_fixed_width_integer(element)) or bit_width(element) != width:
        raise VerifyException(f"expected elements of {width} bits for the format {format}, found {operand.type}")


def _verify_scale(scale: SSAValue | None, rows: list[int], depth: int) -> None:
    if scale is None:
        return
    *found, groups = shape_of(scale.type) or [0]
    is_of_all = [*found, groups] == [1] * (len(rows) + 1)
    if not is_of_all and (found != rows or not groups or depth % groups or depth // groups not in GROUPS):
        wanted = " or ".join("x".join(map(str, [*rows, depth // group])) for group in GROUPS)
        raise VerifyException(f"expected scales of shape {wanted}, found {scale.type}")
    element = element_type(scale.type)
    if element != i8 and not (is_float(element) and bit_width(element) == 8):
        raise VerifyException(f"expected scales of 8 bits, found {scale.type}")
