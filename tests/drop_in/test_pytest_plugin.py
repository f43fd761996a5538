"""mytriton's plugin for pytest causes no warning, whoever imports mytriton first."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.drop_in.running import ROOT

TEST = """
import numpy as np
import {triton}
import {triton}.language as tl

@{triton}.jit
def one(x):
    tl.store(x, 1)

def test_it(request):
    assert request.config.pluginmanager.has_plugin("mytriton")
    x = np.zeros(1, np.int32)
    one[(1,)](x)
    assert x[0] == 1
"""

FIRST = {
    "nobody": ["-m", "pytest"],
    "the program": ["-c", "import sys, mytriton, pytest; sys.exit(pytest.main(sys.argv[1:]))"],
    "the command": ["-m", "mytriton", "-m", "pytest"],
}
"""Who imports mytriton before pytest looks for plugins, and how pytest is started then."""


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    """A folder that makes mytriton look installed, with its entry point, whether or not it is."""
    information = tmp_path / "site" / "mytriton-0.0.0.dist-info"
    information.mkdir(parents=True)
    (information / "METADATA").write_text("Metadata-Version: 2.1\nName: mytriton\nVersion: 0.0.0\n")
    (information / "entry_points.txt").write_text("[pytest11]\nmytriton = mytriton.checker.pytest_plugin\n")
    (information / "RECORD").write_text("mytriton/__init__.py,,\nmytriton/checker/pytest_plugin.py,,\n")
    return tmp_path / "site"


@pytest.mark.parametrize("first", FIRST)
def test_strict_warnings(first: str, installed: Path, tmp_path: Path) -> None:
    folder = tmp_path / "tests"
    folder.mkdir()
    (folder / "conftest.py").write_text("import mytriton\n")
    (folder / "pytest.ini").write_text("[pytest]\nfilterwarnings = error\n")
    (folder / "test_it.py").write_text(TEST.format(triton="triton" if first == "the command" else "mytriton"))
    path = os.pathsep.join(filter(None, [str(installed), str(ROOT), os.environ.get("PYTHONPATH")]))
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    command = [sys.executable, *FIRST[first], "-q", "-p", "no:cacheprovider", "-p", "no:xdist"]
    result = subprocess.run(
        command, capture_output=True, text=True, cwd=folder, env={**environment, "PYTHONPATH": path}
    )
    assert result.returncode == 0 and "1 passed" in result.stdout, result.stdout + result.stderr
    assert "Warning" not in result.stdout + result.stderr
