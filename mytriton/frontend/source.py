"""Where a node of a kernel's syntax tree stands in its file."""

from __future__ import annotations

import ast
import inspect
import weakref
from collections.abc import Sequence
from typing import Any, Protocol

from mytriton import messages
from mytriton.errors import SourceLocation
from mytriton.frontend.flow_analysis import FlowAnalysis


class JitFunction(Protocol):
    """What the frontend asks of a function decorated with `@jit`."""

    __name__: str
    fn: Any

    @property
    def src(self) -> str: ...
    @property
    def source_file(self) -> str: ...
    @property
    def source_line(self) -> int: ...
    @property
    def source_indent(self) -> int: ...
    def parse(self) -> ast.Module: ...


class FunctionSource:
    """The syntax tree of a jit function, what is known of its variables, and the lines it stands on."""

    def __init__(self, function: JitFunction):
        self.name = function.__name__
        self.file = function.source_file
        self.text = function.src
        self.first_line = function.source_line
        self.signature = inspect.signature(function.fn)
        (tree,) = function.parse().body
        assert isinstance(tree, ast.FunctionDef)
        self.tree = tree
        self.constexpr_parameters = frozenset(
            argument.arg for argument in arguments_of(tree) if is_constexpr_annotation(argument.annotation)
        )
        self.const_parameters = frozenset(
            argument.arg for argument in arguments_of(tree) if is_const_annotation(argument.annotation)
        )
        self._indent = function.source_indent
        self._lines = self.text.splitlines()
        try:
            self.flow = FlowAnalysis(tree)
        except RecursionError:
            error = messages.nested_too_deeply()
            error.set_place(self.location(_deepest_statement(tree)))
            raise error from None

    def line_and_column(self, node: ast.AST) -> tuple[int, int]:
        """The line and the column, both from 1, where the node starts."""
        line: int = getattr(node, "lineno", 1)
        return self.first_line + line - 1, self._column(line, getattr(node, "col_offset", 0))

    def location(self, node: ast.AST) -> SourceLocation:
        """The place of the node, with the text of its line."""
        line, column = self.line_and_column(node)
        first: int = getattr(node, "lineno", 1)
        end = 0
        if getattr(node, "end_lineno", None) == first:
            end = self._column(first, getattr(node, "end_col_offset", 0))
        elif 0 < first <= len(self._lines):
            end = self._indent + len(self._lines[first - 1].rstrip()) + 1
        text = self._lines[first - 1] if 0 < first <= len(self._lines) else ""
        return SourceLocation(self.file, line, column, end, " " * self._indent + text, self.name)

    def _column(self, line: int, byte_offset: int) -> int:
        """Python counts bytes; people count characters."""
        text = self._lines[line - 1] if 0 < line <= len(self._lines) else ""
        if not text.isascii():
            byte_offset = len(text.encode()[:byte_offset].decode(errors="replace"))
        return byte_offset + self._indent + 1


def _deepest_statement(tree: ast.FunctionDef) -> ast.AST:
    """The first of the statements with the most statements around them."""
    level: Sequence[ast.AST] = [tree]
    while inner := [child for node in level for child in ast.iter_child_nodes(node) if isinstance(child, ast.stmt)]:
        level = inner
    return level[0]


def arguments_of(tree: ast.FunctionDef) -> list[ast.arg]:
    """Every parameter of the function, in order."""
    arguments = [*tree.args.posonlyargs, *tree.args.args]
    if tree.args.vararg is not None:
        arguments.append(tree.args.vararg)
    return [*arguments, *tree.args.kwonlyargs]


def is_const_annotation(annotation: ast.expr | None) -> bool:
    """Whether an annotation says `tl.const`, also as a string or under another module name."""
    if isinstance(annotation, ast.Constant):
        text = str(annotation.value)
    else:
        text = ast.unparse(annotation) if annotation is not None else ""
    return text.rpartition(".")[2] == "const"


def is_constexpr_annotation(annotation: ast.expr | None) -> bool:
    """Whether an annotation says `tl.constexpr`, also as a string or under another module name."""
    if annotation is None:
        return False
    text = annotation.value if isinstance(annotation, ast.Constant) else ast.unparse(annotation)
    return isinstance(text, str) and text.strip("'\" ").split(".")[-1] == "constexpr"


_sources: weakref.WeakKeyDictionary[Any, FunctionSource] = weakref.WeakKeyDictionary()


def source_of(function: JitFunction) -> FunctionSource:
    """The source of a jit function; the same object each time."""
    found = _sources.get(function)
    if found is None:
        found = _sources[function] = FunctionSource(function)
    return found
