"""`assign-layouts`: every tensor gets a layout.

Loads and stores get the layouts that `coalesce` chose; dots get register tiles. These layouts spread forwards to what
is computed from the values. What is computed from no such value (ranges, splats, constants and all that is made of
them) gets the layout that its uses want. Where two layouts meet, a `ttg.convert_layout` is inserted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects import scf
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, FunctionType, IntegerAttr, ModuleOp, TensorType, i32
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass
from xdsl.utils.hints import isa

from mytriton.dialects import arith, tt, ttg
from mytriton.dialects.attribute_names import ACCESS_LAYOUT, NUM_WARPS, THREADS_PER_WARP
from mytriton.dialects.building import walk
from mytriton.dialects.layouts import DistributedEncodingAttr, SliceEncodingAttr
from mytriton.dialects.linear_layout import WARP_SIZE
from mytriton.errors import PassError
from mytriton.passes.coalesce import access_layouts
from mytriton.passes.encodings import (
    ATOMICS,
    SHAPE_OPS,
    blocked_encoding,
    dot_encoding,
    encoding_of_value,
    extracted_encoding,
    half_encoding,
    is_elementwise,
    joined_encoding,
    operand_encoding,
    ordered_encoding,
    refuse_warps,
    result_encoding,
    set_type,
    shape_of_tensor,
    split_encoding,
    tensor_type,
    with_encoding,
)
from mytriton.passes.network_layouts import network_encoding

Encoding = DistributedEncodingAttr

_CHOOSING = frozenset(op.name for op in (tt.LoadOp, tt.StoreOp, tt.ReduceOp, tt.DotOp, ttg.DotOp))
"""The operations that layouts are chosen for."""


@dataclass(frozen=True)
class AssignLayouts(ModulePass):
    """tensor<64x64xf32> -> tensor<64x64xf32, #ttg.blocked<...>> for every tensor of a module"""

    name: ClassVar[str] = "assign-layouts"

    num_warps: int = 4

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        refuse_warps(self.num_warps)
        for function in walk(op):
            if type(function) is tt.FuncOp:
                refuse_layouts(function)
                LayoutAssignment(function, self.num_warps).apply()
        op.attributes[NUM_WARPS] = IntegerAttr(self.num_warps, i32)
        op.attributes[THREADS_PER_WARP] = IntegerAttr(WARP_SIZE, i32)


def refuse_layouts(function: tt.FuncOp) -> None:
    """Raises PassError for a tensor that has a layout: this pass gives all tensors of a function theirs."""
    for op in walk(function):
        if type(op) is ttg.ConvertLayoutOp:
            raise PassError("expected tensors without layouts, found a ttg.convert_layout", op.location)
        for result in op.results:
            if encoding_of_value(result) is not None:
                raise PassError(f"expected tensors without layouts, found {result.type}", op.location)


