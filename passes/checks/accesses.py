"""What accesses to memory do with values: store them, and use them as addresses and masks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from xdsl.ir import BlockArgument, Operation, SSAValue

from mytriton.dialects import tt
from mytriton.dialects.building import walk
from mytriton.passes.checks.shadowing import Shadowing
from mytriton.passes.pointer_roots import PointerRoots, is_parameter


class AccessUse(NamedTuple):
    """The parts of an access: `values` is what goes to memory, or is compared with it."""

    name: str
    pointer: SSAValue
    values: Sequence[SSAValue] = ()
    mask: SSAValue | None = None
    is_store: bool = False
    is_by_all: bool = False
    """Whether all threads that hold copies of an element do it."""


def access_of(op: Operation) -> AccessUse | None:
    """What an operation accesses; None for one that accesses no global memory."""
    match op:
        case tt.LoadOp():
            return AccessUse("a load", op.ptr, (), op.mask, is_by_all=True)
        case tt.StoreOp():
            return AccessUse("a store", op.ptr, (op.value,), op.mask, True)
        case tt.AtomicStoreOp():
            return AccessUse("an atomic store", op.ptr, (op.val,), op.mask, True)
        case tt.AtomicRMWOp():
            return AccessUse("an atomic operation", op.ptr, (op.val,), op.mask)
        case tt.AtomicCASOp():
            return AccessUse("an atomic operation", op.ptr, (op.cmp, op.val))
        case tt.AtomicLoadOp():
            return AccessUse("an atomic load", op.ptr, (), op.mask)
        case tt.AtomicPollOp():
            return AccessUse("an atomic poll", op.ptr, (op.expected,))
        case _:
            return None


def accessed_parameters(function: Operation) -> dict[Operation, int]:
    """The number of the parameter for each access to the array of one that is known."""
    roots = PointerRoots()
    numbers: dict[Operation, int] = {}
    for op in walk(function):
        access = access_of(op)
        if access is None:
            continue
        found = roots.of(access.pointer)
        if len(found) == 1 and isinstance(root := next(iter(found)), BlockArgument) and is_parameter(root):
            numbers[op] = root.index
    return numbers


def used_by_access(op: Operation) -> Sequence[SSAValue]:
    """The operands of an access that are checked, in any order."""
    access = access_of(op)
    if access is None:
        return ()
    return [access.pointer, *access.values, *(() if access.mask is None else (access.mask,))]


def check_access(shadowing: Shadowing, op: Operation) -> None:
    """Checks the mask of an access everywhere, and the rest where the mask is true."""
    access = access_of(op)
    if access is None:
        return
    if access.mask is not None:
        shadowing.check(op, access.mask, f"is the mask of {access.name}", by_all=access.is_by_all)
    check_address(shadowing, op, access)
    check_values(shadowing, op, access)


def check_address(shadowing: Shadowing, op: Operation, access: AccessUse, is_shown: bool = False) -> None:
    """Checks an address, which is told where it says what is wrong."""
    pointer = access.pointer if is_shown else None
    what = f"is the address of {access.name}"
    shadowing.check(op, access.pointer, what, access.mask, pointer, access.is_by_all)


def check_values(shadowing: Shadowing, op: Operation, access: AccessUse) -> None:
    what = "is stored" if access.is_store else f"is an operand of {access.name}"
    for value in access.values:
        shadowing.check(op, value, what, access.mask, access.pointer)
