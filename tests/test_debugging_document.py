"""Runs every program and every session of docs/debugging.md, and compares what it shows."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
DOCUMENT = (ROOT / "docs" / "debugging.md").read_text()
LENGTHS, STOPPING, TOLD = re.findall(r"^```python\n(.*?)^```$", DOCUMENT, re.MULTILINE | re.DOTALL)
SESSION, PRINTED = re.findall(r"^```text\n(.*?)^```$", DOCUMENT, re.MULTILINE | re.DOTALL)
IMPORTS = LENGTHS[: LENGTHS.index("@triton.jit")]


def run(folder: Path, *command: str, commands: str = "") -> str:
    """What a command of Python prints, with the folder's name taken out."""
    path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONBREAKPOINT"}
    result = subprocess.run(
        [sys.executable, *command],
        input=commands,
        capture_output=True,
        text=True,
        cwd=folder,
        env={**environment, "PYTHONPATH": path},
    )
    assert result.returncode == 0, result.stderr
    return result.stdout.replace(f"{folder.resolve()}{os.sep}", "")


def with_commands(printed: str, commands: list[str]) -> str:
    """What a session prints with its commands, as they look in a terminal."""
    first, *replies = printed.split("(Pdb) ")
    assert len(replies) >= len(commands)
    return first + "".join(f"(Pdb) {c}\n{reply}" for c, reply in zip(commands, replies, strict=False))


def test_session(tmp_path: Path) -> None:
    (tmp_path / "lengths.py").write_text(LENGTHS)
    command, *shown = SESSION.splitlines(keepends=True)
    assert command == "$ python -m pdb lengths.py\n"
    commands = re.findall(r"^\(Pdb\) (.*)$", SESSION, re.MULTILINE)
    printed = run(tmp_path, "-m", "pdb", "lengths.py", commands="\n".join([*commands, "quit", ""]))
    transcript = with_commands(printed, commands)
    assert transcript.startswith("".join(shown)), transcript


def test_breakpoint_in_the_kernel(tmp_path: Path) -> None:
    (tmp_path / "stopping.py").write_text(f"{IMPORTS}\n{STOPPING}")
    printed = run(tmp_path, "stopping.py", commands="p x\np largest\ncontinue\n")
    transcript = with_commands(printed, ["p x", "p largest"])
    assert "stopping()" in transcript
    assert "(Pdb) p x\narray([1, 2, 3], dtype=int32)\n(Pdb) p largest\n3\n" in transcript


def test_printing_and_checking(tmp_path: Path) -> None:
    (tmp_path / "debugging.py").write_text(f"{IMPORTS}{TOLD}")
    printed = run(tmp_path, "debugging.py")
    number = next(n for n, text in enumerate(f"{IMPORTS}{TOLD}".splitlines(), 1) if "tl.device_assert" in text)
    assert printed == re.sub(r"debugging\.py:\d+", f"debugging.py:{number}", PRINTED)


def test_a_kernel_that_stops_is_not_compiled(tmp_path: Path) -> None:
    text = STOPPING.replace("with triton.interpret():", "if True:")
    (tmp_path / "stopping.py").write_text(f"{IMPORTS}\n{text}")
    with pytest.raises(AssertionError, match=r"stopping.py:\d+:9: error: breakpoint\(\) stops a kernel only on"):
        run(tmp_path, "stopping.py")
