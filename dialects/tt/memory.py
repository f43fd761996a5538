"""Pointer arithmetic, loads and stores."""

from __future__ import annotations

from collections.abc import Set
from typing import ClassVar

from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, UnitAttr, i32
from xdsl.interfaces import HasFolderInterface
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    ParsePropInAttrDict,
    VarConstraint,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.traits import EffectInstance, MemoryEffect, MemoryEffectKind, MemoryWriteEffect, Pure
from xdsl.utils.exceptions import VerifyException

from mytriton.dialects.arith import FoldResult, integer_constant
from mytriton.dialects.building import initialize, value_of
from mytriton.dialects.tensor_types import FixedWidthIntegerLike, I1LikeVariable, shape_of
from mytriton.dialects.tt.checks import verify_shape
from mytriton.dialects.tt.constraints import PointeeLikeVariable, PointerLike
from mytriton.dialects.tt.folding import TTCanonicalization
from mytriton.dialects.tt.types import FALSE, TRUE, CachePolicyAttr, pointee_like


@irdl_op_definition
class AddPtrOp(IRDLOperation, HasFolderInterface):
    """A pointer moved by a number of elements."""

    name = "tt.addptr"

    T: ClassVar = VarConstraint("T", PointerLike())

    ptr = operand_def(T)
    offset = operand_def(FixedWidthIntegerLike())
    result = result_def(T)

    traits = traits_def(Pure())

    assembly_format = "$ptr `,` $offset attr-dict `:` type($result) `,` type($offset)"

    def __init__(self, ptr: SSAValue | Operation, offset: SSAValue | Operation):
        ptr = value_of(ptr)
        initialize(self, operands=(ptr, value_of(offset)), result_types=(ptr.type,))

    def verify_(self) -> None:
        verify_shape("an offset", self.offset.type, shape_of(self.ptr.type))

    def fold(self) -> FoldResult:
        return (self.ptr,) if integer_constant(self.offset) == 0 else None


class LoadEffects(MemoryEffect):
    """A load reads; a volatile one counts as a write too, so that none is removed, merged or moved."""

    @classmethod
    def get_effects(cls, op: Operation) -> Set[EffectInstance]:
        assert isinstance(op, LoadOp)
        return load_effects(op.is_volatile)


def load_effects(is_volatile: bool) -> Set[EffectInstance]:
    """What a load of any level does to memory."""
    return _VOLATILE_EFFECTS if is_volatile else _READ_EFFECTS


_READ_EFFECTS = frozenset((EffectInstance(MemoryEffectKind.READ),))
_VOLATILE_EFFECTS = _READ_EFFECTS | {EffectInstance(MemoryEffectKind.WRITE)}


class MemoryAccessOp(IRDLOperation):
    """What loads and stores have in common."""

    cache_policy = opt_prop_def(prop_name="cachePolicy")

    @property
    def cache_modifier(self) -> str:
        """One of `CACHE_MODIFIERS`."""
        policy = self.cache_policy
        return policy.cache_modifier.data if isinstance(policy, CachePolicyAttr) else "none"

    @property
    def eviction_policy(self) -> str:
        """One of `EVICTION_POLICIES`."""
        policy = self.cache_policy
        return policy.eviction_policy.data if isinstance(policy, CachePolicyAttr) else "evict_normal"


def _cache_properties(cache: str, evict: str) -> dict[str, Attribute]:
    if cache == "none" and evict == "evict_normal":
        return {}
    return {"cachePolicy": CachePolicyAttr(cache, evict)}


_LOAD_SEGMENTS = tuple(DenseArrayBase.from_list(i32, sizes) for sizes in ((1, 0, 0), (1, 1, 0), (1, 1, 1)))


@irdl_op_definition
class LoadOp(MemoryAccessOp):
    """
    The values at the pointers. Where the mask is false nothing is read and the value is that of `other`, or 0 where
    there is no `other`.
    """

    name = "tt.load"

    P: ClassVar = VarConstraint("P", PointerLike())

    ptr = operand_def(P)
    mask = opt_operand_def(I1LikeVariable("P"))
    other = opt_operand_def(PointeeLikeVariable("P"))
    volatile = prop_def(IntegerAttr, default_value=FALSE, prop_name="isVolatile")
    result = result_def(PointeeLikeVariable("P"))

    traits = traits_def(LoadEffects(), TTCanonicalization())

    irdl_options = (AttrSizedOperandSegments(as_property=True), ParsePropInAttrDict())
    assembly_format = "$ptr (`,` $mask^)? (`,` $other^)? attr-dict `:` type($ptr)"

    def __init__(
        self,
        ptr: SSAValue | Operation,
        mask: SSAValue | Operation | None = None,
        other: SSAValue | Operation | None = None,
        cache: str = "none",
        evict: str = "evict_normal",
        is_volatile: bool = False,
    ):
        ptr = value_of(ptr)
        operands = [ptr, *(value_of(value) for value in (mask, other) if value is not None)]
        properties = _cache_properties(cache, evict)
        properties["isVolatile"] = TRUE if is_volatile else FALSE
        if mask is None and other is not None:
            raise ValueError("a load with `other` needs a mask")
        properties["operandSegmentSizes"] = _LOAD_SEGMENTS[len(operands) - 1]
        initialize(self, operands=operands, result_types=(pointee_like(ptr.type),), properties=properties)

    @property
    def is_volatile(self) -> bool:
        return self.volatile.value.data != 0

    def verify_(self) -> None:
        if self.other is not None and self.mask is None:
            raise VerifyException("expected a mask with `other`, found none")


@irdl_op_definition
class StoreOp(MemoryAccessOp):
    """Writes the values to the pointers, where the mask is true."""

    name = "tt.store"

    P: ClassVar = VarConstraint("P", PointerLike())

    ptr = operand_def(P)
    value = operand_def(PointeeLikeVariable("P"))
    mask = opt_operand_def(I1LikeVariable("P"))
    ignore_cta = opt_prop_def(UnitAttr)

    traits = traits_def(MemoryWriteEffect(), TTCanonicalization())

    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$ptr `,` $value (`,` $mask^)? attr-dict `:` type($ptr)"

    def __init__(
        self,
        ptr: SSAValue | Operation,
        value: SSAValue | Operation,
        mask: SSAValue | Operation | None = None,
        cache: str = "none",
        evict: str = "evict_normal",
    ):
        operands = [value_of(operand) for operand in (ptr, value, mask) if operand is not None]
        initialize(self, operands=operands, properties=_cache_properties(cache, evict))
