"""The state of one function while it is compiled."""

from __future__ import annotations

import ast
import types
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Any

from xdsl.dialects.builtin import LocationAttr

from mytriton.errors import CompilationError, SourceLocation
from mytriton.frontend.source import FunctionSource, JitFunction
from mytriton.language.values import tensor


class Exit(Enum):
    """How control leaves a list of statements."""

    END = auto()
    RETURN = auto()
    BREAK = auto()
    CONTINUE = auto()
    PERHAPS_RETURN = auto()
    """A loop has ended that a `return` may have left; see `Frame.pending`."""


@dataclass(frozen=True)
class Undefined:
    """Stands in for a variable that has no usable value; `error` is raised where it is read."""

    error: CompilationError


UNNEEDED: Any = object()
"""Stands in for what a variable, or a result, is where nothing reads it."""

BROKE = "<break>"
"""The variable, under a name that no kernel can use, that says whether the loop was left early."""

RETURNED = "<return>"
"""The variable that says whether the loop was left by `return`; absent where no `return` was reached."""

RESULT = "<result>"
"""The variable with what a `return` in a loop returns."""

PUT_OFF = "<put off>"
"""The variable that says whether the rest of a long chain of `elif` is still to be done."""

LOOP_VARIABLES = (BROKE, RETURNED, RESULT)


@dataclass
class Loop:
    """A loop whose body is being compiled: the variables that go from turn to turn, and which ways out were reached."""

    names: tuple[str, ...] = ()
    returned: list[Any] = field(default_factory=list[Any])
    """What each `return` returns."""
    breaks: bool = False
    """Whether there is a `break`."""


@dataclass(frozen=True)
class Cut:
    """Where a long chain of `elif` is cut in two: the rest is done after the first part, and is not nested in it."""

    node: ast.If
    """The first `elif` of the rest."""
    names: tuple[str, ...]
    """The variables whose values the first part gives, and which have none where the rest is still to be done."""


@dataclass
class Frame:
    """One call of a jit function: its variables, and the value that it returned."""

    function: JitFunction
    source: FunctionSource
    call: SourceLocation | None = None
    """Where it was called from; None for the kernel itself."""
    caller: LocationAttr | None = None
    """The same, for the operations that it adds to the kernel."""
    variables: dict[str, Any] = field(default_factory=dict[str, Any])
    """A `tensor` is known when the kernel runs; anything else is a compile-time value, or `Undefined`."""
    constexpr_names: set[str] = field(default_factory=set[str])
    """The variables whose next assignment an annotation without a value makes that of a compile-time constant."""
    assignments: dict[str, ast.AST] = field(default_factory=dict[str, ast.AST])
    """The last assignment of each variable that was compiled, for error messages."""
    loops: list[Loop] = field(default_factory=list[Loop])
    """The loops around the statement that is being compiled, the innermost last."""
    cut: Cut | None = None
    """The cut in the chain of `elif` of which the first part is being compiled."""
    returned: Any = None
    pending: tuple[tensor, Any] | None = None
    """After a loop that a `return` may have left: whether it has, and what it returned."""

    @property
    def is_kernel(self) -> bool:
        return self.call is None

    @property
    def namespace(self) -> dict[str, Any]:
        return self.function.fn.__globals__

    def closure_variable(self, name: str) -> types.CellType | None:
        """The cell of a variable of the enclosing function."""
        code = self.function.fn.__code__
        if name not in code.co_freevars:
            return None
        return self.function.fn.__closure__[code.co_freevars.index(name)]
