"""Tensor descriptors: arrays that are read and written tile by tile, with nothing outside of their bounds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from mytriton import messages
from mytriton.language import atomics
from mytriton.language.array_tiles import Array, along, as_integer, check_ranks, names_of_axes, positions, scalars
from mytriton.language.block_pointers import padding
from mytriton.language.casting import cast_to
from mytriton.language.constexpr import unwrap
from mytriton.language.context import builtin
from mytriton.language.dtypes import block_type, dtype, int32, int64, pointer_type
from mytriton.language.memory import load, store
from mytriton.language.operators import to_tensor
from mytriton.language.shapes import broadcast_to_shape, reshape, shape_argument
from mytriton.language.values import Argument, Operand, composite, tensor

MAXIMUM_RANK = 5


class tensor_descriptor_type:
    """The type of a descriptor: the shape and the dtype of its tiles."""

    def __init__(self, block_type: block_type):
        self.block_type = block_type

    def __eq__(self, other: object) -> bool:
        return isinstance(other, tensor_descriptor_type) and other.block_type == self.block_type

    def __hash__(self) -> int:
        return hash(self.block_type)

    def __repr__(self) -> str:
        return f"tensor_descriptor<{self.block_type}>"


class tensor_descriptor(composite):
    """An array whose tiles of one shape are loaded and stored; what is outside of its bounds is not accessed."""

    def __init__(
        self,
        base: tensor,
        shape: tuple[Operand, ...],
        strides: tuple[Operand, ...],
        block_shape: tuple[int, ...],
        padding_option: str = "zero",
    ):
        self.base = base
        self.shape = shape
        self.strides = strides
        self.block_shape = block_shape
        self.padding_option = padding_option

    @property
    def dtype(self) -> dtype:
        pointer = self.base.dtype
        assert isinstance(pointer, pointer_type)
        return pointer.element_ty

    @property
    def block_type(self) -> block_type:
        return block_type(self.dtype, self.block_shape)

    @property
    def type(self) -> tensor_descriptor_type:
        return tensor_descriptor_type(self.block_type)

    @property
    def parts(self) -> tuple[Any, ...]:
        return (self.base, *self.shape, *self.strides)

    @property
    def form(self) -> Any:
        return self.base.type, self.block_shape, self.padding_option

    @property
    def part_names(self) -> Sequence[str]:
        return names_of_axes(len(self.block_shape), "shape", "stride")

    def with_parts(self, parts: Sequence[Any]) -> tensor_descriptor:
        base, *rest = parts
        rank = len(self.block_shape)
        return tensor_descriptor(base, tuple(rest[:rank]), tuple(rest[rank:]), self.block_shape, self.padding_option)

    # What kernels call

    @builtin
    def load(self, offsets: Any) -> tensor:
        """The tile at `offsets`; what is outside of the array is 0, or NaN if the descriptor was made so."""
        return self._load(*self._tile(offsets, "load"))

    @builtin
    def store(self, offsets: Any, value: Argument) -> None:
        """Writes a tile at `offsets`; what is outside of the array is not written."""
        pointers, mask = self._tile(offsets, "store")
        store(pointers, self._checked(value, pointers.shape, "store"), mask=mask)

    @builtin
    def gather(self, x_offsets: tensor, y_offset: Argument) -> tensor:
        """The rows `x_offsets`, each from the column `y_offset` on, of a descriptor whose tiles have one row."""
        return self._load(*self._rows(x_offsets, y_offset, "gather"))

    @builtin
    def scatter(self, value: tensor, x_offsets: tensor, y_offset: Argument) -> None:
        """Writes the rows of `value` to the rows `x_offsets`, each from the column `y_offset` on."""
        pointers, mask = self._rows(x_offsets, y_offset, "scatter")
        store(pointers, self._checked(value, pointers.shape, "scatter"), mask=mask)

    @builtin
    def atomic_add(self, offsets: Any, value: Argument) -> None:
        """Adds a tile at `offsets`, element by element and atomically."""
        self._update(atomics.atomic_add, offsets, value)

    @builtin
    def atomic_min(self, offsets: Any, value: Argument) -> None:
        """Replaces each element of the tile at `offsets` by the smaller of it and that of `value`."""
        self._update(atomics.atomic_min, offsets, value)

    @builtin
    def atomic_max(self, offsets: Any, value: Argument) -> None:
        """Replaces each element of the tile at `offsets` by the larger of it and that of `value`."""
        self._update(atomics.atomic_max, offsets, value)

    @builtin
    def atomic_and(self, offsets: Any, value: Argument) -> None:
        """Replaces each element of the tile at `offsets` by its bitwise and with that of `value`."""
        self._update(atomics.atomic_and, offsets, value)

    @builtin
    def atomic_or(self, offsets: Any, value: Argument) -> None:
        """Replaces each element of the tile at `offsets` by its bitwise or with that of `value`."""
        self._update(atomics.atomic_or, offsets, value)

    @builtin
    def atomic_xor(self, offsets: Any, value: Argument) -> None:
        """Replaces each element of the tile at `offsets` by its bitwise exclusive or with that of `value`."""
        self._update(atomics.atomic_xor, offsets, value)

    # How

    def _load(self, pointers: tensor, mask: tensor) -> tensor:
        return load(pointers, mask=mask, other=padding(self.dtype, self.padding_option, True))

    def _update(self, operation: Callable[..., Any], offsets: Any, value: Argument) -> None:
        pointers, mask = self._tile(offsets, operation.__name__)
        operation(pointers, self._checked(value, pointers.shape, operation.__name__), mask=mask, sem="relaxed")

    def _tile(self, offsets: Any, function: str) -> tuple[tensor, tensor]:
        starts = scalars(offsets, "offsets", function)
        check_ranks(function, block_shape=len(self.block_shape), offsets=len(starts))
        rank = len(starts)
        return self._access(
            [
                positions(as_integer(start, int64), size, axis, rank)
                for axis, (start, size) in enumerate(zip(starts, self.block_shape, strict=True))
            ]
        )

    def _rows(self, rows: object, column: Argument, function: str) -> tuple[tensor, tensor]:
        if len(self.block_shape) != 2 or self.block_shape[0] != 1:
            raise messages.descriptor_of_rows(function, self.block_shape)
        if not isinstance(rows, tensor) or len(rows.shape) != 1 or not rows.dtype.is_int():
            raise messages.rows_expected(function, rows)
        (start,) = scalars(column, "y_offset", function)
        columns = positions(as_integer(start, int64), self.block_shape[1], 1, 2)
        return self._access([along(cast_to(rows, int64), 0, 2), columns])

    def _access(self, places: list[tensor]) -> tuple[tensor, tensor]:
        pointers, mask = Array(self.base, self.shape, self.strides).access(places, range(len(places)))
        assert mask is not None
        return pointers, mask

    def _checked(self, value: Argument, shape: tuple[int, ...], function: str) -> tensor:
        found = to_tensor(unwrap(value))
        if found.shape == shape:
            return found
        if found.numel == 1:
            return broadcast_to_shape(found, shape) if not found.is_block else reshape(found, shape)
        raise messages.does_not_fit_pointer(function, "value", found.shape, shape)

    def __repr__(self) -> str:
        return str(self.type)


@builtin
def make_tensor_descriptor(
    base: Argument, shape: Any, strides: Any, block_shape: Any, padding_option: str = "zero"
) -> tensor_descriptor:
    """A descriptor of the array of `shape` and `strides`, in elements, that begins at `base`.

    Its tiles have the shape `block_shape`. `padding_option`: what elements outside of the array are read as, "zero" or
    "nan".
    """
    name = "make_tensor_descriptor"
    if not isinstance(base, tensor) or not base.dtype.is_ptr() or base.is_block:
        raise messages.scalar_pointer_expected(name, base)
    extents = tuple(
        cast_to(extent, int32) if isinstance(extent, tensor) else extent for extent in scalars(shape, "shape", name)
    )
    steps = tuple(
        cast_to(step, int64) if isinstance(step, tensor) else step for step in scalars(strides, "strides", name)
    )
    size = shape_argument(block_shape)
    check_ranks(name, shape=len(extents), strides=len(steps), block_shape=len(size))
    if not 1 <= len(size) <= MAXIMUM_RANK:
        raise messages.descriptor_rank(len(size), MAXIMUM_RANK)
    option = unwrap(padding_option) or "zero"
    found = tensor_descriptor(base, extents, steps, size, option)
    padding(found.dtype, option, has_mask=False)
    if isinstance(steps[-1], tensor) or steps[-1] != 1:
        raise messages.descriptor_stride(steps[-1])
    return found


@builtin
def load_tensor_descriptor(desc: tensor_descriptor, offsets: Any) -> tensor:
    """The same as `desc.load(offsets)`."""
    return _descriptor("load_tensor_descriptor", desc).load(offsets)


@builtin
def store_tensor_descriptor(desc: tensor_descriptor, offsets: Any, value: Argument) -> None:
    """The same as `desc.store(offsets, value)`."""
    _descriptor("store_tensor_descriptor", desc).store(offsets, value)


def _descriptor(function: str, value: object) -> tensor_descriptor:
    if not isinstance(value, tensor_descriptor):
        raise messages.descriptor_expected(function, value)
    return value
