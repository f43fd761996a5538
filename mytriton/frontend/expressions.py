"""Expressions: what is known at compile time is computed, the rest becomes operations."""

from __future__ import annotations

import ast
import inspect
import operator
import types
from abc import ABC
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, cast

from mytriton import messages
from mytriton.errors import CompilationError
from mytriton.frontend.conditional_values import ConditionalValues
from mytriton.frontend.frame import Undefined
from mytriton.frontend.names import global_value, is_jit_function, module_attribute
from mytriton.language import operators
from mytriton.language.aggregates import aggregate_value
from mytriton.language.constexpr import unwrap
from mytriton.language.context import is_builtin
from mytriton.language.values import is_number, is_tuple, tensor

Runtime = Callable[[Any, Any], tensor]
Constant = Callable[[Any, Any], Any]

_PYTHON: Any = operator

BINARY: dict[type[ast.operator], tuple[str, Constant, Runtime | None]] = {
    ast.Add: ("+", _PYTHON.add, operators.add),
    ast.Sub: ("-", _PYTHON.sub, operators.sub),
    ast.Mult: ("*", _PYTHON.mul, operators.mul),
    ast.Div: ("/", _PYTHON.truediv, operators.truediv),
    ast.FloorDiv: ("//", _PYTHON.floordiv, operators.floordiv),
    ast.Mod: ("%", _PYTHON.mod, operators.mod),
    ast.Pow: ("**", _PYTHON.pow, operators.power),
    ast.LShift: ("<<", _PYTHON.lshift, operators.lshift),
    ast.RShift: (">>", _PYTHON.rshift, operators.rshift),
    ast.BitAnd: ("&", _PYTHON.and_, operators.and_),
    ast.BitOr: ("|", _PYTHON.or_, operators.or_),
    ast.BitXor: ("^", _PYTHON.xor, operators.xor),
    ast.MatMult: ("@", _PYTHON.matmul, None),
}

COMPARISONS: dict[type[ast.cmpop], tuple[str, Constant, Runtime | None]] = {
    ast.Eq: ("==", _PYTHON.eq, operators.equal),
    ast.NotEq: ("!=", _PYTHON.ne, operators.not_equal),
    ast.Lt: ("<", _PYTHON.lt, operators.less_than),
    ast.LtE: ("<=", _PYTHON.le, operators.less_equal),
    ast.Gt: (">", _PYTHON.gt, operators.greater_than),
    ast.GtE: (">=", _PYTHON.ge, operators.greater_equal),
    ast.Is: ("is", _PYTHON.is_, None),
    ast.IsNot: ("is not", _PYTHON.is_not, None),
    ast.In: ("in", lambda x, y: x in y, None),
    ast.NotIn: ("not in", lambda x, y: x not in y, None),
}

UNARY: dict[type[ast.unaryop], tuple[str, Callable[[Any], Any], Callable[[tensor], tensor]]] = {
    ast.USub: ("-", _PYTHON.neg, operators.negate),
    ast.UAdd: ("+", _PYTHON.pos, lambda x: x),
    ast.Invert: ("~", _PYTHON.invert, operators.invert),
    ast.Not: ("not", _PYTHON.not_, operators.logical_not),
}

TENSOR_FIELDS = frozenset({"T", "dtype", "numel", "shape", "type"})

MAX_CONSTANT_BITS = 4096
MAX_CONSTANT_LENGTH = 65536


