"""`lower-descriptors`: tensor descriptors as pointers, sizes and strides, their accesses as masked loads and stores."""

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
    TensorType,
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
from mytriton.passes.descriptor_parts import CommonParts, Parts, names_of_parts, type_of_descriptor
from mytriton.passes.descriptor_reductions import Reduction
from mytriton.passes.placeholders import placeholder_before
from mytriton.passes.tile_builder import TileBuilder

ALIGNMENT = 16
"""Bytes that the address in a descriptor is divisible by: the hardware for which Triton has them asks for that."""

CARRIERS = (scf.ForOp, scf.WhileOp, scf.YieldOp, scf.ConditionOp)
"""Operations that descriptors may go through, as they go through an `scf.if`."""


@dataclass(frozen=True)
class LowerDescriptors(ModulePass):
    """A parameter that is a descriptor becomes the pointer to its array.

    The sizes and the strides are the parameters after it, as Triton writes them. Descriptors that loops carry and that
    branches choose become what they are made of. With `zeros` a load says that it gives 0 outside of the array.
    """

    name = "lower-descriptors"

    zeros: bool = False

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in op.body.block.ops:
            if isinstance(function, tt.FuncOp) and function.body.blocks and has_descriptors(function):
                _Lowering(function, self.zeros).run()


def has_descriptors(function: tt.FuncOp) -> bool:
    return any(isinstance(type, tt.TensorDescType) for type in function.function_type.inputs) or any(
        type(op) is tt.MakeTensorDescOp or op.name == "ub.poison" for op in walk(function)
    )


