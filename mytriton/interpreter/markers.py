"""The frontend with markers: operations that say, to the interpreter, where in the Python source the kernel is.

A marker compares, computes and stores nothing, so a module with markers does what the one without them does.
"""

from __future__ import annotations

import ast
import types
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from xdsl.dialects.builtin import IntAttr
from xdsl.ir import Block, SSAValue

from mytriton.dialects.building import create
from mytriton.frontend.calls import Calls
from mytriton.frontend.frame import Exit, Frame
from mytriton.frontend.statements import KernelCompiler
from mytriton.interpreter.marker_ops import MarkerOp, PureMarkerOp
from mytriton.interpreter.shown import Form, form_of
from mytriton.interpreter.stub import stub_code
from mytriton.language.values import tensor


@dataclass(frozen=True)
class Enter:
    """A call of a function begins; the parameters are known. `code` is that of its stub."""

    code: types.CodeType
    namespace: dict[str, Any]
    parameters: dict[str, Form]


@dataclass(frozen=True)
class Line:
    """A statement begins. The head of a loop begins with each turn, but has been seen before the first one."""

    line: int
    is_head: bool


@dataclass(frozen=True)
class Assign:
    """A variable gets a value."""

    name: str
    form: Form


@dataclass(frozen=True)
class Leave:
    """A call of a function ends."""

    form: Form | None


@dataclass(frozen=True)
class Break:
    """`breakpoint()`, or what is like it."""

    function: Callable[..., Any]


Place = Enter | Line | Assign | Leave | Break


class MarkingCompiler(KernelCompiler):
    """Adds markers; `places` gets what each of them says."""

    def __init__(self, places: list[Place], default_input_precision: str):
        super().__init__(default_input_precision)
        self._places = places
        self._heads: dict[int, ast.While] = {}
        """The loop of which an expression is the test, by the identity of that."""
        self._may_run_early = 0
        self._has_own_variables = 0

    def _mark(self, place: Place, handles: Sequence[SSAValue] = ()) -> None:
        kind = PureMarkerOp if self._may_run_early else MarkerOp
        self.builder.insert(create(kind, handles, (), {"index": IntAttr(len(self._places))}))
        self._places.append(place)

    # Functions

    def run(self, statements: Sequence[ast.stmt]) -> Exit:
        frame = self.frame
        if statements is not frame.source.tree.body:
            return super().run(statements)
        self._enter(frame)
        exit = super().run(statements)
        handles: list[SSAValue] = []
        self._mark(Leave(form_of(frame.returned, handles)), handles)
        return exit

    def _enter(self, frame: Frame) -> None:
        handles: list[SSAValue] = []
        forms = {name: form_of(value, handles) for name, value in frame.variables.items()}
        parameters = {name: form for name, form in forms.items() if form is not None}
        source, original = frame.source, frame.function.fn.__code__
        line, _ = source.line_and_column(source.tree)
        statements = (node for node in ast.walk(source.tree) if isinstance(node, ast.stmt))
        lines = frozenset(source.line_and_column(node)[0] for node in statements)
        code = stub_code(source.name, source.file, original.co_firstlineno, line, lines)
        self._mark(Enter(code, frame.namespace, parameters), handles)

    # Lines

    def statement(self, node: ast.stmt) -> Exit:
        # Python has no code for a text that stands alone.
        if not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)):
            self._mark_line(node)
        if isinstance(node, ast.While):
            self._heads[id(node.test)] = node
        return super().statement(node)

    def condition_of(self, node: ast.If) -> tensor | bool:
        self._mark_line(node)
        return super().condition_of(node)

    def condition(self, node: ast.expr) -> tensor | bool:
        if (loop := self._heads.get(id(node))) is not None:
            self._mark_line(loop, is_head=True)
        return super().condition(node)

    def _mark_line(self, node: ast.stmt, is_head: bool = False) -> None:
        self.at(node)
        self._mark(Line(self.frame.source.line_and_column(node)[0], is_head))

    def for_statement(self, node: ast.For) -> Exit:
        exit = super().for_statement(node)
        # Python looks once more whether there is another turn.
        if not any(isinstance(inner, ast.Break | ast.Return) for inner in ast.walk(node)):
            self._mark_line(node, is_head=True)
        return exit

    def _turn(
        self,
        node: ast.For | ast.While,
        block: Block,
        handles: Sequence[SSAValue],
        carried: Any,
        plan: Any,
        begin: Callable[[], None] | None = None,
    ) -> dict[str, Any]:
        def begin_turn() -> None:
            if begin is not None:
                self._mark_line(node, is_head=True)
                begin()

        return super()._turn(node, block, handles, carried, plan, begin_turn)

    def _unrolled_turn(self, node: ast.For, value: Any, names: tuple[str, ...]) -> None:
        self._mark_line(node, is_head=True)
        super()._unrolled_turn(node, value, names)

    # Variables

    def assign(self, target: ast.expr, value: Any) -> None:
        super().assign(target, value)
        if not isinstance(target, ast.Name) or self._has_own_variables:
            return
        handles: list[SSAValue] = []
        form = form_of(value, handles)
        if form is not None:
            self._mark(Assign(target.id, form), handles)

    # Expressions

    def breakpoint(self, function: Callable[..., Any]) -> None:
        self._mark(Break(function))

    def comprehension(self, node: ast.ListComp | ast.GeneratorExp) -> tuple[Any, ...]:
        self._has_own_variables += 1
        try:
            return super().comprehension(node)
        finally:
            self._has_own_variables -= 1

    def boolean(self, node: ast.BoolOp) -> Any:
        return self._with_early_assignments(node, super().boolean)

    def conditional(self, node: ast.IfExp) -> Any:
        return self._with_early_assignments(node, super().conditional)

    def _with_early_assignments(self, node: Any, visit: Callable[[Any], Any]) -> Any:
        """What `visit` gives; a side that assigns variables must be able to run in any case, also with its markers."""
        assigns = any(isinstance(inner, ast.NamedExpr) for inner in ast.walk(node))
        self._may_run_early += assigns
        try:
            return visit(node)
        finally:
            self._may_run_early -= assigns

    expression_handlers: ClassVar[dict[type[ast.expr], Callable[[Any, Any], Any]]] = Calls.expression_handlers | {
        ast.ListComp: comprehension,
        ast.GeneratorExp: comprehension,
        ast.BoolOp: boolean,
        ast.IfExp: conditional,
    }
    statement_handlers: ClassVar[dict[type[ast.stmt], Callable[[Any, Any], Exit | None]]] = (
        KernelCompiler.statement_handlers | {ast.For: for_statement}
    )
