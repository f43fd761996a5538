"""`for` and `while` statements."""

from __future__ import annotations

import ast
from abc import ABC
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from xdsl.dialects.builtin import IntegerAttr, UnitAttr, i32
from xdsl.ir import Attribute, Block, BlockArgument, SSAValue

from mytriton import messages
from mytriton.frontend.branches import Branches
from mytriton.frontend.flow_analysis import assigned_names
from mytriton.frontend.frame import BROKE, LOOP_VARIABLES, RESULT, RETURNED, Exit, Loop, Undefined
from mytriton.frontend.joining import Join, filled, leaves, same_constant, with_leaves, zeros_for
from mytriton.frontend.loop_bounds import LoopBounds, loop_bounds
from mytriton.language import operators
from mytriton.language.dtypes import dtype, int1
from mytriton.language.ranges import LoopRange, static_range
from mytriton.language.shapes import constant_int
from mytriton.language.values import are_alike, is_number, is_tuple, parts_of, tensor


@dataclass
class _Plan:
    """What was learnt of a loop by compiling its body; compiled again where it turns out to be wrong.

    `materialized`: numbers that the loop changes, and so carries as tensors. `breaks`: a `break` or a `return` is
    reached. `returned`: a value like that of a `return` which is reached, or nothing. `tested`: of each variable that
    the test of a `while` is the first to assign, a value like that. `is_endless`: only a `break` or a `return` leaves
    the loop. `only_returns`: there is no `break`.
    """

    materialized: set[str] = field(default_factory=set[str])
    breaks: bool = False
    returned: list[Any] = field(default_factory=list[Any])
    tested: dict[str, Any] = field(default_factory=dict[str, Any])
    is_endless: bool = False
    only_returns: bool = False


class _WrongPlanError(Exception):
    """The body must be compiled again, with another plan."""


@dataclass
class _Carried:
    """The variables that a loop carries from turn to turn, with the values that they have before it."""

    before: dict[str, Any]
    """Of each carried variable, the value before the loop; its tensors are what is carried."""
    constants: dict[str, Any]
    """Of each variable that the loop must leave as it is, its compile-time value."""

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self.before)

    @property
    def initial(self) -> list[tensor]:
        return [leaf for value in self.before.values() for leaf in leaves(value)]

    @property
    def types(self) -> list[dtype]:
        return [value.type for value in self.initial]

    def with_results(self, kept: Sequence[int], results: Sequence[SSAValue]) -> list[SSAValue]:
        """The values after the loop, of which those at the positions `kept` are its results."""
        handles = [value.handle for value in self.initial]
        for position, result in zip(kept, results, strict=True):
            handles[position] = result
        return handles

    def from_handles(self, handles: Sequence[SSAValue]) -> dict[str, Any]:
        """The variables with other values of the same types."""
        pairs = zip(handles, self.initial, strict=True)
        tensors = iter([tensor(handle, before.type) for handle, before in pairs])
        return {name: with_leaves(value, tensors) for name, value in self.before.items()}


