"""Runs programs by `python -m mytriton` for the tests of this folder."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = Path(__file__).parent / "scripts"


def run_mytriton(
    *arguments: str, cwd: Path = SCRIPTS, input: str = "", **variables: str
) -> subprocess.CompletedProcess[str]:
    """What `python -m mytriton ARGUMENTS` does in the folder `cwd`, with more environment variables."""
    path = os.pathsep.join(filter(None, [str(ROOT), variables.pop("PYTHONPATH", os.environ.get("PYTHONPATH"))]))
    environment = {**os.environ, "PYTHONPATH": path, **variables}
    command = [sys.executable, "-m", "mytriton", *arguments]
    return subprocess.run(command, capture_output=True, text=True, cwd=cwd, env=environment, input=input)


def output_of(*arguments: str, cwd: Path = SCRIPTS, input: str = "", **variables: str) -> str:
    """What it prints; the program must end well."""
    result = run_mytriton(*arguments, cwd=cwd, input=input, **variables)
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout
