"""`lower-descriptors`: tensor descriptors as pointers, sizes and strides, their accesses as masked loads and stores.

Triton's text has descriptors; mytriton's frontend writes what this pass makes of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects import scf
from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    FunctionType,
    IntegerAttr,
    ModuleOp,
    UnknownLoc,
    i1,
    i32,
    i64,
)
from xdsl.ir import Attribute, Block, BlockArgument, Operation, Region, SSAValue
from xdsl.passes import ModulePass

from mytriton.dialects import arith, tt
from mytriton.dialects.arith import integer_constant
from mytriton.dialects.building import create, erase, operations, replace_uses, walk
from mytriton.dialects.tensor_types import is_float, shape_of
from mytriton.errors import PassError
from mytriton.passes.tile_builder import TileBuilder

ALIGNMENT = 16
"""Bytes that the address in a descriptor is divisible by: the hardware for which Triton has them asks for that."""

CARRIERS = (scf.ForOp, scf.IfOp, scf.WhileOp, scf.YieldOp, scf.ConditionOp)
"""The operations that descriptors may go through."""


@dataclass(frozen=True)
class LowerDescriptors(ModulePass):
    """A parameter that is a descriptor becomes the pointer to its array.

    The sizes and the strides are the parameters after it, as Triton writes them. Descriptors that loops carry and that
    branches choose become what they are made of.
    """

    name = "lower-descriptors"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in op.body.block.ops:
            if isinstance(function, tt.FuncOp) and function.body.blocks and _has_descriptors(function):
                _Lowering(function).run()


def _has_descriptors(function: tt.FuncOp) -> bool:
    return any(isinstance(type, tt.TensorDescType) for type in function.function_type.inputs) or any(
        type(op) is tt.MakeTensorDescOp for op in walk(function)
    )


@dataclass(frozen=True)
class Parts:
    """What a descriptor is made of. `pads_with_nan` is a value, true where elements outside of it are read as NaN."""

    type: tt.TensorDescType
    base: SSAValue
    shape: tuple[SSAValue, ...]
    strides: tuple[SSAValue, ...]
    pads_with_nan: SSAValue

    @property
    def values(self) -> list[SSAValue]:
        return [self.base, *self.shape, *self.strides, self.pads_with_nan]

    @staticmethod
    def of(type: tt.TensorDescType, values: Sequence[SSAValue]) -> Parts:
        rank = len(type.block.get_shape())
        return Parts(type, values[0], tuple(values[1 : rank + 1]), tuple(values[rank + 1 : -1]), values[-1])


def _types_of_parts(type: Attribute) -> list[Attribute]:
    if not isinstance(type, tt.TensorDescType):
        return [type]
    rank = len(type.block.get_shape())
    return [tt.PointerType(type.element), *[i32] * rank, *[i64] * rank, i1]


@dataclass
class _Lowering:
    function: tt.FuncOp
    parts: dict[SSAValue, Parts] = field(default_factory=dict[SSAValue, Parts])
    replaced: list[Operation] = field(default_factory=list[Operation])
    replaced_arguments: list[BlockArgument] = field(default_factory=list[BlockArgument])

    def run(self) -> None:
        self.parameters()
        self.block(self.function.body.block)
        # Nothing reads a descriptor any more but what has been replaced itself; users stand after what they use.
        for op in reversed(self.replaced):
            erase(op)
        for argument in self.replaced_arguments:
            argument.block.erase_arg(argument)

    def parameters(self) -> None:
        """fn(%d: tensordesc, sizes, strides) -> fn(%d: ptr, sizes, strides)"""
        block, function = self.function.body.block, self.function
        arguments = list(block.args)
        for index, argument in enumerate(arguments):
            if not isinstance(type := argument.type, tt.TensorDescType):
                continue
            rank = len(type.block.get_shape())
            following = arguments[index + 1 : index + 1 + 2 * rank]
            if [value.type for value in following] != [i32] * rank + [i64] * rank:
                raise PassError(
                    f"expected {rank} sizes (i32) and {rank} strides (i64) as the parameters after {type}",
                    function.location if isinstance(argument.location, UnknownLoc) else argument.location,
                )
            pointer = block.insert_arg(tt.PointerType(type.element), index)
            pointer.name_hint, pointer.location = argument.name_hint, argument.location
            first = block.first_op
            assert first is not None
            zero_padding = TileBuilder(first).constant(i1, 0)
            self.parts[argument] = Parts(type, pointer, tuple(following[:rank]), tuple(following[rank:]), zero_padding)
            self.note_alignment(index)
            self.replaced_arguments.append(argument)
        inputs = [_types_of_parts(type)[0] for type in function.function_type.inputs]
        function.properties["function_type"] = FunctionType.from_lists(inputs, list(function.function_type.outputs))

    def note_alignment(self, index: int) -> None:
        function = self.function
        count = len(function.function_type.inputs)
        attributes = [DictionaryAttr({})] * count if function.arg_attrs is None else list(function.arg_attrs.data)
        attributes[index] = DictionaryAttr({**attributes[index].data, "tt.divisibility": IntegerAttr(ALIGNMENT, i32)})
        function.properties["arg_attrs"] = ArrayAttr(attributes)

    def block(self, block: Block) -> None:
        for op in operations(block):
            lower = _LOWERINGS.get(type(op))
            if lower is not None:
                lower(self, op)
            elif isinstance(op, CARRIERS):
                self.carrier(op)
            elif any(isinstance(value.type, tt.TensorDescType) for value in (*op.operands, *op.results)):
                raise PassError(f"'{op.name}' cannot take a tensor descriptor", op.location)
            else:
                for region in op.regions:
                    for inner in region.blocks:
                        self.block(inner)

    def flat(self, values: Sequence[SSAValue]) -> list[SSAValue]:
        return [part for value in values for part in (self.parts[value].values if value in self.parts else [value])]

    def carrier(self, op: Operation) -> None:
        """An operation of scf with descriptors among its values -> the same with what they are made of."""
        operands = self.flat(op.operands)
        for region in op.regions:
            for block in region.blocks:
                self.arguments(block)
        for region in op.regions:
            for block in region.blocks:
                self.block(block)
        types = [part for result in op.results for part in _types_of_parts(result.type)]
        if len(operands) == len(op.operands) and len(types) == len(op.results):
            return
        regions = [self.moved(region) for region in op.regions]
        new = create(type(op), operands, types, dict(op.properties), regions)
        new.attributes = dict(op.attributes)
        new.location = op.location
        TileBuilder(op).insert(new)
        rest = list(new.results)
        for result in op.results:
            count = len(_types_of_parts(result.type))
            mine, rest = rest[:count], rest[count:]
            if isinstance(result.type, tt.TensorDescType):
                self.parts[result] = Parts.of(result.type, mine)
            else:
                mine[0].name_hint = result.name_hint
                replace_uses(result, mine[0])
        self.replaced.append(op)

    def moved(self, region: Region) -> Region:
        new = Region()
        for block in list(region.blocks):
            region.detach_block(block)
            new.add_block(block)
        return new

    def arguments(self, block: Block) -> None:
        """The arguments of a block that are descriptors -> one argument for each part."""
        for argument in list(block.args):
            if not isinstance(type := argument.type, tt.TensorDescType):
                continue
            index = argument.index
            parts = [block.insert_arg(kind, index + at) for at, kind in enumerate(_types_of_parts(type))]
            for part in parts:
                part.location = argument.location
            self.parts[argument] = Parts.of(type, parts)
            self.replaced_arguments.append(argument)

    # Accesses

    def make(self, op: Operation) -> None:
        assert isinstance(op, tt.MakeTensorDescOp)
        type = op.result.type
        assert isinstance(type, tt.TensorDescType)
        pads_with_nan = op.padding_option == "nan"
        if pads_with_nan and not is_float(type.element):
            raise PassError(f"expected a descriptor of floats for a padding of NaN, found {type}", op.location)
        padding = TileBuilder(op).constant(i1, int(pads_with_nan))
        base = op.base
        if base.type != (wanted := tt.PointerType(type.element)):
            base = TileBuilder(op).add(tt.BitcastOp(base, wanted))
        self.parts[op.result] = Parts(type, base, tuple(op.shape), tuple(op.strides), padding)
        self.replaced.append(op)

    def select(self, op: Operation) -> None:
        """select c, d, e of descriptors -> select of each part"""
        assert isinstance(op, arith.SelectOp)
        if not isinstance(type := op.result.type, tt.TensorDescType):
            return
        builder = TileBuilder(op)
        pairs = zip(self.parts[op.lhs].values, self.parts[op.rhs].values, strict=True)
        values = [a if a is b else builder.add(arith.SelectOp(op.cond, a, b)) for a, b in pairs]
        self.parts[op.result] = Parts.of(type, values)
        self.replaced.append(op)

    def tile(self, op: Operation, desc: Parts, offsets: Sequence[SSAValue]) -> tuple[SSAValue, SSAValue]:
        """The pointers to the elements of a tile, and which of them are in the array."""
        builder, shape = TileBuilder(op), desc.type.block.get_shape()
        places: list[SSAValue] = []
        for axis, (offset, size) in enumerate(zip(offsets, shape, strict=True)):
            steps = builder.as_integer(builder.range(size), i64)
            start = builder.splat(builder.as_integer(offset, i64), [size])
            places.append(builder.along(builder.add(arith.AddiOp(steps, start)), axis, len(shape)))
        return self.access(builder, desc, places, shape)

    def rows(self, op: Operation, desc: Parts, rows: SSAValue, column: SSAValue) -> tuple[SSAValue, SSAValue]:
        builder, size = TileBuilder(op), desc.type.block.get_shape()[1]
        count = (shape_of(rows.type) or (0,))[0]
        steps = builder.as_integer(builder.range(size), i64)
        start = builder.splat(builder.as_integer(column, i64), [size])
        columns = builder.along(builder.add(arith.AddiOp(steps, start)), 1, 2)
        places = [builder.along(builder.as_integer(rows, i64), 0, 2), columns]
        return self.access(builder, desc, places, (count, size))

    def access(
        self, builder: TileBuilder, desc: Parts, places: Sequence[SSAValue], shape: Sequence[int]
    ) -> tuple[SSAValue, SSAValue]:
        """base + sum of place * stride; a place outside of the array is too large as an unsigned number."""
        pointer, mask = desc.base, None
        covered = [1] * len(shape)
        for axis, place in enumerate(places):
            own = shape_of(place.type) or ()
            offset = place
            if integer_constant(desc.strides[axis]) != 1:
                offset = builder.add(arith.MuliOp(place, builder.splat(desc.strides[axis], own)))
            covered = [max(a, b) for a, b in zip(covered, own, strict=True)]
            pointer = builder.splat(pointer, own) if axis == 0 else builder.broadcast(pointer, covered)
            pointer = builder.add(tt.AddPtrOp(pointer, builder.broadcast(offset, covered)))
            extent = builder.splat(builder.as_integer(desc.shape[axis], i64), own)
            inside = builder.add(arith.CmpiOp(place, extent, "ult"))
            if mask is not None:
                inside = builder.add(arith.AndIOp(builder.broadcast(mask, covered), builder.broadcast(inside, covered)))
            mask = inside
        assert mask is not None
        return builder.broadcast(pointer, shape), builder.broadcast(mask, shape)

    def loaded(self, op: Operation, desc: Parts, place: tuple[SSAValue, SSAValue], policy: Attribute | None) -> None:
        builder, (pointers, mask) = TileBuilder(op), place
        other, padding = None, integer_constant(desc.pads_with_nan)
        element, shape = desc.type.element, shape_of(pointers.type) or ()
        if is_float(element) and padding != 0:
            nan = builder.constant(element, float("nan"))
            if padding is None:
                nan = builder.add(arith.SelectOp(desc.pads_with_nan, nan, builder.constant(element, 0.0)))
            other = builder.splat(nan, shape)
        load = tt.LoadOp(pointers, mask, other)
        if policy is not None:
            load.properties["cachePolicy"] = policy
        result = op.results[0]
        value = builder.reshape(builder.add(load), shape_of(result.type) or ())
        value.name_hint = result.name_hint
        replace_uses(result, value)
        erase(op)

    def load(self, op: Operation) -> None:
        assert isinstance(op, tt.DescriptorLoadOp)
        desc = self.parts[op.desc]
        self.loaded(op, desc, self.tile(op, desc, op.indices), op.cache_policy)

    def gather(self, op: Operation) -> None:
        assert isinstance(op, tt.DescriptorGatherOp)
        desc = self.parts[op.desc]
        self.loaded(op, desc, self.rows(op, desc, op.x_offsets, op.y_offset), None)

    def store(self, op: Operation) -> None:
        assert isinstance(op, tt.DescriptorStoreOp)
        desc = self.parts[op.desc]
        pointers, mask = self.tile(op, desc, op.indices)
        builder = TileBuilder(op)
        builder.insert(tt.StoreOp(pointers, builder.reshape(op.src, desc.type.block.get_shape()), mask))
        erase(op)

    def scatter(self, op: Operation) -> None:
        assert isinstance(op, tt.DescriptorScatterOp)
        pointers, mask = self.rows(op, self.parts[op.desc], op.x_offsets, op.y_offset)
        TileBuilder(op).insert(tt.StoreOp(pointers, op.src, mask))
        erase(op)

    def reduce(self, op: Operation) -> None:
        assert isinstance(op, tt.DescriptorReduceOp)
        desc = self.parts[op.desc]
        kind = _atomic_kind(op, desc.type)
        pointers, mask = self.tile(op, desc, op.indices)
        builder = TileBuilder(op)
        value = builder.reshape(op.src, desc.type.block.get_shape())
        builder.insert(tt.AtomicRMWOp(kind, pointers, value, mask, "relaxed", "gpu"))
        erase(op)


def _atomic_kind(op: tt.DescriptorReduceOp, type: tt.TensorDescType) -> str:
    """The atomic operation of a reduction on the elements of a descriptor."""
    kind = op.reduction
    if kind in ("inc", "dec") or (is_float(type.element) and kind != "add"):
        raise PassError(f"the reduction '{kind}' of {type.element} is not supported", op.location)
    if kind == "add" and is_float(type.element):
        return "fadd"
    return f"u{kind}" if kind in ("min", "max") and type.is_unsigned else kind


_LOWERINGS: dict[type[Operation], Callable[[_Lowering, Operation], None]] = {
    tt.MakeTensorDescOp: _Lowering.make,
    arith.SelectOp: _Lowering.select,
    tt.DescriptorLoadOp: _Lowering.load,
    tt.DescriptorStoreOp: _Lowering.store,
    tt.DescriptorReduceOp: _Lowering.reduce,
    tt.DescriptorGatherOp: _Lowering.gather,
    tt.DescriptorScatterOp: _Lowering.scatter,
}
