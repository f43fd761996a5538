"""Blocks that branch to each other as one block of nested `scf.if` and `scf.while`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from xdsl.dialects import cf, scf
from xdsl.dialects.builtin import LocationAttr, i1, i32
from xdsl.ir import Attribute, Block, BlockArgument, Operation, Region, SSAValue

from mytriton.dialects import arith, tt
from mytriton.dialects.building import append, create, operations, region_of, replace_uses
from mytriton.dialects.constants import constant_attr
from mytriton.dialects.structured import if_branch, yield_values
from mytriton.errors import PassError
from mytriton.passes.branch_edges import carry_out_of_loops, edges_of, terminator_of
from mytriton.passes.control_flow_graph import ControlFlowGraph, successors_of
from mytriton.passes.placeholders import placeholder

MAXIMUM_DEPTH = 200
"""How deep branches may nest."""


def structure(function: tt.FuncOp) -> None:
    """Replaces the blocks of a function by a single one."""
    body = function.body
    graph = ControlFlowGraph.of(body)
    for block in list(body.blocks):
        if block not in graph.number:
            body.erase_block(block, safe_erase=False)
    for block in graph.order:
        _check_terminator(block)
    if (edge := graph.irreducible_edge()) is not None:
        raise PassError("this branch leads into the middle of a loop", terminator_of(edge[0]).location)
    carry_out_of_loops(graph)
    _Structurer(function, graph).run()


def _check_terminator(block: Block) -> None:
    last = terminator_of(block)
    if not isinstance(last, cf.BranchOp | cf.ConditionalBranchOp | cf.SwitchOp | tt.ReturnOp):
        raise PassError(f"expected a branch or tt.return at the end of a block, found '{last.name}'", last.location)


# Structured control flow

Target = Block | None
"""Where control goes next: a block of the function, or None for its end."""


@dataclass
class Outcome:
    """Where control may go next, and what the targets get.

    `selector` says which target it is: of two, true for the first one; of more, its index; None of one alone.
    """

    arguments: dict[Target, list[SSAValue]]
    selector: SSAValue | None = None

    @property
    def targets(self) -> list[Target]:
        return list(self.arguments)


@dataclass
class _Branch:
    """One side of an `scf.if`: its operations, and where it ends."""

    block: Block
    outcome: Outcome


@dataclass
class _Structurer:
    function: tt.FuncOp
    graph: ControlFlowGraph
    loops: dict[Block, set[Block]] = field(default_factory=dict[Block, set[Block]])
    dominated: dict[Block, set[Block]] = field(default_factory=dict[Block, set[Block]])

    def run(self) -> None:
        graph, body = self.graph, self.function.body
        self.loops = graph.loops()
        for block in reversed(graph.order):
            own = self.dominated.setdefault(block, {block})
            if block is not graph.idom[block]:
                self.dominated.setdefault(graph.idom[block], {graph.idom[block]}).update(own)
        entry = graph.order[0]
        into = Block(arg_types=[argument.type for argument in entry.args])
        for old, new in zip(entry.args, into.args, strict=True):
            new.name_hint, new.location = old.name_hint, old.location
        ends = [block for block in graph.order if not successors_of(block)]
        location = terminator_of(ends[-1] if ends else entry).location
        outcome = self.sequence(entry, list(into.args), set(graph.order), into, None, 0)
        assert outcome.targets == [None]
        self.add(into, tt.ReturnOp(*outcome.arguments[None]), location)
        for block in list(body.blocks):
            body.erase_block(block, safe_erase=False)
        body.add_block(into)

    def add(self, into: Block, op: Operation, location: LocationAttr) -> Operation:
        op.location = location
        append(into, op)
        return op

    def types_of(self, target: Target) -> Sequence[Attribute]:
        if target is None:
            return list(self.function.function_type.outputs)
        return [argument.type for argument in target.args]

    def names_of(self, target: Target) -> list[str | None]:
        if target is None:
            return [None] * len(self.function.function_type.outputs)
        return [argument.name_hint for argument in target.args]

    def sequence(
        self,
        first: Block,
        values: Sequence[SSAValue],
        members: set[Block],
        into: Block,
        header: Block | None,
        depth: int,
    ) -> Outcome:
        """Puts `first` and what follows it within `members` at the end of `into`.

        `header` is the block whose loop body this is: a branch to it leaves the sequence.
        """
        if depth > MAXIMUM_DEPTH:
            raise PassError("branches nest too deeply", terminator_of(first).location)
        inner = members - {header} if header is not None else members
        block, starts = first, True
        while True:
            if block in self.loops and not (starts and block is header):
                outcome = self.loop(block, values, into, depth)
            else:
                outcome = self.straight(block, values, inner, into, depth)
            starts = False
            location = terminator_of(block).location
            while True:
                inside = [target for target in outcome.targets if target is not None and target in inner]
                if not inside:
                    return outcome
                following = min(inside, key=self.graph.number.__getitem__)
                if len(outcome.targets) == 1:
                    block, values = following, outcome.arguments[following]
                    break
                outcome = self.conditional_step(following, outcome, inner, into, location, depth)

    def straight(self, block: Block, values: Sequence[SSAValue], inner: set[Block], into: Block, depth: int) -> Outcome:
        """The operations of one block, and its branch."""
        for old, new in zip(block.args, values, strict=True):
            _name_like(new, old)
            replace_uses(old, new)
        last = terminator_of(block)
        for op in operations(block):
            if op is not last:
                op.detach()
                append(into, op)
        if isinstance(last, tt.ReturnOp):
            return Outcome({None: list(last.operands)})
        edges = edges_of(block)
        if isinstance(last, cf.SwitchOp):
            return self.switch(last, edges, into)
        if len(edges) == 1:
            return Outcome({edges[0][0]: edges[0][1]})
        assert isinstance(last, cf.ConditionalBranchOp)
        sides = [self.side(block, target, values, inner, depth) for target, values in edges]
        return self.join(last.cond, sides[0], sides[1], into, last.location)

    def side(self, block: Block, target: Block, values: list[SSAValue], inner: set[Block], depth: int) -> _Branch:
        """What follows a conditional branch on one side, as far as nothing else leads there."""
        into = Block()
        edges = sum(successor is target for successor in successors_of(block))
        alone = self.graph.predecessors[target] == [block] and edges == 1
        if not alone or target not in inner:
            return _Branch(into, Outcome({target: values}))
        return _Branch(into, self.sequence(target, values, self.dominated[target] & inner, into, None, depth + 1))

    def switch(self, op: cf.SwitchOp, edges: list[tuple[Block, list[SSAValue]]], into: Block) -> Outcome:
        """A switch is a chain of questions whether the flag is the number of a case, the last one first."""
        outcome = Outcome({edges[0][0]: edges[0][1]})
        numbers = [] if op.case_values is None else [int(value) for value in op.case_values.get_values()]  # pyright: ignore
        for number, (target, values) in reversed(list(zip(numbers, edges[1:], strict=True))):
            wanted = self.constant(into, op.flag.type, number, op.location)
            is_case = self.add(into, arith.CmpiOp(op.flag, wanted, "eq"), op.location).results[0]
            taken, other = _Branch(Block(), Outcome({target: values})), _Branch(Block(), outcome)
            outcome = self.join(is_case, taken, other, into, op.location)
        return outcome

    def conditional_step(
        self, target: Block, outcome: Outcome, inner: set[Block], into: Block, location: LocationAttr, depth: int
    ) -> Outcome:
        """Where `target` is next, goes on there; otherwise all stays as it is."""
        condition = self.is_target(outcome, target, into, location)
        rest = {other: values for other, values in outcome.arguments.items() if other is not target}
        otherwise = _Branch(Block(), Outcome(rest))
        if len(rest) > 1:
            recoded = self.recoded(outcome, list(rest), otherwise.block, location)
            otherwise.outcome.selector = recoded
        taken = Block()
        reached = self.sequence(
            target, outcome.arguments[target], self.dominated[target] & inner, taken, None, depth + 1
        )
        return self.join(condition, _Branch(taken, reached), otherwise, into, location)

    def loop(self, header: Block, values: Sequence[SSAValue], into: Block, depth: int) -> Outcome:
        """A loop that does its body and then asks whether it was left."""
        location = terminator_of(header).location
        before = Block(arg_types=[value.type for value in values])
        for old, new in zip(header.args, before.args, strict=True):
            new.name_hint = old.name_hint
        outcome = self.sequence(header, list(before.args), self.loops[header], before, header, depth + 1)
        exits = [target for target in outcome.targets if target is not header]
        if not exits:
            raise PassError("this loop never ends", location)
        goes_on = self.is_target(outcome, header, before, location)
        passed = list(outcome.arguments[header])
        if len(exits) > 1:
            passed.append(self.recoded(outcome, exits, before, location))
        for target in exits:
            passed += outcome.arguments[target]
        self.add(before, scf.ConditionOp(goes_on, *passed), location)
        types = [value.type for value in passed]
        after = Block(arg_types=types)
        self.add(after, yield_values(after.args[: len(values)]), location)
        loop = create(scf.WhileOp, list(values), types, regions=(region_of(before), region_of(after)))
        self.add(into, loop, location)
        results = list(loop.results[len(values) :])
        selector = results.pop(0) if len(exits) > 1 else None
        return Outcome(self.distributed(exits, results), selector)

    # Joining the two sides of a branch

    def ordered(self, targets: Iterable[Target]) -> list[Target]:
        """The targets in the order in which they are asked for, the end of the function last."""
        last = len(self.graph.order)
        return sorted(targets, key=lambda target: last if target is None else self.graph.number[target])

    def join(
        self, condition: SSAValue, then: _Branch, otherwise: _Branch, into: Block, location: LocationAttr
    ) -> Outcome:
        """`scf.if` of two sides, which yields where each of them goes and with what."""
        targets = self.ordered({*then.outcome.targets, *otherwise.outcome.targets})
        if then.block.is_empty and otherwise.block.is_empty and then.outcome.selector is otherwise.outcome.selector:
            return self.selection(condition, then.outcome, otherwise.outcome, into, location)
        yielded: list[tuple[SSAValue, SSAValue]] = []
        kept: list[SSAValue | None] = []
        names: list[str | None] = []
        if len(targets) > 1:
            pair = tuple(self.recoded(side.outcome, targets, side.block, location) for side in (then, otherwise))
            yielded.append((pair[0], pair[1]))
            names.append(None)
        for target in targets:
            for index, type in enumerate(self.types_of(target)):
                a, b = (self.argument(side, target, index, type, location) for side in (then, otherwise))
                kept.append(a if a is b else None)
                if a is not b:
                    yielded.append((a, b))
                    names.append(self.names_of(target)[index])
        types = [value.type for value, _ in yielded]
        self.add(then.block, yield_values([value for value, _ in yielded]), location)
        self.add(otherwise.block, yield_values([value for _, value in yielded]), location)
        empty_else = not yielded and len(operations(otherwise.block)) == 1
        regions = region_of(then.block), Region() if empty_else else region_of(otherwise.block)
        branch = self.add(into, if_branch(condition, types, *regions), location)
        results = list(branch.results)
        for result, name in zip(results, names, strict=True):
            result.name_hint = name
        selector = results.pop(0) if len(targets) > 1 else None
        fresh = iter(results)
        return Outcome(self.distributed(targets, [next(fresh) if v is None else v for v in kept]), selector)

    def selection(
        self, condition: SSAValue, then: Outcome, otherwise: Outcome, into: Block, location: LocationAttr
    ) -> Outcome:
        """The two sides of a branch that do nothing but to go on to one block each."""
        found = {**then.arguments, **otherwise.arguments}
        arguments = {target: found[target] for target in self.ordered(found)}
        for target in then.arguments.keys() & otherwise.arguments.keys():
            pairs = zip(then.arguments[target], otherwise.arguments[target], strict=True)
            arguments[target] = [
                a if a is b else self.add(into, arith.SelectOp(condition, a, b), location).results[0] for a, b in pairs
            ]
        if len(arguments) == 1:
            return Outcome(arguments)
        return Outcome(arguments, self.recoded(Outcome(found, condition), list(arguments), into, location))

    def argument(self, side: _Branch, target: Target, index: int, type: Attribute, location: LocationAttr) -> SSAValue:
        """What a target gets from one side: something, no matter what, if that side does not go there."""
        found = side.outcome.arguments.get(target)
        return placeholder(side.block, type, location) if found is None else found[index]

    def distributed(self, targets: Iterable[Target], values: Sequence[SSAValue]) -> dict[Target, list[SSAValue]]:
        rest = iter(values)
        return {target: [next(rest) for _ in self.types_of(target)] for target in targets}

    # Selectors

    def constant(self, into: Block, type: Attribute, number: int, location: LocationAttr) -> SSAValue:
        return self.add(into, arith.ConstantOp(constant_attr(type, number)), location).results[0]

    def is_target(self, outcome: Outcome, target: Target, into: Block, location: LocationAttr) -> SSAValue:
        """Whether a target, one of several, is the one that is next."""
        targets, selector = outcome.targets, outcome.selector
        assert selector is not None and target in targets
        if len(targets) > 2:
            index = self.constant(into, i32, targets.index(target), location)
            return self.add(into, arith.CmpiOp(selector, index, "eq"), location).results[0]
        if targets[0] is target:
            return selector
        true = self.constant(into, i1, 1, location)
        return self.add(into, arith.XOrIOp(selector, true), location).results[0]

    def recoded(self, outcome: Outcome, targets: list[Target], into: Block, location: LocationAttr) -> SSAValue:
        """The selector of an outcome as one among `targets`, of which there are two or more."""
        if outcome.targets == targets:
            assert outcome.selector is not None
            return outcome.selector
        # Targets that are not asked for do not matter: they are never next where this is read.
        candidates = [target for target in outcome.targets if target in targets]
        if len(targets) == 2:
            if len(candidates) == 2:
                return self.is_target(outcome, targets[0], into, location)
            return self.constant(into, i1, int(candidates[0] is targets[0]), location)
        selected = self.constant(into, i32, targets.index(candidates[-1]), location)
        for target in candidates[:-1]:
            is_next = self.is_target(outcome, target, into, location)
            code = self.constant(into, i32, targets.index(target), location)
            selected = self.add(into, arith.SelectOp(is_next, code, selected), location).results[0]
        return selected


def _name_like(value: SSAValue, argument: BlockArgument) -> None:
    if value.name_hint is None and argument.name_hint is not None:
        value.name_hint = argument.name_hint
