"""From a kernel to CUDA C: runs the frontend, the passes and the printer, and keeps what each of them gave.

xDSL is imported when the first kernel is compiled, not before.
"""

from __future__ import annotations

import itertools
import linecache
import re
import time
from collections.abc import Generator, Hashable, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import asdict, dataclass, field, replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from mytriton import messages
from mytriton.errors import CompilationError, InternalError, MytritonError, PassError, SourceLocation
from mytriton.garbage import collection_paused
from mytriton.options import ARCHITECTURES, OPTION_NAMES, Options

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

    from mytriton.codegen.located import PrintedKernel
    from mytriton.pass_manager import Observer, PassRun
    from mytriton.passes.pipeline import Checks
    from mytriton.runtime.jit import JITFunction

__all__ = [
    "ARCHITECTURES",
    "OPTION_NAMES",
    "CheckedCompilation",
    "Compilation",
    "KernelSource",
    "Options",
    "compile_checked",
    "compile_function",
    "compile_source",
]


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


class Source(Protocol):
    """What builds the IR of one kernel."""

    name: str
    options: Options

    def build(self) -> ModuleOp:
        """The module of the `tt` level, a new one at each call."""
        ...


class KernelSource:
    """What a kernel is compiled from: builds its IR, as often as somebody asks for it.

    The IR is not kept, as few ask. Building it again is refused where it might become another one.
    """

    def __init__(
        self,
        function: JITFunction,
        signature: Mapping[str, str],
        constants: Mapping[str, Any],
        attributes: Mapping[str, dict[str, int]],
        options: Options,
    ):
        self.name = function.__name__
        self.options = options
        self._function = function
        self._signature = dict(signature)
        self._constants = dict(constants)
        self._attributes = dict(attributes)
        self._state = self._current_state()
        self._was_built = False

    def _current_state(self) -> tuple[Hashable, ...]:
        from mytriton.runtime.constants import constant_key

        values = [constant_key(value, name, self.name) for name, value in self._constants.items()]
        return self._function.fingerprint(), *values

    def build(self) -> ModuleOp:
        """The module of the `tt` level.

        Raises `CompilationError` and its like, also where the kernel is no longer what it was.
        """
        from mytriton.frontend import build_module
        from mytriton.language.context import silently

        if self._current_state() != self._state:
            raise messages.changed_since_compiled(self.name)
        with silently() if self._was_built else nullcontext():
            self._was_built = True
            return build_module(self._function, self._signature, self._constants, self._attributes, self.options)


@dataclass(frozen=True)
class Compilation:
    """A kernel as CUDA C.

    `written` has the indexes of the arguments whose arrays the kernel may write to; `timings` has the milliseconds of
    each step.
    """

    cuda: str
    kernel: Kernel
    written: tuple[int, ...]
    options: Options
    timings: dict[str, float] = field(compare=False)
    source: Source | None = field(default=None, compare=False, repr=False)

    def as_json(self) -> dict[str, Any]:
        """What `from_json` reads back, together with the source."""
        return asdict(replace(self, source=None))

    @staticmethod
    def from_json(entry: Mapping[str, Any], source: Source) -> Compilation:
        """Raises `KeyError`, `TypeError` or `ValueError` for an entry that is not one of ours."""
        kernel = dict(entry["kernel"])
        kernel["params"] = tuple((name, c_type) for name, c_type in kernel["params"])
        fields: dict[str, Any] = {
            **entry,
            "kernel": Kernel(**kernel),
            "written": tuple(entry["written"]),
            "options": Options(**entry["options"]),
            "source": source,
        }
        return Compilation(**fields)

    def tt(self) -> str:
        """The kernel's IR as it comes from the frontend, with locations; raises what `KernelSource.build` raises."""
        from mytriton.ttir import print_module

        return print_module(self._module(), locations=True)

    def level_texts(self) -> dict[str, str]:
        """The IR at the end of the levels after `tt`: `"ttg"` and `"cuda_ir"`; raises what `tt` raises."""
        from mytriton.passes.pipeline import run_standard_pipeline, standard_passes
        from mytriton.ttir import print_module

        texts: dict[str, str] = {}
        names = [module_pass.name for module_pass in standard_passes(self.options)]
        last_of_ttg = names.index("convert-to-cuda")  # passes are counted from 1

        def keep(run: PassRun, module: ModuleOp) -> None:
            if run.index == last_of_ttg:
                texts["ttg"] = print_module(module, locations=True)

        module = self._module()
        run_standard_pipeline(module, self.options, (keep,))
        return {**texts, "cuda_ir": print_module(module, locations=True)}

    def _module(self) -> ModuleOp:
        assert self.source is not None, "a compilation without a source is not given to anybody"
        return self.source.build()


def compile_function(
    function: JITFunction,
    signature: Mapping[str, str],
    constants: Mapping[str, Any],
    attributes: Mapping[str, dict[str, int]],
    options: Options,
) -> Compilation:
    """Compiles a kernel for one kind of arguments; raises `CompilationError` and its like."""
    return compile_source(KernelSource(function, signature, constants, attributes, options))


def compile_source(source: Source) -> Compilation:
    """Compiles a kernel; raises `CompilationError` and its like."""
    with collection_paused():
        try:
            return _compile(source)
        except InternalError as error:
            first = _first_failure(source)
            if first is None or first.message == error.message:
                raise
            raise first from error


