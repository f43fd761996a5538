"""Checks that a module is valid IR: what every operation's verifier asks, and that values are defined before use."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.traits import IsolatedFromAbove, SymbolTable
from xdsl.utils.exceptions import VerifyException

from mytriton.diagnostics import with_source_line
from mytriton.errors import CompilationError, location_of_attribute
from mytriton.passes.control_flow_graph import ControlFlowGraph


def verify_module(module: ModuleOp, text: str | None = None) -> None:
    """Raise `CompilationError`, located at the operation, where `module` is not valid.

    `text` is what the module was read from; the error then shows its line.
    """
    try:
        module.verify()
    except VerifyException as error:
        raise _explain(module, error, text) from None
    _check_order(module, text)


def one_line(message: str) -> str:
    """`message` without line breaks, as a compiler's error is one line."""
    return " ".join(part.strip() for part in message.splitlines() if part.strip())


def _error_at(operation: Operation | None, message: str, text: str | None) -> CompilationError:
    location = location_of_attribute(operation.location) if operation else None
    return CompilationError(message, with_source_line(location, text))


def _explain(module: ModuleOp, error: VerifyException, text: str | None) -> CompilationError:
    """xDSL's error says what is wrong and not where: find the operation by asking each one."""
    for operation in module.walk():
        try:
            operation.verify(verify_nested_ops=False)
        except VerifyException as found:
            if (second := _defined_twice(operation)) is not None:
                name = second.properties["sym_name"]
                return _error_at(second, f"'{second.name}': {name} is defined twice", text)
            return _error_at(operation, f"'{operation.name}': {_reason(found)}", text)
    return _error_at(None, _reason(error), text)


def _defined_twice(operation: Operation) -> Operation | None:
    """The second operation in a table of symbols that defines the same one."""
    if not operation.has_trait(SymbolTable):
        return None
    names: set[Attribute] = set()
    for inner in operation.regions[0].block.ops:
        name = inner.properties.get("sym_name")
        if name in names:
            return inner
        if name is not None:
            names.add(name)
    return None


def _reason(error: VerifyException) -> str:
    return one_line(str(error).removeprefix("Operation does not verify: "))


def _check_order(module: ModuleOp, text: str | None) -> None:
    """Every operand is a result of an earlier operation or an argument of an enclosing block."""
    for region in module.regions:
        _check_region(region, set(), text)


def _check_region(region: Region, outer: set[SSAValue], text: str | None) -> None:
    blocks = tuple(region.blocks)
    if len(blocks) == 1:
        _check_block(blocks[0], outer, text)
        return
    if not blocks:
        return
    _check_branches(blocks, text)
    # What nothing leads to may read everything, as it is never read itself.
    graph = ControlFlowGraph.of(region)
    for block in blocks:
        above = graph.dominators(block) if block in graph.number else (other for other in blocks if other is not block)
        _check_block(block, outer.union(*(_defined_in(other) for other in above)), text)


def _check_branches(blocks: Sequence[Block], text: str | None) -> None:
    """Every branch gives the block that it leads to a value of the right type for each argument."""
    from mytriton.passes.branch_edges import edges_of  # imports the dialect of branches, which few modules have

    for block in blocks:
        for target, values in edges_of(block):
            if target is blocks[0]:
                raise _error_at(block.last_op, "a branch cannot lead to the first block of a function", text)
            wanted, found = ([value.type for value in some] for some in (target.args, values))
            if wanted != found:
                listed = [", ".join(map(str, types)) or "nothing" for types in (wanted, found)]
                message = f"the block that this branch leads to takes {listed[0]}, found {listed[1]}"
                raise _error_at(block.last_op, message, text)


def _check_block(block: Block, visible: set[SSAValue], text: str | None) -> None:
    """`visible` is given back as it came, so that the values of this block are not seen outside of it."""
    added: list[SSAValue] = [*block.args]
    visible.update(added)
    for operation in block.ops:
        for operand in operation.operands:
            if operand not in visible:
                name = f"%{operand.name_hint}" if operand.name_hint else "a value"
                message = f"'{operation.name}': {name} is used before it is defined"
                raise _error_at(operation, message, text)
        for region in operation.regions:
            isolated = operation.has_trait(IsolatedFromAbove)
            _check_region(region, set() if isolated else visible, text)
        visible.update(operation.results)
        added.extend(operation.results)
    visible.difference_update(added)


def _defined_in(block: Block) -> Iterable[SSAValue]:
    yield from block.args
    for operation in block.ops:
        yield from operation.results
