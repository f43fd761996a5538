"""Checks that the verifiers of `tt` operations share."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import I32, IntegerAttr, TensorType
from xdsl.ir import Attribute, SSAValue
from xdsl.utils.exceptions import VerifyException

from mytriton.dialects.tensor_types import element_type, encoding_of, is_tensor_type, shape_of


def tensor_type_of(value: SSAValue) -> TensorType:
    """The type of an operand or result that the constraints have already checked to be a tensor."""
    type = value.type
    assert is_tensor_type(type)
    return type


def verify_shape(what: str, found: Attribute, expected: Sequence[int] | None) -> None:
    shape = shape_of(found)
    if shape != (None if expected is None else tuple(expected)):
        raise VerifyException(f"expected {what} of {_shape_words(expected)}, found {found}")


def _shape_words(shape: Sequence[int] | None) -> str:
    return "scalar type" if shape is None else f"shape {'x'.join(map(str, shape)) or '()'}"


def verify_elements(what: str, found: Attribute, expected: Attribute) -> None:
    if element_type(found) != element_type(expected):
        raise VerifyException(f"expected {what} with elements of type {element_type(expected)}, found {found}")


def type_list(types: Sequence[Attribute]) -> str:
    return ", ".join(map(str, types))


def verify_axis(axis: IntegerAttr[I32], type: TensorType) -> None:
    rank = len(type.get_shape())
    if not 0 <= axis.value.data < rank:
        raise VerifyException(f"expected an axis from 0 to {rank - 1} for {type}, found {axis.value.data}")


def verify_same_shapes(values: Sequence[SSAValue]) -> None:
    """The values are scalars, or tensors of one shape and layout."""
    first = values[0].type
    for value in values[1:]:
        verify_shape("operands and results", value.type, shape_of(first))
        if encoding_of(value.type) != encoding_of(first):
            raise VerifyException(f"expected operands and results of one layout, found {first} and {value.type}")
