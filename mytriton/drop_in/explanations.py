"""Has modules of mytriton that stand for Triton's say what they do not have, by the name that Triton gives it."""

from __future__ import annotations

import sys
import types
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from typing import Any

from mytriton.drop_in.missing import message
from mytriton.drop_in.modules import SAME

_THEIRS = {ours: theirs for theirs, ours in SAME.items()}
_EXPLAINED = "__explains_missing_names__"


def explain_all() -> None:
    """Has all modules that are loaded say what they do not have."""
    for ours in _THEIRS:
        if ours in sys.modules:
            explain(sys.modules[ours])


def explain(module: types.ModuleType) -> None:
    """Has a module say what it does not have, once; does nothing for one that stands for none of Triton's."""
    names = module.__dict__
    if module.__name__ not in _THEIRS or _EXPLAINED in names:
        return
    find = names.get("__getattr__")

    def find_or_explain(name: str) -> Any:
        if find is not None:
            try:
                found = find(name)
            except AttributeError:
                pass
            else:
                if isinstance(found, types.ModuleType):
                    explain(found)
                return found
        raise AttributeError(message(f"{_THEIRS[names['__name__']]}.{name}"))

    names["__getattr__"] = find_or_explain
    names[_EXPLAINED] = True


class MissingNameFinder(MetaPathFinder):
    """Comes last: is asked for what nobody finds in the modules of mytriton that stand for Triton's."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: types.ModuleType | None = None
    ) -> ModuleSpec | None:
        parent, _, name = fullname.rpartition(".")
        if parent in _THEIRS and is_importing():
            raise ModuleNotFoundError(message(f"{_THEIRS[parent]}.{name}"), name=f"{_THEIRS[parent]}.{name}")
        return None


def is_importing() -> bool:
    """Whether a finder is asked by an import: `importlib.util.find_spec` wants None for what is not there."""
    caller = sys._getframe(1)  # pyright: ignore[reportPrivateUsage]
    while caller.f_code.co_name in ("find_spec", "_find_spec") and "importlib.util" not in caller.f_code.co_filename:
        if caller.f_back is None:
            return True
        caller = caller.f_back
    return "importlib.util" not in caller.f_code.co_filename
