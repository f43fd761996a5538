"""The processes that a program starts find mytriton too, and are in the table."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from tests.drop_in.running import output_of, run_mytriton
from tests.drop_in.test_report import rows

KERNELS = """
import numpy as np
import triton
import triton.language as tl


@triton.jit
def count(x, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(x + i, i, mask=i < n)


def work(n):
    x = np.zeros(16, np.int32)
    count[(1,)](x, n, BLOCK=16)
    return int(x.sum())
"""

POOLS = """
import multiprocessing, os, subprocess, sys
from concurrent.futures import ProcessPoolExecutor
from kernels import work

class Thing:
    n = 3

def of_thing(thing):
    return work(thing.n)

if __name__ == "__main__":
    for method in ("fork", "spawn", "forkserver"):
        context = multiprocessing.get_context(method)
        with context.Pool(1) as pool:  # which ends by killing the process
            print(method, pool.map(work, [3, 4]), pool.map(of_thing, [Thing()]))
        with ProcessPoolExecutor(1, mp_context=context) as executor:
            print(list(executor.map(work, [5])))
    for arguments in (["-c", "import kernels; print(kernels.work(6))"], ["-m", "mytriton", "--report", "child.py"]):
        print(subprocess.run([sys.executable, *arguments], capture_output=True, text=True, check=True))
    if os.fork() == 0:
        work(3)
        os._exit(0)
    os.wait()
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "kernels.py").write_text(KERNELS)
    (tmp_path / "child.py").write_text("import kernels; print(kernels.work(7))")
    return tmp_path


def test_every_way_to_start_a_process(folder: Path) -> None:
    (folder / "script.py").write_text(POOLS)
    result = run_mytriton("--device", "cpu", "--report", "script.py", cwd=folder)
    assert result.returncode == 0, result.stderr
    # Sums of the numbers below 3, 4, and so on.
    for method in ("fork", "spawn", "forkserver"):
        assert f"{method} [3, 6] [3]\n[10]\n" in result.stdout
    assert re.findall(r"stdout='(\d+)\\n', stderr=''", result.stdout) == ["15", "21"]
    # Three ways with three launches in a pool and one in an executor, two subprocesses, and a fork.
    assert rows(result.stderr)["count"][1] == "kernels.py:8"
    assert rows(result.stderr)["count"][4] == "15"


def test_processes_of_pytest(folder: Path) -> None:
    pytest.importorskip("xdist")
    (folder / "test_kernels.py").write_text(
        "import pytest\nfrom kernels import work\n"
        "@pytest.mark.parametrize('n', range(4))\ndef test_sum(n):\n    assert work(n) == n * (n - 1) // 2\n"
    )
    options = ["-q", "-p", "no:cacheprovider", "-n", "2"]
    result = run_mytriton("--device", "cpu", "--report", "-m", "pytest", *options, "test_kernels.py", cwd=folder)
    assert result.returncode == 0 and "4 passed" in result.stdout, result.stdout + result.stderr
    assert rows(result.stderr)["count"][4] == "4"


def test_a_refusal_in_a_process_is_in_the_table(folder: Path) -> None:
    (folder / "child.py").write_text("import kernels\nkernels.count[(1,)](1)")
    (folder / "script.py").write_text("import subprocess, sys\nsubprocess.run([sys.executable, 'child.py'])")
    result = run_mytriton("--device", "cpu", "--report", "script.py", cwd=folder)
    assert "1 x kernel count is missing" in result.stderr
    # The error of the process shows its own lines alone.
    files = re.findall(r'File "(.*?)"', result.stderr)
    assert [Path(file).name for file in files] == ["child.py"]


def test_what_starts_python_stays(folder: Path) -> None:
    site = folder / "site"
    site.mkdir()
    (site / "sitecustomize.py").write_text(
        "import builtins; builtins.started = builtins.__dict__.get('started', 0) + 1"
    )
    (folder / "script.py").write_text(
        "import subprocess, sys\n"
        "text = 'import sys, triton; print(started, triton.cdiv(5, 2), [p for p in sys.path if \"child_path\" in p])'\n"
        "print(started, subprocess.run([sys.executable, '-c', text], capture_output=True, text=True))\n"
    )
    printed = output_of("script.py", cwd=folder, PYTHONPATH=str(site))
    assert printed.startswith("1 ") and "stdout='1 3 []\\n', stderr=''" in printed


def test_a_process_that_needs_no_triton_does_not_import_mytriton(folder: Path) -> None:
    text = "import sys; print('mytriton' in sys.modules)"
    (folder / "script.py").write_text(
        f"import subprocess, sys\nprint(subprocess.run([sys.executable, '-c', {text!r}], capture_output=True))\n"
    )
    assert "b'False\\n'" in output_of("script.py", cwd=folder)


def test_another_python_is_left_alone(folder: Path) -> None:
    (folder / "script.py").write_text(
        "import os, subprocess, sys\nos.environ['MYTRITON_DROP_IN'] = '3.0:/elsewhere'\n"
        "text = 'import sys; print([f for f in sys.meta_path if type(f).__name__ == \"MytritonFinder\"])'\n"
        "print(subprocess.run([sys.executable, '-c', text], capture_output=True))\n"
    )
    assert "b'[]\\n'" in output_of("script.py", cwd=folder)


@pytest.mark.skipif(sys.platform == "win32", reason="needs a fork")
def test_torch_in_a_new_process(folder: Path) -> None:
    pytest.importorskip("torch")
    (folder / "script.py").write_text(
        "import torch.multiprocessing\n"
        "def child(rank, word):\n"
        "    import torch, triton\n"
        "    print(rank, word, torch.ones(2, device='cuda').device, triton.jit.__module__, flush=True)\n"
        "if __name__ == '__main__':\n"
        "    torch.multiprocessing.spawn(child, ('x',), nprocs=1)\n"
    )
    assert output_of("--device", "cpu", "script.py", cwd=folder) == "0 x cuda:0 mytriton.runtime.jit\n"
