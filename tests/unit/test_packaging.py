"""The list of packages, and what the wheel and the sdist hold."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
TOP_LEVEL = {"mytriton": "mytriton", "dialects": "mytriton.dialects", "passes": "mytriton.passes"}
DATA_SUFFIXES = {".h", ".c", ".S", ".typed"}


def folders() -> dict[str, str]:
    """The package of every folder that holds Python files, and the folder."""
    found: dict[str, str] = {}
    for top, package in TOP_LEVEL.items():
        for path in sorted(python_files(top)):
            folder = path.parent.relative_to(ROOT / top)
            found[".".join([package, *folder.parts])] = path.parent.relative_to(ROOT).as_posix()
    return found


def python_files(top: str, suffixes: frozenset[str] = frozenset({".py"}), root: Path = ROOT) -> Iterator[Path]:
    """The files of a top-level folder, without what its links lead to."""
    for folder, subfolders, names in os.walk(root / top, followlinks=False):
        subfolders[:] = [name for name in subfolders if name != "__pycache__" and not Path(folder, name).is_symlink()]
        yield from (Path(folder, name) for name in names if Path(name).suffix in suffixes)


def project() -> dict[str, Any]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text())


def test_every_folder_is_listed() -> None:
    setuptools = project()["tool"]["setuptools"]
    assert sorted(setuptools["packages"]) == sorted(folders())
    assert setuptools["package-dir"] == folders()


def test_every_package_can_be_imported() -> None:
    for folder in folders().values():
        assert (ROOT / folder / "__init__.py").exists(), folder


def test_the_links_lead_to_the_folders_at_the_root() -> None:
    for name in ("dialects", "passes"):
        link = ROOT / "mytriton" / name
        assert link.is_symlink() and os.readlink(link) == f"../{name}"


def test_there_are_only_files_that_are_packaged() -> None:
    known = {".py", ".pyc", *DATA_SUFFIXES}
    for top in TOP_LEVEL:
        for folder, _, names in os.walk(ROOT / top):
            assert not [name for name in names if Path(name).suffix not in known], folder


def test_nothing_but_python_is_needed_where_there_is_no_wheel_of_nvidia() -> None:
    requirements = project()["project"]["dependencies"]
    nvidia = [one for one in requirements if "cuda" in one]
    assert len(nvidia) == 2
    for requirement in nvidia:
        marker = requirement.split(";", 1)[1]
        assert "linux" in marker and "win32" in marker and "darwin" not in marker


@dataclass
class Built:
    source: Path
    wheel: Path
    sdist: Path
    unpacked: Path


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    """An sdist of the checkout, and a wheel made of the sdist."""
    pytest.importorskip("build")
    folder = tmp_path_factory.mktemp("packaging")
    ignored = shutil.ignore_patterns(".*", "__pycache__", "build", "dist", "*.egg-info")
    shutil.copytree(ROOT, folder / "source", symlinks=True, ignore=ignored)
    command = [sys.executable, "-m", "build", "--outdir", str(folder / "dist"), str(folder / "source")]
    result = subprocess.run(command, capture_output=True, text=True)
    assert result.returncode == 0, result.stdout + result.stderr
    (wheel,) = (folder / "dist").glob("*.whl")
    (sdist,) = (folder / "dist").glob("*.tar.gz")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder / "unpacked")
    return Built(folder / "source", wheel, sdist, folder / "unpacked")


def test_the_wheel_holds_every_module_and_nothing_else(built: Built) -> None:
    expected: set[str] = set()
    for top, package in TOP_LEVEL.items():
        for path in python_files(top, frozenset({".py", *DATA_SUFFIXES}), built.source):
            expected.add((Path(*package.split(".")) / path.relative_to(built.source / top)).as_posix())
    with zipfile.ZipFile(built.wheel) as archive:
        names = {name for name in archive.namelist() if ".dist-info/" not in name}
    assert names == expected


def test_the_sdist_holds_the_tests_and_their_inputs(built: Built) -> None:
    with tarfile.open(built.sdist) as archive:
        names = {name.split("/", 1)[1] for name in archive.getnames() if "/" in name}
    wanted = {"LICENSE", "README.md", "CHANGELOG.md", "Makefile", "lit.cfg", "pyproject.toml"}
    wanted |= {"dialects/__init__.py", "passes/pipeline.py", "tests/test_lit.py", "tests/filecheck/ttir/matmul.ttir"}
    assert wanted <= names
    assert not [name for name in names if "__pycache__" in name or name.endswith(".pyc")]


def run_unpacked(built: Built, *arguments: str, cwd: Path) -> str:
    """Run Python away from the checkout, with the content of the wheel on its path."""
    environment = {**os.environ, "PYTHONPATH": str(built.unpacked), "PYTHONWARNINGS": "error"}
    environment["COLUMNS"] = "10000"  # or the help of a tool breaks its lines, and names of passes at their hyphens
    command = [sys.executable, *arguments]
    result = subprocess.run(command, capture_output=True, text=True, cwd=cwd, env=environment)
    assert result.returncode == 0, result.stderr
    return result.stdout


def test_stock_xdsl_opt_sees_the_wheel(built: Built, tmp_path: Path) -> None:
    source = tmp_path / "f.ttir"
    source.write_text("""\
tt.func public @f(%x: tensor<4xi32>) -> tensor<4xi1> {
  %one = arith.constant dense<1> : tensor<4xi32> loc(#loc1)
  %two = arith.addi %one, %one : tensor<4xi32> loc(#loc1)
  %less = arith.cmpi slt, %x, %two : tensor<4xi32> loc(#loc1)
  tt.return %less : tensor<4xi1>
}
#loc1 = loc("f.py":1:1)
""")
    printed = run_unpacked(built, "-m", "xdsl.tools.xdsl_opt", str(source), "-p", "canonicalize,cse", cwd=tmp_path)
    assert "arith.constant dense<2> : tensor<4xi32>" in printed
    assert "arith.addi" not in printed
    passes = run_unpacked(built, "-m", "xdsl.tools.xdsl_opt", "--help", cwd=tmp_path)
    assert "match-dot-operands" in passes and "cubin" in passes


def test_mytriton_opt_of_the_wheel(built: Built, tmp_path: Path) -> None:
    where = run_unpacked(built, "-c", "import mytriton.dialects as d; print(d.__file__)", cwd=tmp_path).strip()
    assert where == str(built.unpacked / "mytriton" / "dialects" / "__init__.py")
    assert "mytriton-opt 0." in run_unpacked(built, "-m", "mytriton.tools.opt", "--version", cwd=tmp_path)
