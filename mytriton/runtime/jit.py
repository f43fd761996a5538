"""`@jit`: a Python function as a kernel, compiled when it is launched, once for each kind of arguments."""

from __future__ import annotations

import ast
import functools
import importlib
import inspect
import os
import pickle
import sys
import threading
import types
from collections.abc import Callable, Iterable, Mapping
from contextlib import nullcontext, suppress
from typing import TYPE_CHECKING, Any, overload

from mytriton.checker.settings import current_checks
from mytriton.errors import BreakpointError, LaunchError, MytritonError, OptionError
from mytriton.interpreter.launch import is_debugging, is_interpreting
from mytriton.interpreter.launch import launch as launch_on_interpreter
from mytriton.language.context import silently
from mytriton.options import OPTION_NAMES, Options
from mytriton.runtime import launch_hooks
from mytriton.runtime.compile_cache import compile_or_load
from mytriton.runtime.compiled import CompiledKernel
from mytriton.runtime.constants import unwrapped
from mytriton.runtime.dependencies import Dependencies
from mytriton.runtime.devices import architecture_of, default_device
from mytriton.runtime.grid import Grid, resolve_grid
from mytriton.runtime.kernel_interface import KernelInterface
from mytriton.runtime.parameters import bind, bind_variadic, expand, parameters_of, refuse_variadic
from mytriton.runtime.source import FunctionSource, source_of
from mytriton.runtime.specialize import Specialization, specialize
from mytriton.tracebacks import hide_in_pytest, is_about_the_program, shortened

if TYPE_CHECKING:
    from mytriton.interpreter.debugger import DebuggedKernel

__tracebackhide__ = hide_in_pytest

DOT_PRECISION_VARIABLE = "MYTRITON_DOT_PRECISION"
"""The environment variable with the default of the option `input_precision`."""

_COMPILER_LOCK = threading.RLock()
"""The compiler is Python, so two threads would not compile faster than one."""


