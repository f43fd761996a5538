"""From a kernel to CUDA C: runs the frontend, the passes and the printer, and keeps what each of them gave.

xDSL is imported when the first kernel is compiled, not before.
"""

from __future__ import annotations

import time
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from mytriton.options import ARCHITECTURES, OPTION_NAMES, Options

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

    from mytriton.codegen import KernelMetadata
    from mytriton.runtime.jit import JITFunction

__all__ = ["ARCHITECTURES", "OPTION_NAMES", "Compilation", "Options", "compile_function", "compile_module"]


@dataclass(frozen=True)
class Compilation:
    """A kernel as CUDA C.

    `tt` is the kernel's IR as it came from the frontend, with locations; `written` has the indexes of the
    arguments whose arrays the kernel may write to; `timings` has the milliseconds of each step.
    """

    tt: str
    cuda: str
    kernel: KernelMetadata
    written: tuple[int, ...]
    options: Options
    timings: dict[str, float] = field(compare=False)

    def as_json(self) -> dict[str, Any]:
        """What `from_json` reads back."""
        return asdict(self)

    @staticmethod
    def from_json(entry: Mapping[str, Any]) -> Compilation:
        """Raises `KeyError`, `TypeError` or `ValueError` for an entry that is not one of ours."""
        from mytriton.codegen.metadata import KernelMetadata

        raise NotImplementedError(KernelMetadata)


def compile_function(
    function: JITFunction,
    signature: Mapping[str, str],
    constants: Mapping[str, Any],
    attributes: Mapping[str, dict[str, int]],
    options: Options,
) -> Compilation:
    """Compiles a kernel for one kind of arguments; raises `CompilationError` and its like."""
    timings: dict[str, float] = {}
    with _timed(timings, "imports"):
        from mytriton.frontend import build_module
    with _timed(timings, "frontend"):
        module = build_module(function, dict(signature), dict(constants), dict(attributes), options)
    return compile_module(module, options, timings)


def compile_module(module: ModuleOp, options: Options, timings: dict[str, float] | None = None) -> Compilation:
    """Compiles a module of the `tt` level, which is lowered in place."""
    timings = {} if timings is None else timings
    with _timed(timings, "imports"):
        from mytriton.codegen import kernel_metadata, print_cuda
        from mytriton.passes.pipeline import run_standard_pipeline
        from mytriton.runtime.written_arguments import written_arguments
        from mytriton.ttir import print_module
    with _timed(timings, "print tt"):
        text = print_module(module, locations=True)
    written = written_arguments(module)
    with _timed(timings, "passes"):
        run_standard_pipeline(module, options)
    with _timed(timings, "print cuda"):
        cuda = print_cuda(module)
    (kernel,) = kernel_metadata(module)
    return Compilation(text, cuda, kernel, written, options, timings)


@contextmanager
def _timed(timings: dict[str, float], step: str) -> Generator[None, None, None]:
    start = time.perf_counter()
    yield
    timings[step] = timings.get(step, 0.0) + (time.perf_counter() - start) * 1e3
