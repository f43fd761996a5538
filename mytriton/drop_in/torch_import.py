"""Maps torch's CUDA device to the CPU as soon as torch is imported, if it ever is."""

from __future__ import annotations

import sys
import types
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec


class TorchFinder(MetaPathFinder):
    """Finds torch where the other finders do, and has it mapped at the end of its import."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: types.ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname != "torch":
            return None
        for finder in sys.meta_path:
            if finder is not self and (spec := finder.find_spec(fullname, path, target)) is not None:
                break
        else:
            return None
        if spec.loader is not None:
            spec.loader = MappingLoader(spec.loader)
        return spec


class MappingLoader(Loader):
    """Loads torch as `loader` does, and maps it then."""

    def __init__(self, loader: Loader):
        self._loader = loader

    def create_module(self, spec: ModuleSpec) -> types.ModuleType | None:
        return self._loader.create_module(spec)

    def exec_module(self, module: types.ModuleType) -> None:
        # From here on torch has its own loader: tools ask it for sources.
        module.__loader__ = self._loader
        if module.__spec__ is not None:
            module.__spec__.loader = self._loader
        self._loader.exec_module(module)
        _activate()


def map_cuda_to_cpu() -> None:
    """Maps torch now, or when it is imported."""
    if "torch" in sys.modules:
        _activate()
    else:
        sys.meta_path.insert(0, TorchFinder())


def _activate() -> None:
    from mytriton.drop_in import torch_on_cpu

    torch_on_cpu.activate()
