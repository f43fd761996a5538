"""`mytriton-opt`: reads MLIR text, runs passes on it, and writes MLIR, CUDA C, PTX or a cubin."""

from __future__ import annotations

import argparse
import dataclasses
import inspect
import os
import re
import sys
import textwrap
import traceback
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from io import BytesIO, StringIO
from pathlib import Path
from typing import IO, Any

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute
from xdsl.passes import ModulePass
from xdsl.printer import Printer
from xdsl.syntax_printer import SyntaxPrinter
from xdsl.targets.mlir import MLIRTarget
from xdsl.universe import Universe
from xdsl.utils.arg_spec import ArgSpec, parse_pipeline, parse_spec
from xdsl.utils.exceptions import DiagnosticException, ParseError, ShrinkException
from xdsl.utils.target import Target
from xdsl.xdsl_opt_main import xDSLOptMain

from mytriton.deep_nesting import deep_nesting
from mytriton.diagnostics import Remark, collect_remarks, with_source_line
from mytriton.errors import REPORT_REQUEST, CompilationError, InternalError, MytritonError, PassError
from mytriton.options import DUMP_VARIABLE
from mytriton.pass_manager import Observer, PassRun, dump_directory, ir_saver, run_passes, save_ir, too_deep
from mytriton.passes.pipeline import get_all_passes
from mytriton.targets import BinaryTarget
from mytriton.text_places import add_text_location
from mytriton.tools.expected_diagnostics import Diagnostic, compare, find_expectations
from mytriton.tools.opt_arguments import PROGRAM, OptArgumentParser, add_arguments
from mytriton.tools.output_file import write_whole
from mytriton.tools.specs import UsageError, from_spec, look_up, parse_specs
from mytriton.tracebacks import DEBUG_VARIABLE
from mytriton.ttir import OWN_DIALECTS, TTIRFrontend, TTIRPrinter, located_parse_error
from mytriton.universe import TARGETS
from mytriton.verify import one_line, verify_module

_SEPARATOR = re.compile(r"^// -----.*$", re.MULTILINE)


@dataclass(frozen=True)
class TextFrontend(TTIRFrontend):
    """MLIR text of any level."""

    name = "mlir"


@dataclass(frozen=True)
class TextTarget(MLIRTarget):
    """MLIR text that reads back as the same module."""

    name = "mlir"

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        printer_class: type[Printer] = SyntaxPrinter if self.syntax_highlight else TTIRPrinter
        printer = printer_class(
            stream=output,
            print_generic_format=self.print_generic_format,
            print_properties_as_attributes=self.print_properties_as_attributes,
            print_debuginfo=self.print_debuginfo,
        )
        printer.print_op(module)
        printer.print_metadata(ctx.loaded_dialects)
        output.write("\n")


