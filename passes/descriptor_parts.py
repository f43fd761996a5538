"""What tensor descriptors are made of, and which of it is the same for all that meet in one value."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from xdsl.dialects import scf
from xdsl.dialects.builtin import i1, i32, i64
from xdsl.ir import Attribute, BlockArgument, Operation, Region, SSAValue

from mytriton.dialects import arith, tt
from mytriton.dialects.arith import integer_constant
from mytriton.dialects.building import walk
from mytriton.passes.tile_builder import TileBuilder

Part = TypeVar("Part")


@dataclass(frozen=True)
class Parts:
    """What a descriptor is made of. `pads_with_nan` is whether elements outside of the array are read as NaN."""

    type: tt.TensorDescType
    base: SSAValue
    shape: tuple[SSAValue, ...]
    strides: tuple[SSAValue, ...]
    pads_with_nan: SSAValue | bool

    @property
    def all(self) -> list[SSAValue | bool]:
        return [self.base, *self.shape, *self.strides, self.pads_with_nan]

    @staticmethod
    def of(type: tt.TensorDescType, all: Sequence[SSAValue | bool]) -> Parts:
        rank = len(type.block.get_shape())
        values = [part for part in all if isinstance(part, SSAValue)]
        return Parts(type, values[0], tuple(values[1 : rank + 1]), tuple(values[rank + 1 : 2 * rank + 1]), all[-1])


def types_of_parts(type: tt.TensorDescType) -> list[Attribute]:
    rank = len(type.block.get_shape())
    return [tt.PointerType(type.element), *[i32] * rank, *[i64] * rank, i1]


def names_of_parts(type: tt.TensorDescType) -> list[str]:
    """What the name of the value of each part ends with."""
    axes = range(len(type.block.get_shape()))
    return ["base", *(f"shape{axis}" for axis in axes), *(f"stride{axis}" for axis in axes), "padding"]


class CommonParts:
    """The parts that are the same for all descriptors that a value may be.

    So no loop carries a stride of 1, and no branch chooses between 1 and 1.
    """

    def __init__(self, function: tt.FuncOp, parameters: Mapping[SSAValue, Parts]):
        self._entry = function.body.block
        self._parents: dict[SSAValue, SSAValue] = {}
        self._found: dict[SSAValue, list[SSAValue | bool | None]] = {}
        self._sources: dict[SSAValue, list[list[SSAValue | bool]]] = {}
        makers: list[tt.MakeTensorDescOp] = []
        for op in walk(function):
            if isinstance(op, tt.MakeTensorDescOp):
                makers.append(op)
            for first, *others in _meeting(op):
                if isinstance(first.type, tt.TensorDescType):
                    self._unite(first, others)
        for value, parts in parameters.items():
            self._sources.setdefault(self._class_of(value), []).append(parts.all)
        for op in makers:
            parts = [op.base, *op.shape, *op.strides, op.padding_option == "nan"]
            self._sources.setdefault(self._class_of(op.result), []).append(parts)

    def of(self, value: SSAValue) -> list[SSAValue | bool | None]:
        """Of each part of a descriptor what it is surely, or None."""
        key = self._class_of(value)
        found = self._found.get(key)
        if found is None:
            kinds, sources = types_of_parts(type_of_descriptor(value)), self._sources.get(key, ())
            found = [self._common(parts, kind) for *parts, kind in zip(*sources, kinds, strict=True)]
            self._found[key] = found
        return found

    def types_of_rest(self, value: SSAValue) -> list[Attribute]:
        """The types of the parts that may differ; what is no descriptor is its own part."""
        if not isinstance(type := value.type, tt.TensorDescType):
            return [type]
        return self.rest(value, types_of_parts(type))

    def rest(self, value: SSAValue, parts: Sequence[Part]) -> list[Part]:
        """Those of the parts that may differ."""
        return [part for part, common in zip(parts, self.of(value), strict=True) if common is None]

    def with_rest(self, value: SSAValue, rest: Iterable[SSAValue]) -> Parts:
        """A descriptor from the parts that may differ."""
        values = iter(rest)
        all = [next(values) if common is None else common for common in self.of(value)]
        return Parts.of(type_of_descriptor(value), all)

    def _class_of(self, value: SSAValue) -> SSAValue:
        """One for all descriptors of which some value may be either."""
        while (parent := self._parents.get(value)) is not None:
            value = parent
        return value

    def _unite(self, first: SSAValue, others: Iterable[SSAValue]) -> None:
        for other in others:
            a, b = self._class_of(first), self._class_of(other)
            if a is not b:
                self._parents[b] = a

    def _common(self, values: Sequence[SSAValue | bool], kind: Attribute) -> SSAValue | bool | None:
        keys = {self._key(value, kind) for value in values}
        if len(keys) != 1 or keys == {None}:
            return None
        value = values[0]
        if not isinstance(value, SSAValue) or isinstance(value, BlockArgument):
            return value
        first = self._entry.first_op
        assert first is not None and isinstance(value.owner, Operation)
        builder, number = TileBuilder(first), integer_constant(value)
        if number is not None:
            return builder.constant(kind, number)
        extended = arith.ExtSIOp(value.owner.operands[0], kind)
        builder.insert(extended)
        extended.location = value.owner.location
        return extended.result

    def _key(self, value: SSAValue | bool, kind: Attribute) -> Hashable:
        """What two values that can be had at the start of the function, and are equal, have in common."""
        if not isinstance(value, SSAValue):
            return value
        if value.type != kind:
            return None
        number = integer_constant(value)
        if number is not None:
            return number
        if isinstance(value.owner, arith.ExtSIOp):
            value = value.owner.operands[0]
            return ("extended", value) if value.owner is self._entry else None
        return value if value.owner is self._entry else None


def type_of_descriptor(value: SSAValue) -> tt.TensorDescType:
    assert isinstance(value.type, tt.TensorDescType)
    return value.type


def _meeting(op: Operation) -> Iterator[tuple[SSAValue, ...]]:
    """The values that become one where control flow meets."""
    if isinstance(op, arith.SelectOp):
        yield op.result, op.lhs, op.rhs
    elif isinstance(op, scf.ForOp):
        yield from zip(op.results, op.iter_args, op.body.block.args[1:], _passed_on(op.body), strict=True)
    elif isinstance(op, scf.IfOp) and op.results:
        yield from zip(op.results, _passed_on(op.true_region), _passed_on(op.false_region), strict=True)
    elif isinstance(op, scf.WhileOp):
        before, after = op.before_region, op.after_region
        yield from zip(before.block.args, op.arguments, _passed_on(after), strict=True)
        yield from zip(op.results, after.block.args, _passed_on(before)[1:], strict=True)


def _passed_on(region: Region) -> Sequence[SSAValue]:
    last = region.block.last_op
    assert last is not None
    return last.operands
