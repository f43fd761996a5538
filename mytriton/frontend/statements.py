"""Statements, and the compiler of one kernel that they complete."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from mytriton import messages
from mytriton.frontend.frame import Exit
from mytriton.frontend.loops import Loops
from mytriton.frontend.source import is_constexpr_annotation
from mytriton.language import operators
from mytriton.language.dtypes import type_of_number
from mytriton.language.messages import device_assert
from mytriton.language.values import is_number, is_tuple, like_composite, tensor


class KernelCompiler(Loops):
    """Visits the statements of a kernel and of the functions that it calls, and adds their operations."""

    def run(self, statements: Sequence[ast.stmt]) -> Exit:
        position = 0
        while position < len(statements):
            node = statements[position]
            position += 1
            self.count_statement(node)
            if not isinstance(node, ast.If):
                exit: Exit = self.guarded(node, lambda node=node: self.statement(node))
                if exit is Exit.PERHAPS_RETURN:
                    return self.return_or_go_on(node, statements[position:])
                if exit is not Exit.END:
                    return exit
                continue
            if (cut := self.frame.cut) is not None and node is cut.node:
                return self.put_off(cut)
            rest = statements[position:]
            condition = self.condition_of(node)
            if not isinstance(condition, tensor):
                statements, position = [*(node.body if condition else node.orelse), *rest], 0
                continue
            try:
                if self.frame.source.flow[node].leaves:
                    return self.branch_to_end(node, condition, rest)
                self.branch(node, condition)
            except RecursionError:
                self.fail(messages.nested_too_deeply(), node)
        return Exit.END

    def statement(self, node: ast.stmt) -> Exit:
        handler = self.statement_handlers.get(type(node))
        if handler is None:
            raise messages.unsupported_statement(node)
        return handler(self, node) or Exit.END

    # Statements that do nothing or leave

    def pass_(self, node: ast.Pass) -> None:
        pass

    def break_(self, node: ast.Break) -> Exit:
        return Exit.BREAK

    def continue_(self, node: ast.Continue) -> Exit:
        return Exit.CONTINUE

    def return_(self, node: ast.Return) -> Exit:
        value = None if node.value is None else self.expression(node.value)
        if self.frame.is_kernel and value is not None:
            raise messages.kernel_returns_value()
        self.frame.returned = value
        return Exit.RETURN

    def expression_statement(self, node: ast.Expr) -> None:
        # A text that stands alone is a comment.
        if not isinstance(node.value, ast.Constant):
            self.expression(node.value)

    def assertion(self, node: ast.Assert) -> None:
        """A condition that is known now must hold; any other is checked when the kernel runs, if `debug` is set."""
        condition = self.expression(node.test)
        message = "" if node.msg is None else self.expression(node.msg)
        if isinstance(condition, tensor):
            self.at(node)
            device_assert(condition, message)
        elif not condition:
            raise messages.static_assertion_failed(str(message))

    def raise_(self, node: ast.Raise) -> None:
        """Where it is reached for certain, its text is the error; `if`s that are known now leave it out."""
        if node.exc is None:
            raise messages.unsupported_statement(node)
        if self.builder.block is not self.builder.entry:
            raise messages.raise_at_runtime()
        call = node.exc
        parts = self.elements(call.args) if isinstance(call, ast.Call) else []
        name = ast.unparse(call.func if isinstance(call, ast.Call) else call)
        raise messages.raised(name, ", ".join(map(str, parts)))

    # Assignments

    def assignment(self, node: ast.Assign) -> None:
        value = self.expression(node.value)
        for target in node.targets:
            if isinstance(target, ast.Name) and target.id in self.frame.constexpr_names:
                self.frame.constexpr_names.discard(target.id)
                self.assign(target, self._constant(value))
            else:
                self.assign(target, self.materialized(value))

    def annotated_assignment(self, node: ast.AnnAssign) -> None:
        is_constexpr = is_constexpr_annotation(node.annotation)
        if node.value is None:
            if is_constexpr and isinstance(node.target, ast.Name):
                self.frame.constexpr_names.add(node.target.id)
            return
        value = self.expression(node.value)
        self.assign(node.target, self._constant(value) if is_constexpr else self.materialized(value))

    def augmented_assignment(self, node: ast.AugAssign) -> None:
        if not isinstance(node.target, ast.Name):
            raise messages.assignment_target(node.target)
        name = node.target.id
        before = self.guarded(node.target, lambda: self.lookup(name))
        value = self.expression(node.value)
        self.at(node)
        self.assign(node.target, self.materialized(self.binary_result(node.op, before, value)))

    def assign(self, target: ast.expr, value: Any) -> None:
        if isinstance(target, ast.Name):
            self.variables[target.id] = value
            self.frame.assignments[target.id] = target
            self.name_value(target.id, value)
        elif isinstance(target, ast.Tuple | ast.List):
            self._unpack(target, value)
        else:
            self.fail(messages.assignment_target(target), target)

    def _unpack(self, target: ast.Tuple | ast.List, value: Any) -> None:
        if not is_tuple(value):
            self.fail(messages.not_a_tuple(value), target)
        values, elements = list(value), target.elts
        starred = next((place for place, element in enumerate(elements) if isinstance(element, ast.Starred)), None)
        if starred is not None and len(values) >= len(elements) - 1:
            end = len(values) - (len(elements) - 1 - starred)
            values[starred:end] = [tuple(values[starred:end])]
        if len(values) != len(elements):
            self.fail(messages.wrong_number_of_values(len(elements), len(value)), target)
        for element, one in zip(elements, values, strict=True):
            self.assign(element.value if isinstance(element, ast.Starred) else element, one)

    def materialized(self, value: Any) -> Any:
        if is_number(value):
            number = operators.constant(value, type_of_number(value))
            return tensor(number.handle, number.type, constant=value)
        if is_tuple(value):
            return like_composite(value, [self.materialized(element) for element in value])
        return value

    def _constant(self, value: Any) -> Any:
        """The value for a variable that is annotated as a constant; one that is none is left as it is, as by Triton."""
        return value.constant if isinstance(value, tensor) and value.constant is not None else value

    statement_handlers: ClassVar[dict[type[ast.stmt], Callable[[Any, Any], Exit | None]]] = {
        ast.Pass: pass_,
        ast.Break: break_,
        ast.Continue: continue_,
        ast.Return: return_,
        ast.Expr: expression_statement,
        ast.Assert: assertion,
        ast.Raise: raise_,
        ast.Assign: assignment,
        ast.AnnAssign: annotated_assignment,
        ast.AugAssign: augmented_assignment,
        ast.For: Loops.for_statement,
        ast.While: Loops.while_statement,
    }
