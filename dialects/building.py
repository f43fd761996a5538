"""Operations put together from their parts, without the checks and conversions of irdl's constructors.

Those look up the definition of the operation and cost twenty times as much, and most of the compiler's time is spent in
making operations. Whoever calls these functions passes exactly what the definition asks for: the verifier says so
otherwise. They fill the fields of xDSL's classes themselves, as `Operation.create` and its like do.
"""

# pyright: reportPrivateUsage=false
from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import TypeVar

from xdsl.dialects.builtin import UNKNOWN_LOC, DenseArrayBase, IntegerAttr, IntegerType, StringAttr, VectorType, i32
from xdsl.ir import Attribute, Block, BlockArgument, Operation, OpResult, Region, SSAValue, Use
from xdsl.ir.core import SSAValues
from xdsl.irdl import AttrSizedOperandSegments
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.traits import OpTrait

OperationT = TypeVar("OperationT", bound=Operation)

SEGMENT_SIZES = AttrSizedOperandSegments.attribute_name


def value_of(value: SSAValue | Operation) -> SSAValue:
    """A value, or the only result of an operation."""
    kind = value.__class__
    if kind is OpResult or kind is BlockArgument:
        return value  # pyright: ignore[reportReturnType]
    return SSAValue.get(value)


# Making operations


def initialize(
    op: Operation,
    operands: Sequence[SSAValue] = (),
    result_types: Sequence[Attribute] = (),
    properties: dict[str, Attribute] | None = None,
    regions: Sequence[Region] = (),
) -> None:
    """Fills in a new operation, all of its properties included; the dictionary is the operation's from now on."""
    op._operands = SSAValues(operands)
    if operands:
        uses: list[Use] = []
        for index, operand in enumerate(operands):
            first = operand.first_use
            use = Use(op, index, None, first)
            if first is not None:
                first._prev_use = use
            operand.first_use = use
            uses.append(use)
        op._operand_uses = tuple(uses)
    op.results = SSAValues([OpResult(result_type, op, index) for index, result_type in enumerate(result_types)])
    op.properties = {} if properties is None else properties
    op.attributes = {}
    op.location = UNKNOWN_LOC
    if regions:
        op.regions = tuple(regions)
        for region in regions:
            region.parent = op


def create(
    operation: type[OperationT],
    operands: Sequence[SSAValue] = (),
    result_types: Sequence[Attribute] = (),
    properties: dict[str, Attribute] | None = None,
    regions: Sequence[Region] = (),
) -> OperationT:
    """A new operation of a class, without its constructor."""
    op = operation.__new__(operation)
    initialize(op, operands, result_types, properties, regions)
    return op


def clone(op: OperationT, mapping: dict[SSAValue, SSAValue]) -> OperationT:
    """A copy of an operation on the values that `mapping` gives its operands; it gets the results, too."""
    copy = op.__class__.__new__(op.__class__)
    operands = [mapping.get(operand, operand) for operand in op._operands]
    initialize(copy, operands, [result._type for result in op.results], op.properties.copy())
    if op.attributes:
        copy.attributes = op.attributes.copy()
    copy.location = op.location
    for old, new in zip(op.results, copy.results, strict=True):
        new._name = old._name
        mapping[old] = new
    if op.regions:
        copy.regions = tuple([clone_region(region, mapping) for region in op.regions])
        for region in copy.regions:
            region.parent = copy
    return copy


def clone_region(region: Region, mapping: dict[SSAValue, SSAValue]) -> Region:
    """A copy of a region of one block, or of none."""
    if region._first_block is None:
        return Region()
    block = region.block
    new = Block(arg_types=[argument.type for argument in block.args])
    for old_argument, argument in zip(block.args, new.args, strict=True):
        argument._name, argument.location = old_argument._name, old_argument.location
        mapping[old_argument] = argument
    for op in operations(block):
        append(new, clone(op, mapping))
    return region_of(new)


# Blocks


def region_of(block: Block) -> Region:
    """A region of one block."""
    region = Region()
    region._first_block = region._last_block = block
    block.parent = region
    return region


def operations(block: Block) -> list[Operation]:
    """The operations of a block, which may be changed while one goes through them."""
    found: list[Operation] = []
    op = block._first_op
    while op is not None:
        found.append(op)
        op = op._next_op
    return found


