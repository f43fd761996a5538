"""Finding the compiler, the cache, and what a refused text looks like."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from collections.abc import Callable
from importlib.machinery import ModuleSpec
from pathlib import Path

import numpy as np
import pytest

from mytriton.errors import MissingToolError, MytritonError
from mytriton.runtime import cpu
from mytriton.runtime.cpu import toolchain
from tests.unit.cpu.running import compile_body, launch

Compilations = Callable[[], list[str]]

SCRIPT = """
import numpy as np
from tests.unit.cpu.running import *
x = np.zeros(32, np.int32)
launch(compile_body("int *x", "x[threadIdx.x] = 7;"), (1,), x)
assert (x == 7).all()
"""


@pytest.fixture
def compilations(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Compilations:
    """An empty cache, and a compiler that notes each of its runs; gives the language of each."""
    compiler, log = tmp_path / "noting-g++", tmp_path / "log"
    real = cpu.find_compiler()
    if real.is_clang:
        compiler = compiler.with_name("noting-clang++")
    # The note is one write, so that two processes do not mix theirs.
    compiler.write_text(f'#!/bin/sh\nprintf "%s\\n" "$2" >> {log}\nexec {real} "$@"\n')
    compiler.chmod(0o755)
    monkeypatch.setenv("MYTRITON_CXX", str(compiler))
    monkeypatch.setenv("MYTRITON_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.delenv("MYTRITON_ALWAYS_COMPILE", raising=False)
    return lambda: log.read_text().split() if log.exists() else []


def start_python(script: str) -> subprocess.Popen[str]:
    path = os.pathsep.join(filter(None, [os.getcwd(), os.environ.get("PYTHONPATH")]))
    return subprocess.Popen(
        [sys.executable, "-c", script], stderr=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": path}
    )


def run_python(script: str) -> None:
    process = start_python(script)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 0, errors


def files(folder: Path) -> list[str]:
    """What a cache contains, without its locks."""
    return sorted(path.name for path in folder.rglob("*") if path.is_file() and path.name != ".lock")


def test_nothing_is_compiled_twice(compilations: Compilations, tmp_path: Path) -> None:
    run_python(SCRIPT)
    assert compilations() == ["c", "c++"]
    run_python(SCRIPT)
    assert compilations() == ["c", "c++"]
    names = files(tmp_path / "cache")
    assert len(names) == 2 and all(len(name) == 67 and name.endswith(".so") for name in names)
    run_python(SCRIPT.replace("7", "8"))
    assert compilations() == ["c", "c++", "c++"]


def test_nothing_is_compiled_twice_in_a_process() -> None:
    assert compile_body("int *x", "x[0] = 1;") is compile_body("int *x", "x[0] = 1;")


def test_two_processes_at_the_same_time(compilations: Compilations) -> None:
    processes = [start_python(SCRIPT) for _ in range(2)]
    for process in processes:
        _, errors = process.communicate(timeout=60)
        assert process.returncode == 0, errors
    assert sorted(compilations()) == ["c", "c++"]


def test_without_a_cache(compilations: Compilations, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MYTRITON_ALWAYS_COMPILE", "1")
    run_python(SCRIPT)
    run_python(SCRIPT)
    assert compilations() == ["c", "c++"] * 2
    assert files(tmp_path / "cache") == []


def test_a_damaged_file_is_built_again(compilations: Compilations, tmp_path: Path) -> None:
    run_python(SCRIPT)
    for path in (tmp_path / "cache").rglob("*.so"):
        path.write_bytes(path.read_bytes()[:100])
    run_python(SCRIPT)
    assert compilations() == ["c", "c++"] * 2


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write everywhere")
def test_a_cache_that_cannot_be_written(compilations: Compilations, tmp_path: Path) -> None:
    (tmp_path / "cache").mkdir(mode=0o500)
    run_python(SCRIPT)
    assert compilations() == ["c", "c++"]


def test_a_cache_below_a_file(compilations: Compilations, tmp_path: Path) -> None:
    """Where the folder cannot be made, a temporary one is used."""
    (tmp_path / "cache").write_text("")
    run_python(SCRIPT)
    assert compilations() == ["c", "c++"]


def test_a_refused_text_is_shown(compilations: Compilations, tmp_path: Path) -> None:
    text = (
        '\nextern "C" __global__ void __launch_bounds__(32)\nkernel(int *x) {\n    x[0] = 1;\n    x[1] = missing;\n}\n'
    )
    with pytest.raises(cpu.CompilerError) as caught:
        cpu.compile(text, cpu.KernelMetadata("kernel", [("x", "int *")], 1))
    message = str(caught.value)
    assert isinstance(caught.value, MytritonError)
    assert "refused the CUDA C text of kernel:" in message
    assert "kernel.cu:5:" in message and "'missing'" in message
    assert message.endswith(
        "     3 | kernel(int *x) {\n     4 |     x[0] = 1;\n>    5 |     x[1] = missing;\n     6 | }"
    )
    assert len(files(tmp_path / "cache")) == 1  # the runtime


def test_the_source_contains_the_text_unchanged() -> None:
    kernel = compile_body("int *x", "    x[threadIdx.x] = 1;  // as it was printed")
    assert '#line 1 "kernel.cu"\n' in kernel.text
    assert "kernel(int *x) {\n    x[threadIdx.x] = 1;  // as it was printed\n}\n" in kernel.text
    assert kernel.path.suffix == ".so" and kernel.path.exists()


def without_compilers(monkeypatch: pytest.MonkeyPatch, path: Path, ziglang: ModuleSpec | None = None) -> None:
    """An environment with no variable, an empty PATH, and that `ziglang` package."""
    for variable in ("MYTRITON_CXX", "CXX"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("PATH", str(path))
    find_spec = importlib.util.find_spec

    def find(name: str, package: str | None = None) -> ModuleSpec | None:
        return ziglang if name == "ziglang" else find_spec(name, package)

    monkeypatch.setattr(importlib.util, "find_spec", find)


def test_no_compiler(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    without_compilers(monkeypatch, tmp_path)
    with pytest.raises(MissingToolError) as caught:
        compile_body("int *x", "x[0] = 2;")
    assert "apt install g++" in str(caught.value) and "pip install ziglang" in str(caught.value)


def test_the_compiler_of_the_wheel(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    package = tmp_path / "ziglang"
    package.mkdir()
    (package / "zig").write_text("")
    without_compilers(
        monkeypatch, tmp_path / "nowhere", ModuleSpec("ziglang", None, origin=str(package / "__init__.py"))
    )
    compiler = toolchain.find_compiler()
    assert compiler.command == (str(package / "zig"), "c++") and compiler.is_clang


def test_the_order_of_compilers(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("g++", "clang++", "other"):
        program = tmp_path / name
        program.write_text("#!/bin/sh\necho '#define __clang__ 1'\n")
        program.chmod(0o755)
    without_compilers(monkeypatch, tmp_path)
    found = toolchain.find_compiler()
    assert found.command == (str(tmp_path / "g++"),) and not found.is_clang
    monkeypatch.setenv("CXX", "clang++ -m64")
    found = toolchain.find_compiler()
    assert found.command == (str(tmp_path / "clang++"), "-m64") and found.is_clang
    monkeypatch.setenv("MYTRITON_CXX", str(tmp_path / "other"))
    found = toolchain.find_compiler()
    assert found.command == (str(tmp_path / "other"),) and found.is_clang
    monkeypatch.setenv("MYTRITON_CXX", "absent")
    with pytest.raises(MissingToolError, match="MYTRITON_CXX is 'absent', but there is no program 'absent'"):
        toolchain.find_compiler()


def test_long_texts_are_optimised_less() -> None:
    compiler = cpu.find_compiler()
    assert "-O2" in compiler.kernel_flags("\n" * 10)
    assert "-O1" in compiler.kernel_flags("\n" * 1000)


def test_a_long_text_runs() -> None:
    lines = "\n".join(f"v = v * {k % 7 + 1} + {k};" for k in range(400))
    x = np.arange(32, dtype=np.int32)
    out = np.zeros_like(x)
    launch(compile_body("int *x, int *out", f"int v = x[threadIdx.x];\n{lines}\nout[threadIdx.x] = v;"), (1,), x, out)
    expected = x.astype(object)
    for k in range(400):
        expected = expected * (k % 7 + 1) + k
    np.testing.assert_array_equal(out.view(np.uint32), [value % 2**32 for value in expected])
