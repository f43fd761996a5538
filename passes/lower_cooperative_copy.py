"""`lower-cooperative-copy`: a copy of a global tile to a buffer is shared out among all threads of the block.

Thread t copies the elements t, t + threads, t + 2 * threads, ... of the tile in row-major order. A loop over them has a
constant number of trips where the threads divide the size, since the compiler cannot tell how often a loop that
begins at the thread's index runs. Elements outside the
bounds are filled, so every element of the buffer is written whatever the bounds are, and no thread skips the barrier
that follows. Where alignment and bounds prove it, an access moves up to 16 bytes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from xdsl.builder import Builder
from xdsl.context import Context
from xdsl.dialects import scf
from xdsl.dialects.builtin import IntegerAttr, IntegerType, ModuleOp, NoneAttr, UnitAttr, i1, i32
from xdsl.ir import Block, Operation, OpResult, Region, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint
from xdsl.utils.hints import isa

from mytriton.dialects import arith, cuda, tt, ttg
from mytriton.dialects.attribute_names import NUM_WARPS, UNROLL
from mytriton.dialects.building import operations, operations_of
from mytriton.dialects.layouts import SwizzledSharedEncodingAttr
from mytriton.errors import PassError
from mytriton.passes.axis_facts import highest_divisor
from mytriton.passes.axis_info import AxisInfoAnalysis

WIDEST_ACCESS = 16
"""Bytes that one access of a thread can move."""

MAX_UNROLLED_TRIPS = 16

PARTIAL_UNROLL = IntegerAttr(8, i32)


@dataclass(frozen=True)
class LowerCooperativeCopy(ModulePass):
    """copy_tile(tile, buffer) -> for i = tid; i < size; i += threads: buffer[i] = in bounds ? tile element i : other

    The number of warps is the module's `ttg.num-warps` unless it is given; 4 where neither is.
    """

    name: ClassVar[str] = "lower-cooperative-copy"

    num_warps: int | None = None

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        attribute = op.attributes.get(NUM_WARPS)
        of_module = attribute.value.data if isinstance(attribute, IntegerAttr) else 4
        num_warps = of_module if self.num_warps is None else self.num_warps
        if not 1 <= num_warps <= 32:
            raise PassError(f"a block has 1 to 32 warps, got {num_warps}")
        for function in operations(op.body.block):
            if isinstance(function, tt.FuncOp):
                copies = operations_of(function, ttg.CopyTileOp)
                for copy in copies:
                    refuse_unknown_order(copy)
                lower_copies(function, copies, 32 * num_warps)


def refuse_unknown_order(copy: ttg.CopyTileOp) -> None:
    """Raises PassError unless the buffer is plainly row-major."""
    assert isinstance(copy.buffer.type, ttg.MemDescType)
    encoding = copy.buffer.type.encoding
    if isinstance(encoding, NoneAttr):
        return
    if not isinstance(encoding, SwizzledSharedEncodingAttr) or encoding.max_phase.data != 1:
        raise PassError(f"a tile cannot be copied to a buffer with the encoding {encoding}", copy.location)
    order = encoding.order.data
    if order != (1, 0):
        raise PassError(
            f"a tile can only be copied to a row-major buffer, order [1, 0], got {list(order)}", copy.location
        )


def lower_copies(function: tt.FuncOp, copies: list[ttg.CopyTileOp], threads: int) -> None:
    if not copies:
        return
    facts = AxisInfoAnalysis(function)
    thread_id = cuda.ThreadIdOp()
    thread_id.result.name_hint = "tid"
    entry = function.body.blocks[0]
    entry.insert_op_before(thread_id, after_allocations(entry))
    for copy in copies:
        tile = copy.tile.owner
        if not isinstance(tile, ttg.GlobalTileOp):
            raise PassError("the tile to copy is not that of a ttg.global_tile", copy.location)
        Copy(copy, tile, thread_id.result, threads, proved_width(tile, facts)).emit()
        copy.detach()
        copy.erase()
        if tile.result.first_use is None:
            tile.detach()
            tile.erase()


def after_allocations(entry: Block) -> Operation:
    op = entry.first_op
    while isinstance(op, ttg.LocalAllocOp):
        op = op.next_op
    assert op is not None
    return op


def proved_width(tile: ttg.GlobalTileOp, facts: AxisInfoAnalysis) -> int:
    """How many neighbours in a row one access may move: each is aligned, and wholly inside or outside the bounds."""
    assert isinstance(tile.result.type, ttg.GlobalTileType)
    element_type = tile.result.type.element_type
    if element_type == i1 or not is_positive_zero(tile.other):
        return 1
    element_bytes = ttg.element_bytes(element_type)
    columns = tile.result.type.get_shape()[1]
    return min(
        WIDEST_ACCESS // element_bytes,
        facts.info(tile.base).divisibility_of_all(element_bytes) // element_bytes,
        *(
            facts.info(value).divisibility_of_all()
            for value in (tile.row_stride, tile.column_offset, tile.column_bound)
        ),
        highest_divisor(columns),
    )


def is_positive_zero(value: SSAValue) -> bool:
    number = arith.constant_value(value)
    return number == 0 and not str(number).startswith("-")


class Copy:
    """Emits one copy, with accesses of `width` elements."""

    def __init__(self, copy: ttg.CopyTileOp, tile: ttg.GlobalTileOp, thread_id: SSAValue, threads: int, width: int):
        assert isinstance(tile.result.type, ttg.GlobalTileType)
        self.copy = copy
        self.tile = tile
        self.thread_id = thread_id
        self.threads = threads
        self.width = max(1, width)
        self.rows, self.columns = tile.result.type.get_shape()
        self.builder = Builder(InsertPoint.before(copy))

    def emit(self) -> None:
        """The accesses of one thread: one, or none, or a loop of as many trips for all threads, or a ragged loop."""
        in_row = self.columns // self.width
        accesses = self.rows * in_row
        if accesses == self.threads:
            self.emit_access(*self.place(self.thread_id, in_row))
        elif accesses < self.threads:
            is_needed = self.add(arith.CmpiOp(self.thread_id, self.constant(accesses), "slt"), None)
            body = Block()
            self.insert(scf.IfOp(is_needed, [], Region(body), Region()))
            self.emit_in(body, lambda: self.place(self.thread_id, in_row))
        elif accesses % self.threads == 0:
            body = self.loop("trip", self.constant(0), accesses // self.threads, 1)
            self.emit_in(body, lambda: self.place_in_trip(body.args[0], in_row))
        else:
            body = self.loop("index", self.thread_id, accesses, self.threads)
            self.emit_in(body, lambda: self.place(body.args[0], in_row))

    def loop(self, name: str, start: SSAValue, end: int, step: int) -> Block:
        """The body of a new loop, which is unrolled (a long one in part) if every thread runs it as often."""
        body = Block(arg_types=[i32])
        body.args[0].name_hint = name
        loop = scf.ForOp(start, self.constant(end), self.constant(step), [], Region(body))
        if step == 1:
            loop.attributes[UNROLL] = UnitAttr() if end <= MAX_UNROLLED_TRIPS else PARTIAL_UNROLL
        self.insert(loop)
        return body

    def place(self, index: SSAValue, in_row: int) -> tuple[SSAValue, SSAValue]:
        """The row and the first column of the access with a number; there are `in_row` accesses in a row."""
        count = self.constant(in_row)
        row = self.add(arith.DivSIOp(index, count), "row")
        column = self.add(arith.RemSIOp(index, count), "column")
        if self.width > 1:
            column = self.add(arith.MuliOp(column, self.constant(self.width)), "column")
        return row, column

    def place_in_trip(self, trip: SSAValue, in_row: int) -> tuple[SSAValue, SSAValue]:
        """The row and the first column in a trip; the column is the same in all trips if they are of whole rows."""
        if self.threads % in_row:
            start = self.add(arith.MuliOp(trip, self.constant(self.threads)), None)
            return self.place(self.add(arith.AddiOp(self.thread_id, start), "index"), in_row)
        row, column = self.place(self.thread_id, in_row)
        start = self.add(arith.MuliOp(trip, self.constant(self.threads // in_row)), None)
        return self.add(arith.AddiOp(row, start), "row"), column

    def emit_in(self, body: Block, place: Callable[[], tuple[SSAValue, SSAValue]]) -> None:
        """Fills a region with the access at a place that is computed there."""
        self.builder.insertion_point = InsertPoint.at_end(body)
        self.emit_access(*place())
        self.insert(scf.YieldOp())

    def emit_access(self, row: SSAValue, column: SSAValue) -> None:
        tile = self.tile
        global_row = self.sum(tile.row_offset, row, "global_row")
        global_column = self.sum(tile.column_offset, column, "global_column")
        in_bounds = self.add(
            arith.AndIOp(self.is_below(global_row, tile.row_bound), self.is_below(global_column, tile.column_bound)),
            "in_bounds",
        )
        # The pointer is moved to the row first: the row's offset and the column may together exceed an i32.
        pointer = self.add(cuda.PtrAddOp(tile.base, self.product(global_row, tile.row_stride)), "row_pointer")
        # A vector is only proved for a fill of zeros, which is what a masked load without `other` gives.
        other = tile.other if self.width == 1 else None
        load = cuda.LoadOp(pointer, [global_column], in_bounds, other, self.width)
        value = self.add(load, "element" if self.width == 1 else "elements")
        self.insert(cuda.StoreOp(value, self.copy.buffer, [row, column]))

    # Scalars. Indices are signed; where two widths meet the narrower one is extended.

    def sum(self, offset: SSAValue, index: SSAValue, hint: str) -> SSAValue:
        """offset + index in the type of the offset."""
        if arith.integer_constant(offset) == 0 and offset.type == index.type:
            return index
        return self.add(arith.AddiOp(offset, self.extended(index, offset)), hint)

    def product(self, row: SSAValue, stride: SSAValue) -> SSAValue:
        if arith.integer_constant(stride) == 1:
            return row
        return self.add(arith.MuliOp(self.extended(row, stride), self.extended(stride, row)), "row_start")

    def is_below(self, index: SSAValue, bound: SSAValue) -> SSAValue:
        predicate = "ult" if self.tile.unsigned is not None else "slt"
        return self.add(arith.CmpiOp(self.extended(index, bound), self.extended(bound, index), predicate), None)

    def extended(self, value: SSAValue, other: SSAValue) -> SSAValue:
        """The value in the wider of both types."""
        assert isa(value.type, IntegerType) and isa(other.type, IntegerType)
        if value.type.bitwidth >= other.type.bitwidth:
            return value
        return self.add(arith.ExtSIOp(value, other.type), value.name_hint)

    def constant(self, value: int) -> SSAValue:
        return self.add(arith.ConstantOp.of(i32, value), None)

    def add(self, op: Operation, hint: str | None) -> OpResult:
        self.insert(op)
        op.results[0].name_hint = hint
        return op.results[0]

    def insert(self, op: Operation) -> None:
        op.location = self.copy.location
        self.builder.insert(op)
