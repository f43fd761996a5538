"""Which pointer arguments a kernel may write through: an analysis of the `tt` level."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.ir import Attribute, Block, BlockArgument, Operation, OpResult, SSAValue
from xdsl.traits import IsTerminator, MemoryWriteEffect
from xdsl.utils.hints import isa

from mytriton.dialects import tt


def written_arguments(module: ModuleOp) -> tuple[int, ...]:
    """The indexes of the pointer arguments, of the module's kernel, that a store may go through.

    A pointer is followed back from each store to every pointer that it may be made from, through loops, branches and
    calls. What is loaded from memory is not followed.
    """
    functions = [op for op in module.walk() if isinstance(op, tt.FuncOp) and not op.is_declaration]
    kernel = next((op for op in functions if op.sym_visibility is None or op.sym_visibility.data != "private"), None)
    if kernel is None:
        return ()
    graph = _CallGraph(module, functions)
    pending = [pointer for op in module.walk() if _writes(op) for pointer in _pointers(op.operands)]
    seen: set[SSAValue] = set()
    while pending:
        value = pending.pop()
        if value not in seen:
            seen.add(value)
            pending.extend(graph.sources(value))
    return tuple(argument.index for argument in kernel.body.blocks[0].args if argument in seen)


class _CallGraph:
    """Where values come from, across the functions of a module."""

    def __init__(self, module: ModuleOp, functions: Iterable[tt.FuncOp]):
        self.functions = {function.sym_name.data: function for function in functions}
        self.calls: dict[str, list[tt.CallOp]] = {}
        for op in module.walk():
            if isinstance(op, tt.CallOp):
                self.calls.setdefault(op.callee.string_value(), []).append(op)

    def sources(self, value: SSAValue) -> Iterator[SSAValue]:
        """The values that `value`, a pointer or the number of one, may be made from."""
        if isinstance(value, BlockArgument):
            yield from self._sources_of_argument(value)
        elif isinstance(value, OpResult):
            yield from self._sources_of_result(value)

    def _sources_of_argument(self, argument: BlockArgument) -> Iterator[SSAValue]:
        block = argument.block
        parent = block.parent_op()
        if isinstance(parent, tt.FuncOp) and parent.body.blocks[0] is block:
            for call in self.calls.get(parent.sym_name.data, ()):
                yield call.arguments[argument.index]
        elif isinstance(parent, tt.FuncOp):
            yield from _alike(argument, _branch_operands(parent, block))
        elif parent is not None:
            yield from _alike(argument, (*parent.operands, *_yielded(parent)))

    def _sources_of_result(self, result: OpResult) -> Iterator[SSAValue]:
        op = result.op
        if isinstance(op, tt.LoadOp | tt.DescriptorLoadOp | tt.DescriptorGatherOp):
            return
        if isinstance(op, tt.CallOp):
            callee = self.functions.get(op.callee.string_value())
            if callee is not None:
                for block in callee.body.blocks:
                    if isinstance(block.last_op, tt.ReturnOp):
                        yield block.last_op.operands[result.index]
            return
        yield from _alike(result, (*op.operands, *_yielded(op)))


def _writes(op: Operation) -> bool:
    return op.has_trait(MemoryWriteEffect) and op.name.startswith("tt.")


def _yielded(op: Operation) -> Iterator[SSAValue]:
    """What the blocks inside of an operation give to it, or to each other."""
    for region in op.regions:
        for block in region.blocks:
            if block.last_op is not None and block.last_op.has_trait(IsTerminator):
                yield from block.last_op.operands


def _branch_operands(function: tt.FuncOp, block: Block) -> Iterator[SSAValue]:
    for other in function.body.blocks:
        if other.last_op is not None and block in other.last_op.successors:
            yield from other.last_op.operands


def _alike(value: SSAValue, candidates: Iterable[SSAValue]) -> Iterable[SSAValue]:
    """The pointers among the candidates; all of them where a number may stand for a pointer."""
    candidates = list(candidates)
    if _is_pointer(value.type) and (pointers := _pointers(candidates)):
        return pointers
    return candidates


def _pointers(values: Iterable[SSAValue]) -> list[SSAValue]:
    return [value for value in values if _is_pointer(value.type)]


def _is_pointer(attribute: Attribute) -> bool:
    element = attribute.element_type if isa(attribute, TensorType) else attribute
    return isinstance(element, tt.PointerType | tt.TensorDescType)
