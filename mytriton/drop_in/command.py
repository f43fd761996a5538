"""The command line of `python -m mytriton`."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from mytriton.drop_in import finder, torch_import
from mytriton.drop_in.programs import run_module, run_script
from mytriton.runtime.devices import DEVICE_VARIABLE

DESCRIPTION = """\
Runs a Python program with mytriton in the place of Triton: what it imports as `triton` is mytriton, whether or not
Triton is installed. The program, its arguments and its exit code are as with `python`."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the program that the command line names, and gives its exit code; `SystemExit` passes."""
    parser = _parser()
    given = parser.parse_args(sys.argv[1:] if arguments is None else arguments)
    command: list[str] = given.module if given.module is not None else given.script
    if not command:
        parser.error("name a script, or a module with -m")
    device: str = given.device or ("cuda" if _has_gpu() else "cpu")
    os.environ[DEVICE_VARIABLE] = device
    finder.install()
    if device == "cpu":
        torch_import.map_cuda_to_cpu()
    run = run_module if given.module is not None else run_script
    if not given.report:
        return run(command)
    from mytriton.drop_in.report import Report

    report = Report()
    report.start()
    try:
        return run(command)
    finally:
        sys.stdout.flush()
        print(report.text(), file=sys.stderr)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m mytriton", description=DESCRIPTION, allow_abbrev=False)
    parser.add_argument(
        "--device",
        choices=("cpu", "cuda"),
        help="where kernels run; with cpu, what the program asks of torch's cuda device is done on the CPU. "
        "The default is cuda where there is a GPU, else cpu",
    )
    parser.add_argument(
        "--report", action="store_true", help="end with a table of the kernels on stderr: compiled, launched, refused"
    )
    parser.add_argument(
        "-m", dest="module", nargs=argparse.REMAINDER, metavar="MODULE", help="run a module, as python -m does"
    )
    parser.add_argument("script", nargs=argparse.REMAINDER, metavar="SCRIPT ...", help="the script and its arguments")
    return parser


def _has_gpu() -> bool:
    """Whether there is a CUDA device that kernels can run on."""
    from mytriton.errors import MytritonError
    from mytriton.runtime.cuda_device import cuda_device

    try:
        cuda_device("cuda")
    except MytritonError:
        return False
    return True
