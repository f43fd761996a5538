"""`if` statements."""

from __future__ import annotations

import ast
from abc import ABC
from collections.abc import Callable, Sequence
from typing import Any

from xdsl.ir import Block

from mytriton import messages
from mytriton.errors import CompilationError
from mytriton.frontend.calls import Calls
from mytriton.frontend.frame import BROKE, RESULT, RETURNED, Exit, Undefined
from mytriton.frontend.joining import Join, filled, zeros_for
from mytriton.language.values import tensor


class Branches(Calls, ABC):
    """The visitor of `if` statements whose condition is known only when the kernel runs.

    Where a side leaves early (`return`, `break`, `continue`), the statements that follow the `if` are compiled as a
    part of each side that reaches them, so that an early exit needs no flag.
    """

    def condition_of(self, node: ast.If) -> tensor | bool:
        """The condition of an `if`: known now, or a scalar `int1`."""
        return self.guarded(node.test, lambda: self.condition(node.test))

    def branch(self, node: ast.If, condition: tensor) -> None:
        """An `if` of which both sides reach its end."""
        flow = self.frame.source.flow[node]
        before = self.variables
        then_block, then = self._side(node.body, before)
        else_block, otherwise = self._side(node.orelse, before)
        self.frame.variables = before
        self.at(node)
        join = Join()
        forms = {
            name: self._joined(name, then, otherwise, node, join)
            for name in flow.assigned
            if name in flow.live_after and (name in then or name in otherwise)
        }
        results = self.joined_branch(condition, then_block, else_block, join)
        for name, form in forms.items():
            before[name] = filled(form, results)
            self.name_value(name, before[name])

    def _side(self, statements: Sequence[ast.stmt], before: dict[str, Any]) -> tuple[Block, dict[str, Any]]:
        block = Block()
        self.frame.variables = dict(before)
        with self.builder.at(block):
            self.run(statements)
        return block, self.frame.variables

    def _joined(self, name: str, then: dict[str, Any], otherwise: dict[str, Any], node: ast.stmt, join: Join) -> Any:
        """The form of a variable that is needed after the `if`, or why it has no value there."""
        if name not in then or name not in otherwise:
            present = "if" if name in then else "else"
            return Undefined(messages.defined_on_one_side(name, present, self._line(name, node)))
        try:
            return join.add(then[name], otherwise[name])
        except CompilationError:
            return Undefined(messages.sides_differ(name, then[name], otherwise[name], self._line(None, node)))

    def _line(self, name: str | None, node: ast.AST) -> int:
        """The line on which a variable was last assigned, or that of the node."""
        place = self.frame.assignments.get(name, node) if name is not None else node
        return self.frame.source.line_and_column(place)[0]

    def branch_to_end(self, node: ast.If, condition: tensor, rest: Sequence[ast.stmt]) -> Exit:
        """An `if` of which a side may leave early; also compiles the `rest` of the statements, to their end."""
        return self._sides_to_end(
            node, condition, [lambda: self.run([*node.body, *rest]), lambda: self.run([*node.orelse, *rest])]
        )

    def return_or_go_on(self, node: ast.stmt, rest: Sequence[ast.stmt]) -> Exit:
        """After a loop that a `return` may have left; also compiles the `rest` of the statements, to their end."""
        frame = self.frame
        assert frame.pending is not None
        returned, result = frame.pending

        def leave() -> Exit:
            frame.returned = result
            return Exit.RETURN

        return self._sides_to_end(node, returned, [leave, lambda: self.run(rest)])

    def _sides_to_end(self, node: ast.stmt, condition: tensor, sides: Sequence[Callable[[], Exit]]) -> Exit:
        """Two ways to the end of the function, or of the turn of a loop."""
        frame, before = self.frame, self.variables
        blocks: list[Block] = []
        variables: list[dict[str, Any]] = []
        returned: list[Any] = []
        for side in sides:
            block = Block()
            frame.variables, frame.returned = dict(before), None
            with self.builder.at(block):
                exit = side()
                if frame.loops:
                    self.end_turn(exit)
            blocks.append(block)
            variables.append(frame.variables)
            returned.append(frame.returned)
        frame.variables = before
        self.at(node)
        if frame.loops:
            self.join_turns(node, condition, blocks, variables)
            return Exit.CONTINUE
        join = Join()
        form = self._joined_returns(returned[0], returned[1], node, join)
        frame.returned = filled(form, self.joined_branch(condition, blocks[0], blocks[1], join))
        return Exit.RETURN

    def end_turn(self, exit: Exit) -> None:
        """Notes how a path through the body of a loop ended."""
        loop = self.frame.loops[-1]
        if exit is Exit.BREAK:
            loop.breaks = True
            self.variables[BROKE] = True
        if exit is Exit.RETURN:
            loop.returned.append(self.frame.returned)
            self.variables.update({BROKE: True, RETURNED: True, RESULT: self.frame.returned})
            self.frame.returned = None

    def join_turns(
        self, node: ast.stmt, condition: tensor, blocks: Sequence[Block], variables: Sequence[dict[str, Any]]
    ) -> None:
        """Makes two blocks, which are paths to the end of a turn of a loop, the sides of an `if`."""
        first, second = variables
        for one, other in ((first, second), (second, first)):
            if RETURNED in one and RETURNED not in other:
                other |= {RETURNED: False, RESULT: zeros_for(one[RESULT])}
        join = Join()
        names = dict.fromkeys([BROKE, RETURNED, *self.frame.loops[-1].names])
        forms = {
            name: self._joined(name, first, second, node, join)
            for name in names
            if name != RESULT and (name in first or name in second)
        }
        if RESULT in first:
            forms[RESULT] = self._joined_returns(first[RESULT], second[RESULT], node, join)
        results = self.joined_branch(condition, blocks[0], blocks[1], join)
        self.frame.variables = self.variables | {name: filled(form, results) for name, form in forms.items()}
        for name in self.frame.loops[-1].names:
            self.name_value(name, self.variables.get(name))

    def _joined_returns(self, first: Any, second: Any, node: ast.stmt, join: Join) -> Any:
        try:
            return join.add(first, second)
        except CompilationError:
            self.fail(messages.returns_differ(first, second), node)
