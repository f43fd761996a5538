"""Launches on the interpreter: of a module, and of the kernels launched inside `interpret()`."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mytriton.errors import ArgumentError, LaunchError

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp
    from xdsl.ir import Attribute, Operation

    from mytriton.dialects.tt import FuncOp
    from mytriton.interpreter.machine import Machine
    from mytriton.interpreter.memory import Memory
    from mytriton.interpreter.values import Array

_reachable: ContextVar[tuple[Any, ...] | None] = ContextVar("mytriton_interpreting", default=None)
"""None where launches do not run on the interpreter, else what `interpret` was given."""

_interprets_everything = False


@contextmanager
def interpret(*reachable: Any) -> Generator[None, None, None]:
    """Launches inside the `with` block run on the NumPy interpreter, on NumPy arrays and torch CPU tensors.

    Kernels may access their arguments, and the arrays `reachable`, whose addresses they may find in memory.
    """
    token = _reachable.set(reachable)
    try:
        yield
    finally:
        _reachable.reset(token)


def interpret_everything() -> None:
    """From now on, launches run on the interpreter in every thread."""
    global _interprets_everything
    _interprets_everything = True


def is_interpreting() -> bool:
    """Whether launches run on the interpreter here."""
    return _interprets_everything or _reachable.get() is not None


def is_debugging() -> bool:
    """Whether a debugger, or something else that traces lines, follows this thread."""
    if sys.gettrace() is not None:
        return True
    monitoring = getattr(sys, "monitoring", None)
    return monitoring is not None and monitoring.get_tool(monitoring.DEBUGGER_ID) is not None


def launch(text: str, grid: Sequence[int], arguments: Mapping[str, Any]) -> None:
    """Runs the text of a `tt` module on arguments given by name."""
    from mytriton.ttir import parse_module

    module = parse_module(text, "<tt>")
    run(module, grid, list(arguments.values()), names=list(arguments))


def run(
    module: ModuleOp,
    grid: Sequence[int],
    arguments: Sequence[Any],
    *,
    kernel: str | None = None,
    names: Sequence[str] = (),
) -> None:
    """Runs every program of `grid` (up to 3 sizes), one after the other, on arrays and numbers.

    A pointer parameter takes a NumPy array or a torch CPU tensor; any other takes a number. `kernel` names the function
    to run where the module has several public ones. Raises `LaunchError` with the line of the kernel for an access
    outside the arrays.
    """
    from mytriton.interpreter.machine import Machine

    programs = programs_of(module, grid, arguments, kernel=kernel, names=names)
    programs.run(lambda position: Machine(programs.memory, programs.functions, position, programs.sizes))


@dataclass
class Programs:
    """What is to be run: a function, on arguments as the interpreter has them, for each position in a grid."""

    function: FuncOp
    functions: dict[str, FuncOp]
    arguments: list[Array]
    memory: Memory
    sizes: tuple[int, ...]

    def run(self, machine: Callable[[Sequence[int]], Machine]) -> None:
        """Runs every program on the machine of its position, one after the other."""
        import numpy as np

        with np.errstate(all="ignore"):
            for position in itertools.product(*(range(size) for size in reversed(self.sizes))):
                try:
                    machine(position[::-1]).call(self.function, self.arguments)
                except RecursionError:
                    raise LaunchError("the kernel is nested too deeply to be interpreted") from None


def programs_of(
    module: ModuleOp,
    grid: Sequence[int],
    arguments: Sequence[Any],
    *,
    kernel: str | None = None,
    names: Sequence[str] = (),
) -> Programs:
    """The programs of a launch; for the arguments see `run`."""
    import numpy as np

    from mytriton.dialects import tt
    from mytriton.interpreter.memory import Memory

    def is_private(function: tt.FuncOp) -> bool:
        return function.sym_visibility is not None and function.sym_visibility.data == "private"

    module = prepared(module)
    functions = {op.sym_name.data: op for op in module.body.block.ops if isinstance(op, tt.FuncOp)}
    chosen = [f for name, f in functions.items() if name == kernel or (kernel is None and not is_private(f))]
    if len(chosen) != 1:
        raise ArgumentError(f"expected one kernel to run, found {[f.sym_name.data for f in chosen] or list(functions)}")
    (function,) = chosen
    parameters = function.body.block.args
    if len(arguments) != len(parameters):
        raise ArgumentError(f"{function.sym_name.data} takes {len(parameters)} arguments, got {len(arguments)}")
    memory = Memory()
    for index, array in enumerate(_reachable.get() or ()):
        memory.add(f"array {index} of interpret()", array)
    values: list[Array] = []
    for index, (parameter, argument) in enumerate(zip(parameters, arguments, strict=True)):
        name = names[index] if names else parameter.name_hint or f"argument {index}"
        if isinstance(parameter.type, tt.PointerType):
            address = argument if isinstance(argument, int) else memory.add(f"argument {name!r}", argument)
            values.append(np.array(address, np.int64))
            continue
        values.append(_number(parameter.type, argument))
    return Programs(function, functions, values, memory, (*grid, *(1,) * (3 - len(grid))))


def prepared(module: ModuleOp) -> ModuleOp:
    """The module, or a copy of it, without what is not run as it is: descriptors, branches between blocks, ..."""
    from mytriton.dialects import tt
    from mytriton.dialects.attribute_names import UNSIGNED
    from mytriton.dialects.building import walk
    from mytriton.pass_manager import run_passes
    from mytriton.passes.expand_operations import EXPANSIONS, ExpandOperations
    from mytriton.passes.inline_calls import InlineCalls
    from mytriton.passes.lower_descriptors import LowerDescriptors
    from mytriton.passes.structure_branches import StructureBranches
    from mytriton.ttir import make_context

    def is_to_be_lowered(op: Operation) -> bool:
        if isinstance(op, tt.FuncOp):
            has_descriptor = any(isinstance(type, tt.TensorDescType) for type in op.function_type.inputs)
            return has_descriptor or len(op.body.blocks) > 1
        return (
            isinstance(op, tt.MakeTensorDescOp)
            or (op.name in EXPANSIONS and op.name not in ("arith.constant", "tt.splat", "scf.for"))
            or UNSIGNED in op.attributes
        )

    if not any(map(is_to_be_lowered, walk(module))):
        return module
    copy = module.clone()
    passes = StructureBranches(), InlineCalls(), LowerDescriptors(), ExpandOperations()
    run_passes(make_context(), copy, passes, verify=False)
    return copy


def _number(parameter_type: Attribute, argument: Any) -> Array:
    """A number as a value of a parameter's type: integers wrap, floats are rounded."""
    import numpy as np

    from mytriton.interpreter.values import dtype_of, round_to

    dtype = dtype_of(parameter_type)
    if dtype.kind == "f":
        return round_to(parameter_type, np.asarray(float(argument), np.float64))
    if dtype.kind == "b":
        return np.array(bool(argument))
    return np.array(int(argument) & (1 << 8 * dtype.itemsize) - 1, f"u{dtype.itemsize}").astype(dtype)
