"""Block pointers: `make_block_ptr` and `advance`, which Triton had before tensor descriptors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mytriton import messages
from mytriton.language.array_tiles import Array, as_integer, check_ranks, names_of_axes, positions, scalars
from mytriton.language.constexpr import unwrap
from mytriton.language.context import builtin
from mytriton.language.dtypes import block_type, dtype, int64, pointer_type
from mytriton.language.operators import add, constant
from mytriton.language.shapes import constant_int, shape_argument
from mytriton.language.values import Argument, Operand, composite, is_sequence, member, tensor

PADDING_OPTIONS = ("", "zero", "nan")


class block_pointer(composite):
    """A tile of an array: the array, where the tile begins in it, and which shape it has."""

    def __init__(
        self,
        base: tensor,
        shape: tuple[Operand, ...],
        strides: tuple[Operand, ...],
        offsets: tuple[tensor, ...],
        block_shape: tuple[int, ...],
        order: tuple[int, ...],
    ):
        self.base = base
        self.array_shape = shape
        self.strides = strides
        self.offsets = offsets
        self.block_shape = block_shape
        self.order = order

    @property
    def dtype(self) -> dtype:
        """A pointer to a tensor of the tile's shape."""
        element = self.base.dtype
        assert isinstance(element, pointer_type)
        return pointer_type(block_type(element.element_ty, self.block_shape), element.address_space, element.is_const())

    @property
    def type(self) -> dtype:
        return self.dtype

    @property
    def parts(self) -> tuple[Any, ...]:
        return (self.base, *self.array_shape, *self.strides, *self.offsets)

    @property
    def form(self) -> Any:
        return self.base.type, self.block_shape, self.order

    @property
    def part_names(self) -> Sequence[str]:
        return ["base", *names_of_axes(len(self.offsets), "shape", "stride", "offset")]

    def with_parts(self, parts: Sequence[Any]) -> block_pointer:
        base, *rest = parts
        rank = len(self.offsets)
        shape, strides, offsets = (tuple(rest[start : start + rank]) for start in (0, rank, 2 * rank))
        return block_pointer(base, shape, strides, offsets, self.block_shape, self.order)

    def access(self, boundary_check: Any, function: str) -> tuple[tensor, tensor | None]:
        """The pointers to the elements of the tile, and which of them are in the array along the axes to check."""
        rank = len(self.offsets)
        checked = _checked_axes(boundary_check, rank, function)
        array = Array(self.base, self.array_shape, self.strides)
        places = [
            positions(offset, size, axis, rank)
            for axis, (offset, size) in enumerate(zip(self.offsets, self.block_shape, strict=True))
        ]
        return array.access(places, checked)

    @builtin
    def advance(self, offsets: Any) -> block_pointer:
        """The same as `tl.advance`."""
        return advance(self, offsets)

    @builtin
    def store(
        self,
        value: Any,
        mask: Any = None,
        boundary_check: Any = (),
        cache_modifier: str = "",
        eviction_policy: str = "",
    ) -> None:
        """The same as `tl.store`."""
        from mytriton.language.memory import store

        store(self, value, mask, boundary_check, cache_modifier, eviction_policy)

    def __repr__(self) -> str:
        return str(self.dtype)


@builtin
def make_block_ptr(
    base: Argument, shape: Any, strides: Any, offsets: Any, block_shape: Any, order: Any
) -> block_pointer:
    """A pointer to the tile of `block_shape` at `offsets` in an array of `shape` and `strides` that begins at `base`.

    All of them are counted in elements, axis by axis. `order` lists the axes from the one along which memory is
    contiguous; it changes no result.
    """
    if not isinstance(base, tensor) or not base.dtype.is_ptr() or base.is_block:
        raise messages.scalar_pointer_expected("make_block_ptr", base)
    name = "make_block_ptr"
    extents = scalars(shape, "shape", name)
    steps = scalars(strides, "strides", name)
    start = scalars(offsets, "offsets", name)
    size = shape_argument(block_shape)
    axes = tuple(constant_int(axis, "order") for axis in unwrap(order))
    check_ranks(
        name, shape=len(extents), strides=len(steps), offsets=len(start), block_shape=len(size), order=len(axes)
    )
    if not size or sorted(axes) != list(range(len(size))):
        raise messages.not_a_permutation(axes, size)
    return block_pointer(base, extents, steps, tuple(as_integer(offset, int64) for offset in start), size, axes)


@member
@builtin
def advance(base: block_pointer, offsets: Any) -> block_pointer:
    """The block pointer `base` moved by so many elements along each axis."""
    if not isinstance(base, block_pointer):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise messages.block_pointer_expected("advance", base)
    steps = scalars(offsets, "offsets", "advance")
    check_ranks("advance", block_shape=len(base.block_shape), offsets=len(steps))
    moved = [
        offset if isinstance(step, int) and step == 0 else add(offset, as_integer(step, int64))
        for offset, step in zip(base.offsets, steps, strict=True)
    ]
    return block_pointer(base.base, base.array_shape, base.strides, tuple(moved), base.block_shape, base.order)


def padding(element_ty: dtype, padding_option: object, has_mask: bool) -> tensor | None:
    """What stands for elements that are not in the array; None where the program does not say."""
    option = unwrap(padding_option) or ""
    if option not in PADDING_OPTIONS:
        raise messages.bad_choice("padding_option", option, PADDING_OPTIONS)
    if not option:
        return None
    if option == "nan" and not element_ty.is_floating():
        raise messages.nan_padding(element_ty)
    return constant(float("nan") if option == "nan" else 0, element_ty) if has_mask else None


def _checked_axes(boundary_check: Any, rank: int, function: str) -> tuple[int, ...]:
    entries = unwrap(boundary_check)
    if entries is None:
        return ()
    if not is_sequence(entries):
        entries = (entries,)
    axes = tuple(constant_int(axis, "boundary_check") for axis in entries)
    if len(set(axes)) != len(axes) or not all(0 <= axis < rank for axis in axes):
        raise messages.bad_boundary_check(function, axes, rank)
    return axes
