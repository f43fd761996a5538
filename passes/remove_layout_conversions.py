"""`remove-layout-conversions`: computes values where they are wanted instead of moving them there.

What is computed from ranges, splats and constants is computed again in the wanted layout. Loads and stores take the
layout of the value where that still accesses memory in runs of neighbours. A value carried around a loop takes the
layout in which the loop computes it. Each value is looked at once for each layout, so the work is linear in values
times layouts.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects import scf
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, ModuleOp
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.utils.hints import isa

from mytriton.dialects import arith, tt, ttg
from mytriton.dialects.building import erase, walk
from mytriton.dialects.layouts import BlockedEncodingAttr, DistributedEncodingAttr
from mytriton.dialects.linear_layout import LANE, LinearLayout, unit_basis
from mytriton.passes.axis_facts import unit_of
from mytriton.passes.effects import is_unused
from mytriton.passes.encodings import (
    MAX_ACCESS_BYTES,
    SHAPE_OPS,
    encoding_of_value,
    half_encoding,
    is_elementwise,
    operand_encoding,
    set_type,
    shape_of_tensor,
    tensor_type,
    with_encoding,
)

RUN_BYTES = 16
"""How many neighbouring bytes an access of a warp should have at least, to be better than an exchange before it: half
of the unit in which a GPU accesses global memory."""

FEW_ACCESSES = 8
"""So many elements in each thread are accessed without an exchange, however far apart they are."""

LEAVES = frozenset({tt.MakeRangeOp, tt.SplatOp, arith.ConstantOp, ttg.InBoundsOp})
EXPENSIVE = frozenset({arith.DivfOp, arith.RemfOp, tt.PreciseSqrtOp, tt.PreciseDivFOp, tt.ExternElementwiseOp})

Encoding = DistributedEncodingAttr
Wanted = tuple[SSAValue, Encoding]


@dataclass(frozen=True)
class RemoveLayoutConversions(ModulePass):
    """convert_layout(f(range, splat)) -> f(range, splat); store(p, convert_layout(x)) -> store(p, x)"""

    name: ClassVar[str] = "remove-layout-conversions"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in walk(op):
            if type(function) is tt.FuncOp:
                ConversionRemoval(function).apply()


class ConversionRemoval:
    """The values of one function in other layouts (`copies`), and how many elements move to get there (`costs`)."""

    def __init__(self, function: tt.FuncOp):
        self.function = function
        self.copies: dict[Wanted, SSAValue] = {}
        self.costs: dict[Wanted, int] = {}

    def apply(self) -> None:
        ops = walk(self.function)
        if not any(type(op) is ttg.ConvertLayoutOp for op in ops):
            return
        for op in reversed(ops):
            if type(op) is scf.ForOp:
                self.carry_computed_layouts(op)
            elif type(op) is scf.IfOp:
                self.pass_on_computed_layouts(op)
        for op in walk(self.function):
            if type(op) is tt.StoreOp:
                self.store_in_layout_of_value(op)
            elif type(op) is tt.LoadOp:
                self.load_in_layout_of_use(op)
        for op in walk(self.function):
            if type(op) is ttg.ConvertLayoutOp:
                self.remove(op)
        self.erase_dead()

    # Control flow

    def carry_computed_layouts(self, loop: scf.ForOp) -> None:
        """for (x: A) { yield convert_layout(y: B) } -> convert_layout(for (x: B) { convert_layout(x); yield y })"""
        body = loop.body.block
        last = body.last_op
        assert last is not None
        for index, argument in enumerate(body.args[1:]):
            old_type, value = tensor_type(argument), last.operands[index]
            conversion = value.owner
            if old_type is None or not isinstance(conversion, ttg.ConvertLayoutOp):
                continue
            new_type = conversion.src.type
            result = loop.results[index]
            initial = self.inserted_before(loop, ttg.ConvertLayoutOp(loop.iter_args[index], new_type), argument)
            loop.operands[index + 3] = initial
            last.operands[index] = conversion.src
            set_type(argument, new_type)
            set_type(result, new_type)
            first = body.first_op
            assert first is not None
            self.replace_other_uses(
                argument, self.inserted_before(first, ttg.ConvertLayoutOp(argument, old_type), argument)
            )
            self.convert_result_back(loop, result, old_type)

    def pass_on_computed_layouts(self, branch: scf.IfOp) -> None:
        """if { yield convert_layout(x) } else { yield convert_layout(y) } -> convert_layout(if { x } else { y })"""
        ends = [block.last_op for region in branch.regions for block in region.blocks]
        for index, result in enumerate(branch.results):
            old_type = tensor_type(result)
            conversions = [end.operands[index].owner for end in ends if end is not None]
            sources = [op.src for op in conversions if isinstance(op, ttg.ConvertLayoutOp)]
            if old_type is None or len(sources) < len(conversions) or len({source.type for source in sources}) != 1:
                continue
            for end, source in zip(ends, sources, strict=True):
                assert end is not None
                end.operands[index] = source
            set_type(result, sources[0].type)
            self.convert_result_back(branch, result, old_type)

    def convert_result_back(self, op: Operation, result: SSAValue, old_type: Attribute) -> None:
        if result.first_use is None:
            return
        conversion = ttg.ConvertLayoutOp(result, old_type)
        self.insert_after(op, conversion, result)
        self.replace_other_uses(result, conversion.result)

    def replace_other_uses(self, value: SSAValue, conversion: SSAValue) -> None:
        """All uses of a value but the one by its conversion."""
        value.replace_uses_with_if(conversion, lambda use: use.operation is not conversion.owner)

    # Memory

    def store_in_layout_of_value(self, store: tt.StoreOp) -> None:
        """store(p, convert_layout(x), m) -> store(p', x, m') with p' and m' computed in the layout of x"""
        value = unconverted(store.value)
        encoding = encoding_of_value(value)
        if value is store.value or encoding is None or not self.can_access(store.ptr, encoding):
            return
        moved = [operand for operand in (store.ptr, store.mask) if operand is not None]
        if any(self.cost(operand, encoding) for operand in moved if tensor_type(operand) is not None):
            return
        for index, operand in enumerate(store.operands):
            if operand is store.value:
                store.operands[index] = value
            elif tensor_type(operand) is not None:
                store.operands[index] = self.copy(operand, encoding)

    def load_in_layout_of_use(self, load: tt.LoadOp) -> None:
        """convert_layout(load(p, m, o)) -> load(p', m', o') in the wanted layout, where nothing else uses the load

        There may be reshapes in between.
        """
        reshapes = reshapes_of(load.result)
        users = [use.operation for use in (reshapes[-1].result if reshapes else load.result).uses]
        if not users or not all(isinstance(user, ttg.ConvertLayoutOp) for user in users):
            return
        encodings = {encoding_of_value(user.results[0]) for user in users}
        encoding = encodings.pop()
        if encodings:
            return
        wanted = [encoding]
        for reshape in reversed(reshapes):
            encoding = None if encoding is None else operand_encoding(reshape, encoding)
            wanted.append(encoding)
        type = tensor_type(load.result)
        if encoding is None or type is None or not self.can_access(load.ptr, encoding):
            return
        tensors = [operand for operand in load.operands if tensor_type(operand) is not None]
        if any(self.cost(operand, encoding) for operand in tensors):
            return
        for index, operand in enumerate(load.operands):
            if tensor_type(operand) is not None:
                load.operands[index] = self.copy(operand, encoding)
        for value, found in zip(
            (load.result, *(reshape.result for reshape in reshapes)), reversed(wanted), strict=True
        ):
            type = tensor_type(value)
            assert type is not None and found is not None
            set_type(value, with_encoding(type, found))
            self.costs.pop((value, found), None)

    def can_access(self, pointer: SSAValue, encoding: Encoding) -> bool:
        """Whether accesses are few, or in runs that are long enough or as long as in the layout of the pointers."""
        own = encoding_of_value(pointer)
        if own is None:
            return False
        shape = shape_of_tensor(pointer)
        dim = own.order.data[0] if isinstance(own, BlockedEncodingAttr) else len(shape) - 1
        unit = unit_of(pointer.type)
        layout = encoding.to_linear(shape)
        run = neighbours_in_access(layout, dim, unit)
        if layout.register_count <= FEW_ACCESSES or run * unit >= RUN_BYTES:
            return True
        return run >= neighbours_in_access(own.to_linear(shape), dim, unit)

    # Conversions

    def remove(self, conversion: ttg.ConvertLayoutOp) -> None:
        """convert_layout(x) -> x computed in the wanted layout, where that moves fewer elements"""
        source, encoding = unconverted(conversion.src), encoding_of_value(conversion.result)
        if encoding is None or conversion.result.first_use is None:
            return
        if encoding_of_value(source) == encoding:
            replacement = source
        elif 2 * self.cost(source, encoding) <= math.prod(shape_of_tensor(source)):
            replacement = self.copy(source, encoding)
        else:
            conversion.operands[0] = source
            return
        conversion.result.replace_all_uses_with(replacement)

    def cost(self, value: SSAValue, encoding: Encoding) -> int:
        """How many elements move between threads to have the value in a layout."""
        for wanted in self.in_order((value, encoding), self.costs):
            self.costs[wanted] = self.cost_of_operands(*wanted)
        return self.costs[value, encoding]

    def cost_of_operands(self, value: SSAValue, encoding: Encoding) -> int:
        own = encoding_of_value(value)
        if own == encoding or type(value.owner) in LEAVES:
            return 0
        shape = shape_of_tensor(value)
        size = math.prod(shape)
        operands = self.operands_in(value, encoding)
        if operands is not None:
            size = min(size, sum(self.costs[operand] for operand in operands))
        if size and own is not None and own.to_linear(shape).equivalent(encoding.to_linear(shape)):
            return 0
        return size

    def operands_in(self, value: SSAValue, encoding: Encoding) -> list[Wanted] | None:
        """The operands, with layouts, from which to compute a value in a layout; None if it is not computed again."""
        op = value.owner
        if type(op) in LEAVES:
            return []
        if type(op) is ttg.ConvertLayoutOp:
            return [(op.src, encoding)]
        if isinstance(op, Block) or len(op.results) != 1 or op.name.startswith("math.") or type(op) in EXPENSIVE:
            return None
        if is_elementwise(op):
            return [(operand, encoding) for operand in op.operands if tensor_type(operand) is not None]
        if isinstance(op, tt.JoinOp):
            half = half_encoding(encoding)
            return [(op.lhs, half), (op.rhs, half)]
        if isinstance(op, SHAPE_OPS):
            needed = operand_encoding(op, encoding)
            return None if needed is None else [(op.src, needed)]
        return None

    def in_order(self, goal: Wanted, done: dict[Wanted, int] | dict[Wanted, SSAValue]) -> list[Wanted]:
        """What is not done yet of a goal and of all that it is computed from, operands first."""
        order: list[Wanted] = []
        seen: set[Wanted] = set()
        stack = [(goal, False)]
        while stack:
            wanted, is_expanded = stack.pop()
            if is_expanded:
                order.append(wanted)
                continue
            if wanted in done or wanted in seen:
                continue
            seen.add(wanted)
            stack.append((wanted, True))
            if encoding_of_value(wanted[0]) != wanted[1]:
                stack += [(operand, False) for operand in self.operands_in(*wanted) or ()]
        return order

    def copy(self, value: SSAValue, encoding: Encoding) -> SSAValue:
        """The value in a layout: computed again, or moved where it cannot be."""
        self.cost(value, encoding)
        stack = [((value, encoding), False)]
        while stack:
            wanted, is_expanded = stack.pop()
            if wanted in self.copies or encoding_of_value(wanted[0]) == wanted[1]:
                continue
            operands = self.operands_in(*wanted)
            if operands is not None and sum(self.cost(*operand) for operand in operands) > self.cost(*wanted):
                operands = None
            if operands and not is_expanded:
                stack.append((wanted, True))
                stack += [(operand, False) for operand in operands]
                continue
            self.copies[wanted] = self.new_copy(*wanted, operands)
        return self.copied(value, encoding)

    def copied(self, value: SSAValue, encoding: Encoding) -> SSAValue:
        return value if encoding_of_value(value) == encoding else self.copies[value, encoding]

    def new_copy(self, value: SSAValue, encoding: Encoding, operands: Sequence[Wanted] | None) -> SSAValue:
        type = tensor_type(value)
        assert type is not None
        new_type = with_encoding(type, encoding)
        op = value.owner
        if operands is not None and isinstance(op, ttg.ConvertLayoutOp):
            return self.copied(*operands[0])
        if operands is None or isinstance(op, Block):
            conversion = ttg.ConvertLayoutOp(value, new_type)
            if isinstance(op, Block):
                assert op.first_op is not None
                return self.inserted_before(op.first_op, conversion, value)
            self.insert_after(op, conversion, value)
            return conversion.result
        clone = op.clone({source: self.copied(source, needed) for source, needed in operands})
        set_type(clone.results[0], new_type)
        if isinstance(clone, arith.ConstantOp) and isa(clone.value, DenseIntOrFPElementsAttr):
            clone.properties["value"] = DenseIntOrFPElementsAttr.new([new_type, clone.value.data])
        self.insert_after(op, clone, value)
        return clone.results[0]

    # Rewriting

    def inserted_before(self, position: Operation, conversion: ttg.ConvertLayoutOp, source: SSAValue) -> SSAValue:
        assert position.parent is not None
        conversion.location = position.location
        conversion.result.name_hint = source.name_hint
        position.parent.insert_op_before(conversion, position)
        return conversion.result

    def insert_after(self, position: Operation, op: Operation, source: SSAValue) -> None:
        assert position.parent is not None
        op.location = position.location
        op.results[0].name_hint = source.name_hint
        position.parent.insert_op_after(op, position)

    def erase_dead(self) -> None:
        for op in reversed(walk(self.function)[1:]):
            if is_unused(op):
                erase(op)


def reshapes_of(value: SSAValue) -> list[tt.ReshapeOp]:
    """The reshapes that a value goes through, of which each is all that the one before it is used for."""
    found: list[tt.ReshapeOp] = []
    while value.has_one_use():
        user = next(iter(value.uses)).operation
        if type(user) is not tt.ReshapeOp:
            break
        found.append(user)
        value = user.result
    return found


def unconverted(value: SSAValue) -> SSAValue:
    """The value before any conversions of its layout."""
    while type(owner := value.owner) is ttg.ConvertLayoutOp:
        value = owner.src
    return value


def neighbours_in_access(layout: LinearLayout, dim: int, unit: int) -> int:
    """How many neighbours along `dim` one access of a warp can reach: those in its lanes, and 16 bytes in each lane."""
    count = min(layout.contiguous_registers(dim), max(1, MAX_ACCESS_BYTES // unit))
    while unit_basis(layout.rank, dim, count) in layout.bases.get(LANE, ()):
        count *= 2
    return count
