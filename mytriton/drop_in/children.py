"""Processes that the program starts: they find mytriton as `triton` too.

A forked process is like its parent. A new Python starts with `sitecustomize` of the folder `child_path`, which is on
PYTHONPATH: so `subprocess`, `multiprocessing` by whatever method, process pools, pytest-xdist and torchrun are reached.
It runs the `sitecustomize` that it hides.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from mytriton.drop_in import finder, torch_import
from mytriton.drop_in.programs import show_errors_shortly
from mytriton.runtime.devices import DEVICE_VARIABLE

CHILD_VARIABLE = "MYTRITON_DROP_IN"
"""The environment variable that says which Python takes part, by its version and prefix. `sitecustomize` reads it."""

REPORT_VARIABLE = "MYTRITON_REPORT_FOLDER"
"""The environment variable with the folder where processes write what they do with kernels."""

_PATH = str(Path(__file__).parent / "child_path")


def reach(device: str) -> None:
    """Has every Python that this process starts from now on take part, with kernels on `device`."""
    os.environ[DEVICE_VARIABLE] = device
    os.environ[CHILD_VARIABLE] = "{}.{}:{}".format(*sys.version_info[:2], sys.prefix)
    others = [path for path in os.environ.get("PYTHONPATH", "").split(os.pathsep) if path and path != _PATH]
    os.environ["PYTHONPATH"] = os.pathsep.join([_PATH, *others])


def join() -> None:
    """In this process too, `triton` is mytriton and, with the device `cpu`, CUDA is the CPU."""
    if finder.is_installed():
        return
    finder.install()
    if os.environ.get(DEVICE_VARIABLE) == "cpu":
        torch_import.map_cuda_to_cpu()
    show_errors_shortly()


def is_watched() -> bool:
    """Whether another process reports what this one does with kernels."""
    return bool(os.environ.get(REPORT_VARIABLE))


def join_report() -> None:
    """Has this process write down what it does with kernels, for the table of the process that reports."""
    from mytriton.drop_in.report import Report

    Report(Path(os.environ[REPORT_VARIABLE]), is_child=True).start()
