"""`compile_ttir`: a kernel from Triton's own IR text, launched on arrays."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from os import PathLike
from pathlib import Path
from typing import Any, NoReturn

from mytriton.compiler import compile_source
from mytriton.deep_nesting import deep_nesting
from mytriton.errors import ArgumentError, CompilationError, InternalError, MytritonError, OptionError, PassError
from mytriton.interpreter.launch import is_interpreting
from mytriton.options import OPTION_NAMES, Options
from mytriton.runtime.arguments import Argument, describe
from mytriton.runtime.compiled import CompiledKernel
from mytriton.runtime.constants import unwrapped
from mytriton.runtime.grid import resolve_grid
from mytriton.runtime.parameters import MISSING, Parameter
from mytriton.runtime.specialize import Specialization, one_device
from mytriton.runtime.ttir_source import TTIRParameter, TTIRSource
from mytriton.tracebacks import hide_in_pytest

__tracebackhide__ = hide_in_pytest

EXTENSIONS = (".ttir", ".mlir")


def compile_ttir(
    source: str | PathLike[str],
    *,
    kernel: str | None = None,
    filename: str = "<ttir>",
    **options: Any,
) -> TTIRKernel:
    """Compiles TTIR, such as `compiled.asm["ttir"]` of Triton, as `mytriton-opt -p tt-to-cuda` does.

    `source` is the text, or the path of a file; a string is a path if it is one line that ends in .ttir or .mlir.
    `kernel` names the function to compile where the module has several public ones. `filename` stands for the text in
    errors. The other options are those of a launch: `num_warps`, `arch` and so on.

    Raises `CompilationError` or `PassError`, with a line, for text that cannot be compiled, `OptionError` for an option
    that is none, and `ArgumentError` where the file cannot be read or there is no such kernel.
    """
    if unknown := options.keys() - OPTION_NAMES:
        raise OptionError(f"compile_ttir has no option {min(unknown)!r}; its options are {', '.join(OPTION_NAMES)}")
    settings = Options(**options)
    if not isinstance(source, str) or (source.endswith(EXTENSIONS) and "\n" not in source):
        filename = str(source)
        source = _read(Path(source))
    try:
        found = TTIRSource(source, filename, settings, kernel)
        return TTIRKernel(found)
    except InternalError:
        raise
    except MytritonError as error:
        if isinstance(error, CompilationError | PassError) and error.location and error.location.file == filename:
            from mytriton.diagnostics import with_source_line

            error.location = with_source_line(error.location, source)
        raise error.with_traceback(None) from None


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise ArgumentError(f"cannot read {str(path)!r}: {error.strerror or error}") from None
    except UnicodeDecodeError as error:
        raise ArgumentError(f"cannot read {str(path)!r}: it is not UTF-8 text (byte {error.start})") from None


class TTIRKernel(CompiledKernel):
    """A kernel compiled from TTIR: `kernel[grid](*args)` launches it, with one argument for each of its parameters.

    A pointer takes an array whose dtype is that of its elements; the text does not say whether integers are signed, and
    either kind is taken. A descriptor takes a `TensorDescriptor`, which stands for its sizes and strides too.
    """

    def __init__(self, source: TTIRSource):
        self.source = source
        self.ttir_parameters = source.parameters
        with deep_nesting():
            compilation = compile_source(source)
        parameters = [_launch_parameter(index, p) for index, p in enumerate(source.parameters)]
        like = [Argument(p.types[0], p.divisibility > 1, None) for p in source.parameters]
        super().__init__(compilation, Specialization(parameters, like, (), "", []))

    def __getitem__(self, grid: Any) -> Callable[..., CompiledKernel]:
        """`kernel[grid](*args)`; raises `ArgumentError` where the arguments are not those of the text."""
        return functools.partial(self._run, grid)

    def _run(self, grid: Any, *args: Any) -> CompiledKernel:
        values = self._flat(args)
        if callable(grid):
            grid = grid(self.options.as_dict())
        sizes = resolve_grid(grid, self.name)
        call = self._bound(values)
        self.check_writable(call)
        if is_interpreting():
            from mytriton.interpreter.launch import run

            with deep_nesting():
                run(self.source.build(), sizes, values, names=[p.name for p in self.ttir_parameters])
            return self
        self.launch_bound(sizes, call, values)
        return self

    def _flat(self, args: Sequence[Any]) -> list[Any]:
        """The arguments, with descriptors as what they are made of."""
        values: list[Any] = []
        for value in args:
            if not getattr(value, "is_mytriton_tensor_descriptor", False):
                values.append(unwrapped(value))
                continue
            parameter = self.ttir_parameters[len(values)] if len(values) < len(self.ttir_parameters) else None
            if parameter is None or not parameter.tile:
                self._refuse(f"takes no tensor descriptor as argument {len(values)}")
            if tuple(value.block_shape) != parameter.tile:
                self._refuse(f"takes tiles of {list(parameter.tile)} as {parameter.name!r}, found {value.block_shape}")
            if value.padding != "zero":
                self._refuse(f"reads zeros outside of {parameter.name!r}, found a descriptor padded with NaN")
            values += [value.base, *value.shape, *value.strides]
        if len(values) != len(self.ttir_parameters):
            self._refuse(f"takes {len(self.ttir_parameters)} arguments, but {len(values)} were given")
        return values

    def _bound(self, values: Sequence[Any]) -> Specialization:
        parameters = self.specialization.parameters
        found = [self._argument(*pair) for pair in zip(parameters, self.ttir_parameters, values, strict=True)]
        read_only = [p.name for p, argument in zip(parameters, found, strict=True) if not argument.writable]
        return Specialization(parameters, found, (), one_device(self.name, parameters, found), read_only)

    def _argument(self, parameter: Parameter, wanted: TTIRParameter, value: Any) -> Argument:
        if not wanted.is_pointer:
            return Argument(wanted.types[0], False, self._number(wanted, value))
        found = describe(value, parameter, self.name)
        if found.type not in wanted.types:
            what = f"an array of {' or '.join(kind[1:] for kind in wanted.types)}"
            self._refuse(f"takes {what} as {wanted.name!r}, found {found.type.removeprefix('*')}")
        self._check_divisible(wanted, found.value, "an address")
        return found

    def _number(self, wanted: TTIRParameter, value: Any) -> int | float | bool:
        kind = wanted.types[0]
        value = value.item() if getattr(value, "shape", None) == () else value  # a scalar of NumPy
        if kind.startswith(("fp", "bf")):
            if not isinstance(value, int | float):
                self._refuse(f"takes a number as {wanted.name!r}, found {type(value).__name__}")
            return float(value)
        if not isinstance(value, int):
            self._refuse(f"takes an integer as {wanted.name!r}, found {type(value).__name__}")
        width = int(kind[1:])
        if width == 1:
            if value not in (0, 1):
                self._refuse(f"takes True or False as {wanted.name!r}, found {value}")
            return bool(value)
        if not -(1 << width - 1) <= value < 1 << width:
            self._refuse(f"takes an integer of {width} bits as {wanted.name!r}, found {value}")
        self._check_divisible(wanted, value, "a number")
        return value - (1 << width) if value >= 1 << width - 1 else value

    def _check_divisible(self, wanted: TTIRParameter, value: int, what: str) -> None:
        if value % wanted.divisibility:
            self._refuse(
                f"was compiled for {what} that {wanted.divisibility} divides as {wanted.name!r}, found {value}"
            )

    def _refuse(self, what: str) -> NoReturn:
        signature = ", ".join(map(str, self.ttir_parameters))
        raise ArgumentError(f"kernel {self.name} {what}\nits signature is {self.name}({signature})")


def _launch_parameter(index: int, parameter: TTIRParameter) -> Parameter:
    return Parameter(index, parameter.name, MISSING, MISSING, False, None, specialize=False)
