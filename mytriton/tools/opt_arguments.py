"""The command line of `mytriton-opt`."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import NoReturn

from mytriton.options import DUMP_VARIABLE
from mytriton.tools.specs import UsageError

PROGRAM = "mytriton-opt"
DESCRIPTION = "Reads MLIR text, runs passes on it, and writes MLIR, CUDA C, PTX or a cubin."


class OptArgumentParser(argparse.ArgumentParser):
    """Mistakes raise `UsageError`; the help ends with `overview`, what there is to choose from."""

    def __init__(self, overview: Callable[[], str]):
        formatter = argparse.RawDescriptionHelpFormatter
        super().__init__(prog=PROGRAM, description=DESCRIPTION, formatter_class=formatter, allow_abbrev=False)
        self._overview = overview

    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{message}; see {PROGRAM} --help")

    def format_help(self) -> str:
        return f"{super().format_help()}\n{self._overview()}\n"


def add_arguments(parser: argparse.ArgumentParser, version: str) -> None:
    """Declare every argument on `parser`."""
    parser.add_argument("input_file", nargs="?", help="the file to read; standard input if missing or '-'")
    parser.add_argument("-v", "--version", action="version", version=version)

    group = parser.add_argument_group("what to do")
    group.add_argument("-p", "--passes", default="", help="passes to run in order: 'a,b{option=3},c'")
    group.add_argument("-t", "--target", default="mlir", help="what to write, if not mlir: cuda, 'cubin{arch=sm_90a}'")
    group.add_argument("-o", "--output-file", metavar="FILE", help="where to write; standard output if missing or '-'")
    group.add_argument("-f", "--frontend", help="how to read; by default what the file's name ends in, or mlir")

    group = parser.add_argument_group("what to see")
    _add_flag(group, "--remarks", "print what passes say about operations that they left alone")
    _add_flag(group, "--print-ir-after-all", "print the IR after each pass, to standard error")
    group.add_argument(
        "--print-ir-after",
        action="append",
        default=[],
        metavar="PASS",
        help="print the IR after this pass, to standard error; may be repeated",
    )
    _add_flag(group, "--print-between-passes", "print the IR between passes, to standard output")
    group.add_argument(
        "--dump-dir", metavar="FOLDER", help=f"save the IR after each pass in this folder, as {DUMP_VARIABLE} does"
    )
    _add_flag(group, "--time-passes", "print how long each pass took, to standard error")
    _add_flag(group, "--print-debuginfo", "print locations")
    _add_flag(group, "--print-op-generic", "print operations in the generic form")
    _add_flag(group, "--print-no-properties", "print properties as attributes")
    _add_flag(group, "--syntax-highlight", "print MLIR in colour")

    group = parser.add_argument_group("how to read and check")
    _add_flag(group, "--split-input-file", "treat the parts of the input between '// -----' lines on their own")
    _add_flag(
        group,
        "--verify-diagnostics",
        "errors are expected: compare them and the remarks with the '// expected-error {{...}}' and "
        "'// expected-remark {{...}}' comments of the input, or print them where it has none, and exit with 0",
    )
    _add_flag(group, "--parsing-diagnostics", "print parse errors to standard output, and exit with 0")
    _add_flag(group, "--allow-unregistered-dialect", "accept operations of unknown dialects")
    _add_flag(group, "--no-implicit-module", "the input must be one builtin.module")
    _add_flag(group, "--disable-verify", "do not verify the IR")
    _add_flag(group, "--shrink", "exit with 0 if a ShrinkException was raised, otherwise with 1")


def _add_flag(group: argparse._ArgumentGroup, name: str, help: str) -> None:  # pyright: ignore[reportPrivateUsage]
    group.add_argument(name, action="store_true", help=help)