class JITFunction(KernelInterface[Any]):
    """A kernel, or a function that kernels call.

    `kernel[grid](*args, **options)` compiles it if need be and runs it, and gives the `CompiledKernel`; `kernel.warmup`
    only compiles. It is never called as a Python function. Threads may share it; it pickles by its name.
    """

    is_mytriton_jit = True
    __name__: str
    __qualname__: str

    def __init__(
        self,
        fn: Callable[..., Any],
        *,
        version: Any = None,
        do_not_specialize: Iterable[int | str] | None = None,
        do_not_specialize_on_alignment: Iterable[int | str] | None = None,
        debug: bool | None = None,
        noinline: bool | None = None,
        repr: Callable[..., str] | None = None,
        launch_metadata: Callable[..., Any] | None = None,
    ):
        if not isinstance(fn, types.FunctionType):
            raise MytritonError(f"jit takes a Python function, found {fn!r}")
        self.fn = fn
        self.params = parameters_of(fn, do_not_specialize or (), do_not_specialize_on_alignment or ())
        self.arg_names = [parameter.name for parameter in self.params]
        self.version = version
        self.debug = debug
        self.noinline = bool(noinline)
        self.repr = repr
        self.launch_metadata = launch_metadata
        self._source: FunctionSource = source_of(fn)
        self._tree: ast.Module | None = None
        self._is_variadic = bool(fn.__code__.co_flags & inspect.CO_VARARGS)
        self._takes_any_keywords = bool(fn.__code__.co_flags & inspect.CO_VARKEYWORDS)
        self._names = frozenset(self.arg_names)
        self._plain_names = self._names - OPTION_NAMES
        self._dependencies: Dependencies | None = None
        self._options: dict[Any, Options] = {}
        self._kernels: dict[Any, CompiledKernel] = {}
        self._debugged: dict[Any, DebuggedKernel] = {}
        functools.update_wrapper(self, fn, updated=())
        self.__globals__ = fn.__globals__

    # The source

    @property
    def src(self) -> str:
        """The text of the function, from its `def`, without the indentation of the place where it stands."""
        return self._source.text

    @property
    def source_file(self) -> str:
        return self._source.file

    @property
    def source_line(self) -> int:
        """The number, in the file, of the first line of `src`."""
        return self._source.line

    @property
    def source_indent(self) -> int:
        """How many columns further to the right `src` stands in the file."""
        return self._source.indent

    @property
    def __code__(self) -> types.CodeType:
        """Where debuggers find the function that they are to stop in."""
        return self.fn.__code__

    def parse(self) -> ast.Module:
        """The syntax tree of `src`."""
        if self._tree is None:
            self._tree = ast.parse(self.src, self.source_file)
        return self._tree

    def fingerprint(self) -> str:
        """What differs when the text of the function, or of one it calls, or a global that it uses does."""
        return self._current_dependencies().fingerprint

    @property
    def cache_key(self) -> str:
        """Triton's name of `fingerprint`."""
        return self.fingerprint()

    def has_lasting_fingerprint(self) -> bool:
        """Whether another process would compute the same fingerprint."""
        return self._current_dependencies().is_lasting

    def _current_dependencies(self) -> Dependencies:
        dependencies = self._dependencies
        if dependencies is None or not dependencies.unchanged():
            dependencies = self._dependencies = Dependencies(self)
        return dependencies

    # Launching

    def __getitem__(self, grid: Grid) -> Callable[..., CompiledKernel]:
        return functools.partial(self.run, grid=grid, warmup=False)

    def warmup(self, *args: Any, grid: Grid | None = None, **kwargs: Any) -> CompiledKernel:
        """Compiles for these arguments without running; arguments may be types (see `argument_types`)."""
        return self.run(*args, grid=grid, warmup=True, **kwargs)

    def run(self, *args: Any, grid: Any, warmup: bool = False, **kwargs: Any) -> CompiledKernel:
        """Launches the kernel on `grid`, or with `warmup` only compiles it.

        `kwargs` are the kernel's own parameters and the options of `Options`. Raises `ArgumentError`, `OptionError`,
        `LaunchError`, `CompilationError`, or another `MytritonError`.
        """
        try:
            name = self.__name__
            if self._takes_any_keywords:
                refuse_variadic(name, self.fn)
            options_given: dict[str, Any] = {}
            if kwargs and not self._plain_names.issuperset(kwargs):
                options_given, kwargs = self._split_keywords(kwargs)
            if self._is_variadic:
                values = bind_variadic(name, self.fn, self.params, args, kwargs)
            else:
                values = bind(name, self.params, args, kwargs)
            specialization = specialize(name, *expand(self.params, values), warmup)
            device = specialization.device or ("cpu" if warmup else default_device())
            options = self._options_for(options_given, device)
            if warmup:
                return self._compiled(specialization, options)
            if callable(grid):
                grid = grid({**options.as_dict(), **dict(zip(self.arg_names, values, strict=True))})
            sizes = resolve_grid(grid, name)
            if is_interpreting():
                parameters, values = expand(self.params, values)
                given = {parameter.name: value for parameter, value in zip(parameters, values, strict=True)}
                arguments = {name: given[name] for name in specialization.signature()}
                return self._interpret(specialization, options, sizes, arguments)
            kernel = self._compiled(specialization, options)
            if specialization.read_only:
                kernel.check_writable(specialization)
            if 0 in sizes:
                return kernel
            if launch_hooks.are_set():
                given = dict(zip(self.arg_names, values, strict=True))
                with launch_hooks.called_around(kernel, self.launch_metadata, sizes, given):
                    self._launch(kernel, sizes, specialization, values, device)
            else:
                self._launch(kernel, sizes, specialization, values, device)
            return kernel
        except MytritonError as error:
            # The message says where in the kernel; where in the compiler is of no use to the caller.
            raise shortened(error)  # noqa: B904

    def _launch(
        self, kernel: CompiledKernel, sizes: tuple[int, int, int], call: Specialization, values: Any, device: str
    ) -> None:
        if (checks := current_checks()) is not None:
            kernel.launch_checked(sizes, call, expand(self.params, values)[1], device, checks)
        else:
            kernel.launch(sizes, call.values(), device)

    def _interpret(
        self, specialization: Specialization, options: Options, sizes: tuple[int, ...], arguments: Mapping[str, Any]
    ) -> Any:
        """Launches the kernel on the interpreter, in a way that a debugger sees if there is one."""
        kernel: CompiledKernel | None = None
        with suppress(BreakpointError):
            kernel = self._compiled(specialization, options)
            if specialization.read_only:
                kernel.check_writable(specialization)
        if kernel is not None and not is_debugging():
            launch_on_interpreter(kernel.asm["tt"], sizes, arguments)
            return kernel
        debugged = self._debugged_kernel(specialization, options, is_silent=kernel is not None)
        debugged.launch(sizes, arguments)
        return kernel or debugged

    def _debugged_kernel(self, specialization: Specialization, options: Options, is_silent: bool) -> DebuggedKernel:
        from mytriton.interpreter.debugger import DebuggedKernel

        key = (self.fingerprint(), options, specialization.key)
        debugged = self._debugged.get(key)
        if debugged is None:
            with silently() if is_silent else nullcontext():
                debugged = self._debugged[key] = DebuggedKernel(self, specialization, options)
        debugged.check_writable(specialization)
        return debugged

    def _split_keywords(self, keywords: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        """The compile options, and the kernel's own arguments; a name that is both goes to both."""
        if keywords.get("num_ctas", 1) != 1 and "num_ctas" not in self._names:
            raise OptionError(f"num_ctas must be 1, found {keywords['num_ctas']!r}: clusters are not supported")
        options = {name: unwrapped(value) for name, value in keywords.items() if name in OPTION_NAMES}
        arguments = {
            name: value
            for name, value in keywords.items()
            if name in self._names or (name not in OPTION_NAMES and name != "num_ctas")
        }
        return options, arguments

    def _options_for(self, given: dict[str, Any], device: str) -> Options:
        precision = os.environ.get(DOT_PRECISION_VARIABLE)
        key = (device, precision, *given.items())
        try:
            options = self._options.get(key)
        except TypeError as error:
            raise OptionError(f"an option of kernel {self.__name__} has a value of the wrong type: {given}") from error
        if options is None:
            defaults: dict[str, Any] = {"debug": bool(self.debug)}
            if precision:
                defaults["input_precision"] = precision
            if "arch" not in given:
                defaults["arch"] = architecture_of(device)
            options = self._options[key] = Options(**(defaults | given))
        return options

    def _compiled(self, specialization: Specialization, options: Options) -> CompiledKernel:
        key = (self.fingerprint(), options, specialization.key)
        kernel = self._kernels.get(key)
        if kernel is not None:
            return kernel
        refuse_variadic(self.__name__, self.fn)
        with _COMPILER_LOCK:
            kernel = self._kernels.get(key)
            if kernel is None:
                try:
                    compilation = compile_or_load(self, specialization, options)
                    kernel = self._kernels[key] = CompiledKernel(compilation, specialization)
                except MytritonError as error:
                    if not is_about_the_program(error):
                        raise
                    raise shortened(error) from None
        return kernel

    # As a Python object

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        name = self.__name__
        raise LaunchError(
            f"{name} is a kernel function and cannot be called as a Python function: launch it as {name}[grid](...), "
            "or call it from another kernel"
        )

    def __repr__(self) -> str:
        return f"JITFunction({self.__module__}:{self.__qualname__})"

    def __copy__(self) -> JITFunction:
        return self

    def __deepcopy__(self, memo: Any) -> JITFunction:
        return self

    def __reduce__(self) -> tuple[Callable[[str, str], JITFunction], tuple[str, str]]:
        place = (self.__module__, self.__qualname__)
        try:
            found = function_at(*place)
        except (ImportError, AttributeError) as error:
            raise pickle.PicklingError(f"{self!r} cannot be pickled: {error}") from error
        if found is not self:
            raise pickle.PicklingError(f"{self!r} cannot be pickled: another object has its name")
        return function_at, place


_SETTINGS = tuple(
    name for name, found in inspect.signature(JITFunction).parameters.items() if found.kind is found.KEYWORD_ONLY
)
"""The options of `jit`."""


def function_at(module: str, qualified_name: str) -> JITFunction:
    """The jit function of that name, also where a wrapper such as an autotuner stands in its place."""
    value: Any = sys.modules.get(module) or importlib.import_module(module)
    for part in qualified_name.split("."):
        value = getattr(value, part)
    while not isinstance(value, JITFunction):
        value = value.fn
    return value


@overload
def jit(fn: Callable[..., Any]) -> JITFunction: ...


@overload
def jit(
    *,
    version: Any = None,
    repr: Callable[..., str] | None = None,
    launch_metadata: Callable[..., Any] | None = None,
    do_not_specialize: Iterable[int | str] | None = None,
    do_not_specialize_on_alignment: Iterable[int | str] | None = None,
    debug: bool | None = None,
    noinline: bool | None = None,
) -> Callable[[Callable[..., Any]], JITFunction]: ...


def jit(fn: Callable[..., Any] | None = None, **settings: Any) -> Any:
    """Makes a Python function a kernel: `@jit`, or `@jit(do_not_specialize=["n"])`.

    The parameters that `do_not_specialize` names, by position or name, do not make the kernel be compiled anew when
    they become 1 or divisible by 16.
    """
    if unknown := settings.keys() - _SETTINGS:
        raise OptionError(f"jit has no option {min(unknown)!r}; its options are {', '.join(_SETTINGS)}")
    if fn is None:
        return functools.partial(jit, **settings)
    if isinstance(fn, JITFunction):
        return fn
    return JITFunction(fn, **settings)
