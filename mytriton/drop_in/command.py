"""The command line of `python -m mytriton`."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence

from mytriton.drop_in import children
from mytriton.drop_in.programs import run_module, run_script, run_text

DESCRIPTION = """\
Runs a Python program with mytriton in the place of Triton: what it imports as `triton` is mytriton, whether or not
Triton is installed. The program, its arguments and its exit code are as with `python`."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the program that the command line names, and gives its exit code; `SystemExit` passes."""
    parser = _parser()
    given = parser.parse_args(sys.argv[1:] if arguments is None else arguments)
    run, command = _program(given)
    if not command:
        parser.error("name a script, or a module with -m")
    if given.sanitize:
        _sanitize(parser, given)
    missing = _why_no_gpu() if given.device != "cpu" else None
    if given.device == "cuda" and missing:
        parser.exit(
            2,
            f"{parser.prog}: error: --device cuda: there is no GPU to run on: {missing}\n"
            "hint: --device cpu runs the program on the CPU, what it asks of torch's cuda device included\n",
        )
    children.reach(given.device or ("cpu" if missing else "cuda"))
    if given.report and not children.is_watched():
        from mytriton.drop_in.report import report_at_exit

        report_at_exit()
    children.join()
    return run(command)


def _sanitize(parser: argparse.ArgumentParser, given: argparse.Namespace) -> None:
    """Has every launch be checked, which is on the CPU."""
    from mytriton.checker.settings import sanitize_everything
    from mytriton.errors import OptionError

    if given.device == "cuda":
        parser.error("--sanitize runs kernels on the CPU; leave out --device cuda")
    given.device = "cpu"
    try:
        sanitize_everything()
    except OptionError as error:
        parser.error(str(error))


def _program(given: argparse.Namespace) -> tuple[Callable[[Sequence[str]], int], list[str]]:
    """How to run what the command line names, and its name and arguments."""
    if given.module is not None:
        return run_module, given.module
    if given.text is not None:
        return run_text, given.text
    return run_script, given.script


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m mytriton", description=DESCRIPTION, allow_abbrev=False)
    parser.add_argument(
        "--device",
        choices=("cpu", "cuda"),
        help="where kernels run; with cpu, what the program asks of torch's cuda device is done on the CPU. "
        "The default is cuda where there is a GPU, else cpu",
    )
    parser.add_argument(
        "--report",
        action="store_true",
        help="end with a table of the kernels on stderr: compiled, launched, refused, in all processes",
    )
    parser.add_argument(
        "--sanitize",
        action="store_true",
        help="run kernels on the CPU with checks: the first that does what it must not ends the program with its line; "
        "options come from MYTRITON_SANITIZE",
    )
    parser.add_argument(
        "-m", dest="module", nargs=argparse.REMAINDER, metavar="MODULE", help="run a module, as python -m does"
    )
    parser.add_argument(
        "-c", dest="text", nargs=argparse.REMAINDER, metavar="TEXT", help="run a program text, as python -c does"
    )
    parser.add_argument(
        "script",
        nargs=argparse.REMAINDER,
        metavar="SCRIPT ...",
        help="the script and its arguments; a folder or zip file with a __main__.py, or - for the standard input",
    )
    return parser


def _why_no_gpu() -> str | None:
    """Why there is no CUDA device that kernels can run on; None where there is one.

    A forked process asks: once a process has begun to use CUDA, those that it forks cannot.
    """
    if not hasattr(os, "fork"):
        return _ask_for_gpu()
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.write(writer, (_ask_for_gpu() or "").encode())
        finally:
            os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as answer:
        reason = answer.read()
    _, status = os.waitpid(child, 0)
    return reason or (f"asking the driver ended with the status {status}" if status else None)


def _ask_for_gpu() -> str | None:
    from mytriton.errors import MytritonError
    from mytriton.runtime.cuda_device import cuda_device

    try:
        cuda_device("cuda")
    except MytritonError as error:
        return str(error)
    return None
