"""Python runs this as it starts, in the processes that a program under `python -m mytriton` starts.

It must be quick, and harmless in any Python: nothing of mytriton is imported before the program needs it.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import module_from_spec, spec_from_file_location
from types import ModuleType

CHILD_VARIABLE = "MYTRITON_DROP_IN"
REPORT_VARIABLE = "MYTRITON_REPORT_FOLDER"

_HERE = os.path.dirname(os.path.abspath(__file__))
_MYTRITON = os.path.dirname(os.path.dirname(_HERE))


class MytritonFinder:
    """Finds the mytriton that the parent runs, and has it take part when triton or torch is first imported."""

    joined = False

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname == "mytriton":
            start = os.path.join(_MYTRITON, "__init__.py")
            return spec_from_file_location(fullname, start, submodule_search_locations=[_MYTRITON])
        if self.joined or fullname not in ("triton", "torch"):
            return None
        self.joined = True
        from mytriton.drop_in.children import join

        join()
        return _found_by_others(fullname, path, target)


def _found_by_others(fullname: str, path: Sequence[str] | None, target: ModuleType | None) -> ModuleSpec | None:
    specs = (f.find_spec(fullname, path, target) for f in sys.meta_path if not isinstance(f, MytritonFinder))
    return next((spec for spec in specs if spec is not None), None)


def _run_the_one_that_is_hidden() -> None:
    """Leaves the path, and runs the sitecustomize that Python would have run."""
    sys.path[:] = [folder for folder in sys.path if os.path.abspath(folder) != _HERE]
    spec: ModuleSpec | None = PathFinder.find_spec("sitecustomize", sys.path)
    if spec is not None and spec.loader is not None:
        module = module_from_spec(spec)
        sys.modules["sitecustomize"] = module
        spec.loader.exec_module(module)


def _start() -> None:
    # Another Python, such as that of another virtual environment, need not have what mytriton needs.
    if os.environ.get(CHILD_VARIABLE) != "{}.{}:{}".format(*sys.version_info[:2], sys.prefix):
        return
    sys.meta_path.insert(0, MytritonFinder())
    if os.environ.get(REPORT_VARIABLE):
        from mytriton.drop_in.children import join_report

        join_report()


_start()
_run_the_one_that_is_hidden()
