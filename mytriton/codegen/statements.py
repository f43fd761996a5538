"""The statements of a kernel: declarations, loops and branches, loops over registers, barriers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from xdsl.dialects import scf
from xdsl.ir import Attribute, Block, Operation, SSAValue

from mytriton.codegen import (
    atomics,
    calls,
    control_flow,
    floats,
    inline_asm,
    integers,
    lanes,
    memory,
    messages,
    registers,
    shared_arrays,
)
from mytriton.codegen.comments import SourceComments
from mytriton.codegen.errors import codegen_error
from mytriton.codegen.expression import Expression, assignment
from mytriton.codegen.expressions import Expressions, Handler, constant_expression
from mytriton.codegen.leftovers import leftover_error
from mytriton.codegen.names import is_variable_name
from mytriton.codegen.types import declaration, value_type
from mytriton.codegen.variables import (
    ALIGNED,
    CONSTANT,
    DECLARED,
    RESULTS,
    get_names,
    stale_names,
)
from mytriton.dialects import arith, cuda
from mytriton.dialects.building import operations
from mytriton.errors import CompilationError

StatementHandler: TypeAlias = "Callable[[Statements, Any], None]"

EXPRESSION_HANDLERS: dict[type[Operation], Handler] = {
    arith.ConstantOp: constant_expression,
    **integers.HANDLERS,
    **floats.HANDLERS,
    **memory.HANDLERS,
    **atomics.HANDLERS,
    **calls.HANDLERS,
}


class Statements:
    """Writes the body of one kernel, which carries the attributes of `assign-variables`, line by line."""

    def __init__(self, comments: SourceComments):
        self.expressions = self.new_expressions()
        self.lines: list[str] = []
        self._comments = comments
        self._indent = "    "
        self.in_map = False

    def new_expressions(self) -> Expressions:
        return Expressions(EXPRESSION_HANDLERS)

    # Lines

    def line(self, text: str) -> None:
        self.lines.append(self._indent + text)

    def unroll(self, factor: int | None = None) -> None:
        self.line("#pragma unroll" if factor is None else f"#pragma unroll {factor}")

    def open(self, text: str) -> None:
        self.line(f"{text} {{" if text else "{")
        self._indent += "    "

    def close(self) -> None:
        self._indent = self._indent[:-4]
        self.line("}")

    def captured(self, write: Callable[[], None]) -> list[str]:
        """The lines that `write` makes, indented by one more level, without adding them."""
        lines, self.lines = self.lines, []
        self._indent += "    "
        write()
        self._indent = self._indent[:-4]
        lines, self.lines = self.lines, lines
        return lines

    def unindented(self, lines: Sequence[str]) -> list[str]:
        """Lines that were captured, without the level that they were indented by."""
        return [line[4:] for line in lines]

    # Names

    def bind(self, values: Sequence[SSAValue], names: Sequence[str]) -> None:
        """From here on the values are written as these variables; an empty name binds nothing."""
        for value, name in zip(values, names, strict=False):
            if name:
                self.expressions.names[value] = self.check_name(name)

    def check_name(self, name: str) -> str:
        if not is_variable_name(name):
            raise stale_names(f"{name!r} is not the name of a C variable")
        return name

    def declared(self, op: Operation, type: Attribute, name: str) -> str:
        """The declaration of a variable, without a value."""
        if isinstance(type, cuda.RegsType):
            alignment = "__align__(16) " if name in get_names(op, ALIGNED) else ""
            return f"{alignment}{self.typed(type.element_type, f'{name}[{type.size.data}]')}"
        const = "const " if name in get_names(op, CONSTANT) else ""
        return const + self.typed(type, name)

    def typed(self, type: Attribute, name: str) -> str:
        c_type = value_type(type)
        self.expressions.use_type(c_type)
        return declaration(c_type, name)

    # Operations

    def block(self, block: Block) -> None:
        for op in operations(block):
            self.operation(op)

    def operation(self, op: Operation) -> None:
        try:
            self._operation(op)
        except CompilationError as error:
            if error.location is not None:
                raise
            raise codegen_error(op, error.message, error.hint) from error

    def _operation(self, op: Operation) -> None:
        if (handler := STATEMENTS.get(op.__class__)) is not None:
            handler(self, op)
        elif op.__class__ in EXPRESSION_HANDLERS:
            self.named_result(op)
        else:
            raise leftover_error(op)

    def named_result(self, op: Operation) -> None:
        """An operation whose result has a variable; another one is written where it is used."""
        names = get_names(op, RESULTS)
        if names and names[0]:
            self.comment(op)
            value = self.expressions.of_operation(op)
            self.bind(op.results, names)
            self.assign(op, op.results[0].type, names[0], value)

    def comment(self, op: Operation) -> None:
        if (text := self._comments.next(op, self.in_map)) is not None:
            self.line(text)

    def assign(self, op: Operation, type: Attribute, name: str, value: Expression) -> None:
        """`float x = value;`, or without the type where `op` does not declare it."""
        target = self.declared(op, type, name) if name in get_names(op, DECLARED) else name
        self.line(assignment(target, value))

    def declare_results(self, op: Operation, values: Sequence[SSAValue], names: Sequence[str]) -> None:
        """Declarations without a value, of those variables that `op` declares."""
        declared = get_names(op, DECLARED)
        for value, name in zip(values, names, strict=True):
            if name in declared:
                self.line(f"{self.declared(op, value.type, name)};")

    def pass_on(
        self,
        op: Operation,
        sources: Sequence[SSAValue],
        targets: Sequence[str],
        temporaries: Sequence[str],
        declaring: bool = False,
    ) -> None:
        """Give the targets the values of the sources, all at the same time; `op` may declare the targets."""
        temporaries = [*temporaries, *[""] * (len(sources) - len(temporaries))]
        for source, temporary in zip(sources, temporaries, strict=True):
            if temporary:
                self.copy_to_temporary(op, source, temporary)
        for source, target, temporary in zip(sources, targets, temporaries, strict=True):
            if not target:
                continue
            is_new = declaring and target in get_names(op, DECLARED)
            if isinstance(source.type, cuda.RegsType):
                origin = temporary or self.expressions.names[source]
                if is_new:
                    self.line(f"{self.declared(op, source.type, target)};")
                if origin != target:
                    self.copy_registers(source.type, target, origin)
                continue
            value = Expression(temporary) if temporary else self.expressions.of(source)
            if value.text != target:
                self.line(assignment(self.declared(op, source.type, target) if is_new else target, value))

    def copy_to_temporary(self, op: Operation, source: SSAValue, temporary: str) -> None:
        """Declare a temporary of `op` that holds a value from before any variable changes."""
        target = self.declared(op, source.type, self.check_name(temporary))
        if isinstance(source.type, cuda.RegsType):
            self.line(f"{target};")
            self.copy_registers(source.type, temporary, self.expressions.names[source])
        else:
            self.line(f"{target} = {self.expressions.of(source).text};")

    def copy_registers(self, type: cuda.RegsType, target: str, origin: str) -> None:
        index = "r" if "r" not in (target, origin) else "r_1"
        self.fill_registers(type, target, index, f"{origin}[{index}]")

    def fill_registers(self, type: cuda.RegsType, target: str, index: str, text: str) -> None:
        self.unroll()
        self.open(f"for (int {index} = 0; {index} < {type.size.data}; ++{index})")
        self.line(f"{target}[{index}] = {text};")
        self.close()


def _barrier(out: Statements, op: cuda.BarrierOp) -> None:
    out.comment(op)
    out.line("__syncthreads();")


def _store(out: Statements, op: cuda.StoreOp) -> None:
    out.comment(op)
    out.line(memory.store(out.expressions, op))


def _atomic(out: Statements, op: cuda.AtomicRMWOp | cuda.AtomicCASOp | cuda.AtomicStoreOp) -> None:
    if op.results:
        out.named_result(op)
        return
    out.comment(op)
    out.line(atomics.statement(out.expressions, op))


def _fence(out: Statements, op: cuda.FenceOp) -> None:
    out.comment(op)
    out.line(atomics.fence(out.expressions, op))


def _return(out: Statements, op: cuda.ReturnOp) -> None:
    """The end of the kernel's text."""


