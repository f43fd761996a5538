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
from mytriton.frontend.flow_analysis import chain_of
from mytriton.frontend.frame import BROKE, PUT_OFF, RESULT, RETURNED, UNNEEDED, Cut, Exit, Undefined
from mytriton.frontend.joining import Join, filled, zeros_for
from mytriton.language import operators
from mytriton.language.values import tensor

MAX_NESTED_ELIFS = 32
"""A longer chain is cut: what is nested deeply is compiled slowly, and from some depth on not at all."""


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
        cut = self._cut_of(node)
        if cut is None:
            self._nested_branch(node, condition)
        else:
            self._cut_branch(node, condition, cut)

    def _nested_branch(self, node: ast.If, condition: tensor) -> None:
        before = self.variables
        then_block, then = self._side(node.body, before)
        else_block, otherwise = self._side(node.orelse, before)
        self.frame.variables = before
        self._join_sides(node, condition, (then_block, else_block), then, otherwise)

    def _join_sides(
        self,
        node: ast.If,
        condition: tensor,
        blocks: tuple[Block, Block],
        then: dict[str, Any],
        otherwise: dict[str, Any],
    ) -> None:
        """Gives each variable that is needed after the `if` its value there."""
        flow, before = self.frame.source.flow[node], self.variables
        self.at(node)
        join = Join()
        forms = {
            name: self._joined(name, then, otherwise, node, join)
            for name in (*flow.assigned, PUT_OFF)
            if (name in flow.live_after or name == PUT_OFF) and (name in then or name in otherwise)
        }
        results = self.joined_branch(condition, blocks[0], blocks[1], join)
        for name, form in forms.items():
            before[name] = filled(form, results)
            self.name_value(name, before[name])

    # Long chains of `elif`

    def _cut_of(self, node: ast.If) -> Cut | None:
        """Where to cut the chain that begins here, if it is long."""
        flow, chain = self.frame.source.flow, chain_of(node)
        outer = self.frame.cut
        if len(chain) <= MAX_NESTED_ELIFS or (outer is not None and any(link is outer.node for link in chain)):
            return None
        first, rest = chain[:MAX_NESTED_ELIFS], chain[MAX_NESTED_ELIFS]
        assigns = any(isinstance(inner, ast.NamedExpr) for link in first for inner in ast.walk(link.test))
        if assigns or flow[node].leaves is not flow[rest].leaves:
            return None
        return Cut(rest, self.frame.loops[-1].names if flow[node].leaves and self.frame.loops else flow[node].assigned)

    def put_off(self, cut: Cut) -> Exit:
        """In place of the rest of a chain: notes that it is to be done."""
        self.variables.update(dict.fromkeys(cut.names, UNNEEDED) | {PUT_OFF: True})
        if not self.frame.source.flow[cut.node].leaves:
            return Exit.END
        self.frame.returned = UNNEEDED
        return Exit.CONTINUE if self.frame.loops else Exit.RETURN

    def _first_part(self, cut: Cut, compile: Callable[[], Any]) -> tuple[dict[str, Any], tensor | None]:
        """Compiles a chain up to the cut; gives the variables after it, and whether the rest is to be done."""
        frame, before = self.frame, self.variables
        outer, frame.cut = frame.cut, cut
        frame.variables = before | {PUT_OFF: False}
        try:
            compile()
        finally:
            frame.cut = outer
        after, frame.variables = frame.variables, before
        is_put_off = after.pop(PUT_OFF)
        if PUT_OFF in before:
            after[PUT_OFF] = before[PUT_OFF]
        return after, is_put_off if isinstance(is_put_off, tensor) else None

    def _cut_branch(self, node: ast.If, condition: tensor, cut: Cut) -> None:
        """`if a: .. elif b: ..` -> `if a: .. else: rest = True` and then `if rest: if b: ..`"""
        before = self.variables
        first, is_put_off = self._first_part(cut, lambda: self._nested_branch(node, condition))
        if is_put_off is None:
            self.frame.variables = first
            return
        block, second = self._side([cut.node], before)
        self.frame.variables = before
        self._join_sides(node, operators.invert(is_put_off), (Block(), block), first, second)

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

        def nested() -> Exit:
            sides = [lambda: self.run([*node.body, *rest]), lambda: self.run([*node.orelse, *rest])]
            return self._sides_to_end(node, condition, sides)

        cut = self._cut_of(node)
        if cut is None:
            return nested()
        frame = self.frame
        first, is_put_off = self._first_part(cut, nested)
        exit, returned = Exit.CONTINUE if frame.loops else Exit.RETURN, frame.returned

        def after_first_part() -> Exit:
            frame.variables, frame.returned = first, returned
            return exit

        if is_put_off is None:
            return after_first_part()
        sides = [after_first_part, lambda: self.run([cut.node, *rest])]
        return self._sides_to_end(node, operators.invert(is_put_off), sides)

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
        put_off = join.add(*(side.get(PUT_OFF, False) for side in variables))
        results = self.joined_branch(condition, blocks[0], blocks[1], join)
        frame.returned = filled(form, results)
        if PUT_OFF in before:
            before[PUT_OFF] = filled(put_off, results)
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
        names = dict.fromkeys([BROKE, RETURNED, PUT_OFF, *self.frame.loops[-1].names])
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
