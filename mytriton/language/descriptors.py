"""Tensor descriptors: arrays that are read and written tile by tile, with nothing outside of their bounds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mytriton import messages
from mytriton.language.array_tiles import as_integer, check_ranks, names_of_axes, scalars
from mytriton.language.block_pointers import padding
from mytriton.language.casting import cast_to
from mytriton.language.constexpr import unwrap
from mytriton.language.context import builtin, current_builder
from mytriton.language.dtypes import block_type, descriptor_handle_type, dtype, int16, int32, int64, pointer_type
from mytriton.language.math import maximum, minimum
from mytriton.language.memory import in_memory
from mytriton.language.operators import constant, to_tensor
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
        value: tensor,
        shape: tuple[Operand, ...],
        strides: tuple[Operand, ...],
        pointer: pointer_type,
        block_shape: tuple[int, ...],
    ):
        self.value = value
        self.shape = shape
        self.strides = strides
        self.pointer = pointer
        """The type of a pointer to an element."""
        self.block_shape = block_shape

    @property
    def dtype(self) -> dtype:
        return self.pointer.element_ty

    @property
    def block_type(self) -> block_type:
        return block_type(self.dtype, self.block_shape)

    @property
    def type(self) -> tensor_descriptor_type:
        return tensor_descriptor_type(self.block_type)

    @property
    def parts(self) -> tuple[Any, ...]:
        return (self.value, *self.shape, *self.strides)

    @property
    def form(self) -> Any:
        return self.pointer, self.block_shape

    @property
    def part_names(self) -> Sequence[str]:
        return ["", *names_of_axes(len(self.block_shape), "shape", "stride")]

    def with_parts(self, parts: Sequence[Any]) -> tensor_descriptor:
        value, *rest = parts
        rank = len(self.block_shape)
        return tensor_descriptor(value, tuple(rest[:rank]), tuple(rest[rank:]), self.pointer, self.block_shape)

    # What kernels call

    @builtin
    def load(self, offsets: Any) -> tensor:
        """The tile at `offsets`; what is outside of the array is 0, or NaN if the descriptor was made so."""
        starts = self._offsets(offsets, "load")
        type = self._in_memory
        return self._loaded(current_builder().descriptor_load(self.value.handle, starts, type), type)

    @builtin
    def store(self, offsets: Any, value: Argument) -> None:
        """Writes a tile at `offsets`; what is outside of the array is not written."""
        starts = self._offsets(offsets, "store")
        stored = self._to_store(value, self.block_shape, "store")
        current_builder().descriptor_store(self.value.handle, stored, starts)

    @builtin
    def gather(self, x_offsets: tensor, y_offset: Argument) -> tensor:
        """The rows `x_offsets`, each from the column `y_offset` on, of a descriptor whose tiles have one row."""
        rows, column = self._rows(x_offsets, y_offset, "gather")
        type = block_type(self._in_memory.element_ty, (*rows.shape, self.block_shape[1]))
        handle = current_builder().descriptor_gather(self.value.handle, rows.handle, column.handle, type)
        return self._loaded(handle, type)

    @builtin
    def scatter(self, value: tensor, x_offsets: tensor, y_offset: Argument) -> None:
        """Writes the rows of `value` to the rows `x_offsets`, each from the column `y_offset` on."""
        rows, column = self._rows(x_offsets, y_offset, "scatter")
        stored = self._to_store(value, (*rows.shape, self.block_shape[1]), "scatter")
        current_builder().descriptor_scatter(self.value.handle, stored, rows.handle, column.handle)

    @builtin
    def atomic_add(self, offsets: Any, value: Argument) -> None:
        """Adds a tile at `offsets`, element by element and atomically."""
        self._update("add", offsets, value)

    @builtin
    def atomic_min(self, offsets: Any, value: Argument) -> None:
        """Replaces each element of the tile at `offsets` by the smaller of it and that of `value`."""
        self._update("min", offsets, value)

    @builtin
    def atomic_max(self, offsets: Any, value: Argument) -> None:
        """Replaces each element of the tile at `offsets` by the larger of it and that of `value`."""
        self._update("max", offsets, value)

    @builtin
    def atomic_and(self, offsets: Any, value: Argument) -> None:
        """Replaces each element of the tile at `offsets` by its bitwise and with that of `value`."""
        self._update("and", offsets, value)

    @builtin
    def atomic_or(self, offsets: Any, value: Argument) -> None:
        """Replaces each element of the tile at `offsets` by its bitwise or with that of `value`."""
        self._update("or", offsets, value)

    @builtin
    def atomic_xor(self, offsets: Any, value: Argument) -> None:
        """Replaces each element of the tile at `offsets` by its bitwise exclusive or with that of `value`."""
        self._update("xor", offsets, value)

    # How

    @property
    def _in_memory(self) -> block_type:
        """The type of a tile as memory has it: a boolean is a byte that is 0 or not."""
        tile = self.value.type
        assert isinstance(tile, descriptor_handle_type)
        return tile.tile

    def _loaded(self, handle: Any, type: dtype) -> tensor:
        return cast_to(tensor(handle, type), self.dtype)

    def _update(self, kind: str, offsets: Any, value: Argument) -> None:
        function = f"atomic_{kind}"
        starts = self._offsets(offsets, function)
        element, is_ordered = self.dtype, kind in ("add", "min", "max")
        if element.primitive_bitwidth < (16 if element.is_floating() and is_ordered else 32):
            supported = "integers and floats of 32 and 64 bits" + (", float16 and bfloat16" if is_ordered else "")
            raise messages.atomic_dtype(function, element, supported)
        stored = self._to_store(value, self.block_shape, function)
        current_builder().descriptor_reduce(kind, self.value.handle, stored, starts)

    def _offsets(self, offsets: Any, function: str) -> list[Any]:
        starts = scalars(offsets, "offsets", function)
        check_ranks(function, block_shape=len(self.block_shape), offsets=len(starts))
        return [_as_offset(start).handle for start in starts]

    def _rows(self, rows: object, column: Argument, function: str) -> tuple[tensor, tensor]:
        if len(self.block_shape) != 2 or self.block_shape[0] != 1:
            raise messages.descriptor_of_rows(function, self.block_shape)
        if not isinstance(rows, tensor) or len(rows.shape) != 1 or not rows.dtype.is_int():
            raise messages.rows_expected(function, rows)
        (start,) = scalars(column, "y_offset", function)
        return rows if rows.dtype == int16 else _as_offset(rows), _as_offset(start)

    def _to_store(self, value: Argument, shape: tuple[int, ...], function: str) -> Any:
        """A tile as memory has it."""
        found = to_tensor(unwrap(value))
        if found.shape != shape:
            if found.numel != 1:
                raise messages.does_not_fit_pointer(function, "value", found.shape, shape)
            found = broadcast_to_shape(found, shape) if not found.is_block else reshape(found, shape)
        if self.pointer.is_const():
            raise messages.store_to_const(self.pointer)
        return cast_to(cast_to(found, self.dtype), self._in_memory.element_ty).handle

    def __repr__(self) -> str:
        return str(self.type)


def _extent(value: Operand) -> Operand:
    if isinstance(value, tensor):
        return cast_to(value, int32)
    if not 0 <= value <= int32.get_int_max_value():
        raise messages.descriptor_extent(value)
    return value


def _as_offset(value: Operand) -> tensor:
    """An offset of 32 bits: what is beyond their range is outside of every array, and so is the end of the range."""
    low, high = int32.get_int_min_value(), int32.get_int_max_value()
    if not isinstance(value, tensor):
        return constant(min(max(value, low), high), int32)
    if value.dtype.primitive_bitwidth > 32:
        value = minimum(value, high)
        return cast_to(maximum(value, low) if value.dtype.is_int_signed() else value, int32)
    return cast_to(minimum(value, high) if value.dtype.is_uint32() else value, int32)


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
    extents = tuple(_extent(extent) for extent in scalars(shape, "shape", name))
    steps = tuple(
        cast_to(step, int64) if isinstance(step, tensor) else step for step in scalars(strides, "strides", name)
    )
    size = shape_argument(block_shape)
    check_ranks(name, shape=len(extents), strides=len(steps), block_shape=len(size))
    if not 1 <= len(size) <= MAXIMUM_RANK:
        raise messages.descriptor_rank(len(size), MAXIMUM_RANK)
    pointer = base.dtype
    assert isinstance(pointer, pointer_type)
    option = unwrap(padding_option) or "zero"
    padding(pointer.element_ty, option, has_mask=False)
    if isinstance(steps[-1], tensor) or steps[-1] != 1:
        raise messages.descriptor_stride(steps[-1])
    memory, element = in_memory(base)
    type = descriptor_handle_type(block_type(element, size))
    handle = current_builder().make_tensor_descriptor(
        memory.handle,
        [as_integer(extent, int32).handle for extent in extents],
        [as_integer(step, int64).handle for step in steps],
        type,
        option,
    )
    return tensor_descriptor(tensor(handle, type), extents, steps, pointer, size)


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
