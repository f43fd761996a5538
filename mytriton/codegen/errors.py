"""What is said about a module that cannot be written as CUDA C."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

from xdsl.ir import Operation

from mytriton.errors import CompilationError, location_of_attribute


def codegen_error(op: Operation, message: str, hint: str | None = None) -> CompilationError:
    """An error about `op`, with the place that it came from."""
    return CompilationError(message, location_of_attribute(op.location), hint)


@contextmanager
def errors_at(op: Operation) -> Generator[None, None, None]:
    """Errors that do not say where they are from are from `op`."""
    try:
        yield
    except CompilationError as error:
        if error.location is not None:
            raise
        raise codegen_error(op, error.message, error.hint) from error
