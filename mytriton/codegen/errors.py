"""What is said about a module that cannot be written as CUDA C."""

from __future__ import annotations

from xdsl.ir import Operation

from mytriton.errors import CompilationError, location_of_attribute


def codegen_error(op: Operation, message: str, hint: str | None = None) -> CompilationError:
    """An error about `op`, with the place that it came from."""
    return CompilationError(message, location_of_attribute(op.location), hint)
