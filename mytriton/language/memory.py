"""Loads and stores."""

from __future__ import annotations

from typing import Any

from mytriton import messages
from mytriton.language.block_pointers import block_pointer, padding
from mytriton.language.casting import cast_to
from mytriton.language.constexpr import unwrap
from mytriton.language.context import builtin, current_builder
from mytriton.language.dtypes import dtype, int8, pointer_type
from mytriton.language.operators import number_as, to_tensor
from mytriton.language.shapes import broadcast_pair, broadcast_to_shape, common_shape
from mytriton.language.values import Argument, Operand, member, tensor

LOAD_CACHE_MODIFIERS = ("", ".ca", ".cg", ".cs", ".cv")
STORE_CACHE_MODIFIERS = ("", ".wb", ".cg", ".cs", ".wt")
EVICTION_POLICIES = ("", "evict_first", "evict_last")


@builtin
def load(
    pointer: tensor | block_pointer,
    mask: Argument | None = None,
    other: Argument | None = None,
    boundary_check: Any = (),
    padding_option: str = "",
    cache_modifier: str = "",
    eviction_policy: str = "",
    volatile: bool = False,
) -> tensor:
    """The elements that `pointer` points to; where `mask` is false nothing is read and the element is `other`, or 0.

    Of a block pointer, `boundary_check` names the axes along which elements may be outside of the array; those are not
    read, and are 0, or NaN where `padding_option` is "nan".
    """
    mask, other = unwrap(mask), unwrap(other)
    if isinstance(pointer, block_pointer):
        _refuse_mask("load", mask, other)
        pointer, mask = pointer.access(boundary_check, "load")
        other = padding(pointer.dtype.element_ty, padding_option, mask is not None)
        boundary_check, padding_option = (), ""
    check_pointer("load", pointer)
    if unwrap(boundary_check) or unwrap(padding_option):
        raise messages.block_pointer_option("load", "boundary_check" if unwrap(boundary_check) else "padding_option")
    cache = _cache(cache_modifier, LOAD_CACHE_MODIFIERS)
    eviction = _eviction(eviction_policy)
    if mask is None and other is not None:
        raise messages.other_without_mask()
    if mask is True:
        mask = other = None
    if mask is not None:
        mask = mask_of("load", pointer, mask)
        pointer, mask = broadcast_pair(pointer, mask)
    if other is not None:
        other = as_pointee("load", pointer, other, "other")
        pointer, other = broadcast_pair(pointer, other)
        if mask is not None:
            mask = broadcast_to_shape(mask, pointer.shape)
    memory_pointer, memory_type = in_memory(pointer)
    result_type = pointer.type.with_element_ty(memory_type)
    handle = current_builder().load(
        memory_pointer.handle,
        None if mask is None else mask.handle,
        None if other is None else cast_to(other, memory_type).handle,
        cache,
        eviction,
        bool(unwrap(volatile)),
    )
    return cast_to(tensor(handle, result_type), pointer.dtype.element_ty)


@member
@builtin
def store(
    pointer: tensor | block_pointer,
    value: Argument,
    mask: Argument | None = None,
    boundary_check: Any = (),
    cache_modifier: str = "",
    eviction_policy: str = "",
) -> None:
    """Writes `value`, cast to what `pointer` points to, where `mask` is true.

    Of a block pointer, `boundary_check` names the axes along which elements may be outside of the array; those are not
    written.
    """
    mask = unwrap(mask)
    if isinstance(pointer, block_pointer):
        _refuse_mask("store", mask)
        pointer, mask = pointer.access(boundary_check, "store")
        boundary_check = ()
    check_pointer("store", pointer)
    if unwrap(boundary_check):
        raise messages.block_pointer_option("store", "boundary_check")
    if pointer.dtype.is_const():
        raise messages.store_to_const(pointer.dtype)
    cache = _cache(cache_modifier, STORE_CACHE_MODIFIERS)
    eviction = _eviction(eviction_policy)
    value = unwrap(value)
    if mask is True:
        mask = None
    stored = fitted("store", pointer, as_pointee("store", pointer, value, "value"), "value")
    if mask is not None:
        mask = fitted("store", pointer, mask_of("store", pointer, mask), "mask")
    memory_pointer, memory_type = in_memory(pointer)
    current_builder().store(
        memory_pointer.handle,
        cast_to(stored, memory_type).handle,
        None if mask is None else mask.handle,
        cache,
        eviction,
    )


def _refuse_mask(function: str, mask: Any, other: Any = None) -> None:
    if mask is not None or other is not None:
        raise messages.mask_of_block_pointer(function, "mask" if mask is not None else "other")


def check_pointer(function: str, pointer: object) -> None:
    """Raises `CompilationError` for anything but a pointer and a tensor of pointers."""
    if not isinstance(pointer, tensor) or not pointer.dtype.is_ptr():
        raise messages.pointer_expected(function, pointer)


def mask_of(function: str, pointer: tensor, mask: Operand) -> tensor:
    """The mask as a tensor of booleans; a block needs a pointer that is one."""
    value = to_tensor(mask)
    if not value.dtype.is_bool():
        raise messages.mask_not_bool(function, value.dtype)
    return _checked_rank(function, pointer, value, "mask")


def as_pointee(function: str, pointer: tensor, value: Operand, what: str) -> tensor:
    """The value in the dtype that `pointer` points to."""
    element_ty = pointer.dtype.element_ty
    if not isinstance(value, tensor):
        return number_as(value, element_ty, pointer.shape)
    return cast_to(_checked_rank(function, pointer, value, what), element_ty)


def _checked_rank(function: str, pointer: tensor, value: tensor, what: str) -> tensor:
    if value.is_block and not pointer.is_block:
        raise messages.block_with_scalar_pointer(function, what, value.type)
    return value


def fitted(function: str, pointer: tensor, value: tensor, what: str) -> tensor:
    """The value in the shape of `pointer`."""
    if value.is_block and common_shape(pointer.shape, value.shape) != pointer.shape:
        raise messages.does_not_fit_pointer(function, what, value.shape, pointer.shape)
    return broadcast_pair(pointer, value)[1]


def in_memory(pointer: tensor) -> tuple[tensor, dtype]:
    """The pointer and the type of what it points to, as memory has it: a boolean is a byte that is 0 or not."""
    element_ty = pointer.dtype.element_ty
    if not element_ty.is_bool():
        return pointer, element_ty
    return cast_to(pointer, pointer_type(int8)), int8


def _cache(modifier: object, choices: tuple[str, ...]) -> str:
    text = unwrap(modifier) or ""
    if text not in choices:
        raise messages.bad_choice("cache_modifier", text, choices)
    return text.removeprefix(".") or "none"


def _eviction(policy: object) -> str:
    text = unwrap(policy) or ""
    if text not in EVICTION_POLICIES:
        raise messages.bad_choice("eviction_policy", text, EVICTION_POLICIES)
    return text or "evict_normal"
