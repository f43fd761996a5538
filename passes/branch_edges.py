"""The branches between the blocks of a function: where they lead, and with what."""

from __future__ import annotations

from xdsl.dialects import cf
from xdsl.ir import Block, Operation, SSAValue

from mytriton.passes.control_flow_graph import ControlFlowGraph, successors_of


def terminator_of(block: Block) -> Operation:
    """The last operation of a block."""
    assert block.last_op is not None
    return block.last_op


def edges_of(block: Block) -> list[tuple[Block, list[SSAValue]]]:
    """The blocks that a block branches to, each with the values that its arguments get."""
    last = block.last_op
    match last:
        case cf.BranchOp():
            return [(last.successor, list(last.arguments))]
        case cf.ConditionalBranchOp():
            return [(last.then_block, list(last.then_arguments)), (last.else_block, list(last.else_arguments))]
        case cf.SwitchOp():
            cases = zip(last.case_blocks, last.case_operand, strict=True)
            return [
                (last.default_block, list(last.default_operands)),
                *((target, list(values)) for target, values in cases),
            ]
        case _:
            return []


def _with_arguments(block: Block, added: dict[Block, list[SSAValue]]) -> None:
    """Gives the targets of a block's branches more arguments."""
    last = terminator_of(block)
    if not any(target in added for target, _ in edges_of(block)):
        return
    edges = [(target, [*values, *added.get(target, ())]) for target, values in edges_of(block)]
    match last:
        case cf.BranchOp():
            new: Operation = cf.BranchOp(edges[0][0], *edges[0][1])
        case cf.ConditionalBranchOp():
            (then, then_values), (otherwise, else_values) = edges
            new = cf.ConditionalBranchOp(last.cond, then, then_values, otherwise, else_values)
        case cf.SwitchOp():
            (default, default_values), *cases = edges
            new = cf.SwitchOp(
                last.flag,
                default,
                default_values,
                last.case_values,
                [target for target, _ in cases],
                [values for _, values in cases],
            )
        case _:
            return
    new.location = last.location
    last.detach()
    last.drop_all_references()
    block.add_op(new)


def carry_out_of_loops(graph: ControlFlowGraph) -> None:
    """Values of a loop that are read after it become arguments of every block where they are needed."""
    for members in graph.loops().values():
        for block in graph.order:
            if block in members:
                for value in [*block.args, *(result for op in block.ops for result in op.results)]:
                    _carry_out(graph, members, value)


def _carry_out(graph: ControlFlowGraph, members: set[Block], value: SSAValue) -> None:
    uses = [(use, _block_within(use.operation, graph)) for use in value.uses]
    outside = {block for _, block in uses if block not in members}
    if not outside:
        return
    needed = set(outside)
    pending = list(outside)
    while pending:
        for predecessor in graph.predecessors[pending.pop()]:
            if predecessor not in members and predecessor not in needed:
                needed.add(predecessor)
                pending.append(predecessor)
    arguments: dict[Block, SSAValue] = {}
    for block in needed:
        argument = block.insert_arg(value.type, len(block.args))
        argument.name_hint = value.name_hint
        arguments[block] = argument
    for use, block in uses:
        if block in arguments:
            use.operation.operands[use.index] = arguments[block]
    for block in graph.order:
        passed = arguments.get(block, value)
        _with_arguments(block, {target: [passed] for target in successors_of(block) if target in arguments})


def _block_within(op: Operation, graph: ControlFlowGraph) -> Block:
    """The block of the function that an operation is in, at whatever depth."""
    block = op.parent_block()
    while block is not None and block not in graph.number:
        parent = block.parent_op()
        block = None if parent is None else parent.parent_block()
    assert block is not None
    return block
