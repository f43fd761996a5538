"""Atomic operations on memory: each reads and writes an element in one step, whatever other programs do meanwhile."""

from __future__ import annotations

from mytriton import messages
from mytriton.language.casting import bitcast_to, cast_to
from mytriton.language.constexpr import unwrap
from mytriton.language.context import builtin, current_builder
from mytriton.language.dtypes import dtype, float64, int1, int32, int64, pointer_type, uint32, uint64
from mytriton.language.memory import as_pointee, check_pointer, fitted, in_memory, mask_of
from mytriton.language.operators import and_, constant, invert, less_than
from mytriton.language.selection import where
from mytriton.language.values import Argument, member, tensor

SEMANTICS = ("acq_rel", "acquire", "release", "relaxed")
LOAD_SEMANTICS = ("acquire", "relaxed")
STORE_SEMANTICS = ("release", "relaxed")
SCOPES = ("gpu", "cta", "sys")


@member
@builtin
def atomic_add(
    pointer: tensor,
    val: Argument,
    mask: Argument | None = None,
    sem: str | None = None,
    scope: str | None = None,
) -> tensor:
    """Adds `val` to the elements that `pointer` points to, and gives what they were before."""
    is_float = _is_pointer(pointer) and pointer.dtype.element_ty.is_floating()
    return _read_modify_write("add", "fadd" if is_float else "add", pointer, val, mask, sem, scope)


@member
@builtin
def atomic_max(
    pointer: tensor,
    val: Argument,
    mask: Argument | None = None,
    sem: str | None = None,
    scope: str | None = None,
) -> tensor:
    """Replaces the elements by the larger of them and `val`, and gives what they were before."""
    return _extremum("max", pointer, val, mask, sem, scope)


@member
@builtin
def atomic_min(
    pointer: tensor,
    val: Argument,
    mask: Argument | None = None,
    sem: str | None = None,
    scope: str | None = None,
) -> tensor:
    """Replaces the elements by the smaller of them and `val`, and gives what they were before."""
    return _extremum("min", pointer, val, mask, sem, scope)


@member
@builtin
def atomic_and(
    pointer: tensor,
    val: Argument,
    mask: Argument | None = None,
    sem: str | None = None,
    scope: str | None = None,
) -> tensor:
    """Clears the bits of the elements that are not set in `val`, and gives what they were before."""
    return _read_modify_write("and", "and", pointer, val, mask, sem, scope)


@member
@builtin
def atomic_or(
    pointer: tensor,
    val: Argument,
    mask: Argument | None = None,
    sem: str | None = None,
    scope: str | None = None,
) -> tensor:
    """Sets the bits of the elements that are set in `val`, and gives what they were before."""
    return _read_modify_write("or", "or", pointer, val, mask, sem, scope)


@member
@builtin
def atomic_xor(
    pointer: tensor,
    val: Argument,
    mask: Argument | None = None,
    sem: str | None = None,
    scope: str | None = None,
) -> tensor:
    """Flips the bits of the elements that are set in `val`, and gives what they were before."""
    return _read_modify_write("xor", "xor", pointer, val, mask, sem, scope)


@member
@builtin
def atomic_xchg(
    pointer: tensor,
    val: Argument,
    mask: Argument | None = None,
    sem: str | None = None,
    scope: str | None = None,
) -> tensor:
    """Replaces the elements by `val`, and gives what they were before."""
    return _read_modify_write("xchg", "exch", pointer, val, mask, sem, scope)


@member
@builtin
def atomic_cas(
    pointer: tensor, cmp: Argument, val: Argument, sem: str | None = None, scope: str | None = None
) -> tensor:
    """Replaces the elements that have the bits of `cmp` by `val`, and gives what all of them were before."""
    _check_writable("atomic_cas", pointer)
    element_ty = pointer.dtype.element_ty
    if element_ty.is_ptr() or element_ty.primitive_bitwidth not in (16, 32, 64):
        raise messages.atomic_dtype("atomic_cas", element_ty, "elements of 16, 32 and 64 bits")
    expected = _operand("atomic_cas", pointer, cmp, "cmp")
    value = _operand("atomic_cas", pointer, val, "val")
    handle = current_builder().atomic_cas(
        pointer.handle, expected.handle, value.handle, _semantics(sem, SEMANTICS), _scope(scope)
    )
    return tensor(handle, value.type)


