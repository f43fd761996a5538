"""Questions about types that the dialects share: a scalar and a tensor of scalars are treated alike."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Set
from dataclasses import dataclass
from typing import TypeGuard, get_args

from typing_extensions import TypeIs, TypeVar
from xdsl.dialects.builtin import AnyFloat, IndexType, IntegerType, Signedness, TensorType, VectorType, i1
from xdsl.ir import Attribute
from xdsl.irdl import AttrConstraint, InferenceContext, IntConstraint, VerificationContext
from xdsl.utils.exceptions import VerifyException

_FLOAT_CLASSES = get_args(AnyFloat)


# These classes have no subclasses, and `isinstance` is slow for what is not an instance.


def is_tensor_type(type: Attribute) -> TypeIs[TensorType[Attribute]]:
    """Whether this is a tensor; quicker than xDSL's `isa`, which looks at the type's parameters."""
    return type.__class__ is TensorType


def is_integer_type(type: Attribute) -> TypeIs[IntegerType]:
    """Whether this is an integer type, and not index; quicker than xDSL's `isa`."""
    return type.__class__ is IntegerType


def is_fixed_width_integer(type: Attribute) -> TypeGuard[IntegerType]:
    """Whether this is a signless integer type, and not index."""
    return is_integer_type(type) and type.signedness.data is Signedness.SIGNLESS


def is_integer(type: Attribute) -> TypeGuard[IntegerType | IndexType]:
    """Whether this is a signless integer or index type."""
    return is_fixed_width_integer(type) or isinstance(type, IndexType)


def is_float(type: Attribute) -> TypeGuard[AnyFloat]:
    return isinstance(type, _FLOAT_CLASSES)


def is_vector_type(type: Attribute) -> TypeIs[VectorType[Attribute]]:
    """Whether this is a vector; quicker than xDSL's `isa`."""
    return type.__class__ is VectorType


def element_type(type: Attribute) -> Attribute:
    """The element type of a tensor; any other type is its own element type."""
    return type.element_type if is_tensor_type(type) else type


def shape_of(type: Attribute) -> tuple[int, ...] | None:
    """The shape of a tensor, None for a scalar."""
    return type.get_shape() if is_tensor_type(type) else None


def encoding_of(type: Attribute) -> Attribute | None:
    """The encoding of a tensor (`NoneAttr` where it has none), None for a scalar."""
    return type.encoding if is_tensor_type(type) else None


def with_element_type(type: Attribute, element: Attribute) -> Attribute:
    """A type of the shape and encoding of `type` with elements of type `element`."""
    return TensorType(element, type.shape.data, type.encoding) if is_tensor_type(type) else element


def i1_like(type: Attribute) -> Attribute:
    """The type of a comparison of two values of type `type`."""
    return with_element_type(type, i1)


def bit_width(type: Attribute) -> int:
    """Bits of a scalar integer, index or float type. `index` counts as 64 bits."""
    if is_integer_type(type):
        return type.width.data
    if isinstance(type, IndexType):
        return 64
    if is_float(type):
        return type.bitwidth
    raise ValueError(f"{type} has no bit width")


@dataclass(frozen=True)
class ElementConstraint(AttrConstraint):
    """What a type must be; two constraints of one class with the same fields are equal."""

    def mapping_type_vars(self, type_var_mapping: Mapping[TypeVar, AttrConstraint | IntConstraint]) -> AttrConstraint:
        return self


class IntegerLike(ElementConstraint):
    """A signless integer or index, or a tensor of them."""

    def verify(self, attr: Attribute, constraint_context: VerificationContext) -> None:
        if not is_integer(element_type(attr)):
            raise VerifyException(f"expected a signless integer or a tensor of them, found {attr}")


class FixedWidthIntegerLike(ElementConstraint):
    """A signless integer that is no index, or a tensor of them."""

    def verify(self, attr: Attribute, constraint_context: VerificationContext) -> None:
        if not is_fixed_width_integer(element_type(attr)):
            raise VerifyException(f"expected a signless integer or a tensor of them, found {attr}")


class FloatLike(ElementConstraint):
    """A float or a tensor of floats."""

    def verify(self, attr: Attribute, constraint_context: VerificationContext) -> None:
        if not is_float(element_type(attr)):
            raise VerifyException(f"expected a float or a tensor of floats, found {attr}")


class NumberLike(ElementConstraint):
    """A signless integer, index or float, or a tensor of them."""

    def verify(self, attr: Attribute, constraint_context: VerificationContext) -> None:
        element = element_type(attr)
        if not is_integer(element) and not is_float(element):
            raise VerifyException(f"expected an integer, a float or a tensor of them, found {attr}")


@dataclass(frozen=True)
class DerivedFromVariable(ElementConstraint):
    """The type that follows from the one that a constraint variable holds."""

    variable: str

    @abstractmethod
    def derived(self, type: Attribute) -> Attribute:
        """What follows from the type of the variable."""

    def verify(self, attr: Attribute, constraint_context: VerificationContext) -> None:
        type = constraint_context.get_variable(self.variable)
        if type is not None and attr != (expected := self.derived(type)):
            raise VerifyException(f"expected {expected}, found {attr}")

    def can_infer(self, var_constraint_names: Set[str]) -> bool:
        return self.variable in var_constraint_names

    def infer(self, context: InferenceContext) -> Attribute:
        type = context.get_variable(self.variable)
        assert type is not None
        return self.derived(type)


class I1LikeVariable(DerivedFromVariable):
    """`i1` in the shape and encoding of the type that a constraint variable holds."""

    def derived(self, type: Attribute) -> Attribute:
        return i1_like(type)
