"""What every test may use: the real Triton, a CUDA device, and clear words where one of them is missing."""

from __future__ import annotations

import importlib
import importlib.util
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from mytriton.options import VERIFY_VARIABLE

ORACLE_VARIABLE = "MYTRITON_ORACLE_PYTHON"
"""Names a Python interpreter that has triton, where the one that runs the tests has none."""


os.environ.setdefault(VERIFY_VARIABLE, "1")  # a test that is about what happens without unsets it


@cache
def why_no_gpu() -> str | None:
    """Why a test that needs a CUDA device cannot run here; None where it can."""
    try:
        driver: Any = importlib.import_module("cuda.bindings.driver")
    except ImportError as error:
        return f"cuda-python cannot be imported ({error})"
    try:
        (status,) = driver.cuInit(0)
        if int(status) != 0:
            return f"the CUDA driver does not start ({status.name})"
        status, count = driver.cuDeviceGetCount()
    except RuntimeError as error:
        return f"there is no CUDA driver ({error})"
    if int(status) != 0 or not count:
        return "there is no CUDA device"
    return None


@cache
def find_oracle() -> str | None:
    """A Python interpreter that can import triton, if there is one."""
    python = os.environ.get(ORACLE_VARIABLE)
    if python:
        found = shutil.which(python)
        if not found:
            raise pytest.UsageError(f"{ORACLE_VARIABLE} names {python!r}, which is not a program")
        return found
    return sys.executable if importlib.util.find_spec("triton") else None


@pytest.fixture(scope="session")
def oracle() -> Callable[..., str]:
    """Runs Python, a file or a text, by an interpreter that has triton, and returns what it printed."""
    python = find_oracle()
    assert python is not None, "tests that use this fixture carry the marker `oracle`"

    def run(script: Path | str, *arguments: str, input: str = "") -> str:
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        command = [python, *([str(script)] if isinstance(script, Path) else ["-c", script]), *arguments]
        result = subprocess.run(command, input=input, capture_output=True, text=True, env=environment)
        assert result.returncode == 0, result.stderr
        return result.stdout

    return run


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.get_closest_marker("gpu") and (reason := why_no_gpu()):
            item.add_marker(pytest.mark.skip(reason=f"needs a CUDA device: {reason}"))
        if item.get_closest_marker("oracle") and find_oracle() is None:
            item.add_marker(
                pytest.mark.skip(reason=f"needs triton: install the extra `oracle`, or set {ORACLE_VARIABLE}")
            )


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    reports = terminalreporter.stats.get("skipped", [])
    # A module that is skipped as a whole has a report of its own kind, without keywords.
    skipped = [report for report in reports if isinstance(report, pytest.TestReport) and "gpu" in report.keywords]
    if skipped:
        terminalreporter.section("NOT TESTED: the CUDA device", sep="!", red=True)
        terminalreporter.line(f"{len(skipped)} tests need a CUDA device and did not run: {why_no_gpu()}")
