"""Finds `triton` and the modules below it in mytriton, whether or not a real Triton is installed."""

from __future__ import annotations

import importlib
import os
import sys
import types
from collections.abc import Iterator, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.metadata import Distribution, DistributionFinder
from pathlib import Path

from mytriton.drop_in import explanations
from mytriton.drop_in.explanations import is_importing
from mytriton.drop_in.missing import VERSION, message
from mytriton.drop_in.modules import FACADES, SAME, Facade

INTERPRET_VARIABLE = "TRITON_INTERPRET"

VARIABLES = {f"TRITON_{name}": f"MYTRITON_{name}" for name in ("ALWAYS_COMPILE", "CACHE_DIR", "PRINT_AUTOTUNING")}
"""The environment variables of Triton that mean what one of mytriton's does; they are read when triton is imported."""


class TritonFinder(MetaPathFinder):
    """Knows every module of Triton that `modules.py` lists, and says so where another one is asked for."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: types.ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname in SAME:
            return _spec(fullname, ModuleOfMytriton(SAME[fullname]))
        if fullname in FACADES:
            return _spec(fullname, FacadeLoader())
        if fullname.startswith("triton.") and is_importing():
            # Without our name for it, `from triton import x` would drop the message.
            raise ModuleNotFoundError(message(fullname), name="my" + fullname)
        return None

    @staticmethod
    def find_distributions(context: DistributionFinder.Context | None = None) -> Iterator[Distribution]:
        """Finds the version of the package, which libraries compare, in the place of a Triton that is installed."""
        if context is not None and context.name == "triton":
            yield TritonDistribution()


class TritonDistribution(Distribution):
    """What `importlib.metadata` knows of the package `triton`."""

    def read_text(self, filename: str) -> str | None:
        if filename == "METADATA":
            return f"Metadata-Version: 2.1\nName: triton\nVersion: {VERSION}\n"
        return None

    def locate_file(self, path: str | os.PathLike[str]) -> Path:
        return Path(__file__).parent / path


class FacadeLoader(Loader):
    """Makes the facade of a module of Triton."""

    def create_module(self, spec: ModuleSpec) -> types.ModuleType:
        return Facade(spec.name)

    def exec_module(self, module: types.ModuleType) -> None:
        if module.__name__ != "triton":
            return
        explanations.explain_all()
        for theirs, ours in VARIABLES.items():
            if theirs in os.environ:
                os.environ.setdefault(ours, os.environ[theirs])
        if os.environ.get(INTERPRET_VARIABLE, "0") not in ("", "0"):
            from mytriton.interpreter import interpret_everything

            interpret_everything()


class ModuleOfMytriton(Loader):
    """Gives a module of mytriton, which stays what it is, under its name in Triton."""

    def __init__(self, name: str):
        self._name = name
        self._spec: ModuleSpec | None = None

    def create_module(self, spec: ModuleSpec) -> types.ModuleType:
        module = importlib.import_module(self._name)
        self._spec = module.__spec__
        explanations.explain(module)
        return module

    def exec_module(self, module: types.ModuleType) -> None:
        module.__spec__ = self._spec  # the import system has put ours in its place


def is_installed() -> bool:
    """Whether `import triton` finds mytriton."""
    return any(isinstance(finder, TritonFinder) for finder in sys.meta_path)


def install() -> None:
    """Has `import triton` find mytriton from now on, also where Triton has been imported already."""
    if is_installed():
        return
    for name in [name for name in sys.modules if name == "triton" or name.startswith("triton.")]:
        del sys.modules[name]
    sys.meta_path.insert(0, TritonFinder())
    sys.meta_path.append(explanations.MissingNameFinder())


def _spec(name: str, loader: Loader) -> ModuleSpec:
    # All are packages, so that the finder is asked about every name that is missing, and can say so.
    return ModuleSpec(name, loader, origin=str(Path(__file__).parent / "modules.py"), is_package=True)
