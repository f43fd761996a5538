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
            return self._chain(node, live, targets)
        if isinstance(node, ast.For | ast.While):
            return self._loop(node, live)
        if isinstance(node, ast.Break):
            return targets.after_loop
        if isinstance(node, ast.Continue):
            return targets.loop_head
        if isinstance(node, ast.Return):
            return names_read(node.value) if node.value is not None else _NONE
        if isinstance(node, ast.Raise):
            return names_read(node)
        return (live - _names_surely_assigned(node)) | names_read(node)

    def _chain(self, node: ast.If, live: Names, targets: _Targets) -> Names:
        """An `if` and each `elif` of it, from the last one, without recursion: there may be many."""
        chain = chain_of(node)
        before = self._statements(chain[-1].orelse, live, targets)
        assigned = tuple(dict.fromkeys(assigned_names(chain[-1].orelse)))
        leaves = any(map(_leaves, chain[-1].orelse))
        for link in reversed(chain):
            before |= self._statements(link.body, live, targets) | names_read(link.test)
            assigned = tuple(dict.fromkeys([*assigned_names([link.test, *link.body]), *assigned]))
            leaves = leaves or any(map(_leaves, link.body))
            self._flows[link] = Flow(assigned, live, _NONE, leaves)
        return before

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
        self._flows[node] = Flow(tuple(dict.fromkeys(assigned_names([node]))), live, head, _leaves(node))
        return head | names_read(node.iter) if is_for else head


def chain_of(node: ast.If) -> list[ast.If]:
    """The `if` and each `elif` of it."""
    chain = [node]
    while len(rest := chain[-1].orelse) == 1 and isinstance(rest[0], ast.If):
        chain.append(rest[0])
    return chain


def assigned_names(nodes: Sequence[ast.AST]) -> Iterator[str]:
    """The variables that the nodes assign, in the order of the text; one may come more than once."""
    remaining = list(reversed(nodes))
    while remaining:
        node = remaining.pop()
        if isinstance(node, ast.Name):
            if not isinstance(node.ctx, ast.Load):
                yield node.id
        elif isinstance(node, ast.comprehension):
            # Its variable is its own.
            remaining += [*reversed(node.ifs), node.iter]
        elif not isinstance(node, _SCOPES):
            remaining += reversed(list(ast.iter_child_nodes(node)))


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


def _leaves(node: ast.AST) -> bool:
    """Whether control may leave the node other than by its end."""
    remaining = [(node, False)]
    while remaining:
        inner, inside_loop = remaining.pop()
        if isinstance(inner, ast.Return) or (isinstance(inner, ast.Break | ast.Continue) and not inside_loop):
            return True
        if not isinstance(inner, (ast.expr, *_SCOPES)):
            inside_loop = inside_loop or isinstance(inner, ast.For | ast.While)
            remaining += [(child, inside_loop) for child in ast.iter_child_nodes(inner)]
    return False