def _misplaced(out: Statements, op: Operation) -> None:
    raise codegen_error(op, f"{op.name} is not where the operation around it expects it")


STATEMENTS: dict[type[Operation], StatementHandler] = {
    cuda.InlineAsmOp: inline_asm.write_inline_asm,
    cuda.PrintOp: messages.write_print,
    cuda.AssertOp: messages.write_assert,
    cuda.ReportOp: messages.write_report,
    cuda.GridDependencyOp: messages.write_grid_dependency,
    cuda.MapOp: registers.write_map,
    cuda.SplatOp: registers.write_splat,
    cuda.StoreOp: _store,
    cuda.AtomicRMWOp: _atomic,
    cuda.AtomicCASOp: _atomic,
    cuda.AtomicStoreOp: _atomic,
    cuda.FenceOp: _fence,
    cuda.BarrierOp: _barrier,
    cuda.ButterflyOp: lanes.write_butterfly,
    cuda.SharedArrayOp: shared_arrays.write_shared_array,
    cuda.SharedViewOp: shared_arrays.write_shared_view,
    cuda.ReturnOp: _return,
    cuda.YieldOp: _misplaced,
    scf.ForOp: control_flow.write_for,
    scf.IfOp: control_flow.write_if,
    scf.WhileOp: control_flow.write_while,
    scf.YieldOp: _misplaced,
    scf.ConditionOp: _misplaced,
}
