"""pytest's option `--mytriton-sanitize`, and the marker."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]

TESTS = """\
import os
import subprocess
import sys
import threading

import pytest

from mytriton.checker import Checks, current_checks


@pytest.fixture(scope="module")
def found_by_fixture():
    return current_checks()


def in_thread():
    found = []
    thread = threading.Thread(target=lambda: found.append(current_checks()))
    thread.start()
    thread.join()
    return found[0]


def test_plain(found_by_fixture):
    expected = eval(os.environ["EXPECTED"])
    assert current_checks() == found_by_fixture == in_thread() == expected
    program = "from mytriton.checker import current_checks; print(current_checks())"
    assert subprocess.check_output([sys.executable, "-c", program], text=True).strip() == str(expected)


@pytest.mark.mytriton_sanitize
def test_marked():
    assert current_checks() == Checks()


@pytest.mark.mytriton_sanitize(nonfinite=True, steps=5)
def test_marked_with_options():
    assert current_checks() == Checks(nonfinite=True, steps=5)


@pytest.mark.mytriton_sanitize(False)
def test_marked_as_unchecked():
    assert current_checks() is None
"""


BAD = """
import pytest

@pytest.mark.mytriton_sanitize(all_fault=True)
def test_with_a_misspelt_option():
    pass
"""


def run(folder: Path, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    (folder / "test_it.py").write_text(TESTS)
    path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    environment = {**os.environ, "PYTHONPATH": path, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", **variables}
    command = [sys.executable, "-m", "pytest", "-p", "mytriton.checker.pytest_plugin", "--strict-markers", *arguments]
    return subprocess.run(command, capture_output=True, text=True, cwd=folder, env=environment)


@pytest.mark.parametrize(
    ("arguments", "variable", "expected"),
    [
        ((), "", "None"),
        (("--mytriton-sanitize",), "", "Checks()"),
        (("--mytriton-sanitize", "test_it.py"), "schedule=3", "Checks(schedule=3)"),
        ((), "all-faults", "Checks(all_faults=True)"),
    ],
)
def test_the_option(arguments: tuple[str, ...], variable: str, expected: str, tmp_path: Path) -> None:
    result = run(tmp_path, *arguments, MYTRITON_SANITIZE=variable, EXPECTED=expected)
    assert result.returncode == 0 and "4 passed" in result.stdout, result.stdout + result.stderr


def test_a_bad_option(tmp_path: Path) -> None:
    result = run(tmp_path, "--mytriton-sanitize", MYTRITON_SANITIZE="races", EXPECTED="None")
    assert result.returncode == 4
    assert "ERROR: MYTRITON_SANITIZE is 0, 1 or a list of" in result.stderr


def test_a_bad_option_of_a_marker(tmp_path: Path) -> None:
    (tmp_path / "test_bad.py").write_text(BAD)
    result = run(tmp_path, "test_bad.py", EXPECTED="None")
    assert result.returncode == 4 and "INTERNALERROR" not in result.stdout + result.stderr
    assert "test_with_a_misspelt_option: the marker mytriton_sanitize got an unexpected keyword" in result.stderr


def test_an_installed_mytriton_is_a_plugin() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    (module,) = project["project"]["entry-points"]["pytest11"].values()
    assert hasattr(import_module(module), "pytest_addoption")
