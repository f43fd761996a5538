"""`and`, `or`, `a if c else b`: operands that are evaluated only if they are needed."""

from __future__ import annotations

import ast
from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any

from xdsl.dialects import scf
from xdsl.ir import Block
from xdsl.traits import is_side_effect_free

from mytriton import messages
from mytriton.frontend.joining import Join, filled
from mytriton.frontend.visitor import Visitor
from mytriton.language import operators
from mytriton.language.shapes import item
from mytriton.language.values import tensor


class ConditionalValues(Visitor, ABC):
    """The visitors of expressions that may leave a part of themselves out."""

    @abstractmethod
    def assign(self, target: ast.expr, value: Any) -> None:
        """Gives a variable, or each of a tuple of variables, its value."""

    @abstractmethod
    def materialized(self, value: Any) -> Any:
        """The value that a plain assignment gives a variable: a number becomes a tensor."""

    @abstractmethod
    def unrolled(self, values: Any, node: ast.AST) -> Iterator[Any]:
        """The elements of a compile-time sequence or range."""

    def condition(self, node: ast.expr) -> tensor | bool:
        """The truth of an expression: known now, or a scalar `int1`."""
        value = self.expression(node)
        if not isinstance(value, tensor):
            return bool(value)
        self.at(node)
        if value.is_block and value.numel != 1:
            self.fail(messages.block_condition(value.type), node)
        return self.guarded(node, lambda: operators.truth(item(value)))

    def boolean(self, node: ast.BoolOp) -> Any:
        is_and = isinstance(node.op, ast.And)
        result: tensor | None = None
        value: Any = None
        for operand in node.values:
            if result is None:
                value = self.expression(operand)
                if isinstance(value, tensor):
                    result = _boolean(node, value)
                elif bool(value) is not is_and:
                    return value
                continue
            combined = self._combined(node, result, operand, is_and)
            if not isinstance(combined, tensor):
                return combined
            result = combined
        return value if result is None else result

    def _combined(self, node: ast.BoolOp, first: tensor, operand: ast.expr, is_and: bool) -> Any:
        """`first and operand` or `first or operand`, or a constant that decides the result by itself."""
        block = Block()
        with self.builder.at(block):
            value = self.expression(operand)
            second = _boolean(node, value) if isinstance(value, tensor) else value
        self.at(node)
        if not isinstance(second, tensor):
            self.builder.splice(block)
            return first if bool(second) is is_and else second
        if first.is_block or second.is_block or _may_run_early(block):
            self.builder.splice(block)
            return (operators.and_ if is_and else operators.or_)(first, second)
        self._refuse_assignment(operand)
        constant = operators.constant(not is_and, second.dtype)
        join = Join()
        form = join.add(second, constant) if is_and else join.add(constant, second)
        blocks = (block, Block()) if is_and else (Block(), block)
        return filled(form, self.joined_branch(first, *blocks, join))

    def conditional(self, node: ast.IfExp) -> Any:
        condition = self.condition(node.test)
        if not isinstance(condition, tensor):
            return self.expression(node.body if condition else node.orelse)
        then, otherwise = Block(), Block()
        with self.builder.at(then):
            first = self.expression(node.body)
        with self.builder.at(otherwise):
            second = self.expression(node.orelse)
        self.at(node)
        join = Join()
        form = join.add(first, second)
        if _may_run_early(then) and _may_run_early(otherwise) and not any(x.is_block for x in join.first):
            self.builder.splice(then)
            self.builder.splice(otherwise)
            pairs = zip(join.first, join.second, strict=True)
            return filled(form, [self.builder.select(condition.handle, a.handle, b.handle) for a, b in pairs])
        self._refuse_assignment(node.body, node.orelse)
        return filled(form, self.joined_branch(condition, then, otherwise, join))

    def joined_branch(self, condition: tensor, then: Block, otherwise: Block, join: Join) -> Any:
        """Ends both blocks with their side of the pairs and makes them the two sides of an `if`; gives its results."""
        with self.builder.at(then):
            self.builder.yield_([value.handle for value in join.first])
        with self.builder.at(otherwise):
            self.builder.yield_([value.handle for value in join.second])
        types = [self.builder.type(type) for type in join.types]
        return self.builder.branch(condition.handle, then, otherwise, types)

    def _refuse_assignment(self, *nodes: ast.expr) -> None:
        for node in nodes:
            for inner in ast.walk(node):
                if isinstance(inner, ast.NamedExpr):
                    self.fail(messages.conditional_assignment(), inner)


def _boolean(node: ast.BoolOp, value: tensor) -> tensor:
    if not value.dtype.is_bool():
        raise messages.boolean_expected("and" if isinstance(node.op, ast.And) else "or", value.type)
    return value


def _may_run_early(block: Block) -> bool:
    """Whether the operations may run although their result turns out not to be needed."""
    for op in block.ops:
        if not is_side_effect_free(op) or any(isinstance(inner, scf.WhileOp) for inner in op.walk()):
            return False
    return True
