"""Atomic operations on memory."""

from __future__ import annotations

from typing import ClassVar

from xdsl.dialects.builtin import I32, IntegerAttr, i1, i32, i64
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    ParsePropInAttrDict,
    VarConstraint,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.irdl.declarative_assembly_format import AttributeVariable, irdl_custom_directive
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect
from xdsl.utils.exceptions import VerifyException

from mytriton.dialects.building import initialize, value_of
from mytriton.dialects.enum_directive import EnumDirective, word_of
from mytriton.dialects.tensor_types import (
    I1LikeVariable,
    bit_width,
    element_type,
    is_fixed_width_integer,
    is_float,
    with_element_type,
)
from mytriton.dialects.tt.constraints import PointeeLikeVariable, PointerLike
from mytriton.dialects.tt.folding import TTCanonicalization
from mytriton.dialects.tt.types import pointee_like

ATOMIC_OPERATIONS = {
    "and": 1,
    "or": 2,
    "xor": 3,
    "add": 4,
    "fadd": 5,
    "max": 6,
    "min": 7,
    "umax": 8,
    "umin": 9,
    "exch": 10,
}
MEMORY_SEMANTICS = {"relaxed": 1, "acquire": 2, "release": 3, "acq_rel": 4}
MEMORY_SCOPES = {"gpu": 1, "cta": 2, "sys": 3}
BITWISE_ATOMICS = ("and", "or", "xor", "exch")


@irdl_custom_directive
class AtomicOperation(EnumDirective):
    WHAT: ClassVar[str] = "atomic operation"
    WORDS: ClassVar[dict[str, int]] = ATOMIC_OPERATIONS

    attr: AttributeVariable


@irdl_custom_directive
class MemorySemantics(EnumDirective):
    WHAT: ClassVar[str] = "memory semantics"
    WORDS: ClassVar[dict[str, int]] = MEMORY_SEMANTICS

    attr: AttributeVariable


@irdl_custom_directive
class MemoryScope(EnumDirective):
    WHAT: ClassVar[str] = "memory scope"
    WORDS: ClassVar[dict[str, int]] = MEMORY_SCOPES

    attr: AttributeVariable


class AtomicOp(IRDLOperation):
    """What atomic operations have in common: which accesses they order, as seen by which threads."""

    sem = prop_def(IntegerAttr[I32])
    scope = prop_def(IntegerAttr[I32])

    @property
    def semantics(self) -> str:
        """One of `MEMORY_SEMANTICS`."""
        return word_of(MEMORY_SEMANTICS, self.sem.value.data)

    @property
    def memory_scope(self) -> str:
        """One of `MEMORY_SCOPES`."""
        return word_of(MEMORY_SCOPES, self.scope.value.data)

    @property
    def releases(self) -> bool:
        """Whether the accesses before it are seen by whoever acquires what it writes."""
        return self.semantics in ("release", "acq_rel")

    @property
    def acquires(self) -> bool:
        """Whether the accesses after it see what was released with the value that it reads."""
        return self.semantics in ("acquire", "acq_rel")

    def verify_order(self) -> None:
        _verify_word("semantics", self.sem, MEMORY_SEMANTICS)
        _verify_word("a scope", self.scope, MEMORY_SCOPES)


def _verify_word(what: str, number: IntegerAttr[I32], words: dict[str, int]) -> None:
    if number.value.data not in words.values():
        raise VerifyException(f"expected {what} of 1 to {len(words)}, found {number.value.data}")


def _order_properties(sem: str, scope: str) -> dict[str, Attribute]:
    return {
        "sem": IntegerAttr(MEMORY_SEMANTICS[sem], i32),
        "scope": IntegerAttr(MEMORY_SCOPES[scope], i32),
    }


