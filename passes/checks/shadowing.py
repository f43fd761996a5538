"""Computes the shadows of one kind in one function, in the operations around those of the program."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import scf
from xdsl.dialects.builtin import TensorType, i32
from xdsl.ir import Attribute, Block, BlockArgument, Operation, OpResult, Region, SSAValue

from mytriton.dialects import tt, ttg
from mytriton.dialects.arith import integer_constant
from mytriton.dialects.building import create, erase, operations, replace_uses, walk
from mytriton.dialects.tensor_types import is_tensor_type, shape_of, with_element_type
from mytriton.passes.checks.builder import Shadow, ShadowBuilder
from mytriton.passes.checks.kind import CLEAN, LANES, UNIFORM, WITH_REGIONS, Kind
from mytriton.passes.checks.masks import Facts, UnderMask, conjuncts
from mytriton.passes.checks.ranges import Ranges
from mytriton.passes.checks.tables import Tables


class Shadowing:
    """The shadows of the values of one function.

    `levels` has what the shadow of a value may be, for the values on which a checked one depends; it is found before
    anything is rewritten.
    """

    def __init__(self, function: tt.FuncOp, kind: type[Kind], tables: Tables, ranges: Ranges):
        self.function = function
        self.tables = tables
        self.kind = kind(self, tables, ranges)
        self.shadows: dict[SSAValue, SSAValue] = {}
        self.levels: dict[SSAValue, int] = {}
        self._in_region = False
        self._checked: set[tuple[SSAValue, SSAValue | None, Block | None]] = set()

    def apply(self) -> None:
        self._find_levels()
        if any(self.levels.values()):
            for block in self.function.body.blocks:
                self._block(block)

    # Which values may be faulty

    def _find_levels(self) -> None:
        """The levels of all values on which a checked value depends: the least ones that agree with each other."""
        sources: dict[SSAValue, Sequence[SSAValue]] = {}
        pending = [value for op in walk(self.function) for value in self.kind.used(op)]
        users: dict[SSAValue, list[SSAValue]] = {}
        while pending:
            value = pending.pop()
            if value in sources:
                continue
            sources[value] = found = self._sources(value)
            for source in found:
                users.setdefault(source, []).append(value)
            pending += found
        levels = self.levels
        worklist = list(sources)
        while worklist:
            value = worklist.pop()
            level = self._level(value, sources[value])
            if level > levels.get(value, CLEAN):
                levels[value] = level
                worklist += users.get(value, ())

    def _level(self, value: SSAValue, sources: Sequence[SSAValue]) -> int:
        op = value.owner
        passes_on = isinstance(op, Block | scf.ForOp | scf.WhileOp | scf.IfOp)
        if isinstance(op, Block) or passes_on or self.kind.carries_shadows(op):
            level = max((self.level(source) for source in sources), default=CLEAN)
            if isinstance(op, WITH_REGIONS) and level:
                level = LANES
        else:
            level = self.kind.level(op, value, self.level)
        return level if is_tensor_type(value.type) else min(level, UNIFORM)

    def level(self, value: SSAValue) -> int:
        return self.levels.get(value, CLEAN)

    def _sources(self, value: SSAValue) -> Sequence[SSAValue]:
        """The values whose faults are faults of this one."""
        if isinstance(value, BlockArgument):
            return self._sources_of_argument(value)
        assert isinstance(value, OpResult)
        op, index = value.op, value.index
        match op:
            case scf.ForOp():
                return op.iter_args[index], _end(op.body).operands[index]
            case scf.WhileOp():
                return (_end(op.before_region).operands[index + 1],)
            case scf.IfOp():
                passed = [_end(region).operands[index] for region in op.regions if region.blocks]
                return [*passed, op.cond] if _is_in_region(op) else passed
            case tt.MapElementwiseOp() if self.kind.carries_shadows(op):
                pack = op.pack.value.data
                return _end(op.scalar_op).operands[index * pack : (index + 1) * pack]
            case tt.ReduceOp() | tt.ScanOp() if self.kind.carries_shadows(op):
                return op.srcs[index], _end(op.combine_op).operands[index]
            case _:
                return self.kind.spreads_from(op)

    def _sources_of_argument(self, value: BlockArgument) -> Sequence[SSAValue]:
        op, index = value.block.parent_op(), value.index
        match op:
            case scf.ForOp():
                return (op.iter_args[index - 1], _end(op.body).operands[index - 1]) if index else ()
            case scf.WhileOp() if value.block is op.before_region.block:
                return op.arguments[index], _end(op.after_region).operands[index]
            case scf.WhileOp():
                return (_end(op.before_region).operands[index + 1],)
            case tt.MapElementwiseOp():
                return (op.srcs[index // op.pack.value.data],)
            case tt.ReduceOp() | tt.ScanOp():
                index %= len(op.srcs)
                return op.srcs[index], _end(op.combine_op).operands[index]
            case _:
                return ()

    # Operations

    def _block(self, block: Block) -> None:
        for op in operations(block):
            self._operation(op)

    def _operation(self, op: Operation) -> None:
        if not self._in_region:
            self.kind.check(op)
        match op:
            case scf.ForOp():
                self._for(op)
            case scf.WhileOp():
                self._while(op)
            case scf.IfOp():
                self._if(op)
            case _ if not any(map(self.level, op.results)):
                pass
            case tt.ReduceOp() | tt.ScanOp() | tt.MapElementwiseOp() if self.kind.carries_shadows(op):
                self._with_region(op)
            case _:
                for result, shadow in zip(op.results, self.kind.shadows(op, ShadowBuilder(op)), strict=True):
                    self._set(result, shadow)

    def _set(self, value: SSAValue, shadow: Shadow) -> None:
        if shadow is not None:
            self.shadows[value] = shadow

    def _type(self, value: SSAValue) -> Attribute:
        """The type of a value's shadow where loops and branches pass it on."""
        shape = shape_of(value.type)
        return TensorType(i32, shape) if shape is not None and self.level(value) == LANES else i32

    def _passed(self, op: Operation, values: Sequence[SSAValue], like: Sequence[SSAValue]) -> list[SSAValue]:
        """The shadows of values, computed in front of `op`, in the types of the shadows of others."""
        builder = ShadowBuilder(op, is_before=True)
        return [
            builder.as_type(self.shadows.get(value), self._type(other))
            for value, other in zip(values, like, strict=True)
        ]

    def _new_arguments(self, block: Block, arguments: Sequence[SSAValue]) -> None:
        """Arguments behind those of a block, for the shadows of some of these."""
        for argument in arguments:
            new = block.insert_arg(self._type(argument), len(block.args))
            new.name_hint = _name(argument)
            self.shadows[argument] = new

    def _faulty(self, values: Sequence[SSAValue]) -> list[int]:
        return [number for number, value in enumerate(values) if self.level(value)]

    def _for(self, op: scf.ForOp) -> None:
        """for (x) { yield y } -> for (x, shadow of x) { yield y, shadow of y }, for those that may be faulty"""
        body = op.body.block
        arguments = body.args[1:]
        carried = self._faulty(arguments)
        chosen = [arguments[i] for i in carried]
        initial = self._passed(op, [op.iter_args[i] for i in carried], chosen)
        self._new_arguments(body, chosen)
        self._block(body)
        if carried:
            self._append(_end(op.body), carried, chosen)
            self._replace(op, initial, carried, chosen)

    def _while(self, op: scf.WhileOp) -> None:
        """The same for a loop with a condition."""
        before, after = op.before_region.block, op.after_region.block
        carried, passed = self._faulty(before.args), self._faulty(after.args)
        kept, given = [before.args[i] for i in carried], [after.args[i] for i in passed]
        initial = self._passed(op, [op.arguments[i] for i in carried], kept)
        self._new_arguments(before, kept)
        self._block(before)
        self._new_arguments(after, given)
        self._block(after)
        if carried or passed:
            self._append(_end(op.before_region), [i + 1 for i in passed], given)
            self._append(_end(op.after_region), carried, kept)
            self._replace(op, initial, passed, given)

    def _if(self, op: scf.IfOp) -> None:
        """if { yield x } else { yield y } -> if { yield x, shadow of x } else { yield y, shadow of y }"""
        for region in op.regions:
            for block in region.blocks:
                self._block(block)
        passed = self._faulty(op.results)
        if not passed:
            return
        results = [op.results[i] for i in passed]
        for region in op.regions:
            self._append(_end(region), passed, results)
        new = self._replace(op, (), passed, results)
        condition = self.shadows.get(op.cond) if self._in_region else None
        for number in passed if condition is not None else ():
            result = new.results[number]
            self._set(result, ShadowBuilder(new).both(self.shadows[result], condition))

    def _append(self, end: Operation, numbers: Sequence[int], like: Sequence[SSAValue]) -> None:
        """Lets the end of a block pass on the shadows of some of its operands as well."""
        end.operands = [*end.operands, *self._passed(end, [end.operands[i] for i in numbers], like)]

    def _replace(
        self, op: Operation, initial: Sequence[SSAValue], numbers: Sequence[int], like: Sequence[SSAValue]
    ) -> Operation:
        """The same operation with more operands, and results for the shadows of some results behind the others."""
        types = [*op.result_types, *map(self._type, like)]
        return self._put(op, [*op.operands, *initial], types, numbers)

    def _put(
        self, op: Operation, operands: Sequence[SSAValue], types: Sequence[Attribute], numbers: Sequence[int]
    ) -> Operation:
        new = create(type(op), operands, types, dict(op.properties), [_moved(region) for region in op.regions])
        new.attributes = dict(op.attributes)
        ShadowBuilder(op, is_before=True).insert(new)
        for old, result in zip(op.results, new.results, strict=False):
            result.name_hint = old.name_hint
            self.levels[result] = self.level(old)
            replace_uses(old, result)
        for number, shadow in zip(numbers, new.results[len(op.results) :], strict=True):
            shadow.name_hint = _name(new.results[number])
            self.shadows[new.results[number]] = shadow
        erase(op)
        return new

    def _with_region(self, op: tt.ReduceOp | tt.ScanOp | tt.MapElementwiseOp) -> None:
        """reduce(x) { f } -> reduce(x, shadow of x) { f, and the shadow of f }, and the same for a scan and a map"""
        builder = ShadowBuilder(op, is_before=True)
        sources = [builder.as_tensor(self.shadows.get(src), shape_of(src.type) or ()) for src in op.srcs]
        block, count = op.regions[0].block, len(op.srcs)
        # A combination takes two sets of elements, each of which gets its shadows.
        groups = [block.args] if isinstance(op, tt.MapElementwiseOp) else [block.args[:count], block.args[count:]]
        for group in reversed(groups):
            place = group[-1].index + 1
            for offset, argument in enumerate(group):
                new = block.insert_arg(i32, place + offset)
                new.name_hint = _name(argument)
                self.shadows[argument] = new
        outer, self._in_region = self._in_region, True
        self._block(block)
        self._in_region = outer
        end = block.last_op
        assert end is not None
        builder = ShadowBuilder(end, is_before=True)
        end.operands = [*end.operands, *(builder.as_type(self.shadows.get(value), i32) for value in end.operands)]
        types = [*op.result_types, *(with_element_type(result.type, i32) for result in op.results)]
        self._put(op, [*op.operands, *sources], types, range(len(op.results)))

    # Checks

    def check(
        self,
        op: Operation,
        value: SSAValue,
        what: str,
        mask: SSAValue | None = None,
        pointer: SSAValue | None = None,
        by_all: bool = False,
    ) -> None:
        """Puts a check of a value in front of `op`, which uses it in the elements that the mask names.

        `by_all`: all threads use it that hold copies of an element.

        Nothing is put where the mask leaves no fault, nor where a check of something else than a stored value would say
        what an earlier one has said.
        """
        shadow: Shadow = self.shadows.get(value)
        is_stored = pointer is not None and pointer is not value
        if shadow is None or (not is_stored and self._was_checked(shadow, mask, op)):
            return
        builder = ShadowBuilder(op, is_before=True)
        shadow = UnderMask(builder).simplified(shadow, Facts() if mask is None else conjuncts(mask))
        if shadow is None:
            return
        sink = self.tables.sink(op, what)
        shape = shape_of(value.type)
        if shape is None or is_tensor_type(shadow.type):
            builder.insert(ttg.CheckOp(shadow, sink, pointer, mask, by_all))
        elif integer_constant(shadow) is not None:
            builder.insert(ttg.CheckOp(builder.as_tensor(shadow, shape), sink, pointer, mask, by_all))
        else:
            # One look at what is the same for all elements, in place of one for each.
            outer = builder.where(builder.is_faulty(shadow))
            builder.insert(ttg.CheckOp(builder.as_tensor(shadow, shape), sink, pointer, mask, by_all))
            builder.end(outer)

    def _was_checked(self, shadow: SSAValue, mask: SSAValue | None, op: Operation) -> bool:
        """Whether the same has been checked before `op`, on each way to it; notes that it is now."""
        outer: Operation | None = op
        while outer is not None:
            if (shadow, mask, outer.parent) in self._checked:
                return True
            outer = outer.parent_op()
        self._checked.add((shadow, mask, op.parent))
        return False


def _end(region: Region) -> Operation:
    last = region.block.last_op
    assert last is not None
    return last


def _is_in_region(op: Operation) -> bool:
    """Whether an operation stands in a region that combines or maps elements."""
    outer = op.parent_op()
    while outer is not None and not isinstance(outer, WITH_REGIONS):
        outer = outer.parent_op()
    return outer is not None


def _moved(region: Region) -> Region:
    new = Region()
    for block in list(region.blocks):
        region.detach_block(block)
        new.add_block(block)
    return new


def _name(value: SSAValue) -> str:
    return f"{value.name_hint or 'value'}_fault"
