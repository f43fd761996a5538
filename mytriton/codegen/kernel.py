"""A module of kernels as CUDA C."""

from __future__ import annotations

from collections.abc import Callable

from xdsl.dialects.builtin import ModuleOp

from mytriton.codegen.comments import SourceComments
from mytriton.codegen.errors import errors_at
from mytriton.codegen.leftovers import check_leftovers
from mytriton.codegen.metadata import KernelMetadata, describe, kernel_names
from mytriton.codegen.prologue import prologue
from mytriton.codegen.statements import Statements
from mytriton.codegen.variables import ARGUMENTS, ASSIGNED, expect_names
from mytriton.dialects import cuda

WIDTH = 110
"""Columns after which the parameters of a kernel go on a new line."""


def print_module(module: ModuleOp) -> str:
    """The CUDA C text of a module of `cuda.func`: first what the kernels need, then each kernel.

    A kernel without the attributes of `assign-variables` is printed as that pass would have it. `module` is not
    changed.
    Raises `CompilationError` for an operation that has no C text.
    """
    return "\n".join(print_lines(module, Statements))


def print_lines(module: ModuleOp, statements: Callable[[SourceComments], Statements]) -> list[str]:
    """The lines of that text as `statements` makes them; those before the kernels are one entry."""
    check_leftovers(module)
    functions = _kernels(module)
    helpers: set[str] = set()
    lines = [
        line
        for function, name in zip(functions, kernel_names(functions), strict=True)
        for line in _kernel_lines(function, name, helpers, statements)
    ]
    start = prologue(helpers)
    return [start, *lines] if start else lines


def module_metadata(module: ModuleOp) -> list[KernelMetadata]:
    """What is known of each kernel of a module, in its order."""
    check_leftovers(module)
    functions = _kernels(module)
    return [describe(function, name) for function, name in zip(functions, kernel_names(functions), strict=True)]


def _kernels(module: ModuleOp) -> list[cuda.FuncOp]:
    return [op for op in module.body.block.ops if isinstance(op, cuda.FuncOp)]


def _kernel_lines(
    function: cuda.FuncOp, name: str, helpers: set[str], make: Callable[[SourceComments], Statements]
) -> list[str]:
    with errors_at(function):
        function = _assigned(function)
        metadata = describe(function, name)
        statements = make(SourceComments(function))
        arguments = function.body.block.args
        statements.bind(arguments, expect_names(function, ARGUMENTS, len(arguments)))
    for parameter in metadata.params:
        statements.expressions.use_type(parameter.c_type.removeprefix("const "))
    statements.block(function.body.block)
    helpers |= statements.expressions.helpers
    return [*_signature(metadata), *statements.lines, "}", ""]


def _assigned(function: cuda.FuncOp) -> cuda.FuncOp:
    """The kernel with the attributes of `assign-variables`: itself, or a copy that gets them."""
    if ASSIGNED in function.attributes:
        return function
    from mytriton.passes.assign_variables import assign_variables

    function = function.clone()
    assign_variables(function)
    return function


def _signature(metadata: KernelMetadata) -> list[str]:
    start = f'extern "C" __global__ void __launch_bounds__({metadata.num_threads}) {metadata.name}('
    parameters = [parameter.text for parameter in metadata.params]
    if len(line := f"{start}{', '.join(parameters)}) {{") <= WIDTH:
        return [line]
    lines = [start]
    for position, parameter in enumerate(parameters):
        text = parameter + ("," if position + 1 < len(parameters) else ")")
        if position and len(lines[-1]) + 1 + len(text) <= WIDTH:
            lines[-1] += f" {text}"
        else:
            lines.append(f"    {text}")
    return [*lines, "{"]