@member
@builtin
def atomic_load(
    pointer: tensor, mask: Argument | None = None, sem: str | None = None, scope: str | None = None
) -> tensor:
    """The elements that `pointer` points to, each read in one step."""
    check_pointer("atomic_load", pointer)
    element_ty = pointer.dtype.element_ty
    if not (element_ty.is_int() or element_ty.is_floating()):
        raise messages.atomic_dtype("atomic_load", element_ty, "integers and floats")
    chosen = _mask("atomic_load", pointer, mask)
    memory_pointer, memory_type = in_memory(pointer)
    handle = current_builder().atomic_load(
        memory_pointer.handle,
        None if chosen is None else chosen.handle,
        _semantics(sem, LOAD_SEMANTICS),
        _scope(scope),
    )
    return cast_to(tensor(handle, pointer.type.with_element_ty(memory_type)), element_ty)


@member
@builtin
def atomic_store(
    pointer: tensor,
    val: Argument,
    mask: Argument | None = None,
    sem: str | None = None,
    scope: str | None = None,
) -> None:
    """Writes `val` to the elements that `pointer` points to, each in one step."""
    _check_writable("atomic_store", pointer)
    element_ty = pointer.dtype.element_ty
    if not (element_ty.is_int() or element_ty.is_floating()):
        raise messages.atomic_dtype("atomic_store", element_ty, "integers and floats")
    value = _operand("atomic_store", pointer, val, "val")
    chosen = _mask("atomic_store", pointer, mask)
    memory_pointer, memory_type = in_memory(pointer)
    current_builder().atomic_store(
        memory_pointer.handle,
        cast_to(value, memory_type).handle,
        None if chosen is None else chosen.handle,
        _semantics(sem, STORE_SEMANTICS),
        _scope(scope),
    )


@member
@builtin
def atomic_poll(
    pointer: tensor,
    expected_value: Argument,
    sem: str | None = None,
    scope: str | None = None,
    timeout_ns: Argument | None = None,
) -> tensor:
    """Waits until the elements that `pointer` points to are `expected_value`, and gives whether each of them was.

    An element is given up, and its result is false, where `timeout_ns` nanoseconds have gone by; it is read at least
    once.
    """
    check_pointer("atomic_poll", pointer)
    element_ty = pointer.dtype.element_ty
    if not element_ty.is_int() or element_ty.primitive_bitwidth not in (16, 32, 64):
        raise messages.atomic_dtype("atomic_poll", element_ty, "integers of 16, 32 and 64 bits")
    expected = _operand("atomic_poll", pointer, expected_value, "expected_value")
    limit = _timeout(timeout_ns)
    handle = current_builder().atomic_poll(
        pointer.handle,
        expected.handle,
        None if limit is None else limit.handle,
        _semantics(sem, LOAD_SEMANTICS),
        _scope(scope),
    )
    return tensor(handle, pointer.type.with_element_ty(int1))


def _timeout(value: Argument | None) -> tensor | None:
    value = unwrap(value)
    if value is None:
        return None
    if isinstance(value, int) and value < 0:
        raise messages.negative_timeout(value)
    limit = constant(value, int64) if isinstance(value, int) else value
    if not isinstance(limit, tensor) or limit.is_block or not limit.dtype.is_int():
        raise messages.timeout_not_scalar(value)
    return cast_to(limit, int64)


def _read_modify_write(
    name: str,
    operation: str,
    pointer: tensor,
    val: Argument,
    mask: Argument | None,
    sem: str | None,
    scope: str | None,
) -> tensor:
    value, chosen = _checked(name, pointer, val, mask)
    return _emit(operation, pointer, value, chosen, _semantics(sem, SEMANTICS), _scope(scope))


