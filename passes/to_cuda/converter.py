"""The state of one kernel's conversion: what each `ttg` value has become, and how its elements are read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

from xdsl.dialects.builtin import TensorType, i64
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from mytriton.dialects import arith, cuda, tt, ttg
from mytriton.dialects.building import clone, operations, set_name
from mytriton.dialects.layouts import layout_of
from mytriton.dialects.linear_layout import Basis, LinearLayout
from mytriton.dialects.tensor_types import is_tensor_type
from mytriton.errors import CompilationError
from mytriton.passes.axis_info import AxisInfoAnalysis
from mytriton.passes.locations import location_of
from mytriton.passes.removed_by import REMOVED_BY
from mytriton.passes.to_cuda.emitter import NO_WRAP, Emitter
from mytriton.passes.to_cuda.register_map import (
    CoordinateMap,
    RegisterMap,
    pinned,
    register_map,
    same_coordinates,
    without_dim,
)


def is_tensor(value: SSAValue) -> bool:
    return value.type.__class__ is TensorType


def tensor_type(value: SSAValue) -> TensorType[Attribute]:
    assert is_tensor_type(value.type)
    return value.type


def layout(value: SSAValue) -> LinearLayout:
    """The linear layout of a tensor value."""
    return layout_of(tensor_type(value))


@dataclass(frozen=True)
class Elements:
    """A tensor seen through a map of registers (by broadcasts and the like, which move nothing)."""

    value: SSAValue
    maps: tuple[RegisterMap, ...] = ()


@dataclass(frozen=True)
class Address:
    """A tensor of pointers as one base and the offsets, in elements, to add to it."""

    base: SSAValue
    offsets: tuple[Elements, ...]


Handler: TypeAlias = Callable[["Converter", Operation], None]


class Converter:
    """Converts the body of one kernel; `handlers` gives a function for each kind of operation.

    A tensor becomes an array of the registers that a thread holds (a scalar if that is one register). A splat is kept
    as its scalar, and a tensor of pointers as a base and offsets, until someone needs the array.
    """

    def __init__(self, function: tt.FuncOp, emitter: Emitter, handlers: dict[type[Operation], Handler]):
        self.function = function
        self.emitter = emitter
        self.handlers = handlers
        self.values: dict[SSAValue, SSAValue] = {}
        self.splats: dict[SSAValue, SSAValue] = {}

    @cached_property
    def facts(self) -> AxisInfoAnalysis:
        """What is known of the integers of the function that is converted, which the conversion does not change."""
        return AxisInfoAnalysis(self.function)

    # Operations and regions

    def convert_block(self, block: Block) -> None:
        for op in operations(block):
            self.convert(op)

    def convert(self, op: Operation) -> None:
        self.emitter.source = op
        handler = self.handlers.get(type(op))
        if handler is None:
            pass_name = REMOVED_BY.get(op.name)
            hint = f"the pass {pass_name} should have removed it" if pass_name else None
            raise CompilationError(
                f"convert-to-cuda does not know the operation {op.name}",
                location_of(op),
                hint or "this is a limit of mytriton's GPU lowering",
            )
        handler(self, op)

    def convert_region(self, region: Region, arg_types: Sequence[Attribute]) -> Region:
        """The region's single block with arguments of `arg_types`, its operations converted."""
        source = region.block
        block = Block(arg_types=arg_types)
        for old, new in zip(source.args, block.args, strict=True):
            set_name(new, old.name_hint)
            self.values[old] = new
        outer, self.emitter.block = self.emitter.block, block
        self.convert_block(source)
        self.emitter.block = outer
        return Region(block)

    def clone_scalar_op(self, op: Operation) -> None:
        """An operation on scalars (or on shared buffers) stays as it is, on the converted operands."""
        mapping = {operand: self.scalar(operand) for operand in op.operands}
        copy = clone(op, mapping)
        self.emitter.add_op(copy)
        for old, new in zip(op.results, copy.results, strict=True):
            self.values[old] = new

    # Values

    def set(self, old: SSAValue, new: SSAValue) -> None:
        """Records what a value has become, and gives it the name of the old one if it has none."""
        if new.name_hint is None:
            set_name(new, old.name_hint)
        self.values[old] = new

    def scalar(self, value: SSAValue) -> SSAValue:
        """The converted value of something that is no tensor."""
        return self.values[value]

    def converted_type(self, old: Attribute) -> Attribute:
        """Registers for a tensor; anything else stays."""
        if not is_tensor_type(old):
            return old
        count = layout_of(old).register_count
        return old.element_type if count == 1 else cuda.RegsType.of(count, old.element_type)

    def array(self, value: SSAValue) -> SSAValue:
        """The converted value; for a tensor its register array, made now if it was kept in another form."""
        if not is_tensor(value) or value in self.values:
            return self.values[value]
        if (splat := self.splats.get(value)) is not None:
            count = layout(value).register_count
            return splat if count == 1 else self.emitter.add(cuda.SplatOp(splat, count), value.name_hint)
        address = self.address(value)
        if address is None:
            raise CompilationError(f"convert-to-cuda: {value.type} was used before it was defined")
        (array,) = self.emitter.map(
            layout(value).register_count,
            [tensor_type(value).element_type],
            lambda register: [self.pointer(address, register)],
            hints=[value.name_hint],
        )
        return array

    def element(self, value: SSAValue, register: SSAValue | None) -> SSAValue:
        """One element of a tensor (or the scalar itself), inside a map over registers."""
        if (splat := self.splats.get(value)) is not None:
            return splat
        if (array := self.values.get(value)) is not None:
            return self.emitter.get(array, register)
        address = self.address(value)
        assert address is not None
        return self.pointer(address, register)

    def mapped_element(self, elements: Elements, register: SSAValue | None) -> SSAValue:
        """One element, seen through register maps (the outermost first)."""
        if (splat := self.splats.get(elements.value)) is not None:
            return splat
        for step in elements.maps:
            register = step.emit(self.emitter, register)
        return self.element(elements.value, register)

    # Pointers

    def address(self, value: SSAValue) -> Address | None:
        """A tensor of pointers as base and offsets, where its definition shows that; None otherwise."""
        if value in self.values:
            return None
        if value in self.splats:
            return Address(self.splats[value], ())
        match value.owner:
            case tt.AddPtrOp(ptr=ptr, offset=offset):
                inner = self.address(ptr)
                if inner is None:
                    return None
                single = self.splats.get(offset)
                if single is None and layout(offset).register_count == 1:
                    single = self.values[offset]
                if single is not None:
                    # The same for all registers of the thread: part of the base.
                    base = self.emitter.add(cuda.PtrAddOp(inner.base, single), inner.base.name_hint)
                    return Address(base, inner.offsets)
                return Address(inner.base, (*inner.offsets, Elements(offset)))
            case tt.BroadcastOp(src=src):
                return self._seen_through(value, src, pinned(tensor_type(src).get_shape()))
            case tt.ExpandDimsOp(src=src, axis=axis):
                return self._seen_through(value, src, without_dim(axis.value.data))
            case ttg.ConvertLayoutOp(src=src):
                return self._seen_through(value, src, same_coordinates)
            case tt.BitcastOp(src=src) if isinstance(element := tensor_type(value).element_type, tt.PointerType):
                inner = self.address(src)
                if inner is None:
                    return None
                return Address(self.emitter.add(cuda.PtrCastOp(inner.base, element)), inner.offsets)
            case _:
                return None

    def _seen_through(self, value: SSAValue, src: SSAValue, to_source: CoordinateMap) -> Address | None:
        inner = self.address(src)
        if inner is None:
            return None
        step = self.register_map(value, src, to_source)
        offsets = [Elements(offset.value, (step, *offset.maps)) for offset in inner.offsets]
        return Address(inner.base, tuple(offsets))

    def keeps_address(self, value: SSAValue) -> bool:
        """Whether `address` finds a base and offsets, without making them."""
        if value in self.values:
            return False
        if value in self.splats:
            return True
        match value.owner:
            case tt.AddPtrOp(ptr=src) | tt.BroadcastOp(src=src) | tt.ExpandDimsOp(src=src):
                return self.keeps_address(src)
            case ttg.ConvertLayoutOp(src=src):
                return self.keeps_address(src)
            case tt.BitcastOp(src=src):
                return isinstance(tensor_type(value).element_type, tt.PointerType) and self.keeps_address(src)
            case _:
                return False

    def offset(self, address: Address, register: SSAValue | None) -> SSAValue:
        """The sum of an address's offsets for one register; several offsets are added in 64 bits, as pointers are."""
        terms = [self.mapped_element(offset, register) for offset in address.offsets]
        if not terms:
            return self.emitter.constant(0)
        if len(terms) == 1:
            return terms[0]
        total: SSAValue | None = None
        for term in terms:
            wide = term if term.type == i64 else self.emitter.add(arith.ExtSIOp(term, i64))
            total = wide if total is None else self.emitter.add(arith.AddiOp(total, wide, overflow=NO_WRAP))
        assert total is not None
        return total

    def pointer(self, address: Address, register: SSAValue | None) -> SSAValue:
        """The pointer itself for one register."""
        if not address.offsets:
            return address.base
        return self.emitter.add(cuda.PtrAddOp(address.base, self.offset(address, register)))

    # Layouts

    def register_map(
        self, target: SSAValue, source: SSAValue, to_source: CoordinateMap, origin: Basis | None = None
    ) -> RegisterMap:
        """The map between the registers of two tensors of which one is the other seen differently."""
        found = register_map(layout(target), layout(source), to_source, origin)
        if found is None:
            raise CompilationError(
                f"convert-to-cuda: {target.type} cannot be read from {source.type} within one thread",
                location_of(target.owner) if isinstance(target.owner, Operation) else None,
                hint="a layout conversion is missing; allocate-shared moves elements between threads",
            )
        return found
