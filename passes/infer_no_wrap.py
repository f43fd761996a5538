"""`infer-no-wrap`: marks the index arithmetic whose overflow could only be a fault."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass

from mytriton.dialects import arith, cuda
from mytriton.dialects.attribute_names import MAY_OVERFLOW
from mytriton.dialects.building import operations, walk
from mytriton.dialects.constants import splat_value
from mytriton.passes.to_cuda.emitter import NO_WRAP

ARITHMETIC = frozenset((arith.AddiOp, arith.SubiOp, arith.MuliOp))
# Not division, remainder, minimum and maximum: they may make a valid index of a number that has wrapped.
TRANSPARENT = ARITHMETIC | {arith.ExtSIOp}
NUMBERS = frozenset((cuda.ThreadIdOp, cuda.BlockIdOp, cuda.GridDimOp))
COUNTING = TRANSPARENT | {arith.DivSIOp, arith.RemSIOp}

LARGEST_FACTOR = 2**16
"""A number of threads, programs or turns times a larger constant is no count, but a hash or a random number."""


@dataclass(frozen=True)
class InferNoWrap(ModulePass):
    """Sets `overflow<nsw>` on additions, subtractions and products that only serve to address memory or to mask it.

    A loop whose counter is such arithmetic loses `cuda.may_overflow`, which says that the counter may pass the end of
    its type.

    An address that has wrapped is outside every array, so such arithmetic may be printed as plain `int` arithmetic. So
    may a mask's that no address is computed with, if it is of numbers of programs, threads and turns of loops, and of
    parameters that are added. All other integer arithmetic wraps, and is printed in a form that wraps in C as well.
    """

    name = "infer-no-wrap"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for kernel in operations(op.body.block):
            if isinstance(kernel, cuda.FuncOp):
                _mark(kernel)


def _mark(kernel: cuda.FuncOp) -> None:
    ops = walk(kernel)
    counts = _counts(ops)
    serves: dict[Operation, bool] = {}
    reaches: dict[Operation, bool] = {}
    # What uses a value stands behind it.
    for op in reversed(ops):
        kind = op.__class__
        if kind in TRANSPARENT:
            result = op.results[0]
            serves[op] = _is_index(result, serves)
            if serves[op]:
                reaches[op] = any(_reaches_address(use.operation, reaches) for use in result.uses)
                if kind in ARITHMETIC and (reaches[op] or result in counts):
                    op.properties["overflowFlags"] = NO_WRAP
        elif kind is arith.CmpiOp or kind is arith.AndIOp:
            serves[op] = all(_is_mask_use(use.operation, op.results[0], serves) for use in op.results[0].uses)
        elif kind is scf.ForOp and MAY_OVERFLOW in op.attributes:
            if _is_index(op.regions[0].block.args[0], serves):
                del op.attributes[MAY_OVERFLOW]


def _reaches_address(user: Operation, reaches: dict[Operation, bool]) -> bool:
    """Whether a user of index arithmetic is an address, or index arithmetic that reaches one."""
    return user.__class__ is not arith.CmpiOp and reaches.get(user, True)


def _counts(ops: Sequence[Operation]) -> dict[SSAValue, bool]:
    """The integers that only count programs, threads, registers, turns of loops, or from a parameter.

    Each comes with whether a parameter is in it: that may be of any size, and is added but not multiplied.
    """
    counts: dict[SSAValue, bool] = {}
    for op in ops:
        kind = op.__class__
        if kind in NUMBERS:
            counts[op.results[0]] = False
        elif kind is cuda.FuncOp:
            counts.update((parameter, True) for parameter in op.regions[0].block.args)
        elif kind is scf.ForOp or kind is cuda.MapOp:
            counts[op.regions[0].block.args[0]] = False
        elif kind is arith.ConstantOp:
            number = splat_value(op.properties["value"])
            if isinstance(number, int) and abs(number) <= LARGEST_FACTOR:
                counts[op.results[0]] = False
        elif kind in COUNTING and all(operand in counts for operand in op.operands):
            has_parameter = any(counts[operand] for operand in op.operands)
            if kind is not arith.MuliOp or (_scales(op) and not has_parameter):
                counts[op.results[0]] = has_parameter
    return counts


def _scales(product: Operation) -> bool:
    """Whether one of the factors is a constant."""
    return any(isinstance(operand.owner, arith.ConstantOp) for operand in product.operands)


def _is_index(value: SSAValue, serves: dict[Operation, bool]) -> bool:
    """Whether a value is used, and all that depends on it are addresses, masks, and further index arithmetic."""
    return value.first_use is not None and all(_is_address_use(use.operation, value, serves) for use in value.uses)


def _is_address_use(user: Operation, value: SSAValue, serves: dict[Operation, bool]) -> bool:
    """Whether a value only serves an operation to find an address or a mask; `serves` has the answer for index
    arithmetic and for masks."""
    kind = user.__class__
    if kind in TRANSPARENT or kind is arith.CmpiOp:
        return serves[user]
    match user:
        case cuda.PtrAddOp() | cuda.GetOp():
            return True
        case cuda.LoadOp() | cuda.AtomicLoadOp():
            return value in user.indices
        case cuda.StoreOp() | cuda.AtomicStoreOp() | cuda.AtomicRMWOp():
            return value in user.indices and value is not user.value
        case cuda.AtomicCASOp():
            return value in user.indices and value not in (user.expected, user.value)
        case _:
            return False


def _is_mask_use(user: Operation, value: SSAValue, serves: dict[Operation, bool]) -> bool:
    match user:
        case arith.AndIOp():
            return serves[user]
        case cuda.LoadOp():
            return user.mask is value and user.other is not value
        case cuda.StoreOp() | cuda.AtomicStoreOp() | cuda.AtomicRMWOp():
            return user.mask is value and user.value is not value
        case cuda.AtomicLoadOp():
            return user.mask is value
        case cuda.AtomicCASOp():
            return user.mask is value and value not in (user.expected, user.value)
        case _:
            return False
