"""The state of the compilation of one kernel, and how its errors get their place."""

from __future__ import annotations

import ast
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NoReturn

from xdsl.ir import SSAValue

from mytriton import messages
from mytriton.errors import CompilationError, InternalError, MytritonError
from mytriton.frontend.builder import Builder
from mytriton.frontend.frame import Exit, Frame
from mytriton.language.values import composite, parts_of, tensor

MAX_STATEMENTS = 25_000
"""The most statements that one kernel may have after inlining and unrolling; more would take minutes to compile."""


class Visitor(ABC):
    """What the visitors of expressions, calls and statements share."""

    def __init__(self, default_input_precision: str):
        self.builder = Builder(self.call_from_language, default_input_precision)
        self.frames: list[Frame] = []
        self.statement_count = 0

    @property
    def frame(self) -> Frame:
        return self.frames[-1]

    @property
    def variables(self) -> dict[str, Any]:
        return self.frames[-1].variables

    @abstractmethod
    def expression(self, node: ast.expr) -> Any:
        """The value of an expression: a `tensor`, or a compile-time value."""

    @abstractmethod
    def run(self, statements: Sequence[ast.stmt]) -> Exit:
        """Compiles statements up to the end, or to the first that leaves them."""

    @abstractmethod
    def inline(self, function: Any, arguments: Sequence[Any], keywords: Mapping[str, Any], node: ast.AST) -> Any:
        """Compiles the body of a jit function in place of a call; gives what it returns."""

    def call_from_language(self, function: Any, arguments: Sequence[Any]) -> Any:
        """A call that a function of the language makes, such as that of the function of a reduction."""
        return self.inline(function, arguments, {}, self.call_node)

    # Places

    call_node: ast.AST
    """The call of a function of the language that is being compiled."""

    def at(self, node: ast.AST) -> None:
        """Makes the node the place of the operations to come."""
        source = self.frame.source
        line, column = source.line_and_column(node)
        self.builder.location = self.builder.location_of(source.file, line, column, self.frame.caller)

    def locate(self, error: CompilationError, node: ast.AST) -> CompilationError:
        """The error with the place of the node and the calls that led there, unless it has them."""
        if error.location is None:
            calls = [frame.call for frame in self.frames if frame.call is not None]
            error.set_place(self.frame.source.location(node), calls)
        return error

    def fail(self, error: CompilationError, node: ast.AST) -> NoReturn:
        raise self.locate(error, node)

    def guarded(self, node: ast.AST, action: Callable[[], Any]) -> Any:
        """What the action gives; whatever it raises comes out as an error with the place of the node."""
        try:
            return action()
        except CompilationError as error:
            self.locate(error, node)
            raise
        except MytritonError:
            raise
        except RecursionError:
            self.fail(messages.nested_too_deeply(), node)
        except Exception as error:
            raise self.locate(InternalError(f"{type(error).__name__}: {error}"), node) from error

    def count_statement(self, node: ast.AST) -> None:
        self.statement_count += 1
        self.refuse_if_too_many(0, node)

    def refuse_if_too_many(self, more: int, node: ast.AST) -> None:
        """Refuses to compile the kernel if this many more statements would be too many."""
        if self.statement_count + more > MAX_STATEMENTS:
            self.fail(messages.too_many_statements(MAX_STATEMENTS), node)

    # Names in the IR

    def name_value(self, name: str, value: Any) -> None:
        """Makes the variable's name the hint for the names of its values, unless they have one."""
        if isinstance(value, tensor):
            hint_name(value.handle, name)
        parts = parts_of(value) or ()
        part_names = value.part_names if isinstance(value, composite) else map(str, range(len(parts)))
        for part_name, part in zip(part_names, parts, strict=True):
            self.name_value(f"{name}_{part_name}" if part_name else name, part)


def hint_name(handle: SSAValue, name: str) -> None:
    if handle.name_hint is None and SSAValue.is_valid_name(name):
        handle.name_hint = name
