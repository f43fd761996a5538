"""Calls: of functions of the language, of Python's own on constants, and of other jit functions, which are inlined."""

from __future__ import annotations

import ast
import inspect
import types
from abc import ABC
from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from typing import Any

from mytriton import messages
from mytriton.frontend.expressions import BoundMethod, Expressions
from mytriton.frontend.frame import Frame
from mytriton.frontend.names import (
    PYTHON_FUNCTIONS,
    is_aggregate_class,
    is_breakpoint,
    is_constexpr_function,
    is_jit_function,
    is_named_tuple_class,
)
from mytriton.frontend.source import source_of
from mytriton.language import math, operators, ranges
from mytriton.language.constexpr import constexpr, unwrap
from mytriton.language.context import is_builtin
from mytriton.language.dtypes import block_type, dtype, pointer_type
from mytriton.language.messages import device_print
from mytriton.language.values import composite, is_tuple, tensor

MAX_CALL_DEPTH = 64

_CONSTANT_OWNERS = (bool, int, float, str, tuple, dtype, Enum)
_LANGUAGE_TYPES = (dtype, pointer_type, block_type)


class Calls(Expressions, ABC):
    """The visitor of calls."""

    def call(self, node: ast.Call) -> Any:
        function = self.expression(node.func)
        arguments = self.elements(node.args)
        keywords: dict[str, Any] = {}
        for keyword in node.keywords:
            if keyword.arg is None:
                self.fail(messages.keyword_expansion(), node)
            keywords[keyword.arg] = self.expression(keyword.value)
        self.at(node)
        return self.call_value(function, arguments, keywords, node)

    def call_value(self, function: Any, arguments: list[Any], keywords: dict[str, Any], node: ast.Call) -> Any:
        if isinstance(function, tensor):
            raise messages.not_callable(function)
        if is_jit_function(function):
            return self.inline(function, arguments, keywords, node)
        if is_builtin(function) and callable(function):
            return self._call_language(function, arguments, keywords, node)
        if isinstance(function, BoundMethod):
            return self.inline(function.function, [function.owner, *arguments], keywords, node)
        if is_constexpr_function(function):
            constants = {name: _number_in(value) for name, value in keywords.items()}
            return _frozen(self.constant_result(function, *map(_number_in, arguments), **constants))
        if is_named_tuple_class(function) or is_aggregate_class(function):
            try:
                return function(*arguments, **keywords)
            except TypeError as error:
                raise messages.bad_call(function.__name__, str(error)) from None
        if isinstance(function, type | types.BuiltinFunctionType) and function in PYTHON_FUNCTIONS:
            return self._call_python(function, arguments, keywords, node)
        if function is constexpr:
            return _number_in(arguments[0]) if arguments else None
        if function in _LANGUAGE_TYPES or _is_method_of_constant(function):
            name = getattr(function, "__name__", "the function")
            if function.__module__ == "math" and not name.startswith("_"):
                self._require_constants(f"math.{name}", arguments, _counterpart(name))
            return self.constant_result(function, *self._require_constants(name, arguments), **keywords)
        if is_breakpoint(function):
            if arguments or keywords:
                raise messages.bad_call(function.__name__, "in a kernel it takes no arguments")
            return self.breakpoint(function)
        raise messages.not_callable(function)

    def breakpoint(self, function: Callable[..., Any]) -> None:
        """`breakpoint()`, or what a debugger has in its place."""
        raise messages.breakpoint_when_compiled(function.__name__)

    def _call_language(
        self, function: Any, arguments: Sequence[Any], keywords: Mapping[str, Any], node: ast.Call
    ) -> Any:
        outer = self.call_node
        self.call_node = node
        try:
            return function(*arguments, **keywords)
        except TypeError as error:
            # Either the arguments do not fit the signature, or the function has a bug.
            signature = inspect.signature(function)
            try:
                signature.bind(*arguments, **keywords)
            except TypeError as reason:
                raise messages.bad_call(f"tl.{function.__name__}", str(reason), signature.parameters) from None
            raise error
        except ZeroDivisionError:
            raise messages.constant_division_by_zero() from None
        finally:
            self.call_node = outer

    # Python's functions

    def _call_python(self, function: Any, arguments: list[Any], keywords: dict[str, Any], node: ast.Call) -> Any:
        if function is range:
            if not 1 <= len(arguments) <= 3:
                raise messages.bad_call("range", f"it takes 1 to 3 arguments, found {len(arguments)}")
            return self._call_language(ranges.range, arguments, keywords, node)
        if function is isinstance:
            return self._isinstance(arguments)
        if function is min or function is max:
            return self._extremum(function, arguments, keywords)
        if function is abs and len(arguments) == 1 and isinstance(arguments[0], tensor):
            return math.abs(arguments[0])
        if function is pow and len(arguments) == 2 and any(isinstance(argument, tensor) for argument in arguments):
            return operators.power(arguments[0], arguments[1])
        if function is print:
            return self._call_language(device_print, arguments, keywords, node)
        if function is len and len(arguments) == 1 and isinstance(arguments[0], tensor):
            raise messages.length_of_tensor(arguments[0].type)
        if function in (int, float, bool) and len(arguments) == 1 and isinstance(arguments[0], tensor):
            raise messages.python_cast(function.__name__)
        if function in (repr, str) and len(arguments) == 1 and isinstance(arguments[0], tensor):
            return str(arguments[0].type)
        if function not in (tuple, list, zip, enumerate, reversed):
            self._require_constants(function.__name__, arguments)
        plain = [tuple(self.unrolled(a, node)) if isinstance(a, ranges.LoopRange) else a for a in arguments]
        result = self.constant_result(function, *plain, **keywords)
        return tuple(result) if function in (list, zip, enumerate, reversed, sorted) else result

    def _require_constants(self, name: str, arguments: Sequence[Any], hint: str | None = None) -> Sequence[Any]:
        for argument in arguments:
            if isinstance(argument, tensor):
                raise messages.constant_argument(name, argument.type, hint)
        return arguments

    def _extremum(self, function: Any, arguments: list[Any], keywords: dict[str, Any]) -> Any:
        only = arguments[0] if len(arguments) == 1 else None
        values: Sequence[Any] = only if is_tuple(only) else arguments
        if not any(isinstance(value, tensor) for value in values):
            return self.constant_result(function, *arguments, **keywords)
        if keywords or len(values) < 2:
            raise messages.bad_call(function.__name__, "it takes at least two values, and no keyword arguments")
        pairwise = math.minimum if function is min else math.maximum
        result: Any = values[0]
        for value in values[1:]:
            result = pairwise(result, value)
        return result

    def _isinstance(self, arguments: list[Any]) -> bool:
        if len(arguments) != 2:
            raise messages.bad_call("isinstance", f"it takes 2 arguments, found {len(arguments)}")
        value, wanted = arguments
        kinds: tuple[Any, ...] = wanted if is_tuple(wanted) else (wanted,)
        if not all(isinstance(kind, type) for kind in kinds):
            raise messages.bad_call("isinstance", "its second argument is a type, or a tuple of types")
        if isinstance(value, tensor):
            return tensor in kinds
        classes = [list if kind is list else kind for kind in kinds]
        is_constant = not isinstance(value, composite)
        return (constexpr in kinds and is_constant) or self.constant_result(isinstance, value, tuple(classes))

    # Jit functions

    def inline(self, function: Any, arguments: Sequence[Any], keywords: Mapping[str, Any], node: ast.AST) -> Any:
        for frame in self.frames:
            if frame.function is function:
                raise messages.recursion(function.__name__)
        if len(self.frames) >= MAX_CALL_DEPTH:
            raise messages.calls_too_deep(MAX_CALL_DEPTH)
        source = source_of(function)
        variables = self._bound(source.name, source.signature, arguments, keywords)
        for name in source.constexpr_parameters:
            variables[name] = _number_in(variables[name])
        location = self.builder.location
        self.at(node)
        self.frames.append(Frame(function, source, self.frame.source.location(node), self.builder.location, variables))
        try:
            self.run(source.tree.body)
            return self.frame.returned
        finally:
            self.frames.pop()
            self.builder.location = location

    def _bound(
        self, name: str, signature: inspect.Signature, arguments: Sequence[Any], keywords: Mapping[str, Any]
    ) -> dict[str, Any]:
        """The parameters of a jit function and their values."""
        try:
            bound = signature.bind(*arguments, **keywords)
        except TypeError as error:
            raise messages.bad_call(name, str(error), signature.parameters) from None
        bound.apply_defaults()
        for parameter in signature.parameters.values():
            if parameter.kind is inspect.Parameter.VAR_KEYWORD:
                raise messages.keyword_expansion()
        return {parameter: unwrap(value) for parameter, value in bound.arguments.items()}

    expression_handlers = Expressions.expression_handlers | {ast.Call: call}


def _counterpart(name: str) -> str | None:
    """What to use in place of a function of Python's `math` on a value that is known only when the kernel runs."""
    from mytriton.libdevice import FUNCTIONS

    if is_builtin(getattr(math, name, None)):
        return f"use tl.{name}"
    return f"use tl.extra.libdevice.{name}" if name in FUNCTIONS else None


def _number_in(value: Any) -> Any:
    """The number that a variable was assigned; any other value as it is."""
    return value.constant if isinstance(value, tensor) and value.constant is not None else value


def _frozen(value: Any) -> Any:
    """A list is a tuple in a kernel."""
    return tuple(map(_frozen, value)) if isinstance(value, list) else value  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]


def _is_method_of_constant(function: object) -> bool:
    """Whether this is a method of a compile-time value, such as `dtype.is_fp16`, or a function of Python's `math`."""
    if isinstance(function, types.BuiltinFunctionType) and function.__module__ == "math":
        return True
    owner = getattr(function, "__self__", None)
    return isinstance(owner, _CONSTANT_OWNERS) and not isinstance(owner, types.ModuleType)
