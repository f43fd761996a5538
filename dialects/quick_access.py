"""Named operands, results and regions of operations, read without a look at the definition of the operation.

irdl gives every operation class descriptors that ask a definition anew at each access; what they find only depends on
the class, or on the class and the sizes of the groups of operands.
"""

# pyright: reportPrivateUsage=false
from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from itertools import accumulate
from struct import unpack
from typing import Any

from xdsl.ir import Operation
from xdsl.ir.core import SSAValues
from xdsl.irdl import AttrSizedOperandSegments
from xdsl.irdl.operations import (
    AfterVariadicSingleAccessor,
    BaseAccessor,
    BaseAttrAccessor,
    BeforeVariadicSingleAccessor,
    OptionalAttrAccessor,
    SameOptionalAccessor,
    SingleAttrAccessor,
    UniqueVariadicAccessor,
    VariadicAttrAccessor,
    VarIRConstruct,
)

_item = tuple[Any, ...].__getitem__


def quicken(operations: Iterable[type[Operation]]) -> None:
    """Puts quick descriptors in place of irdl's in classes of operations; those of rare forms stay."""
    for operation in operations:
        for name, accessor in list(vars(operation).items()):
            if isinstance(accessor, BaseAccessor | BaseAttrAccessor):
                quick = _QUICK.get((type(accessor), accessor.construct))
                if quick is not None and _is_known(accessor):
                    setattr(operation, name, quick(**vars(accessor)))


def _is_known(accessor: BaseAccessor | BaseAttrAccessor) -> bool:
    """Whether the sizes of groups are found where the descriptors below look for them."""
    if isinstance(accessor, BaseAccessor):
        return True
    return isinstance(accessor.option, AttrSizedOperandSegments) and accessor.option.as_property


class _Operand(BeforeVariadicSingleAccessor):
    def __get__(self, obj: Any, objtype: Any = None) -> Any:
        return _item(obj._operands, self.idx)


class _Result(BeforeVariadicSingleAccessor):
    def __get__(self, obj: Any, objtype: Any = None) -> Any:
        return _item(obj.results, self.idx)


class _Region(BeforeVariadicSingleAccessor):
    def __get__(self, obj: Any, objtype: Any = None) -> Any:
        return obj.regions[self.idx]


class _OperandFromEnd(AfterVariadicSingleAccessor):
    def __get__(self, obj: Any, objtype: Any = None) -> Any:
        return _item(obj._operands, self.idx - self.num_defs)


class _Operands(UniqueVariadicAccessor):
    def __get__(self, obj: Any, objtype: Any = None) -> Any:
        values, start = obj._operands, self.idx
        return SSAValues(_item(values, slice(start, start + len(values) - self.num_defs + 1)))


class _Results(UniqueVariadicAccessor):
    def __get__(self, obj: Any, objtype: Any = None) -> Any:
        values, start = obj.results, self.idx
        return SSAValues(_item(values, slice(start, start + len(values) - self.num_defs + 1)))


class _OptionalOperand(SameOptionalAccessor):
    def __get__(self, obj: Any, objtype: Any = None) -> Any:
        values = obj._operands
        return _item(values, self.idx) if len(values) == self.num_defs else None


class _OptionalResult(SameOptionalAccessor):
    def __get__(self, obj: Any, objtype: Any = None) -> Any:
        values = obj.results
        return _item(values, self.idx) if len(values) == self.num_defs else None


class _OperandOfGroup(SingleAttrAccessor):
    def __get__(self, obj: Any, objtype: Any = None) -> Any:
        return _item(obj._operands, _starts(obj)[self.idx] if self.idx else 0)


class _OperandsOfGroup(VariadicAttrAccessor):
    def __get__(self, obj: Any, objtype: Any = None) -> Any:
        starts = _starts(obj)
        return SSAValues(_item(obj._operands, slice(starts[self.idx], starts[self.idx + 1])))


class _OptionalOperandOfGroup(OptionalAttrAccessor):
    def __get__(self, obj: Any, objtype: Any = None) -> Any:
        starts = _starts(obj)
        start = starts[self.idx]
        return _item(obj._operands, start) if starts[self.idx + 1] > start else None


def _starts(op: Any) -> tuple[int, ...]:
    """Where each group of operands begins, and where the last one ends."""
    return _starts_of_sizes(op.properties[AttrSizedOperandSegments.attribute_name].data.data)


@lru_cache(maxsize=4096)
def _starts_of_sizes(sizes: bytes) -> tuple[int, ...]:
    """The sums of the 32-bit numbers before each of them, and of all."""
    return (0, *accumulate(unpack(f"<{len(sizes) // 4}i", sizes)))


_QUICK: dict[tuple[type[Any], VarIRConstruct], type[Any]] = {
    (BeforeVariadicSingleAccessor, VarIRConstruct.OPERAND): _Operand,
    (BeforeVariadicSingleAccessor, VarIRConstruct.RESULT): _Result,
    (BeforeVariadicSingleAccessor, VarIRConstruct.REGION): _Region,
    (AfterVariadicSingleAccessor, VarIRConstruct.OPERAND): _OperandFromEnd,
    (UniqueVariadicAccessor, VarIRConstruct.OPERAND): _Operands,
    (UniqueVariadicAccessor, VarIRConstruct.RESULT): _Results,
    (SameOptionalAccessor, VarIRConstruct.OPERAND): _OptionalOperand,
    (SameOptionalAccessor, VarIRConstruct.RESULT): _OptionalResult,
    (SingleAttrAccessor, VarIRConstruct.OPERAND): _OperandOfGroup,
    (VariadicAttrAccessor, VarIRConstruct.OPERAND): _OperandsOfGroup,
    (OptionalAttrAccessor, VarIRConstruct.OPERAND): _OptionalOperandOfGroup,
}
