"""Builds `cuda` operations: constants and thread indices once for the whole kernel, everything else in place."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.dialects.arith import IntegerOverflowAttr, IntegerOverflowFlag
from xdsl.dialects.builtin import FloatAttr, IntegerAttr, i1, i32
from xdsl.ir import Attribute, Block, Operation, SSAValue

from mytriton.dialects import arith, cuda
from mytriton.dialects.building import append, insert_before, region_of, set_name
from mytriton.dialects.linear_layout import LANE_BITS, LinearLayout, Segment, is_power_of_two
from mytriton.dialects.tensor_types import is_fixed_width_integer, is_vector_type

NO_WRAP = IntegerOverflowAttr([IntegerOverflowFlag.NSW])


class Emitter:
    """Appends operations to a block, with the location of the operation that is being converted."""

    def __init__(self, block: Block, num_warps: int):
        self.block = block
        self.num_warps = num_warps
        self.source: Operation | None = None
        self.prologue: list[Operation] = []
        self._constants: dict[tuple[object, Attribute], SSAValue] = {}
        self._i32_constants: dict[int, SSAValue] = {}
        self._thread_parts: dict[tuple[LinearLayout, int], SSAValue | None] = {}
        self._thread_id: SSAValue | None = None
        self._in_prologue = False

    def add(self, op: Operation, hint: str | None = None) -> SSAValue:
        """Appends an operation and returns its first result."""
        self.add_op(op)
        result = op.results[0]
        if hint is not None:
            set_name(result, hint)
        return result

    def add_op(self, op: Operation) -> None:
        if self._in_prologue:
            self.prologue.append(op)
            return
        if self.source is not None:
            op.location = self.source.location
        append(self.block, op)

    def finish(self, entry: Block) -> None:
        """Puts the constants and thread indices at the top of the kernel."""
        if not self.prologue:
            return
        first = entry.first_op
        if first is None:
            entry.add_ops(self.prologue)
        else:
            insert_before(self.prologue, first)

    # Scalars

    def constant(self, value: int, value_type: Attribute = i32) -> SSAValue:
        """An integer constant; an unsigned pattern is given as the signed number of the same bits."""
        if value_type is i32 and (found := self._i32_constants.get(value)) is not None:
            return found
        key = (value, value_type)
        if (found := self._constants.get(key)) is None:
            assert is_fixed_width_integer(value_type)
            op = arith.ConstantOp(IntegerAttr(value, value_type, truncate_bits=True))
            self.prologue.append(op)
            found = self._constants[key] = op.results[0]
        if value_type is i32:
            self._i32_constants[value] = found
        return found

    def attribute_constant(self, attribute: IntegerAttr | FloatAttr) -> SSAValue:
        """The constant that an attribute holds, of the attribute's type."""
        key = (attribute, attribute.type)
        if (found := self._constants.get(key)) is None:
            op = arith.ConstantOp(attribute)
            self.prologue.append(op)
            found = self._constants[key] = op.results[0]
        return found

    def add_index(self, left: SSAValue | None, right: SSAValue | None) -> SSAValue | None:
        """left + right, which is known not to wrap; None stands for zero."""
        if left is None or right is None:
            return right if left is None else left
        return self.add(arith.AddiOp(left, right, overflow=NO_WRAP))

    def conjunction(self, conditions: Sequence[SSAValue | None]) -> SSAValue | None:
        """All conditions together; None stands for true."""
        result: SSAValue | None = None
        for condition in conditions:
            if condition is not None:
                result = condition if result is None else self.add(arith.AndIOp(result, condition))
        return result

    # Indices

    def thread_id(self) -> SSAValue:
        if self._thread_id is None:
            op = cuda.ThreadIdOp()
            op.result.name_hint = "tid"
            self.prologue.append(op)
            self._thread_id = op.result
        return self._thread_id

    def bits(self, index: SSAValue, total_bits: int, part: Sequence[Segment], exclusive_or: bool) -> SSAValue | None:
        """The contribution of an index of `total_bits` bits to a coordinate: for each segment its bits, scaled."""
        result: SSAValue | None = None
        for shift, width, scale in part:
            term = index
            if shift:
                term = self.add(arith.DivSIOp(term, self.constant(1 << shift)))
            if shift + width < total_bits:
                term = self.add(arith.RemSIOp(term, self.constant(1 << width)))
            if scale != 1:
                term = self.add(arith.MuliOp(term, self.constant(scale), overflow=NO_WRAP))
            if result is None:
                result = term
            elif exclusive_or:
                result = self.add(arith.XOrIOp(result, term))
            else:
                result = self.add(arith.AddiOp(result, term, overflow=NO_WRAP))
        return result

    def thread_coordinate(self, layout: LinearLayout, dim: int) -> SSAValue | None:
        """What the thread index contributes to the coordinate of `dim`; computed once, at the top of the kernel."""
        key = (layout, dim)
        if key not in self._thread_parts:
            part = layout.thread_segments(dim)
            if part:
                thread_id = self.thread_id()
                self._in_prologue, previous = True, self._in_prologue
                total = LANE_BITS + self.num_warps.bit_length() - 1
                coordinate = self.bits(thread_id, total, part, not layout.is_separable(dim))
                self._in_prologue = previous
                if coordinate is not None and coordinate.name_hint is None:
                    coordinate.name_hint = _thread_coordinate_name(layout.rank, dim)
                self._thread_parts[key] = coordinate
            else:
                self._thread_parts[key] = None
        return self._thread_parts[key]

    def register_coordinate(self, layout: LinearLayout, dim: int, register: SSAValue | None) -> SSAValue | None:
        """What the register's number contributes to the coordinate of `dim`."""
        part = layout.register_segments(dim)
        if not part:
            return None
        assert register is not None
        return self.bits(register, layout.register_count.bit_length() - 1, part, not layout.is_separable(dim))

    def coordinate(self, layout: LinearLayout, dim: int, register: SSAValue | None) -> SSAValue | None:
        """The coordinate along `dim` of the element in a register of this thread; None stands for zero."""
        thread = self.thread_coordinate(layout, dim)
        own = self.register_coordinate(layout, dim, register)
        if thread is None or own is None or layout.is_separable(dim):
            return self.add_index(thread, own)
        return self.add(arith.XOrIOp(thread, own))

    def coordinate_or_zero(self, layout: LinearLayout, dim: int, register: SSAValue | None) -> SSAValue:
        coordinate = self.coordinate(layout, dim, register)
        return self.constant(0) if coordinate is None else coordinate

    def in_bounds(self, layout: LinearLayout, shape: Sequence[int], register: SSAValue | None) -> SSAValue | None:
        """Whether a register holds an element and not padding; None where all of them do."""
        conditions: list[SSAValue | None] = []
        for dim, size in enumerate(shape):
            if is_power_of_two(size):
                continue
            coordinate = self.coordinate(layout, dim, register)
            if coordinate is not None:
                conditions.append(self.add(arith.CmpiOp(coordinate, self.constant(size), "slt")))
        return self.conjunction(conditions)

    def owns_elements(self, layout: LinearLayout) -> SSAValue | None:
        """Whether this thread's elements are its own and not copies of another thread's; None where all are."""
        mask = layout.thread_free_mask
        if not mask:
            return None
        total = LANE_BITS + self.num_warps.bit_length() - 1
        lowest = mask & -mask
        thread_id = self.thread_id()
        if mask == (1 << total) - lowest:
            return self.add(arith.CmpiOp(thread_id, self.constant(lowest), "slt"))
        masked = self.add(arith.AndIOp(thread_id, self.constant(mask)))
        return self.add(arith.CmpiOp(masked, self.constant(0), "eq"))

    # Registers

    def map(
        self,
        size: int,
        element_types: Sequence[Attribute],
        body: Callable[[SSAValue | None], Sequence[SSAValue]],
        step: int = 1,
        hints: Sequence[str | None] = (),
    ) -> list[SSAValue]:
        """`cuda.map` around `body`, or `body` alone where a thread has one register.

        `body` gets the register's number (None for a single register) and returns one value for each element type, a
        vector of `step` elements where step > 1.
        """
        if size == 1:
            return list(body(None))
        region_block = cuda.register_block()
        register = region_block.args[0]
        set_name(register, "r")
        outer, self.block = self.block, region_block
        values = body(register)
        self.add_op(cuda.YieldOp(*values))
        self.block = outer
        op = cuda.MapOp(
            size, [cuda.RegsType.of(size, element) for element in element_types], region_of(region_block), step
        )
        self.add_op(op)
        for result, hint in zip(op.results, hints, strict=False):
            set_name(result, hint)
        return list(op.results)

    def get(self, value: SSAValue, register: SSAValue | None, width: int = 1) -> SSAValue:
        """One element of a register array; a scalar is its own only element."""
        if not isinstance(value.type, cuda.RegsType):
            return value
        assert register is not None
        return self.add(cuda.GetOp(value, register, width), value.name_hint)

    def splat_vector(self, value: SSAValue, width: int) -> SSAValue:
        """A vector with the same scalar in every element."""
        if width == 1:
            return value
        regs = self.add(cuda.SplatOp(value, width), value.name_hint)
        return self.add(cuda.GetOp(regs, self.constant(0), width))


def _thread_coordinate_name(rank: int, dim: int) -> str:
    names = {1: ("thread_start",), 2: ("thread_row", "thread_column")}
    return names[rank][dim] if rank in names else f"thread_dim_{dim}"


def element_type_of(value: SSAValue) -> Attribute:
    """The type of one element of a register array, a vector or a scalar."""
    if isinstance(value.type, cuda.RegsType):
        return value.type.element_type
    if is_vector_type(value.type):
        return value.type.element_type
    return value.type


def true_or(condition: SSAValue | None, emitter: Emitter) -> SSAValue:
    """A condition as a value; None stands for true."""
    return emitter.constant(1, i1) if condition is None else condition