class Expressions(ConditionalValues, ABC):
    """The visitors of all expressions but calls and those of which only a part is evaluated."""

    def expression(self, node: ast.expr) -> Any:
        handler = self.expression_handlers.get(type(node))
        try:
            if handler is None:
                raise messages.unsupported_expression(node)
            return handler(self, node)
        except CompilationError as error:
            self.locate(error, node)
            raise

    def constant_result(self, function: Callable[..., Any], *arguments: Any, **keywords: Any) -> Any:
        """What a Python function gives for compile-time values."""
        try:
            return unwrap(function(*arguments, **keywords))
        except CompilationError:
            raise
        except Exception as error:
            raise messages.constant_expression_failed(error) from None

    # Constants and names

    def constant(self, node: ast.Constant) -> Any:
        if isinstance(node.value, complex | bytes):
            raise messages.unsupported_expression(node)
        return node.value

    def name(self, node: ast.Name) -> Any:
        return self.lookup(node.id)

    def lookup(self, name: str) -> Any:
        """The value of a variable, or what the name stands for outside of the function."""
        frame = self.frame
        if name in frame.variables:
            value = frame.variables[name]
            if isinstance(value, Undefined):
                # Each use gets the error at its own place.
                raise type(value.error)(value.error.message, hint=value.error.hint)
            return value
        if name in frame.source.flow.local_names:
            raise messages.used_before_assignment(name)
        return global_value(frame, name)

    def attribute(self, node: ast.Attribute) -> Any:
        owner = self.expression(node.value)
        self.at(node)
        return self.attribute_of(owner, node.attr)

    def attribute_of(self, owner: Any, name: str) -> Any:
        if isinstance(owner, types.ModuleType):
            return module_attribute(owner, name)
        if is_tuple(owner) and not hasattr(owner, name) and hasattr(list, name):
            raise messages.tuples_do_not_change(owner, name)
        if isinstance(owner, tensor):
            return _tensor_attribute(owner, name)
        if isinstance(owner, aggregate_value):
            return _member_of_aggregate(owner, name)
        if name == "value" and not hasattr(owner, "value"):
            # The value of a constant, which here is the constant itself.
            return owner
        if is_number(owner) and is_builtin(getattr(tensor, name, None)):
            return getattr(operators.to_tensor(owner), name)
        if is_number(owner) and name in TENSOR_FIELDS and name != "T":
            return _tensor_attribute(operators.to_tensor(owner), name)
        if name.startswith("_") or not hasattr(owner, name):
            names = [attribute for attribute in dir(owner) if not attribute.startswith("_")]
            raise messages.no_such_attribute(messages.described(owner), name, names)
        return unwrap(getattr(owner, name))

    # Operators

    def binary(self, node: ast.BinOp) -> Any:
        lhs, rhs = self.expression(node.left), self.expression(node.right)
        self.at(node)
        return self.binary_result(node.op, lhs, rhs)

    def binary_result(self, op: ast.operator, lhs: Any, rhs: Any) -> Any:
        symbol, constant, runtime = BINARY[type(op)]
        if not isinstance(lhs, tensor) and not isinstance(rhs, tensor):
            _check_size(op, lhs, rhs)
            return self.constant_result(constant, lhs, rhs)
        if runtime is None:
            raise messages.operator_unsupported(symbol, lhs, rhs)
        for operand in (lhs, rhs):
            if not isinstance(operand, tensor) and not is_number(operand):
                raise messages.bad_operands(symbol, lhs, rhs)
        return runtime(lhs, rhs)

    def unary(self, node: ast.UnaryOp) -> Any:
        operand = self.expression(node.operand)
        self.at(node)
        _, constant, runtime = UNARY[type(node.op)]
        return runtime(operand) if isinstance(operand, tensor) else self.constant_result(constant, operand)

    def compare(self, node: ast.Compare) -> Any:
        lhs = self.expression(node.left)
        result: Any = True
        for op, comparator in zip(node.ops, node.comparators, strict=True):
            rhs = self.expression(comparator)
            self.at(node)
            one = self.comparison(op, lhs, rhs)
            if result is True:
                result = one
            elif one is not True:
                result = operators.and_(result, one) if one is not False else False
            if result is False:
                return False
            lhs = rhs
        return result

    def comparison(self, op: ast.cmpop, lhs: Any, rhs: Any) -> Any:
        symbol, constant, runtime = COMPARISONS[type(op)]
        if isinstance(op, ast.Is | ast.IsNot) or not (isinstance(lhs, tensor) or isinstance(rhs, tensor)):
            return self.constant_result(constant, lhs, rhs)
        if runtime is None:
            raise messages.operator_unsupported(symbol, lhs, rhs)
        for operand in (lhs, rhs):
            if not isinstance(operand, tensor) and not is_number(operand):
                raise messages.bad_operands(symbol, lhs, rhs)
        return runtime(lhs, rhs)

    # Tuples, subscripts, texts

    def sequence(self, node: ast.Tuple | ast.List) -> tuple[Any, ...]:
        """A tuple; a list is one too, since nothing in a kernel may change it."""
        return tuple(self.elements(node.elts))

    def elements(self, nodes: Sequence[ast.expr]) -> list[Any]:
        """The values of the nodes, with those of `*values` in their place."""
        values: list[Any] = []
        for node in nodes:
            if isinstance(node, ast.Starred):
                spread = self.expression(node.value)
                if not is_tuple(spread):
                    self.fail(messages.not_a_tuple(spread), node)
                values.extend(spread)
            else:
                values.append(self.expression(node))
        return values

    def subscript(self, node: ast.Subscript) -> Any:
        owner, index = self.expression(node.value), self.expression(node.slice)
        self.at(node)
        if isinstance(owner, tensor):
            return owner[index]
        if is_jit_function(owner):
            raise messages.launch_in_kernel(owner.__name__)

        def known(value: Any) -> Any:
            if isinstance(value, tensor) and value.constant is None:
                raise messages.runtime_index(owner)
            return value.constant if isinstance(value, tensor) else value

        if isinstance(index, slice):
            bounds = cast("slice[Any, Any, Any]", index)
            index = slice(known(bounds.start), known(bounds.stop), known(bounds.step))
        return self.constant_result(operator.getitem, owner, known(index))

    def bounds(self, node: ast.Slice) -> slice:
        parts = [None if part is None else self.expression(part) for part in (node.lower, node.upper, node.step)]
        return slice(*parts)

    def formatted_text(self, node: ast.JoinedStr) -> str:
        parts: list[str] = []
        for part in node.values:
            if not isinstance(part, ast.FormattedValue):
                parts.append(str(self.expression(part)))
                continue
            value = self.expression(part.value)
            if isinstance(value, tensor):
                if value.constant is None:
                    self.fail(messages.text_of_runtime_value(value.type), part.value)
                value = value.constant
            specification = "" if part.format_spec is None else self.expression(part.format_spec)
            if part.conversion != -1:
                value = repr(value) if part.conversion == ord("r") else str(value)
            parts.append(self.constant_result(format, value, specification))
        return "".join(parts)

    def comprehension(self, node: ast.ListComp | ast.GeneratorExp) -> tuple[Any, ...]:
        """`[f(x) for x in values]` over compile-time values."""
        results: list[Any] = []
        outer = dict(self.variables)
        self._comprehend(node, 0, results)
        # Its variables are its own, but for those of `:=`, which belong to the function.
        assigned = {inner.target.id for inner in ast.walk(node) if isinstance(inner, ast.NamedExpr)}
        kept = {name: self.variables[name] for name in assigned if name in self.variables}
        self.variables.clear()
        self.variables.update(outer | kept)
        return tuple(results)

    def _comprehend(self, node: ast.ListComp | ast.GeneratorExp, depth: int, results: list[Any]) -> None:
        if depth == len(node.generators):
            self.count_statement(node)
            results.append(self.expression(node.elt))
            return
        generator = node.generators[depth]
        for value in self.unrolled(self.expression(generator.iter), generator.iter):
            self.assign(generator.target, value)
            conditions = [self.expression(condition) for condition in generator.ifs]
            if any(isinstance(condition, tensor) for condition in conditions):
                self.fail(messages.static_condition_at_runtime("a list comprehension"), node)
            if all(conditions):
                self._comprehend(node, depth + 1, results)

    def named(self, node: ast.NamedExpr) -> Any:
        value = self.materialized(self.expression(node.value))
        self.assign(node.target, value)
        return value

    expression_handlers: ClassVar[dict[type[ast.expr], Callable[[Any, Any], Any]]] = {
        ast.Constant: constant,
        ast.Name: name,
        ast.Attribute: attribute,
        ast.BinOp: binary,
        ast.UnaryOp: unary,
        ast.Compare: compare,
        ast.Tuple: sequence,
        ast.List: sequence,
        ast.Subscript: subscript,
        ast.Slice: bounds,
        ast.JoinedStr: formatted_text,
        ast.ListComp: comprehension,
        ast.GeneratorExp: comprehension,
        ast.NamedExpr: named,
        ast.BoolOp: ConditionalValues.boolean,
        ast.IfExp: ConditionalValues.conditional,
    }