class LayoutAssignment:
    """The layouts of one function: `anchored` values have their own layout, the others what `wanted` says."""

    def __init__(self, function: tt.FuncOp, num_warps: int):
        self.function = function
        self.num_warps = num_warps
        self.accesses: dict[Operation, Encoding] = {}
        self.by_shape: dict[tuple[int, ...], Encoding] = {}
        self.reduced: dict[tuple[int, ...], int] = {}
        self.reduces_rows_of_dots = False
        self.anchored: dict[SSAValue, Encoding] = {}
        self.from_dot: set[SSAValue] = set()
        self.wanted: dict[SSAValue, Encoding] = {}
        self.needs: dict[Operation, dict[int, Encoding]] = {}
        # By the identities of a type and of an encoding, which are kept here for as long.
        self.types: dict[tuple[int, int], tuple[TensorType[Attribute], TensorType[Attribute], Encoding]] = {}

    def apply(self) -> None:
        self.choose_encodings()
        blocks = list(self.function.body.blocks)
        for block in blocks:
            for argument in block.args:
                self.anchor(argument, self.agreed(argument) if block is blocks[0] else self.default(argument))
            self.spread_block(block)
        for block in reversed(blocks):
            self.request_block(block)
        self.insert_conversions()
        self.set_types()

    # Layouts of their own

    def choose_encodings(self) -> None:
        """Loads and stores have the layouts that coalesce gave them, or would give them."""
        accesses: list[Operation] = []
        dots: set[tuple[int, ...]] = set()
        for op in walk(self.function):
            if op.name not in _CHOOSING:
                continue
            if isinstance(op, tt.LoadOp | tt.StoreOp):
                if tensor_type(op.ptr) is not None:
                    accesses.append(op)
            elif isinstance(op, tt.ReduceOp):
                self.reduced.setdefault(shape_of_tensor(op.srcs[0]), op.axis.value.data)
            elif isinstance(op, tt.DotOp | ttg.DotOp):
                dots.add(shape_of_tensor(op.results[0]))
        self.reduces_rows_of_dots = any(self.reduced.get(shape) == len(shape) - 1 for shape in dots)
        if any(ACCESS_LAYOUT not in access.attributes for access in accesses):
            self.accesses.update(access_layouts(self.function, self.num_warps))
        for access in accesses:
            if (given := access.attributes.pop(ACCESS_LAYOUT, None)) is not None:
                self.accesses[access] = self.checked(access, given)
            encoding = self.accesses[access]
            self.by_shape.setdefault(shape_of_tensor(access.operands[0]), encoding)

    def checked(self, access: Operation, encoding: Attribute) -> Encoding:
        """The layout that coalesce gave an access. Raises PassError for one that does not fit."""
        rank = len(shape_of_tensor(access.operands[0]))
        if not isinstance(encoding, DistributedEncodingAttr) or encoding.rank != rank:
            raise PassError(f"expected a layout of rank {rank} as {ACCESS_LAYOUT}, found {encoding}", access.location)
        if encoding.num_warps != self.num_warps:
            raise PassError(
                f"expected {ACCESS_LAYOUT} to have {self.num_warps} warps, found {encoding.num_warps}", access.location
            )
        return encoding

    def default(self, value: SSAValue) -> Encoding | None:
        """The layout of a tensor that has no other reason for one; None for a scalar."""
        type = tensor_type(value)
        if type is None:
            return None
        shape = type.get_shape()
        return self.by_shape.get(shape) or blocked_encoding(shape, self.num_warps, reduced=self.reduced.get(shape))

    def agreed(self, value: SSAValue) -> Encoding | None:
        """The layout in which functions exchange a tensor of this shape."""
        type = tensor_type(value)
        if type is None:
            return None
        try:
            return blocked_encoding(type.get_shape(), self.num_warps)
        except PassError as error:
            raise PassError(error.message, self.function.location) from None

    def anchor(self, value: SSAValue, encoding: Encoding | None, from_dot: bool = False) -> None:
        if encoding is None:
            return
        self.anchored[value] = encoding
        if from_dot:
            self.from_dot.add(value)

    def strongest(self, values: Sequence[SSAValue]) -> SSAValue | None:
        """The value whose layout the others should take: one that comes from a dot, else the first with a layout."""
        found = [value for value in values if value in self.anchored]
        return next((value for value in found if value in self.from_dot), found[0] if found else None)

    # Forwards: layouts spread to what is computed from the values

    def spread_block(self, block: Block) -> None:
        for op in block.ops:
            self.spread(op)

    def spread(self, op: Operation) -> None:
        if is_elementwise(op):  # these are most of all
            source = self.strongest(op.operands)
            if source is not None and tensor_type(op.results[0]) is not None:
                self.spread_value(source, op.results[0])
            return
        if type(op) is arith.ConstantOp or type(op) is tt.MakeRangeOp:
            return
        match op:
            case scf.ForOp():
                self.spread_loop(op.iter_args, op.body.block.args[1:], op.body)
                self.spread_all(op.body.block.args[1:], op.results)
            case scf.WhileOp():
                before, after = op.before_region.block, op.after_region.block
                self.spread_loop(op.arguments, before.args, op.after_region, op.before_region)
                self.spread_all(after.args, op.results)
            case scf.IfOp():
                for region in op.regions:
                    for block in region.blocks:
                        self.spread_block(block)
                for index, result in enumerate(op.results):
                    source = self.strongest([values[index] for values in map(terminator_values, op.regions) if values])
                    self.spread_value(source, result)
            case tt.LoadOp():
                if op in self.accesses and not self.is_spread_over_dimensions(op.result):
                    self.anchor(op.result, self.accesses[op])
            case tt.DotOp() | ttg.DotOp():
                result = op.results[0]
                encoding = dot_encoding(shape_of_tensor(result), self.num_warps, self.reduces_rows_of_dots)
                self.anchor(result, encoding, from_dot=True)
            case tt.ReduceOp():
                self.spread_reduction(op)
            case tt.ScanOp() | tt.SortOp():
                axis = op.axis.value.data
                for result in op.results:
                    self.anchor(result, ordered_encoding(shape_of_tensor(result), self.num_warps, axis))
            case tt.CompareExchangeOp():
                encoding = self.anchored.get(op.src) or self.default(op.src)
                assert encoding is not None
                is_first = not isinstance(op.src.owner, tt.CompareExchangeOp)
                self.anchor(op.result, network_encoding(op, encoding) if is_first else encoding)
            case tt.GatherOp():
                self.spread_value(op.indices, op.result)
            case tt.SplatOp() | ttg.InBoundsOp() | tt.HistogramOp():
                pass
            case tt.BroadcastOp():
                pass
            case tt.JoinOp():
                source = self.strongest(op.operands)
                if source is not None:
                    joined = joined_encoding(self.anchored[source], shape_of_tensor(source))
                    self.anchor(op.result, joined, source in self.from_dot)
            case tt.SplitOp():
                if op.src in self.anchored:
                    halves = split_encoding(self.anchored[op.src], shape_of_tensor(op.src)) or self.default(op.lhs)
                    for result in op.results:
                        self.anchor(result, halves, op.src in self.from_dot)
            case tt.ExtractSliceOp():
                encoding = self.anchored.get(op.src) or self.default(op.src)
                assert encoding is not None
                self.needs[op] = {0: encoding}
                self.anchor(op.result, extracted_encoding(op, encoding) or self.default(op.result))
            case _ if isinstance(op, SHAPE_OPS):
                source = op.src
                if source in self.anchored:
                    encoding = result_encoding(op, self.anchored[source])
                    self.anchor(op.result, encoding, source in self.from_dot)
            case _ if isinstance(op, ATOMICS):
                self.spread_atomic(op)
            case tt.CallOp():
                for result in op.results:
                    self.anchor(result, self.agreed(result))
            case _:
                for region in op.regions:
                    for block in region.blocks:
                        self.spread_block(block)
                for result in op.results:
                    self.anchor(result, self.default(result))

    def spread_value(self, source: SSAValue | None, target: SSAValue) -> None:
        if source is not None and source in self.anchored:
            self.anchor(target, self.anchored[source], source in self.from_dot)

    def spread_all(self, sources: Sequence[SSAValue], targets: Sequence[SSAValue]) -> None:
        for source, target in zip(sources, targets, strict=True):
            self.spread_value(source, target)

    def spread_loop(
        self, initial: Sequence[SSAValue], carried: Sequence[SSAValue], body: Region, first: Region | None = None
    ) -> None:
        """A carried value has one layout in all iterations: that of the first or of the next, whichever is stronger.

        `first` is the condition part of a while loop, whose results are the arguments of `body`.
        """
        self.spread_all(initial, carried)
        changed = True
        while changed:
            if first is not None:
                self.spread_block(first.block)
                self.spread_all(terminator_values(first), body.block.args)
            self.spread_block(body.block)
            changed = False
            for argument, value in zip(carried, terminator_values(body), strict=True):
                known = argument in self.anchored
                if value in self.anchored and (not known or (value in self.from_dot and argument not in self.from_dot)):
                    self.spread_value(value, argument)
                    changed = True

    def spread_atomic(self, op: Operation) -> None:
        """An atomic operation is done where its operands are; what it gives is there too."""
        source = self.strongest(op.operands) or op.operands[0]
        encoding = self.anchored.get(source) or self.default(source)
        if encoding is None:
            return
        self.needs[op] = dict.fromkeys(range(len(op.operands)), encoding)
        for result in op.results:
            self.anchor(result, encoding, source in self.from_dot)

    def spread_reduction(self, op: tt.ReduceOp) -> None:
        """A reduction takes a layout even where its operands have none, since its result depends on it."""
        source = self.strongest(op.srcs) or op.srcs[0]
        encoding = self.anchored.get(source) or self.default(source)
        assert encoding is not None
        self.needs[op] = dict.fromkeys(range(len(op.srcs)), encoding)
        for result in op.results:
            if tensor_type(result) is not None:
                sliced = SliceEncodingAttr(op.axis.value.data, encoding)
                self.anchor(result, sliced, source in self.from_dot)

    def is_spread_over_dimensions(self, value: SSAValue) -> bool:
        """Whether a vector is only used as a row or column of a matrix; it is then loaded in the layout of that."""
        type = tensor_type(value)
        if type is None or len(type.shape) != 1:
            return False
        worklist, seen = [value], {value}
        spread = False
        while worklist:
            for use in worklist.pop().uses:
                user = use.operation
                if isinstance(user, tt.ExpandDimsOp):
                    spread = True
                elif not is_elementwise(user):
                    return False
                elif user.results[0] not in seen:
                    seen.add(user.results[0])
                    worklist.append(user.results[0])
        return spread

    # Backwards: what has no layout gets the one that is wanted

    def encoding(self, value: SSAValue) -> Encoding | None:
        """The layout of a value, once everything that uses it has been visited."""
        return self.anchored.get(value) or self.wanted.get(value) or self.default(value)

    def request_block(self, block: Block) -> None:
        for op in reversed(list(block.ops)):
            self.request(op)

    def request(self, op: Operation) -> None:
        """Tells the operands of an operation which layouts it needs them in."""
        if is_elementwise(op):  # these are most of all
            self.need_all(op, 0, [self.encoding(op.results[0])] * len(op.operands))
            return
        if not op.operands and not op.regions:
            return
        match op:
            case scf.ForOp():
                self.request_for(op)
            case scf.WhileOp():
                self.request_while(op)
            case scf.IfOp():
                encodings = [self.encoding(result) for result in op.results]
                for region in op.regions:
                    for block in region.blocks:
                        self.need_all(block.last_op, 0, encodings)
                        self.request_block(block)
            case scf.YieldOp() | scf.ConditionOp() | ttg.LocalStoreOp() | tt.PrintOp() | tt.AssertOp():
                pass
            case tt.LoadOp():
                encoding = self.encoding(op.result)
                self.need_all(op, 0, [encoding] * len(op.operands))
            case tt.StoreOp():
                self.need_all(op, 0, [self.accesses.get(op)] * len(op.operands))
            case tt.DotOp() | ttg.DotOp():
                self.need_all(op, 2, [self.encoding(op.results[0])])
            case tt.ReduceOp():
                self.need_all(op, 0, [self.needs[op][0]] * len(op.srcs))
            case _ if isinstance(op, ATOMICS):
                encoding = self.needs.get(op, {}).get(0)
                self.need_all(op, 0, [encoding] * len(op.operands))
            case ttg.CheckOp():
                self.request_check(op)
            case tt.ScanOp() | tt.SortOp() | tt.CompareExchangeOp():
                self.need_all(op, 0, [self.encoding(result) for result in op.results])
            case tt.GatherOp():
                self.need_all(op, 1, [self.encoding(op.result)])
            case tt.HistogramOp():
                encoding = self.anchored.get(op.src) or self.default(op.src)
                self.need_all(op, 0, [encoding] * len(op.operands))
            case tt.CallOp() | tt.ReturnOp():
                self.need_all(op, 0, [self.agreed(operand) for operand in op.operands])
            case tt.JoinOp():
                encoding = self.encoding(op.result)
                assert encoding is not None
                self.need_all(op, 0, [half_encoding(encoding)] * 2)
            case tt.SplitOp():
                encodings = [self.anchored.get(result) or self.wanted.get(result) for result in op.results]
                encoding = encodings[0] or encodings[1] or self.default(op.lhs)
                assert encoding is not None
                self.settle(op.results, [encoding] * 2)
                self.need_all(op, 0, [joined_encoding(encoding, shape_of_tensor(op.lhs))])
            case tt.ExtractSliceOp():
                self.need_all(op, 0, [self.needs[op][0]])
            case _ if isinstance(op, SHAPE_OPS):
                encoding = self.encoding(op.result)
                assert encoding is not None
                self.need_all(op, 0, [operand_encoding(op, encoding)])
            case _:
                for region in op.regions:
                    for block in region.blocks:
                        self.request_block(block)
                self.need_all(op, 0, [self.default(operand) for operand in op.operands])

    def request_check(self, op: ttg.CheckOp) -> None:
        """A check is made where the shadow is, or where its access, which comes after it, wants pointers and mask."""
        values = [value for value in op.operands if tensor_type(value) is not None]
        if values:
            found = (self.anchored.get(op.shadow), *(self.anchored.get(v) or self.wanted.get(v) for v in values[1:]))
            encoding = next(filter(None, found), None) or self.encoding(op.shadow)
            self.need_all(op, 0, [encoding] * len(op.operands))

    def need_all(self, op: Operation | None, start: int, encodings: Sequence[Encoding | None]) -> None:
        """Operand `start + i` of an operation, if it is a tensor, must have layout i."""
        if op is None:
            return
        needs: dict[int, Encoding] = {}
        operands = tuple(op.operands)
        for index, encoding in enumerate(encodings, start):
            if encoding is not None and tensor_type(operands[index]) is not None:
                needs[index] = encoding
                self.wanted.setdefault(operands[index], encoding)
        self.needs[op] = needs

    def request_for(self, op: scf.ForOp) -> None:
        body = op.body.block
        carried = body.args[1:]
        pairs = zip(carried, op.results, strict=True)
        encodings = [self.anchored.get(value) or self.wanted.get(result) for value, result in pairs]
        self.need_all(body.last_op, 0, encodings)
        self.request_block(body)
        chosen = [self.anchored.get(value) or self.wanted.get(value) or self.default(value) for value in carried]
        if chosen != encodings:
            self.forget_wanted(body)
            self.need_all(body.last_op, 0, chosen)
            for value, encoding in zip(carried, chosen, strict=True):
                if encoding is not None:
                    self.wanted[value] = encoding
            self.request_block(body)
        self.settle(op.results, chosen)
        self.need_all(op, 3, chosen)

    def request_while(self, op: scf.WhileOp) -> None:
        """The values tested and the values of the body have one layout each: their own, or the default."""
        before, after = op.before_region.block, op.after_region.block
        carried = [self.anchored.get(value) or self.default(value) for value in before.args]
        passed = [self.anchored.get(value) or self.default(value) for value in after.args]
        self.settle(op.results, passed)
        self.settle(after.args, passed)
        self.settle(before.args, carried)
        self.need_all(after.last_op, 0, carried)
        self.request_block(after)
        self.need_all(before.last_op, 1, passed)
        self.request_block(before)
        self.need_all(op, 0, carried)

    def settle(self, values: Sequence[SSAValue], encodings: Sequence[Encoding | None]) -> None:
        for value, encoding in zip(values, encodings, strict=True):
            if encoding is not None:
                self.wanted[value] = encoding

    def forget_wanted(self, block: Block) -> None:
        for op in block.walk():
            arguments = [argument for region in op.regions for inner in region.blocks for argument in inner.args]
            for value in (*op.results, *arguments):
                self.wanted.pop(value, None)

    # Rewriting

    def insert_conversions(self) -> None:
        inserted: dict[tuple[SSAValue, Encoding, Block | None], SSAValue] = {}
        for op, needs in [(op, self.needs[op]) for op in walk(self.function) if op in self.needs]:
            for index, encoding in needs.items():
                operand = op.operands[index]
                found = self.encoding(operand)
                if found is None or found == encoding or self.is_free(op, operand, found, encoding):
                    continue
                key = (operand, encoding, op.parent)
                if key not in inserted:
                    inserted[key] = self.conversion_before(op, operand, encoding)
                op.operands[index] = inserted[key]

    def is_free(self, op: Operation, operand: SSAValue, found: Encoding, needed: Encoding) -> bool:
        """Whether an operation that only renames coordinates finds each element where it wants it."""
        if not isinstance(op, SHAPE_OPS) and not isinstance(op, tt.ReduceOp | tt.SplitOp):
            return False
        shape = shape_of_tensor(operand)
        return found.to_linear(shape).equivalent(needed.to_linear(shape))

    def conversion_before(self, op: Operation, operand: SSAValue, encoding: Encoding) -> SSAValue:
        type = tensor_type(operand)
        assert type is not None and op.parent is not None
        conversion = ttg.ConvertLayoutOp(operand, with_encoding(type, encoding))
        conversion.location = op.location
        conversion.result.name_hint = operand.name_hint
        op.parent.insert_op_before(conversion, op)
        return conversion.result

    def set_types(self) -> None:
        for block in self.function.body.blocks:
            self.set_argument_types(block)
        for op in walk(self.function)[1:]:
            for region in op.regions:
                for block in region.blocks:
                    self.set_argument_types(block)
            if type(op) is ttg.ConvertLayoutOp:
                continue
            for result in op.results:
                new_type = self.type_with_encoding(result)
                if new_type is None:
                    continue
                set_type(result, new_type)
                if type(op) is arith.ConstantOp and isa(op.value, DenseIntOrFPElementsAttr):
                    op.properties["value"] = DenseIntOrFPElementsAttr.new([new_type, op.value.data])
        self.set_function_type()

    def set_argument_types(self, block: Block) -> None:
        for argument in block.args:
            type = self.type_with_encoding(argument)
            if type is not None:
                set_type(argument, type)

    def type_with_encoding(self, value: SSAValue) -> TensorType[Attribute] | None:
        type = tensor_type(value)
        encoding = None if type is None else self.encoding(value)
        if type is None or encoding is None:
            return None
        key = id(type), id(encoding)
        if (found := self.types.get(key)) is None:
            found = self.types[key] = with_encoding(type, encoding), type, encoding
        return found[0]

    def set_function_type(self) -> None:
        """Functions that are called agree with their callers on the default layouts of arguments and results."""
        old = self.function.function_type
        blocks = self.function.body.blocks
        inputs = [arg.type for arg in blocks[0].args] if blocks else list(old.inputs)
        outputs = [
            with_encoding(type, blocked_encoding(type.get_shape(), self.num_warps)) if isa(type, TensorType) else type
            for type in old.outputs
        ]
        self.function.properties["function_type"] = FunctionType.from_lists(inputs, outputs)


def terminator_values(region: Region) -> Sequence[SSAValue]:
    """What a region passes on: the operands of its yield, or of its condition without the condition."""
    if not region.blocks:
        return ()
    last = region.block.last_op
    if isinstance(last, scf.ConditionOp):
        return last.args
    return last.operands if last is not None else ()