class MytritonOpt(xDSLOptMain):
    """xDSL's driver with the dialects, passes and targets of mytriton, and with errors that are one located line."""

    target: Target
    passes: tuple[ModulePass, ...]
    text: str
    """The input; empty until it has been read."""
    output: list[str | bytes]

    def __init__(self, arguments: Sequence[str] | None = None):
        # The base class is not initialised: it prints its usage for every mistake in an argument.
        self.available_frontends = {}
        self.available_passes = {}
        self.available_targets = {}
        self.ctx = Context()
        self.text = ""
        self.output = []
        self._multiverse = Universe.get_multiverse()
        self.register_all_dialects()
        self.register_all_frontends()
        self.register_all_passes()
        self.register_all_targets()

        parser = OptArgumentParser(self.overview)
        self.register_all_arguments(parser)
        self.args = parser.parse_args(arguments)
        self.ctx.allow_unregistered = self.args.allow_unregistered_dialect
        self.target = self._make_target()
        self.setup_pipeline()

    # What there is

    def register_all_dialects(self) -> None:
        for name, dialect in (self._multiverse.all_dialects | OWN_DIALECTS).items():
            self.ctx.register_dialect(name, dialect)

    def register_all_frontends(self) -> None:
        own = {"mlir": lambda: TextFrontend, "ttir": lambda: TTIRFrontend}
        self.available_frontends |= self._multiverse.all_frontends | own

    def register_all_passes(self) -> None:
        self.available_passes |= self._multiverse.all_passes | get_all_passes()

    def register_all_targets(self) -> None:
        own: dict[str, Callable[[], type[Target]]] = {"mlir": lambda: TextTarget, **TARGETS}
        self.available_targets |= self._multiverse.all_targets | own

    def register_all_arguments(self, arg_parser: argparse.ArgumentParser) -> None:
        add_arguments(arg_parser, _version())

    def overview(self) -> str:
        """The passes, targets and frontends, as `--help` lists them."""
        own = get_all_passes()
        lines = ["passes of mytriton:"]
        lines += [f"  {name:26} {_summary(factory)}" for name, factory in own.items()]
        others = sorted(self.available_passes.keys() - own.keys())
        lines += ["", "passes of xDSL:", *_wrapped(others), "", "targets:", *_wrapped(sorted(self.available_targets))]
        lines += ["", "frontends:", *_wrapped(sorted(self.available_frontends)), ""]
        lines += ["environment:"]
        lines += [f"  {DUMP_VARIABLE:26} a folder where the IR after each pass is saved"]
        lines += [f"  {DEBUG_VARIABLE:26} set to 1, shows the Python traceback of an error"]
        return "\n".join(lines)

    # What was asked for

    def _make_target(self) -> Target:
        (spec,) = parse_specs("-t", self.args.target, lambda text: [parse_spec(text)])
        factory: Any = look_up("target", "-t", self.args.target, spec.name, self.available_targets)
        if inspect.signature(factory).parameters:
            raise UsageError(f"the target {spec.name} is a bare function, which {PROGRAM} does not run")
        target: Target = from_spec("target", spec, factory())
        if not isinstance(target, MLIRTarget):
            return target
        return dataclasses.replace(
            target,
            print_generic_format=target.print_generic_format or self.args.print_op_generic,
            print_properties_as_attributes=target.print_properties_as_attributes or self.args.print_no_properties,
            print_debuginfo=target.print_debuginfo or self.args.print_debuginfo,
            syntax_highlight=target.syntax_highlight or self.args.syntax_highlight,
        )

    def setup_pipeline(self) -> None:
        specs = parse_specs("-p", self.args.passes, lambda text: list(parse_pipeline(text)))
        for name in self.args.print_ir_after:
            look_up("pass", "--print-ir-after", name, name, self.available_passes)
        found = [(spec, look_up("pass", "-p", self.args.passes, spec.name, self.available_passes)) for spec in specs]
        self.passes = tuple(from_spec("pass", spec, factory()) for spec, factory in found)

    # The run

    def run(self) -> None:
        """Read, run the passes, write. Raises `MytritonError`; nothing is written unless everything went well."""
        frontend = self._frontend_name()
        self.text = self._read()
        for number, chunk in enumerate(self._chunks()):
            if number and self.output:
                self.output.append("// -----\n")
            self._run_chunk(chunk, frontend, number)
        self._write()

    def _frontend_name(self) -> str:
        path = self.args.input_file
        extension = "mlir" if path in (None, "-") else os.path.splitext(path)[1].removeprefix(".")
        chosen = self.args.frontend or extension
        (spec,) = parse_specs("-f", chosen, lambda text: [parse_spec(text)]) if chosen else (ArgSpec("", {}),)
        if spec.name not in self.available_frontends:
            known = ", ".join(sorted(self.available_frontends))
            if self.args.frontend:
                raise UsageError(f"unknown frontend '{spec.name}'; there is {known}")
            raise UsageError(f"cannot tell what '{path}' is from its name; use -f with one of {known}")
        return chosen

    def get_input_name(self) -> str:
        return "<stdin>" if self.args.input_file in (None, "-") else self.args.input_file

    def _read(self) -> str:
        name = self.get_input_name()
        try:
            data = sys.stdin.buffer.read() if name == "<stdin>" else Path(name).read_bytes()
        except (OSError, ValueError) as error:
            raise UsageError(f"cannot read '{name}': {getattr(error, 'strerror', None) or error}") from None
        try:
            return data.decode("utf-8").replace("\r\n", "\n")
        except UnicodeDecodeError as error:
            raise UsageError(f"cannot read '{name}': it is not UTF-8 text (byte {error.start})") from None

    def _chunks(self) -> list[str]:
        """The parts of the input, each after as many empty lines as stand before it, so that line numbers are right."""
        if not self.args.split_input_file:
            return [self.text]
        chunks: list[str] = []
        line = 0
        for part in _SEPARATOR.split(self.text):
            chunks.append("\n" * line + part)
            line += part.count("\n")
        return chunks

    def _run_chunk(self, chunk: str, frontend: str, number: int) -> None:
        problem: MytritonError | None = None
        with collect_remarks() as remarks:
            try:
                with deep_nesting():
                    self.output.append(self._transform(chunk, frontend, number))
            except InternalError:
                raise
            except MytritonError as error:
                problem = self._with_source(error)
        if self.args.remarks:
            for remark in remarks:
                print(self._shown(remark), file=sys.stderr)
        if self.args.verify_diagnostics and (expected := find_expectations(chunk)):
            produced = [Diagnostic("remark", _line(remark), remark.message) for remark in remarks]
            if problem is not None:
                produced.append(Diagnostic("error", _line(problem), _message(problem)))
            if differences := compare(expected, produced):
                raise UsageError("\n".join(f"{self.get_input_name()}: {line}" for line in differences))
            return
        if problem is None:
            return
        is_parse_error = isinstance(problem.__cause__, ParseError)
        if not (self.args.verify_diagnostics or (self.args.parsing_diagnostics and is_parse_error)):
            raise problem
        self.output.append(f"{problem}\n")

    def _transform(self, chunk: str, frontend: str, number: int) -> str | bytes:
        """What `chunk` becomes. Raises `MytritonError` only, unless mytriton itself is at fault."""
        try:
            module = self.parse_chunk(BytesIO(chunk.encode()), frontend)
        except ParseError as error:
            raise located_parse_error(error) from error
        assert module is not None
        try:
            return self._run_passes(module, number)
        except (CompilationError, PassError) as error:
            add_text_location(error, module)
            raise

    def _run_passes(self, module: ModuleOp, number: int) -> str | bytes:
        if not self.args.disable_verify:
            verify_module(module)
        folder = Path(self.args.dump_dir) if self.args.dump_dir else dump_directory()
        if folder and self.args.split_input_file:
            folder /= f"part-{number}"
        if folder:
            save_ir(folder, 0, "input", module)
        verify = not self.args.disable_verify
        run_passes(self.ctx, module, self.passes, verify=verify, observers=self._observers(folder))
        try:
            return self._emit(module)
        except DiagnosticException as error:
            raise PassError(f"the target {self.target.name} refuses the module: {one_line(str(error))}") from error
        except RecursionError as error:
            raise too_deep(module) from error

    def _emit(self, module: ModuleOp) -> str | bytes:
        if isinstance(self.target, BinaryTarget):
            return self.target.emit_bytes(self.ctx, module)
        stream = StringIO()
        self.target.emit(self.ctx, module, stream)
        return stream.getvalue()

    def _observers(self, folder: Path | None) -> list[Observer]:
        def print_after(run: PassRun, module: ModuleOp) -> None:
            if self.args.print_ir_after_all or run.module_pass.name in self.args.print_ir_after:
                print(f"// IR after {run.module_pass.name}:", file=sys.stderr)
                self._print_module(module, sys.stderr)

        def print_between(run: PassRun, module: ModuleOp) -> None:
            if self.args.print_between_passes and run.index < len(self.passes):
                print(f"// IR after {run.module_pass.name}:")
                self._print_module(module, sys.stdout)

        def print_time(run: PassRun, module: ModuleOp) -> None:
            if self.args.time_passes:
                print(f"{run.module_pass.name:30} {1000 * run.seconds:9.2f} ms", file=sys.stderr)

        return [print_after, print_between, print_time, *([ir_saver(folder)] if folder else [])]

    def _print_module(self, module: ModuleOp, stream: IO[str]) -> None:
        target = self.target if isinstance(self.target, MLIRTarget) else TextTarget()
        target.emit(self.ctx, module, stream)

    def _write(self) -> None:
        data = b"".join(part if isinstance(part, bytes) else part.encode() for part in self.output)
        path = self.args.output_file
        if path not in (None, "-"):
            try:
                write_whole(Path(path), data)
            except OSError as error:
                raise UsageError(f"cannot write '{path}': {error.strerror or error}") from None
            return
        if isinstance(self.target, BinaryTarget) and sys.stdout.isatty():
            raise UsageError(f"the target {self.target.name} writes bytes, which a terminal cannot show: use -o <file>")
        try:
            sys.stdout.flush()
            sys.stdout.buffer.write(data)
            sys.stdout.buffer.flush()
        except BrokenPipeError:
            raise
        except OSError as error:
            _give_up_output()
            raise UsageError(f"cannot write standard output: {error.strerror or error}") from None

    # Errors

    def _with_source(self, error: MytritonError) -> MytritonError:
        """`error` with the line of the input that it is about."""
        if isinstance(error, CompilationError | PassError) and error.location is not None:
            if error.location.file == self.get_input_name():
                error.location = with_source_line(error.location, self.text)
        return error

    def _shown(self, remark: Remark) -> str:
        location = remark.location
        if location is not None and location.file == self.get_input_name():
            location = with_source_line(location, self.text)
        return "\n".join([str(remark), *(location.excerpt() if location else [])])