class Loops(Branches, ABC):
    """The visitors of loops; one that runs on the device carries the variables that it changes."""

    def for_statement(self, node: ast.For) -> Exit:
        if node.orelse:
            self.fail(messages.loop_else("for"), node.orelse[0])
        iterated = self.expression(node.iter)
        self.at(node)
        if not isinstance(iterated, LoopRange) or isinstance(iterated, static_range):
            return self._unroll(node, iterated)
        if not isinstance(node.target, ast.Name):
            self.fail(messages.loop_target(), node.target)
        bounds: LoopBounds = self.guarded(node.iter, lambda: loop_bounds(iterated))
        hints: dict[str, Attribute] = self.guarded(node.iter, lambda: _hints(iterated))
        target, plan = node.target, _Plan()
        outer = self._loop_variables()
        while not self._attempt(lambda: self._for_loop(node, target, bounds, hints, plan)):
            pass
        return self._end_loop(outer)

    def while_statement(self, node: ast.While) -> Exit:
        if node.orelse:
            self.fail(messages.loop_else("while"), node.orelse[0])
        plan = _Plan()
        outer = self._loop_variables()
        while not self._attempt(lambda: self._while_loop(node, plan)):
            pass
        return self._end_loop(outer)

    def _loop_variables(self) -> dict[str, Any]:
        """Takes away what is known of how the loop around this one is left."""
        return {name: self.variables.pop(name) for name in LOOP_VARIABLES if name in self.variables}

    def _end_loop(self, outer: dict[str, Any]) -> Exit:
        """How control goes on after a loop; `outer` is what `_loop_variables` gave before it."""
        ended = self._loop_variables()
        self.variables.update(outer)
        returned = ended.get(RETURNED, False)
        if isinstance(returned, tensor):
            self.frame.pending = returned, ended[RESULT]
            return Exit.PERHAPS_RETURN
        if not returned:
            return Exit.END
        self.frame.returned = ended[RESULT]
        return Exit.RETURN

    def _attempt(self, compile: Callable[[], None]) -> bool:
        frame = self.frame
        variables, loops = dict(frame.variables), list(frame.loops)
        try:
            compile()
        except _WrongPlanError:
            frame.variables, frame.loops = variables, loops
            return False
        return True

    # Unrolled loops

    def _unroll(self, node: ast.For, iterated: Any) -> Exit:
        """A loop over compile-time values: the body once for each."""
        flow = self.frame.source.flow[node]
        names = tuple(name for name in flow.assigned if name in flow.live_at_head)
        outer = self._loop_variables()
        for value in self.unrolled(iterated, node.iter):
            self.count_statement(node)
            broke = self.variables.get(BROKE, False)
            if isinstance(broke, tensor):
                self._turn_unless(broke, node, value, names)
            elif broke:
                break
            else:
                self._unrolled_turn(node, value, names)
        return self._end_loop(outer)

    def _unrolled_turn(self, node: ast.For, value: Any, names: tuple[str, ...]) -> None:
        self.variables[BROKE] = False
        self.guarded(node.target, lambda: self.assign(node.target, value))
        self.frame.loops.append(Loop(names))
        self.end_turn(self.run(node.body))
        self.frame.loops.pop()

    def _turn_unless(self, broke: tensor, node: ast.For, value: Any, names: tuple[str, ...]) -> None:
        """A turn that is left out if an earlier one has left the loop."""
        before = self.variables
        block = Block()
        self.frame.variables = dict(before)
        with self.builder.at(block):
            self._unrolled_turn(node, value, names)
        after, self.frame.variables = self.variables, before
        self.at(node)
        self.frame.loops.append(Loop(names))
        self.join_turns(node, operators.invert(broke), [block, Block()], [after, {**before, BROKE: True}])
        self.frame.loops.pop()

    def unrolled(self, values: Any, node: ast.AST) -> Iterator[Any]:
        if isinstance(values, LoopRange):
            name = f"tl.{values.name}" if isinstance(values, static_range) else "range"
            start, end, step = (
                self.guarded(node, lambda bound=bound, what=what: constant_int(bound, f"the {what} of {name}"))
                for what, bound in (("start", values.start), ("end", values.end), ("step", values.step))
            )
            if step == 0:
                self.fail(messages.zero_step(), node)
            turns = range(start, end, step)
            self.refuse_if_too_many(len(turns), node)
            yield from turns
        elif isinstance(values, tuple | str):
            yield from values
        else:
            self.fail(messages.not_iterable(values), node)

    # Loops on the device

    def _carried(self, node: ast.For | ast.While, plan: _Plan, target: str | None = None) -> _Carried:
        """The variables that the loop carries; those that have no value before it get a reason for that."""
        flow = self.frame.source.flow[node]
        carried = _Carried({}, {})
        for name in flow.assigned:
            if name not in flow.live_at_head or name == target:
                continue
            value = self.variables.get(name)
            if name in plan.tested:
                carried.before[name] = zeros_for(self.materialized(plan.tested[name]))
            elif name not in self.variables or isinstance(value, Undefined):
                self.variables[name] = Undefined(messages.defined_in_loop(name, self._line(None, node)))
            elif name in plan.materialized:
                carried.before[name] = self.materialized(value)
            elif any(True for _ in leaves(value)):
                carried.before[name] = value
            else:
                carried.constants[name] = value
        if plan.returned:
            carried.before[RETURNED] = operators.constant(False, int1)
            result = zeros_for(self.materialized(plan.returned[0]))
            has_tensors = any(True for _ in leaves(result))
            (carried.before if has_tensors else carried.constants)[RESULT] = result
        return carried

    def _for_loop(
        self, node: ast.For, target: ast.Name, bounds: LoopBounds, hints: dict[str, Attribute], plan: _Plan
    ) -> None:
        carried = self._carried(node, plan, target.id)
        if target.id in self.frame.source.flow[node].live_after:
            self._carry_loop_variable(target, bounds, carried)
        head = [bounds.counter_type, int1] if plan.breaks else [bounds.counter_type]
        body = Block(arg_types=[self.builder.type(type) for type in (*head, *carried.types)])
        counter = tensor(body.args[0], bounds.counter_type)

        def begin_turn() -> None:
            index = self.guarded(node.iter, lambda: bounds.index(counter))
            self.assign(target, index)

        after = self._turn(node, body, body.args[len(head) :], carried, plan, begin_turn)
        values = self._carried_on(node, carried, after)
        if plan.breaks:
            results = self._breaking_for(bounds, body, carried, after[BROKE], values)
        else:
            kept = _prune([body], body.args[1:], carried.initial, values)
            with self.builder.at(body):
                self.builder.yield_([values[position] for position in kept])
            initial = [carried.initial[position].handle for position in kept]
            start, end, step = bounds.start.handle, bounds.end.handle, bounds.step.handle
            results = carried.with_results(kept, self.builder.for_loop(start, end, step, initial, body, hints))
        self._after_loop(carried, results)

    def _carry_loop_variable(self, target: ast.Name, bounds: LoopBounds, carried: _Carried) -> None:
        """After the loop its variable has the value of the last turn, or if there was none the one from before."""
        before = self.variables.get(target.id)
        if isinstance(before, tensor) and before.type == bounds.index_type:
            carried.before[target.id] = before
        elif is_number(before) and operators.to_tensor(before).dtype == bounds.index_type:
            carried.before[target.id] = operators.to_tensor(before)
        elif bounds.surely_runs:
            carried.before[target.id] = operators.constant(0, bounds.index_type)
        else:
            self.variables[target.id] = Undefined(messages.loop_variable_after_loop(target.id))

    def _breaking_for(
        self, bounds: LoopBounds, body: Block, carried: _Carried, broke: Any, values: list[SSAValue]
    ) -> list[SSAValue]:
        """A `for` that a `break` may leave, as a `while` that counts."""
        before = Block(arg_types=body.arg_types)
        counter = tensor(before.args[0], bounds.counter_type)
        with self.builder.at(before):
            goes_on = operators.invert(tensor(before.args[1], int1))
            self.builder.condition(operators.and_(goes_on, counter < bounds.end).handle, before.args)
        with self.builder.at(body):
            following = tensor(body.args[0], bounds.counter_type) + bounds.step
            self.builder.yield_([following.handle, operators.to_tensor(broke).handle, *values])
        initial = [bounds.start, operators.constant(False, int1), *carried.initial]
        return self.builder.while_loop([value.handle for value in initial], before, body)[2:]

    def _while_loop(self, node: ast.While, plan: _Plan) -> None:
        carried = self._carried(node, plan)
        head = [int1] if plan.breaks else []
        types = [self.builder.type(type) for type in (*head, *carried.types)]
        before, body = Block(arg_types=types), Block(arg_types=types)
        goes_on, tested = self._test(node, before, carried, plan)
        if goes_on is False:
            return
        after = self._turn(node, body, body.args[len(head) :], carried, plan)
        values = self._carried_on(node, carried, after)
        if plan.is_endless and not plan.breaks:
            self.fail(messages.endless_loop(), node.test)
        kept = list(range(len(values)))
        if tested == list(before.args[len(head) :]):
            kept = _prune([body, before], body.args[len(head) :], carried.initial, values, before.args[len(head) :])
        with self.builder.at(before):
            passed = [*before.args[: len(head)], *(tested[position] for position in kept)]
            self.builder.condition(operators.to_tensor(goes_on).handle, passed)
        flags = [operators.to_tensor(after[BROKE]).handle] if plan.breaks else []
        with self.builder.at(body):
            self.builder.yield_([*flags, *(values[position] for position in kept)])
        initial = [carried.initial[position].handle for position in kept]
        if plan.breaks:
            initial.insert(0, operators.constant(False, int1).handle)
        results = self.builder.while_loop(initial, before, body)[len(head) :]
        self._after_loop(carried, carried.with_results(kept, results))
        if plan.is_endless and plan.only_returns:
            self.variables[RETURNED] = True

    def _test(
        self, node: ast.While, block: Block, carried: _Carried, plan: _Plan
    ) -> tuple[tensor | bool, list[SSAValue]]:
        """Compiles the test of a `while`; gives it, and the carried values after it."""
        outer = self.variables
        handles = block.args[1:] if plan.breaks else block.args
        self.frame.variables = dict(outer) | carried.from_handles(handles)
        test = Block() if plan.breaks else block
        with self.builder.at(test):
            goes_on = self.condition(node.test)
        values = self._carried_on(node, carried, self.variables)
        self._carry_what_is_tested(node, carried, plan, test)
        self.frame.variables = outer
        self.at(node.test)
        plan.is_endless = goes_on is True
        if plan.breaks and (isinstance(goes_on, tensor) or test.first_op is not None):
            # After a `break` the test is not evaluated.
            with self.builder.at(block):
                join = Join()
                form = join.add(operators.constant(False, int1), operators.to_tensor(goes_on))
                pairs = zip(handles, values, carried.types, strict=True)
                forms = [join.add(tensor(handle, type), tensor(value, type)) for handle, value, type in pairs]
                results = self.joined_branch(tensor(block.args[0], int1), Block(), test, join)
                goes_on, values = filled(form, results), [filled(one, results).handle for one in forms]
        elif plan.breaks:
            with self.builder.at(block):
                goes_on = operators.invert(tensor(block.args[0], int1))
        return goes_on, values

    def _carry_what_is_tested(self, node: ast.While, carried: _Carried, plan: _Plan, test: Block) -> None:
        """Has the loop carry a variable that its test assigns: it has a value whether there is a turn or not."""
        live = self.frame.source.flow[node].live_at_head
        names = {name for name in assigned_names([node.test]) if name in live}
        if missing := names - carried.before.keys() - carried.constants.keys():
            plan.tested |= {name: self.variables[name] for name in missing}
            test.erase(safe_erase=False)
            raise _WrongPlanError

    def _turn(
        self,
        node: ast.For | ast.While,
        block: Block,
        handles: Sequence[SSAValue],
        carried: _Carried,
        plan: _Plan,
        begin: Callable[[], None] | None = None,
    ) -> dict[str, Any]:
        """Compiles the body of a loop into `block`; gives the variables at its end."""
        frame, outer = self.frame, self.variables
        frame.variables = dict(outer) | carried.constants | carried.from_handles(handles) | {BROKE: False}
        if plan.returned:
            frame.variables[RETURNED] = False
        for name in carried.before:
            self.name_value(name, frame.variables[name])
        loop = Loop(carried.names)
        frame.loops.append(loop)
        with self.builder.at(block):
            if begin is not None:
                begin()
            self.end_turn(self.run(node.body))
        frame.loops.pop()
        after, frame.variables = frame.variables, outer
        self.at(node)
        plan.only_returns = bool(loop.returned) and not loop.breaks
        changed = {name for name, value in carried.constants.items() if not same_constant(after[name], value)}
        if changed or (after[BROKE] is not False and not plan.breaks) or (loop.returned and not plan.returned):
            self._correct(plan, changed, carried, after)
            if loop.returned and not plan.returned:
                plan.returned = [_most_specific(loop.returned)]
            block.erase(safe_erase=False)
            raise _WrongPlanError
        return after

    def _correct(self, plan: _Plan, changed: set[str], carried: _Carried, after: dict[str, Any]) -> None:
        for name in sorted(changed):
            if not _holds_numbers(carried.constants[name]):
                place = self.frame.assignments.get(name, self.frame.source.tree)
                self.fail(messages.constant_changed_in_loop(name, carried.constants[name], after[name]), place)
        plan.materialized |= changed
        plan.breaks = plan.breaks or after[BROKE] is not False

    def _carried_on(self, node: ast.For | ast.While, carried: _Carried, after: dict[str, Any]) -> list[SSAValue]:
        """The carried values at the end of a turn."""
        values: list[SSAValue] = []
        for name, before in carried.before.items():
            place = self.frame.assignments.get(name, node)
            value = after[name]
            if isinstance(value, Undefined):
                self.fail(messages.undefined_at_end_of_turn(name, value.error), place)
            found = _leaves_like(before, value)
            if found is None:
                if name == RESULT:
                    self.fail(messages.returns_differ(before, value), node)
                self.fail(messages.loop_changes_type(name, before, value), place)
            values.extend(leaf.handle for leaf in found)
        return values

    def _after_loop(self, carried: _Carried, handles: Sequence[SSAValue]) -> None:
        for name, value in carried.from_handles(handles).items():
            self.variables[name] = value
            self.name_value(name, value)
        if RESULT in carried.constants:
            self.variables[RESULT] = carried.constants[RESULT]


