"""Which variables of a function are still needed after each `if`, `for` and `while`, and which statements leave early.

Only variables that are needed afterwards become results of a branch or values carried by a loop, so a name that is used
for different things in different places costs nothing.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

Names: TypeAlias = frozenset[str]
Compound: TypeAlias = ast.If | ast.For | ast.While

_NONE: Names = frozenset()
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)


@dataclass(frozen=True)
class Flow:
    """What is known of one `if`, `for` or `while`.

    `assigned`: the variables that it assigns, in the order of their first assignment. `live_after`: the variables
    whose value may be read afterwards. `live_at_head`, of a loop: those that may be read before they are assigned in a
    turn of the loop, or after the loop. `leaves`: a `return`, or a `break` or `continue` of a loop around it, is in it.
    """

    assigned: tuple[str, ...]
    live_after: Names
    live_at_head: Names
    leaves: bool


@dataclass(frozen=True)
class _Targets:
    """What is live where `break`, `continue` and `return` go."""

    after_loop: Names = _NONE
    loop_head: Names = _NONE


class FlowAnalysis:
    """A backward analysis of live variables over the syntax tree of one function."""

    def __init__(self, tree: ast.FunctionDef):
        self._flows: dict[Compound, Flow] = {}
        self.local_names: Names = frozenset(assigned_names(tree.body))
        self._statements(tree.body, _NONE, _Targets())

    def __getitem__(self, node: Compound) -> Flow:
        return self._flows[node]

    def _statements(self, statements: Sequence[ast.stmt], live: Names, targets: _Targets) -> Names:
        """The names that are live before the statements, given those that are live after them."""
        for statement in reversed(statements):
            live = self._statement(statement, live, targets)
        return live

    def _statement(self, node: ast.stmt, live: Names, targets: _Targets) -> Names:
        if isinstance(node, ast.If):
            before = self._statements(node.body, live, targets) | self._statements(node.orelse, live, targets)
            self._record(node, live, _NONE)
            return before | names_read(node.test)
        if isinstance(node, ast.For | ast.While):
            return self._loop(node, live)
        if isinstance(node, ast.Break):
            return targets.after_loop
        if isinstance(node, ast.Continue):
            return targets.loop_head
        if isinstance(node, ast.Return):
            return names_read(node.value) if node.value is not None else _NONE
        return (live - _names_surely_assigned(node)) | names_read(node)

    def _loop(self, node: ast.For | ast.While, live: Names) -> Names:
        is_for = isinstance(node, ast.For)
        target = frozenset(assigned_names([node.target])) if is_for else _NONE
        head = live if is_for else live | names_read(node.test)
        while True:
            body = self._statements(node.body, head, _Targets(after_loop=live, loop_head=head))
            grown = head | (body - target)
            if grown == head:
                break
            head = grown
        self._statements(node.orelse, live, _Targets())
        self._record(node, live, head)
        return head | names_read(node.iter) if is_for else head

    def _record(self, node: Compound, live_after: Names, live_at_head: Names) -> None:
        assigned = tuple(dict.fromkeys(assigned_names([node])))
        self._flows[node] = Flow(assigned, live_after, live_at_head, _leaves(node))


def assigned_names(nodes: Sequence[ast.AST]) -> Iterator[str]:
    """The variables that the nodes assign, in the order of the text; one may come more than once."""
    for node in nodes:
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            yield node.id
        if isinstance(node, ast.comprehension):
            # Its variable is its own.
            yield from assigned_names([node.iter, *node.ifs])
        elif not isinstance(node, _SCOPES):
            yield from assigned_names(list(ast.iter_child_nodes(node)))


def names_read(node: ast.AST) -> Names:
    """The variables that the node reads, or may read."""
    read = {inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Load)}
    if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
        read.add(node.target.id)
    return frozenset(read)


def _names_surely_assigned(node: ast.stmt) -> Names:
    if isinstance(node, ast.Assign):
        return frozenset(name for target in node.targets for name in assigned_names([target]))
    if isinstance(node, ast.AugAssign) or (isinstance(node, ast.AnnAssign) and node.value is not None):
        return frozenset(assigned_names([node.target]))
    return _NONE


def _leaves(node: ast.AST, inside_loop: bool = False) -> bool:
    """Whether control may leave the node other than by its end."""
    if isinstance(node, ast.Return):
        return True
    if isinstance(node, ast.Break | ast.Continue):
        return not inside_loop
    if isinstance(node, (ast.expr, *_SCOPES)):
        return False
    is_loop = isinstance(node, ast.For | ast.While)
    return any(_leaves(child, inside_loop or is_loop) for child in ast.iter_child_nodes(node))
