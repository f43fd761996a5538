"""A program under `python -m mytriton` is as it is under `python`."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.drop_in.running import output_of, run_mytriton

ABOUT_ITSELF = """
import os, pickle, sys
class Thing: pass
assert pickle.loads(pickle.dumps(Thing())).__class__ is Thing
print(sys.argv, __name__, __file__, __doc__, __package__, sys.path[0])
print(sys.modules["__main__"].Thing is Thing)
"""


def by_python(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, *arguments], capture_output=True, text=True, cwd=cwd)


@pytest.mark.parametrize("arguments", [[], ["-x", "--report", "--", "--device", "gpu", "-m", "a"]])
def test_a_script_sees_what_it_sees_under_python(arguments: list[str], tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "script.py").write_text('"""Text."""' + ABOUT_ITSELF)
    expected = by_python("folder/script.py", *arguments, cwd=tmp_path)
    assert expected.returncode == 0, expected.stderr
    assert output_of("folder/script.py", *arguments, cwd=tmp_path) == expected.stdout


@pytest.mark.parametrize("name", ["package", "package.part"])
def test_a_module_sees_what_it_sees_under_python(name: str, tmp_path: Path) -> None:
    (tmp_path / "package").mkdir()
    for file in ("__init__.py", "part.py", "__main__.py"):
        (tmp_path / "package" / file).write_text("" if file == "__init__.py" else ABOUT_ITSELF)
    expected = by_python("-m", name, "-q", "--device", cwd=tmp_path)
    assert expected.returncode == 0, expected.stderr
    assert output_of("-m", name, "-q", "--device", cwd=tmp_path) == expected.stdout


@pytest.mark.parametrize(
    ("source", "code"),
    [
        ("raise SystemExit", 0),
        ("import sys; sys.exit(7)", 7),
        ("import sys; sys.exit('bye')", 1),
        ("def f(): raise ValueError('wrong')\nf()", 1),
        ("import json\njson.loads('{')", 1),
        ("x = (", 1),
        ("import os; os._exit(5)", 5),
        ("import sys; sys.excepthook = lambda *_: print('hook')\n1 / 0", 1),
        ("import atexit; atexit.register(lambda: print(x)); x = 3", 0),
        ("import threading; threading.Thread(target=lambda: print(x)).start(); x = 4", 0),
    ],
)
@pytest.mark.parametrize("options", [[], ["--report"]])
def test_it_ends_as_under_python(source: str, code: int, options: list[str], tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(source)
    expected = by_python("script.py", cwd=tmp_path)
    result = run_mytriton(*options, "script.py", cwd=tmp_path)
    assert result.returncode == expected.returncode == code
    assert result.stdout == expected.stdout
    # Python gives the whole path of the file in a traceback.
    expected_text = expected.stderr.replace(str(tmp_path) + os.sep, "")
    if not options:
        assert result.stderr.replace(str(tmp_path) + os.sep, "") == expected_text
    else:
        assert expected_text.strip() in result.stderr.replace(str(tmp_path) + os.sep, "")


def test_what_is_not_there_is_said_as_by_python(tmp_path: Path) -> None:
    for arguments, code in ((["nothing.py"], 2), (["-m", "nothing_here"], 1)):
        expected = by_python(*arguments, cwd=tmp_path)
        result = run_mytriton(*arguments, cwd=tmp_path)
        assert result.returncode == expected.returncode == code
        assert result.stderr == expected.stderr


def test_the_command_line(tmp_path: Path) -> None:
    assert run_mytriton(cwd=tmp_path).returncode == 2
    assert "invalid choice: 'tpu'" in run_mytriton("--device", "tpu", "x.py", cwd=tmp_path).stderr
    assert "--report" in output_of("--help", cwd=tmp_path)


def test_a_folder_with_a_main_file(tmp_path: Path) -> None:
    (tmp_path / "app").mkdir()
    (tmp_path / "app" / "__main__.py").write_text("import sys, triton; print(__name__, sys.argv, triton.cdiv(5, 2))")
    assert output_of("app", "x", cwd=tmp_path) == "__main__ ['app', 'x'] 3\n"


def test_arrays_of_numpy_need_no_torch() -> None:
    assert output_of("--device", "cpu", "numpy_only.py", "a") == "10000.0 False ['a']\n"


def test_the_interpreter_is_asked_for_by_triton_s_variable(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(
        "import os\nif os.environ.get('LATE'): os.environ['TRITON_INTERPRET'] = '1'\n"
        "import triton\nprint(triton.knobs.runtime.interpret)\n"
    )
    assert output_of("script.py", cwd=tmp_path) == "False\n"
    assert output_of("script.py", cwd=tmp_path, TRITON_INTERPRET="1") == "True\n"
    assert output_of("script.py", cwd=tmp_path, LATE="1") == "True\n"
    assert output_of("script.py", cwd=tmp_path, TRITON_INTERPRET="0") == "False\n"
