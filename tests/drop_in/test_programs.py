"""A program under `python -m mytriton` is as it is under `python`."""

from __future__ import annotations

import os
import shutil
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


def by_python(*arguments: str, cwd: Path, input: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, *arguments], capture_output=True, text=True, cwd=cwd, input=input)


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


@pytest.mark.parametrize("is_zip", [False, True])
def test_a_folder_or_a_zip_file_with_a_main_file(is_zip: bool, tmp_path: Path) -> None:
    (tmp_path / "app").mkdir()
    (tmp_path / "app" / "__main__.py").write_text(ABOUT_ITSELF + "import helper; print(helper.__file__)")
    (tmp_path / "app" / "helper.py").write_text("")
    name = "app"
    if is_zip:
        name = Path(shutil.make_archive(str(tmp_path / "packed"), "zip", tmp_path / "app")).name
    expected = by_python(name, "x", cwd=tmp_path)
    assert expected.returncode == 0, expected.stderr
    assert output_of(name, "x", cwd=tmp_path) == expected.stdout


@pytest.mark.parametrize("arguments", [["-", "a"], ["-c", ABOUT_ITSELF, "--device", "-x"]])
def test_a_text_sees_what_it_sees_under_python(arguments: list[str], tmp_path: Path) -> None:
    text = ABOUT_ITSELF.replace("__file__", "globals().get('__file__'), sorted(globals())")
    arguments = [text if a == ABOUT_ITSELF else a for a in arguments]
    expected = by_python(*arguments, cwd=tmp_path, input=text)
    assert expected.returncode == 0, expected.stderr
    assert run_mytriton(*arguments, cwd=tmp_path, input=text).stdout == expected.stdout


def test_kernels_in_a_text(tmp_path: Path) -> None:
    text = (
        "import numpy as np, triton, triton.language as tl\n@triton.jit\ndef f(x):\n    tl.store(x, 3)\n"
        "x = np.zeros(1, np.int32); f[(1,)](x); print(x)\n"
    )
    for arguments in (["-"], ["-c", text]):
        assert run_mytriton("--device", "cpu", *arguments, cwd=tmp_path, input=text).stdout == "[3]\n"


def test_an_interrupt_ends_it_as_under_python(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(
        "import atexit, os, signal, time\natexit.register(print, 'bye')\n"
        "os.kill(os.getpid(), signal.SIGINT); time.sleep(5)\n"
    )
    expected = by_python("script.py", cwd=tmp_path)
    result = run_mytriton("script.py", cwd=tmp_path)
    assert result.returncode == expected.returncode != 0
    assert (result.stdout, result.stderr) == (expected.stdout, expected.stderr)


def test_a_debugger(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text("def f(x):\n    breakpoint()\n    return x + 1\nprint(f(3))\n")
    for arguments in (["script.py"], ["-m", "pdb", "script.py"]):
        expected = by_python(*arguments, cwd=tmp_path, input="p x\nc\nc\nq\n")
        assert run_mytriton(*arguments, cwd=tmp_path, input="p x\nc\nc\nq\n").stdout == expected.stdout


def test_without_the_folder_of_the_script_on_the_path(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(f"import sys; print({str(tmp_path)!r} in sys.path)")
    assert output_of("script.py", cwd=tmp_path, PYTHONSAFEPATH="1") == "False\n"
    assert output_of("script.py", cwd=tmp_path) == "True\n"


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