@irdl_op_definition
class AtomicRMWOp(AtomicOp):
    """
    Replaces each value in memory by its combination with an operand, in one step, and gives what was there before.
    Where the mask is false memory is not touched and the result is 0.
    """

    name = "tt.atomic_rmw"

    P: ClassVar = VarConstraint("P", PointerLike())

    atomic_rmw_op = prop_def(IntegerAttr[I32])
    ptr = operand_def(P)
    val = operand_def(PointeeLikeVariable("P"))
    mask = opt_operand_def(I1LikeVariable("P"))
    result = result_def(PointeeLikeVariable("P"))

    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect(), TTCanonicalization())

    irdl_options = (ParsePropInAttrDict(),)
    custom_directives = (AtomicOperation, MemorySemantics, MemoryScope)
    assembly_format = (
        "custom<AtomicOperation>($atomic_rmw_op) `,` custom<MemorySemantics>($sem) `,` custom<MemoryScope>($scope) `,`"
        " $ptr `,` $val (`,` $mask^)? attr-dict `:` functional-type(operands, results)"
    )

    def __init__(
        self,
        operation: str,
        ptr: SSAValue | Operation,
        val: SSAValue | Operation,
        mask: SSAValue | Operation | None = None,
        sem: str = "acq_rel",
        scope: str = "gpu",
    ):
        ptr = value_of(ptr)
        initialize(
            self,
            operands=[ptr, *(value_of(operand) for operand in (val, mask) if operand is not None)],
            result_types=(pointee_like(ptr.type),),
            properties={
                "atomic_rmw_op": IntegerAttr(ATOMIC_OPERATIONS[operation], i32),
                **_order_properties(sem, scope),
            },
        )

    @property
    def operation(self) -> str:
        """One of `ATOMIC_OPERATIONS`."""
        return word_of(ATOMIC_OPERATIONS, self.atomic_rmw_op.value.data)

    def verify_(self) -> None:
        _verify_word("an atomic operation", self.atomic_rmw_op, ATOMIC_OPERATIONS)
        self.verify_order()
        element = element_type(self.val.type)
        if self.operation not in BITWISE_ATOMICS and is_float(element) != (self.operation == "fadd"):
            kind = "floats" if self.operation == "fadd" else "integers"
            raise VerifyException(f"expected {kind} for '{self.operation}', found {element}")
        narrowest = 16 if self.operation == "fadd" else 32
        if bit_width(element) < narrowest:
            raise VerifyException(f"expected elements of {narrowest} or more bits, found {element}")


@irdl_op_definition
class AtomicCASOp(AtomicOp):
    """Where memory holds the bits of `cmp` it gets those of `val`, in one step; gives what was there before."""

    name = "tt.atomic_cas"

    P: ClassVar = VarConstraint("P", PointerLike())

    ptr = operand_def(P)
    cmp = operand_def(PointeeLikeVariable("P"))
    val = operand_def(PointeeLikeVariable("P"))
    result = result_def(PointeeLikeVariable("P"))

    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())

    irdl_options = (ParsePropInAttrDict(),)
    custom_directives = (MemorySemantics, MemoryScope)
    assembly_format = (
        "custom<MemorySemantics>($sem) `,` custom<MemoryScope>($scope) `,` $ptr `,` $cmp `,` $val attr-dict"
        " `:` functional-type(operands, results)"
    )

    def __init__(
        self,
        ptr: SSAValue | Operation,
        cmp: SSAValue | Operation,
        val: SSAValue | Operation,
        sem: str = "acq_rel",
        scope: str = "gpu",
    ):
        ptr = value_of(ptr)
        initialize(
            self,
            operands=[ptr, value_of(cmp), value_of(val)],
            result_types=(pointee_like(ptr.type),),
            properties=_order_properties(sem, scope),
        )

    def verify_(self) -> None:
        self.verify_order()
        element = element_type(self.val.type)
        if bit_width(element) < 16:
            raise VerifyException(f"expected elements of 16 or more bits, found {element}")


