"""Kernels in the cells of a notebook, and in the modules of a package that is run."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.drop_in.running import output_of, run_mytriton

# A notebook compiles each cell under a name of its own, and keeps the text of it in `linecache`.
NOTEBOOK = '''
import linecache
CELLS = ["""
import numpy as np
import triton
import triton.language as tl
x = np.zeros(6, np.int32)
""", """
@triton.jit
def sign(i):
    return i * STEP

@triton.jit
def count(x, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(x + i, sign(i), mask=i < n)
""", """
STEP: tl.constexpr = tl.constexpr(2)
count[(1,)](x, 6, BLOCK=8)
print(x.tolist())
""", """
@triton.jit
def sign(i):
    return -i * STEP
count[(1,)](x, 6, BLOCK=8)
print(x.tolist())
""", """

@triton.jit
def count(x):
    tl.store(x, tl.nothing)
count[(1,)](x)
"""]
names = {"__name__": "__main__"}
for number, cell in enumerate(CELLS, 1):
    file = f"/tmp/ipykernel_1/{number}.py"
    linecache.cache[file] = len(cell), None, cell.splitlines(True), file
    exec(compile(cell, file, "exec"), names)
'''


def test_cells_of_a_notebook(tmp_path: Path) -> None:
    (tmp_path / "notebook.py").write_text(NOTEBOOK)
    result = run_mytriton("--device", "cpu", "notebook.py", cwd=tmp_path)
    # A cell that is run again, or that says anew what a kernel calls, counts from then on.
    assert result.stdout == "[0, 2, 4, 6, 8, 10]\n[0, -2, -4, -6, -8, -10]\n", result.stderr
    assert "/tmp/ipykernel_1/5.py:5:17: error: " in result.stderr
    assert "    tl.store(x, tl.nothing)\n" in result.stderr and 'File "/tmp/ipykernel_1/5.py", line 6' in result.stderr


def test_cells_of_ipython(tmp_path: Path) -> None:
    pytest.importorskip("IPython")
    text = NOTEBOOK[: NOTEBOOK.index("names =")] + (
        "from IPython.core.interactiveshell import InteractiveShell\n"
        "shell = InteractiveShell.instance(colors='nocolor')\n"
        "for cell in CELLS[:-1]:\n    shell.run_cell(cell, store_history=True).raise_error()\n"
    )
    (tmp_path / "notebook.py").write_text(text)
    assert output_of("--device", "cpu", "notebook.py", cwd=tmp_path, IPYTHONDIR=str(tmp_path)) == (
        "[0, 2, 4, 6, 8, 10]\n[0, -2, -4, -6, -8, -10]\n"
    )


PACKAGE = {
    "__init__.py": "from .kernels.add import add\n",
    "__main__.py": "import sys\nfrom . import add\nfrom .launch import launch\n"
    "print(launch(int(sys.argv[1])), add.__module__, __package__, __spec__.name)\n",
    "launch.py": "import numpy as np\nimport triton\nfrom .kernels import add\n"
    "from .kernels.add import add as kernel\n\n"
    "def launch(n):\n    x = np.ones(n, np.int32)\n"
    "    kernel[lambda meta: (triton.cdiv(n, meta['BLOCK']),)](x, n, BLOCK=16)\n"
    "    assert add.add is kernel\n    return x.sum()\n\n"
    "if __name__ == '__main__':\n    print(launch(3), __package__)\n",
    "kernels/__init__.py": "",
    "kernels/common.py": "import triton\nimport triton.language as tl\n\nSTEP: tl.constexpr = tl.constexpr(3)\n\n"
    "@triton.jit\ndef plus_step(x):\n    return x + STEP\n",
    "kernels/add.py": "import triton\nimport triton.language as tl\nfrom . import common\n"
    "from .common import plus_step\n\n"
    "@triton.jit\ndef add(x, n, BLOCK: tl.constexpr):\n"
    "    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)\n"
    "    tl.store(x + i, plus_step(tl.load(x + i, mask=i < n)) * common.STEP, mask=i < n)\n",
}


def test_a_package_with_relative_imports(tmp_path: Path) -> None:
    for name, text in PACKAGE.items():
        (tmp_path / "package" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "package" / name).write_text(text)
    # Each element becomes (1 + 3) * 3.
    printed = output_of("--device", "cpu", "-m", "package", "40", cwd=tmp_path)
    assert printed == "480 package.kernels.add package package.__main__\n"
    assert output_of("--device", "cpu", "-m", "package.launch", cwd=tmp_path) == "36 package\n"
    result = run_mytriton("--device", "cpu", "package/launch.py", cwd=tmp_path)
    assert result.returncode == 1 and "attempted relative import with no known parent package" in result.stderr
