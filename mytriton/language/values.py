"""The values of a running kernel: scalars, pointers and blocks of either."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias, TypeGuard

from mytriton import messages
from mytriton.language.constexpr import constexpr
from mytriton.language.dtypes import block_type, dtype

if TYPE_CHECKING:
    from xdsl.ir import SSAValue

Number: TypeAlias = bool | int | float
Axis: TypeAlias = int | constexpr


class tensor:
    """A value that is known when the kernel runs; a scalar has the shape `()`.

    Every function of `mytriton.language` that takes a tensor first can also be called as a method of the tensor.
    """

    __slots__ = ("constant", "dtype", "handle", "numel", "shape", "type")

    def __init__(self, handle: SSAValue, type: dtype, constant: Number | None = None):
        self.handle = handle
        self.type = type
        self.dtype = type.scalar
        """The type of one element, also of a block."""
        self.shape = type.shape
        self.numel = type.numel
        self.constant = constant
        """The number, where the variable was assigned one; such a value may stand where a constant is needed."""

    @property
    def rank(self) -> int:
        return len(self.shape)

    @property
    def is_block(self) -> bool:
        return self.type.is_block()

    @property
    def T(self) -> tensor:
        """The transpose of a tensor of rank 2."""
        from mytriton.language import shapes

        return shapes.permute(self, (1, 0))

    def __repr__(self) -> str:
        return str(self.type)

    def __bool__(self) -> bool:
        raise messages.truth_of_runtime_value(self.type)

    def __hash__(self) -> int:
        return id(self)

    def __add__(self, other: Argument) -> tensor:
        return _operators().add(self, other)

    def __radd__(self, other: Argument) -> tensor:
        return _operators().add(other, self)

    def __sub__(self, other: Argument) -> tensor:
        return _operators().sub(self, other)

    def __rsub__(self, other: Argument) -> tensor:
        return _operators().sub(other, self)

    def __mul__(self, other: Argument) -> tensor:
        return _operators().mul(self, other)

    def __rmul__(self, other: Argument) -> tensor:
        return _operators().mul(other, self)

    def __truediv__(self, other: Argument) -> tensor:
        return _operators().truediv(self, other)

    def __rtruediv__(self, other: Argument) -> tensor:
        return _operators().truediv(other, self)

    def __floordiv__(self, other: Argument) -> tensor:
        return _operators().floordiv(self, other)

    def __rfloordiv__(self, other: Argument) -> tensor:
        return _operators().floordiv(other, self)

    def __mod__(self, other: Argument) -> tensor:
        return _operators().mod(self, other)

    def __rmod__(self, other: Argument) -> tensor:
        return _operators().mod(other, self)

    def __pow__(self, other: Argument) -> tensor:
        return _operators().power(self, other)

    def __rpow__(self, other: Argument) -> tensor:
        return _operators().power(other, self)

    def __and__(self, other: Argument) -> tensor:
        return _operators().and_(self, other)

    def __rand__(self, other: Argument) -> tensor:
        return _operators().and_(other, self)

    def __or__(self, other: Argument) -> tensor:
        return _operators().or_(self, other)

    def __ror__(self, other: Argument) -> tensor:
        return _operators().or_(other, self)

    def __xor__(self, other: Argument) -> tensor:
        return _operators().xor(self, other)

    def __rxor__(self, other: Argument) -> tensor:
        return _operators().xor(other, self)

    def __lshift__(self, other: Argument) -> tensor:
        return _operators().lshift(self, other)

    def __rlshift__(self, other: Argument) -> tensor:
        return _operators().lshift(other, self)

    def __rshift__(self, other: Argument) -> tensor:
        return _operators().rshift(self, other)

    def __rrshift__(self, other: Argument) -> tensor:
        return _operators().rshift(other, self)

    def __lt__(self, other: Argument) -> tensor:
        return _operators().less_than(self, other)

    def __le__(self, other: Argument) -> tensor:
        return _operators().less_equal(self, other)

    def __gt__(self, other: Argument) -> tensor:
        return _operators().greater_than(self, other)

    def __ge__(self, other: Argument) -> tensor:
        return _operators().greater_equal(self, other)

    def __eq__(self, other: Argument) -> tensor:  # pyright: ignore[reportIncompatibleMethodOverride]
        return _operators().equal(self, other)

    def __ne__(self, other: Argument) -> tensor:  # pyright: ignore[reportIncompatibleMethodOverride]
        return _operators().not_equal(self, other)

    def __neg__(self) -> tensor:
        return _operators().negate(self)

    def __pos__(self) -> tensor:
        return self

    def __invert__(self) -> tensor:
        return _operators().invert(self)

    def __getitem__(self, index: Any) -> tensor:
        from mytriton.language import indexing

        return indexing.index(self, index)

    if TYPE_CHECKING:
        # Added by `member` where the functions of these names are defined.
        def to(self, dtype: dtype, fp_downcast_rounding: str | None = None, bitcast: bool = False) -> tensor: ...
        def cast(self, dtype: dtype, fp_downcast_rounding: str | None = None, bitcast: bool = False) -> tensor: ...
        def item(self) -> tensor: ...
        def broadcast_to(self, *shape: Any) -> tensor: ...
        def expand_dims(self, axis: Axis | Sequence[int]) -> tensor: ...
        def reshape(self, *shape: Any, can_reorder: bool = False) -> tensor: ...
        def view(self, *shape: Any) -> tensor: ...
        def ravel(self, can_reorder: bool = False) -> tensor: ...
        def squeeze(self, dim: Axis) -> tensor: ...
        def unsqueeze(self, dim: Axis) -> tensor: ...
        def trans(self, *dims: Any) -> tensor: ...
        def permute(self, *dims: Any) -> tensor: ...
        def split(self) -> tuple[tensor, tensor]: ...
        def store(self, value: Argument, mask: Argument | None = None) -> None: ...
        def abs(self) -> tensor: ...
        def exp(self) -> tensor: ...
        def exp2(self) -> tensor: ...
        def log(self) -> tensor: ...
        def log2(self) -> tensor: ...
        def sqrt(self) -> tensor: ...
        def sqrt_rn(self) -> tensor: ...
        def rsqrt(self) -> tensor: ...
        def sin(self) -> tensor: ...
        def cos(self) -> tensor: ...
        def erf(self) -> tensor: ...
        def floor(self) -> tensor: ...
        def ceil(self) -> tensor: ...
        def cdiv(self, div: Argument) -> tensor: ...
        def sigmoid(self) -> tensor: ...
        def softmax(self, dim: Axis | None = None) -> tensor: ...
        def reduce(self, axis: Axis | None, combine_fn: Any, keep_dims: bool = False) -> tensor: ...
        def sum(self, axis: Axis | None = None, keep_dims: bool = False, dtype: dtype | None = None) -> tensor: ...
        def max(
            self,
            axis: Axis | None = None,
            return_indices: bool = False,
            return_indices_tie_break_left: bool = True,
            keep_dims: bool = False,
        ) -> Any: ...
        def min(
            self,
            axis: Axis | None = None,
            return_indices: bool = False,
            return_indices_tie_break_left: bool = True,
            keep_dims: bool = False,
        ) -> Any: ...
        def argmax(self, axis: Axis | None, tie_break_left: bool = True, keep_dims: bool = False) -> tensor: ...
        def argmin(self, axis: Axis | None, tie_break_left: bool = True, keep_dims: bool = False) -> tensor: ...
        def xor_sum(self, axis: Axis | None = None, keep_dims: bool = False) -> tensor: ...
        def reduce_or(self, axis: Axis | None = None, keep_dims: bool = False) -> tensor: ...
        def associative_scan(self, axis: Axis, combine_fn: Any, reverse: bool = False) -> tensor: ...
        def cumsum(self, axis: Axis = 0, reverse: bool = False, dtype: dtype | None = None) -> tensor: ...
        def cumprod(self, axis: Axis = 0, reverse: bool = False, dtype: dtype | None = None) -> tensor: ...
        def sort(self, dim: Axis | None = None, descending: bool = False) -> tensor: ...
        def flip(self, dim: Axis | None = None) -> tensor: ...
        def gather(self, index: Argument, axis: Axis) -> tensor: ...
        def histogram(self, num_bins: Axis, mask: Argument | None = None) -> tensor: ...


Operand: TypeAlias = tensor | bool | int | float
Argument: TypeAlias = Any
"""An `Operand` as kernels write it: to a type checker, a constant is of the class by which it is annotated."""


def member(function: Any) -> Any:
    """Also makes a function of the language a method of `tensor`."""
    setattr(tensor, function.__name__, function)
    return function


class composite:
    """A value that is made of others: a branch chooses between two of them, and a loop carries one, part by part."""

    @property
    def parts(self) -> tuple[Any, ...]:
        """The values that it is made of."""
        raise NotImplementedError

    @property
    def form(self) -> Any:
        """All else that is known of it: two values become one only if their forms are equal."""
        raise NotImplementedError

    @property
    def part_names(self) -> Sequence[str]:
        """Of each of the parts, what the name of its value in the IR ends with; empty where it has the whole's name."""
        return [str(index) for index in range(len(self.parts))]

    def with_parts(self, parts: Sequence[Any]) -> composite:
        """The same form, made of other values."""
        raise NotImplementedError