@irdl_op_definition
class AtomicLoadOp(AtomicOp):
    """The values at the pointers, each read in one step. Where the mask is false nothing is read and the value is 0."""

    name = "tt.atomic_load"

    P: ClassVar = VarConstraint("P", PointerLike())

    ptr = operand_def(P)
    mask = opt_operand_def(I1LikeVariable("P"))
    result = result_def(PointeeLikeVariable("P"))

    # It counts as a write too, so that none is removed, merged or moved.
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())

    irdl_options = (ParsePropInAttrDict(),)
    custom_directives = (MemorySemantics, MemoryScope)
    assembly_format = (
        "custom<MemorySemantics>($sem) `,` custom<MemoryScope>($scope) `,` $ptr (`,` $mask^)? attr-dict"
        " `:` functional-type(operands, results)"
    )

    def __init__(
        self,
        ptr: SSAValue | Operation,
        mask: SSAValue | Operation | None = None,
        sem: str = "acquire",
        scope: str = "gpu",
    ):
        ptr = value_of(ptr)
        initialize(
            self,
            operands=[ptr] if mask is None else [ptr, value_of(mask)],
            result_types=(pointee_like(ptr.type),),
            properties=_order_properties(sem, scope),
        )

    def verify_(self) -> None:
        self.verify_order()
        if self.releases:
            raise VerifyException(f"expected acquire or relaxed semantics, found {self.semantics}")


@irdl_op_definition
class AtomicStoreOp(AtomicOp):
    """Writes the values to the pointers, each in one step, where the mask is true."""

    name = "tt.atomic_store"

    P: ClassVar = VarConstraint("P", PointerLike())

    ptr = operand_def(P)
    val = operand_def(PointeeLikeVariable("P"))
    mask = opt_operand_def(I1LikeVariable("P"))

    traits = traits_def(MemoryWriteEffect())

    irdl_options = (ParsePropInAttrDict(),)
    custom_directives = (MemorySemantics, MemoryScope)
    assembly_format = (
        "custom<MemorySemantics>($sem) `,` custom<MemoryScope>($scope) `,` $ptr `,` $val (`,` $mask^)? attr-dict"
        " `:` type($ptr)"
    )

    def __init__(
        self,
        ptr: SSAValue | Operation,
        val: SSAValue | Operation,
        mask: SSAValue | Operation | None = None,
        sem: str = "release",
        scope: str = "gpu",
    ):
        initialize(
            self,
            operands=[value_of(operand) for operand in (ptr, val, mask) if operand is not None],
            properties=_order_properties(sem, scope),
        )

    def verify_(self) -> None:
        self.verify_order()
        if self.acquires:
            raise VerifyException(f"expected release or relaxed semantics, found {self.semantics}")


@irdl_op_definition
class AtomicPollOp(AtomicOp):
    """
    Reads each value again and again until it is the expected one, and gives whether it was; it is not where the time in
    nanoseconds is over before.
    """

    name = "tt.atomic_poll"

    P: ClassVar = VarConstraint("P", PointerLike())

    ptr = operand_def(P)
    expected = operand_def(PointeeLikeVariable("P"))
    timeout_ns = opt_operand_def(i64)
    result = result_def(I1LikeVariable("P"))

    # It counts as a write too, so that none is removed, merged or moved.
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())

    irdl_options = (ParsePropInAttrDict(),)
    custom_directives = (MemorySemantics, MemoryScope)
    assembly_format = (
        "custom<MemorySemantics>($sem) `,` custom<MemoryScope>($scope) `,` $ptr `,` $expected"
        " (`timeout` $timeout_ns^)? attr-dict `:` type($ptr) `,` type($expected) `->` type($result)"
    )

    def __init__(
        self,
        ptr: SSAValue | Operation,
        expected: SSAValue | Operation,
        timeout_ns: SSAValue | Operation | None = None,
        sem: str = "acquire",
        scope: str = "gpu",
    ):
        ptr = value_of(ptr)
        initialize(
            self,
            operands=[ptr, *(value_of(operand) for operand in (expected, timeout_ns) if operand is not None)],
            result_types=(with_element_type(ptr.type, i1),),
            properties=_order_properties(sem, scope),
        )

    def verify_(self) -> None:
        self.verify_order()
        if self.releases:
            raise VerifyException(f"expected acquire or relaxed semantics, found {self.semantics}")
        element = element_type(self.expected.type)
        if not is_fixed_width_integer(element) or bit_width(element) < 16:
            raise VerifyException(f"expected integers of 16 or more bits, found {element}")
