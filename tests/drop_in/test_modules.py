"""`import triton`: which modules and names there are, and what is said about those that are not."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import pytest

from mytriton.drop_in.modules import FACADES, SAME, SUBMODULES
from tests.drop_in.running import output_of, run_mytriton

PROBE = """
import importlib, json, sys

results = {}
for statement in json.loads(sys.argv[1]):
    try:
        exec(statement, {})
        results[statement] = "fine"
    except Exception as error:
        results[statement] = f"{type(error).__name__}: {error}"
print(json.dumps(results))
"""


def outcomes(folder: Path, *statements: str) -> dict[str, str]:
    """What each statement does in one program that mytriton runs: "fine", or the error."""
    (folder / "probe.py").write_text(PROBE)
    return json.loads(output_of("probe.py", json.dumps(statements), cwd=folder))


def is_importable(module: str) -> bool:
    return module != "triton.tools.mxfp" or importlib.util.find_spec("torch") is not None


def test_every_module_and_name_is_there(tmp_path: Path) -> None:
    modules = [f"import {module}" for module in ("triton", *SUBMODULES) if is_importable(module)]
    names = [f"from {module} import {name}" for module, names in FACADES.items() for name in names]
    found = outcomes(tmp_path, *modules, *names)
    assert set(found.values()) == {"fine"}, found


def test_modules_of_mytriton_stay_what_they_are(tmp_path: Path) -> None:
    lines = [
        f"import importlib; a = importlib.import_module({theirs!r}); b = importlib.import_module({ours!r}); "
        f"assert a is b and b.__name__ == b.__spec__.name == {ours!r}"
        for theirs, ours in SAME.items()
        if is_importable(theirs)
    ]
    more = [
        "import triton; assert triton.__version__ == '3.9.0' and 'mytriton' in triton.__file__",
        "import mytriton.runtime.jit, triton.runtime.jit; from mytriton.runtime import jit; assert jit.__name__ == "
        "'mytriton.runtime.jit'",
        "import triton; assert 'jit' in dir(triton) and 'language' in dir(triton)",
        "import triton; triton.language; triton.runtime.driver.active; triton.compiler.errors; triton.testing.do_bench",
        "import importlib; import triton; importlib.reload(importlib.import_module('mytriton.language.scans'))",
    ]
    found = outcomes(tmp_path, *lines, *more)
    assert set(found.values()) == {"fine"}, found


MISSING = {
    "import triton; triton.nothing": "AttributeError: mytriton does not have triton.nothing: nor does Triton 3.9.0, a",
    "from triton import nothing": "ModuleNotFoundError: mytriton does not have triton.nothing: nor does Triton 3.9.0",
    "import triton.experimental.gluon": "ModuleNotFoundError: mytriton does not have triton.experimental.gluon: write ",
    "import triton.experimental.gluon.language.nvidia": "ModuleNotFoundError: mytriton does not have triton.exper",
    "from triton.runtime import interpreter": "ModuleNotFoundError: mytriton does not have triton.runtime.interpreter: "
    "mytriton.interpret() and TRITON_INTERPRET=1 run kernels on the interpreter",
    "from triton.runtime.jit import nothing": "ModuleNotFoundError: mytriton does not have triton.runtime.jit.nothing",
    "from triton.runtime.jit import KernelParam": "ModuleNotFoundError: mytriton does not have triton.runtime.jit.Kern",
    "import triton.runtime; triton.runtime.nothing": "AttributeError: mytriton does not have triton.runtime.nothing",
    "from triton.language.extra.intel import libdevice": "ModuleNotFoundError: mytriton does not have triton.language",
    "from triton.language.extra.hip import libdevice": "ModuleNotFoundError: mytriton does not have triton.language."
    "extra.hip: mytriton compiles for NVIDIA's GPUs and for the CPU",
    "import triton.language as tl; tl.extra.hip": "AttributeError: mytriton does not have triton.language.extra.hip:",
    "import triton.language as tl; tl.semantic": "AttributeError: mytriton does not have triton.language.semantic: ca",
    "import triton.language as tl; tl.core.ir": "AttributeError: mytriton does not have triton.language.core.ir: it b",
    "import triton.language as tl; tl.math.nothing": "AttributeError: mytriton does not have triton.language.math.noth",
    "from triton.language import nothing": "ModuleNotFoundError: mytriton does not have triton.language.nothing: nor",
    "from triton.language.core import extern": "ModuleNotFoundError: mytriton does not have triton.language.core.exte",
    "from triton.testing import set_gpu_clock": "ModuleNotFoundError: mytriton does not have triton.testing.set_gpu_cl",
    "import triton.tools.ragged_tma": "ModuleNotFoundError: mytriton does not have triton.tools.ragged_tma: make a",
    "from triton._C.libtriton import ir": "ModuleNotFoundError: mytriton does not have triton._C: it is not a public",
    "import triton; triton.testing.nothing": "AttributeError: mytriton does not have triton.testing.nothing",
    "import triton; triton.runtime.driver.active.nothing": "AttributeError: mytriton does not have triton.runtime."
    "driver.active.nothing",
    "import triton; triton.runtime.driver.active.utils.nothing": "AttributeError: mytriton does not have triton."
    "runtime.driver.active.utils.nothing",
    "import triton; triton.knobs.nothing": "AttributeError: mytriton does not have triton.knobs.nothing",
    "import triton; triton.knobs.runtime.nothing = 1": "AttributeError: mytriton does not have the setting triton."
    "knobs.runtime.nothing",
}
"""Statements, and how the error of each begins."""


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    return outcomes(tmp_path_factory.mktemp("missing"), *MISSING)


@pytest.mark.parametrize("statement", MISSING)
def test_what_is_missing_is_named(statement: str, found: dict[str, str]) -> None:
    assert found[statement].startswith(MISSING[statement])


def test_missing_modules_can_be_caught_and_looked_for(tmp_path: Path) -> None:
    statements = [
        "import triton; assert not hasattr(triton, 'nothing') and not hasattr(triton.language, 'nothing')",
        "try:\n    import triton.experimental.gluon\nexcept ModuleNotFoundError:\n    pass\nelse:\n    assert False",
        "try:\n    from triton.tools import disasm\nexcept ImportError:\n    pass\nelse:\n    assert False",
        "try:\n    from triton.language import nothing\nexcept ImportError:\n    pass\nelse:\n    assert False",
        "import triton; assert not hasattr(triton.language.core, 'ir') and getattr(triton.language, '_x', 3) == 3",
        "import importlib.util; assert importlib.util.find_spec('triton') is not None",
        "import importlib.util; import triton; assert importlib.util.find_spec('mytriton.language.nothing') is None",
        "import importlib.util; assert importlib.util.find_spec('triton.nothing') is None",
        "import importlib.util; assert importlib.util.find_spec('triton.experimental.gluon') is None",
    ]
    assert set(outcomes(tmp_path, *statements).values()) == {"fine"}


def test_a_triton_that_is_installed_is_shadowed(tmp_path: Path) -> None:
    (tmp_path / "triton").mkdir()
    (tmp_path / "triton" / "__init__.py").write_text("raise RuntimeError('the real one')")
    (tmp_path / "script.py").write_text("import triton; print(triton.jit.__module__)")
    assert output_of("script.py", cwd=tmp_path) == "mytriton.runtime.jit\n"


def test_what_libraries_ask_before_they_use_it(tmp_path: Path) -> None:
    statements = [
        "from triton.backends import backends; assert [b.driver.is_active() for b in backends.values()] == [True]",
        "from importlib.metadata import version; assert version('triton') == '3.9.0'",
        "import triton; assert triton.runtime.driver.active.get_current_target().backend == 'cuda'",
    ]
    assert set(outcomes(tmp_path, *statements).values()) == {"fine"}
    (tmp_path / "script.py").write_text(
        "import os\nos.environ['TRITON_PRINT_AUTOTUNING'] = '1'\n"
        "import triton\nprint(triton.knobs.autotuning.print, triton.knobs.cache.dir)\n"
    )
    assert output_of("script.py", cwd=tmp_path, TRITON_CACHE_DIR="/tmp/a") == "True /tmp/a\n"
    assert output_of("script.py", cwd=tmp_path, TRITON_CACHE_DIR="/a", MYTRITON_CACHE_DIR="/b") == "True /b\n"


def test_the_names_are_there_for_programs_that_import_mytriton(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "import mytriton as triton\n"
        f"for name in {sorted(FACADES['triton'])!r}: getattr(triton, name)\n"
        f"for name in {sorted(FACADES['triton.runtime'])!r}: getattr(triton.runtime, name)\n"
        f"for name in {sorted(FACADES['triton.compiler'])!r}: getattr(triton.compiler, name)\n"
        "triton.runtime.driver.active.get_current_target(); triton.knobs.runtime.interpret\n"
        "assert not hasattr(triton, 'nothing') and not hasattr(triton.runtime, 'nothing')\n"
    )
    result = run_mytriton("script.py", cwd=tmp_path)
    assert result.returncode == 0, result.stderr
