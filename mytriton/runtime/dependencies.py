"""What the meaning of a kernel depends on besides its own text: the globals it uses and the functions it calls."""

from __future__ import annotations

import ast
import hashlib
import types
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from mytriton.runtime.constants import constant_text

if TYPE_CHECKING:
    from mytriton.runtime.jit import JITFunction

_ABSENT = object()


class Dependencies:
    """The values that one function, and every jit function it reaches, took from outside when they were looked up.

    `fingerprint` differs when any of these, or the text of any of the functions, differs. It `is_lasting` when another
    process would compute the same one for the same program.
    """

    def __init__(self, function: JITFunction):
        self._reads: list[tuple[Callable[[], Any], Any]] = []
        self._parts: list[str] = []
        self.is_lasting = True
        self._visited: set[int] = set()
        self._visit(function)
        self.fingerprint = hashlib.sha256("\n".join(self._parts).encode()).hexdigest()

    def unchanged(self) -> bool:
        """Whether every name still stands for the very object that it stood for."""
        return all(read() is value for read, value in self._reads)

    def _visit(self, function: JITFunction) -> None:
        if id(function) in self._visited:
            return
        self._visited.add(id(function))
        self._parts.append(f"source {function.source_file}:{function.source_line}\n{function.src}")
        for parameter in function.params:
            if parameter.has_default:
                self._add(f"default {parameter.name}", parameter.default)
        for path in sorted(names_used(function.parse())):
            self._follow(function.fn, path)

    def _follow(self, function: types.FunctionType, path: tuple[str, ...]) -> None:
        """Looks up a dotted name, and every module or class on the way, as the function would."""
        read = _reader_of_name(function, path[0])
        if read is None:
            return
        value = read()
        self._reads.append((read, value))
        for attribute in path[1:]:
            if not isinstance(value, (types.ModuleType, type)) or _is_our_own(value):
                break
            read = _reader_of_attribute(value, attribute)
            value = read()
            self._reads.append((read, value))
        self._add(f"name {'.'.join(path)}", value)

    def _add(self, what: str, value: Any) -> None:
        function = _function_inside(value)
        if function is not None:
            self._parts.append(f"{what} function {function.__name__}")
            self._visit(function)
            return
        if getattr(value, "is_mytriton_aggregate", False) and isinstance(value, type):
            self._visit_aggregate(what, value)
            return
        text = "absent" if value is _ABSENT else constant_text(value)
        if text is None:
            # `_reads` or the function itself keeps the object alive, so that no other one takes its id.
            self.is_lasting = False
            text = f"object {id(value)}"
        self._parts.append(f"{what} {text} {getattr(value, '_field_defaults', '')}")

    def _visit_aggregate(self, what: str, kind: Any) -> None:
        """What a class made by `@aggregate` depends on: its fields and its methods."""
        from mytriton.language.aggregates import methods_of

        if id(kind) in self._visited:
            return
        self._visited.add(id(kind))
        for name, expected in kind.field_types.items():
            self._add(f"{what} field {name}", expected)
        for name, default in kind.field_defaults.items():
            self._add(f"{what} default {name}", default)
        for name, method in methods_of(kind).items():
            self._add(f"{what} method {name}", method)


def names_used(tree: ast.AST) -> set[tuple[str, ...]]:
    """The dotted names that a function reads, as tuples: `a.b.c` is `("a", "b", "c")`."""
    return set(_dotted_names(tree))


def _dotted_names(node: ast.AST) -> Iterator[tuple[str, ...]]:
    # No recursion: a long chain of `elif` is a deep tree.
    nodes = [node]
    while nodes:
        inner = nodes.pop()
        attributes: list[str] = []
        while isinstance(inner, ast.Attribute):
            attributes.append(inner.attr)
            inner = inner.value
        if isinstance(inner, ast.Name):
            yield (inner.id, *reversed(attributes))
        else:
            nodes.extend(ast.iter_child_nodes(inner))


def _reader_of_name(function: types.FunctionType, name: str) -> Callable[[], Any] | None:
    """How to read what `name` stands for outside of the function; None where it is the function's own variable."""
    code = function.__code__
    if name in code.co_freevars:
        cell = (function.__closure__ or ())[code.co_freevars.index(name)]
        return lambda: _contents(cell)
    if name in code.co_varnames or name in code.co_cellvars:
        return None
    namespace = function.__globals__
    return lambda: namespace.get(name, _ABSENT)


def _reader_of_attribute(owner: Any, name: str) -> Callable[[], Any]:
    return lambda: getattr(owner, name, _ABSENT)


def _contents(cell: types.CellType) -> Any:
    try:
        return cell.cell_contents
    except ValueError:
        return _ABSENT


def _is_our_own(value: Any) -> bool:
    name = value.__name__ if isinstance(value, types.ModuleType) else value.__module__
    return name.partition(".")[0] == "mytriton"


def _function_inside(value: Any) -> JITFunction | None:
    """The jit function that `value` is, or that a wrapper such as an autotuner holds."""
    if getattr(value, "is_mytriton_constexpr_function", False):
        return value
    while not getattr(value, "is_mytriton_jit", False):
        if not type(value).__module__.startswith("mytriton.runtime"):
            return None
        value = getattr(value, "fn", None)
    return value
