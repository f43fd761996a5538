"""From a kernel to CUDA C: runs the frontend, the passes and the printer, and keeps what each of them gave.

xDSL is imported when the first kernel is compiled, not before.
"""

from __future__ import annotations

import itertools
import linecache
import re
import time
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mytriton import messages
from mytriton.errors import CompilationError, PassError, SourceLocation
from mytriton.options import ARCHITECTURES, OPTION_NAMES, Options

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

    from mytriton.pass_manager import Observer, PassRun
    from mytriton.runtime.jit import JITFunction

__all__ = ["ARCHITECTURES", "OPTION_NAMES", "Compilation", "Options", "compile_function", "compile_module"]


@dataclass(frozen=True)
class Kernel:
    """What a launch needs to know: the C name, the name and C type of each parameter, and the sizes of a block.

    Static shared memory is declared with its size in the text; the dynamic one is given at the launch.
    """

    name: str
    params: tuple[tuple[str, str], ...]
    num_warps: int
    static_shared_bytes: int
    dynamic_shared_bytes: int

    @property
    def shared_bytes(self) -> int:
        return self.static_shared_bytes + self.dynamic_shared_bytes


@dataclass(frozen=True)
class Compilation:
    """A kernel as CUDA C.

    `tt` is the kernel's IR as it came from the frontend, with locations; `written` has the indexes of the
    arguments whose arrays the kernel may write to; `timings` has the milliseconds of each step.
    """

    tt: str
    cuda: str
    kernel: Kernel
    written: tuple[int, ...]
    options: Options
    timings: dict[str, float] = field(compare=False)

    def as_json(self) -> dict[str, Any]:
        """What `from_json` reads back."""
        return asdict(self)

    @staticmethod
    def from_json(entry: Mapping[str, Any]) -> Compilation:
        """Raises `KeyError`, `TypeError` or `ValueError` for an entry that is not one of ours."""
        kernel = dict(entry["kernel"])
        kernel["params"] = tuple((name, c_type) for name, c_type in kernel["params"])
        fields: dict[str, Any] = {
            **entry,
            "kernel": Kernel(**kernel),
            "written": tuple(entry["written"]),
            "options": Options(**entry["options"]),
        }
        return Compilation(**fields)

    def level_texts(self) -> dict[str, str]:
        """The IR at the end of the levels after `tt`: `"ttg"` and `"cuda_ir"`."""
        from mytriton.passes.pipeline import run_standard_pipeline, standard_passes
        from mytriton.ttir import parse_module, print_module

        texts: dict[str, str] = {}
        names = [module_pass.name for module_pass in standard_passes(self.options)]
        last_of_ttg = names.index("convert-to-cuda")  # passes are counted from 1

        def keep(run: PassRun, module: ModuleOp) -> None:
            if run.index == last_of_ttg:
                texts["ttg"] = print_module(module, locations=True)

        module = parse_module(self.tt)
        run_standard_pipeline(module, self.options, (keep,))
        return {**texts, "cuda_ir": print_module(module, locations=True)}


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
    try:
        return compile_module(module, options, timings)
    except RecursionError:
        from mytriton.pass_manager import too_deep

        raise _nested_too_deeply(too_deep(module)) from None
    except (CompilationError, PassError) as error:
        if isinstance(error.__cause__, RecursionError):
            raise _nested_too_deeply(error) from None
        error.location = _with_line_of_file(error.location)
        raise


def _nested_too_deeply(found: CompilationError | PassError) -> CompilationError:
    error = messages.nested_too_deeply()
    error.location = _with_line_of_file(found.location)
    return error


def compile_module(module: ModuleOp, options: Options, timings: dict[str, float] | None = None) -> Compilation:
    """Compiles a module of the `tt` level, which is lowered in place."""
    timings = {} if timings is None else timings
    with _timed(timings, "imports"):
        from mytriton.codegen import kernel_metadata, print_cuda
        from mytriton.pass_manager import dump_directory
        from mytriton.passes.pipeline import run_standard_pipeline, standard_passes
        from mytriton.runtime.written_arguments import written_arguments
        from mytriton.ttir import print_module
        from mytriton.verify import verify_module

        import_module("mytriton.codegen.kernel")
        standard_passes(options)
    with _timed(timings, "print tt"):
        text = print_module(module, locations=True)
    with _timed(timings, "verify tt"):
        verify_module(module)
    written = written_arguments(module)

    def keep_time(run: PassRun, module: ModuleOp) -> None:
        name = run.module_pass.name
        timings[name] = timings.get(name, 0.0) + run.seconds * 1e3

    folder = dump_directory()
    savers = () if folder is None else (_ir_saver(folder, module),)
    run_standard_pipeline(module, options, (keep_time, *savers))
    with _timed(timings, "verify cuda"):
        verify_module(module)
    with _timed(timings, "print cuda"):
        cuda = print_cuda(module)
    (found,) = kernel_metadata(module)
    kernel = Kernel(
        found.name,
        tuple((parameter.name, parameter.c_type) for parameter in found.params),
        found.num_warps,
        found.static_shared_bytes,
        found.dynamic_shared_bytes,
    )
    return Compilation(text, cuda, kernel, written, options, timings)


def _with_line_of_file(location: SourceLocation | None) -> SourceLocation | None:
    """The location with the text of its line, where it has none and the file can be read."""
    if location is None or location.source_line:
        return location
    return replace(location, source_line=linecache.getline(location.file, location.line).rstrip())


def _ir_saver(folder: Path, module: ModuleOp) -> Observer:
    """Saves the IR as it is now, and after each pass, in a new folder for this kernel."""
    from mytriton.dialects.tt import FuncOp
    from mytriton.pass_manager import ir_saver, save_ir

    name = next((op.sym_name.data for op in module.walk() if isinstance(op, FuncOp)), "kernel")
    stem = re.sub(r"\W", "_", name)
    numbered = (folder / (f"{stem}-{number}" if number > 1 else stem) for number in itertools.count(1))
    chosen = next(path for path in numbered if not path.exists())
    save_ir(chosen, 0, "input", module)
    return ir_saver(chosen)


@contextmanager
def _timed(timings: dict[str, float], step: str) -> Generator[None, None, None]:
    start = time.perf_counter()
    yield
    timings[step] = timings.get(step, 0.0) + (time.perf_counter() - start) * 1e3
