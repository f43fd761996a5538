"""Runs the lit suite under pytest, and checks that it ran at all."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
# `python -m lit.main` runs nothing and still exits with 0.
RUN_LIT = "import sys; from lit.main import main; sys.exit(main())"


def test_lit_suite() -> None:
    command = [sys.executable, "-c", RUN_LIT, "-v", str(ROOT)]
    result = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    output = result.stdout + result.stderr
    assert result.returncode == 0, output
    assert re.search(r"Passed *: +[1-9]", output), output