def _most_specific(values: Sequence[Any]) -> Any:
    """Of what several `return` statements return, one that has a dtype of its own, if there is one."""
    return next((value for value in values if any(True for _ in leaves(value))), values[0])


def _prune(
    blocks: Sequence[Block],
    arguments: Sequence[BlockArgument],
    initial: Sequence[tensor],
    values: list[SSAValue],
    passed: Sequence[BlockArgument] = (),
) -> list[int]:
    """Removes the carried values that never change; gives the positions of the others.

    `arguments` are those of the body, `passed` those of the test of a `while`.
    """
    kept = [position for position, value in enumerate(values) if value is not arguments[position]]
    for position in reversed(range(len(values))):
        if position in kept:
            continue
        handle = initial[position].handle
        for block, argument in zip(blocks, [arguments[position], *passed[position : position + 1]], strict=True):
            argument.replace_all_uses_with(handle)
            values[:] = [handle if value is argument else value for value in values]
            block.erase_arg(argument)
    return kept


def _leaves_like(before: Any, after: Any) -> list[tensor] | None:
    """The tensors of `after` if it has the structure and the types of `before`, else None."""
    if isinstance(before, tensor):
        if is_number(after) and not before.is_block and not before.dtype.is_ptr():
            natural = operators.to_tensor(after).dtype
            if natural.kind().value <= before.dtype.kind().value:
                return [operators.constant(after, before.dtype)]
        return [after] if isinstance(after, tensor) and after.type == before.type else None
    parts, others = parts_of(before), parts_of(after)
    if parts is not None:
        if others is None or not are_alike(before, after):
            return None
        found: list[tensor] = []
        for one, other in zip(parts, others, strict=True):
            part = _leaves_like(one, other)
            if part is None:
                return None
            found.extend(part)
        return found
    return [] if same_constant(before, after) else None


def _holds_numbers(value: Any) -> bool:
    """Whether a plain assignment would make it a tensor."""
    return is_number(value) or (is_tuple(value) and all(_holds_numbers(element) for element in value))


def _hints(loop: LoopRange) -> dict[str, Attribute]:
    """The attributes for the arguments of `tl.range` that are set."""
    found: dict[str, Attribute] = {}
    for name, value in loop.hints.items():
        if value is True:
            found[name] = UnitAttr()
        elif value is not None and value is not False:
            found[name] = IntegerAttr(constant_int(value, name.removeprefix("tt.")), i32)
    return found
