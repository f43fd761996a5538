"""`infer-no-wrap`: marks the index arithmetic whose overflow could only be a fault."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass

from mytriton.dialects import arith, cuda
from mytriton.passes.to_cuda.control import MAY_OVERFLOW
from mytriton.passes.to_cuda.emitter import NO_WRAP

ARITHMETIC = (arith.AddiOp, arith.SubiOp, arith.MuliOp)
# Not division, remainder, minimum and maximum: they may make a valid index of a number that has wrapped.
TRANSPARENT = (*ARITHMETIC, arith.ExtSIOp)


@dataclass(frozen=True)
class InferNoWrap(ModulePass):
    """Sets `overflow<nsw>` on additions, subtractions and products that only serve to address memory or to mask it.

    A loop whose counter is such arithmetic loses `cuda.may_overflow`, which says that the counter may pass the end of
    its type.

    An address that has wrapped is outside every array, so such arithmetic may be printed as plain `int` arithmetic. All
    other integer arithmetic wraps, and is printed in a form that wraps in C as well.
    """

    name = "infer-no-wrap"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for kernel in op.body.block.ops:
            if isinstance(kernel, cuda.FuncOp):
                known: dict[Operation, bool] = {}
                for inner in list(kernel.walk()):
                    if isinstance(inner, ARITHMETIC) and _serves_addresses(inner, known):
                        inner.properties["overflowFlags"] = NO_WRAP
                    elif isinstance(inner, scf.ForOp) and MAY_OVERFLOW in inner.attributes:
                        if _counts_addresses(inner, known):
                            del inner.attributes[MAY_OVERFLOW]


def _counts_addresses(loop: scf.ForOp, known: dict[Operation, bool]) -> bool:
    """Whether a loop's counter is index arithmetic too: it is used, and only for addresses and masks."""
    counter = loop.body.block.args[0]
    return counter.first_use is not None and all(_is_address_use(use.operation, counter, known) for use in counter.uses)


def _serves_addresses(op: Operation, known: dict[Operation, bool]) -> bool:
    """Whether all that depends on an operation are addresses, masks, and further index arithmetic."""
    if op not in known:
        known[op] = bool(op.results[0].uses.get_length()) and all(
            _is_address_use(use.operation, op.results[0], known) for use in op.results[0].uses
        )
    return known[op]


def _is_address_use(user: Operation, value: SSAValue, known: dict[Operation, bool]) -> bool:
    match user:
        case cuda.LoadOp() | cuda.AtomicLoadOp():
            return value in user.indices
        case cuda.StoreOp() | cuda.AtomicStoreOp() | cuda.AtomicRMWOp():
            return value in user.indices and value is not user.value
        case cuda.AtomicCASOp():
            return value in user.indices and value not in (user.expected, user.value)
        case cuda.PtrAddOp() | cuda.GetOp():
            return True
        case arith.CmpiOp():
            return all(_is_mask_use(use.operation, user.result) for use in user.result.uses)
        case _:
            return isinstance(user, TRANSPARENT) and _serves_addresses(user, known)


def _is_mask_use(user: Operation, value: SSAValue) -> bool:
    match user:
        case cuda.LoadOp():
            return user.mask is value and user.other is not value
        case cuda.StoreOp() | cuda.AtomicStoreOp() | cuda.AtomicRMWOp():
            return user.mask is value and user.value is not value
        case cuda.AtomicLoadOp():
            return user.mask is value
        case cuda.AtomicCASOp():
            return user.mask is value and value not in (user.expected, user.value)
        case arith.AndIOp():
            return all(_is_mask_use(use.operation, user.result) for use in user.result.uses)
        case _:
            return False