def _emit(operation: str, pointer: tensor, value: tensor, mask: tensor | None, sem: str, scope: str) -> tensor:
    handle = current_builder().atomic_rmw(
        operation, pointer.handle, value.handle, None if mask is None else mask.handle, sem, scope
    )
    return tensor(handle, value.type)


def _extremum(
    name: str,
    pointer: tensor,
    val: Argument,
    mask: Argument | None,
    sem: str | None,
    scope: str | None,
) -> tensor:
    value, chosen = _checked(name, pointer, val, mask)
    semantics, seen_by = _semantics(sem, SEMANTICS), _scope(scope)
    element_ty = value.dtype
    if element_ty.is_int():
        operation = name if element_ty.is_int_signed() else f"u{name}"
        return _emit(operation, pointer, value, chosen, semantics, seen_by)
    # The bits of floats that are not negative are in the order of their values; those of negative ones are in the
    # opposite order, and as unsigned numbers above all others.
    signed, unsigned = (int64, uint64) if element_ty == float64 else (int32, uint32)
    number = bitcast_to(value, signed)
    is_negative = less_than(number, 0)
    is_positive = invert(is_negative)
    other = "umin" if name == "max" else "umax"
    results: list[tensor] = []
    for operation, integer, condition in ((name, signed, is_positive), (other, unsigned, is_negative)):
        lanes = condition if chosen is None else and_(chosen, condition)
        address = cast_to(pointer, _pointer_like(pointer.dtype, integer))
        old = _emit(operation, address, bitcast_to(number, integer), lanes, semantics, seen_by)
        results.append(bitcast_to(old, signed))
    return bitcast_to(where(is_positive, *results), element_ty)


def _pointer_like(pointer: dtype, element_ty: dtype) -> pointer_type:
    assert isinstance(pointer, pointer_type)
    return pointer_type(element_ty, pointer.address_space)


def _checked(name: str, pointer: tensor, val: Argument, mask: Argument | None) -> tuple[tensor, tensor | None]:
    """The operand and the mask in the shape of the pointer, of an operation that exists for its dtype."""
    function = f"atomic_{name}"
    _check_writable(function, pointer)
    element_ty = pointer.dtype.element_ty
    narrowest = 16 if name == "add" and element_ty.is_floating() else 32
    if element_ty.is_ptr() or element_ty.primitive_bitwidth < narrowest:
        supported = "integers and floats of 32 and 64 bits" + (", float16 and bfloat16" if name == "add" else "")
        raise messages.atomic_dtype(function, element_ty, supported)
    return _operand(function, pointer, val, "val"), _mask(function, pointer, mask)


def _is_pointer(value: object) -> bool:
    return isinstance(value, tensor) and value.dtype.is_ptr()


def _check_writable(function: str, pointer: tensor) -> None:
    check_pointer(function, pointer)
    if pointer.dtype.is_const():
        raise messages.store_to_const(pointer.dtype)


def _operand(function: str, pointer: tensor, value: Argument, what: str) -> tensor:
    return fitted(function, pointer, as_pointee(function, pointer, unwrap(value), what), what)


def _mask(function: str, pointer: tensor, mask: Argument | None) -> tensor | None:
    mask = unwrap(mask)
    if mask is None or mask is True:
        return None
    return fitted(function, pointer, mask_of(function, pointer, mask), "mask")


def _semantics(sem: str | None, choices: tuple[str, ...]) -> str:
    return _choice("sem", sem, choices)


def _scope(scope: str | None) -> str:
    return _choice("scope", scope, SCOPES)


def _choice(what: str, word: str | None, choices: tuple[str, ...]) -> str:
    """The word, or the first of the choices where there is none."""
    found = unwrap(word) or choices[0]
    if found not in choices:
        raise messages.bad_choice(what, found, choices)
    return found