@dataclass
class _Lowering:
    function: tt.FuncOp
    zeros: bool = False
    common: CommonParts = field(init=False)
    parts: dict[SSAValue, Parts] = field(default_factory=dict[SSAValue, Parts])
    replaced: list[Operation] = field(default_factory=list[Operation])
    replaced_arguments: list[BlockArgument] = field(default_factory=list[BlockArgument])

    def run(self) -> None:
        self.parameters()
        self.common = CommonParts(self.function, self.parts)
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
            pointer = block.insert_arg(tt.PointerType(type.element), argument.index)
            pointer.name_hint, pointer.location = argument.name_hint, argument.location
            self.parts[argument] = Parts(type, pointer, tuple(following[:rank]), tuple(following[rank:]), False)
            self.note_alignment(index)
            self.replaced_arguments.append(argument)
        inputs = [argument.type for argument in block.args if argument not in self.parts]
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
            elif op.name == "ub.poison" and isinstance(op.results[0].type, tt.TensorDescType):
                self.poison(op)
            elif isinstance(op, scf.YieldOp) and isinstance(op.parent_op(), scf.IfOp):
                continue  # replaced together with the branch
            elif isinstance(op, CARRIERS):
                self.carrier(op)
            elif any(isinstance(value.type, tt.TensorDescType) for value in (*op.operands, *op.results)):
                raise PassError(f"'{op.name}' cannot take a tensor descriptor", op.location)
            else:
                for region in op.regions:
                    for inner in region.blocks:
                        self.block(inner)

    def flat(self, op: Operation) -> list[list[SSAValue]]:
        """Of each operand the parts that may differ, if it is a descriptor, else itself."""
        return [self.rest(op, value) for value in op.operands]

    def rest(self, op: Operation, value: SSAValue) -> list[SSAValue]:
        if not isinstance(value.type, tt.TensorDescType):
            return [value]
        parts = self.common.rest(value, self.parts[value].all)
        return [part if isinstance(part, SSAValue) else TileBuilder(op).constant(i1, int(part)) for part in parts]

    def carrier(self, op: Operation) -> None:
        """An operation of scf with descriptors among its values -> the same with what they are made of."""
        operands = [part for parts in self.flat(op) for part in parts]
        for region in op.regions:
            for block in region.blocks:
                self.arguments(block)
        for region in op.regions:
            for block in region.blocks:
                self.block(block)
        if not any(isinstance(value.type, tt.TensorDescType) for value in (*op.operands, *op.results)):
            return
        types = [self.common.types_of_rest(result) for result in op.results]
        new = self.replacement(op, operands, [type for group in types for type in group])
        results = iter(new.results)
        self.replace(op, [[next(results) for _ in group] for group in types])

    def branch(self, op: Operation) -> None:
        """An `scf.if` with descriptors among its results -> the same with what they are made of.

        Where two of its results would be the same there is one.
        """
        assert isinstance(op, scf.IfOp)
        for region in op.regions:
            for block in region.blocks:
                self.block(block)
        if not any(isinstance(result.type, tt.TensorDescType) for result in op.results):
            return
        ends = [region.block.last_op for region in op.regions]
        columns: dict[tuple[SSAValue, ...], int] = {}
        places: list[list[int]] = []
        for groups in zip(*(self.flat(end) for end in ends if end is not None), strict=True):
            places.append([columns.setdefault(pair, len(columns)) for pair in zip(*groups, strict=True)])
        for side, end in enumerate(ends):
            assert end is not None
            self.replacement(end, [pair[side] for pair in columns], ())
            self.replaced.append(end)
        new = self.replacement(op, op.operands, [first.type for first, _ in columns])
        self.replace(op, [[new.results[place] for place in group] for group in places])

    def replacement(self, op: Operation, operands: Sequence[SSAValue], types: Sequence[Attribute]) -> Operation:
        """The same operation with other operands and results, in front of it; it gets the regions."""
        new = create(type(op), operands, types, dict(op.properties), [self.moved(region) for region in op.regions])
        new.attributes = dict(op.attributes)
        TileBuilder(op).insert(new)
        return new

    def replace(self, op: Operation, results: Sequence[Sequence[SSAValue]]) -> None:
        """Replaces an operation, given of each result what it becomes."""
        for result, values in zip(op.results, results, strict=True):
            if isinstance(result.type, tt.TensorDescType):
                self.put_together(result, values)
                continue
            (value,) = values
            value.name_hint = result.name_hint
            replace_uses(result, value)
        self.replaced.append(op)

    def put_together(self, descriptor: SSAValue, values: Sequence[SSAValue]) -> None:
        """Notes of which values a descriptor is made, and names them after it."""
        names = self.common.rest(descriptor, names_of_parts(type_of_descriptor(descriptor)))
        for value, name in zip(values, names, strict=True):
            value.name_hint = descriptor.name_hint and f"{descriptor.name_hint}_{name}"
        self.parts[descriptor] = self.common.with_rest(descriptor, values)

    def moved(self, region: Region) -> Region:
        new = Region()
        for block in list(region.blocks):
            region.detach_block(block)
            new.add_block(block)
        return new

    def arguments(self, block: Block) -> None:
        """The arguments of a block that are descriptors -> one argument for each part."""
        for argument in list(block.args):
            if not isinstance(argument.type, tt.TensorDescType):
                continue
            index = argument.index
            parts = [block.insert_arg(kind, index + at) for at, kind in enumerate(self.common.types_of_rest(argument))]
            for part in parts:
                part.location = argument.location
            self.put_together(argument, parts)
            self.replaced_arguments.append(argument)

    # Accesses

    def make(self, op: Operation) -> None:
        assert isinstance(op, tt.MakeTensorDescOp)
        type = op.result.type
        assert isinstance(type, tt.TensorDescType)
        pads_with_nan = op.padding_option == "nan"
        if pads_with_nan and not is_float(type.element):
            raise PassError(f"expected a descriptor of floats for a padding of NaN, found {type}", op.location)
        base = op.base
        if base.type != (wanted := tt.PointerType(type.element)):
            base = TileBuilder(op).add(tt.BitcastOp(base, wanted))
        self.parts[op.result] = Parts(type, base, tuple(op.shape), tuple(op.strides), pads_with_nan)
        self.replaced.append(op)

    def select(self, op: Operation) -> None:
        """select c, d, e of descriptors -> select of each part"""
        assert isinstance(op, arith.SelectOp)
        if not isinstance(op.result.type, tt.TensorDescType):
            return
        builder = TileBuilder(op)
        pairs = zip(self.rest(op, op.lhs), self.rest(op, op.rhs), strict=True)
        self.put_together(op.result, [builder.add(arith.SelectOp(op.cond, a, b)) for a, b in pairs])
        self.replaced.append(op)

    def poison(self, op: Operation) -> None:
        """A descriptor that nothing reads -> one of whatever parts"""
        (result,) = op.results
        values = [placeholder_before(op, kind) for kind in self.common.types_of_rest(result)]
        self.parts[result] = self.common.with_rest(result, values)
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
        other, padding = None, desc.pads_with_nan
        element, shape = desc.type.element, shape_of(pointers.type) or ()
        if is_float(element) and padding:
            nan = builder.constant(element, float("nan"))
            if isinstance(padding, SSAValue):
                nan = builder.add(arith.SelectOp(padding, nan, builder.constant(element, 0.0)))
            other = builder.splat(nan, shape)
        elif self.zeros:
            other = builder.constant(TensorType(element, shape), 0)
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
        reduction = Reduction(op, desc.type)
        pointers, mask = self.tile(op, desc, op.indices)
        value = TileBuilder(op).reshape(op.src, desc.type.block.get_shape())
        reduction.lower(desc.base, pointers, value, mask)
        erase(op)


_LOWERINGS: dict[type[Operation], Callable[[_Lowering, Operation], None]] = {
    tt.MakeTensorDescOp: _Lowering.make,
    arith.SelectOp: _Lowering.select,
    scf.IfOp: _Lowering.branch,
    tt.DescriptorLoadOp: _Lowering.load,
    tt.DescriptorStoreOp: _Lowering.store,
    tt.DescriptorReduceOp: _Lowering.reduce,
    tt.DescriptorGatherOp: _Lowering.gather,
    tt.DescriptorScatterOp: _Lowering.scatter,
}