@dataclass(frozen=True)
class CheckedCompilation:
    """A kernel as CUDA C that reports faulty values, for the CPU device alone; kept in memory and not on disk.

    `printed` has the text, what its lines come from, and what it reports (`PrintedKernel`).
    """

    printed: PrintedKernel
    kernel: Kernel
    options: Options
    checks: Checks

    @property
    def cuda(self) -> str:
        return self.printed.text


def compile_checked(source: Source, checks: Checks = "default") -> CheckedCompilation:
    """Compiles a kernel once more, with checks; raises what `compile_source` raises.

    `checks` is "default", for undefined values and numbers that have wrapped on their way to an address, or
    "nonfinite", for NaN and infinities made of finite numbers as well.
    """
    from mytriton.codegen.located import print_located
    from mytriton.pass_manager import verification_requested
    from mytriton.passes.pipeline import run_standard_pipeline

    with collection_paused():
        module = source.build()
        run_standard_pipeline(module, source.options, verify=verification_requested(), checks=checks)
        printed = print_located(module)
        kernel = _described(module)
    return CheckedCompilation(printed, kernel, source.options, checks)


def _compile(source: Source) -> Compilation:
    timings: dict[str, float] = {}
    with _timed(timings, "imports"):
        import_module("mytriton.frontend.kernel")
    with _timed(timings, "frontend"):
        module = source.build()
    try:
        return _lower(source, module, timings)
    except RecursionError:
        from mytriton.pass_manager import too_deep

        raise _nested_too_deeply(too_deep(module)) from None
    except (CompilationError, PassError) as error:
        if isinstance(error.__cause__, RecursionError):
            raise _nested_too_deeply(error) from None
        from mytriton.text_places import add_text_location

        add_text_location(error, module)
        error.location = _with_line_of_file(error.location)
        raise


def _nested_too_deeply(found: CompilationError | PassError) -> CompilationError:
    error = messages.nested_too_deeply()
    error.location = _with_line_of_file(found.location)
    return error


def _lower(source: Source, module: ModuleOp, timings: dict[str, float]) -> Compilation:
    """Compiles a module of the `tt` level, which is lowered in place."""
    options = source.options
    with _timed(timings, "imports"):
        from mytriton.pass_manager import dump_directory, verification_requested
        from mytriton.passes.pipeline import run_standard_pipeline, standard_passes
        from mytriton.runtime.written_arguments import written_arguments

        import_module("mytriton.codegen.kernel")
        standard_passes(options)
    verify = verification_requested()
    if verify:
        with _timed(timings, "verify tt"):
            _verify(module, "the frontend has built")
    written = written_arguments(module)

    def keep_time(run: PassRun, module: ModuleOp) -> None:
        name = run.module_pass.name
        timings[name] = timings.get(name, 0.0) + run.seconds * 1e3

    folder = dump_directory()
    savers = () if folder is None else (_ir_saver(folder, module),)
    run_standard_pipeline(module, options, (keep_time, *savers))
    if verify:
        with _timed(timings, "verify cuda"):
            _verify(module, "the passes have left")
    with _timed(timings, "print cuda"):
        try:
            cuda, kernel = _printed(module)
        except InternalError:
            raise
        except CompilationError as error:
            # The printer refuses what some pass should have removed, as well as what CUDA C has no words for.
            if (first := _first_failure(source)) is not None:
                raise first from error
            raise
    return Compilation(cuda, kernel, written, options, timings, source)


def _printed(module: ModuleOp) -> tuple[str, Kernel]:
    from mytriton.codegen import print_cuda

    try:
        return print_cuda(module), _described(module)
    except (MytritonError, RecursionError):
        raise
    except Exception as error:
        raise InternalError(f"printing CUDA C failed with {type(error).__name__}: {error}") from error


def _described(module: ModuleOp) -> Kernel:
    from mytriton.codegen import kernel_metadata

    (found,) = kernel_metadata(module)
    params = tuple((parameter.name, parameter.c_type) for parameter in found.params)
    return Kernel(found.name, params, found.num_warps, found.static_shared_bytes, found.dynamic_shared_bytes)


# Mistakes of the compiler itself


def _verify(module: ModuleOp, what_it_is: str) -> None:
    """Raises `InternalError` for IR that is not valid; `what_it_is` begins the message."""
    from mytriton.verify import verify_module

    try:
        verify_module(module)
    except CompilationError as error:
        raise InternalError(f"{what_it_is} IR that is not valid: {error.message}", error.location) from error


def _first_failure(source: Source) -> InternalError | None:
    """What goes wrong first if the IR is verified after each step; None if the IR is valid throughout."""
    from mytriton.passes.pipeline import run_standard_pipeline

    try:
        module = source.build()
        _verify(module, "the frontend has built")
        run_standard_pipeline(module, source.options, verify=True)
    except InternalError as error:
        error.location = _with_line_of_file(error.location)
        return error
    except MytritonError:
        return None
    return None


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


def __getattr__(name: str) -> Any:
    """The names that `triton.compiler` has, for programs that say `import mytriton as triton`."""
    if not name.startswith("_"):
        from mytriton.drop_in.modules import FACADES, named

        if name in FACADES["triton.compiler"]:
            return named("triton.compiler", name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