def walk(op: Operation) -> list[Operation]:
    """An operation and all those inside it, in the order of the text."""
    found = [op]
    pending = _first_operations(op)
    while pending:
        current = pending.pop()
        while current is not None:
            found.append(current)
            if current.regions:
                pending.append(current._next_op)
                pending += _first_operations(current)
                break
            current = current._next_op
    return found


def operations_of(op: Operation, *kinds: type[OperationT]) -> list[OperationT]:
    """The operations inside one, and itself, of some classes, in the order of the text."""
    return of_class(walk(op), *kinds)


def of_class(ops: Iterable[Operation], *kinds: type[OperationT]) -> list[OperationT]:
    """Those of the operations that are of some classes, which have no subclasses."""
    return [op for op in ops if op.__class__ in kinds]  # pyright: ignore[reportReturnType]


def rewrite_each(ops: Iterable[Operation], pattern: RewritePattern) -> None:
    """Applies a pattern once to each of the operations, and to none that it makes."""
    for op in ops:
        pattern.match_and_rewrite(op, PatternRewriter(op))


def _first_operations(op: Operation) -> list[Operation | None]:
    """The first operation of each block of an operation's regions, the last block first."""
    found: list[Operation | None] = []
    for region in reversed(op.regions):
        block = region._last_block
        while block is not None:
            found.append(block._first_op)
            block = block._prev_block
    return found


def append(block: Block, op: Operation) -> None:
    """Puts an operation that is in no block at the end of one."""
    assert op.parent is None
    op.parent = block
    last = block._last_op
    if last is None:
        block._first_op = op
    else:
        last._next_op = op
        op._prev_op = last
    block._last_op = op


def insert_before(ops: Iterable[Operation], existing: Operation) -> None:
    """Puts operations that are in no block in front of one."""
    block = existing.parent
    assert block is not None
    previous = existing._prev_op
    for op in ops:
        assert op.parent is None
        op.parent = block
        if previous is None:
            block._first_op = op
        else:
            previous._next_op = op
            op._prev_op = previous
        previous = op
    if previous is not None:
        previous._next_op = existing
    existing._prev_op = previous


def erase(op: Operation) -> None:
    """Removes an operation whose results nobody reads."""
    assert all(result.first_use is None for result in op.results), f"{op.name} is still used"
    if op.parent is not None:
        op.parent.detach_op(op)
    op.drop_all_references()


def detach(op: Operation) -> None:
    """Takes an operation out of its block."""
    assert op.parent is not None
    op.parent.detach_op(op)


# Values


def replace_uses(old: SSAValue, new: SSAValue) -> None:
    """Lets everything that reads one value read another; names stay as they are."""
    if old is new:
        return
    use = old.first_use
    while use is not None:
        following = use._next_use
        user = use._operation
        operands = list(user._operands)
        operands[use._index] = new
        user._operands = SSAValues(operands)
        first = new.first_use
        use._prev_use, use._next_use = None, first
        if first is not None:
            first._prev_use = use
        new.first_use = use
        use = following
    old.first_use = None


# Names


@lru_cache(maxsize=4096)
def valid_name(hint: str | None) -> str | None:
    """A name as xDSL keeps it, without a number at its end; raises `ValueError` for one that it does not take."""
    return SSAValue.extract_valid_name(hint) if hint is not None else None


def set_name(value: SSAValue, hint: str | None) -> None:
    """Sets a value's name hint."""
    value._name = valid_name(hint)


# Attributes that are needed over and over again


@lru_cache(maxsize=4096)
def i32_attribute(value: int) -> IntegerAttr[IntegerType]:
    return IntegerAttr(value, 32)


@lru_cache(maxsize=4096)
def string_attribute(text: str) -> StringAttr:
    return StringAttr(text)


@lru_cache(maxsize=4096)
def vector_type(element: Attribute, width: int) -> VectorType[Attribute]:
    return VectorType(element, [width])


@lru_cache(maxsize=4096)
def i32_array(*values: int) -> DenseArrayBase[IntegerType]:
    """A dense array of i32, such as how many values each group of operands has."""
    return DenseArrayBase.from_list(i32, values)


_traits: dict[tuple[type[Operation], type[OpTrait]], bool] = {}


def has_trait(op: Operation, trait: type[OpTrait]) -> bool:
    """Whether an operation's class has a trait."""
    key = (op.__class__, trait)
    if (found := _traits.get(key)) is None:
        found = _traits[key] = op.has_trait(trait)
    return found
