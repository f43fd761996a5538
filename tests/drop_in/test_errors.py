"""Errors of a program show its own lines, and none of mytriton's."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.drop_in.running import run_mytriton

KERNELS = """
import threading, sys
import numpy as np
import triton
import triton.language as tl

@triton.jit
def bad(x, n, BLOCK: tl.constexpr):
    tl.store(x, tl.no_such_function(n))

tuned = triton.autotune([triton.Config({"BLOCK": 8}), triton.Config({"BLOCK": 16})], key=["n"])(bad)
guessed = triton.heuristics({"BLOCK": lambda arguments: 8})(bad)

def launch(kernel, *args, **kwargs):
    kernel[(1,)](np.zeros(4, np.int32), *args, **kwargs)
"""


def files_shown(text: str) -> list[str]:
    return [Path(file).name for file in re.findall(r'File "(.*?)"', text)]


@pytest.mark.parametrize(
    ("launch", "message"),
    [
        ("launch(bad, 3, BLOCK=8)", "has no attribute 'no_such_function'"),
        ("launch(tuned, 3)", "has no attribute 'no_such_function'"),
        ("launch(guessed, 3)", "has no attribute 'no_such_function'"),
        ("launch(bad, 3)", "is missing the argument 'BLOCK'"),
        ("launch(bad, 3, BLOCK=8, num_warps=3)", "num_warps"),
        ("bad(3)", "cannot be called as a Python function"),
    ],
)
def test_a_refusal(launch: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(f"{KERNELS}\n{launch}\n")
    result = run_mytriton("--device", "cpu", "script.py", cwd=tmp_path)
    assert result.returncode == 1 and message in result.stderr
    assert set(files_shown(result.stderr)) == {"script.py"}
    shown = run_mytriton("--device", "cpu", "script.py", cwd=tmp_path, MYTRITON_DEBUG="1").stderr
    assert set(files_shown(shown)) > {"script.py"} and files_shown(shown)[0] == "script.py"


def test_the_grid_of_the_program_is_shown(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(
        f"{KERNELS}\nbad[lambda meta: bad(meta)](np.zeros(4, np.int32), 3, BLOCK=8)  # the line\n"
    )
    result = run_mytriton("--device", "cpu", "script.py", cwd=tmp_path)
    assert result.stderr.count("# the line") == 2 and set(files_shown(result.stderr)) == {"script.py"}


def test_in_a_thread(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(
        f"{KERNELS}\nt = threading.Thread(target=launch, args=(tuned, 3)); t.start(); t.join()\n"
    )
    result = run_mytriton("--device", "cpu", "script.py", cwd=tmp_path)
    assert result.returncode == 0 and "no_such_function" in result.stderr
    assert "autotuner.py" not in result.stderr and files_shown(result.stderr)[-1] == "script.py"


@pytest.mark.parametrize("variables", [{}, {"MYTRITON_DEBUG": "1"}])
def test_in_pytest(variables: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "test_kernels.py").write_text(f"{KERNELS}\ndef test_it():\n    launch(tuned, 3)\n")
    options = ["-q", "-p", "no:cacheprovider", "-p", "no:xdist"]
    result = run_mytriton("-m", "pytest", *options, "test_kernels.py", cwd=tmp_path, **variables)
    assert result.returncode == 1 and "no_such_function(n)" in result.stdout
    assert ("autotuner.py" in result.stdout) == bool(variables)


def test_an_error_of_the_program_that_is_not_ours_is_whole(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text("import triton\ntriton.cdiv('a', 'b')\n")
    result = run_mytriton("script.py", cwd=tmp_path)
    assert "TypeError" in result.stderr and files_shown(result.stderr) == ["script.py", "arithmetic.py"]


def test_a_device_that_is_not_there(tmp_path: Path, pytestconfig: pytest.Config) -> None:
    from tests.conftest import why_no_gpu

    if why_no_gpu() is None:
        pytest.skip("there is a GPU")
    (tmp_path / "script.py").write_text("print('ran')")
    result = run_mytriton("--device", "cuda", "script.py", cwd=tmp_path)
    assert result.returncode == 2 and result.stdout == ""
    lines = result.stderr.splitlines()
    assert len(lines) == 2 and "there is no GPU to run on" in lines[0] and "--device cpu" in lines[1]
