"""What the operands, results and properties of `tt` operations may be."""

from __future__ import annotations

from xdsl.ir import Attribute
from xdsl.irdl import VerificationContext
from xdsl.utils.exceptions import VerifyException

from mytriton.dialects.tensor_types import DerivedFromVariable, ElementConstraint, element_type, is_tensor_type
from mytriton.dialects.tt.types import is_pointer, is_scalar, pointee_like


class PointerLike(ElementConstraint):
    """A pointer or a tensor of pointers."""

    def verify(self, attr: Attribute, constraint_context: VerificationContext) -> None:
        if not is_pointer(attr):
            raise VerifyException(f"expected a pointer or a tensor of pointers, found {attr}")


class TensorOfScalars(ElementConstraint):
    """A tensor of integers, floats or pointers, with or without an encoding."""

    def verify(self, attr: Attribute, constraint_context: VerificationContext) -> None:
        if not is_tensor_type(attr) or not is_scalar(attr.element_type):
            raise VerifyException(f"expected a tensor of integers, floats or pointers, found {attr}")


class ScalarOrTensor(ElementConstraint):
    """An integer, a float, a pointer, or a tensor of them."""

    def verify(self, attr: Attribute, constraint_context: VerificationContext) -> None:
        if not is_scalar(element_type(attr)):
            raise VerifyException(f"expected an integer, a float, a pointer or a tensor of them, found {attr}")


class PointeeLikeVariable(DerivedFromVariable):
    """What a load from the pointer type that a constraint variable holds gives."""

    def derived(self, type: Attribute) -> Attribute:
        return pointee_like(type)


class ElementOfVariable(DerivedFromVariable):
    """The element type of the tensor type that a constraint variable holds."""

    def derived(self, type: Attribute) -> Attribute:
        return element_type(type)


ANY_TENSOR = TensorOfScalars()
