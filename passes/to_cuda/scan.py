"""Scans: over the registers of a thread, then over the lanes of a warp, then over warps."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.dialects import scf
from xdsl.dialects.builtin import UnitAttr, i32
from xdsl.ir import Block, Operation, Region, SSAValue

from mytriton.dialects import arith, cuda, tt, ttg
from mytriton.dialects.attribute_names import UNROLL
from mytriton.dialects.linear_layout import REGISTER, LinearLayout, segments
from mytriton.errors import CompilationError
from mytriton.passes.axis_order import AxisOrder
from mytriton.passes.locations import location_of
from mytriton.passes.to_cuda.converter import Converter, layout
from mytriton.passes.to_cuda.emitter import Emitter, element_type_of
from mytriton.passes.to_cuda.reduction import combine, warp_reduced_layout


def convert_scan(converter: Converter, op: Operation) -> None:
    """scan -> for each bit of the register's number along the axis a map, then shuffles for each bit of the lane's.

    Warps along the axis are not joined here: decompose-scans has split such scans before.
    """
    assert isinstance(op, tt.ScanOp | ttg.WarpScanOp)
    source, axis = layout(op.srcs[0]), op.axis.value.data
    order = AxisOrder.of(source, axis)
    if order is None or (isinstance(op, tt.ScanOp) and order.warps):
        raise CompilationError(
            "convert-to-cuda: a scan along an axis that is spread over warps or in another order",
            location_of(op),
            hint="decompose-scans splits it first",
        )
    arrays = [converter.array(src) for src in op.srcs]
    scan = Scan(converter, op.regions[0].block, source, order, op.is_reverse)
    for step in range(len(order.registers)):
        arrays = scan.over_registers(arrays, step)
    if order.lanes or isinstance(op, ttg.WarpScanOp):
        totals = scan.thread_totals(arrays)
        if order.lanes:
            before, totals = scan.over_lanes(totals, isinstance(op, ttg.WarpScanOp))
            arrays = scan.with_prefix(arrays, before, scan.has_lanes_before(order.lane_masks))
        if isinstance(op, ttg.WarpScanOp):
            for total, value in zip(op.totals, totals, strict=True):
                converter.set(total, value)
    for result, array in zip(op.results, arrays, strict=False):
        converter.set(result, array)


def convert_warp_prefix(converter: Converter, op: Operation) -> None:
    """warp_prefix -> each element combined with the totals of the warps before its own."""
    assert isinstance(op, ttg.WarpPrefixOp)
    source, axis = layout(op.scanned[0]), op.axis.value.data
    order = AxisOrder.of(source, axis)
    assert order is not None
    scan = Scan(converter, op.body.block, source, order, op.is_reverse)
    own_warp = converter.emitter.thread_coordinate(warp_reduced_layout(source, axis), axis)
    assert own_warp is not None
    arrays = [converter.array(value) for value in op.scanned]
    totals = [converter.array(value) for value in op.totals]
    before, has_before = scan.over_warps(totals, own_warp, 1 << len(order.warps))
    for result, array in zip(op.outputs, scan.with_prefix(arrays, before, has_before), strict=True):
        converter.set(result, array)


class Scan:
    """The steps of one scan. Values come in arrays over registers, or over the registers at one place of the axis."""

    def __init__(self, converter: Converter, body: Block, source: LinearLayout, order: AxisOrder, is_reverse: bool):
        self.converter = converter
        self.emitter: Emitter = converter.emitter
        self.body = body
        self.source = source
        self.order = order
        self.is_reverse = is_reverse
        self.others = order.others(source)

    def combine(self, earlier: Sequence[SSAValue], later: Sequence[SSAValue]) -> list[SSAValue]:
        return combine(self.converter, self.body, [*earlier, *later])

    def select(self, condition: SSAValue, left: Sequence[SSAValue], right: Sequence[SSAValue]) -> list[SSAValue]:
        return [self.emitter.add(arith.SelectOp(condition, a, b)) for a, b in zip(left, right, strict=True)]

    def map(
        self, size: int, like: Sequence[SSAValue], body: Callable[[SSAValue | None], Sequence[SSAValue]]
    ) -> list[SSAValue]:
        types, hints = [element_type_of(value) for value in like], [value.name_hint for value in like]
        return self.emitter.map(size, types, body, hints=hints)

    def has_bits(self, number: SSAValue, mask: int, wanted: int) -> SSAValue:
        """Whether the bits of a mask in a number are `wanted`."""
        bits = self.emitter.add(arith.AndIOp(number, self.emitter.constant(mask)))
        return self.emitter.add(arith.CmpiOp(bits, self.emitter.constant(wanted), "eq"))

    def lacks_bits(self, number: SSAValue, mask: int, unwanted: int) -> SSAValue:
        bits = self.emitter.add(arith.AndIOp(number, self.emitter.constant(mask)))
        return self.emitter.add(arith.CmpiOp(bits, self.emitter.constant(unwanted), "ne"))

    # Registers

    def over_registers(self, arrays: Sequence[SSAValue], step: int) -> list[SSAValue]:
        """Joins pairs of runs of 2**step neighbours: the later run takes in the last element of the earlier one."""
        bit = 1 << self.order.registers[step]
        below = sum(1 << lower for lower in self.order.registers[:step])
        count = self.source.register_count

        def body(register: SSAValue | None) -> list[SSAValue]:
            assert register is not None
            own = [self.emitter.get(array, register) for array in arrays]
            is_later = self.has_bits(register, bit, 0) if self.is_reverse else self.lacks_bits(register, bit, 0)
            rest = self.emitter.constant(count - 1 - bit - below)
            last: SSAValue = self.emitter.add(arith.AndIOp(register, rest))
            last_of_earlier = bit if self.is_reverse else below
            if last_of_earlier:
                last = self.emitter.add(arith.OrIOp(last, self.emitter.constant(last_of_earlier)))

            def joined() -> list[SSAValue]:
                return self.combine([self.emitter.get(array, last) for array in arrays], own)

            return self.branch(is_later, joined, own)

        return self.map(count, arrays, body)

    def branch(self, condition: SSAValue, then: Callable[[], list[SSAValue]], other: list[SSAValue]) -> list[SSAValue]:
        """if (condition) then() else other"""
        blocks = Block(), Block()
        outer, self.emitter.block = self.emitter.block, blocks[0]
        self.emitter.add_op(scf.YieldOp(*then()))
        self.emitter.block = blocks[1]
        self.emitter.add_op(scf.YieldOp(*other))
        self.emitter.block = outer
        branch = scf.IfOp(condition, [value.type for value in other], [blocks[0]], [blocks[1]])
        self.emitter.add_op(branch)
        return list(branch.results)

    def thread_totals(self, arrays: Sequence[SSAValue]) -> list[SSAValue]:
        """The last scanned element of this thread, for each register that does not move along the axis."""
        if not self.order.registers:
            return list(arrays)
        last = 0 if self.is_reverse else self.order.register_mask

        def body(number: SSAValue | None) -> list[SSAValue]:
            register: SSAValue | None = None
            if number is not None:
                part = segments([(i, 1 << bit) for i, bit in enumerate(self.others)])
                register = self.emitter.bits(number, len(self.others), part, False)
            register = self.emitter.add_index(register, self.emitter.constant(last))
            return [self.emitter.get(array, register) for array in arrays]

        return self.map(1 << len(self.others), arrays, body)

    # Lanes

    def has_lanes_before(self, masks: Sequence[int]) -> SSAValue:
        """Whether there are lanes before this one, among those that differ from it in the bits of the masks."""
        return self.lacks_bits(self.emitter.thread_id(), sum(masks), sum(masks) if self.is_reverse else 0)

    def over_lanes(self, totals: Sequence[SSAValue], wants_totals: bool) -> tuple[list[SSAValue], list[SSAValue]]:
        """The combined totals of the lanes before each lane (anything for the first), and of all lanes."""
        masks = self.order.lane_masks
        count = len(totals)

        def body(number: SSAValue | None) -> list[SSAValue]:
            own = [self.emitter.get(total, number) for total in totals]
            before: list[SSAValue] = []
            for step, mask in enumerate(masks):
                mask_value = self.emitter.constant(mask)
                received = [self.emitter.add(cuda.ShuffleXorOp(value, mask_value)) for value in own]
                is_later = self.has_lanes_before([mask])
                if not before:
                    before = received
                else:
                    joined = self.combine(received, before)
                    joined = self.select(self.has_lanes_before(masks[:step]), joined, received)
                    before = self.select(is_later, joined, before)
                if wants_totals or step + 1 < len(masks):
                    earlier = self.select(is_later, received, own)
                    own = self.combine(earlier, self.select(is_later, own, received))
            return [*before, *own]

        found = self.map(1 << len(self.others), [*totals, *totals], body)
        return found[:count], found[count:]

    # Warps

    def over_warps(self, totals: Sequence[SSAValue], own_warp: SSAValue, count: int) -> tuple[list[SSAValue], SSAValue]:
        """The combined totals of the warps before this one, and whether there are any."""
        emitter, others = self.emitter, len(self.others)
        first, predicate = (count - 1, "slt") if self.is_reverse else (0, "sgt")
        has_before = emitter.add(arith.CmpiOp(own_warp, emitter.constant(first), predicate))

        def totals_of(number: SSAValue | None, warp: SSAValue) -> list[SSAValue]:
            place = warp
            if others:
                place = emitter.add(arith.MuliOp(warp, emitter.constant(1 << others)))
            index = emitter.add_index(number, place)
            return [emitter.get(total, index) for total in totals]

        def body(number: SSAValue | None) -> list[SSAValue]:
            before = totals_of(number, emitter.constant(first))
            if count == 2:
                return before
            block = Block(arg_types=[i32, *(value.type for value in before)])
            step, carried = block.args[0], block.args[1:]
            step.name_hint = "w"
            one = emitter.constant(1)
            outer, emitter.block = emitter.block, block
            warp: SSAValue = step
            if self.is_reverse:
                warp = emitter.add(arith.SubiOp(emitter.constant(count - 1), step))
            joined = self.combine(carried, totals_of(number, warp))
            is_before = emitter.add(arith.CmpiOp(own_warp, warp, predicate))
            emitter.add_op(scf.YieldOp(*self.select(is_before, joined, list(carried))))
            emitter.block = outer
            loop = scf.ForOp(one, emitter.constant(count - 1), one, before, Region(block))
            loop.attributes[UNROLL] = UnitAttr()
            emitter.add_op(loop)
            return list(loop.results)

        return self.map(1 << others, totals, body), has_before

    # Both

    def with_prefix(
        self, arrays: Sequence[SSAValue], before: Sequence[SSAValue], has_before: SSAValue
    ) -> list[SSAValue]:
        """Each element combined with what is before this thread, if anything is."""
        emitter = self.emitter
        part = segments([(bit, 1 << i) for i, bit in enumerate(self.others)])

        def body(register: SSAValue | None) -> list[SSAValue]:
            number: SSAValue | None = None
            if register is not None and self.others:
                number = emitter.bits(register, self.source.input_bits(REGISTER), part, False)
            own = [emitter.get(array, register) for array in arrays]
            joined = self.combine([emitter.get(value, number) for value in before], own)
            return self.select(has_before, joined, own)

        return self.map(self.source.register_count, arrays, body)
