"""`and`, `or`, `a if c else b`: operands that are evaluated only if they are needed."""

from __future__ import annotations

import ast
from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any

from xdsl.dialects import scf
from xdsl.ir import Block, SSAValue
from xdsl.traits import is_side_effect_free

from mytriton import messages
from mytriton.dialects.arith import integer_constant
from mytriton.frontend.joining import Join, filled
from mytriton.frontend.visitor import Visitor
from mytriton.language import operators
from mytriton.language.shapes import item
from mytriton.language.values import is_number, tensor


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
                    if operand is node.values[-1]:
                        return value
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
            if is_number(second) and second not in (0, 1):
                raise messages.boolean_expected("and" if is_and else "or", type(second).__name__)
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

    def joined_branch(self, condition: tensor, then: Block, otherwise: Block, join: Join) -> list[SSAValue]:
        """Makes two blocks the sides of an `if` that chooses between the pairs; gives what was chosen."""
        pairs = list(zip(join.first, join.second, strict=True))
        # Whether a condition holds is the condition itself.
        chosen = [condition.handle if _is_truth(a, b) else None for a, b in pairs]
        pairs = [pair for pair, known in zip(pairs, chosen, strict=True) if known is None]
        results: Iterator[SSAValue] = iter(())
        if pairs or then.first_op is not None or otherwise.first_op is not None:
            if not pairs and then.first_op is None:
                condition, then, otherwise = operators.invert(condition), otherwise, then
            for block, side in ((then, 0), (otherwise, 1)):
                with self.builder.at(block):
                    self.builder.yield_([pair[side].handle for pair in pairs])
            types = [self.builder.type(pair[0].type) for pair in pairs]
            results = iter(self.builder.branch(condition.handle, then, otherwise, types))
        return [next(results) if known is None else known for known in chosen]

    def _refuse_assignment(self, *nodes: ast.expr) -> None:
        for node in nodes:
            for inner in ast.walk(node):
                if isinstance(inner, ast.NamedExpr):
                    self.fail(messages.conditional_assignment(), inner)


def _is_truth(first: tensor, second: tensor) -> bool:
    """Whether the one value is true and the other is false."""
    if first.is_block or not first.dtype.is_bool():
        return False
    return bool(integer_constant(first.handle)) and integer_constant(second.handle) == 0


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
