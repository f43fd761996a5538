"""Random kernels of integer variables and control flow, and what Python makes of the same text."""

from __future__ import annotations

import ast
import random
from typing import Any

HEADER = "import mytriton.language as tl\nfrom mytriton.runtime.jit import jit\n\n\n"


class RandomProgram:
    """The text of a kernel `kernel(out, n, m)`, and of functions that it calls, that any of Python's rules allows.

    Variables are read only where every path has assigned them. An `if` has up to `elifs` of them.
    """

    def __init__(self, seed: int, elifs: int = 1):
        self._elifs = elifs
        self._random = random.Random(seed)
        self._lines: list[str] = []
        self._functions: list[str] = []
        self._names: list[str] = []
        self._count = 0
        for number in range(self._random.randrange(3)):
            self._function(f"helper{number}")
        self._kernel()
        self.text = HEADER + "\n".join(self._lines) + "\n"

    def _add(self, indent: int, text: str) -> None:
        self._lines.append("    " * indent + text)

    def _fresh(self, prefix: str) -> str:
        self._count += 1
        return f"{prefix}{self._count}"

    def _function(self, name: str) -> None:
        self._names = ["a", "b", "c"]
        self._lines += ["@jit", f"def {name}(x, y):"]
        self._add(1, "x = x + 0")
        assigned, leaves = self._block(["x"], 1, 2, in_loop=False, in_function=True)
        if not leaves:
            self._add(1, f"return {self._expression(assigned)} + 0")
        self._lines += ["", ""]
        self._functions.append(name)

    def _kernel(self) -> None:
        self._names = ["a", "b", "c", "d", "e"]
        self._lines += ["@jit", "def kernel(out, n, m):"]
        self._add(1, "a = n + 0")
        self._add(1, "b = 3")
        assigned, leaves = self._block(["n", "m", "a", "b"], 1, 3, in_loop=False, in_function=False)
        if not leaves:
            for position, name in enumerate(assigned):
                self._add(1, f"tl.store(out + {8 + position}, {name})")

    def _expression(self, names: list[str], depth: int = 2) -> str:
        choose = self._random
        kind = choose.random()
        if depth == 0 or kind < 0.25:
            return choose.choice(names) if choose.random() < 0.7 else str(choose.randrange(-3, 8))
        one, other = self._expression(names, depth - 1), self._expression(names, depth - 1)
        if kind < 0.7:
            return f"({one} {choose.choice('+-*^&|')} {other})"
        if kind < 0.8:
            return f"({one} if {self._condition(names, depth - 1)} else {other})"
        if kind < 0.9 and self._functions:
            return f"{choose.choice(self._functions)}({one}, {other})"
        return f"min({one}, {other})"

    def _condition(self, names: list[str], depth: int = 1) -> str:
        choose = self._random
        operator = choose.choice(["<", "<=", ">", ">=", "==", "!="])
        text = f"({self._expression(names, depth)} {operator} {self._expression(names, depth)})"
        if choose.random() < 0.2:
            text = f"({text} {choose.choice(['and', 'or'])} {self._condition(names, 0)})"
        return f"(not {text})" if choose.random() < 0.1 else text

    def _block(
        self, names: list[str], indent: int, depth: int, in_loop: bool, in_function: bool
    ) -> tuple[list[str], bool]:
        """Statements; gives the variables that are assigned at their end, and whether that is never reached."""
        choose, names = self._random, list(names)
        self._add(indent, "pass")
        for _ in range(choose.randrange(1, 5)):
            kind = choose.random()
            if kind < 0.45 or depth == 0:
                name = choose.choice(self._names)
                self._add(indent, f"{name} = {self._expression(names)}")
                names += [name] if name not in names else []
            elif kind < 0.55:
                known = [name for name in names if name in self._names]
                if known:
                    self._add(indent, f"{choose.choice(known)} {choose.choice('+-*^')}= {self._expression(names)}")
            elif kind < 0.78:
                after = self._if(names, indent, depth, in_loop, in_function)
                if after is None:
                    return names, True
                names = after
            elif kind < 0.93:
                self._loop(names, indent, depth, in_function)
            elif in_loop:
                self._add(indent, choose.choice(["break", "continue"]))
                return names, True
            elif in_function and kind < 0.97:
                self._add(indent, f"return {self._expression(names)} + 0")
                return names, True
            elif not in_function:
                self._add(indent, f"tl.store(out + {choose.randrange(8)}, {self._expression(names)})")
        return names, False

    def _if(self, names: list[str], indent: int, depth: int, in_loop: bool, in_function: bool) -> list[str] | None:
        """An `if`; gives the variables that are assigned on every path through it, None where there is no such path."""
        choose = self._random
        ends: list[tuple[list[str], bool]] = []

        def side(line: str) -> None:
            self._add(indent, line)
            ends.append(self._block(names, indent + 1, depth - 1, in_loop, in_function))

        side(f"if {self._condition(names)}:")
        for _ in range(choose.randrange(self._elifs + 1) if self._elifs > 1 else choose.random() < 0.3):
            side(f"elif {self._condition(names)}:")
        if choose.random() < 0.6:
            side("else:")
        else:
            ends.append((names, False))
        reached = [assigned for assigned, leaves in ends if not leaves]
        if not reached:
            return None
        return [name for name in reached[0] if all(name in assigned for assigned in reached)]

    def _loop(self, names: list[str], indent: int, depth: int, in_function: bool) -> None:
        choose = self._random
        kind, index = choose.random(), self._fresh("i")
        if kind < 0.75:
            step = choose.choice([1, 1, 2, 3, -1, -2])
            bound = f"min({self._expression(names, 1)}, 6)" if step > 0 else f"max({self._expression(names, 1)}, -6)"
            bounds = f"{choose.randrange(-3, 4)}, {bound}, {step}" if choose.random() < 0.6 or step < 0 else bound
            self._add(indent, f"for {index} in range({bounds}):")
            self._block([*names, index], indent + 1, depth - 1, in_loop=True, in_function=in_function)
        elif kind < 0.9:
            self._add(indent, f"for {index} in tl.static_range({choose.randrange(4)}):")
            self._block([*names, index], indent + 1, 0, in_loop=False, in_function=False)
        else:
            self._add(indent, f"{index} = 0")
            self._add(indent, f"while {index} < {choose.randrange(1, 5)} and {self._condition(names)}:")
            self._add(indent + 1, f"{index} += 1")
            self._block([*names, index], indent + 1, depth - 1, in_loop=True, in_function=in_function)