@dataclass(frozen=True)
class BoundMethod:
    """A jit function that was taken from the aggregate that is its first argument."""

    owner: aggregate_value
    function: Any


def _member_of_aggregate(owner: aggregate_value, name: str) -> Any:
    if name.startswith("__") or not hasattr(owner, name):
        raise messages.no_such_attribute(repr(owner), name, dir(owner))
    member = unwrap(getattr(owner, name))
    is_static = isinstance(inspect.getattr_static(owner, name), staticmethod)
    return BoundMethod(owner, member) if is_jit_function(member) and not is_static else member


def _tensor_attribute(owner: tensor, name: str) -> Any:
    if name in TENSOR_FIELDS or is_builtin(getattr(tensor, name, None)):
        return getattr(owner, name)
    raise messages.no_such_attribute(
        f"a value of type {owner.type}",
        name,
        [*TENSOR_FIELDS, *(n for n in dir(tensor) if is_builtin(getattr(tensor, n, None)))],
    )


def _check_size(op: ast.operator, lhs: Any, rhs: Any) -> None:
    """Refuses constants so large that the compiler would hang."""
    if isinstance(op, ast.Pow | ast.LShift) and isinstance(lhs, int) and isinstance(rhs, int):
        if (max(lhs.bit_length(), 1) * rhs if isinstance(op, ast.Pow) else lhs.bit_length() + rhs) > MAX_CONSTANT_BITS:
            raise messages.constant_too_large()
    if isinstance(op, ast.Mult):
        for sequence, count in ((lhs, rhs), (rhs, lhs)):
            if (is_tuple(sequence) or isinstance(sequence, str)) and isinstance(count, int):
                if len(sequence) * count > MAX_CONSTANT_LENGTH:
                    raise messages.constant_too_large()