def parts_of(value: object) -> tuple[Any, ...] | None:
    """The values that a tuple or another composite value is made of; None for a value that is not made of others."""
    if is_tuple(value):
        return value
    return value.parts if isinstance(value, composite) else None


def like_composite(value: Any, parts: Sequence[Any]) -> Any:
    """A tuple, named tuple or other composite value of the kind of `value`, made of other values."""
    if isinstance(value, composite):
        return value.with_parts(parts)
    return type(value)._make(parts) if hasattr(value, "_make") else tuple(parts)  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType, reportUnknownVariableType]


def are_alike(a: object, b: object) -> bool:
    """Whether two composite values are of one kind, so that their parts can be paired."""
    first, second = parts_of(a), parts_of(b)
    if first is None or second is None or type(a) is not type(b) or len(first) != len(second):
        return False
    return not isinstance(a, composite) or not isinstance(b, composite) or a.form == b.form


def is_number(value: object) -> TypeGuard[Number]:
    """Whether this is a Python number, which takes the dtype of what it meets."""
    return isinstance(value, int | float)


def is_tuple(value: object) -> TypeGuard[tuple[Any, ...]]:
    return isinstance(value, tuple)


def is_sequence(value: object) -> TypeGuard[Sequence[Any]]:
    return isinstance(value, Sequence) and not isinstance(value, str | bytes)


def like(value: tensor, handle: SSAValue, element_ty: dtype | None = None) -> tensor:
    """A tensor of the shape of `value`, with elements of its type or of `element_ty`."""
    if element_ty is None:
        return tensor(handle, value.type)
    return tensor(handle, value.type.with_element_ty(element_ty))


def block_like(element_ty: dtype, shape: Sequence[int]) -> dtype:
    """The type of a tensor of `shape`; that of an empty shape is the element type itself."""
    return block_type(element_ty, shape) if shape else element_ty


def _operators() -> Any:
    from mytriton.language import operators

    return operators