def wrapped(value: int) -> int:
    """The int32 with the low 32 bits of the value."""
    return (value + 2**31) % 2**32 - 2**31


class _Wrapping(ast.NodeTransformer):
    """Makes every operator wrap."""

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        return ast.copy_location(ast.Call(ast.Name("wrapped", ast.Load()), [node], []), node)

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST:
        self.generic_visit(node)
        assert isinstance(node.target, ast.Name)
        sum = ast.BinOp(ast.Name(node.target.id, ast.Load()), node.op, node.value)
        call = ast.Call(ast.Name("wrapped", ast.Load()), [sum], [])
        return ast.copy_location(ast.Assign([node.target], call), node)


def python_result(text: str, n: int, m: int, count: int) -> list[int]:
    """What the kernel stores to an array of zeros, with Python's own control flow."""
    out = [0] * count

    class Language:
        static_range = range

        @staticmethod
        def store(position: int, value: int) -> None:
            out[position] = int(value)

    tree = ast.fix_missing_locations(_Wrapping().visit(ast.parse(text.removeprefix(HEADER))))
    namespace: dict[str, Any] = {"tl": Language, "jit": lambda function: function, "wrapped": wrapped}  # pyright: ignore[reportUnknownLambdaType]
    exec(compile(tree, "<kernel>", "exec"), namespace)
    namespace["kernel"](0, n, m)
    return out
