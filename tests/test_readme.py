"""Runs every command and every program of README.md."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text()

# What stands in for a tool that may not be on the path of the tests.
TOOLS = {
    "mytriton-opt": f"{shlex.quote(sys.executable)} -m mytriton.tools.opt",
    "xdsl-opt": f"{shlex.quote(sys.executable)} -m xdsl.tools.xdsl_opt",
    "python": shlex.quote(sys.executable),
}


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)


def commands() -> list[str]:
    return [line for block in blocks("sh") for line in block.splitlines()]


def is_installed() -> bool:
    return any(entry.value.startswith("mytriton.") for entry in entry_points(group="xdsl.universe"))


def run(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    environment = {**os.environ, "PYTHONPATH": path}
    return subprocess.run(["bash", "-c", command], capture_output=True, text=True, cwd=folder, env=environment)


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A folder where the files that the README names are, and where a command may write."""
    for name in ("examples", "tests", "docs", "LICENSE"):
        (tmp_path / name).symlink_to(ROOT / name)
    return tmp_path


def test_the_readme_has_commands_and_programs() -> None:
    assert commands()[:2] == ["make demo", "make test"]
    assert len(commands()) > 5 and len(blocks("python")) >= 2


@pytest.mark.parametrize("command", [one for one in commands() if not one.startswith("make ")])
def test_command(command: str, checkout: Path) -> None:
    tool = next(word for word in command.split() if word in TOOLS)
    if tool == "xdsl-opt" and not is_installed():
        pytest.skip("mytriton is not installed, so xdsl-opt does not know it")
    result = run(command.replace(tool, TOOLS[tool], 1), checkout)
    assert result.returncode == 0, result.stderr
    written: list[str] = re.findall(r"(?:-o |DUMP_DIR=)(\S+)", command)
    for name in written:
        assert (checkout / name).exists(), name
    assert result.stdout or written


def test_make_demo() -> None:
    """What `make demo` runs after it has made its virtual environment."""
    planned = run("make --dry-run demo", ROOT)
    assert "python examples/matmul.py" in planned.stdout
    result = run(f"{shlex.quote(sys.executable)} examples/matmul.py", ROOT)
    assert result.returncode == 0, result.stdout + result.stderr


def test_make_test_runs_these_tests() -> None:
    planned = run("make --dry-run test", ROOT)
    assert "python -m pytest" in planned.stdout, planned.stderr


def test_programs(checkout: Path) -> None:
    """The programs of the README, one after the other, as one file."""
    program = checkout / "readme.py"
    program.write_text("\n".join(blocks("python")))
    result = run(f"{shlex.quote(sys.executable)} -W error {program}", checkout)
    assert result.returncode == 0, result.stderr
    assert 'extern "C" __global__ void' in result.stdout
    assert "error: out of bounds: writes out_ptr 1 element past its end\n" in result.stdout


def test_links_lead_somewhere(checkout: Path) -> None:
    prose = re.sub(r"^```.*?^```$", "", README, flags=re.MULTILINE | re.DOTALL)
    for target in re.findall(r"\]\((?!https?:)([^)#]+)\)", prose):
        assert (checkout / target).exists(), target