def _line(about: Remark | MytritonError) -> int | None:
    location = getattr(about, "location", None)
    return location.line if location is not None else None


def _message(error: MytritonError) -> str:
    return getattr(error, "message", str(error))


def _summary(factory: Callable[[], type[ModulePass]]) -> str:
    try:
        documentation = factory().__doc__ or ""
    except Exception as error:
        return f"(cannot be loaded: {type(error).__name__})"
    return textwrap.shorten(documentation.strip().split("\n")[0], 92, placeholder=" ...")


def _wrapped(names: Iterable[str]) -> list[str]:
    return textwrap.wrap(", ".join(names), 100, initial_indent="  ", subsequent_indent="  ", break_on_hyphens=False)


def _version() -> str:
    try:
        own = version("mytriton")
    except PackageNotFoundError:
        own = "(not installed)"
    return f"{PROGRAM} {own}, xDSL {version('xdsl')}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run `mytriton-opt`; returns the exit code: 0, or 1 after an error has been printed to standard error."""
    try:
        tool = MytritonOpt(arguments)
        with _attribute_checks(enabled=not tool.args.disable_verify):
            return _run(tool)
    except BrokenPipeError:
        _give_up_output()  # whoever read our output has gone
        return 1
    except InternalError as error:
        _report(error, str(error))
    except (CompilationError, PassError) as error:
        _report(error, str(error) if error.location is not None else f"{PROGRAM}: {error}")
    except MytritonError as error:
        _report(error, f"{PROGRAM}: error: {error}")
    except KeyboardInterrupt:
        return 130
    except Exception as error:
        message = f"internal error: {type(error).__name__}: {one_line(str(error))}{_raised_at(error)}"
        _report(error, f"{PROGRAM}: {message}\nhint: {REPORT_REQUEST} and your input")
    return 1


def _run(tool: MytritonOpt) -> int:
    try:
        tool.run()
    except ShrinkException:
        if not tool.args.shrink:
            raise
        print("Success, can shrink")
        return 0
    if tool.args.shrink:
        print("Failure, can't shrink")
        return 1
    return 0


@contextmanager
def _attribute_checks(enabled: bool) -> Generator[None, None, None]:
    """xDSL checks an attribute when it is made; this is how its own tool turns that off."""
    checks = Attribute.__post_init__
    if not enabled:
        Attribute.__post_init__ = lambda self: None
    try:
        yield
    finally:
        Attribute.__post_init__ = checks


def _give_up_output() -> None:
    """Keeps Python from complaining at exit about output that could not be written."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _report(error: BaseException, text: str) -> None:
    if os.environ.get(DEBUG_VARIABLE) == "1":
        traceback.print_exception(error)
    print(text, file=sys.stderr)


def _raised_at(error: BaseException) -> str:
    frames = traceback.extract_tb(error.__traceback__)
    return f" ({Path(frames[-1].filename).name}:{frames[-1].lineno})" if frames else ""


if __name__ == "__main__":
    sys.exit(main())
